"""ClearElr, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import ClearElr
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__


class _ClearElr(Open, ClearElr):
    __slots__ = ()


def _read_clear_elr_v0(b: Buffer, o: int, end: int) -> tuple[ClearElr, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ClearElr.topic")
    if n > end - o:
        raise short("ClearElr.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "ClearElr") if b[o] else o + 1
    e: ClearElr = new(_ClearElr)
    e.topic = topic
    e.__class__ = ClearElr
    return e, o


def _write_clear_elr_v0(e: ClearElr, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


READERS: Final[Mapping[int, Reader[ClearElr]]] = {
    0: _read_clear_elr_v0,
}
WRITERS: Final[Mapping[int, Writer[ClearElr]]] = {
    0: _write_clear_elr_v0,
}
