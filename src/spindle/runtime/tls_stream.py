"""TLS under a stream: a socket that encrypts, and the stream which knows its ways (S-04, S-08).

OpenSSL reads and writes the socket itself, a record (16 KiB) at a time: what it keeps of a
connection is bounded. It may have read what it has not handed on, of which the event loop hears
nothing; and a fast reader could keep it encrypting, so that a turn has its measure.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from spindle.model.batches import Buffer
from spindle.runtime.net import Later, Stream

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

RECORD: Final = 16 << 10
"""Bytes of a record of TLS at most."""
RECORDS_AT_ONCE: Final = 32
"""Records read of one connection before the others have their turn: each may be of one byte."""
TURN_BYTES: Final = 1 << 20
"""Bytes that are encrypted for one connection before the others have their turn."""


class TlsSocket(ssl.SSLSocket):
    """A socket that blocks in the words of a plain one, and fills and empties whole buffers."""

    turn = 0
    """Bytes sent in this turn."""

    def recv_into(self, buffer: WriteableBuffer, nbytes: int | None = None, flags: int = 0) -> int:
        """As many bytes as there are now; BlockingIOError where there are none."""
        view = memoryview(buffer).cast("B")
        count = 0
        try:
            for _ in range(RECORDS_AT_ONCE):
                if count == len(view):
                    break
                got = super().recv_into(view[count:])
                if not got:
                    break
                count += got
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            if not count:
                raise BlockingIOError from None
        return count

    def send(self, data: ReadableBuffer, flags: int = 0) -> int:
        """Send a record of the data; BlockingIOError where the socket is full, or the turn over."""
        if self.turn >= TURN_BYTES:
            raise BlockingIOError
        try:
            # What OpenSSL could not send it wants to be given again: the same bytes come again.
            sent = super().send(memoryview(data)[:TURN_BYTES])
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise BlockingIOError from None
        self.turn += sent
        return sent

    def sendmsg(  # type: ignore[override]
        self, buffers: Iterable[ReadableBuffer], *_: object
    ) -> int:
        """Send what fits into a record of several buffers."""
        pieces: list[memoryview] = []
        size = 0
        for buffer in buffers:
            view = memoryview(buffer)
            if not pieces and view.nbytes >= RECORD:
                return self.send(view)
            pieces.append(view[: RECORD - size])
            size += pieces[-1].nbytes
            if size >= RECORD:
                break
        return self.send(b"".join(pieces))


class TlsStream(Stream):
    """A stream over a TlsSocket whose handshake is over."""

    def __init__(
        self,
        sock: socket.socket,
        loop: asyncio.AbstractEventLoop,
        limit: int,
        scratch: memoryview,
        on_frames: Callable[[Iterator[Buffer]], None],
        on_closed: Callable[[str], None],
        on_kept: Callable[[int], None] = lambda more: None,
        unsent_max: float = float("inf"),
        later: Later | None = None,
    ) -> None:
        assert isinstance(sock, TlsSocket)
        self._tls = sock
        self._again: asyncio.Handle | None = None
        super().__init__(
            sock, loop, limit, scratch, on_frames, on_closed, on_kept, unsent_max, later
        )

    def _look(self) -> None:
        super()._look()
        if self._receiver.is_wanted and self._again is None and self._tls.pending():
            self._again = self._loop.call_soon(self._read_on)

    def _read_on(self) -> None:
        """Read what OpenSSL has read already."""
        self._again = None
        if self._receiver.is_wanted:
            self._readable()

    def _writable(self) -> None:
        self._tls.turn = 0
        super()._writable()

    def close(self, reason: str) -> None:
        """Close now, and let the other side know that nothing more comes."""
        if self._again is not None:
            self._again.cancel()
        if not self.closed and not self._sender.buffers:
            with contextlib.suppress(OSError, ValueError):
                self._tls.unwrap()
        super().close(reason)


def stream_of(sock: socket.socket) -> type[Stream]:
    """The kind of stream for a socket."""
    return TlsStream if isinstance(sock, TlsSocket) else Stream


async def secured(
    sock: socket.socket, tls: ssl.SSLContext, host: str, loop: asyncio.AbstractEventLoop
) -> TlsSocket:
    """A connection to a host with TLS on it, its handshake done. OSError where there is none."""
    wrapped = tls.wrap_socket(sock, server_hostname=host, do_handshake_on_connect=False)
    assert isinstance(wrapped, TlsSocket), "the context makes such"
    try:
        while True:
            try:
                wrapped.do_handshake()
                return wrapped
            except ssl.SSLWantReadError:
                await _ready(wrapped.fileno(), loop.add_reader, loop.remove_reader)
            except ssl.SSLWantWriteError:
                await _ready(wrapped.fileno(), loop.add_writer, loop.remove_writer)
    except BaseException:
        wrapped.close()
        raise


async def _ready(fd: int, watch: Callable[..., object], unwatch: Callable[[int], object]) -> None:
    """Wait until a socket can be read, or written."""
    ready = asyncio.Event()
    watch(fd, ready.set)
    try:
        await ready.wait()
    finally:
        unwatch(fd)
