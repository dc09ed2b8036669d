"""What listens at an address that does not answer as a broker: TLS, HTTP, or another protocol.

Asked only once ApiVersions was not answered at all: first a TLS handshake, then an HTTP request.
Called by `cluster`.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import Final

from spindle.client.link import HTTP, TLS

LIMIT_S: Final = 2.0
"""Seconds for each try."""
_ASKED: Final = b"HEAD / HTTP/1.0\r\n\r\n"


async def recognise(host: str, port: int) -> str | None:
    """In words, or None where it is neither."""
    if await _speaks_tls(host, port):
        return TLS
    return HTTP if await _speaks_http(host, port) else None


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
