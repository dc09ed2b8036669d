"""ReadShareGroupStateSummary (87), versions 0-1 (KIP-932).

Behaviour: a group coordinator asks how far share partitions are, and fences none. Each is answered
by itself; a coordinator that is elsewhere, or not ready, is reported for each.

Version notes: 1 tells how many records behind the start offset are over (KIP-1226).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.share.share_values import ShareOutcome, SharePartitionKey
from spindle.model.errors import Error, Refusal
from spindle.model.ids import ZERO_ID, TopicId
from spindle.node.handlers._gathering import Gathering
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.read_share_group_state_summary_request import (
    ReadShareGroupStateSummaryRequest,
)
from spindle.wire.messages.read_share_group_state_summary_response import (
    PartitionResult,
    ReadShareGroupStateSummaryResponse,
    ReadStateSummaryResult,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: ReadShareGroupStateSummaryRequest,
    context: RequestContext[ReadShareGroupStateSummaryResponse],
) -> Later:
    """Tell how far share partitions are."""
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
            then(shard.summary(key, p.leader_epoch))
    return LATER


def refuse(
    request: ReadShareGroupStateSummaryRequest,
    context: RequestContext[ReadShareGroupStateSummaryResponse],
    error: Error,
    message: str,
) -> ReadShareGroupStateSummaryResponse:
    """The error at each share partition."""
    refused = ShareOutcome(error, message)
    return _encode(
        {
            SharePartitionKey(request.group_id, topic.topic_id or ZERO_ID, p.partition): refused
            for topic in request.topics
            for p in topic.partitions
        }
    )


def _encode(told: dict[SharePartitionKey, ShareOutcome]) -> ReadShareGroupStateSummaryResponse:
    topics: dict[TopicId, list[PartitionResult]] = {}
    for key, outcome in told.items():
        topics.setdefault(key.topic_id, []).append(_result(key.partition, outcome))
    return ReadShareGroupStateSummaryResponse(
        results=tuple(
            ReadStateSummaryResult(topic_id=topic_id, partitions=results)
            for topic_id, results in topics.items()
        )
    )


def _result(number: int, outcome: ShareOutcome) -> PartitionResult:
    state = outcome.state
    if outcome.error or state is None:
        return PartitionResult(
            partition=number, error_code=outcome.error, error_message=outcome.message
        )
    return PartitionResult(
        partition=number,
        state_epoch=state.state_epoch,
        leader_epoch=state.leader_epoch,
        start_offset=state.start_offset,
        delivery_complete_count=state.complete,
    )
