"""The input of an execution, its effects, and its progress: plain values, no decision.

Sizes are bytes. Shared by the machine (`execution`), its rim in the commands, and reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

from spindle.client.results import Replica, ReplicaLogDirs
from spindle.model.ids import TopicPartition
from spindle.planning.load import PlannedMove
from spindle.planning.schedule import WaveLimits

Place = tuple[int, str]
"""A directory: broker, path."""


class Phase(Enum):
    """What has become of a move; the value is the word for it."""

    WAITING = "waiting"
    RUNNING = "moving"
    BACK = "being cancelled"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "not moved"
    GONE = "its partition is gone"


@dataclass(frozen=True, slots=True)
class ParticipatingDirectory:
    """A directory that takes part: bytes for replicas, bytes that stay free, bytes in it now."""

    capacity: int
    reserve: int
    used: int


@dataclass(frozen=True, slots=True)
class KnownTrouble:
    """What was not well when the run began: it is no reason to stop."""

    offline: frozenset[Place] = frozenset()
    under_replicated: frozenset[TopicPartition] = frozenset()
    live: frozenset[int] = frozenset()
    """The brokers that were live then."""
    silent: frozenset[int] = frozenset()
    """The brokers that gave no answer then: nothing is moved from or to them."""


@dataclass(frozen=True, slots=True)
class ReplicationHealth:
    """Which brokers are live, and which replicas are not well.

    `behind`: of a partition that is not whole, the brokers whose replica is out of sync; all of its
    brokers where it has no leader, which `leaderless` names. Replicas that a reassignment adds are
    not well before it is done: they do not count.
    """

    live: frozenset[int] = frozenset()
    behind: Mapping[TopicPartition, frozenset[int]] = field(default_factory=dict)
    leaderless: frozenset[TopicPartition] = frozenset()


@dataclass(frozen=True, slots=True)
class ExecutionRules:
    """How to execute. `drift`: a directory whose bytes are off from what was planned by this share
    of the mean is a reason to plan again. `disk_rate`: bytes/s that the moves of a directory may
    copy from and to it on average; None: no limit."""

    limits: WaveLimits
    rooms: Mapping[Place, ParticipatingDirectory]
    drift: float = 0.025
    disk_rate: float | None = None
    known: KnownTrouble = field(default_factory=KnownTrouble)


@dataclass(frozen=True, slots=True)
class ClusterLook:
    """What the cluster shows at a moment.

    `places`: of the replicas that were asked for; `free`: bytes, of directories that tell;
    `assigned`, `in_sync`, `reassigning`: of partitions that go between brokers, their brokers,
    their ISRs, and which of them the controller is reassigning; `gone`: partitions that were
    deleted; `offline`: directories of the brokers that were asked; `health`: of the whole cluster;
    None where that was not asked; `silent`: brokers that gave no answer.
    """

    places: Mapping[Replica, ReplicaLogDirs | Exception]
    free: Mapping[Place, int]
    assigned: Mapping[TopicPartition, tuple[int, ...]] = field(default_factory=dict)
    in_sync: Mapping[TopicPartition, tuple[int, ...]] = field(default_factory=dict)
    reassigning: frozenset[TopicPartition] = frozenset()
    gone: frozenset[TopicPartition] = frozenset()
    offline: frozenset[Place] = frozenset()
    health: ReplicationHealth | None = None
    silent: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Start:
    """An effect: start these moves."""

    moves: tuple[PlannedMove, ...]


@dataclass(frozen=True, slots=True)
class TakeBack:
    """An effect: end these moves; the cluster may delete what they have copied."""

    moves: tuple[PlannedMove, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """An effect: a census of all directories (`on_census`), since a wave is over."""


@dataclass(frozen=True, slots=True)
class Halt:
    """An effect: say that nothing more is moved from and to a broker, and why."""

    broker: int
    why: str


Effect = Start | TakeBack | Count | Halt


@dataclass(frozen=True, slots=True)
class ExecutionProgress:
    """How far an execution is. Bytes are those of the moves, also inside a move.

    `disks`: (bytes done, bytes in all) of each directory that is written to.
    """

    done_moves: int
    moves: int
    done_bytes: int
    bytes: int
    seconds: float
    disks: Mapping[str, tuple[int, int]]


class Unled(NamedTuple):
    """A partition that `leader` should lead now, and why the cluster refused it."""

    topic: str
    partition: int
    leader: int
    why: str

    @property
    def name(self) -> str:
        """topic-partition."""
        return f"{self.topic}-{self.partition}"


@dataclass(frozen=True, slots=True)
class PlanOutcome:
    """What became of a plan: moves that are where they should be; those that are not, and why.

    `there`: of those done, what had arrived before; `gone`: moves whose partitions were deleted
    since the plan, which is no failure; `led`: partitions that have the leader of the plan;
    `halted`: brokers whose moves were stopped for harm, and why.
    """

    done: tuple[PlannedMove, ...]
    failed: tuple[tuple[PlannedMove, str], ...]
    seconds: float
    replanned: int = 0
    unled: tuple[Unled, ...] = ()
    there: tuple[PlannedMove, ...] = ()
    gone: tuple[PlannedMove, ...] = ()
    led: int = 0
    halted: Mapping[int, str] = field(default_factory=dict)

    @property
    def moved(self) -> tuple[PlannedMove, ...]:
        """The moves that this run has carried out."""
        before = {*self.there}
        return tuple(move for move in self.done if move not in before)

    @property
    def complete(self) -> bool:
        """Whether every replica is where the plan wants it, and its leader leads."""
        return not self.failed and not self.unled

    def verified(self, wrong: Sequence[tuple[PlannedMove, str]]) -> PlanOutcome:
        """The outcome after a look at where replicas are: those that are not there have failed."""
        misplaced = {move for move, _ in wrong}
        done = tuple(move for move in self.done if move not in misplaced)
        there = tuple(move for move in self.there if move not in misplaced)
        return replace(self, done=done, failed=(*self.failed, *wrong), there=there)


def replica_of(move: PlannedMove) -> Replica:
    """The replica as it is when the move is done."""
    return Replica(move.topic, move.partition, move.to)


def ends(moves: Iterable[PlannedMove]) -> list[PlannedMove]:
    """The last move of each replica, from moves in their order: where replicas end."""
    last: dict[Replica, PlannedMove] = {}
    for move in moves:
        last.pop(Replica(move.topic, move.partition, move.broker), None)
        last[replica_of(move)] = move
    return list(last.values())
