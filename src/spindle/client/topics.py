"""Topics and partitions: the requests behind the AdminClient's methods of the same names.

Called by `admin` alone; see there for what the calls mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from spindle.client.cluster import Cluster
from spindle.client.deadline import Deadline
from spindle.client.failures import Refused
from spindle.client.per_item import PerItem
from spindle.client.results import (
    NewPartitions,
    NewTopic,
    PartitionDescription,
    TopicDescription,
)
from spindle.model.errors import Error
from spindle.model.ids import NodeId, TopicPartition
from spindle.wire.messages.create_partitions_request import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from spindle.wire.messages.create_partitions_response import CreatePartitionsTopicResult
from spindle.wire.messages.create_topics_request import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from spindle.wire.messages.create_topics_response import CreatableTopicResult
from spindle.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from spindle.wire.messages.delete_topics_response import DeletableTopicResult
from spindle.wire.messages.elect_leaders_request import ElectLeadersRequest, TopicPartitions
from spindle.wire.messages.elect_leaders_response import PartitionResult
from spindle.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from spindle.wire.messages.metadata_response import MetadataResponse, MetadataResponseTopic

K = TypeVar("K")
V = TypeVar("V")
_Result: TypeAlias = (
    CreatableTopicResult | DeletableTopicResult | CreatePartitionsTopicResult | PartitionResult
)

_ASKS_FOR_ALL = 1
"""The version of Metadata from which on null asks for all topics."""

SERVER_SHARE = 0.9
"""Of the time that is left, the part for the server: its time-out must come before ours."""


def server_time(deadline: Deadline) -> int:
    """The time limit to write into a request that carries one, in milliseconds."""
    return max(1, int(deadline.left * SERVER_SHARE * 1000))


async def list_all(cluster: Cluster, deadline: Deadline) -> dict[str, TopicDescription]:
    """Every topic by name; topics that vanish while they are listed are left out."""
    answer = await _metadata(cluster, None, deadline)
    return {
        t.name: _topic(t.name, t)
        for t in sorted(answer.topics, key=lambda t: str(t.name))
        if t.name is not None and t.error_code == Error.NONE
    }


async def describe(
    cluster: Cluster, items: PerItem[str, TopicDescription], deadline: Deadline
) -> None:
    """Settle each topic's description."""
    answer = await _metadata(cluster, list(items), deadline)
    for topic in answer.topics:
        name = topic.name or ""
        if topic.error_code:
            items.fail(name, refused(topic.error_code, "Metadata", name))
        else:
            items.answer(name, _topic(name, topic))
    _rest(items, "Metadata")


async def create(
    cluster: Cluster,
    items: PerItem[str, None],
    topics: Sequence[NewTopic],
    validate_only: bool,
    deadline: Deadline,
) -> None:
    """Settle each new topic."""

    request = CreateTopicsRequest(
        topics=tuple(map(_new_topic, topics)),
        timeout_ms=server_time(deadline),
        validate_only=validate_only,
    )
    answer = await cluster.ask_controller(request, deadline)
    _settle(items, ((t.name, t) for t in answer.topics), "CreateTopics")


async def delete(cluster: Cluster, items: PerItem[str, None], deadline: Deadline) -> None:
    """Settle each topic's deletion."""
    names = tuple(items)

    request = DeleteTopicsRequest(
        topics=tuple(DeleteTopicState(name=name) for name in names),
        topic_names=names,  # the same for versions that know no ids
        timeout_ms=server_time(deadline),
    )
    answer = await cluster.ask_controller(request, deadline)
    results = ((t.name, t) for t in answer.responses if t.name is not None)
    _settle(items, results, "DeleteTopics")


