"""The ways into a node: its listening sockets, and the handshakes of TLS behind some of them.

Knows connections, not requests. Called by `driver`.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from spindle.model.config import NodeConfig
from spindle.model.ids import Endpoint
from spindle.model.kafka_principal import ANONYMOUS, KafkaPrincipal
from spindle.model.statistics import Sample
from spindle.runtime.doors import Bustle, ConnectionLimits, Doors
from spindle.runtime.handshakes import Handshakes

if TYPE_CHECKING:
    from spindle.runtime.certificates import ListenerCertificates

LetIn = Callable[[socket.socket, str, str, KafkaPrincipal], None]


def certificates_of(config: NodeConfig) -> ListenerCertificates | None:
    """None where nothing has TLS: what it needs is slow to load. Unusable as the class says."""
    if not any(protocol.has_tls for protocol in config.protocols_in_use):
        return None
    from spindle.runtime.certificates import ListenerCertificates

    return ListenerCertificates(config)


class Entrances:
    """All listeners of a node.

    `let_in(socket, listener, host, principal)` is given each connection that may stay; `left` is to
    be called when it has gone. `make_room()` closes a connection that can be spared, and says
    whether there was one.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        limits: ConnectionLimits,
        handshakes: Handshakes,
        let_in: LetIn,
        make_room: Callable[[], bool],
        bustle: Bustle,
    ) -> None:
        self._loop = loop
        self._let_in = let_in
        self._make_room = make_room
        self.doors = Doors(loop, limits, self._on_accepted, self._on_full, bustle)
        self._handshakes = handshakes
        self._handshakes.left = self.doors.left
        self._watching: asyncio.Task[None] | None = None

    def open(self, endpoint: Endpoint) -> int:
        """Listen on an endpoint; the port had, also where 0 was asked."""
        certificates = self._handshakes.certificates
        if certificates is not None and self._watching is None:
            self._watching = self._loop.create_task(certificates.watch())
            self._watching.add_done_callback(_raise_bug)
        return self.doors.open(endpoint)

    def statistics(self) -> Iterator[Sample]:
        """When certificates end."""
        if self._handshakes.certificates is not None:
            yield from self._handshakes.certificates.statistics()

    def close(self) -> None:
        """Listen no longer, and give up handshakes."""
        self.doors.close()
        self._handshakes.close()
        if self._watching is not None:
            self._watching.cancel()

    def left(self, listener: str, host: str, spoke_tls: bool) -> None:
        """A connection has gone; `spoke_tls`: it wanted TLS where there is none."""
        self.doors.left(listener, host)
        if spoke_tls:
            self._handshakes.on_tls_elsewhere(listener, host)

    def is_protected(self, listener: str) -> bool:
        """Whether brokers and controllers come on a listener, and clients do not."""
        return self.doors.is_protected(listener)

    def _on_accepted(self, client: socket.socket, listener: str, host: str) -> None:
        certificates = self._handshakes.certificates
        if certificates is None or certificates.of(listener) is None:
            self._let_in(client, listener, host, ANONYMOUS)
        else:
            self._handshakes.begin(client, listener, host)

    def _on_full(self) -> bool:
        return self._handshakes.make_room() or self._make_room()


def _raise_bug(watching: asyncio.Task[None]) -> None:
    """A task's exception is else reported when it is collected: this callback raises it now."""
    if not watching.cancelled() and (bug := watching.exception()) is not None:
        raise bug
