"""What a machine may ask of the world, and how the world answers.

A machine is handed an `Outbox` and leaves its effects there; it performs nothing itself. The node
collects them with `take()` and gives them to its driver: the rim (files, sockets, clock) or
the simulation (none of these). Answers come back through `done`, `replied` and `tick`, in the
order in which things happened, and run the continuation which the machine left with its effect.

Law: a promise to a client or a peer leaves only from the continuation of the write it rests on.
"""

from __future__ import annotations

import heapq
import itertools
import sys
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, Protocol, TypeVar

from spindle.model.batches import Buffer
from spindle.model.errors import Failure, PeerFailed
from spindle.model.jobs import Job
from spindle.model.log_levels import LogLevels

R = TypeVar("R")


class Rng(Protocol):
    """The part of `random.Random` that machines use; seeded in the simulation."""

    def random(self) -> float:
        """A float in [0, 1)."""

    def getrandbits(self, k: int, /) -> int:
        """A non-negative integer of k random bits."""

    def randrange(self, stop: int, /) -> int:
        """An integer in [0, stop)."""


@dataclass(slots=True)
class JobAsked:
    """A job for a directory's thread."""

    ticket: int
    job: Job[object]


@dataclass(slots=True)
class FrameAsked:
    """A request to another node; its reply is wanted within `timeout` seconds.

    Requests with the same (host, port, channel) share a connection and keep their order.
    """

    ticket: int
    host: str
    port: int
    channel: str
    frame: bytes
    timeout: float
    listener: str = ""
    """The name of the listener there: how it is secured, its name tells."""


class Knocked(Enum):
    """What came of a connection that was tried, and closed at once."""

    OPENED = "opened"
    REFUSED = "refused"
    """The machine is there, and no process listens."""
    SILENT = "silent"
    """Neither within the time: no one can know."""


@dataclass(slots=True)
class KnockAsked:
    """Whether anything accepts connections at an address is wanted within `timeout` seconds."""

    ticket: int
    host: str
    port: int
    timeout: float


@dataclass(slots=True)
class FrameAnswered:
    """An answer to a client's connection, in the connection's order. No buffers: none is due."""

    connection: int
    buffers: list[Buffer]


@dataclass(slots=True)
class LogLine:
    """A line for the operator's log. `level`: debug, info, warning, error."""

    logger: str
    """The package of the machine that says it: the name by which its level is set."""
    level: str
    event: str
    fields: dict[str, object]


@dataclass(slots=True)
class Ready:
    """All that a machine wants of the world now. Carried out in this order."""

    jobs: list[JobAsked] = field(default_factory=list)
    frames: list[FrameAsked] = field(default_factory=list)
    knocks: list[KnockAsked] = field(default_factory=list)
    answers: list[FrameAnswered] = field(default_factory=list)
    closes: list[int] = field(default_factory=list)
    """Connections to hang up on, after their answers."""
    trusted: list[int] = field(default_factory=list)
    """Connections whose clients have logged in: their frames may be as large as others'."""
    mutes: list[tuple[int, float]] = field(default_factory=list)
    """Connections of which nothing is read for so many seconds: their clients used too much."""
    log_lines: list[LogLine] = field(default_factory=list)
    halt: str | None = None
    """The node must stop at once, without a clean shutdown, for this reason."""
    unusable: bool = False
    """That reason lies in how the node is configured or installed: it cannot run like this."""
    stopped: bool = False
    """The node has finished its clean shutdown."""

    def __bool__(self) -> bool:
        return bool(
            self.jobs
            or self.frames
            or self.knocks
            or self.answers
            or self.closes
            or self.trusted
            or self.mutes
            or self.log_lines
            or self.halt
            or self.stopped
        )


class Timer:
    """An order to be woken; `cancel()` takes it back."""

    __slots__ = ("at", "then")

    def __init__(self, at: float, then: Callable[[], None]) -> None:
        self.at = at
        self.then: Callable[[], None] | None = then

    def cancel(self) -> None:
        """Not to be woken after all."""
        self.then = None


CALM: Final = 0.7
"""Up to this share of its time a node may have work before it is under strain."""
RESTS: Final = 10
"""Times what a piece of long work took: so long the next one rests where the strain is greatest."""
LEAST_REST, MOST_REST = 0.02, 0.05
"""No shorter (s), for a millisecond or two of what a piece costs are not seen from here (to read
its requests, to send what it answers), and no longer."""
TAKEN_MAX: Final = 0.005
"""Seconds that pieces take of one turn of the node, or else a single piece."""
TURNS_LOOK: Final = 0.25
"""Over so long (s) it is found which share of its time the node spends on such pieces."""
FEW_OTHERS, MANY_OTHERS = 0.1, 0.3
"""Shares of its time in which the node has other work. Pieces rest for its sake: not at all up to
the former, and in full from the latter on. Where one client asks for a long description after the
other, that alone is the strain: to let it wait would make room for nothing."""


