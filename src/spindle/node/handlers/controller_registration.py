"""ControllerRegistration (70), version 0, controller listener.

Behaviour: another controller of the quorum tells the active one its endpoints and features, so that
clients can find it and upgrades can be checked against it (KIP-919).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.controller import features
from spindle.model import records as r
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID, Endpoint, VersionRange
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.controller import Controller


def on_controller(controller: Controller, call: Call) -> None:
    """Record a controller."""
    body = call.body
    registration = r.RegisterController(
        controller_id=body.controller_id,
        incarnation_id=body.incarnation_id or ZERO_ID,
        endpoints=tuple(
            Endpoint(e.name, e.host, int(e.port), int(e.security_protocol)) for e in body.listeners
        ),
        features=tuple(
            (f.name, VersionRange(int(f.min_supported_version), int(f.max_supported_version)))
            for f in body.features
        ),
    )
    controller.serve(
        call,
        lambda state: features.register_controller(state, registration),
        lambda _: refuse(call, Error.NONE, ""),
        refuse,
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """The error with its reason."""
    return make(
        call.reply.ControllerRegistrationResponse,
        error_code=error,
        error_message=message or None,
    )
