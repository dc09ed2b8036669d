"""The connections that others have opened to a node, and what they may make it hold (S-08).

Counts each one's open requests and what all hold together: requests without an answer, frames that
are not whole, answers that are not read. Where there is no room for more, only those that hold less
than their fair share are read from, and of those that are stuck the ones that hold most for longest
are closed. Closes idle ones; names one that can be spared. Knows no request's content.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import structlog

from spindle.model.settings.typed_settings import Settings
from spindle.runtime.backlog import Backlog
from spindle.runtime.net import READ_MAX, Stream
from spindle.runtime.request_times import RequestTimes

log = structlog.get_logger("spindle.runtime.crowd")

OPEN_MAX: Final = 16
"""Requests of one connection under way; more of it is not read until one is answered."""
QUIET_SECONDS: Final = 1.0
"""A connection that asked for nothing for so long may be closed to make room."""
STUCK_SECONDS: Final = 10.0
STUCK_RATE: Final = 16 << 20
"""Where there is no room for more, one that holds more than an equal part of it may leave a frame
unfinished, or an answer unread, for the former and as long as what is kept of it takes at the
latter, in bytes a second."""
LOOK_SECONDS: Final = 0.1
IDLE_LOOK_SECONDS: Final = 1.0
RESUME_SHARE: Final = 0.75
FAIR_SHARE: Final = 4
"""A quarter of the room is kept back: each connection has its fair share of it at any time."""
FAIR_LEAST: Final = 4 << 10
"""Bytes of a fair share where the connections are very many: most requests are smaller."""
SPARE_LOOKS: Final = 200
"""Connections looked at to find one that can be spared."""
MEMORY_SHARE: Final = 8
LEAST_BYTES: Final = 128 << 20
SAY_SECONDS: Final = 10.0
_GROUP_LIMITS: Final = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def bytes_limit(settings: Settings) -> int:
    """`queued.max.request.bytes`; where it is off, an eighth of the memory, at least 128 MiB."""
    asked = settings.whole("queued.max.request.bytes")
    return asked if asked > 0 else max(LEAST_BYTES, _memory() // MEMORY_SHARE)


def _memory() -> int:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in _GROUP_LIMITS:
        try:
            total = min(total, int(path.read_text()))
        except (OSError, ValueError):
            continue  # No such group, or "max".
    return total


@dataclass(slots=True, eq=False)
class _Member:
    stream: Stream
    listener: str
    host: str
    protected: bool
    last: float
    kept: int = 0
    open: deque[int] = field(default_factory=deque)
    """Bytes of each request that has no answer yet."""
    asked: int = 0
    """Bytes of them all."""
    muted_until: float = 0.0
    """Nothing is read of it before (s); 0: it is not held back."""


@dataclass(slots=True)
class _RequestMemory:
    """What all connections hold together, and how much they may (bytes)."""

    limit: int
    room: int
    asked: int = 0
    """Of requests that have no answer yet."""
    kept: int = 0
    """Of unfinished frames and unsent answers."""
    over: bool = False
    """There is no room for more."""
    queue_full: bool = False
    """Too many requests wait for a thread."""


@dataclass(slots=True)
class _Relief:
    """How connections that are stuck are closed. Times are the loop's (s)."""

    closed: int = 0
    sought_at: float = 0.0
    silent_until: float = 0.0
    is_under_way: bool = False


