"""Sockets: frames in, buffers out, for clients that connect to us and peers that we connect to.

Our own non-blocking socket loops on asyncio's readiness callbacks: answers of many megabytes go
out with `sendmsg` from the buffers that they came in, without a copy. Knows framing, not requests.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable, Iterator

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, Unusable
from spindle.runtime.isolation import NETWORK
from spindle.wire.framing import ROOM_MOST, FrameCutter

READ_BYTES = 64 << 10
READ_MAX = ROOM_MOST
"""Bytes that are received of one connection before the others have their turn."""
FRAMES_AT_ONCE = 5
"""Frames of one connection that are handed on together before the others have their turn: as many
as a producer has in flight. Together they are written as one group and answered with one send."""
BYTES_AT_ONCE = 16 << 10
"""They have so many bytes at most, but for the first one."""
LARGE = 2 << 20
"""Bytes of a frame from which on its pieces come in turns to come: requests are smaller where
clients are left as they are."""
UNSENT_MAX = 64 << 10
"""Bytes of answers that wait to be sent, from which on no more requests are read."""
SEND_BUFFERS_MAX = 64
"""Buffers handed to one sendmsg (IOV_MAX is 1024; more gains nothing)."""

Later = Callable[[Callable[[], None]], object]
"""Has something done in a turn of the loop to come."""


class _Receiver:
    """Cuts frames from what a socket has. `allowed`: bytes that are received at once at most.

    `scratch` is where bytes arrive that belong to no unfinished frame; emptied at once, so that
    all streams of a loop share one.
    """

    __slots__ = (
        "_scratch",
        "allowed",
        "cutter",
        "frames",
        "is_busy",
        "is_due",
        "is_wanted",
        "is_watched",
    )

    def __init__(self, limit: int, scratch: memoryview) -> None:
        self._scratch = scratch
        self.cutter = FrameCutter(limit)
        self.frames: deque[Buffer] = deque()
        self.allowed = READ_MAX
        self.is_busy = False
        """Frames are being handed on just now."""
        self.is_due = False
        """Frames are to be handed on, or a large one's next piece received, in a turn to come."""
        self.is_wanted = False
        """What comes is read now."""
        self.is_watched = False
        """The loop tells when there is something to read. It goes on for a while where nothing is
        wanted: most pauses end before anything comes, and each change is a call of the system."""

    def receive(self, sock: socket.socket) -> bool | None:
        """Whether a frame was finished; None where the other side has closed. OSError, Corrupt."""
        unfinished = self.cutter.room
        begins = unfinished is None
        count = sock.recv_into((unfinished or self._scratch)[: self.allowed])
        if not count:
            return None
        unfinished = None  # Else no more room could be made where it is.
        frames = self.cutter.feed(self._scratch[:count]) if begins else self.cutter.filled(count)
        self.frames.extend(frames)
        return bool(frames)


class _Sender:
    """Buffers that wait to be sent, and their bytes."""

    __slots__ = ("buffers", "is_watched", "most", "unsent")

    def __init__(self, most: float) -> None:
        """`most`: where more bytes wait, the other side may ask no more."""
        self.most = most
        self.buffers: deque[memoryview] = deque()
        self.unsent = 0
        self.is_watched = False
        """The loop tells when something can be written."""

    def add(self, buffers: list[Buffer]) -> None:
        """Buffers more, after those before them."""
        for buffer in buffers:
            view = memoryview(buffer)
            if view.nbytes:
                self.buffers.append(view)
                self.unsent += view.nbytes

    def send(self, sock: socket.socket) -> bool:
        """Send what the socket takes now; whether a buffer was finished. OSError."""
        outgoing, moved = self.buffers, False
        try:
            while outgoing and not NETWORK.is_cut:
                if len(outgoing) == 1:
                    sent = sock.send(outgoing[0])
                else:
                    batch = [outgoing[i] for i in range(min(len(outgoing), SEND_BUFFERS_MAX))]
                    sent = sock.sendmsg(batch)
                self.unsent -= sent
                while sent:
                    head = outgoing[0]
                    if sent < head.nbytes:
                        outgoing[0] = head[sent:]
                        break
                    sent -= head.nbytes
                    outgoing.popleft()
                    moved = True
        except (BlockingIOError, InterruptedError):
            pass
        return moved


