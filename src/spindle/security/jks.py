"""Java's key stores of the kind JKS: the certificates and keys in the bytes of one.

The format is that of the JDK's `sun.security.provider.JavaKeyStore`, unchanged since Java 1.2. No
library reads it on Python 3.12 or newer. Pure; called by `stores`.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass, field
from typing import Final

from asn1crypto.keys import EncryptedPrivateKeyInfo

MAGIC: Final = b"\xfe\xed\xfe\xed"
_WHITENER: Final = b"Mighty Aphrodite"
_DIGEST: Final = 20
_KEY, _CERTIFICATE = 1, 2
_X509: Final = "X.509"


class WrongPassword(ValueError):
    """The password does not fit the store or the key."""


@dataclass(frozen=True, slots=True)
class JksEntry:
    """A key with its certificates, or one trusted certificate: `key` is None then. All in DER."""

    alias: str
    key: bytes | None = field(repr=False)
    """Encrypted, as the store has it."""
    certificates: tuple[bytes, ...]


def read_jks(data: bytes, password: str | None) -> list[JksEntry]:
    """The entries of a store. Without a password the store is not checked, as in Java.

    WrongPassword, or ValueError where the bytes are no such store.
    """
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if password is not None:
        salted = hashlib.sha1(_java_bytes(password) + _WHITENER + body, usedforsecurity=False)
        if salted.digest() != digest:
            raise WrongPassword("the password is wrong, or the file is damaged")
    try:
        return _Reader(body).entries()
    except (struct.error, UnicodeDecodeError) as error:
        raise ValueError(f"the file is damaged: {error}") from None


def unlock(key: bytes, password: str) -> bytes:
    """A private key of a store, decrypted: PKCS#8 in DER. WrongPassword where it does not fit."""
    sealed = EncryptedPrivateKeyInfo.load(key)["encrypted_data"].native
    salt, hidden, check = sealed[:_DIGEST], sealed[_DIGEST:-_DIGEST], sealed[-_DIGEST:]
    secret = _java_bytes(password)
    stream, block = b"", salt
    while len(stream) < len(hidden):
        block = hashlib.sha1(secret + block, usedforsecurity=False).digest()
        stream += block
    plain = bytes(a ^ b for a, b in zip(hidden, stream, strict=False))
    if hashlib.sha1(secret + plain, usedforsecurity=False).digest() != check:
        raise WrongPassword("the password of the key is wrong")
    return plain


class _Reader:
    """Java's DataInput over the bytes of a store."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def entries(self) -> list[JksEntry]:
        magic, version, count = self._numbers(">4sii")
        if magic != MAGIC or version not in (1, 2):
            raise ValueError("it is not a JKS store")
        return [self._entry(int(version)) for _ in range(int(count))]

    def _entry(self, version: int) -> JksEntry:
        (tag,) = self._numbers(">i")
        alias = self._text()
        self._numbers(">q")  # When it was made.
        if tag == _CERTIFICATE:
            return JksEntry(alias, None, (self._certificate(version),))
        if tag != _KEY:
            raise ValueError(f"entry {alias} is of an unknown kind, {int(tag)}")
        key = self._block()
        (count,) = self._numbers(">i")
        return JksEntry(alias, key, tuple(self._certificate(version) for _ in range(int(count))))

    def _certificate(self, version: int) -> bytes:
        kind = self._text() if version > 1 else _X509
        if kind != _X509:
            raise ValueError(f"it holds a certificate of the kind {kind}")
        return self._block()

    def _text(self) -> str:
        (size,) = self._numbers(">H")
        return self._bytes(int(size)).decode()

    def _block(self) -> bytes:
        (size,) = self._numbers(">i")
        return self._bytes(int(size))

    def _bytes(self, size: int) -> bytes:
        found = self._data[self._at : self._at + size]
        if size < 0 or len(found) < size:
            raise struct.error(f"{size} bytes are claimed, {len(found)} are left")
        self._at += size
        return found

    def _numbers(self, form: str) -> tuple[int | bytes, ...]:
        found = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return found


def _java_bytes(password: str) -> bytes:
    return password.encode("utf-16-be")
