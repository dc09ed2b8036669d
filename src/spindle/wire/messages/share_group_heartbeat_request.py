"""ShareGroupHeartbeatRequest (key 76), version 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, compact_string, read_each
from spindle.wire.messages.share_group_heartbeat_response import ShareGroupHeartbeatResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_i = Struct(">i").pack
unpack_i = Struct(">i").unpack_from


class ShareGroupHeartbeatRequest(Request[ShareGroupHeartbeatResponse]):
    """The request of API 76."""

    KEY: ClassVar = 76
    VERSIONS: ClassVar = range(1, 2)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("group_id", "member_id", "member_epoch", "rack_id", "subscribed_topic_names")
    group_id: str
    member_id: str
    member_epoch: int
    rack_id: str | None
    subscribed_topic_names: Sequence[str] | None

    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        rack_id: str | None = None,
        subscribed_topic_names: Sequence[str] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.rack_id = rack_id
        self.subscribed_topic_names = subscribed_topic_names


def _read_share_group_heartbeat_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[ShareGroupHeartbeatRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareGroupHeartbeatRequest.group_id")
    if n > end - o:
        raise short("ShareGroupHeartbeatRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareGroupHeartbeatRequest.member_id")
    if n > end - o:
        raise short("ShareGroupHeartbeatRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (member_epoch,) = unpack_i(b, o)
    o += 4
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
            raise short("ShareGroupHeartbeatRequest.rack_id", n, end - o)
        rack_id = str(b[o : o + n], "utf-8")
        o += n
    subscribed_topic_names: Sequence[str] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        subscribed_topic_names = None
    else:
        if n > end - o:
            raise short("ShareGroupHeartbeatRequest.subscribed_topic_names", n, end - o)
        all_subscribed_topic_names: list[str] = []
        for _ in range(n):
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                raise null("ShareGroupHeartbeatRequest.subscribed_topic_names")
            if n > end - o:
                raise short("ShareGroupHeartbeatRequest.subscribed_topic_names", n, end - o)
            one_subscribed_topic_names = str(b[o : o + n], "utf-8")
            o += n
            all_subscribed_topic_names.append(one_subscribed_topic_names)
        subscribed_topic_names = tuple(all_subscribed_topic_names)
    o = skip_tags(b, o, end, "ShareGroupHeartbeatRequest") if b[o] else o + 1
    e = new(ShareGroupHeartbeatRequest)
    e.group_id = group_id
    e.member_id = member_id
    e.member_epoch = member_epoch
    e.rack_id = rack_id
    e.subscribed_topic_names = subscribed_topic_names
    return e, o


def _write_share_group_heartbeat_request_v1(e: ShareGroupHeartbeatRequest, put: Put) -> None:
    group_id = e.group_id
    raw = group_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    member_id = e.member_id
    raw = member_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.member_epoch))
    rack_id = e.rack_id
    if rack_id is None:
        put(b"\0")
    else:
        raw = rack_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    subscribed_topic_names = e.subscribed_topic_names
    if subscribed_topic_names is None:
        put(b"\0")
    else:
        put(put_uvarint(len(subscribed_topic_names) + 1))
        for one_subscribed_topic_names in subscribed_topic_names:
            raw = one_subscribed_topic_names.encode()
            put(put_uvarint(len(raw) + 1))
            put(raw)
    put(b"\0")


def _walk_share_group_heartbeat_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[ShareGroupHeartbeatRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareGroupHeartbeatRequest.group_id")
    if n > end - o:
        raise short("ShareGroupHeartbeatRequest.group_id", n, end - o)
    group_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareGroupHeartbeatRequest.member_id")
    if n > end - o:
        raise short("ShareGroupHeartbeatRequest.member_id", n, end - o)
    member_id = str(b[o : o + n], "utf-8")
    o += n
    (member_epoch,) = unpack_i(b, o)
    o += 4
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
            raise short("ShareGroupHeartbeatRequest.rack_id", n, end - o)
        rack_id = str(b[o : o + n], "utf-8")
        o += n
    subscribed_topic_names: Sequence[str] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        subscribed_topic_names = None
    else:
        if n > end - o:
            raise short("ShareGroupHeartbeatRequest.subscribed_topic_names", n, end - o)
        subscribed_topic_names, o = yield from read_each(
            partial(compact_string, "ShareGroupHeartbeatRequest.subscribed_topic_names"),
            b,
            o,
            end,
            at,
            n,
        )
    o = skip_tags(b, o, end, "ShareGroupHeartbeatRequest") if b[o] else o + 1
    e = new(ShareGroupHeartbeatRequest)
    e.group_id = group_id
    e.member_id = member_id
    e.member_epoch = member_epoch
    e.rack_id = rack_id
    e.subscribed_topic_names = subscribed_topic_names
    return e, o


ShareGroupHeartbeatRequest.RESPONSE = ShareGroupHeartbeatResponse
ShareGroupHeartbeatRequest.WALKERS = {
    1: _walk_share_group_heartbeat_request_v1,
}
ShareGroupHeartbeatRequest.READERS = {
    1: _read_share_group_heartbeat_request_v1,
}
ShareGroupHeartbeatRequest.WRITERS = {
    1: _write_share_group_heartbeat_request_v1,
}
