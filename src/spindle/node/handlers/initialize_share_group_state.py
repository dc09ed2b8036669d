"""InitializeShareGroupState (83), version 0 (KIP-932).

Behaviour: a group coordinator has the states of share partitions made, or made again from
another start offset. Each share partition is answered by itself; a coordinator that is
elsewhere, or not ready, is reported for each.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.share.share_values import ShareOutcome, SharePartitionKey
from spindle.model.errors import Error, Refusal
from spindle.model.ids import ZERO_ID, TopicId
from spindle.node.handlers._gathering import Gathering
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.initialize_share_group_state_request import (
    InitializeShareGroupStateRequest,
)
from spindle.wire.messages.initialize_share_group_state_response import (
    InitializeShareGroupStateResponse,
    InitializeStateResult,
    PartitionResult,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: InitializeShareGroupStateRequest,
    context: RequestContext[InitializeShareGroupStateResponse],
) -> Later:
    """Make states."""
    asked = {
        SharePartitionKey(request.group_id, topic.topic_id or ZERO_ID, p.partition): p
        for topic in request.topics
        for p in topic.partitions
    }
    gathering = Gathering[SharePartitionKey, ShareOutcome](
        asked, lambda told: context.answer(_encode(told))
    )
    for key, p in asked.items():
        then = partial(gathering.settle, key)
        try:
            shard = broker.share_coordinators.coordinator(key.text)
        except Refusal as refusal:
            then(ShareOutcome(refusal.error, refusal.message))
        else:
            shard.initialize(key, p.state_epoch, p.start_offset, then)
    return LATER


def refuse(
    request: InitializeShareGroupStateRequest,
    context: RequestContext[InitializeShareGroupStateResponse],
    error: Error,
    message: str,
) -> InitializeShareGroupStateResponse:
    """The error at each share partition."""
    refused = ShareOutcome(error, message)
    return _encode(
        {
            SharePartitionKey(request.group_id, topic.topic_id or ZERO_ID, p.partition): refused
            for topic in request.topics
            for p in topic.partitions
        }
    )


def _encode(told: dict[SharePartitionKey, ShareOutcome]) -> InitializeShareGroupStateResponse:
    topics: dict[TopicId, list[PartitionResult]] = {}
    for key, outcome in told.items():
        topics.setdefault(key.topic_id, []).append(_result(key.partition, outcome))
    return InitializeShareGroupStateResponse(
        results=tuple(
            InitializeStateResult(topic_id=topic_id, partitions=results)
            for topic_id, results in topics.items()
        )
    )


def _result(number: int, outcome: ShareOutcome) -> PartitionResult:
    return PartitionResult(
        partition=number, error_code=outcome.error, error_message=outcome.message
    )
