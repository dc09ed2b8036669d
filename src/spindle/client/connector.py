"""How a link comes about: the connection, TLS, the versions of the other side, authentication.

The one place where a client's security is put to work (S-01), and where a failure of it gets its
meaning (S-02). Knows links and no cluster. Called by `cluster`.
"""

from __future__ import annotations

import asyncio
import secrets
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import spindle
from spindle.client.failures import AuthenticationFailed, OutOfTime, Refused, Unreachable
from spindle.client.link import Link
from spindle.client.strangers import LIMIT_S, plaintext, recognise, sasl_mechanisms
from spindle.model.errors import Error, PeerFailed, Refusal
from spindle.security.client_properties import UNSECURED, ClientSecurity
from spindle.wire.apis import SOFTWARE, Key
from spindle.wire.messages.api_versions_request import ApiVersionsRequest
from spindle.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from spindle.wire.messages.sasl_handshake_request import SaslHandshakeRequest

if TYPE_CHECKING:
    from spindle.security.mechanisms import OAuthLogin
    from spindle.security.sasl import SaslClient
    from spindle.security.tokens import Token

STRANGE_S: Final = 1.0
"""Seconds of silence after which a look is taken at what listens there."""
RENEWED_AT: Final = 0.85
"""The share of a session, or of a token's life, after which another is asked for (KIP-368)."""


@dataclass(slots=True)
class OpenLink:
    """A link that is ready for requests, and what the other side serves."""

    link: Link
    host: str
    versions: Mapping[int, tuple[int, int]]
    renew_at: float | None = None
    """When to authenticate once more (monotonic clock); None: never."""

    @property
    def usable(self) -> bool:
        """Whether a request may be sent at once."""
        return self.link.alive and (self.renew_at is None or time.monotonic() < self.renew_at)


