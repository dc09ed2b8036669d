"""What log directories hold, log by log, damage included, and what of it can be saved.

Reads headers and checks every CRC in parallel; one pass, then a second over copies of what is
damaged. Brings to the driver a bounded number of rows: the worst logs and damages first. Called by
`spindle forensics`; needs no broker.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from spindle.pipeline.segments.source import FORMAT, register
from spindle.pipeline.session import Session
from spindle.pipeline.spark_messages import in_few_words
from spindle.planning.amounts import counted

LOGS_MAX = 5000
"""Logs that are listed one by one, the damaged ones first."""
DAMAGES_MAX = 1000
"""Damages that are listed one by one."""
_DAMAGES_PER_SEGMENT = 1000
_TOPICS_MAX = 100
"""Damaged topics up to which the second pass looks at them alone."""
_LOG = ["disk", "log", "kind", "topic", "partition"]


@dataclass(frozen=True, slots=True)
class WellBatches:
    """What was read well. Offsets: of these batches; None where there is none.

    `missing`: offsets between the first and the last that no well batch covers; damage takes them
    away, and so does compaction.
    """

    batches: int
    records: int
    first_offset: int | None
    end_offset: int | None
    missing: int
    first_time: datetime | None
    last_time: datetime | None
    control: int
    transactional: int
    aborted: int
    codecs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LogDamage:
    """The damage of a log in all. `lost_at_most`: missing offsets that damage may have held."""

    damages: int
    damaged_bytes: int
    lost_at_most: int
    torn: bool


@dataclass(frozen=True, slots=True)
class LogFound:
    """A log as its files tell it."""

    disk: str
    log: str
    kind: str
    topic: str
    partition: int
    segments: int
    size: int
    well: WellBatches
    damage: LogDamage

    @property
    def verdict(self) -> str:
        """What can be saved, in words."""
        well, damage, damages = self.well, self.damage, self.damage.damages
        if well.batches == 0:
            return "nothing can be read" if damages else "empty"
        if not damages:
            return "whole"
        if damage.torn and damages == 1:
            return f"whole up to offset {well.end_offset}; behind it the end is torn"
        records, ranges = counted(well.records, "record"), counted(damages, "damaged range")
        return f"{records}; {ranges} of at most {damage.lost_at_most:,} offsets"


@dataclass(frozen=True, slots=True)
class DamageFound:
    """A range of bytes that holds no well batch; offsets are those that it may have held.

    `copy`: the log beside it that has most of these offsets, as `disk/log`; `copied`: how many.
    """

    disk: str
    log: str
    topic: str | None
    partition: int | None
    segment: int | None
    position: int
    size: int
    first_offset: int | None
    last_offset: int | None
    error: str
    copy: str | None = None
    copied: int = 0


@dataclass(frozen=True, slots=True)
class Forensics:
    """All that was found; `logs_in_all` and `damages_in_all` count what is not listed as well."""

    logs: tuple[LogFound, ...]
    damages: tuple[DamageFound, ...]
    logs_in_all: int
    damages_in_all: int
    records: int
    size: int

    @property
    def sound(self) -> bool:
        """Whether nothing is damaged."""
        return self.damages_in_all == 0


def examine(spark: Session, paths: Sequence[str], topics: Sequence[str] = ()) -> Forensics:
    """Look at everything below some log directories (of these topics only, where some are named).

    Damage becomes rows. Unusable where a path does not exist, or Spark cannot do its part.
    """
    with in_few_words("read the logs"):
        return _examine(spark, list(paths), list(topics))


def _examine(spark: Session, paths: list[str], topics: list[str]) -> Forensics:
    register(spark)
    segments = _segments(_batches(spark, paths, topics)).persist()
    try:
        logs = _logs(segments)
        totals = logs.agg(
            F.count("topic").alias("logs"), F.sum("damages").alias("damages"),
            F.sum("records").alias("records"), F.sum("size").alias("size"),
        ).first()  # fmt: skip
        assert totals is not None
        listed = logs.orderBy(F.desc("damages"), *_LOG).limit(LOGS_MAX).collect()
        damages = _damages(segments)
        found = damages.orderBy(*_LOG, "segment", "position").limit(DAMAGES_MAX).collect()
        copies = _copies(spark, paths, damages) if found else {}
    finally:
        segments.unpersist()
    return Forensics(
        logs=tuple(
            _log_found(row) for row in listed if row.topic is not None
        ),
        damages=tuple(
            DamageFound(
                row.disk, row.log or "", row.topic, row.partition, row.segment, row.position,
                row.size, row.first_offset, row.last_offset, row.error,
                *copies.get((row.disk, row.log, row.segment, row.position), (None, 0)),
            )
            for row in found
        ),
        logs_in_all=totals.logs,
        damages_in_all=totals.damages or 0,
        records=totals.records or 0,
        size=totals["size"] or 0,
    )  # fmt: skip


def _log_found(row: Row) -> LogFound:
    well = WellBatches(
        row.batches, row.records, row.first_offset, row.end_offset, row.missing,
        row.first_time, row.last_time, row.control, row.transactional, row.aborted,
        tuple(sorted(row.codecs)),
    )  # fmt: skip
    damage = LogDamage(row.damages, row.damaged_bytes, row.lost_at_most, row.torn)
    return LogFound(
        row.disk, row.log, row.kind, row.topic, row.partition, row.segments, row["size"],
        well, damage,
    )  # fmt: skip


def _batches(spark: Session, paths: list[str], topics: list[str]) -> DataFrame:
    reader = spark.read.format(FORMAT).option("level", "batches").option("kinds", "all")
    if topics:
        reader = reader.option("topic", ",".join(topics))
    return reader.load(paths)


def _segments(batches: DataFrame) -> DataFrame:
    """A row for each segment; its damages are a list."""
    well = F.col("error").isNull()
    damage = F.struct("position", "size", "base_offset", "last_offset", "error")

    def of_well(column: str) -> Column:
        return F.when(well, F.col(column))

    def count(condition: Column) -> Column:
        return F.count(F.when(well & condition, 1))

    return batches.groupBy(*_LOG, "segment").agg(
        F.coalesce(F.sum("size"), F.lit(0)).alias("size"),
        F.count(of_well("position")).alias("batches"),
        F.coalesce(F.sum(of_well("records")), F.lit(0)).alias("records"),
        F.min(of_well("base_offset")).alias("first_offset"),
        (F.max(of_well("last_offset")) + 1).alias("end_offset"),
        F.sum(F.when(well, F.col("last_offset") - F.col("base_offset") + 1)).alias("covered"),
        F.min(of_well("base_timestamp")).alias("first_time"),
        F.max(of_well("max_timestamp")).alias("last_time"),
        count(F.col("is_control")).alias("control"),
        count(F.col("is_transactional")).alias("transactional"),
        count(F.col("is_aborted")).alias("aborted"),
        F.collect_set(of_well("compression")).alias("codecs"),
        F.count("error").alias("damages"),
        F.coalesce(F.sum(F.when(~well, F.col("size"))), F.lit(0)).alias("damaged_bytes"),
        F.sum(F.when(~well, F.col("last_offset") - F.col("base_offset") + 1)).alias("lost"),
        F.slice(F.collect_list(F.when(~well, damage)), 1, _DAMAGES_PER_SEGMENT).alias("told"),
    )


def _logs(segments: DataFrame) -> DataFrame:
    def total(column: str) -> Column:
        return F.coalesce(F.sum(column), F.lit(0)).alias(column)

    torn = F.exists("told", lambda d: d["error"].contains("torn"))
    span = F.max("end_offset") - F.min("first_offset")
    return segments.groupBy(*_LOG).agg(
        F.count("segment").alias("segments"),
        *(total(name) for name in ("size", "batches", "records")),
        F.min("first_offset").alias("first_offset"),
        F.max("end_offset").alias("end_offset"),
        F.greatest(F.coalesce(span - F.sum("covered"), F.lit(0)), F.lit(0)).alias("missing"),
        F.min("first_time").alias("first_time"),
        F.max("last_time").alias("last_time"),
        *(total(name) for name in ("control", "transactional", "aborted")),
        F.array_distinct(F.flatten(F.collect_list("codecs"))).alias("codecs"),
        *(total(name) for name in ("damages", "damaged_bytes")),
        F.coalesce(F.sum("lost"), F.lit(0)).alias("lost_at_most"),
        F.bool_or(torn).alias("torn"),
    )


def _damages(segments: DataFrame) -> DataFrame:
    """A row for each damage that is listed."""
    exploded = segments.select(*_LOG, "segment", F.explode("told").alias("damage"))
    return exploded.select(
        *_LOG, "segment", "damage.position", "damage.size",
        F.col("damage.base_offset").alias("first_offset"),
        F.col("damage.last_offset").alias("last_offset"), "damage.error",
    )  # fmt: skip


def _copies(
    spark: Session, paths: list[str], damages: DataFrame
) -> dict[tuple[str, str, int, int], tuple[str, int]]:
    """For damages, the other log of the same partition that has most of their offsets."""
    hurt = (
        damages.where("first_offset is not null and last_offset is not null")
        .orderBy(*_LOG, "segment", "position").limit(DAMAGES_MAX)
        .select(
            "topic", "partition", F.col("disk").alias("_disk"), F.col("log").alias("_log"),
            F.col("segment").alias("_segment"), F.col("position").alias("_position"),
            F.col("first_offset").alias("_first"), F.col("last_offset").alias("_last"),
        )
    )  # fmt: skip
    topics = [row.topic for row in hurt.select("topic").distinct().limit(_TOPICS_MAX + 1).collect()]
    some = _batches(spark, paths, topics if len(topics) <= _TOPICS_MAX else [])
    well = some.where("error is null").select(
        "disk", "log", "topic", "partition", "base_offset", "last_offset"
    )
    common = F.least("last_offset", "_last") - F.greatest("base_offset", "_first") + 1
    key = ["_disk", "_log", "_segment", "_position"]
    rows = (
        well.join(F.broadcast(hurt), ["topic", "partition"])
        .where("base_offset <= _last and last_offset >= _first")
        .where("disk <> _disk or log <> _log")
        .groupBy(*key, "disk", "log")
        .agg(F.sum(common).alias("copied"))
        .groupBy(*key)
        .agg(F.max(F.struct("copied", "disk", "log")).alias("best"))
        .collect()
    )  # At most a row for each of the damages that were asked for.
    return {
        (r["_disk"], r["_log"], r["_segment"], r["_position"]): (
            f"{r.best.disk}/{r.best.log}", r.best.copied,
        )
        for r in rows
    }  # fmt: skip
