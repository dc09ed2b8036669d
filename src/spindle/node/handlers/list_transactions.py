"""ListTransactions (66), versions 0-2.

Behaviour: the transactional ids that are coordinated here, those that pass all filters (KIP-664);
states that there are not come back by name.

Version notes: 1 filters by how long a transaction has been open (KIP-994); 2 by a pattern of the
transactional id (KIP-1152).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from spindle.core.transactions.states import State
from spindle.core.transactions.transaction import Transaction
from spindle.model.errors import Error, Refusal
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker

_OPEN = (State.ONGOING, State.PREPARE_COMMIT, State.PREPARE_ABORT)


def on_broker(broker: Broker, call: Call) -> None:
    """Tell what is known here."""
    types, body = call.reply, call.body
    if broker.transactions.is_loading:
        raise Refusal(Error.COORDINATOR_LOAD_IN_PROGRESS, "transactions are being read")
    titles = {state.title for state in State}
    unknown = tuple(name for name in body.state_filters if name not in titles)
    passes = _filter(body, broker.out.wall_ms)
    found = tuple(
        make(
            types.TransactionState,
            transactional_id=txn.transactional_id,
            producer_id=txn.stored.producer.producer_id,
            transaction_state=txn.state.title,
        )
        for txn in broker.transactions.all()
        if passes(txn)
    )
    call.answer(
        make(
            types.ListTransactionsResponse,
            error_code=Error.NONE,
            unknown_state_filters=unknown,
            transaction_states=found,
        )
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """Nothing can be told."""
    return make(call.reply.ListTransactionsResponse, error_code=error)


def _filter(body: Any, now_ms: int) -> Any:
    states, producers = set(body.state_filters), set(body.producer_id_filters)
    least = getattr(body, "duration_filter", -1)
    text = getattr(body, "transactional_id_pattern", None)
    try:
        pattern = re.compile(text) if text else None
    except re.error as error:
        raise Refusal(Error.INVALID_REGULAR_EXPRESSION, f"{text!r}: {error}") from None

    def passes(txn: Transaction) -> bool:
        if txn.state is State.DEAD or (states and txn.state.title not in states):
            return False
        if producers and txn.stored.producer.producer_id not in producers:
            return False
        if least >= 0 and not (txn.state in _OPEN and now_ms - txn.stored.started_ms > least):
            return False
        return pattern is None or pattern.fullmatch(txn.transactional_id) is not None

    return passes
