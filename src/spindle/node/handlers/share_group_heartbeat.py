"""ShareGroupHeartbeat (76), version 1 (KIP-932).

Behaviour: a member joins (epoch 0), goes on, or leaves (-1), and gets its epoch and, where that is
new to it, its partitions. The answer counts: it is in `__consumer_offsets`. Partitions are given
once the share coordinator keeps a state of them. Where the cluster's share.version is 0,
UNSUPPORTED_VERSION.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.core.groups.share_decisions import check_share_beat
from spindle.core.groups.share_group_values import ShareBeat, ShareBeatAnswer
from spindle.model.errors import Error
from spindle.node.handlers._group_words import reason
from spindle.node.handlers._shares import check_shares
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from spindle.wire.messages.share_group_heartbeat_response import (
    Assignment,
    ShareGroupHeartbeatResponse,
    TopicPartitions,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: ShareGroupHeartbeatRequest,
    context: RequestContext[ShareGroupHeartbeatResponse],
) -> Later:
    """Hear a member of a share group."""
    check_shares(broker)
    topics = request.subscribed_topic_names
    beat = ShareBeat(
        group_id=request.group_id,
        member_id=request.member_id,
        epoch=request.member_epoch,
        rack_id=request.rack_id,
        topics=None if topics is None else tuple(topics),
        client=(context.client_id, f"/{context.host}"),
    )
    check_share_beat(beat)
    broker.groups.coordinator(beat.group_id).shares.beat(
        beat, lambda answer: context.answer(_encode(answer))
    )
    return LATER


def refuse(
    request: ShareGroupHeartbeatRequest,
    context: RequestContext[ShareGroupHeartbeatResponse],
    error: Error,
    message: str,
) -> ShareGroupHeartbeatResponse:
    """The error, and why, if a coordinator says so."""
    return ShareGroupHeartbeatResponse(error_code=error, error_message=reason(error, message))


def _encode(answer: ShareBeatAnswer) -> ShareGroupHeartbeatResponse:
    assignment = None
    if answer.assignment is not None:
        assignment = Assignment(
            topic_partitions=tuple(
                TopicPartitions(topic_id=topic_id, partitions=tuple(numbers))
                for topic_id, numbers in answer.assignment.items()
            )
        )
    return ShareGroupHeartbeatResponse(
        error_code=answer.error,
        error_message=answer.message,
        member_id=answer.member_id,
        member_epoch=answer.epoch,
        heartbeat_interval_ms=answer.interval,
        assignment=assignment,
    )
