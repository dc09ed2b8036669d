"""DelegationToken, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import DelegationToken
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_qqq = Struct(">qqq").pack
unpack_qqq = Struct(">qqq").unpack_from


class _DelegationToken(Open, DelegationToken):
    __slots__ = ()


def _read_delegation_token_v0(b: Buffer, o: int, end: int) -> tuple[DelegationToken, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DelegationToken.owner")
    if n > end - o:
        raise short("DelegationToken.owner", n, end - o)
    owner = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DelegationToken.requester")
    if n > end - o:
        raise short("DelegationToken.requester", n, end - o)
    requester = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DelegationToken.renewers")
    if n > end - o:
        raise short("DelegationToken.renewers", n, end - o)
    all_renewers: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("DelegationToken.renewers")
        if n > end - o:
            raise short("DelegationToken.renewers", n, end - o)
        one_renewers = str(b[o : o + n], "utf-8")
        o += n
        all_renewers.append(one_renewers)
    renewers = tuple(all_renewers)
    issue_timestamp, max_timestamp, expiration_timestamp = unpack_qqq(b, o)
    o += 24
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DelegationToken.token_id")
    if n > end - o:
        raise short("DelegationToken.token_id", n, end - o)
    token_id = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "DelegationToken") if b[o] else o + 1
    e: DelegationToken = new(_DelegationToken)
    e.owner = owner
    e.requester = requester
    e.renewers = renewers
    e.issue_timestamp = issue_timestamp
    e.max_timestamp = max_timestamp
    e.expiration_timestamp = expiration_timestamp
    e.token_id = token_id
    e.__class__ = DelegationToken
    return e, o


def _write_delegation_token_v0(e: DelegationToken, put: Put) -> None:
    owner = e.owner
    raw = owner.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    requester = e.requester
    raw = requester.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    renewers = e.renewers
    put(put_uvarint(len(renewers) + 1))
    for one_renewers in renewers:
        raw = one_renewers.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_qqq(e.issue_timestamp, e.max_timestamp, e.expiration_timestamp))
    token_id = e.token_id
    raw = token_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


READERS: Final[Mapping[int, Reader[DelegationToken]]] = {
    0: _read_delegation_token_v0,
}
WRITERS: Final[Mapping[int, Writer[DelegationToken]]] = {
    0: _write_delegation_token_v0,
}
