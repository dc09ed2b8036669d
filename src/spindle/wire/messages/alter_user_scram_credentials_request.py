"""AlterUserScramCredentialsRequest (key 51), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.alter_user_scram_credentials_response import (
    AlterUserScramCredentialsResponse,
)
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_bB = Struct(">bB").pack
pack_bi = Struct(">bi").pack
unpack_b = Struct(">b").unpack_from
unpack_bi = Struct(">bi").unpack_from


class ScramCredentialDeletion(Message):
    """A part of AlterUserScramCredentialsRequest."""

    __slots__ = ("name", "mechanism")
    name: str
    mechanism: int

    def __init__(self, *, name: str = "", mechanism: int = 0) -> None:
        self.name = name
        self.mechanism = mechanism


class ScramCredentialUpsertion(Message):
    """A part of AlterUserScramCredentialsRequest."""

    __slots__ = ("name", "mechanism", "iterations", "salt", "salted_password")
    name: str
    mechanism: int
    iterations: int
    salt: bytes
    salted_password: bytes

    def __init__(
        self,
        *,
        name: str = "",
        mechanism: int = 0,
        iterations: int = 0,
        salt: bytes = b"",
        salted_password: bytes = b"",
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.iterations = iterations
        self.salt = salt
        self.salted_password = salted_password


class AlterUserScramCredentialsRequest(Request[AlterUserScramCredentialsResponse]):
    """The request of API 51."""

    KEY: ClassVar = 51
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("deletions", "upsertions")
    deletions: Sequence[ScramCredentialDeletion]
    upsertions: Sequence[ScramCredentialUpsertion]

    def __init__(
        self,
        *,
        deletions: Sequence[ScramCredentialDeletion] = (),
        upsertions: Sequence[ScramCredentialUpsertion] = (),
    ) -> None:
        self.deletions = deletions
        self.upsertions = upsertions


def _read_scram_credential_deletion_v0(
    b: Buffer, o: int, end: int
) -> tuple[ScramCredentialDeletion, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ScramCredentialDeletion.name")
    if n > end - o:
        raise short("ScramCredentialDeletion.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (mechanism,) = unpack_b(b, o)
    o += 1
    o = skip_tags(b, o, end, "ScramCredentialDeletion") if b[o] else o + 1
    e = new(ScramCredentialDeletion)
    e.name = name
    e.mechanism = mechanism
    return e, o


def _write_scram_credential_deletion_v0(e: ScramCredentialDeletion, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_bB(e.mechanism, 0))


def _read_scram_credential_upsertion_v0(
    b: Buffer, o: int, end: int
) -> tuple[ScramCredentialUpsertion, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ScramCredentialUpsertion.name")
    if n > end - o:
        raise short("ScramCredentialUpsertion.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    mechanism, iterations = unpack_bi(b, o)
    o += 5
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ScramCredentialUpsertion.salt")
    if n > end - o:
        raise short("ScramCredentialUpsertion.salt", n, end - o)
    salt = bytes(b[o : o + n])
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ScramCredentialUpsertion.salted_password")
    if n > end - o:
        raise short("ScramCredentialUpsertion.salted_password", n, end - o)
    salted_password = bytes(b[o : o + n])
    o += n
    o = skip_tags(b, o, end, "ScramCredentialUpsertion") if b[o] else o + 1
    e = new(ScramCredentialUpsertion)
    e.name = name
    e.mechanism = mechanism
    e.iterations = iterations
    e.salt = salt
    e.salted_password = salted_password
    return e, o


def _write_scram_credential_upsertion_v0(e: ScramCredentialUpsertion, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_bi(e.mechanism, e.iterations))
    salt = e.salt
    put(put_uvarint(len(salt) + 1))
    put(salt)
    salted_password = e.salted_password
    put(put_uvarint(len(salted_password) + 1))
    put(salted_password)
    put(b"\0")


def _read_alter_user_scram_credentials_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterUserScramCredentialsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterUserScramCredentialsRequest.deletions")
    if n * 3 > end - o:
        raise short("AlterUserScramCredentialsRequest.deletions", n * 3, end - o)
    all_deletions: list[ScramCredentialDeletion] = []
    for _ in range(n):
        one_deletions, o = _read_scram_credential_deletion_v0(b, o, end)
        all_deletions.append(one_deletions)
    deletions = tuple(all_deletions)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterUserScramCredentialsRequest.upsertions")
    if n * 9 > end - o:
        raise short("AlterUserScramCredentialsRequest.upsertions", n * 9, end - o)
    all_upsertions: list[ScramCredentialUpsertion] = []
    for _ in range(n):
        one_upsertions, o = _read_scram_credential_upsertion_v0(b, o, end)
        all_upsertions.append(one_upsertions)
    upsertions = tuple(all_upsertions)
    o = skip_tags(b, o, end, "AlterUserScramCredentialsRequest") if b[o] else o + 1
    e = new(AlterUserScramCredentialsRequest)
    e.deletions = deletions
    e.upsertions = upsertions
    return e, o


def _write_alter_user_scram_credentials_request_v0(
    e: AlterUserScramCredentialsRequest, put: Put
) -> None:
    deletions = e.deletions
    put(put_uvarint(len(deletions) + 1))
    for one_deletions in deletions:
        _write_scram_credential_deletion_v0(one_deletions, put)
    upsertions = e.upsertions
    put(put_uvarint(len(upsertions) + 1))
    for one_upsertions in upsertions:
        _write_scram_credential_upsertion_v0(one_upsertions, put)
    put(b"\0")


def _walk_alter_user_scram_credentials_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterUserScramCredentialsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterUserScramCredentialsRequest.deletions")
    if n * 3 > end - o:
        raise short("AlterUserScramCredentialsRequest.deletions", n * 3, end - o)
    deletions, o = yield from read_each(_read_scram_credential_deletion_v0, b, o, end, at, n)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterUserScramCredentialsRequest.upsertions")
    if n * 9 > end - o:
        raise short("AlterUserScramCredentialsRequest.upsertions", n * 9, end - o)
    upsertions, o = yield from read_each(_read_scram_credential_upsertion_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "AlterUserScramCredentialsRequest") if b[o] else o + 1
    e = new(AlterUserScramCredentialsRequest)
    e.deletions = deletions
    e.upsertions = upsertions
    return e, o


AlterUserScramCredentialsRequest.RESPONSE = AlterUserScramCredentialsResponse
AlterUserScramCredentialsRequest.WALKERS = {
    0: _walk_alter_user_scram_credentials_request_v0,
}
AlterUserScramCredentialsRequest.READERS = {
    0: _read_alter_user_scram_credentials_request_v0,
}
AlterUserScramCredentialsRequest.WRITERS = {
    0: _write_alter_user_scram_credentials_request_v0,
}
