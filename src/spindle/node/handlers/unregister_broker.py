"""UnregisterBroker (64), version 0, both listeners.

Behaviour: forgets a broker that will not come back. BROKER_ID_NOT_REGISTERED where it is unknown.
On the broker listener the request is forwarded.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import brokers
from spindle.model.errors import Error
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.unregister_broker_request import UnregisterBrokerRequest
from spindle.wire.messages.unregister_broker_response import UnregisterBrokerResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(
    broker: Broker,
    request: UnregisterBrokerRequest,
    context: RequestContext[UnregisterBrokerResponse],
) -> Later:
    """Hand on to the controller."""
    return broker.forwarding.forward(context, partial(refuse, request, context))


def on_controller(
    controller: Controller,
    request: UnregisterBrokerRequest,
    context: RequestContext[UnregisterBrokerResponse],
) -> Later:
    """Forget a broker."""

    def respond(_: None) -> UnregisterBrokerResponse:
        controller.sessions.forget(request.broker_id)
        return UnregisterBrokerResponse()

    return controller.serve(
        context,
        lambda state: brokers.unregister(state, request.broker_id),
        respond,
        partial(refuse, request, context),
    )


def refuse(
    request: UnregisterBrokerRequest,
    context: RequestContext[UnregisterBrokerResponse],
    error: Error,
    message: str,
) -> UnregisterBrokerResponse:
    """The error with its reason."""
    return UnregisterBrokerResponse(error_code=error, error_message=message)
