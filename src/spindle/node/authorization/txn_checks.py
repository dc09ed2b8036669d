"""Checks of the APIs about producers and transactions, and of the search for coordinators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spindle.model.acl import AclOperation as _O
from spindle.model.acl import AclResourceType as _T
from spindle.model.errors import Error, Refusal
from spindle.node.authorization.group_checks import check_group
from spindle.node.authorization.permits import Permits
from spindle.node.authorization.sifting import Sifted, left, merging, seeing
from spindle.node.request_context import R, RequestContext
from spindle.wire.codec import changed
from spindle.wire.messages.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from spindle.wire.messages.add_partitions_to_txn_request import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
)
from spindle.wire.messages.add_partitions_to_txn_response import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopicResult,
)
from spindle.wire.messages.describe_transactions_request import DescribeTransactionsRequest
from spindle.wire.messages.describe_transactions_response import (
    DescribeTransactionsResponse,
    TransactionState,
)
from spindle.wire.messages.end_txn_request import EndTxnRequest
from spindle.wire.messages.find_coordinator_request import FindCoordinatorRequest
from spindle.wire.messages.find_coordinator_response import Coordinator, FindCoordinatorResponse
from spindle.wire.messages.init_producer_id_request import InitProducerIdRequest
from spindle.wire.messages.list_transactions_request import ListTransactionsRequest
from spindle.wire.messages.list_transactions_response import (
    ListTransactionsResponse,
)
from spindle.wire.messages.list_transactions_response import TransactionState as ListedTransaction
from spindle.wire.messages.txn_offset_commit_request import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestTopic,
)
from spindle.wire.messages.txn_offset_commit_response import (
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

REFUSED: Final = Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
_TOPIC_REFUSED: Final = Error.TOPIC_AUTHORIZATION_FAILED
_INTERNAL: Final = frozenset(("__consumer_offsets", "__transaction_state", "__share_group_state"))
_BATCHED_FROM: Final = 4
"""The version of AddPartitionsToTxn that brokers send."""
_MANY_FROM: Final = 4
"""The version of FindCoordinator that asks for many keys (KIP-699)."""
_KINDS: Final = {
    0: (_T.GROUP, Error.GROUP_AUTHORIZATION_FAILED, "Group authorization failed."),
    1: (_T.TRANSACTIONAL_ID, REFUSED, "Transactional Id authorization failed."),
}
"""By the kind of key of FindCoordinator."""
_SHARE: Final = 2


def _check_id(permits: Permits, transactional_id: str) -> None:
    if not permits.may(_O.WRITE, _T.TRANSACTIONAL_ID, transactional_id):
        raise Refusal(REFUSED, "Transactional Id authorization failed.")


def init_producer_id(
    broker: Broker, request: InitProducerIdRequest, context: RequestContext[R]
) -> InitProducerIdRequest:
    """WRITE on the transactional id; without one IDEMPOTENT_WRITE on the cluster, or WRITE on some
    topic (KIP-679). With KIP-939's two phases TWO_PHASE_COMMIT, which is not served.
    """
    permits = context.permits
    if request.transactional_id is not None:
        _check_id(permits, request.transactional_id)
    elif not permits.may_cluster(_O.IDEMPOTENT_WRITE, log=False) and not permits.may_some(
        _O.WRITE, _T.TOPIC
    ):
        permits.check_cluster(_O.IDEMPOTENT_WRITE)
    return request


def end_txn(broker: Broker, request: EndTxnRequest, context: RequestContext[R]) -> EndTxnRequest:
    """WRITE on the transactional id."""
    _check_id(context.permits, request.transactional_id)
    return request


def add_offsets_to_txn(
    broker: Broker, request: AddOffsetsToTxnRequest, context: RequestContext[R]
) -> AddOffsetsToTxnRequest:
    """WRITE on the transactional id, READ on the group."""
    _check_id(context.permits, request.transactional_id)
    check_group(context.permits, _O.READ, request.group_id)
    return request


def add_partitions_to_txn(
    broker: Broker,
    request: AddPartitionsToTxnRequest,
    context: RequestContext[AddPartitionsToTxnResponse],
) -> AddPartitionsToTxnRequest | AddPartitionsToTxnResponse:
    """CLUSTER_ACTION from version 4 on, which brokers send; before, WRITE on the transactional id
    and on topics: where one is refused, none is added.
    """
    permits = context.permits
    if context.version >= _BATCHED_FROM:
        permits.check_cluster(_O.CLUSTER_ACTION)
        return request
    _check_id(permits, request.v3_and_below_transactional_id)
    topics = request.v3_and_below_topics
    names = [topic.name for topic in topics if topic.name not in _INTERNAL]
    allowed = permits.allowed(_O.WRITE, _T.TOPIC, names)
    if allowed.issuperset(topic.name for topic in topics):
        return request

    def told(topic: AddPartitionsToTxnTopic) -> AddPartitionsToTxnTopicResult:
        error = Error.OPERATION_NOT_ATTEMPTED if topic.name in allowed else _TOPIC_REFUSED
        return AddPartitionsToTxnTopicResult(
            name=topic.name,
            results_by_partition=tuple(
                AddPartitionsToTxnPartitionResult(partition_index=index, partition_error_code=error)
                for index in topic.partitions
            ),
        )

    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=tuple(map(told, topics)))


def txn_offset_commit(
    broker: Broker,
    request: TxnOffsetCommitRequest,
    context: RequestContext[TxnOffsetCommitResponse],
) -> TxnOffsetCommitRequest | TxnOffsetCommitResponse:
    """WRITE on the transactional id, READ on the group and on topics."""
    permits = context.permits
    _check_id(permits, request.transactional_id)
    check_group(permits, _O.READ, request.group_id)
    allowed = permits.allowed(_O.READ, _T.TOPIC, (t.name for t in request.topics))
    sifted = Sifted(request.topics, lambda topic: topic.name in allowed)

    def refused(topic: TxnOffsetCommitRequestTopic) -> TxnOffsetCommitResponseTopic:
        return TxnOffsetCommitResponseTopic(
            name=topic.name,
            partitions=tuple(
                TxnOffsetCommitResponsePartition(
                    partition_index=p.partition_index, error_code=_TOPIC_REFUSED
                )
                for p in topic.partitions
            ),
        )

    return left(
        request,
        changed(request, topics=sifted.kept),
        context,
        sifted,
        TxnOffsetCommitResponse,
        lambda told: changed(told, topics=sifted.woven(told.topics, refused, context.version)),
    )


def describe_transactions(
    broker: Broker,
    request: DescribeTransactionsRequest,
    context: RequestContext[DescribeTransactionsResponse],
) -> DescribeTransactionsRequest | DescribeTransactionsResponse:
    """DESCRIBE on transactional ids; topics without DESCRIBE are left out."""
    permits = context.permits
    allowed = permits.allowed(_O.DESCRIBE, _T.TRANSACTIONAL_ID, request.transactional_ids)
    sifted = Sifted(request.transactional_ids, lambda id: id in allowed)

    def refused(transactional_id: str) -> TransactionState:
        return TransactionState(transactional_id=transactional_id, error_code=REFUSED)

    def seen(state: TransactionState) -> TransactionState:
        topics = permits.allowed(_O.DESCRIBE, _T.TOPIC, (t.topic for t in state.topics))
        return changed(state, topics=tuple(t for t in state.topics if t.topic in topics))

    def merge(told: DescribeTransactionsResponse) -> DescribeTransactionsResponse:
        states = tuple(map(seen, told.transaction_states))
        return changed(told, transaction_states=sifted.woven(states, refused, context.version))

    merging(context, DescribeTransactionsResponse, merge)
    if sifted.is_empty:
        return DescribeTransactionsResponse()
    return changed(request, transactional_ids=sifted.kept)


def list_transactions(
    broker: Broker,
    request: ListTransactionsRequest,
    context: RequestContext[ListTransactionsResponse],
) -> ListTransactionsRequest:
    """Only transactional ids with DESCRIBE are listed."""
    permits = context.permits

    def seen(state: ListedTransaction) -> ListedTransaction | None:
        sees = permits.may(_O.DESCRIBE, _T.TRANSACTIONAL_ID, state.transactional_id, log=False)
        return state if sees else None

    seeing(context, ListedTransaction, seen)
    return request


def find_coordinator(
    broker: Broker,
    request: FindCoordinatorRequest,
    context: RequestContext[FindCoordinatorResponse],
) -> FindCoordinatorRequest | FindCoordinatorResponse:
    """DESCRIBE on groups or transactional ids; CLUSTER_ACTION for share partitions."""
    if request.key_type == _SHARE:
        context.permits.check_cluster(_O.CLUSTER_ACTION)
    if request.key_type not in _KINDS:
        return request  # It has no coordinator here.
    kind, error, message = _KINDS[request.key_type]
    if context.version < _MANY_FROM:
        if context.permits.may(_O.DESCRIBE, kind, request.key):
            return request
        return FindCoordinatorResponse(
            error_code=error, error_message=message, node_id=-1, host="", port=-1
        )
    allowed = context.permits.allowed(_O.DESCRIBE, kind, request.coordinator_keys)
    sifted = Sifted(request.coordinator_keys, lambda key: key in allowed)

    def refused(key: str) -> Coordinator:
        return Coordinator(key=key, error_code=error, node_id=-1, host="", port=-1)

    return left(
        request,
        changed(request, coordinator_keys=sifted.kept),
        context,
        sifted,
        FindCoordinatorResponse,
        lambda told: changed(
            told, coordinators=sifted.woven(told.coordinators, refused, context.version)
        ),
    )
