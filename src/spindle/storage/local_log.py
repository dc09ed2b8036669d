"""The files of one log: its segments, of which the last one grows (Kafka's LocalLog).

Writes, finds, reads, cuts and removes by offset. Knows neither producers nor leader epochs, nor
what is on the medium: that is `unified_log`'s. Called by it and by what reads or copies the files
(`reading`, `copy`, `cleaning`). OSError means the disk, Corrupt this log.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from spindle.model.batches import Buffer, RecordBatch
from spindle.model.copying_jobs import CopyPiece
from spindle.model.errors import Corrupt
from spindle.model.jobs import LogSettings, ReadResult
from spindle.model.log_values import AbortedTransaction, LogKey
from spindle.storage import aborted_transactions
from spindle.storage.pool import Pool
from spindle.storage.segment import POSITION_MAX, OffsetPosition, Segment
from spindle.wire.batch import stamped

SYNC_AFTER_CHECKPOINTS: Final = 2
"""At 60 s each, longer than the kernel keeps written pages to itself (30 s)."""

PLACES_MAX: Final = 64
"""Places where readers stopped, remembered for when they come back."""


class LocalLog:
    """The segments of a log, ascending; there is at least one, and the last is active.

    `dirty_names`: files have come or gone since the directory was synced last.
    """

    def __init__(self, pool: Pool, path: str, key: LogKey, segments: list[Segment]) -> None:
        assert segments
        self.pool = pool
        self.path = path
        self.key = key
        self.settings = LogSettings()
        self.segments = segments
        self.end = segments[-1].end
        self.size = sum(segment.size for segment in segments)
        self.dirty_names = False
        self._torn = False
        self._places: dict[int, tuple[Segment, OffsetPosition]] = {}

    @property
    def active(self) -> Segment:
        """The segment that appends go to."""
        return self.segments[-1]

    @property
    def name(self) -> str:
        """The name of its directory."""
        return self.path.rpartition("/")[2]

    def write(self, run: list[RecordBatch], size: int, now_ms: int) -> None:
        """Write batches of `size` bytes behind the active segment's end, and index them."""
        active = self.segments[-1]
        if active.size == 0:
            active.created_ms = now_ms
        buffers: list[Buffer] = []
        for batch in run:
            buffers += stamped(batch)
        self._torn = True
        active.file().write(active.size, buffers)
        self._torn = False
        interval = self.settings.index_interval_bytes
        for batch in run:
            active.note(batch, interval)
        self.end = active.end
        self.size += size

    def take(self, piece: CopyPiece) -> None:
        """Take over bytes that were copied behind the end."""
        if piece.fresh:
            self.begin_segment(piece.target_base, copied=True)
        assert self.active.base == piece.target_base
        self.active.adopt(piece)
        self.end = piece.end
        self.size += piece.length

    def must_roll(self, run: list[RecordBatch], size: int, now_ms: int) -> bool:
        """Whether the active segment cannot take these batches of `size` bytes."""
        active = self.segments[-1]
        if run[-1].last_offset - active.base > POSITION_MAX:
            return True
        if active.size == 0:
            return False
        settings = self.settings
        if active.size + size > min(settings.segment_bytes, POSITION_MAX):
            return True
        if active.indexes.full(settings.index_max_bytes):
            return True
        latest = max(batch.max_timestamp for batch in run)
        if active.first_timestamp >= 0 and latest >= 0:
            return latest - active.first_timestamp > settings.roll_ms(self.key, active.base)
        if active.created_ms < 0:
            active.created_ms = now_ms
        return now_ms - active.created_ms > settings.roll_ms(self.key, active.base)

    def mend(self) -> None:
        """Cut off what a failed write may have left behind the log's end."""
        if self._torn:
            self.active.file().truncate(self.active.size)
            self._torn = False

    def begin_segment(self, base: int, copied: bool = False) -> None:
        """Seal the active segment (an empty one gives way) and begin one at `base`.

        `copied`: its file has bytes already, which a copy is about to hand over.
        """
        last = self.active
        if last.size == 0 and last.base == base:
            return
        fresh = Segment(self.pool, self.path, base)
        if last.size:
            last.seal()
        try:
            file = self.pool.file(fresh.path(), create=True)
            if not copied:
                file.truncate(0)
        except OSError:
            last.unseal()
            raise
        if last.size == 0:
            last.files.remove()
            self.segments.pop()
        self.segments.append(fresh)
        self.dirty_names = True

    def read(
        self, start: int, offset: int, limit: int, most: int, at_least_one: bool, committed: bool
    ) -> ReadResult:
        """As `UnifiedLog.read`. `start`: where the log begins for readers."""
        if not start <= offset < min(limit, self.end):
            return ReadResult(b"", start, self.end)
        segment, place = self.find(offset)
        stop = OffsetPosition(segment.size, segment.end)
        if limit < segment.end:
            stop = segment.locate(limit)
        if stop.position - place.position > most:
            stop = segment.cut(place, most)
            if stop.position <= place.position and at_least_one:
                stop = segment.first_batch(place)
        size = stop.position - place.position
        if size <= 0:
            return ReadResult(b"", start, self.end)
        data = segment.file().lend(place.position, size)
        if len(data) < size:
            raise Corrupt(f"{segment.path()} ends at {place.position + len(data)}")
        self._remember(segment, stop)
        aborted: tuple[AbortedTransaction, ...] = ()
        if committed:
            later = (s.indexes.aborted for s in self.segments[self.index_of(offset) :])
            aborted = aborted_transactions.between(later, offset, stop.offset)
        return ReadResult(data, start, self.end, aborted)

    def find(self, offset: int) -> tuple[Segment, OffsetPosition]:
        """The segment and the place of the first batch that reaches `offset`.

        Beyond the last batch: the end of the active segment.
        """
        known = self._places.get(offset)
        if known is not None and known[1].position < known[0].size:
            return known[0], known[0].locate(offset, known[1])
        at = self.index_of(offset)
        for segment in self.segments[at:]:
            place = segment.locate(offset)
            if place.position < segment.size:
                return segment, place
        return self.active, OffsetPosition(self.active.size, self.end)

    def index_of(self, offset: int) -> int:
        """Which segment holds `offset`, or would (the first for what lies before all)."""
        if offset >= self.segments[-1].base:
            return len(self.segments) - 1
        return max(0, bisect_right(self.segments, offset, key=lambda s: s.base) - 1)

    def floor(self, offset: int) -> int:
        """The base of the segment that a cut at `offset` would change."""
        return min(offset, self.segments[self.index_of(offset)].base)

    def _remember(self, segment: Segment, place: OffsetPosition) -> None:
        places = self._places
        if len(places) >= PLACES_MAX and place.offset not in places:
            del places[next(iter(places))]
        places[place.offset] = (segment, place)

    def truncate(self, offset: int) -> None:
        """Cut the end back to `offset`, which lies behind the first segment's base."""
        self._places.clear()
        self.mend()
        while self.active.base >= offset:
            self._remove_last()
        # On the medium before anything is appended: a removed file that came back after a power
        # cut could otherwise fit behind the new records.
        self.pool.disk.sync_dir(self.path)
        before = self.active.size
        self.active.truncate(offset, torn=self.key.future)
        self.size -= before - self.active.size
        self.end = self.active.end

    def reset(self, offset: int) -> None:
        """Remove all segments; begin again with an empty one at `offset`."""
        self._places.clear()
        self._torn = False
        while len(self.segments) > 1:
            self._remove_last()
        self.active.files.remove()
        self.pool.disk.sync_dir(self.path)
        fresh = Segment(self.pool, self.path, offset)
        self.pool.file(fresh.path(), create=True)
        self.pool.disk.sync_dir(self.path)  # Its name says where the log ends; checkpoints will.
        self.segments = [fresh]
        self.size = 0
        self.end = offset
        self.dirty_names = True

    def _remove_last(self) -> None:
        last = self.segments[-1]
        last.files.remove()
        self.segments.pop()
        self.size -= last.size

    def remove_before(self, start: int) -> None:
        """Remove the segments that lie below `start` as a whole; the last one stays."""
        while len(self.segments) > 1 and self.segments[1].base <= start:
            first = self.segments.pop(0)
            # A future log's name will change: what is set aside there would never be found.
            (first.files.remove if self.key.future else first.files.set_aside)()
            self.size -= first.size
            self._places.clear()

    def replace(self, at: int, olds: int, fresh: Segment) -> None:
        """Put a cleaned segment in the place of so many old ones, whose files are gone."""
        self.size += fresh.size - sum(old.size for old in self.segments[at : at + olds])
        self.segments[at : at + olds] = [fresh]

    def sync_sealed(self, waited: int) -> bool:
        """Sync sealed segments that have waited for so many checkpoints; whether there were any."""
        done = False
        for segment in self.segments[:-1]:
            if not segment.synced:
                if segment.waited < waited:
                    break
                segment.sync(indexes=True)
                done = True
        return done

    def count_checkpoint(self) -> bool:
        """Let sealed segments grow older; whether one has waited for its sync long enough.

        By then the kernel has written it by itself, and the sync delays no other job.
        """
        due = False
        for at in range(len(self.segments) - 2, -1, -1):
            segment = self.segments[at]
            if segment.synced:
                break
            segment.waited += 1
            due = segment.waited >= SYNC_AFTER_CHECKPOINTS
        return due

    def let_go(self) -> None:
        """Close the files without writing."""
        self._places.clear()
        self.pool.drop_under(self.path)

    def moved(self, path: str, key: LogKey) -> None:
        """Its directory has been renamed."""
        self.let_go()
        self.path = path
        self.key = key
        for segment in self.segments:
            segment.files.directory = path
