"""AllocateProducerIds (67), version 0, controller listener.

Behaviour: gives a broker the next block of 1000 producer ids (KIP-730). STALE_BROKER_EPOCH where
the broker is not registered so.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import producer_ids
from spindle.model.errors import Error
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.allocate_producer_ids_request import AllocateProducerIdsRequest
from spindle.wire.messages.allocate_producer_ids_response import AllocateProducerIdsResponse

if TYPE_CHECKING:
    from spindle.node.controller import Controller


def on_controller(
    controller: Controller,
    request: AllocateProducerIdsRequest,
    context: RequestContext[AllocateProducerIdsResponse],
) -> Later:
    """Give a block away, for good."""
    return controller.serve(
        context,
        lambda state: producer_ids.allocate(state, request.broker_id, request.broker_epoch),
        lambda block: AllocateProducerIdsResponse(
            producer_id_start=block.first, producer_id_len=block.size
        ),
        partial(refuse, request, context),
    )


def refuse(
    request: AllocateProducerIdsRequest,
    context: RequestContext[AllocateProducerIdsResponse],
    error: Error,
    message: str,
) -> AllocateProducerIdsResponse:
    """No block."""
    return AllocateProducerIdsResponse(error_code=error, producer_id_start=-1)
