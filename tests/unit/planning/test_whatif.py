"""What would be with a disk or a broker more or less, and later on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.unit.planning.clusters import carry_out, simple

from spindle.model.errors import Unusable
from spindle.planning import whatif
from spindle.planning.cluster import BrokerLoad, Cluster
from spindle.planning.load import Band, DirectoryLoad, Plan
from spindle.planning.schedule import Limits
from spindle.planning.whole import plan_cluster

CLUSTER = simple(
    {
        1: {"/a": [(n, 10) for n in range(20)], "/c": [(n, 10) for n in range(20, 40)]},
        2: {"/a": [(n, 10) for n in range(40)]},
    }
)


def ends(plan: Plan) -> dict[tuple[int, str], int]:
    return {(b, share.path): share.after for b, theirs in plan.shares.items() for share in theirs}


@pytest.mark.spec("P-05")
def test_a_disk_more_gets_its_share_and_the_cluster_itself_is_as_before() -> None:
    plan = plan_cluster(whatif.with_disk(CLUSTER, 1, "/b", 2000), Band(0.0))
    assert ends(plan) == {(1, "/a"): 100, (1, "/b"): 200, (1, "/c"): 100, (2, "/a"): 400}
    assert plan_cluster(CLUSTER, Band(0.0)).moves == ()


@pytest.mark.spec("P-05")
def test_a_broker_more_gets_its_share() -> None:
    brokers = [BrokerLoad(n) for n in (0, 3)]
    for broker in brokers:
        grown = whatif.with_broker(CLUSTER, broker, [DirectoryLoad("/a", 1000)])
        plan = plan_cluster(grown, Band(0.0), between=True)
        assert set(ends(plan).values()) == {200}
        assert ends(plan)[broker.number, "/a"] == 200
        carry_out(grown, plan, Band(0.0), Limits())


@pytest.mark.spec("P-05")
@pytest.mark.parametrize("change", [whatif.without_disk, whatif.lost_disk])
def test_a_disk_less_leaves_its_replicas_to_the_others_of_its_broker(
    change: Callable[[Cluster, int, str], Cluster],
) -> None:
    less = change(CLUSTER, 1, "/a")
    plan = plan_cluster(less, Band(0.0))
    assert ends(plan)[1, "/c"] == 400
    assert plan.bytes_moved == plan.bound == 200
    assert plan.notes == ()


@pytest.mark.spec("P-05")
def test_a_disk_less_than_there_is_room_for_says_so() -> None:
    tight = simple({1: {"/a": [(0, 700)], "/b": [(1, 500)]}})
    plan = plan_cluster(whatif.without_disk(tight, 1, "/a"), Band(0.1, 0.9))
    assert plan.moves == ()
    assert plan.notes[0] == (
        "broker 1: /a cannot be emptied: 1 replicas with 700 B find no room elsewhere under the "
        "high mark; the others have 400 B left, 400 B in one directory at most, and t-0 alone "
        "has 700 B"
    )


@pytest.mark.spec("P-05")
def test_a_broker_less_leaves_its_replicas_to_the_others() -> None:
    more = whatif.with_broker(CLUSTER, BrokerLoad(3), [DirectoryLoad("/a", 1000)])
    plan = plan_cluster(whatif.without_broker(more, 2), Band(0.5), between=True)
    assert ends(plan)[2, "/a"] == 0
    assert {move.to for move in plan.moves if move.between} == {3}


def test_what_the_cluster_does_not_have_is_named() -> None:
    with pytest.raises(Unusable, match="no log directory /x; it has: /a, /c"):
        whatif.lost_disk(CLUSTER, 1, "/x")
    with pytest.raises(Unusable, match="no broker 7; it has: 1, 2"):
        whatif.without_broker(CLUSTER, 7)
    with pytest.raises(Unusable, match="already"):
        whatif.with_disk(CLUSTER, 1, "/a", 5)
    with pytest.raises(Unusable, match="already"):
        whatif.with_broker(CLUSTER, BrokerLoad(1), [])


@pytest.mark.spec("P-12")
def test_the_directory_that_fills_first_is_named_with_the_time() -> None:
    growth = {(1, "t", 0): 2.0, (2, "t", 0): 4.0, (1, "t", 30): -1.0}
    assert whatif.first_full(CLUSTER, growth, Band(0.1, 0.9)) == (2, "/a", 125.0)
    assert whatif.first_full(CLUSTER, {(1, "t", 0): 2.0}, Band(0.1, 0.9)) == (1, "/a", 350.0)
    assert whatif.first_full(CLUSTER, {}, Band(0.1, 0.9)) is None
    assert whatif.first_full(CLUSTER, {}, Band(0.1, 0.3)) == (2, "/a", 0.0)


@pytest.mark.spec("P-12")
def test_a_plan_ahead_is_even_when_the_time_has_come() -> None:
    growth = {(1, "t", n): 1.0 for n in range(20)}
    plan = whatif.plan_ahead(CLUSTER, growth, 20.0, Band(0.0))
    # Of 20 that have 30 bytes then, and 20 with 10, each directory gets the same.
    assert ends(plan)[1, "/a"] == ends(plan)[1, "/c"] == 400
    assert {move.size for move in plan.moves} == {10}
    assert plan_cluster(whatif.ahead(CLUSTER, growth, 0.0), Band(0.0)).moves == ()
