"""A plan from one sample, without Spark: what it says of devices, silent brokers and names."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.support.made_samples import NOON, TERA, Logs, directory, log, uneven

from spindle.model.errors import Unusable
from spindle.model.ids import TopicPartition
from spindle.pipeline import replanning
from spindle.pipeline.proposal import PlanRequest, document, parse
from spindle.pipeline.sampling import ClusterSample, rows
from spindle.pipeline.single_sample import propose, uses
from spindle.planning.assigned_replicas import UNSEEN, AssignedReplicas
from spindle.planning.budget import PlanBudget
from spindle.planning.load import Band
from spindle.planning.schedule import WaveLimits
from spindle.planning.selection import Selection

UNASKED = AssignedReplicas()
EVEN = PlanRequest(Band(0.05, 0.9))
GIGA = 1 << 30


def logs(topic: str, count: int) -> Logs:
    return {TopicPartition(topic, n): log(GIGA) for n in range(count)}


@pytest.mark.spec("P-03", "V-07")
def test_directories_on_one_device_share_its_space() -> None:
    shared = (TERA, TERA // 2)
    found = uses(
        1,
        (
            directory("/b", logs("t", 4), room=shared),
            directory("/a", logs("u", 2), room=(TERA, TERA // 2 - 1000)),
            directory("/c", logs("v", 1), room=(2 * TERA, TERA)),
            directory("/d", {}, online=False, room=None),
        ),
    )
    half = (6 * GIGA + TERA // 2 - 1000) // 2
    assert [(use.path, use.capacity, use.used) for use in found] == [
        ("/a", half, 2 * GIGA),
        ("/b", half, 4 * GIGA),
        ("/c", GIGA + TERA, GIGA),
        ("/d", None, 0),
    ]


@pytest.mark.spec("V-07", "N-06")
def test_brokers_of_which_nothing_can_be_planned_are_named() -> None:
    proposal = propose(uneven(3), EVEN, UNASKED)
    assert proposal.moves
    assert proposal.silent == ((6, "nothing listens there"),)
    assert proposal.unplanned == (6,)
    told = proposal.notes[0]
    assert told.startswith("broker 5: the space of the disks is not reported")
    together = propose(uneven(3), replace(EVEN, between=True), UNASKED)
    assert together.unplanned == (5, 6)
    assert any(note.startswith("broker 5: nothing is planned: ") for note in together.notes)
    assert not any(5 in (move.broker, move.to) for move in together.moves)


@pytest.mark.spec("V-02")
def test_bytes_are_evened_out_where_no_space_is_reported_and_shares_where_it_is_given() -> None:
    old = ClusterSample(
        NOON,
        {1: (directory("/a", logs("t", 8), room=None), directory("/b", {}, room=None))},
    )
    plain = propose(old, EVEN, UNASKED)
    assert {d.path: d.after for d in plain.directories} == {"/a": 4 * GIGA, "/b": 4 * GIGA}
    assert (plain.bytes_only, plain.unplanned, plain.done) == ((1,), (), True)
    sizes = {"1:/a": 30 * GIGA, "1:/b": 10 * GIGA}
    told = propose(old, replace(EVEN, capacities=sizes), UNASKED)
    assert {d.path: (d.capacity, d.after) for d in told.directories} == {
        "/a": (30 * GIGA, 6 * GIGA), "/b": (10 * GIGA, 2 * GIGA),
    }  # fmt: skip
    with pytest.raises(Unusable, match="no log directory 1:/c"):
        propose(old, replace(EVEN, capacities={"1:/c": 1}), UNASKED)
    again = parse(json.dumps(document(plain)))
    assert again.unplanned == ()
    assert replanning.replan(old.census, again, (), WaveLimits()) == plain.waves


@pytest.mark.spec("V-04")
def test_a_dead_broker_is_emptied_onto_others() -> None:
    room = (TERA, TERA // 2)
    sample = ClusterSample(
        NOON,
        {1: (directory("/a", logs("t", 2), room=room),), 2: (directory("/a", {}, room=room),),
         3: TimeoutError("dead")},
    )  # fmt: skip
    truth = AssignedReplicas({1: None, 2: None}, {("t", 0): (1, 3), ("t", 1): (1, 3)})
    wanted = replace(EVEN, drain=("3",), between=True)
    found = propose(sample, wanted, truth)
    assert [(m.broker, m.source, m.to) for m in found.moves] == [(3, UNSEEN, 2)] * 2
    assert all(d.after >= 0 for d in found.directories)
    idle = propose(sample, replace(EVEN, between=True), truth)
    assert not idle.moves, "a copy of each is on broker 3, and broker 2 gets no other one"


def test_a_plan_is_cut_to_what_it_may_cost() -> None:
    room = (TERA, TERA // 2)
    sample = ClusterSample(
        NOON, {1: (directory("/a", logs("t", 8), room=room), directory("/b", {}, room=room))}
    )
    cut = propose(sample, replace(EVEN, budget=PlanBudget(moves=1)), UNASKED)
    assert len(cut.moves) == 1
    assert cut.bound == 0
    assert "left out, to keep to --max-moves" in cut.notes[-1]
    only = replace(EVEN, selection=Selection(("other.*",)))
    assert not propose(sample, only, UNASKED).moves
    assert parse(json.dumps(document(cut))).wanted == cut.wanted


def test_topics_that_the_user_may_not_see_are_named() -> None:
    room = (TERA, TERA // 2)
    sample = ClusterSample(
        NOON, {1: (directory("/a", logs("t", 8), room=room), directory("/b", {}, room=room))}
    )
    found = propose(sample, EVEN, AssignedReplicas({1: None}, {("seen", 0): (1,)}))
    assert found.hidden == ("t",)
    assert not found.moves


def test_a_replica_that_is_moving_counts_where_it_goes() -> None:
    name = TopicPartition("t", 0)
    sample = ClusterSample(
        NOON,
        {
            1: (
                directory("/a", logs("t", 2), room=(TERA, TERA - 3 * GIGA)),
                directory("/b", {}, {name: log(1, future=True)}, room=(TERA, TERA - GIGA)),
            )
        },
    )
    assert propose(sample, EVEN, UNASKED).moves == ()


def test_a_name_that_is_not_there_is_refused() -> None:
    with pytest.raises(Unusable, match="the cluster has no log directory 1:/nowhere"):
        propose(uneven(3), PlanRequest(EVEN.band, ("1:/nowhere",)), UNASKED)
    with pytest.raises(Unusable, match="there is no broker 6; there are: 1, 2"):
        propose(uneven(3), PlanRequest(EVEN.band, ("6",), between=True), UNASKED)


def test_a_silent_broker_and_an_empty_directory_have_a_row_each() -> None:
    assert rows(6, TimeoutError(), NOON) == [
        {"sampled_at": NOON, "broker": 6, "broker_error": "TimeoutError"}
    ]
    (row,) = rows(1, (directory("/a", {}),), NOON)
    assert (row["directory"], row["directory_error"], row.get("topic")) == ("/a", None, None)
