"""HeartbeatRequest (key 12), versions 0 to 4. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.messages.heartbeat_response import HeartbeatResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class HeartbeatRequest(Request[HeartbeatResponse]):
    """The request of API 12."""

    KEY: ClassVar = 12
    VERSIONS: ClassVar = range(5)
    FIRST_FLEXIBLE: ClassVar = 4

    __slots__ = ("group_id", "generation_id", "member_id", "group_instance_id")
    group_id: str
    generation_id: int
    member_id: str
    group_instance_id: str | None  # from version 3

    def __init__(
        self,
        *,
        group_id: str = "",
        generation_id: int = 0,
        member_id: str = "",
        group_instance_id: str | None = None,
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id


def _read_heartbeat_request_v0(b: Buffer, o: int, end: int) -> tuple[HeartbeatRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("HeartbeatRequest.group_id")
    if n > end - o:
        raise short("HeartbeatRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("HeartbeatRequest.member_id")
    if n > end - o:
        raise short("HeartbeatRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    e = new(HeartbeatRequest)
    e.group_id = group_id
    e.generation_id = generation_id
    e.member_id = member_id
    e.group_instance_id = None
    return e, o


def _write_heartbeat_request_v0(e: HeartbeatRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.generation_id))
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)


def _read_heartbeat_request_v3(b: Buffer, o: int, end: int) -> tuple[HeartbeatRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("HeartbeatRequest.group_id")
    if n > end - o:
        raise short("HeartbeatRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("HeartbeatRequest.member_id")
    if n > end - o:
        raise short("HeartbeatRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    group_instance_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        group_instance_id = None
    else:
        if n > end - o:
            raise short("HeartbeatRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    e = new(HeartbeatRequest)
    e.group_id = group_id
    e.generation_id = generation_id
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    return e, o


def _write_heartbeat_request_v3(e: HeartbeatRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.generation_id))
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


def _read_heartbeat_request_v4(b: Buffer, o: int, end: int) -> tuple[HeartbeatRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("HeartbeatRequest.group_id")
    if n > end - o:
        raise short("HeartbeatRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    (generation_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("HeartbeatRequest.member_id")
    if n > end - o:
        raise short("HeartbeatRequest.member_id", n, end - o)
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
            raise short("HeartbeatRequest.group_instance_id", n, end - o)
        group_instance_id = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "HeartbeatRequest") if b[o] else o + 1
    e = new(HeartbeatRequest)
    e.group_id = group_id
    e.generation_id = generation_id
    e.member_id = member_id
    e.group_instance_id = group_instance_id
    return e, o


def _write_heartbeat_request_v4(e: HeartbeatRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.generation_id))
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
    put(b"\0")


HeartbeatRequest.RESPONSE = HeartbeatResponse
HeartbeatRequest.READERS = {
    0: _read_heartbeat_request_v0,
    1: _read_heartbeat_request_v0,
    2: _read_heartbeat_request_v0,
    3: _read_heartbeat_request_v3,
    4: _read_heartbeat_request_v4,
}
HeartbeatRequest.WRITERS = {
    0: _write_heartbeat_request_v0,
    1: _write_heartbeat_request_v0,
    2: _write_heartbeat_request_v0,
    3: _write_heartbeat_request_v3,
    4: _write_heartbeat_request_v4,
}
