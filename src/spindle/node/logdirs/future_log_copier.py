"""How a move's future log is made and filled: what all moves work with, and the steps of one.

`MoveTools` are the ways to the disks, the limits and the figures that all moves share. `copy_step`
chains the jobs of one step over the threads of both directories (`model/copying_jobs`, "One step of
a move"). `FutureLogCopier` decides when the next one comes, how much it copies, and what a failure
means; it tells its move by inputs, and knows neither the other moves nor their manager.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, NamedTuple, TypeVar

from spindle.core.logdirs.copy_limits import Throttles
from spindle.core.logdirs.events import Post
from spindle.core.logdirs.move import LogDirMove, LogDirMoveState, MoveInput
from spindle.core.logdirs.move_figures import MoveFigures
from spindle.core.logdirs.pacing import CopyPacing, Yielding, pace_of
from spindle.model.copying_jobs import (
    FULL_PACE,
    AdoptCopied,
    BadBatch,
    CopiedBytes,
    CopyBytes,
    CopyMark,
    CopyPace,
    CopyPlan,
    CopyProgress,
    MarkCopy,
    PlanCopy,
)
from spindle.model.errors import DiskFailed, Failure, LogFailed
from spindle.model.ids import LogDir
from spindle.model.jobs import CreateLog, Flush, Restore
from spindle.model.log_values import LoadedLog, LogKey
from spindle.model.outbox import Outbox, Timer
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.directories import Directories
from spindle.node.logdirs.placement_registry import ReplicaPlacementRegistry
from spindle.node.logdirs.purging import KeptCopies, Purging
from spindle.node.replicas.replica_manager import ReplicaManager


@dataclass(slots=True, eq=False)
class MoveTools:
    """The parts below, and what the moves of a broker share."""

    context: BrokerContext
    directories: Directories
    purging: Purging
    places: ReplicaPlacementRegistry
    replicas: ReplicaManager
    """Whose appends are blocked for the swap."""
    post: Post
    kept: KeptCopies
    throttles: Throttles
    pacing: CopyPacing = field(default_factory=CopyPacing)
    figures: MoveFigures = field(default_factory=MoveFigures)

    @property
    def out(self) -> Outbox:
        """Our effects."""
        return self.context.out

    @property
    def least_share(self) -> float:
        """The share of its time that a move copies at least while clients are served (B-10)."""
        return self.context.settings.number("log.dir.move.busy.share")

    def is_told(self, move: LogDirMove) -> bool:
        """Whether the committed metadata names the target, or knows no directories (K858-19)."""
        target = self.directories.id_of(move.target)
        return not self.context.speaks_of_directories or self.context.assigned(move.id) == target

    def is_named(self, move: LogDirMove) -> bool:
        """Whether the committed metadata knows directories, and names the target."""
        return self.context.speaks_of_directories and self.is_told(move)

    def left(self, move: LogDirMove) -> int:
        """Bytes that a move has still to copy."""
        hosted = self.replicas.partitions.find(move.id)
        return 0 if hosted is None else max(0, hosted.size - move.size)

    def serves(self, move: LogDirMove) -> bool:
        """Whether the current log can be read."""
        return self.replicas.partitions.bounds(move.id) is not None


def rates_of(context: BrokerContext) -> tuple[int, int]:
    """(of all moves, of one move) in bytes per second."""
    settings = context.settings
    broker = settings.whole("replica.alter.log.dirs.io.max.bytes.per.second")
    return int(broker), settings.whole("log.dir.move.max.bytes.per.second")


T = TypeVar("T")

Then = Callable[[CopyProgress | Failure], None]


def copy_step(
    out: Outbox,
    key: LogKey,
    source: LogDir,
    target: LogDir,
    mark: CopyMark | None,
    limit: int,
    max_bytes: int,
    then: Then,
    still: Callable[[], bool] = lambda: False,
    pace: CopyPace = FULL_PACE,
) -> None:
    """Copy at most about `max_bytes` up to offset `limit` of `key`'s log; `then(progress)`.

    `mark`: the last progress's; None at the start of a move and after anything else has changed the
    future log. `still`: whether appends and cuts of the source are blocked; asked at the beginning
    and once more when all is copied. Then `progress.whole` tells that nothing is missing. `pace`:
    how far the copying gives way to clients.
    """
    current, future = key._replace(future=False), key._replace(future=True)

    def marked(found: CopyMark) -> None:
        planning = PlanCopy(source, current, found, limit, max_bytes, still())
        out.run(planning, _if_well(planned, then))

    def planned(plan: CopyPlan) -> None:
        if plan.pieces:
            copying = CopyBytes(target, future, source, plan, pace)
            out.run(copying, _if_well(lambda copied: adopt(plan, copied), then))
        else:
            adopt(plan, CopiedBytes())

    def adopt(plan: CopyPlan, copied: CopiedBytes) -> None:
        if plan.still and not still():
            plan = replace(plan, still=False)
        out.run(AdoptCopied(target, future, plan, copied), then)

    if mark is None:
        out.run(MarkCopy(target, future), _if_well(marked, then))
    else:
        marked(mark)


def _if_well(go_on: Callable[[T], None], then: Then) -> Callable[[T | Failure], None]:
    """Go on with a result; give a failure to the caller that waits for the step."""

    def answered(result: T | Failure) -> None:
        if isinstance(result, Failure):
            then(result)
        else:
            go_on(result)

    return answered


PIECE: Final = 64 << 20
"""Bytes asked of one step of copying."""
SERVING: Final = 1.0
"""Seconds for which clients count as served since they were last."""
FOLLOW: Final = 0.05
"""Seconds between looks for new records once a move has caught up."""
RETRY: Final = 0.5
RETRY_BLOCKED: Final = 0.01
"""Seconds until a step that has failed is tried again; and while appends wait for it."""
FAILURES_MAX: Final = 10
BAD_MAX: Final = 3
"""A batch that is bad so many times in a row, although nothing was cut, is damaged."""
SETTLED_BYTES: Final = 256 << 10
"""When this is all that came while the copy was made durable, the rest is copied at once."""
SETTLE_ROUNDS: Final = 5
NO_LIMIT: Final = 1 << 62


Feed = Callable[[MoveInput], None]
"""Hears what has happened to the move."""


@dataclass(slots=True)
class _Tries:
    """How often in a row something came out so."""

    failures: int = 0
    bad: int = 0
    rounds: int = 0
    """Of making the copy durable."""


class _Step(NamedTuple):
    """What one step was begun with."""

    pace: CopyPace
    paced: bool
    """It gives way to clients."""
    granted: int
    """Bytes that it may copy."""
    throttled: bool


class FutureLogCopier:
    """The jobs on a move's future log, one at a time: it is made, filled in pieces, flushed."""

    def __init__(
        self, tools: MoveTools, move: LogDirMove, feed: Feed, idle: Callable[[], None]
    ) -> None:
        """`idle`: the move had ended, and the last job has come back now."""
        self._tools = tools
        self._move = move
        self._feed = feed
        self._idle = idle
        self.made = False
        """The future log stands on disk."""
        self.busy = False
        """A job on the future log has not come back: there is one at a time."""
        self.damage = ""
        """What is wrong with the source."""
        self._yielding = Yielding()
        self._mark: CopyMark | None = None
        self._dirty = False
        self._tries = _Tries()
        self._timer: Timer | None = None

    # --- making -----------------------------------------------------------------------------

    def prepare(self) -> None:
        """Make the future log, or find the one that an earlier move has left (B-11)."""
        move = self._move
        self.busy = True
        name = self._tools.kept.take(move.target, move.id)
        if name is None:
            self._create()
        else:
            job = Restore(move.target, move.future_key, name)
            self._tools.out.run(job, partial(self._on_restored, name))

    def _create(self) -> None:
        move = self._move
        settings = self._tools.places.settings_of(move.name.topic)
        job = CreateLog(move.target, move.future_key, move.id.topic_id, settings)
        self._tools.out.run(job, self._on_prepared)

    def _on_restored(self, name: str, result: LoadedLog | Failure) -> None:
        if isinstance(result, LogFailed):
            self._tools.purging.now(self._move.target, name)
            self._create()
        else:
            self._on_prepared(result)

    def _on_prepared(self, result: LoadedLog | Failure) -> None:
        if isinstance(result, LoadedLog):
            self.made = True
            self._move.end, self._move.size = result.end, result.size
        if self._is_over() or self._failed(result):
            return
        assert isinstance(result, LoadedLog)
        self.go_on(result)

    def _is_over(self) -> bool:
        """A job on the future log has come back; whether the move has ended meanwhile."""
        self.busy = False
        if self._move.ended:
            self._idle()
        return self._move.ended

    def go_on(self, future: LoadedLog) -> None:
        """The future log is there; the first step compares it with the current one."""
        self.made = True
        self._move.end, self._move.size = future.end, future.size
        self._feed(MoveInput.PREPARED)

    # --- copying ----------------------------------------------------------------------------

    def copy_next(self) -> None:
        """Copy the next piece, if it is time for one."""
        move = self._move
        if (
            self.busy
            or self._tools.directories.closing
            or not move.follows
            or not self._tools.serves(move)
        ):
            return
        step = self._next_step()
        if step is None:
            return
        self.busy = True
        move.share = step.pace.share
        self._tools.pacing.begin(self._disks, self._tools.out.now, step.paced)
        copy_step(
            self._tools.out,
            move.current_key,
            move.source,
            move.target,
            self._mark,
            NO_LIMIT,
            step.granted,
            partial(self._on_copied, step),
            lambda: move.state is LogDirMoveState.DRAINING,
            step.pace,
        )

    def _next_step(self) -> _Step | None:
        """How the next step copies; None: not yet, and it is known when to look again."""
        throttles, now, disks = self._tools.throttles, self._tools.out.now, self._disks
        pace, paced = self._pace()
        if paced and (ready := self._tools.pacing.rests_until(now)) > now:
            self._pump_at(ready)
            return None
        want = int(PIECE * pace.share)  # Steps are short, however long it rests in them.
        if self._move.state is LogDirMoveState.DRAINING:
            return _Step(pace, paced, want, False)
        granted = throttles.take(now, want, disks)
        if granted == 0:
            self._pump_at(throttles.ready_at(now, want, disks))
            return None
        return _Step(pace, paced, granted, True)

    def _pace(self) -> tuple[CopyPace, bool]:
        """How fast it may copy, and whether it gives way to clients.

        Near its swap it has little left, and hurries.
        """
        serving = self._tools.out.now - self._tools.replicas.served_at < SERVING
        if not serving or self._move.state is LogDirMoveState.DRAINING:
            return FULL_PACE, False
        if self._move.state is not LogDirMoveState.COPYING:
            return pace_of(1.0), False
        least = self._yielding.least(self._tools.least_share)
        if self._tools.pacing.is_slowest(self._disks, least):
            self._say_slowest(least)
        return self._tools.pacing.pace(self._disks, least), True

    def _say_slowest(self, share: float) -> None:
        if self._yielding.is_reported:
            return
        self._yielding.is_reported = True
        reason = f"it copies for {share:.0%} of its time, the least that is set or that lets it end"
        self._tools.out.say(
            "warning", "clients feel a move", partition=str(self._move.name), reason=reason
        )

    @property
    def _disks(self) -> tuple[LogDir, LogDir]:
        return self._move.source, self._move.target

    def _pump_at(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._tools.out.at(when, self.copy_next)

    def _on_copied(self, step: _Step, result: CopyProgress | Failure) -> None:
        used = result.copied if isinstance(result, CopyProgress) else 0
        self._tools.pacing.end(self._disks, self._tools.out.now, step.paced)
        if step.throttled:
            self._tools.throttles.settle(step.granted, used, self._disks, self._tools.out.now)
        self._tools.figures.copied(self._tools.out.now, self._move, used)
        if isinstance(result, CopyProgress):
            self._move.end, self._move.size = result.end, result.size
            self._yielding.on_copied(step.pace.share, used, self._tools.left(self._move))
        if self._is_over() or self._failed(result):
            return
        assert isinstance(result, CopyProgress)
        self._mark, self._tries.failures = result.mark, 0
        self._dirty = self._dirty or used > 0
        if result.bad is not None:
            self._on_bad(result.bad)
            return
        self._tries.bad = 0
        caught, state = result.end == result.source_end, self._move.state
        if state is LogDirMoveState.DRAINING and (caught or result.whole):
            self._on_drained(result)
        elif not caught or state is LogDirMoveState.FREEZING:
            self._feed(MoveInput.COPIED)
        elif state is LogDirMoveState.COPYING:
            self._flush(lambda: self._feed(MoveInput.CAUGHT))
        elif state is LogDirMoveState.SETTLING:
            self._on_settled(used)
        else:
            self._pump_at(self._tools.out.now + FOLLOW)

    def _on_drained(self, result: CopyProgress) -> None:
        """Nothing is written any more, and all is copied: both must be the same now (B-02)."""
        if result.whole:
            self._feed(MoveInput.CAUGHT)
        else:
            self.give_up(f"the copy is not what the log is: {result.mark}")

    def _on_settled(self, used: int) -> None:
        """The copy is where the log was just now: have little left for while appends wait."""
        self._tries.rounds += 1
        enough = used <= SETTLED_BYTES or self._tries.rounds >= SETTLE_ROUNDS

        def flushed() -> None:
            if self._move.state is LogDirMoveState.SETTLING:
                self._feed(MoveInput.SETTLED if enough else MoveInput.CAUGHT)
            else:
                self.copy_next()  # The metadata was changed back meanwhile.

        self._flush(flushed)

    def _on_bad(self, bad: BadBatch) -> None:
        """A batch is not well. A cut of the source explains it: then the next step aligns."""
        self._tries.bad += 1
        if self._tries.bad < BAD_MAX:
            self._feed(MoveInput.COPIED)
        elif bad.in_source:
            self.damage = bad.why
            self._feed(MoveInput.DAMAGED)
        else:
            self.give_up(f"what is read changes from one time to the next: {bad.why}")

    def _flush(self, then: Callable[[], None]) -> None:
        """Put the future log on the medium, then go on: that leaves little for the swap to do."""
        if not self._dirty:
            then()
            return
        self.busy, self._dirty = True, False

        def flushed(result: Failure | None) -> None:
            if not self._is_over() and not self._failed(result):
                then()

        self._tools.out.run(Flush(self._move.target, self._move.future_key), flushed)

    def _failed(self, result: object) -> bool:
        """Whether a job of the move failed; what that means has been done."""
        if not isinstance(result, Failure):
            return False
        move = self._move
        if isinstance(result, DiskFailed):
            self._tools.directories.on_disk_failed(result)
            if not move.ended:
                self.give_up(str(result))
            return True
        assert isinstance(result, LogFailed), f"a move's job cannot fail with {result!r}"
        self._tries.failures += 1
        self._mark = None
        if self._tries.failures < FAILURES_MAX and move.follows:
            pause = RETRY_BLOCKED if move.state is LogDirMoveState.DRAINING else RETRY
            self._pump_at(self._tools.out.now + pause)
        else:
            self.give_up(str(result))
        return True

    def give_up(self, why: str) -> None:
        """It cannot go on."""
        self._tools.out.say(
            "warning", "move is given up", partition=str(self._move.name), reason=why
        )
        self._feed(MoveInput.STUCK)

    def stop(self) -> None:
        """The move has ended: begin nothing more."""
        if self._timer is not None:
            self._timer.cancel()

    def on_swap(self) -> None:
        """The move is about to block appends; if it has to unblock them, the rounds start at 0."""
        self._tries.rounds = 0
