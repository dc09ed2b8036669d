"""Which directory fills first, and when: from the history, on Spark.

Directories on one device fill together: its free bytes and their growth count once
(`directory_loads`). Its growth is that of the replicas that lie there now, wherever they lay
before: so a move is no growth, and a device that has just been filled is judged by what it holds. A
replica counts from its first sample on; one whose topic was created again counts from there.
Stages are functions DataFrame -> DataFrame; the driver gets one row a device. Sizes are bytes,
rates bytes/s. Called by the commands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Final, TypedDict

import pyarrow as pa
from pyspark.sql import DataFrame, Row, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from spindle.pipeline import directory_loads
from spindle.pipeline.growth import Line, fit
from spindle.pipeline.history_summary import DirectoryHistory
from spindle.pipeline.schemas import FORECAST, GROWTH, arrow
from spindle.planning.amounts import counted, lasting

WINDOW_DAYS: Final = 14.0
"""How far back growth is looked for, by default."""
BUCKETS: Final = 168
"""Moments in the window at most: two hours each in 14 days."""
_MADE_ANEW: Final = 0.1
"""A replica that shrinks below this share of itself, once in the window, is another one."""
HOURS_MIN: Final = 48
SAMPLES_MIN: Final = 8
"""With less history nothing is forecast: an hour of load says nothing of a week."""
_DAY: Final = 86_400.0
_FAR: Final = 3650.0
"""Days after which a forecast has no meaning."""


class _DeviceUse(TypedDict):
    broker: int
    paths: list[str]
    used: int
    capacity: int


@dataclass(frozen=True, slots=True)
class Filling:
    """A device: how it grows, as known `at` a moment, that of the newest samples.

    `paths`: the log directories on it, mostly one. `capacity`: bytes that replicas may take.
    `course`: None where there is too little history of what lies there (`lacking` says it).
    `line`: (moment, bytes) of what lies there now, in the past.
    """

    broker: int
    paths: tuple[str, ...]
    used: int
    capacity: int
    at: datetime
    course: Line | None
    line: tuple[tuple[datetime, int], ...] = ()

    @property
    def path(self) -> str:
        """Its directories in a word."""
        return ", ".join(self.paths)

    @property
    def samples(self) -> int:
        """Moments that the forecast rests on."""
        return len(self.line)

    @property
    def hours(self) -> float:
        """Hours of history."""
        return (self.line[-1][0] - self.line[0][0]).total_seconds() / 3600 if self.line else 0.0

    @property
    def full(self) -> bool:
        """Whether it is full now."""
        return self.used >= self.capacity

    @property
    def lacking(self) -> str:
        """Why nothing can be forecast; "" where something can."""
        if self.course is not None:
            return ""
        if not self.line:
            return "no history of what lies there"
        held = f"{counted(self.samples, 'sample')} in {lasting(self.hours * 3600)}"
        return f"too little history: {held}; it takes {SAMPLES_MIN} in {HOURS_MIN} h"

    def full_at(self) -> tuple[datetime | None, datetime | None, datetime | None]:
        """When it is full: at the earliest, expected, at the latest. None: not in ten years.

        The bounds hold with the confidence of `growth`.
        """
        if self.full:
            return self.at, self.at, self.at
        if self.course is None:
            return None, None, None
        earliest, expected, latest = self.course.until(self.capacity - self.used)
        return self._moment(earliest), self._moment(expected), self._moment(latest)

    def _moment(self, seconds: float | None) -> datetime | None:
        if seconds is None or seconds >= _FAR * _DAY:
            return None
        return self.at + timedelta(seconds=seconds)


def recent(samples: DataFrame, days: float = WINDOW_DAYS) -> DataFrame:
    """The samples of the last days, counted back from the newest."""
    newest = samples.agg(F.max("sampled_at").alias("newest"))
    seconds = int(days * _DAY)
    return (
        samples.join(F.broadcast(newest))
        .where(F.col("sampled_at") >= F.col("newest") - F.make_dt_interval(secs=F.lit(seconds)))
        .drop("newest")
    )


def changes(samples: DataFrame) -> DataFrame:
    """Bytes by which each replica has changed from one moment of the window to the next.

    Columns broker, topic, partition, since and at (s since 1970), size, change; no row for a first
    sample.
    """
    replica = ["broker", "topic", "partition"]
    known = samples.where("topic is not null and not is_future and directory_error is null")
    seconds = F.unix_micros("sampled_at") / 1e6
    span = known.agg(F.min(seconds).alias("first"), F.max(seconds).alias("last"))
    width = F.greatest((F.col("last") - F.col("first")) / BUCKETS, F.lit(1e-3))
    buckets = (
        known.join(F.broadcast(span))
        .withColumn("_bucket", F.floor((F.col("last") - seconds) / width))
        .groupBy(*replica, "_bucket")
        .agg(F.max(seconds).alias("at"), F.max_by("size", "sampled_at").alias("size"))
    )
    order = Window.partitionBy(*replica).orderBy("at")
    every = Window.partitionBy(*replica)
    before = F.lag("size").over(order)
    fell = (F.col("_before") > 0) & (F.col("size") < F.col("_before") * _MADE_ANEW)
    return (
        buckets.withColumn("_before", before)
        .withColumn("since", F.lag("at").over(order))
        .withColumn("_falls", F.sum(F.when(fell, 1).otherwise(0)).over(every))
        .where(F.col("_before").isNotNull())
        .withColumn(
            "change",
            F.when(fell & (F.col("_falls") == 1), F.col("size")).otherwise(
                F.col("size") - F.col("_before")
            ),
        )
        .select(*replica, "since", "at", "size", "change")
    )


def growth(samples: DataFrame) -> DataFrame:
    """Each replica's growth (schema GROWTH)."""
    return changes(samples).transform(_fitted, ["broker", "topic", "partition"], GROWTH)


