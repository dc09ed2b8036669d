"""How fast replicas and directories are written to, from the history: pure DataFrame functions.

Samples tell sizes, not writes: what retention deleted in between is unknown. So only intervals in
which a replica grew, or began again, are counted, and time is theirs alone; that also leaves out
gaps in the samples. Bytes and seconds. Called by the job of planning.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

GAP_SECONDS: Final = 3600.0
"""Samples further apart than this say nothing about what was between them."""
_ANEW: Final = 0.1
"""A replica that shrinks below this share of itself began again: another topic, an empty disk."""


def replicas(samples: DataFrame, gap_seconds: float = GAP_SECONDS) -> DataFrame:
    """Each replica's newest place and size with the rate at which it is written to.

    Columns broker, topic, partition, directory, size; `written` (bytes that came, of which is
    known when), `observed` (s in which they came), `write_rate` (bytes/s; null: not known).
    """
    replica = ["broker", "topic", "partition"]
    once = (
        samples.where("topic is not null and not is_future and directory_error is null")
        .groupBy(*replica, "sampled_at")
        .agg(F.max("size").alias("size"), F.max_by("directory", "size").alias("directory"))
    )
    order = Window.partitionBy(*replica).orderBy("sampled_at")
    at = F.unix_micros("sampled_at") / 1e6
    stepped = once.withColumn("_seconds", at - F.lag(at).over(order)).withColumn(
        "_before", F.lag("size").over(order)
    )
    size, before = F.col("size"), F.col("_before")
    came = F.when(size >= before, size - before).when(size < before * _ANEW, size)
    known = came.isNotNull() & (F.col("_seconds") <= gap_seconds)
    return (
        stepped.withColumn("_came", F.when(known, came))
        .withColumn("_observed", F.when(known, F.col("_seconds")))
        .groupBy(*replica)
        .agg(
            F.max_by("directory", "sampled_at").alias("directory"),
            F.max_by("size", "sampled_at").alias("size"),
            F.coalesce(F.sum("_came"), F.lit(0)).alias("written"),
            F.coalesce(F.sum("_observed"), F.lit(0.0)).alias("observed"),
        )
        .withColumn("write_rate", F.try_divide("written", "observed"))
    )


def directories(of_replicas: DataFrame) -> DataFrame:
    """Each directory's replicas and their rates together: broker, directory, write_rate, unknown.

    `unknown`: replicas of which no rate is known.
    """
    return of_replicas.groupBy("broker", "directory").agg(
        F.count("*").alias("replicas"),
        F.coalesce(F.sum("write_rate"), F.lit(0.0)).alias("write_rate"),
        F.count(F.when(F.col("write_rate").isNull(), 1)).alias("unknown"),
    )


def joined(now: DataFrame, samples: DataFrame) -> DataFrame:
    """A sample with the column `write_rate` (bytes/s): what its partition is written with.

    All replicas of a partition are written with the same, so each may have what is known of any:
    also one that has just come from another broker. Null: nothing is known.
    """
    known = replicas(samples).groupBy("topic", "partition")
    rates = known.agg(F.try_divide(F.sum("written"), F.sum("observed")).alias("write_rate"))
    return now.join(rates, ["topic", "partition"], "left")
