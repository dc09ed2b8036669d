"""TLS, SCRAM and ACLs for a cluster on this machine: made once, in the cluster's folder.

An authority signs the certificate of the nodes; its key is thrown away, so that no other
certificate of it can come to be. Nodes know each other by that certificate. Clients log in with a
password (SCRAM-SHA-512), and what no ACL allows is refused to all but the administrator. Called by
the `up` command.
"""

from __future__ import annotations

import ipaddress
import os
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from spindle.core.authorizer import AUTHORIZER
from spindle.model.metadata_records import UserScramCredential
from spindle.model.scram import ITERATIONS_LEAST, ScramMechanism
from spindle.security.client_properties import ClientSecurity, read_client_settings
from spindle.security.mechanisms import PasswordLogin

ADMINISTRATOR: Final = "admin"
"""The user that may do everything, and that makes other users and ACLs."""
_NODE: Final = "node"
"""The common name in the certificate of the nodes, and with that their user."""
_MECHANISM: Final = ScramMechanism.SHA_512
_SALT_BYTES: Final = 26
_LIFE: Final = timedelta(days=3650)
_BEFORE: Final = timedelta(days=1)
"""A clock may be slow."""
_SIGNS_CERTIFICATES: Final = x509.KeyUsage(
    digital_signature=False, content_commitment=False, key_encipherment=False,
    data_encipherment=False, key_agreement=False, key_cert_sign=True, crl_sign=False,
    encipher_only=False, decipher_only=False,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LocalSecurity:
    """The secrets of one folder: SASL_SSL for clients, mutual TLS between nodes, ACLs."""

    folder: Path

    @property
    def client_properties(self) -> Path:
        """What clients are given as `--command-config`."""
        return self.folder / "client.properties"

    @property
    def settings(self) -> dict[str, str]:
        """What every node needs."""
        return {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self.folder / "node.pem"),
            **_trusted(self.folder / "authority.pem"),
            "listener.name.nodes.ssl.client.auth": "required",
            "listener.name.controller.ssl.client.auth": "required",
            "ssl.principal.mapping.rules": "RULE:^CN=(.*)$/$1/,DEFAULT",
            "sasl.enabled.mechanisms": _MECHANISM.title,
            "authorizer.class.name": AUTHORIZER,
            "super.users": f"User:{ADMINISTRATOR};User:{_NODE}",
        }

    def users(self) -> tuple[UserScramCredential, ...]:
        """The records by which a new cluster knows the administrator."""
        login = self.client().login
        assert isinstance(login, PasswordLogin), (
            "the properties that `_make` writes have a password"
        )
        salt = secrets.token_bytes(_SALT_BYTES)
        salted = _MECHANISM.salted(login.password.reveal(), salt, ITERATIONS_LEAST)
        keys = _MECHANISM.keys(salted)
        return (
            UserScramCredential(
                name=login.username,
                mechanism=_MECHANISM,
                salt=salt,
                stored_key=keys.stored,
                server_key=keys.server,
                iterations=ITERATIONS_LEAST,
            ),
        )

    def client(self) -> ClientSecurity:
        """How this process connects. Unusable where the files have been damaged."""
        return read_client_settings(self.client_properties).security


def secured(home: Path) -> LocalSecurity:
    """The secrets of a cluster's folder, made if there are none. OSError as files do."""
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
    own = own.add_extension(_SIGNS_CERTIFICATES, critical=True)
    _write(made.folder / "authority.pem", _pem(own.sign(authority, hashes.SHA256())))
    key = ec.generate_private_key(ec.SECP256R1())
    hosts = x509.SubjectAlternativeName(
        [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")]
    )
    builder = _builder(_named(_NODE), issuer, key).add_extension(hosts, critical=False)
    # Strict clients (Python's from 3.13 on) require that it names the key that signs it.
    signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key())
    builder = builder.add_extension(signer, critical=False)
    certificate = builder.sign(authority, hashes.SHA256())
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    _write(made.folder / "node.pem", secret + _pem(certificate))
    lines = {
        "security.protocol": "SASL_SSL",
        **_trusted(made.folder / "authority.pem"),
        "sasl.mechanism": _MECHANISM.title,
        "sasl.jaas.config": "org.apache.kafka.common.security.scram.ScramLoginModule required "
        f'username="{ADMINISTRATOR}" password="{secrets.token_urlsafe(24)}";',
    }
    # Last: that it is there says that all of them are.
    _write(made.client_properties, "".join(f"{name}={text}\n" for name, text in lines.items()))


def _trusted(authority: Path) -> dict[str, str]:
    return {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(authority)}


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer)
    builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
    own_key = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    builder = builder.add_extension(own_key, critical=False)
    return builder.not_valid_before(now - _BEFORE).not_valid_after(now + _LIFE)


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(Encoding.PEM).decode()


def _write(path: Path, text: str) -> None:
    """A file that this user alone may read."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
