"""The long part of log compaction: collect keys, rewrite segments. Runs beside the log's thread.

Reads sealed segments by their paths and writes `.cleaned` files beside them; touches no log's
state. What is kept, and for how long, is Apache Kafka's rule: the last record of each key, no
record without one, tombstones and markers for `delete.retention.ms` after they were first cleaned
(KIP-534), nothing of aborted transactions, the last batch of each producer even if it is empty.
So is the last batch of a segment, so that its end stays and no gap is left between two (`gaps`).
All records whose keys were collected are on the medium before any segment is rewritten: a record
goes because of a later one of its key, which no power cut may take then. Called by `directory`.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Final

from spindle.model.batches import DELETE_HORIZON, NO_PRODUCER, RecordBatch
from spindle.model.cleaning_jobs import CleanBytes, CleanPlan, CleanWork, NewSegment, OldSegment
from spindle.model.errors import Corrupt, DiskFailed, LogFailed
from spindle.storage import aborted_transactions, files, layout, scan
from spindle.storage.disk import Disk, File
from spindle.storage.index import OffsetIndex, TimeEntry, TimeIndex
from spindle.storage.naming import activity_of
from spindle.wire.batch import check, compacted, slices, split, stamped
from spindle.wire.records import Slice

ENTRY_BYTES: Final = 120
"""What a key in memory takes beside its own bytes."""


def step(disk: Disk, job: CleanBytes) -> CleanWork:
    """Go on for about `job.max_bytes`. Raises DiskFailed, LogFailed."""
    try:
        return _Step(disk, job).run()
    except FileNotFoundError:
        # Deleted, moved away or shortened meanwhile: that is the end of this cleaning.
        job.work.lost = True
        return job.work
    except Corrupt as bad:
        raise LogFailed(job.directory, str(job.key), f"compaction: {bad}") from None
    except OSError as error:
        text = f"compaction of {job.key}: {error}"
        raise DiskFailed(job.directory, activity_of(job), error.errno or errno.EIO, text) from None


class _Written:
    """A new segment in the making: its file and its indexes."""

    def __init__(self, disk: Disk, path: str, base: int) -> None:
        self.path = path
        self.base = base
        self.size = 0
        self.end = base
        self.newest = TimeEntry(-1, -1)
        self.index = OffsetIndex(base)
        self.times = TimeIndex(base)
        self._since_entry = 0
        disk_file = disk.open(self.name(layout.LOG), create=True)
        try:
            disk_file.truncate(0)
        finally:
            disk_file.close()

    def name(self, kind: str) -> str:
        """Where one of its files lies."""
        return f"{self.path}/{layout.segment_file(self.base, kind)}{layout.CLEANED}"

    def add(self, file: File, batch: RecordBatch, interval: int) -> None:
        """Write a batch at its end."""
        file.write(self.size, stamped(batch))
        if batch.max_timestamp > self.newest.timestamp:
            self.newest = TimeEntry(batch.max_timestamp, batch.last_offset)
        if self._since_entry > interval:
            self.index.add(batch.last_offset, self.size)
            self.times.add(*self.newest)
            self._since_entry = 0
        self._since_entry += batch.size
        self.size += batch.size
        self.end = batch.next_offset


class _Step:
    """One step: so many bytes of one cleaning."""

    def __init__(self, disk: Disk, job: CleanBytes) -> None:
        self._disk = disk
        self._plan: CleanPlan = job.plan
        self._work = job.work
        self._left = job.max_bytes
        self._path = f"{job.directory}/{job.plan.name}"
        self._aborted: dict[int, list[tuple[int, int]]] = {}
        for entry in job.plan.aborted:
            self._aborted.setdefault(entry.producer_id, []).append((entry.first, entry.last))

    def run(self) -> CleanWork:
        """Collect, then rewrite, until the bytes are used up or a group is ready."""
        work = self._work
        work.ready = None
        if not work.collected:
            self._collect()
        while work.collected and self._left > 0 and work.ready is None and not work.done:
            self._rewrite()
        return work

    # --- collecting keys ----------------------------------------------------------------------

    def _collect(self) -> None:
        work = self._work
        olds = [old for group in self._plan.groups for old in group]
        for at in range(work.segment, len(olds)):
            work.segment = at
            if olds[at].end <= self._plan.dirty:
                continue
            if not work.position:
                self._sync(olds[at])
            for batch in self._batches(olds[at], work):
                if batch.last_offset >= self._plan.dirty:
                    self._note_keys(batch)
                work.mapped = max(work.mapped, batch.next_offset)
                if work.latest_bytes >= self._plan.rules.map_bytes:
                    return self._collected()
                if self._left <= 0:
                    return None
            work.position = 0
        return self._collected()

    def _sync(self, old: OldSegment) -> None:
        """Put a segment on the medium, beside the log's thread, which serves meanwhile."""
        if old.base in self._plan.unsynced:
            file = self._disk.open(f"{self._path}/{layout.segment_file(old.base)}")
            try:
                file.sync()
            finally:
                file.close()

    def _note_keys(self, batch: RecordBatch) -> None:
        if batch.is_control or self._is_aborted(batch):
            return
        latest = self._work.latest
        for record in slices(batch):
            if record.key is not None:
                if record.key not in latest:
                    self._work.latest_bytes += len(record.key) + ENTRY_BYTES
                latest[record.key] = batch.base_offset + record.offset_delta

    def _collected(self) -> None:
        self._work.collected = True
        self._work.segment = self._work.position = 0

    def _is_aborted(self, batch: RecordBatch) -> bool:
        if not batch.is_transactional:
            return False
        ranges = self._aborted.get(batch.producer_id, ())
        return any(first <= batch.base_offset <= last for first, last in ranges)

    # --- rewriting ----------------------------------------------------------------------------

    def _rewrite(self) -> None:
        """Go on with the current group; where it ends, say that it is ready."""
        work, plan = self._work, self._plan
        if work.group == len(plan.groups) or plan.groups[work.group][0].base >= work.mapped:
            work.done = True
            return
        group = plan.groups[work.group]
        if work.written is None:
            work.written = _Written(self._disk, self._path, group[0].base)
        written = work.written
        assert isinstance(written, _Written)
        file = self._disk.open(written.name(layout.LOG))
        try:
            for at in range(work.segment, len(group)):
                work.segment = at
                for batch in self._batches(group[at], work):
                    kept = self._kept(batch, last=batch.next_offset == group[-1].end)
                    if kept is not None:
                        written.add(file, kept, plan.index_interval)
                    if self._left <= 0:
                        return
                work.position = 0
            file.sync()
        finally:
            file.close()
        work.ready = self._finish(group, written)
        work.written = None
        work.group, work.segment = work.group + 1, 0

    def _kept(self, batch: RecordBatch, last: bool) -> RecordBatch | None:
        """What stays of a batch; None: nothing, not even its place."""
        place = last or self._plan.last_of.get(batch.producer_id) == batch.last_offset
        if batch.is_control:
            return self._kept_marker(batch, place)
        if self._is_aborted(batch):
            self._work.alive.add(batch.producer_id)
            return compacted(batch, lambda _: False) if place else None
        tombstones = False
        expired = self._expired(batch)

        def keep(record: Slice) -> bool:
            nonlocal tombstones
            offset = batch.base_offset + record.offset_delta
            if offset >= self._work.mapped:
                return True
            if record.key is None or self._work.latest.get(record.key, -1) > offset:
                return False
            if not record.has_value:
                if expired:
                    return False
                tombstones = True
            return True

        kept = compacted(batch, keep)
        if kept.record_count and batch.is_transactional:
            self._work.alive.add(batch.producer_id)
        if tombstones and not batch.attributes & DELETE_HORIZON:
            return compacted(kept, lambda _: True, self._horizon)
        return kept if kept.record_count or place else None

    def _kept_marker(self, batch: RecordBatch, place: bool) -> RecordBatch | None:
        """A transaction's marker stays as long as something of the transaction does."""
        if batch.producer_id == NO_PRODUCER:
            return batch
        alive = batch.producer_id in self._work.alive
        self._work.alive.discard(batch.producer_id)
        if alive:
            return batch
        if not batch.attributes & DELETE_HORIZON:
            return compacted(batch, lambda _: True, self._horizon)
        return batch if place or not self._expired(batch) else None

    @property
    def _horizon(self) -> int:
        return self._plan.now_ms + self._plan.rules.tombstones_ms

    def _expired(self, batch: RecordBatch) -> bool:
        return bool(batch.attributes & DELETE_HORIZON) and batch.base_timestamp <= self._plan.now_ms

    def _finish(self, group: tuple[OldSegment, ...], written: _Written) -> NewSegment:
        """Write the indexes; all of the new segment is on the medium afterwards."""
        written.times.add(*written.newest)
        sides = {layout.INDEX: written.index.encode(), layout.TIME_INDEX: written.times.encode()}
        aborted = [a for a in self._plan.aborted if group[0].base <= a.last < group[-1].end]
        if aborted:
            sides[layout.TXN_INDEX] = aborted_transactions.encode(aborted)
        for kind, data in sides.items():
            # Its temporary's name does not matter: the next opening of the log clears either.
            files.replace(self._disk, written.name(kind), data, durable=False)
        kinds = (layout.LOG, *sides)
        return NewSegment(group, written.size, written.end, written.newest, kinds)

    # --- reading ------------------------------------------------------------------------------

    def _batches(self, old: OldSegment, work: CleanWork) -> Iterator[RecordBatch]:
        """The batches of a segment from `work.position` on, which follows; CRC checked."""
        file = self._disk.open(f"{self._path}/{layout.segment_file(old.base)}")
        try:
            for found in scan.walk(file, work.position, old.size):
                data = file.read(found.position, found.size)
                [batch] = split(data)
                check(batch)
                work.position = found.position + found.size
                work.read_bytes += found.size
                self._left -= found.size
                yield batch
        finally:
            file.close()
