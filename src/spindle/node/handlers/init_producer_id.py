"""InitProducerId (22), versions 0-5.

Behaviour:
- an idempotent producer gets a new id with epoch 0, whatever id it may have had before;
- one with a transactional id gets that one's next epoch, which fences its earlier producer; a
  transaction that is open is aborted first, and CONCURRENT_TRANSACTIONS says to come again;
- COORDINATOR_LOAD_IN_PROGRESS while the controller gives us no ids: clients ask again;
- INVALID_REQUEST for an empty transactional id, and for an id without its epoch or the reverse.

Version notes: 1 throttles after the answer; 3 adds the id and epoch the producer has (KIP-360);
before 4 PRODUCER_FENCED becomes INVALID_PRODUCER_EPOCH.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.core.transactions.transaction_values import NO_EPOCH, NO_ID, ProducerIdAndEpoch
from spindle.model.errors import Error, Refusal
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.init_producer_id_request import InitProducerIdRequest
from spindle.wire.messages.init_producer_id_response import InitProducerIdResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker

FENCED_FROM = 4


def on_broker(
    broker: Broker, request: InitProducerIdRequest, context: RequestContext[InitProducerIdResponse]
) -> Later:
    """Give a producer its id."""

    def then(result: ProducerIdAndEpoch | Error) -> None:
        if isinstance(result, Error):
            context.answer(refuse(request, context, result, ""))
        else:
            context.answer(
                InitProducerIdResponse(producer_id=result.producer_id, producer_epoch=result.epoch)
            )

    name = request.transactional_id
    if name is None:
        broker.producer_ids.take(
            lambda id: then(id if isinstance(id, Error) else ProducerIdAndEpoch(id, 0))
        )
        return LATER
    has = ProducerIdAndEpoch(request.producer_id, request.producer_epoch)
    if not name or (has.producer_id == NO_ID) != (has.epoch == NO_EPOCH):
        raise Refusal(Error.INVALID_REQUEST, f"transactional id {name!r}, producer {has}")
    expected = None if has.producer_id == NO_ID else has
    coordinator = broker.transactions.coordinator(name)
    coordinator.init(name, request.transaction_timeout_ms, expected, then)
    return LATER


def refuse(
    request: InitProducerIdRequest,
    context: RequestContext[InitProducerIdResponse],
    error: Error,
    message: str,
) -> InitProducerIdResponse:
    """No id."""
    if context.version < FENCED_FROM and error is Error.PRODUCER_FENCED:
        error = Error.INVALID_PRODUCER_EPOCH
    return InitProducerIdResponse(error_code=error, producer_id=-1, producer_epoch=-1)
