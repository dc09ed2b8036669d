"""A client's properties, as Kafka's tools read them from `--command-config`, as a value (S-01).

Each name is honoured, refused, or named in a warning (N-01). Files of stores are read here, once.
Called by the AdminClient and by every command that connects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from spindle.model.errors import Unusable
from spindle.model.security_protocol import SecurityProtocol
from spindle.model.settings.scrutiny import nearest
from spindle.model.settings.table import NODE_SETTINGS
from spindle.security.client_names import HONOURED, REFUSED, WITHOUT_EFFECT
from spindle.security.properties_file import read_properties
from spindle.security.providers import PROVIDERS

if TYPE_CHECKING:
    from spindle.security.mechanisms import Login
    from spindle.security.tls import TlsSettings

PROTOCOL: Final = "security.protocol"
_TIMEOUT: Final = "default.api.timeout.ms"
_ENDPOINT: Final = "sasl.oauthbearer.token.endpoint.url"
_LOOPBACK: Final = re.compile(r"127(\.\d+){3}")
_ACCESS: Final = ("ssl.", "sasl.", "security.")
_PROVIDERS: Final = f"{PROVIDERS}."


@dataclass(frozen=True, slots=True)
class ClientSecurity:
    """How a client connects. It holds all it needs, shows no secret, and can be pickled."""

    protocol: SecurityProtocol = SecurityProtocol.PLAINTEXT
    tls: TlsSettings | None = None
    login: Login | None = None


UNSECURED: Final = ClientSecurity()


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """What a client's properties say. What they leave out is None."""

    security: ClientSecurity = UNSECURED
    bootstrap: str | None = None
    controllers: str | None = None
    client_id: str | None = None
    timeout: float | None = None
    """Seconds for each call."""
    warnings: tuple[str, ...] = ()
    """One line for each reason why settings have no effect, or for a secret sent in clear."""


PLAIN_SETTINGS: Final = ClientSettings()
"""Those of no file at all."""


def read_client_settings(path: Path) -> ClientSettings:
    """The settings in a file. Unusable names the file, the setting and what to write."""
    try:
        return client_settings(read_properties(path))
    except Unusable as error:
        text = str(error)
        raise Unusable(text if text.startswith(str(path)) else f"{path}: {text}") from None


def client_settings(given: Mapping[str, str]) -> ClientSettings:
    """The settings of a client from its properties."""
    protocol = _protocol(given)
    warnings = tuple(_told(given, protocol))
    timeout = given.get(_TIMEOUT, "").strip()
    if timeout and (not timeout.isdigit() or int(timeout) == 0):
        raise Unusable(f"{_TIMEOUT}={timeout!r} is not a number of milliseconds")
    return ClientSettings(
        _security(given, protocol),
        given.get("bootstrap.servers") or None,
        given.get("bootstrap.controllers") or None,
        given.get("client.id") or None,
        int(timeout) / 1000 if timeout else None,
        warnings,
    )


def _security(given: Mapping[str, str], protocol: SecurityProtocol) -> ClientSecurity:
    """What cryptography needs is loaded where it is needed: most of it is slow to load."""
    tls: TlsSettings | None = None
    if protocol.has_tls:
        from spindle.security.tls import tls_settings

        tls = tls_settings(given)
    if not protocol.has_sasl:
        return ClientSecurity(protocol, tls)
    from spindle.security.mechanisms import login

    return ClientSecurity(protocol, tls, login(given))


def _protocol(given: Mapping[str, str]) -> SecurityProtocol:
    text = given.get(PROTOCOL, SecurityProtocol.PLAINTEXT).strip().upper()
    try:
        return SecurityProtocol(text)
    except ValueError:
        raise Unusable(f"{PROTOCOL}={text} is unknown: {', '.join(SecurityProtocol)}") from None


def _told(given: Mapping[str, str], protocol: SecurityProtocol) -> Iterator[str]:
    """What has no effect, one line for each reason. Unusable where a name is refused."""
    idle: dict[str, list[str]] = {}
    for name in given:
        if name in REFUSED:
            raise Unusable(f"{name}: {REFUSED[name]}: leave it out")
        if why := _idle(name, protocol):
            idle.setdefault(why, []).append(name)
    for why, names in idle.items():
        yield f"{', '.join(names)}: no effect here. {why}"
    if protocol.has_sasl and (host := _clear_endpoint(given)):
        yield (
            f"{_ENDPOINT} is no https:// address: the client's secret and the token cross the "
            f"network to {host} unencrypted"
        )


def _clear_endpoint(given: Mapping[str, str]) -> str | None:
    """The host that gets the secret of OAUTHBEARER without TLS; None: none but this machine."""
    if given.get("sasl.mechanism", "").strip() != "OAUTHBEARER":
        return None
    try:
        parts = urlsplit(given.get(_ENDPOINT, "").strip())
    except ValueError:
        return None  # What is no address is refused where the login is made.
    host = parts.hostname or ""
    near = host in ("localhost", "::1") or _LOOPBACK.fullmatch(host)
    return host if parts.scheme == "http" and not near else None


def _idle(name: str, protocol: SecurityProtocol) -> str | None:
    """Why a name has no effect; None where it has one."""
    if name.startswith("ssl.") and not protocol.has_tls:
        return f"{PROTOCOL}={protocol} has no TLS."
    if name.startswith("sasl.") and not protocol.has_sasl:
        return f"{PROTOCOL}={protocol} has no SASL."
    if name in HONOURED or name.startswith(_PROVIDERS):
        return None
    if name in WITHOUT_EFFECT:
        return WITHOUT_EFFECT[name]
    if name in NODE_SETTINGS:
        return "They are settings of brokers."
    known = [*HONOURED, *WITHOUT_EFFECT]
    meant = nearest(name, known)
    if name.startswith(_ACCESS):
        raise Unusable(
            f"there is no setting {name}" + (f": did you mean {meant}?" if meant else "")
        )
    return "This client does not know them."
