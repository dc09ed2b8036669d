"""The history of samples: Parquet files by day, one a sample, written whole or not at all.

    <home>/day=2026-11-21/sample-091501123456.parquet    one sample
    <home>/day=2026-11-20/compact-<id>-<n>.parquet       a day, compacted
    <home>/day=2026-11-20/compact-<id>.json              makes it count: its files, what they hold

`home` is a path or a URI of any file system that Spark reaches. Spark writes and sorts; here files
are only named. A reader takes `files(home)`: where a compaction and what it replaces exist side by
side (it was killed, or has just ended) only the former counts. Columns may be added to samples and
never change their type: in older files they are null. One process compacts at a time. Knows no
cluster. Called by the jobs and by the readers of the past.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spindle.model.errors import Unusable
from spindle.pipeline import catalog_history
from spindle.pipeline.folders import StorageFolder, place
from spindle.pipeline.schemas import SAMPLE

ROWS_PER_FILE: Final = 10_000_000
"""Rows of a compacted file, about."""
_ORDER: Final = ("broker", "directory", "topic", "partition", "is_future", "sampled_at")
"""Rows of one replica lie together: sizes and names repeat, and hardly take space."""
_ASIDE: Final = "_aside"
"""Below it everything is written; files older than a day belong to no writer."""
_DAY_SECONDS: Final = 86_400


class _Day(NamedTuple):
    """A day's files: those that count, and those that need not be there."""

    kept: list[str]
    replaced: list[str]


def append(samples: DataFrame, home: Path | str) -> str | None:
    """Add one sample to the history below `home`; the file, or None where there was nothing.

    The file's name is the sample's moment, and it comes there by a rename: a reader sees all of it
    or nothing, and a sample that is appended again is not appended twice. Unusable where this
    process does not find what Spark's workers have written.
    """
    if (table := catalog_history.table_of(home)) is not None:
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
    if catalog_history.table_of(home) is not None:
        return [str(home)]
    there = place(home, spark)
    return [there.uri(name) for day in _days(there) for name in _look(there, day).kept]


def read(spark: SparkSession, home: Path | str) -> DataFrame:
    """All samples of the history (schema SAMPLE)."""
    return read_files(spark, files(home, spark))


def read_files(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Some samples of the history (schema SAMPLE), by their files."""
    if not paths:
        return spark.createDataFrame([], SAMPLE)
    if catalog_history.table_of(paths[0]) is not None:
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
    for day in _days(there):
        if day >= f"day={limit:%Y-%m-%d}":
            continue
        found = _look(there, day)
        if len(found.kept) > 1 and any("/sample-" in name for name in found.kept):
            made += [there.uri(name) for name in _compacted(spark, there, day, found)]
            found = _look(there, day)
        for name in found.replaced:
            there.delete(name)
    _forget_abandoned(there)
    return made


def expire(home: Path | str, before: date, spark: SparkSession | None = None) -> list[str]:
    """Delete all days before that one; their names."""
    _refuse_table(home)
    there = place(home, spark)
    old = [day for day in _days(there) if day < f"day={before:%Y-%m-%d}"]
    for day in old:
        there.delete(day)
    return old


def _refuse_table(home: Path | str) -> None:
    if (table := catalog_history.table_of(home)) is not None:
        raise Unusable(f"{table} is a table of a catalog: its own tools compact and expire it")


def _compacted(spark: SparkSession, there: StorageFolder, day: str, found: _Day) -> list[str]:
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
        holds = [_base(name) for name in (*found.kept, *found.replaced)]
        marker = {"files": [_base(name) for name in made], "holds": holds}
        there.write(f"{aside}/marker", json.dumps(marker).encode())
        there.rename(f"{aside}/marker", f"{day}/compact-{own}.json")
        return made
    finally:
        there.delete(aside)


def _days(there: StorageFolder) -> list[str]:
    return [name for name in there.names() if name.startswith("day=")]


def _look(there: StorageFolder, day: str) -> _Day:
    names = there.names(day)
    markers = {n: json.loads(there.read(f"{day}/{n}")) for n in names if n.endswith(".json")}
    held = {name for marker in markers.values() for name in marker["holds"]}
    counted = {name for marker in markers.values() for name in marker["files"]}
    kept, replaced = [], []
    for name in names:
        if name in markers:
            gone = name in held or set(markers[name]["files"]) <= held
        elif name.startswith("compact-"):
            gone = name in held or name not in counted
        else:
            gone = name in held
        if gone:
            replaced.append(f"{day}/{name}")
        elif name.endswith(".parquet"):
            kept.append(f"{day}/{name}")
    return _Day(kept, replaced)


def _written(there: StorageFolder, aside: str) -> list[str]:
    """The files that Spark has written to a folder."""
    found = [f"{aside}/{name}" for name in there.names(aside) if name.endswith(".parquet")]
    if not found:
        raise Unusable(
            f"{there.uri()}: what Spark's workers wrote there is not to be seen from here; a "
            "history needs a folder that both share, or a URI such as hdfs:// or s3a://"
        )
    return found


def file_of(moment: datetime) -> str:
    """The name of the file of a sample that was taken at this moment."""
    return f"day={moment:%Y-%m-%d}/sample-{moment:%H%M%S%f}.parquet"


def new_folder() -> str:
    """The name of a folder that no other writer has, for what is not whole yet."""
    return f"{_ASIDE}/{int(time.time())}-{uuid.uuid4().hex}"


def _forget_abandoned(there: StorageFolder) -> None:
    """Take away what processes were writing when they were killed, a day ago or more."""
    for name in there.names(_ASIDE):
        if int(name.partition("-")[0]) < time.time() - _DAY_SECONDS:
            there.delete(f"{_ASIDE}/{name}")


def _base(name: str) -> str:
    return name.rpartition("/")[2]
