"""What is too small to be moved stays; what is moved all the same shares waves."""

from __future__ import annotations

import pytest
from tests.unit.planning.brokers import after

from spindle.planning.broker_planner import plan_broker
from spindle.planning.load import Band, DirectoryLoad, ReplicaLoad
from spindle.planning.schedule import MANY

GB = 10**9
DISKS = [DirectoryLoad(f"/{n}", 2000 * GB) for n in range(4)]
GIANTS = [ReplicaLoad("giant", n, "/0", 500 * GB) for n in range(3)]
DUST = [ReplicaLoad("dust", n, "/0", GB // 1000) for n in range(10_000)]


@pytest.mark.spec("P-04")
@pytest.mark.parametrize("tolerance", [0.01, 0.05])
def test_dust_beside_giants_is_not_moved(tolerance: float) -> None:
    band = Band(tolerance, 0.9)
    plan = plan_broker(1, DISKS, [*GIANTS, *DUST], band)
    assert [move.size for move in plan.moves] == [500 * GB] * 2
    assert [share.after // GB for share in plan.shares] == [510, 500, 500, 0]
    assert plan_broker(1, DISKS, after([*GIANTS, *DUST], plan), band).moves == ()


@pytest.mark.spec("P-04")
def test_many_small_moves_share_waves() -> None:
    everything = [*GIANTS, *DUST]
    for band, disks in (
        (Band(0.05, 0.9, least=0), DISKS),
        (Band(0.05, 0.9), [DISKS[0]._replace(drain=True), *DISKS[1:]]),
    ):
        plan = plan_broker(1, disks, everything, band)
        assert len(plan.moves) >= len(DUST)
        assert len(plan.waves) <= 2 * MANY
        assert sum(plan.waves) == len(plan.moves)


@pytest.mark.spec("P-04")
def test_what_is_small_is_moved_where_there_is_nothing_else() -> None:
    plan = plan_broker(1, DISKS, DUST, Band(0.05, 0.9))
    assert {share.after // GB for share in plan.shares} == {2}
    assert len(plan.waves) <= 2 * MANY


@pytest.mark.spec("P-04")
def test_the_least_that_is_moved_can_be_asked_for() -> None:
    replicas = [ReplicaLoad("t", n, "/0", size * GB) for n, size in enumerate([10] * 8 + [60] * 8)]
    assert min(m.size for m in plan_broker(1, DISKS, replicas, Band(0.02)).moves) == 10 * GB
    plan = plan_broker(1, DISKS, replicas, Band(0.02, least=11 * GB))
    assert {move.size for move in plan.moves} == {60 * GB}
    assert any("9.3 GiB and less are not moved for so little" in note for note in plan.notes)
