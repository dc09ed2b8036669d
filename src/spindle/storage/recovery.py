"""Opening a log: from the files in its directory to a `Log`, repaired where it has to be.

After a clean shutdown files are trusted. Otherwise every segment from the recovery point on is
scanned with CRC, and indexes and epochs are rebuilt. First all is looked at, then decided: an
incomplete batch at the very end is cut; damage with good batches behind it, or a log that was
longer before, is Corrupt, and no byte is touched. Corrupt means that this one log is no good;
OSError that the disk is not. Called by `directory` and `opening`.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import NamedTuple

from spindle.model.batches import OFFSET_MAX
from spindle.model.errors import Corrupt
from spindle.model.ids import TopicId
from spindle.model.jobs import LogSettings
from spindle.model.log_values import LogKey
from spindle.model.offsets import EpochHistory
from spindle.storage import checkpoints, files, layout, leftovers, scan, unbroken
from spindle.storage.aborted_transactions import read_marker
from spindle.storage.behind import Behind, look
from spindle.storage.gaps import Gaps
from spindle.storage.index import TimeEntry, relative
from spindle.storage.log import Log
from spindle.storage.pool import Pool
from spindle.storage.producers import LoggedProducers
from spindle.storage.segment import Segment
from spindle.storage.segment_indexes import NO_TIME
from spindle.storage.snapshots import Snapshots

_INTERVAL = LogSettings().index_interval_bytes


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


@dataclass(slots=True)
class _RecoveringLog:
    """A log on its way to be opened.

    `recovered_from`: the base of the first segment from which on all were scanned; `epochs` and
    `producers`: what their scan saw, and those before; `gaps`: which offsets may be missing;
    `strict`: nothing good may be cut; `tail_epoch`: that of the last batch (-1: not known);
    `behind`: what is good behind the place where it must be cut.
    """

    pool: Pool
    path: str
    bounds: KnownBounds
    warnings: list[str]
    future: bool
    snapshots: Snapshots
    gaps: Gaps
    segments: list[Segment] = field(default_factory=list)
    recovered_from: int | None = None
    epochs: EpochHistory = field(default_factory=EpochHistory)
    producers: LoggedProducers = field(default_factory=LoggedProducers)
    last_epoch: int = -1
    strict: bool = True
    tail_epoch: int = -1
    behind: Behind = field(default_factory=Behind)

    def warn(self, text: str) -> None:
        self.warnings.append(f"{self.path}: {text}")


def load_log(
    pool: Pool,
    path: str,
    key: LogKey,
    bounds: KnownBounds,
    warnings: list[str],
    topic_id: TopicId | None = None,
) -> Log:
    """Open the log in `path`. What was repaired is told in `warnings`. Corrupt, OSError.

    After Corrupt no record of it has been touched.
    """
    names = leftovers.clear(pool.disk, path, warnings)
    offsets = [o for o in map(layout.parse_snapshot, names) if o is not None]
    snapshots = Snapshots(pool.disk, path, offsets)
    strict = not key.future and not layout.is_metadata(key)
    marked = None if layout.is_metadata(key) else unbroken.find(names)
    allowed_to = bounds.recovery_point if marked is None else marked
    gaps = Gaps(allowed_to, strict and marked is None, bounds.compacted, bounds.holes)
    found = _RecoveringLog(pool, path, bounds, warnings, key.future, snapshots, gaps, strict=strict)
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
    log.unbroken = unbroken.find(names)
    if strict and not bounds.holes:
        _mark(found, log)
    elif not layout.is_metadata(key):
        unbroken.remember(log)
        unbroken.lower(log)
    return log


def _mark(found: _RecoveringLog, log: Log) -> None:
    """Have the log's mark say what was found; tell of gaps that may be losses."""
    for start, end in found.gaps.doubtful:
        found.warn(
            f"offsets {start} to {end - 1} are missing before segment {end}: Apache Kafka's "
            "compaction may have left that, or a power cut has taken them; all else is kept"
        )
    unbroken.remember(log, found.gaps.doubtful)
    if found.gaps.doubtful:
        log.sync()
    if log.unbroken is None:
        unbroken.begin(log, log.recovery_point)
    unbroken.lower(log)


