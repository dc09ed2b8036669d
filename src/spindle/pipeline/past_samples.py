"""The samples of a history that a question about the past needs, found by the names of its files.

A file's name tells its moment, so what is too old, or closer together than growth is looked at, is
not even opened: a forecast costs the same with a sample an hour as with one every ten seconds. Of a
table of a catalog, and of compacted days, Spark finds them. Called by the jobs and the commands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spindle.pipeline import directory_loads, history
from spindle.pipeline.history_files import moment_of, since, spread, table_of

WINDOW_DAYS: Final = 14.0
"""How far back growth is looked for, by default."""
BUCKETS: Final = 168
"""Moments in the window at most: two hours each in 14 days."""
_DAY: Final = 86_400.0
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class PastSamples(NamedTuple):
    """Samples of a history (schema SAMPLE), and the files that have them, if it has files."""

    samples: DataFrame
    files: tuple[str, ...] = ()

    def reports(self, newest: Mapping[int, int]) -> DataFrame:
        """The reports of these moments (microseconds since 1970), by broker: each one's last.

        Where names tell the moments, only the files of these moments are read.
        """
        wanted = {_EPOCH + timedelta(microseconds=moment) for moment in newest.values()}
        of = {at: file for file in self.files if (at := moment_of(file)) is not None}
        samples = self.samples
        if wanted and wanted <= of.keys():
            samples = history.read_files(samples.sparkSession, [of[at] for at in sorted(wanted)])
        return directory_loads.of_moments(samples, newest)


def recent(spark: SparkSession, home: Path | str, days: float = WINDOW_DAYS) -> PastSamples:
    """The samples of the last days, counted back from the newest."""
    return _chosen(spark, home, days, lambda files: files)


def course(spark: SparkSession, home: Path | str, days: float = WINDOW_DAYS) -> PastSamples:
    """The same for growth: of samples close together some are left out (`spread`)."""
    return _chosen(spark, home, days, lambda files: spread(files, BUCKETS))


def of_last_days(samples: DataFrame, days: float = WINDOW_DAYS) -> DataFrame:
    """The same of a table, which is asked for the newest moment first."""
    newest = _newest(samples)
    return samples if newest is None else _from(samples, _least(newest, days))


def _chosen(
    spark: SparkSession,
    home: Path | str,
    days: float,
    choose: Callable[[Sequence[str]], Sequence[str]],
) -> PastSamples:
    files = history.files(home, spark)
    if table_of(home) is not None or not files:
        return PastSamples(of_last_days(history.read_files(spark, files), days))
    newest = _newest_of(spark, files)
    if newest is None:
        return PastSamples(history.read_files(spark, files), tuple(files))
    least = _least(newest, days)
    young = choose(since(files, _EPOCH + timedelta(microseconds=least)))
    return PastSamples(_from(history.read_files(spark, young), least), tuple(young))


def _newest_of(spark: SparkSession, files: Sequence[str]) -> int | None:
    """The moment of the newest sample: it is in the name of a file, or in a file of that day."""
    last_day = files[-1].split("/")[-2]
    of_day = [file for file in files if file.split("/")[-2] == last_day]
    moments = [at for file in of_day if (at := moment_of(file)) is not None]
    if len(moments) < len(of_day):
        return _newest(history.read_files(spark, of_day))
    return (max(moments) - _EPOCH) // timedelta(microseconds=1)


def _newest(samples: DataFrame) -> int | None:
    row = samples.agg(F.unix_micros(F.max("sampled_at")).alias("newest")).first()
    newest: int | None = None if row is None else row["newest"]
    return newest


def _least(newest: int, days: float) -> int:
    return max(0, newest - int(days * _DAY) * 1_000_000)


def _from(samples: DataFrame, least: int) -> DataFrame:
    return samples.where(F.col("sampled_at") >= F.timestamp_micros(F.lit(least)))
