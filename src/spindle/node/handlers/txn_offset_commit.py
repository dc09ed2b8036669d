"""TxnOffsetCommit (28), versions 0-5.

Behaviour: a producer commits a group's offsets in its transaction. They are written at once, and
count from the transaction's marker on (KIP-98); a request for stable offsets has to wait until
then. The transaction's coordinator must know of it: up to 4 it is asked, from 5 on it is notified.

Version notes: 2 leader epochs; 3 the member for which the producer speaks, which is checked
(KIP-447); 4 TRANSACTION_ABORTABLE; 5 takes the place of AddOffsetsToTxn (KIP-890).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from spindle.core.groups.group_values import Committed, MemberIdentity
from spindle.core.transactions.transaction_values import ProducerIdAndEpoch
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.node.transactions.offset_admission import admit_offsets
from spindle.wire.messages.txn_offset_commit_request import TxnOffsetCommitRequest
from spindle.wire.messages.txn_offset_commit_response import (
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

ADDS_FROM: Final = 5
ABORTABLE_FROM: Final = 4


def on_broker(
    broker: Broker,
    request: TxnOffsetCommitRequest,
    context: RequestContext[TxnOffsetCommitResponse],
) -> Later:
    """Commit offsets in a transaction."""
    group_id = request.group_id
    broker.groups.named(group_id)  # Refuses where it is not here.
    id = broker.groups.partition_of(group_id)
    assert id is not None, "the topic is there where a coordinator is"
    producer = ProducerIdAndEpoch(request.producer_id, request.producer_epoch)

    def enlisted(error: Error) -> None:
        if error is Error.TRANSACTION_ABORTABLE and context.version < ABORTABLE_FROM:
            error = Error.INVALID_TXN_STATE
        if error:
            context.answer(refuse(request, context, error, ""))
            return
        try:
            _commit(broker, request, context, producer)
        except Refusal as refusal:
            context.answer(refuse(request, context, refusal.error, refusal.message))

    verifies = broker.settings.flag("transaction.partition.verification.enable")
    if not verifies and context.version < ADDS_FROM:
        enlisted(Error.NONE)
        return LATER
    admit_offsets(
        broker.transactions.enlisting,
        id,
        request.transactional_id,
        producer,
        context.version >= ADDS_FROM,
        enlisted,
    )
    return LATER


def _commit(
    broker: Broker,
    request: TxnOffsetCommitRequest,
    context: RequestContext[TxnOffsetCommitResponse],
    producer: ProducerIdAndEpoch,
) -> None:
    who = MemberIdentity(
        group_id=request.group_id,
        generation=request.generation_id,
        member_id=request.member_id,
        instance_id=request.group_instance_id,
    )
    offsets = {}
    for topic in request.topics:
        state = broker.image.topic(topic.name)
        for p in topic.partitions:
            if state is None or p.partition_index not in state.partitions:
                continue
            offsets[TopicPartition(topic.name, p.partition_index)] = Committed(
                offset=p.committed_offset,
                leader_epoch=p.committed_leader_epoch,
                metadata=p.committed_metadata or "",
                commit_ms=broker.out.wall_ms,
                topic_id=state.topic_id,
            )

    def then(errors: dict[TopicPartition, Error]) -> None:
        context.answer(
            _response(request, lambda where: errors.get(where, Error.UNKNOWN_TOPIC_OR_PARTITION))
        )

    broker.groups.coordinator(request.group_id).commit(who, offsets, then, producer)


def refuse(
    request: TxnOffsetCommitRequest,
    context: RequestContext[TxnOffsetCommitResponse],
    error: Error,
    message: str,
) -> TxnOffsetCommitResponse:
    """The error at every partition: there is no other place for it."""
    if error is Error.GROUP_ID_NOT_FOUND:
        error = Error.ILLEGAL_GENERATION
    return _response(request, lambda where: error)


def _response(
    request: TxnOffsetCommitRequest, error_of: Callable[[TopicPartition], Error]
) -> TxnOffsetCommitResponse:
    return TxnOffsetCommitResponse(
        topics=tuple(
            TxnOffsetCommitResponseTopic(
                name=topic.name,
                partitions=tuple(
                    TxnOffsetCommitResponsePartition(
                        partition_index=p.partition_index,
                        error_code=error_of(TopicPartition(topic.name, p.partition_index)),
                    )
                    for p in topic.partitions
                ),
            )
            for topic in request.topics
        )
    )
