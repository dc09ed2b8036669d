"""The copying of a move, step by step over three threads (K113-03, K113-06, B-02, B-10, B-11).

`begin` and `adopt` run on the target's thread, `plan` on the source's, `copy_bytes` beside both: it
knows nothing but paths and ranges, which batches below a limit keep for ever unless the source is
cut or shortened. Then its bytes may be wrong or missing, but only from the cut on, and the next
plan says so. Called by `directory`.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import Final

from spindle.model import copying_jobs as c
from spindle.model.errors import Corrupt, DiskFailed, LogFailed
from spindle.model.offsets import EpochHistory, EpochStart
from spindle.storage import files, layout, scan, unbroken
from spindle.storage.disk import CopyOptions, Disk, File
from spindle.storage.producer_state import LoggedProducers
from spindle.storage.segment import POSITION_MAX, OffsetPosition, Segment
from spindle.storage.unified_log import UnifiedLog

PIECES_MAX: Final = 64
"""Pieces of one plan: bounds what a step holds in memory for small segments."""

SYNC_FROM: Final = 1 << 20
"""A last piece of so many bytes is made durable beside both threads, which have more to do."""

GLANCE_MOST: Final = 256 << 10
"""Bytes that are read ahead at most where the next plan looks for a border of batches."""

PROBE: Final = 1 << 20
"""Bytes that are read at a time to find out whether it is the source that cannot be read."""

_TARGETS_FAULT: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG})


# --- the target's thread -------------------------------------------------------------------------


def begin(log: UnifiedLog) -> c.CopyMark:
    """Where a future log stands, ready for bytes that are written beside this thread."""
    log.tidy()
    log.as_closed = False  # They may never be adopted: then a clean stop has to remove them.
    return mark(log)


def mark(log: UnifiedLog) -> c.CopyMark:
    """Where a future log stands."""
    active = log.active
    return c.CopyMark(
        log.local.name,
        log.start,
        log.end,
        active.base,
        active.size,
        log.size,
        log.epochs.entries,
        None if log.copied is None else log.copied[0],
        log.confirmed,
    )


def adopt(log: UnifiedLog, job: c.AdoptCopied) -> c.CopyProgress:
    """Align the future log, or take what was copied behind its end. OSError, Corrupt.

    The recovery point on disk must be lowered before a plan that aligns is adopted.
    """
    plan = job.plan
    before = mark(log)
    if before != plan.mark:
        # Something else has changed the log since it was planned for: nothing here fits any more.
        return c.CopyProgress(0, log.end, -1, log.size, before)
    if plan.aligns:
        floor = log.local.floor(plan.keep) if plan.restart is None else 0
        if plan.restart is not None:
            log.reset(plan.restart)
        else:
            log.truncate(plan.keep)
        unbroken.after_cut(log, floor)
        log.tidy()
        log.copied = (plan.cuts, log.end)
        return c.CopyProgress(0, log.end, -1, log.size, mark(log))
    # The plan has found no cut since the last one: what that brought is well.
    log.copied = (plan.cuts, log.end)
    copied = 0
    for piece in plan.pieces[: job.copied.pieces]:
        _take(log, piece)
        copied += piece.length
    _take_rest(log, plan)
    unbroken.take_over(log, plan.doubtful)
    whole = plan.still and _is_same(log, plan)
    if plan.still:
        log.copied = (plan.cuts, log.end)  # Nothing could have cut it in the meantime.
    if whole:
        log.sync()
        unbroken.cover(log)
    return c.CopyProgress(
        copied, log.end, plan.source_end, log.size, mark(log), job.copied.bad, whole
    )


def _is_same(log: UnifiedLog, plan: c.CopyPlan) -> bool:
    """Whether the future log is what the source is (B-02)."""
    ours = (log.start, log.end, log.epochs.entries)
    return ours == (plan.source_start, plan.source_end, plan.epochs)


def _take(log: UnifiedLog, piece: c.CopyPiece) -> None:
    log.as_closed = False
    log.local.take(piece)
    for offset in piece.snapshots:
        log.producers.added(offset)


def _take_rest(log: UnifiedLog, plan: c.CopyPlan) -> None:
    """Epochs, producers and start as the source has them, as far as the copy reaches."""
    whole = log.end == plan.source_end
    epochs = tuple(e for e in plan.epochs if e.start < log.end or whole)
    if epochs != log.epochs.entries:
        log.epochs.replace(epochs)
    if plan.producers is not None and whole:
        log.as_closed = False
        log.producers.state = LoggedProducers(plan.producers)
    if plan.source_start > log.start:
        log.move_start(min(plan.source_start, log.end))
    log.sync_sealed()


# --- the source's thread -------------------------------------------------------------------------


def plan(log: UnifiedLog, job: c.PlanCopy) -> c.CopyPlan:
    """What to do next for a future log that stands at `job.mark`. OSError, Corrupt."""
    keep, restart = _aligned(log, job.mark)
    pieces: tuple[c.CopyPiece, ...] = ()
    unchanged = job.mark.cuts in (None, log.cuts.stamp)
    if restart is None and keep == job.mark.end and unchanged:
        segment, place = log.local.find(keep)
        if place.position < segment.size and place.offset < keep:
            keep = place.offset  # Not where a batch of this log ends: another history.
        elif not _has_room(job.mark, segment, place):
            restart = log.segments[0].base
        else:
            pieces = _pieces(log, job, segment, place)
    end = pieces[-1].end if pieces else job.mark.end
    if pieces and end < log.end:
        pieces[-1].ahead = _ahead(log, pieces[-1], job.max_bytes)
    return c.CopyPlan(
        job.mark,
        log.local.name,
        keep,
        restart,
        pieces,
        log.cuts.stamp,
        log.start,
        log.end,
        tuple(e for e in log.epochs.entries if e.start < end or end == log.end),
        log.producers.state.recent if end == log.end else None,
        log.doubtful,
        job.still,
    )


def _ahead(log: UnifiedLog, last: c.CopyPiece, budget: int) -> tuple[c.Glance, ...]:
    """Where the next plan looks for borders of batches, if it gets as many bytes as this one."""
    at = log.local.index_of(last.end)
    segment = log.segments[at]
    begin = last.start + last.length if segment.base == last.base else 0
    glances = [_glance(segment, segment.index.floor(last.end), begin)]
    target = begin + budget
    while target >= segment.size and len(glances) < PIECES_MAX:
        glances.append(_glance(segment, segment.index.floor_position(segment.size - 1), target))
        if at + 1 == len(log.segments):
            return tuple(glances)
        target -= segment.size
        at += 1
        segment = log.segments[at]
    low = segment.index.floor_position(segment.index.floor_position(target) - 1)
    return (*glances, _glance(segment, low, target))


def _glance(segment: Segment, low: int, high: int) -> c.Glance:
    length = min(high + scan.WALK_WINDOW, segment.size) - low
    return c.Glance(segment.base, low, min(length, GLANCE_MOST))


def _aligned(log: UnifiedLog, future: c.CopyMark) -> tuple[int, int | None]:
    """How far the future log is a prefix of this one; where it must begin again, if at all."""
    first = log.segments[0].base
    empty_elsewhere = future.size == 0 and future.end != first
    if future.end < first or future.start > log.start or empty_elsewhere:
        return future.end, first
    keep = min(future.end, log.end)
    if future.cuts is not None:
        cut = log.cuts.lowest_since(future.cuts, log.end)
        keep = min(keep, future.confirmed if cut is None else cut)
    low = max(future.start, log.start)
    if low < keep:
        keep = _diverge(log.epochs.entries, future.epochs, low, keep)
    if keep < max(first, future.start):
        return future.end, first
    return keep, None


def _diverge(
    ours: tuple[EpochStart, ...], theirs: tuple[EpochStart, ...], low: int, high: int
) -> int:
    """The first offset in [low, high) that two histories give to different epochs, else `high`.

    Where they agree on the epoch, the records are the same (KIP-101).
    """
    borders = {low, *(e.start for e in (*ours, *theirs) if low < e.start < high)}
    one, other = EpochHistory(ours), EpochHistory(theirs)
    for offset in sorted(borders):
        if one.epoch_at(offset) != other.epoch_at(offset):
            return offset
    return high


def _has_room(future: c.CopyMark, segment: Segment, place: OffsetPosition) -> bool:
    """Whether the rest of `segment` fits behind the future log's last segment."""
    if place.position == 0 or future.base == segment.base:
        return True
    bytes_after = future.position + segment.size - place.position
    return bytes_after <= POSITION_MAX and segment.end - future.base <= POSITION_MAX


