"""Metadata (3), versions 0-13.

Behaviour:
- brokers are those alive and reached on the listener that the request came in on;
- a partition without a live leader has LEADER_NOT_AVAILABLE; replicas on offline directories of
  live brokers are among its offline replicas (KIP-112);
- an unknown topic is created if the client and `auto.create.topics.enable` allow; until it is
  there, and else, it has UNKNOWN_TOPIC_OR_PARTITION;
- "controller" is the first live broker, which forwards what is the controller's (KIP-590);
- a topic that is asked for twice is told once;
- authorized operations are told where they are asked for: all, as there are no ACLs.

Version notes: in 0 no topics at all means all of them, and replicas that are not alive are left
out with REPLICA_NOT_AVAILABLE; from 1 on null means all. 5 has offline replicas; 4 lets the client
forbid creation; 6 may answer LISTENER_NOT_FOUND; 10 tells topic ids, 12 takes them (KIP-516).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from spindle.model.errors import Error, Refusal
from spindle.model.ids import NO_LEADER, ZERO_ID, TopicId
from spindle.model.image import ClusterImage, TopicState
from spindle.model.records import Partition
from spindle.node import authorized, topology
from spindle.node.calls import Call
from spindle.node.slices import ONE
from spindle.node.topic_creation import IN_FLIGHT_MAX, INTERNAL, is_legal
from spindle.wire.entities import make
from spindle.wire.framing import LARGE_FRAME

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(broker: Broker, call: Call) -> None:
    """Tell a client about the cluster."""
    image: ClusterImage = broker.image
    _check(call)
    r = call.reply

    def respond(topics: tuple[Any, ...]) -> Any:
        return make(
            r.MetadataResponse,
            brokers=tuple(
                make(
                    r.MetadataResponseBroker,
                    node_id=node_id,
                    host=endpoint.host,
                    port=endpoint.port,
                    rack=rack,
                )
                for node_id, endpoint, rack in topology.reachable(image, call.listener)
            ),
            cluster_id=broker.cluster_id,
            controller_id=topology.controller_for_clients(image, broker.node_id),
            topics=topics,
            cluster_authorized_operations=authorized.CLUSTER
            if getattr(call.body, "include_cluster_authorized_operations", False)
            else authorized.NOT_ASKED,
        )

    broker.slices.answer(call, _topics(broker, call), respond)


def refuse(call: Call, error: Error, message: str) -> Any:
    """The error at every topic: before version 13 there is no other place for it."""
    r = call.reply
    return make(
        r.MetadataResponse,
        topics=tuple(
            make(
                r.MetadataResponseTopic,
                error_code=error,
                name=topic.name or "",
                topic_id=getattr(topic, "topic_id", None),
            )
            for topic in call.body.topics or ()
        ),
        error_code=error,
    )


def _check(call: Call) -> None:
    if len(call.raw) < LARGE_FRAME and any(_is_early(call, t) for t in call.body.topics or ()):
        raise Refusal(Error.INVALID_REQUEST, "topics are asked by id from version 12 on only")


def _is_early(call: Call, topic: Any) -> bool:
    """Whether a topic is asked by its id before a client could."""
    return call.version in (10, 11) and bool(topic.topic_id or topic.name is None)


def _topics(broker: Broker, call: Call) -> Iterator[Any]:
    image: ClusterImage = broker.image
    seen = topology.Listening(image, call.listener)
    asked = call.body.topics
    if asked is None or (call.version == 0 and not asked):
        for each in list(image.topics.values()):
            yield from _topic(seen, call, each)
        return
    unknown: dict[str, None] = {}
    told: set[TopicId] = set()
    for topic in asked:
        topic_id = getattr(topic, "topic_id", None)
        if _is_early(call, topic):
            yield _absent(call, topic.name, Error.INVALID_REQUEST, topic_id)
            continue
        if topic.name is None:
            state = image.topics.get(topic_id or ZERO_ID)
        else:
            state = image.topic(topic.name)
        if state is not None:
            if state.topic_id not in told:  # Else few bytes could ask for gigabytes.
                told.add(state.topic_id)
                yield from _topic(seen, call, state)
            else:
                yield ONE
        elif topic.name is None:
            yield _absent(call, None, Error.UNKNOWN_TOPIC_ID, topic_id)
        else:
            yield _absent(call, topic.name, _missing(broker, call, topic.name, unknown))
    if unknown:
        broker.topic_creation.want(unknown)


def _missing(broker: Broker, call: Call, name: str, unknown: dict[str, None]) -> Error:
    if not is_legal(name):
        return Error.INVALID_TOPIC_EXCEPTION
    allowed = getattr(call.body, "allow_auto_topic_creation", True)
    if not allowed or not broker.settings.flag("auto.create.topics.enable"):
        return Error.UNKNOWN_TOPIC_OR_PARTITION
    if len(unknown) < IN_FLIGHT_MAX:
        unknown[name] = None
    return Error.UNKNOWN_TOPIC_OR_PARTITION


def _allowed(call: Call) -> int:
    asked = getattr(call.body, "include_topic_authorized_operations", False)
    return authorized.TOPIC if asked else authorized.NOT_ASKED


def _absent(call: Call, name: str | None, error: Error, topic_id: Any = None) -> Any:
    return make(
        call.reply.MetadataResponseTopic,
        topic_authorized_operations=_allowed(call),
        error_code=error,
        name=name,
        topic_id=topic_id,
        is_internal=name in INTERNAL,
    )


def _topic(seen: topology.Listening, call: Call, state: TopicState) -> Iterator[Any]:
    told = []
    for partition in list(state.partitions.values()):
        told.append(_partition(seen, call, partition))
        yield ONE
    yield make(
        call.reply.MetadataResponseTopic,
        error_code=Error.NONE,
        name=state.name,
        topic_id=state.topic_id,
        is_internal=state.name in INTERNAL,
        topic_authorized_operations=_allowed(call),
        partitions=tuple(told),
    )


def _partition(seen: topology.Listening, call: Call, partition: Partition) -> Any:
    error, leader = seen.leading(partition)
    offline = seen.offline_replicas(partition)
    replicas, isr = partition.replicas, partition.isr
    if call.version < 6 and error is Error.LISTENER_NOT_FOUND:
        error = Error.LEADER_NOT_AVAILABLE
    if call.version == 0 and offline:
        replicas = tuple(b for b in replicas if b not in offline)
        isr = tuple(b for b in isr if b not in offline)
        error = Error.REPLICA_NOT_AVAILABLE if leader != NO_LEADER else error
    return make(
        call.reply.MetadataResponsePartition,
        error_code=error,
        partition_index=partition.partition_id,
        leader_id=leader,
        leader_epoch=partition.leader_epoch,
        replica_nodes=replicas,
        isr_nodes=isr,
        offline_replicas=offline,
    )
