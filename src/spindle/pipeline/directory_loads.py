"""From samples to the load of each directory now: pure functions DataFrame -> DataFrame."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from spindle.pipeline.schemas import DIRECTORY
from spindle.planning.devices import DRIFT_BYTES, DRIFT_SHARE


def told(sample: DataFrame) -> DataFrame:
    """What brokers tell in one sample, or in many."""
    return sample.where(F.col("broker_error").isNull())


def latest(samples: DataFrame) -> DataFrame:
    """Each broker's newest sample with a report; of a single sample that is `told`."""
    at = F.unix_micros(F.max("sampled_at")).alias("at")
    rows = told(samples).groupBy("broker").agg(at).collect()
    return of_moments(samples, {row["broker"]: row["at"] for row in rows})


def of_moments(samples: DataFrame, newest: Mapping[int, int]) -> DataFrame:
    """The reports of these moments (microseconds since 1970), by broker, of which each is its last.

    As constants they spare Spark the rows of all other samples.
    """
    there = told(samples)
    brokers: dict[int, list[int]] = {}
    for broker, moment in newest.items():
        brokers.setdefault(moment, []).append(broker)
    if not brokers:
        return there.limit(0)
    first, *others = sorted(brokers, reverse=True)
    wanted = _is_of(first)  # A broker that has this one has no later one.
    for moment in others:
        wanted |= _is_of(moment) & F.col("broker").isin(sorted(brokers[moment]))
    return there.where(wanted)


def _is_of(moment: int) -> Column:
    return F.col("sampled_at") == F.timestamp_micros(F.lit(moment))


def directories(now: DataFrame) -> DataFrame:
    """The load of each directory (schema DIRECTORY), from one sample per broker.

    Directories on one file system share its space: each may hold an equal part of what their
    replicas hold together and what is free there. They are known by equal total and nearly equal
    usable bytes, with replicas that together fit into what is used (`planning.devices`); disks
    without any replica are new ones, which are alike without being the same.
    """
    per_directory = now.groupBy("broker", "directory").agg(
        F.first(F.col("directory_error").isNull()).alias("online"),
        F.coalesce(F.first("cordoned"), F.lit(False)).alias("cordoned"),
        F.first("total_bytes").alias("total_bytes"),
        F.first("usable_bytes").alias("usable_bytes"),
        F.coalesce(F.sum("size"), F.lit(0)).alias("used"),
        F.count("topic").alias("replicas"),
    )
    by_room = Window.partitionBy("broker", "total_bytes").orderBy("usable_bytes")
    drift = F.least(F.lit(DRIFT_BYTES), F.col("total_bytes") * DRIFT_SHARE)
    apart = F.col("usable_bytes") - F.lag("usable_bytes", 1, -1).over(by_room) > drift
    alike = Window.partitionBy("broker", "total_bytes", "file_system")
    together, usable = F.sum("used").over(alike), F.min("usable_bytes").over(alike)
    shared = (together > 0) & (together <= F.col("total_bytes") - usable)
    device = F.when(shared, F.min("directory").over(alike)).otherwise(F.col("directory"))
    capacity = F.when(shared, (together + usable) / F.count("*").over(alike)).otherwise(
        F.col("used") + F.col("usable_bytes")
    )
    numbered = per_directory.withColumn("apart", apart.cast("int"))
    return (
        numbered.withColumn("file_system", F.sum("apart").over(by_room))
        .withColumn("device", device)
        .withColumn(
            "capacity",
            F.when(F.col("usable_bytes") < 0, F.lit(None)).otherwise(capacity).cast("long"),
        )
        .select(*DIRECTORY.names)
    )
