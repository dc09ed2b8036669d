"""Samples by hand, in the schema that the sampler gives."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from spindle.pipeline import history
from spindle.pipeline.schemas import SAMPLE, arrow
from spindle.pipeline.session import Session

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TOTAL = 1000


def row(
    broker: int = 1,
    directory: str | None = "/a",
    name: str | None = None,
    size: int | None = None,
    *,
    usable: int | None = 500,
    at: datetime = NOON,
    **rest: Any,
) -> dict[str, Any]:
    """A row; `name` as topic-partition."""
    topic, _, partition = (name or "").rpartition("-")
    return {
        **dict.fromkeys(SAMPLE.names),
        "sampled_at": at,
        "broker": broker,
        "directory": directory,
        "total_bytes": TOTAL,
        "usable_bytes": usable,
        "cordoned": False,
        "topic": topic or None,
        "partition": int(partition) if partition else None,
        "size": size,
        "offset_lag": 0 if name else None,
        "is_future": False if name else None,
        **rest,
    }


def silent(broker: int, why: str = "no answer", at: datetime = NOON) -> dict[str, Any]:
    """The row of a broker that did not answer."""
    empty = dict.fromkeys(SAMPLE.names)
    return {**empty, "sampled_at": at, "broker": broker, "broker_error": why}


def samples(spark: Session, rows: Sequence[dict[str, Any]]) -> DataFrame:
    """Rows as the DataFrame that the stages take."""
    return spark.createDataFrame(pa.Table.from_pylist(list(rows), schema=arrow(SAMPLE)))


def at_minute(spark: Session, minute: int, size: int | None = None) -> DataFrame:
    """A sample of that minute after noon: a replica of `size` bytes (the minute's number where none
    are given), and a broker that did not answer."""
    at = NOON + timedelta(minutes=minute)
    told = row(1, "/a", "t-0", minute if size is None else size, at=at)
    return samples(spark, [told, silent(2, at=at)])


def sizes(spark: Session, home: Path | str) -> list[int]:
    """The bytes of that replica in every sample that a history has."""
    rows = history.read(spark, home).where("topic = 't'").collect()
    return sorted(r["size"] for r in rows)
