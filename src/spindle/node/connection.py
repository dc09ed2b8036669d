"""One client's connection: the order of its answers.

Pure: frames come in from the owner of the socket, buffers go out through the Outbox. Used by the
router.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from spindle.model.batches import Buffer
from spindle.model.kafka_principal import ANONYMOUS, KafkaPrincipal
from spindle.model.outbox import Outbox
from spindle.model.security_protocol import SecurityProtocol
from spindle.node.request_context import Origin, Sink


class Connection:
    """The order of one connection's answers: as the requests came, whatever is ready first."""

    __slots__ = ("_out", "_waiting", "admits", "behind", "id", "origin")

    def __init__(
        self,
        id: int,
        listener: str,
        host: str,
        out: Outbox,
        security_protocol: SecurityProtocol = SecurityProtocol.PLAINTEXT,
        principal: KafkaPrincipal = ANONYMOUS,
    ) -> None:
        """`principal`: what is known of the client when it comes; SASL tells later."""
        self.id = id
        self.origin = Origin(listener, host, security_protocol, principal)
        """Where its requests come from, as those that come next will say."""
        self._out: Outbox | None = out
        self._waiting: deque[list[list[Buffer] | None]] = deque()
        self.behind: deque[Buffer] | None = None
        """While a large request is read: the frames that came behind it."""
        self.admits: Callable[[Buffer], bool] | None = None
        """Is shown each frame, and says whether it is a request to be served: a login's are not."""

    @property
    def listener(self) -> str:
        """The listener at which it came in."""
        return self.origin.listener

    @property
    def host(self) -> str:
        """The client's address."""
        return self.origin.host

    @property
    def security_protocol(self) -> SecurityProtocol:
        """How its listener is secured."""
        return self.origin.security_protocol

    @property
    def principal(self) -> KafkaPrincipal:
        """The sender of its requests, as far as it is known."""
        return self.origin.principal

    @principal.setter
    def principal(self, principal: KafkaPrincipal) -> None:
        self.origin = self.origin._replace(principal=principal)

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
        self.admits = None
        self._waiting.clear()
        self.behind = None

    def _flush(self) -> None:
        while self._waiting and self._waiting[0][0] is not None:
            buffers = self._waiting.popleft()[0]
            assert buffers is not None
            if self._out is not None:
                self._out.answer(self.id, buffers)
