"""ConsumerGroupRegularExpressionValue, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.stored import RegularExpressionValue
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_qqB = Struct(">qqB").pack
unpack_qq = Struct(">qq").unpack_from


class _RegularExpressionValue(Open, RegularExpressionValue):
    __slots__ = ()


def _read_consumer_group_regular_expression_value_v0(
    b: Buffer, o: int, end: int
) -> tuple[RegularExpressionValue, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ConsumerGroupRegularExpressionValue.topics")
    if n > end - o:
        raise short("ConsumerGroupRegularExpressionValue.topics", n, end - o)
    all_topics: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("ConsumerGroupRegularExpressionValue.topics")
        if n > end - o:
            raise short("ConsumerGroupRegularExpressionValue.topics", n, end - o)
        one_topics = str(b[o : o + n], "utf-8")
        o += n
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    version, at = unpack_qq(b, o)
    o += 16
    o = skip_tags(b, o, end, "ConsumerGroupRegularExpressionValue") if b[o] else o + 1
    e: RegularExpressionValue = new(_RegularExpressionValue)
    e.topics = topics
    e.version = version
    e.at = at
    e.__class__ = RegularExpressionValue
    return e, o


def _write_consumer_group_regular_expression_value_v0(e: RegularExpressionValue, put: Put) -> None:
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        raw = one_topics.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_qqB(e.version, e.at, 0))


READERS: Final[Mapping[int, Reader[RegularExpressionValue]]] = {
    0: _read_consumer_group_regular_expression_value_v0,
}
WRITERS: Final[Mapping[int, Writer[RegularExpressionValue]]] = {
    0: _write_consumer_group_regular_expression_value_v0,
}
