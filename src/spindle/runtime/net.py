"""Sockets: frames in, buffers out, for clients that connect to us and peers that we connect to.

Our own non-blocking socket loops on asyncio's readiness callbacks: answers of many megabytes go
out with `sendmsg` from the buffers that they came in, without a copy. Knows framing, not requests.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.wire.framing import FrameCutter

READ_BYTES = 64 << 10
SEND_BUFFERS_MAX = 64
"""Buffers handed to one sendmsg (IOV_MAX is 1024; more gains nothing)."""


class Stream:
    """One TCP connection: cuts frames from what it reads, sends buffers in order.

    `on_frame(frame)` per frame, `on_closed(reason)` once. Reading pauses while `hold()` is on.
    `scratch` is where bytes arrive that belong to no unfinished frame; emptied at once, so that
    all streams of a loop share one.
    """

    def __init__(
        self,
        sock: socket.socket,
        loop: asyncio.AbstractEventLoop,
        limit: int,
        scratch: memoryview,
        on_frame: Callable[[Buffer], None],
        on_closed: Callable[[str], None],
    ) -> None:
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sock = sock
        self._fd = sock.fileno()
        self._loop = loop
        self._scratch = scratch
        self._cutter = FrameCutter(limit)
        self._on_frame = on_frame
        self._on_closed = on_closed
        self._outgoing: deque[memoryview] = deque()
        self._writing = False
        self._reading = False
        self._closing = False
        self.closed = False
        self.hold(False)

    def hold(self, on: bool) -> None:
        """Stop (or go on) reading, so that a greedy client waits instead of our memory growing."""
        if self.closed or self._reading == (not on):
            return
        self._reading = not on
        if on:
            self._loop.remove_reader(self._fd)
        else:
            self._loop.add_reader(self._fd, self._readable)

    def send(self, buffers: list[Buffer]) -> None:
        """Send buffers after those before them; dropped if the connection is gone."""
        if self.closed:
            return
        for buffer in buffers:
            view = memoryview(buffer)
            if view.nbytes:
                self._outgoing.append(view)
        if not self._writing:
            self._writable()

    def close_after_sending(self) -> None:
        """Close once everything is sent."""
        self._closing = True
        if not self._outgoing:
            self.close("closed by us")

    def close(self, reason: str) -> None:
        """Close now."""
        if self.closed:
            return
        self.hold(True)
        self.closed = True
        if self._writing:
            self._loop.remove_writer(self._fd)
        self._outgoing.clear()
        self._sock.close()
        # Later, not now: a send which fails runs inside the node's own answers.
        self._loop.call_soon(self._on_closed, reason)

    def _readable(self) -> None:
        room = self._cutter.room
        try:
            count = self._sock.recv_into(self._scratch if room is None else room)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self.close(str(error))
            return
        if not count:
            self.close("closed by the other side")
            return
        try:
            if room is None:
                frames = self._cutter.feed(self._scratch[:count])
            else:
                frames = self._cutter.filled(count)
        except Corrupt as error:
            self.close(str(error))
            return
        for frame in frames:
            if self.closed:
                return
            self._on_frame(frame)

    def _writable(self) -> None:
        outgoing = self._outgoing
        try:
            while outgoing:
                if len(outgoing) == 1:
                    sent = self._sock.send(outgoing[0])
                else:
                    batch = [outgoing[i] for i in range(min(len(outgoing), SEND_BUFFERS_MAX))]
                    sent = self._sock.sendmsg(batch)
                while sent:
                    head = outgoing[0]
                    if sent < head.nbytes:
                        outgoing[0] = head[sent:]
                        break
                    sent -= head.nbytes
                    outgoing.popleft()
        except (BlockingIOError, InterruptedError):
            pass
        except OSError as error:
            self.close(str(error))
            return
        if outgoing and not self._writing:
            self._writing = True
            self._loop.add_writer(self._fd, self._writable)
        elif not outgoing and self._writing:
            self._writing = False
            self._loop.remove_writer(self._fd)
        if self._closing and not outgoing:
            self.close("closed by us")


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; OSError says which address could not be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(1024)
        sock.setblocking(False)
    except OSError as error:
        sock.close()
        place = f"{host or '*'}:{port}"
        raise OSError(error.errno, f"cannot listen on {place}: {error.strerror}") from None
    return sock


def scratch() -> memoryview:
    """Room for the streams of one loop to receive into."""
    return memoryview(bytearray(READ_BYTES))
