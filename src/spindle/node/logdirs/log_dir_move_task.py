"""One move between log directories, carried out: its table's effects become jobs, answers inputs.

Copies in pieces, has the controller told, swaps (KIP-113, KIP-858; order and safety are those of
`core.logdirs.move`). Knows one replica. Made and scheduled by `moves`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

from spindle.core.logdirs.move import LogDirMove, LogDirMoveState, MoveEffect, MoveInput
from spindle.core.logdirs.throttle import Throttles
from spindle.core.logdirs.yielding import Yielding
from spindle.model.copying_jobs import (
    BadBatch,
    CopyMark,
    CopyProgress,
)
from spindle.model.errors import DiskFailed, Failure, LogFailed
from spindle.model.ids import LogDir, PartitionId
from spindle.model.jobs import (
    CreateLog,
    Discard,
    Flush,
    LogSettings,
    Promote,
    Restore,
)
from spindle.model.log_values import LoadedLog
from spindle.model.outbox import Outbox, Timer
from spindle.node.logdirs.copy_step import copy_step
from spindle.node.replicas.replica_manager import ReplicaManager

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


class MoveHost(Protocol):
    """What a move needs of the log directories that it belongs to."""

    out: Outbox
    throttles: Throttles
    replicas: ReplicaManager
    """Whose appends are blocked for the swap."""

    @property
    def share(self) -> float:
        """The share of its time that a move may copy while clients are served."""

    @property
    def closing(self) -> bool:
        """Whether no copy is begun any more."""

    def is_told(self, run: LogDirMoveTask) -> bool:
        """Whether the committed metadata names the target, or nobody need be told."""

    def left(self, move: LogDirMove) -> int:
        """Bytes that a move has still to copy."""

    def settings_of(self, topic: str) -> LogSettings:
        """What the topic's logs obey."""

    def take_kept(self, run: LogDirMoveTask) -> str | None:
        """The name of what an earlier move to the same directory had copied, if it is kept."""

    def drop_kept(self, run: LogDirMoveTask, name: str) -> None:
        """It cannot be used after all."""

    def correct(self, id: PartitionId) -> None:
        """Have the metadata say what it should of this replica."""

    def drop_future(self, run: LogDirMoveTask) -> None:
        """Have the future log deleted."""

    def keep_future(self, run: LogDirMoveTask) -> None:
        """Set the future log aside for a while."""

    def drop_current(self, run: LogDirMoveTask, path: LogDir) -> None:
        """Have the plain log in a directory deleted."""

    def on_idle(self, run: LogDirMoveTask) -> None:
        """The move has ended, and its last job on the future log has come back."""

    def on_copied(self, run: LogDirMoveTask, size: int) -> None:
        """So many bytes more are copied."""

    def on_blocked(self, seconds: float) -> None:
        """Appends were blocked for so long by a swap, which is over."""

    def on_disk_failed(self, failure: DiskFailed) -> None:
        """A job of a move was answered so."""

    def on_promoted(self, run: LogDirMoveTask, log: LoadedLog) -> None:
        """The replica's current log is the one in the target now."""

    def on_stranded(self, run: LogDirMoveTask) -> None:
        """The source was renamed, the target is lost, and the name cannot be given back."""

    def on_source_renamed(self, run: LogDirMoveTask, name: str) -> None:
        """The source has its `-delete` name, but the move had ended before."""

    def on_step(self, run: LogDirMoveTask, happened: MoveInput) -> None:
        """The move has changed its state, or ended."""