class _KeptBytes:
    """Counts the bytes that a connection keeps, and tells of each change."""

    __slots__ = ("_on_kept", "count", "stuck_since")

    def __init__(self, on_kept: Callable[[int], None]) -> None:
        self._on_kept = on_kept
        self.count = 0
        self.stuck_since: float | None = None
        """Since when (s) a frame is kept that is not whole, or an answer that is not read."""

    def note(self, count: int, moved: bool, loop: asyncio.AbstractEventLoop) -> None:
        """So many are kept now; `moved`: a frame or a piece of an answer was finished."""
        if not count:
            self.stuck_since = None
        elif moved or self.stuck_since is None:
            self.stuck_since = loop.time()
        if count != self.count:
            more, self.count = count - self.count, count
            self._on_kept(more)


class Stream:
    """One TCP connection: cuts frames from what it reads, sends buffers in order.

    `on_frames(frames)` gets frames that came together, and takes them as it likes: what it leaves
    comes again. `on_closed(reason)` is called once. Reading pauses after `allow(0)`, and
    while more than `unsent_max` bytes wait to be sent: a client that reads no answers asks no more.
    `on_kept(more)`: so many bytes more (or fewer) of unfinished frames and unsent answers are kept.
    `later(go_on)`: has what waits handed on, or more of a large frame received, in a turn to come;
    the loop's next one by default.
    """

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
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sock = sock
        self._loop = loop
        self._fd = sock.fileno()
        self._receiver = _Receiver(limit, scratch)
        self._sender = _Sender(unsent_max)
        self._kept = _KeptBytes(on_kept)
        self._on_frames = on_frames
        self._on_closed = on_closed
        self._closing = False
        self._resting: asyncio.TimerHandle | None = None
        self._later = later or loop.call_soon
        self.closed = False
        self._look()

    @property
    def stuck_since(self) -> float | None:
        """Since when (s) a frame is kept that is not whole, or an answer that is not read."""
        return self._kept.stuck_since

    def take_frames(self, most: int) -> None:
        """Take frames of so many bytes at most from now on."""
        self._receiver.cutter.limit = most

    def allow(self, most: int) -> None:
        """Read so many bytes at once at most; 0: none, so that a greedy client waits instead of
        our memory growing."""
        if most != self._receiver.allowed:  # Else all that could change was looked at then.
            self._receiver.allowed = most
            self._look()

    @property
    def _waits(self) -> bool:
        sender = self._sender
        stopped = self.closed or self._closing or not self._receiver.allowed
        return stopped or sender.unsent > sender.most

    def _look(self) -> None:
        """Read, or hand on what was read, if that may be now."""
        receiver = self._receiver
        may, frames = not self._waits, receiver.frames
        if may and frames and not receiver.is_due and not receiver.is_busy:
            # Not now: the caller may be in the middle of something.
            receiver.is_due = True
            self._later(self._go_on)
        receiver.is_wanted = may and not frames
        if receiver.is_wanted and not receiver.is_watched:
            receiver.is_watched = True
            self._loop.add_reader(self._fd, self._readable)

    def _unwatch(self) -> None:
        if self._receiver.is_watched:
            self._receiver.is_watched = False
            self._loop.remove_reader(self._fd)

    def _go_on(self) -> None:
        self._receiver.is_due = False
        if self._receiver.is_wanted:
            self._receive()
        else:
            self._hand_on()

    def _hand_on(self) -> None:
        self._receiver.is_busy = True
        if self._receiver.frames and not self._waits:
            self._on_frames(self._together())
        self._receiver.is_busy = False
        self._look()

    def _together(self) -> Iterator[Buffer]:
        """The next frames, as long as any are read and they are small."""
        frames = self._receiver.frames
        room = max(BYTES_AT_ONCE, len(frames[0]))
        for _ in range(FRAMES_AT_ONCE):
            if not frames or len(frames[0]) > room or self._waits:
                return
            frame = frames.popleft()
            room -= len(frame)
            yield frame

    def _count(self, moved: bool) -> None:
        """Tell how much is kept now; `moved`: a frame or a piece of an answer was finished."""
        kept = 0 if self.closed else self._receiver.cutter.pending + self._sender.unsent
        if kept or self._kept.count:
            self._kept.note(kept, moved, self._loop)

    def send(self, buffers: list[Buffer]) -> None:
        """Send buffers after those before them; dropped if the connection is gone."""
        self.add(buffers)
        self.flush()

    def add(self, buffers: list[Buffer]) -> None:
        """Have buffers sent after those before them, at the next `flush`."""
        if not self.closed:
            self._sender.add(buffers)

    def flush(self) -> None:
        """Send what was added, as far as the other side takes it now; the rest later."""
        if not self.closed and not self._sender.is_watched:
            self._writable()

    def close_after_sending(self, rest: float = 0.0) -> None:
        """Read no more; close once everything is sent, `rest` seconds from now at the earliest."""
        if self.closed or self._closing:
            return
        self._closing = True
        self._look()
        if rest:
            self._resting = self._loop.call_later(rest, self._rested)
        else:
            self._rested()

    def _rested(self) -> None:
        self._resting = None
        if not self._sender.buffers:
            self.close("closed by us")

    def close(self, reason: str) -> None:
        """Close now."""
        if self.closed:
            return
        self.closed = True
        self._look()
        self._unwatch()
        if self._resting is not None:
            self._resting.cancel()
        if self._sender.is_watched:
            self._loop.remove_writer(self._fd)
        self._receiver.frames.clear()
        self._sender.buffers.clear()
        self._sender.unsent = 0
        self._count(False)
        self._sock.close()
        # Later, not now: a send which fails runs inside the node's own answers.
        self._loop.call_soon(self._on_closed, reason)

    def _readable(self) -> None:
        receiver = self._receiver
        if not receiver.is_wanted or receiver.is_due:
            self._unwatch()
        elif receiver.cutter.unfinished >= LARGE:
            receiver.is_due = True
            self._later(self._go_on)
        else:
            self._receive()

    def _receive(self) -> None:
        try:
            finished = self._receiver.receive(self._sock)
        except (BlockingIOError, InterruptedError):
            return
        except (OSError, Corrupt) as error:
            self.close(str(error))
            return
        if finished is None:
            self.close("closed by the other side")
            return
        self._count(finished)
        self._hand_on()

    def _writable(self) -> None:
        try:
            moved = self._sender.send(self._sock)
        except OSError as error:
            self.close(str(error))
            return
        sender, outgoing = self._sender, self._sender.buffers
        if outgoing and not sender.is_watched:
            sender.is_watched = True
            self._loop.add_writer(self._fd, self._writable)
        elif not outgoing and sender.is_watched:
            sender.is_watched = False
            self._loop.remove_writer(self._fd)
        self._count(moved)
        self._look()
        if self._closing and self._resting is None and not outgoing:
            self.close("closed by us")


def listen(host: str, port: int, receive_buffer: int = -1) -> socket.socket:
    """A listening socket; Unusable says which address could not be had.

    `receive_buffer`: bytes for each connection that comes in by it; -1: as the system has it.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if receive_buffer >= 0:  # Before it listens: so connections have it from their first byte.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        sock.bind((host, port))
        sock.listen(1024)
        sock.setblocking(False)
    except OSError as error:
        sock.close()
        place = f"{host or '*'}:{port}"
        raise Unusable(
            f"cannot listen on {place}: {error.strerror}; give `listeners` an address of this"
            " machine and a free port"
        ) from None
    return sock


def scratch() -> memoryview:
    """Room for the streams of one loop to receive into."""
    return memoryview(bytearray(READ_BYTES))