class Connector:
    """Opens links to the nodes of one cluster as one user."""

    def __init__(self, client_id: str, security: ClientSecurity = UNSECURED) -> None:
        self._client_id = client_id
        self._security = security
        self._tls: ssl.SSLContext | None = None
        self._token: Token | None = None
        self._token_until = 0.0
        self._fetching = asyncio.Lock()

    async def open(self, host: str, port: int, name: str, seconds: float) -> OpenLink:
        """A link to a node, authenticated, within so many seconds for each of its steps.

        AuthenticationFailed where another try would fail as well.
        """
        link = await self._connect(host, port, name, seconds)
        try:
            found = OpenLink(link, host, await self._negotiated(link, host, port, seconds))
            if self._security.login is not None:
                await self.authenticate(found, seconds)
        except (Unreachable, OutOfTime) as failure:
            link.close()
            if isinstance(failure, AuthenticationFailed) or link.heard:
                raise
            if self._security.tls is None and (stranger := await recognise(host, port)):
                raise AuthenticationFailed(f"{name}: {stranger}") from None
            raise
        except BaseException:
            link.close()
            raise
        return found

    async def breathes(self, host: str, port: int) -> bool:
        """Whether a node answers a connection of its own with anything at all."""
        try:
            link = await self._connect(host, port, f"{host}:{port}", LIMIT_S)
        except AuthenticationFailed:
            return True
        except Unreachable:
            return False
        try:
            await link.ask(ApiVersionsRequest(), 0, LIMIT_S)
        except OutOfTime:
            return link.heard
        except Unreachable:
            return True  # It hangs up, so it runs; its own link fails by its own rule.
        finally:
            link.close()
        return True

    async def ping(self, opened: OpenLink, seconds: float) -> None:
        """See that a link still answers; Unreachable or OutOfTime where it does not."""
        await opened.link.ask(ApiVersionsRequest(), 0, seconds)

    async def diagnosed(self, failed: OpenLink, port: int, failure: Unreachable) -> Unreachable:
        """A link's failure, or what it means where the listener waits for SASL."""
        if self._security.login is not None or failed.link.answers != 1:
            return failure
        mechanisms = await sasl_mechanisms(failed.host, port, self._tls)
        if mechanisms is None:
            return failure
        wanted = "SASL_SSL" if self._security.tls else "SASL_PLAINTEXT"
        return AuthenticationFailed(
            f"{failed.link.name}: this listener wants SASL ({', '.join(mechanisms)}): set "
            f"security.protocol={wanted}, sasl.mechanism and sasl.jaas.config in the client's "
            "properties (--command-config)"
        )

    async def authenticate(self, opened: OpenLink, seconds: float) -> None:
        """Hold the SASL conversation, at first or once more before the session ends (KIP-368)."""
        login, link = self._security.login, opened.link
        assert login is not None
        await self._shake_hands(opened, login.mechanism, seconds)
        try:
            machine = await self._machine(opened.host)
            low, high = opened.versions.get(Key.SASL_AUTHENTICATE, (0, 0))
            version = min(high, SaslAuthenticateRequest.VERSIONS[-1])
            message: bytes | None = await asyncio.to_thread(machine.first)
            lifetime = 0
            while message is not None:
                request = SaslAuthenticateRequest(auth_bytes=message)
                answer = await link.ask(request, max(low, version), seconds)
                if answer.error_code:
                    raise self._refused(link, answer.error_code, answer.error_message)
                lifetime = int(answer.session_lifetime_ms)
                message = await asyncio.to_thread(machine.answer, answer.auth_bytes)
        except Refusal as refusal:
            raise AuthenticationFailed(f"{link.name}: {refusal}") from None
        except PeerFailed as failure:
            if isinstance(failure, (Unreachable, OutOfTime)):
                raise
            raise Unreachable(f"{link.name}: {failure}") from None
        opened.renew_at = time.monotonic() + RENEWED_AT * lifetime / 1000 if lifetime > 0 else None

    async def _connect(self, host: str, port: int, name: str, seconds: float) -> Link:
        if self._tls is None and self._security.tls is not None:
            self._tls = await asyncio.to_thread(self._security.tls.context)
        try:
            return await Link.connect(
                host, port, name=name, client_id=self._client_id, seconds=seconds, tls=self._tls
            )
        except Unreachable as failure:
            # A port without TLS hangs up, or answers with what is no TLS.
            if self._tls is not None and (told := await plaintext(host, port)):
                raise AuthenticationFailed(f"{name}: {told}") from None
            raise failure

    async def _negotiated(
        self, link: Link, host: str, port: int, seconds: float
    ) -> dict[int, tuple[int, int]]:
        """What the node speaks. Where it keeps silent, a look at what it is goes on beside that."""
        asked = asyncio.create_task(self._negotiate(link, seconds))
        try:
            await asyncio.wait({asked}, timeout=min(STRANGE_S, seconds / 2))
            if not asked.done() and not link.heard and self._security.tls is None:
                looking = asyncio.create_task(recognise(host, port))
                await asyncio.wait({asked, looking}, return_when=asyncio.FIRST_COMPLETED)
                looking.cancel()
                [stranger] = await asyncio.gather(looking, return_exceptions=True)
                if isinstance(stranger, str) and not asked.done():
                    raise AuthenticationFailed(f"{link.name}: {stranger}")
            return await asked
        finally:
            asked.cancel()

    async def _negotiate(self, link: Link, seconds: float) -> dict[int, tuple[int, int]]:
        """Ask what the node speaks: in our newest version, else in the oldest (KIP-511)."""
        request = ApiVersionsRequest(
            client_software_name=SOFTWARE, client_software_version=spindle.__version__
        )
        answer = await link.ask(request, request.VERSIONS[-1], seconds)
        if answer.error_code == Error.UNSUPPORTED_VERSION:
            answer = await link.ask(request, 0, seconds)
        if answer.error_code:
            raise Refused(answer.error_code, "ApiVersions", link.name)
        return {int(k.api_key): (int(k.min_version), int(k.max_version)) for k in answer.api_keys}

    async def _shake_hands(self, opened: OpenLink, mechanism: str, seconds: float) -> None:
        wanted = "SSL" if self._security.tls else "PLAINTEXT"
        without = AuthenticationFailed(
            f"{opened.link.name}: this listener asks for no SASL: set security.protocol={wanted}"
        )
        if Key.SASL_HANDSHAKE not in opened.versions:
            raise without
        request = SaslHandshakeRequest(mechanism=mechanism)
        answer = await opened.link.ask(request, request.VERSIONS[-1], seconds)
        match answer.error_code:
            case Error.NONE:
                return
            case Error.ILLEGAL_SASL_STATE:
                raise without
            case Error.UNSUPPORTED_SASL_MECHANISM:
                theirs = ", ".join(answer.mechanisms) or "none"
                raise AuthenticationFailed(
                    f"{opened.link.name}: the listener does not offer sasl.mechanism={mechanism};"
                    f" it offers {theirs}"
                )
            case code:
                raise Refused(code, "SaslHandshake", opened.link.name)

    async def _machine(self, host: str) -> SaslClient:
        from spindle.security.mechanisms import KerberosLogin, OAuthLogin

        login = self._security.login
        assert login is not None
        if isinstance(login, OAuthLogin):
            return login.client((await self._current_token(login)).text)
        if isinstance(login, KerberosLogin):
            return await asyncio.to_thread(login.client, host)
        return login.client(secrets.token_hex(16))

    async def _current_token(self, login: OAuthLogin) -> Token:
        async with self._fetching:
            if self._token is None or time.time() >= self._token_until:
                now = time.time()
                self._token = await asyncio.to_thread(login.source.fetch)
                self._token_until = now + RENEWED_AT * max(0.0, self._token.ends - now)
            return self._token

    def _refused(self, link: Link, code: int, words: str | None) -> Unreachable:
        assert self._security.login is not None
        mechanism = self._security.login.mechanism
        if code != Error.SASL_AUTHENTICATION_FAILED:
            return Unreachable(f"{link.name} answered SaslAuthenticate with error {int(code)}")
        return AuthenticationFailed(
            f"{link.name} refuses the user ({mechanism}): {words or 'no reason is given'}; check "
            "sasl.mechanism and the name and password (or token) in sasl.jaas.config"
        )
