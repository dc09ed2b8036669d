"""What listens at an address that does not answer as it should: another protocol, in words.

Asked only once a connection has failed: by a TLS handshake, an HTTP request, or a broker's own
answer to ApiVersions and SaslHandshake. Called by `connector`.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import Final

from spindle.client.failures import OutOfTime, Unreachable
from spindle.client.link import HTTP, TLS, Link
from spindle.model.errors import Error
from spindle.wire.messages.api_versions_request import ApiVersionsRequest
from spindle.wire.messages.sasl_handshake_request import SaslHandshakeRequest

LIMIT_S: Final = 2.0
"""Seconds for each try."""
_ASKED: Final = b"HEAD / HTTP/1.0\r\n\r\n"
_NO_MECHANISM: Final = "SPINDLE-ASKS"
"""A name that no broker has: it answers with those that it has."""


async def recognise(host: str, port: int) -> str | None:
    """What is there where a broker without TLS was expected; None where it is neither."""
    tls, http = await asyncio.gather(_speaks_tls(host, port), _speaks_http(host, port))
    if tls:
        return TLS
    return HTTP if http else None


async def plaintext(host: str, port: int) -> str | None:
    """What is there where a broker with TLS was expected, if that is a broker without it."""
    try:
        link = await _link(host, port, None)
        try:
            await link.ask(ApiVersionsRequest(), 0, LIMIT_S)
        finally:
            link.close()
    except (Unreachable, OutOfTime):
        return None
    mechanisms = await sasl_mechanisms(host, port, None)
    wanted = "PLAINTEXT" if mechanisms is None else "SASL_PLAINTEXT"
    return f"this listener speaks no TLS: set security.protocol={wanted}"


async def sasl_mechanisms(
    host: str, port: int, tls: ssl.SSLContext | None
) -> tuple[str, ...] | None:
    """The mechanisms of a listener with SASL; None where it has none, or does not say."""
    try:
        link = await _link(host, port, tls)
        try:
            request = SaslHandshakeRequest(mechanism=_NO_MECHANISM)
            answer = await link.ask(request, request.VERSIONS[-1], LIMIT_S)
        finally:
            link.close()
    except (Unreachable, OutOfTime):
        return None
    if answer.error_code != Error.UNSUPPORTED_SASL_MECHANISM:
        return None
    return tuple(answer.mechanisms)


async def _link(host: str, port: int, tls: ssl.SSLContext | None) -> Link:
    return await Link.connect(
        host, port, name=f"{host}:{port}", client_id="spindle", seconds=LIMIT_S, tls=tls
    )


async def _speaks_tls(host: str, port: int) -> bool:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # Nothing is sent: only whether it shakes hands counts.
    try:
        async with asyncio.timeout(LIMIT_S):
            _, writer = await asyncio.open_connection(host, port, ssl=context)
    except ssl.SSLError as error:
        return "ALERT" in (error.reason or "")  # It wants a certificate, say.
    except OSError:  # TimeoutError is one.
        return False
    writer.close()
    return True


async def _speaks_http(host: str, port: int) -> bool:
    try:
        async with asyncio.timeout(LIMIT_S):
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(_ASKED)
            first = await reader.read(5)
    except OSError:
        return False
    writer.close()
    return first == b"HTTP/"
