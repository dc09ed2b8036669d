"""Logs of a test's own making: batches put into files as a broker would."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spindle.model.batches import Record, RecordBatch
from spindle.pipeline.schemas import LOG_BATCH, LOG_RECORD, arrow
from spindle.pipeline.segments.finding import SegmentFilter, find
from spindle.pipeline.segments.rows import Table
from spindle.pipeline.segments.scanning import Scanner
from spindle.storage import layout
from spindle.wire.batch import NEXT, Compression, build

Row = dict[str, Any]
NOON = 1_700_000_000_000
"""A moment in ms."""


def some_batches(seed: int, count: int, first: int = 0, records: int = 12) -> list[RecordBatch]:
    """Batches of all codecs, with keys, values and headers that are null, empty, or neither."""
    rng = random.Random(seed)
    made = []
    for number in range(count):
        batch = build(
            [some_record(rng, NOON + 1000 * number) for _ in range(rng.randrange(1, records))],
            base_offset=first,
            leader_epoch=3,
            compression=Compression(rng.randrange(5)),
            producer_id=rng.choice([-1, 7]),
            producer_epoch=1,
            base_sequence=number * records,
        )
        first = batch.next_offset
        made.append(batch)
    return made


def some_record(rng: random.Random, moment: int) -> Record:
    def blob(most: int) -> bytes | None:
        return rng.choice([None, b"", rng.randbytes(rng.randrange(most))])

    names = ("a", "é" * 40)
    headers = tuple((rng.choice(names), blob(90)) for _ in range(rng.choice([0, 0, 1, 3])))
    value = rng.randbytes(70_000) if rng.random() < 0.005 else blob(300)
    return Record(NEXT, moment + rng.randrange(-10_000, 10_000), blob(100), value, headers)


def write(disk: Path, log: str, batches: Sequence[RecordBatch], base: int | None = None) -> Path:
    """Put batches into a segment; its path."""
    folder = disk / log
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / layout.segment_file(batches[0].base_offset if base is None else base)
    path.write_bytes(b"".join(bytes(batch.data) for batch in batches))
    return path


def write_index(segment: Path, batches: Sequence[RecordBatch], every: int, room: int = 0) -> None:
    """An offset index with an entry for each so-manieth batch; `room` zeros behind."""
    base, position, data = batches[0].base_offset, 0, b""
    for number, batch in enumerate(batches):
        if number % every == 0 and number:
            data += struct.pack(">ii", batch.last_offset - base, position)
        position += batch.size
    segment.with_suffix(".index").write_bytes(data + bytes(room))


def read(
    disk: Path, level: str = "records", check: bool = True, split: int = 1 << 30, **bounds: Any
) -> list[Row]:
    """All rows that the reader gives, without Spark."""
    wanted = SegmentFilter(**bounds)
    found = find([str(disk)], wanted, split)
    schema = arrow(LOG_RECORD if level == "records" else LOG_BATCH)
    scanner = Scanner(Table(schema, wanted), level, check)
    batches = [*scanner.troubles(found.troubles), *scanner.scan(found.parts)]
    for batch in batches:
        batch.validate(full=True)
    return [row for batch in batches for row in batch.to_pylist()]


def good(rows: list[Row]) -> list[Row]:
    """Those that are no damage."""
    return [row for row in rows if row["error"] is None]


def errors(rows: list[Row]) -> list[Row]:
    """Those that are."""
    return [row for row in rows if row["error"] is not None]


def content(row: Row) -> tuple[Any, ...]:
    """What a record is: offset, time (ms), key, value, headers."""
    moment = None if row["timestamp"] is None else round(row["timestamp"].timestamp() * 1000)
    headers = tuple((h["key"], h["value"]) for h in row["headers"] or ())
    return row["offset"], moment, row["key"], row["value"], headers
