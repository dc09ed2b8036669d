"""IncrementalAlterConfigs (44), versions 0-1, both listeners.

Behaviour: single settings of topics and brokers are set, deleted, appended to or subtracted from;
each resource as a whole or not at all (KIP-339). Settings of brokers are recorded; the brokers
apply them when they see the record. On the broker listener the request is forwarded.
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

RESPONSE: Final = "IncrementalAlterConfigsResponse"


def on_broker(broker: Broker, call: Call) -> None:
    """Hand on to the controller what this broker can live with."""
    check_cordons(broker, call)
    broker.forwarding.forward(call, refuse)


def on_controller(controller: Controller, call: Call) -> None:
    """Change settings."""
    asked = [
        (
            configs.Resource(resource.resource_type, resource.resource_name),
            [configs.Alteration(c.name, c.config_operation, c.value) for c in resource.configs],
        )
        for resource in call.body.resources
    ]
    controller.serve(
        call,
        lambda state: configs.alter_incrementally(
            state, asked, call.body.validate_only, direct=not call.forwarded
        ),
        lambda outcomes: respond(call, RESPONSE, [(o.error, o.message) for _, o in outcomes]),
        refuse,
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """The same error for each resource."""
    return refusal(call, RESPONSE, error, message)
