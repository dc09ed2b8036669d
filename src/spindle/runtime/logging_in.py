"""SASL of a node at another node: the conversation before its requests (KIP-43, KIP-152, KIP-368).

Knows the two APIs of SASL and no socket. Called by `outgoing`.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, Error, PeerFailed, Refusal, error_name
from spindle.security.mechanisms import KerberosLogin, Login, OAuthLogin
from spindle.security.sasl import SaslClient
from spindle.wire.codec import Request, Response
from spindle.wire.framing import request_frame, response_in
from spindle.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from spindle.wire.messages.sasl_handshake_request import SaslHandshakeRequest

R = TypeVar("R", bound=Response)
CLIENT_ID: Final = "spindle-node"
Exchange = Callable[[bytes], Awaitable[Buffer]]


async def log_in(login: Login, host: str, exchange: Exchange) -> float:
    """Log in at a host; `exchange` sends a frame and gives the reply to it.

    How many seconds the session lasts; 0: for ever. PeerFailed says why it was refused.
    """
    handshake = SaslHandshakeRequest(mechanism=login.mechanism)
    answer = await _ask(exchange, handshake)
    if answer.error_code == Error.UNSUPPORTED_SASL_MECHANISM:
        theirs = ", ".join(answer.mechanisms) or "none"
        raise PeerFailed(f"the listener does not offer {login.mechanism}: it offers {theirs}")
    if answer.error_code:
        raise PeerFailed(f"SaslHandshake was answered with {error_name(answer.error_code)}")
    try:
        machine = await _machine(login, host)
        message: bytes | None = await asyncio.to_thread(machine.first)
        lifetime = 0
        while message is not None:
            told = await _ask(exchange, SaslAuthenticateRequest(auth_bytes=message))
            if told.error_code:
                words = told.error_message or error_name(told.error_code)
                raise PeerFailed(f"this node is not let in ({login.mechanism}): {words}")
            lifetime = int(told.session_lifetime_ms)
            message = await asyncio.to_thread(machine.answer, told.auth_bytes)
    except Refusal as refusal:
        raise PeerFailed(f"the login failed ({login.mechanism}): {refusal}") from None
    return lifetime / 1000


async def _ask(exchange: Exchange, request: Request[R]) -> R:
    version = request.VERSIONS[-1]
    reply = await exchange(request_frame(request, version, 0, CLIENT_ID))
    try:
        return response_in(reply, request, version)
    except Corrupt as corrupt:
        raise PeerFailed(f"the login was answered with {corrupt}") from None


async def _machine(login: Login, host: str) -> SaslClient:
    if isinstance(login, OAuthLogin):
        token = await asyncio.to_thread(login.source.fetch)
        return login.client(token.text)
    if isinstance(login, KerberosLogin):
        return await asyncio.to_thread(login.client, host)
    return login.client(secrets.token_hex(16))
