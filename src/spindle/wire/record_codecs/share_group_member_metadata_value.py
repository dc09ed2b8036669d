"""ShareGroupMemberMetadataValue, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.stored import ShareMemberValue
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__


class _ShareMemberValue(Open, ShareMemberValue):
    __slots__ = ()


def _read_share_group_member_metadata_value_v0(
    b: Buffer, o: int, end: int
) -> tuple[ShareMemberValue, int]:
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
            raise short("ShareGroupMemberMetadataValue.rack_id", n, end - o)
        rack_id = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareGroupMemberMetadataValue.client_id")
    if n > end - o:
        raise short("ShareGroupMemberMetadataValue.client_id", n, end - o)
    client_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareGroupMemberMetadataValue.client_host")
    if n > end - o:
        raise short("ShareGroupMemberMetadataValue.client_host", n, end - o)
    client_host = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareGroupMemberMetadataValue.topics")
    if n > end - o:
        raise short("ShareGroupMemberMetadataValue.topics", n, end - o)
    all_topics: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("ShareGroupMemberMetadataValue.topics")
        if n > end - o:
            raise short("ShareGroupMemberMetadataValue.topics", n, end - o)
        one_topics = str(b[o : o + n], "utf-8")
        o += n
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "ShareGroupMemberMetadataValue") if b[o] else o + 1
    e: ShareMemberValue = new(_ShareMemberValue)
    e.rack_id = rack_id
    e.client_id = client_id
    e.client_host = client_host
    e.topics = topics
    e.__class__ = ShareMemberValue
    return e, o


def _write_share_group_member_metadata_value_v0(e: ShareMemberValue, put: Put) -> None:
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
    put(b"\0")


READERS: Final[Mapping[int, Reader[ShareMemberValue]]] = {
    0: _read_share_group_member_metadata_value_v0,
}
WRITERS: Final[Mapping[int, Writer[ShareMemberValue]]] = {
    0: _write_share_group_member_metadata_value_v0,
}