def rest_after(took: float, strain: float, others: float) -> float:
    """How long (s) pieces of long work rest after one that took so long (s).

    `others`: the share of its time in which the node has work that is no such piece.
    """
    among = (others - FEW_OTHERS) / (MANY_OTHERS - FEW_OTHERS)
    longest = min(MOST_REST, max(LEAST_REST, RESTS * took))
    return longest * strain * min(1.0, max(0.0, among))


class _PutOff:
    """What is put off: to the end of an input, or to turns of its own, a piece at a time."""

    __slots__ = ("_due", "_looked_at", "_out", "_share", "_spent", "_turns", "last")

    def __init__(self, out: Outbox) -> None:
        self._out = out
        self._turns: deque[Callable[[], None]] = deque()
        self._due = 0.0
        """When the next piece has rested for the last one."""
        self._looked_at = self._spent = 0.0
        self._share = 0.0
        """Of its time that the node lately spent on turns."""
        self.last: list[Callable[[], None]] = []
        """What this input ends with."""

    def in_turn(self, then: Callable[[], None], at_once: bool) -> None:
        """See `Outbox.in_turn`."""
        self._turns.append(then)
        if len(self._turns) > 1:
            return
        self._due = max(self._due, self._out.now)
        if at_once:
            self._next_turn()
        else:
            self._out.at(self._due, self._next_turn)

    def _next_turn(self) -> None:
        """Take one piece, or as many short ones as have rested: where a node is under strain, its
        turns last longer than these need to rest."""
        now, taken = self._out.now, 0.0
        while True:
            took = self._take(self._turns[0])  # What that asks for comes behind those that wait.
            self._turns.popleft()
            taken += max(took, LEAST_REST / RESTS)
            rest = self._rest(took)
            self._due = min(max(self._due, now - MOST_REST) + rest, now + MOST_REST)
            if not self._turns:
                return
            if not rest or self._due > now or taken > TAKEN_MAX:
                break
        self._out.at(max(now, self._due), self._next_turn)

    def _take(self, turn: Callable[[], None]) -> float:
        began = self._out.stopwatch()
        turn()
        took = self._out.stopwatch() - began
        self._spent += took
        return took

    def _rest(self, took: float) -> float:
        out = self._out
        if (past := out.now - self._looked_at) >= TURNS_LOOK:
            self._share, self._spent, self._looked_at = self._spent / past, 0.0, out.now
        return rest_after(took, out.strain, out.busy - self._share)

    def end_input(self) -> None:
        """Do what is to be done at last, and what that puts off to the end in its turn."""
        while self.last:
            last, self.last = self.last, []
            for then in last:
                then()


