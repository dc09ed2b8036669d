"""The moves of an execution one by one: how far each is, and what a look shows of it.

Tells which move has to wait for another of its partition. Decides nothing: `execution` starts moves
and ends them. Called by it and by `directory_rooms` alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from spindle.client.results import ReplicaLogDirs
from spindle.model.ids import TopicPartition
from spindle.pipeline.execution_values import (
    ClusterLook,
    ExecutionProgress,
    Phase,
    Place,
    PlanOutcome,
    replica_of,
)
from spindle.planning.load import PlannedMove

WHOLE_REST_BYTES: Final = 1 << 20
"""A copy that lacks no more, and no more than a hundredth, only waits to be put in place."""


@dataclass(slots=True)
class MoveTask:
    """One move and what has become of it."""

    move: PlannedMove
    wave: int
    size: int
    phase: Phase = Phase.WAITING
    why: str = ""
    before: bool = False
    """It was where it should be before this execution began."""
    inside: int = 0
    """Bytes that are copied."""
    changed: float = 0.0
    """When the last byte came."""
    still: float | None = None
    """Since when no look has shown it on its way."""
    whole: float | None = None
    """Since when all of it is copied, but for what was written last."""

    @property
    def source(self) -> Place:
        """The directory that it leaves."""
        return self.move.broker, self.move.source

    @property
    def target(self) -> Place:
        """The directory that it goes to."""
        return self.move.to, self.move.target

    @property
    def partition(self) -> TopicPartition:
        """Whose replica it moves."""
        return TopicPartition(self.move.topic, self.move.partition)

    @property
    def under_way(self) -> bool:
        """Whether the cluster works on it, or on taking it back."""
        return self.phase in (Phase.RUNNING, Phase.BACK)

    @property
    def has_no_end(self) -> bool:
        """Whether it waits or is under way."""
        return self.under_way or self.phase is Phase.WAITING

    def place_in(self, look: ClusterLook) -> ReplicaLogDirs | None:
        """Where its replica is; None where the broker is away, or was not asked."""
        place = look.places.get(replica_of(self.move))
        return None if isinstance(place, Exception) else place

    def is_moving(self, place: ReplicaLogDirs, look: ClusterLook) -> bool:
        """Whether its replica is on the way there."""
        if self.move.between:
            # What a reassignment has brought is not a copy yet while it is out of the ISR.
            synced = self.move.to in look.in_sync.get(self.partition, ())
            late = self.is_assigned(look) and not synced
            return late or self.partition in look.reassigning
        return place.future == self.move.target

    def is_there(self, place: ReplicaLogDirs) -> bool:
        """Whether its replica is in the target, and goes nowhere else."""
        return place.current == self.move.target and place.future is None

    def is_assigned(self, look: ClusterLook) -> bool:
        """Whether the partition's brokers are those after the move."""
        if not self.move.between:
            return True
        brokers = look.assigned.get(self.partition, ())
        return self.move.to in brokers and self.move.broker not in brokers

    def is_unassigned(self, look: ClusterLook) -> bool:
        """Whether its reassignment is taken back: the controller alone says so."""
        brokers = look.assigned.get(self.partition, ()) if self.move.between else ()
        return (
            bool(brokers) and self.move.to not in brokers and self.partition not in look.reassigning
        )

    def is_begun(self, look: ClusterLook) -> bool:
        """Whether the replica is where the move takes it, or on its way there and nowhere else."""
        place = self.place_in(look)
        if self.phase is not Phase.WAITING or place is None:
            return False
        if self.move.between and self.move.to not in look.assigned.get(self.partition, ()):
            return False
        return self.is_there(place) or self.is_moving(place, look)

    def note(self, now: float, place: ReplicaLogDirs) -> None:
        """Take note of how much is copied."""
        copied = place.current_size if self.move.between else place.future_size
        if not self.move.between:
            self.size = max(self.size, place.current_size)
        if self.phase is Phase.WAITING:
            self.phase, self.changed = Phase.RUNNING, now
        if copied != self.inside and self.phase is Phase.RUNNING:
            self.changed = now
        self.inside, self.still = copied, None
        rest = self.size - copied
        if self.move.between or not copied or rest > min(WHOLE_REST_BYTES, self.size // 100):
            self.whole = None
        elif self.whole is None:
            self.whole = now


class MoveTasks:
    """All moves of an execution, in the plan's order, and those of each partition."""

    def __init__(self, waves: Sequence[Sequence[PlannedMove]]) -> None:
        self.all: list[MoveTask] = []
        self.of_partition: dict[TopicPartition, list[MoveTask]] = {}
        self._add(waves)

    def replace_waiting(self, waves: Sequence[Sequence[PlannedMove]]) -> None:
        """These moves come in the place of all that wait."""
        kept = [task for task in self.all if task.phase is not Phase.WAITING]
        self.all, self.of_partition = [], {}
        for task in kept:
            task.wave = -1
            self._append(task)
        self._add(waves)

    def _add(self, waves: Sequence[Sequence[PlannedMove]]) -> None:
        for number, wave in enumerate(waves):
            for move in wave:
                self._append(MoveTask(move, number, move.size))

    def _append(self, task: MoveTask) -> None:
        self.all.append(task)
        self.of_partition.setdefault(task.partition, []).append(task)

    @property
    def open(self) -> list[MoveTask]:
        """Those that wait or are under way."""
        return [task for task in self.all if task.has_no_end]

    @property
    def under_way(self) -> list[MoveTask]:
        """Those that the cluster works on."""
        return [task for task in self.all if task.under_way]

    @property
    def waiting(self) -> list[MoveTask]:
        """Those that have not begun."""
        return self.in_phase(Phase.WAITING)

    def of_broker(self, broker: int) -> list[MoveTask]:
        """Those that have no end, and that a broker takes part in."""
        return [t for t in self.open if broker in (t.move.broker, t.move.to)]

    def in_phase(self, phase: Phase) -> list[MoveTask]:
        """Those that are this far."""
        return [task for task in self.all if task.phase is phase]

    @property
    def waves(self) -> tuple[tuple[PlannedMove, ...], ...]:
        """The plan that is in force, what is done and under way included."""
        numbers = sorted({task.wave for task in self.all})
        return tuple(tuple(t.move for t in self.all if t.wave == n) for n in numbers)

    def has_predecessor(self, task: MoveTask) -> bool:
        """Whether another move of the partition comes before one that waits."""
        if task.phase is not Phase.WAITING:
            return False
        for other in self.of_partition[task.partition]:
            if other is task:
                continue
            alone = task.move.between or other.move.between or other.move.to == task.move.to
            if alone and other.under_way:
                return True
            if alone and other.phase is Phase.WAITING and other.wave < task.wave:
                return True
        return False

    def passed_over(self, look: ClusterLook) -> Iterator[MoveTask]:
        """Of a replica that moves on and on, what came before the step that it is at.

        An execution that was killed has left it there. A replica that comes back to where it was
        tells nothing of that.
        """
        for tasks in self.of_partition.values():
            for at, task in enumerate(tasks):
                steps = _steps_to(tasks[:at], task)
                back = any(step.source == task.target for step in steps)
                if steps and not back and task.is_begun(look):
                    yield from steps

    def progress(self, seconds: float) -> ExecutionProgress:
        """Bytes and moves so far."""
        disks: dict[str, tuple[int, int]] = {}
        for task in self.all:
            if task.phase is Phase.GONE:
                continue
            name = f"broker {task.target[0]} {task.target[1]}"
            done, total = disks.get(name, (0, 0))
            copied = task.size if task.phase is Phase.DONE else min(task.inside, task.size)
            disks[name] = done + copied, total + task.size
        return ExecutionProgress(
            len(self.in_phase(Phase.DONE)),
            len(self.all),
            sum(done for done, _ in disks.values()),
            sum(total for _, total in disks.values()),
            seconds,
            dict(sorted(disks.items())),
        )

    def outcome(self, seconds: float, replanned: int) -> PlanOutcome:
        """What became of each move."""
        done = self.in_phase(Phase.DONE)
        others = [t for t in self.all if t.phase not in (Phase.DONE, Phase.GONE)]
        return PlanOutcome(
            tuple(t.move for t in done),
            tuple((t.move, t.why or t.phase.value) for t in others),
            seconds,
            replanned,
            there=tuple(t.move for t in done if t.before),
            gone=tuple(t.move for t in self.in_phase(Phase.GONE)),
        )


def _steps_to(before: Sequence[MoveTask], last: MoveTask) -> list[MoveTask]:
    """The moves that wait and take a replica to where `last` begins, that nearest to it first."""
    steps: list[MoveTask] = []
    place = last.source
    for task in reversed(before):
        if task.target == place and task.phase is Phase.WAITING:
            steps.append(task)
            place = task.source
    return steps
