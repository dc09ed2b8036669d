"""Plans for a cluster that is not there: a disk or broker more or less, tried on the history.

Nothing is asked or changed in any cluster. A lost disk, or broker, is planned like one to be
emptied, since its replicas need the same room; they come from other brokers, and what had no other
copy is named.
Stages are functions DataFrame -> DataFrame. Called by the commands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spindle.model.errors import Unusable
from spindle.pipeline import directory_loads, forecast, history, job
from spindle.pipeline.proposal import ClusterProposal, PlanRequest
from spindle.pipeline.schemas import DIRECTORY
from spindle.planning.amounts import counted, listed


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


def what_if(
    spark: SparkSession, history_dir: Path | str, wanted: PlanRequest, changes: Changes
) -> Answer:
    """Plan from the newest samples of a history, as if things were different."""
    with job.in_few_words():
        samples = history.read(spark, history_dir)
        if not samples.head(1):
            raise NoHistory(
                f"there is no history in {history_dir}: take a sample with "
                f"`spindle balance history -b HOST:PORT --history {history_dir}`"
            )
        now = directory_loads.latest(samples)
        directories = _with(directory_loads.directories(now), changes.add, wanted.between)
        drained = replace(wanted, drain=(*wanted.drain, *changes.lose))
        none = samples.limit(0)
        proposal = job.proposed(
            none,
            now,
            directories,
            drained,
            dict(changes.racks),
            forecast.recent(samples),
            changes.ahead,
        )
        notes = _lost(now, changes.lose)
    told = replace(proposal, notes=(*notes, *proposal.notes))
    return Answer(told, tuple(_against(proposal)), changes.lose)


def _with(directories: DataFrame, add: Sequence[NewDisk], between: bool) -> DataFrame:
    if not add:
        return directories
    known = {(r["broker"], r["directory"]) for r in directories.collect()}
    brokers = sorted({broker for broker, _ in known})
    for disk in add:
        if disk.broker not in brokers and not between:
            raise Unusable(
                f"the history knows no broker {disk.broker}; it knows {brokers}. A new broker gets "
                "replicas of others only with --between-brokers"
            )
        if (disk.broker, disk.path) in known:
            raise Unusable(f"broker {disk.broker} has {disk.path} already; name a new directory")
    rows = [(d.broker, d.path, True, False, d.path, d.capacity, 0, 0) for d in add]
    fresh = directories.sparkSession.createDataFrame(rows, DIRECTORY)
    return directories.unionByName(fresh)


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
    gone = copies.agg(F.sum("gone").alias("gone")).collect()[0]["gone"]
    if not gone:
        return ["what is lost holds no replica"]
    those = counted(gone, "replica is lost with it and has", "replicas are lost with it and have")
    notes = [f"{those} to be fetched from other brokers"]
    only = copies.where(F.col("gone") == F.col("all")).orderBy("topic", "partition")
    alone = [f"{row['topic']}-{row['partition']}" for row in only.collect()]
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
