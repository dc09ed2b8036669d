"""ShareAcknowledge (79), versions 1-2 (KIP-932).

Behaviour: a member of a share group says what has become of records, and wants no others. It is
answered once the share coordinator keeps it. Session epoch -1 ends the session, and what the member
still has comes back. Where the cluster's share.version is 0, UNSUPPORTED_VERSION.

Version notes: 2 has acknowledgements that ask for more time (KIP-1222).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from spindle.core.share.share_partition import Acknowledgement
from spindle.core.share.share_sessions import FINAL, INITIAL
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicId
from spindle.node.handlers._shares import (
    check_shares,
    leader_of,
    partition_of,
    readable,
    speaker,
)
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.node.share.share_partition_manager import Acknowledged
from spindle.wire.messages.share_acknowledge_request import (
    AcknowledgementBatch,
    ShareAcknowledgeRequest,
)
from spindle.wire.messages.share_acknowledge_response import (
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    ShareAcknowledgeResponse,
    ShareAcknowledgeTopicResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: ShareAcknowledgeRequest,
    context: RequestContext[ShareAcknowledgeResponse],
) -> Later:
    """Serve a member."""
    check_shares(broker)
    key = speaker(request.group_id, request.member_id)
    epoch, shares = request.share_session_epoch, broker.shares
    if epoch == INITIAL:
        raise Refusal(
            Error.INVALID_SHARE_SESSION_EPOCH, "The first request of a session is a ShareFetch."
        )
    session = shares.sessions.take(key, epoch)
    said = {
        partition_of(topic.topic_id, p.partition_index): _said(p.acknowledgement_batches)
        for topic in request.topics
        for p in topic.partitions
    }

    def respond(told: Acknowledged) -> None:
        lock = int(shares.settings(key.group_id).limits.lock_seconds * 1000)
        context.answer(_encode(broker, context.listener, told, lock))

    def on_acknowledged(told: Acknowledged) -> None:
        if epoch == FINAL:
            shares.end(session, lambda: respond(told))
        else:
            respond(told)

    refused = readable(broker, context.permits)
    shares.acknowledge(key, said, request.is_renew_ack, refused, on_acknowledged)
    return LATER


def _said(batches: Iterable[AcknowledgementBatch]) -> list[Acknowledgement]:
    """What is said of the records of one partition."""
    return [
        Acknowledgement(b.first_offset, b.last_offset, tuple(b.acknowledge_types)) for b in batches
    ]


def refuse(
    request: ShareAcknowledgeRequest,
    context: RequestContext[ShareAcknowledgeResponse],
    error: Error,
    message: str,
) -> ShareAcknowledgeResponse:
    """The error, and why."""
    return ShareAcknowledgeResponse(error_code=error, error_message=message)


def _encode(
    broker: Broker, listener: str, told: Acknowledged, lock_ms: int
) -> ShareAcknowledgeResponse:
    topics: dict[TopicId, list[PartitionData]] = {}
    leaders: dict[int, None] = {}
    for id, (error, message) in told.items():
        leader, epoch = leader_of(broker, id, error)
        if leader >= 0:
            leaders[leader] = None
        topics.setdefault(id.topic_id, []).append(
            PartitionData(
                partition_index=id.partition,
                error_code=error,
                error_message=message,
                current_leader=LeaderIdAndEpoch(leader_id=leader, leader_epoch=epoch),
            )
        )
    return ShareAcknowledgeResponse(
        acquisition_lock_timeout_ms=lock_ms,
        responses=tuple(
            ShareAcknowledgeTopicResponse(topic_id=topic_id, partitions=partitions)
            for topic_id, partitions in topics.items()
        ),
        node_endpoints=tuple(
            NodeEndpoint(node_id=node, host=at.host, port=at.port)
            for node, at in broker.context.reached(listener, leaders)
        ),
    )
