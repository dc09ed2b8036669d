"""TxnOffsetCommit (28), versions 0-5.

Behaviour: a producer commits a group's offsets in its transaction. They are written at once, and
count from the transaction's marker on (KIP-98); a request for stable offsets has to wait until
then. The transaction's coordinator must know of it: up to 4 it is asked, from 5 on it is notified.

Version notes: 2 leader epochs; 3 the member for which the producer speaks, which is checked
(KIP-447); 4 TRANSACTION_ABORTABLE; 5 takes the place of AddOffsetsToTxn (KIP-890).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from spindle.core.groups.group_values import MemberIdentity
from spindle.core.transactions.transaction_values import ProducerIdAndEpoch
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.node.handlers._offsets import offsets_of_existing
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.node.transactions.offset_admission import TransactionalCommit, commit_offsets
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
) -> TxnOffsetCommitResponse | Later:
    """Commit offsets in a transaction."""
    producer = ProducerIdAndEpoch(request.producer_id, request.producer_epoch)
    asked = TransactionalCommit(
        MemberIdentity(
            group_id=request.group_id,
            generation=request.generation_id,
            member_id=request.member_id,
            instance_id=request.group_instance_id,
        ),
        request.transactional_id,
        producer,
        lambda: offsets_of_existing(
            [(broker.image.topic(topic.name), topic.partitions) for topic in request.topics],
            broker.out.wall_ms,
        ),
        adds=context.version >= ADDS_FROM,
        takes_abortable=context.version >= ABORTABLE_FROM,
    )
    unknown = Error.UNKNOWN_TOPIC_OR_PARTITION

    def refused(why: Refusal) -> None:
        context.answer(_refused(request, asked.offsets(), why.error))

    if not asked.offsets():  # Nothing is asked of the group, and nothing begins.
        return _response(request, lambda p: unknown)
    try:
        commit_offsets(
            broker.groups,
            broker.transactions.enlisting,
            asked,
            broker.settings.flag("transaction.partition.verification.enable"),
            lambda errors: context.answer(_response(request, lambda p: errors.get(p, unknown))),
            refused,
        )
    except Refusal as refusal:
        refused(refusal)
    return LATER


def refuse(
    request: TxnOffsetCommitRequest,
    context: RequestContext[TxnOffsetCommitResponse],
    error: Error,
    message: str,
) -> TxnOffsetCommitResponse:
    """The error at every partition: there is no other place for it."""
    return _response(request, lambda where: _in_members_words(error))


def _refused(
    request: TxnOffsetCommitRequest, known: Iterable[TopicPartition], error: Error
) -> TxnOffsetCommitResponse:
    """The error at every partition that exists; nothing was asked of the group for the others."""
    errors = dict.fromkeys(known, _in_members_words(error))
    return _response(request, lambda p: errors.get(p, Error.UNKNOWN_TOPIC_OR_PARTITION))


def _in_members_words(error: Error) -> Error:
    return Error.ILLEGAL_GENERATION if error is Error.GROUP_ID_NOT_FOUND else error


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