def _topic_id(found: _RecoveringLog) -> TopicId | None:
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


def _load_segments(found: _RecoveringLog, names: list[str]) -> None:
    """Find and, if need be, repair the segments; make the first one where there is none.

    First all of them are looked at. Then it is decided whether the log is good; only then anything
    is changed.
    """
    disk = found.pool.disk
    parsed = [p for p in map(layout.parse_segment_file, names) if p is not None]
    bases = sorted(p.offset for p in parsed if p.kind == layout.LOG)
    if bases and bases[-1] > OFFSET_MAX:
        raise Corrupt(f"{layout.segment_file(bases[-1])} is no name of a segment: move it away")
    orphans = [p for p in parsed if p.offset not in bases]
    for orphan in orphans:
        _check_missing(found, bases, orphan.offset, orphan.kind)
    stop = _look_through(found, bases, {(p.offset, p.kind) for p in parsed})
    _decide(found, stop)
    for orphan in orphans:
        files.remove_if_there(disk, f"{found.path}/{layout.segment_file(*orphan)}")
    if stop is not None:
        _cut(found, stop)
    if not found.segments:
        fresh = Segment(found.pool, found.path, 0)
        found.pool.file(fresh.path(), create=True).truncate(0)
        found.segments.append(fresh)
    for segment, later in itertools.pairwise(found.segments):
        if not segment.sealed:
            segment.seal(trusted=later.base < found.bounds.recovery_point)
    found.segments[-1].unseal()


def _check_missing(found: _RecoveringLog, bases: list[int], offset: int, kind: str) -> None:
    """Corrupt where an index without its records tells that somebody has removed them.

    Records go last when a segment is removed; what a power cut leaves of that is at the log's ends.
    """
    between = bool(bases) and bases[0] < offset < bases[-1]
    if (between or found.bounds.clean) and kind != layout.TXN_INDEX and not found.future:
        name = layout.segment_file(offset)
        raise Corrupt(f"{name} is missing: {layout.segment_file(offset, kind)} is there")


def _look_through(
    found: _RecoveringLog, bases: list[int], kinds: set[tuple[int, str]]
) -> _Stop | None:
    """Open or scan the segments in order, and change none; where the good ones end."""
    for at, base in enumerate(bases):
        following = bases[at + 1] if at + 1 < len(bases) else None
        segment = Segment(found.pool, found.path, base)
        gap = None
        if found.segments and not found.bounds.clean:
            gap = found.gaps.why_not(found.segments[-1], segment)
        if gap is not None:
            return _Stop(None, 0, bases[at:], gap, found.bounds.whole)
        indexed = (base, layout.INDEX) in kinds and (base, layout.TIME_INDEX) in kinds
        stat = found.pool.disk.stat(segment.path())
        size = stat.size if stat is not None else 0
        trusted = found.bounds.clean or (
            following is not None and following < found.bounds.recovery_point
        )
        why = _open_segment(found, segment, size, following, indexed=indexed, trusted=trusted)
        found.segments.append(segment)
        if why is not None:
            proven = trusted or found.bounds.whole
            return _Stop(segment, size, bases[at + 1 :], why, proven)
    return None


