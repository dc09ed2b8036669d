"""AllocateProducerIds (67), version 0, controller listener.

Behaviour: gives a broker the next block of 1000 producer ids (KIP-730). STALE_BROKER_EPOCH where
the broker is not registered so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.controller import producer_ids
from spindle.model.errors import Error
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.controller import Controller


def on_controller(controller: Controller, call: Call) -> None:
    """Give a block away, for good."""

    def respond(block: producer_ids.Block) -> Any:
        return make(
            call.reply.AllocateProducerIdsResponse,
            error_code=Error.NONE,
            producer_id_start=block.first,
            producer_id_len=block.size,
        )

    body = call.body
    controller.serve(
        call,
        lambda state: producer_ids.allocate(state, body.broker_id, body.broker_epoch),
        respond,
        refuse,
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """No block."""
    return make(
        call.reply.AllocateProducerIdsResponse,
        error_code=error,
        producer_id_start=-1,
        producer_id_len=0,
    )
