"""ConsumerGroupHeartbeat (68), versions 0-1 (KIP-848).

Behaviour: a member joins (epoch 0), goes on, or leaves (-1; a static one for a while: -2), and
gets its epoch and, where that is new to it, its partitions. The answer counts: it is in
`__consumer_offsets`. Where the cluster's group.version is 0, UNSUPPORTED_VERSION.

Version notes: 1 has patterns of topics, in RE2's syntax; from then on members make their ids
themselves (KIP-1082).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from spindle.core.groups.consumer_requests import check_beat
from spindle.core.groups.consumer_values import ConsumerBeat, ConsumerBeatAnswer, Partitions
from spindle.model.acl import AclOperation, AclResourceType
from spindle.model.errors import Error, Refusal
from spindle.model.ids import ZERO_ID
from spindle.node.handlers._group_words import reason
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from spindle.wire.messages.consumer_group_heartbeat_request import (
    TopicPartitions as OwnedPartitions,
)
from spindle.wire.messages.consumer_group_heartbeat_response import (
    Assignment,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: ConsumerGroupHeartbeatRequest,
    context: RequestContext[ConsumerGroupHeartbeatResponse],
) -> Later:
    """Hear a member of a consumer group."""
    if not broker.groups.serves_consumers:
        raise Refusal(Error.UNSUPPORTED_VERSION)
    permits = context.permits

    def visible(names: Iterable[str]) -> frozenset[str]:
        return frozenset(permits.allowed(AclOperation.DESCRIBE, AclResourceType.TOPIC, names))

    beat = ConsumerBeat(
        group_id=request.group_id,
        member_id=request.member_id,
        epoch=request.member_epoch,
        instance_id=request.instance_id,
        rack_id=request.rack_id,
        rebalance_timeout=request.rebalance_timeout_ms,
        topics=_names(request.subscribed_topic_names),
        regex=request.subscribed_topic_regex,
        assignor=request.server_assignor,
        owned=_owned(request.topic_partitions),
        client=(context.client_id, f"/{context.host}"),
        visible=visible,
    )
    check_beat(beat, context.version, broker.groups.assignors)
    broker.groups.coordinator(beat.group_id).consumers.beat(
        beat, lambda answer: context.answer(_encode(answer))
    )
    return LATER


def refuse(
    request: ConsumerGroupHeartbeatRequest,
    context: RequestContext[ConsumerGroupHeartbeatResponse],
    error: Error,
    message: str,
) -> ConsumerGroupHeartbeatResponse:
    """The error, and why, if a coordinator says so."""
    return ConsumerGroupHeartbeatResponse(error_code=error, error_message=reason(error, message))


def _names(names: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)


def _owned(topics: Iterable[OwnedPartitions] | None) -> Partitions | None:
    if topics is None:
        return None
    return {topic.topic_id or ZERO_ID: tuple(topic.partitions) for topic in topics}


def _encode(answer: ConsumerBeatAnswer) -> ConsumerGroupHeartbeatResponse:
    assignment = None
    if answer.assignment is not None:
        assignment = Assignment(
            topic_partitions=tuple(
                TopicPartitions(topic_id=topic_id, partitions=tuple(numbers))
                for topic_id, numbers in answer.assignment.items()
            )
        )
    return ConsumerGroupHeartbeatResponse(
        error_code=answer.error,
        error_message=answer.message,
        member_id=answer.member_id,
        member_epoch=answer.epoch,
        heartbeat_interval_ms=answer.interval,
        assignment=assignment,
    )
