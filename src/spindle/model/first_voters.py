"""The first voters of a dynamic quorum, from the options of `kafka-storage format` (KIP-853).

`--standalone` names this node alone, `--initial-controllers` each as id@host:port:directory-id. The
words of what is wrong are Apache Kafka's. Reads no file.
"""

from __future__ import annotations

from collections import Counter

from spindle.model.config import NodeConfig
from spindle.model.errors import Unusable
from spindle.model.feature_rules import KRAFT_LEVELS
from spindle.model.ids import DirectoryId, Endpoint, id_from_text
from spindle.model.quorum_voters import Voter, Voters

_LARGEST_PORT = 65_535


def standalone(config: NodeConfig, directory: DirectoryId) -> Voters:
    """This node alone, with a new directory id. Unusable where it is no controller."""
    if not config.is_controller:
        raise Unusable("You can only use --standalone on a controller.")
    listener = config.quorum.listeners[0]
    own = next(e for e in config.advertised if e.name == listener)
    endpoint = Endpoint(own.name, own.host or "localhost", own.port)
    return Voters((Voter(config.node_id, directory, (endpoint,), KRAFT_LEVELS),))


def parse_voters(text: str, listener: str) -> Voters:
    """`id@host:port:directory-id,...`. Unusable."""
    voters = [_parse(part.strip(), listener) for part in text.split(",") if part.strip()]
    if not voters:
        raise Unusable("No voters given.")
    for id, times in Counter(voter.id for voter in voters).items():
        if times > 1:
            raise Unusable(f"Node id {id} was specified more than once.")
    return Voters(tuple(sorted(voters, key=lambda voter: voter.id)))


def _parse(text: str, listener: str) -> Voter:
    number, at, rest = text.partition("@")
    if not at:
        raise Unusable("No @ found in dynamic voter string.")
    if not number:
        raise Unusable("Invalid @ at beginning of dynamic voter string.")
    host, rest = _host(rest)
    port, colon, directory = rest.partition(":")
    if not colon:
        raise Unusable("No colon following port could be found.")
    return Voter(
        _whole(number, "Failed to parse node id in dynamic voter string."),
        _directory(directory),
        (Endpoint(listener, host, _port(port)),),
        KRAFT_LEVELS,
    )


def _host(text: str) -> tuple[str, str]:
    """The host, which may be in brackets, and what follows its colon."""
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        if not bracket:
            raise Unusable("Hostname began with left bracket, but no right bracket was found.")
        if not rest.startswith(":"):
            raise Unusable("Port section must start with a colon.")
        return host, rest[1:]
    host, colon, rest = text.partition(":")
    if not host:
        raise Unusable("No hostname found after node id.")
    if not colon:
        raise Unusable("No colon following hostname could be found.")
    return host, rest


def _whole(text: str, wrong: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise Unusable(wrong) from None
    if number < 0:
        raise Unusable(f"Invalid negative node id {number} in dynamic voter string.")
    return number


def _port(text: str) -> int:
    try:
        port = int(text)
    except ValueError:
        raise Unusable("Failed to parse port in dynamic voter string.") from None
    if not 0 <= port <= _LARGEST_PORT:
        raise Unusable(f"Invalid port {port} in dynamic voter string.")
    return port


def _directory(text: str) -> DirectoryId:
    try:
        return id_from_text(text)
    except ValueError:
        raise Unusable("Failed to parse directory ID in dynamic voter string.") from None
