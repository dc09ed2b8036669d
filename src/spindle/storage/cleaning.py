"""Log compaction on the log's own thread: what to clean, and the swap (see `model.cleaning_jobs`).

The swap is Apache Kafka's: `.cleaned` files become `.swap` files, whose presence decides; then the
old files go and the new ones get the plain names. `leftovers` finishes or undoes what a crash
leaves of it. Called by `directory`.
"""

from __future__ import annotations

from collections.abc import Iterator

from spindle.model.cleaning_jobs import AdoptCleaned, CleanPlan, CleanRules, OldSegment, PlanClean
from spindle.model.jobs import LogStart
from spindle.storage import files, layout
from spindle.storage.index import TimeEntry
from spindle.storage.segment import POSITION_MAX, Segment
from spindle.storage.segment_indexes import SegmentFiles
from spindle.storage.unified_log import UnifiedLog


def plan(log: UnifiedLog, job: PlanClean, cleaned_to: int) -> CleanPlan | None:
    """What to clean. `cleaned_to`: below this the log was cleaned before. Corrupt, OSError.

    One beyond the log's end is wrong: then nothing counts as cleaned.
    """
    if cleaned_to > log.end:
        cleaned_to = 0
    assert not log.key.future, "a future log is cleaned after it has become the current one"
    segments = list(_cleanable(log, job))
    dirty = [s for s in segments if s.end > cleaned_to and s.size]
    if not dirty or not _is_worth_it(segments, dirty, job.rules, job.now_ms):
        return None
    for name in log.pool.disk.list(log.path):
        if name.endswith(layout.CLEANED):
            files.remove_if_there(log.pool.disk, f"{log.path}/{name}")
    return CleanPlan(
        log.local.name,
        log.cuts.stamp,
        tuple(_groups(segments, log.local.settings.segment_bytes)),
        cleaned_to,
        # Of the whole log: a transaction may end behind what is cleaned.
        tuple(aborted for segment in log.segments for aborted in segment.indexes.aborted),
        {entry.producer_id: entry.last_offset for entry in log.producers.state.entries},
        job.rules,
        job.now_ms,
        log.local.settings.index_interval_bytes,
        frozenset(segment.base for segment in segments if not segment.synced),
    )


def _cleanable(log: UnifiedLog, job: PlanClean) -> Iterator[Segment]:
    """Sealed segments from the log's first on, old enough, all committed, all decided.

    Some may be empty: Apache Kafka leaves those of which it has cleaned all away.
    """
    undecided = [e.first_txn_offset for e in log.producers.state.entries if e.first_txn_offset >= 0]
    limit = min([job.limit, *undecided])
    for segment in log.segments[:-1]:
        newest = segment.latest.timestamp
        young = job.rules.min_lag_ms > 0 and newest > job.now_ms - job.rules.min_lag_ms
        if segment.end > limit or young:
            return
        yield segment


def _is_worth_it(
    segments: list[Segment], dirty: list[Segment], rules: CleanRules, now_ms: int
) -> bool:
    whole = sum(segment.size for segment in segments)
    oldest = next(header.base_timestamp for header in dirty[0].headers())
    overdue = 0 <= oldest < now_ms - rules.max_lag_ms
    return overdue or sum(s.size for s in dirty) / whole >= rules.dirty_ratio


def _groups(segments: list[Segment], most: int) -> Iterator[tuple[OldSegment, ...]]:
    """Neighbours that, even if nothing were dropped, fit one segment."""
    group: list[OldSegment] = []
    for segment in segments:
        old = OldSegment(segment.base, segment.size, segment.end)
        size = sum(other.size for other in group) + old.size
        if group and (size > most or old.end - group[0].base > POSITION_MAX):
            yield tuple(group)
            group = []
        group.append(old)
    if group:
        yield tuple(group)


def adopt(log: UnifiedLog, job: AdoptCleaned) -> LogStart | None:
    """Swap a new segment in. None, and nothing is changed, where the log is another by now."""
    fresh = job.segment
    bases = [segment.base for segment in log.segments]
    olds = [old.base for old in fresh.olds]
    at = bases.index(olds[0]) if olds[0] in bases else -1
    if log.cuts.stamp != job.plan.cuts or at < 0 or bases[at : at + len(olds)] != olds:
        return None
    _swap_files(log, fresh.olds, fresh.kinds)
    segment = Segment(log.pool, log.path, olds[0])
    segment.sealed_at(fresh.size, fresh.end, TimeEntry(*fresh.newest))
    log.local.replace(at, len(olds), segment)
    log.producers.prune([segment.base for segment in log.segments])
    log.as_closed = False
    # What is remembered of places and indexes is of the old files.
    log.local.let_go()
    return LogStart(log.start, log.size)


def _swap_files(log: UnifiedLog, olds: tuple[OldSegment, ...], kinds: tuple[str, ...]) -> None:
    disk = log.pool.disk
    plain = [f"{log.path}/{layout.segment_file(olds[0].base, kind)}" for kind in kinds]
    for path in plain:
        disk.rename(path + layout.CLEANED, path + layout.SWAP)
    # From here on the next opening of the log completes this.
    disk.sync_dir(log.path)
    for old in olds:
        SegmentFiles(log.pool, log.path, old.base).set_aside()
    for path in plain:
        disk.rename(path + layout.SWAP, path)
    disk.sync_dir(log.path)
