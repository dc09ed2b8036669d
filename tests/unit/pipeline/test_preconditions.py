"""What stands against a run, which faults are named before it, and the plan that takes it back."""

from __future__ import annotations

import pytest
from tests.support.made_samples import directory, log

from spindle.model.ids import TopicPartition
from spindle.pipeline.execution_values import ReplicationHealth
from spindle.pipeline.known_faults import FAULTS, NEWEST, faults, release_range
from spindle.pipeline.preconditions import ClusterHealth, obstacles, refusal
from spindle.pipeline.proposal import ClusterProposal, DirectoryNow, PlanRequest
from spindle.pipeline.undoing import undoing
from spindle.planning.load import PlannedMove

ILL = ClusterHealth(
    frozenset({(1, "/dead"), (9, "/elsewhere")}),
    ReplicationHealth(
        frozenset({1, 2}),
        {
            TopicPartition("t", 0): frozenset({1}),
            TopicPartition("t", 1): frozenset({2}),
            TopicPartition("t", 10): frozenset({2}),
            TopicPartition("far", 0): frozenset({9}),
        },
        frozenset({TopicPartition("t", 10)}),
    ),
    frozenset({TopicPartition("t", 1), TopicPartition("u", 3)}),
)
OWN = {TopicPartition("t", 1)}


@pytest.mark.spec("V-05")
def test_trouble_of_brokers_that_take_part_stands_against_a_run_and_is_named() -> None:
    found = obstacles(ILL, {1, 2}, OWN, ())
    assert [one.name for one in found] == ["1:/dead", "under-replicated", "reassignments"]
    assert refusal(found) == (
        "nothing was moved: broker 1: log directory /dead is offline; 2 partitions are not in sync "
        "on these brokers: t-0, t-10 (without a leader: t-10); 1 reassignment of other "
        "parties in progress: u-3. Mend it, or go on in spite of it: --despite 1:/dead "
        "--despite under-replicated --despite reassignments"
    )
    assert ILL.known.offline == ILL.offline
    assert TopicPartition("t", 0) in ILL.known.under_replicated
    assert ILL.known.live == {1, 2}


@pytest.mark.spec("V-05")
def test_of_a_broker_that_refuses_the_planned_moves_the_refusal_says_so() -> None:
    (one,) = obstacles(ClusterHealth(ILL.offline, barred=frozenset({1})), {1}, set(), ())
    assert one.what == (
        "broker 1: log directory /dead is offline, so Apache Kafka refuses the plan's moves "
        "between the broker's directories (a new plan has none)"
    )


@pytest.mark.spec("V-05", "V-06")
def test_a_broker_that_gives_no_answer_stands_against_a_run_in_which_it_takes_part() -> None:
    behind = {TopicPartition("t", 0): frozenset({2})}
    health = ClusterHealth(
        replicas=ReplicationHealth(behind=behind),
        silent={2: "broker 2 (h:1) did not answer within 5 s", 3: "down"},
    )
    (one,) = obstacles(health, {1, 2}, set(), ())
    assert one == (
        "2",
        "broker 2 takes part and gives no answer (broker 2 (h:1) did not answer within 5 s)",
    )
    assert obstacles(health, {1, 2}, set(), ["2"]) == []
    assert health.known.silent == {2, 3}


@pytest.mark.spec("V-05")
def test_an_operator_goes_on_by_name() -> None:
    names = ["1:/dead", "t-0", "t-10", "reassignments"]
    assert obstacles(ILL, {1, 2}, OWN, names) == []
    assert [o.name for o in obstacles(ILL, {1, 2}, OWN, names[1:])] == ["1:/dead"]
    assert obstacles(ILL, {3}, OWN, ["reassignments"]) == [], "others are none of its business"


