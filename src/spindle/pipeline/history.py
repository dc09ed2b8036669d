"""The history of samples: Parquet files by day, one a sample, written whole or not at all.

    <home>/day=2026-11-21/sample-091501123456.parquet    one sample
    <home>/day=2026-11-20/compact-<id>.parquet           a day; its footer names what it holds

A reader takes `files(home)`: where a compacted file and those that it replaces exist side by side
(a compaction was killed, or has just ended) only the former counts. Knows files and tables, no
cluster. Called by the jobs and by whoever looks back.
"""

from __future__ import annotations

import json
import os
import uuid
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from spindle.pipeline.schemas import SAMPLE, arrow

_HOLDS = b"spindle.holds"
"""Key in a compacted file's footer: the names of the files whose rows it holds."""
_ORDER = ("broker", "directory", "topic", "partition", "is_future", "sampled_at")
"""Rows of one replica lie together: sizes and names repeat, and hardly take space."""


def append(samples: DataFrame, home: Path) -> Path | None:
    """Add one sample to the history below `home`; the file, or None where there was nothing.

    The file's name is the sample's moment: written aside and renamed, so that a reader sees all
    of it or nothing, and appending the same sample again replaces it.
    """
    table: pa.Table = samples.select(*SAMPLE.names).toArrow().cast(arrow(SAMPLE))
    if not table.num_rows:
        return None
    moment = max(table["sampled_at"].to_pylist()).astimezone(UTC)
    day = home / f"day={moment:%Y-%m-%d}"
    day.mkdir(parents=True, exist_ok=True)
    return _write(table, day / f"sample-{moment:%H%M%S%f}.parquet")


def files(home: Path) -> list[Path]:
    """The files that together hold every sample once, oldest day first."""
    found: list[Path] = []
    for day in sorted(home.glob("day=*")):
        compacted = sorted(day.glob("compact-*.parquet"))
        replaced = {name for path in compacted for name in _holds(path)}
        own = [*compacted, *sorted(day.glob("sample-*.parquet"))]
        found += [path for path in own if path.name not in replaced]
    return found


def read(spark: SparkSession, home: Path) -> DataFrame:
    """All samples of the history (schema SAMPLE)."""
    return read_files(spark, files(home))


def read_files(spark: SparkSession, paths: list[Path]) -> DataFrame:
    """Some samples of the history (schema SAMPLE), by their files."""
    if not paths:
        return spark.createDataFrame([], SAMPLE)
    return spark.read.schema(SAMPLE).parquet(*map(str, paths)).select(*SAMPLE.names)


def compact(home: Path, before: date | None = None) -> list[Path]:
    """Make one sorted file of each day before that (today, UTC, if none is given).

    Can be killed anywhere: no sample is ever lost or counted twice, and what was left lying about
    is taken away the next time. A reader that listed the files before must list them again.
    """
    limit = before or datetime.now(UTC).date()
    made = []
    for day in sorted(home.glob("day=*")):
        if day.name >= f"day={limit:%Y-%m-%d}":
            continue
        kept = [path for path in files(home) if path.parent == day]
        if len(kept) > 1:
            table = pa.concat_tables([pq.read_table(path, schema=arrow(SAMPLE)) for path in kept])
            table = table.sort_by([(name, "ascending") for name in _ORDER])
            # With what those hold in turn: it may not have been taken away yet.
            holds = [name for path in kept for name in (path.name, *_holds(path))]
            table = table.replace_schema_metadata({_HOLDS: json.dumps(holds)})
            made.append(_write(table, day / f"compact-{uuid.uuid4().hex}.parquet"))
        for name in [name for path in day.glob("compact-*.parquet") for name in _holds(path)]:
            (day / name).unlink(missing_ok=True)
        for abandoned in day.glob(".compact-*"):
            abandoned.unlink(missing_ok=True)
    return made


def _holds(path: Path) -> list[str]:
    metadata = pq.read_schema(path).metadata or {}
    names: list[str] = json.loads(metadata.get(_HOLDS, b"[]"))
    return names


def _write(table: pa.Table, final: Path) -> Path:
    fresh = final.with_name(f".{final.name}.{uuid.uuid4().hex}")
    pq.write_table(table, fresh, compression="zstd")
    os.replace(fresh, final)
    return final
