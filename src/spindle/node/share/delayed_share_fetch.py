"""One ShareFetch until it is answered: it looks for free records, and waits while there are none.

Kafka's DelayedShareFetch. Partitions are looked at one after the other; each is read from where its
first free record is, up to the high watermark, or to the last stable offset. Made by the handler of
ShareFetch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from spindle.core.share.share_partition import Acquisition
from spindle.core.share.share_sessions import ShareMemberKey
from spindle.core.share.share_values import StateBatch
from spindle.model.batches import Buffer, RecordBatch
from spindle.model.errors import Corrupt, Error, Failure
from spindle.model.ids import PartitionId
from spindle.model.jobs import Read, ReadResult
from spindle.model.log_values import AbortedTransaction
from spindle.node.share.share_partition_manager import SharePartitionManager
from spindle.node.share.shared_partition import SharedPartition
from spindle.wire import batch as batches
from spindle.wire.control import marker_of


class ShareFetchParams(NamedTuple):
    """What a request asks for as a whole."""

    key: ShareMemberKey
    wait: float
    """Seconds for which it may wait."""
    max_bytes: int
    records: int
    batch_size: int
    strict: bool
    """No more than `records`, else whole batches."""


@dataclass(slots=True)
class SharedRecords:
    """What was found in one partition."""

    error: Error = Error.NONE
    buffers: list[Buffer] = field(default_factory=list)
    acquired: list[StateBatch] = field(default_factory=list)


class DelayedShareFetch:
    """One fetch. `then` gets what was found, once."""

    def __init__(
        self,
        manager: SharePartitionManager,
        params: ShareFetchParams,
        partitions: Sequence[PartitionId],
        refused: Callable[[PartitionId], Error],
        then: Callable[[dict[PartitionId, SharedRecords]], None],
    ) -> None:
        """`refused`: why the client may not read a partition."""
        self._manager = manager
        self._params = params
        self._partitions = partitions
        self._refused = refused
        self._then: Callable[[dict[PartitionId, SharedRecords]], None] | None = then
        self._found: dict[PartitionId, SharedRecords] = {}
        self._waits: list[SharedPartition] = []
        self._timed_out = params.wait <= 0
        self._looking = False
        self._again = False
        self._left = params.records
        self._bytes = params.max_bytes

    def begin(self) -> None:
        """Look for records; wait for so long at most."""
        if not self._timed_out:
            self._manager.replicas.purgatory.park(self._params.wait, self)
        self._look()

    def on_deadline(self) -> None:
        """It has waited for long enough."""
        self._timed_out = True
        if not self._looking:
            self._answer()

    # --- looking --------------------------------------------------------------------------------

    def _on_news(self) -> None:
        """Records may be free in a partition that we wait for."""
        if not self._again:
            self._again = True
            self._manager.replicas.out.in_turn(self._resume)

    def _resume(self) -> None:
        if self._again and not self._looking and self._then is not None:
            self._look()

    def _look(self) -> None:
        self._looking, self._again = True, False
        self._leave()
        self._step(list(self._partitions))

    def _step(self, left: list[PartitionId]) -> None:
        """Look at the next partition that has something to read."""
        while left and self._left > 0 and self._bytes > 0:
            id = left.pop(0)
            if id in self._found:
                continue
            error = self._refused(id)
            shared = error or self._manager.find(self._params.key.group_id, id)
            if not isinstance(shared, SharedPartition):
                self._found[id] = SharedRecords(shared)
            elif shared.error:
                self._found[id] = SharedRecords(shared.error)
            elif self._reads(id, shared, left):
                return
        self._looking = False
        if self._found or self._timed_out:
            self._answer()
        elif self._again:
            self._manager.replicas.out.in_turn(self._resume)

    def _reads(self, id: PartitionId, shared: SharedPartition, left: list[PartitionId]) -> bool:
        """Begin to read a partition; False: there is nothing now, and we wait for it."""
        machine = shared.ready()
        log = shared.hosted.partition.log
        committed = self._manager.settings(self._params.key.group_id).committed
        limit = log.stable if committed else log.high_watermark
        waits = machine is None or shared.busy or not machine.can_acquire or machine.next >= limit
        if waits or machine is None:
            self._wait_for(shared)
            return False
        shared.busy = True
        offset, first = machine.next, not self._found

        if not committed:
            kept = shared.hosted.tail.read(offset, limit, self._bytes, first)
            if kept is not None:
                self._on_data(id, shared, left, offset, b"".join(kept[0]), ())
                return False

        def on_read(result: ReadResult | Failure) -> None:
            if isinstance(result, Failure):
                self._manager.replicas.changes.on_failure(shared.hosted, result)
                self._found[id] = SharedRecords(Error.KAFKA_STORAGE_ERROR)
                shared.done()
            else:
                self._on_data(id, shared, left, offset, bytes(result.data), result.aborted)
            self._step(left)

        where = partial(Read, key=shared.hosted.key, offset=offset, limit=limit)
        job = partial(where, max_bytes=self._bytes, at_least_one=first, committed=committed)
        shared.hosted.jobs.run(job, on_read)
        return True

    def _wait_for(self, shared: SharedPartition) -> None:
        self._waits.append(shared)
        shared.wait(self._on_news)

    def _on_data(
        self,
        id: PartitionId,
        shared: SharedPartition,
        left: list[PartitionId],
        offset: int,
        data: Buffer,
        aborted: Iterable[AbortedTransaction],
    ) -> None:
        """Records were read from `offset` on; where all were skipped, the next ones come."""
        before = -1 if shared.machine is None else shared.machine.next
        if self._then is not None:
            self._take(id, shared, offset, data, aborted)
        shared.done()
        if id not in self._found and self._then is not None:
            if shared.machine is not None and shared.machine.next > before:
                left.insert(0, id)
            else:
                self._wait_for(shared)

    def _take(
        self,
        id: PartitionId,
        shared: SharedPartition,
        offset: int,
        data: Buffer,
        aborted: Iterable[AbortedTransaction],
    ) -> None:
        """Acquire what was read."""
        if shared.error or shared.machine is None:
            self._found[id] = SharedRecords(shared.error)
            return
        try:
            read = batches.split(data, partial=True)
        except Corrupt:
            self._found[id] = SharedRecords(Error.CORRUPT_MESSAGE)
            return
        ask = Acquisition(
            self._params.key.member_id, self._left, self._params.batch_size, self._params.strict
        )
        spans = [(batch.base_offset, batch.last_offset) for batch in read]
        acquired = shared.acquire(ask, spans, _aborted(read, aborted), offset)
        if not acquired:
            return
        buffers = [
            batch.data
            for batch in read
            if any(a.first <= batch.last_offset and batch.base_offset <= a.last for a in acquired)
        ]
        self._found[id] = SharedRecords(Error.NONE, buffers, acquired)
        self._left -= sum(a.last - a.first + 1 for a in acquired)
        self._bytes -= sum(map(len, buffers))

    # --- the answer -----------------------------------------------------------------------------

    def _leave(self) -> None:
        for shared in self._waits:
            shared.leave(self._on_news)
        self._waits.clear()

    def _answer(self) -> None:
        then, self._then = self._then, None
        if then is None:
            return
        self._manager.replicas.purgatory.leave(self)
        self._leave()
        then(self._found)


def _aborted(read: Sequence[RecordBatch], aborted: Iterable[AbortedTransaction]) -> list[int]:
    """The first offsets of batches that belong to transactions that were aborted."""
    waiting = sorted(aborted, key=lambda a: a.first)
    if not waiting:
        return []
    open_: set[int] = set()
    found: list[int] = []
    for batch in read:
        while waiting and waiting[0].first <= batch.last_offset:
            open_.add(waiting.pop(0).producer_id)
        if batch.is_control:
            marker = marker_of(batch)
            if marker is not None and not marker.committed:
                open_.discard(batch.producer_id)
        elif batch.is_transactional and batch.producer_id in open_:
            found.append(batch.base_offset)
    return found
