"""Judges logs by the sequence numbers that idempotent producers left in them: no manifest needed.

A producer numbers its records of a partition without gaps, as long as its epoch lasts. A number
that is missing though no offset is was never written, or was cut off and written over: lost. Where
offsets are missing too it was written once: removed by compaction, by retention, or by damage.
Reads batch headers only. Called by `spindle audit`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from spindle.pipeline.segments.source import FORMAT, register
from spindle.pipeline.session import Session

METADATA = "__cluster_metadata"
_SEQUENCES = 1 << 31
"""Numbers after which they begin again at 0."""
_LOG = ["disk", "log", "topic", "partition"]
_PRODUCER = [*_LOG, "producer_id", "producer_epoch"]


@dataclass(frozen=True, slots=True)
class Numbered:
    """Records of idempotent producers by fate; `damaged`: ranges of bytes that hold no batch."""

    records: int
    lost: int
    doubled: int
    reordered: int
    removed: int
    damaged: int

    @property
    def sound(self) -> bool:
        """Whether every number that should be there is, once, in its place, and no byte is bad."""
        return not (self.lost or self.doubled or self.reordered or self.damaged)


@dataclass(frozen=True, slots=True)
class SequencedLogs:
    """Everything, and logs one by one: those with the most faults first, up to a limit."""

    whole: Numbered
    logs: tuple[tuple[str, str, str, int, Numbered], ...]
    """disk, log, topic, partition, fates"""
    faulty: int
    unjudged: int
    """Logs without a record of an idempotent producer, and without damage."""


def judge(
    spark: Session, paths: Sequence[str], topics: Sequence[str] = (), logs_max: int = 200
) -> SequencedLogs:
    """Judge the logs of some log directories (of these topics only, where some are named).

    The controllers' metadata log has no sequence numbers: it counts only where it is named.
    """
    register(spark)
    reader = spark.read.format(FORMAT).option("level", "batches")
    if topics:
        reader = reader.option("topic", ",".join(topics))
    names = [f.name for f in fields(Numbered)]
    batches = reader.load(list(paths))
    if METADATA not in topics:
        batches = batches.where(F.coalesce(F.col("topic"), F.lit("")) != METADATA)
    fates = numbered(batches).persist()
    try:
        faults = F.expr("lost + doubled + reordered + damaged")
        silent = F.expr("records = 0") & (faults == 0)
        whole = fates.agg(
            *(F.coalesce(F.sum(n), F.lit(0)).alias(n) for n in names),
            F.count_if(faults > 0).alias("faulty"), F.count_if(silent).alias("unjudged"),
        ).first()  # fmt: skip
        assert whole is not None
        rows = fates.where(~silent).orderBy(F.desc(faults), *_LOG).limit(logs_max).collect()
    finally:
        fates.unpersist()
    return SequencedLogs(
        Numbered(*(whole[name] for name in names)),
        tuple(
            (r.disk, r.log or "", r.topic or "", -1 if r.partition is None else r.partition,
             Numbered(*(r[name] for name in names)))
            for r in rows
        ),
        whole["faulty"],
        whole["unjudged"],
    )  # fmt: skip


def numbered(batches: DataFrame) -> DataFrame:
    """The fates (columns of Numbered) of each log, from its batches (schema LOG_BATCH)."""
    damaged = batches.groupBy(*_LOG).agg(F.count("error").alias("damaged"))
    names = ["records", "lost", "doubled", "reordered", "removed"]
    judged = _runs(batches).groupBy(*_LOG).agg(*(F.sum(n).alias(n) for n in names))
    # Of the disk itself, topic and partition are null.
    same = [damaged[name].eqNullSafe(judged[name]) for name in _LOG]
    joined = damaged.join(judged, same, "left").select(
        *(damaged[name] for name in _LOG), "damaged", *names
    )
    return joined.na.fill(0, names)


def _runs(batches: DataFrame) -> DataFrame:
    """A row for each producer's epoch in each log, with the counts."""
    in_log = Window.partitionBy(*_LOG).orderBy("base_offset", "position")
    of_producer = Window.partitionBy(*_PRODUCER).orderBy("base_offset", "position")
    span = F.col("last_offset") - F.col("base_offset") + 1
    placed = (
        batches.where("error is null").withColumn("span", span)
        .withColumn("present", F.sum("span").over(in_log))
        .where("producer_id is not null and sequence is not null and not is_control")
    )  # fmt: skip
    again = F.lag("sequence").over(of_producer) - F.col("sequence") > _SEQUENCES // 2
    unrolled = placed.withColumn("again", F.when(again, 1).otherwise(0)).withColumn(
        "number", F.col("sequence") + _SEQUENCES * F.sum("again").over(of_producer)
    )
    same = Window.partitionBy(*_PRODUCER, "number")
    first = unrolled.withColumn("times", F.count("*").over(same)).withColumn(
        "copy", F.row_number().over(same.orderBy("base_offset", "position"))
    )
    once = first.where("copy = 1")
    before = of_producer.rowsBetween(Window.unboundedPreceding, -1)
    by_number = Window.partitionBy(*_PRODUCER).orderBy("number")
    gap = F.col("number") - F.lag(F.col("number") + F.col("span")).over(by_number)
    stepped = (
        once.withColumn("late", F.col("number") < F.max("number").over(before))
        .withColumn("gap", F.greatest(F.coalesce(gap, F.lit(0)), F.lit(0)))
        .withColumn("absent", _absent(by_number))
        .withColumn("removed", F.least("gap", "absent"))
    )
    return stepped.groupBy(*_PRODUCER).agg(
        F.sum(F.col("records") * F.col("times")).alias("records"),
        F.sum(F.col("gap") - F.col("removed")).alias("lost"),
        F.sum((F.col("times") - 1) * F.col("records")).alias("doubled"),
        F.sum(F.when(F.col("late"), F.col("records")).otherwise(0)).alias("reordered"),
        F.sum("removed").alias("removed"),
    )


def _absent(by_number: object) -> Column:
    """Offsets that no batch has, between a producer's batch and the one before it."""

    def before(column: str) -> Column:
        return F.lag(column).over(by_number)

    between = F.col("base_offset") - before("last_offset") - 1
    present = F.col("present") - F.col("span") - before("present")
    return F.greatest(F.coalesce(between - present, F.lit(0)), F.lit(0))
