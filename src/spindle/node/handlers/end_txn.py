"""EndTxn (26), versions 0-5.

Behaviour: a transaction is committed or aborted; answered once the decision is committed in
`__transaction_state`. The markers follow by themselves.

Version notes: before 2 PRODUCER_FENCED becomes INVALID_PRODUCER_EPOCH; from 5 on each
transaction ends in an epoch of its own, and the answer tells the next one (KIP-890).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.core.transactions.transaction_values import ProducerIdAndEpoch
from spindle.model.errors import Error
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.end_txn_request import EndTxnRequest
from spindle.wire.messages.end_txn_response import EndTxnResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker

FENCED_FROM = 2
BUMPS_FROM = 5


def on_broker(
    broker: Broker, request: EndTxnRequest, context: RequestContext[EndTxnResponse]
) -> Later:
    """End a transaction."""

    def then(result: ProducerIdAndEpoch | Error) -> None:
        if isinstance(result, Error):
            context.answer(refuse(request, context, result, ""))
        else:
            context.answer(
                EndTxnResponse(producer_id=result.producer_id, producer_epoch=result.epoch)
            )

    broker.transactions.coordinator(request.transactional_id).end(
        request.transactional_id,
        ProducerIdAndEpoch(request.producer_id, request.producer_epoch),
        request.committed,
        context.version >= BUMPS_FROM,
        then,
    )
    return LATER


def refuse(
    request: EndTxnRequest, context: RequestContext[EndTxnResponse], error: Error, message: str
) -> EndTxnResponse:
    """It is not ended by this request."""
    if error is Error.PRODUCER_FENCED and context.version < FENCED_FROM:
        error = Error.INVALID_PRODUCER_EPOCH
    return EndTxnResponse(error_code=error, producer_id=-1, producer_epoch=-1)
