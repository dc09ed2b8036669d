"""A partition's log on disk: append, cut, shorten, make durable, close (Kafka's UnifiedLog).

All of it runs on its directory's thread. Errors: OSError (the disk), Corrupt (this log); the
directory turns them into failures. Keeps leader epochs and producers in step with the records,
whose files are `local_log`'s. `log_loader` opens one, `reading` reads, `lookup` finds by time.
Called by `directory`, `log_loader` and `copy`.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from spindle.model.batches import RecordBatch
from spindle.model.copying_jobs import CutStamp
from spindle.model.ids import TopicId
from spindle.model.jobs import Appended, LogStart, ReadResult
from spindle.model.log_values import LoadedLog, LogKey
from spindle.storage import files, layout
from spindle.storage.leader_epoch_file_cache import LeaderEpochFileCache
from spindle.storage.local_log import LocalLog
from spindle.storage.pool import Pool
from spindle.storage.producer_snapshots import ProducerSnapshots
from spindle.storage.segment import Segment
from spindle.wire.control import marker_of

CUTS_MAX: Final = 256
"""Cuts that are remembered for copies under way; a copy that missed more begins again."""


class CutHistory:
    """Where a log was cut back to, for the moves that copy it meanwhile."""

    __slots__ = ("_count", "_cuts", "_load", "path")

    def __init__(self, path: str, load: int) -> None:
        self.path = path
        self._load = load
        self._count = 0
        self._cuts: deque[int] = deque(maxlen=CUTS_MAX)

    @property
    def stamp(self) -> CutStamp:
        """How often the log has been cut."""
        return CutStamp(self.path, self._load, self._count)

    def note(self, offset: int) -> None:
        """The log was cut back to `offset`."""
        self._count += 1
        self._cuts.append(offset)

    def lowest_since(self, stamp: CutStamp, end: int) -> int | None:
        """The lowest offset that a cut since `stamp` went back to; the log's `end` without one.

        None where the stamp is of another log, or of another opening of this one.
        """
        if stamp[:2] != self.stamp[:2]:
            return None
        later = self._count - stamp.times
        if later > len(self._cuts):
            return 0  # Too long ago: the cuts since then are forgotten.
        return min([end, *list(self._cuts)[len(self._cuts) - later :]])


class UnifiedLog:
    """A log.

    `recovery_point`: all before it is on the medium. `start`: the first readable offset.
    `copied`: of a future log that is being copied, which cuts of the source are known, and up to
    where its bytes are confirmed (see `CopyMark`); the rest does not count as durable.
    `as_closed`: it is as a clean shutdown left it; each change of it says that it is not.
    `unbroken`: its mark, see there (None: it has none). `doubtful`: gaps before that, maybe losses.
    """

    def __init__(
        self, local: LocalLog, topic_id: TopicId | None, producers: ProducerSnapshots
    ) -> None:
        self.local = local
        self.topic_id = topic_id
        self.start = local.segments[0].base
        self.epochs = LeaderEpochFileCache()
        self.producers = producers
        self.recovery_point = self.start
        self.copied: tuple[CutStamp, int] | None = None
        self.cuts = CutHistory(local.path, local.pool.next_load())
        self.as_closed = False
        self.unbroken: int | None = None
        self.doubtful: tuple[tuple[int, int], ...] = ()

    @property
    def pool(self) -> Pool:
        """The open files of its directory."""
        return self.local.pool

    @property
    def path(self) -> str:
        """Where its directory lies."""
        return self.local.path

    @property
    def key(self) -> LogKey:
        """Whose log it is, and whether it is a future one."""
        return self.local.key

    @property
    def segments(self) -> list[Segment]:
        """Its segments, ascending; the last one is active."""
        return self.local.segments

    @property
    def active(self) -> Segment:
        """The segment that appends go to."""
        return self.local.segments[-1]

    @property
    def end(self) -> int:
        """The offset after its last record."""
        return self.local.end

    @property
    def size(self) -> int:
        """Bytes of its records."""
        return self.local.size

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
            self.producers.state.recent,
            max(segment.latest.timestamp for segment in self.segments),
            doubtful=self.doubtful,
        )

    def append(self, batches: list[RecordBatch], now_ms: int) -> Appended:
        """Write batches at their offsets. All or nothing of a run that fits one segment."""
        local = self.local
        assert batches
        assert batches[0].base_offset >= local.end, f"{self.key}: {batches[0].base_offset} again"
        run: list[RecordBatch] = []
        size = 0
        for batch in batches:
            if run and size + batch.size > local.settings.segment_bytes:
                self._append(run, size, now_ms)
                run, size = [], 0
            run.append(batch)
            size += batch.size
        self._append(run, size, now_ms)
        return Appended(local.end, local.size)

    def _append(self, run: list[RecordBatch], size: int, now_ms: int) -> None:
        local, epochs = self.local, self.epochs
        local.mend()
        if local.must_roll(run, size, now_ms):
            self.roll(now_ms)
        self.as_closed = False
        local.write(run, size, now_ms)
        for batch in run:
            if batch.leader_epoch > epochs.history.latest:
                epochs.assign(batch.leader_epoch, batch.base_offset)
            if batch.producer_id >= 0:
                marker = marker_of(batch) if batch.is_control else None
                aborted = self.producers.state.note(batch, marker)
                if aborted is not None:
                    local.active.indexes.note_aborted(aborted)

    def roll(self, now_ms: int, end: int = 0) -> None:
        """Seal the active segment; begin one at the log's end, or at `end`, behind a leap."""
        local = self.local
        self.producers.state.expire(now_ms - local.settings.producer_ms)
        local.end = max(local.end, end)
        self.producers.take_snapshot(local.end)
        self.as_closed = False
        local.begin_segment(local.end)
        local.active.created_ms = now_ms

    def read(
        self, offset: int, limit: int, most: int, at_least_one: bool, committed: bool = False
    ) -> ReadResult:
        """Whole batches from the one that holds `offset`, of one segment, none past `limit`.

        `committed`: with the aborted transactions among them.
        """
        return self.local.read(self.start, offset, limit, most, at_least_one, committed)

    def truncate(self, offset: int) -> None:
        """Cut the end back to `offset`.

        The recovery point on disk must have been lowered to the `floor` of it before.
        """
        if offset >= self.end:
            return
        if offset <= self.segments[0].base:
            self.reset(offset)
            return
        self._note_cut(offset)
        self.producers.truncate(self.local.floor(offset))
        self.local.truncate(offset)
        self._ended()

    def reset(self, offset: int) -> None:
        """Throw all records away; begin again at `offset`."""
        self._note_cut(min(offset, self.segments[0].base))
        self.producers.truncate(-1)
        self.local.reset(offset)
        self.start = self.recovery_point = offset
        self.epochs.replace(())
        self._ended()

    def _ended(self) -> None:
        """Bring along what depends on the log's end, after it went back."""
        self.start = min(self.start, self.end)
        self.recovery_point = min(self.recovery_point, self.end)
        self.epochs.truncate_end(self.end)
        self.producers.load(self.segments, self.end)

    def _note_cut(self, offset: int) -> None:
        self.as_closed = False
        self.cuts.note(offset)
        if self.copied is not None:
            self.copied = (self.copied[0], min(offset, self.copied[1]))

    @property
    def confirmed(self) -> int:
        """Up to where the log's bytes are beyond doubt: its end, unless it is being copied."""
        return self.end if self.copied is None else self.copied[1]

    def move_start(self, offset: int) -> LogStart:
        """Raise the start; whole segments below it go."""
        if offset > self.start:
            self.start = min(offset, self.end)
            self.epochs.truncate_start(self.start)
        self.local.remove_before(self.start)
        self.producers.prune([segment.base for segment in self.segments])
        return LogStart(self.start, self.size)

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

    def sync_sealed(self, waited: int = 0) -> None:
        """Put sealed segments on the medium that have waited for so many checkpoints.

        The recovery point moves to the first that has not.
        """
        if self.local.sync_sealed(waited):
            self.epochs.write(self.pool.disk, self.path)
            self.pool.disk.sync_dir(self.path)
            reached = next((s.base for s in self.segments if not s.synced), self.active.base)
            self.recovery_point = max(self.recovery_point, min(reached, self.confirmed))

    def sync(self) -> None:
        """Put all on the medium that was appended; the recovery point moves to the end."""
        self.sync_sealed()
        if not self.active.synced:
            self.active.sync()
        self.local.dirty_names |= self.epochs.is_dirty
        self.epochs.write(self.pool.disk, self.path)
        if self.local.dirty_names:
            self.pool.disk.sync_dir(self.path)
            self.local.dirty_names = False
        self.recovery_point = self.confirmed

    def tidy(self) -> None:
        """Remove segments and snapshots that are not this log's: the rest of an abandoned copy."""
        ours = {segment.base for segment in self.segments}
        for name in self.pool.disk.list(self.path):
            parsed = layout.parse_segment_file(name)
            snapshot = layout.parse_snapshot(name)
            if (parsed is not None and parsed.offset not in ours) or (
                snapshot is not None and snapshot not in self.producers.offsets
            ):
                files.remove_if_there(self.pool.disk, f"{self.path}/{name}")
                self.local.dirty_names = True
        active = self.active
        if active.file().size() != active.size:
            active.file().truncate(active.size)
            active.synced = False

    def close(self) -> None:
        """Make all durable and exact, as a clean shutdown promises, and let go of the files."""
        if self.as_closed and not self.epochs.is_dirty:
            self.local.let_go()
            return
        self.tidy()
        # A clean log is not looked at again when it is opened: no doubtful bytes may stay.
        self.truncate(self.confirmed)
        if self.copied is not None:
            # The source tells of its producers once all is copied; until then they are not known.
            self.producers.load(self.segments, self.end)
        active = self.active
        self.producers.take_snapshot(self.end)
        self.producers.prune([segment.base for segment in self.segments])
        active.indexes.write(active.latest)
        self.local.dirty_names = True
        active.sync(indexes=True)
        self.sync()
        self.local.let_go()

    def moved(self, path: str, key: LogKey) -> None:
        """Its directory has been renamed."""
        self.local.moved(path, key)
        self.producers.directory = self.cuts.path = path
