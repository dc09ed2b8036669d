"""Opening a log: from the files in its directory to a `Log`, repaired where it has to be.

After a clean shutdown files are trusted. Otherwise every segment from the recovery point on is
scanned with CRC, its torn tail cut, segments behind a tear or a hole dropped, indexes and epochs
rebuilt. Corrupt means that this one log is no good; OSError that the disk is not.
Called by `directory`.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from spindle.model.errors import Corrupt
from spindle.model.ids import TopicId
from spindle.model.jobs import LogSettings
from spindle.model.logs import LogKey
from spindle.model.offsets import EpochHistory
from spindle.storage import checkpoints, files, layout, leftovers, scan
from spindle.storage.index import TimeEntry
from spindle.storage.log import Log
from spindle.storage.pool import Pool
from spindle.storage.producers import Producers
from spindle.storage.segment import NO_TIME, Segment
from spindle.storage.snapshots import Snapshots
from spindle.storage.transactions import read_marker

_INTERVAL = LogSettings().index_interval_bytes


@dataclass(slots=True)
class Bounds:
    """What checkpoints of the directory say of a log; 0 where they say nothing."""

    recovery_point: int = 0
    start: int = 0
    clean: bool = False


@dataclass(slots=True)
class _Found:
    """A log on its way to be opened.

    `recovered_from`: the base of the first segment from which on all were scanned; `epochs` and
    `producers`: what their scan saw, and those before; `gapped`: offsets are missing between
    batches, as compaction leaves them.
    """

    pool: Pool
    path: str
    bounds: Bounds
    warnings: list[str]
    future: bool
    snapshots: Snapshots
    segments: list[Segment] = field(default_factory=list)
    recovered_from: int | None = None
    epochs: EpochHistory = field(default_factory=EpochHistory)
    producers: Producers = field(default_factory=Producers)
    last_epoch: int = -1
    gapped: bool = False

    def warn(self, text: str) -> None:
        self.warnings.append(f"{self.path}: {text}")


def load_log(
    pool: Pool,
    path: str,
    key: LogKey,
    bounds: Bounds,
    warnings: list[str],
    topic_id: TopicId | None = None,
) -> Log:
    """Open the log in `path`. What was repaired is told in `warnings`. Corrupt, OSError."""
    names = leftovers.clear(pool.disk, path, warnings)
    offsets = [o for o in map(layout.parse_snapshot, names) if o is not None]
    snapshots = Snapshots(pool.disk, path, offsets)
    found = _Found(pool, path, bounds, warnings, key.future, snapshots)
    _load_segments(found, names)
    if topic_id is None:
        topic_id = _topic_id(found)
    log = Log(pool, path, key, topic_id, found.segments, snapshots)
    _set_start(found, log)
    _set_epochs(found, log)
    if snapshots.truncate(log.end):
        pool.disk.sync_dir(path)
    log.producers = snapshots.load(log.segments, log.end)
    log.recovery_point = log.end if bounds.clean else min(bounds.recovery_point, log.end)
    log.dirty_names = not bounds.clean
    log.as_closed = bounds.clean and all(s.synced for s in log.segments if s.size)
    return log


def _topic_id(found: _Found) -> TopicId | None:
    path = f"{found.path}/{layout.PARTITION_METADATA}"
    data = files.read_whole(found.pool.disk, path)
    if data is None:
        return None
    try:
        return checkpoints.decode_topic_id(data)
    except Corrupt as bad:
        if any(segment.size for segment in found.segments) or found.bounds.clean:
            raise Corrupt(f"{layout.PARTITION_METADATA}: {bad}") from None
    # Torn by a crash while the log was being made: it never held a record.
    found.warn(f"{layout.PARTITION_METADATA} is incomplete; the log is empty")
    files.remove_if_there(found.pool.disk, path)
    return None


# --- segments ----------------------------------------------------------------------------------


def _load_segments(found: _Found, names: list[str]) -> None:
    """Find and, if need be, repair the segments; make the first one where there is none."""
    disk = found.pool.disk
    parsed = [p for p in map(layout.parse_segment_file, names) if p is not None]
    bases = sorted(p.offset for p in parsed if p.kind == layout.LOG)
    for offset, kind in parsed:
        if offset not in bases:
            _check_missing(found, bases, offset, kind)
            files.remove_if_there(disk, f"{found.path}/{layout.segment_file(offset, kind)}")
    kinds = {(p.offset, p.kind) for p in parsed}
    for at, base in enumerate(bases):
        following = bases[at + 1] if at + 1 < len(bases) else None
        segment = Segment(found.pool, found.path, base)
        if not _follows(found, segment):
            _drop_from(found, bases[at:])
            break
        indexed = (base, layout.INDEX) in kinds and (base, layout.TIME_INDEX) in kinds
        whole = _open_segment(found, segment, following, indexed)
        found.segments.append(segment)
        if not whole and following is not None:
            _drop_from(found, bases[at + 1 :])
            break
    if not found.segments:
        fresh = Segment(found.pool, found.path, 0)
        found.pool.file(fresh.path(), create=True).truncate(0)
        found.segments.append(fresh)
    for segment, later in itertools.pairwise(found.segments):
        if not segment.sealed:
            segment.seal()
            if later.base < found.bounds.recovery_point:
                segment.sync(indexes=True)  # The next start will trust it.
    found.segments[-1].unseal()


def _check_missing(found: _Found, bases: list[int], offset: int, kind: str) -> None:
    """Corrupt where an index without its records tells that somebody has removed them.

    Records go last when a segment is removed; what a power cut leaves of that is at the log's ends.
    """
    between = bool(bases) and bases[0] < offset < bases[-1]
    if (between or found.bounds.clean) and kind != layout.TXN_INDEX and not found.future:
        name = layout.segment_file(offset)
        raise Corrupt(f"{name} is missing: {layout.segment_file(offset, kind)} is there")


def _follows(found: _Found, segment: Segment) -> bool:
    """Whether a segment may stand behind those before it.

    After a power cut a later segment may have survived while the end of the one before did not. A
    hole is well only where it lies before the recovery point, or in a log that was compacted.
    """
    if not found.segments or found.bounds.clean:
        return True
    before = found.segments[-1]
    if segment.base < before.end:
        return False
    if segment.base == before.end or segment.base <= found.bounds.recovery_point:
        return True
    # A future log never needs the benefit of the doubt: it is copied again from there.
    return found.gapped and not found.future


def _drop_from(found: _Found, bases: list[int]) -> None:
    for base in reversed(bases):
        segment = Segment(found.pool, found.path, base)
        stat = found.pool.disk.stat(segment.path())
        if stat is not None and stat.size:
            found.warn(f"segment {base} dropped: {stat.size} bytes behind the end of the log")
        segment.remove()
    found.pool.disk.sync_dir(found.path)


def _open_segment(found: _Found, segment: Segment, following: int | None, indexed: bool) -> bool:
    """Open or recover one segment; whether all of its bytes are good.

    A recovery point beyond the next segment's base says that this one was synced after it had been
    sealed, indexes included; at the base itself it may be from before.
    """
    trusted = found.bounds.clean or (
        following is not None and following < found.bounds.recovery_point
    )
    stat = found.pool.disk.stat(segment.path())
    size = stat.size if stat is not None else 0
    if trusted and (indexed or size == 0):
        try:
            _trust(segment, size, following)
        except Corrupt as bad:
            found.warn(f"segment {segment.base} is scanned anew: {bad}")
        else:
            # Of all before the recovery point the epochs' file tells, wherever we had to scan.
            found.recovered_from = None
            found.epochs = EpochHistory()
            found.last_epoch = -1
            return True
    whole = _recover(found, segment, size, cut=not trusted)
    if trusted and segment.is_short_of(following):
        raise Corrupt(f"segment {segment.base} ends at {segment.end}: its indexes tell of more")
    return whole


def _trust(segment: Segment, size: int, following: int | None) -> None:
    """Take a segment as its files say; Corrupt where they contradict each other."""
    if size == 0 and segment.last_position() < 0:
        return
    segment.sealed_at(size, segment.base, NO_TIME)
    latest = segment.last_time()
    if following is not None:
        # The last batches show whether the file has its end.
        last = max(0, segment.last_position())
        if last >= size:
            raise Corrupt(f"its index tells of a batch at {last}, but it has {size} bytes")
        for _ in scan.walk(segment.file(), last, size):
            pass
        segment.sealed_at(size, following, latest)
        return
    end = segment.base
    for header in scan.walk_headers(segment.file(), segment.index.last_position(), size):
        end = header.last_offset + 1
        if header.max_timestamp > latest.timestamp:
            latest = TimeEntry(header.max_timestamp, header.last_offset)
    segment.sealed_at(size, end, latest)


def _recover(found: _Found, segment: Segment, size: int, *, cut: bool) -> bool:
    """Scan a segment byte by byte and rebuild its indexes; cut it at the first bad batch.

    Without `cut` that is Corrupt: the segment was on the medium whole, so that a bad batch is no
    torn end but damage, and what stands behind it must not be thrown away (B-28).
    """
    if found.recovered_from is None:
        found.recovered_from = segment.base
        found.producers = found.snapshots.before(found.segments, segment.base)
    segment.begin()
    try:
        for header in scan.scan(segment.file(), 0, size, segment.base):
            if header.leader_epoch < found.last_epoch:
                # Whole, but of another history: what a copy brought in vain, left by a crash.
                raise Corrupt(f"epoch {header.leader_epoch} after epoch {found.last_epoch}")
            found.last_epoch = header.leader_epoch
            found.gapped = found.gapped or header.base_offset > segment.end > segment.base
            segment.note(header, _INTERVAL)
            _note_epoch(found.epochs, header)
            if header.producer_id >= 0:
                _note_producer(found, segment, header)
    except Corrupt as bad:
        if not cut:
            raise Corrupt(f"segment {segment.base} is damaged: {bad}") from None
        found.warn(f"segment {segment.base} cut from {size} to {segment.size} bytes: {bad}")
        file = segment.file()
        file.truncate(segment.size)
        file.sync()
        return False
    return True


def _note_producer(found: _Found, segment: Segment, header: scan.Header) -> None:
    aborted = found.producers.note(header, read_marker(segment.file(), header))
    if aborted is not None:
        segment.note_aborted(aborted)


# --- what stands beside the records --------------------------------------------------------------


def _set_start(found: _Found, log: Log) -> None:
    start = max(found.bounds.start, log.segments[0].base)
    if start > log.end:
        found.warn(f"the log ends at {log.end}, before its start {start}: begun again there")
        log.reset(start)
    log.start = start


def _set_epochs(found: _Found, log: Log) -> None:
    """Read the epochs' history; rebuild what recovery scanned, or all of it if it is damaged."""
    data = files.read_whole(found.pool.disk, f"{found.path}/{layout.LEADER_EPOCHS}")
    history: EpochHistory | None = None
    if data:
        try:
            history = EpochHistory(checkpoints.decode_epochs(data))
        except Corrupt as bad:
            found.warn(f"{layout.LEADER_EPOCHS} is rebuilt: {bad}")
    if history is None:
        history = EpochHistory()
        for segment in log.segments:
            for header in segment.headers():
                _note_epoch(history, header)
        log.dirty_epochs = True
    elif found.recovered_from is not None:
        before = history.entries
        history.truncate_end(found.recovered_from)
        for epoch, begin in found.epochs.entries:
            if epoch > history.latest:
                history.assign(epoch, begin)
        log.dirty_epochs = history.entries != before
    history = _with_older(log, history)
    cut_end = history.truncate_end(log.end)
    cut_start = history.truncate_start(log.start)
    log.dirty_epochs = log.dirty_epochs or cut_end or cut_start
    log.epochs = history


def _with_older(log: Log, history: EpochHistory) -> EpochHistory:
    """Add the epochs before the first one known: the log's start may have gone back in a crash."""
    known = history.entries
    if not known or known[0].start <= log.start:
        return history
    older = EpochHistory()
    for segment in log.segments:
        for header in segment.headers(log.start):
            if header.base_offset >= known[0].start:
                break
            _note_epoch(older, header)
        if segment.end >= known[0].start:
            break
    entries = [*older.entries, *(e for e in known if e.epoch > older.latest)]
    log.dirty_epochs = log.dirty_epochs or bool(older.entries)
    return EpochHistory(entries)


def _note_epoch(history: EpochHistory, header: scan.Header) -> None:
    if header.leader_epoch > history.latest:
        history.assign(header.leader_epoch, header.base_offset)
