"""What lies behind damage in a log: batches that are good all the same, and so must not be cut.

A batch's header tells where the next one begins. Where the header itself is wrong, the next one is
looked for byte by byte. Reads alone; decides nothing. Called by `log_loader`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spindle.model.errors import Corrupt
from spindle.storage import scan
from spindle.storage.disk import File

_WINDOW: Final = 1 << 20
_MAGIC_AT: Final = 16
_MAGIC: Final = bytes([scan.MAGIC])
_ATTRIBUTES: Final = 0x7F
"""The bits of a batch's attributes that mean something."""
_AHEAD: Final = 1 << 31
"""How far a log's offsets may jump from one batch to the next."""


@dataclass(slots=True)
class Behind:
    """How many good batches, records in them, and bytes of them there are."""

    batches: int = 0
    records: int = 0
    bytes: int = 0

    def __str__(self) -> str:
        if not self.batches:
            return "nothing good is behind it"
        plural = "" if self.records == 1 else "s"
        return f"{self.records} good record{plural} ({self.bytes} bytes) behind it"


def look(file: File, position: int, end: int, offset: int, found: Behind) -> int:
    """Count the good batches between two positions of a file, none of which is below `offset`.

    The offset after the last of them. OSError.
    """
    while position < end:
        try:
            for header in scan.scan(file, position, end, offset):
                found.batches += 1
                found.records += header.record_count
                found.bytes += header.size
                position, offset = header.position + header.size, header.last_offset + 1
        except Corrupt:
            position = _next_good(file, position, end, offset)
    return offset


def _next_good(file: File, position: int, end: int, offset: int) -> int:
    """Where the next good batch behind a bad one at `position` begins; `end`: there is none."""
    try:
        after = position + next(scan.walk(file, position, end)).size
        if after < end and _is_good(file, after, end, offset):
            return after
    except Corrupt:
        pass  # Its header is wrong, too.
    at = position + 1
    while at + scan.HEADER_SIZE <= end:
        window = file.read(at, min(_WINDOW, end - at))
        if len(window) < scan.HEADER_SIZE:
            break
        found = _candidate(file, window, at, end, offset)
        if found >= 0:
            return found
        at += len(window) - scan.HEADER_SIZE + 1
    return end


def _candidate(file: File, window: bytes, at: int, end: int, offset: int) -> int:
    """Where in a window, which begins at `at`, the first good batch begins; -1: nowhere."""
    last = len(window) - scan.HEADER_SIZE
    magic = window.find(_MAGIC, _MAGIC_AT)
    while 0 <= magic <= last + _MAGIC_AT:
        start = magic - _MAGIC_AT
        if _may_begin(window, start, end - at, offset) and _is_good(file, at + start, end, offset):
            return at + start
        magic = window.find(_MAGIC, magic + 1)
    return -1


def _may_begin(window: bytes, at: int, end: int, offset: int) -> bool:
    """Whether the bytes there could be a batch's header."""
    base, length, _, _, _, attributes, delta, *_, count = scan.HEADER.unpack_from(window, at)
    return (
        offset <= base < offset + _AHEAD
        and scan.HEADER_SIZE <= length + scan.OVERHEAD <= end - at
        and delta >= 0
        and 0 <= count <= delta + 1
        and not attributes & ~_ATTRIBUTES
    )


def _is_good(file: File, position: int, end: int, offset: int) -> bool:
    try:
        next(scan.scan(file, position, end, offset, scan.HEADER_SIZE))
    except Corrupt:
        return False
    return True