def _pieces(
    log: UnifiedLog, job: c.PlanCopy, segment: Segment, place: OffsetPosition
) -> tuple[c.CopyPiece, ...]:
    pieces: list[c.CopyPiece] = []
    budget = job.max_bytes
    base, at = job.mark.base, job.mark.position
    for number in range(log.segments.index(segment), len(log.segments)):
        segment = log.segments[number]
        stop = OffsetPosition(segment.size, segment.end)
        if job.limit < segment.end:
            stop = segment.locate(job.limit)
        if stop.position - place.position > budget:
            stop = segment.cut(place, budget)
            if stop.position <= place.position and not pieces:
                stop = segment.first_batch(place)
        if stop.position <= place.position:
            break
        fresh = place.position == 0 and (at > 0 or base != segment.base)
        if place.position == 0:
            base, at = segment.base, 0
        pieces.append(_piece(log, number, place, stop, (base, at), fresh))
        budget -= stop.position - place.position
        if stop.position < segment.size or budget <= 0 or len(pieces) >= PIECES_MAX:
            break
        place, base, at = OffsetPosition(0, segment.end), -1, 0
    return tuple(pieces)


def _piece(
    log: UnifiedLog,
    number: int,
    start: OffsetPosition,
    stop: OffsetPosition,
    to: tuple[int, int],
    fresh: bool,
) -> c.CopyPiece:
    segment = log.segments[number]
    base, at = to
    whole = stop.position == segment.size
    growing = number + 1 == len(log.segments)
    seals = whole and not growing
    following = log.segments[number + 1].base if seals else segment.base
    return c.CopyPiece(
        segment.base,
        start.position,
        stop.position - start.position,
        base,
        at,
        fresh,
        stop.offset,
        segment.index.part(start.position, stop.position),
        segment.times_between(start, stop),
        segment.first_timestamp,
        seals,
        growing,
        tuple(o for o in log.producers.offsets if segment.base < o <= following),
        tuple(a for a in segment.indexes.aborted if start.offset <= a.last < stop.offset),
    )


