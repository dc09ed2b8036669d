"""One move between log directories, carried out: its table's wishes become jobs, answers inputs.

Copies in pieces, has the controller told, swaps (KIP-113, KIP-858; order and safety are those of
`core.logdirs.move`). Knows one replica. Made and scheduled by `moves`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

from spindle.core.logdirs.move import Input, Move, State, Wish
from spindle.core.logdirs.throttle import Throttle
from spindle.model.errors import DiskFailed, Failure, LogFailed
from spindle.model.ids import LogDir, PartitionId
from spindle.model.jobs import (
    CopyMark,
    CopyProgress,
    CreateLog,
    Discard,
    Flush,
    LogSettings,
    Promote,
    Restore,
    Truncate,
)
from spindle.model.logs import LoadedLog, LogKey
from spindle.model.outbox import Outbox, Timer
from spindle.node.logdirs.copy_step import copy_step
from spindle.node.replicas.replicas import Replicas

PIECE: Final = 16 << 20
"""Bytes asked of one step of copying."""
FOLLOW: Final = 0.05
"""Seconds between looks for new records once a move has caught up."""
RETRY: Final = 0.5
FAILURES_MAX: Final = 10
NO_LIMIT: Final = 1 << 62


class World(Protocol):
    """What a move needs of the log directories that it belongs to."""

    out: Outbox
    throttle: Throttle
    copied_bytes: int
    closing: bool

    @property
    def replicas(self) -> Replicas:
        """Whose appends are blocked for the swap."""

    def is_told(self, run: Run) -> bool:
        """Whether the committed metadata names the target, or nobody need be told."""

    def settings_of(self, topic: str) -> LogSettings:
        """What the topic's logs obey."""

    def correct(self, id: PartitionId) -> None:
        """Have the metadata say what it should of this replica."""

    def discard(self, path: LogDir, key: LogKey) -> None:
        """Rename a log away and delete it later."""

    def on_disk_failed(self, failure: DiskFailed) -> None:
        """A job of a move was answered so."""

    def on_promoted(self, run: Run, log: LoadedLog) -> None:
        """The replica's current log is the one in the target now."""

    def on_stranded(self, run: Run) -> None:
        """The source was renamed, the target is lost, and the name cannot be given back."""

    def on_source_renamed(self, run: Run, name: str) -> None:
        """The source has its `-delete` name, but the move had ended before."""

    def on_step(self, run: Run, happened: Input) -> None:
        """The move has changed its state, or ended."""


