"""Groups with members of the classic protocol and of KIP-848, which take turns: the group changes
its kind while members lose answers, sleep and start again, and brokers are killed, frozen and cut
off. What must hold is in `sim.group_history`."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import pytest
from tests.support.simulation import plan

from spindle.sim.faults import Appetite
from spindle.sim.group_client import Shift
from spindle.sim.producer import ProducerPace
from spindle.sim.promises import Terms
from spindle.sim.seed_run import SeedOutcome, simulate
from spindle.sim.sim_cluster import Shape
from spindle.sim.subscriber import SETTINGS, SubscriberJob
from spindle.sim.swarm import SwarmPlan, draw
from spindle.sim.worker import WorkerJob

pytestmark = pytest.mark.spec("C-02", "C-03")

FAULTS = {"kill": 1.0, "break": 1.0, "latency": 0.5, "freeze": 0.5, "isolate": 0.3, "clock": 0.5}
SEEDS = 8


def mixed(seed: int) -> SwarmPlan:
    """Two seats that clients of both protocols have in turn, and one client of each for good."""
    shape = Shape(
        brokers=3,
        dirs=1,
        settings={
            **SETTINGS,
            "group.consumer.assignment.interval.ms": ("0", "1000")[seed % 2],
            "offsets.topic.replication.factor": "3",
            "offsets.topic.num.partitions": "2",
            "min.insync.replicas": "2",
        },
    )
    quiet = plan(
        shape,
        3,
        topics=2,
        partitions=3,
        pace=ProducerPace(pause=0.5),
        terms=Terms(elr=True),
        min_insync_replicas="2",
    )
    static, length = seed % 3 == 0, (2.0, 4.0)[seed // 2 % 2]
    seats = [f"instance-{n}" if static else None for n in range(2)]
    subscribers = [
        SubscriberJob(
            "group",
            instance_id=seat,
            pause=0.2,
            loses=(0.0, 0.3)[seed % 2],
            by_pattern=seed % 4 == 3,
            shift=Shift(length, is_second=True),
        )
        for seat in seats
    ]
    jobs = [
        WorkerJob("group", instance_id=seat, pause=0.2, shift=Shift(length), consumes=True)
        for seat in seats
    ]
    jobs.append(WorkerJob("group", pause=0.2, leaves=0.06, sleeps=0.06, consumes=True))
    weights = replace(quiet.weights, create=0.3, delete=0.2, pause=2.0, reuse_names=False)
    return replace(
        quiet,
        weights=weights,
        jobs=tuple(jobs),
        subscribers=tuple(subscribers),
        appetite=Appetite(FAULTS, pause=2.0, length=1.0),
        seconds=16.0,
    )


@pytest.fixture(scope="module")
def outcomes() -> list[SeedOutcome]:
    return [simulate(seed, mixed(seed)) for seed in range(SEEDS)]


def test_members_of_both_protocols_share_what_there_is(outcomes: list[SeedOutcome]) -> None:
    assert not {o.seed: o.error for o in outcomes if o.error is not None}


def test_groups_change_their_kind_in_both_directions(outcomes: list[SeedOutcome]) -> None:
    seen = set(chain.from_iterable(o.counts for o in outcomes))
    assert seen >= {
        "heartbeats of members",
        "assignments",
        "classic consumers: REBALANCE_IN_PROGRESS",
        "members leave: NONE",
    }, seen


def test_a_quarter_of_the_seeds_have_such_groups() -> None:
    found = sum(any(job.consumes for job in draw(seed).jobs) for seed in range(100))
    assert 15 < found < 35
