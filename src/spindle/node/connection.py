"""One client's connection: the order of its answers.

Pure: frames come in from the owner of the socket, buffers go out through the Outbox. Used by the
router.
"""

from __future__ import annotations

from collections import deque

from spindle.model.batches import Buffer
from spindle.model.outbox import Outbox
from spindle.node.request_context import Sink


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
