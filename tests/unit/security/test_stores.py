"""Stores of each kind, made by Java's tool or by `cryptography`, and all that can be wrong."""

from __future__ import annotations

import ssl
import stat
import tempfile
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key
from tests.support.certificates import Authority, Issued, converted, trust_store

from spindle.model.errors import Unusable
from spindle.security.stores import authorities, identity
from spindle.security.tls import tls_settings

SECRET = "store-secret"
TRUST, KEYS = "ssl.truststore", "ssl.keystore"


class Made:
    """An authority, a certificate of it, and files of both."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.authority = Authority("one")
        self.own: Issued = self.authority.issue("client")
        self.ca = self.authority.write_pem(folder / "ca.pem")
        self.p12 = self.own.write_pkcs12(folder / "own.p12", SECRET)
        self.jks = converted(folder / "own.jks", "JKS", self.p12, SECRET)
        self.trust_jks = trust_store(folder / "trust.jks", "JKS", self.ca, SECRET)
        self.trust_p12 = trust_store(folder / "trust.p12", "PKCS12", self.ca, SECRET)
        self.jceks = trust_store(folder / "trust.jceks", "JCEKS", self.ca, SECRET)

    @property
    def trusted(self) -> tuple[bytes, ...]:
        return (self.authority.certificate.public_bytes(Encoding.DER),)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("stores"))


@pytest.mark.spec("S-01")
@pytest.mark.parametrize("name", ["trust.jks", "trust.p12"])
@pytest.mark.parametrize("kind", ["JKS", "PKCS12"])
def test_trust_stores_of_java(made: Made, name: str, kind: str) -> None:
    """Java reads either kind under either name."""
    given = {f"{TRUST}.location": str(made.folder / name), f"{TRUST}.password": SECRET}
    assert authorities({**given, f"{TRUST}.type": kind}) == made.trusted
    if kind == "JKS":
        assert authorities(given) == made.trusted


@pytest.mark.spec("S-01")
def test_a_jks_trust_store_needs_no_password(made: Made) -> None:
    assert authorities({f"{TRUST}.location": str(made.trust_jks)}) == made.trusted


@pytest.mark.spec("S-01")
@pytest.mark.parametrize("lines", ["\n", " ", ""])
def test_certificates_in_the_properties_themselves(made: Made, lines: str) -> None:
    text = made.ca.read_text()
    begin, end = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
    body = text.removeprefix(begin).strip().removesuffix(end).split()
    given = {f"{TRUST}.type": "PEM", f"{TRUST}.certificates": begin + lines.join(body) + end}
    assert authorities(given) == made.trusted


@pytest.mark.spec("S-01")
@pytest.mark.parametrize("password", [None, "key-secret"])
@pytest.mark.parametrize("kind", ["file", "inline", "one line"])
def test_keys_in_pem(made: Made, tmp_path: Path, password: str | None, kind: str) -> None:
    given = {f"{KEYS}.type": "PEM"} | ({"ssl.key.password": password} if password else {})
    if kind == "file":
        given[f"{KEYS}.location"] = str(made.own.write_pem(tmp_path / "own.pem", password))
    else:
        key = made.own.key_pem(password)
        given[f"{KEYS}.key"] = " ".join(key.splitlines()) if kind == "one line" else key
        given[f"{KEYS}.certificate.chain"] = made.own.chain
    assert_ours(made, given)


@pytest.mark.spec("S-01")
@pytest.mark.parametrize("name", ["own.jks", "own.p12"])
def test_key_stores_of_java(made: Made, name: str) -> None:
    given = {f"{KEYS}.location": str(made.folder / name), f"{KEYS}.password": SECRET}
    assert_ours(made, given)


def assert_ours(made: Made, given: dict[str, str]) -> None:
    found = identity(given)
    assert found is not None
    key = load_pem_private_key(found.key.reveal().encode(), None)
    assert key.private_numbers() == made.own.key.private_numbers()  # type: ignore[union-attr]
    assert found.chain[0] == made.own.certificate.public_bytes(Encoding.DER)
    assert found.chain[1:] == made.trusted
    assert "PRIVATE" not in repr(found)


@pytest.mark.spec("S-01", "S-02", "S-03")
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({f"{TRUST}.location": "no.jks"}, "no.jks: No such file"),
        ({f"{TRUST}.location": "trust.jks", f"{TRUST}.password": "hush"}, "password is wrong"),
        ({f"{TRUST}.location": "trust.p12", f"{TRUST}.password": "hush"}, "password is wrong"),
        ({f"{TRUST}.location": "trust.p12"}, "has a password: set ssl.truststore.password"),
        ({f"{TRUST}.location": "ca.pem"}, "is a PEM file: set ssl.truststore.type=PEM"),
        ({f"{TRUST}.location": "trust.jceks"}, r"keytool -importkeystore .* -srcstoretype JCEKS"),
        ({f"{TRUST}.type": "BKS"}, r"BKS is not supported.*keytool .* -srcstoretype BKS"),
        ({f"{TRUST}.location": "cut.jks"}, "cut.jks: the file is damaged"),
        ({f"{TRUST}.location": "text"}, "is no JKS and no PKCS12 store"),
        ({f"{TRUST}.type": "PEM", f"{TRUST}.location": "text"}, "is not PEM"),
        ({f"{TRUST}.type": "PEM", f"{TRUST}.password": "hush"}, "no meaning for PEM"),
        ({f"{TRUST}.certificates": "x"}, "set ssl.truststore.type=PEM"),
        ({f"{TRUST}.location": "own.jks", f"{TRUST}.password": SECRET}, "trusts no certificate"),
        ({f"{KEYS}.location": "trust.jks", f"{KEYS}.password": SECRET}, "has no private key"),
        ({f"{KEYS}.type": "PEM", f"{KEYS}.key": "x"}, "give ssl.keystore.certificate.chain"),
        (
            {f"{KEYS}.location": "own.jks", f"{KEYS}.password": SECRET, "ssl.key.password": "hush"},
            "the password of the key is wrong",
        ),
        (
            {f"{KEYS}.type": "PEM", f"{KEYS}.location": "sealed.pem", "ssl.key.password": "hush"},
            "the key cannot be read .*see ssl.key.password",
        ),
        (
            {f"{KEYS}.type": "PEM", f"{KEYS}.location": "sealed.pem"},
            "the key is encrypted: set ssl.key.password",
        ),
    ],
)
def test_what_is_wrong_with_a_store_is_reported_in_a_line(
    made: Made, given: dict[str, str], says: str
) -> None:
    (made.folder / "text").write_text("nothing of the kind")
    (made.folder / "cut.jks").write_bytes(made.trust_jks.read_bytes()[:200])
    made.own.write_pem(made.folder / "sealed.pem", "key-secret")
    located = {
        name: str(made.folder / value) if name.endswith(".location") else value
        for name, value in given.items()
    }
    with pytest.raises(Unusable, match=says) as refused:
        tls_settings(located)
    assert "hush" not in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.spec("S-01")
def test_a_context_checks_names_and_versions_as_set(made: Made) -> None:
    trust = {f"{TRUST}.type": "PEM", f"{TRUST}.location": str(made.ca)}
    usual = tls_settings(trust).context()
    assert (usual.check_hostname, usual.verify_mode) == (True, ssl.CERT_REQUIRED)
    assert usual.minimum_version == ssl.TLSVersion.TLSv1_2
    other = tls_settings(
        {
            **trust,
            "ssl.endpoint.identification.algorithm": "",
            "ssl.enabled.protocols": "TLSv1.2",
            "ssl.cipher.suites": "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,"
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,TLS_RSA_WITH_AES_256_CBC_SHA256",
        }
    ).context()
    assert not other.check_hostname
    assert other.verify_mode is ssl.CERT_REQUIRED
    assert other.maximum_version == ssl.TLSVersion.TLSv1_2
    names = {c["name"] for c in other.get_ciphers() if c["protocol"] != "TLSv1.3"}
    assert names == {
        "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305", "AES256-SHA256",
    }  # fmt: skip


@pytest.mark.spec("S-01")
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"ssl.enabled.protocols": "TLSv1.1,TLSv1.2"}, "TLSv1.1 is not supported"),
        ({"ssl.protocol": "SSLv3"}, "ssl.protocol=SSLv3 is not supported"),
        ({"ssl.endpoint.identification.algorithm": "ldaps"}, "ldaps is unknown"),
        ({"ssl.cipher.suites": "TLS_AES_128_GCM_SHA256"}, "a choice among the suites of TLS 1.3"),
        ({"ssl.cipher.suites": "TLS_X_WITH_Y"}, "OpenSSL has none of TLS_X_WITH_Y"),
    ],
)
def test_what_tls_cannot_do_here_is_refused(given: dict[str, str], says: str) -> None:
    with pytest.raises(Unusable, match=says):
        tls_settings(given).context()


@pytest.mark.spec("S-03")
def test_the_file_of_our_key_is_ours_alone_encrypted_and_gone(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen = []

    def load(context: ssl.SSLContext, path: str, password: bytes) -> None:
        seen.append(stat.S_IMODE(Path(path).stat().st_mode))
        text = Path(path).read_text()
        assert "BEGIN ENCRYPTED PRIVATE KEY" in text
        assert "BEGIN PRIVATE KEY" not in text

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", load)
    given = {f"{KEYS}.location": str(made.p12), f"{KEYS}.password": SECRET}
    tls_settings(given).context()
    assert seen == [0o600]
    assert list(tmp_path.iterdir()) == []
