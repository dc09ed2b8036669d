"""Certificates for a cluster on this machine: made once, in the cluster's folder.

An authority signs one certificate for the nodes and one for clients; its key is thrown away, so
that no other certificate of it can come to be. Called by the `up` command.
"""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from spindle.security.client_properties import ClientSecurity, read_client_settings

CLIENT: Final = "admin"
"""What clients with the client's certificate are called: User:CN=admin, or User:admin by rule."""
_LIFE: Final = timedelta(days=3650)
_BEFORE: Final = timedelta(days=1)
"""A clock may be slow."""


@dataclass(frozen=True, slots=True)
class LocalSecurity:
    """The certificates of one folder: mutual TLS at every listener."""

    folder: Path

    @property
    def client_properties(self) -> Path:
        """What clients are given as `--command-config`."""
        return self.folder / "client.properties"

    @property
    def settings(self) -> dict[str, str]:
        """What every node needs."""
        return {
            **_stores(self.folder / "node.pem", self.folder / "authority.pem"),
            "ssl.client.auth": "required",
            "ssl.principal.mapping.rules": "RULE:^CN=(.*)$/$1/,DEFAULT",
        }

    def client(self) -> ClientSecurity:
        """How this process connects. Unusable where the files have been damaged."""
        return read_client_settings(self.client_properties).security


def secured(home: Path) -> LocalSecurity:
    """The certificates of a cluster's folder, made if there are none. OSError as files do."""
    made = LocalSecurity(home / "security")
    if not made.client_properties.exists():
        made.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make(made)
    return made


def _make(made: LocalSecurity) -> None:
    authority = ec.generate_private_key(ec.SECP256R1())
    issuer = _named("Spindle local cluster")
    own = _builder(issuer, issuer, authority)
    own = own.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    _write(made.folder / "authority.pem", _pem(own.sign(authority, hashes.SHA256())))
    for file, name in (("node", "node"), ("client", CLIENT)):
        key = ec.generate_private_key(ec.SECP256R1())
        hosts = x509.SubjectAlternativeName(
            [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")]
        )
        builder = _builder(_named(name), issuer, key).add_extension(hosts, critical=False)
        certificate = builder.sign(authority, hashes.SHA256())
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        _write(made.folder / f"{file}.pem", secret + _pem(certificate))
    stores = _stores(made.folder / "client.pem", made.folder / "authority.pem")
    lines = {"security.protocol": "SSL", **stores}
    # Last: that it is there says that all of them are.
    _write(made.client_properties, "".join(f"{name}={text}\n" for name, text in lines.items()))


def _stores(keys: Path, trusted: Path) -> dict[str, str]:
    return {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(keys),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(trusted),
    }


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer)
    builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
    return builder.not_valid_before(now - _BEFORE).not_valid_after(now + _LIFE)


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(Encoding.PEM).decode()


def _write(path: Path, text: str) -> None:
    """A file that this user alone may read."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
