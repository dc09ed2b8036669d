"""WriteShareGroupState (85), versions 0-1 (KIP-932).

Behaviour: a leader has changes of the states of its records kept; it is answered once they are in
`__share_group_state`. Each share partition is answered by itself; a coordinator that is
elsewhere, or not ready, is reported for each.

Version notes: 1 tells how many records behind the start offset are over (KIP-1226).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.share.share_values import (
    ShareOutcome,
    SharePartitionKey,
    ShareWrite,
    StateBatch,
)
from spindle.model.errors import Error, Refusal
from spindle.model.ids import ZERO_ID, TopicId
from spindle.node.handlers._gathering import Gathering
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.write_share_group_state_request import WriteShareGroupStateRequest
from spindle.wire.messages.write_share_group_state_response import (
    PartitionResult,
    WriteShareGroupStateResponse,
    WriteStateResult,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: WriteShareGroupStateRequest,
    context: RequestContext[WriteShareGroupStateResponse],
) -> Later:
    """Keep changes."""
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
            write = ShareWrite(
                p.state_epoch,
                p.leader_epoch,
                p.start_offset,
                p.delivery_complete_count,
                [
                    StateBatch(b.first_offset, b.last_offset, b.delivery_state, b.delivery_count)
                    for b in p.state_batches
                ],
            )
            shard.write(key, write, then)
    return LATER


def refuse(
    request: WriteShareGroupStateRequest,
    context: RequestContext[WriteShareGroupStateResponse],
    error: Error,
    message: str,
) -> WriteShareGroupStateResponse:
    """The error at each share partition."""
    refused = ShareOutcome(error, message)
    return _encode(
        {
            SharePartitionKey(request.group_id, topic.topic_id or ZERO_ID, p.partition): refused
            for topic in request.topics
            for p in topic.partitions
        }
    )


def _encode(told: dict[SharePartitionKey, ShareOutcome]) -> WriteShareGroupStateResponse:
    topics: dict[TopicId, list[PartitionResult]] = {}
    for key, outcome in told.items():
        topics.setdefault(key.topic_id, []).append(_result(key.partition, outcome))
    return WriteShareGroupStateResponse(
        results=tuple(
            WriteStateResult(topic_id=topic_id, partitions=results)
            for topic_id, results in topics.items()
        )
    )


def _result(number: int, outcome: ShareOutcome) -> PartitionResult:
    return PartitionResult(
        partition=number, error_code=outcome.error, error_message=outcome.message
    )
