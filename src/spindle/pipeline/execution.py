"""Decides what an execution of a plan does next: what starts, what is over, what is taken back.

A machine without I/O or clock: its input is what the cluster shows (`on_look`), at a time in s, and
answers with effects. Moves start as soon as the limits and the room in their directory allow, the
most useful first; a directory that cannot hold all that comes takes it in the plan's waves. After
each wave it asks for a census; where sizes have changed it wants a new plan of what is left.
Idempotent: what is where it should be already is done, what is on its way is followed. So an
execution that was killed goes on by starting again. Called by the commands; knows no Spark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from spindle.client.results import ReplicaLogDirs
from spindle.model.ids import TopicPartition
from spindle.pipeline.execution_values import (
    ClusterLook,
    Count,
    Effect,
    ExecutionProgress,
    ExecutionRules,
    Phase,
    Place,
    PlanOutcome,
    Start,
    TakeBack,
    replica_of,
)
from spindle.planning.load import PlannedMove
from spindle.planning.schedule import WaveLimits

STALL_SECONDS: Final = 120.0
"""A move that copies nothing for this long is given up and taken back."""
STILL_SECONDS: Final = 5.0
"""A replica that is neither there nor on its way for this long is not going to be."""
ROOM_SECONDS: Final = 120.0
"""How long moves wait for room, with nothing under way: brokers delete what has moved away a
minute later (60 s)."""
BACK_SECONDS: Final = 30.0
"""How long it may take until a move that is taken back is gone."""
NOT_BACK: Final = "it could not be cancelled and continues in the cluster"
DRIFT_MIN_BYTES: Final = 64 << 10
"""Changes smaller than this are no reason for a new plan."""


@dataclass(slots=True)
class _Task:
    move: PlannedMove
    wave: int
    size: int
    phase: Phase = Phase.WAITING
    why: str = ""
    before: bool = False
    """It was where it should be before this execution began."""
    inside: int = 0
    changed: float = 0.0
    """When the last byte came."""
    still: float | None = None
    """Since when it is not to be seen on its way."""

    @property
    def source(self) -> Place:
        return self.move.broker, self.move.source

    @property
    def target(self) -> Place:
        return self.move.to, self.move.target

    @property
    def partition(self) -> TopicPartition:
        return TopicPartition(self.move.topic, self.move.partition)

    @property
    def under_way(self) -> bool:
        return self.phase in (Phase.RUNNING, Phase.BACK)


class Execution:
    """One plan on its way. Inputs are `on_...`, effects come back from them."""

    def __init__(
        self, waves: Sequence[Sequence[PlannedMove]], rules: ExecutionRules, now: float
    ) -> None:
        self._tasks = [_Task(m, n, m.size) for n, wave in enumerate(waves) for m in wave]
        self._of = _by_partition(self._tasks)
        self._rules = rules
        self._began = now
        self._used = {place: room.used for place, room in rules.rooms.items()}
        self._seen = False
        self._counted = 0
        """Waves after which a census has been taken, or which have none after them."""
        self._cancelled = False
        self._since = now
        """When something was under way last."""
        self._rested: dict[Place, float] = {}
        """When a directory has rested enough from its moves so far, by its rate."""
        self.replanned = 0

    # -- what there is to ask -----------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether every move has an end."""
        return not any(t.under_way or t.phase is Phase.WAITING for t in self._tasks)

    @property
    def watched(self) -> list[PlannedMove]:
        """The moves that the next look must show: at first all, then those under way."""
        every = not self._seen
        return [t.move for t in self._tasks if t.under_way or (every and t.phase is Phase.WAITING)]

    @property
    def waves(self) -> tuple[tuple[PlannedMove, ...], ...]:
        """The plan that is in force, what is done and under way included."""
        numbers = sorted({t.wave for t in self._tasks})
        return tuple(tuple(t.move for t in self._tasks if t.wave == n) for n in numbers)

    @property
    def running(self) -> tuple[PlannedMove, ...]:
        """What is under way."""
        return tuple(t.move for t in self._tasks if t.under_way)

    @property
    def places(self) -> frozenset[Place]:
        """The directories that moves not ended come from and go to."""
        open_ = [t for t in self._tasks if t.under_way or t.phase is Phase.WAITING]
        return frozenset(place for t in open_ for place in (t.source, t.target))

    def progress(self, now: float) -> ExecutionProgress:
        """Bytes and moves so far."""
        disks: dict[str, tuple[int, int]] = {}
        for task in self._tasks:
            if task.phase is Phase.GONE:
                continue
            name = f"broker {task.target[0]} {task.target[1]}"
            done, total = disks.get(name, (0, 0))
            copied = task.size if task.phase is Phase.DONE else min(task.inside, task.size)
            disks[name] = done + copied, total + task.size
        return ExecutionProgress(
            sum(t.phase is Phase.DONE for t in self._tasks),
            len(self._tasks),
            sum(done for done, _ in disks.values()),
            sum(total for _, total in disks.values()),
            now - self._began,
            dict(sorted(disks.items())),
        )

    def outcome(self, now: float) -> PlanOutcome:
        """What became of each move."""
        done = tuple(t.move for t in self._tasks if t.phase is Phase.DONE)
        others = [t for t in self._tasks if t.phase not in (Phase.DONE, Phase.GONE)]
        failed = tuple((t.move, t.why or t.phase.value) for t in others)
        there = tuple(t.move for t in self._tasks if t.phase is Phase.DONE and t.before)
        gone = tuple(t.move for t in self._tasks if t.phase is Phase.GONE)
        return PlanOutcome(done, failed, now - self._began, self.replanned, there=there, gone=gone)

    # -- inputs -------------------------------------------------------------------------------

    def follow(self, now: float, look: ClusterLook) -> None:
        """What the cluster shows now, for `watch`: nothing is decided."""
        self._pass_over(look)
        for task in self._tasks:
            if task.under_way or task.phase is Phase.WAITING:
                self._follow(task, now, look)

    def on_look(self, now: float, look: ClusterLook) -> list[Effect]:
        """What the cluster shows now; the effects that follow from it."""
        effects: list[Effect] = []
        first, self._seen = not self._seen, True
        if first:
            self._pass_over(look)
        for task in self._tasks:
            if task.under_way or (first and task.phase is Phase.WAITING):
                self._follow(task, now, look)
        stalled = self._stalled(now)
        if stalled:
            effects.append(TakeBack(stalled))
        counting = not self._cancelled and self._wave_is_over()
        if counting:
            effects.append(Count())  # What it finds may change what starts.
        elif not self._cancelled and (starting := self._start(now, look)):
            effects.append(Start(starting))
        resting = any(at > now for at in self._rested.values())
        if counting or resting or any(t.under_way for t in self._tasks):
            self._since = now
        elif self._waiting() and now - self._since > ROOM_SECONDS:
            self._without_room(look)
        return effects

    def on_refused(self, move: PlannedMove, why: str) -> None:
        """The cluster does not start a move."""
        for task in self._tasks:
            if task.move == move and task.under_way:
                self._end(task, Phase.FAILED, why)

    def on_gone(self, name: TopicPartition) -> None:
        """A partition was deleted: nothing is left to move, and nothing has failed."""
        for task in self._of.get(name, ()):
            if task.under_way or task.phase is Phase.WAITING:
                self._end(task, Phase.GONE)

    def on_census(self, used: Mapping[Place, int], open_: frozenset[Place]) -> bool:
        """Bytes of replicas in all directories, and which take replicas: whether to plan again."""
        coming = Counter[Place]()
        for task in self._tasks:
            # Between brokers what is coming counts as a replica already; within one it does not.
            if task.under_way and task.move.between:
                coming[task.target] += min(task.inside, task.size)
        mean = sum(used.values()) / max(1, len(used))
        limit = max(self._rules.drift * mean, DRIFT_MIN_BYTES)
        drifted = any(
            abs(used[place] - coming[place] - expected) > limit
            for place, expected in self._used.items()
            if place in used
        )
        shut = any(task.target not in open_ for task in self._waiting())
        return bool(self._waiting()) and (drifted or shut)

    def on_replanned(
        self, waves: Sequence[Sequence[PlannedMove]], used: Mapping[Place, int]
    ) -> None:
        """A new plan for what has not begun; what is under way stays."""
        kept = [t for t in self._tasks if t.phase is not Phase.WAITING]
        self._counted = 0
        for task in kept:
            task.wave = -1
        fresh = [_Task(m, n, m.size) for n, wave in enumerate(waves) for m in wave]
        self._tasks = [*kept, *fresh]
        self._of = _by_partition(self._tasks)
        self._used |= {place: size for place, size in used.items() if place in self._used}
        self.replanned += 1

    def on_cancel(self, now: float) -> list[Effect]:
        """End it: nothing starts any more, and the moves in progress are cancelled."""
        self._cancelled = True
        for task in self._waiting():
            self._end(task, Phase.STOPPED, "not started: the run ended first")
        back = [t for t in self._tasks if t.phase is Phase.RUNNING]
        for task in back:
            task.phase, task.changed = Phase.BACK, now
        return [TakeBack(tuple(t.move for t in back))] if back else []

    # -- following ----------------------------------------------------------------------------

    def _follow(self, task: _Task, now: float, look: ClusterLook) -> None:
        if task.partition in look.gone:
            self._end(task, Phase.GONE)
            return
        if task.phase is Phase.WAITING and self._has_predecessor(task):
            return
        place = look.places.get(replica_of(task.move))
        if place is None or isinstance(place, Exception):
            return  # A broker that is away for a moment: the stall limit decides.
        moving = self._is_moving(task, place, look)
        there = place.current == task.move.target and place.future is None
        if there and not moving and self._is_assigned(task, look):
            task.before = task.phase is Phase.WAITING
            self._end(task, Phase.DONE)
        elif moving:
            self._note(task, now, place)
        elif task.phase is Phase.BACK:
            self._end(task, Phase.STOPPED, "cancelled: the run ended first")
        elif task.phase is Phase.RUNNING:
            if task.still is None:
                task.still = now
            if now - task.still > STILL_SECONDS:
                self._end(task, Phase.FAILED, _not_moving(place))

    def _pass_over(self, look: ClusterLook) -> None:
        """Of a replica that moves on and on, what came before the step that it is at is done.

        An execution that was killed has left it there. A replica that comes back to where it was
        tells nothing of that.
        """
        for tasks in self._of.values():
            for at, task in enumerate(tasks):
                steps = _steps_to(tasks[:at], task)
                back = any(step.source == task.target for step in steps)
                if steps and not back and self._is_begun(task, look):
                    for step in steps:
                        step.before = True
                        self._end(step, Phase.DONE)

    def _is_begun(self, task: _Task, look: ClusterLook) -> bool:
        """Whether a replica is where a move takes it, or on its way there and to nowhere else."""
        place = look.places.get(replica_of(task.move))
        if task.phase is not Phase.WAITING or place is None or isinstance(place, Exception):
            return False
        if task.move.between and task.move.to not in look.assigned.get(task.partition, ()):
            return False
        there = place.current == task.move.target and place.future is None
        return there or self._is_moving(task, place, look)

    def _is_moving(self, task: _Task, place: ReplicaLogDirs, look: ClusterLook) -> bool:
        if task.move.between:
            # What a reassignment has brought is not a copy yet while it is out of the ISR.
            synced = task.move.to in look.in_sync.get(task.partition, ())
            late = self._is_assigned(task, look) and not synced
            return late or task.partition in look.reassigning
        return place.future == task.move.target

    def _is_assigned(self, task: _Task, look: ClusterLook) -> bool:
        if not task.move.between:
            return True
        brokers = look.assigned.get(task.partition, ())
        return task.move.to in brokers and task.move.broker not in brokers

    def _note(self, task: _Task, now: float, place: ReplicaLogDirs) -> None:
        copied = place.current_size if task.move.between else place.future_size
        if not task.move.between:
            task.size = max(task.size, place.current_size)
        if task.phase is Phase.WAITING:
            task.phase, task.changed = Phase.RUNNING, now
        if copied != task.inside and task.phase is Phase.RUNNING:
            task.changed = now
        task.inside, task.still = copied, None

    def _stalled(self, now: float) -> tuple[PlannedMove, ...]:
        """Give up what does not get on; the moves that are to be taken back for it."""
        found = []
        for task in self._tasks:
            limit = STALL_SECONDS if task.phase is Phase.RUNNING else BACK_SECONDS
            if not task.under_way or now - task.changed <= limit:
                continue
            if task.phase is Phase.BACK:
                self._end(task, Phase.FAILED, NOT_BACK)
            else:
                self._end(task, Phase.FAILED, f"nothing was copied for {STALL_SECONDS:g} s")
                found.append(task.move)
        return tuple(found)

    def _end(self, task: _Task, phase: Phase, why: str = "") -> None:
        task.phase, task.why, task.inside = phase, why, 0
        if phase is Phase.DONE:
            for place, size in ((task.source, -task.size), (task.target, task.size)):
                if place in self._used:
                    self._used[place] += size

    # -- starting -----------------------------------------------------------------------------

    def _waiting(self) -> list[_Task]:
        return [t for t in self._tasks if t.phase is Phase.WAITING]

    def _start(self, now: float, look: ClusterLook) -> tuple[PlannedMove, ...]:
        """Start what may: the order is the benefit's, the fullest source before all."""
        waiting = self._waiting()
        if not waiting:
            return ()
        hands = _BusyHands(self._rules.limits, [t for t in self._tasks if t.under_way])
        room = self._room(look)
        turns = _turns(waiting, room)
        begun = []
        for task in sorted(waiting, key=self._benefit):
            fits = room.get(task.target, task.size) >= task.size
            in_turn = turns.get(task.target, task.wave) >= task.wave
            ready = fits and in_turn and self._is_rested(task, now) and hands.free_for(task)
            if not ready or self._has_predecessor(task):
                continue
            hands.take(task)
            self._tire(task, now)
            if task.target in room:
                room[task.target] -= task.size
            task.phase, task.changed, task.still = Phase.RUNNING, now, None
            begun.append(task.move)
        return tuple(begun)

    def _is_rested(self, task: _Task, now: float) -> bool:
        return all(self._rested.get(place, now) <= now for place in (task.source, task.target))

    def _tire(self, task: _Task, now: float) -> None:
        """The disks of a move rest after it until it has taken as long as their rate allows."""
        if self._rules.disk_rate is not None:
            for place in (task.source, task.target):
                begun = max(now, self._rested.get(place, now))
                self._rested[place] = begun + task.size / self._rules.disk_rate

    def _benefit(self, task: _Task) -> tuple[float, int, str, int]:
        relief = self._fullness(task.source) - self._fullness(task.target)
        return (-round(relief, 6), -task.size, task.move.topic, task.move.partition)

    def _fullness(self, place: Place) -> float:
        room = self._rules.rooms.get(place)
        return self._used[place] / room.capacity if room is not None and room.capacity else 0.0

    def _room(self, look: ClusterLook) -> dict[Place, int]:
        """Bytes that each directory still takes, with what is on its way there."""
        room = {}
        for place, free in look.free.items():
            known = self._rules.rooms.get(place)
            room[place] = free - (known.reserve if known is not None else 0)
        for task in self._tasks:
            if task.under_way and task.target in room:
                room[task.target] -= max(0, task.size - task.inside)
        return room

    def _has_predecessor(self, task: _Task) -> bool:
        """Whether another move of the partition comes before."""
        if task.phase is not Phase.WAITING:
            return False
        for other in self._of[task.partition]:
            if other is task:
                continue
            alone = task.move.between or other.move.between or other.move.to == task.move.to
            if alone and other.under_way:
                return True
            if alone and other.phase is Phase.WAITING and other.wave < task.wave:
                return True
        return False

    def _without_room(self, look: ClusterLook) -> None:
        room = self._room(look)
        for task in self._waiting():
            left = room.get(task.target, task.size)
            if left < task.size:
                why = f"{task.move.target} has room for {max(0, left)} bytes, not for {task.size}"
                self._end(task, Phase.FAILED, why)

    def _wave_is_over(self) -> bool:
        """Whether a wave has ended since the last census, and another waits."""
        waiting = self._waiting()
        if not waiting:
            return False
        ended = min(t.wave for t in self._tasks if t.under_way or t.phase is Phase.WAITING)
        if ended <= self._counted:
            return False
        self._counted = ended
        return True


