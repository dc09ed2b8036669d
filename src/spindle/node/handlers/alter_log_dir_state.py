"""AlterLogDirState (30113, ours), versions 0 and 1, broker listener.

Behaviour: one log directory is probed, taken offline until further notice, opened again, or adopted
as a blank disk, without a restart (B-13, B-16). The answer tells in words what came of it. To take
it offline where partitions have their last live replica in it needs `force`, which version 0 lacks.

Errors: LOG_DIR_NOT_FOUND (not a configured path), INVALID_REQUEST (it may not be done, as the text
says), KAFKA_STORAGE_ERROR (the disk did not do it).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from spindle.model.errors import Error, Refusal
from spindle.node.calls import Call
from spindle.node.logdirs.orders import Order
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(broker: Broker, call: Call) -> None:
    """Carry out what is wanted of a directory."""
    try:
        order = Order(call.body.wanted_state)
    except ValueError:
        known = ", ".join(f"{o.value} {o.name}" for o in Order)
        text = f"wanted_state {call.body.wanted_state} is not known; known are: {known}"
        raise Refusal(Error.INVALID_REQUEST, text) from None
    refused = partial(_answer, call, Error.KAFKA_STORAGE_ERROR)
    done = partial(_answer, call, Error.NONE)
    force = call.version >= 1 and call.body.force
    broker.logs.orders.carry_out(call.body.log_dir, order, done, refused, force=force)


def _answer(call: Call, error: Error, words: str) -> None:
    if error == Error.NONE:
        t = call.reply
        call.answer(make(t.AlterLogDirStateResponse, error_code=error, outcome=words))
    else:
        call.answer(refuse(call, error, words))


def refuse(call: Call, error: Error, message: str) -> Any:
    """It was not done."""
    t = call.reply
    return make(t.AlterLogDirStateResponse, error_code=error, error_message=message, outcome="")
