"""A desk to put one API's handler on: requests go in as bytes, answers come out as entities."""

from __future__ import annotations

import itertools
from types import ModuleType
from typing import Any

from spindle.model.outbox import Outbox
from spindle.node.calls import Connection
from spindle.node.router import Router
from spindle.wire.apis import Key
from spindle.wire.entities import make, ms, request_class, request_types
from spindle.wire.framing import decode_response, encode_request

LISTENER = "PLAINTEXT"


class Desk:
    """Handlers behind a real router, with one client's connection."""

    def __init__(
        self,
        modules: dict[int, ModuleType],
        target: Any,
        out: Outbox,
        entry: str = "on_broker",
        listener: str = LISTENER,
    ) -> None:
        self.out = out
        self.router = Router(modules, entry, target, out)
        self.connection = Connection(1, listener, "127.0.0.1", out)
        self._asked: list[Any] = []
        self._correlations = itertools.count(1)

    def send(self, request: Any) -> None:
        """Send a request."""
        self._asked.append(request)
        frame = encode_request(request, next(self._correlations), "tester")
        self.router.on_frame(self.connection, frame[4:])

    def answers(self) -> list[Any]:
        """The answers that have come since the last time, decoded, in order."""
        ready = self.out.take()
        found = []
        for answered in ready.answers if ready is not None else ():
            frame = b"".join(bytes(b) for b in answered.buffers)
            found.append(decode_response(self._asked.pop(0), frame[4:]))
        return found

    def ask(self, key: int, version: int, /, **fields: Any) -> Any:
        """Send a request made of fields, and get its answer, which must come at once."""
        self.send(request(key, version, **fields))
        (answer,) = self.answers()
        return answer


PATIENT = {
    Key.CREATE_TOPICS, Key.DELETE_TOPICS, Key.CREATE_PARTITIONS, Key.ELECT_LEADERS,
    Key.ALTER_PARTITION_REASSIGNMENTS,
}  # fmt: skip
"""What is refused by a controller that is given no time."""


def request(key: int, version: int, /, **fields: Any) -> Any:
    """A request entity: fields that this version lacks are dropped.

    Who asks the controller to change something has time unless told otherwise.
    """
    if key in PATIENT:
        fields.setdefault("timeout", ms(5000))
    return make(request_class(key, version), **fields)


def part(key: int, version: int, kind: str, /, **fields: Any) -> Any:
    """A nested entity of a request."""
    return make(getattr(request_types(key, version), kind), **fields)
