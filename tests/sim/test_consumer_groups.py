"""Groups of KIP-848 in whole clusters: members lose answers, sleep, leave and start again, brokers
are killed, frozen and cut off. What must hold is in `sim.group_history`."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from uuid import UUID

import pytest
from tests.support.simulation import plan

from spindle.model.ids import PartitionId
from spindle.sim.faults import Appetite
from spindle.sim.group_history import GroupHistory, Membership
from spindle.sim.producer import ProducerPace
from spindle.sim.promises import Terms
from spindle.sim.seed_run import SeedOutcome, simulate
from spindle.sim.sim_cluster import Shape
from spindle.sim.subscriber import SETTINGS, SubscriberJob
from spindle.sim.swarm import SwarmPlan, draw
from spindle.sim.violation import Violation

pytestmark = pytest.mark.spec("C-02", "C-03", "C-08")

FAULTS = {"kill": 1.0, "break": 1.0, "latency": 0.5, "freeze": 0.5, "isolate": 0.3, "clock": 0.5}
SEEDS = 8
P = PartitionId(UUID(int=1), 0)
A, B = Membership("g", 1, "a"), Membership("g", 1, "b")


def crowded(seed: int) -> SwarmPlan:
    """Many members, few other clients; brokers that fail, so that coordinators change."""
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
    members = [
        SubscriberJob(
            "group",
            instance_id=f"instance-{n}" if n % 2 and seed % 3 == 0 else None,
            pause=0.2,
            leaves=0.06,
            sleeps=0.06,
            loses=(0.0, 0.3)[seed % 2],
            by_pattern=n == 3,
        )
        for n in range(4)
    ]
    weights = replace(quiet.weights, create=0.3, delete=0.2, pause=2.0, reuse_names=False)
    return replace(
        quiet,
        weights=weights,
        subscribers=tuple(members),
        appetite=Appetite(FAULTS, pause=2.0, length=1.0),
        seconds=12.0,
    )


@pytest.fixture(scope="module")
def outcomes() -> list[SeedOutcome]:
    return [simulate(seed, crowded(seed)) for seed in range(SEEDS)]


def test_members_share_what_there_is_whatever_fails(outcomes: list[SeedOutcome]) -> None:
    assert not {o.seed: o.error for o in outcomes if o.error is not None}


def test_all_that_can_happen_to_a_member_happens(outcomes: list[SeedOutcome]) -> None:
    seen = set(chain.from_iterable(o.counts for o in outcomes))
    assert seen >= {
        "partitions revoked",
        "members: UNKNOWN_MEMBER_ID",
        "members: FENCED_MEMBER_EPOCH",
        "members: UNRELEASED_INSTANCE_ID",
        "commits of members: UNKNOWN_MEMBER_ID",
        "members leave: NONE",
    }, seen


def test_half_of_the_seeds_have_such_groups() -> None:
    assert 40 < sum(bool(draw(seed).subscribers) for seed in range(100)) < 60


# --- what the history finds -------------------------------------------------------------------


def test_two_owners_at_one_time_are_found() -> None:
    history = GroupHistory()
    history.on_held(A, "one", [P], 1.0, 1.1, lease=3.0)
    history.on_held(B, "two", [P], None, 2.0, lease=3.0)  # A deposed coordinator's old news.
    with pytest.raises(Violation, match=r"belongs to b in epoch 1, and to a since 1\.1"):
        history.on_held(B, "two", [P], 3.0, 3.1, lease=3.0)


def test_one_that_has_given_up_or_may_be_out_is_no_owner() -> None:
    history = GroupHistory()
    history.on_held(A, "one", [P], 1.0, 1.1, lease=3.0)
    history.on_held(B, "two", [P], 4.0, 4.1, lease=3.0)
    history.on_given_up(B, [P])
    history.on_held(A, "one", [P], 4.2, 4.3, lease=3.0)


def test_while_another_client_asks_for_its_static_place_a_member_is_sure_of_nothing() -> None:
    history, one = GroupHistory(), replace(A, instance_id="i")
    history.on_held(one, "one", [P], 1.0, 1.1, lease=3.0, is_classic=True)
    history.on_place_asked(replace(B, instance_id="i"), "two", is_classic=False)
    history.on_held(one, "one", [P], 1.3, 1.4, lease=3.0, is_classic=True)
    history.on_held(B, "two", [P], 1.2, 1.5, lease=3.0)
    history.on_given_up(B, [P])
    history.on_place_answered(replace(B, instance_id="i"), "two", 1.5, is_classic=False)
    history.on_held(one, "one", [P], 1.6, 1.7, lease=3.0, is_classic=True)
    with pytest.raises(Violation, match="belongs to b in epoch 1, and to a"):
        history.on_held(B, "two", [P], 1.8, 1.9, lease=3.0)


def test_a_commit_for_what_another_has_got_is_found() -> None:
    history = GroupHistory()
    history.on_held(A, "one", [P], 1.0, 1.1, lease=3.0)
    early = history.begin("g", P, 5, 4.0)
    history.on_held(B, "two", [P], 5.0, 5.1, lease=3.0)
    history.on_committed(A, early, 5.2)
    late = history.begin("g", P, 6, 5.2)
    with pytest.raises(Violation, match=r"commit 2 of a was taken, though .* belongs to b since"):
        history.on_committed(A, late, 5.3)
    history.on_committed(B, late, 5.3)


def test_a_group_is_at_rest_once_each_partition_has_one_owner() -> None:
    history = GroupHistory()
    assert not history.is_at_rest("g", [P])
    history.on_held(A, "one", [P], 1.0, 1.1, lease=3.0)
    assert history.is_at_rest("g", [P])
    history.on_given_up(A, [P])
    assert history.is_at_rest("g", [P]), "members leave then"
