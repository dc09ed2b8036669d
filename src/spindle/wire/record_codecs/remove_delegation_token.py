"""RemoveDelegationToken, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import RemoveDelegationToken
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__


class _RemoveDelegationToken(Open, RemoveDelegationToken):
    __slots__ = ()


def _read_remove_delegation_token_v0(
    b: Buffer, o: int, end: int
) -> tuple[RemoveDelegationToken, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("RemoveDelegationToken.token_id")
    if n > end - o:
        raise short("RemoveDelegationToken.token_id", n, end - o)
    token_id = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "RemoveDelegationToken") if b[o] else o + 1
    e: RemoveDelegationToken = new(_RemoveDelegationToken)
    e.token_id = token_id
    e.__class__ = RemoveDelegationToken
    return e, o


def _write_remove_delegation_token_v0(e: RemoveDelegationToken, put: Put) -> None:
    token_id = e.token_id
    raw = token_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


READERS: Final[Mapping[int, Reader[RemoveDelegationToken]]] = {
    0: _read_remove_delegation_token_v0,
}
WRITERS: Final[Mapping[int, Writer[RemoveDelegationToken]]] = {
    0: _write_remove_delegation_token_v0,
}
