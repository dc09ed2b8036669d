"""Topics and partitions: the requests behind the AdminClient's methods of the same names.

Called by `admin` alone; see there for what the calls mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spindle.client.cluster import Cluster, Deadline
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
from spindle.wire.apis import Key
from spindle.wire.entities import make, ms, request_types

SERVER_SHARE = 0.9
"""Of the time that is left, what the server may use: its own time-out shall come before ours."""


def server_time(deadline: Deadline) -> Any:
    """The time limit to write into a request that carries one."""
    return ms(max(1, int(deadline.left * SERVER_SHARE * 1000)))


async def list_all(cluster: Cluster, deadline: Deadline) -> dict[str, TopicDescription]:
    """Every topic by name; topics that vanish while they are listed are left out."""
    answer = await _metadata(cluster, None, deadline)
    return {
        t.name: _topic(t)
        for t in sorted(answer.topics, key=lambda t: str(t.name))
        if t.error_code == Error.NONE
    }


async def describe(
    cluster: Cluster, items: PerItem[str, TopicDescription], deadline: Deadline
) -> None:
    """Settle each topic's description."""
    answer = await _metadata(cluster, list(items), deadline)
    for topic in answer.topics:
        if topic.error_code:
            items.fail(topic.name, refused(topic.error_code, "Metadata", topic.name))
        else:
            items.answer(topic.name, _topic(topic))
    _rest(items, "Metadata")


async def create(
    cluster: Cluster,
    items: PerItem[str, None],
    topics: Sequence[NewTopic],
    validate_only: bool,
    deadline: Deadline,
) -> None:
    """Settle each new topic."""

    def build(version: int) -> Any:
        types = request_types(Key.CREATE_TOPICS, version)
        return make(
            types.CreateTopicsRequest,
            topics=tuple(_new_topic(types, topic) for topic in topics),
            timeout=server_time(deadline),
            validate_only=validate_only,
        )

    answer = await cluster.ask_controller(Key.CREATE_TOPICS, build, deadline)
    _settle(items, ((t.name, t) for t in answer.topics), "CreateTopics")


async def delete(cluster: Cluster, items: PerItem[str, None], deadline: Deadline) -> None:
    """Settle each topic's deletion."""
    names = tuple(items)

    def build(version: int) -> Any:
        types = request_types(Key.DELETE_TOPICS, version)
        if version >= 6:
            which = {"topics": tuple(make(types.DeleteTopicState, name=n) for n in names)}
        else:
            which = {"topic_names": names}
        return make(types.DeleteTopicsRequest, timeout=server_time(deadline), **which)

    answer = await cluster.ask_controller(Key.DELETE_TOPICS, build, deadline)
    _settle(items, ((t.name, t) for t in answer.responses), "DeleteTopics")


async def create_partitions(
    cluster: Cluster,
    items: PerItem[str, None],
    totals: Mapping[str, NewPartitions],
    validate_only: bool,
    deadline: Deadline,
) -> None:
    """Settle each topic's growth."""

    def build(version: int) -> Any:
        types = request_types(Key.CREATE_PARTITIONS, version)
        topics = tuple(
            make(
                types.CreatePartitionsTopic,
                name=name,
                count=new.total,
                assignments=None
                if new.assignment is None
                else tuple(
                    make(types.CreatePartitionsAssignment, broker_ids=tuple(brokers))
                    for brokers in new.assignment
                ),
            )
            for name, new in totals.items()
        )
        return make(
            types.CreatePartitionsRequest,
            topics=topics,
            timeout=server_time(deadline),
            validate_only=validate_only,
        )

    answer = await cluster.ask_controller(Key.CREATE_PARTITIONS, build, deadline)
    _settle(items, ((t.name, t) for t in answer.results), "CreatePartitions")


async def elect_leaders(
    cluster: Cluster,
    items: PerItem[TopicPartition, None],
    preferred: bool,
    deadline: Deadline,
) -> None:
    """Settle each partition's election."""

    def build(version: int) -> Any:
        types = request_types(Key.ELECT_LEADERS, version)
        return make(
            types.ElectLeadersRequest,
            election_type=0 if preferred else 1,
            topic_partitions=tuple(
                make(types.TopicPartitions, topic=topic, partitions=tuple(partitions))
                for topic, partitions in by_topic(items).items()
            ),
            timeout=server_time(deadline),
        )

    answer = await cluster.ask_controller(Key.ELECT_LEADERS, build, deadline)
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


async def _metadata(cluster: Cluster, names: list[str] | None, deadline: Deadline) -> Any:
    def build(version: int) -> Any:
        types = request_types(Key.METADATA, version)
        if names is None:
            topics = () if version == 0 else None
        else:
            topics = tuple(make(types.MetadataRequestTopic, name=name) for name in names)
        return make(types.MetadataRequest, topics=topics, allow_auto_topic_creation=False)

    return await cluster.ask_any(Key.METADATA, build, deadline)


def _topic(topic: Any) -> TopicDescription:
    return TopicDescription(
        name=topic.name,
        topic_id=getattr(topic, "topic_id", None),
        internal=bool(getattr(topic, "is_internal", False)),
        partitions=tuple(
            PartitionDescription(
                partition=int(p.partition_index),
                leader=int(p.leader_id),
                leader_epoch=int(getattr(p, "leader_epoch", -1)),
                replicas=_ids(p.replica_nodes),
                isr=_ids(p.isr_nodes),
                offline=_ids(getattr(p, "offline_replicas", ())),
            )
            for p in sorted(topic.partitions, key=lambda p: int(p.partition_index))
        ),
    )


def _ids(values: Iterable[int]) -> tuple[NodeId, ...]:
    return tuple(int(v) for v in values)


def _new_topic(types: Any, topic: NewTopic) -> Any:
    assignment = topic.assignment or {}
    return make(
        types.CreatableTopic,
        name=topic.name,
        num_partitions=-1 if assignment else topic.partitions,
        replication_factor=-1 if assignment else topic.replication_factor,
        assignments=tuple(
            make(types.CreatableReplicaAssignment, partition_index=p, broker_ids=tuple(brokers))
            for p, brokers in assignment.items()
        ),
        configs=tuple(
            make(types.CreatableTopicConfig, name=name, value=value)
            for name, value in topic.configs.items()
        ),
    )


def _settle(items: PerItem[Any, None], results: Iterable[tuple[Any, Any]], api: str) -> None:
    for key, result in results:
        if result.error_code:
            words = getattr(result, "error_message", None) or ""
            items.fail(key, refused(result.error_code, api, key, words))
        else:
            items.answer(key, None)
    _rest(items, api)


def _rest(items: PerItem[Any, Any], api: str) -> None:
    for key in items:
        items.fail(key, not_answered(api, key))


def refused(code: int, api: str, item: object, words: str = "") -> Refused:
    """The failure of one item of a request to the cluster."""
    return Refused(code, f"{api} of {item}", "the cluster", words)


def not_answered(api: str, item: object) -> Refused:
    """The failure of an item which is absent from an answer that ought to name it."""
    return refused(Error.UNKNOWN_SERVER_ERROR, api, item, "the answer does not mention it")
