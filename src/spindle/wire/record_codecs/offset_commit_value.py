"""OffsetCommitValue, versions 0 to 4. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null, wrong_size
from spindle.wire.stored import OffsetValue
from spindle.wire.values import long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_q = Struct(">q").pack
pack_qi = Struct(">qi").pack
pack_qq = Struct(">qq").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_qi = Struct(">qi").unpack_from
unpack_qq = Struct(">qq").unpack_from
unpack_u = Struct(">16s").unpack_from


class _OffsetValue(Open, OffsetValue):
    __slots__ = ()


def _read_offset_commit_value_v0(b: Buffer, o: int, end: int) -> tuple[OffsetValue, int]:
    (offset,) = unpack_q(b, o)
    o += 8
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitValue.metadata")
    if n > end - o:
        raise short("OffsetCommitValue.metadata", n, end - o)
    metadata = str(b[o : o + n], "utf-8")
    o += n
    (commit_timestamp,) = unpack_q(b, o)
    o += 8
    e: OffsetValue = new(_OffsetValue)
    e.offset = offset
    e.leader_epoch = -1
    e.metadata = metadata
    e.commit_timestamp = commit_timestamp
    e.expire_timestamp = -1
    e.topic_id = None
    e.__class__ = OffsetValue
    return e, o


def _write_offset_commit_value_v0(e: OffsetValue, put: Put) -> None:
    put(pack_q(e.offset))
    metadata = e.metadata
    raw = metadata.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_q(e.commit_timestamp))


def _read_offset_commit_value_v1(b: Buffer, o: int, end: int) -> tuple[OffsetValue, int]:
    (offset,) = unpack_q(b, o)
    o += 8
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitValue.metadata")
    if n > end - o:
        raise short("OffsetCommitValue.metadata", n, end - o)
    metadata = str(b[o : o + n], "utf-8")
    o += n
    commit_timestamp, expire_timestamp = unpack_qq(b, o)
    o += 16
    e: OffsetValue = new(_OffsetValue)
    e.offset = offset
    e.leader_epoch = -1
    e.metadata = metadata
    e.commit_timestamp = commit_timestamp
    e.expire_timestamp = expire_timestamp
    e.topic_id = None
    e.__class__ = OffsetValue
    return e, o


def _write_offset_commit_value_v1(e: OffsetValue, put: Put) -> None:
    put(pack_q(e.offset))
    metadata = e.metadata
    raw = metadata.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_qq(e.commit_timestamp, e.expire_timestamp))


def _read_offset_commit_value_v3(b: Buffer, o: int, end: int) -> tuple[OffsetValue, int]:
    offset, leader_epoch = unpack_qi(b, o)
    o += 12
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("OffsetCommitValue.metadata")
    if n > end - o:
        raise short("OffsetCommitValue.metadata", n, end - o)
    metadata = str(b[o : o + n], "utf-8")
    o += n
    (commit_timestamp,) = unpack_q(b, o)
    o += 8
    e: OffsetValue = new(_OffsetValue)
    e.offset = offset
    e.leader_epoch = leader_epoch
    e.metadata = metadata
    e.commit_timestamp = commit_timestamp
    e.expire_timestamp = -1
    e.topic_id = None
    e.__class__ = OffsetValue
    return e, o


def _write_offset_commit_value_v3(e: OffsetValue, put: Put) -> None:
    put(pack_qi(e.offset, e.leader_epoch))
    metadata = e.metadata
    raw = metadata.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_q(e.commit_timestamp))


def _read_offset_commit_value_v4(b: Buffer, o: int, end: int) -> tuple[OffsetValue, int]:
    offset, leader_epoch = unpack_qi(b, o)
    o += 12
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("OffsetCommitValue.metadata")
    if n > end - o:
        raise short("OffsetCommitValue.metadata", n, end - o)
    metadata = str(b[o : o + n], "utf-8")
    o += n
    (commit_timestamp,) = unpack_q(b, o)
    o += 8
    topic_id: UUID | None = None
    tags = b[o]
    o += 1
    if tags > 127:
        tags, o = long_uvarint(b, o, tags)
    for _ in range(tags):
        tag = b[o]
        o += 1
        if tag > 127:
            tag, o = long_uvarint(b, o, tag)
        size = b[o]
        o += 1
        if size > 127:
            size, o = long_uvarint(b, o, size)
        if size > end - o:
            raise short("OffsetCommitValue", size, end - o)
        stop = o + size
        if tag == 0:
            (topic_id,) = unpack_u(b, o)
            o += 16
            topic_id = uuid_of(topic_id)
            if o != stop:
                raise wrong_size("OffsetCommitValue.topic_id", o - stop)
        o = stop
    e: OffsetValue = new(_OffsetValue)
    e.offset = offset
    e.leader_epoch = leader_epoch
    e.metadata = metadata
    e.commit_timestamp = commit_timestamp
    e.expire_timestamp = -1
    e.topic_id = topic_id
    e.__class__ = OffsetValue
    return e, o


def _write_offset_commit_value_v4(e: OffsetValue, put: Put) -> None:
    put(pack_qi(e.offset, e.leader_epoch))
    metadata = e.metadata
    raw = metadata.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_q(e.commit_timestamp))
    count = 0
    tags: list[bytes] = []
    topic_id = e.topic_id
    if topic_id is not None:
        count += 1
        tags.append(b"\x00\x10" + topic_id.bytes)
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


READERS: Final[Mapping[int, Reader[OffsetValue]]] = {
    0: _read_offset_commit_value_v0,
    1: _read_offset_commit_value_v1,
    2: _read_offset_commit_value_v0,
    3: _read_offset_commit_value_v3,
    4: _read_offset_commit_value_v4,
}
WRITERS: Final[Mapping[int, Writer[OffsetValue]]] = {
    0: _write_offset_commit_value_v0,
    1: _write_offset_commit_value_v1,
    2: _write_offset_commit_value_v0,
    3: _write_offset_commit_value_v3,
    4: _write_offset_commit_value_v4,
}
