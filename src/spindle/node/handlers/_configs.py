"""What AlterConfigs and IncrementalAlterConfigs share: an outcome for each resource."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from spindle.core.controller.configs import Operation, listed, parts
from spindle.model import cordons
from spindle.model.errors import Error, Refusal, Unusable
from spindle.model.image import BROKER_RESOURCE
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def check_cordons(broker: Broker, call: Call) -> None:
    """Refusal of the whole where a broker's cordons name what it has not (KIP-1066).

    Only the broker itself knows its directories, so another one does not take the change.
    """
    for resource in call.body.resources:
        if resource.resource_type != BROKER_RESOURCE or not resource.resource_name:
            continue
        for config in resource.configs:
            operation = getattr(config, "config_operation", Operation.SET)
            if config.name == cordons.SETTING and operation != Operation.DELETE:
                _check_cordon(broker, resource.resource_name, operation, config.value)


def _check_cordon(broker: Broker, name: str, operation: int, value: str | None) -> None:
    if name != str(broker.node_id):
        raise Refusal(
            Error.INVALID_REQUEST,
            f"Unexpected broker id, expected {broker.node_id}, but received {name}",
        )
    named = parts(value)
    if operation != Operation.SET:
        own = broker.image.config(BROKER_RESOURCE, name).get(cordons.SETTING)
        before = broker.settings.names(cordons.SETTING) if own is None else parts(own)
        named = listed(operation, list(before), named)
    try:
        cordons.check(named, broker.site.config.log_dirs)
    except Unusable as unusable:
        raise Refusal(Error.INVALID_REQUEST, f"requirement failed: {unusable}") from None


def respond(call: Call, name: str, outcomes: Iterable[tuple[Error, str | None]]) -> Any:
    """The response of this name: the outcomes stand in the order of the request's resources."""
    t = call.reply
    return make(
        getattr(t, name),
        responses=tuple(
            make(
                t.AlterConfigsResourceResponse,
                error_code=error,
                error_message=message,
                resource_type=resource.resource_type,
                resource_name=resource.resource_name,
            )
            for resource, (error, message) in zip(call.body.resources, outcomes, strict=True)
        ),
    )


def refusal(call: Call, name: str, error: Error, message: str) -> Any:
    """The same error for each resource."""
    return respond(call, name, [(error, message)] * len(call.body.resources))
