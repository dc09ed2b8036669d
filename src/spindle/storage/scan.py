"""Walking over the batches of a segment file: header by header, or every byte with its CRC.

Knows format v2's header and the File port; decodes no record. Called by `segment`, `copy`
and `segment_recovery`. Nonsense raises Corrupt with the position.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import Final, NamedTuple

from crc32c import crc32c

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.storage.disk import File

HEADER: Final = Struct(">qiibIhiqqqhii")
HEADER_SIZE: Final = 61
OVERHEAD: Final = 12
"""Bytes of base offset and length, which the length itself does not count."""

MAGIC: Final = 2
CRC_FROM: Final = 21
"""The CRC covers a batch from here (attributes) to its end."""

WALK_WINDOW: Final = 8 << 10
SCAN_WINDOW: Final = 1 << 20

_SHORT: Final = Struct(">qi4xb6xi")
_SHORT_SIZE: Final = 27
_CHECKED: Final = Struct(">qi4xbI2xi")
VERIFY_WINDOW: Final = 256 << 10
"""Small enough for a processor's cache: what was read into it is checked from there."""

assert HEADER.size == HEADER_SIZE
assert _SHORT.size == _SHORT_SIZE


class ScannedBatch(NamedTuple):
    """A batch by its place: position and size in bytes, first and last offset."""

    position: int
    size: int
    base_offset: int
    last_offset: int


class Header(NamedTuple):
    """A batch's whole header and its place in the file. Timestamps in ms."""

    position: int
    size: int
    base_offset: int
    last_offset: int
    leader_epoch: int
    attributes: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int


def walk(file: File, position: int, end: int) -> Iterator[ScannedBatch]:
    """The batches from `position` (where one begins) to `end`, by their headers alone."""
    window = b""
    window_at = position
    while position < end:
        at = position - window_at
        if at + _SHORT_SIZE > len(window):
            window = file.read(position, min(WALK_WINDOW, end - position))
            window_at, at = position, 0
            if len(window) < _SHORT_SIZE:
                raise Corrupt(f"at {position}: only {len(window)} bytes of a batch header")
        base, length, magic, delta = _SHORT.unpack_from(window, at)
        size = length + OVERHEAD
        if magic != MAGIC or size < HEADER_SIZE or delta < 0 or base < 0 or position + size > end:
            raise Corrupt(_nonsense(position, base, length, magic, delta, end))
        yield ScannedBatch(position, size, base, base + delta)
        position += size


def walk_headers(file: File, position: int, end: int) -> Iterator[Header]:
    """As `walk`, with all that the headers say."""
    window = b""
    window_at = position
    while position < end:
        at = position - window_at
        if at + HEADER_SIZE > len(window):
            window = file.read(position, min(WALK_WINDOW, end - position))
            window_at, at = position, 0
            if len(window) < HEADER_SIZE:
                raise Corrupt(f"at {position}: only {len(window)} bytes of a batch header")
        header = _header(window, at, position, end)
        yield header
        position += header.size


def scan(
    file: File, position: int, end: int, offset: int, window_size: int = SCAN_WINDOW
) -> Iterator[Header]:
    """The batches from `position`, every byte checked; Corrupt at the first that is not well.

    `offset`: the least that the first batch may begin with; each later one follows its neighbour.
    `window_size`: bytes to read at a time, for a caller that stops after few batches.
    """
    assert window_size >= HEADER_SIZE
    window: Buffer = b""
    window_at = position
    while position < end:
        at = position - window_at
        if at + HEADER_SIZE > len(window):
            window = file.read(position, min(window_size, end - position))
            window_at, at = position, 0
            if len(window) < HEADER_SIZE:
                raise Corrupt(f"at {position}: only {len(window)} bytes of a batch header")
        header = _header(window, at, position, end)
        if header.base_offset < offset:
            raise Corrupt(f"at {position}: offset {header.base_offset} follows {offset - 1}")
        if at + header.size > len(window):
            window = file.read(position, max(window_size, header.size))
            window_at, at = position, 0
        _check_crc(window, at, header)
        yield header
        position += header.size
        offset = header.last_offset + 1


def verify(file: File, position: int, end: int, offset: int) -> None:
    """As `scan`, but fast: it says only whether every batch is well. Corrupt, OSError."""
    verifier = Verifier(position, end, offset)
    while position < end:
        window = file.read(position, min(VERIFY_WINDOW, end - position))
        if not window:
            break
        verifier.feed(window)
        position += len(window)
    verifier.finish()


