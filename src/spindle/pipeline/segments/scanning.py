"""One part of a log after another, from its file to Arrow batches. What goes wrong becomes rows.

Called by `source` in Spark's workers; needs no Spark itself.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np
import pyarrow as pa

from spindle.pipeline.segments.failing_file import FileOnDisk
from spindle.pipeline.segments.finding import Part, SegmentedLog, Trouble
from spindle.pipeline.segments.rows import Constants, Ranges, Table
from spindle.pipeline.segments.walking import Damage, walk
from spindle.storage import layout
from spindle.storage.layout import EntryKind

BATCHES: Final = "batches"
RECORDS: Final = "records"

DAMAGES_MAX: Final = 1000
"""Most damages in one report."""

_ABORTED: Final = struct.Struct(">hqqqq")
"""version, producer id, first offset, last offset, last stable offset"""


class Scanner:
    """Reads parts as one level (`batches` or `records`); remembers aborted transactions."""

    def __init__(self, table: Table, level: str, check: bool) -> None:
        self._table = table
        self._level = level
        self._check = check or level == RECORDS
        self._aborted: dict[str, Ranges] = {}

    def scan(self, parts: Sequence[Part]) -> Iterator[pa.RecordBatch]:
        """Everything in some parts, in their order."""
        for part in parts:
            constants = {**_place(part.log), "segment": part.piece.base}
            held: list[Damage] = []
            try:
                for found in self._part(part, constants):
                    if not isinstance(found, Damage):
                        yield found
                        continue
                    held.append(found)
                    if len(held) == DAMAGES_MAX:
                        yield self._table.damages(constants, held)
                        held = []
            except OSError as error:
                if not (isinstance(error, FileNotFoundError) and _was_deleted(part)):
                    held.append(_unread(part, _why(error)))
            if held:
                yield self._table.damages(constants, held)

    def troubles(self, troubles: Sequence[Trouble]) -> Iterator[pa.RecordBatch]:
        """A row for each disk and log that could not be listed."""
        for trouble in troubles:
            constants = {"disk": trouble.disk} if trouble.log is None else _place(trouble.log)
            batch = self._table.damages(constants, [Damage(0, 0, None, None, trouble.error)])
            yield batch

    def _part(self, part: Part, constants: Constants) -> Iterator[pa.RecordBatch | Damage]:
        file = FileOnDisk(part.path)
        try:
            if file.inode != part.inode:
                yield _unread(part, "the segment was replaced while it was read: read it again")
                return
            aborted = partial(self._aborted_of, part.log)
            for found in walk(file, part.piece, self._check):
                if isinstance(found, Damage):
                    yield found
                elif self._level == BATCHES:
                    yield self._table.batches(constants, found, aborted)
                else:
                    yield from self._table.records(constants, found, aborted)
        finally:
            file.close()

    def _aborted_of(self, log: SegmentedLog) -> Ranges:
        if log.path not in self._aborted:
            self._aborted[log.path] = aborted_transactions(log.path)
        return self._aborted[log.path]


def aborted_transactions(directory: str) -> Ranges:
    """All that a log's `.txnindex` files tell, by producer, in the order of offsets."""
    spans: dict[int, list[tuple[int, int]]] = {}
    for name in os.listdir(directory):
        parsed = layout.parse_segment_file(name)
        if parsed is None or parsed.kind != layout.TXN_INDEX:
            continue
        try:
            with open(f"{directory}/{name}", "rb") as file:
                data = file.read()
        except FileNotFoundError:
            continue  # Deleted with its segment just now.
        whole = len(data) // _ABORTED.size * _ABORTED.size
        for _, producer, first, last, _ in _ABORTED.iter_unpack(data[:whole]):
            spans.setdefault(producer, []).append((first, last))
    return {producer: np.array(sorted(set(own)), np.int64) for producer, own in spans.items()}


def _place(log: SegmentedLog) -> Constants:
    return {
        "disk": log.disk,
        "topic": log.topic,
        "partition": log.partition,
        "kind": log.kind,
        "log": log.name,
    }


def _unread(part: Part, why: str) -> Damage:
    piece = part.piece
    last = None if piece.next_offset is None else piece.next_offset - 1
    return Damage(piece.start, part.size, piece.first_offset, last, why)


def _was_deleted(part: Part) -> bool:
    """Whether a broker has deleted a segment in its usual course: with a log that it no longer
    wants, or by retention, which takes the oldest. Then a look a moment later finds nothing."""
    if part.log.kind == EntryKind.DELETE.value:
        return True
    try:
        names = os.listdir(part.log.path)
    except OSError:
        return False  # The log has moved: it is to be read again.
    parsed = map(layout.parse_segment_file, names)
    left = [segment.offset for segment in parsed if segment and segment.kind == layout.LOG]
    return bool(left) and part.piece.base < min(left)


def _why(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "the segment was deleted or moved while it was read"
    return f"unreadable: {error.strerror}"
