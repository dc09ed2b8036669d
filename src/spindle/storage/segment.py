"""One segment of a log: its numbers, its file, and where in that an offset lies.

`segment_indexes` has its indexes. Called by `local_log`, `segment_recovery` and `copy`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from spindle.model.batches import RecordBatch
from spindle.model.copying_jobs import CopyPiece, TimeEntries
from spindle.model.errors import Corrupt
from spindle.storage import layout, scan
from spindle.storage.blame import sync
from spindle.storage.disk import File
from spindle.storage.index import OffsetIndex, TimeEntry, TimeIndex, relative
from spindle.storage.pool import Pool
from spindle.storage.segment_indexes import NO_TIME, SegmentFiles, SegmentIndexes

POSITION_MAX: Final = (1 << 31) - 1
"""Neither a position nor a relative offset may pass what an index entry holds (int32)."""


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
        "base",
        "created_ms",
        "end",
        "files",
        "first_timestamp",
        "gapped",
        "indexes",
        "latest",
        "size",
        "synced",
        "waited",
    )

    def __init__(self, pool: Pool, directory: str, base: int) -> None:
        self.files = SegmentFiles(pool, directory, base)
        self.indexes = SegmentIndexes(self.files)
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

    def path(self, kind: str = layout.LOG) -> str:
        """Where one of its files lies."""
        return self.files.path(kind)

    def newest_ms(self) -> int:
        """The largest timestamp of its records; where they have none, when it was written last."""
        if self.latest.timestamp >= 0:
            return self.latest.timestamp
        found = self.files.pool.disk.stat(self.files.path())
        return found.modified_ms if found is not None else 0

    def file(self) -> File:
        """Its open `.log` file; good until the next call on the pool."""
        return self.files.pool.file(self.files.path())

    @property
    def index(self) -> OffsetIndex:
        """Its offset index. Corrupt, OSError."""
        return self.indexes.offsets(self.size)

    def times_between(self, start: OffsetPosition, stop: OffsetPosition) -> TimeEntries:
        """What the time index says of the batches from `start` to `stop`, had it to end there.

        Only batches behind the last index entry are looked at. Corrupt, OSError.
        """
        times = TimeIndex(self.base)
        times.extend(self.indexes.times(start.offset, stop.offset))
        position = max(start.position, self.index.floor_position(stop.position - 1))
        for header in scan.walk_headers(self.file(), position, stop.position):
            times.add(header.max_timestamp, header.last_offset)
        return times.part(self.base, stop.offset)

    @property
    def sealed(self) -> bool:
        """Whether its indexes are on disk."""
        return self.indexes.in_memory is None

    # --- growing ------------------------------------------------------------------------------

    def note(self, batch: RecordBatch | scan.Header, interval: int) -> None:
        """Take in that `batch` was written at its end; index it where it is time to. Corrupt."""
        indexes = self.indexes
        assert indexes.in_memory is not None, "a sealed segment does not grow"
        size = batch.size
        relative(batch.last_offset, self.base)
        if batch.max_timestamp > self.latest.timestamp:
            self.latest = TimeEntry(batch.max_timestamp, batch.last_offset)
        if indexes.since_entry > interval:
            indexes.add(batch.last_offset, self.size, self.latest)
        if self.size == 0:
            self.first_timestamp = batch.max_timestamp
        indexes.since_entry += size
        self.size += size
        self.end = batch.last_offset + 1
        self.synced = False

    def adopt(self, piece: CopyPiece) -> None:
        """Take over bytes that were copied behind its end, with their index entries."""
        assert self.size == piece.at
        self.latest = self.indexes.adopt(piece, self.latest)
        if self.size == 0:
            self.first_timestamp = piece.first_timestamp
        self.size += piece.length
        self.end = piece.end
        self.synced = False

    # --- sealing and opening ------------------------------------------------------------------

    def seal(self, *, trusted: bool = False) -> None:
        """Write the indexes (see there) and give up their memory."""
        self.indexes.seal(self.latest, trusted=trusted)
        self.synced = False

    def sealed_at(self, size: int, end: int, latest: TimeEntry) -> None:
        """Describe a segment that was found on disk with good indexes."""
        self.size = size
        self.end = end
        self.latest = latest
        self.indexes.give_up()
        self.synced = True

    def begin(self) -> None:
        """Forget all that is known; the caller scans the file and notes its batches again."""
        self.size = 0
        self.end = self.base
        self.latest = NO_TIME
        self.synced = False
        self.indexes.begin()

    def is_short_of(self, following: int | None) -> bool:
        """Whether its indexes on disk point to batches that were not found in its file. OSError.

        `following`: the base of the next segment.
        """
        if self.end == following or self.indexes.last_position() < self.size:
            return False
        try:
            return following is not None or self.indexes.last_time().offset >= self.end
        except Corrupt:
            return False

    def reindex(self, interval: int) -> None:
        """Rebuild the indexes of a sealed segment from its records. Corrupt, OSError."""
        assert self.sealed
        size, aborted = self.size, self.indexes.aborted
        headers = list(scan.walk_headers(self.file(), 0, size))
        self.begin()
        for header in headers:
            self.note(header, interval)
        self.indexes.keep_aborted(aborted)
        self.seal(trusted=True)

    def unseal(self) -> None:
        """Load the indexes to append, because this segment is the log's last one (again)."""
        if not self.sealed:
            return
        self.indexes.load(self.size)
        if self.size and self.first_timestamp < 0:
            first = next(scan.walk_headers(self.file(), 0, self.size))
            self.first_timestamp = first.max_timestamp

    def sync(self, indexes: bool = False) -> None:
        """Put the records on the medium, and the indexes of a sealed segment if asked."""
        sync(self.file())
        if indexes:
            self.indexes.sync()
        self.synced = True

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
        place = self.locate_torn(offset) if torn else self.locate(offset)
        end = min(offset, place.offset)
        self.indexes.truncate(end)
        file = self.file()
        file.truncate(place.position)
        sync(file)
        self.size = place.position
        self.end = max(self.base, end)
        self.indexes.truncate_aborted(self.end)
        self._relearn_times()

    def _relearn_times(self) -> None:
        """Find the largest timestamp again after a cut."""
        self.latest, position = self.indexes.last_indexed()
        if self.size == 0:
            self.first_timestamp = -1
            return
        for header in scan.walk_headers(self.file(), position, self.size):
            if header.position == 0:
                self.first_timestamp = header.max_timestamp
            if header.max_timestamp > self.latest.timestamp:
                self.latest = TimeEntry(header.max_timestamp, header.last_offset)
