"""RemoveTopic, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import RemoveTopic
from spindle.wire.codec import Open, Put, Reader, Writer, skip_tags
from spindle.wire.values import id_of

new = object.__new__
pack_uB = Struct(">16sB").pack
unpack_u = Struct(">16s").unpack_from


class _RemoveTopic(Open, RemoveTopic):
    __slots__ = ()


def _read_remove_topic_v0(b: Buffer, o: int, end: int) -> tuple[RemoveTopic, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = id_of(topic_id)
    o = skip_tags(b, o, end, "RemoveTopic") if b[o] else o + 1
    e: RemoveTopic = new(_RemoveTopic)
    e.topic_id = topic_id
    e.__class__ = RemoveTopic
    return e, o


def _write_remove_topic_v0(e: RemoveTopic, put: Put) -> None:
    put(pack_uB(e.topic_id.bytes, 0))


READERS: Final[Mapping[int, Reader[RemoveTopic]]] = {
    0: _read_remove_topic_v0,
}
WRITERS: Final[Mapping[int, Writer[RemoveTopic]]] = {
    0: _write_remove_topic_v0,
}
