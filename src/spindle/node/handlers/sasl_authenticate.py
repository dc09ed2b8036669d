"""SaslAuthenticate (36), versions 0-2, both listeners.

Behaviour: where no login is due it is refused with ILLEGAL_SASL_STATE, as in Apache Kafka: on
listeners without SASL, and once a client has logged in. The messages of a login are
`node.sasl_authenticator`'s.
"""

from __future__ import annotations

from spindle.model.errors import Error
from spindle.node.request_context import RequestContext
from spindle.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from spindle.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse


def on_listener(
    _: object, request: SaslAuthenticateRequest, context: RequestContext[SaslAuthenticateResponse]
) -> SaslAuthenticateResponse:
    """No login is due."""
    return SaslAuthenticateResponse(
        error_code=Error.ILLEGAL_SASL_STATE,
        error_message="SaslAuthenticate request received after successful authentication",
    )
