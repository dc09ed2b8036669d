"""Opening a log: from the files in its directory to a `UnifiedLog`, repaired where it has to be.

After a clean shutdown files are trusted. Otherwise every segment from the recovery point on is
scanned with CRC, and indexes and epochs are rebuilt (`segment_recovery`). The loader looks at all
of it first, then decides: an incomplete batch at the very end is cut; damage with good batches
behind it, or a log that was longer before, is Corrupt, and no byte is touched. Corrupt means that
this one log is no good; OSError that the disk is not. Called by `log_manager` and `opening`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spindle.model.batches import OFFSET_MAX
from spindle.model.errors import Corrupt
from spindle.model.ids import TopicId
from spindle.model.log_values import LogKey
from spindle.model.offsets import EpochHistory, EpochStart
from spindle.storage import checkpoints, files, layout, leftovers, scan, unbroken
from spindle.storage.behind import Behind, look
from spindle.storage.gaps import Gaps
from spindle.storage.leader_epoch_file_cache import LeaderEpochFileCache
from spindle.storage.local_log import LocalLog
from spindle.storage.pool import Pool
from spindle.storage.producer_snapshots import ProducerSnapshots
from spindle.storage.segment import Segment
from spindle.storage.segment_recovery import SegmentRecovery, note_epoch
from spindle.storage.unified_log import UnifiedLog


@dataclass(slots=True)
class KnownBounds:
    """What is known of a log before it is looked at; 0 where nothing is.

    `reached`: where it ended at least, or was the high watermark: if it ends before that, records
    are lost. `whole`: all of it is read, and nothing may be wrong or cut. `holes`: offsets may be
    missing between segments, for the loss was accepted. `compacted`: it was cleaned before.
    """

    recovery_point: int = 0
    start: int = 0
    clean: bool = False
    reached: int = 0
    whole: bool = False
    holes: bool = False
    compacted: bool = False


class _Stop(NamedTuple):
    """Where the good part of a log ends although there is more.

    `segment`: the one that is not whole, if that is why, with its bytes. `later`: the bases of
    those behind it. `proven`: all up to there was on the medium, or nothing may be wrong.
    """

    segment: Segment | None
    size: int
    later: list[int]
    why: str
    proven: bool


def load_log(
    pool: Pool,
    path: str,
    key: LogKey,
    bounds: KnownBounds,
    warnings: list[str],
    topic_id: TopicId | None = None,
) -> UnifiedLog:
    """Open the log in `path`. `warnings` gets what was repaired. Corrupt, OSError.

    After Corrupt no record of the log has been touched.
    """
    names = leftovers.clear(pool.disk, path, warnings)
    return _LogLoader(pool, path, key, bounds, warnings, names).load(topic_id)


class _LogLoader:
    """A log on its way to be opened.

    `gaps`: which offsets may be missing; `strict`: nothing good may be cut; `behind`: what is good
    behind the place where the log must be cut.
    """

    def __init__(
        self,
        pool: Pool,
        path: str,
        key: LogKey,
        bounds: KnownBounds,
        warnings: list[str],
        names: list[str],
    ) -> None:
        self.pool = pool
        self.path = path
        self.key = key
        self.bounds = bounds
        self.warnings = warnings
        self.names = names
        self.strict = not key.future and not layout.is_metadata(key)
        marked = None if layout.is_metadata(key) else unbroken.find(names)
        allowed_to = bounds.recovery_point if marked is None else marked
        unmarked = self.strict and marked is None
        self.gaps = Gaps(allowed_to, unmarked, bounds.compacted, bounds.holes)
        snapshots = [o for o in map(layout.parse_snapshot, names) if o is not None]
        self.producers = ProducerSnapshots(pool.disk, path, snapshots)
        self.segments: list[Segment] = []
        self.recovery = SegmentRecovery(
            self.segments, self.producers, self.gaps, self.warn, whole=bounds.whole
        )
        self.behind = Behind()

    def load(self, topic_id: TopicId | None) -> UnifiedLog:
        """Find, check and repair all of it."""
        self._load_segments()
        if topic_id is None:
            topic_id = self._topic_id()
        local = LocalLog(self.pool, self.path, self.key, self.segments)
        log = UnifiedLog(local, topic_id, self.producers)
        self._set_start(log)
        self._set_epochs(log)
        if self.producers.truncate(log.end):
            self.pool.disk.sync_dir(self.path)
        self.producers.load(log.segments, log.end)
        bounds = self.bounds
        log.recovery_point = log.end if bounds.clean else min(bounds.recovery_point, log.end)
        local.dirty_names = not bounds.clean
        log.as_closed = bounds.clean and all(s.synced for s in log.segments if s.size)
        log.unbroken = unbroken.find(self.names)
        if self.strict and not bounds.holes:
            self._mark(log)
        elif not layout.is_metadata(self.key):
            unbroken.remember(log)
            unbroken.lower(log)
        return log

    def warn(self, text: str) -> None:
        """Say what was repaired."""
        self.warnings.append(f"{self.path}: {text}")

    def _mark(self, log: UnifiedLog) -> None:
        """Have the log's mark say what was found; report gaps that may be losses."""
        for start, end in self.gaps.doubtful:
            self.warn(
                f"offsets {start} to {end - 1} are missing before segment {end}: Apache Kafka's "
                "compaction may have left that, or a power cut has taken them; all else is kept"
            )
        unbroken.remember(log, self.gaps.doubtful)
        if self.gaps.doubtful:
            log.sync()
        if log.unbroken is None:
            unbroken.begin(log, log.recovery_point)
        unbroken.lower(log)

    def _topic_id(self) -> TopicId | None:
        path = f"{self.path}/{layout.PARTITION_METADATA}"
        data = files.read_whole(self.pool.disk, path)
        if data is None:
            return None
        try:
            return checkpoints.decode_topic_id(data)
        except Corrupt as bad:
            if any(segment.size for segment in self.segments) or self.bounds.clean:
                raise Corrupt(f"{layout.PARTITION_METADATA}: {bad}") from None
        # Torn by a crash while the log was being made: it never held a record.
        self.warn(f"{layout.PARTITION_METADATA} is incomplete; the log is empty")
        files.remove_if_there(self.pool.disk, path)
        return None

    # --- segments ---------------------------------------------------------------------------------

    def _load_segments(self) -> None:
        """Find and, if need be, repair the segments; make the first one where there is none.

        The loader looks at all of them first and decides whether the log is good. It changes a file
        only after that.
        """
        disk = self.pool.disk
        parsed = [p for p in map(layout.parse_segment_file, self.names) if p is not None]
        bases = sorted(p.offset for p in parsed if p.kind == layout.LOG)
        if bases and bases[-1] > OFFSET_MAX:
            raise Corrupt(f"{layout.segment_file(bases[-1])} is no name of a segment: move it away")
        orphans = [p for p in parsed if p.offset not in bases]
        for orphan in orphans:
            self._check_missing(bases, orphan.offset, orphan.kind)
        stop = self._look_through(bases, {(p.offset, p.kind) for p in parsed})
        self._decide(stop)
        for orphan in orphans:
            files.remove_if_there(disk, f"{self.path}/{layout.segment_file(*orphan)}")
        if stop is not None:
            self._cut(stop)
        if not self.segments:
            fresh = Segment(self.pool, self.path, 0)
            self.pool.file(fresh.path(), create=True).truncate(0)
            self.segments.append(fresh)
        for segment, later in itertools.pairwise(self.segments):
            if not segment.sealed:
                segment.seal(trusted=later.base < self.bounds.recovery_point)
        self.segments[-1].unseal()

    def _check_missing(self, bases: list[int], offset: int, kind: str) -> None:
        """Corrupt where an index without its records shows that they were removed by hand.

        Spindle removes a segment's records last; a power cut leaves such an index only at the log's
        ends.
        """
        between = bool(bases) and bases[0] < offset < bases[-1]
        if (between or self.bounds.clean) and kind != layout.TXN_INDEX and not self.key.future:
            name = layout.segment_file(offset)
            raise Corrupt(f"{name} is missing: {layout.segment_file(offset, kind)} is there")

    def _look_through(self, bases: list[int], kinds: set[tuple[int, str]]) -> _Stop | None:
        """Open or scan the segments in order, and change none; where the good ones end."""
        for at, base in enumerate(bases):
            following = bases[at + 1] if at + 1 < len(bases) else None
            segment = Segment(self.pool, self.path, base)
            gap = None
            if self.segments and not self.bounds.clean:
                gap = self.gaps.why_not(self.segments[-1], segment)
            if gap is not None:
                return _Stop(None, 0, bases[at:], gap, self.bounds.whole)
            indexed = (base, layout.INDEX) in kinds and (base, layout.TIME_INDEX) in kinds
            stat = self.pool.disk.stat(segment.path())
            size = stat.size if stat is not None else 0
            trusted = self.bounds.clean or (
                following is not None and following < self.bounds.recovery_point
            )
            why = self.recovery.open(segment, size, following, indexed=indexed, trusted=trusted)
            self.segments.append(segment)
            if why is not None:
                proven = trusted or self.bounds.whole
                return _Stop(segment, size, bases[at + 1 :], why, proven)
        return None

    def _decide(self, stop: _Stop | None) -> None:
        """Corrupt where the log is damaged. Then nothing has been changed, and nothing will be.

        A crash may leave half a batch at the log's end, never acknowledged: it may be cut. Where
        good batches follow, or the log was longer before, a cut would lose records (B-28, B-31). A
        future log has its source, and the metadata log the other voters.
        """
        end = self.segments[-1].end if self.segments else 0
        short = end < self.bounds.reached
        if stop is None:
            if short:
                raise Corrupt(self._short(end))
            return
        self.behind = self._look_behind(stop, end)
        if stop.proven or short or (self.strict and self.behind.batches):
            what = "it" if stop.segment is None else f"segment {stop.segment.base}"
            more = f"; {self._short(end)}" if short else ""
            raise Corrupt(f"{what} is damaged: {stop.why}; {self.behind}{more}")

    def _short(self, end: int) -> str:
        return f"it ends at {end}, and had reached {self.bounds.reached}"

    def _look_behind(self, stop: _Stop, offset: int) -> Behind:
        """What is good behind the place where the good part ends."""
        behind = Behind()
        if stop.segment is not None:
            file = stop.segment.file()
            offset = look(file, stop.segment.size, stop.size, offset, behind)
        for base in stop.later:
            file = self.pool.file(f"{self.path}/{layout.segment_file(base)}")
            offset = max(offset, look(file, 0, file.size(), max(base, offset), behind))
        return behind

    def _cut(self, stop: _Stop) -> None:
        """Cut what follows the good part. Of the metadata log what is good of it is set aside.

        From the end: what a power cut leaves of that has no hole, and the next start cuts it again.
        """
        for base in reversed(stop.later):
            segment = Segment(self.pool, self.path, base)
            stat = self.pool.disk.stat(segment.path())
            if stat is not None and not stat.size and not self.key.future:
                self.warn(f"segment {base} dropped: it is empty, and {stop.why}")
            elif stat is not None and stat.size:
                if self.behind.batches and not self.key.future:
                    self._keep_aside(base, 0)
                self.warn(f"segment {base} dropped: {stat.size} bytes behind the end of the log")
            segment.files.remove()
        if stop.later:
            self.pool.disk.sync_dir(self.path)
        if stop.segment is not None:
            segment = stop.segment
            if self.behind.batches and not self.key.future:
                self._keep_aside(segment.base, segment.size)
            lost = stop.size - segment.size
            self.warn(
                f"segment {segment.base} cut from {stop.size} to {segment.size} bytes: {stop.why}; "
                f"{lost} bytes of no whole batch are gone"
                if not self.behind.batches
                else f"segment {segment.base} cut from {stop.size} to {segment.size} bytes: "
                f"{stop.why}; {self.behind}"
            )
            file = segment.file()
            file.truncate(segment.size)
            file.sync()

    def _keep_aside(self, base: int, position: int) -> None:
        """Copy a segment's bytes from a position on into a file beside, which no start looks at."""
        source = self.pool.file(f"{self.path}/{layout.segment_file(base)}")
        name = f"{layout.segment_file(base)}.{position}{layout.CUT}"
        target = self.pool.disk.open(f"{self.path}/{name}", create=True)
        try:
            target.truncate(0)
            at, size = position, source.size()
            while at < size:
                data = source.read(at, scan.SCAN_WINDOW)
                target.write(at - position, [data])
                at += len(data)
            target.sync()
        finally:
            target.close()
        self.pool.disk.sync_dir(self.path)
        self.warn(f"{at - position} bytes that are cut from segment {base} are kept in {name}")

    # --- what stands beside the records -----------------------------------------------------------

    def _set_start(self, log: UnifiedLog) -> None:
        """Take the start from the checkpoint; one beyond the log's end is wrong, not the log."""
        start = max(self.bounds.start, log.segments[0].base)
        if start > log.end:
            start = log.segments[0].base
            self.warn(
                f"{layout.LOG_STARTS} says {self.bounds.start}, but the log ends at {log.end}: the "
                f"log is kept, and begins at {start}"
            )
        log.start = start

    def _set_epochs(self, log: UnifiedLog) -> None:
        """Read the epochs' file; rebuild what was scanned, or all of it where it is damaged."""
        history = self._read_epochs(log)
        scanned_from = self.recovery.recovered_from
        is_dirty = history is None
        if history is None:
            history = _epochs_of(log.segments)
        elif scanned_from is not None:
            before = history.entries
            history.truncate_end(scanned_from)
            for epoch, begin in self.recovery.epochs.entries:
                if epoch > history.latest:
                    history.assign(epoch, begin)
            is_dirty = history.entries != before
        older = _older_epochs(log, history.entries)
        if older:
            newer = (e for e in history.entries if e.epoch > older[-1].epoch)
            history, is_dirty = EpochHistory([*older, *newer]), True
        log.epochs = LeaderEpochFileCache(history, is_dirty=is_dirty)
        log.epochs.truncate_end(log.end)
        log.epochs.truncate_start(log.start)

    def _read_epochs(self, log: UnifiedLog) -> EpochHistory | None:
        """What the epochs' file says; None where it is missing, damaged or wrong."""
        data = files.read_whole(self.pool.disk, f"{self.path}/{layout.LEADER_EPOCHS}")
        if not data:
            return None
        try:
            history = EpochHistory(checkpoints.decode_epochs(data))
        except Corrupt as bad:
            self.warn(f"{layout.LEADER_EPOCHS} is rebuilt: {bad}")
            return None
        # It may lack the newest ones after a crash; then they come from what was scanned.
        known, scanned_from = EpochHistory(history.entries), self.recovery.recovered_from
        known.truncate_end(log.end if scanned_from is None else scanned_from)
        if 0 <= self.recovery.tail_epoch < known.latest:
            self.warn(
                f"{layout.LEADER_EPOCHS} is rebuilt: its last epoch is {history.latest}, that of "
                f"the last batch {self.recovery.tail_epoch}"
            )
            return None
        return history


def _epochs_of(segments: Sequence[Segment]) -> EpochHistory:
    history = EpochHistory()
    for segment in segments:
        for header in segment.headers():
            note_epoch(history, header)
    return history


def _older_epochs(log: UnifiedLog, known: tuple[EpochStart, ...]) -> tuple[EpochStart, ...]:
    """The epochs before the first one known: the log's start may have gone back in a crash."""
    if not known or known[0].start <= log.start:
        return ()
    older = EpochHistory()
    for segment in log.segments:
        for header in segment.headers(log.start):
            if header.base_offset >= known[0].start:
                break
            note_epoch(older, header)
        if segment.end >= known[0].start:
            break
    return older.entries
