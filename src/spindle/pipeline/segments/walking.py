"""Walking over the batches of a piece of a segment, and past what is damaged.

A piece begins and ends where batches do. What is no well batch becomes a `Damage`: a range of
bytes, the offsets that may have been in it, and why. The walk goes on at the next batch whose
header makes sense and whose CRC is right. Knows bytes and offsets; decodes no record. A message of
format 0 or 1 counts as a batch, and is read as the records of format 2 that it stands for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from struct import Struct
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from crc32c import crc32c

from spindle.model.errors import Corrupt
from spindle.pipeline.segments.failing_file import FileOnDisk
from spindle.storage.scan import CRC_FROM, HEADER_SIZE, MAGIC, OVERHEAD
from spindle.wire import old_messages
from spindle.wire.batch import MAX_DECOMPRESSED
from spindle.wire.old_messages import FORMATS, OldMessage

HEADER: Final = np.dtype(
    [
        ("base_offset", ">i8"),
        ("length", ">i4"),
        ("leader_epoch", ">i4"),
        ("magic", "i1"),
        ("crc", ">u4"),
        ("attributes", ">i2"),
        ("last_delta", ">i4"),
        ("base_timestamp", ">i8"),
        ("max_timestamp", ">i8"),
        ("producer_id", ">i8"),
        ("producer_epoch", ">i2"),
        ("base_sequence", ">i4"),
        ("count", ">i4"),
    ]
)
assert HEADER.itemsize == HEADER_SIZE

_FRONT: Final = Struct(">qi4xbI2xi")
"""base offset, length, magic, CRC, last offset delta"""
_FRONT_SIZE: Final = 27
_BASE: Final = Struct(">q")

WINDOW: Final = 8 << 20
"""Bytes read at once where every byte is looked at."""
HEADER_WINDOW: Final = 4096
"""Bytes read at once where only headers are."""
_SEARCH_WINDOW: Final = 1 << 20
_RELATIVE_MAX: Final = 1 << 31
_OLD: Final = {b"\0", b"\1"}
_LEAST_LENGTHS: Final = np.array([14, 22, HEADER_SIZE - OVERHEAD], np.int64)
"""The least length that a message or batch of each format tells of itself."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What is to be walked: bytes [start, end) of a segment's file.

    `base`: the segment's base offset. `first_offset`: the least that may come first. `next_offset`:
    the least that comes after the piece, None where that is not known. `tail`: it ends with the
    log's newest segment, where a batch may be unfinished.
    """

    base: int
    start: int
    end: int
    first_offset: int
    next_offset: int | None
    tail: bool


@dataclass(frozen=True, slots=True)
class Damage:
    """A range of bytes that holds no well batch. Offsets: what may have been there, if known."""

    position: int
    length: int
    first_offset: int | None
    last_offset: int | None
    error: str


@dataclass(frozen=True, slots=True)
class Batches:
    """Well batches that follow each other: their places in the file and headers.

    `data` and `starts` (places in it) where whole batches were read; else None. `bodies`: of
    messages of the old formats, their records, unpacked.
    """

    positions: npt.NDArray[np.int64]
    headers: npt.NDArray[np.void]
    data: bytes | None
    starts: npt.NDArray[np.int64]
    bodies: tuple[bytes, ...] | None = None


class _Bad(NamedTuple):
    """No well batch begins here; `size`: what its header claims, 0 where that is nonsense."""

    text: str
    size: int = 0


def walk(file: FileOnDisk, piece: Piece, check: bool = True) -> Iterator[Batches | Damage]:
    """All that is in a piece, in order. Without `check` no CRC is looked at, headers only."""
    return _Walk(file, piece, check).run()


class _Walk:
    def __init__(self, file: FileOnDisk, piece: Piece, check: bool) -> None:
        self._file = file
        self._piece = piece
        self._check = check
        self._window = WINDOW if check else HEADER_WINDOW
        self._expected = piece.first_offset
        self._least = piece.first_offset
        self._ceiling = (
            piece.next_offset if piece.next_offset is not None else piece.base + _RELATIVE_MAX
        )

    def run(self) -> Iterator[Batches | Damage]:
        position, want = self._piece.start, self._window
        held: Damage | None = None  # Its last offset is known when the next good batch is.
        while position < self._piece.end:
            asked = min(want, self._piece.end - position)
            data = self._file.read(position, asked)
            found: Batches | None
            if self._is_old(data, 0, self._piece.end - position):
                bad, found, used, want = self._take_old(data, position, asked)
            else:
                bad, starts, used, want = self._take(data, position, asked)
                found = self._batches(data, position, starts) if starts else None
            if found is not None:
                if held is not None:
                    yield self._bounded(held, int(found.headers["base_offset"][0]))
                    held = None
                yield found
            position += used
            if bad is None:
                continue
            if held is not None:
                yield self._bounded(held, self._expected)
            held = self._damage(position, bad)
            if held is None:
                return
            position = held.position + held.length
            if held.last_offset is not None:
                self._expected = held.last_offset + 1
        if held is not None:
            yield self._bounded(held, self._piece.next_offset)

    # -- well batches --------------------------------------------------------------------------

    def _take(
        self, data: bytes, position: int, asked: int
    ) -> tuple[_Bad | None, list[int], int, int]:
        """The well batches at the front of `data`: (why no more, starts, bytes, next window)."""
        starts: list[int] = []
        at, size, end = 0, len(data), self._piece.end - position
        short, check, expected = size < asked, self._check, self._expected
        view = memoryview(data)
        bad = None
        while at < end:
            if starts and data[at + 16 : at + 17] in _OLD and self._is_old(data, at, end - at):
                break
            if at + HEADER_SIZE > size:
                if short or at == 0:
                    bad = _Bad(f"{size - at} bytes are too few for a batch")
                break
            base, length, magic, crc, delta = _FRONT.unpack_from(data, at)
            whole = length + OVERHEAD
            bad = self._implausible(base, whole, magic, delta, end - at)
            if bad is not None:
                break
            # Where offsets do not follow each other, the next base offset is looked at too.
            need = at + whole if base == expected else min(at + whole + _BASE.size, end)
            if check and need > size:
                if short:
                    bad = _Bad("the file ends within a batch")
                elif at == 0:
                    return None, starts, 0, need
                break
            if check and crc32c(view[at + CRC_FROM : at + whole]) != crc:
                bad = _Bad("the CRC is wrong", whole)
                break
            if base != expected and (bad := self._descends(data, at, whole, base, base + delta)):
                break
            starts.append(at)
            at += whole
            self._expected = expected = base + delta + 1
        return bad, starts, at, self._window

    def _implausible(self, base: int, whole: int, magic: int, delta: int, left: int) -> _Bad | None:
        if (
            magic == MAGIC
            and HEADER_SIZE <= whole <= left
            and delta >= 0
            and self._least <= base < self._ceiling
        ):
            return None
        if magic != MAGIC or whole < HEADER_SIZE or delta < 0:
            return _Bad("no batch begins here")
        if whole > left:
            return _Bad(f"the batch claims {whole} bytes of {left}")
        return _Bad(f"base offset {base} does not belong here", whole)

    def _descends(self, data: bytes, at: int, whole: int, base: int, last: int) -> _Bad | None:
        """No CRC covers base offsets: of two that contradict each other, the next one judges."""
        if base < self._expected:
            return _Bad(f"base offset {base} follows {self._expected - 1}", whole)
        if at + whole + _BASE.size <= len(data):
            (following,) = _BASE.unpack_from(data, at + whole)
            if self._expected < following <= last:
                return _Bad(f"base offset {base} comes before {following}", whole)
        return None

    # -- the old formats -----------------------------------------------------------------------

    def _is_old(self, data: bytes, at: int, left: int) -> bool:
        """Whether what begins there makes sense as a message of format 0 or 1."""
        size = old_messages.size_at(data, at)
        if not 0 < size <= left:
            return False
        (offset,) = _BASE.unpack_from(data, at)
        return bool(self._least <= offset < self._ceiling)

    def _take_old(
        self, data: bytes, position: int, asked: int
    ) -> tuple[_Bad | None, Batches | None, int, int]:
        """The well messages at the front of `data`: (why no more, they, bytes, next window)."""
        found: list[OldMessage] = []
        places: list[int] = []
        at, end, bad = 0, self._piece.end - position, None
        while at < end and self._is_old(data, at, end - at):
            size = old_messages.size_at(data, at)
            if at + size > len(data):
                if len(data) < asked:
                    bad = _Bad("the file ends within a message")
                elif at == 0:
                    return None, None, 0, size
                break
            message, bad = self._old(memoryview(data)[at : at + size])
            if message is None:
                break
            found.append(message)
            places.append(position + at)
            at += size
            self._expected = message.last_offset + 1
        return bad, _old_batches(found, places) if found else None, at, self._window

    def _old(self, stored: memoryview) -> tuple[OldMessage | None, _Bad | None]:
        if self._check and not old_messages.is_whole(stored):
            return None, _Bad("the CRC is wrong", len(stored))
        try:
            message = old_messages.take(stored, MAX_DECOMPRESSED)
        except Corrupt as corrupt:
            return None, _Bad(str(corrupt), len(stored))
        if message.first_offset < self._expected:
            text = f"offset {message.first_offset} follows {self._expected - 1}"
            return None, _Bad(text, len(stored))
        return message, None

    def _batches(self, data: bytes, position: int, starts: list[int]) -> Batches:
        heads = b"".join([data[at : at + HEADER_SIZE] for at in starts])
        places = np.array(starts, np.int64)
        return Batches(
            places + position,
            np.frombuffer(heads, HEADER),
            data if self._check else None,
            places,
        )

    # -- damage --------------------------------------------------------------------------------

    def _damage(self, position: int, bad: _Bad) -> Damage | None:
        """The damaged range that begins here; None where it is only the log's unfinished end."""
        reason = bad.text
        if bad.size and self._begins(position + bad.size):
            first, last = self._offsets_at(position, bad.size)
            return self._told(Damage(position, bad.size, first, last, reason))
        found = self._search(position + 1)
        if found == self._piece.end and self._piece.tail:
            if self._is_blank(position) or self._file.grows(self._piece.end):
                return None
            reason = f"the log's end is torn: {reason}"
        return self._told(Damage(position, found - position, self._expected, None, reason))

    def _told(self, damage: Damage) -> Damage:
        why = self._file.why_unreadable(damage.position, damage.position + damage.length)
        return damage if why is None else replace(damage, error=f"unreadable: {why}")

    def _bounded(self, damage: Damage, following: int | None) -> Damage:
        """With the last offset that may have been in it, from what comes after it."""
        if damage.last_offset is not None or following is None:
            return damage
        if damage.first_offset is None or following <= damage.first_offset:
            return replace(damage, first_offset=None)
        return replace(damage, last_offset=following - 1)

    def _offsets_at(self, position: int, size: int) -> tuple[int | None, int | None]:
        """What the header of a damaged batch says, if it fits what is around it."""
        front = self._file.read(position, _FRONT_SIZE)
        behind = self._file.read(position + size, _BASE.size)
        if len(front) < _FRONT_SIZE:
            return self._expected, None
        base, _, magic, _, delta = _FRONT.unpack(front)
        if magic in FORMATS:
            base, delta = self._expected, base - self._expected  # It has the offset of its last.
        following = self._ceiling
        if position + size < self._piece.end and len(behind) == _BASE.size:
            (following,) = _BASE.unpack(behind)
        if self._expected <= base <= base + delta < following:
            return base, base + delta
        return self._expected, None

    def _begins(self, position: int) -> bool:
        """Whether the piece ends here, or a batch with a sensible header begins."""
        left = self._piece.end - position
        if left and self._is_old(self._file.read(position, min(_FRONT_SIZE, left)), 0, left):
            return True
        if left < HEADER_SIZE:
            return not left
        front = self._file.read(position, _FRONT_SIZE)
        if len(front) < _FRONT_SIZE:
            return False
        base, length, magic, _, delta = _FRONT.unpack(front)
        if base < self._expected:
            return False
        return self._implausible(base, length + OVERHEAD, magic, delta, left) is None

    def _search(self, position: int) -> int:
        """Where the next well batch begins; the piece's end if there is none."""
        end = self._piece.end
        while position + old_messages.FRONT_SIZE <= end:
            data = self._file.read(position, min(_SEARCH_WINDOW, end - position))
            if len(data) < old_messages.FRONT_SIZE:
                break
            for at in self._candidates(data, end - position):
                if self._is_well(position + at):
                    return position + at
            position += len(data) - old_messages.FRONT_SIZE + 1
        return end

    def _candidates(self, data: bytes, left: int) -> list[int]:
        """Places whose bytes could be a header here."""
        every: npt.NDArray[np.uint8] = np.frombuffer(data, np.uint8)
        count = len(data) - old_messages.FRONT_SIZE + 1
        magic = every[16 : 16 + count].astype(np.int64)
        at = np.flatnonzero(magic <= MAGIC)
        length = _big_endian(every, at + 8, 4)
        fits = (length >= _LEAST_LENGTHS[magic[at]]) & (at + OVERHEAD + length <= left)
        at = at[fits]
        base = _big_endian(every, at, 8)
        fits = (base >= self._expected) & (base < self._ceiling)
        return [int(place) for place in at[fits]]

    def _is_well(self, position: int) -> bool:
        front = self._file.read(position, _FRONT_SIZE)
        if len(front) < _FRONT_SIZE:
            return False
        _, length, magic, crc, delta = _FRONT.unpack(front)
        data = self._file.read(position, length + OVERHEAD)
        if magic in FORMATS:
            return len(data) == length + OVERHEAD and old_messages.is_whole(data)
        whole = len(data) == length + OVERHEAD and delta >= 0
        return bool(whole and crc32c(data[CRC_FROM:]) == crc)

    def _is_blank(self, position: int) -> bool:
        """Whether only zeros are left: room that was allocated ahead."""
        while position < self._piece.end:
            data = self._file.read(position, min(_SEARCH_WINDOW, self._piece.end - position))
            if any(data) or self._file.why_unreadable(position, self._piece.end):
                return False
            if not data:
                return True
            position += len(data)
        return True


