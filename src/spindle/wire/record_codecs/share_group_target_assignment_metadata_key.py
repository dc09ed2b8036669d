"""ShareGroupTargetAssignmentMetadataKey, version 12. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null
from spindle.wire.stored import ConsumerGroupKey
from spindle.wire.values import short

new = object.__new__
pack_h = Struct(">h").pack
unpack_h = Struct(">h").unpack_from


class _ConsumerGroupKey(Open, ConsumerGroupKey):
    __slots__ = ()


def _read_share_group_target_assignment_metadata_key_v12(
    b: Buffer, o: int, end: int
) -> tuple[ConsumerGroupKey, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ShareGroupTargetAssignmentMetadataKey.group")
    if n > end - o:
        raise short("ShareGroupTargetAssignmentMetadataKey.group", n, end - o)
    group = str(b[o : o + n], "utf-8")
    o += n
    e: ConsumerGroupKey = new(_ConsumerGroupKey)
    e.group = group
    e.__class__ = ConsumerGroupKey
    return e, o


def _write_share_group_target_assignment_metadata_key_v12(e: ConsumerGroupKey, put: Put) -> None:
    group = e.group
    raw = group.encode()
    put(pack_h(len(raw)))
    put(raw)


READERS: Final[Mapping[int, Reader[ConsumerGroupKey]]] = {
    12: _read_share_group_target_assignment_metadata_key_v12,
}
WRITERS: Final[Mapping[int, Writer[ConsumerGroupKey]]] = {
    12: _write_share_group_target_assignment_metadata_key_v12,
}
