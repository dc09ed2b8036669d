"""JoinGroupRequest (key 11), versions 0 to 9. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.join_group_response import JoinGroupResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ii = Struct(">ii").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ii = Struct(">ii").unpack_from


class JoinGroupRequestProtocol(Message):
    """A part of JoinGroupRequest."""

    __slots__ = ("name", "metadata")
    name: str
    metadata: bytes

    def __init__(self, *, name: str = "", metadata: bytes = b"") -> None:
        self.name = name
        self.metadata = metadata


class JoinGroupRequest(Request[JoinGroupResponse]):
    """The request of API 11."""

    KEY: ClassVar = 11
    VERSIONS: ClassVar = range(10)
    FIRST_FLEXIBLE: ClassVar = 6

    __slots__ = (
        "group_id",
        "session_timeout_ms",
        "rebalance_timeout_ms",
        "member_id",
        "group_instance_id",
        "protocol_type",
        "protocols",
        "reason",
    )
    group_id: str
    session_timeout_ms: int
    rebalance_timeout_ms: int  # from version 1
    member_id: str
    group_instance_id: str | None  # from version 5
    protocol_type: str
    protocols: Sequence[JoinGroupRequestProtocol]
    reason: str | None  # from version 8

    def __init__(
        self,
        *,
        group_id: str = "",
        session_timeout_ms: int = 0,
        rebalance_timeout_ms: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        protocol_type: str = "",
        protocols: Sequence[JoinGroupRequestProtocol] = (),
        reason: str | None = None,
    ) -> None:
        self.group_id = group_id
        self.session_timeout_ms = session_timeout_ms
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocols = protocols
        self.reason = reason


def _read_join_group_request_protocol_v0(
    b: Buffer, o: int, end: int
) -> tuple[JoinGroupRequestProtocol, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequestProtocol.name")
    if n > end - o:
        raise short("JoinGroupRequestProtocol.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("JoinGroupRequestProtocol.metadata")
    if n > end - o:
        raise short("JoinGroupRequestProtocol.metadata", n, end - o)
    metadata = bytes(b[o : o + n])
    o += n
    e = new(JoinGroupRequestProtocol)
    e.name = name
    e.metadata = metadata
    return e, o


def _write_join_group_request_protocol_v0(e: JoinGroupRequestProtocol, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    metadata = e.metadata
    put(pack_i(len(metadata)))
    put(metadata)


def _read_join_group_request_protocol_v6(
    b: Buffer, o: int, end: int
) -> tuple[JoinGroupRequestProtocol, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequestProtocol.name")
    if n > end - o:
        raise short("JoinGroupRequestProtocol.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequestProtocol.metadata")
    if n > end - o:
        raise short("JoinGroupRequestProtocol.metadata", n, end - o)
    metadata = bytes(b[o : o + n])
    o += n
    o = skip_tags(b, o, end, "JoinGroupRequestProtocol") if b[o] else o + 1
    e = new(JoinGroupRequestProtocol)
    e.name = name
    e.metadata = metadata
    return e, o


def _write_join_group_request_protocol_v6(e: JoinGroupRequestProtocol, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    metadata = e.metadata
    put(put_uvarint(len(metadata) + 1))
    put(metadata)
    put(b"\0")


def _read_join_group_request_v0(b: Buffer, o: int, end: int) -> tuple[JoinGroupRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.group_id")
    if n > end - o:
        raise short("JoinGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (session_timeout_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.member_id")
    if n > end - o:
        raise short("JoinGroupRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.protocol_type")
    if n > end - o:
        raise short("JoinGroupRequest.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("JoinGroupRequest.protocols")
    if n * 6 > end - o:
        raise short("JoinGroupRequest.protocols", n * 6, end - o)
    all_protocols: list[JoinGroupRequestProtocol] = []
    for _ in range(n):
        one_protocols, o = _read_join_group_request_protocol_v0(b, o, end)
        all_protocols.append(one_protocols)
    protocols = tuple(all_protocols)
    e = new(JoinGroupRequest)
    e.group_id = group_id
    e.session_timeout_ms = session_timeout_ms
    e.rebalance_timeout_ms = -1
    e.member_id = member_id
    e.group_instance_id = None
    e.protocol_type = protocol_type
    e.protocols = protocols
    e.reason = None
    return e, o


def _write_join_group_request_v0(e: JoinGroupRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.session_timeout_ms))
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    protocols = e.protocols
    put(pack_i(len(protocols)))
    for one_protocols in protocols:
        _write_join_group_request_protocol_v0(one_protocols, put)


def _walk_join_group_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[JoinGroupRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.group_id")
    if n > end - o:
        raise short("JoinGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (session_timeout_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.member_id")
    if n > end - o:
        raise short("JoinGroupRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.protocol_type")
    if n > end - o:
        raise short("JoinGroupRequest.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("JoinGroupRequest.protocols")
    if n * 6 > end - o:
        raise short("JoinGroupRequest.protocols", n * 6, end - o)
    protocols, o = yield from read_each(_read_join_group_request_protocol_v0, b, o, end, at, n)
    e = new(JoinGroupRequest)
    e.group_id = group_id
    e.session_timeout_ms = session_timeout_ms
    e.rebalance_timeout_ms = -1
    e.member_id = member_id
    e.group_instance_id = None
    e.protocol_type = protocol_type
    e.protocols = protocols
    e.reason = None
    return e, o


def _read_join_group_request_v1(b: Buffer, o: int, end: int) -> tuple[JoinGroupRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.group_id")
    if n > end - o:
        raise short("JoinGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    session_timeout_ms, rebalance_timeout_ms = unpack_ii(b, o)
    o += 8
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.member_id")
    if n > end - o:
        raise short("JoinGroupRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.protocol_type")
    if n > end - o:
        raise short("JoinGroupRequest.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("JoinGroupRequest.protocols")
    if n * 6 > end - o:
        raise short("JoinGroupRequest.protocols", n * 6, end - o)
    all_protocols: list[JoinGroupRequestProtocol] = []
    for _ in range(n):
        one_protocols, o = _read_join_group_request_protocol_v0(b, o, end)
        all_protocols.append(one_protocols)
    protocols = tuple(all_protocols)
    e = new(JoinGroupRequest)
    e.group_id = group_id
    e.session_timeout_ms = session_timeout_ms
    e.rebalance_timeout_ms = rebalance_timeout_ms
    e.member_id = member_id
    e.group_instance_id = None
    e.protocol_type = protocol_type
    e.protocols = protocols
    e.reason = None
    return e, o


def _write_join_group_request_v1(e: JoinGroupRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_ii(e.session_timeout_ms, e.rebalance_timeout_ms))
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    protocols = e.protocols
    put(pack_i(len(protocols)))
    for one_protocols in protocols:
        _write_join_group_request_protocol_v0(one_protocols, put)


def _walk_join_group_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[JoinGroupRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.group_id")
    if n > end - o:
        raise short("JoinGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    session_timeout_ms, rebalance_timeout_ms = unpack_ii(b, o)
    o += 8
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.member_id")
    if n > end - o:
        raise short("JoinGroupRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.protocol_type")
    if n > end - o:
        raise short("JoinGroupRequest.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("JoinGroupRequest.protocols")
    if n * 6 > end - o:
        raise short("JoinGroupRequest.protocols", n * 6, end - o)
    protocols, o = yield from read_each(_read_join_group_request_protocol_v0, b, o, end, at, n)
    e = new(JoinGroupRequest)
    e.group_id = group_id
    e.session_timeout_ms = session_timeout_ms
    e.rebalance_timeout_ms = rebalance_timeout_ms
    e.member_id = member_id
    e.group_instance_id = None
    e.protocol_type = protocol_type
    e.protocols = protocols
    e.reason = None
    return e, o


def _read_join_group_request_v5(b: Buffer, o: int, end: int) -> tuple[JoinGroupRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.group_id")
    if n > end - o:
        raise short("JoinGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    session_timeout_ms, rebalance_timeout_ms = unpack_ii(b, o)
    o += 8
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.member_id")
    if n > end - o:
        raise short("JoinGroupRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("JoinGroupRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.protocol_type")
    if n > end - o:
        raise short("JoinGroupRequest.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("JoinGroupRequest.protocols")
    if n * 6 > end - o:
        raise short("JoinGroupRequest.protocols", n * 6, end - o)
    all_protocols: list[JoinGroupRequestProtocol] = []
    for _ in range(n):
        one_protocols, o = _read_join_group_request_protocol_v0(b, o, end)
        all_protocols.append(one_protocols)
    protocols = tuple(all_protocols)
    e = new(JoinGroupRequest)
    e.group_id = group_id
    e.session_timeout_ms = session_timeout_ms
    e.rebalance_timeout_ms = rebalance_timeout_ms
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.protocol_type = protocol_type
    e.protocols = protocols
    e.reason = None
    return e, o


def _write_join_group_request_v5(e: JoinGroupRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_ii(e.session_timeout_ms, e.rebalance_timeout_ms))
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    group_instance_id = e.group_instance_id
    if group_instance_id is None:
        put(b"\xff\xff")
    else:
        raw = group_instance_id.encode()
        put(pack_h(len(raw)))
        put(raw)
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(pack_h(len(raw)))
    put(raw)
    protocols = e.protocols
    put(pack_i(len(protocols)))
    for one_protocols in protocols:
        _write_join_group_request_protocol_v0(one_protocols, put)


def _walk_join_group_request_v5(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[JoinGroupRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.group_id")
    if n > end - o:
        raise short("JoinGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    session_timeout_ms, rebalance_timeout_ms = unpack_ii(b, o)
    o += 8
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.member_id")
    if n > end - o:
        raise short("JoinGroupRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("JoinGroupRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("JoinGroupRequest.protocol_type")
    if n > end - o:
        raise short("JoinGroupRequest.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("JoinGroupRequest.protocols")
    if n * 6 > end - o:
        raise short("JoinGroupRequest.protocols", n * 6, end - o)
    protocols, o = yield from read_each(_read_join_group_request_protocol_v0, b, o, end, at, n)
    e = new(JoinGroupRequest)
    e.group_id = group_id
    e.session_timeout_ms = session_timeout_ms
    e.rebalance_timeout_ms = rebalance_timeout_ms
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.protocol_type = protocol_type
    e.protocols = protocols
    e.reason = None
    return e, o


def _read_join_group_request_v6(b: Buffer, o: int, end: int) -> tuple[JoinGroupRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.group_id")
    if n > end - o:
        raise short("JoinGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    session_timeout_ms, rebalance_timeout_ms = unpack_ii(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.member_id")
    if n > end - o:
        raise short("JoinGroupRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("JoinGroupRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.protocol_type")
    if n > end - o:
        raise short("JoinGroupRequest.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.protocols")
    if n * 3 > end - o:
        raise short("JoinGroupRequest.protocols", n * 3, end - o)
    all_protocols: list[JoinGroupRequestProtocol] = []
    for _ in range(n):
        one_protocols, o = _read_join_group_request_protocol_v6(b, o, end)
        all_protocols.append(one_protocols)
    protocols = tuple(all_protocols)
    o = skip_tags(b, o, end, "JoinGroupRequest") if b[o] else o + 1
    e = new(JoinGroupRequest)
    e.group_id = group_id
    e.session_timeout_ms = session_timeout_ms
    e.rebalance_timeout_ms = rebalance_timeout_ms
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.protocol_type = protocol_type
    e.protocols = protocols
    e.reason = None
    return e, o


def _write_join_group_request_v6(e: JoinGroupRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_ii(e.session_timeout_ms, e.rebalance_timeout_ms))
    member_id = e.member_id
    raw = member_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    group_instance_id = e.group_instance_id
    if group_instance_id is None:
        put(b"\0")
    else:
        raw = group_instance_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    protocols = e.protocols
    put(put_uvarint(len(protocols) + 1))
    for one_protocols in protocols:
        _write_join_group_request_protocol_v6(one_protocols, put)
    put(b"\0")


def _walk_join_group_request_v6(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[JoinGroupRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.group_id")
    if n > end - o:
        raise short("JoinGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    session_timeout_ms, rebalance_timeout_ms = unpack_ii(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.member_id")
    if n > end - o:
        raise short("JoinGroupRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("JoinGroupRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.protocol_type")
    if n > end - o:
        raise short("JoinGroupRequest.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.protocols")
    if n * 3 > end - o:
        raise short("JoinGroupRequest.protocols", n * 3, end - o)
    protocols, o = yield from read_each(_read_join_group_request_protocol_v6, b, o, end, at, n)
    o = skip_tags(b, o, end, "JoinGroupRequest") if b[o] else o + 1
    e = new(JoinGroupRequest)
    e.group_id = group_id
    e.session_timeout_ms = session_timeout_ms
    e.rebalance_timeout_ms = rebalance_timeout_ms
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.protocol_type = protocol_type
    e.protocols = protocols
    e.reason = None
    return e, o


def _read_join_group_request_v8(b: Buffer, o: int, end: int) -> tuple[JoinGroupRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.group_id")
    if n > end - o:
        raise short("JoinGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    session_timeout_ms, rebalance_timeout_ms = unpack_ii(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.member_id")
    if n > end - o:
        raise short("JoinGroupRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("JoinGroupRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.protocol_type")
    if n > end - o:
        raise short("JoinGroupRequest.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.protocols")
    if n * 3 > end - o:
        raise short("JoinGroupRequest.protocols", n * 3, end - o)
    all_protocols: list[JoinGroupRequestProtocol] = []
    for _ in range(n):
        one_protocols, o = _read_join_group_request_protocol_v6(b, o, end)
        all_protocols.append(one_protocols)
    protocols = tuple(all_protocols)
    reason: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        reason = None
    else:
        if n > end - o:
            raise short("JoinGroupRequest.reason", n, end - o)
        reason = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "JoinGroupRequest") if b[o] else o + 1
    e = new(JoinGroupRequest)
    e.group_id = group_id
    e.session_timeout_ms = session_timeout_ms
    e.rebalance_timeout_ms = rebalance_timeout_ms
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.protocol_type = protocol_type
    e.protocols = protocols
    e.reason = reason
    return e, o


def _write_join_group_request_v8(e: JoinGroupRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_ii(e.session_timeout_ms, e.rebalance_timeout_ms))
    member_id = e.member_id
    raw = member_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    group_instance_id = e.group_instance_id
    if group_instance_id is None:
        put(b"\0")
    else:
        raw = group_instance_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    protocol_type = e.protocol_type
    raw = protocol_type.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    protocols = e.protocols
    put(put_uvarint(len(protocols) + 1))
    for one_protocols in protocols:
        _write_join_group_request_protocol_v6(one_protocols, put)
    reason = e.reason
    if reason is None:
        put(b"\0")
    else:
        raw = reason.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _walk_join_group_request_v8(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[JoinGroupRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.group_id")
    if n > end - o:
        raise short("JoinGroupRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    session_timeout_ms, rebalance_timeout_ms = unpack_ii(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.member_id")
    if n > end - o:
        raise short("JoinGroupRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("JoinGroupRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.protocol_type")
    if n > end - o:
        raise short("JoinGroupRequest.protocol_type", n, end - o)
    protocol_type = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("JoinGroupRequest.protocols")
    if n * 3 > end - o:
        raise short("JoinGroupRequest.protocols", n * 3, end - o)
    protocols, o = yield from read_each(_read_join_group_request_protocol_v6, b, o, end, at, n)
    reason: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        reason = None
    else:
        if n > end - o:
            raise short("JoinGroupRequest.reason", n, end - o)
        reason = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "JoinGroupRequest") if b[o] else o + 1
    e = new(JoinGroupRequest)
    e.group_id = group_id
    e.session_timeout_ms = session_timeout_ms
    e.rebalance_timeout_ms = rebalance_timeout_ms
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    e.protocol_type = protocol_type
    e.protocols = protocols
    e.reason = reason
    return e, o


JoinGroupRequest.RESPONSE = JoinGroupResponse
JoinGroupRequest.WALKERS = {
    0: _walk_join_group_request_v0,
    1: _walk_join_group_request_v1,
    2: _walk_join_group_request_v1,
    3: _walk_join_group_request_v1,
    4: _walk_join_group_request_v1,
    5: _walk_join_group_request_v5,
    6: _walk_join_group_request_v6,
    7: _walk_join_group_request_v6,
    8: _walk_join_group_request_v8,
    9: _walk_join_group_request_v8,
}
JoinGroupRequest.READERS = {
    0: _read_join_group_request_v0,
    1: _read_join_group_request_v1,
    2: _read_join_group_request_v1,
    3: _read_join_group_request_v1,
    4: _read_join_group_request_v1,
    5: _read_join_group_request_v5,
    6: _read_join_group_request_v6,
    7: _read_join_group_request_v6,
    8: _read_join_group_request_v8,
    9: _read_join_group_request_v8,
}
JoinGroupRequest.WRITERS = {
    0: _write_join_group_request_v0,
    1: _write_join_group_request_v1,
    2: _write_join_group_request_v1,
    3: _write_join_group_request_v1,
    4: _write_join_group_request_v1,
    5: _write_join_group_request_v5,
    6: _write_join_group_request_v6,
    7: _write_join_group_request_v6,
    8: _write_join_group_request_v8,
    9: _write_join_group_request_v8,
}
