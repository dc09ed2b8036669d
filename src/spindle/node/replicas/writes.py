"""What changes the logs of hosted partitions: appends, cuts, moved starts, and their consequences.

The jobs themselves run where `hosted` says; here their results become states, releases and news.
Called by the handlers, the fetchers and `replicas`, which it belongs to.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Final

from spindle.core.logdirs.events import (
    LogCrowded,
    LogJobFailed,
    LogShortened,
    LogStartMoved,
    LogTruncated,
)
from spindle.core.replica.refused_sequences import RefusedSequences
from spindle.model.batches import Buffer, RecordBatch
from spindle.model.errors import DiskFailed, Error, Failure
from spindle.model.ids import LogDir
from spindle.model.jobs import Appended, LogStart, MoveLogStart, Reset, Truncate
from spindle.model.log_values import LoadedLog
from spindle.model.outbox import Outbox
from spindle.node.replicas.broker_topic_stats import BrokerTopicStats
from spindle.node.replicas.fetch_purgatory import FetchPurgatory
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.state_changes import StateChanges
from spindle.wire.batch import stamped

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
"""A disk that says so is not dead, and the log on it can be read."""
MEND_DELAY: Final = 1.0
"""Seconds until a log is made as it was before the disk was full, and appends are tried again."""


class Writes:
    """The ways to change a log."""

    def __init__(self, out: Outbox, fetches: FetchPurgatory, changes: StateChanges) -> None:
        self._out = out
        self.stats = BrokerTopicStats()
        """What is written, and what others count beside it."""
        self.refused = RefusedSequences()
        self._fetches = fetches
        self._changes = changes
        self.at = -inf
        """When something was appended last."""
        self.timed: Callable[[LogDir, float, float], None] = lambda directory, began, now: None
        """Hears of each append that came back: its directory, when it was asked for, and now."""
        self.cut: Callable[[HostedPartition], None] = lambda hosted: None
        """Hears when the last cut under way of a log is done."""

    def append(
        self,
        hosted: HostedPartition,
        batches: list[RecordBatch],
        then: Callable[[], None] | None = None,
    ) -> None:
        """Append batches that have their offsets, then answer what waits for them and call `then`.

        A failure takes the partition offline.
        """
        self.at = self._out.now
        if then is None and hosted.jobs.join(batches, hosted.topic.sync):
            return  # Its result is the other's.
        # What a swap holds back says nothing about disks.
        began = None if hosted.jobs.is_frozen else self.at
        told = partial(self._on_appended, hosted, batches, began, then)
        hosted.jobs.append(batches, self._out.wall_ms, hosted.topic.sync, told)

    def _on_appended(
        self,
        hosted: HostedPartition,
        batches: list[RecordBatch],
        began: float | None,
        then: Callable[[], None] | None,
        result: Appended | Failure,
    ) -> None:
        if began is not None:
            self.timed(hosted.directory, began, self._out.now)
        machine = hosted.partition
        if hosted.is_offline:
            return
        if isinstance(result, DiskFailed) and result.errno in FULL:
            self._on_full(hosted, result)
            return
        if isinstance(result, Failure):
            self._changes.on_failure(hosted, result)
            return
        if hosted.full:
            return  # It follows one that was not written, and will be cut with it.
        hosted.size = result.size
        end = batches[-1].next_offset
        advance = machine.on_appended(end, self._out.now)
        stats = self.stats.of(hosted.name.topic)
        if machine.leads:
            size = 0
            for batch in batches:
                size += batch.size
                hosted.tail.add(batch.base_offset, batch.next_offset, batch.size, _kept(batch))
            stats.bytes_in += size
            stats.messages_in += end - batches[0].base_offset
            self._fetches.on_end(hosted, size)
        else:
            stats.replication_in += sum([batch.size for batch in batches])
        for waiter in hosted.delayed.at_end.take_reached(end):
            waiter(Error.NONE)
        if advance is not None:
            self._changes.settle(hosted, advance)
        if then is not None:
            then()

    def _on_full(self, hosted: HostedPartition, failure: DiskFailed) -> None:
        """There is no room: nothing of this append counts, nor of those behind it (B-12).

        The log is cut back to what was written before, so that offsets and producers are as if
        these batches had never come; until that has worked, nothing is appended. Then appends are
        tried again, while the replicas in sync go on without this one.
        """
        if not hosted.full:
            hosted.full = True
            # What was written may still be committed: to deny it would have it sent again.
            for waiters in (hosted.delayed.at_end, hosted.delayed.at_mark):
                for waiter in waiters.take_beyond(hosted.partition.log.end):
                    waiter(Error.KAFKA_STORAGE_ERROR)
            hosted.jobs.when_idle(lambda: self._mend(hosted))
        self._changes.post(LogJobFailed(failure))

    def _mend(self, hosted: HostedPartition) -> None:
        def later(then: Callable[[], None]) -> None:
            self._out.after(MEND_DELAY, then)

        def on_cut(result: LoadedLog | Failure) -> None:
            if hosted.is_offline:
                return
            if isinstance(result, DiskFailed) and result.errno in FULL:
                later(lambda: self._mend(hosted))
            elif isinstance(result, Failure):
                self._changes.on_failure(hosted, result)
            else:
                hosted.full = False
                hosted.partition.on_cut(result)
                self._changes.post(LogCrowded(hosted.id))
                if not hosted.resting:
                    hosted.resting = True
                    later(go_on)

        def go_on() -> None:
            hosted.resting = False
            if not hosted.is_offline:
                self._changes.resume(hosted)

        if not hosted.is_offline:
            job = partial(Truncate, key=hosted.key, offset=hosted.partition.log.end)
            hosted.jobs.write(job, on_cut)

    def truncate(self, hosted: HostedPartition, offset: int, then: Callable[[], None]) -> None:
        """Cut the log's end back to `offset`, then go on."""
        hosted.cutting += 1
        job = partial(Truncate, key=hosted.key, offset=offset)
        hosted.jobs.write(job, partial(self._on_cut, hosted, then))

    def reset(self, hosted: HostedPartition, offset: int, then: Callable[[], None]) -> None:
        """Throw all records away, begin again at `offset`, then go on."""
        hosted.cutting += 1
        job = partial(Reset, key=hosted.key, offset=offset)
        hosted.jobs.write(job, partial(self._on_cut, hosted, then))

    def _on_cut(
        self, hosted: HostedPartition, then: Callable[[], None], result: LoadedLog | Failure
    ) -> None:
        hosted.cutting -= 1
        if hosted.is_offline:
            return
        if isinstance(result, Failure):
            self._changes.on_failure(hosted, result)
            return
        hosted.partition.on_cut(result)
        hosted.tail.clear()
        hosted.size = result.size
        self._changes.post(LogTruncated(hosted.id, result.end))
        self._fetches.on_changed(hosted)
        if not hosted.cutting:
            self.cut(hosted)
        then()

    def move_start(self, hosted: HostedPartition, offset: int, then: Callable[[], None]) -> None:
        """Raise the log start offset, then go on."""

        def on_moved(result: LogStart | Failure) -> None:
            if hosted.is_offline:
                return
            if isinstance(result, Failure):
                self._changes.on_failure(hosted, result)
                return
            self.on_start(hosted, result)
            then()

        hosted.jobs.write(partial(MoveLogStart, key=hosted.key, offset=offset), on_moved)

    def on_start(self, hosted: HostedPartition, moved: LogStart) -> None:
        """The log begins somewhere else now: records were deleted, or retention has worked."""
        if moved.size < hosted.size:
            self._changes.post(LogShortened(hosted.directory, hosted.key))
        hosted.size = moved.size
        if moved.start > hosted.partition.log.start:
            hosted.partition.log.on_start_moved(moved.start)
            self._changes.post(LogStartMoved(hosted.id, moved.start))
            self._fetches.on_start(hosted)
            hosted.settle_starts()


def _kept(batch: RecordBatch) -> list[Buffer]:
    """A batch's bytes for the tail: copied where keeping them would keep a much larger frame."""
    buffers = stamped(batch)
    data = batch.data
    if isinstance(data, memoryview) and memoryview(data.obj).nbytes > 2 * len(data):
        return [b"".join(buffers)]
    return buffers
