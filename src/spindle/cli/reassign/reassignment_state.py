"""How far a plan has come: of each partition, and of each replica with a directory; and its lines.

Pure: what the cluster says in, states and Kafka's exact lines out. Called by `run`
and by `watching`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from spindle.cli.reassign.reassignment_plan import ReassignmentPlan
from spindle.client.results import Reassignment, Replica, ReplicaLogDirs
from spindle.model.ids import LogDir, NodeId, TopicPartition


@dataclass(frozen=True)
class PartitionState:
    """A partition's brokers now and as planned; `active` while the controller reassigns it.

    `adding`: those of now that it is reassigned to.
    """

    current: tuple[NodeId, ...]
    target: tuple[NodeId, ...]
    active: bool
    adding: tuple[NodeId, ...] = ()

    @property
    def reached(self) -> bool:
        """Whether it is at its target."""
        return not self.active and self.current == self.target


class MoveStatus(Enum):
    """What has become of a replica's move to its directory (K113-24)."""

    DONE = "completed"
    MOVING = "still moving"
    ELSEWHERE = "moving elsewhere"
    NOT_MOVING = "not being moved"
    DIRECTORY_OFFLINE = "directory offline"
    MISSING = "replica missing"
    UNKNOWN = "broker does not answer"


@dataclass(frozen=True)
class MoveState:
    """A replica's move: its target, its place, its direction, and what that means.

    `copied` of `size` bytes are there, while it is under way.
    """

    move: MoveStatus
    target: LogDir
    current: LogDir | None = None
    future: LogDir | None = None
    failure: str = ""
    copied: int = 0
    size: int = 0

    @property
    def active(self) -> bool:
        """Whether it is under way to anywhere."""
        return self.move in (MoveStatus.MOVING, MoveStatus.ELSEWHERE)


def partition_states(
    plan: ReassignmentPlan,
    active: Mapping[TopicPartition, Reassignment],
    current: Mapping[TopicPartition, Sequence[NodeId]],
) -> dict[TopicPartition, PartitionState]:
    """The state of each partition of the plan; one that does not exist has no brokers."""
    states = {}
    for name, target in plan.replicas.items():
        running = active.get(name)
        now = running.replicas if running is not None else tuple(current.get(name, ()))
        adding = running.adding if running is not None else ()
        states[name] = PartitionState(tuple(now), target, running is not None, adding)
    return states


def move_state(target: LogDir, found: ReplicaLogDirs | Exception) -> MoveState:
    """The state of one move from what its broker says of the replica."""
    if isinstance(found, Exception):
        return MoveState(MoveStatus.UNKNOWN, target, failure=str(found))
    if found.current is None:
        missing = MoveStatus.DIRECTORY_OFFLINE if found.offline_dirs else MoveStatus.MISSING
        return MoveState(missing, target)
    if found.future is None:
        state = MoveStatus.DONE if found.current == target else MoveStatus.NOT_MOVING
        return MoveState(state, target, found.current)
    state = MoveStatus.MOVING if found.future == target else MoveStatus.ELSEWHERE
    return MoveState(
        state,
        target,
        found.current,
        found.future,
        copied=found.future_size,
        size=found.current_size,
    )


def move_states(
    directories: Mapping[Replica, LogDir], found: Mapping[Replica, ReplicaLogDirs | Exception]
) -> dict[Replica, MoveState]:
    """The state of each move, by replica."""
    return {r: move_state(target, found[r]) for r, target in sorted(directories.items())}


def partition_lines(states: Mapping[TopicPartition, PartitionState]) -> list[str]:
    """Kafka's lines about partitions."""
    lines = ["Status of partition reassignment:"]
    for name, state in sorted(states.items()):
        if state.active:
            lines.append(f"Reassignment of partition {name} is still in progress.")
        elif state.reached:
            lines.append(f"Reassignment of partition {name} is completed.")
        else:
            lines.append(
                f"There is no active reassignment of partition {name}, but replica set is"
                f" {numbers(state.current)} rather than {numbers(state.target)}."
            )
    return lines


def move_lines(states: Mapping[Replica, MoveState]) -> list[str]:
    """Kafka's lines about replicas and directories; a line of Spindle's for a silent broker."""
    return [_move_line(replica, state) for replica, state in sorted(states.items())]


def active_lines(active: Mapping[TopicPartition, Reassignment]) -> list[str]:
    """Kafka's lines for `--list`."""
    if not active:
        return ["No partition reassignments found."]
    lines = ["Current partition reassignments:"]
    for name, running in sorted(active.items()):
        adding = f" adding: {numbers(running.adding)}." if running.adding else ""
        removing = f" removing: {numbers(running.removing)}." if running.removing else ""
        lines.append(f"{name}: replicas: {numbers(running.replicas)}.{adding}{removing}")
    return lines


def numbers(values: Sequence[int]) -> str:
    """`1,2,3`."""
    return ",".join(map(str, values))


def _move_line(replica: Replica, state: MoveState) -> str:
    name, broker = replica.name, replica.broker
    match state.move:
        case MoveStatus.DONE:
            return f"Reassignment of replica {replica} completed successfully."
        case MoveStatus.MOVING:
            return f"Reassignment of replica {replica} is still in progress."
        case MoveStatus.ELSEWHERE:
            return (
                f"Partition {name} on broker {broker} is being moved to log dir {state.future}"
                f" instead of {state.target}."
            )
        case MoveStatus.NOT_MOVING:
            return (
                f"Partition {name} on broker {broker} is not being moved from log dir"
                f" {state.current} to {state.target}."
            )
        case MoveStatus.DIRECTORY_OFFLINE:
            return (
                f"Partition {name} is not found in any live log dir on broker {broker}."
                " There is likely an offline log directory on the broker."
            )
        case MoveStatus.MISSING:
            return f"Partition {name} cannot be found in any live log directory on broker {broker}."
        case MoveStatus.UNKNOWN:
            return f"Partition {name} on broker {broker}: {state.failure}"
