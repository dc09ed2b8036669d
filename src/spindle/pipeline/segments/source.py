"""The data source `spindle.log`: Kafka's log directories as a table, read in parallel.

    register(spark)
    spark.read.format("spindle.log").load("/disk1")
    spark.read.format("spindle.log").option("level", "batches").load(["/disk1", "/disk2"])

Options: `level` records or batches; `columns`, those to make (a user's own `.schema()`
does the same); `topic` and `partition`, comma-separated; `kinds`, of logs: current, future, delete,
stray, other (a copy that was set aside under another suffix), or all; `startOffset`,
`endOffset`, `startTime`, `endTime` (ISO 8601 or ms; from the first on, before the second); `check`
false: look at no CRC where batches are read; `splitBytes`.

Called by the commands and by users; the files' paths are those that Spark's workers see.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    LessThan,
    LessThanOrEqual,
)
from pyspark.sql.types import StructField, StructType

from spindle.pipeline.schemas import LOG_BATCH, LOG_RECORD, arrow
from spindle.pipeline.segments.finding import (
    OTHER,
    FoundSegments,
    Part,
    SegmentFilter,
    Trouble,
    find,
)
from spindle.pipeline.segments.rows import Table
from spindle.pipeline.segments.scanning import BATCHES, RECORDS, Scanner
from spindle.pipeline.session import Session

T = TypeVar("T")

FORMAT: Final = "spindle.log"
SPLIT_BYTES: Final = 64 << 20
"""Bytes of a log that one task reads, about."""
_TASKS_MIN: Final = 8
_SMALL: Final = 1 << 20
_PUSHDOWN: Final = "spark.sql.python.filterPushdown.enabled"
_KINDS: Final = frozenset({"current", "future", "delete", "stray", OTHER})
_OPTIONS: Final = frozenset(
    {
        "path", "paths", "level", "columns", "topic", "partition", "kinds", "startoffset",
        "endoffset", "starttime", "endtime", "check", "splitbytes",
    }
)  # fmt: skip


def register(spark: Session) -> None:
    """Make the format known to a session, with filters pushed down where the session can do so."""
    try:
        spark.conf.set(_PUSHDOWN, "true")
        spark.dataSource.register(PushingLogs)
    except Exception:  # A session that does not allow it: bounds are options then.
        spark.dataSource.register(LogsSource)


class LogsSource(DataSource):  # type: ignore[misc]
    """Log directories as batches or records."""

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return FORMAT

    def schema(self) -> StructType:
        """LOG_RECORD or LOG_BATCH; of it the columns of the option `columns`."""
        whole = LOG_BATCH if self._level() == BATCHES else LOG_RECORD
        names = _list(self.options.get("columns"))
        return whole if names is None else StructType([_field(whole, name) for name in names])

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader of the columns that are wanted."""
        return LogsReader(*self._wanted(schema))

    def _wanted(
        self, schema: StructType
    ) -> tuple[list[str], SegmentFilter, StructType, str, bool, int]:
        unknown = sorted(set(map(str.lower, self.options)) - _OPTIONS)
        if unknown:
            raise ValueError(f"spindle.log has no option {', '.join(unknown)}")
        whole = LOG_BATCH if self._level() == BATCHES else LOG_RECORD
        for field in schema:
            if _field(whole, field.name).dataType != field.dataType:
                raise ValueError(
                    f"spindle.log: the column {field.name} is a "
                    f"{_field(whole, field.name).dataType.simpleString()}"
                )
        check = self.options.get("check", "true").lower() != "false"
        split = int(self.options.get("splitBytes", SPLIT_BYTES))
        if split < 1:
            raise ValueError("spindle.log: splitBytes must be positive")
        return self._paths(), self._bounds(), schema, self._level(), check, split

    def _level(self) -> str:
        level = self.options.get("level", RECORDS)
        if level not in (BATCHES, RECORDS):
            raise ValueError(f"spindle.log: level is {BATCHES} or {RECORDS}, not {level}")
        return str(level)

    def _paths(self) -> list[str]:
        given = self.options.get("paths")
        paths = json.loads(given) if given else [self.options.get("path")]
        if not paths or not all(paths):
            raise ValueError("spindle.log needs a path: .load('/disk1')")
        return [str(path).removeprefix("file://") for path in paths]

    def _bounds(self) -> SegmentFilter:
        options = self.options
        kinds = frozenset(_list(options.get("kinds")) or ["current"])
        if kinds == {"all"}:
            kinds = _KINDS
        if not kinds <= _KINDS:
            raise ValueError(f"spindle.log: kinds are {', '.join(sorted(_KINDS))}, or all")
        topics = _list(options.get("topic"))
        partitions = _list(options.get("partition"))
        return SegmentFilter(
            topics=None if topics is None else frozenset(topics),
            partitions=None if partitions is None else frozenset(map(int, partitions)),
            kinds=kinds,
            first_offset=_optional(int, options.get("startOffset")),
            end_offset=_optional(int, options.get("endOffset")),
            first_time=_optional(_milliseconds, options.get("startTime")),
            end_time=_optional(_milliseconds, options.get("endTime")),
        )


