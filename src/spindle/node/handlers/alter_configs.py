"""AlterConfigs (33), versions 0-2, both listeners.

Behaviour: replaces all settings of each resource: what the request does not name goes back to its
default. Kept for old clients; IncrementalAlterConfigs is the better way. On the broker listener the
request is forwarded.
"""

from __future__ import annotations

from typing import Any

from spindle.core.controller import configs
from spindle.model.errors import Error
from spindle.node.calls import Call
from spindle.wire.entities import make


def on_broker(broker: Any, call: Call) -> None:
    """Hand on to the controller."""
    broker.forwarding.forward(call, refuse)


def on_controller(controller: Any, call: Call) -> None:
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
        lambda state: configs.alter_wholly(state, asked, call.body.validate_only),
        lambda outcomes: _respond(call, [(o.error, o.message) for _, o in outcomes]),
        refuse,
    )


def _respond(call: Call, outcomes: list[tuple[Error, str | None]]) -> Any:
    r = call.reply
    return make(
        r.AlterConfigsResponse,
        responses=tuple(
            make(
                r.AlterConfigsResourceResponse,
                error_code=error,
                error_message=message,
                resource_type=resource.resource_type,
                resource_name=resource.resource_name,
            )
            for resource, (error, message) in zip(call.body.resources, outcomes, strict=True)
        ),
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """The same error for each resource."""
    return _respond(call, [(error, message)] * len(call.body.resources))
