"""The copying of a move, step by step over three threads (K113-03, K113-06, B-02, B-10, B-11).

`mark` and `adopt` run on the target's thread, `plan` on the source's, `copy_bytes` beside both: it
knows nothing but paths and ranges, which batches below a limit keep for ever unless the source is
cut or shortened. Then its bytes may be wrong or missing, but only from the cut on, and the next
plan says so. Called by `directory`.
"""

from __future__ import annotations

import errno
import os
from typing import Final

from spindle.model import jobs as j
from spindle.model.errors import DiskFailed, LogFailed
from spindle.model.offsets import EpochHistory, EpochStart
from spindle.storage import files, layout
from spindle.storage.disk import Disk, File
from spindle.storage.log import Log
from spindle.storage.producers import Producers
from spindle.storage.segment import POSITION_MAX, Place, Segment

PIECES_MAX: Final = 64
"""Pieces of one plan: bounds what a step holds in memory for small segments."""

SYNC_FROM: Final = 1 << 20
"""A piece of so many bytes is made durable at once, so that little is left to do at the swap."""

_TARGETS_FAULT: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG})


# --- the target's thread -------------------------------------------------------------------------


def mark(log: Log) -> j.CopyMark:
    """Where a future log stands."""
    active = log.active
    return j.CopyMark(
        log.name,
        log.start,
        log.end,
        active.base,
        active.size,
        log.size,
        log.epochs.entries,
        None if log.copied is None else log.copied[0],
        log.confirmed,
    )


def adopt(log: Log, job: j.AdoptCopied) -> j.CopyProgress:
    """Align the future log, or take what was copied behind its end. OSError, Corrupt.

    The recovery point on disk must be lowered before a plan that aligns is adopted.
    """
    plan = job.plan
    before = mark(log)
    if before != plan.mark:
        # Something else has changed the log since it was planned for: nothing here fits any more.
        return j.CopyProgress(0, log.end, -1, log.size, before)
    if plan.aligns:
        if plan.restart is not None:
            log.reset(plan.restart)
        else:
            log.truncate(plan.keep)
        log.tidy()
        log.copied = (plan.cuts, log.end)
        return j.CopyProgress(0, log.end, -1, log.size, mark(log))
    # The plan has found no cut since the last one: what that brought is well.
    log.copied = (plan.cuts, log.end)
    copied = 0
    for piece in plan.pieces[: job.copied.pieces]:
        _take(log, piece)
        copied += piece.length
    _take_rest(log, plan)
    return j.CopyProgress(copied, log.end, plan.source_end, log.size, mark(log))


def _take(log: Log, piece: j.CopyPiece) -> None:
    if piece.fresh:
        log.begin_segment(piece.target_base, copied=True)
    assert log.active.base == piece.target_base
    log.as_closed = False
    log.active.adopt(piece)
    log.end = piece.end
    log.size += piece.length
    for offset in piece.snapshots:
        log.snapshots.added(offset)


def _take_rest(log: Log, plan: j.CopyPlan) -> None:
    """Epochs, producers and start as the source has them, as far as the copy reaches."""
    whole = log.end == plan.source_end
    epochs = tuple(e for e in plan.epochs if e.start < log.end or whole)
    if epochs != log.epochs.entries:
        log.epochs = EpochHistory(epochs)
        log.dirty_epochs = True
    if plan.producers is not None and whole:
        log.as_closed = False
        log.producers = Producers(plan.producers)
    if plan.source_start > log.start:
        log.move_start(min(plan.source_start, log.end))
    log.sync_sealed()


# --- the source's thread -------------------------------------------------------------------------


def plan(log: Log, job: j.PlanCopy) -> j.CopyPlan:
    """What to do next for a future log that stands at `job.mark`. OSError, Corrupt."""
    keep, restart = _aligned(log, job.mark)
    pieces: tuple[j.CopyPiece, ...] = ()
    unchanged = job.mark.cuts in (None, log.cut_stamp)
    if restart is None and keep == job.mark.end and unchanged:
        segment, place = log.find(keep)
        if place.position < segment.size and place.offset < keep:
            keep = place.offset  # Not where one of our batches ends: another history.
        elif not _has_room(job.mark, segment, place):
            restart = log.segments[0].base
        else:
            pieces = _pieces(log, job, segment, place)
    end = pieces[-1].end if pieces else job.mark.end
    return j.CopyPlan(
        job.mark,
        log.name,
        keep,
        restart,
        pieces,
        log.cut_stamp,
        log.start,
        log.end,
        tuple(e for e in log.epochs.entries if e.start < end or end == log.end),
        log.producers.recent if end == log.end else None,
    )


def _aligned(log: Log, future: j.CopyMark) -> tuple[int, int | None]:
    """How far the future log is a prefix of this one; where it must begin again, if at all."""
    first = log.segments[0].base
    empty_elsewhere = future.size == 0 and future.end != first
    if future.end < first or future.start > log.start or empty_elsewhere:
        return future.end, first
    keep = min(future.end, log.end)
    if future.cuts is not None:
        cut = log.lowest_cut_since(future.cuts)
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


