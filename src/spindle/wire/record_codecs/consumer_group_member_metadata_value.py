"""ConsumerGroupMemberMetadataValue, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags, wrong_size
from spindle.wire.stored import ClassicMember, ClassicProtocol, ConsumerMemberValue
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_i = Struct(">i").pack
unpack_i = Struct(">i").unpack_from


class _ClassicProtocol(Open, ClassicProtocol):
    __slots__ = ()


class _ClassicMember(Open, ClassicMember):
    __slots__ = ()


class _ConsumerMemberValue(Open, ConsumerMemberValue):
    __slots__ = ()


def _read_classic_protocol_v0(b: Buffer, o: int, end: int) -> tuple[ClassicProtocol, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ClassicProtocol.name")
    if n > end - o:
        raise short("ClassicProtocol.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ClassicProtocol.metadata")
    if n > end - o:
        raise short("ClassicProtocol.metadata", n, end - o)
    metadata = bytes(b[o : o + n])
    o += n
    o = skip_tags(b, o, end, "ClassicProtocol") if b[o] else o + 1
    e: ClassicProtocol = new(_ClassicProtocol)
    e.name = name
    e.metadata = metadata
    e.__class__ = ClassicProtocol
    return e, o


def _write_classic_protocol_v0(e: ClassicProtocol, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    metadata = e.metadata
    put(put_uvarint(len(metadata) + 1))
    put(metadata)
    put(b"\0")


def _read_classic_member_metadata_v0(b: Buffer, o: int, end: int) -> tuple[ClassicMember, int]:
    (session_timeout,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ClassicMemberMetadata.protocols")
    if n * 3 > end - o:
        raise short("ClassicMemberMetadata.protocols", n * 3, end - o)
    all_protocols: list[ClassicProtocol] = []
    for _ in range(n):
        one_protocols, o = _read_classic_protocol_v0(b, o, end)
        all_protocols.append(one_protocols)
    protocols = tuple(all_protocols)
    o = skip_tags(b, o, end, "ClassicMemberMetadata") if b[o] else o + 1
    e: ClassicMember = new(_ClassicMember)
    e.session_timeout = session_timeout
    e.protocols = protocols
    e.__class__ = ClassicMember
    return e, o


def _write_classic_member_metadata_v0(e: ClassicMember, put: Put) -> None:
    put(pack_i(e.session_timeout))
    protocols = e.protocols
    put(put_uvarint(len(protocols) + 1))
    for one_protocols in protocols:
        _write_classic_protocol_v0(one_protocols, put)
    put(b"\0")


def _read_consumer_group_member_metadata_value_v0(
    b: Buffer, o: int, end: int
) -> tuple[ConsumerMemberValue, int]:
    instance_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        instance_id = None
    else:
        if n > end - o:
            raise short("ConsumerGroupMemberMetadataValue.instance_id", n, end - o)
        instance_id = str(b[o : o + n], "utf-8")
        o += n
    rack_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack_id = None
    else:
        if n > end - o:
            raise short("ConsumerGroupMemberMetadataValue.rack_id", n, end - o)
        rack_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupMemberMetadataValue.client_id")
    if n > end - o:
        raise short("ConsumerGroupMemberMetadataValue.client_id", n, end - o)
    client_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupMemberMetadataValue.client_host")
    if n > end - o:
        raise short("ConsumerGroupMemberMetadataValue.client_host", n, end - o)
    client_host = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupMemberMetadataValue.topics")
    if n > end - o:
        raise short("ConsumerGroupMemberMetadataValue.topics", n, end - o)
    all_topics: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("ConsumerGroupMemberMetadataValue.topics")
        if n > end - o:
            raise short("ConsumerGroupMemberMetadataValue.topics", n, end - o)
        one_topics = str(b[o : o + n], "utf-8")
        o += n
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    regex: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        regex = None
    else:
        if n > end - o:
            raise short("ConsumerGroupMemberMetadataValue.regex", n, end - o)
        regex = str(b[o : o + n], "utf-8")
        o += n
    (rebalance_timeout,) = unpack_i(b, o)
    o += 4
    assignor: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        assignor = None
    else:
        if n > end - o:
            raise short("ConsumerGroupMemberMetadataValue.assignor", n, end - o)
        assignor = str(b[o : o + n], "utf-8")
        o += n
    classic: ClassicMember | None = None
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
            raise short("ConsumerGroupMemberMetadataValue", size, end - o)
        stop = o + size
        if tag == 0:
            n = b[o]
            o += 1
            if 0 < n < 128:
                classic, o = _read_classic_member_metadata_v0(b, o, end)
            if o != stop:
                raise wrong_size("ConsumerGroupMemberMetadataValue.classic", o - stop)
        o = stop
    e: ConsumerMemberValue = new(_ConsumerMemberValue)
    e.instance_id = instance_id
    e.rack_id = rack_id
    e.client_id = client_id
    e.client_host = client_host
    e.topics = topics
    e.regex = regex
    e.rebalance_timeout = rebalance_timeout
    e.assignor = assignor
    e.classic = classic
    e.__class__ = ConsumerMemberValue
    return e, o


def _write_consumer_group_member_metadata_value_v0(e: ConsumerMemberValue, put: Put) -> None:
    instance_id = e.instance_id
    if instance_id is None:
        put(b"\0")
    else:
        raw = instance_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    rack_id = e.rack_id
    if rack_id is None:
        put(b"\0")
    else:
        raw = rack_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    client_id = e.client_id
    raw = client_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    client_host = e.client_host
    raw = client_host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        raw = one_topics.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    regex = e.regex
    if regex is None:
        put(b"\0")
    else:
        raw = regex.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_i(e.rebalance_timeout))
    assignor = e.assignor
    if assignor is None:
        put(b"\0")
    else:
        raw = assignor.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    count = 0
    tags: list[bytes] = []
    classic = e.classic
    count += 1
    if classic is None:
        tags.append(b"\x00\x01\x00")
    else:
        classic_pieces: list[Buffer] = [b"\1"]
        _write_classic_member_metadata_v0(classic, classic_pieces.append)
        piece = b"".join(classic_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


READERS: Final[Mapping[int, Reader[ConsumerMemberValue]]] = {
    0: _read_consumer_group_member_metadata_value_v0,
}
WRITERS: Final[Mapping[int, Writer[ConsumerMemberValue]]] = {
    0: _write_consumer_group_member_metadata_value_v0,
}