class Outbox:
    """Collects the effects of a node's machines; hands each answer to the continuation it is for.

    `now` (s, monotonic) and `wall_ms` (ms since 1970) are set by the node before each input; `busy`
    by a rim that knows it: the share of its time, from 0 to 1, in which the node lately had work.
    """

    def __init__(self, rng: Rng) -> None:
        self.now = 0.0
        self.wall_ms = 0
        self.busy = 0.0
        self.stopwatch: Callable[[], float] = lambda: self.now
        """Seconds that go on while an input is worked on, by a rim that has them; else none do."""
        self.rng = rng
        self.levels = LogLevels()
        """Of the node's loggers; a rim that writes a log has its own."""
        self.carry_out: Callable[[Ready], None] | None = None
        """Set by a rim that can carry out effects while an input is still being worked on."""
        self._ready = Ready()
        self._tickets = itertools.count(1)
        self._waiting: dict[int, Callable[[Any], None]] = {}
        self._timers: list[tuple[float, int, Timer]] = []
        self._put_off = _PutOff(self)

    # --- effects -----------------------------------------------------------------------------

    def run(self, job: Job[R], then: Callable[[R | Failure], None]) -> None:
        """Have a job done by its directory's thread; `then` gets the result, or the Failure."""
        ticket = next(self._tickets)
        self._waiting[ticket] = then
        self._ready.jobs.append(JobAsked(ticket, job))

    @property
    def newest_job(self) -> Job[object] | None:
        """The job that was asked for last, while it can still be added to: it has not left."""
        jobs = self._ready.jobs
        return jobs[-1].job if jobs else None

    def ask(
        self,
        host: str,
        port: int,
        channel: str,
        frame: Callable[[int], bytes],
        timeout: float,
        then: Callable[[Buffer | PeerFailed], None],
        listener: str = "",
    ) -> None:
        """Send a request (`frame` is given its correlation id); `then` gets the reply's bytes.

        `listener`: the name of the one that is there.
        """
        ticket = next(self._tickets)
        self._waiting[ticket] = then
        correlation = ticket & 0x7FFFFFFF
        self._ready.frames.append(
            FrameAsked(ticket, host, port, channel, frame(correlation), timeout, listener)
        )

    def knock(self, host: str, port: int, timeout: float, then: Callable[[Knocked], None]) -> None:
        """Try whether anything accepts connections there; nothing is sent."""
        ticket = next(self._tickets)
        self._waiting[ticket] = then
        self._ready.knocks.append(KnockAsked(ticket, host, port, timeout))

    def answer(self, connection: int, buffers: list[Buffer]) -> None:
        """Give a client its answer."""
        self._ready.answers.append(FrameAnswered(connection, buffers))

    def close_connection(self, connection: int) -> None:
        """Close a client's connection after what was answered to it."""
        self._ready.closes.append(connection)

    def trust(self, connection: int) -> None:
        """A client has logged in: it may send frames of any size that others may."""
        self._ready.trusted.append(connection)

    def mute(self, connection: int, seconds: float) -> None:
        """Read nothing more of a client for a while; its answers go out."""
        self._ready.mutes.append((connection, seconds))

    def at(self, when: float, then: Callable[[], None]) -> Timer:
        """Be woken at `when` (s, monotonic)."""
        timer = Timer(when, then)
        heapq.heappush(self._timers, (when, next(self._tickets), timer))
        return timer

    def after(self, delay: float, then: Callable[[], None]) -> Timer:
        """Be woken `delay` seconds from now."""
        return self.at(self.now + delay, then)

    def at_last(self, then: Callable[[], None]) -> None:
        """Have something done at the end of this input, with all that has come of it."""
        self._put_off.last.append(then)

    def in_turn(self, then: Callable[[], None], at_once: bool = False) -> None:
        """Have a piece of long work done after others had their turn: one piece at a time, and
        under strain with rests in between.

        `at_once`: now, where no such piece waits.
        """
        self._put_off.in_turn(then, at_once)

    @property
    def strain(self) -> float:
        """How little time the node has to spare: 0 none or little is missing, 1 it has none."""
        return max(0.0, (self.busy - CALM) / (1.0 - CALM))

    def say(self, level: str, event: str, **fields: object) -> None:
        """Tell the operator, in the name of the package that calls."""
        logger = sys._getframe(1).f_globals["__package__"]
        self._ready.log_lines.append(LogLine(logger, level, event, fields))

    def halt(self, reason: str, *, unusable: bool = False) -> None:
        """Stop the node at once (K858-11). `unusable`: it cannot run as it is configured."""
        if self._ready.halt is None:
            self._ready.halt, self._ready.unusable = reason, unusable

    def stop(self) -> None:
        """The node has nothing left to do."""
        self._ready.stopped = True

    def new_id(self) -> uuid.UUID:
        """A random id which is not reserved and whose text does not begin with '-'."""
        while True:
            value = uuid.UUID(int=self.rng.getrandbits(128), version=4)
            if value.bytes[0] >> 2 != 62:
                return value

    # --- answers ------------------------------------------------------------------------------

    def done(self, ticket: int, result: object) -> None:
        """A job or a request has ended; `result` may be a Failure."""
        self._waiting.pop(ticket)(result)

    def tick(self) -> None:
        """Run the timers that are due; those which they set wait for the next time."""
        due = []
        while self._timers and self._timers[0][0] <= self.now:
            due.append(heapq.heappop(self._timers)[2])
        for timer in due:
            then, timer.then = timer.then, None
            if then is not None:
                then()

    @property
    def wake_at(self) -> float | None:
        """When time alone matters next."""
        while self._timers and self._timers[0][2].then is None:
            heapq.heappop(self._timers)
        return self._timers[0][0] if self._timers else None

    def flush_now(self) -> None:
        """Send the queued effects now, before the rest of this input is handled.

        For a letter before much work. Where an input takes no time (tests, the simulation) all
        leaves together in the end.
        """
        if self.carry_out is not None and self._ready:
            ready, self._ready = self._ready, Ready()
            self.carry_out(ready)

    @property
    def interrupts(self) -> bool:
        """Whether an effect waits that decides how, or whether, more of a client is heard."""
        ready = self._ready
        return bool(ready.closes or ready.mutes or ready.halt is not None or ready.stopped)

    def take(self) -> Ready | None:
        """All effects of an input that has been worked on, or None: there are no more."""
        if self._put_off.last:
            self._put_off.end_input()
        if not self._ready:
            return None
        ready, self._ready = self._ready, Ready()
        return ready

    @property
    def pending(self) -> int:
        """How many jobs and requests have not come back yet."""
        return len(self._waiting)