async def create_partitions(
    cluster: Cluster,
    items: PerItem[str, None],
    totals: Mapping[str, NewPartitions],
    validate_only: bool,
    deadline: Deadline,
) -> None:
    """Settle each topic's growth."""

    request = CreatePartitionsRequest(
        topics=tuple(
            CreatePartitionsTopic(
                name=name,
                count=new.total,
                assignments=None
                if new.assignment is None
                else tuple(
                    CreatePartitionsAssignment(broker_ids=tuple(brokers))
                    for brokers in new.assignment
                ),
            )
            for name, new in totals.items()
        ),
        timeout_ms=server_time(deadline),
        validate_only=validate_only,
    )
    answer = await cluster.ask_controller(request, deadline)
    _settle(items, ((t.name, t) for t in answer.results), "CreatePartitions")


async def elect_leaders(
    cluster: Cluster,
    items: PerItem[TopicPartition, None],
    preferred: bool,
    deadline: Deadline,
) -> None:
    """Settle each partition's election."""

    request = ElectLeadersRequest(
        election_type=0 if preferred else 1,
        topic_partitions=tuple(
            TopicPartitions(topic=topic, partitions=tuple(partitions))
            for topic, partitions in by_topic(items).items()
        ),
        timeout_ms=server_time(deadline),
    )
    answer = await cluster.ask_controller(request, deadline)
    results = (
        (TopicPartition(t.topic, p.partition_id), p)
        for t in answer.replica_election_results
        for p in t.partition_result
    )
    _settle(items, results, "ElectLeaders")


def by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Partition numbers by topic, in the order given."""
    found: dict[str, list[int]] = {}
    for topic, partition in partitions:
        found.setdefault(topic, []).append(partition)
    return found


async def _metadata(
    cluster: Cluster, names: list[str] | None, deadline: Deadline
) -> MetadataResponse:
    topics = None
    if names is not None:
        topics = tuple(MetadataRequestTopic(name=name) for name in names)
    request = MetadataRequest(topics=topics, allow_auto_topic_creation=False)
    return await cluster.ask_any(request, deadline, since=_ASKS_FOR_ALL)


def _topic(name: str, topic: MetadataResponseTopic) -> TopicDescription:
    return TopicDescription(
        name=name,
        topic_id=topic.topic_id,
        internal=topic.is_internal,
        partitions=tuple(
            PartitionDescription(
                partition=p.partition_index,
                leader=p.leader_id,
                leader_epoch=p.leader_epoch,
                replicas=_ids(p.replica_nodes),
                isr=_ids(p.isr_nodes),
                offline=_ids(p.offline_replicas),
            )
            for p in sorted(topic.partitions, key=lambda p: p.partition_index)
        ),
    )


def _ids(values: Iterable[int]) -> tuple[NodeId, ...]:
    return tuple(int(v) for v in values)


def _new_topic(topic: NewTopic) -> CreatableTopic:
    assignment = topic.assignment or {}
    return CreatableTopic(
        name=topic.name,
        num_partitions=-1 if assignment else topic.partitions,
        replication_factor=-1 if assignment else topic.replication_factor,
        assignments=tuple(
            CreatableReplicaAssignment(partition_index=p, broker_ids=tuple(brokers))
            for p, brokers in assignment.items()
        ),
        configs=tuple(
            CreatableTopicConfig(name=name, value=value) for name, value in topic.configs.items()
        ),
    )


def _settle(items: PerItem[K, None], results: Iterable[tuple[K, _Result]], api: str) -> None:
    for key, result in results:
        if result.error_code:
            words = result.error_message or ""
            items.fail(key, refused(result.error_code, api, key, words))
        else:
            items.answer(key, None)
    _rest(items, api)


def _rest(items: PerItem[K, V], api: str) -> None:
    for key in items:
        items.fail(key, not_answered(api, key))


def refused(code: int, api: str, item: object, words: str = "") -> Refused:
    """The failure of one item of a request to the cluster."""
    return Refused(code, f"{api} of {item}", "the cluster", words)


def not_answered(api: str, item: object) -> Refused:
    """The failure of an item which is absent from an answer that ought to name it."""
    return refused(Error.UNKNOWN_SERVER_ERROR, api, item, "the answer does not mention it")
