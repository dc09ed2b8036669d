"""The indexes of one segment: offsets, times and aborted transactions, in memory or on disk.

The last segment of a log is active: its indexes are in memory, complete. A sealed one has them on
disk and loads them when they are wanted. Called by `segment`, `segment_recovery` and `lookup`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from spindle.model.copying_jobs import CopyPiece, TimeEntries
from spindle.model.errors import Corrupt
from spindle.model.log_values import AbortedTransaction
from spindle.storage import aborted_transactions, files, layout
from spindle.storage.blame import sync
from spindle.storage.index import (
    ENTRY_SIZE,
    TIME_ENTRY_SIZE,
    OffsetIndex,
    TimeEntry,
    TimeFile,
    TimeIndex,
)
from spindle.storage.pool import Pool

NO_TIME: Final = TimeEntry(-1, -1)


class SegmentFiles:
    """The files of the segment that begins at `base`, in its log's directory."""

    __slots__ = ("base", "directory", "pool")

    def __init__(self, pool: Pool, directory: str, base: int) -> None:
        self.pool = pool
        self.directory = directory
        self.base = base

    def path(self, kind: str = layout.LOG) -> str:
        """Where one of its files lies."""
        return f"{self.directory}/{layout.segment_file(self.base, kind)}"

    def remove(self) -> None:
        """Unlink its files, the records last: an index without them shows a loss."""
        for path in self._let_go():
            files.remove_if_there(self.pool.disk, path)

    def set_aside(self) -> None:
        """Rename its files, for `Sweep` to unlink: that of a large one keeps the disk busy."""
        for path in self._let_go():
            try:
                self.pool.disk.rename(path, path + layout.DELETED)
            except FileNotFoundError:
                continue

    def _let_go(self) -> Iterator[str]:
        for kind in (layout.TXN_INDEX, layout.TIME_INDEX, layout.INDEX, layout.LOG):
            path = self.path(kind)
            self.pool.drop(path)
            yield path


