"""One move between log directories, carried out: its table's effects become jobs, answers inputs.

Copies in pieces, has the controller told, swaps (KIP-113, KIP-858; order and safety are those of
`core.logdirs.move`). Knows one replica. `alter_log_dirs_manager` makes and schedules it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from spindle.core.logdirs.events import ReplicaChanged
from spindle.core.logdirs.move import LogDirMove, LogDirMoveState, MoveEffect, MoveInput
from spindle.core.logdirs.yielding import Yielding
from spindle.model.copying_jobs import (
    BadBatch,
    CopyMark,
    CopyProgress,
)
from spindle.model.errors import DiskFailed, Failure, LogFailed
from spindle.model.ids import LogDir
from spindle.model.jobs import (
    CreateLog,
    Discard,
    Flush,
    Promote,
    Restore,
)
from spindle.model.log_values import LoadedLog
from spindle.model.outbox import Timer
from spindle.node.logdirs.copy_step import copy_step
from spindle.node.logdirs.move_tools import MoveTools
from spindle.node.logdirs.placement_registry import Stage

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

    def pump(self) -> None:
        """Copy the next piece, if it is time for one."""
        move = self._move
        if (
            self.busy
            or self._tools.directories.closing
            or not move.follows
            or not self._tools.serves(move)
        ):
            return
        move.share = self._share()
        granted = want = int(PIECE * move.share)  # Steps are short, however long it rests in them.
        if move.state is not LogDirMoveState.DRAINING:
            throttles, now, disks = self._tools.throttles, self._tools.out.now, self._disks
            granted = throttles.take(now, want, disks)
            if granted == 0:
                self._pump_at(throttles.ready_at(now, want, disks))
                return
        self.busy = True
        copy_step(
            self._tools.out,
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
        if self._move.state is not LogDirMoveState.COPYING:
            return 1.0
        serving = self._tools.out.now - self._tools.replicas.served_at < SERVING
        return self._yielding.share(self._tools.share, serving)

    @property
    def _disks(self) -> tuple[LogDir, LogDir]:
        return self._move.source, self._move.target

    def _pump_at(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._tools.out.at(when, self.pump)

    def _on_copied(self, granted: int, throttled: bool, result: CopyProgress | Failure) -> None:
        used = result.copied if isinstance(result, CopyProgress) else 0
        if throttled:
            self._tools.throttles.settle(granted, used, self._disks, self._tools.out.now)
        self._tools.figures.copied(self._tools.out.now, self._move, used)
        if isinstance(result, CopyProgress):
            self._move.end, self._move.size = result.end, result.size
            self._yielding.on_copied(used, self._tools.left(self._move))
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
                self.pump()  # The metadata was changed back meanwhile.

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
        """Put the future log on the medium, then go on: the swap shall have little left to do."""
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
        """Appends are about to be blocked; should they not stay so, all is counted anew."""
        self._tries.rounds = 0


class LogDirSwap:
    """The end of a move: appends are blocked, the two logs are renamed, appends go on."""

    def __init__(
        self, tools: MoveTools, move: LogDirMove, feed: Feed, give_up: Callable[[str], None]
    ) -> None:
        self._tools = tools
        self._move = move
        self._feed = feed
        self._give_up = give_up
        self.discarded: str | None = None
        """The name that the source was given."""
        self._promoted: LoadedLog | None = None
        self._frozen_at = 0.0

    def freeze(self) -> None:
        """Block appends, once no write is under way."""
        self._frozen_at = self._tools.out.now

        def frozen() -> None:
            if self._move.state is LogDirMoveState.FREEZING:
                self._feed(MoveInput.FROZEN)

        if self._tools.serves(self._move):
            self._tools.replicas.freeze(self._move.id, frozen)

    def thaw(self) -> None:
        """Appends go on, in the source."""
        self._tools.figures.blocked.add(self._tools.out.now - self._frozen_at)
        self._tools.replicas.thaw(self._move.id, self._move.source, None)

    def finish(self) -> None:
        """Serve from the target; the renamed source goes after a while (K113-04)."""
        tools, move, log = self._tools, self._move, self._promoted
        assert log is not None, "the future log has its plain name"
        tools.figures.blocked.add(tools.out.now - self._frozen_at)
        place = tools.places.all[move.id]
        place.directory, place.stage, place.why = move.target, Stage.READY, ""
        tools.out.say("info", "move is done", partition=str(move.name), directory=move.target)
        if tools.serves(move):
            tools.replicas.thaw(move.id, move.target, log)
        else:
            # The source has failed during the swap; what was committed in it is committed here.
            before = tools.replicas.find(move.id)
            if before is not None:
                log = replace(log, stable=max(log.stable, before.partition.high_watermark))
            tools.replicas.on_log_ready(move.id, move.name, move.target, log)
        if self.discarded is not None:
            tools.purging.later(move.source, self.discarded)

    def strand(self) -> None:
        """The renamed source is all there is: it is kept for the operator."""
        place = self._tools.places.all[self._move.id]
        why = f"{self._move.target} failed while its log was moved there"
        self._tools.places.fail(place, why)
        if self.discarded is not None:
            self._on_source_renamed(self.discarded)

    def _on_source_renamed(self, name: str) -> None:
        """The source has its `-delete` name, but the move has ended."""
        move = self._move
        if move.id not in self._tools.places.all:
            self._tools.purging.later(move.source, name)
            return
        self._tools.out.say(
            "error",
            "the only copy of a replica has been renamed: stop this broker, restore the name",
            directory=move.source,
            name=name,
            partition=str(move.name),
        )

    def discard(self) -> None:
        """Give the source its `-delete` name."""
        move = self._move
        job = Discard(move.source, move.current_key, "delete", self._tools.out.new_id().hex)

        def discarded(result: str | Failure) -> None:
            if isinstance(result, str):
                self.discarded = result
                if move.ended:
                    self._on_source_renamed(result)
                else:
                    self._feed(MoveInput.DISCARDED)
                return
            if isinstance(result, DiskFailed):
                self._tools.directories.on_disk_failed(result)
            if move.state is LogDirMoveState.RESTORING:
                self._feed(MoveInput.RESTORED)  # It never lost its name.
            elif move.state is LogDirMoveState.DISCARDING:
                self._give_up(str(result))

        self._tools.out.run(job, discarded)

    def promote(self) -> None:
        """Give the future log the plain name."""
        move = self._move

        def promoted(result: LoadedLog | Failure) -> None:
            if move.ended:
                return
            if isinstance(result, LoadedLog):
                self._promoted = result
                self._feed(MoveInput.PROMOTED)
                return
            if isinstance(result, DiskFailed):
                self._tools.directories.on_disk_failed(result)
            # A failed target has made it restore the source already.
            if move.state is LogDirMoveState.PROMOTING:
                self._give_up(str(result))

        self._tools.out.run(Promote(move.target, move.future_key), promoted)

    def restore(self) -> None:
        """Give the source its plain name back."""
        move = self._move
        if self.discarded is None:
            self._feed(MoveInput.SOURCE_FAILED)  # It died first: there is no name to give back.
            return

        def restored(result: LoadedLog | Failure) -> None:
            if isinstance(result, DiskFailed):
                self._tools.directories.on_disk_failed(result)
            if move.ended:
                return
            if isinstance(result, Failure):
                self._give_up(str(result))
            else:
                self.discarded = None
                self._feed(MoveInput.RESTORED)

        self._tools.out.run(Restore(move.source, move.current_key, self.discarded), restored)


class LogDirMoveTask:
    """A move under way."""

    def __init__(
        self, tools: MoveTools, move: LogDirMove, told: Callable[[MoveEvent], None]
    ) -> None:
        self._tools = tools
        self._told = told
        self.move = move
        self.again: LogDir | None = None
        """Where to go next, when this is over."""
        self.leader_epoch = -1
        self.in_doubt = False
        """The controller was told of the target, and no image shows yet what came of it."""
        self.copier = FutureLogCopier(tools, move, self.feed, self._on_idle)
        self.swap = LogDirSwap(tools, move, self.feed, self.copier.give_up)

    def feed(self, happened: MoveInput) -> None:
        """Something has happened to this move."""
        for effect in self.move.feed(happened):
            self._effects[effect](self)
        if self.move.ended:
            self.copier.stop()
        self._told(MoveStepped(self, happened))

    def _on_idle(self) -> None:
        self._told(MoveIdle(self))

    def _assign(self) -> None:
        if self._tools.is_told(self.move):
            self.feed(MoveInput.ASSIGNED)
        else:
            self._correct()

    def _correct(self) -> None:
        self._tools.post(ReplicaChanged(self.move.id))

    def _freeze(self) -> None:
        self.copier.on_swap()
        self.swap.freeze()

    def _drop_future(self) -> None:
        self._tools.purging.discard(self.move.target, self.move.future_key)

    def _drop_current(self, path: LogDir) -> None:
        self._tools.purging.discard(path, self.move.current_key)

    def _nothing(self) -> None:
        """`again` and `damage` are remembered; whoever made this move looks when it ends."""

    _effects: Final[dict[MoveEffect, Callable[[LogDirMoveTask], None]]] = {
        MoveEffect.COPY: lambda task: task.copier.pump(),
        MoveEffect.ASSIGN: _assign,
        MoveEffect.SETTLE: lambda task: task.copier.pump(),
        MoveEffect.FREEZE: _freeze,
        MoveEffect.THAW: lambda task: task.swap.thaw(),
        MoveEffect.DISCARD: lambda task: task.swap.discard(),
        MoveEffect.PROMOTE: lambda task: task.swap.promote(),
        MoveEffect.FINISH: lambda task: task.swap.finish(),
        MoveEffect.DROP_FUTURE: _drop_future,
        MoveEffect.KEEP_FUTURE: lambda task: task._told(CopyGivenUp(task)),
        MoveEffect.DROP_TARGET: lambda task: task._drop_current(task.move.target),
        MoveEffect.CORRECT: _correct,
        MoveEffect.DROP_SOURCE: lambda task: task._drop_current(task.move.source),
        MoveEffect.RESTORE: lambda task: task.swap.restore(),
        MoveEffect.STRAND: lambda task: task.swap.strand(),
        MoveEffect.AGAIN: _nothing,
        MoveEffect.REPORT: _nothing,
    }


class MoveStepped(NamedTuple):
    """A move has changed its state, or ended."""

    task: LogDirMoveTask
    happened: MoveInput


class MoveIdle(NamedTuple):
    """A move had ended, and its last job on the future log has come back now."""

    task: LogDirMoveTask


class CopyGivenUp(NamedTuple):
    """A move ends, and its future log is to be set aside as soon as it may be touched."""

    task: LogDirMoveTask


MoveEvent: TypeAlias = MoveStepped | MoveIdle | CopyGivenUp
