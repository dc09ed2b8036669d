"""One ShareFetch until it is answered: it reads what is free, and waits while that is too little.

Kafka's DelayedShareFetch. Partitions are read one after the other, each from where its first free
record is, up to the high watermark, or to the last stable offset. Once there is enough, records are
acquired: a look that finds too little takes nothing, nor does an answer that a quota holds back.
Made by the handler of ShareFetch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

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
from spindle.wire.messages.share_fetch_request import ShareFetchRequest

WAIT_MAX: Final = 300.0
"""Seconds that a fetch may wait at most, whatever it asks for."""
RECORD_LIMIT: Final = 1
"""An acquire mode: no more records than asked for."""


def wait_of(request: ShareFetchRequest) -> float:
    """Seconds that a request may wait."""
    return min(max(request.max_wait_ms, 0) / 1000, WAIT_MAX)


class ShareFetchParams(NamedTuple):
    """What a request asks for as a whole."""

    key: ShareMemberKey
    wait: float
    """Seconds for which it may wait for `min_bytes`."""
    min_bytes: int
    max_bytes: int
    records: int
    batch_size: int
    strict: bool
    """No more than `records`, else whole batches."""

    @classmethod
    def of(
        cls, request: ShareFetchRequest, key: ShareMemberKey, limit: int, most: int | None
    ) -> ShareFetchParams:
        """As a request says, within the broker's `limit` of bytes and what a quota ever admits."""
        max_bytes = min(request.max_bytes, limit if most is None else min(limit, most))
        return cls(
            key,
            wait_of(request),
            min(request.min_bytes, max_bytes),
            max_bytes,
            request.max_records,
            request.batch_size,
            request.share_acquire_mode == RECORD_LIMIT,
        )

    @property
    def asks(self) -> bool:
        """Whether it asks for any records."""
        return self.records > 0 and self.max_bytes > 0


