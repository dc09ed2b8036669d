"""ListTransactions (66), versions 0-2.

Behaviour: the transactional ids that are coordinated here, those that pass all filters (KIP-664);
states that there are not come back by name.

Version notes: 1 filters by how long a transaction has been open (KIP-994); 2 by a pattern of the
transactional id (KIP-1152).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from spindle.core.groups.topic_patterns import pattern_of
from spindle.core.transactions.transaction import Transaction
from spindle.core.transactions.transaction_states import TransactionState
from spindle.model.errors import Error, Refusal
from spindle.node.request_context import Later, RequestContext
from spindle.node.slices import ONE, Pause
from spindle.wire.messages.list_transactions_request import ListTransactionsRequest
from spindle.wire.messages.list_transactions_response import ListTransactionsResponse
from spindle.wire.messages.list_transactions_response import TransactionState as ToldState

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: ListTransactionsRequest,
    context: RequestContext[ListTransactionsResponse],
) -> Later:
    """Tell what is known here."""
    if broker.transactions.is_loading:
        raise _loading()
    titles = {state.title for state in TransactionState}
    unknown = tuple(name for name in request.state_filters if name not in titles)
    passes = _filter(request, broker.out.wall_ms)

    def told() -> Iterator[ToldState | Pause]:
        for txn in tuple(broker.transactions.all()):
            if not passes(txn):
                yield ONE
                continue
            yield ToldState(
                transactional_id=txn.transactional_id,
                producer_id=txn.stored.producer.producer_id,
                transaction_state=txn.state.title,
            )

    def respond(found: Sequence[ToldState]) -> ListTransactionsResponse:
        if broker.transactions.is_loading:
            return refuse(request, context, _loading().error, "")
        return ListTransactionsResponse(unknown_state_filters=unknown, transaction_states=found)

    return broker.slices.answer(request, context, told(), respond)


def _loading() -> Refusal:
    return Refusal(Error.COORDINATOR_LOAD_IN_PROGRESS, "transactions are being read")


def refuse(
    request: ListTransactionsRequest,
    context: RequestContext[ListTransactionsResponse],
    error: Error,
    message: str,
) -> ListTransactionsResponse:
    """The answer without a list."""
    return ListTransactionsResponse(error_code=error)


def _filter(request: ListTransactionsRequest, now_ms: int) -> Callable[[Transaction], bool]:
    states, producers = set(request.state_filters), set(request.producer_id_filters)
    least = request.duration_filter
    text = request.transactional_id_pattern
    matches = pattern_of(text) if text else None

    def passes(txn: Transaction) -> bool:
        if txn.state is TransactionState.DEAD or (states and txn.state.title not in states):
            return False
        if producers and txn.stored.producer.producer_id not in producers:
            return False
        if least >= 0 and now_ms - txn.stored.started_ms <= least:
            return False
        return matches is None or matches(txn.transactional_id)

    return passes
