"""A segment's two indexes in memory, and their bytes on disk. Nothing is mapped (B-14).

Offset index: 8 bytes an entry (offset relative to the segment's base, file position): the LAST
offset of a batch and where that batch starts. Time index: 12 bytes an entry (largest timestamp so
far in ms, relative offset of the batch that has it), timestamps strictly rising. A reader takes a
file's whole length as valid entries, so what is written has exactly their size. Pure.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from operator import lt
from struct import Struct
from typing import Final, NamedTuple

from spindle.model.copying_jobs import OffsetEntries, TimeEntries
from spindle.model.errors import Corrupt
from spindle.storage.disk import File

ENTRY_SIZE: Final = 8
TIME_ENTRY_SIZE: Final = 12
RELATIVE_MAX: Final = (1 << 31) - 1
"""The largest offset, relative to its base, that an entry holds (int32)."""

BLOCK: Final = 256
"""Entries of a time index's file that are looked through at once."""

_TIME_ENTRY: Final = Struct(">qi")
_SWAP: Final = sys.byteorder == "little"
_HIGH: Final = 1 if _SWAP else 0
"""Which half of a number of 8 bytes in memory is the high one."""

assert array("i").itemsize == 4


def relative(offset: int, base: int) -> int:
    """An offset as an entry of the segment at `base` holds it. Corrupt where it does not fit."""
    if not 0 <= offset - base <= RELATIVE_MAX:
        raise Corrupt(f"offset {offset} cannot be in segment {base}")
    return offset - base


def _rises(numbers: array[int]) -> bool:
    return all(map(lt, numbers, numbers[1:]))


def _raised(numbers: array[int], by: int) -> array[int]:
    return array(numbers.typecode, [number + by for number in numbers]) if by else numbers


