"""A plan's file: written, read back, refused where it is none; and the rest planned again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from spindle.cli.reassign.reassignment_plan import parse_plan
from spindle.client.results import LogDescription, LogDirDescription, Replica
from spindle.model.errors import Error, Unusable
from spindle.model.ids import TopicPartition
from spindle.pipeline import replanning
from spindle.pipeline.proposal import (
    ClusterProposal,
    DirectoryNow,
    PlanRequest,
    document,
    led,
    parse,
)
from spindle.planning.load import Band, PlannedMove
from spindle.planning.schedule import WaveLimits
from spindle.planning.selection import Selection

MOVES = (
    PlannedMove(1, "t", 0, "/a", "/b", 100),
    PlannedMove(1, "t", 1, "/a", "/c", 50, destination=2),
)
WANTED = PlanRequest(Band(0.05, 0.8, free_floor=7), ("1:/a",), ("2:/c",), WaveLimits(2, 3))
PLAN = ClusterProposal(
    (
        DirectoryNow(1, "/a", True, 1000, 900, 750),
        DirectoryNow(1, "/b", True, 1000, 0, 100, cordoned=True),
    ),
    ((MOVES[0],), (MOVES[1],)), 120, ("a note",), ((3, "no answer"),), WANTED, "now",
)  # fmt: skip


@pytest.mark.spec("P-06")
def test_a_plan_is_read_back_as_it_was_and_is_a_file_of_kafkas_tool_too() -> None:
    text = json.dumps(document(PLAN, {("t", 0): (1, 2), ("t", 1): (3, 1)}))
    assert parse(text) == PLAN
    kafkas = parse_plan(text)
    assert kafkas.directories[Replica("t", 0, 1)] == "/b"


def test_without_assignments_there_is_no_part_for_kafkas_tool() -> None:
    assert "partitions" not in document(PLAN)
    assert parse(json.dumps(document(PLAN))) == PLAN


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"spindle": {}}', '{"spindle": 5}', '{"spindle": {"tolerance": 7}}']
)
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(Unusable, match=r"p\.json is not a plan of `spindle balance plan`"):
        parse(text, "p.json")


def directory(path: str, *sizes: int, first: int = 0, cordoned: bool = False) -> LogDirDescription:
    current = {
        TopicPartition("t", first + n): LogDescription(size, 0, is_future=False)
        for n, size in enumerate(sizes)
    }
    return LogDirDescription(path, Error.NONE, 10_000, 5000, cordoned, current, {})


def proposal(*paths: str, wanted: PlanRequest | None = None) -> ClusterProposal:
    directories = tuple(DirectoryNow(1, path, True, 10_000, 0, 0) for path in paths)
    return ClusterProposal(directories, (), 0, (), (), wanted or PlanRequest(Band(0.05, 0.9)))


def test_the_rest_is_planned_again_from_what_is_there_now() -> None:
    census = {1: (directory("/a", 100, 100, 100, 100), directory("/b"))}
    waves = replanning.replan(census, proposal("/a", "/b"), (), WaveLimits())
    moves = [m for wave in waves for m in wave]
    assert [(m.source, m.target, m.size) for m in moves] == [("/a", "/b", 100)] * 2
    assert replanning.used(census) == {(1, "/a"): 400, (1, "/b"): 0}


def test_what_is_under_way_counts_where_it_goes() -> None:
    census = {1: (directory("/a", 100, 100, 100, 100), directory("/b"))}
    running = [PlannedMove(1, "t", n, "/a", "/b", 100) for n in (0, 1)]
    assert replanning.replan(census, proposal("/a", "/b"), running, WaveLimits()) == ()


def test_a_directory_cordoned_meanwhile_gets_nothing_and_drains_stay_drains() -> None:
    census = {1: (directory("/a", 100, 100), directory("/b"), directory("/c", cordoned=True))}
    wanted = PlanRequest(Band(0.05, 0.9), drain=("1:/a",))
    waves = replanning.replan(census, proposal("/a", "/b", "/c", wanted=wanted), (), WaveLimits())
    assert {(m.source, m.target) for wave in waves for m in wave} == {("/a", "/b")}
    assert replanning.taking(census) == {(1, "/a"), (1, "/b")}


def test_the_room_of_a_directory_is_what_the_band_leaves() -> None:
    rooms = replanning.rooms(PLAN)
    assert rooms[1, "/a"].reserve == 200
    assert rooms[1, "/a"].used == 900


def test_rates_are_kept_in_the_file_and_what_is_planned_again_is_even_in_both() -> None:
    band = Band(0.05, 0.9, rate_tolerance=0.05)
    rates = {("t", n): 60 if n < 4 else 20 for n in range(8)}
    plan = replace(proposal("/a", "/b", wanted=PlanRequest(band)), rates=rates)
    assert parse(json.dumps(document(plan))) == plan
    census = {1: (directory("/a", *[100] * 4), directory("/b", *[100] * 4, first=4))}
    without = replace(plan, rates={})
    assert replanning.replan(census, without, (), WaveLimits()) == ()
    moves = [m for wave in replanning.replan(census, plan, (), WaveLimits()) for m in wave]
    assert sorted((m.source, m.rate) for m in moves) == [("/a", 60)] * 2 + [("/b", 20)] * 2


def test_what_is_on_its_way_between_brokers_has_its_rate_there() -> None:
    band = Band(0.05, 0.9, rate_tolerance=0.05)
    directories = tuple(DirectoryNow(b, "/a", True, 10_000, 0, 0) for b in (1, 2))
    rates = {("t", n): 50 for n in range(4)}
    plan = replace(proposal(wanted=PlanRequest(band, between=True)), directories=directories)
    plan = replace(plan, rates=rates)
    census = {1: (directory("/a", 100, 100, 100, 100),), 2: (directory("/a"),)}
    running = [PlannedMove(1, "t", n, "/a", "/a", 100, 2, 50.0) for n in (0, 1)]
    assert replanning.replan(census, plan, running, WaveLimits()) == ()


@pytest.mark.spec("P-04")
def test_the_leader_of_an_excluded_topic_stays_as_it_is_and_counts() -> None:
    replicas = {("kept", n): (1, 2) for n in range(3)} | {("t", n): (1, 2) for n in range(5)}
    even, spared = (
        PlanRequest(Band(0.0)),
        PlanRequest(Band(0.0), selection=Selection(exclude_topics=("ke.*",))),
    )
    plain = led(proposal("/a", wanted=even), replicas, (1, 2)).leadership
    kept = led(proposal("/a", wanted=spared), replicas, (1, 2)).leadership
    assert plain is not None
    assert kept is not None
    assert {order.topic for order in plain.orders} >= {"kept"}
    assert [(order.topic, order.replicas) for order in kept.orders] == [("t", (2, 1))] * 4
    assert [lead.partitions_after for lead in kept.leads] == [4, 4]


@pytest.mark.spec("P-04")
def test_a_broker_to_drain_goes_on_to_lead_an_excluded_topic_and_it_is_named() -> None:
    replicas = {("kept", 0): (1, 2), ("t", 0): (1, 2), ("t", 1): (2, 1), ("alone", 0): (1,)}
    wanted = PlanRequest(drain=("1",), selection=Selection(exclude_topics=("kept",)))
    plan = led(proposal("/a", wanted=wanted), replicas, (2,))
    assert plan.leadership is not None
    assert [(order.topic, order.partition) for order in plan.leadership.orders] == [("t", 0)]
    assert [note for note in plan.notes if note.startswith("broker 1 ")] == [
        "broker 1 still leads 1 excluded partition: kept-0",
        "broker 1 still leads 1 partition, and no other broker that may lead has a "
        "replica: alone-0",
    ]


@pytest.mark.spec("P-04")
@pytest.mark.parametrize("between", [False, True], ids=["within", "between"])
def test_what_is_planned_again_leaves_excluded_topics_where_they_are(between: bool) -> None:
    logs = {
        TopicPartition(topic, n): LogDescription(100, 0, is_future=False)
        for topic in ("kept", "t")
        for n in range(3)
    }
    full = LogDirDescription("/a", Error.NONE, 10_000, 5000, False, logs, {})
    census = {1: (full,), 2: (directory("/a"),)} if between else {1: (full, directory("/b"))}
    places = [(1, "/a"), (2, "/a")] if between else [(1, "/a"), (1, "/b")]
    directories = tuple(DirectoryNow(b, path, True, 10_000, 0, 0) for b, path in places)
    for excluded, topics in (((), {"kept", "t"}), (("kept",), {"t"}), ((".*",), set())):
        chosen = Selection(exclude_topics=excluded)
        wanted = PlanRequest(Band(0.05, 0.9), between=between, selection=chosen)
        waves = replanning.replan(
            census, ClusterProposal(directories, (), 0, (), (), wanted), (), WaveLimits()
        )
        moves = [move for wave in waves for move in wave]
        assert len(moves) == (3 if topics else 0)
        assert {move.topic for move in moves} <= topics
