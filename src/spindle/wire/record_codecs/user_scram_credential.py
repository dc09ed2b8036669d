"""UserScramCredential, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import UserScramCredential
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_b = Struct(">b").pack
pack_iB = Struct(">iB").pack
unpack_b = Struct(">b").unpack_from
unpack_i = Struct(">i").unpack_from


class _UserScramCredential(Open, UserScramCredential):
    __slots__ = ()


def _read_user_scram_credential_v0(b: Buffer, o: int, end: int) -> tuple[UserScramCredential, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("UserScramCredential.name")
    if n > end - o:
        raise short("UserScramCredential.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (mechanism,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("UserScramCredential.salt")
    if n > end - o:
        raise short("UserScramCredential.salt", n, end - o)
    salt = bytes(b[o : o + n])
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("UserScramCredential.stored_key")
    if n > end - o:
        raise short("UserScramCredential.stored_key", n, end - o)
    stored_key = bytes(b[o : o + n])
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("UserScramCredential.server_key")
    if n > end - o:
        raise short("UserScramCredential.server_key", n, end - o)
    server_key = bytes(b[o : o + n])
    o += n
    (iterations,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "UserScramCredential") if b[o] else o + 1
    e: UserScramCredential = new(_UserScramCredential)
    e.name = name
    e.mechanism = mechanism
    e.salt = salt
    e.stored_key = stored_key
    e.server_key = server_key
    e.iterations = iterations
    e.__class__ = UserScramCredential
    return e, o


def _write_user_scram_credential_v0(e: UserScramCredential, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_b(e.mechanism))
    salt = e.salt
    put(put_uvarint(len(salt) + 1))
    put(salt)
    stored_key = e.stored_key
    put(put_uvarint(len(stored_key) + 1))
    put(stored_key)
    server_key = e.server_key
    put(put_uvarint(len(server_key) + 1))
    put(server_key)
    put(pack_iB(e.iterations, 0))


READERS: Final[Mapping[int, Reader[UserScramCredential]]] = {
    0: _read_user_scram_credential_v0,
}
WRITERS: Final[Mapping[int, Writer[UserScramCredential]]] = {
    0: _write_user_scram_credential_v0,
}