class _BusyHands:
    """The moves of each disk and broker now, for the limits."""

    def __init__(self, limits: WaveLimits, running: Iterable[_Task]) -> None:
        self._limits = limits
        self._busy: Counter[tuple[str, object]] = Counter()
        for task in running:
            self.take(task)

    def free_for(self, task: _Task) -> bool:
        """Whether all that take part have a hand free."""
        return all(not limit or self._busy[who] < limit for who, limit in self._parts(task))

    def take(self, task: _Task) -> None:
        """They take part in it from now on."""
        self._busy.update(who for who, _ in self._parts(task))

    def _parts(self, task: _Task) -> list[tuple[tuple[str, object], int]]:
        disks = dict.fromkeys((task.source, task.target))
        brokers = dict.fromkeys((task.move.broker, task.move.to))
        return [
            *((("disk", place), self._limits.moves_per_disk) for place in disks),
            *((("broker", broker), self._limits.moves_per_broker) for broker in brokers),
        ]


def _steps_to(before: Sequence[_Task], last: _Task) -> list[_Task]:
    """The moves that wait and take a replica to where `last` begins, that nearest to it first."""
    steps: list[_Task] = []
    place = last.source
    for task in reversed(before):
        if task.target == place and task.phase is Phase.WAITING:
            steps.append(task)
            place = task.source
    return steps


def _by_partition(tasks: Iterable[_Task]) -> dict[TopicPartition, list[_Task]]:
    found: dict[TopicPartition, list[_Task]] = {}
    for task in tasks:
        found.setdefault(task.partition, []).append(task)
    return found


def _turns(waiting: Sequence[_Task], room: Mapping[Place, int]) -> dict[Place, int]:
    """The wave whose turn it is in each directory that cannot hold all that waits for it."""
    coming: Counter[Place] = Counter()
    for task in waiting:
        coming[task.target] += task.size
    tight = {place for place, size in coming.items() if size > room.get(place, size)}
    turns: dict[Place, int] = {}
    for task in waiting:
        if task.target in tight:
            turns[task.target] = min(task.wave, turns.get(task.target, task.wave))
    return turns


def _not_moving(place: ReplicaLogDirs) -> str:
    if place.current is not None:
        return f"it is in {place.current} and is not moving"
    dead = ", ".join(place.offline_dirs)
    return "no readable directory of the broker has it" + (f"; offline: {dead}" if dead else "")
