"""DescribeDelegationTokenRequest (key 41), versions 1 to 3. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.describe_delegation_token_response import DescribeDelegationTokenResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class DescribeDelegationTokenOwner(Message):
    """A part of DescribeDelegationTokenRequest."""

    __slots__ = ("principal_type", "principal_name")
    principal_type: str
    principal_name: str

    def __init__(self, *, principal_type: str = "", principal_name: str = "") -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name


class DescribeDelegationTokenRequest(Request[DescribeDelegationTokenResponse]):
    """The request of API 41."""

    KEY: ClassVar = 41
    VERSIONS: ClassVar = range(1, 4)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("owners",)
    owners: Sequence[DescribeDelegationTokenOwner] | None

    def __init__(self, *, owners: Sequence[DescribeDelegationTokenOwner] | None = None) -> None:
        self.owners = owners


def _read_describe_delegation_token_owner_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeDelegationTokenOwner, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribeDelegationTokenOwner.principal_type")
    if n > end - o:
        raise short("DescribeDelegationTokenOwner.principal_type", n, end - o)
    principal_type = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribeDelegationTokenOwner.principal_name")
    if n > end - o:
        raise short("DescribeDelegationTokenOwner.principal_name", n, end - o)
    principal_name = str(b[o : o + n], "utf-8")
    o += n
    e = new(DescribeDelegationTokenOwner)
    e.principal_type = principal_type
    e.principal_name = principal_name
    return e, o


def _write_describe_delegation_token_owner_v1(e: DescribeDelegationTokenOwner, put: Put) -> None:
    principal_type = e.principal_type
    raw = principal_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    principal_name = e.principal_name
    raw = principal_name.encode()
    put(pack_h(len(raw)))
    put(raw)


def _read_describe_delegation_token_owner_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribeDelegationTokenOwner, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeDelegationTokenOwner.principal_type")
    if n > end - o:
        raise short("DescribeDelegationTokenOwner.principal_type", n, end - o)
    principal_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeDelegationTokenOwner.principal_name")
    if n > end - o:
        raise short("DescribeDelegationTokenOwner.principal_name", n, end - o)
    principal_name = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "DescribeDelegationTokenOwner") if b[o] else o + 1
    e = new(DescribeDelegationTokenOwner)
    e.principal_type = principal_type
    e.principal_name = principal_name
    return e, o


def _write_describe_delegation_token_owner_v2(e: DescribeDelegationTokenOwner, put: Put) -> None:
    principal_type = e.principal_type
    raw = principal_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    principal_name = e.principal_name
    raw = principal_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_describe_delegation_token_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeDelegationTokenRequest, int]:
    owners: Sequence[DescribeDelegationTokenOwner] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        owners = None
    else:
        if n * 4 > end - o:
            raise short("DescribeDelegationTokenRequest.owners", n * 4, end - o)
        all_owners: list[DescribeDelegationTokenOwner] = []
        for _ in range(n):
            one_owners, o = _read_describe_delegation_token_owner_v1(b, o, end)
            all_owners.append(one_owners)
        owners = tuple(all_owners)
    e = new(DescribeDelegationTokenRequest)
    e.owners = owners
    return e, o


def _write_describe_delegation_token_request_v1(
    e: DescribeDelegationTokenRequest, put: Put
) -> None:
    owners = e.owners
    if owners is None:
        put(b"\xff" * 4)
    else:
        put(pack_i(len(owners)))
        for one_owners in owners:
            _write_describe_delegation_token_owner_v1(one_owners, put)


def _walk_describe_delegation_token_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeDelegationTokenRequest]:
    owners: Sequence[DescribeDelegationTokenOwner] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        owners = None
    else:
        if n * 4 > end - o:
            raise short("DescribeDelegationTokenRequest.owners", n * 4, end - o)
        owners, o = yield from read_each(_read_describe_delegation_token_owner_v1, b, o, end, at, n)
    e = new(DescribeDelegationTokenRequest)
    e.owners = owners
    return e, o


def _read_describe_delegation_token_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribeDelegationTokenRequest, int]:
    owners: Sequence[DescribeDelegationTokenOwner] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        owners = None
    else:
        if n * 3 > end - o:
            raise short("DescribeDelegationTokenRequest.owners", n * 3, end - o)
        all_owners: list[DescribeDelegationTokenOwner] = []
        for _ in range(n):
            one_owners, o = _read_describe_delegation_token_owner_v2(b, o, end)
            all_owners.append(one_owners)
        owners = tuple(all_owners)
    o = skip_tags(b, o, end, "DescribeDelegationTokenRequest") if b[o] else o + 1
    e = new(DescribeDelegationTokenRequest)
    e.owners = owners
    return e, o


def _write_describe_delegation_token_request_v2(
    e: DescribeDelegationTokenRequest, put: Put
) -> None:
    owners = e.owners
    if owners is None:
        put(b"\0")
    else:
        put(put_uvarint(len(owners) + 1))
        for one_owners in owners:
            _write_describe_delegation_token_owner_v2(one_owners, put)
    put(b"\0")


def _walk_describe_delegation_token_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeDelegationTokenRequest]:
    owners: Sequence[DescribeDelegationTokenOwner] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        owners = None
    else:
        if n * 3 > end - o:
            raise short("DescribeDelegationTokenRequest.owners", n * 3, end - o)
        owners, o = yield from read_each(_read_describe_delegation_token_owner_v2, b, o, end, at, n)
    o = skip_tags(b, o, end, "DescribeDelegationTokenRequest") if b[o] else o + 1
    e = new(DescribeDelegationTokenRequest)
    e.owners = owners
    return e, o


DescribeDelegationTokenRequest.RESPONSE = DescribeDelegationTokenResponse
DescribeDelegationTokenRequest.WALKERS = {
    1: _walk_describe_delegation_token_request_v1,
    2: _walk_describe_delegation_token_request_v2,
    3: _walk_describe_delegation_token_request_v2,
}
DescribeDelegationTokenRequest.READERS = {
    1: _read_describe_delegation_token_request_v1,
    2: _read_describe_delegation_token_request_v2,
    3: _read_describe_delegation_token_request_v2,
}
DescribeDelegationTokenRequest.WRITERS = {
    1: _write_describe_delegation_token_request_v1,
    2: _write_describe_delegation_token_request_v2,
    3: _write_describe_delegation_token_request_v2,
}
