"""Which directory fills first, and when: from the history, on Spark.

Directories on one device fill together: its free bytes and their growth count once
(`directory_loads`). Its growth is that of the replicas that lie there now, wherever they lay
before: so a move is no growth, and a device that has just been filled is judged by what it holds. A
replica counts from its first sample on; one whose topic was created again counts from there.
Stages are functions DataFrame -> DataFrame; the driver gets one row a device. Sizes are bytes,
rates bytes/s. Called by the commands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, TypedDict

import pyarrow as pa
from pyspark.sql import DataFrame, Row, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from spindle.pipeline import directory_loads
from spindle.pipeline.growth import fit
from spindle.pipeline.history_summary import DirectoryHistory
from spindle.pipeline.schemas import FORECAST, GROWTH, arrow

WINDOW_DAYS: Final = 14.0
"""How far back growth is looked for, by default."""
BUCKETS: Final = 168
"""Moments in the window at most: two hours each in 14 days."""
_MADE_ANEW: Final = 0.1
"""A replica that shrinks below this share of itself, once in the window, is another one."""
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
    """A device: how it grows (bytes/s) and when it is full (None: not within ten years).

    `paths`: the log directories on it, mostly one. `capacity`: bytes that replicas may take;
    `earliest`, `latest`: by the slopes of its long stretches; `hours` of history and `samples`
    it rests on. `line`: (moment, bytes) of what lies there now, in the past.
    """

    broker: int
    paths: tuple[str, ...]
    used: int
    capacity: int
    growth: float
    full_at: datetime | None
    earliest: datetime | None
    latest: datetime | None
    hours: float
    samples: int
    line: tuple[tuple[datetime, int], ...] = ()

    @property
    def path(self) -> str:
        """Its directories in a word."""
        return ", ".join(self.paths)

    def days_left(self, now: datetime) -> float | None:
        """Days until it is full."""
        return None if self.full_at is None else (self.full_at - now).total_seconds() / _DAY


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

    Columns broker, topic, partition, at (s since 1970), size, change; no row for a first sample.
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
        .withColumn("_falls", F.sum(F.when(fell, 1).otherwise(0)).over(every))
        .where(F.col("_before").isNotNull())
        .withColumn(
            "change",
            F.when(fell & (F.col("_falls") == 1), F.col("size")).otherwise(
                F.col("size") - F.col("_before")
            ),
        )
        .select(*replica, "at", "size", "change")
    )


def growth(samples: DataFrame) -> DataFrame:
    """Each replica's growth (schema GROWTH)."""
    return changes(samples).transform(_fitted, ["broker", "topic", "partition"], GROWTH)


def grown(now: DataFrame, samples: DataFrame, days: float) -> DataFrame:
    """A sample as it will be: each replica larger by its growth in so many days."""
    rates = growth(samples).select("broker", "topic", "partition", "growth")
    more = F.coalesce(F.greatest(F.col("growth"), F.lit(0.0)) * days * _DAY, F.lit(0.0))
    return (
        now.join(rates, ["broker", "topic", "partition"], "left")
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
        .agg(F.sum("change").alias("change"))
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
    return sorted(fillings, key=lambda f: (f.full_at or far, f.broker, f.path))


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
        groups: dict[tuple[object, ...], list[tuple[float, float]]] = {}
        columns = [table[name].to_pylist() for name in [*key, "at", "change"]]
        for row in zip(*columns, strict=True):
            groups.setdefault(row[:-2], []).append(row[-2:])
        rows = [_row(dict(zip(key, name, strict=True)), group) for name, group in groups.items()]
        names = [f.name for f in arrow(schema)]
        yield pa.RecordBatch.from_pylist(
            [{name: row.get(name) for name in names} for row in rows], schema=arrow(schema)
        )

    chosen = steps.select(*key, "at", "change")
    return chosen.repartition(*key).mapInArrow(run, schema)


def _row(key: dict[str, object], group: list[tuple[float, float]]) -> dict[str, object]:
    moments = [at for at, _ in group]
    found = fit(moments, [change for _, change in group])
    slope, low, high = found if found is not None else (0.0, 0.0, 0.0)
    return {
        **key, "growth": slope, "low": low, "high": high, "samples": len(group),
        "hours": (moments[-1] - moments[0]) / 3600,
        "at": moments, "changes": [float(change) for _, change in group],
    }  # fmt: skip


def _filling(told: _DeviceUse, line: Row | None, now: datetime) -> Filling:
    used, capacity = int(told["used"]), int(told["capacity"])
    row = line.asDict() if line is not None else {}
    rates = [float(row.get(name, 0.0)) for name in ("growth", "high", "low")]
    full, earliest, latest = (_when(capacity - used, rate, now) for rate in rates)
    return Filling(
        told["broker"], tuple(told["paths"]), used, capacity, rates[0], full,
        earliest, latest, float(row.get("hours", 0.0)), int(row.get("samples", 0)),
        _past(used, row.get("at") or [], row.get("changes") or []),
    )  # fmt: skip


def _when(free: int, rate: float, now: datetime) -> datetime | None:
    if free <= 0:
        return now
    days = free / rate / _DAY if rate > 0 else _FAR
    return now + timedelta(days=days) if days < _FAR else None


def _past(used: int, at: list[float], steps: list[float]) -> tuple[tuple[datetime, int], ...]:
    """What lies there now, back in time: from what it is to what it was."""
    found, size = [], float(used)
    for moment, step in zip(reversed(at), reversed(steps), strict=True):
        found.append((datetime.fromtimestamp(moment, UTC), max(0, round(size))))
        size -= step
    return tuple(reversed(found))
