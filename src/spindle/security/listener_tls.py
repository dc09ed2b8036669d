"""What a node's settings say of TLS: at one of its listeners, and on its links to other nodes.

Files of stores are read when a value is made. Called by the rim, which makes it once more when a
file or a setting has changed.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cryptography import x509

from spindle.model.errors import Unusable
from spindle.model.security_protocol import SecurityProtocol
from spindle.model.settings.typed_settings import Settings
from spindle.security.ssl_principal_mapper import SslPrincipalMapper
from spindle.security.tls import TlsSettings, tls_settings

LOCATIONS: Final = ("ssl.keystore.location", "ssl.truststore.location")
_NAMES: Final = (
    *LOCATIONS,
    "ssl.allow.dn.changes",
    "ssl.allow.san.changes",
    "ssl.cipher.suites",
    "ssl.client.auth",
    "ssl.enabled.protocols",
    "ssl.endpoint.identification.algorithm",
    "ssl.key.password",
    "ssl.keystore.certificate.chain",
    "ssl.keystore.key",
    "ssl.keystore.password",
    "ssl.keystore.type",
    "ssl.principal.mapping.rules",
    "ssl.protocol",
    "ssl.truststore.certificates",
    "ssl.truststore.password",
    "ssl.truststore.type",
)
_CLIENT_AUTH: Final = {
    "none": ssl.CERT_NONE,
    "requested": ssl.CERT_OPTIONAL,
    "required": ssl.CERT_REQUIRED,
}


@dataclass(frozen=True, slots=True)
class ListenerTls:
    """How one listener speaks TLS, and how clients are called by their certificates."""

    tls: TlsSettings
    client_auth: ssl.VerifyMode
    mapper: SslPrincipalMapper
    allows_dn_changes: bool = False
    allows_san_changes: bool = False

    def context(self) -> ssl.SSLContext:
        """For connections in. Unusable where OpenSSL does not take a value."""
        return self.tls.server_context(self.client_auth)

    @property
    def certificate(self) -> x509.Certificate:
        """The certificate that clients see."""
        assert self.tls.identity is not None, "a listener has a certificate"
        return x509.load_der_x509_certificate(self.tls.identity.chain[0])

    def check_successor(self, new: ListenerTls) -> None:
        """Unusable where another certificate may not take this one's place (KIP-226, KIP-978)."""
        old, later = self.certificate, new.certificate
        if not new.allows_dn_changes and later.subject != old.subject:
            raise Unusable(
                f"Keystore DistinguishedName does not match: it was {old.subject.rfc4514_string()},"
                f" and the new one is {later.subject.rfc4514_string()} (ssl.allow.dn.changes=true"
                " permits it)"
            )
        lost = _alternatives(old) - _alternatives(later)
        if not new.allows_san_changes and lost:
            raise Unusable(
                "Keystore SubjectAltNames do not match: the new certificate lacks "
                f"{', '.join(sorted(lost))} (ssl.allow.san.changes=true permits it)"
            )


def _alternatives(certificate: x509.Certificate) -> frozenset[str]:
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return frozenset()
    return frozenset(str(name.value) for name in found.value)


def texts_of(settings: Settings) -> dict[str, str]:
    """What the settings of a listener say of TLS, as texts."""
    found = {name: settings.text(name) for name in _NAMES}
    return {name: text for name, text in found.items() if text is not None}


def listener_tls(settings: Settings, listener: str, protocol: SecurityProtocol) -> ListenerTls:
    """What a node's settings say of a listener. Unusable names it, the setting and the cause."""
    own = settings.of_listener(listener)
    try:
        rules = SslPrincipalMapper(own.word("ssl.principal.mapping.rules"))
        tls = tls_settings(texts_of(own))
        if tls.identity is None:
            raise Unusable(
                "ssl.keystore.location is missing: a listener with TLS needs a certificate and its"
                " key"
            )
    except Unusable as error:
        raise Unusable(f"listener {listener} ({protocol}): {error}") from None
    auth = own.word("ssl.client.auth")
    if protocol is SecurityProtocol.SASL_SSL and not _has_own_auth(settings, listener):
        auth = "none"  # As in Apache Kafka (KIP-684): clients authenticate by SASL.
    return ListenerTls(
        tls,
        _CLIENT_AUTH[auth],
        rules,
        own.flag("ssl.allow.dn.changes"),
        own.flag("ssl.allow.san.changes"),
    )


def link_tls(settings: Settings, listener: str) -> TlsSettings:
    """How this node speaks TLS as a client of other nodes at a listener. Unusable as above."""
    try:
        return tls_settings(texts_of(settings.of_listener(listener)))
    except Unusable as error:
        raise Unusable(f"links to other nodes' listener {listener}: {error}") from None


def _has_own_auth(settings: Settings, listener: str) -> bool:
    name = f"listener.name.{listener.lower()}.ssl.client.auth"
    return name in settings.given or name in settings.dynamic


def files_of(texts: Mapping[str, str]) -> tuple[str, ...]:
    """The files that these texts name."""
    return tuple(texts[name] for name in LOCATIONS if texts.get(name))