def _decide(found: _RecoveringLog, stop: _Stop | None) -> None:
    """Corrupt where the log is damaged. Then nothing has been changed, and nothing will be.

    A crash may leave half a batch at the log's end, which was never acknowledged: it may be cut.
    Where good batches follow, or the log was longer before, records would be lost by that (B-28,
    B-31). A future log has its source, and the metadata log the other voters.
    """
    end = found.segments[-1].end if found.segments else 0
    short = end < found.bounds.reached
    if stop is None:
        if short:
            raise Corrupt(_short(found, end))
        return
    found.behind = _look_behind(found, stop, end)
    if stop.proven or short or (found.strict and found.behind.batches):
        what = "it" if stop.segment is None else f"segment {stop.segment.base}"
        more = f"; {_short(found, end)}" if short else ""
        raise Corrupt(f"{what} is damaged: {stop.why}; {found.behind}{more}")


def _short(found: _RecoveringLog, end: int) -> str:
    return f"it ends at {end}, and had reached {found.bounds.reached}"


def _look_behind(found: _RecoveringLog, stop: _Stop, offset: int) -> Behind:
    """What is good behind the place where the good part ends."""
    behind = Behind()
    if stop.segment is not None:
        file = stop.segment.file()
        offset = look(file, stop.segment.size, stop.size, offset, behind)
    for base in stop.later:
        file = found.pool.file(f"{found.path}/{layout.segment_file(base)}")
        offset = max(offset, look(file, 0, file.size(), max(base, offset), behind))
    return behind


def _cut(found: _RecoveringLog, stop: _Stop) -> None:
    """Cut what follows the good part. Of the metadata log what is good of it is set aside.

    From the end: what a power cut leaves of that has no hole, and the next start cuts it again.
    """
    for base in reversed(stop.later):
        segment = Segment(found.pool, found.path, base)
        stat = found.pool.disk.stat(segment.path())
        if stat is not None and not stat.size and not found.future:
            found.warn(f"segment {base} dropped: it is empty, and {stop.why}")
        elif stat is not None and stat.size:
            if found.behind.batches and not found.future:
                _keep_aside(found, base, 0)
            found.warn(f"segment {base} dropped: {stat.size} bytes behind the end of the log")
        segment.files.remove()
    if stop.later:
        found.pool.disk.sync_dir(found.path)
    if stop.segment is not None:
        segment = stop.segment
        if found.behind.batches and not found.future:
            _keep_aside(found, segment.base, segment.size)
        lost = stop.size - segment.size
        found.warn(
            f"segment {segment.base} cut from {stop.size} to {segment.size} bytes: {stop.why}; "
            f"{lost} bytes of no whole batch are gone"
            if not found.behind.batches
            else f"segment {segment.base} cut from {stop.size} to {segment.size} bytes: "
            f"{stop.why}; {found.behind}"
        )
        file = segment.file()
        file.truncate(segment.size)
        file.sync()


def _keep_aside(found: _RecoveringLog, base: int, position: int) -> None:
    """Copy a segment's bytes from a position on into a file beside, which no start looks at."""
    source = found.pool.file(f"{found.path}/{layout.segment_file(base)}")
    name = f"{layout.segment_file(base)}.{position}{layout.CUT}"
    target = found.pool.disk.open(f"{found.path}/{name}", create=True)
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
    found.pool.disk.sync_dir(found.path)
    found.warn(f"{at - position} bytes that are cut from segment {base} are kept in {name}")


def _open_segment(
    found: _RecoveringLog,
    segment: Segment,
    size: int,
    following: int | None,
    *,
    indexed: bool,
    trusted: bool,
) -> str | None:
    """Open or scan one segment; None if all of its bytes are good, else why not.

    A recovery point beyond the next segment's base says that this one was synced after it had been
    sealed, indexes included; at the base itself it may be from before.
    """
    if trusted and not found.bounds.whole and (indexed or size == 0):
        try:
            _trust(found, segment, size, following)
        except Corrupt as bad:
            found.warn(f"segment {segment.base} is scanned again: {bad}")
        else:
            # Of all before the recovery point the epochs' file tells, wherever we had to scan.
            found.recovered_from = None
            found.epochs = EpochHistory()
            found.last_epoch = -1
            return None
    why = _scan(found, segment, size)
    if why is None and trusted and segment.is_short_of(following):
        return f"it ends at {segment.end}: its indexes tell of more"
    return why


