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
from typing import Final, NamedTuple, TypedDict

import pyarrow as pa
from pyspark.sql import DataFrame, Row, Window
from pyspark.sql import functions as F

from spindle.pipeline import device_growth, directory_loads
from spindle.pipeline.device_growth import MADE_ANEW
from spindle.pipeline.growth import Line, fit
from spindle.pipeline.history_summary import DirectoryHistory
from spindle.pipeline.past_samples import BUCKETS, PastSamples
from spindle.pipeline.schemas import FORECAST, GROWTH, arrow
from spindle.planning.amounts import counted, lasting

_KNOWN: Final = "topic is not null and not is_future and directory_error is null"
"""Rows of replicas that count."""
HOURS_MIN: Final = 48
SAMPLES_MIN: Final = 8
"""With less history nothing is forecast: an hour of load says nothing of a week."""
_DAY: Final = 86_400.0
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FAR: Final = 3650.0
"""Days after which a forecast has no meaning."""


class _DeviceUse(TypedDict):
    broker: int
    paths: list[str]
    used: int
    capacity: int


class _Seen(NamedTuple):
    """Each broker's newest moment (microseconds since 1970); the first and the last moment of a
    replica (s since 1970)."""

    newest: dict[int, int]
    first: float
    last: float


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


def changes(samples: DataFrame) -> DataFrame:
    """Bytes by which each replica has changed from one moment of the window to the next.

    Columns broker, topic, partition, since and at (s since 1970), size, change; no row for a first
    sample.
    """
    replica = ["broker", "topic", "partition"]
    known = samples.where(_KNOWN)
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
    fell = (F.col("_before") > 0) & (F.col("size") < F.col("_before") * MADE_ANEW)
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
    return changes(samples).transform(_fitted, ["broker", "topic", "partition"])


def grown(now: DataFrame, samples: DataFrame, days: float) -> DataFrame:
    """A sample as it will be: each replica larger by its growth in so many days."""
    more = F.coalesce(F.greatest(F.col("slope"), F.lit(0.0)) * days * _DAY, F.lit(0.0))
    return (
        now.join(growth(samples), ["broker", "topic", "partition"], "left")
        .withColumn("size", F.when(F.col("size").isNotNull(), F.col("size") + more.cast("long")))
        .select(*now.columns)
    )


def forecast(past: PastSamples) -> list[Filling]:
    """Every device of the newest samples that tells its space; first what fills first.

    The samples are gone through twice: for the moments, then for all replicas. The newest of each
    broker are read once more.
    """
    samples = past.samples
    seen = _seen(samples)
    if not seen.newest:
        return []
    newest = _EPOCH + timedelta(microseconds=max(seen.newest.values()))
    now = past.reports(seen.newest).cache()
    try:
        devices = _devices(directory_loads.directories(now))
        lines = _lines(samples, now, devices, seen)
    finally:
        now.unpersist()
    fillings = [_filling(use, lines.get(n), newest) for n, use in enumerate(devices)]
    far = newest + timedelta(days=2 * _FAR)
    return sorted(fillings, key=lambda f: (f.full_at()[1] or far, f.broker, f.path))


def _seen(samples: DataFrame) -> _Seen:
    """One look at all samples for the moments that count."""
    at = F.unix_micros("sampled_at")
    rows = samples.groupBy("broker").agg(
        F.max(F.when(F.col("broker_error").isNull(), at)).alias("newest"),
        F.min(F.when(F.expr(_KNOWN), at)).alias("first"),
        F.max(F.when(F.expr(_KNOWN), at)).alias("last"),
    )
    found = rows.collect()
    return _Seen(
        {row["broker"]: row["newest"] for row in found if row["newest"] is not None},
        min((row["first"] for row in found if row["first"] is not None), default=0) / 1e6,
        max((row["last"] for row in found if row["last"] is not None), default=0) / 1e6,
    )


def _devices(directories: DataFrame) -> list[_DeviceUse]:
    """The devices that tell their space, with the directories on each."""
    found: dict[tuple[int, str], _DeviceUse] = {}
    told = directories.where("online and capacity is not null").orderBy("broker", "directory")
    for row in told.collect():
        fresh: _DeviceUse = {"broker": row["broker"], "paths": [], "used": 0, "capacity": 0}
        use = found.setdefault((row["broker"], row["device"]), fresh)
        use["paths"].append(row["directory"])
        use["used"] += row["used"]
        use["capacity"] += row["capacity"]
    return list(found.values())


def _lines(
    samples: DataFrame, now: DataFrame, devices: Sequence[_DeviceUse], seen: _Seen
) -> dict[int, Row]:
    """How what lies on each device now has grown, by the device's number."""
    if not devices:
        return {}
    places = now.sparkSession.createDataFrame(
        [(use["broker"], path, n) for n, use in enumerate(devices) for path in use["paths"]],
        "broker int, directory string, device int",
    )
    replica = ["broker", "topic", "partition"]
    homes = (
        now.where("topic is not null and not is_future")
        .join(F.broadcast(places), ["broker", "directory"])
        .select(*replica, "device", F.monotonically_increasing_id().alias("replica"))
    )
    at = (F.unix_micros("sampled_at") / 1e6).alias("at")
    known = samples.where(_KNOWN).select(*replica, at, "size")
    theirs = known.join(F.broadcast(homes), replica).select(*device_growth.COLUMNS)
    stretches = device_growth.Stretches(seen.last, max((seen.last - seen.first) / BUCKETS, 1e-3))
    found = theirs.repartition("device").mapInArrow(device_growth.lines(stretches), FORECAST)
    return {row["device"]: row for row in found.collect()}


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


def _fitted(steps: DataFrame, key: list[str]) -> DataFrame:
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
        rows = [
            {**dict(zip(key, name, strict=True)), "slope": _growth(group)}
            for name, group in groups.items()
        ]
        yield pa.RecordBatch.from_pylist(rows, schema=arrow(GROWTH))

    chosen = steps.select(*key, "since", "at", "change")
    return chosen.repartition(*key).mapInArrow(run, GROWTH)


def _growth(group: list[tuple[float, float, float]]) -> float:
    """Bytes/s of a replica, from its steps (since, at, change)."""
    moments = [min(since for since, _, _ in group), *(at for _, at, _ in group)]
    found = fit(moments, [float(change) for _, _, change in group])
    return 0.0 if found is None else found.slope


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
