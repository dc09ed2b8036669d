"""What is being copied, in bytes, from what the brokers tell of their directories."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spindle.cli.reassign.reassigning import Verified
from spindle.cli.reassign.reassignment_plan import ReassignmentPlan
from spindle.cli.reassign.reassignment_state import (
    MoveState,
    MoveStatus,
    PartitionState,
    partition_states,
)
from spindle.cli.watching import (
    STILL_S,
    StandingCopies,
    WatchedCopy,
    by_disk,
    complete_replicas,
    copies,
)
from spindle.client.failures import Unreachable
from spindle.client.log_dirs import LogDirs
from spindle.client.results import LogDescription, LogDirDescription, Reassignment, Replica
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition

T0 = TopicPartition("t", 0)


def directory(path: str, *, current: int | None = None, future: int | None = None) -> LogDirs:
    """One directory with a log of T0 of so many bytes."""

    def logs(size: int | None, is_future: bool) -> dict[TopicPartition, LogDescription]:
        return {} if size is None else {T0: LogDescription(size, 0, is_future)}

    return (
        LogDirDescription(
            path, Error.NONE, 100, 50, False, logs(current, False), logs(future, True)
        ),
    )


def test_a_new_replica_counts_against_the_largest_there_is() -> None:
    plan = ReassignmentPlan({T0: (1, 2)})
    verified = Verified({T0: PartitionState((1, 2), (1, 2), True)}, {})
    found = {1: directory("/d1", current=1000), 2: directory("/e1", current=300)}
    before = {Replica("t", 0, 1): True}
    assert copies(verified, before, found) == [WatchedCopy(Replica("t", 0, 2), 300, 1000, "/e1")]
    assert plan.topics == ["t"]


def test_a_move_counts_by_its_future_log_until_it_is_done() -> None:
    replica = Replica("t", 0, 1)
    moving = Verified(
        {T0: PartitionState((1,), (1,), False)},
        {replica: MoveState(MoveStatus.MOVING, "/d2", "/d1", "/d2")},
    )
    dirs = directory("/d1", current=1000) + directory("/d2", future=600)
    assert copies(moving, {}, {1: dirs}) == [WatchedCopy(replica, 600, 1000, "/d2")]
    done = Verified(moving.partitions, {replica: MoveState(MoveStatus.DONE, "/d2", "/d2")})
    assert copies(done, {}, {1: directory("/d2", current=1000)}) == [
        WatchedCopy(replica, 1000, 1000, "/d2")
    ]


def test_silent_brokers_and_replicas_that_are_not_there_yet_count_nothing() -> None:
    verified = Verified({T0: PartitionState((1,), (2, 3), True)}, {})
    found: dict[int, LogDirs | Exception] = {
        1: directory("/d1", current=1000),
        2: directory("/e1"),
        3: Unreachable("down"),
    }
    assert copies(verified, {}, found) == [
        WatchedCopy(Replica("t", 0, 2), 0, 1000),
        WatchedCopy(Replica("t", 0, 3), 0, 1000),
    ]


def test_what_is_complete_already_is_known() -> None:
    verified = Verified(
        {T0: PartitionState((1, 2), (1, 2, 3), False)},
        {
            Replica("t", 0, 1): MoveState(MoveStatus.DONE, "/d1", "/d1"),
            Replica("t", 0, 2): MoveState(MoveStatus.NOT_MOVING, "/e2", "/e1"),
        },
    )
    assert complete_replicas(verified) == {
        Replica("t", 0, 1): True,
        Replica("t", 0, 2): False,
        Replica("t", 0, 3): False,
    }


def test_a_replica_that_a_reassignment_keeps_is_no_copy() -> None:
    """Watching that is resumed counts and names what comes, not what was there before."""
    plan = ReassignmentPlan({T0: (1, 2, 3)})
    active = {T0: Reassignment((1, 2, 3), (3,), ())}
    verified = Verified(partition_states(plan, active, {}), {})
    before = complete_replicas(verified)
    assert before == {Replica("t", 0, 1): True, Replica("t", 0, 2): True, Replica("t", 0, 3): False}
    found = {b: directory(f"/{b}", current=size) for b, size in ((1, 90), (2, 90), (3, 10))}
    assert copies(verified, before, found) == [WatchedCopy(Replica("t", 0, 3), 10, 90, "/3")]


def test_bytes_are_reported_disk_by_disk() -> None:
    under_way = [
        WatchedCopy(Replica("t", 0, 2), 10, 100, "/e1"),
        WatchedCopy(Replica("t", 1, 2), 5, 50, "/e1"),
        WatchedCopy(Replica("t", 0, 1), 1, 7, "/d2"),
        WatchedCopy(Replica("t", 0, 3), 0, 9),
    ]
    assert by_disk(under_way) == {
        "broker 1 /d2": (1, 7),
        "broker 2 /e1": (15, 150),
        "broker 3": (0, 9),
    }


@pytest.mark.spec("V-05")
def test_a_copy_that_stands_still_is_named_once_with_the_way_out() -> None:
    whole = WatchedCopy(Replica("t", 0, 1), 100, 100, "/d2")
    late = WatchedCopy(Replica("t", 1, 2), 10, 100, "/d2")
    standing = StandingCopies()
    assert standing.on_look(0.0, [whole, late]) == []
    assert standing.on_look(STILL_S - 1, [whole, replace(late, done=11)]) == []
    (line,) = standing.on_look(STILL_S, [whole, replace(late, done=11)])
    assert line.startswith(
        "warning: t-0, going to broker 1 /d2: copied whole, but the broker has not put it in place"
        " for 120 s. `spindle doctor`"
    )
    (line,) = standing.on_look(2 * STILL_S, [whole, replace(late, done=11)])
    assert line.startswith("warning: t-1, going to broker 2 /d2: nothing was copied for 120 s.")
    assert standing.on_look(9 * STILL_S, [whole, replace(late, done=50)]) == []
