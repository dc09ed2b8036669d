"""Trust stores and key stores (PEM, PKCS12, JKS) as certificates and keys in memory.

Files are read once, here; what comes out needs no file any more, so that it can be sent to another
machine. Called by `tls`; knows the properties that name stores, and no connection.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
    load_pem_private_key,
)
from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12

from spindle.model.errors import Unusable
from spindle.security import jks
from spindle.security.secret import Secret

TRUST, KEYS = "ssl.truststore", "ssl.keystore"
KEY_PASSWORD: Final = "ssl.key.password"
KINDS: Final = ("JKS", "PKCS12", "PEM")
_BLOCK: Final = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----", re.S)
_OTHERS: Final = {b"\xce\xce\xce\xce": "JCEKS"}
_DER: Final = b"\x30"


@dataclass(frozen=True, slots=True)
class Identity:
    """Our own certificate: a private key (PEM) and the chain of certificates (DER), ours first."""

    key: Secret
    chain: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Store:
    """What a store holds, in DER: keys with their chains, and trusted certificates."""

    identities: tuple[Identity, ...] = field(repr=False)
    certificates: tuple[bytes, ...]


def authorities(given: Mapping[str, str]) -> tuple[bytes, ...] | None:
    """The certificates that `ssl.truststore.*` trusts, in DER; None where it is not set."""
    inline, location = _asked(given, TRUST, f"{TRUST}.certificates")
    if inline:
        found = tuple(_certificates(inline.encode(), f"{TRUST}.certificates"))
    elif location:
        found = _read(given, TRUST, location, None).certificates
    else:
        return None
    if not found:
        raise Unusable(f"{TRUST}.*: the store trusts no certificate: import the authority's")
    return found


def identity(given: Mapping[str, str]) -> Identity | None:
    """The key and certificates of `ssl.keystore.*`; None where it is not set."""
    key_password = given.get(KEY_PASSWORD) or None
    chain, key = given.get(f"{KEYS}.certificate.chain"), f"{KEYS}.key"
    inline, location = _asked(given, KEYS, key)
    if inline:
        if not chain:
            raise Unusable(f"{key} is set: give {KEYS}.certificate.chain, too")
        pem = f"{inline}\n{chain}".encode()
        store = _pem(pem, key, key_password)
    elif location:
        store = _read(given, KEYS, location, key_password)
    else:
        return None
    if not store.identities:
        raise Unusable(f"{KEYS}.*: the store has no private key with a certificate")
    return store.identities[0]


def _asked(given: Mapping[str, str], store: str, inline: str) -> tuple[str | None, str | None]:
    """The text and the file that are given; Unusable where they contradict each other."""
    text, location = given.get(inline) or None, given.get(f"{store}.location") or None
    kind, password = given.get(f"{store}.type", "JKS").upper(), given.get(f"{store}.password")
    if kind not in KINDS:
        raise Unusable(f"{store}.type={kind} is not supported: {', '.join(KINDS)}{_way_out(kind)}")
    if text and location:
        raise Unusable(f"{inline} and {store}.location are both set: leave one out")
    if text and kind != "PEM":
        raise Unusable(f"{inline} is set: set {store}.type=PEM, too")
    if kind == "PEM" and password:
        raise Unusable(
            f"{store}.password has no meaning for PEM: leave it out (a key has {KEY_PASSWORD})"
        )
    return text, location


def _read(given: Mapping[str, str], store: str, location: str, key_password: str | None) -> Store:
    named = f"{store}.location={location}"
    password = given.get(f"{store}.password") or None
    try:
        data = Path(location).read_bytes()
    except OSError as error:
        raise Unusable(f"{named}: {error.strerror}") from None
    if given.get(f"{store}.type", "JKS").upper() == "PEM":
        return _pem(data, named, key_password)
    try:
        # Java takes either kind for either name (JDK 9 and newer).
        if data[:4] == jks.MAGIC:
            return _jks(data, password, key_password)
        if data[:1] == _DER:
            return _pkcs12(data, password, store)
    except jks.WrongPassword as error:
        raise Unusable(f"{named}: {error}: see {store}.password and {KEY_PASSWORD}") from None
    except (ValueError, UnsupportedAlgorithm) as error:
        raise Unusable(f"{named}: {error}") from None
    if _BLOCK.search(data):
        raise Unusable(f"{named} is a PEM file: set {store}.type=PEM")
    raise Unusable(f"{named} is no JKS and no PKCS12 store{_way_out(_OTHERS.get(data[:4], ''))}")


def _way_out(kind: str) -> str:
    """The command that converts another of Java's stores to a kind that is read here."""
    of = f" -srcstoretype {kind}" if kind else ""
    return (
        f"; to convert it: keytool -importkeystore -srckeystore OLD{of} -destkeystore NEW.p12"
        " -deststoretype PKCS12"
    )


