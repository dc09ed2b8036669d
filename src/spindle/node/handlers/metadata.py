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
from spindle.model.ids import NO_LEADER, ZERO_ID, TopicId
from spindle.model.image import ClusterImage, TopicState
from spindle.model.metadata_records import PartitionRegistration
from spindle.node import authorized, topology
from spindle.node.request_context import Later, RequestContext
from spindle.node.slices import ONE, Pause
from spindle.node.topic_creation import IN_FLIGHT_MAX, INTERNAL, is_legal
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

_Told = Iterator[MetadataResponseTopic | Pause]


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

    topics = _Topics(broker, request, context.version, context.listener)
    return broker.slices.answer(request, context, topics.told(), respond)


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


class _Topics:
    """The topics of one answer."""

    def __init__(
        self, broker: Broker, request: MetadataRequest, version: int, listener: str
    ) -> None:
        self._broker = broker
        self._request = request
        self._version = version
        self._listener = listener
        asked = request.include_topic_authorized_operations
        self._allowed = authorized.TOPIC if asked else authorized.NOT_ASKED

    def told(self) -> _Told:
        """The topics, with rests."""
        image: ClusterImage = self._broker.image
        seen = topology.Listening(image, self._listener)
        asked = self._request.topics
        if asked is None or (self._version == 0 and not asked):
            for each in list(image.topics.values()):
                yield from self._topic(seen, each)
            return
        unknown: dict[str, None] = {}
        told: set[TopicId] = set()
        for topic in asked:
            if _is_early(self._version, topic):
                # The name is never null in the answers of these versions.
                yield _absent(
                    self._allowed, topic.name or "", Error.INVALID_REQUEST, topic.topic_id
                )
                continue
            if topic.name is None:
                state = image.topics.get(topic.topic_id or ZERO_ID)
            else:
                state = image.topic(topic.name)
            if state is not None:
                if state.topic_id not in told:  # Else few bytes could ask for gigabytes.
                    told.add(state.topic_id)
                    yield from self._topic(seen, state)
                else:
                    yield ONE
            elif topic.name is None:
                yield _absent(self._allowed, None, Error.UNKNOWN_TOPIC_ID, topic.topic_id)
            else:
                yield _absent(self._allowed, topic.name, self._missing(topic.name, unknown))
        if unknown:
            self._broker.topic_creation.want(unknown)

    def _missing(self, name: str, unknown: dict[str, None]) -> Error:
        if not is_legal(name):
            return Error.INVALID_TOPIC_EXCEPTION
        allowed = self._request.allow_auto_topic_creation
        if not allowed or not self._broker.settings.flag("auto.create.topics.enable"):
            return Error.UNKNOWN_TOPIC_OR_PARTITION
        if len(unknown) < IN_FLIGHT_MAX:
            unknown[name] = None
        return Error.UNKNOWN_TOPIC_OR_PARTITION

    def _topic(self, seen: topology.Listening, state: TopicState) -> _Told:
        told = []
        for partition in list(state.partitions.values()):
            told.append(_partition(seen, self._version, partition))
            yield ONE
        yield MetadataResponseTopic(
            name=state.name,
            topic_id=state.topic_id,
            is_internal=state.name in INTERNAL,
            topic_authorized_operations=self._allowed,
            partitions=tuple(told),
        )


def _absent(
    allowed: int, name: str | None, error: Error, topic_id: TopicId | None = None
) -> MetadataResponseTopic:
    return MetadataResponseTopic(
        topic_authorized_operations=allowed,
        error_code=error,
        name=name,
        topic_id=topic_id,
        is_internal=name in INTERNAL,
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