def _has_room(future: j.CopyMark, segment: Segment, place: Place) -> bool:
    """Whether the rest of `segment` fits behind the future log's last segment."""
    if place.position == 0:
        return True
    bytes_after = future.position + segment.size - place.position
    return bytes_after <= POSITION_MAX and segment.end - future.base <= POSITION_MAX


def _pieces(log: Log, job: j.PlanCopy, segment: Segment, place: Place) -> tuple[j.CopyPiece, ...]:
    pieces: list[j.CopyPiece] = []
    budget = job.max_bytes
    base, at = job.mark.base, job.mark.position
    for number in range(log.segments.index(segment), len(log.segments)):
        segment = log.segments[number]
        stop = Place(segment.size, segment.end)
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
        place, base, at = Place(0, segment.end), -1, 0
    return tuple(pieces)


def _piece(
    log: Log, number: int, start: Place, stop: Place, to: tuple[int, int], fresh: bool
) -> j.CopyPiece:
    segment = log.segments[number]
    base, at = to
    moved = at - start.position
    entries = segment.index.between(start.position, stop.position)
    times: list[tuple[int, int]] = [*segment.times_between(start.offset, stop.offset)]
    whole = stop.position == segment.size
    times += segment.newest_between(start, stop)
    seals = whole and number + 1 < len(log.segments)
    following = log.segments[number + 1].base if seals else segment.base
    return j.CopyPiece(
        segment.base,
        start.position,
        stop.position - start.position,
        base,
        at,
        fresh,
        stop.offset,
        tuple((offset, position + moved) for offset, position in entries),
        tuple(times),
        segment.first_timestamp,
        seals,
        tuple(o for o in log.snapshots.offsets if segment.base < o <= following),
    )


# --- beside both ---------------------------------------------------------------------------------


def copy_bytes(disk: Disk, job: j.CopyBytes) -> j.CopiedBytes:
    """Copy the plan's pieces. DiskFailed names the directory whose disk it was; LogFailed."""
    copied = j.CopiedBytes()
    for piece in job.plan.pieces:
        done = _Copying(disk, job).piece(piece)
        if not done:
            break
        copied.pieces += 1
        copied.bytes += piece.length
    return copied


class _Copying:
    """The copying of files from a source's log to a target's."""

    def __init__(self, disk: Disk, job: j.CopyBytes) -> None:
        self._disk = disk
        self._job = job
        self._from = f"{job.source}/{job.plan.name}"
        self._to = f"{job.directory}/{job.plan.mark.name}"

    def piece(self, piece: j.CopyPiece) -> bool:
        """Copy a piece and what comes with it; whether all of it was there."""
        log = layout.segment_file(piece.base)
        target = layout.segment_file(piece.target_base)
        sync = piece.seals or piece.length >= SYNC_FROM
        if not self._range(log, piece.start, target, piece.at, piece.length, sync):
            return False
        if piece.seals:
            self._whole(
                layout.segment_file(piece.base, layout.TXN_INDEX),
                layout.segment_file(piece.target_base, layout.TXN_INDEX),
            )
        for offset in piece.snapshots:
            name = layout.segment_file(offset, layout.SNAPSHOT)
            self._whole(name, name)
        return True

    def _whole(self, name: str, target: str) -> None:
        """Copy a small file, if it is there."""
        try:
            data = files.read_whole(self._disk, f"{self._from}/{name}")
        except OSError as error:
            raise self._source_failed(error) from None
        if data is None:
            return
        try:
            files.replace(self._disk, f"{self._to}/{target}", data, durable=False)
        except OSError as error:
            raise self._target_failed(error) from None

    def _range(
        self, name: str, start: int, target_name: str, at: int, length: int, sync: bool
    ) -> bool:
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
            return self._bytes(source, start, target, at, length, sync)
        finally:
            _close(source)
            _close(target)

    def _bytes(
        self, source: File, start: int, target: File, at: int, length: int, sync: bool
    ) -> bool:
        done = 0
        try:
            if target.size() > at:
                target.truncate(at)  # What an earlier attempt left.
            while done < length:
                got = self._disk.copy(source, start + done, target, at + done, length - done)
                if got == 0:
                    return False
                done += got
            if sync:
                target.sync()
        except OSError as error:
            raise self._blame(error, source, start + done, length - done) from None
        return True

    def _blame(self, error: OSError, source: File, position: int, left: int) -> Exception:
        """Find out which of the two disks an error came from: the one that cannot be read."""
        if error.errno not in _TARGETS_FAULT and left:
            try:
                source.read(position, min(left, SYNC_FROM))
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
    return DiskFailed(directory, "copy", code, os.strerror(code))


def _close(file: File) -> None:
    try:
        file.close()
    except OSError:
        pass  # What had to be durable was synced before.
