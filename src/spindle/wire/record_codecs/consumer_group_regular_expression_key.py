"""ConsumerGroupRegularExpressionKey, version 16. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null
from spindle.wire.stored import RegularExpressionKey
from spindle.wire.values import short

new = object.__new__
pack_h = Struct(">h").pack
unpack_h = Struct(">h").unpack_from


class _RegularExpressionKey(Open, RegularExpressionKey):
    __slots__ = ()


def _read_consumer_group_regular_expression_key_v16(
    b: Buffer, o: int, end: int
) -> tuple[RegularExpressionKey, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ConsumerGroupRegularExpressionKey.group")
    if n > end - o:
        raise short("ConsumerGroupRegularExpressionKey.group", n, end - o)
    group = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("ConsumerGroupRegularExpressionKey.regex")
    if n > end - o:
        raise short("ConsumerGroupRegularExpressionKey.regex", n, end - o)
    regex = str(b[o : o + n], "utf-8")
    o += n
    e: RegularExpressionKey = new(_RegularExpressionKey)
    e.group = group
    e.regex = regex
    e.__class__ = RegularExpressionKey
    return e, o


def _write_consumer_group_regular_expression_key_v16(e: RegularExpressionKey, put: Put) -> None:
    group = e.group
    raw = group.encode()
    put(pack_h(len(raw)))
    put(raw)
    regex = e.regex
    raw = regex.encode()
    put(pack_h(len(raw)))
    put(raw)


READERS: Final[Mapping[int, Reader[RegularExpressionKey]]] = {
    16: _read_consumer_group_regular_expression_key_v16,
}
WRITERS: Final[Mapping[int, Writer[RegularExpressionKey]]] = {
    16: _write_consumer_group_regular_expression_key_v16,
}
