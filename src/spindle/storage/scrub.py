"""The scrubber's look at a directory: sizes, headers, CRCs and indexes, a piece at a time (B-28).

Files are opened by their names, as the next start would: one that was removed or replaced under
an open descriptor is found, too. The scrubber reports a damaged log and does not touch it; it
rebuilds a wrong index.
Called by `directory` on its thread.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Final

from spindle.model.errors import Corrupt
from spindle.model.log_values import LogKey
from spindle.model.scrub_jobs import BadLog, Scrub, Scrubbed, ScrubPlace
from spindle.storage import layout, scan
from spindle.storage.blame import GONE, OURS, Blame
from spindle.storage.pool import Pool
from spindle.storage.segment import Segment
from spindle.storage.unified_log import UnifiedLog

LOOKS_MAX: Final = 64
"""Empty or small segments that one piece may step over."""

WINDOW_MIN: Final = 16 << 10
"""Bytes read at a time at least: a batch of the usual size, however little is left to look at."""


class ScrubOrder:
    """The logs of a directory by their names, for as long as a round goes past them.

    Sorted again where a round begins, and where there are more or fewer logs than then: to look
    for the next one among all of them takes a round the square of their number.
    """

    __slots__ = ("_count", "_keys", "_names")

    def __init__(self) -> None:
        self._names: list[str] = []
        self._keys: list[LogKey] = []
        self._count = -1

    def at(self, logs: Mapping[LogKey, UnifiedLog], name: str) -> UnifiedLog | None:
        """The log of this name, or the first one behind it. Not the quorum's own log."""
        if not name or len(logs) != self._count:
            self._sort(logs)
        for place in range(bisect_left(self._names, name), len(self._names)):
            log = logs.get(self._keys[place])
            if log is not None and log.local.name == self._names[place]:
                return log
        return None

    def _sort(self, logs: Mapping[LogKey, UnifiedLog]) -> None:
        served = sorted(
            (log.local.name, key)
            for key, log in logs.items()
            if not key.future and not layout.is_metadata(key)
        )
        self._names = [name for name, _ in served]
        self._keys = [key for _, key in served]
        self._count = len(logs)


def scrub(
    pool: Pool,
    logs: Mapping[LogKey, UnifiedLog],
    order: ScrubOrder,
    blame: Blame,
    job: Scrub,
) -> Scrubbed:
    """Carry out the job. OSError where it is the disk's."""
    done = Scrubbed(job.place, 0)
    for _ in range(LOOKS_MAX):
        if done.next is None or done.bytes >= job.max_bytes:
            break
        log = order.at(logs, done.next.log)
        if log is None:
            done.next = None
            break
        try:
            _Look(pool, log, done).piece(job.max_bytes - done.bytes)
            continue
        except Corrupt as bad:
            found = BadLog(log.key, str(bad))
        except OSError as error:
            if error.errno in OURS or not blame.is_the_logs(error.errno or 0, str(log.key)):
                raise
            why = f"{error.strerror}: {error.filename}" if error.filename else str(error)
            found = BadLog(log.key, why, error.errno not in GONE)
        done.bad += (found,)
        done.next = _after(log)
    return done


def _after(log: UnifiedLog) -> ScrubPlace:
    return ScrubPlace(log.local.name + "\0")


class _Look:
    """A look at one segment of a log, from where the last one ended."""

    def __init__(self, pool: Pool, log: UnifiedLog, done: Scrubbed) -> None:
        assert done.next is not None
        place = done.next if done.next.log == log.local.name else ScrubPlace(log.local.name)
        self._pool = pool
        self._log = log
        self._done = done
        self._segment = next((s for s in log.segments if s.base >= place.base), None)
        self._position = 0
        if self._segment is not None and self._segment.base == place.base:
            self._position = min(place.position, self._segment.size)

    def piece(self, most: int) -> None:
        """Check what is left of the segment, about `most` bytes of it, and say what is next."""
        segment = self._segment
        if segment is None:
            self._done.next = _after(self._log)
            return
        if self._position == 0:
            self._check_size(segment)
        elif not self._is_boundary(segment):
            # It was cut, or compacted, since the last look: from its beginning.
            self._done.next = ScrubPlace(self._log.local.name, segment.base)
            return
        reached, batches = self._check_records(segment, most)
        if segment.sealed:
            self._check_indexes(segment, reached, batches)
        self._done.bytes += reached - self._position
        if reached < segment.size:
            self._done.next = ScrubPlace(self._log.local.name, segment.base, reached)
        elif segment is self._log.active:
            self._done.next = _after(self._log)
        else:
            self._done.next = ScrubPlace(self._log.local.name, segment.base + 1)

    def _is_boundary(self, segment: Segment) -> bool:
        """Whether a batch begins where the last look has ended."""
        if self._position == segment.size:
            return True
        before = segment.index.floor_position(self._position)
        try:
            for header in scan.walk_headers(segment.file(), before, segment.size):
                if header.position >= self._position:
                    return header.position == self._position
        except Corrupt:
            pass  # From the beginning, all of it is looked at.
        return False

    def _check_size(self, segment: Segment) -> None:
        found = self._pool.disk.stat(segment.path())
        if found is None:
            raise Corrupt(f"{segment.path()} is missing")
        if found.size < segment.size:
            raise Corrupt(f"{segment.path()} has {found.size} of its {segment.size} bytes")
        self._pool.drop(segment.path(layout.INDEX))  # What is on the disk counts.

    def _check_records(self, segment: Segment, most: int) -> tuple[int, dict[int, int]]:
        """Up to where all is well; the batches on the way: position -> last offset."""
        batches: dict[int, int] = {}
        reached = self._position
        file = self._pool.disk.open(segment.path())
        try:
            window = min(scan.SCAN_WINDOW, max(WINDOW_MIN, most))
            for header in scan.scan(file, reached, segment.size, segment.base, window):
                if header.last_offset >= segment.end:
                    raise Corrupt(f"offset {header.last_offset} where {segment.end} comes next")
                batches[header.position] = header.last_offset
                reached = header.position + header.size
                if reached - self._position >= most:
                    break
        except Corrupt as bad:
            raise Corrupt(f"{segment.path()}: {bad}") from None
        finally:
            file.close()
        return reached, batches

    def _check_indexes(self, segment: Segment, reached: int, batches: dict[int, int]) -> None:
        """Compare the indexes with the records; rebuild them where they do not fit."""
        try:
            for offset, position in segment.index.between(self._position, reached):
                if position not in batches or offset < batches[position]:
                    raise Corrupt(f"offset {offset} is not at {position}")
            if self._position == 0:
                segment.indexes.check_times(segment.end)
        except Corrupt as bad:
            segment.reindex(self._log.local.settings.index_interval_bytes)
            self._done.mended += (f"{segment.path()}: indexes rebuilt: {bad}",)
