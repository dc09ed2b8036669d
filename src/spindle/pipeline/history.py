"""The history of samples: Parquet files by day, one a sample, written whole or not at all.

`home` is a path or a URI of any file system that Spark reaches, or a table of its catalog. Spark
writes and sorts; here files are only named (`history_files`). A reader takes `files(home)`. Columns
may be added to samples and never change their type: in older files they are null. One process
compacts at a time. Knows no cluster. Called by the jobs and by the readers of the past.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spindle.model.errors import Unusable
from spindle.pipeline import catalog_history
from spindle.pipeline.folders import StorageFolder, place
from spindle.pipeline.history_files import (
    ASIDE,
    DayFiles,
    base,
    days,
    file_of,
    look,
    new_folder,
    table_of,
    uris,
)
from spindle.pipeline.schemas import SAMPLE

ROWS_PER_FILE: Final = 10_000_000
"""Rows of a compacted file, about."""
_ORDER: Final = ("broker", "directory", "topic", "partition", "is_future", "sampled_at")
"""Rows of one replica lie together: sizes and names repeat, and hardly take space."""
_DAY_SECONDS: Final = 86_400


def append(samples: DataFrame, home: Path | str) -> str | None:
    """Add one sample to the history below `home`; the file, or None where there was nothing.

    The file's name is the sample's moment, and it comes there by a rename: a reader sees all of it
    or nothing, and a sample that is appended again is not appended twice. Unusable where this
    process does not find what Spark's workers have written.
    """
    if (table := table_of(home)) is not None:
        return catalog_history.append(samples, table)
    spark = samples.sparkSession
    there = place(home, spark)
    aside = new_folder()
    # One file, but not one task: brokers are asked side by side.
    samples.select(*SAMPLE.names).repartition(1).write.option("compression", "zstd").parquet(
        there.uri(aside)
    )
    try:
        written = _written(there, aside)
        table = spark.read.schema(SAMPLE).parquet(there.uri(written[0]))
        newest = table.agg(F.unix_micros(F.max("sampled_at"))).first()
        if newest is None or newest[0] is None:
            return None
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=newest[0])
        final = file_of(moment)
        there.rename(written[0], final)
        return there.uri(final)
    finally:
        there.delete(aside)


def files(home: Path | str, spark: SparkSession | None = None) -> list[str]:
    """The files that together hold every sample once, oldest day first.

    `spark` is needed for a `home` that only Spark reaches. A table of a catalog counts as one.
    """
    if table_of(home) is not None:
        return [str(home)]
    there = place(home, spark)
    return uris(there)


def read(spark: SparkSession, home: Path | str) -> DataFrame:
    """All samples of the history (schema SAMPLE)."""
    return read_files(spark, files(home, spark))


def read_files(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Some samples of the history (schema SAMPLE), by their files."""
    if not paths:
        return spark.createDataFrame([], SAMPLE)
    if table_of(paths[0]) is not None:
        return catalog_history.read(spark, paths[0])
    return spark.read.schema(SAMPLE).parquet(*paths).select(*SAMPLE.names)


def compact(spark: SparkSession, home: Path | str, before: date | None = None) -> list[str]:
    """Make few sorted files of each day before that (today, UTC, if none is given).

    Can be killed anywhere: no sample is ever lost or counted twice, and what was left lying about
    is taken away the next time. A reader that listed the files before must list them again.
    """
    limit = before or datetime.now(UTC).date()
    _refuse_table(home)
    there = place(home, spark)
    made: list[str] = []
    for day in days(there):
        if day >= f"day={limit:%Y-%m-%d}":
            continue
        found = look(there, day)
        if len(found.kept) > 1 and any("/sample-" in name for name in found.kept):
            made += [there.uri(name) for name in _compacted(spark, there, day, found)]
            found = look(there, day)
        for name in found.replaced:
            there.delete(name)
    _forget_abandoned(there)
    return made


def expire(home: Path | str, before: date, spark: SparkSession | None = None) -> list[str]:
    """Delete all days before that one; their names."""
    _refuse_table(home)
    there = place(home, spark)
    old = [day for day in days(there) if day < f"day={before:%Y-%m-%d}"]
    for day in old:
        there.delete(day)
    return old


def _refuse_table(home: Path | str) -> None:
    if (table := table_of(home)) is not None:
        raise Unusable(f"{table} is a table of a catalog: its own tools compact and expire it")


def _compacted(spark: SparkSession, there: StorageFolder, day: str, found: DayFiles) -> list[str]:
    """Rewrite a day's files, sorted, and make them count in place of the old ones."""
    aside, own = new_folder(), uuid.uuid4().hex
    # With columns that this version does not know: a newer one may have written them.
    table = spark.read.option("mergeSchema", "true").parquet(*map(there.uri, found.kept))
    parts = -(-table.count() // ROWS_PER_FILE)
    spread = table.repartitionByRange(parts, *_ORDER) if parts > 1 else table.repartition(1)
    spread.sortWithinPartitions(*_ORDER).write.option("compression", "zstd").parquet(
        there.uri(aside)
    )
    try:
        made = []
        for number, name in enumerate(_written(there, aside)):
            made.append(f"{day}/compact-{own}-{number:05d}.parquet")
            there.rename(name, made[-1])
        # With those that are replaced already: they may not have been taken away yet.
        holds = [base(name) for name in (*found.kept, *found.replaced)]
        marker = {"files": [base(name) for name in made], "holds": holds}
        there.write(f"{aside}/marker", json.dumps(marker).encode())
        there.rename(f"{aside}/marker", f"{day}/compact-{own}.json")
        return made
    finally:
        there.delete(aside)


def _written(there: StorageFolder, aside: str) -> list[str]:
    """The files that Spark has written to a folder."""
    found = [f"{aside}/{name}" for name in there.names(aside) if name.endswith(".parquet")]
    if not found:
        raise Unusable(
            f"{there.uri()}: what Spark's workers wrote there is not to be seen from here; a "
            "history needs a folder that both share, or a URI such as hdfs:// or s3a://"
        )
    return found


def _forget_abandoned(there: StorageFolder) -> None:
    """Take away what processes were writing when they were killed, a day ago or more."""
    for name in there.names(ASIDE):
        if int(name.partition("-")[0]) < time.time() - _DAY_SECONDS:
            there.delete(f"{ASIDE}/{name}")
