"""ControllerRegistration (70), version 0, controller listener.

Behaviour: another controller of the quorum tells the active one its endpoints and features, so that
clients can find it and upgrades can be checked against it (KIP-919).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import features
from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID, Endpoint, VersionRange
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.controller_registration_request import ControllerRegistrationRequest
from spindle.wire.messages.controller_registration_response import ControllerRegistrationResponse

if TYPE_CHECKING:
    from spindle.node.controller import Controller


def on_controller(
    controller: Controller,
    request: ControllerRegistrationRequest,
    context: RequestContext[ControllerRegistrationResponse],
) -> Later:
    """Record a controller."""
    registration = r.RegisterController(
        controller_id=request.controller_id,
        incarnation_id=request.incarnation_id or ZERO_ID,
        endpoints=tuple(
            Endpoint(e.name, e.host, e.port, e.security_protocol) for e in request.listeners
        ),
        features=tuple(
            (f.name, VersionRange(f.min_supported_version, f.max_supported_version))
            for f in request.features
        ),
    )
    return controller.serve(
        context,
        lambda state: features.register_controller(state, registration),
        lambda _: ControllerRegistrationResponse(),
        partial(refuse, request, context),
    )


def refuse(
    request: ControllerRegistrationRequest,
    context: RequestContext[ControllerRegistrationResponse],
    error: Error,
    message: str,
) -> ControllerRegistrationResponse:
    """The error with its reason."""
    return ControllerRegistrationResponse(error_code=error, error_message=message or None)
