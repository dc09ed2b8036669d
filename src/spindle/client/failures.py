"""How a client's call can fail: no server there, no answer in time, or an answer that says no.

All are members of the tree in `model.errors`; every text names the broker, the API and the way
out, because it is what a person at a terminal will read. Raised by `link`, `cluster` and `admin`.
"""

from __future__ import annotations

from spindle.client.rights import missing
from spindle.model.errors import Error, PeerFailed, Refusal


class Unreachable(PeerFailed):
    """No connection, or it broke while an answer was due."""


class Unresolved(Unreachable):
    """A name that has no address: trying again does not help."""


class AuthenticationFailed(Unreachable):
    """The other side is there, and we do not get in as we are: a wrong protocol, certificate or
    password. Trying again does not help."""


class OutOfTime(PeerFailed):
    """The answer did not come within the caller's time limit."""


class Refused(Refusal):
    """A broker answered with an error code. `api` is the request, `where` the broker's name."""

    def __init__(self, error: Error | int, api: str, where: str, message: str = "") -> None:
        known = error_of(error)
        name = known.name if int(known) == int(error) else f"error {int(error)}"
        lacks = missing(known, api)
        text = _telling(message) if lacks else message or _meaning(known, api)
        if lacks:
            text = f"{text.rstrip('.')}: {lacks}" if text else lacks
        super().__init__(known, f"{where} answered {api} with {name}{': ' if text else ''}{text}")
        self.api = api
        self.where = where
        self.detail = message
        """The broker's own words, empty where it sent none."""


def _meaning(error: Error, api: str) -> str:
    """What a bare code says; a move's tells of more directories than the one that it names."""
    if error is Error.KAFKA_STORAGE_ERROR and api.startswith("AlterReplicaLogDirs "):
        return _MOVE_BARRED
    return MEANINGS.get(error, "")


def _telling(message: str) -> str:
    """The first line of a broker's words about a right; empty where they say nothing more than the
    error does, or list the internals of the broker's request."""
    first = message.split("\n", 1)[0]
    return "" if first.startswith(_EMPTY_WORDS) else first


def error_of(code: int) -> Error:
    """An error code as our enum; a code that we do not know counts as UNKNOWN_SERVER_ERROR."""
    try:
        return Error(code)
    except ValueError:
        return Error.UNKNOWN_SERVER_ERROR


_MOVE_BARRED = (
    "the log directory or the replica is offline, or another directory of this broker is: Apache"
    " Kafka then refuses moves between those that work"
)
_EMPTY_WORDS = ("Request ", "Cluster authorization failed")
MEANINGS = {
    Error.LOG_DIR_NOT_FOUND: "the broker has no such log directory; give the path exactly as in"
    " its log.dirs",
    Error.KAFKA_STORAGE_ERROR: "the log directory is offline",
    Error.REPLICA_NOT_AVAILABLE: "the broker holds no such replica yet; it has noted the directory"
    " and will create the replica there",
    Error.UNKNOWN_TOPIC_OR_PARTITION: "there is no such topic or partition",
    Error.NOT_CONTROLLER: "it is not the active controller",
    Error.INVALID_REPLICA_ASSIGNMENT: "the log directory is cordoned, or the assignment is wrong",
    Error.REQUEST_TIMED_OUT: "it did not end in time: the controller may be frozen or overloaded; "
    "look at the controllers' logs and continue or restart a frozen one (others of its quorum then "
    "elect one of them)",
    Error.NO_REASSIGNMENT_IN_PROGRESS: "no reassignment of this partition is in progress",
}
"""What to say where the protocol carries a bare code."""
