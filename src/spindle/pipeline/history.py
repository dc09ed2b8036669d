"""The history of samples: Parquet files by day, one a sample, written whole or not at all."""

from __future__ import annotations

import os
import uuid
from datetime import UTC
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from spindle.pipeline.schemas import SAMPLE, arrow


def append(samples: DataFrame, home: Path) -> Path | None:
    """Add one sample to the history below `home`; the file, or None where there was nothing.

    The file's name is that of the moment and broker set: written aside and renamed, so that a
    reader sees all of it or nothing, and a repeated append of the same sample replaces itself.
    """
    table: pa.Table = samples.select(*SAMPLE.names).toArrow().cast(arrow(SAMPLE))
    if not table.num_rows:
        return None
    moment = max(table["sampled_at"].to_pylist()).astimezone(UTC)
    day = home / f"day={moment:%Y-%m-%d}"
    day.mkdir(parents=True, exist_ok=True)
    final = day / f"sample-{moment:%H%M%S%f}.parquet"
    fresh = day / f".{final.name}.{uuid.uuid4().hex}"
    pq.write_table(table, fresh, compression="zstd")
    os.replace(fresh, final)
    return final


def read(spark: SparkSession, home: Path) -> DataFrame:
    """All samples of the history (schema SAMPLE)."""
    return spark.read.schema(SAMPLE).parquet(str(home)).select(*SAMPLE.names)


def read_files(spark: SparkSession, files: list[Path]) -> DataFrame:
    """Some samples of the history (schema SAMPLE), by their files."""
    return spark.read.schema(SAMPLE).parquet(*map(str, files)).select(*SAMPLE.names)
