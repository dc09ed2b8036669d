"""Counts, on Spark, whether every acknowledged record is there exactly once and unchanged.

Records are known by producer and sequence where both sides tell them, else by their place (topic,
partition, offset). `sequences` judges logs without any manifest. Called by the commands and the
demo.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from spindle.model.errors import Unusable
from spindle.pipeline.schemas import EVENT, arrow
from spindle.pipeline.segments.source import FORMAT, register
from spindle.pipeline.session import Session

BY_SEQUENCE = ("producer", "sequence")
BY_PLACE = ("topic", "partition", "offset")
_REQUIRED = BY_PLACE


@dataclass(frozen=True, slots=True)
class Audit:
    """Records by fate. Sound: nothing lost, doubled or changed, nothing out of order.

    `unacknowledged` were consumed though their producer never heard so (a broker may have written
    what it could not confirm): allowed, and reported.
    """

    acknowledged: int
    consumed: int
    lost: int
    doubled: int
    changed: int
    reordered: int
    unacknowledged: int

    @property
    def sound(self) -> bool:
        """Whether every promise was kept."""
        return not (self.lost or self.doubled or self.changed or self.reordered)


@dataclass(frozen=True, slots=True)
class Judged:
    """An audit of a whole and of its partitions: those with the most faults first, up to a limit.

    `faulty`: how many partitions have faults.
    """

    whole: Audit
    partitions: tuple[tuple[str, int, Audit], ...]
    faulty: int


def events(spark: Session, columns: Mapping[str, Sequence[object]]) -> DataFrame:
    """Columns of things that happened, as a DataFrame (schema EVENT)."""
    chosen = {name: columns[name] for name in EVENT.names}
    return spark.createDataFrame(pa.table(chosen, schema=arrow(EVENT)))


def manifest(spark: Session, paths: Sequence[str]) -> DataFrame:
    """Files of events (schema EVENT) as a DataFrame: Parquet, .csv with a head, .json lines.

    `topic`, `partition` and `offset` must be there; of the other columns those that are. Unusable
    where that is not so. A line that is no JSON fails the query: what it says is not known.
    """
    kinds = {path.rstrip("/").rpartition(".")[2].lower() for path in paths}
    if kinds & {"json", "jsonl", "ndjson"}:
        table = spark.read.schema(EVENT).option("mode", "FAILFAST").json(list(paths))
    elif "csv" in kinds:
        table = spark.read.option("header", "true").csv(list(paths))
    else:
        table = spark.read.parquet(*paths)
    absent = [name for name in _REQUIRED if name not in table.columns]
    if absent:
        raise Unusable(
            f"{', '.join(paths)}: no column {', '.join(absent)}; a manifest has "
            f"{', '.join(EVENT.names)} (the last three may be left out)"
        )
    return table.select(
        *(
            (F.col(f.name) if f.name in table.columns else F.lit(None)).cast(f.dataType)
            .alias(f.name)
            for f in EVENT
        )
    )  # fmt: skip


def on_disk(spark: Session, paths: Sequence[str], topics: Sequence[str] = ()) -> DataFrame:
    """The records of log directories as events; `copy` tells the log they are from.

    The checksum is the CRC-32 of the value. Producers and sequences are unknown: those in the
    files are not the application's.
    """
    register(spark)
    reader = spark.read.format(FORMAT).option(
        "columns", "disk,log,topic,partition,offset,value,is_control,error"
    )
    if topics:
        reader = reader.option("topic", ",".join(topics))
    return (
        reader.load(list(paths)).where("error is null and not is_control")
        .select(
            "topic", "partition", "offset", F.lit(None).cast("int").alias("producer"),
            F.lit(None).cast("long").alias("sequence"), F.crc32("value").alias("checksum"),
            F.concat_ws("/", "disk", "log").alias("copy"),
        )
    )  # fmt: skip


def audit(produced: DataFrame, consumed: DataFrame) -> Audit:
    """Compare acknowledged records with consumed ones (both have the schema EVENT)."""
    return judge(produced, consumed, BY_SEQUENCE, partitions_max=0).whole


def tells_sequences(table: DataFrame) -> bool:
    """Whether events say which producer's which record they are."""
    return bool(table.where("producer is not null and sequence is not null").limit(1).count())


def tells(table: DataFrame, column: str) -> bool:
    """Whether events say this of themselves."""
    return bool(table.where(F.col(column).isNotNull()).limit(1).count())