class SegmentIndexes:
    """`in_memory`: the offset index and the time index; None where the segment is sealed.

    `since_entry`: bytes that were written since the last entry.
    """

    __slots__ = ("_aborted", "_files", "in_memory", "since_entry")

    def __init__(self, of: SegmentFiles) -> None:
        self._files = of
        self.begin()

    def begin(self) -> None:
        """Begin with empty indexes in memory."""
        base = self._files.base
        self.since_entry = 0
        self.in_memory: tuple[OffsetIndex, TimeIndex] | None = OffsetIndex(base), TimeIndex(base)
        self._aborted: list[AbortedTransaction] = []
        """As the indexes: of a sealed segment in the file alone."""

    def offsets(self, log_size: int) -> OffsetIndex:
        """The offset index of a segment of `log_size` bytes. Corrupt, OSError."""
        if self.in_memory is not None:
            return self.in_memory[0]
        path = self._files.path(layout.INDEX)
        return self._files.pool.index(path, self._files.base, log_size)

    @property
    def aborted(self) -> list[AbortedTransaction]:
        """The transactions whose abort marker lies in the segment, in order. Corrupt, OSError."""
        if self.in_memory is not None:
            return self._aborted
        data = files.read_whole(self._files.pool.disk, self._files.path(layout.TXN_INDEX))
        return aborted_transactions.decode(data) if data else []

    def floor_time(self, timestamp: int) -> int:
        """An offset before which no record has `timestamp` (ms) or later. Corrupt, OSError."""
        index = self._time_file() if self.in_memory is None else self.in_memory[1]
        return index.floor(timestamp)

    def times(self, start: int, stop: int) -> TimeEntries:
        """The entries of the time index for the offsets from `start` to `stop`. OSError."""
        index = self._time_file() if self.in_memory is None else self.in_memory[1]
        return index.part(start, stop)

    def _time_file(self) -> TimeFile:
        path = self._files.path(layout.TIME_INDEX)
        return TimeFile(self._files.pool.file(path), self._files.base)

    # --- growing and shrinking ----------------------------------------------------------------

    def _open(self) -> tuple[OffsetIndex, TimeIndex]:
        assert self.in_memory is not None, "a sealed segment does not change"
        return self.in_memory

    def note_aborted(self, aborted: AbortedTransaction) -> None:
        """The marker that was just written has ended a transaction so."""
        self._open()
        self._aborted.append(aborted)

    def add(self, offset: int, position: int, latest: TimeEntry) -> None:
        """Index the batch that ends with `offset` at `position`; `latest` timestamp up to it."""
        index, times = self._open()
        index.add(offset, position)
        times.add(*latest)
        self.since_entry = 0

    def adopt(self, piece: CopyPiece, latest: TimeEntry) -> TimeEntry:
        """Take over the entries of bytes that were copied; the latest timestamp with them."""
        index, times = self._open()
        index.extend(piece.entries, piece.at - piece.start)
        # An entry has the largest time up to its place: what is known goes before what comes.
        times.add(*latest)
        times.extend(piece.times)
        self._aborted += piece.aborted
        self.since_entry = 0
        return times.last or NO_TIME

    def full(self, most: int) -> bool:
        """Whether an index has no room for another entry (one is kept for the sealing)."""
        index, times = self._open()
        return (len(index) + 1) * 8 > most or (len(times) + 2) * 12 > most

    def truncate(self, end: int) -> None:
        """Cut the entries back to `end`."""
        index, times = self._open()
        index.truncate(end)
        times.truncate(end)
        self.since_entry = 0

    def truncate_aborted(self, end: int) -> None:
        """Forget the transactions whose marker does not lie before `end`."""
        self._aborted = [entry for entry in self._aborted if entry.last < end]

    def last_indexed(self) -> tuple[TimeEntry, int]:
        """The latest timestamp that the entries have, and the position of its batch or before."""
        index, times = self._open()
        last = times.last
        return (NO_TIME, 0) if last is None else (last, index.floor(last.offset))

    # --- on disk ------------------------------------------------------------------------------

    def write(self, latest: TimeEntry, *, trusted: bool = False) -> None:
        """Write the indexes with exactly their size, the newest timestamp included.

        `trusted`: the next start takes what it finds, so a power cut leaves old ones or new ones.
        """
        index, times = self._open()
        times.add(*latest)
        pool = self._files.pool
        # First: where the others are there, nothing shows that this one is missing.
        path = self._files.path(layout.TXN_INDEX)
        if self._aborted:
            data = aborted_transactions.encode(self._aborted)
            files.replace(pool.disk, path, data, durable=False)
        else:
            files.remove_if_there(pool.disk, path)
        for kind, data in ((layout.INDEX, index.encode()), (layout.TIME_INDEX, times.encode())):
            path = self._files.path(kind)
            pool.drop(path)
            if trusted:
                files.replace(pool.disk, path, data, durable=False)
            else:
                files.write_in_place(pool.disk, path, data)

    def seal(self, latest: TimeEntry, *, trusted: bool = False) -> None:
        """Write the indexes (see there) and give up their memory."""
        self.write(latest, trusted=trusted)
        self.give_up()
        self._aborted = []

    def give_up(self) -> None:
        """From now on the files on disk count."""
        self.in_memory = None

    def load(self, log_size: int) -> None:
        """Take the indexes of a sealed segment into memory, to append. Corrupt, OSError."""
        pool = self._files.pool
        index = self.offsets(log_size)
        times = self._read_times()
        aborted = self.aborted
        pool.drop(self._files.path(layout.INDEX))
        pool.drop(self._files.path(layout.TIME_INDEX))
        self.in_memory = (index, times)
        self._aborted = aborted
        self.since_entry = 0

    def keep_aborted(self, aborted: list[AbortedTransaction]) -> None:
        """Put back the transactions that were known before the indexes were rebuilt."""
        self._open()
        self._aborted = aborted

    def _read_times(self) -> TimeIndex:
        data = files.read_whole(self._files.pool.disk, self._files.path(layout.TIME_INDEX))
        return TimeIndex.decode(self._files.base, data or b"")

    def check_times(self, end: int) -> None:
        """Corrupt where the time index on disk is not of a segment that ends at `end`. OSError."""
        self._read_times().check(end)

    def last_time(self) -> TimeEntry:
        """The newest entry of the time index on disk; Corrupt where either index cannot be."""
        pool = self._files.pool
        for kind, entry in ((layout.INDEX, ENTRY_SIZE), (layout.TIME_INDEX, TIME_ENTRY_SIZE)):
            found = pool.disk.stat(self._files.path(kind))
            size = found.size if found is not None else 0
            if size % entry:
                raise Corrupt(f"{kind} of {size} bytes is no multiple of {entry}")
        last = self._time_file().last()
        pool.drop(self._files.path(layout.TIME_INDEX))
        if last is None:
            raise Corrupt("its time index is empty")
        return last

    def last_position(self) -> int:
        """Where the last entry of the index on disk points to; -1 where it has none. OSError."""
        pool, path = self._files.pool, self._files.path(layout.INDEX)
        found = pool.disk.stat(path)
        if found is None or found.size < ENTRY_SIZE:
            return -1
        data = pool.file(path).read(found.size - found.size % ENTRY_SIZE - 4, 4)
        pool.drop(path)
        return int.from_bytes(data, "big", signed=True)

    def sync(self) -> None:
        """Put the files of a sealed segment's indexes on the medium."""
        for kind in (layout.INDEX, layout.TIME_INDEX):
            sync(self._files.pool.file(self._files.path(kind)))
            self._files.pool.drop(self._files.path(kind))
