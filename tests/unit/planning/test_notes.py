"""What is said of what a plan leaves: true, in amounts that differ, with its reason."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.unit.planning.brokers import by_hand
from tests.unit.planning.clusters import simple

from spindle.planning.broker_planner import plan_broker
from spindle.planning.cluster_planner import plan_cluster
from spindle.planning.load import Band, BrokerPlan

GIB = 1 << 30


def planned(
    band: Band, *contents: Sequence[int], capacity: int = 1000, drain: str = ""
) -> BrokerPlan:
    """The plan of a broker whose directories hold replicas of these GiB."""
    sizes = [[size * GIB for size in there] for there in contents]
    return plan_broker(1, *by_hand(capacity * GIB, *sizes, drain=drain), band)


@pytest.mark.spec("P-04")
def test_an_exchange_that_is_there_but_not_worth_it_is_named_with_what_it_costs() -> None:
    plan = planned(Band(0.05), [51, 54], [57, 60])
    assert plan.moves == ()
    above, below = plan.notes[1], plan.notes[0]
    assert above == (
        "/b stays 460.8 MiB above the band: exchanging b-0 for a-0 would move 108.0 GiB to mend "
        "921.6 MiB, which is not worth it"
    )
    assert below.startswith("/a stays 460.8 MiB below the band: exchanging a-0 for b-0 would move")
    assert len(planned(Band(0.04), [51, 54], [57, 60]).moves) == 2, "there it is worth it"


@pytest.mark.spec("P-04")
def test_there_is_no_exchange_is_said_only_where_there_is_none() -> None:
    plan = planned(Band(0.05), [40, 40, 40], [50, 50])
    assert plan.notes == (
        "/a stays 4.5 GiB above the band: no replica, and no exchange of two, brings it closer",
        "/b stays 4.5 GiB below the band: no replica, and no exchange of two, brings it closer",
    )


@pytest.mark.spec("P-04")
def test_what_cannot_leave_is_shown_in_amounts_that_differ() -> None:
    plan = planned(Band(0.05, 0.9), [135], [15], capacity=150, drain="a")
    assert plan.notes == (
        "/a cannot be emptied: under the high mark there is no room elsewhere for 1 replica with "
        "135.0 GiB; the others have 120.0 GiB left, 120.0 GiB in one directory at most, and a-0 "
        "alone has 135.0 GiB",
    )


@pytest.mark.spec("P-04")
def test_a_disk_above_the_high_mark_is_reported_even_where_all_are_alike() -> None:
    plan = planned(Band(0.05, 0.9), [33] * 30, [33] * 30)
    assert [note.split(":")[0] for note in plan.notes] == [
        "/a stays 90.0 GiB above the high mark of 900.0 GiB",
        "/b stays 90.0 GiB above the high mark of 900.0 GiB",
    ]


@pytest.mark.spec("P-04")
def test_what_any_plan_must_move_is_never_more_than_was_moved() -> None:
    # A replica of 60 fits nowhere: the band is missed, and with it what would have to move to it.
    for contents in ([[60, 60, 30], [5]], [[90, 50, 3], [], [1]], [[51, 54], [57, 60]]):
        plan = planned(Band(0.05), *contents)
        assert plan.bound <= plan.bytes_moved
    cluster = simple({1: {"/a": [(0, 50), (1, 40), (2, 40)]}, 2: {"/a": [(3, 45)]}, 3: {"/a": []}})
    wide = plan_cluster(cluster, Band(0.0), between=True)
    assert wide.notes
    assert wide.moves
    assert wide.bound <= wide.bytes_moved
    assert wide.broker_bound <= wide.bytes_between


@pytest.mark.spec("P-04")
def test_the_reason_of_a_broker_with_one_disk_is_not_that_it_has_no_other() -> None:
    cluster = simple({1: {"/a": [(0, 90), (1, 2)]}, 2: {"/a": [(2, 3)]}, 3: {"/a": [(3, 4)]}})
    plan = plan_cluster(cluster, Band(0.05), between=True)
    assert not [note for note in plan.notes if "no other directory" in note]
    assert [note for note in plan.notes if "t-0 alone has 90 B, more than a fair share" in note]


@pytest.mark.spec("P-04")
def test_what_is_missing_elsewhere_because_a_drain_is_refused_is_not_reported_too() -> None:
    some: dict[int, dict[str, list[tuple[int, int]]]] = {
        1: {"/a": [(0, 50)]}, 2: {"/a": [(0, 50)]}, 3: {"/a": [(1, 1)]}, 4: {"/a": []},
    }  # fmt: skip
    cluster = simple(some, capacity=60, drain=[1], closed=[3, 4])
    wide = plan_cluster(cluster, Band(0.2), between=True)
    assert [note.split(":")[0] for note in wide.notes] == ["broker 1 cannot be emptied"]
    plan = planned(Band(0.05, 0.85), [135], [15], [10], capacity=150, drain="a")
    assert [note.split(":")[0] for note in plan.notes] == ["/a cannot be emptied"]


@pytest.mark.spec("P-04")
def test_where_only_the_room_for_second_copies_is_missing_that_is_the_reason() -> None:
    room = "there is never room for a second copy under the high mark"
    plan = planned(Band(0.1, 0.9), [45, 45], [25, 25], capacity=100)
    assert plan.moves == ()
    assert plan.notes[1] == (
        f"/b stays 13.0 GiB below the band: replicas that should come stay where they are: {room}"
    )
    assert f"a-0 does not go to /b: {room}" in plan.notes
    cluster = simple({1: {"/a": [(0, 45), (1, 45)]}, 2: {"/a": [(2, 25), (3, 25)]}}, capacity=100)
    wide = plan_cluster(cluster, Band(0.1, 0.9), between=True)
    assert wide.moves == ()
    assert wide.notes[1] == (
        f"broker 2 stays 13 B below the band: replicas that should come stay where they are: {room}"
    )
    assert f"t-0 does not go to broker 2 /a: {room}" in wide.notes
    assert not [note for note in (*plan.notes, *wide.notes) if "small" in note]
    roomy = planned(Band(0.1, 0.9), [45, 45], [25, 25], capacity=200)
    assert len(roomy.moves) == 2
    assert roomy.notes == ()
