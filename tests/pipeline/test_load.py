"""From samples to the load of directories, and from there to plans, on Spark."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from tests.pipeline.samples import NOON, row, samples, silent

from spindle.pipeline import directory_loads, parallel_planning
from spindle.pipeline.assembly import capacities
from spindle.pipeline.job import uses
from spindle.pipeline.proposal import PlanRequest
from spindle.pipeline.session import Session
from spindle.planning.load import Band


def loads(spark: Session, *rows: dict[str, Any]) -> dict[tuple[int, str], Any]:
    found = directory_loads.directories(directory_loads.latest(samples(spark, rows))).collect()
    return {(r.broker, r.directory): r for r in found}


@pytest.mark.spec("P-03")
def test_a_directory_may_hold_what_it_holds_and_what_is_free(spark: Session) -> None:
    found = loads(
        spark,
        row(1, "/a", "t-0", 100, usable=400),
        row(1, "/a", "t-1", 50, usable=400),
        row(1, "/b", usable=900),
        row(2, "/a", "t-0", 7, usable=800),
    )
    assert (found[1, "/a"].used, found[1, "/a"].capacity, found[1, "/a"].replicas) == (150, 550, 2)
    assert (found[1, "/b"].used, found[1, "/b"].capacity, found[1, "/b"].replicas) == (0, 900, 0)
    assert found[2, "/a"].used == 7


def test_directories_of_one_file_system_share_what_is_free_there(spark: Session) -> None:
    found = loads(
        spark, row(1, "/a", "t-0", 100, usable=600), row(1, "/b", "t-1", 60, usable=600),
        row(1, "/c", usable=600), row(2, "/c", "t-9", 9, usable=600),
    )  # fmt: skip
    assert [found[1, path].capacity for path in ("/a", "/b", "/c")] == [253, 253, 253]
    assert found[2, "/c"].capacity == 609, "another broker's directory is another file system's"


@pytest.mark.spec("P-03")
def test_one_file_system_is_known_although_others_write_while_it_is_looked_at(
    spark: Session,
) -> None:
    gib = 1 << 30
    free = 600 * gib
    found = loads(
        spark,
        row(1, "/a", "t-0", 9 * gib, total_bytes=1000 * gib, usable=free - (60 << 20)),
        row(1, "/b", total_bytes=1000 * gib, usable=free),
        row(1, "/c", total_bytes=1000 * gib, usable=free - (30 << 20)),
        row(1, "/other", "t-1", gib, total_bytes=1000 * gib, usable=free - (130 << 20)),
        row(2, "/a", "t-0", gib, total_bytes=1000 * gib, usable=free),
    )
    each = (9 * gib + free - (60 << 20)) // 3
    assert [found[1, path].capacity for path in ("/a", "/b", "/c")] == [each, each, each]
    assert found[1, "/other"].capacity == gib + free - (130 << 20), "that is too far away"


def test_two_new_disks_are_alike_and_not_the_same(spark: Session) -> None:
    found = loads(
        spark, row(1, "/a", "t-0", 600, usable=300), row(1, "/b", usable=950),
        row(1, "/c", usable=950),
    )  # fmt: skip
    assert [found[1, path].capacity for path in ("/a", "/b", "/c")] == [900, 950, 950]


def test_two_disks_that_are_equally_full_are_not_the_same(spark: Session) -> None:
    found = loads(spark, row(1, "/a", "t-0", 600, usable=300), row(1, "/b", "t-1", 600, usable=300))
    assert [found[1, path].capacity for path in ("/a", "/b")] == [900, 900]


@pytest.mark.spec("P-03")
def test_dead_cordoned_and_unreported_directories_are_known_as_such(spark: Session) -> None:
    found = loads(
        spark, row(1, "/dead", directory_error="KAFKA_STORAGE_ERROR", usable=-1),
        row(1, "/shut", "t-0", 5, cordoned=True), row(1, "/old", "t-1", 5, usable=-1),
    )  # fmt: skip
    assert [(found[1, p].online, found[1, p].cordoned) for p in ("/dead", "/shut", "/old")] == [
        (False, False), (True, True), (True, False),
    ]  # fmt: skip
    assert found[1, "/old"].capacity is None


@pytest.mark.spec("P-03")
def test_each_brokers_newest_sample_counts_if_the_broker_answered(spark: Session) -> None:
    later = NOON + timedelta(minutes=5)
    found = loads(
        spark, row(1, "/a", "t-0", 100), row(1, "/a", "t-0", 300, at=later),
        row(2, "/a", "t-0", 100), silent(2, at=later), silent(3),
    )  # fmt: skip
    assert {place: r.used for place, r in found.items()} == {(1, "/a"): 300, (2, "/a"): 100}


# -- plans ---------------------------------------------------------------------------------------


def plans(
    spark: Session, rows: list[dict[str, Any]], **options: Any
) -> tuple[list[tuple[Any, ...]], list[str]]:
    """(moves as (broker, topic, partition, source, target, wave), notes)."""
    now = directory_loads.latest(samples(spark, rows))
    lists: dict[str, Any] = {name: tuple(value) for name, value in options.items()}
    wanted = PlanRequest(Band(0.05, 0.9), **lists)
    directories = directory_loads.directories(now)
    there = uses(directories)
    known = capacities(there, wanted)
    result = parallel_planning.plan(now, there, wanted, known).collect()
    moves = [
        (r.broker, r.topic, r.partition, r.source, r.target, r.wave) for r in result if r.topic
    ]
    return moves, [*known.notes(), *(note for r in result for note in r.notes)]


def skewed(broker: int, count: int = 8) -> list[dict[str, Any]]:
    return [
        *(row(broker, "/a", f"t-{n}", 10, usable=1000 - 10 * count) for n in range(count)),
        row(broker, "/b", usable=999),
    ]


@pytest.mark.spec("P-04")
def test_every_broker_is_planned_for_itself(spark: Session) -> None:
    moves, notes = plans(spark, [*skewed(1), *skewed(2, 4), *skewed(5, 2)])
    assert sorted((m[0], m[3], m[4]) for m in moves) == (
        [(1, "/a", "/b")] * 4 + [(2, "/a", "/b")] * 2 + [(5, "/a", "/b")]
    )
    assert [m[5] for m in moves if m[0] == 1] == [0, 1, 2, 3]
    assert notes == []


@pytest.mark.spec("P-04")
def test_brokers_are_shared_out_among_tasks(
    spark: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel_planning, "BROKERS_PER_TASK", 1)
    rows = [r for broker in range(1, 41) for r in skewed(broker)]
    now = directory_loads.latest(samples(spark, rows))
    there, wanted = uses(directory_loads.directories(now)), PlanRequest(Band(0.05, 0.9))
    known = capacities(there, wanted)
    planned = parallel_planning.plan(now, there, wanted, known)
    tasked = planned.where("topic is not null").withColumn("task", F.spark_partition_id())
    brokers = tasked.select("task", "broker").distinct()
    tasks = [row.task for row in brokers.collect()]
    assert len(tasks) == 40  # Each broker is planned as a whole, in one task.
    assert 10 < len(set(tasks)) <= parallel_planning.TASKS
    few = parallel_planning.plan(now, there, wanted, known, replicas=len(rows))
    tasked = few.where("topic is not null").withColumn("task", F.spark_partition_id())
    assert tasked.select("task").distinct().count() == 1, "a task has a price"


@pytest.mark.spec("P-04")
def test_drained_excluded_cordoned_and_dead_directories(spark: Session) -> None:
    moves, _ = plans(spark, skewed(1), exclude=["1:/b"])
    assert moves == []
    moves, _ = plans(spark, [*skewed(1), *skewed(2)], drain=["1:/a"])
    assert len([m for m in moves if m[0] == 1]) == 8
    assert len([m for m in moves if m[0] == 2]) == 4
    shut = [*skewed(1)[:-1], row(1, "/b", usable=999, cordoned=True)]
    assert plans(spark, shut)[0] == []
    dead = [*skewed(1)[:-1], row(1, "/b", usable=-1, directory_error="KAFKA_STORAGE_ERROR")]
    assert plans(spark, dead)[0] == []


@pytest.mark.spec("P-03", "P-04")
def test_two_directories_on_one_device_get_no_more_than_the_device_has(spark: Session) -> None:
    """500 bytes free on the device of /b and /c together: that is not 500 for each."""
    rows = [
        *(row(1, "/full", f"t-{n}", 50, total_bytes=2000, usable=0) for n in range(40)),
        row(1, "/b", "b-0", 50, total_bytes=600, usable=500),
        row(1, "/c", "c-0", 50, total_bytes=600, usable=500),
    ]
    moves, _ = plans(spark, rows, drain=["1:/full"])
    arrived = [move[4] for move in moves]
    assert 0 < len(arrived) * 50 <= 500
    assert arrived.count("/b") == arrived.count("/c") == 4, "up to 90 % of 300 bytes each"


@pytest.mark.spec("P-04")
def test_a_move_in_progress_counts_where_it_goes_and_is_left_alone(spark: Session) -> None:
    rows = [
        row(1, "/a", "t-0", 100, usable=850), row(1, "/b", "t-0", 20, usable=930, is_future=True),
        row(1, "/a", "t-1", 50, usable=850), row(1, "/b", "t-2", 50, usable=930),
        row(1, "/a", "t-3", 52, usable=850),
    ]  # fmt: skip
    moves, _ = plans(spark, rows)
    assert moves == [(1, "t", 2, "/b", "/a", 0)], "else /b would hold 150 of 250 when it is done"


@pytest.mark.spec("V-02")
def test_a_broker_that_does_not_report_its_space_has_its_bytes_evened_out(spark: Session) -> None:
    untold = [row(1, "/a", f"t-{n}", 50, usable=-1) for n in (0, 1)]
    moves, notes = plans(spark, [*untold, row(1, "/b", usable=-1), *skewed(2)])
    assert [(m[3], m[4]) for m in moves if m[0] == 1] == [("/a", "/b")]
    (note,) = notes
    assert note.startswith("broker 1: the space of the disks is not reported")
    partly = [*untold, row(1, "/b", usable=900), *skewed(2)]
    moves, notes = plans(spark, partly)
    assert {m[0] for m in moves} == {2}
    assert notes[0].startswith("broker 1: nothing is planned: the space of /a is not reported")


def test_without_brokers_there_is_no_plan(spark: Session) -> None:
    assert plans(spark, [silent(1)]) == ([], [])
    empty: DataFrame = samples(spark, [])
    assert directory_loads.latest(empty).count() == 0
