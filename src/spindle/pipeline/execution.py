"""Decides what an execution of a plan does next: what starts, what is over, what is taken back.

A machine without I/O or clock: its input is what the cluster shows (`on_look`), at a time in s, and
answers with effects. Moves start as soon as the limits and the room in their directory allow, the
most useful first; a directory that cannot hold all that comes takes it in the plan's waves. After
each wave it asks for a census; where sizes have changed it wants a new plan of what is left.
Idempotent: what is where it should be already is done, what is on its way is followed. So an
execution that was killed goes on by starting again. Called by the commands; knows no Spark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Final

from spindle.client.results import ReplicaLogDirs
from spindle.model.ids import TopicPartition
from spindle.pipeline.directory_rooms import BusyHands, DirectoryRooms, turns
from spindle.pipeline.execution_values import (
    ClusterLook,
    Count,
    Effect,
    ExecutionProgress,
    ExecutionRules,
    Halt,
    Phase,
    Place,
    PlanOutcome,
    Start,
    TakeBack,
)
from spindle.pipeline.harm import HarmWatch
from spindle.pipeline.move_tasks import MoveTask, MoveTasks
from spindle.planning.load import PlannedMove
from spindle.planning.schedule import WaveLimits

STALL_SECONDS: Final = 120.0
"""A move that copies nothing for this long is given up and taken back."""
STILL_SECONDS: Final = 5.0
"""A replica that no look has shown there, or on its way, for this long has failed."""
ROOM_SECONDS: Final = 120.0
"""How long moves wait for room, with nothing under way: brokers delete what has moved away a
minute later (60 s)."""
BACK_SECONDS: Final = 30.0
"""How long it may take until a move that is taken back is gone."""
NOT_BACK: Final = "it could not be cancelled and continues in the cluster"
DRIFT_MIN_BYTES: Final = 64 << 10
"""Changes smaller than this are no reason for a new plan."""


class Execution:
    """One plan on its way. Inputs are the methods `on_...`, which return effects."""

    def __init__(
        self, waves: Sequence[Sequence[PlannedMove]], rules: ExecutionRules, now: float
    ) -> None:
        self._tasks = MoveTasks(waves)
        self._rooms = DirectoryRooms(rules)
        self._limits = rules.limits
        self._began = now
        self._seen = False
        self._counted = 0
        """Waves after which a census has been taken, or which have none after them."""
        self._harm = HarmWatch(rules.known)
        for broker, why in self._harm.stopped.items():
            self._taken_back(self._tasks.of_broker(broker), now, why)
        self._cancelled = self._paused = False
        self._since = now
        """When something was under way last."""
        self.replanned = 0

    # -- what there is to ask -----------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether every move has an end."""
        return not self._tasks.open

    @property
    def watched(self) -> list[PlannedMove]:
        """The moves that the next look must show: at first all, then those under way."""
        tasks = self._tasks.under_way if self._seen else self._tasks.open
        return [t.move for t in tasks]

    @property
    def waves(self) -> tuple[tuple[PlannedMove, ...], ...]:
        """The plan that is in force, what is done and under way included."""
        return self._tasks.waves

    @property
    def running(self) -> tuple[PlannedMove, ...]:
        """What is under way."""
        return tuple(t.move for t in self._tasks.under_way)

    @property
    def places(self) -> frozenset[Place]:
        """The directories that moves not ended come from and go to."""
        return frozenset(place for t in self._tasks.open for place in (t.source, t.target))

    def progress(self, now: float) -> ExecutionProgress:
        """Bytes and moves so far."""
        return self._tasks.progress(now - self._began)

    def outcome(self, now: float) -> PlanOutcome:
        """What became of each move."""
        outcome = self._tasks.outcome(now - self._began, self.replanned)
        return replace(outcome, halted=dict(self._harm.stopped))

    # -- inputs -------------------------------------------------------------------------------

    def follow(self, now: float, look: ClusterLook) -> None:
        """The cluster shows this now. For `watch`: the machine decides nothing."""
        self._pass_over(look)
        for task in self._tasks.open:
            self._follow(task, now, look)

    def on_look(self, now: float, look: ClusterLook) -> list[Effect]:
        """The cluster shows this now; returns the effects that follow."""
        effects: list[Effect] = []
        first, self._seen = not self._seen, True
        if first:
            self._pass_over(look)
        for task in self._tasks.open if first else self._tasks.under_way:
            self._follow(task, now, look)
        effects += self._stop(now, look)
        starts = not (self._cancelled or self._paused)
        counting = starts and self._wave_is_over()
        if counting:
            effects.append(Count())  # What it finds may change what starts.
        elif starts and (starting := self._start(now, look)):
            effects.append(Start(starting))
        if self._paused or counting or self._rooms.is_any_resting(now) or self._tasks.under_way:
            self._since = now
        elif self._tasks.waiting and now - self._since > ROOM_SECONDS:
            self._without_room(look)
        return effects

    def on_refused(self, move: PlannedMove, why: str) -> None:
        """The cluster does not start a move."""
        for task in self._tasks.under_way:
            if task.move == move:
                self._end(task, Phase.FAILED, why)

    def on_gone(self, name: TopicPartition) -> None:
        """A partition was deleted: nothing is left to move, and nothing has failed."""
        for task in self._tasks.of_partition.get(name, ()):
            if task.has_no_end:
                self._end(task, Phase.GONE)

    def on_census(self, used: Mapping[Place, int], open_: frozenset[Place]) -> bool:
        """Bytes of replicas in all directories, and which take replicas: whether to plan again."""
        waiting = self._tasks.waiting
        shut = any(task.target not in open_ for task in waiting)
        return bool(waiting) and (
            shut or self._rooms.has_drifted(used, self._tasks.under_way, DRIFT_MIN_BYTES)
        )

    def on_replanned(
        self, waves: Sequence[Sequence[PlannedMove]], used: Mapping[Place, int]
    ) -> None:
        """A new plan for what has not begun; what is under way stays.

        Its moves from and to brokers that were stopped are left out.
        """
        self._counted = 0
        stopped = self._harm.stopped
        self._tasks.replace_waiting(
            [[m for m in wave if not {m.broker, m.to} & stopped.keys()] for wave in waves]
        )
        self._rooms.on_counted(used)
        self.replanned += 1

    def on_cancel(self, now: float) -> list[Effect]:
        """The run ends: no move starts any more, and those in progress are cancelled."""
        self._cancelled = True
        back = self._taken_back(self._tasks.open, now, "the run ended first")
        return [TakeBack(back)] if back else []

    def on_pace(self, limits: WaveLimits, disk_rate: float | None, paused: bool) -> None:
        """Other limits from now on; while it is paused nothing starts, and what moves goes on."""
        self._limits, self._paused = limits, paused
        self._rooms.on_rate(disk_rate)

    # -- following ----------------------------------------------------------------------------

    def _pass_over(self, look: ClusterLook) -> None:
        for step in self._tasks.passed_over(look):
            step.before = True
            self._end(step, Phase.DONE)

    def _follow(self, task: MoveTask, now: float, look: ClusterLook) -> None:
        if task.partition in look.gone:
            self._end(task, Phase.GONE)
            return
        if self._tasks.has_predecessor(task):
            return
        if task.phase is Phase.BACK and task.is_unassigned(look):
            self._end(task, Phase.STOPPED, task.why)
            return
        place = task.place_in(look)
        if place is None:
            return  # A broker that is away for a moment: the limits decide.
        moving = task.is_moving(place, look)
        if task.is_there(place) and not moving and task.is_assigned(look):
            task.before = task.phase is Phase.WAITING
            self._end(task, Phase.DONE)
        elif moving:
            task.note(now, place)
        elif task.phase is Phase.BACK:
            self._end(task, Phase.STOPPED, task.why)
        elif task.phase is Phase.RUNNING:
            if task.still is None:
                task.still = now
            if now - task.still > STILL_SECONDS:
                self._end(task, Phase.FAILED, _not_moving(place))

    def _stop(self, now: float, look: ClusterLook) -> list[Effect]:
        """Give up the moves that make no progress, and all moves of brokers that are harmed."""
        back: list[PlannedMove] = []
        harmed: dict[int, str] = {}
        for task in self._tasks.under_way:
            why = _given_up(task, now, look.silent)
            if why is None:
                continue
            if task.phase is Phase.RUNNING:
                back.append(task.move)
                cause = f"{task.move.name}, going to {task.move.target}: {why}"
                if self._harm.stop(task.move.to, cause):
                    harmed[task.move.to] = cause
            self._end(task, Phase.FAILED, why)
        own = {t.partition for t in self._tasks.all if t.move.between}
        harmed |= self._harm.on_look(now, look, own)
        for broker in harmed:
            stopped = f"the moves of broker {broker} were stopped"
            back += self._taken_back(self._tasks.of_broker(broker), now, stopped)
        takes: list[Effect] = [TakeBack(tuple(back))] if back else []
        return [*(Halt(broker, why) for broker, why in harmed.items()), *takes]

    def _taken_back(
        self, tasks: Sequence[MoveTask], now: float, why: str
    ) -> tuple[PlannedMove, ...]:
        """End what waits; what is to be taken back of these tasks."""
        back = [task for task in tasks if task.phase is Phase.RUNNING]
        for task in tasks:
            if task.phase is Phase.WAITING:
                self._end(task, Phase.STOPPED, f"not started: {why}")
        for task in back:
            task.phase, task.changed, task.why = Phase.BACK, now, f"cancelled: {why}"
        return tuple(task.move for task in back)

    def _end(self, task: MoveTask, phase: Phase, why: str = "") -> None:
        task.phase, task.why, task.inside = phase, why, 0
        if phase is Phase.DONE:
            self._rooms.on_moved(task)

    # -- starting -----------------------------------------------------------------------------

    def _start(self, now: float, look: ClusterLook) -> tuple[PlannedMove, ...]:
        """Start the moves that may, the most useful first: those from the fullest source."""
        waiting = self._tasks.waiting
        if not waiting:
            return ()
        running = self._tasks.under_way
        hands = BusyHands(self._limits, running)
        room = self._rooms.left(look, running)
        due = turns(waiting, room)
        begun = []
        for task in sorted(waiting, key=self._rooms.benefit):
            fits = room.get(task.target, task.size) >= task.size
            in_turn = due.get(task.target, task.wave) >= task.wave
            ready = fits and in_turn and self._rooms.is_rested(task, now) and hands.free_for(task)
            silent = not look.silent.isdisjoint((task.move.broker, task.move.to))
            if not ready or silent or self._tasks.has_predecessor(task):
                continue
            hands.take(task)
            self._rooms.tire(task, now)
            if task.target in room:
                room[task.target] -= task.size
            task.phase, task.changed, task.still = Phase.RUNNING, now, None
            begun.append(task.move)
        return tuple(begun)

    def _without_room(self, look: ClusterLook) -> None:
        room = self._rooms.left(look, self._tasks.under_way)
        for task in self._tasks.waiting:
            left = room.get(task.target, task.size)
            if left < task.size:
                why = f"{task.move.target} has room for {max(0, left)} bytes, not for {task.size}"
                self._end(task, Phase.FAILED, why)

    def _wave_is_over(self) -> bool:
        """Whether a wave has ended since the last census, and another waits."""
        if not self._tasks.waiting:
            return False
        ended = min(t.wave for t in self._tasks.open)
        if ended <= self._counted:
            return False
        self._counted = ended
        return True


def _given_up(task: MoveTask, now: float, silent: Set[int]) -> str | None:
    """Why a move that is under way has no hope; None where it has."""
    if task.phase is Phase.BACK:
        if task.move.to in silent and not task.move.between:
            return (
                f"it could not be cancelled: broker {task.move.to} gives no answer, and may go on "
                f"to {task.move.target} once it does"
            )
        return NOT_BACK if now - task.changed > BACK_SECONDS else None
    if task.whole is not None and now - task.whole > STALL_SECONDS:
        return f"copied whole, but the broker has not put it in place for {STALL_SECONDS:g} s"
    if now - task.changed > STALL_SECONDS:
        return f"nothing was copied for {STALL_SECONDS:g} s"
    return None


def _not_moving(place: ReplicaLogDirs) -> str:
    if place.current is not None:
        return f"it is in {place.current} and is not moving"
    dead = ", ".join(place.offline_dirs)
    return "no readable directory of the broker has it" + (f"; offline: {dead}" if dead else "")
