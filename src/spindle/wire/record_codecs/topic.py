"""Topic, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import Topic
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.values import id_of, long_uvarint, put_uvarint, short

new = object.__new__
pack_uB = Struct(">16sB").pack
unpack_u = Struct(">16s").unpack_from


class _Topic(Open, Topic):
    __slots__ = ()


def _read_topic_v0(b: Buffer, o: int, end: int) -> tuple[Topic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Topic.name")
    if n > end - o:
        raise short("Topic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = id_of(topic_id)
    o = skip_tags(b, o, end, "Topic") if b[o] else o + 1
    e: Topic = new(_Topic)
    e.name = name
    e.topic_id = topic_id
    e.__class__ = Topic
    return e, o


def _write_topic_v0(e: Topic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_uB(e.topic_id.bytes, 0))


READERS: Final[Mapping[int, Reader[Topic]]] = {
    0: _read_topic_v0,
}
WRITERS: Final[Mapping[int, Writer[Topic]]] = {
    0: _write_topic_v0,
}
