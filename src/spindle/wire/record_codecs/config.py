"""Config, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import DynamicConfig
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_b = Struct(">b").pack
unpack_b = Struct(">b").unpack_from


class _DynamicConfig(Open, DynamicConfig):
    __slots__ = ()


def _read_config_v0(b: Buffer, o: int, end: int) -> tuple[DynamicConfig, int]:
    (resource_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Config.resource_name")
    if n > end - o:
        raise short("Config.resource_name", n, end - o)
    resource_name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Config.key")
    if n > end - o:
        raise short("Config.key", n, end - o)
    key = str(b[o : o + n], "utf-8")
    o += n
    value: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        value = None
    else:
        if n > end - o:
            raise short("Config.value", n, end - o)
        value = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "Config") if b[o] else o + 1
    e: DynamicConfig = new(_DynamicConfig)
    e.resource_type = resource_type
    e.resource_name = resource_name
    e.key = key
    e.value = value
    e.__class__ = DynamicConfig
    return e, o


def _write_config_v0(e: DynamicConfig, put: Put) -> None:
    put(pack_b(e.resource_type))
    resource_name = e.resource_name
    raw = resource_name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    key = e.key
    raw = key.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    value = e.value
    if value is None:
        put(b"\0")
    else:
        raw = value.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


READERS: Final[Mapping[int, Reader[DynamicConfig]]] = {
    0: _read_config_v0,
}
WRITERS: Final[Mapping[int, Writer[DynamicConfig]]] = {
    0: _write_config_v0,
}
