"""A history that is a table of Spark's catalog: Iceberg, Delta, Hive, whatever the catalog makes.

Named `spark:TABLE`, as in `spark:lake.ops.kafka_disks`. A sample is known by its moment, and is
appended once. Its files, their compaction and their end are the catalog's. Called by `history`.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from spindle.pipeline.history_files import PREFIX
from spindle.pipeline.schemas import SAMPLE

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def append(samples: DataFrame, table: str) -> str | None:
    """Add one sample, and make the table if need be; its name, or None where there was nothing."""
    spark = samples.sparkSession
    # Brokers are asked each time that it is computed.
    once = samples.select(*SAMPLE.names).cache()
    try:
        newest = once.agg(F.unix_micros(F.max("sampled_at"))).first()
        if newest is None or newest[0] is None:
            return None
        name = f"{PREFIX}{table}@{newest[0]}"
        if not spark.catalog.tableExists(table):
            once.write.saveAsTable(table)
        elif not read(spark, name).head(1):
            _laid(once, spark.table(table).schema).write.insertInto(table)
        return name
    finally:
        once.unpersist()


def _laid(samples: DataFrame, table: StructType) -> DataFrame:
    """Samples with the columns of a table, in its order: so it may have been made in any format.

    Columns that are not ours are null.
    """
    return samples.select(
        *(
            F.col(f.name)
            if f.name in samples.columns
            else F.lit(None).cast(f.dataType).alias(f.name)
            for f in table
        )
    )


def read(spark: SparkSession, name: str) -> DataFrame:
    """All samples of a table (schema SAMPLE), or (`TABLE@MICROSECONDS`) the one of that moment."""
    table, _, moment = name.removeprefix(PREFIX).partition("@")
    if not spark.catalog.tableExists(table):
        return spark.createDataFrame([], SAMPLE)
    found = spark.table(table).select(*SAMPLE.names)
    if not moment:
        return found
    return found.where(F.col("sampled_at") == F.lit(_EPOCH + timedelta(microseconds=int(moment))))
