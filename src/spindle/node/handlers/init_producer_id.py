"""InitProducerId (22), versions 0-5.

Behaviour:
- an idempotent producer gets a new id with epoch 0, whatever id it may have had before;
- one with a transactional id gets that one's next epoch, which fences whoever had it before; a
  transaction that is open is aborted first, and CONCURRENT_TRANSACTIONS says to come again;
- COORDINATOR_LOAD_IN_PROGRESS while the controller gives us no ids: clients ask again;
- INVALID_REQUEST for an empty transactional id, and for an id without its epoch or the reverse.

Version notes: 1 throttles after the answer; 3 adds the id and epoch the producer has (KIP-360);
before 4 PRODUCER_FENCED is told as INVALID_PRODUCER_EPOCH.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.transactions.values import NO_EPOCH, NO_ID, Producer
from spindle.model.errors import Error, Refusal
from spindle.node.calls import Call
from spindle.wire.entities import make, to_ms

if TYPE_CHECKING:
    from spindle.node.broker import Broker

FENCED_FROM = 4


def on_broker(broker: Broker, call: Call) -> None:
    """Give a producer its id."""

    def then(result: Producer | Error) -> None:
        if isinstance(result, Error):
            call.answer(refuse(call, result, ""))
        else:
            call.answer(
                make(
                    call.reply.InitProducerIdResponse,
                    error_code=Error.NONE,
                    producer_id=result.producer_id,
                    producer_epoch=result.epoch,
                )
            )

    body = call.body
    name = body.transactional_id
    if name is None:
        broker.producer_ids.take(lambda id: then(id if isinstance(id, Error) else Producer(id, 0)))
        return
    has = Producer(getattr(body, "producer_id", NO_ID), getattr(body, "producer_epoch", NO_EPOCH))
    if not name or (has.producer_id == NO_ID) != (has.epoch == NO_EPOCH):
        raise Refusal(Error.INVALID_REQUEST, f"transactional id {name!r}, producer {has}")
    expected = None if has.producer_id == NO_ID else has
    coordinator = broker.transactions.coordinator(name)
    coordinator.init(name, to_ms(body.transaction_timeout), expected, then)


def refuse(call: Call, error: Error, message: str) -> Any:
    """No id."""
    if call.version < FENCED_FROM and error is Error.PRODUCER_FENCED:
        error = Error.INVALID_PRODUCER_EPOCH
    return make(
        call.reply.InitProducerIdResponse, error_code=error, producer_id=-1, producer_epoch=-1
    )
