"""A client's request on its way through the node, and the order of a connection's answers.

Pure: bytes come in from whoever owns the socket, buffers go out through the Outbox. Used by the
router and by every handler.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from spindle.model.batches import Buffer
from spindle.model.outbox import Outbox
from spindle.wire.entities import response_types
from spindle.wire.framing import RequestHeader, encode_response

Sink = Callable[[list[Buffer]], None]


class Call:
    """One request and the way to answer it: once, now or later.

    `body` is the decoded request, `raw` its header and body as they came (for forwarding);
    `listener` names where it came in, `host` who sent it; `forwarded` tells an Envelope's inner
    request. `served` is the table of APIs this listener serves: key -> (min, max).
    """

    __slots__ = (
        "_sink",
        "body",
        "connection",
        "forwarded",
        "gone",
        "header",
        "host",
        "listener",
        "raw",
        "served",
    )

    def __init__(
        self,
        header: RequestHeader,
        body: Any,
        raw: Buffer,
        connection: int,
        listener: str,
        host: str,
        served: Mapping[int, tuple[int, int]],
        sink: Sink,
        forwarded: bool = False,
        gone: Callable[[], bool] = lambda: False,
    ) -> None:
        """`gone`: whether the client has left, so that no more work need be done for it."""
        self.header = header
        self.body = body
        self.raw = raw
        self.connection = connection
        self.listener = listener
        self.host = host
        self.served = served
        self.forwarded = forwarded
        self.gone = gone
        self._sink: Sink | None = sink

    @property
    def key(self) -> int:
        """The API's key."""
        return self.header.api_key

    @property
    def version(self) -> int:
        """The version that the client speaks."""
        return self.header.version

    @property
    def client_id(self) -> str:
        """What the client calls itself."""
        return self.header.client_id or ""

    @property
    def reply(self) -> ModuleType:
        """The types of the response, in the client's version."""
        return response_types(self.header.api_key, self.header.version)

    @property
    def answered(self) -> bool:
        """Whether the answer has been given."""
        return self._sink is None

    def answer(self, entity: Any) -> None:
        """Give the answer: an entity of the client's version."""
        self.answer_buffers(encode_response(self.header, entity))

    def answer_buffers(self, buffers: list[Buffer]) -> None:
        """Give the answer as bytes (length, header and body)."""
        assert self._sink is not None, f"{self.header} was answered twice"
        sink, self._sink = self._sink, None
        sink(buffers)

    def answer_nothing(self) -> None:
        """The client wants no answer (acks=0)."""
        self.answer_buffers([])


class Connection:
    """The order of one connection's answers: as the requests came, whatever is ready first."""

    __slots__ = ("_out", "_waiting", "behind", "host", "id", "listener")

    def __init__(self, id: int, listener: str, host: str, out: Outbox) -> None:
        self.id = id
        self.listener = listener
        self.host = host
        self._out: Outbox | None = out
        self._waiting: deque[list[list[Buffer] | None]] = deque()
        self.behind: deque[Buffer] | None = None
        """While a large request is read: the frames that came behind it."""

    def gone(self) -> bool:
        """Whether the client has left."""
        return self._out is None

    def expect(self) -> Sink:
        """A request has come; what is given to the sink goes out in its turn."""
        slot: list[list[Buffer] | None] = [None]
        self._waiting.append(slot)

        def sink(buffers: list[Buffer]) -> None:
            slot[0] = buffers
            self._flush()

        return sink

    def close(self) -> None:
        """The client has gone; later answers are dropped."""
        self._out = None
        self._waiting.clear()
        self.behind = None

    def _flush(self) -> None:
        while self._waiting and self._waiting[0][0] is not None:
            buffers = self._waiting.popleft()[0]
            assert buffers is not None
            if self._out is not None:
                self._out.answer(self.id, buffers)
