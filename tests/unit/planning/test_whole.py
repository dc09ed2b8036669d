"""The planner of a cluster: rules that hold at every instant, what is reached, what is said."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.support.amounts import cases
from tests.unit.planning import many
from tests.unit.planning.clusters import after, carry_out, simple

from spindle.planning.between.byte_walk import ByteWalk
from spindle.planning.cluster_model import ClusterModel
from spindle.planning.cluster_planner import plan_cluster
from spindle.planning.load import Band
from spindle.planning.schedule import WaveLimits


@pytest.mark.spec("P-04")
@pytest.mark.parametrize("first", range(0, 60, 12))
@pytest.mark.parametrize("between", [True, False], ids=["between", "within"])
def test_no_rule_is_broken_at_any_instant_and_a_result_needs_no_plan(
    between: bool, first: int
) -> None:
    for seed in range(first, first + cases(6)):
        many.check(seed, between)


@pytest.mark.spec("P-04")
def test_a_new_broker_gets_its_share_and_no_more_is_moved_than_must_be() -> None:
    full = {"/a": [(n, 10) for n in range(30)], "/b": [(n + 30, 10) for n in range(30)]}
    other = {"/a": [(n + 60, 10) for n in range(30)], "/b": [(n + 90, 10) for n in range(30)]}
    cluster = simple({1: full, 2: other, 3: {"/a": [], "/b": []}})
    plan = plan_cluster(cluster, Band(0.0), between=True)
    assert plan.bytes_moved == plan.bytes_between == plan.bound == plan.broker_bound == 400
    assert {share.after for shares in plan.shares.values() for share in shares} == {200}
    assert plan.notes == ()
    carry_out(cluster, plan, Band(0.0), WaveLimits())


@pytest.mark.spec("P-04")
def test_without_leave_nothing_goes_to_another_broker() -> None:
    cluster = simple({1: {"/a": [(0, 10), (1, 10)], "/b": []}, 2: {"/a": []}})
    plan = plan_cluster(cluster, Band(0.0))
    assert [(m.broker, m.to, m.size) for m in plan.moves] == [(1, 1, 10)]
    assert plan.broker_bound == 0


def _named(
    contents: dict[int, dict[str, list[tuple[int, int]]]], named: int, racks: dict[int, str]
) -> ClusterModel:
    """A cluster of which one partition may be moved."""
    cluster = simple(contents, racks=racks)
    return replace(cluster, kept=cluster.partitions.number != named)


@pytest.mark.spec("V-04")
@pytest.mark.parametrize(
    ("contents", "between", "move"),
    [
        # All but the named one stay where they are: more than any share beside it, and less.
        (
            {1: {"/a": [(0, 150), (1, 150), (2, 150)]}, 2: {"/a": [(3, 100)]}},
            True,
            (1, "/a", 2, "/a"),
        ),
        ({1: {"/a": [(0, 150), (1, 60)]}, 2: {"/a": []}}, True, (1, "/a", 2, "/a")),
        # On a disk of its own it makes its broker fuller than another all the same.
        (
            {1: {"/a": [(0, 100)], "/b": [(1, 100), (2, 650)]}, 2: {"/a": [], "/b": []}},
            True,
            (1, "/a", 2, "/a"),
        ),
        # To a broker that has a copy, and to one that would lose a rack, it does not go.
        (
            {
                1: {"/a": [(0, 100), (1, 300)]},
                2: {"/a": [(0, 100)]},
                3: {"/a": [(2, 20)]},
                4: {"/a": [(3, 30)]},
            },
            True,
            (1, "/a", 4, "/a"),
        ),
        ({1: {"/a": [(0, 100), (1, 300)], "/b": [(2, 50)]}}, False, (1, "/a", 1, "/b")),
    ],
)
def test_one_named_partition_goes_where_it_helps_though_it_is_larger_than_any_share_that_is_left(
    contents: dict[int, dict[str, list[tuple[int, int]]]],
    between: bool,
    move: tuple[int, str, int, str],
) -> None:
    racks = {1: "x", 2: "y", 3: "y", 4: "z"}
    cluster = _named(contents, 0, racks)
    plan = plan_cluster(cluster, Band(0.05), between=between)
    assert [(m.broker, m.source, m.to, m.target) for m in plan.moves] == [move]
    end = after(cluster, carry_out(cluster, plan, Band(0.05), WaveLimits()))
    again = plan_cluster(replace(end, kept=cluster.kept), Band(0.05), between=between)
    assert again.moves == ()


@pytest.mark.spec("V-04")
def test_one_named_partition_stays_where_it_stands_as_well_as_anywhere() -> None:
    there: list[tuple[int, list[tuple[int, int]]]] = [(10, []), (60, [(2, 60)])]
    for beside, other in there:
        contents = {1: {"/a": [(0, 150), (1, beside)]}, 2: {"/a": other}}
        plan = plan_cluster(_named(contents, 0, {}), Band(0.05), between=True)
        assert plan.moves == ()
        assert any("t-0 alone has 150 B, more than a fair share" in note for note in plan.notes)


@pytest.mark.spec("P-04")
def test_racks_are_kept_where_another_way_leads_there() -> None:
    # Broker 1 has too much; 2 is in the rack of its partners, 3 is not.
    racks = {1: "x", 2: "y", 3: "x", 4: "y"}
    cluster = simple(
        {
            1: {"/a": [(n, 10) for n in range(10)]},
            2: {"/a": []},
            3: {"/a": []},
            4: {"/a": [(n, 10) for n in range(5)]},
        },
        racks=racks,
    )
    plan = plan_cluster(cluster, Band(0.3), between=True)
    assert plan.moves
    carry_out(cluster, plan, Band(0.3), WaveLimits())
    assert not [m for m in plan.moves if m.broker == 1 and m.partition < 5 and m.to == 2]


@pytest.mark.spec("P-04")
def test_a_drained_broker_ends_without_replicas() -> None:
    cluster = simple(
        {1: {"/a": [(0, 50), (1, 0), (2, 7)]}, 2: {"/a": [(0, 50)]}, 3: {"/a": []}}, drain=[1]
    )
    plan = plan_cluster(cluster, Band(0.2), between=True)
    assert not [b for b, _ in carry_out(cluster, plan, Band(0.2), WaveLimits()) if b == 1]
    assert plan.notes == ()
    alone = plan_cluster(cluster, Band(0.2))
    assert alone.moves == ()
    assert alone.notes[0].startswith("broker 1 cannot be emptied while")


@pytest.mark.spec("P-04")
def test_a_broker_that_cannot_be_drained_says_why() -> None:
    cluster = simple({1: {"/a": [(0, 50)]}, 2: {"/a": [(0, 50)]}}, drain=[1])
    plan = plan_cluster(cluster, Band(0.2), between=True)
    assert plan.moves == ()
    assert plan.notes[0] == (
        "broker 1 cannot be emptied: 1 replica stays, 50 B; 1 has no broker to go to that "
        "keeps its racks and has no copy yet"
    )


@pytest.mark.spec("P-04")
def test_a_broker_with_nothing_but_empty_replicas_that_cannot_leave_says_so() -> None:
    cluster = simple({1: {"/a": [(0, 0)]}, 2: {"/a": [(0, 0)]}}, drain=[1])
    plan = plan_cluster(cluster, Band(0.2), between=True)
    assert plan.moves == ()
    assert plan.notes[0].startswith("broker 1 cannot be emptied: 1 replica stays, 0 B")


def too_large(brokers: int, partitions: int) -> dict[int, dict[str, list[tuple[int, int]]]]:
    """Two replicas of each partition, many of them larger than what brokers lack."""
    rng = random.Random(1)
    held: dict[int, dict[str, list[tuple[int, int]]]] = {b: {"/a": []} for b in range(brokers)}
    for number in range(partitions):
        size = rng.choice((100, 200, 300, 1000, 3000, 5000))
        for broker in rng.sample(range(brokers), 2):
            held[broker]["/a"].append((number, size * 1000))
    return held


@pytest.mark.spec("P-04")
@pytest.mark.parametrize("tolerance", [0.01, 0.05])
def test_brokers_that_are_stuck_are_not_looked_at_again_after_each_move_of_others(
    tolerance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    give, take = ByteWalk._give, ByteWalk._take

    def counted(one: Callable[[ByteWalk, int], bool]) -> Callable[[ByteWalk, int], bool]:
        def look(walk: ByteWalk, broker: int) -> bool:
            looks.append(broker)
            return one(walk, broker)

        return look

    monkeypatch.setattr(ByteWalk, "_give", counted(give))
    monkeypatch.setattr(ByteWalk, "_take", counted(take))
    racks = {b: f"r{b % 4}" for b in range(100)}
    cluster = simple(too_large(100, 500), capacity=20_000_000, racks=racks)
    plan = plan_cluster(cluster, Band(tolerance), between=True)
    stuck = {note.split()[1] for note in plan.notes if note.startswith("broker ")}
    assert len(stuck) >= 3
    assert len(plan.moves) >= 200
    # Each look at all brokers that are left follows a move; many moves share one.
    assert len(looks) <= 3 * len(plan.moves)