def _trust(found: _RecoveringLog, segment: Segment, size: int, following: int | None) -> None:
    """Take a segment as its files say; Corrupt where they contradict each other."""
    if size == 0 and segment.indexes.last_position() < 0:
        return
    segment.sealed_at(size, segment.base, NO_TIME)
    latest = segment.indexes.last_time()
    if following is not None:
        # The last batches show whether the file has its end.
        last = max(0, segment.indexes.last_position())
        if last >= size:
            raise Corrupt(f"its index tells of a batch at {last}, but it has {size} bytes")
        for step in scan.walk(segment.file(), last, size):
            if step.last_offset >= following:
                raise Corrupt(f"offset {step.last_offset} is not before segment {following}")
            found.tail_epoch = -1
        segment.sealed_at(size, following, latest)
        return
    end = segment.base
    for header in scan.walk_headers(segment.file(), segment.index.last_position(), size):
        relative(header.last_offset, segment.base)
        end = header.last_offset + 1
        found.tail_epoch = header.leader_epoch
        if header.max_timestamp > latest.timestamp:
            latest = TimeEntry(header.max_timestamp, header.last_offset)
    segment.sealed_at(size, end, latest)


def _scan(found: _RecoveringLog, segment: Segment, size: int) -> str | None:
    """Read a segment byte by byte up to the first bad batch, and make its indexes anew.

    Why that batch is bad; None if there is none.
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
            found.last_epoch = found.tail_epoch = header.leader_epoch
            if header.base_offset > segment.end:
                found.gaps.compacted = True
            segment.note(header, _INTERVAL)
            _note_epoch(found.epochs, header)
            if header.producer_id >= 0:
                _note_producer(found, segment, header)
    except Corrupt as bad:
        return str(bad)
    return None


def _note_producer(found: _RecoveringLog, segment: Segment, header: scan.Header) -> None:
    aborted = found.producers.note(header, read_marker(segment.file(), header))
    if aborted is not None:
        segment.indexes.note_aborted(aborted)


# --- what stands beside the records --------------------------------------------------------------


def _set_start(found: _RecoveringLog, log: Log) -> None:
    """Take the start from the checkpoint. One beyond the log's end is wrong, and the log is not."""
    start = max(found.bounds.start, log.segments[0].base)
    if start > log.end:
        start = log.segments[0].base
        found.warn(
            f"{layout.LOG_STARTS} says {found.bounds.start}, but the log ends at {log.end}: the "
            f"log is kept, and begins at {start}"
        )
    log.start = start


def _set_epochs(found: _RecoveringLog, log: Log) -> None:
    """Read the epochs' history; rebuild what recovery scanned, or all of it if it is damaged."""
    data = files.read_whole(found.pool.disk, f"{found.path}/{layout.LEADER_EPOCHS}")
    history: EpochHistory | None = None
    if data:
        try:
            history = EpochHistory(checkpoints.decode_epochs(data))
        except Corrupt as bad:
            found.warn(f"{layout.LEADER_EPOCHS} is rebuilt: {bad}")
    if history is not None and _contradicts(found, log, history):
        found.warn(
            f"{layout.LEADER_EPOCHS} is rebuilt: its last epoch is {history.latest}, that of the "
            f"last batch {found.tail_epoch}"
        )
        history = None
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


def _contradicts(found: _RecoveringLog, log: Log, history: EpochHistory) -> bool:
    """Whether the epochs' file tells of an epoch that no batch can have been written in.

    It may lack the newest ones after a crash; then they come from what was scanned.
    """
    known = EpochHistory(history.entries)
    known.truncate_end(log.end if found.recovered_from is None else found.recovered_from)
    return found.tail_epoch >= 0 and known.latest > found.tail_epoch


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
