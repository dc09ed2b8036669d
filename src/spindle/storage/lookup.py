"""Finding a record by its timestamp (ListOffsets): the only reader here that decodes records.

Called by `directory`. Errors as in `unified_log`.
"""

from __future__ import annotations

from typing import Final

from spindle.model.batches import Record
from spindle.model.errors import Corrupt
from spindle.model.jobs import FoundOffset
from spindle.storage.scan import Header
from spindle.storage.segment import Segment
from spindle.storage.unified_log import UnifiedLog
from spindle.wire import batch as wire_batch

MAX_TIMESTAMP: Final = -3
"""The timestamp that asks for the record with the largest one (KIP-734)."""

NOTHING: Final = FoundOffset(-1, -1, -1)


def find_offset(log: UnifiedLog, timestamp: int, limit: int) -> FoundOffset:
    """The first record at or after `timestamp` (ms) below `limit`; MAX_TIMESTAMP: the newest."""
    if timestamp == MAX_TIMESTAMP:
        return _newest(log, limit)
    for segment in log.segments:
        if segment.latest.timestamp < timestamp or segment.end <= log.start:
            continue
        start = max(segment.indexes.floor_time(timestamp), log.start)
        for header in segment.headers(start):
            if header.base_offset >= limit:
                return NOTHING
            if header.max_timestamp < timestamp:
                continue
            for record in _records(segment, header):
                if record.timestamp >= timestamp and log.start <= record.offset < limit:
                    return FoundOffset(record.offset, record.timestamp, header.leader_epoch)
    return NOTHING


def _newest(log: UnifiedLog, limit: int) -> FoundOffset:
    best: tuple[Segment, Header] | None = None
    for segment in log.segments:
        known = best[1].max_timestamp if best is not None else -1
        if segment.latest.timestamp <= known or segment.base >= limit or segment.end <= log.start:
            continue
        whole = segment.end <= limit and segment.latest.offset >= log.start
        # The index knows the batch, unless part of the segment is out of bounds.
        for header in segment.headers(segment.latest.offset if whole else log.start):
            if header.last_offset >= limit:
                break
            if header.max_timestamp > known:
                best, known = (segment, header), header.max_timestamp
            if header.max_timestamp == segment.latest.timestamp:
                break
    if best is None:
        return NOTHING
    segment, header = best
    readable = [r for r in _records(segment, header) if r.offset >= log.start]
    if not readable:
        return NOTHING
    newest = max(readable, key=lambda record: record.timestamp)
    return FoundOffset(newest.offset, newest.timestamp, header.leader_epoch)


def _records(segment: Segment, header: Header) -> list[Record]:
    data = segment.file().read(header.position, header.size)
    if len(data) < header.size:
        raise Corrupt(f"{segment.path()} ends at {header.position + len(data)}")
    return [record for batch in wire_batch.split(data) for record in wire_batch.records(batch)]
