"""Metadata (3), versions 0-13.

Behaviour:
- brokers are those alive and reached on the listener that the request came in on, and for a
  moment one that has just died;
- a partition without a live leader has LEADER_NOT_AVAILABLE; replicas on offline directories of
  live brokers are among its offline replicas (KIP-112);
- an unknown topic is created if the client and `auto.create.topics.enable` allow; until it is
  there, and else, it has UNKNOWN_TOPIC_OR_PARTITION;
- "controller" is the first live broker, which forwards what is the controller's (KIP-590);
- a topic that is asked for twice is listed once;
- authorized operations are listed on request.

Version notes: in 0 no topics at all means all of them, and replicas that are not alive are left
out with REPLICA_NOT_AVAILABLE; from 1 on null means all. 5 has offline replicas; 4 lets the client
forbid creation; 6 may answer LISTENER_NOT_FOUND; 10 tells topic ids, 12 takes them (KIP-516).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from spindle.model.errors import Error, Refusal
from spindle.model.ids import NO_LEADER
from spindle.model.image import ClusterImage
from spindle.model.metadata_records import PartitionRegistration
from spindle.node import authorized, topology
from spindle.node.handlers._topics import described
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.node.topic_selection import NamedTopics, is_by_id
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

IDS_FROM: Final = 12


def on_broker(
    broker: Broker, request: MetadataRequest, context: RequestContext[MetadataResponse]
) -> Later:
    """Tell a client about the cluster: in a moment, while a leader has just fallen silent."""
    takes_ids, is_small = context.version >= IDS_FROM, len(context.raw) < LARGE_FRAME
    asked = () if takes_ids or not is_small else request.topics or ()
    if any(is_by_id(topic.name, topic.topic_id) for topic in asked):
        raise Refusal(Error.INVALID_REQUEST, "topics are asked by id from version 12 on only")
    broker.fetchers.silent.when_known(partial(_answer, broker, request, context))
    return LATER


def _answer(
    broker: Broker, request: MetadataRequest, context: RequestContext[MetadataResponse]
) -> None:
    image, silent, asked = broker.image, broker.fetchers.silent, request.topics or ()
    creates = broker.settings.flag("auto.create.topics.enable")
    as_of = None if creates and _names_others(image, asked) else silent.revision
    if as_of is not None and broker.slices.give_again(request, context, as_of):
        return
    reachable = partial(topology.reachable, also=silent.lasting)
    may_create = creates and request.allow_auto_topic_creation
    named = NamedTopics(image, may_create, takes_ids=context.version >= IDS_FROM)
    every = request.topics is None or (context.version == 0 and not asked)
    topics = described(
        MetadataResponseTopic,
        named.topics(None if every else ((topic.name, topic.topic_id) for topic in asked)),
        authorized.topics_if_asked(context.permits, request.include_topic_authorized_operations),
        image,
        context,
        broker.slices.parts,
        partial(_partition, context.version),
    )

    def respond(topics: Sequence[MetadataResponseTopic]) -> MetadataResponse:
        if named.wanted:
            broker.topic_creation.want(named.wanted)
        return MetadataResponse(
            brokers=tuple(
                MetadataResponseBroker(node_id=node_id, host=at.host, port=at.port, rack=rack)
                for node_id, at, rack in reachable(image, context.listener)
            ),
            cluster_id=broker.cluster_id,
            controller_id=topology.controller_for_clients(image, broker.node_id),
            topics=topics,
            cluster_authorized_operations=authorized.cluster_if_asked(
                context.permits, request.include_cluster_authorized_operations
            ),
        )

    broker.slices.answer(request, context, topics, respond, as_of)


def _names_others(image: ClusterImage, asked: Sequence[MetadataRequestTopic]) -> bool:
    """Whether any topic is asked for that does not exist: it may have to be made."""
    return any(
        topic.name is not None and not topic.topic_id and image.topic(topic.name) is None
        for topic in asked
    )


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


def _partition(
    version: int, seen: topology.Listening, partition: PartitionRegistration
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
