"""AlterConfigs (33), versions 0-2, both listeners.

Behaviour: replaces all settings of each resource: what the request does not name goes back to its
default. Kept for old clients; IncrementalAlterConfigs is the better way. On the broker listener the
request is forwarded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from spindle.core.controller import configs
from spindle.model.errors import Error
from spindle.node.calls import Call
from spindle.node.handlers._configs import check_cordons, refusal, respond

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

RESPONSE: Final = "AlterConfigsResponse"


def on_broker(broker: Broker, call: Call) -> None:
    """Hand on to the controller what this broker can live with."""
    check_cordons(broker, call)
    broker.forwarding.forward(call, refuse)


def on_controller(controller: Controller, call: Call) -> None:
    """Replace settings."""
    asked = [
        (
            configs.Resource(resource.resource_type, resource.resource_name),
            {config.name: config.value for config in resource.configs},
        )
        for resource in call.body.resources
    ]
    controller.serve(
        call,
        lambda state: configs.alter_wholly(
            state, asked, call.body.validate_only, direct=not call.forwarded
        ),
        lambda outcomes: respond(call, RESPONSE, [(o.error, o.message) for _, o in outcomes]),
        refuse,
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """The same error for each resource."""
    return refusal(call, RESPONSE, error, message)