def _jks(data: bytes, password: str | None, key_password: str | None) -> Store:
    entries = jks.read_jks(data, password)
    identities = []
    for entry in entries:
        secret = key_password or password
        if entry.key is not None and secret is not None:
            plain = jks.unlock(entry.key, secret)
            identities.append(Identity(_pem_of(plain), entry.certificates))
    trusted = (c for e in entries if e.key is None for c in e.certificates)
    return Store(tuple(identities), tuple(trusted))


def _pem_of(plain: bytes) -> Secret:
    key = load_der_private_key(plain, None)
    return Secret(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode())


def _pkcs12(data: bytes, password: str | None, store: str) -> Store:
    try:
        found = load_pkcs12(data, None if password is None else password.encode())
    except ValueError as error:
        if password is None:
            raise ValueError(f"the store has a password: set {store}.password") from None
        if "password" in str(error).lower():
            raise jks.WrongPassword("the password is wrong, or the file is damaged") from None
        raise
    more = tuple(c.certificate.public_bytes(Encoding.DER) for c in found.additional_certs)
    if found.key is None or found.cert is None:
        return Store((), more)
    key = found.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    own = found.cert.certificate.public_bytes(Encoding.DER)
    return Store((Identity(Secret(key), (own, *more)),), more)


def _pem(data: bytes, named: str, key_password: str | None) -> Store:
    certificates = tuple(_certificates(data, named))
    keys = [block for block in _BLOCK.finditer(data) if block[1].endswith(b"PRIVATE KEY")]
    if not keys:
        return Store((), certificates)
    if not certificates:
        raise Unusable(f"{named} has a key and no certificate")
    password = None if key_password is None else key_password.encode()
    if b"ENCRYPTED" not in keys[0][0]:
        password = None  # Kafka takes a key without a password, too, although one is set.
    elif password is None:
        raise Unusable(f"{named}: the key is encrypted: set {KEY_PASSWORD}")
    try:
        key = load_pem_private_key(_laid_out(keys[0]), password)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        hint = f": see {KEY_PASSWORD}" if password else ""
        raise Unusable(f"{named}: the key cannot be read ({_short(error)}){hint}") from None
    plain = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    return Store((Identity(Secret(plain), certificates),), certificates)


def _short(error: Exception) -> str:
    return str(error).partition(".")[0].partition("(")[0].strip()


def _certificates(data: bytes, named: str) -> Iterator[bytes]:
    blocks = [block for block in _BLOCK.finditer(data) if block[1].endswith(b"CERTIFICATE")]
    if not blocks and not _BLOCK.search(data):
        raise Unusable(f"{named} is not PEM: it has no line -----BEGIN CERTIFICATE-----")
    for block in blocks:
        try:
            found = x509.load_der_x509_certificate(base64.b64decode(b"".join(block[2].split())))
        except (ValueError, binascii.Error) as error:
            raise Unusable(f"{named}: a certificate cannot be read ({_short(error)})") from None
        yield found.public_bytes(Encoding.DER)


def _laid_out(block: re.Match[bytes]) -> bytes:
    """A block in lines: in a properties file it may be all in one."""
    if b"\n" in block[2].strip():
        return block[0]  # It may have headers of its own.
    text = b"".join(block[2].split())
    lines = b"\n".join(text[n : n + 64] for n in range(0, len(text), 64))
    return b"-----BEGIN %b-----\n%b\n-----END %b-----\n" % (block[1], lines, block[1])