@pytest.mark.spec("V-05")
@pytest.mark.parametrize(
    ("level", "served", "first", "last"),
    [
        (19, {}, (3, 7), (3, 7)),
        (25, {}, (4, 0), (4, 0)),
        (99, {}, (4, 3), NEWEST),
        (None, {1: (0, 11), 10: (0, 3)}, (2, 4), (2, 6)),
        (None, {1: (0, 12), 10: (0, 3)}, (2, 7), (2, 9)),
        (None, {1: (0, 13), 10: (0, 4)}, (3, 1), (3, 4)),
        (None, {1: (0, 17), 10: (0, 6)}, (3, 9), (4, 0)),
    ],
)
def test_a_release_shows_in_what_a_broker_serves(
    level: int | None,
    served: dict[int, tuple[int, int]],
    first: tuple[int, int],
    last: tuple[int, int],
) -> None:
    assert release_range(level, served) == (first, last)


@pytest.mark.spec("V-05")
def test_faults_are_named_where_a_broker_may_have_them() -> None:
    def named(*releases: tuple[tuple[int, int], tuple[int, int]], **kinds: bool) -> list[str]:
        return [f.name for f in faults(releases, **{"within": True, "between": False, **kinds})]

    assert named(((3, 4), (3, 4))) == ["KAFKA-15391, KAFKA-15572", "KAFKA-19571"]
    assert named(((3, 7), (3, 7))) == ["KAFKA-19571", "KAFKA-16297"]
    assert named(((3, 7), (3, 7)), within=False, between=True) == ["KAFKA-19571"]
    assert named(((2, 4), (2, 6)))[0] == "KAFKA-9654"
    assert named(((4, 2), NEWEST)) == []
    assert named(((4, 3), (4, 3)), ((4, 0), (4, 0))) == ["KAFKA-19571"], "one old broker is enough"
    assert all(fault.first <= fault.last for fault in FAULTS)


def test_what_a_run_has_moved_is_taken_back_the_last_first() -> None:
    within = PlannedMove(1, "t", 0, "/a", "/b", 10)
    onward = PlannedMove(1, "t", 0, "/b", "/c", 10, 2)
    stray = PlannedMove(1, "u", 0, "/a", "/b", 5)
    places = [(1, "/a", 15), (1, "/b", 0), (2, "/c", 0)]
    directories = tuple(DirectoryNow(b, p, True, 100, used, used) for b, p, used in places)
    plan = ClusterProposal(directories, (), 0, (), (), PlanRequest(drain=("1:/a",)))
    back = undoing(plan, [[within, stray], [onward]], [(stray, "in /c")], {})
    assert back.waves == (
        (PlannedMove(2, "t", 0, "/c", "/b", 10, 1),),
        (PlannedMove(1, "t", 0, "/b", "/a", 10),),
    )
    assert [(d.before, d.after) for d in back.directories] == [(5, 15), (0, 0), (10, 0)]
    assert back.wanted.exact
    assert back.wanted.drain == ()
    assert back.notes == ("u-0 on broker 1 stays: the run moved it to /b; now: in /c",)


@pytest.mark.spec("V-05")
def test_taking_back_shows_the_directories_as_they_are_now() -> None:
    """A run of yesterday: the replica has grown, a disk has died, and one broker is silent."""
    moves = [[PlannedMove(1, "t", 0, "/a", "/b", 10)], [PlannedMove(2, "u", 0, "/a", "/b", 5)]]
    places = [(1, "/a", 10), (1, "/b", 0), (1, "/dead", 7), (2, "/a", 5), (2, "/b", 0)]
    directories = tuple(DirectoryNow(b, p, True, 100, used, used) for b, p, used in places)
    found = (
        directory("/a", {}, room=(90, 70)),
        directory("/b", {TopicPartition("t", 0): log(30)}, room=(95, 65)),
        directory("/dead", {}, online=False, room=None),
    )
    plan = ClusterProposal(directories, (), 0, (), (), PlanRequest())
    back = undoing(plan, moves, [], {1: found})
    assert back.moves == (
        PlannedMove(2, "u", 0, "/b", "/a", 5), PlannedMove(1, "t", 0, "/b", "/a", 30),
    )  # fmt: skip
    assert [(d.online, d.capacity, d.before, d.after) for d in back.directories] == [
        (True, 70, 0, 30), (True, 95, 30, 0), (False, 100, 0, 0), (True, 100, 0, 5),
        (True, 100, 5, 0),
    ]  # fmt: skip