class Verifier:
    """Looks at each byte of the batches that pass in parts of any size, and keeps none of them."""

    __slots__ = ("_base", "_crc", "_end", "_head", "_left", "_offset", "_position", "_said")

    def __init__(self, position: int, end: int, offset: int) -> None:
        """Batches come from `position` to `end`; none may begin with less than `offset`."""
        self._position, self._end, self._offset = position, end, offset
        self._head = bytearray()
        """The begin of a header that a part has cut off."""
        self._base = self._left = self._crc = self._said = 0
        """The batch under way: its offset, bytes to come, its CRC so far and as it should be."""

    def feed(self, part: Buffer) -> None:
        """The next bytes. Corrupt at the first batch that is not well."""
        view, at = memoryview(part), 0
        while at < len(view):
            if self._left:
                at += self._go_on(view[at : at + self._left])
            elif self._head or at + HEADER_SIZE > len(view):
                missing = HEADER_SIZE - len(self._head)
                self._head += view[at : at + missing]
                at += missing
                if len(self._head) == HEADER_SIZE:
                    self._begin(memoryview(bytes(self._head)))
                    self._head.clear()
            else:
                at = self._whole_ones(view, at)
                if at + HEADER_SIZE <= len(view):
                    self._begin(view[at:])
                    at = len(view)

    def _whole_ones(self, view: memoryview, at: int) -> int:
        """Check the batches of which all is here; where the first other one begins."""
        unpack, end, offset = _CHECKED.unpack_from, len(view), self._offset
        before = self._position - at
        while at + HEADER_SIZE <= end:
            base, length, magic, said, delta = unpack(view, at)
            size = length + OVERHEAD
            if at + size > end or size < HEADER_SIZE:
                break
            if magic != MAGIC or delta < 0 or base < offset:
                raise Corrupt(_nonsense(before + at, base, length, magic, delta, self._end))
            if crc32c(view[at + CRC_FROM : at + size]) != said:
                raise Corrupt(f"at {before + at}: the CRC of offset {base} is wrong")
            offset = base + delta + 1
            at += size
        self._offset, self._position = offset, before + at
        return at

    def finish(self) -> None:
        """There is no more. Corrupt if a batch is not whole, or not all has come."""
        if self._left or self._head or self._position != self._end:
            raise Corrupt(f"at {self._position}: the batch is cut off")

    def _begin(self, view: memoryview) -> None:
        """A batch begins of which not all is here; all that is here is its own."""
        base, length, magic, self._said, delta = _CHECKED.unpack_from(view)
        size: int = length + OVERHEAD
        if magic != MAGIC or size < HEADER_SIZE or delta < 0 or base < self._offset:
            raise Corrupt(_nonsense(self._position, base, length, magic, delta, self._end))
        if self._position + size > self._end:
            raise Corrupt(f"at {self._position}: the batch is cut off")
        self._crc, self._left = crc32c(view[CRC_FROM:]), size - len(view)
        self._base, self._offset = base, base + delta + 1
        self._position += len(view)
        self._check_if_ended()

    def _go_on(self, body: memoryview) -> int:
        self._crc = crc32c(body, self._crc)
        self._left -= len(body)
        self._position += len(body)
        self._check_if_ended()
        return len(body)

    def _check_if_ended(self) -> None:
        if not self._left and self._crc != self._said:
            raise Corrupt(f"before {self._position}: the CRC of offset {self._base} is wrong")


def _header(window: Buffer, at: int, position: int, end: int) -> Header:
    (
        base,
        length,
        leader_epoch,
        magic,
        _crc,
        attributes,
        delta,
        base_timestamp,
        max_timestamp,
        producer_id,
        producer_epoch,
        base_sequence,
        count,
    ) = HEADER.unpack_from(window, at)
    size = length + OVERHEAD
    if magic != MAGIC or size < HEADER_SIZE or delta < 0 or base < 0 or position + size > end:
        raise Corrupt(_nonsense(position, base, length, magic, delta, end))
    return Header(
        position,
        size,
        base,
        base + delta,
        leader_epoch,
        attributes,
        base_timestamp,
        max_timestamp,
        producer_id,
        producer_epoch,
        base_sequence,
        count,
    )


def _check_crc(window: Buffer, at: int, header: Header) -> None:
    body = memoryview(window)[at + CRC_FROM : at + header.size]
    if len(body) != header.size - CRC_FROM:
        raise Corrupt(f"at {header.position}: the batch is cut off")
    said = int.from_bytes(window[at + 17 : at + 21], "big")
    if crc32c(body) != said:
        raise Corrupt(f"at {header.position}: the CRC of offset {header.base_offset} is wrong")


def _nonsense(position: int, base: int, length: int, magic: int, delta: int, end: int) -> str:
    return (
        f"at {position}: no batch of format {MAGIC} (offset {base}, length {length}, "
        f"magic {magic}, last offset delta {delta}; the file ends at {end})"
    )
