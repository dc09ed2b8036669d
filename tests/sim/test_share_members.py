"""Share groups in whole clusters (KIP-932): members lose answers, sleep, leave and start again,
brokers are killed, frozen and cut off. What must hold is in `sim.share_history`."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import chain
from uuid import UUID

import pytest
from tests.support.processes import tied
from tests.support.simulation import plan

from spindle.model.ids import PartitionId
from spindle.sim.faults import Appetite
from spindle.sim.producer import ProducerPace
from spindle.sim.promises import Terms
from spindle.sim.seed_run import SeedOutcome, simulate
from spindle.sim.share_consumer import SETTINGS
from spindle.sim.share_history import Delivery, Moment, ShareHistory
from spindle.sim.share_reader import ShareJob
from spindle.sim.sim_cluster import Shape
from spindle.sim.swarm import SwarmPlan, draw
from spindle.sim.violation import Violation

pytestmark = pytest.mark.spec("C-04")

FAULTS = {"kill": 1.0, "break": 1.0, "latency": 0.5, "freeze": 0.5, "isolate": 0.3, "clock": 0.5}
SEEDS = 13
PLACE = ("g", PartitionId(UUID(int=1), 0))


def crowded(seed: int) -> SwarmPlan:
    """Several members, few other clients; brokers that fail, so that leaders change."""
    limit, lock = (3, 10)[seed % 2], 2.0
    shape = Shape(
        brokers=3,
        dirs=1,
        settings={
            **SETTINGS,
            "group.share.record.lock.duration.ms": str(int(lock * 1000)),
            "group.share.delivery.count.limit": str(limit),
            "share.coordinator.snapshot.update.records.per.snapshot": "3",
            "share.coordinator.state.topic.num.partitions": "2",
            "share.coordinator.state.topic.replication.factor": "3",
            "share.coordinator.state.topic.min.isr": "2",
            "share.coordinator.state.topic.prune.interval.ms": "1000",
            "offsets.topic.replication.factor": "3",
            "offsets.topic.num.partitions": "2",
            "min.insync.replicas": "2",
        },
    )
    quiet = plan(
        shape,
        3,
        topics=2,
        partitions=2,
        pace=ProducerPace(pause=0.5),
        terms=Terms(elr=True),
        min_insync_replicas="2",
    )
    job = ShareJob(
        "group",
        pause=0.2,
        records=(3, 20)[seed % 2],
        strict=seed % 3 == 0,
        lock=lock,
        limit=limit,
        releases=0.2,
        renews=0.5,
        loses=(0.0, 0.1)[seed % 2],
        leaves=0.06,
        sleeps=0.06,
    )
    weights = replace(quiet.weights, create=0.3, delete=0.2, pause=2.0, reuse_names=False)
    return replace(
        quiet,
        weights=weights,
        sharers=(job,) * 3,
        appetite=Appetite(FAULTS, pause=2.0, length=1.0),
        seconds=12.0,
    )


@pytest.fixture(scope="module")
def outcomes() -> list[SeedOutcome]:
    return [simulate(seed, crowded(seed)) for seed in range(SEEDS)]


def test_records_are_shared_whatever_fails(outcomes: list[SeedOutcome]) -> None:
    assert not {o.seed: o.error for o in outcomes if o.error is not None}


def test_all_that_can_happen_to_records_happens(outcomes: list[SeedOutcome]) -> None:
    seen = set(chain.from_iterable(o.counts for o in outcomes))
    assert seen >= {
        "records shared",
        "records settled",
        "locks renewed",
        "acknowledgements: NONE",
        "acknowledgements: INVALID_RECORD_STATE",
        "sharing members: UNKNOWN_MEMBER_ID",
    }, seen


def test_a_run_is_the_same_whatever_python_hashes() -> None:
    script = (
        "from spindle.sim.seed_run import simulate;"
        "from tests.sim.test_share_members import crowded;"
        "print(simulate(3, crowded(3)).digest)"
    )
    digests = {
        subprocess.run(
            tied([sys.executable, "-c", script]),
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        ).stdout
        for hash_seed in ("0", "1")
    }
    assert len(digests) == 1, digests


def test_some_seeds_have_such_groups() -> None:
    assert 35 < sum(bool(draw(seed).sharers) for seed in range(100)) < 65


# --- what the history finds -------------------------------------------------------------------


def at(began: float, ended: float, epoch: int = 0) -> Moment:
    return Moment(began, ended, ((1, epoch), (1, epoch)))


def given(member: str, count: int, moment: Moment) -> Delivery:
    return Delivery(member, count, moment)


def test_what_was_accepted_and_comes_again_is_found() -> None:
    history = ShareHistory()
    history.on_acquired(PLACE, [5, 6], given("a", 1, at(1.0, 1.1)))
    history.on_settled(PLACE, [5], at(1.2, 1.3))
    history.on_acquired(PLACE, [5], given("b", 2, at(1.25, 1.4)))  # Asked before it was answered.
    history.on_acquired(PLACE, [6], given("b", 2, at(1.4, 1.5)))
    with pytest.raises(Violation, match=r"offset 5 came to .* settled at 1\.300"):
        history.on_acquired(PLACE, [5], given("b", 2, at(1.4, 1.5)))


def test_what_came_before_its_acceptance_was_heard_is_found() -> None:
    history = ShareHistory()
    history.on_acquired(PLACE, [5], given("b", 2, at(1.4, 1.5)))
    with pytest.raises(Violation, match=r"offset 5 has come to .* settled at 1\.300"):
        history.on_settled(PLACE, [5], at(1.2, 1.3))


def test_two_that_have_a_record_while_a_lock_holds_are_found() -> None:
    history = ShareHistory()
    mine = given("a", 1, at(1.0, 1.1))
    history.on_acquired(PLACE, [5], mine)
    history.on_acquired(PLACE, [5], given("b", 2, at(2.0, 2.1)))
    history.check_held(PLACE, 5, mine, at(3.0, 3.1), lock=0.9)
    history.check_held(PLACE, 5, mine, at(3.0, 3.1, epoch=1), lock=10.0)
    history.check_held(PLACE, 5, mine._replace(at=mine.at.in_doubt), at(3.0, 3.1), lock=10.0)
    with pytest.raises(Violation, match="offset 5 is with"):
        history.check_held(PLACE, 5, mine, at(3.0, 3.1), lock=10.0)


def test_too_many_deliveries_are_found() -> None:
    history = ShareHistory()
    history.on_acquired(PLACE, [5], given("a", 5, at(1.0, 1.1)))
    with pytest.raises(Violation, match="6 deliveries"):
        history.on_acquired(PLACE, [5], given("a", 6, at(2.0, 2.1)))


def test_a_start_that_goes_back_is_found() -> None:
    history = ShareHistory()
    history.on_start(PLACE, 5, 1.0, 1.2)
    history.on_start(PLACE, 4, 1.1, 1.3)  # Asked before the other was answered.
    with pytest.raises(Violation, match="went back from 5 to 4"):
        history.on_start(PLACE, 4, 1.3, 1.4)


def test_a_record_is_missing_until_it_is_settled_or_given_up() -> None:
    history = ShareHistory()
    assert history.missing(PLACE, [5, 6, 7]) == [5, 6, 7]
    history.on_acquired(PLACE, [5, 6, 7], given("a", 1, at(1.0, 1.1)))
    history.on_settled(PLACE, [5], at(1.2, 1.3))
    history.on_unsure(PLACE, [6])
    assert history.missing(PLACE, [5, 6, 7]) == [7]
    history.on_acquired(PLACE, [7], given("a", 5, at(2.0, 2.1)))
    assert history.missing(PLACE, [5, 6, 7]) == []
