"""A desk to put one API's handler on: requests go in as bytes, answers come out as entities."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from tools.messages.entities import make, ms, request_class, request_types
from tools.messages.frames import decode_response, encode_request

from spindle.model.outbox import Outbox
from spindle.node.connection import Connection
from spindle.node.parts import NOTHING_PARTED, Parted
from spindle.node.request_context import Serving
from spindle.node.router import Router
from spindle.wire.apis import Key
from spindle.wire.codec import Request
from spindle.wire.framing import request_frame, response_in

LISTENER = "PLAINTEXT"


class Desk:
    """Handlers behind a real router, with one client's connection."""

    def __init__(
        self,
        handlers: Mapping[int, Serving[Any]],
        target: Any,
        out: Outbox,
        listener: str = LISTENER,
        parted: Parted[Any] = NOTHING_PARTED,
    ) -> None:
        self.out = out
        self.router = Router(handlers, target, out, parted)
        self.connection = Connection(1, listener, "127.0.0.1", out)
        self._asked: list[Callable[[bytes], Any]] = []
        """What decodes the answers to come."""
        self._correlations = itertools.count(1)

    def send(self, request: Any, version: int = 0) -> None:
        """Send a request; `version`: of one that has no version of its own."""
        number = next(self._correlations)
        if isinstance(request, Request):
            frame = request_frame(request, version, number, "tester")
            self._asked.append(lambda frame: response_in(frame, request, version))
        else:
            frame = encode_request(request, number, "tester")
            self._asked.append(lambda frame: decode_response(request, frame))
        self.router.on_frame(self.connection, frame[4:])

    def answers(self) -> list[Any]:
        """The answers that have come since the last time, decoded, in order."""
        ready = self.out.take()
        found = []
        for answered in ready.answers if ready is not None else ():
            frame = b"".join(bytes(b) for b in answered.buffers)
            found.append(self._asked.pop(0)(frame[4:]))
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

    A client that asks the controller to change something has time unless the test says otherwise.
    """
    if key in PATIENT:
        fields.setdefault("timeout", ms(5000))
    return make(request_class(key, version), **fields)


def part(key: int, version: int, kind: str, /, **fields: Any) -> Any:
    """A nested entity of a request."""
    return make(getattr(request_types(key, version), kind), **fields)
