"""Reads that answer nothing but good batches: what comes from a disk is checked first (B-28).

A wrong index is rebuilt and the read repeated; a bad batch is Corrupt, and costs the replica its
place (K589-02), so that no reader and no follower gets it. Called by `directory`.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from crc32c import crc32c

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.model.jobs import (
    Read,
    ReadResult,
)
from spindle.storage import scan
from spindle.storage.unified_log import UnifiedLog

_CHECKED: Final = Struct(">qi4xbI")
"""Of a batch's header: base offset, length, magic, CRC."""


def read(log: UnifiedLog, job: Read) -> ReadResult:
    """Carry out the job. Corrupt, OSError."""
    try:
        result = _read(log, job)
    except Corrupt:
        # Once more: with good indexes, and in case that the bytes were spoilt on their way.
        mend(log, job.offset)
        result = _read(log, job)
    if result.data and job.offset < _base(result.data) and _is_passed(log, job.offset):
        mend(log, job.offset)
        result = _read(log, job)
    return result


def _read(log: UnifiedLog, job: Read) -> ReadResult:
    result = log.read(job.offset, job.limit, job.max_bytes, job.at_least_one, job.committed)
    check(result.data)
    return result


def check(data: Buffer) -> None:
    """Corrupt unless these are whole batches with right CRCs."""
    unpack, view, at = _CHECKED.unpack_from, memoryview(data), 0
    while at < len(data):
        if at + scan.HEADER_SIZE > len(data):
            raise Corrupt("a batch is cut off")
        base, length, magic, crc = unpack(view, at)
        size = length + scan.OVERHEAD
        if magic != scan.MAGIC or size < scan.HEADER_SIZE or at + size > len(data):
            raise Corrupt(f"no batch where one was to begin, after offset {base}")
        if crc32c(view[at + scan.CRC_FROM : at + size]) != crc:
            raise Corrupt(f"the CRC of the batch at offset {base} is wrong")
        at += size


def mend(log: UnifiedLog, offset: int) -> None:
    """Rebuild the indexes of the segment that holds `offset`, if it is sealed. Corrupt."""
    segment = log.segments[log.local.index_of(offset)]
    if segment.sealed:
        segment.reindex(log.local.settings.index_interval_bytes)


def _base(data: Buffer) -> int:
    return int.from_bytes(data[:8], "big")


def _is_passed(log: UnifiedLog, offset: int) -> bool:
    """Whether a segment holds an offset that its index has led past.

    Compaction leaves gaps, too: the headers show which.
    """
    segment = log.segments[log.local.index_of(offset)]
    if segment.gapped or not segment.sealed or not segment.base <= offset < segment.end:
        return False
    passed = any(
        step.base_offset <= offset <= step.last_offset
        for step in scan.walk(segment.file(), 0, segment.size)
    )
    segment.gapped = not passed
    return passed