# --- beside both ---------------------------------------------------------------------------------


def copy_bytes(disk: Disk, job: c.CopyBytes) -> c.CopiedBytes:
    """Copy the plan's pieces. DiskFailed names the directory whose disk it was; LogFailed."""
    copied = c.CopiedBytes()
    copying = _Copying(disk, job)
    for piece in job.plan.pieces:
        if not copying.piece(piece):
            copied.bad = copying.bad
            break
        copied.pieces += 1
        copied.bytes += piece.length
        copying.look_ahead(piece)
    return copied


class _Copying:
    """The copying of files from a source's log to a target's."""

    def __init__(self, disk: Disk, job: c.CopyBytes) -> None:
        self._disk = disk
        self._job = job
        self._from = f"{job.source}/{job.plan.name}"
        self._to = f"{job.directory}/{job.plan.mark.name}"
        self.bad: c.BadBatch | None = None
        """What was wrong with the piece that was not copied."""

    def piece(self, piece: c.CopyPiece) -> bool:
        """Copy a piece and what comes with it; whether all of it was there, and is well."""
        if not self._records(piece):
            return False
        for offset in piece.snapshots:
            self._whole(layout.segment_file(offset, layout.SNAPSHOT))
        return True

    def look_ahead(self, piece: c.CopyPiece) -> None:
        """Have in memory what the next plan will read. Where that fails, the plan will say why."""
        for glance in piece.ahead:
            with suppress(OSError):
                file = self._disk.open(f"{self._from}/{layout.segment_file(glance.base)}")
                try:
                    file.read(glance.start, glance.length)
                finally:
                    _close(file)

    def _whole(self, name: str) -> None:
        """Copy a small file, if it is there."""
        try:
            data = files.read_whole(self._disk, f"{self._from}/{name}")
        except OSError as error:
            raise self._source_failed(error) from None
        if data is None:
            return
        try:
            files.replace(self._disk, f"{self._to}/{name}", data, durable=False)
        except OSError as error:
            raise self._target_failed(error) from None

    def _records(self, piece: c.CopyPiece) -> bool:
        name, target_name = map(layout.segment_file, (piece.base, piece.target_base))
        try:
            source = self._disk.open(f"{self._from}/{name}")
        except FileNotFoundError:
            return False
        except OSError as error:
            raise self._source_failed(error) from None
        try:
            target = self._disk.open(f"{self._to}/{target_name}", create=True)
        except OSError as error:
            _close(source)
            raise self._target_failed(error) from None
        try:
            return self._bytes(source, target, piece)
        except Corrupt as bad:
            self.bad = self._judged(source, piece, bad)
            return False
        finally:
            _close(source)
            _close(target)

    def _bytes(self, source: File, target: File, piece: c.CopyPiece) -> bool:
        """Copy a piece, each batch of it checked on its way. Corrupt."""
        start, at, length = piece.start, piece.at, piece.length
        well = scan.Verifier(start, start + length, piece.base)
        manner = CopyOptions(piece.growing, self._job.pace)
        try:
            if target.size() > at:
                target.truncate(at)  # What an earlier attempt left.
            if self._disk.copy(source, start, target, at, length, well, manner) < length:
                return False  # The source has become shorter.
            if piece.seals or (length >= SYNC_FROM and piece.end == self._job.plan.source_end):
                target.sync()
        except OSError as error:
            raise self._blame(error, source, start, length) from None
        return True

    def _judged(self, source: File, piece: c.CopyPiece, bad: Corrupt) -> c.BadBatch:
        """Whether a second look at the source finds the same."""
        file = f"{self._from}/{layout.segment_file(piece.base)}"
        try:
            scan.verify(source, piece.start, piece.start + piece.length, piece.base)
        except Corrupt as again:
            return c.BadBatch(f"{file}: {again}", True)
        except OSError as error:
            raise self._source_failed(error) from None
        return c.BadBatch(f"{file}: {bad}", False)

    def _blame(self, error: OSError, source: File, position: int, left: int) -> Exception:
        """Find out which of the two disks an error came from: the one that cannot be read."""
        if error.errno not in _TARGETS_FAULT:
            try:
                for begin in range(position, position + left, PROBE):
                    source.read(begin, min(position + left - begin, PROBE))
            except OSError as reading:
                return self._source_failed(reading)
        return self._target_failed(error)

    def _source_failed(self, error: OSError) -> DiskFailed:
        return _failed(self._job.source, error)

    def _target_failed(self, error: OSError) -> DiskFailed | LogFailed:
        if error.errno == errno.ENOENT:
            return LogFailed(self._job.directory, str(self._job.key), "its directory is gone")
        return _failed(self._job.directory, error)


def _failed(directory: str, error: OSError) -> DiskFailed:
    code = error.errno or errno.EIO
    return DiskFailed(directory, "copying a replica", code, os.strerror(code))


def _close(file: File) -> None:
    try:
        file.close()
    except OSError:
        pass  # What had to be durable was synced before.
