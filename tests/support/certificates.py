"""Certificates of a test's own: an authority, what it signs, and stores of every kind.

    authority = Authority("Test CA")
    own = authority.issue("broker", names=["localhost"])
    own.write_pem(tmp_path / "broker.pem")

Keys are of the curve P-256: they are made at once.
"""

from __future__ import annotations

import ipaddress
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates
from cryptography.x509.oid import NameOID

from tests.support.processes import tied

Key = ec.EllipticCurvePrivateKey
_DAY = timedelta(days=1)
_SIGNS_CERTIFICATES = x509.KeyUsage(
    digital_signature=False, content_commitment=False, key_encipherment=False,
    data_encipherment=False, key_agreement=False, key_cert_sign=True, crl_sign=True,
    encipher_only=False, decipher_only=False,
)  # fmt: skip


@dataclass(frozen=True)
class Issued:
    """A key, its certificate, and that of the authority."""

    key: Key
    certificate: x509.Certificate
    authority: x509.Certificate

    @property
    def chain(self) -> str:
        """The certificates in PEM, ours first."""
        return pem(self.certificate) + pem(self.authority)

    def key_pem(self, password: str | None = None) -> str:
        """The key in PEM (PKCS#8), encrypted if there is a password."""
        sealed = BestAvailableEncryption(password.encode()) if password else NoEncryption()
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, sealed).decode()

    def write_pem(self, path: Path, password: str | None = None) -> Path:
        """Key and chain in one file."""
        path.write_text(self.key_pem(password) + self.chain)
        return path

    def write_pkcs12(self, path: Path, password: str) -> Path:
        """Key and chain as PKCS12."""
        path.write_bytes(
            serialize_key_and_certificates(
                b"own", self.key, self.certificate, [self.authority],
                BestAvailableEncryption(password.encode()),
            )
        )  # fmt: skip
        return path


class Authority:
    """One that signs certificates."""

    def __init__(self, name: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named(name)
        now = datetime.now(UTC)
        builder = _builder(self._name, self._name, self._key, now - _DAY, now + 30 * _DAY)
        builder = builder.add_extension(x509.BasicConstraints(True, None), critical=True)
        builder = builder.add_extension(_SIGNS_CERTIFICATES, critical=True)
        self.certificate = builder.sign(self._key, hashes.SHA256())

    def issue(self, name: str, names: Sequence[str] = (), *, expired: bool = False) -> Issued:
        """A certificate for these host names and addresses."""
        key = ec.generate_private_key(ec.SECP256R1())
        end = datetime.now(UTC) + (-_DAY if expired else 30 * _DAY)
        builder = _builder(_named(name), self._name, key, end - 60 * _DAY, end)
        # Python's own clients have wanted it since 3.13.
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = builder.add_extension(signer, critical=False)
        if names:
            alternatives = x509.SubjectAlternativeName([_alternative(n) for n in names])
            builder = builder.add_extension(alternatives, critical=False)
        return Issued(key, builder.sign(self._key, hashes.SHA256()), self.certificate)

    def write_pem(self, path: Path) -> Path:
        """Its certificate, for peers that trust it."""
        path.write_text(pem(self.certificate))
        return path


def pem(certificate: x509.Certificate) -> str:
    """A certificate in PEM."""
    return certificate.public_bytes(Encoding.PEM).decode()


def keytool(*arguments: str) -> None:
    """Run the JDK's tool for stores."""
    command = ["keytool", "-J-XX:TieredStopAtLevel=1", *arguments, "-noprompt"]
    subprocess.run(tied(command), check=True, capture_output=True, timeout=60)


def trust_store(path: Path, kind: str, trusted: Path, password: str) -> Path:
    """A trust store as Java's tool makes it, of the certificate in a file."""
    keytool(
        "-importcert", "-alias", "ca", "-file", str(trusted), "-keystore", str(path),
        "-storetype", kind, "-storepass", password,
    )  # fmt: skip
    return path


def converted(path: Path, kind: str, source: Path, password: str) -> Path:
    """A PKCS12 store as one of another kind, made by Java's tool."""
    keytool(
        "-importkeystore", "-srckeystore", str(source), "-srcstoretype", "PKCS12",
        "-srcstorepass", password, "-destkeystore", str(path), "-deststoretype", kind,
        "-deststorepass", password,
    )  # fmt: skip
    return path


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: Key, begin: datetime, end: datetime
) -> x509.CertificateBuilder:
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer)
    builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
    own_key = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    builder = builder.add_extension(own_key, critical=False)
    return builder.not_valid_before(begin).not_valid_after(end)
