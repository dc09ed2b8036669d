"""DescribeTopicPartitions (75), version 0 (KIP-966).

Behaviour: topics in the order of their names, with their partitions and eligible leader replicas,
in pages of at most so many partitions (a topic that is not there takes the room of one); the cursor
tells where the next page begins. Never creates a topic. No topics at all means all of them. All
operations are authorized, as there are no ACLs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from spindle.model.errors import Error, Refusal
from spindle.model.image import ClusterImage, TopicState
from spindle.model.metadata_records import PartitionRegistration
from spindle.node import authorized, topology
from spindle.node.request_context import Later, RequestContext
from spindle.node.slices import ONE, REST, REST_AFTER, Pause
from spindle.node.topic_creation import INTERNAL, is_legal
from spindle.wire.messages.describe_topic_partitions_request import DescribeTopicPartitionsRequest
from spindle.wire.messages.describe_topic_partitions_response import (
    Cursor,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

PAGE_MAX: Final = 2_000
"""Partitions in one answer, whatever the client allows; a topic that is not there counts as one."""


def on_broker(
    broker: Broker,
    request: DescribeTopicPartitionsRequest,
    context: RequestContext[DescribeTopicPartitionsResponse],
) -> Later:
    """Describe a page of partitions."""
    cursor = request.cursor
    if cursor is not None and cursor.partition_index < 0:
        raise Refusal(Error.INVALID_REQUEST, "the cursor's partition is negative")
    page = _Page(broker.image, request, context.listener)
    return broker.slices.answer(request, context, page.topics(), page.respond)


class _Page:
    """One page in the making: the first of the names, as many as it may have."""

    def __init__(
        self, image: ClusterImage, request: DescribeTopicPartitionsRequest, listener: str
    ) -> None:
        self._image = image
        self._request = request
        self._listener = listener
        self._left = min(max(request.response_partition_limit, 1), PAGE_MAX)
        self._next: Cursor | None = None

    def respond(
        self, topics: Sequence[DescribeTopicPartitionsResponseTopic]
    ) -> DescribeTopicPartitionsResponse:
        """The answer with these topics."""
        return DescribeTopicPartitionsResponse(topics=topics, next_cursor=self._next)

    def topics(self) -> Iterator[DescribeTopicPartitionsResponseTopic | Pause]:
        """The topics of the page, with rests."""
        cursor = self._request.cursor
        start = "" if cursor is None else cursor.topic_name
        names: list[str] = []
        for _ in _least(self._asked(), start, self._left + 1, names):
            yield REST
        seen = topology.Listening(self._image, self._listener)
        for name in names:
            first = cursor.partition_index if cursor is not None and name == start else 0
            if self._left <= 0:
                self._go_on_at(name, first)
                return
            state = self._image.topic(name)
            if state is None:
                self._left -= 1  # A page is bounded, whatever is asked for.
                yield _absent(name)
                continue
            page = [state.partitions[i] for i in sorted(state.partitions) if i >= first]
            yield from _topic(seen, state, page[: self._left])
            if len(page) > self._left:
                self._go_on_at(name, page[self._left].partition_id)
                return
            self._left -= len(page)

    def _asked(self) -> Iterable[str]:
        if self._request.topics:
            return (topic.name for topic in self._request.topics)
        return list(self._image.topic_ids)

    def _go_on_at(self, name: str, partition: int) -> None:
        self._next = Cursor(topic_name=name, partition_index=partition)


def _least(asked: Iterable[str], start: str, count: int, found: list[str]) -> Iterator[None]:
    """Put the first `count` of the names from `start` on into `found`; rests now and then."""
    left = iter(asked)
    while some := list(islice(left, REST_AFTER)):
        found[:] = sorted({*found, *(name for name in some if name >= start)})[:count]
        yield


def refuse(
    request: DescribeTopicPartitionsRequest,
    context: RequestContext[DescribeTopicPartitionsResponse],
    error: Error,
    message: str,
) -> DescribeTopicPartitionsResponse:
    """The error at every topic."""
    return DescribeTopicPartitionsResponse(
        topics=tuple(
            DescribeTopicPartitionsResponseTopic(error_code=error, name=topic.name)
            for topic in request.topics
        )
    )


def _absent(name: str) -> DescribeTopicPartitionsResponseTopic:
    known = Error.UNKNOWN_TOPIC_OR_PARTITION if is_legal(name) else Error.INVALID_TOPIC_EXCEPTION
    return DescribeTopicPartitionsResponseTopic(
        error_code=known,
        name=name,
        is_internal=name in INTERNAL,
        topic_authorized_operations=authorized.TOPIC,
    )


def _topic(
    seen: topology.Listening, state: TopicState, page: list[PartitionRegistration]
) -> Iterator[DescribeTopicPartitionsResponseTopic | Pause]:
    told = []
    for partition in page:
        told.append(_partition(seen, partition))
        yield ONE
    yield DescribeTopicPartitionsResponseTopic(
        name=state.name,
        topic_id=state.topic_id,
        is_internal=state.name in INTERNAL,
        topic_authorized_operations=authorized.TOPIC,
        partitions=tuple(told),
    )


def _partition(
    seen: topology.Listening, partition: PartitionRegistration
) -> DescribeTopicPartitionsResponsePartition:
    error, leader = seen.leading(partition)
    return DescribeTopicPartitionsResponsePartition(
        error_code=error,
        partition_index=partition.partition_id,
        leader_id=leader,
        leader_epoch=partition.leader_epoch,
        replica_nodes=partition.replicas,
        isr_nodes=partition.isr,
        eligible_leader_replicas=partition.elr,
        last_known_elr=partition.last_known_elr,
        offline_replicas=seen.offline_replicas(partition),
    )
