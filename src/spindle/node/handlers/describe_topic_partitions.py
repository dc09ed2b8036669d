"""DescribeTopicPartitions (75), version 0 (KIP-966).

Behaviour: topics in the order of their names, with their partitions and eligible leader replicas,
in pages of at most so many partitions; the cursor tells where the next page begins. Never creates
a topic. No topics at all means all of them. All operations are authorized, as there are no ACLs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from spindle.model.errors import Error, Refusal
from spindle.model.image import ClusterImage, TopicState
from spindle.model.records import Partition
from spindle.node import authorized, topology
from spindle.node.calls import Call
from spindle.node.topic_creation import INTERNAL, is_legal
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker

PAGE_MAX: Final = 2_000
"""Partitions in one answer, whatever the client allows."""


def on_broker(broker: Broker, call: Call) -> None:
    """Describe a page of partitions."""
    image: ClusterImage = broker.image
    names, first = _asked(image, call)
    seen = topology.Listening(image, call.listener)
    left = min(max(call.body.response_partition_limit, 1), PAGE_MAX)
    topics, cursor = [], None
    for name in names:
        state = image.topic(name)
        if state is None:
            topics.append(_absent(call, name))
            continue
        if left <= 0:
            cursor = call.reply.Cursor(topic_name=name, partition_index=first)
            break
        page = [state.partitions[i] for i in sorted(state.partitions) if i >= first]
        topics.append(_topic(seen, call, state, page[:left]))
        if len(page) > left:
            cursor = call.reply.Cursor(topic_name=name, partition_index=page[left].partition_id)
            break
        left, first = left - len(page), 0
    call.answer(
        make(call.reply.DescribeTopicPartitionsResponse, topics=tuple(topics), next_cursor=cursor)
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """The error at every topic."""
    r = call.reply
    return make(
        r.DescribeTopicPartitionsResponse,
        topics=tuple(
            make(r.DescribeTopicPartitionsResponseTopic, error_code=error, name=topic.name)
            for topic in call.body.topics
        ),
        next_cursor=None,
    )


def _asked(image: ClusterImage, call: Call) -> tuple[list[str], int]:
    """Names still to tell, and the partition to begin with in the first of them."""
    names = sorted({topic.name for topic in call.body.topics} or image.topic_ids)
    cursor = call.body.cursor
    if cursor is None:
        return names, 0
    if cursor.partition_index < 0:
        raise Refusal(Error.INVALID_REQUEST, "the cursor's partition is negative")
    rest = [name for name in names if name >= cursor.topic_name]
    return rest, cursor.partition_index if rest[:1] == [cursor.topic_name] else 0


def _absent(call: Call, name: str) -> Any:
    known = Error.UNKNOWN_TOPIC_OR_PARTITION if is_legal(name) else Error.INVALID_TOPIC_EXCEPTION
    return make(
        call.reply.DescribeTopicPartitionsResponseTopic,
        error_code=known,
        name=name,
        is_internal=name in INTERNAL,
        topic_authorized_operations=authorized.TOPIC,
    )


def _topic(seen: topology.Listening, call: Call, state: TopicState, page: list[Partition]) -> Any:
    return make(
        call.reply.DescribeTopicPartitionsResponseTopic,
        error_code=Error.NONE,
        name=state.name,
        topic_id=state.topic_id,
        is_internal=state.name in INTERNAL,
        topic_authorized_operations=authorized.TOPIC,
        partitions=tuple(_partition(seen, call, p) for p in page),
    )


def _partition(seen: topology.Listening, call: Call, partition: Partition) -> Any:
    error, leader = seen.leading(partition)
    return make(
        call.reply.DescribeTopicPartitionsResponsePartition,
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
