"""A partition's log on disk: append, read, cut, shorten, make durable, close.

All of it runs on its directory's thread. Errors: OSError (the disk), Corrupt (this log); the
directory turns them into failures. Keeps epochs and producers beside the records, as the files do.
Finding by time is `lookup`, opening is `recovery`. Called by `directory`, `recovery` and `copy`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from typing import Final

from spindle.model.batches import Buffer, RecordBatch
from spindle.model.copying_jobs import CutStamp
from spindle.model.errors import Corrupt
from spindle.model.ids import TopicId
from spindle.model.jobs import Appended, LogSettings, LogStart, ReadResult
from spindle.model.log_values import AbortedTransaction, LoadedLog, LogKey
from spindle.model.offsets import EpochHistory
from spindle.storage import aborted_transactions, checkpoints, files, layout
from spindle.storage.pool import Pool
from spindle.storage.producers import LoggedProducers
from spindle.storage.segment import POSITION_MAX, OffsetPosition, Segment
from spindle.storage.snapshots import Snapshots
from spindle.wire.batch import stamped
from spindle.wire.control import marker_of

CUTS_MAX: Final = 256
"""Cuts that are remembered for copies under way; a copy that missed more begins again."""

SYNC_AFTER_CHECKPOINTS: Final = 2
"""At 60 s each, longer than the kernel keeps written pages to itself (30 s)."""

PLACES_MAX: Final = 64
"""Places where readers stopped, remembered for when they come back."""


class Log:
    """A log. `segments` ascend and there is at least one: the last is active.

    `recovery_point`: all before it is on the medium. `start`: the first readable offset.
    `copied`: of a future log that is being copied, which cuts of the source are known, and up to
    where its bytes are confirmed (see `CopyMark`); the rest does not count as durable.
    `as_closed`: it is as a clean shutdown has left it; whoever changes it says that it is not.
    `unbroken`: its mark, see there (None: it has none). `doubtful`: gaps before that, maybe losses.
    """

    def __init__(
        self,
        pool: Pool,
        path: str,
        key: LogKey,
        topic_id: TopicId | None,
        segments: list[Segment],
        snapshots: Snapshots,
    ) -> None:
        assert segments
        self.pool = pool
        self.path = path
        self.key = key
        self.topic_id = topic_id
        self.settings = LogSettings()
        self.segments = segments
        self.snapshots = snapshots
        self.start = segments[0].base
        self.end = segments[-1].end
        self.size = sum(segment.size for segment in segments)
        self.epochs = EpochHistory()
        self.producers = LoggedProducers()
        self.recovery_point = self.start
        self.copied: tuple[CutStamp, int] | None = None
        self._load = pool.next_load()
        self._cut_count = 0
        self._cuts: deque[int] = deque(maxlen=CUTS_MAX)
        self.dirty_epochs = False
        self.dirty_names = False
        self.as_closed = False
        self.unbroken: int | None = None
        self.doubtful: tuple[tuple[int, int], ...] = ()
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

    def loaded(self, stable: int) -> LoadedLog:
        """The log as a value. `stable`: its checkpointed high watermark."""
        return LoadedLog(
            self.key,
            self.topic_id,
            self.start,
            self.end,
            max(self.start, min(stable, self.end)),
            self.size,
            self.epochs.entries,
            self.producers.recent,
            max(segment.latest.timestamp for segment in self.segments),
            doubtful=self.doubtful,
        )

    # --- append -------------------------------------------------------------------------------

    def append(self, batches: list[RecordBatch], now_ms: int) -> Appended:
        """Write batches at their offsets. All or nothing of a run that fits one segment."""
        assert batches
        assert batches[0].base_offset >= self.end, f"{self.key}: {batches[0].base_offset} again"
        run: list[RecordBatch] = []
        size = 0
        for batch in batches:
            if run and size + batch.size > self.settings.segment_bytes:
                self._append(run, size, now_ms)
                run, size = [], 0
            run.append(batch)
            size += batch.size
        self._append(run, size, now_ms)
        return Appended(self.end, self.size)

    def _append(self, run: list[RecordBatch], size: int, now_ms: int) -> None:
        self._mend()
        if self._must_roll(run, size, now_ms):
            self.roll(now_ms)
        active = self.segments[-1]
        if active.size == 0:
            active.created_ms = now_ms
        buffers: list[Buffer] = []
        for batch in run:
            buffers += stamped(batch)
        self._torn = True
        self.as_closed = False
        active.file().write(active.size, buffers)
        self._torn = False
        interval = self.settings.index_interval_bytes
        for batch in run:
            active.note(batch, interval)
            if batch.leader_epoch > self.epochs.latest:
                self.epochs.assign(batch.leader_epoch, batch.base_offset)
                self.dirty_epochs = True
            if batch.producer_id >= 0:
                self._note_producer(batch)
        self.end = active.end
        self.size += size

    def _note_producer(self, batch: RecordBatch) -> None:
        marker = marker_of(batch) if batch.is_control else None
        aborted = self.producers.note(batch, marker)
        if aborted is not None:
            self.active.indexes.note_aborted(aborted)

    def _must_roll(self, run: list[RecordBatch], size: int, now_ms: int) -> bool:
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

    def _mend(self) -> None:
        """Cut off what a failed write may have left behind the log's end."""
        if self._torn:
            self.active.file().truncate(self.active.size)
            self._torn = False

    def roll(self, now_ms: int, end: int = 0) -> None:
        """Seal the active segment; begin one at the log's end, or at `end`, behind a leap."""
        self.producers.expire(now_ms - self.settings.producer_ms)
        self.end = max(self.end, end)
        self.snapshots.write(self.end, self.producers)
        self.begin_segment(self.end)
        self.active.created_ms = now_ms

    def begin_segment(self, base: int, copied: bool = False) -> None:
        """Seal the active segment (an empty one gives way) and begin one at `base`.

        `copied`: its file has bytes already, which a copy is about to hand over.
        """
        last = self.active
        self.as_closed = False
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

    # --- read ---------------------------------------------------------------------------------

    def read(
        self, offset: int, limit: int, most: int, at_least_one: bool, committed: bool = False
    ) -> ReadResult:
        """Whole batches from the one that holds `offset`, of one segment, none past `limit`.

        `committed`: with the aborted transactions among them.
        """
        if not self.start <= offset < min(limit, self.end):
            return ReadResult(b"", self.start, self.end)
        segment, start = self.find(offset)
        stop = OffsetPosition(segment.size, segment.end)
        if limit < segment.end:
            stop = segment.locate(limit)
        if stop.position - start.position > most:
            stop = segment.cut(start, most)
            if stop.position <= start.position and at_least_one:
                stop = segment.first_batch(start)
        size = stop.position - start.position
        if size <= 0:
            return ReadResult(b"", self.start, self.end)
        data = segment.file().lend(start.position, size)
        if len(data) < size:
            raise Corrupt(f"{segment.path()} ends at {start.position + len(data)}")
        self._remember(segment, stop)
        aborted: tuple[AbortedTransaction, ...] = ()
        if committed:
            later = (s.indexes.aborted for s in self.segments[self.index_of(offset) :])
            aborted = aborted_transactions.between(later, offset, stop.offset)
        return ReadResult(data, self.start, self.end, aborted)

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

    def _remember(self, segment: Segment, place: OffsetPosition) -> None:
        places = self._places
        if len(places) >= PLACES_MAX and place.offset not in places:
            del places[next(iter(places))]
        places[place.offset] = (segment, place)

    # --- cut ----------------------------------------------------------------------------------

    def truncate(self, offset: int) -> None:
        """Cut the end back to `offset`.

        The recovery point on disk must have been lowered to the `floor` of it before.
        """
        if offset >= self.end:
            return
        if offset <= self.segments[0].base:
            self.reset(offset)
            return
        self._places.clear()
        self._note_cut(offset)
        self._mend()
        self.snapshots.truncate(self.floor(offset))
        while self.active.base >= offset:
            self._remove_last()
        # On the medium before anything is appended: a removed file that came back after a power
        # cut could otherwise fit behind the new records.
        self.pool.disk.sync_dir(self.path)
        before = self.active.size
        self.active.truncate(offset, torn=self.key.future)
        self.size -= before - self.active.size
        self._ended()

    def floor(self, offset: int) -> int:
        """The base of the segment that a cut at `offset` would change."""
        return min(offset, self.segments[self.index_of(offset)].base)

    def _remove_last(self) -> None:
        last = self.segments[-1]
        last.files.remove()
        self.segments.pop()
        self.size -= last.size

    def _ended(self) -> None:
        """Bring along what depends on the log's end, after it went back."""
        self.end = self.active.end
        self.start = min(self.start, self.end)
        self.recovery_point = min(self.recovery_point, self.end)
        if self.epochs.truncate_end(self.end):
            self.dirty_epochs = True
        self.producers = self.snapshots.load(self.segments, self.end)

    def reset(self, offset: int) -> None:
        """Throw all records away; begin again at `offset`."""
        self._places.clear()
        self._note_cut(min(offset, self.segments[0].base))
        self._torn = False
        self.snapshots.truncate(-1)
        while len(self.segments) > 1:
            self._remove_last()
        self.active.files.remove()
        self.pool.disk.sync_dir(self.path)
        fresh = Segment(self.pool, self.path, offset)
        self.pool.file(fresh.path(), create=True)
        self.pool.disk.sync_dir(self.path)  # Its name says where the log ends; checkpoints will.
        self.segments = [fresh]
        self.size = 0
        self.start = self.recovery_point = offset
        self.epochs = EpochHistory()
        self.dirty_epochs = self.dirty_names = True
        self._ended()

    def _note_cut(self, offset: int) -> None:
        self.as_closed = False
        self._cut_count += 1
        self._cuts.append(offset)
        if self.copied is not None:
            self.copied = (self.copied[0], min(offset, self.copied[1]))

    @property
    def cut_stamp(self) -> CutStamp:
        """How often this log has been cut."""
        return CutStamp(self.path, self._load, self._cut_count)

    def lowest_cut_since(self, stamp: CutStamp) -> int | None:
        """The lowest offset that a cut since `stamp` went back to; the end where none did.

        None where the stamp is of another log, or of another opening of this one.
        """
        if stamp[:2] != self.cut_stamp[:2]:
            return None
        later = self._cut_count - stamp.times
        if later > len(self._cuts):
            return 0  # Too long ago to tell.
        return min([self.end, *list(self._cuts)[len(self._cuts) - later :]])

    @property
    def confirmed(self) -> int:
        """Up to where the log's bytes are beyond doubt: its end, unless it is being copied."""
        return self.end if self.copied is None else self.copied[1]

    # --- shorten ------------------------------------------------------------------------------

    def move_start(self, offset: int) -> LogStart:
        """Raise the start; whole segments below it go."""
        if offset > self.start:
            self.start = min(offset, self.end)
            if self.epochs.truncate_start(self.start):
                self.dirty_epochs = True
        while len(self.segments) > 1 and self.segments[1].base <= self.start:
            self._remove_first()
        self.snapshots.prune([segment.base for segment in self.segments])
        return LogStart(self.start, self.size)

    def _remove_first(self) -> None:
        first = self.segments.pop(0)
        # A future log's name will change: nobody would find what is set aside there.
        (first.files.remove if self.key.future else first.files.set_aside)()
        self.size -= first.size
        self._places.clear()

    def retain(self, ms: int, most: int, limit: int, now_ms: int) -> LogStart:
        """Delete the oldest segments: too old, or too much in front of the rest (-1: never)."""
        start, rest = self.start, self.size
        ends = [*(segment.base for segment in self.segments[1:]), self.end]
        for segment, end in zip(self.segments, ends, strict=True):
            if (segment is self.active and not segment.size) or end > limit:
                break
            too_old = 0 <= ms < now_ms - segment.newest_ms() if ms >= 0 else False
            too_much = 0 <= most <= rest - segment.size
            if not (too_old or too_much or end <= start):
                break
            start = max(start, end)
            rest -= segment.size
        if start >= self.active.end and self.active.size:
            self.roll(now_ms)
        return self.move_start(start)

    # --- durability ---------------------------------------------------------------------------

    def sync_sealed(self, waited: int = 0) -> None:
        """Put sealed segments on the medium that have waited for so many checkpoints.

        The recovery point moves to the first that has not.
        """
        done = False
        for segment in self.segments[:-1]:
            if not segment.synced:
                if segment.waited < waited:
                    break
                segment.sync(indexes=True)
                done = True
        if done:
            self.write_epochs()
            self.pool.disk.sync_dir(self.path)
            reached = next((s.base for s in self.segments if not s.synced), self.active.base)
            self.recovery_point = max(self.recovery_point, min(reached, self.confirmed))

    def count_checkpoint(self) -> bool:
        """Let sealed segments grow older; whether one has waited for its sync long enough.

        By then the kernel has written it by itself, and the sync keeps nobody waiting.
        """
        due = False
        for at in range(len(self.segments) - 2, -1, -1):
            segment = self.segments[at]
            if segment.synced:
                break
            segment.waited += 1
            due = segment.waited >= SYNC_AFTER_CHECKPOINTS
        return due

    def sync(self) -> None:
        """Put all on the medium that was appended; the recovery point moves to the end."""
        self.sync_sealed()
        if not self.active.synced:
            self.active.sync()
        self.write_epochs()
        if self.dirty_names:
            self.pool.disk.sync_dir(self.path)
            self.dirty_names = False
        self.recovery_point = self.confirmed

    def write_epochs(self) -> None:
        """Write `leader-epoch-checkpoint` if it is not what it should be."""
        if self.dirty_epochs:
            data = checkpoints.encode_epochs(self.epochs.entries)
            files.replace(self.pool.disk, f"{self.path}/{layout.LEADER_EPOCHS}", data)
            self.dirty_epochs = False

    def tidy(self) -> None:
        """Remove segments and snapshots that are not this log's: what a copy brought in vain."""
        ours = {segment.base for segment in self.segments}
        for name in self.pool.disk.list(self.path):
            parsed = layout.parse_segment_file(name)
            snapshot = layout.parse_snapshot(name)
            if (parsed is not None and parsed.offset not in ours) or (
                snapshot is not None and snapshot not in self.snapshots.offsets
            ):
                files.remove_if_there(self.pool.disk, f"{self.path}/{name}")
                self.dirty_names = True
        active = self.active
        if active.file().size() != active.size:
            active.file().truncate(active.size)
            active.synced = False

    def close(self) -> None:
        """Make all durable and exact, as a clean shutdown promises, and let go of the files."""
        if self.as_closed and not self.dirty_epochs:
            self.let_go()
            return
        self.tidy()
        # A clean log is not looked at again when it is opened: no doubtful bytes may stay.
        self.truncate(self.confirmed)
        active = self.active
        self.snapshots.write(self.end, self.producers)
        self.snapshots.prune([segment.base for segment in self.segments])
        active.indexes.write(active.latest)
        self.dirty_names = True
        active.sync(indexes=True)
        self.sync()
        self.let_go()

    def let_go(self) -> None:
        """Close the files without writing."""
        self._places.clear()
        self.pool.drop_under(self.path)

    def moved(self, path: str, key: LogKey) -> None:
        """Its directory has been renamed."""
        self.let_go()
        self.path = self.snapshots.directory = path
        self.key = key
        for segment in self.segments:
            segment.files.directory = path