class PushingLogs(LogsSource):
    """The same for sessions that push filters down: bounds come from `where` too."""

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader that takes filters."""
        return PushingReader(*self._wanted(schema))


class LogsReader(DataSourceReader):  # type: ignore[misc]
    """Reads parts of logs; small ones together in one task."""

    def __init__(
        self, paths: list[str], bounds: SegmentFilter, schema: StructType, level: str, check: bool,
        split: int,
    ) -> None:  # fmt: skip
        self._paths = paths
        self._bounds = bounds
        self._schema = schema
        self._level = level
        self._check = check
        self._split = split

    def partitions(self) -> list[InputPartition]:
        """All parts, packed into tasks of about equal size."""
        found = find(self._paths, self._pruned(), self._split)
        return [InputPartition(task) for task in _tasks(found, self._split)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """One task's rows as Arrow batches."""
        if partition.value is None:
            return
        parts, troubles = partition.value
        table = Table(arrow(self._schema), self._bounds)
        scanner = Scanner(table, self._level, self._check)
        yield from scanner.troubles(troubles)
        yield from scanner.scan(parts)

    def _pruned(self) -> SegmentFilter:
        """What lies outside need not even be listed."""
        return self._bounds


class PushingReader(LogsReader):
    """Leaves out what filters exclude. Spark looks at each filter again: none is kept from it."""

    _pushed: SegmentFilter | None = None

    def pushFilters(self, filters: list[Filter]) -> Iterator[Filter]:
        """Narrow the bounds by names, indexes and headers."""
        for one in filters:
            self._pushed = _narrowed(self._pushed or self._bounds, one, self._level)
            yield one

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """One task's rows: those of damage need not lie within the filters."""
        self._bounds = self._pushed or self._bounds
        return super().read(partition)

    def _pruned(self) -> SegmentFilter:
        return self._pushed or self._bounds


def _tasks(found: FoundSegments, split: int) -> list[tuple[list[Part], list[Trouble]]]:
    """Parts in tasks of at most `split` bytes, smaller where there is little; large ones first.

    Neighbours stay together, so that each task reads its files from front to back.
    """
    total = sum(part.size for part in found.parts)
    cores = max(_TASKS_MIN, 2 * (os.cpu_count() or 1))
    aim = min(split, max(_SMALL, total // cores))
    tasks: list[tuple[list[Part], list[Trouble]]] = []
    parts: list[Part] = []
    size = 0
    for part in found.parts:
        if parts and size + part.size > aim:
            tasks.append((parts, []))
            parts, size = [], 0
        parts.append(part)
        size += part.size
    if parts:
        tasks.append((parts, []))
    tasks.sort(key=lambda task: -sum(part.size for part in task[0]))
    return [([], found.troubles), *tasks] if found.troubles else tasks


def _narrowed(bounds: SegmentFilter, one: Filter, level: str) -> SegmentFilter:
    """Bounds that hold all rows which can pass a filter."""
    if isinstance(one, EqualTo):
        name, first, last = one.attribute, one.value, one.value
    elif isinstance(one, In):
        return _among(bounds, one.attribute, list(one.value))
    elif isinstance(one, GreaterThan | GreaterThanOrEqual):
        name, first, last = one.attribute, one.value, None
    elif isinstance(one, LessThan | LessThanOrEqual):
        name, first, last = one.attribute, None, one.value
    else:
        return bounds
    if isinstance(one, EqualTo):
        bounds = _among(bounds, name, [one.value])
    if level == RECORDS and name == ("offset",):
        return _offsets(bounds, first, last)
    if level == RECORDS and name == ("timestamp",):
        return _times(bounds, first, last)
    if level == BATCHES and name == ("last_offset",) and first is not None:
        return _offsets(bounds, first, None)
    if level == BATCHES and name == ("base_offset",) and last is not None:
        return _offsets(bounds, None, last)
    if level == BATCHES and name == ("max_timestamp",) and first is not None:
        return _times(bounds, first, None)
    return bounds


def _among(bounds: SegmentFilter, name: tuple[str, ...], values: list[Any]) -> SegmentFilter:
    known = [value for value in values if value is not None]
    if name == ("topic",):
        topics = frozenset(known)
        return replace(bounds, topics=_both(bounds.topics, topics))
    if name == ("partition",):
        return replace(bounds, partitions=_both(bounds.partitions, frozenset(known)))
    return bounds


def _both(before: frozenset[T] | None, now: frozenset[T]) -> frozenset[T]:
    return now if before is None else before & now


def _offsets(bounds: SegmentFilter, first: int | None, last: int | None) -> SegmentFilter:
    if first is not None:
        bounds = replace(bounds, first_offset=max(first, bounds.first_offset or 0))
    if last is not None:
        end = last + 1 if bounds.end_offset is None else min(last + 1, bounds.end_offset)
        bounds = replace(bounds, end_offset=end)
    return bounds


def _times(bounds: SegmentFilter, first: datetime | None, last: datetime | None) -> SegmentFilter:
    """Whole milliseconds; moments are inclusive here."""
    if first is not None:
        begin = _milliseconds(first)
        before = bounds.first_time
        bounds = replace(bounds, first_time=begin if before is None else max(begin, before))
    if last is not None:
        end = _milliseconds(last) + 1
        before = bounds.end_time
        bounds = replace(bounds, end_time=end if before is None else min(end, before))
    return bounds


def _milliseconds(moment: str | datetime) -> int:
    if isinstance(moment, str):
        if moment.lstrip("-").isdigit():
            return int(moment)
        moment = datetime.fromisoformat(moment)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
    # Spark's own timestamps come without a zone, in that of the worker's machine.
    return int(moment.timestamp() * 1000)


def _optional(kind: Callable[[str], int], text: str | None) -> int | None:
    return None if text is None else kind(text)


def _list(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def _field(whole: StructType, name: str) -> StructField:
    if name not in whole.names:
        raise ValueError(
            f"spindle.log has no column {name} at this level; it has {', '.join(whole.names)}"
        )
    return whole[name]
