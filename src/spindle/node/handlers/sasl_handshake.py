"""SaslHandshake (17), versions 0-1, both listeners.

Behaviour: where no login is due it is refused with ILLEGAL_SASL_STATE, as in Apache Kafka: on
listeners without SASL, and once a client has logged in. The handshake of a login is
`node.sasl_authenticator`'s.
"""

from __future__ import annotations

from spindle.model.errors import Error
from spindle.node.request_context import RequestContext
from spindle.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from spindle.wire.messages.sasl_handshake_response import SaslHandshakeResponse


def on_listener(
    _: object, request: SaslHandshakeRequest, context: RequestContext[SaslHandshakeResponse]
) -> SaslHandshakeResponse:
    """No login is due."""
    return SaslHandshakeResponse(error_code=Error.ILLEGAL_SASL_STATE)
