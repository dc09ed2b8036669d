"""Envelope (58), version 0, controller listener.

Behaviour: a broker hands on a client's request, header and body as they came, with the client's
principal and address (KIP-590). The answer's bytes, in the client's version, travel back the same
way, with the offset up to which the metadata is committed here: the changes of the answer are in it
(tag 10000, Spindle's own). NOT_CONTROLLER: the broker looks for the active controller and sends it
again. PRINCIPAL_DESERIALIZATION_FAILURE, INVALID_REQUEST for a request that may not be forwarded or
a client address that is none, UNSUPPORTED_VERSION for one that cannot be read.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.node.request_context import LATER, Later, Origin, RequestContext
from spindle.wire.apis import FORWARDABLE
from spindle.wire.framing import decode_header
from spindle.wire.messages.envelope_request import EnvelopeRequest
from spindle.wire.messages.envelope_response import EnvelopeResponse
from spindle.wire.principals import principal_in

if TYPE_CHECKING:
    from spindle.node.controller import Controller

ADDRESS_SIZES: Final = (4, 16)


def on_controller(
    controller: Controller, request: EnvelopeRequest, context: RequestContext[EnvelopeResponse]
) -> Later:
    """Serve the request inside."""
    origin = _origin(request, context.origin)
    if not controller.active:
        raise Refusal(Error.NOT_CONTROLLER, "this node is not the active controller")
    frame = request.request_data
    try:
        header, _ = decode_header(frame)
        if header.api_key not in FORWARDABLE:
            raise Refusal(Error.INVALID_REQUEST, f"API {header.api_key} may not be forwarded")
        assert controller.router is not None, "it was composed"
        controller.router.on_forwarded(
            frame,
            context,
            origin,
            lambda buffers: context.answer(_sealed(buffers, controller.image.offset)),
            lambda error, why: context.answer(refuse(request, context, error, why)),
        )
    except Corrupt as corrupt:
        raise Refusal(Error.UNSUPPORTED_VERSION, str(corrupt)) from None
    return LATER


def _sealed(buffers: list[Buffer], offset: int) -> EnvelopeResponse:
    if not buffers:
        return EnvelopeResponse(error_code=Error.NOT_CONTROLLER)
    # Without the length that a connection would need.
    return EnvelopeResponse(response_data=b"".join(buffers)[4:], metadata_offset=offset)


def _origin(request: EnvelopeRequest, outer: Origin) -> Origin:
    """Where the request inside comes from: the broker vouches for its client."""
    try:
        principal = principal_in(request.request_principal or b"")
    except Corrupt as corrupt:
        raise Refusal(
            Error.PRINCIPAL_DESERIALIZATION_FAILURE, f"the principal cannot be read: {corrupt}"
        ) from None
    if len(request.client_host_address) not in ADDRESS_SIZES:
        raise Refusal(Error.INVALID_REQUEST, "the client's address is neither IPv4 nor IPv6")
    host = str(ipaddress.ip_address(bytes(request.client_host_address)))
    return outer._replace(host=host, principal=principal)


def refuse(
    request: EnvelopeRequest, context: RequestContext[EnvelopeResponse], error: Error, message: str
) -> EnvelopeResponse:
    """The envelope was not opened."""
    return EnvelopeResponse(error_code=error)