class LogDirMoveTask:
    """A move under way."""

    def __init__(self, world: MoveHost, move: LogDirMove) -> None:
        self._world = world
        self._out = world.out
        self.move = move
        self.discarded: str | None = None
        """The name that the source was given."""
        self.again: LogDir | None = None
        """Where to go next, when this is over."""
        self.leader_epoch = -1
        self.damage = ""
        """What is wrong with the source."""
        self.made = False
        """The future log stands on disk."""
        self.busy = False
        """A job on the future log has not come back: there is one at a time."""
        self.in_doubt = False
        """The controller was told of the target, and no image shows yet what came of it."""
        self._yielding = Yielding()
        self._mark: CopyMark | None = None
        self._dirty = False
        self._failures = self._bad = self._rounds = 0
        self._frozen_at = 0.0
        self._timer: Timer | None = None

    # --- inputs -----------------------------------------------------------------------------

    def prepare(self) -> None:
        """Make the future log, or find the one that an earlier move has left (B-11)."""
        move = self.move
        self.busy = True
        name = self._world.take_kept(self)
        if name is None:
            self._create()
        else:
            job = Restore(move.target, move.future_key, name)
            self._out.run(job, partial(self._on_restored, name))

    def _create(self) -> None:
        move = self.move
        settings = self._world.settings_of(move.name.topic)
        job = CreateLog(move.target, move.future_key, move.id.topic_id, settings)
        self._out.run(job, self._on_prepared)

    def _on_restored(self, name: str, result: LoadedLog | Failure) -> None:
        if isinstance(result, LogFailed):
            self._world.drop_kept(self, name)
            self._create()
        else:
            self._on_prepared(result)

    def _on_prepared(self, result: LoadedLog | Failure) -> None:
        if isinstance(result, LoadedLog):
            self.made = True
            self.move.end, self.move.size = result.end, result.size
        if self._is_over() or self._failed(result):
            return
        assert isinstance(result, LoadedLog)
        self.go_on(result)

    def _is_over(self) -> bool:
        """A job on the future log has come back; whether the move has ended meanwhile."""
        self.busy = False
        if self.move.ended:
            self._world.on_idle(self)
        return self.move.ended

    def go_on(self, future: LoadedLog) -> None:
        """The future log is there; the first step compares it with the current one."""
        self.made = True
        self.move.end, self.move.size = future.end, future.size
        self.feed(MoveInput.PREPARED)

    def feed(self, happened: MoveInput) -> None:
        """Something has happened to this move."""
        for effect in self.move.feed(happened):
            self._effects[effect](self)
        if self.move.ended and self._timer is not None:
            self._timer.cancel()
        self._world.on_step(self, happened)

    # --- copying ----------------------------------------------------------------------------

    def pump(self) -> None:
        """Copy the next piece, if it is time for one."""
        move = self.move
        if self.busy or self._world.closing or not move.follows or not self._serves():
            return
        move.share = self._share()
        granted = want = int(PIECE * move.share)  # Steps are short, however long it rests in them.
        if move.state is not LogDirMoveState.DRAINING:
            throttles, now, disks = self._world.throttles, self._out.now, self._disks
            granted = throttles.take(now, want, disks)
            if granted == 0:
                self._pump_at(throttles.ready_at(now, want, disks))
                return
        self.busy = True
        copy_step(
            self._out,
            move.current_key,
            move.source,
            move.target,
            self._mark,
            NO_LIMIT,
            granted,
            partial(self._on_copied, granted, move.state is not LogDirMoveState.DRAINING),
            lambda: move.state is LogDirMoveState.DRAINING,
            move.share,
        )

    def _share(self) -> float:
        """Of its time that it may copy: who is about to swap has little left, and hurries."""
        if self.move.state is not LogDirMoveState.COPYING:
            return 1.0
        serving = self._out.now - self._world.replicas.served_at < SERVING
        return self._yielding.share(self._world.share, serving)

    @property
    def _disks(self) -> tuple[LogDir, LogDir]:
        return self.move.source, self.move.target

    def _pump_at(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._out.at(when, self.pump)

    def _serves(self) -> bool:
        return self._world.replicas.bounds(self.move.id) is not None

    def _on_copied(self, granted: int, throttled: bool, result: CopyProgress | Failure) -> None:
        used = result.copied if isinstance(result, CopyProgress) else 0
        if throttled:
            self._world.throttles.settle(granted, used, self._disks, self._out.now)
        self._world.on_copied(self, used)
        if isinstance(result, CopyProgress):
            self.move.end, self.move.size = result.end, result.size
            self._yielding.on_copied(used, self._world.left(self.move))
        if self._is_over() or self._failed(result):
            return
        assert isinstance(result, CopyProgress)
        self._mark, self._failures = result.mark, 0
        self._dirty = self._dirty or used > 0
        if result.bad is not None:
            self._on_bad(result.bad)
            return
        self._bad = 0
        caught, state = result.end == result.source_end, self.move.state
        if state is LogDirMoveState.DRAINING and (caught or result.whole):
            self._on_drained(result)
        elif not caught or state is LogDirMoveState.FREEZING:
            self.feed(MoveInput.COPIED)
        elif state is LogDirMoveState.COPYING:
            self._flush(lambda: self.feed(MoveInput.CAUGHT))
        elif state is LogDirMoveState.SETTLING:
            self._on_settled(used)
        else:
            self._pump_at(self._out.now + FOLLOW)

    def _on_drained(self, result: CopyProgress) -> None:
        """Nothing is written any more, and all is copied: both must be the same now (B-02)."""
        if result.whole:
            self.feed(MoveInput.CAUGHT)
        else:
            self._give_up(f"the copy is not what the log is: {result.mark}")

    def _on_settled(self, used: int) -> None:
        """The copy is where the log was just now: have little left for while appends wait."""
        self._rounds += 1
        enough = used <= SETTLED_BYTES or self._rounds >= SETTLE_ROUNDS

        def flushed() -> None:
            if self.move.state is LogDirMoveState.SETTLING:
                self.feed(MoveInput.SETTLED if enough else MoveInput.CAUGHT)
            else:
                self.pump()  # The metadata was changed back meanwhile.

        self._flush(flushed)

    def _on_bad(self, bad: BadBatch) -> None:
        """A batch is not well. A cut of the source explains it: then the next step aligns."""
        self._bad += 1
        if self._bad < BAD_MAX:
            self.feed(MoveInput.COPIED)
        elif bad.in_source:
            self.damage = bad.why
            self.feed(MoveInput.DAMAGED)
        else:
            self._give_up(f"what is read changes from one time to the next: {bad.why}")

    def _flush(self, then: Callable[[], None]) -> None:
        """Put the future log on the medium, then go on: the swap shall have little left to do."""
        if not self._dirty:
            then()
            return
        self.busy, self._dirty = True, False

        def flushed(result: Failure | None) -> None:
            if not self._is_over() and not self._failed(result):
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
            pause = RETRY_BLOCKED if move.state is LogDirMoveState.DRAINING else RETRY
            self._pump_at(self._out.now + pause)
        else:
            self._give_up(str(result))
        return True

    def _give_up(self, why: str) -> None:
        self._out.say("warning", "move is given up", partition=str(self.move.name), reason=why)
        self.feed(MoveInput.STUCK)

    # --- the swap ---------------------------------------------------------------------------

    def _assign(self) -> None:
        if self._world.is_told(self):
            self.feed(MoveInput.ASSIGNED)
        else:
            self._world.correct(self.move.id)

    def _settle(self) -> None:
        self.pump()

    def _freeze(self) -> None:
        self._rounds, self._frozen_at = 0, self._out.now

        def frozen() -> None:
            if self.move.state is LogDirMoveState.FREEZING:
                self.feed(MoveInput.FROZEN)

        if self._serves():
            self._world.replicas.freeze(self.move.id, frozen)

    def _thaw(self) -> None:
        self._world.on_blocked(self._out.now - self._frozen_at)
        self._world.replicas.thaw(self.move.id, self.move.source, None)

    def _finish(self) -> None:
        self._world.on_blocked(self._out.now - self._frozen_at)
        self._world.on_promoted(self, self._promoted)

    def _discard(self) -> None:
        move = self.move
        job = Discard(move.source, move.current_key, "delete", self._out.new_id().hex)

        def discarded(result: str | Failure) -> None:
            if isinstance(result, str):
                self.discarded = result
                if move.ended:
                    self._world.on_source_renamed(self, result)
                else:
                    self.feed(MoveInput.DISCARDED)
                return
            if isinstance(result, DiskFailed):
                self._world.on_disk_failed(result)
            if move.state is LogDirMoveState.RESTORING:
                self.feed(MoveInput.RESTORED)  # It never lost its name.
            elif move.state is LogDirMoveState.DISCARDING:
                self._give_up(str(result))

        self._out.run(job, discarded)

    def _promote(self) -> None:
        move = self.move

        def promoted(result: LoadedLog | Failure) -> None:
            if move.ended:
                return
            if isinstance(result, LoadedLog):
                self._promoted = result
                self.feed(MoveInput.PROMOTED)
                return
            if isinstance(result, DiskFailed):
                self._world.on_disk_failed(result)
            # A failed target has made it restore the source already.
            if move.state is LogDirMoveState.PROMOTING:
                self._give_up(str(result))

        self._out.run(Promote(move.target, move.future_key), promoted)

    def _restore(self) -> None:
        move = self.move
        if self.discarded is None:
            self.feed(MoveInput.SOURCE_FAILED)  # It died first: there is no name to give back.
            return

        def restored(result: LoadedLog | Failure) -> None:
            if isinstance(result, DiskFailed):
                self._world.on_disk_failed(result)
            if move.ended:
                return
            if isinstance(result, Failure):
                self._give_up(str(result))
            else:
                self.discarded = None
                self.feed(MoveInput.RESTORED)

        self._out.run(Restore(move.source, move.current_key, self.discarded), restored)

    def _nothing(self) -> None:
        """`again` and `damage` are remembered; whoever made this move looks when it ends."""

    _effects: Final[dict[MoveEffect, Callable[[LogDirMoveTask], None]]] = {
        MoveEffect.COPY: pump,
        MoveEffect.ASSIGN: _assign,
        MoveEffect.SETTLE: _settle,
        MoveEffect.FREEZE: _freeze,
        MoveEffect.THAW: _thaw,
        MoveEffect.DISCARD: _discard,
        MoveEffect.PROMOTE: _promote,
        MoveEffect.FINISH: _finish,
        MoveEffect.DROP_FUTURE: lambda run: run._world.drop_future(run),
        MoveEffect.KEEP_FUTURE: lambda run: run._world.keep_future(run),
        MoveEffect.DROP_TARGET: lambda run: run._world.drop_current(run, run.move.target),
        MoveEffect.CORRECT: lambda run: run._world.correct(run.move.id),
        MoveEffect.DROP_SOURCE: lambda run: run._world.drop_current(run, run.move.source),
        MoveEffect.RESTORE: _restore,
        MoveEffect.STRAND: lambda run: run._world.on_stranded(run),
        MoveEffect.AGAIN: _nothing,
        MoveEffect.REPORT: _nothing,
    }
