"""One segment of a log: its numbers, its indexes, and where in its file an offset lies.

The last segment of a log is active: its indexes are in memory, complete. A sealed one has them on
disk and loads them when they are wanted. Called by `log`, `recovery` and `copy`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from spindle.model.batches import RecordBatch
from spindle.model.copying_jobs import CopyPiece, TimeEntries
from spindle.model.errors import Corrupt
from spindle.model.log_values import AbortedTransaction
from spindle.storage import aborted_transactions, files, layout, scan
from spindle.storage.disk import File
from spindle.storage.index import (
    ENTRY_SIZE,
    TIME_ENTRY_SIZE,
    OffsetIndex,
    TimeEntry,
    TimeFile,
    TimeIndex,
    relative,
)
from spindle.storage.pool import Pool

POSITION_MAX: Final = (1 << 31) - 1
"""Neither a position nor a relative offset may pass what an index entry holds (int32)."""

NO_TIME: Final = TimeEntry(-1, -1)


class OffsetPosition(NamedTuple):
    """Where a batch starts in a segment's file, and the offset that a reader may expect there."""

    position: int
    offset: int


class Segment:
    """A segment's file and what is known of it.

    `end`: the offset after its last record. `latest`: the largest timestamp (ms) and its batch's
    last offset. `first_timestamp`: of the first batch, -1 where it is not known. `waited`: how many
    checkpoints a sealed segment has seen without being synced.
    """

    __slots__ = (
        "_aborted",
        "_indexes",
        "_pool",
        "_since_entry",
        "base",
        "created_ms",
        "directory",
        "end",
        "first_timestamp",
        "gapped",
        "latest",
        "size",
        "synced",
        "waited",
    )

    def __init__(self, pool: Pool, directory: str, base: int) -> None:
        self._pool = pool
        self.directory = directory
        self.base = base
        self.size = 0
        self.end = base
        self.latest = NO_TIME
        self.first_timestamp = -1
        self.created_ms = -1
        self.synced = False
        self.waited = 0
        self.gapped = False
        """Offsets are missing in it, as compaction leaves them: its index is right all the same."""
        self._since_entry = 0
        self._indexes: tuple[OffsetIndex, TimeIndex] | None = (OffsetIndex(base), TimeIndex(base))
        self._aborted: list[AbortedTransaction] = []
        """As the indexes: of a sealed segment in the file alone."""

    def path(self, kind: str = layout.LOG) -> str:
        """Where one of its files lies."""
        return f"{self.directory}/{layout.segment_file(self.base, kind)}"

    def newest_ms(self) -> int:
        """The largest timestamp of its records; where they have none, when it was written last."""
        if self.latest.timestamp >= 0:
            return self.latest.timestamp
        found = self._pool.disk.stat(self.path())
        return found.modified_ms if found is not None else 0

    def file(self) -> File:
        """Its open `.log` file; good until the next call on the pool."""
        return self._pool.file(self.path())

    @property
    def index(self) -> OffsetIndex:
        """Its offset index. Corrupt, OSError."""
        if self._indexes is not None:
            return self._indexes[0]
        return self._pool.index(self.path(layout.INDEX), self.base, self.size)

    @property
    def aborted(self) -> list[AbortedTransaction]:
        """The transactions whose abort marker lies in it, in that order. Corrupt, OSError."""
        if self._indexes is not None:
            return self._aborted
        data = files.read_whole(self._pool.disk, self.path(layout.TXN_INDEX))
        return aborted_transactions.decode(data) if data else []

    def note_aborted(self, aborted: AbortedTransaction) -> None:
        """The marker that was just written has ended a transaction so."""
        assert self._indexes is not None
        self._aborted.append(aborted)

    def floor_time(self, timestamp: int) -> int:
        """An offset before which no record has `timestamp` (ms) or later. Corrupt, OSError."""
        if self._indexes is not None:
            return self._indexes[1].floor(timestamp)
        return self._time_file().floor(timestamp)

    def times_between(self, start: OffsetPosition, stop: OffsetPosition) -> TimeEntries:
        """What the time index tells of the batches from `start` to `stop`, had it to end there.

        Only batches behind the last index entry are looked at. Corrupt, OSError.
        """
        index = self._time_file() if self._indexes is None else self._indexes[1]
        times = TimeIndex(self.base)
        times.extend(index.part(start.offset, stop.offset))
        position = max(start.position, self.index.floor_position(stop.position - 1))
        for header in scan.walk_headers(self.file(), position, stop.position):
            times.add(header.max_timestamp, header.last_offset)
        return times.part(self.base, stop.offset)

    def _time_file(self) -> TimeFile:
        return TimeFile(self._pool.file(self.path(layout.TIME_INDEX)), self.base)

    @property
    def sealed(self) -> bool:
        """Whether its indexes are on disk."""
        return self._indexes is None

    # --- growing ------------------------------------------------------------------------------

    def note(self, batch: RecordBatch | scan.Header, interval: int) -> None:
        """Take in that `batch` was written at its end; index it where it is time to. Corrupt."""
        assert self._indexes is not None
        size = batch.size
        relative(batch.last_offset, self.base)
        if batch.max_timestamp > self.latest.timestamp:
            self.latest = TimeEntry(batch.max_timestamp, batch.last_offset)
        if self._since_entry > interval:
            index, times = self._indexes
            index.add(batch.last_offset, self.size)
            times.add(*self.latest)
            self._since_entry = 0
        if self.size == 0:
            self.first_timestamp = batch.max_timestamp
        self._since_entry += size
        self.size += size
        self.end = batch.last_offset + 1
        self.synced = False

    def adopt(self, piece: CopyPiece) -> None:
        """Take over bytes that were copied behind its end, with their index entries."""
        assert self._indexes is not None
        assert self.size == piece.at
        index, times = self._indexes
        index.extend(piece.entries, piece.at - piece.start)
        # An entry tells the largest time up to its place: what is known goes before what comes.
        times.add(*self.latest)
        times.extend(piece.times)
        self.latest = times.last or NO_TIME
        if self.size == 0:
            self.first_timestamp = piece.first_timestamp
        self._aborted += piece.aborted
        self.size += piece.length
        self.end = piece.end
        self.synced = False
        self._since_entry = 0

    def full(self, settings_index_max: int) -> bool:
        """Whether an index has no room for another entry (one is kept for the sealing)."""
        assert self._indexes is not None
        index, times = self._indexes
        return (len(index) + 1) * 8 > settings_index_max or (
            (len(times) + 2) * 12 > settings_index_max
        )

    # --- sealing and opening ------------------------------------------------------------------

    def write_indexes(self, *, trusted: bool = False) -> None:
        """Write the indexes with exactly their size, the newest timestamp included.

        `trusted`: the next start takes what it finds, so a power cut leaves old ones or new ones.
        """
        assert self._indexes is not None
        index, times = self._indexes
        times.add(*self.latest)
        # First: where the others are there, nothing tells that this one is missing.
        path = self.path(layout.TXN_INDEX)
        if self._aborted:
            data = aborted_transactions.encode(self._aborted)
            files.replace(self._pool.disk, path, data, durable=False)
        else:
            files.remove_if_there(self._pool.disk, path)
        for kind, data in ((layout.INDEX, index.encode()), (layout.TIME_INDEX, times.encode())):
            self._pool.drop(self.path(kind))
            if trusted:
                files.replace(self._pool.disk, self.path(kind), data, durable=False)
            else:
                files.write_in_place(self._pool.disk, self.path(kind), data)

    def seal(self, *, trusted: bool = False) -> None:
        """Write the indexes (see there) and give up their memory."""
        self.write_indexes(trusted=trusted)
        self._indexes = None
        self._aborted = []
        self.synced = False

    def sealed_at(self, size: int, end: int, latest: TimeEntry) -> None:
        """Describe a segment that was found on disk with good indexes."""
        self.size = size
        self.end = end
        self.latest = latest
        self._indexes = None
        self.synced = True

    def begin(self) -> None:
        """Forget all that is known; whoever scans the file tells anew."""
        self.size = 0
        self.end = self.base
        self.latest = NO_TIME
        self.synced = False
        self._since_entry = 0
        self._indexes = (OffsetIndex(self.base), TimeIndex(self.base))
        self._aborted = []

    def last_time(self) -> TimeEntry:
        """The newest entry of the time index on disk; Corrupt where either index cannot be."""
        for kind, entry in ((layout.INDEX, ENTRY_SIZE), (layout.TIME_INDEX, TIME_ENTRY_SIZE)):
            found = self._pool.disk.stat(self.path(kind))
            size = found.size if found is not None else 0
            if size % entry:
                raise Corrupt(f"{kind} of {size} bytes is no multiple of {entry}")
        last = self._time_file().last()
        self._pool.drop(self.path(layout.TIME_INDEX))
        if last is None:
            raise Corrupt("its time index is empty")
        return last

    def last_position(self) -> int:
        """Where the last entry of the index on disk points to; -1 where it has none. OSError."""
        found = self._pool.disk.stat(self.path(layout.INDEX))
        if found is None or found.size < ENTRY_SIZE:
            return -1
        file = self._pool.file(self.path(layout.INDEX))
        data = file.read(found.size - found.size % ENTRY_SIZE - 4, 4)
        self._pool.drop(self.path(layout.INDEX))
        return int.from_bytes(data, "big", signed=True)

    def is_short_of(self, following: int | None) -> bool:
        """Whether its indexes on disk tell of batches that were not found in its file. OSError.

        `following`: the base of the next segment.
        """
        if self.end == following or self.last_position() < self.size:
            return False
        try:
            return following is not None or self.last_time().offset >= self.end
        except Corrupt:
            return False

    def check_times(self) -> None:
        """Corrupt where the time index on disk cannot be this segment's. OSError."""
        data = files.read_whole(self._pool.disk, self.path(layout.TIME_INDEX))
        times = TimeIndex.decode(self.base, data or b"")
        times.check(self.end)

    def reindex(self, interval: int) -> None:
        """Make the indexes of a sealed segment anew from its records. Corrupt, OSError."""
        assert self.sealed
        size, aborted = self.size, self.aborted
        headers = list(scan.walk_headers(self.file(), 0, size))
        self.begin()
        for header in headers:
            self.note(header, interval)
        self._aborted = aborted
        self.seal(trusted=True)

    def unseal(self) -> None:
        """Load the indexes to append, because this segment is the log's last one (again)."""
        if self._indexes is not None:
            return
        index = self.index
        data = files.read_whole(self._pool.disk, self.path(layout.TIME_INDEX))
        times = TimeIndex.decode(self.base, data or b"")
        aborted = self.aborted
        self._pool.drop(self.path(layout.INDEX))
        self._pool.drop(self.path(layout.TIME_INDEX))
        self._indexes = (index, times)
        self._aborted = aborted
        self._since_entry = 0
        if self.size and self.first_timestamp < 0:
            first = next(scan.walk_headers(self.file(), 0, self.size))
            self.first_timestamp = first.max_timestamp

    def sync(self, indexes: bool = False) -> None:
        """Put the records on the medium, and the indexes of a sealed segment if asked."""
        self.file().sync()
        if indexes:
            for kind in (layout.INDEX, layout.TIME_INDEX):
                self._pool.file(self.path(kind)).sync()
                self._pool.drop(self.path(kind))
        self.synced = True

    def remove(self) -> None:
        """Unlink its files, the records last: an index without them tells of a loss."""
        for path in self._let_go():
            files.remove_if_there(self._pool.disk, path)

    def set_aside(self) -> None:
        """Rename its files, for `Sweep` to unlink: that of a large one keeps the disk busy."""
        for path in self._let_go():
            try:
                self._pool.disk.rename(path, path + layout.DELETED)
            except FileNotFoundError:
                continue

    def _let_go(self) -> Iterator[str]:
        for kind in (layout.TXN_INDEX, layout.TIME_INDEX, layout.INDEX, layout.LOG):
            path = self.path(kind)
            self._pool.drop(path)
            yield path

    # --- finding ------------------------------------------------------------------------------

    def locate(self, offset: int, near: OffsetPosition | None = None) -> OffsetPosition:
        """Where the first batch starts whose last offset is at least `offset`; else its end.

        `near`: a known place before it. Corrupt where the headers on the way are nonsense.
        """
        position = self.index.floor(offset) if self.size else 0
        if near is not None and near.offset <= offset and near.position > position:
            position = near.position
        for step in scan.walk(self.file(), position, self.size):
            if step.last_offset >= offset:
                return OffsetPosition(step.position, step.base_offset)
        return OffsetPosition(self.size, self.end)

    def cut(self, start: OffsetPosition, most: int) -> OffsetPosition:
        """The last batch border at most `most` bytes behind `start` (possibly `start` itself)."""
        target = start.position + most
        if target >= self.size:
            return OffsetPosition(self.size, self.end)
        position = max(start.position, self.index.floor_position(target))
        for step in scan.walk(self.file(), position, self.size):
            if step.position + step.size > target:
                return OffsetPosition(step.position, step.base_offset)
        raise Corrupt(f"{self.path()}: no batch border before {target} of {self.size} bytes")

    def headers(self, offset: int = 0) -> Iterator[scan.Header]:
        """The headers of its batches from the one that reaches `offset` on."""
        if self.size:
            yield from scan.walk_headers(self.file(), self.locate(offset).position, self.size)

    def written_end(self) -> int:
        """The offset after its last batch: less than `end` where it was cut between two batches."""
        end = self.base
        for step in scan.walk(self.file(), self.index.last_position(), self.size):
            end = step.last_offset + 1
        return end

    def first_batch(self, start: OffsetPosition) -> OffsetPosition:
        """The border after the one batch that begins at `start`."""
        step = next(scan.walk(self.file(), start.position, self.size))
        return OffsetPosition(start.position + step.size, step.last_offset + 1)

    def locate_torn(self, offset: int) -> OffsetPosition:
        """As `locate`, where only the batches before `offset` are known to be well.

        A copy may have brought nonsense from there on: then it ends the search.
        """
        position = self.index.floor(offset - 1) if self.size else 0
        place = OffsetPosition(position, self.base)
        try:
            for step in scan.walk(self.file(), position, self.size):
                if step.base_offset < place.offset:
                    return place
                if step.last_offset >= offset:
                    return OffsetPosition(step.position, step.base_offset)
                place = OffsetPosition(step.position + step.size, step.last_offset + 1)
        except Corrupt:
            pass  # The nonsense begins where the last good batch ends.
        return place

    def truncate(self, offset: int, torn: bool = False) -> None:
        """Cut at the batch that reaches `offset`; indexes and numbers with it.

        `torn`: what lies from `offset` on may be nonsense.
        """
        self.unseal()
        assert self._indexes is not None
        place = self.locate_torn(offset) if torn else self.locate(offset)
        index, times = self._indexes
        end = min(offset, place.offset)
        index.truncate(end)
        times.truncate(end)
        file = self.file()
        file.truncate(place.position)
        file.sync()
        self.size = place.position
        self.end = max(self.base, end)
        self._aborted = [entry for entry in self._aborted if entry.last < self.end]
        self._since_entry = 0
        self._relearn_times()

    def _relearn_times(self) -> None:
        """Find the largest timestamp again after a cut."""
        assert self._indexes is not None
        index, times = self._indexes
        last = times.last
        self.latest = last if last is not None else NO_TIME
        position = index.floor(self.latest.offset) if last is not None else 0
        if self.size == 0:
            self.first_timestamp = -1
            return
        for header in scan.walk_headers(self.file(), position, self.size):
            if header.position == 0:
                self.first_timestamp = header.max_timestamp
            if header.max_timestamp > self.latest.timestamp:
                self.latest = TimeEntry(header.max_timestamp, header.last_offset)
