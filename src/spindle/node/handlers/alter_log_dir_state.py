"""AlterLogDirState (30113, ours), versions 0 and 1, broker listener.

Behaviour: one log directory is probed, taken offline until further notice, opened again, or adopted
as a blank disk, without a restart (B-13, B-16). The answer tells in words what came of it. To take
it offline where partitions have their last live replica in it needs `force`, which version 0 lacks.

Errors: LOG_DIR_NOT_FOUND (not a configured path), INVALID_REQUEST (it may not be done, as the text
says), KAFKA_STORAGE_ERROR (the disk did not do it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.model.errors import Error, Refusal
from spindle.node.logdirs.orders import Order
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.alter_log_dir_state_request import AlterLogDirStateRequest
from spindle.wire.messages.alter_log_dir_state_response import AlterLogDirStateResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: AlterLogDirStateRequest,
    context: RequestContext[AlterLogDirStateResponse],
) -> Later:
    """Carry out what is wanted of a directory."""
    try:
        order = Order(request.wanted_state)
    except ValueError:
        known = ", ".join(f"{o.value} {o.name}" for o in Order)
        text = f"wanted_state {request.wanted_state} is not known; known are: {known}"
        raise Refusal(Error.INVALID_REQUEST, text) from None

    def done(words: str) -> None:
        context.answer(AlterLogDirStateResponse(outcome=words))

    def failed(words: str) -> None:
        context.answer(refuse(request, context, Error.KAFKA_STORAGE_ERROR, words))

    broker.logs.orders.directories.carry_out(
        request.log_dir, order, done, failed, force=request.force
    )
    return LATER


def refuse(
    request: AlterLogDirStateRequest,
    context: RequestContext[AlterLogDirStateResponse],
    error: Error,
    message: str,
) -> AlterLogDirStateResponse:
    """It was not done."""
    return AlterLogDirStateResponse(error_code=error, error_message=message)
