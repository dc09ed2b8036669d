"""ShareGroupCurrentMemberAssignmentKey, version 14. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null
from spindle.wire.stored import ConsumerMemberKey
from spindle.wire.values import short

new = object.__new__
pack_h = Struct(">h").pack
unpack_h = Struct(">h").unpack_from


class _ConsumerMemberKey(Open, ConsumerMemberKey):
    __slots__ = ()


def _read_share_group_current_member_assignment_key_v14(
    b: Buffer, o: int, end: int
) -> tuple[ConsumerMemberKey, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ShareGroupCurrentMemberAssignmentKey.group")
    if n > end - o:
        raise short("ShareGroupCurrentMemberAssignmentKey.group", n, end - o)
    group = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ShareGroupCurrentMemberAssignmentKey.member_id")
    if n > end - o:
        raise short("ShareGroupCurrentMemberAssignmentKey.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    e: ConsumerMemberKey = new(_ConsumerMemberKey)
    e.group = group
    e.member_id = member_id
    e.__class__ = ConsumerMemberKey
    return e, o


def _write_share_group_current_member_assignment_key_v14(e: ConsumerMemberKey, put: Put) -> None:
    group = e.group
    raw = group.encode()
    put(pack_h(len(raw)))
    put(raw)
    member_id = e.member_id
    raw = member_id.encode()
    put(pack_h(len(raw)))
    put(raw)


READERS: Final[Mapping[int, Reader[ConsumerMemberKey]]] = {
    14: _read_share_group_current_member_assignment_key_v14,
}
WRITERS: Final[Mapping[int, Writer[ConsumerMemberKey]]] = {
    14: _write_share_group_current_member_assignment_key_v14,
}
