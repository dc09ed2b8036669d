"""What `ssl.*` says of connections, as a value, and the SSLContexts that obey it.

The value holds no file names: certificates and keys are read when it is made. Called by
`client_properties` and `listener_tls`; a connection takes the context.
"""

from __future__ import annotations

import os
import secrets
import ssl
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from spindle.model.errors import Unusable
from spindle.security.stores import Identity, authorities, identity

VERSIONS: Final = {
    "TLSv1.2": ssl.TLSVersion.TLSv1_2,
    "TLSv1.3": ssl.TLSVersion.TLSv1_3,
}
PROTOCOLS: Final = ("TLS", *VERSIONS)
_SUITES_OF_13: Final = frozenset(
    ("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256")
)
ENABLED, SUITES = "ssl.enabled.protocols", "ssl.cipher.suites"
CHECKED: Final = "ssl.endpoint.identification.algorithm"


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """How a client or a listener speaks TLS."""

    authorities: tuple[bytes, ...] | None = None
    """In DER; None: those of the operating system."""
    identity: Identity | None = None
    checks_names: bool = True
    versions: tuple[str, ...] = tuple(VERSIONS)
    suites: tuple[str, ...] = ()
    """Cipher suites by their IANA names; empty: OpenSSL's choice."""

    def context(self) -> ssl.SSLContext:
        """An SSLContext for connections out. Unusable where OpenSSL does not take a value."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = self.checks_names
        self._equip(context, ssl.Purpose.SERVER_AUTH)
        return context

    def server_context(self, client_auth: ssl.VerifyMode) -> ssl.SSLContext:
        """An SSLContext for connections in, which may ask clients for certificates.

        No client can have the keys negotiated once more: each time costs as much as a handshake.
        Unusable where OpenSSL does not take a value.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.options |= ssl.OP_NO_RENEGOTIATION
        context.verify_mode = client_auth
        self._equip(context, ssl.Purpose.CLIENT_AUTH)
        return context

    def _equip(self, context: ssl.SSLContext, purpose: ssl.Purpose) -> None:
        # As in Java, a trusted certificate need not be an authority's.
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        versions = [VERSIONS[name] for name in self.versions]
        context.minimum_version, context.maximum_version = min(versions), max(versions)
        if self.suites:
            self._choose_suites(context)
        try:
            if self.authorities is None:
                context.load_default_certs(purpose)
            else:
                context.load_verify_locations(cadata=b"".join(self.authorities))
            if self.identity is not None:
                _present(context, self.identity)
        except ssl.SSLError as error:
            raise Unusable(
                f"OpenSSL does not take the certificates of the stores: {error.reason or error}"
            ) from None

    def _choose_suites(self, context: ssl.SSLContext) -> None:
        older = [name for name in self.suites if name not in _SUITES_OF_13]
        newer = _SUITES_OF_13.intersection(self.suites)
        if newer and newer != _SUITES_OF_13:
            raise Unusable(
                f"{SUITES}: a choice among the suites of TLS 1.3 is not supported: name all of "
                f"{', '.join(sorted(_SUITES_OF_13))}, or none of them (TLS 1.2 is then spoken)"
            )
        if not newer:
            if "TLSv1.2" not in self.versions:
                raise Unusable(f"{SUITES} names suites of TLS 1.2, and {ENABLED} has not TLSv1.2")
            context.maximum_version = ssl.TLSVersion.TLSv1_2
        if older:
            try:
                context.set_ciphers(":".join(map(_openssl_name, older)))
            except ssl.SSLError:
                raise Unusable(f"{SUITES}: OpenSSL has none of {', '.join(older)}") from None


def tls_settings(given: Mapping[str, str]) -> TlsSettings:
    """The settings of `ssl.*`; Unusable names the one that is wrong."""
    versions = _list(given, ENABLED) or tuple(VERSIONS)
    if unknown := [name for name in versions if name not in VERSIONS]:
        raise Unusable(
            f"{ENABLED}: {', '.join(unknown)} is not supported: {', '.join(VERSIONS)} are"
        )
    if (protocol := given.get("ssl.protocol", "TLS").strip()) not in PROTOCOLS:
        raise Unusable(f"ssl.protocol={protocol} is not supported: {', '.join(PROTOCOLS)} are")
    algorithm = given.get(CHECKED, "https").strip().lower()
    if algorithm not in ("https", ""):
        raise Unusable(f"{CHECKED}={algorithm} is unknown: https, or empty to check no host names")
    return TlsSettings(
        authorities(given), identity(given), bool(algorithm), versions, _list(given, SUITES)
    )


def _list(given: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in given.get(name, "").split(",") if part.strip())


_OPENSSL: Final = (("AES_128", "AES128"), ("AES_256", "AES256"), ("_CBC_", "_"), ("_", "-"))


def _openssl_name(suite: str) -> str:
    """IANA's name of a suite of TLS 1.2 as OpenSSL writes it; a name of OpenSSL's stays."""
    exchange, _, cipher = suite.removeprefix("TLS_").partition("_WITH_")
    if not cipher:
        return suite
    name = cipher if exchange == "RSA" else f"{exchange}_{cipher}"
    for old, new in _OPENSSL:
        name = name.replace(old, new)
    return name.replace("POLY1305-SHA256", "POLY1305")


def _present(context: ssl.SSLContext, own: Identity) -> None:
    """Load our key. `ssl` takes only files: this one is 0600, encrypted, and deleted at once."""
    password = secrets.token_hex(16).encode()
    key = load_pem_private_key(own.key.reveal().encode(), None)
    sealed = key.private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(password)
    ).decode()
    chain = "".join(map(ssl.DER_cert_to_PEM_cert, own.chain))
    descriptor, path = tempfile.mkstemp(prefix="spindle-")  # 0600
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(sealed + chain)
        context.load_cert_chain(path, password=password)
    finally:
        os.unlink(path)
