"""A plan is the same whether Spark makes it or this process; so is the sample that is kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame
from tests.pipeline.samples import samples
from tests.support.made_samples import uneven

from spindle.model.errors import Unusable
from spindle.pipeline import (
    directory_loads,
    forecast,
    history,
    job,
    sampling,
    single_sample,
    small_history,
    what_if,
)
from spindle.pipeline.proposal import ClusterProposal, PlanRequest
from spindle.pipeline.sampling import ClusterSample
from spindle.pipeline.schemas import SAMPLE
from spindle.pipeline.session import Session
from spindle.planning.assigned_replicas import AssignedReplicas
from spindle.planning.budget import PlanBudget
from spindle.planning.load import Band
from spindle.planning.schedule import WaveLimits
from spindle.planning.selection import Selection

RACKED = {broker: f"rack-{broker % 3}" for broker in range(1, 7)}
RACKS = AssignedReplicas(RACKED)
EVEN = Band(0.05, 0.9)


def rows(sample: ClusterSample) -> list[dict[str, Any]]:
    found = [row for b, told in sample.answers.items() for row in sampling.rows(b, told, sample.at)]
    return [{name: row.get(name) for name in SAMPLE.names} for row in found]


def on_spark(
    frame: DataFrame, wanted: PlanRequest, truth: AssignedReplicas = RACKS
) -> ClusterProposal:
    now = directory_loads.told(frame)
    return job.proposed(frame, now, directory_loads.directories(now), wanted, truth)


def parts(proposal: ClusterProposal) -> dict[str, object]:
    """All that a plan says; the order of notes about brokers that are planned apart is free."""
    return {
        "waves": proposal.waves,
        "directories": proposal.directories,
        "bound": proposal.bound,
        "notes": sorted(proposal.notes),
        "silent": sorted(proposal.silent),
        "sampled_at": proposal.sampled_at,
        "weights": dict(proposal.weights),
    }


WISHES = {
    "within brokers": PlanRequest(EVEN),
    "drained, spared, and leaders": PlanRequest(
        EVEN, ("1:/disk0",), ("4:/disk1",), WaveLimits(2, 3), leaders=True,
        selection=Selection(exclude_topics=("topic-3",)),
    ),
    "between brokers": PlanRequest(EVEN, between=True),
    "between brokers, one is emptied": PlanRequest(EVEN, ("4",), between=True, mend_racks=True),
}  # fmt: skip


@pytest.mark.spec("V-07")
def test_spark_and_this_process_make_the_same_plan(spark: Session) -> None:
    sample = uneven(7)
    frame = samples(spark, rows(sample)).cache()
    for name, wanted in WISHES.items():
        here, there = single_sample.propose(sample, wanted, RACKS), on_spark(frame, wanted)
        assert here.moves, name
        assert parts(here) == parts(there), name


@pytest.mark.spec("V-04", "V-07")
def test_they_make_the_same_plan_of_what_the_metadata_has(spark: Session) -> None:
    sample = uneven(7)
    frame = samples(spark, rows(sample)).cache()
    placed: dict[tuple[str, int], tuple[int, ...]] = {}
    for broker, found in sample.census.items():
        for name in (name for d in found for name in d.current):
            key = (name.topic, name.partition)
            placed[key] = (*placed.get(key, ()), broker)
    some = sorted(placed)
    unseen = {key: (*placed[key], 6) for key in some[::7] if key[0] != some[-1][0]}
    going = {key: placed[key] for key in some[1::11]}
    shown = {key: brokers for key, brokers in placed.items() if key[0] != some[-1][0]}
    truth = AssignedReplicas(RACKED, {**shown, **unseen}, going)
    budget = PlanBudget(moves=5)
    for wanted in (
        PlanRequest(EVEN, budget=budget),
        PlanRequest(EVEN, between=True),
        PlanRequest(EVEN, ("6",), between=True, selection=Selection(("topic-[0-9]",))),
        PlanRequest(EVEN, selection=Selection(("no",), (), ("topic-.*:2-",), ("topic-1:3",))),
    ):
        here, there = single_sample.propose(sample, wanted, truth), on_spark(frame, wanted, truth)
        assert here.moves
        assert parts(here) == parts(there)
        assert here.hidden == there.hidden == (some[-1][0],)


@pytest.mark.spec("V-07", "P-02")
def test_a_sample_that_is_kept_without_spark_is_the_one_that_spark_reads(
    spark: Session, tmp_path: Path
) -> None:
    sample = uneven(11, partitions=20)
    file = small_history.append(sample, tmp_path)
    assert small_history.append(sample, tmp_path) == file, "twice is once"
    assert [file] == history.files(tmp_path)

    def ordered(found: Iterable[Any]) -> list[str]:
        return sorted(map(str, found))

    kept = history.read(spark, tmp_path).collect()
    assert ordered(kept) == ordered(samples(spark, rows(sample)).collect())
    assert not list((tmp_path / "_aside").iterdir())
    beyond = f"file://{tmp_path}/beyond"  # As a URI that only Spark reaches.
    assert job.keep(spark, sample, beyond) == str(file).replace(str(tmp_path), f"{tmp_path}/beyond")
    assert ordered(history.read(spark, beyond).collect()) == ordered(kept)


@pytest.mark.spec("V-07", "P-08")
def test_what_if_and_the_list_of_samples_are_the_same_on_spark_and_here(
    spark: Session, tmp_path: Path
) -> None:
    later = uneven(6, partitions=60)
    for sample in (uneven(5, partitions=60), replace(later, at=later.at + timedelta(hours=1))):
        small_history.append(sample, tmp_path)
    kept = small_history.read(tmp_path)
    assert kept is not None
    assert small_history.summary(kept) == forecast.summary(history.read(spark, tmp_path))
    disk = what_if.NewDisk(1, "/fresh", 1 << 40)
    lost = what_if.Changes((disk,), ("4:/disk0", "4:/disk1"), racks=RACKED)
    for wanted in (PlanRequest(EVEN), PlanRequest(EVEN, between=True)):
        here = what_if.what_if_here(small_history.newest(kept), wanted, lost)
        there = what_if.what_if(spark, tmp_path, wanted, lost)
        assert here.proposal.notes[0].startswith(tuple("0123456789"))
        assert parts(here.proposal) == parts(there.proposal)
        assert sorted(here.against) == sorted(there.against)
    twice = what_if.Changes((what_if.NewDisk(1, "/disk0", 1),))
    with pytest.raises(Unusable, match="broker 1 has /disk0 already"):
        what_if.what_if_here(small_history.newest(kept), PlanRequest(EVEN), twice)


@pytest.mark.spec("V-07")
def test_a_sample_that_spark_takes_and_one_that_was_taken_give_the_same_plan(
    spark: Session, tmp_path: Path
) -> None:
    sample, wanted = uneven(12, partitions=60), PlanRequest(EVEN)
    frame = samples(spark, rows(sample))
    taken = job.planned(spark, small_history.append(sample, tmp_path), tmp_path, wanted)
    assert taken.moves
    assert parts(taken) == parts(on_spark(frame, wanted, AssignedReplicas()))
    assert taken.silent == sample.silent
    assert job.planned(spark, None, tmp_path, wanted).notes == ("no broker is registered",)


def test_a_cluster_without_a_broker_leaves_no_file(tmp_path: Path) -> None:
    nothing = ClusterSample(uneven(1).at, {})
    assert small_history.append(nothing, tmp_path) is None
    assert single_sample.propose(nothing, PlanRequest(), AssignedReplicas()).notes == (
        "no broker is registered",
    )