class Crowd:
    """All of them, by id, the one that has been quiet for longest first."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        settings: Settings,
        times: RequestTimes,
        on_spared: Callable[[float], None],
    ) -> None:
        """`times`: the driver counts requests there, and this class their answers. `on_spared`:
        hears how long (s) the loop worked on what clients have sent ahead."""
        self._loop = loop
        self.times = times
        self.requests = 0
        """How many have come so far."""
        self.backlog = Backlog(loop, lambda: self.requests, on_spared)
        """Where those wait that have sent more than is handed on in a turn."""
        limit = bytes_limit(settings)
        self._memory = _RequestMemory(limit, limit - limit // FAIR_SHARE)
        self._relief = _Relief()
        self._settings = settings
        self._idle: dict[str, float] = {}
        self._members: OrderedDict[int, _Member] = OrderedDict()
        self._looking: asyncio.TimerHandle | None = None
        self._idling = loop.call_later(IDLE_LOOK_SECONDS, self._close_idle)

    def close(self, why: str) -> None:
        """Close them all."""
        self._idling.cancel()
        if self._looking is not None:
            self._looking.cancel()
        for member in list(self._members.values()):
            member.stream.close(why)

    def get(self, id: int) -> Stream | None:
        """A connection, while it is there."""
        member = self._members.get(id)
        return None if member is None else member.stream

    def add(self, id: int, stream: Stream, listener: str, host: str, protected: bool) -> None:
        """It has come. `protected`: it is no client's, and is never closed for others."""
        if listener not in self._idle:
            own = self._settings.of_listener(listener)
            self._idle[listener] = own.seconds("connections.max.idle.ms")
        self._members[id] = _Member(stream, listener, host, protected, self._loop.time())
        self._hold(self._members[id])

    def remove(self, id: int) -> tuple[str, str]:
        """It has gone; the listener and the host that it came from."""
        self.times.on_closed(id)
        member = self._members.pop(id)
        if not member.protected:
            self._memory.asked -= member.asked
            self._memory.kept -= member.kept
        self._look()
        return member.listener, member.host

    def on_frame(self, id: int, size: int) -> None:
        """It has sent a request."""
        self.requests += 1
        member = self._members[id]
        member.open.append(size)
        member.asked += size
        member.last = self._loop.time()
        self._members.move_to_end(id)
        if not member.protected:
            self._memory.asked += size
        self._look()
        self._hold(member)

    def on_answered(self, id: int) -> None:
        """Its oldest request has its answer, or is owed none."""
        self.times.on_answered(id)
        member = self._members[id]
        size = member.open.popleft()
        member.asked -= size
        member.last = self._loop.time()
        self._members.move_to_end(id)
        if not member.protected:
            self._memory.asked -= size
        self._look()
        self._hold(member)

    def mute(self, id: int, seconds: float) -> None:
        """Read nothing more of it for a while; it may be gone already."""
        member = self._members.get(id)
        if member is None:
            return
        until = self._loop.time() + seconds
        if until > member.muted_until:
            member.muted_until = until
            self._loop.call_at(until, self._unmute, id, until)
            self._hold(member)

    def _unmute(self, id: int, until: float) -> None:
        member = self._members.get(id)
        if member is not None and member.muted_until == until:
            member.muted_until = 0.0
            member.last = self._loop.time()
            self._members.move_to_end(id)
            self._hold(member)

    def on_kept(self, id: int, more: int) -> None:
        """So many bytes more of it are kept: of unfinished frames and of unsent answers."""
        member = self._members.get(id)
        if member is None:
            return
        member.kept += more
        if not member.protected:
            self._memory.kept += more
            self._look()
            if self._memory.over:
                self._hold(member)

    def on_queued(self, count: int) -> None:
        """So many requests of all of them wait for a thread."""
        self._memory.queue_full = count > 0 and count >= self._settings.whole("queued.max.requests")
        if self._memory.queue_full != self._memory.over:
            self._look()

    def make_room(self) -> bool:
        """Close the connection that has asked for nothing for longest; False: none is quiet."""
        latest = self._loop.time() - QUIET_SECONDS
        for _, member in zip(range(SPARE_LOOKS), self._members.values(), strict=False):
            if member.last > latest:
                return False
            if not member.protected and not member.open and not member.stream.closed:
                member.stream.close("it made room for another connection")
                return True
        return False

    def _close_idle(self) -> None:
        self._idling = self._loop.call_later(IDLE_LOOK_SECONDS, self._close_idle)
        now = self._loop.time()
        idle = [
            member
            for member in self._members.values()
            if not member.open and not member.muted_until
            if member.last + self._idle[member.listener] <= now
        ]
        for member in idle:
            member.stream.close("connections.max.idle.ms has passed")

    def _look(self) -> None:
        """Whether there is room for more; if there is too little, get rid of what is stuck."""
        memory = self._memory
        if self._relief.is_under_way:
            return
        most = memory.room * RESUME_SHARE if memory.over else memory.room
        if memory.kept > most:
            self._close_stuck(memory.room * RESUME_SHARE)
        over = memory.asked > most or memory.kept > most or memory.queue_full
        if over and self._looking is None:
            self._looking = self._loop.call_later(LOOK_SECONDS, self._look_again)
        if over != memory.over:
            memory.over = over
            for member in self._members.values():
                self._hold(member)

    def _look_again(self) -> None:
        self._looking = None
        self._look()

    def _close_stuck(self, enough: float) -> None:
        now = self._loop.time()
        if now < self._relief.sought_at + LOOK_SECONDS:
            return  # It looks at all of them: not with every request.
        self._relief.sought_at = now
        equal = self._memory.room / len(self._members)
        stuck = [
            (member.kept * (now - since), member)
            for member in self._members.values()
            # First what rules out most of them: all are looked at.
            if member.kept > equal
            if not member.protected and (since := member.stream.stuck_since) is not None
            if since + STUCK_SECONDS + member.kept / STUCK_RATE <= now
            if not member.stream.closed
        ]
        self._relief.is_under_way = True  # Each that goes tells of it.
        for _, member in sorted(stuck, key=lambda pair: pair[0], reverse=True):
            if self._memory.kept <= enough:
                break
            self._relief.closed += 1
            self._say(member)
            member.stream.close("it was stuck where there was no room for more")
        self._relief.is_under_way = False

    def _say(self, member: _Member) -> None:
        now = self._loop.time()
        if now >= self._relief.silent_until:
            self._relief.silent_until = now + SAY_SECONDS
            log.warning(
                "connections closed: they held too much memory for too long",
                host=member.host,
                bytes=member.kept,
                limit=self._memory.limit,
                so_far=self._relief.closed,
            )

    def _hold(self, member: _Member) -> None:
        """Say how much may be read of it at once: all, its fair share, or nothing for now."""
        memory, most = self._memory, READ_MAX
        if len(member.open) >= OPEN_MAX or member.muted_until:
            most = 0
        elif memory.over and not member.protected:
            # A connection with a request waiting for a thread has had its turn.
            fair = max(FAIR_LEAST, memory.limit // FAIR_SHARE // len(self._members))
            if memory.queue_full and member.open:
                most = 0
            elif member.kept + member.asked < fair:
                most = fair
            elif memory.kept + memory.asked - member.kept > memory.room / 2:
                most = 0  # Else it alone fills the room, with a frame that can be finished.
        member.stream.allow(most)
