"""The mark in a log's directory: from which offset on no offset is missing between two segments.

Spindle's cleaner keeps the last batch of each segment, and a new segment begins where the last one
ends. So a gap at a border is a loss. Apache Kafka may leave one in a compacted log: its cleaner
drops last batches, and its followers begin a segment at the first batch that they get. All below
the marked offset was on the medium when it was marked, and may have gaps of that kind.

The mark is an empty file whose name has the offset: 0 in a log that was made here; the log's end
in one that was taken over or brought by a move, which marks it before its source loses its name.
The name ends in `.deleted`, so that Apache Kafka deletes it when it opens the log and may leave
gaps again. Files named likewise keep the gaps that may be losses. Called by `log_loader`,
`opening`, `copy` and `log_manager`.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from typing import Final

from spindle.model.batches import RecordBatch
from spindle.model.jobs import Appended
from spindle.storage import files, layout
from spindle.storage.blame import FULL
from spindle.storage.segment import POSITION_MAX
from spindle.storage.unified_log import UnifiedLog

_REFUSED: Final = FULL | {errno.EACCES, errno.EPERM, errno.EROFS}


def find(names: Iterable[str]) -> int | None:
    """The offset that the mark among the names in a log's directory has; None without one."""
    found = [at for at in map(layout.parse_unbroken, names) if at is not None]
    return max(found, default=None)


def begin(log: UnifiedLog, offset: int) -> None:
    """Mark a log that has no mark, if its directory takes one. OSError.

    Not synced: without it the next start looks again.
    """
    if _put(log, layout.unbroken_file(offset)):
        log.unbroken = offset


def _put(log: UnifiedLog, name: str) -> bool:
    """Make an empty file in a log's directory; whether it took it."""
    try:
        log.pool.disk.open(f"{log.path}/{name}", create=True).close()
    except OSError as error:
        if error.errno not in _REFUSED:
            raise
        return False
    return True


def remember(log: UnifiedLog, found: Iterable[tuple[int, int]] = ()) -> None:
    """Have a log report the gaps that were `found` in it and may be losses, now and later.

    Names in its directory keep the gaps found before. Those that retention or a cut has taken
    are forgotten. The log's next sync puts the names on the medium. OSError.
    """
    names = log.pool.disk.list(log.path)
    known = [gap for gap in map(layout.parse_missing, names) if gap is not None]
    for gap in found:
        if gap not in known:
            _put(log, layout.missing_file(gap))
            known.append(gap)
            log.local.dirty_names = True
    for gap in known:
        if not log.start < gap[1] <= log.end:
            files.remove_if_there(log.pool.disk, f"{log.path}/{layout.missing_file(gap)}")
    log.doubtful = tuple(sorted(gap for gap in known if log.start < gap[1] <= log.end))


def take_over(log: UnifiedLog, found: Iterable[tuple[int, int]]) -> None:
    """Have a future log report the gaps in its source, as far as it has been copied. OSError."""
    here = [gap for gap in found if log.start < gap[1] <= log.end]
    if set(here) != set(log.doubtful):
        remember(log, here)


def move(log: UnifiedLog, offset: int) -> None:
    """Mark that nothing is missing from `offset` on: all before is on the medium. OSError."""
    if log.unbroken == offset:
        return
    path = f"{log.path}/{layout.unbroken_file(offset)}"
    try:
        if log.unbroken is None:
            raise FileNotFoundError
        log.pool.disk.rename(f"{log.path}/{layout.unbroken_file(log.unbroken)}", path)
    except FileNotFoundError:
        begin(log, offset)
    else:
        log.unbroken = offset
    log.pool.disk.sync_dir(log.path)


def cover(log: UnifiedLog) -> None:
    """Mark what a move has brought, where offsets are missing beyond the mark. OSError, Corrupt.

    All is on the medium. Where none are missing, the mark says so from where it is: then appends,
    which are blocked meanwhile, need not wait for a name to be on the medium.
    """
    at = log.unbroken
    if at is not None and at < log.end:
        late = [segment for segment in log.segments if segment.end >= at]
        ends = [*(segment.base for segment in late[1:]), log.end]
        if all(s.written_end() >= end for s, end in zip(late, ends, strict=True)):
            return
    move(log, log.end)


def lower(log: UnifiedLog) -> None:
    """Bring the mark down to the log's end where a cut that a crash ended did not. OSError."""
    if log.unbroken is not None and log.unbroken > log.end:
        move(log, log.end)


def append(log: UnifiedLog, batches: list[RecordBatch], now_ms: int) -> Appended:
    """Write batches at their offsets, some of which may leap further than a segment can express.

    As in Apache Kafka (`LogSegment.canConvertToRelativeOffset`) a segment begins behind such a
    leap. All before it is on the medium first, so that the gap counts as none. OSError, Corrupt.
    """
    if batches[-1].last_offset - log.active.base <= POSITION_MAX:
        return log.append(batches, now_ms)
    for batch in batches:
        if batch.last_offset - log.end > POSITION_MAX:
            log.sync()
            move(log, batch.base_offset)
            log.roll(now_ms, batch.base_offset)
        log.append([batch], now_ms)
    return Appended(log.end, log.size)


def after_cut(log: UnifiedLog, floor: int) -> None:
    """Bring the mark along after a log was cut; segments from `floor` on were changed.

    A cut may end between two batches of a compacted log: then the next segment begins behind the
    last batch, and that gap is well. What was missing behind it is forgotten. OSError, Corrupt.
    """
    if log.doubtful:
        remember(log)
    if log.unbroken is None:
        return
    if log.active.written_end() < log.end:
        log.sync()
        move(log, log.end)
    elif floor < log.unbroken:
        move(log, floor)
