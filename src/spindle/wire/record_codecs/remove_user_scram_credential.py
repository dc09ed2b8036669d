"""RemoveUserScramCredential, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import RemoveUserScramCredential
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_bB = Struct(">bB").pack
unpack_b = Struct(">b").unpack_from


class _RemoveUserScramCredential(Open, RemoveUserScramCredential):
    __slots__ = ()


def _read_remove_user_scram_credential_v0(
    b: Buffer, o: int, end: int
) -> tuple[RemoveUserScramCredential, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("RemoveUserScramCredential.name")
    if n > end - o:
        raise short("RemoveUserScramCredential.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (mechanism,) = unpack_b(b, o)
    o += 1
    o = skip_tags(b, o, end, "RemoveUserScramCredential") if b[o] else o + 1
    e: RemoveUserScramCredential = new(_RemoveUserScramCredential)
    e.name = name
    e.mechanism = mechanism
    e.__class__ = RemoveUserScramCredential
    return e, o


def _write_remove_user_scram_credential_v0(e: RemoveUserScramCredential, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_bB(e.mechanism, 0))


READERS: Final[Mapping[int, Reader[RemoveUserScramCredential]]] = {
    0: _read_remove_user_scram_credential_v0,
}
WRITERS: Final[Mapping[int, Writer[RemoveUserScramCredential]]] = {
    0: _write_remove_user_scram_credential_v0,
}
