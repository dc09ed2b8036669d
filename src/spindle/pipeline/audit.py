"""Counts, on Spark, whether every acknowledged record was consumed exactly once and unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from spindle.pipeline.schemas import EVENT, arrow
from spindle.pipeline.session import Session


@dataclass(frozen=True, slots=True)
class Audit:
    """Records by fate. Sound: nothing lost, doubled or changed, nothing out of order.

    `unacknowledged` were consumed though their producer never heard so (a broker may have written
    what it could not confirm): allowed, and told.
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


def events(spark: Session, columns: Mapping[str, Sequence[object]]) -> DataFrame:
    """Columns of things that happened, as a DataFrame (schema EVENT)."""
    chosen = {name: columns[name] for name in EVENT.names}
    return spark.createDataFrame(pa.table(chosen, schema=arrow(EVENT)))


def audit(produced: DataFrame, consumed: DataFrame) -> Audit:
    """Compare what producers were told (schema EVENT) with what consumers got (likewise)."""
    key = ["producer", "sequence"]
    got = (
        consumed.select(*EVENT.names)
        .groupBy(*key)
        .agg(
            F.count("*").alias("times"),
            F.first("checksum").alias("got_checksum"),
            F.first("offset").alias("got_offset"),
            F.first("partition").alias("got_partition"),
        )
    )
    told = produced.select(*EVENT.names)
    both = told.join(got, key, "full_outer")
    is_told = F.col("checksum").isNotNull()
    is_got = F.col("times").isNotNull()
    differs = (
        (F.col("checksum") != F.col("got_checksum"))
        | (F.col("offset") != F.col("got_offset"))
        | (F.col("partition") != F.col("got_partition"))
    )

    def count(condition: Column) -> Column:
        return F.coalesce(F.sum(F.when(condition, 1).otherwise(0)), F.lit(0))

    row = both.agg(
        count(is_told).alias("acknowledged"),
        F.coalesce(F.sum("times"), F.lit(0)).alias("consumed"),
        count(is_told & ~is_got).alias("lost"),
        count(is_got & (F.col("times") > 1)).alias("doubled"),
        count(is_told & is_got & differs).alias("changed"),
        count(~is_told & is_got).alias("unacknowledged"),
    ).first()
    assert row is not None
    return Audit(**row.asDict(), reordered=_reordered(consumed))


def _reordered(consumed: DataFrame) -> int:
    """Records of one producer and partition whose sequence is not in the order of offsets."""
    order = Window.partitionBy("topic", "partition", "producer").orderBy("offset")
    before = F.lag("sequence").over(order)
    late: int = consumed.withColumn("_before", before).where("sequence < _before").count()
    return late
