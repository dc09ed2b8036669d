"""ShareGroupTargetAssignmentMetadataValue, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, wrong_size
from spindle.wire.stored import TargetEpochValue
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_i = Struct(">i").pack
pack_q = Struct(">q").pack
unpack_i = Struct(">i").unpack_from
unpack_q = Struct(">q").unpack_from


class _TargetEpochValue(Open, TargetEpochValue):
    __slots__ = ()


def _read_share_group_target_assignment_metadata_value_v0(
    b: Buffer, o: int, end: int
) -> tuple[TargetEpochValue, int]:
    (epoch,) = unpack_i(b, o)
    o += 4
    at: int = 0
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
            raise short("ShareGroupTargetAssignmentMetadataValue", size, end - o)
        stop = o + size
        if tag == 0:
            (at,) = unpack_q(b, o)
            o += 8
            if o != stop:
                raise wrong_size("ShareGroupTargetAssignmentMetadataValue.at", o - stop)
        o = stop
    e: TargetEpochValue = new(_TargetEpochValue)
    e.epoch = epoch
    e.at = at
    e.__class__ = TargetEpochValue
    return e, o


def _write_share_group_target_assignment_metadata_value_v0(e: TargetEpochValue, put: Put) -> None:
    put(pack_i(e.epoch))
    count = 0
    tags: list[bytes] = []
    at = e.at
    if at != 0:
        count += 1
        tags.append(b"\x00\x08" + pack_q(at))
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


READERS: Final[Mapping[int, Reader[TargetEpochValue]]] = {
    0: _read_share_group_target_assignment_metadata_value_v0,
}
WRITERS: Final[Mapping[int, Writer[TargetEpochValue]]] = {
    0: _write_share_group_target_assignment_metadata_value_v0,
}
