"""Connections to other nodes: one for each (host, port, channel), requests and replies in order.

A request ends in its reply or in a PeerFailed: refused or hung up (PeerGone), or out of time. Kafka
answers a connection's requests in order, so the oldest open request is the one a reply belongs to;
after a request has run out of time the connection is given up, since its order is lost. TLS and a
login come before the first request where the listener there asks for them.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import structlog

from spindle.client.tls_failures import explain
from spindle.model.batches import Buffer
from spindle.model.errors import PeerFailed, PeerGone
from spindle.model.outbox import FrameAsked, KnockAsked
from spindle.runtime.knocking import Knocks
from spindle.runtime.links import UNSECURED, Links, LinkSecurity
from spindle.runtime.net import Stream
from spindle.runtime.tls_stream import secured, stream_of

if TYPE_CHECKING:
    from spindle.security.mechanisms import Login

log = structlog.get_logger("spindle.runtime.outgoing")

Reply = Callable[[int, object], None]
_Key = tuple[str, int, str]

IDLE_SHARE = 0.9
"""Of `connections.max.idle.ms`: after so long the other side may hang up at any moment."""
OPEN_MAX = 1000
"""Requests that may be open on one connection; more are refused at once."""
RENEWED_AT: Final = 0.85
"""The share of a session after which this node logs in once more (KIP-368)."""
SAY_SECONDS: Final = 10.0
"""The least time between two lines that say the same about a link."""


@dataclass(frozen=True, slots=True)
class _House:
    """What all connections of a node share. `limit`: bytes of the largest reply."""

    loop: asyncio.AbstractEventLoop
    limit: int
    scratch: memoryview
    reply: Reply
    gone: Callable[[Peer], None]
    tell: Callable[[str], None]
    """Says in the log what the operator has to mend."""


class Peer:
    """One outgoing connection: opened when first needed, given up on the first failure."""

    def __init__(self, key: _Key, house: _House, security: LinkSecurity) -> None:
        self.key = key
        self._house = house
        self._loop = loop = house.loop
        self._security = security
        self._requests = _Requests()
        self._stream: Stream | None = None
        self._login: _Login | None = None
        self._failed: str | None = None
        self._used_at = loop.time()
        self._looking: asyncio.TimerHandle | None = None
        """For replies that are overdue: one for all requests, seldom set."""
        self._connecting = loop.create_task(self._connect())
        self._connecting.add_done_callback(_raise_bug)

    def send(self, asked: FrameAsked) -> None:
        """Send a request and start its clock."""
        requests = self._requests
        if len(requests.open) >= OPEN_MAX:
            self._house.reply(
                asked.ticket, PeerFailed(f"{self}: {OPEN_MAX} requests are open already")
            )
            return
        self._used_at = now = self._loop.time()
        requests.open.append((asked, now + asked.timeout))
        self._look_at(now + asked.timeout)
        if self._stream is None or (self._login is not None and self._login.is_due):
            requests.unsent.append(asked)
            self._log_in_again()
        else:
            self._stream.send([asked.frame])

    def is_idle(self, seconds: float) -> bool:
        """Whether nothing was sent on it for so long."""
        return not self._requests.open and self._loop.time() - self._used_at >= seconds

    def close(self, reason: str, failure: type[PeerFailed] = PeerFailed) -> None:
        """Give the connection up; every open request fails."""
        if self._failed is not None:
            return
        self._failed = reason
        self._house.gone(self)
        self._connecting.cancel()
        if self._looking is not None:
            self._looking.cancel()
        if self._stream is not None:
            self._stream.close(reason)
        waiting = self._requests.open
        while waiting:
            self._house.reply(waiting.popleft()[0].ticket, failure(f"{self}: {reason}"))

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
            if self._security.tls is not None:
                sock = await secured(sock, self._security.tls, host, self._loop)
        except (OSError, ValueError, OverflowError) as error:  # also: no name, no port
            if sock is not None:
                sock.close()
            self._not_connected(error)
            return
        except asyncio.CancelledError:
            if sock is not None:
                sock.close()
            raise
        self._stream = stream_of(sock)(
            sock, self._loop, self._house.limit, self._house.scratch, self._on_frames, self._hung_up
        )
        if self._security.login is not None:
            self._login = _Login(self._security.login, host, self._stream, self._loop)
            await self._log_in(self._login)
        self._send_unsent()

    def _not_connected(self, error: Exception) -> None:
        if isinstance(error, (ssl.SSLError, ssl.CertificateError)):
            self._house.tell(f"no TLS connection to {self}: {explain(error)}")
        refused = isinstance(error, ConnectionError)
        text = explain(error) if isinstance(error, ssl.SSLError) else str(error)
        self.close(text, PeerGone if refused else PeerFailed)

    async def _log_in(self, login: _Login) -> None:
        try:
            await login.log_in()
        except PeerFailed as failure:
            self._house.tell(f"no login at {self}: {failure}")
            self.close(str(failure))

    def _log_in_again(self) -> None:
        """Before the session ends, once all that was sent has its answer."""
        login = self._login
        if login is None or not login.is_due or not self._requests.is_quiet:
            return
        if self._connecting.done() and self._failed is None:
            self._connecting = self._loop.create_task(self._renew(login))
            self._connecting.add_done_callback(_raise_bug)

    async def _renew(self, login: _Login) -> None:
        await self._log_in(login)
        self._send_unsent()

    def _send_unsent(self) -> None:
        unsent = self._requests.unsent
        while unsent and self._failed is None and self._stream is not None:
            self._stream.send([unsent.popleft().frame])

    def _on_frames(self, frames: Iterator[Buffer]) -> None:
        for frame in frames:
            self._on_frame(frame)

    def _on_frame(self, frame: Buffer) -> None:
        if self._login is not None and self._login.take(frame):
            return
        if not self._requests.open:
            self.close("sent a reply to no open request")
            return
        self._house.reply(self._requests.open.popleft()[0].ticket, frame)
        self._log_in_again()

    def _hung_up(self, reason: str) -> None:
        self.close(reason, PeerGone)

    def _look_at(self, due: float) -> None:
        if self._looking is not None:
            if self._looking.when() <= due:
                return
            self._looking.cancel()
        self._looking = self._loop.call_at(due, self._look_for_overdue)

    def _look_for_overdue(self) -> None:
        self._looking = None
        now = self._loop.time()
        for asked, due in self._requests.open:
            if due <= now:
                self.close(f"no reply within {asked.timeout:g} s")
                return
        if self._requests.open:
            self._look_at(min(due for _, due in self._requests.open))


class _Requests:
    """Requests of one connection that have no answer yet, and those of them not sent yet."""

    __slots__ = ("open", "unsent")

    def __init__(self) -> None:
        self.open: deque[tuple[FrameAsked, float]] = deque()
        """With when (s) the reply is overdue."""
        self.unsent: deque[FrameAsked] = deque()

    @property
    def is_quiet(self) -> bool:
        """Whether all that was sent is answered."""
        return len(self.open) == len(self.unsent)


class _Login:
    """This node's session at another one (SASL)."""

    def __init__(
        self, login: Login, host: str, stream: Stream, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._login = login
        self._host = host
        self._stream = stream
        self._loop = loop
        self._due_at = 0.0
        self._reply: asyncio.Future[Buffer] | None = None

    @property
    def is_due(self) -> bool:
        """Whether it must be begun, or once more, before another request is sent."""
        return self._loop.time() >= self._due_at

    async def log_in(self) -> None:
        """Hold the conversation. PeerFailed where this node is not let in."""
        from spindle.runtime.logging_in import log_in

        began = self._loop.time()
        seconds = await log_in(self._login, self._host, self._exchange)
        self._due_at = began + RENEWED_AT * seconds if seconds else float("inf")

    async def _exchange(self, frame: bytes) -> Buffer:
        self._reply = self._loop.create_future()
        self._stream.send([frame])
        try:
            return await self._reply
        finally:
            self._reply = None

    def take(self, frame: Buffer) -> bool:
        """Whether a frame belongs to the conversation."""
        if self._reply is None or self._reply.done():
            return False
        self._reply.set_result(frame)
        return True


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
        links: Links = UNSECURED,
    ) -> None:
        """`idle`: seconds after which the other side closes a connection that is not used.
        `links`: how connections are secured."""
        self.links = links
        self._idle = idle * IDLE_SHARE
        self._loop = loop
        self._reply = reply
        self._house = _House(loop, limit, scratch, self._later, self._gone, self._tell)
        self._peers: dict[_Key, Peer] = {}
        self._knocks = Knocks(loop, reply)
        self._silent_until: dict[str, float] = {}

    def send(self, asked: FrameAsked) -> None:
        """Send a request on the connection of its host, port and channel."""
        key = (asked.host, asked.port, asked.channel)
        peer = self._peers.get(key)
        if peer is not None and peer.is_idle(self._idle):
            peer.close("it was not used")
            peer = None
        if peer is None:
            peer = Peer(key, self._house, self.links(asked.listener))
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

    def _tell(self, text: str) -> None:
        """Say it, but not again and again."""
        now = self._loop.time()
        if now >= self._silent_until.get(text, 0.0):
            self._silent_until[text] = now + SAY_SECONDS
            log.warning("a link to another node fails", reason=text)

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
