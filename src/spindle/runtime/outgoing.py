"""Connections to other nodes: one for each (host, port, channel), requests and replies in order.

A request ends in its reply or in a PeerFailed: refused or hung up (PeerGone), or out of time. Kafka
answers a connection's requests in order, so the oldest open request is the one a reply belongs to;
after a request has run out of time the connection is given up, since its order is lost.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable

from spindle.model.batches import Buffer
from spindle.model.errors import PeerFailed, PeerGone
from spindle.model.outbox import FrameAsked, KnockAsked
from spindle.runtime.knocking import Knocks
from spindle.runtime.net import Stream

Reply = Callable[[int, object], None]
_Key = tuple[str, int, str]

IDLE_SHARE = 0.9
"""Of `connections.max.idle.ms`: after so long the other side may hang up at any moment."""
OPEN_MAX = 1000
"""Requests that may be open on one connection; more are refused at once."""


class Peer:
    """One outgoing connection: opened when first needed, given up on the first failure."""

    def __init__(
        self,
        key: _Key,
        loop: asyncio.AbstractEventLoop,
        limit: int,
        scratch: memoryview,
        reply: Reply,
        on_gone: Callable[[Peer], None],
    ) -> None:
        self.key = key
        self._loop = loop
        self._limit = limit
        self._scratch = scratch
        self._reply = reply
        self._on_gone = on_gone
        self._open: deque[FrameAsked] = deque()
        self._unsent: deque[FrameAsked] = deque()
        self._stream: Stream | None = None
        self._failed: str | None = None
        self._used_at = loop.time()
        self._connecting = loop.create_task(self._connect())
        self._connecting.add_done_callback(_raise_bug)

    def send(self, asked: FrameAsked) -> None:
        """Send a request and start its clock."""
        if len(self._open) >= OPEN_MAX:
            self._reply(asked.ticket, PeerFailed(f"{self}: {OPEN_MAX} requests are open already"))
            return
        self._open.append(asked)
        self._used_at = self._loop.time()
        self._loop.call_later(asked.timeout, self._late, asked)
        if self._stream is None:
            self._unsent.append(asked)
        else:
            self._stream.send([asked.frame])

    def is_idle(self, seconds: float) -> bool:
        """Whether nothing was sent on it for so long."""
        return not self._open and self._loop.time() - self._used_at >= seconds

    def close(self, reason: str, failure: type[PeerFailed] = PeerFailed) -> None:
        """Give the connection up; every open request fails."""
        if self._failed is not None:
            return
        self._failed = reason
        self._on_gone(self)
        self._connecting.cancel()
        if self._stream is not None:
            self._stream.close(reason)
        while self._open:
            self._reply(self._open.popleft().ticket, failure(f"{self}: {reason}"))

    def __str__(self) -> str:
        return f"{self.key[0]}:{self.key[1]}"

    async def _connect(self) -> None:
        host, port, _ = self.key
        sock: socket.socket | None = None
        try:
            family, kind, proto, _, address = (
                await self._loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            )[0]
            sock = socket.socket(family, kind, proto)
            sock.setblocking(False)
            await self._loop.sock_connect(sock, address)
        except (OSError, ValueError, OverflowError) as error:  # also: no name, no port
            if sock is not None:
                sock.close()
            refused = isinstance(error, ConnectionError)
            self.close(str(error), PeerGone if refused else PeerFailed)
            return
        except asyncio.CancelledError:
            if sock is not None:
                sock.close()
            raise
        self._stream = Stream(
            sock, self._loop, self._limit, self._scratch, self._on_frame, self._hung_up
        )
        while self._unsent and self._failed is None:
            self._stream.send([self._unsent.popleft().frame])

    def _on_frame(self, frame: Buffer) -> None:
        if not self._open:
            self.close("sent a reply to no open request")
            return
        self._reply(self._open.popleft().ticket, frame)

    def _hung_up(self, reason: str) -> None:
        self.close(reason, PeerGone)

    def _late(self, asked: FrameAsked) -> None:
        if self._open and any(open_ is asked for open_ in self._open):
            self.close(f"no reply within {asked.timeout:g} s")


def _raise_bug(connecting: asyncio.Task[None]) -> None:
    """A task's exception is else reported when it is collected: this callback raises it now."""
    if not connecting.cancelled() and (bug := connecting.exception()) is not None:
        raise bug


class OutgoingConnections:
    """All outgoing connections of a node."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        limit: int,
        scratch: memoryview,
        reply: Reply,
        idle: float,
    ) -> None:
        """`idle`: seconds after which the other side closes a connection that is not used."""
        self._idle = idle * IDLE_SHARE
        self._loop = loop
        self._limit = limit
        self._scratch = scratch
        self._reply = reply
        self._peers: dict[_Key, Peer] = {}
        self._knocks = Knocks(loop, reply)

    def send(self, asked: FrameAsked) -> None:
        """Send a request on the connection of its host, port and channel."""
        key = (asked.host, asked.port, asked.channel)
        peer = self._peers.get(key)
        if peer is not None and peer.is_idle(self._idle):
            peer.close("it was not used")
            peer = None
        if peer is None:
            peer = Peer(key, self._loop, self._limit, self._scratch, self._later, self._gone)
            self._peers[key] = peer
        peer.send(asked)

    def knock(self, asked: KnockAsked) -> None:
        """Try whether anything accepts connections at an address."""
        self._knocks.begin(asked)

    def close(self) -> None:
        """Hang up everywhere."""
        self._knocks.close()
        for peer in list(self._peers.values()):
            peer.close("we are stopping")

    def _gone(self, peer: Peer) -> None:
        if self._peers.get(peer.key) is peer:
            del self._peers[peer.key]

    def _later(self, ticket: int, result: object) -> None:
        # A failure may arise while a request is being handed over: its answer must not run
        # inside the machine's own call.
        if isinstance(result, PeerFailed):
            self._loop.call_soon(self._reply, ticket, result)
        else:
            self._reply(ticket, result)
