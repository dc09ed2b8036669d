"""UnregisterBroker (64), version 0, both listeners.

Behaviour: forgets a broker that will not come back. BROKER_ID_NOT_REGISTERED where it is unknown.
On the broker listener the request is forwarded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.controller import brokers
from spindle.model.errors import Error
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(broker: Broker, call: Call) -> None:
    """Hand on to the controller."""
    broker.forwarding.forward(call, refuse)


def on_controller(controller: Controller, call: Call) -> None:
    """Forget a broker."""

    def respond(_: None) -> Any:
        controller.sessions.forget(call.body.broker_id)
        return make(call.reply.UnregisterBrokerResponse, error_code=Error.NONE, error_message=None)

    controller.serve(
        call, lambda state: brokers.unregister(state, call.body.broker_id), respond, refuse
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """The error with its reason."""
    return make(call.reply.UnregisterBrokerResponse, error_code=error, error_message=message)
