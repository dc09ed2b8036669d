"""EndTxn (26), versions 0-5.

Behaviour: a transaction is committed or aborted; answered once the decision is committed in
`__transaction_state`. The markers follow by themselves.

Version notes: before 2 PRODUCER_FENCED is told as INVALID_PRODUCER_EPOCH; from 5 on each
transaction ends in an epoch of its own, and the answer tells the next one (KIP-890).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.transactions.values import Producer
from spindle.model.errors import Error
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker

FENCED_FROM = 2
BUMPS_FROM = 5


def on_broker(broker: Broker, call: Call) -> None:
    """End a transaction."""
    body = call.body

    def then(result: Producer | Error) -> None:
        if isinstance(result, Error):
            call.answer(refuse(call, result, ""))
        else:
            call.answer(
                make(
                    call.reply.EndTxnResponse,
                    error_code=Error.NONE,
                    producer_id=result.producer_id,
                    producer_epoch=result.epoch,
                )
            )

    broker.transactions.coordinator(body.transactional_id).end(
        body.transactional_id,
        Producer(body.producer_id, body.producer_epoch),
        body.committed,
        call.version >= BUMPS_FROM,
        then,
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """It is not ended by this request."""
    if error is Error.PRODUCER_FENCED and call.version < FENCED_FROM:
        error = Error.INVALID_PRODUCER_EPOCH
    return make(call.reply.EndTxnResponse, error_code=error, producer_id=-1, producer_epoch=-1)
