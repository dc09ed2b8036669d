"""States of plans, and the lines that tell them."""

from __future__ import annotations

import pytest

from spindle.cli.reassign.reassignment_plan import ReassignmentPlan
from spindle.cli.reassign.reassignment_state import (
    MoveStatus,
    active_lines,
    move_lines,
    move_state,
    move_states,
    partition_lines,
    partition_states,
)
from spindle.client.failures import Unreachable
from spindle.client.results import Reassignment, Replica, ReplicaLogDirs
from spindle.model.ids import TopicPartition

T0, T1, T2 = (TopicPartition("t", p) for p in range(3))
R = Replica("t", 0, 1)


@pytest.mark.spec("K113-24")
def test_each_partition_gets_its_line() -> None:
    plan = ReassignmentPlan({T0: (1, 2), T1: (2,), T2: (3,)})
    states = partition_states(
        plan,
        active={T1: Reassignment((1, 2), (2,), (1,))},
        current={T0: (1, 2), T1: (1, 2), T2: (1, 4)},
    )
    assert partition_lines(states) == [
        "Status of partition reassignment:",
        "Reassignment of partition t-0 is completed.",
        "Reassignment of partition t-1 is still in progress.",
        "There is no active reassignment of partition t-2, but replica set is 1,4 rather than 3.",
    ]
    assert [s.reached for s in states.values()] == [True, False, False]


MOVES = [
    (
        ReplicaLogDirs(current="/d2"),
        MoveStatus.DONE,
        "Reassignment of replica t-0-1 completed successfully.",
    ),
    (
        ReplicaLogDirs(current="/d1", future="/d2"),
        MoveStatus.MOVING,
        "Reassignment of replica t-0-1 is still in progress.",
    ),
    (
        ReplicaLogDirs(current="/d1", future="/d3"),
        MoveStatus.ELSEWHERE,
        "Partition t-0 on broker 1 is being moved to log dir /d3 instead of /d2.",
    ),
    (
        ReplicaLogDirs(current="/d1"),
        MoveStatus.NOT_MOVING,
        "Partition t-0 on broker 1 is not being moved from log dir /d1 to /d2.",
    ),
    (
        ReplicaLogDirs(offline_dirs=("/d4",)),
        MoveStatus.DIRECTORY_OFFLINE,
        "Partition t-0 is not found in any live log dir on broker 1. There is likely an offline"
        " log directory on the broker.",
    ),
    (
        ReplicaLogDirs(),
        MoveStatus.MISSING,
        "Partition t-0 cannot be found in any live log directory on broker 1.",
    ),
    (Unreachable("it is down"), MoveStatus.UNKNOWN, "Partition t-0 on broker 1: it is down"),
]


@pytest.mark.spec("K113-24")
@pytest.mark.parametrize(("found", "move", "line"), MOVES, ids=[m.name for _, m, _ in MOVES])
def test_each_fate_of_a_move_has_its_line(
    found: ReplicaLogDirs | Exception, move: MoveStatus, line: str
) -> None:
    assert move_state("/d2", found).move is move
    assert move_lines(move_states({R: "/d2"}, {R: found})) == [line]


def test_reassignments_in_progress_are_listed() -> None:
    assert active_lines({}) == ["No partition reassignments found."]
    running = {
        T1: Reassignment((1, 2, 3), (3,), (1,)),
        T0: Reassignment((1, 2), (), (2,)),
    }
    assert active_lines(running) == [
        "Current partition reassignments:",
        "t-0: replicas: 1,2. removing: 2.",
        "t-1: replicas: 1,2,3. adding: 3. removing: 1.",
    ]
