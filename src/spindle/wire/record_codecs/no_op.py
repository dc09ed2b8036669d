"""NoOp, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import NoOp
from spindle.wire.codec import Open, Put, Reader, Writer, skip_tags

new = object.__new__


class _NoOp(Open, NoOp):
    __slots__ = ()


def _read_no_op_v0(b: Buffer, o: int, end: int) -> tuple[NoOp, int]:
    o = skip_tags(b, o, end, "NoOp") if b[o] else o + 1
    e: NoOp = new(_NoOp)
    e.__class__ = NoOp
    return e, o


def _write_no_op_v0(e: NoOp, put: Put) -> None:
    put(b"\0")


READERS: Final[Mapping[int, Reader[NoOp]]] = {
    0: _read_no_op_v0,
}
WRITERS: Final[Mapping[int, Writer[NoOp]]] = {
    0: _write_no_op_v0,
}