def grown(now: DataFrame, samples: DataFrame, days: float) -> DataFrame:
    """A sample as it will be: each replica larger by its growth in so many days."""
    more = F.coalesce(F.greatest(F.col("slope"), F.lit(0.0)) * days * _DAY, F.lit(0.0))
    return (
        now.join(growth(samples), ["broker", "topic", "partition"], "left")
        .withColumn("size", F.when(F.col("size").isNotNull(), F.col("size") + more.cast("long")))
        .select(*now.columns)
    )


def forecast(samples: DataFrame) -> list[Filling]:
    """Every device of the newest samples that tells its space; first what fills first."""
    now = directory_loads.latest(samples).cache()
    directories = directory_loads.directories(now).where("online and capacity is not null").cache()
    at = now.agg(F.max("sampled_at").alias("at")).first()
    if at is None or at["at"] is None:
        return []
    newest = at["at"].astimezone(UTC) if at["at"].tzinfo else at["at"].replace(tzinfo=UTC)
    devices = directories.select("broker", "directory", "device")
    homes = (
        now.where("topic is not null and not is_future")
        .join(F.broadcast(devices), ["broker", "directory"])
        .select("broker", "topic", "partition", "device")
    )
    steps = (
        changes(samples)
        .join(homes, ["broker", "topic", "partition"])
        .groupBy("broker", "device", F.round("at", 3).alias("at"))
        .agg(F.sum("change").alias("change"), F.min("since").alias("since"))
    )
    lines = {
        (row["broker"], row["device"]): row
        for row in steps.transform(_fitted, ["broker", "device"], FORECAST).collect()
    }
    held = directories.groupBy("broker", "device").agg(
        F.sort_array(F.collect_list("directory")).alias("paths"),
        F.sum("used").alias("used"),
        F.sum("capacity").alias("capacity"),
    )
    fillings = [
        _filling(row.asDict(), lines.get((row["broker"], row["device"])), newest)
        for row in held.collect()
    ]
    far = newest + timedelta(days=2 * _FAR)
    return sorted(fillings, key=lambda f: (f.full_at()[1] or far, f.broker, f.path))


def summary(samples: DataFrame) -> list[DirectoryHistory]:
    """What a history holds of each directory: moments, and bytes at the first and the last."""
    current = F.when(~F.coalesce("is_future", F.lit(False)), F.coalesce("size", F.lit(0)))
    of_sample = (
        samples.where("directory is not null")
        .groupBy("broker", "directory", "sampled_at")
        .agg(F.coalesce(F.sum(current), F.lit(0)).alias("used"), F.count("topic").alias("replicas"))
    )
    moment = "yyyy-MM-dd HH:mm:ss"
    rows = (
        of_sample.groupBy("broker", F.col("directory").alias("logDir"))
        .agg(
            F.date_format(F.min("sampled_at"), moment).alias("first"),
            F.date_format(F.max("sampled_at"), moment).alias("last"),
            F.count("*").alias("samples"),
            F.min_by("used", "sampled_at").alias("was"),
            F.max_by("used", "sampled_at").alias("is"),
            F.max_by("replicas", "sampled_at").alias("replicas"),
        )
        .orderBy("broker", "logDir")
    )
    return [row.asDict() for row in rows.collect()]


def _fitted(steps: DataFrame, key: list[str], schema: StructType) -> DataFrame:
    """A line through each group's changes; a partition of Spark's holds whole groups."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        kept = [batch for batch in batches if batch.num_rows]
        if not kept:
            return
        table = pa.Table.from_batches(kept).sort_by([(name, "ascending") for name in [*key, "at"]])
        groups: dict[tuple[object, ...], list[tuple[float, float, float]]] = {}
        columns = [table[name].to_pylist() for name in [*key, "since", "at", "change"]]
        for row in zip(*columns, strict=True):
            groups.setdefault(row[:-3], []).append(row[-3:])
        rows = [_row(dict(zip(key, name, strict=True)), group) for name, group in groups.items()]
        names = [f.name for f in arrow(schema)]
        yield pa.RecordBatch.from_pylist(
            [{name: row.get(name) for name in names} for row in rows], schema=arrow(schema)
        )

    chosen = steps.select(*key, "since", "at", "change")
    return chosen.repartition(*key).mapInArrow(run, schema)


def _row(key: dict[str, object], group: list[tuple[float, float, float]]) -> dict[str, object]:
    moments = [min(since for since, _, _ in group), *(at for _, at, _ in group)]
    changes = [float(change) for _, _, change in group]
    found = fit(moments, changes) or Line(0.0, 0.0, 0.0, 0, 0.0)
    return {**key, **found._asdict(), "moments": moments, "changes": changes}


def _filling(told: _DeviceUse, row: Row | None, now: datetime) -> Filling:
    used = int(told["used"])
    of = told["broker"], tuple(told["paths"]), used, int(told["capacity"]), now
    if row is None:
        return Filling(*of, None)
    line = _past(used, row["moments"], row["changes"])
    found = Line(*(row[name] for name in Line._fields))
    enough = len(line) >= SAMPLES_MIN and line[-1][0] - line[0][0] >= timedelta(hours=HOURS_MIN)
    return Filling(*of, found if enough and found.known else None, line)


def _past(
    used: int, moments: Sequence[float], changes: Sequence[float]
) -> tuple[tuple[datetime, int], ...]:
    """What lies there now, back in time: from what it is to what it was."""
    sizes = accumulate([float(used), *(-change for change in reversed(changes))])
    found = [
        (datetime.fromtimestamp(moment, UTC), max(0, round(size)))
        for moment, size in zip(reversed(moments), sizes, strict=True)
    ]
    return tuple(reversed(found))
