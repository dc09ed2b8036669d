"""ListOffsets (2), versions 1-11.

Behaviour: per partition, of its leader:
- timestamp >= 0: the first record with that timestamp or a later one, below the high watermark;
- -1 latest: the high watermark (for a follower: the log's end);
- with isolation level read_committed both mean the last stable offset instead (KIP-98);
- -2 earliest and -4 earliest local: the log start, since no log has a remote part;
- -3: the record with the largest timestamp (KIP-734);
- -5 latest tiered, -6 earliest pending upload: none, offset -1 (there is no tiered storage);
- a new leader that has not learned its high watermark in this epoch says OFFSET_NOT_AVAILABLE to
  consumers that name the epoch, since its old mark may lie below what they have seen (KIP-207).

Version notes: 2 isolation level; 4 leader epochs; 7, 8, 9, 11 timestamps -3, -4, -5, -6; 10 a time
limit for remote storage.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from spindle.core.replica.partition import PartitionLeader
from spindle.model.errors import Error, Failure
from spindle.model.jobs import (
    FindOffset,
    FoundOffset,
)
from spindle.node.replicas.delayed_fetch import READ_COMMITTED
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest
from spindle.wire.messages.list_offsets_response import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

LATEST: Final = -1
EARLIEST: Final = -2
MAX_TIMESTAMP: Final = -3
EARLIEST_LOCAL: Final = -4
LATEST_TIERED: Final = -5
EARLIEST_PENDING: Final = -6
CONSUMER: Final = -1
DEBUGGER: Final = -2
_SINCE: Final = {MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9, EARLIEST_PENDING: 11}


def on_broker(
    broker: Broker, request: ListOffsetsRequest, context: RequestContext[ListOffsetsResponse]
) -> Later:
    """Find the offsets; those by time need the disk."""
    _OffsetSearch(broker, request, context).begin()
    return LATER


class _Tell(Protocol):
    """Takes the answer for one partition."""

    def __call__(
        self, error: Error, offset: int = -1, timestamp: int = -1, epoch: int = -1
    ) -> None: ...


_Told: TypeAlias = list[ListOffsetsPartitionResponse]
"""A topic's answers, in the order of its partitions."""
_UNTOLD: Final = ListOffsetsPartitionResponse()
"""In the place of an answer that has not come yet."""


class _OffsetSearch:
    """One request until every partition has its answer."""

    def __init__(
        self,
        broker: Broker,
        request: ListOffsetsRequest,
        context: RequestContext[ListOffsetsResponse],
    ) -> None:
        self._broker = broker
        self._request = request
        self._context = context
        self._told: list[_Told] = []
        self._left = 1

    def begin(self) -> None:
        for topic in self._request.topics:
            told = [_UNTOLD] * len(topic.partitions)
            self._told.append(told)
            for place, asked in enumerate(topic.partitions):
                self._left += 1
                self._find(topic.name, asked, told, place)
        self._settle()

    def _settle(self) -> None:
        self._left -= 1
        if self._left == 0:
            topics = tuple(
                ListOffsetsTopicResponse(name=topic.name, partitions=told)
                for topic, told in zip(self._request.topics, self._told, strict=True)
            )
            self._context.answer(ListOffsetsResponse(topics=topics))

    def _find(self, topic: str, asked: ListOffsetsPartition, told: _Told, place: int) -> None:
        def tell(error: Error, offset: int = -1, timestamp: int = -1, epoch: int = -1) -> None:
            told[place] = ListOffsetsPartitionResponse(
                partition_index=asked.partition_index,
                error_code=error,
                offset=offset,
                timestamp=timestamp,
                leader_epoch=epoch,
            )
            self._settle()

        hosted = self._hosted(topic, asked.partition_index)
        if not isinstance(hosted, HostedPartition):
            tell(hosted)
            return
        machine = hosted.partition
        named = asked.current_leader_epoch >= 0
        error = machine.check_epoch(asked.current_leader_epoch if named else -1)
        if error == Error.NONE:
            error = self._check(hosted, asked.timestamp, named)
        if error != Error.NONE:
            tell(error)
        elif asked.timestamp == LATEST:
            tell(Error.NONE, self._latest(hosted), -1, machine.leader_epoch)
        elif asked.timestamp in (EARLIEST, EARLIEST_LOCAL):
            tell(Error.NONE, machine.log.start, -1, machine.log.epochs.epoch_at(machine.log.start))
        elif asked.timestamp in (LATEST_TIERED, EARLIEST_PENDING):
            tell(Error.NONE)
        else:
            self._search(hosted, asked.timestamp, tell)

    def _hosted(self, topic: str, partition: int) -> HostedPartition | Error:
        replicas = self._broker.replicas
        if self._request.replica_id == DEBUGGER:
            return replicas.partitions.locate(topic, partition)
        return replicas.partitions.leader(topic, partition)

    def _check(self, hosted: HostedPartition, timestamp: int, named: bool) -> Error:
        if timestamp < EARLIEST_PENDING or self._context.version < _SINCE.get(timestamp, 0):
            return Error.UNSUPPORTED_VERSION
        role = hosted.partition.role
        if (
            self._request.replica_id == CONSUMER
            and timestamp not in (EARLIEST, EARLIEST_LOCAL)
            and isinstance(role, PartitionLeader)
            and hosted.partition.log.high_watermark < role.epoch_start
        ):
            return Error.OFFSET_NOT_AVAILABLE if named else Error.LEADER_NOT_AVAILABLE
        return Error.NONE

    def _latest(self, hosted: HostedPartition) -> int:
        machine = hosted.partition
        if self._request.replica_id != CONSUMER:
            return machine.log.next
        committed = self._request.isolation_level == READ_COMMITTED
        return machine.log.stable if committed else machine.log.high_watermark

    def _search(self, hosted: HostedPartition, timestamp: int, tell: _Tell) -> None:
        def on_found(result: FoundOffset | Failure) -> None:
            if isinstance(result, Failure):
                self._broker.replicas.changes.on_failure(hosted, result)
                tell(Error.KAFKA_STORAGE_ERROR)
            else:
                tell(Error.NONE, result.offset, result.timestamp, result.epoch)

        job = partial(FindOffset, key=hosted.key, timestamp=timestamp, limit=self._latest(hosted))
        hosted.jobs.run(job, on_found)
