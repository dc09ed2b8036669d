"""CreateDelegationTokenRequest (key 38), versions 1 to 3. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.create_delegation_token_response import CreateDelegationTokenResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_q = Struct(">q").pack
pack_qB = Struct(">qB").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_q = Struct(">q").unpack_from


class CreatableRenewers(Message):
    """A part of CreateDelegationTokenRequest."""

    __slots__ = ("principal_type", "principal_name")
    principal_type: str
    principal_name: str

    def __init__(self, *, principal_type: str = "", principal_name: str = "") -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name


class CreateDelegationTokenRequest(Request[CreateDelegationTokenResponse]):
    """The request of API 38."""

    KEY: ClassVar = 38
    VERSIONS: ClassVar = range(1, 4)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("owner_principal_type", "owner_principal_name", "renewers", "max_lifetime_ms")
    owner_principal_type: str | None  # from version 3
    owner_principal_name: str | None  # from version 3
    renewers: Sequence[CreatableRenewers]
    max_lifetime_ms: int

    def __init__(
        self,
        *,
        owner_principal_type: str | None = None,
        owner_principal_name: str | None = None,
        renewers: Sequence[CreatableRenewers] = (),
        max_lifetime_ms: int = 0,
    ) -> None:
        self.owner_principal_type = owner_principal_type
        self.owner_principal_name = owner_principal_name
        self.renewers = renewers
        self.max_lifetime_ms = max_lifetime_ms


def _read_creatable_renewers_v1(b: Buffer, o: int, end: int) -> tuple[CreatableRenewers, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("CreatableRenewers.principal_type")
    if n > end - o:
        raise short("CreatableRenewers.principal_type", n, end - o)
    principal_type = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("CreatableRenewers.principal_name")
    if n > end - o:
        raise short("CreatableRenewers.principal_name", n, end - o)
    principal_name = str(b[o : o + n], "utf-8")
    o += n
    e = new(CreatableRenewers)
    e.principal_type = principal_type
    e.principal_name = principal_name
    return e, o


def _write_creatable_renewers_v1(e: CreatableRenewers, put: Put) -> None:
    principal_type = e.principal_type
    raw = principal_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    principal_name = e.principal_name
    raw = principal_name.encode()
    put(pack_h(len(raw)))
    put(raw)


def _read_creatable_renewers_v2(b: Buffer, o: int, end: int) -> tuple[CreatableRenewers, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatableRenewers.principal_type")
    if n > end - o:
        raise short("CreatableRenewers.principal_type", n, end - o)
    principal_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatableRenewers.principal_name")
    if n > end - o:
        raise short("CreatableRenewers.principal_name", n, end - o)
    principal_name = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "CreatableRenewers") if b[o] else o + 1
    e = new(CreatableRenewers)
    e.principal_type = principal_type
    e.principal_name = principal_name
    return e, o


def _write_creatable_renewers_v2(e: CreatableRenewers, put: Put) -> None:
    principal_type = e.principal_type
    raw = principal_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    principal_name = e.principal_name
    raw = principal_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_create_delegation_token_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[CreateDelegationTokenRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreateDelegationTokenRequest.renewers")
    if n * 4 > end - o:
        raise short("CreateDelegationTokenRequest.renewers", n * 4, end - o)
    all_renewers: list[CreatableRenewers] = []
    for _ in range(n):
        one_renewers, o = _read_creatable_renewers_v1(b, o, end)
        all_renewers.append(one_renewers)
    renewers = tuple(all_renewers)
    (max_lifetime_ms,) = unpack_q(b, o)
    o += 8
    e = new(CreateDelegationTokenRequest)
    e.owner_principal_type = None
    e.owner_principal_name = None
    e.renewers = renewers
    e.max_lifetime_ms = max_lifetime_ms
    return e, o


def _write_create_delegation_token_request_v1(e: CreateDelegationTokenRequest, put: Put) -> None:
    renewers = e.renewers
    put(pack_i(len(renewers)))
    for one_renewers in renewers:
        _write_creatable_renewers_v1(one_renewers, put)
    put(pack_q(e.max_lifetime_ms))


def _walk_create_delegation_token_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[CreateDelegationTokenRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreateDelegationTokenRequest.renewers")
    if n * 4 > end - o:
        raise short("CreateDelegationTokenRequest.renewers", n * 4, end - o)
    renewers, o = yield from read_each(_read_creatable_renewers_v1, b, o, end, at, n)
    (max_lifetime_ms,) = unpack_q(b, o)
    o += 8
    e = new(CreateDelegationTokenRequest)
    e.owner_principal_type = None
    e.owner_principal_name = None
    e.renewers = renewers
    e.max_lifetime_ms = max_lifetime_ms
    return e, o


def _read_create_delegation_token_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[CreateDelegationTokenRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateDelegationTokenRequest.renewers")
    if n * 3 > end - o:
        raise short("CreateDelegationTokenRequest.renewers", n * 3, end - o)
    all_renewers: list[CreatableRenewers] = []
    for _ in range(n):
        one_renewers, o = _read_creatable_renewers_v2(b, o, end)
        all_renewers.append(one_renewers)
    renewers = tuple(all_renewers)
    (max_lifetime_ms,) = unpack_q(b, o)
    o += 8
    o = skip_tags(b, o, end, "CreateDelegationTokenRequest") if b[o] else o + 1
    e = new(CreateDelegationTokenRequest)
    e.owner_principal_type = None
    e.owner_principal_name = None
    e.renewers = renewers
    e.max_lifetime_ms = max_lifetime_ms
    return e, o


def _write_create_delegation_token_request_v2(e: CreateDelegationTokenRequest, put: Put) -> None:
    renewers = e.renewers
    put(put_uvarint(len(renewers) + 1))
    for one_renewers in renewers:
        _write_creatable_renewers_v2(one_renewers, put)
    put(pack_qB(e.max_lifetime_ms, 0))


def _walk_create_delegation_token_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[CreateDelegationTokenRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateDelegationTokenRequest.renewers")
    if n * 3 > end - o:
        raise short("CreateDelegationTokenRequest.renewers", n * 3, end - o)
    renewers, o = yield from read_each(_read_creatable_renewers_v2, b, o, end, at, n)
    (max_lifetime_ms,) = unpack_q(b, o)
    o += 8
    o = skip_tags(b, o, end, "CreateDelegationTokenRequest") if b[o] else o + 1
    e = new(CreateDelegationTokenRequest)
    e.owner_principal_type = None
    e.owner_principal_name = None
    e.renewers = renewers
    e.max_lifetime_ms = max_lifetime_ms
    return e, o


def _read_create_delegation_token_request_v3(
    b: Buffer, o: int, end: int
) -> tuple[CreateDelegationTokenRequest, int]:
    owner_principal_type: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        owner_principal_type = None
    else:
        if n > end - o:
            raise short("CreateDelegationTokenRequest.owner_principal_type", n, end - o)
        owner_principal_type = str(b[o : o + n], "utf-8")
        o += n
    owner_principal_name: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        owner_principal_name = None
    else:
        if n > end - o:
            raise short("CreateDelegationTokenRequest.owner_principal_name", n, end - o)
        owner_principal_name = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateDelegationTokenRequest.renewers")
    if n * 3 > end - o:
        raise short("CreateDelegationTokenRequest.renewers", n * 3, end - o)
    all_renewers: list[CreatableRenewers] = []
    for _ in range(n):
        one_renewers, o = _read_creatable_renewers_v2(b, o, end)
        all_renewers.append(one_renewers)
    renewers = tuple(all_renewers)
    (max_lifetime_ms,) = unpack_q(b, o)
    o += 8
    o = skip_tags(b, o, end, "CreateDelegationTokenRequest") if b[o] else o + 1
    e = new(CreateDelegationTokenRequest)
    e.owner_principal_type = owner_principal_type
    e.owner_principal_name = owner_principal_name
    e.renewers = renewers
    e.max_lifetime_ms = max_lifetime_ms
    return e, o


def _write_create_delegation_token_request_v3(e: CreateDelegationTokenRequest, put: Put) -> None:
    owner_principal_type = e.owner_principal_type
    if owner_principal_type is None:
        put(b"\0")
    else:
        raw = owner_principal_type.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    owner_principal_name = e.owner_principal_name
    if owner_principal_name is None:
        put(b"\0")
    else:
        raw = owner_principal_name.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    renewers = e.renewers
    put(put_uvarint(len(renewers) + 1))
    for one_renewers in renewers:
        _write_creatable_renewers_v2(one_renewers, put)
    put(pack_qB(e.max_lifetime_ms, 0))


def _walk_create_delegation_token_request_v3(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[CreateDelegationTokenRequest]:
    owner_principal_type: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        owner_principal_type = None
    else:
        if n > end - o:
            raise short("CreateDelegationTokenRequest.owner_principal_type", n, end - o)
        owner_principal_type = str(b[o : o + n], "utf-8")
        o += n
    owner_principal_name: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        owner_principal_name = None
    else:
        if n > end - o:
            raise short("CreateDelegationTokenRequest.owner_principal_name", n, end - o)
        owner_principal_name = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateDelegationTokenRequest.renewers")
    if n * 3 > end - o:
        raise short("CreateDelegationTokenRequest.renewers", n * 3, end - o)
    renewers, o = yield from read_each(_read_creatable_renewers_v2, b, o, end, at, n)
    (max_lifetime_ms,) = unpack_q(b, o)
    o += 8
    o = skip_tags(b, o, end, "CreateDelegationTokenRequest") if b[o] else o + 1
    e = new(CreateDelegationTokenRequest)
    e.owner_principal_type = owner_principal_type
    e.owner_principal_name = owner_principal_name
    e.renewers = renewers
    e.max_lifetime_ms = max_lifetime_ms
    return e, o


CreateDelegationTokenRequest.RESPONSE = CreateDelegationTokenResponse
CreateDelegationTokenRequest.WALKERS = {
    1: _walk_create_delegation_token_request_v1,
    2: _walk_create_delegation_token_request_v2,
    3: _walk_create_delegation_token_request_v3,
}
CreateDelegationTokenRequest.READERS = {
    1: _read_create_delegation_token_request_v1,
    2: _read_create_delegation_token_request_v2,
    3: _read_create_delegation_token_request_v3,
}
CreateDelegationTokenRequest.WRITERS = {
    1: _write_create_delegation_token_request_v1,
    2: _write_create_delegation_token_request_v2,
    3: _write_create_delegation_token_request_v3,
}
