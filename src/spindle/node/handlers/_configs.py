"""What AlterConfigs and IncrementalAlterConfigs share: an outcome for each resource."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spindle.model.errors import Error
from spindle.node.calls import Call
from spindle.wire.entities import make


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