class Run:
    """A move under way."""

    def __init__(self, world: World, move: Move) -> None:
        self._world = world
        self._out = world.out
        self.move = move
        self.discarded: str | None = None
        """The name that the source was given."""
        self.again: LogDir | None = None
        """Where to go next, when this is over."""
        self.leader_epoch = -1
        self._mark: CopyMark | None = None
        self._busy = False
        """A job on the future log has not come back: there is one at a time."""
        self._dirty = False
        self._failures = 0
        self._timer: Timer | None = None

    # --- inputs -----------------------------------------------------------------------------

    def prepare(self) -> None:
        """Make the future log, or find the one that an earlier move has left (B-11)."""
        move = self.move
        settings = self._world.settings_of(move.name.topic)
        self._busy = True
        job = CreateLog(move.target, move.future_key, move.id.topic_id, settings)
        self._out.run(job, self._on_prepared)

    def _on_prepared(self, result: LoadedLog | Failure) -> None:
        self._busy = False
        if not self.move.ended and not self._failed(result):
            assert isinstance(result, LoadedLog)
            self.go_on(result)

    def go_on(self, future: LoadedLog) -> None:
        """The future log is there; the first step compares it with the current one."""
        self.move.end, self.move.size = future.end, future.size
        self.feed(Input.PREPARED)

    def feed(self, happened: Input) -> None:
        """Something has happened to this move."""
        for wish in self.move.feed(happened):
            self._wishes[wish](self)
        self._world.on_step(self, happened)

    # --- copying ----------------------------------------------------------------------------

    def pump(self) -> None:
        """Copy the next piece, if it is time for one."""
        move = self.move
        if self._busy or self._world.closing or not move.follows or not self._serves():
            return
        granted = PIECE
        if move.state is not State.DRAINING:
            granted = self._world.throttle.take(self._out.now, PIECE)
            if granted == 0:
                self._pump_at(self._world.throttle.ready_at(self._out.now, PIECE))
                return
        self._busy = True
        copy_step(
            self._out,
            move.current_key,
            move.source,
            move.target,
            self._mark,
            NO_LIMIT,
            granted,
            partial(self._on_copied, granted, move.state is not State.DRAINING),
        )

    def _pump_at(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._out.at(when, self.pump)

    def _serves(self) -> bool:
        return self._world.replicas.bounds(self.move.id) is not None

    def _on_copied(self, granted: int, throttled: bool, result: CopyProgress | Failure) -> None:
        self._busy = False
        used = result.copied if isinstance(result, CopyProgress) else 0
        if throttled:
            self._world.throttle.settle(granted, used)
        self._world.copied_bytes += used
        if self.move.ended or self._failed(result):
            return
        assert isinstance(result, CopyProgress)
        self._mark, self._failures = result.mark, 0
        self._dirty = self._dirty or used > 0
        self.move.end, self.move.size = result.end, result.size
        caught = result.end == result.source_end
        if self.move.state is State.DRAINING and caught and used == 0:
            self._verify()  # Only now for certain: one more look has found nothing.
        elif not caught or self.move.state in (State.DRAINING, State.FREEZING):
            self.feed(Input.COPIED)
        elif self.move.state is State.COPYING:
            self._flush(lambda: self.feed(Input.CAUGHT))
        else:
            self._pump_at(self._out.now + FOLLOW)

    def _flush(self, then: Callable[[], None]) -> None:
        """Put the future log on the medium, then go on: the swap shall have little left to do."""
        if not self._dirty:
            then()
            return
        self._busy, self._dirty = True, False

        def flushed(result: Failure | None) -> None:
            self._busy = False
            if not self.move.ended and not self._failed(result):
                then()

        self._out.run(Flush(self.move.target, self.move.future_key), flushed)

    def _failed(self, result: object) -> bool:
        """Whether a job of the move failed; what that means has been done."""
        if not isinstance(result, Failure):
            return False
        move = self.move
        if isinstance(result, DiskFailed):
            self._world.on_disk_failed(result)
            if not move.ended:
                self._give_up(str(result))
            return True
        assert isinstance(result, LogFailed), f"a move's job cannot fail with {result!r}"
        self._failures += 1
        self._mark = None
        if self._failures < FAILURES_MAX and move.follows:
            self._pump_at(self._out.now + RETRY)
        else:
            self._give_up(str(result))
        return True

    def _give_up(self, why: str) -> None:
        self._out.say("warning", "move is given up", partition=str(self.move.name), why=why)
        self.feed(Input.STUCK)

    # --- the swap ---------------------------------------------------------------------------

    def _assign(self) -> None:
        if self._world.is_told(self):
            self.feed(Input.ASSIGNED)
        else:
            self._world.correct(self.move.id)

    def _freeze(self) -> None:
        def frozen() -> None:
            if self.move.state is State.FREEZING:
                self.feed(Input.FROZEN)

        if self._serves():
            self._world.replicas.freeze(self.move.id, frozen)

    def _thaw(self) -> None:
        self._world.replicas.thaw(self.move.id, self.move.source, None)

    def _verify(self) -> None:
        """All is copied, nothing is written: compare both logs before one is given up (B-02)."""
        self._flush(self._compare)

    def _compare(self) -> None:
        move = self.move
        self._busy = True

        def source_told(source: LoadedLog | Failure) -> None:
            self._busy = False
            if not move.ended and not self._failed(source):
                assert isinstance(source, LoadedLog)
                self._busy = True
                job = Truncate(move.target, move.future_key, NO_LIMIT)
                self._out.run(job, partial(both_told, source))

        def both_told(source: LoadedLog, target: LoadedLog | Failure) -> None:
            self._busy = False
            if move.ended or self._failed(target):
                return
            assert isinstance(target, LoadedLog)
            if _extent(source) == _extent(target):
                self.feed(Input.CAUGHT)
            else:
                self._give_up(f"the copy has {_extent(target)}, the log {_extent(source)}")

        # Cutting at the end cuts nothing, and tells how a log stands.
        self._out.run(Truncate(move.source, move.current_key, NO_LIMIT), source_told)

    def _discard(self) -> None:
        move = self.move
        job = Discard(move.source, move.current_key, "delete", self._out.new_id().hex)

        def discarded(result: str | Failure) -> None:
            if isinstance(result, str):
                self.discarded = result
                if move.ended:
                    self._world.on_source_renamed(self, result)
                else:
                    self.feed(Input.DISCARDED)
                return
            if isinstance(result, DiskFailed):
                self._world.on_disk_failed(result)
            if move.state is State.RESTORING:
                self.feed(Input.RESTORED)  # It never lost its name.
            elif move.state is State.DISCARDING:
                self._give_up(str(result))

        self._out.run(job, discarded)

    def _promote(self) -> None:
        move = self.move

        def promoted(result: LoadedLog | Failure) -> None:
            if move.ended:
                return
            if isinstance(result, LoadedLog):
                self._promoted = result
                self.feed(Input.PROMOTED)
                return
            if isinstance(result, DiskFailed):
                self._world.on_disk_failed(result)
            if not move.ended:
                self._give_up(str(result))

        self._out.run(Promote(move.target, move.future_key), promoted)

    def _restore(self) -> None:
        move = self.move
        assert self.discarded is not None

        def restored(result: LoadedLog | Failure) -> None:
            if isinstance(result, DiskFailed):
                self._world.on_disk_failed(result)
            if move.ended:
                return
            if isinstance(result, Failure):
                self._give_up(str(result))
            else:
                self.discarded = None
                self.feed(Input.RESTORED)

        self._out.run(Restore(move.source, move.current_key, self.discarded), restored)

    def _nothing(self) -> None:
        """`again` is remembered; whoever made this move looks at it when it ends."""

    _wishes: Final[dict[Wish, Callable[[Run], None]]] = {
        Wish.COPY: pump,
        Wish.ASSIGN: _assign,
        Wish.FREEZE: _freeze,
        Wish.THAW: _thaw,
        Wish.DISCARD: _discard,
        Wish.PROMOTE: _promote,
        Wish.FINISH: lambda run: run._world.on_promoted(run, run._promoted),
        Wish.DROP_FUTURE: lambda run: run._world.discard(run.move.target, run.move.future_key),
        Wish.DROP_TARGET: lambda run: run._world.discard(run.move.target, run.move.current_key),
        Wish.CORRECT: lambda run: run._world.correct(run.move.id),
        Wish.DROP_SOURCE: lambda run: run._world.discard(run.move.source, run.move.current_key),
        Wish.RESTORE: _restore,
        Wish.STRAND: lambda run: run._world.on_stranded(run),
        Wish.AGAIN: _nothing,
    }


def _extent(log: LoadedLog) -> tuple[int, int, tuple[tuple[int, int], ...]]:
    return log.start, log.end, tuple((e.epoch, e.start) for e in log.epochs)
