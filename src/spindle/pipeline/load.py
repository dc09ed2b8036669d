"""From samples to the load of each directory now: pure functions DataFrame -> DataFrame."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from spindle.pipeline.schemas import DIRECTORY


def told(sample: DataFrame) -> DataFrame:
    """What brokers tell in one sample, or in many."""
    return sample.where(F.col("broker_error").isNull())


def latest(samples: DataFrame) -> DataFrame:
    """Each broker's newest sample that told something; of a single sample that is `told`."""
    there = told(samples)
    newest = there.groupBy("broker").agg(F.max("sampled_at").alias("sampled_at"))
    return there.join(F.broadcast(newest), ["broker", "sampled_at"]).select(*samples.columns)


def directories(now: DataFrame) -> DataFrame:
    """The load of each directory (schema DIRECTORY), from one sample per broker.

    Directories on one file system share its space: each may use an equal part of what is free
    there beside what their replicas hold. They are known by equal total and usable bytes, together
    with replicas that fit into what is used there; disks without any replica are new ones, which
    are alike without being the same.
    """
    per_directory = now.groupBy("broker", "directory").agg(
        F.first(F.col("directory_error").isNull()).alias("online"),
        F.coalesce(F.first("cordoned"), F.lit(False)).alias("cordoned"),
        F.first("total_bytes").alias("total_bytes"),
        F.first("usable_bytes").alias("usable_bytes"),
        F.coalesce(F.sum("size"), F.lit(0)).alias("used"),
        F.count("topic").alias("replicas"),
    )
    alike = Window.partitionBy("broker", "total_bytes", "usable_bytes")
    together = F.sum("used").over(alike)
    shared = (together > 0) & (together <= F.col("total_bytes") - F.col("usable_bytes"))
    capacity = F.when(
        shared, (together + F.col("usable_bytes")) / F.count("*").over(alike)
    ).otherwise(F.col("used") + F.col("usable_bytes"))
    return per_directory.withColumn(
        "capacity",
        F.when(F.col("usable_bytes") < 0, F.lit(None)).otherwise(capacity).cast("long"),
    ).select(*DIRECTORY.names)