@dataclass(slots=True)
class SharedRecords:
    """What was found in one partition."""

    error: Error = Error.NONE
    buffers: list[Buffer] = field(default_factory=list)
    acquired: list[StateBatch] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Bytes of records."""
        return sum(map(len, self.buffers))


class _Reading(NamedTuple):
    """What was read of one partition from `offset` on: no other fetch reads it until it is done."""

    id: PartitionId
    shared: SharedPartition
    offset: int
    size: int = 0
    read: Sequence[RecordBatch] = ()
    aborted: Sequence[AbortedTransaction] = ()

    @property
    def offered(self) -> int:
        """Records in it, about: those that are with members count, too."""
        return self.read[-1].last_offset - self.offset + 1 if self.read else 0


class DelayedShareFetch:
    """One fetch. `then` gets what was found, once."""

    def __init__(
        self,
        manager: SharePartitionManager,
        params: ShareFetchParams,
        partitions: Sequence[PartitionId],
        refused: Callable[[PartitionId], Error],
        admits: Callable[[int], bool],
        then: Callable[[dict[PartitionId, SharedRecords]], None],
    ) -> None:
        """`refused`: why the client may not read a partition. `admits`: whether an answer with so
        many bytes of records may go out; asked once."""
        self._manager = manager
        self._params = params
        self._partitions = partitions
        self._refused = refused
        self._admits = admits
        self._then: Callable[[dict[PartitionId, SharedRecords]], None] | None = then
        self._found: dict[PartitionId, SharedRecords] = {}
        self._waits: list[SharedPartition] = []
        self._readings: list[_Reading] = []
        self._timed_out = params.wait <= 0
        self._looking = False
        self._again = False

    def begin(self) -> None:
        """Look for records; wait for so long at most."""
        if not self._timed_out:
            self._manager.replicas.purgatory.park(self._params.wait, self)
        self._look()

    def on_deadline(self) -> None:
        """It has waited for long enough: what there is now is enough."""
        self._timed_out = True
        if not self._looking:
            self._look()

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
        self._readings = []
        ready: list[tuple[PartitionId, SharedPartition]] = []
        idle = True
        for id in self._partitions:
            shared = self._shared(id)
            machine = None if shared is None else shared.ready()
            if shared is None:
                continue
            if shared.busy:
                self._wait_turn(shared)
            elif machine is None or not machine.can_acquire:
                self._wait_for(shared)
            elif machine.next >= self._limit(shared):
                idle = False
                self._wait_for(shared)
            else:
                idle = False
                ready.append((id, shared))
        self._step(ready, max(self._params.max_bytes // max(len(ready), 1), 1), idle)

    def _shared(self, id: PartitionId) -> SharedPartition | None:
        """A partition that may be read; None: the answer says why it may not."""
        shared = self._refused(id) or self._manager.find(self._params.key.group_id, id)
        if not isinstance(shared, SharedPartition):
            self._refuse(id, shared)
            return None
        if shared.error:
            self._refuse(id, shared.error)
            return None
        return shared

    def _refuse(self, id: PartitionId, error: Error) -> None:
        """The answer names the error; where its disk has failed, once the next leader is known."""
        successors = self._manager.replicas.partitions.successors
        if self._timed_out or not successors.wait(id, self._on_news):
            self._found[id] = SharedRecords(error)

    @property
    def _committed(self) -> bool:
        return self._manager.settings(self._params.key.group_id).committed

    def _limit(self, shared: SharedPartition) -> int:
        log = shared.hosted.partition.log
        return log.stable if self._committed else log.high_watermark

    def _step(
        self, ready: list[tuple[PartitionId, SharedPartition]], share: int, idle: bool
    ) -> None:
        """Read the next partition, at most `share` bytes of it. `idle`: none can be acquired."""
        while ready and self._wants_more():
            id, shared = ready.pop(0)
            if shared.error:
                self._refuse(id, shared.error)
            elif shared.busy:
                self._wait_turn(shared)
            elif self._reads(id, shared, share, lambda: self._step(ready, share, idle)):
                return
        self._conclude(idle)

    def _wants_more(self) -> bool:
        """Whether what was read is too little for what is asked."""
        size, params = self._size, self._params
        if size >= params.max_bytes:
            return False
        records = sum(reading.offered for reading in self._readings)
        return size < params.min_bytes or records < params.records

    @property
    def _size(self) -> int:
        return sum(reading.size for reading in self._readings)

    def _reads(
        self, id: PartitionId, shared: SharedPartition, share: int, then: Callable[[], None]
    ) -> bool:
        """Begin to read a partition; True: `then` is called later."""
        machine = shared.ready()
        limit = self._limit(shared)
        if machine is None or machine.next >= limit:
            self._wait_for(shared)
            return False
        shared.begin_reading()
        reading, first = _Reading(id, shared, machine.next), not self._size
        most = min(share, self._params.max_bytes - self._size)
        if not self._committed:
            kept = shared.hosted.tail.read(reading.offset, limit, most, first)
            if kept is not None:
                self._on_data(reading, b"".join(kept[0]), ())
                return False

        def on_read(result: ReadResult | Failure) -> None:
            if isinstance(result, Failure):
                self._manager.replicas.changes.on_failure(shared.hosted, result)
                self._refuse(id, Error.KAFKA_STORAGE_ERROR)
                shared.done()
            else:
                self._on_data(reading, bytes(result.data), tuple(result.aborted))
            then()

        where = partial(Read, key=shared.hosted.key, offset=reading.offset, limit=limit)
        job = partial(where, max_bytes=most, at_least_one=first, committed=self._committed)
        shared.hosted.jobs.run(job, on_read)
        return True

    def _on_data(
        self, reading: _Reading, data: bytes, aborted: Sequence[AbortedTransaction]
    ) -> None:
        try:
            read = batches.split(data, partial=True)
        except Corrupt:
            self._found[reading.id] = SharedRecords(Error.CORRUPT_MESSAGE)
            reading.shared.done()
        else:
            self._readings.append(reading._replace(size=len(data), read=read, aborted=aborted))

    def _wait_turn(self, shared: SharedPartition) -> None:
        self._waits.append(shared)
        shared.wait_turn(self._on_news)

    def _wait_for(self, shared: SharedPartition) -> None:
        self._waits.append(shared)
        shared.wait(self._on_news)

    # --- acquiring ------------------------------------------------------------------------------

    def _conclude(self, idle: bool) -> None:
        """All was read: take it, or wait for more."""
        self._looking = False
        readings, size = self._readings, self._size
        enough = not idle and size >= self._params.min_bytes
        moved = False
        if self._timed_out or self._found or enough:
            moved = self._take_all(readings)
        if self._found or self._timed_out or (enough and not size):
            self._answer()
        elif moved or self._again:  # All was skipped: the next records come. Or there are more.
            self._again = True
            self._manager.replicas.out.in_turn(self._resume)
        else:
            for reading in readings:
                self._wait_for(reading.shared)
        self._readings = []
        for reading in readings:
            reading.shared.done()

    def _take_all(self, readings: Sequence[_Reading]) -> bool:
        """Acquire what was read; whether any partition has moved on."""
        left, moved = self._params.records, False
        for reading in readings:
            machine = reading.shared.machine
            if reading.shared.error or machine is None:
                self._refuse(reading.id, reading.shared.error)
            elif left > 0:
                before = machine.next
                left -= self._take(reading, left)
                moved = moved or machine.next > before
        return moved

    def _take(self, reading: _Reading, left: int) -> int:
        """Acquire at most so many records of a partition, or whole batches; how many it were."""
        params, shared, read = self._params, reading.shared, reading.read
        size = left if params.strict else max(params.batch_size, 1)
        ask = Acquisition(params.key.member_id, left, size, params.strict)
        spans = [(batch.base_offset, batch.last_offset) for batch in read]
        acquired = shared.acquire(ask, spans, _aborted(read, reading.aborted), reading.offset)
        if not acquired:
            return 0
        buffers = [
            batch.data
            for batch in read
            if any(a.first <= batch.last_offset and batch.base_offset <= a.last for a in acquired)
        ]
        self._found[reading.id] = SharedRecords(Error.NONE, buffers, acquired)
        return sum(a.last - a.first + 1 for a in acquired)

    # --- the answer -----------------------------------------------------------------------------

    def _leave(self) -> None:
        for shared in self._waits:
            shared.leave(self._on_news)
        self._waits.clear()

    def _answer(self) -> None:
        then, self._then = self._then, None
        assert then is not None
        self._manager.replicas.purgatory.leave(self)
        self._leave()
        if not self._admits(sum(found.size for found in self._found.values())):
            self._take_back()
        then(self._found)

    def _take_back(self) -> None:
        """The client gets nothing now: what was acquired for it is free, as it was."""
        for reading in self._readings:
            reading.shared.take_back(self._found.get(reading.id, SharedRecords()).acquired)
        self._found = {}


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
