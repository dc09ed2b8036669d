"""InitProducerId (22), versions 0-5.

Behaviour:
- an idempotent producer gets a new id with epoch 0, whatever id it may have had before;
- COORDINATOR_LOAD_IN_PROGRESS while the controller gives us no ids: clients ask again;
- a transactional id is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED: transactions are not
  served, and this is the code at which all clients give up at once instead of asking for ever
  (FindCoordinator refuses transactional ids in the same way, with a message).

Version notes: 1 throttles after the answer; 3 adds the id and epoch the producer has (KIP-360),
which matter to transactions alone; 4 may answer PRODUCER_FENCED.
"""

from __future__ import annotations

from typing import Any

from spindle.model.errors import Error, Refusal
from spindle.node.calls import Call
from spindle.wire.entities import make


def on_broker(broker: Any, call: Call) -> None:
    """Give a producer its id."""
    if call.body.transactional_id is not None:
        raise Refusal(
            Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "this broker serves no transactions"
        )

    def then(result: int | Error) -> None:
        if isinstance(result, Error):
            call.answer(refuse(call, result, ""))
        else:
            call.answer(
                make(
                    call.reply.InitProducerIdResponse,
                    error_code=Error.NONE,
                    producer_id=result,
                    producer_epoch=0,
                )
            )

    broker.producer_ids.take(then)


def refuse(call: Call, error: Error, message: str) -> Any:
    """No id."""
    return make(
        call.reply.InitProducerIdResponse, error_code=error, producer_id=-1, producer_epoch=-1
    )
