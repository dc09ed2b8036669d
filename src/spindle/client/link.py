"""One connection to one broker: requests out, each answered once, many on their way at a time.

Knows frames and correlation ids; knows nothing of clusters, versions or retries. Called by
`cluster` alone. A link that has failed in any way is of no further use: open another.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import time
from dataclasses import dataclass
from typing import Final, TypeVar, cast

from spindle.client.failures import AuthenticationFailed, OutOfTime, Unreachable, Unresolved
from spindle.client.tls_failures import explain
from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.wire.codec import Request, Response
from spindle.wire.framing import FrameCutter, correlation_of, request_frame, response_in

R = TypeVar("R", bound=Response)

OPEN_MAX: Final = 256
"""Requests that may wait for their answers on one link; further callers are refused."""

FRAME_MAX: Final = 100 << 20
"""Bytes of the largest answer that is accepted."""

_CORRELATIONS: Final = 1 << 31
_TLS_ALERT: Final = b"\x15\x03"
_HTTP: Final = b"HTTP/"
_CLOSED: Final = "the connection was closed by the other side"


@dataclass(slots=True)
class _Open:
    request: Request[Response]
    version: int
    answer: asyncio.Future[Response]

    @property
    def is_answered(self) -> bool:
        return self.answer.done() and not self.answer.cancelled()


class Link(asyncio.Protocol):
    """A connection; made by `connect`, used through `ask`, ended by `close`."""

    def __init__(self, name: str, client_id: str) -> None:
        self.name = name
        """The server at the other end, for error texts: "broker 1 (host:9092)"."""
        self._client_id = client_id
        self._cutter = FrameCutter(FRAME_MAX)
        self._transport: asyncio.Transport | None = None
        self._open: dict[int, _Open] = {}
        self._next = 0
        self._ended: Unreachable | None = None
        self._first = b""
        """The first bytes that came: what is no broker shows itself by them."""
        self._answers = 0
        self.heard_at = 0.0
        """When the other side last said something (monotonic clock)."""
        self._may_write = asyncio.Event()

    @classmethod
    async def connect(
        cls,
        host: str,
        port: int,
        *,
        name: str,
        client_id: str,
        seconds: float,
        tls: ssl.SSLContext | None = None,
    ) -> Link:
        """Open a connection within `seconds`; Unreachable says why there is none.

        With `tls` the other side must prove its name: AuthenticationFailed where it does not.
        """
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(seconds):
                _, link = await loop.create_connection(
                    lambda: cls(name, client_id), host, port, ssl=tls
                )
        except ssl.SSLError as error:
            raise AuthenticationFailed(f"{name}: {explain(error)}") from None
        except TimeoutError:
            raise Unreachable(f"{name}: no connection within {seconds:.3g} s") from None
        except socket.gaierror as error:
            kind = Unreachable if error.errno == socket.EAI_AGAIN else Unresolved
            raise kind(
                f"{name}: {error.strerror}: the name {host!r} has no address here (a broker is"
                " reached by the name that its advertised.listeners gives)"
            ) from None
        except OSError as error:
            raise Unreachable(f"{name}: {_why(error)}") from None
        return link

    @property
    def alive(self) -> bool:
        """Whether requests may still be sent."""
        return self._ended is None

    @property
    def heard(self) -> bool:
        """Whether anything has come from the other side."""
        return bool(self._first)

    @property
    def answers(self) -> int:
        """How many requests were answered."""
        return self._answers

    @property
    def waiting(self) -> bool:
        """Whether a caller still waits for an answer."""
        return any(not asked.answer.done() for asked in self._open.values())

    async def ask(self, request: Request[R], version: int, seconds: float) -> R:
        """Send a request in one of its versions and return the response.

        Unreachable if the link breaks, OutOfTime after `seconds`: the link is then given
        up, since a broker answers in order and whatever blocks it blocks all that follows.
        """
        if self._ended is not None:
            raise self._ended
        if len(self._open) >= OPEN_MAX:
            raise Unreachable(f"{self.name}: {OPEN_MAX} requests are waiting for answers already")
        correlation = self._next
        self._next = (self._next + 1) % _CORRELATIONS
        asked = _Open(request, version, asyncio.get_running_loop().create_future())
        self._open[correlation] = asked
        try:
            async with asyncio.timeout(seconds):
                await self._may_write.wait()
                if self._transport is not None:
                    self._transport.write(
                        request_frame(request, version, correlation, self._client_id)
                    )
                return cast("R", await asked.answer)
        except TimeoutError:
            if asked.is_answered and self._ended is None:
                return cast("R", asked.answer.result())  # It came while this process stood still.
            self.close(f"an answer took more than {seconds:.3g} s")
            raise OutOfTime(
                f"{self.name} did not answer {api_name(request)} within {seconds:.3g} s; it may be"
                " frozen, overloaded or hang on a disk: look at its log"
            ) from None
        finally:
            # A caller that was cancelled leaves its entry, so that the answer finds its place.
            if asked.is_answered:
                self._open.pop(correlation, None)

    def close(self, reason: str = "closed by us", kind: type[Unreachable] = Unreachable) -> None:
        """Close the connection; every open request gets Unreachable, of this kind."""
        if self._ended is not None:
            return
        self._ended = kind(f"{self.name}: {reason}")
        self._may_write.set()
        if self._transport is not None:
            self._transport.abort()
            self._transport = None
        for asked in self._open.values():
            if not asked.answer.done():
                asked.answer.set_exception(self._ended)
                asked.answer.exception()  # seen: there may be no waiter any more
        self._open.clear()

    # -- what the event loop calls -------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is there."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._may_write.set()

    def pause_writing(self) -> None:
        """The other side does not read as fast as we write: callers wait."""
        self._may_write.clear()

    def resume_writing(self) -> None:
        """Go on."""
        self._may_write.set()

    def connection_lost(self, error: Exception | None) -> None:
        """The socket is gone."""
        if isinstance(error, ssl.SSLError):  # As TLS 1.3 tells that a certificate is not taken.
            self.close(explain(error), AuthenticationFailed)
        else:
            self.close(str(error) if error else _CLOSED)

    def data_received(self, data: bytes) -> None:
        """Bytes of answers."""
        self.heard_at = time.monotonic()
        if len(self._first) < len(_HTTP):
            self._first += data[: len(_HTTP)]
            if stranger := _stranger(self._first):
                self.close(stranger, AuthenticationFailed)
                return
        try:
            for frame in self._cutter.feed(data):
                self._on_frame(frame)
        except Corrupt as corrupt:
            self.close(f"sent something that is no answer: {corrupt}")

    def _on_frame(self, frame: Buffer) -> None:
        asked = self._open.pop(correlation_of(frame), None)
        if asked is None:
            raise Corrupt("an answer to no open request")
        self._answers += 1
        response = response_in(frame, asked.request, asked.version)
        if not asked.answer.done():
            asked.answer.set_result(response)


def _stranger(first: bytes) -> str | None:
    """What is at the other end, by its first bytes, where that is no listener without TLS."""
    if first.startswith(_TLS_ALERT):
        return TLS
    return HTTP if first.startswith(_HTTP) else None


TLS: Final = (
    "this port speaks TLS: set security.protocol=SSL or SASL_SSL in the client's properties"
    " (--command-config)"
)
HTTP: Final = "this port speaks HTTP, it is no broker's: give the port of a broker's listener"


def api_name(request: Request[Response]) -> str:
    """What a request's API is called, for error texts: "DescribeLogDirs"."""
    return type(request).__name__.removesuffix("Request")


def _why(error: OSError) -> str:
    """The bare reason: asyncio's text repeats the address, and lists it for each of a name's."""
    if error.errno is None:
        return "no address of this name accepts a connection"
    return os.strerror(error.errno) if error.errno > 0 else str(error.strerror)