def judge(
    produced: DataFrame,
    consumed: DataFrame,
    key: Sequence[str] = BY_SEQUENCE,
    partitions_max: int = 200,
) -> Judged:
    """The same with the fates by partition. `consumed` may be `on_disk`: copies are no doubles."""
    order = _reordered(consumed if "sequence" in key else produced)
    fates = _fates(produced, consumed, list(key)).join(order, ["topic", "partition"], "left")
    names = [f.name for f in fields(Audit)]
    fates = fates.na.fill(0, ["reordered"]).select("topic", "partition", *names).persist()
    try:
        faults = F.expr("lost + doubled + changed + reordered")
        sums = [F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in names]
        whole = fates.agg(*sums, F.count_if(faults > 0).alias("faulty")).first()
        assert whole is not None
        worst = fates.orderBy(F.desc(faults), "topic", "partition")
        rows = worst.limit(partitions_max).collect() if partitions_max else []
    finally:
        fates.unpersist()
    return Judged(
        Audit(*(whole[name] for name in names)),
        tuple((r.topic, r.partition, Audit(*(r[name] for name in names))) for r in rows),
        whole["faulty"],
    )


def _fates(produced: DataFrame, consumed: DataFrame, key: list[str]) -> DataFrame:
    """Counts for each partition, but for the order."""
    copy = F.col("copy") if "copy" in consumed.columns else F.lit("")
    others = [name for name in EVENT.names if name not in key]
    per_copy = consumed.groupBy(*key, copy.alias("_copy")).agg(
        F.count("*").alias("_times"),
        *(F.first(name).alias(name) for name in others),
        F.min("checksum").alias("_least"),
        F.max("checksum").alias("_most"),
    )
    got = per_copy.groupBy(*key).agg(
        F.max("_times").alias("times"),
        *(F.first(name).alias(f"got_{name}") for name in others),
        F.min("_least").alias("least"),
        F.max("_most").alias("most"),
    )
    told = _once(produced.select(*EVENT.names)).withColumn("told", F.lit(True))
    both = told.join(got, key, "full_outer")
    is_told, is_got = F.col("told").isNotNull(), F.col("times").isNotNull()
    differs = (F.col("checksum") != F.col("least")) | (F.col("checksum") != F.col("most"))
    for name in ("offset", "partition", "topic"):
        if name in others:
            differs = differs | (F.col(name) != F.col(f"got_{name}"))

    # One record can be at a place: of two that were acknowledged there, the other one is gone.
    turn = F.row_number().over(
        Window.partitionBy(*key, "told").orderBy(F.coalesce(differs, F.lit(False)))
    )
    both = both.withColumn("_turn", turn)
    is_first = F.col("_turn") == 1
    is_gone = ~is_got | (~is_first if tuple(key) == BY_PLACE else F.lit(False))

    def place(name: str) -> Column:
        return F.coalesce(name, f"got_{name}") if name in others else F.col(name)

    def count(condition: Column) -> Column:
        return F.sum(F.when(condition, 1).otherwise(0))

    return both.groupBy(
        place("topic").alias("topic"), place("partition").alias("partition")
    ).agg(
        count(is_told).alias("acknowledged"),
        F.coalesce(F.sum(F.when(is_first, F.col("times"))), F.lit(0)).alias("consumed"),
        count(is_told & is_gone).alias("lost"),
        count(is_got & is_first & (F.col("times") > 1)).alias("doubled"),
        count(is_told & ~is_gone & differs).alias("changed"),
        count(~is_told & is_got).alias("unacknowledged"),
    )  # fmt: skip


def _once(produced: DataFrame) -> DataFrame:
    """Acknowledgements without those of a producer's record that are there already."""
    known = F.col("producer").isNotNull() & F.col("sequence").isNotNull()
    alike = Window.partitionBy(*BY_PLACE, *BY_SEQUENCE).orderBy("checksum")
    numbered = produced.withColumn("_copy", F.row_number().over(alike))
    return numbered.where(~known | (F.col("_copy") == 1)).drop("_copy")


def _reordered(table: DataFrame) -> DataFrame:
    """By partition: records of a producer whose sequence is not in the order of offsets."""
    order = Window.partitionBy("topic", "partition", "producer").orderBy("offset")
    before = F.lag("sequence").over(order)
    late = table.withColumn("_before", before).where("sequence < _before")
    return late.groupBy("topic", "partition").agg(F.count("*").alias("reordered"))
