"""Plans for a cluster that is not there: a disk or broker more or less, tried on the history.

Nothing is asked or changed in any cluster. A lost disk, or broker, is planned like one to be
emptied, since its replicas need the same room; they come from other brokers, and what had no other
copy is named.
Stages are functions DataFrame -> DataFrame. Called by the commands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spindle.model.errors import Unusable
from spindle.pipeline import directory_loads, history, job, single_sample
from spindle.pipeline.proposal import ClusterProposal, PlanRequest
from spindle.pipeline.sampling import ClusterSample
from spindle.pipeline.schemas import DIRECTORY
from spindle.pipeline.spark_messages import in_few_words
from spindle.planning.amounts import counted, listed
from spindle.planning.assigned_replicas import AssignedReplicas


class NewDisk(NamedTuple):
    """A directory that a broker would get, and the bytes that replicas may take there.

    A broker that the history does not know is a new one.
    """

    broker: int
    path: str
    capacity: int


@dataclass(frozen=True, slots=True)
class Changes:
    """What would be different; to lose: directories as BROKER:PATH, or a BROKER; `ahead` in days.

    `racks`: of brokers; one without is taken for a rack by itself, since samples do not tell racks.
    """

    add: tuple[NewDisk, ...] = ()
    lose: tuple[str, ...] = ()
    ahead: float = 0.0
    racks: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """The plan for such a cluster, and what stands against it: empty where it is possible."""

    proposal: ClusterProposal
    against: tuple[str, ...]
    lost: tuple[str, ...] = ()
    """The directories, BROKER:PATH, and brokers that are lost in it."""

    @property
    def possible(self) -> bool:
        """Whether a plan exists."""
        return not self.against


class NoHistory(Unusable):
    """The history has no sample yet, so the question has no answer."""

    def __init__(self, home: Path | str) -> None:
        super().__init__(
            f"there is no history in {home}: take a sample with "
            f"`spindle balance history -b HOST:PORT --history {home}`"
        )


def what_if(
    spark: SparkSession, history_dir: Path | str, wanted: PlanRequest, changes: Changes
) -> Answer:
    """Plan from the newest samples of a history, as if things were different."""
    with in_few_words():
        samples = history.read(spark, history_dir)
        if not samples.head(1):
            raise NoHistory(history_dir)
        now = directory_loads.latest(samples).cache()
        directories = _with(directory_loads.directories(now), changes.add, wanted.between)
        drained = replace(wanted, drain=(*wanted.drain, *changes.lose))
        none = samples.limit(0)
        proposal = job.proposed(
            none,
            now,
            directories,
            drained,
            AssignedReplicas(dict(changes.racks)),
            job.past_for(spark, history_dir, wanted, changes.ahead),
            changes.ahead,
        )
        notes = _lost(now, changes.lose)
    told = replace(proposal, notes=(*notes, *proposal.notes))
    return Answer(told, tuple(_against(proposal)), changes.lose)


def what_if_here(sample: ClusterSample, wanted: PlanRequest, changes: Changes) -> Answer:
    """The same from one sample, without Spark: nothing `ahead`, and no write rates."""
    assert not changes.ahead
    assert wanted.band.rate_tolerance is None
    census = sample.census
    known = {(broker, d.path) for broker, found in census.items() for d in found}
    _check(known, changes.add, wanted.between)
    drained = replace(wanted, drain=(*wanted.drain, *changes.lose))
    room = {(d.broker, d.path): d.capacity for d in changes.add}
    proposal = single_sample.propose(sample, drained, AssignedReplicas(changes.racks), room)
    gone = [
        (name, name_of(broker, d.path) in changes.lose or str(broker) in changes.lose)
        for broker, found in census.items()
        for d in found
        for name in d.current
    ]
    copies, lost = Counter(name for name, _ in gone), Counter(name for name, is_ in gone if is_)
    alone = sorted(name for name, count in lost.items() if count == copies[name])
    notes = _loss(changes.lose, lost.total(), [f"{topic}-{number}" for topic, number in alone])
    return Answer(
        replace(proposal, notes=(*notes, *proposal.notes)), tuple(_against(proposal)), changes.lose
    )


def name_of(broker: int, path: str) -> str:
    """A directory as options name it."""
    return f"{broker}:{path}"


def _with(directories: DataFrame, add: Sequence[NewDisk], between: bool) -> DataFrame:
    if not add:
        return directories
    _check({(r["broker"], r["directory"]) for r in directories.collect()}, add, between)
    rows = [(d.broker, d.path, True, False, d.path, d.capacity, 0, 0) for d in add]
    fresh = directories.sparkSession.createDataFrame(rows, DIRECTORY)
    return directories.unionByName(fresh)


def _check(known: Set[tuple[int, str]], add: Sequence[NewDisk], between: bool) -> None:
    brokers = sorted({broker for broker, _ in known})
    for disk in add:
        if disk.broker not in brokers and not between:
            raise Unusable(
                f"the history knows no broker {disk.broker}; it knows {brokers}. A new broker gets "
                "replicas of others only with --between-brokers"
            )
        if (disk.broker, disk.path) in known:
            raise Unusable(f"broker {disk.broker} has {disk.path} already; name a new directory")


def _lost(now: DataFrame, lose: Sequence[str]) -> list[str]:
    """What the loss of these directories means for the data."""
    if not lose:
        return []
    current = now.where("topic is not null and not is_future").withColumn(
        "lost",
        F.concat_ws(":", "broker", "directory").isin(*lose)
        | F.col("broker").cast("string").isin(*lose),
    )
    copies = current.groupBy("topic", "partition").agg(
        F.sum(F.when(F.col("lost"), 1).otherwise(0)).alias("gone"), F.count("*").alias("all")
    )
    gone = copies.agg(F.sum("gone").alias("gone")).collect()[0]["gone"] or 0
    only = copies.where(F.col("gone") == F.col("all")).orderBy("topic", "partition")
    return _loss(lose, gone, [f"{row['topic']}-{row['partition']}" for row in only.collect()])


def _loss(lose: Sequence[str], gone: int, alone: Sequence[str]) -> list[str]:
    """What is said of so many replicas that are lost, and partitions without another copy."""
    if not lose:
        return []
    if not gone:
        return ["what is lost holds no replica"]
    those = counted(gone, "replica is lost with it and has", "replicas are lost with it and have")
    notes = [f"{those} to be fetched from other brokers"]
    if alone:
        those = counted(
            len(alone),
            "partition has no other copy, its records are lost",
            "partitions have no other copy, their records are lost",
        )
        notes.append(f"{those}: {listed(alone)}")
    return notes


def _against(proposal: ClusterProposal) -> list[str]:
    """Why the plan does not do what it was asked for."""
    found = []
    undrained = set(proposal.undrained)
    mark = proposal.wanted.band.mark
    for d in proposal.directories:
        if d.name in undrained:
            about = [n for n in proposal.notes if n.startswith(f"broker {d.broker}")]
            reasons = [n for n in about if d.path in n or "cannot be emptied" in n]
            found += reasons or [f"{d.name} cannot be emptied"]
        elif d.online and d.capacity and d.after > max(d.before, mark(d.capacity)):
            found.append(f"{d.name} would be filled above the high mark")
    return list(dict.fromkeys(found))
