"""The pipeline's stages in order, as one thing to hold: sample, load, plan, JSON.

Builds nothing that a stage does not need and collects only plans and sums. Used by the commands
and the demo; `execution` stands apart, since it needs no Spark.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from spindle.pipeline import (
    directory_loads,
    forecast,
    history,
    parallel_planning,
    past_samples,
    small_history,
    write_rates,
)
from spindle.pipeline.assembly import (
    DirectoryUse,
    Flow,
    Place,
    affordable,
    capacities,
    check_names,
    left_after,
    with_capacities,
)
from spindle.pipeline.assembly import directories as assembled
from spindle.pipeline.proposal import ClusterProposal, PlanRequest, Waves
from spindle.pipeline.sampling import ClusterSample
from spindle.pipeline.schemas import SAMPLE
from spindle.pipeline.sources import FORMAT, secured
from spindle.pipeline.spark_messages import in_few_words
from spindle.planning.assigned_replicas import AssignedReplicas
from spindle.planning.load import HERE, PlannedMove
from spindle.security.client_properties import UNSECURED, ClientSecurity

UNASKED = AssignedReplicas()
"""Of a cluster that is not there."""


def propose(
    spark: SparkSession,
    bootstrap: str,
    history_dir: Path | str,
    wanted: PlanRequest,
    ahead: float = 0.0,
    assigned: AssignedReplicas = UNASKED,
    security: ClientSecurity = UNSECURED,
) -> ClusterProposal:
    """Sample a cluster, keep the sample in the history, and plan from it (`planned`).

    Unusable where the cluster has no directory that is wanted empty or spared, or Spark cannot do
    its part.
    """
    file = sample(spark, bootstrap, history_dir, security)
    return planned(spark, file, history_dir, wanted, ahead, assigned)


def planned(
    spark: SparkSession,
    file: str | None,
    history_dir: Path | str,
    wanted: PlanRequest,
    ahead: float = 0.0,
    assigned: AssignedReplicas = UNASKED,
) -> ClusterProposal:
    """Plan from a sample of the history, by its file; None: no broker is registered.

    `ahead`: plan for the load in so many days, by each replica's growth in the history. Unusable as
    `propose`.
    """
    if file is None:
        return ClusterProposal((), (), 0, ("no broker is registered",), (), wanted)
    with in_few_words():
        samples = history.read_files(spark, [file])
        now = directory_loads.told(samples)  # The file is a single sample.
        past = past_for(spark, history_dir, wanted, ahead)
        loads = directory_loads.directories(now)
        return proposed(samples, now, loads, wanted, assigned, past, ahead)


def keep(spark: SparkSession, taken: ClusterSample, history_dir: Path | str) -> str | None:
    """Add a sample that this process has taken to a history that only Spark reaches; its name."""
    with in_few_words():
        frame = spark.createDataFrame(small_history.table(taken), SAMPLE)
        return history.append(frame, history_dir)


def past_for(
    spark: SparkSession, history_dir: Path | str, wanted: PlanRequest, ahead: float
) -> DataFrame | None:
    """The part of a history that such a plan rests on; None where it rests on now alone."""
    if wanted.band.rate_tolerance is not None:
        return past_samples.recent(spark, history_dir).samples
    return past_samples.course(spark, history_dir).samples if ahead else None


def sample(
    spark: SparkSession,
    bootstrap: str,
    history_dir: Path | str,
    security: ClientSecurity = UNSECURED,
) -> str | None:
    """Add a sample of a cluster to the history; its file, None where no broker is registered."""
    with in_few_words():
        spark.dataSource.register(secured(security))
        live = spark.read.format(FORMAT).option("bootstrap", bootstrap).load()
        return history.append(live, history_dir)


def proposed(
    samples: DataFrame,
    now: DataFrame,
    directories: DataFrame,
    wanted: PlanRequest,
    assigned: AssignedReplicas = UNASKED,
    past: DataFrame | None = None,
    ahead: float = 0.0,
) -> ClusterProposal:
    """The plan from each broker's newest sample `now`; `samples` name the silent brokers.

    `assigned`: what the metadata has. `past`: the history that rates come from, and growth where it
    is planned so many days `ahead`; the sizes of moves are the present ones.
    """
    told = _told(samples, now, assigned)
    there = uses(directories)
    check_names(wanted, [(d.broker, d.path) for d in there], assigned.brokers)
    room = capacities(there, wanted)
    there = with_capacities(there, room)
    known = now
    rated = wanted.band.rate_tolerance is not None and past is not None
    if rated and past is not None:
        known = write_rates.joined(now, past).cache()
    later = forecast.grown(known, past, ahead) if ahead and past is not None else known
    moving = parallel_planning.plan(later, there, wanted, room, assigned, told.replicas)
    rows = (_sized(moving, now) if ahead else moving).collect()
    whole = _waves(rows, wanted.between)
    waves, cut_notes = affordable(whole, there, room, wanted)
    moves = [move for wave in waves for move in wave]
    flows = _flows(known, moves) if rated else {}
    unknown: Flow = (0, 0) if rated else (None, None)
    left = _left(now, moves) if wanted.drain else {}
    written = _largest(known, F.coalesce("write_rate", F.lit(0.0))) if rated else {}
    selection = wanted.selection
    odd = selection.notes(_names(now) if assigned.replicas is None else assigned.replicas)
    return ClusterProposal(
        directories=assembled(there, moves, left, flows, unknown),
        waves=waves,
        # Bytes of then are no measure for bytes of now.
        bound=0 if ahead or waves != whole else sum(r.bound for r in rows if r.topic is None),
        notes=(
            *odd,
            *room.notes(),
            *assigned.notes(),
            *(_unknown(known) if rated else ()),
            *(note for row in rows if row.topic is None for note in row.notes),
            *cut_notes,
        ),
        silent=told.silent,
        wanted=wanted,
        sampled_at="" if told.at is None else f"{told.at:%Y-%m-%dT%H:%M:%SZ}",
        weights=written if rated else _largest(known, F.col("size")) if wanted.leaders else {},
        rates={name: round(rate) for name, rate in written.items() if rate >= 1},
        bytes_only=room.bytes_only,
        hidden=assigned.hidden(told.topics),
    )


def uses(directories: DataFrame) -> list[DirectoryUse]:
    """Directories (schema DIRECTORY) as values, by broker and path."""
    found = [
        DirectoryUse(d.broker, d.directory, d.online, d.cordoned, d.capacity, d.used)
        for d in directories.collect()
    ]
    return sorted(found, key=lambda use: (use.broker, use.path))


class _SampleFacts(NamedTuple):
    """The brokers that are silent, and why; of those that are not the newest moment, how many
    replicas, and topics, if the metadata has any to compare them with."""

    silent: tuple[tuple[int, str], ...]
    at: datetime | None
    replicas: int
    topics: set[str]


def _told(samples: DataFrame, now: DataFrame, assigned: AssignedReplicas) -> _SampleFacts:
    """Asked for together: each question to Spark has its price."""
    topics = (
        F.array().cast("array<string>") if assigned.replicas is None else F.collect_set("topic")
    )
    seen = now.agg(
        F.max("sampled_at").alias("at"), F.count("topic").alias("replicas"), topics.alias("topics")
    )
    silent = samples.where("broker_error is not null").select("broker", "broker_error")
    rows = seen.unionByName(silent, allowMissingColumns=True).collect()
    (one,) = [row for row in rows if row.broker is None]
    return _SampleFacts(
        tuple((row.broker, row.broker_error) for row in rows if row.broker is not None),
        one.at, one.replicas, set(one.topics),
    )  # fmt: skip


def _waves(rows: Sequence[Row], between: bool) -> Waves:
    """Of brokers that are planned apart, in the order of their numbers; tasks end in any order."""
    waves: dict[int, list[PlannedMove]] = {}
    for row in rows:
        if row.topic is not None:
            to = HERE if row.destination is None else row.destination
            move = PlannedMove(
                row.broker, row.topic, row.partition, row.source, row.target, row.size, to, row.rate
            )
            waves.setdefault(row.wave, []).append(move)
    for wave in waves.values() if not between else ():
        wave.sort(key=lambda move: move.broker)
    return tuple(tuple(waves[number]) for number in sorted(waves))


def _names(now: DataFrame) -> Iterator[tuple[str, int]]:
    """Partitions of which a replica is on a disk; asks Spark when the first is asked for."""
    there = now.where("topic is not null and not is_future").select("topic", "partition").distinct()
    for row in there.collect():
        yield row["topic"], row["partition"]


def _flows(known: DataFrame, moves: Sequence[PlannedMove]) -> dict[tuple[int, str], Flow]:
    """Bytes/s that each directory is written with, now and after these moves."""
    told = known.where("topic is not null and not is_future").groupBy("broker", "directory")
    rows = told.agg(F.coalesce(F.sum("write_rate"), F.lit(0.0)).alias("flow")).collect()
    before: dict[tuple[int, str], float] = defaultdict(float)
    before.update({(row.broker, row.directory): row.flow for row in rows})
    after = before.copy()
    for move in moves:
        after[move.to, move.target] += move.rate
        after[move.broker, move.source] -= move.rate
    places = sorted({*before, *after})
    return {place: (round(before[place]), max(0, round(after[place]))) for place in places}


def _left(now: DataFrame, moves: Sequence[PlannedMove]) -> dict[Place, int]:
    """How many replicas each directory has once these moves, and those under way, are done."""
    there = now.where("topic is not null").groupBy("broker", "topic", "partition")
    at = there.agg(F.max_by("directory", F.col("is_future")).alias("directory"))
    counted = at.groupBy("broker", "directory").count().collect()
    before = {(row["broker"], row["directory"]): row["count"] for row in counted}
    return left_after(before, moves)


def _largest(known: DataFrame, value: Column) -> dict[tuple[str, int], float]:
    """The largest value that a replica of each partition has."""
    there = known.where("topic is not null and not is_future").groupBy("topic", "partition")
    table = there.agg(F.max(value).cast("double").alias("value")).toArrow()
    names = zip(table["topic"].to_pylist(), table["partition"].to_pylist(), strict=True)
    return dict(zip(names, table["value"].to_pylist(), strict=True))


def _unknown(known: DataFrame) -> Iterator[str]:
    """How much of the rates is not known."""
    there = known.where("topic is not null and not is_future")
    row = there.agg(F.count("*").alias("all"), F.count("write_rate").alias("known")).first()
    if row is not None and row["known"] < row["all"]:
        unknown = row["all"] - row["known"]
        yield (
            f"of {unknown:,} of {row['all']:,} replicas no write rate is known, so "
            "none is counted: rates come from samples of the history, at most an hour apart"
        )


def _sized(planned: DataFrame, now: DataFrame) -> DataFrame:
    """A plan with the sizes of now; the order within its waves is kept."""
    sizes = now.where("not is_future").select(
        "broker", "topic", "partition", F.col("size").alias("_size")
    )
    numbered = planned.withColumn("_n", F.monotonically_increasing_id())
    joined = numbered.join(sizes, ["broker", "topic", "partition"], "left").orderBy("_n")
    return joined.withColumn("size", F.coalesce("_size", "size")).select(*planned.columns)