def _old_batches(found: list[OldMessage], places: list[int]) -> Batches:
    """Messages of the old formats with the headers of the batches that they stand for."""
    headers = np.zeros(len(found), HEADER)
    columns = {
        "base_offset": [m.first_offset for m in found],
        "length": [m.size - OVERHEAD for m in found],
        "magic": [m.magic for m in found],
        "crc": [m.crc for m in found],
        "attributes": [m.attributes for m in found],
        "last_delta": [m.last_offset - m.first_offset for m in found],
        "base_timestamp": [m.first_timestamp for m in found],
        "max_timestamp": [m.newest for m in found],
        "count": [m.records for m in found],
    }
    for name in ("leader_epoch", "producer_id", "producer_epoch", "base_sequence"):
        headers[name] = -1
    for name, values in columns.items():
        headers[name] = values
    at = np.array(places, np.int64)
    return Batches(at, headers, None, at, tuple(m.body for m in found))


def _big_endian(
    every: npt.NDArray[np.uint8], at: npt.NDArray[np.intp], size: int
) -> npt.NDArray[np.int64]:
    """Signed numbers of `size` bytes at many places."""
    value = every[at].astype(np.int8).astype(np.int64)
    for byte in range(1, size):
        value = (value << 8) | every[at + byte]
    return np.asarray(value)