def _times(data: bytes) -> tuple[array[int], array[int]]:
    """Timestamps and relative offsets of a time index's bytes."""
    words = array("i")
    words.frombytes(data)
    if _SWAP:
        words.byteswap()
    halves = array("i", bytes(8 * (len(words) // 3)))
    halves[_HIGH::2], halves[1 - _HIGH :: 2] = words[0::3], words[1::3]
    return array("q", halves.tobytes()), words[2::3]


class OffsetIndex:
    """Where batches are, about one in `index.interval.bytes`."""

    __slots__ = ("_offsets", "_positions", "base")

    def __init__(self, base: int) -> None:
        self.base = base
        self._offsets = array("i")
        self._positions = array("i")

    def __len__(self) -> int:
        return len(self._offsets)

    def add(self, offset: int, position: int) -> None:
        """Add an entry; both rise."""
        assert not self._offsets or offset - self.base > self._offsets[-1]
        self._offsets.append(relative(offset, self.base))
        self._positions.append(position)

    def extend(self, entries: OffsetEntries, moved: int) -> None:
        """Add a run of another index; its batches are `moved` bytes further on here."""
        self._offsets += _raised(entries.offsets, entries.base - self.base)
        self._positions += _raised(entries.positions, moved)

    def part(self, start: int, end: int) -> OffsetEntries:
        """As `between`, in columns."""
        low = bisect_left(self._positions, start)
        high = bisect_left(self._positions, end)
        return OffsetEntries(self.base, self._offsets[low:high], self._positions[low:high])

    def floor(self, offset: int) -> int:
        """A position at or before the batch that holds `offset`, where a batch starts."""
        at = bisect_right(self._offsets, offset - self.base)
        return self._positions[at - 1] if at else 0

    def floor_position(self, position: int) -> int:
        """The last indexed start of a batch at or before `position`, else 0."""
        at = bisect_right(self._positions, position)
        return self._positions[at - 1] if at else 0

    def truncate(self, offset: int) -> None:
        """Forget entries of `offset` and later."""
        at = bisect_left(self._offsets, offset - self.base)
        del self._offsets[at:]
        del self._positions[at:]

    def between(self, start: int, end: int) -> list[tuple[int, int]]:
        """Entries (offset, position) of batches that start in the byte range [start, end)."""
        low = bisect_left(self._positions, start)
        high = bisect_left(self._positions, end)
        return [(self.base + self._offsets[i], self._positions[i]) for i in range(low, high)]

    def last_position(self) -> int:
        """The position of the last entry, or 0."""
        return self._positions[-1] if self._positions else 0

    def encode(self) -> bytes:
        """The file's bytes."""
        both = array("i", bytes(ENTRY_SIZE * len(self._offsets)))
        both[::2] = self._offsets
        both[1::2] = self._positions
        if _SWAP:
            both.byteswap()
        return both.tobytes()

    @classmethod
    def decode(cls, base: int, data: bytes, log_size: int) -> OffsetIndex:
        """Read the file's bytes; Corrupt where they cannot belong to a log of `log_size` bytes."""
        if len(data) % ENTRY_SIZE:
            raise Corrupt(f"{len(data)} bytes are not a multiple of {ENTRY_SIZE}")
        both = array("i")
        both.frombytes(data)
        if _SWAP:
            both.byteswap()
        index = cls(base)
        index._offsets = both[::2]
        index._positions = both[1::2]
        if len(index) and not 0 <= index._positions[-1] < log_size:
            raise Corrupt(f"its last entry points at {index._positions[-1]} of {log_size} bytes")
        if not _rises(index._offsets) or not _rises(index._positions):
            raise Corrupt("its entries do not rise")
        if len(index) and (index._offsets[0] < 0 or index._positions[0] < 0):
            raise Corrupt("its first entry lies before the segment")
        return index


class TimeEntry(NamedTuple):
    """A timestamp (ms) and the offset of the batch that has it."""

    timestamp: int
    offset: int


class TimeIndex:
    """From when on which offsets are, for lookup by timestamp and retention by time."""

    __slots__ = ("_offsets", "_timestamps", "base")

    def __init__(self, base: int) -> None:
        self.base = base
        self._timestamps = array("q")
        self._offsets = array("i")

    def __len__(self) -> int:
        return len(self._timestamps)

    @property
    def last(self) -> TimeEntry | None:
        """The newest entry."""
        if not self._timestamps:
            return None
        return TimeEntry(self._timestamps[-1], self.base + self._offsets[-1])

    def add(self, timestamp: int, offset: int) -> None:
        """Add an entry if its timestamp is new."""
        if timestamp < 0 or (self._timestamps and self._timestamps[-1] >= timestamp):
            return
        self._offsets.append(relative(offset, self.base))
        self._timestamps.append(timestamp)

    def floor(self, timestamp: int) -> int:
        """An offset before which no record has `timestamp` or later: where to begin looking."""
        at = bisect_right(self._timestamps, timestamp)
        return self.base + self._offsets[at - 1] if at else self.base

    def truncate(self, offset: int) -> None:
        """Forget entries of `offset` and later."""
        at = bisect_left(self._offsets, offset - self.base)
        del self._timestamps[at:]
        del self._offsets[at:]

    def extend(self, entries: TimeEntries) -> None:
        """Add those of a run that are newer than all that is here."""
        newest = self._timestamps[-1] if self._timestamps else -1
        low = bisect_right(entries.timestamps, newest)
        self._timestamps += entries.timestamps[low:]
        self._offsets += _raised(entries.offsets[low:], entries.base - self.base)

    def part(self, start: int, end: int) -> TimeEntries:
        """Entries whose offset lies in [start, end)."""
        low = bisect_left(self._offsets, start - self.base)
        high = bisect_left(self._offsets, end - self.base)
        return TimeEntries(self.base, self._timestamps[low:high], self._offsets[low:high])

    def encode(self) -> bytes:
        """The file's bytes."""
        halves = array("i", self._timestamps.tobytes())
        words = array("i", bytes(TIME_ENTRY_SIZE * len(self._offsets)))
        words[0::3], words[1::3] = halves[_HIGH::2], halves[1 - _HIGH :: 2]
        words[2::3] = self._offsets
        if _SWAP:
            words.byteswap()
        return words.tobytes()

    @classmethod
    def decode(cls, base: int, data: bytes) -> TimeIndex:
        """Read the file's bytes."""
        if len(data) % TIME_ENTRY_SIZE:
            raise Corrupt(f"{len(data)} bytes are not a multiple of {TIME_ENTRY_SIZE}")
        index = cls(base)
        index._timestamps, index._offsets = _times(data)
        if len(index) > 1 and index._timestamps[-1] <= index._timestamps[0]:
            raise Corrupt("its timestamps do not rise")
        return index

    def check(self, end: int) -> None:
        """Corrupt where an entry cannot be of a segment that ends before the offset `end`."""
        if not _rises(self._timestamps):
            raise Corrupt("its timestamps do not rise")
        if self._offsets and not 0 <= min(self._offsets) <= max(self._offsets) < end - self.base:
            raise Corrupt("it tells of offsets that are not in its segment")


class TimeFile:
    """A time index that stays in its file: a few entries are read, the rest is not."""

    def __init__(self, file: File, base: int) -> None:
        self._file = file
        self._base = base
        self._count = file.size() // TIME_ENTRY_SIZE

    def entry(self, at: int) -> TimeEntry:
        """One entry."""
        timestamp, offset = _TIME_ENTRY.unpack(
            self._file.read(at * TIME_ENTRY_SIZE, TIME_ENTRY_SIZE)
        )
        return TimeEntry(timestamp, self._base + offset)

    def floor(self, timestamp: int) -> int:
        """As `TimeIndex.floor`."""
        key = lambda at: self.entry(at).timestamp  # noqa: E731
        at = bisect_right(range(self._count), timestamp, key=key)
        return self.entry(at - 1).offset if at else self._base

    def part(self, start: int, end: int) -> TimeEntries:
        """As `TimeIndex.part`."""
        low, high = self._rank(start), self._rank(end)
        return TimeEntries(self._base, *self._columns(low, high))

    def _rank(self, offset: int) -> int:
        """How many entries have lesser offsets. Each read may cost a wait: a block is read."""
        blocks = range(0, self._count, BLOCK)
        at = bisect_left(blocks, offset, key=lambda first: self.entry(first).offset)
        if at == 0:
            return 0
        first = blocks[at - 1]
        _, offsets = self._columns(first, min(first + BLOCK, self._count))
        return first + bisect_left(offsets, offset - self._base)

    def _columns(self, low: int, high: int) -> tuple[array[int], array[int]]:
        """Timestamps and relative offsets of the entries from `low` to `high`."""
        return _times(self._file.read(low * TIME_ENTRY_SIZE, (high - low) * TIME_ENTRY_SIZE))

    def last(self) -> TimeEntry | None:
        """The newest entry."""
        return self.entry(self._count - 1) if self._count else None
