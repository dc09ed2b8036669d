"""Metadata (3), versions 0-13.

Behaviour:
- brokers are those alive and reached on the listener that the request came in on;
- a partition without a live leader has LEADER_NOT_AVAILABLE; replicas on offline directories of
  live brokers are among its offline replicas (KIP-112);
- an unknown topic is created if the client and `auto.create.topics.enable` allow; until it is
  there, and else, it has UNKNOWN_TOPIC_OR_PARTITION;
- "controller" is the first live broker, which forwards what is the controller's (KIP-590);
- a topic that is asked for twice is listed once;
- authorized operations are listed on request: all, as there are no ACLs.

Version notes: in 0 no topics at all means all of them, and replicas that are not alive are left
out with REPLICA_NOT_AVAILABLE; from 1 on null means all. 5 has offline replicas; 4 lets the client
forbid creation; 6 may answer LISTENER_NOT_FOUND; 10 tells topic ids, 12 takes them (KIP-516).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from spindle.model.errors import Error, Refusal
from spindle.model.ids import NO_LEADER
from spindle.model.image import ClusterImage, TopicState
from spindle.model.metadata_records import PartitionRegistration
from spindle.node import authorized, topology
from spindle.node.request_context import Later, RequestContext
from spindle.node.slices import ONE, Pause
from spindle.node.topic_creation import INTERNAL
from spindle.node.topic_selection import AbsentTopic, NamedTopics
from spindle.wire.framing import LARGE_FRAME
from spindle.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from spindle.wire.messages.metadata_response import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker, request: MetadataRequest, context: RequestContext[MetadataResponse]
) -> Later:
    """Tell a client about the cluster."""
    image: ClusterImage = broker.image
    _check(request, context)

    def respond(topics: Sequence[MetadataResponseTopic]) -> MetadataResponse:
        asked = request.include_cluster_authorized_operations
        return MetadataResponse(
            brokers=tuple(
                MetadataResponseBroker(
                    node_id=node_id, host=endpoint.host, port=endpoint.port, rack=rack
                )
                for node_id, endpoint, rack in topology.reachable(image, context.listener)
            ),
            cluster_id=broker.cluster_id,
            controller_id=topology.controller_for_clients(image, broker.node_id),
            topics=topics,
            cluster_authorized_operations=authorized.CLUSTER if asked else authorized.NOT_ASKED,
        )

    return broker.slices.answer(request, context, _topics(broker, request, context), respond)


def refuse(
    request: MetadataRequest, context: RequestContext[MetadataResponse], error: Error, message: str
) -> MetadataResponse:
    """The error at every topic: before version 13 there is no other place for it."""
    return MetadataResponse(
        topics=tuple(
            MetadataResponseTopic(error_code=error, name=topic.name or "", topic_id=topic.topic_id)
            for topic in request.topics or ()
        ),
        error_code=error,
    )


def _check(request: MetadataRequest, context: RequestContext[MetadataResponse]) -> None:
    if len(context.raw) < LARGE_FRAME and any(
        _is_early(context.version, topic) for topic in request.topics or ()
    ):
        raise Refusal(Error.INVALID_REQUEST, "topics are asked by id from version 12 on only")


def _is_early(version: int, topic: MetadataRequestTopic) -> bool:
    """Whether a topic is asked by its id before a client could."""
    return version in (10, 11) and bool(topic.topic_id or topic.name is None)


def _topics(
    broker: Broker, request: MetadataRequest, context: RequestContext[MetadataResponse]
) -> Iterator[MetadataResponseTopic | Pause]:
    image: ClusterImage = broker.image
    seen = topology.Listening(image, context.listener)
    asked = request.include_topic_authorized_operations
    allowed = authorized.TOPIC if asked else authorized.NOT_ASKED
    creates = broker.settings.flag("auto.create.topics.enable")
    named = NamedTopics(image, creates and request.allow_auto_topic_creation)
    for found in _found(image, named, request, context.version):
        if found is None:
            yield ONE
        elif isinstance(found, AbsentTopic):
            yield _absent(found, allowed)
        else:
            told = []
            for partition in list(found.partitions.values()):
                told.append(_partition(seen, context.version, partition))
                yield ONE
            yield MetadataResponseTopic(
                name=found.name,
                topic_id=found.topic_id,
                is_internal=found.name in INTERNAL,
                topic_authorized_operations=allowed,
                partitions=tuple(told),
            )
    if named.wanted:
        broker.topic_creation.want(named.wanted)


def _found(
    image: ClusterImage, named: NamedTopics, request: MetadataRequest, version: int
) -> Iterator[TopicState | AbsentTopic | None]:
    asked = request.topics
    if asked is None or (version == 0 and not asked):
        yield from list(image.topics.values())
        return
    for topic in asked:
        if _is_early(version, topic):
            # The name is never null in the answers of these versions.
            yield AbsentTopic(Error.INVALID_REQUEST, topic.name or "", topic.topic_id)
        else:
            yield named.find(topic.name, topic.topic_id)


def _absent(topic: AbsentTopic, allowed: int) -> MetadataResponseTopic:
    return MetadataResponseTopic(
        error_code=topic.error,
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.name in INTERNAL,
        topic_authorized_operations=allowed,
    )


def _partition(
    seen: topology.Listening, version: int, partition: PartitionRegistration
) -> MetadataResponsePartition:
    error, leader = seen.leading(partition)
    offline = seen.offline_replicas(partition)
    replicas, isr = partition.replicas, partition.isr
    if version < 6 and error is Error.LISTENER_NOT_FOUND:
        error = Error.LEADER_NOT_AVAILABLE
    if version == 0 and offline:
        replicas = tuple(b for b in replicas if b not in offline)
        isr = tuple(b for b in isr if b not in offline)
        error = Error.REPLICA_NOT_AVAILABLE if leader != NO_LEADER else error
    return MetadataResponsePartition(
        error_code=error,
        partition_index=partition.partition_id,
        leader_id=leader,
        leader_epoch=partition.leader_epoch,
        replica_nodes=replicas,
        isr_nodes=isr,
        offline_replicas=offline,
    )
