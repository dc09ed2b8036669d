"""EndTransaction, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import EndTransaction
from spindle.wire.codec import Open, Put, Reader, Writer, skip_tags

new = object.__new__


class _EndTransaction(Open, EndTransaction):
    __slots__ = ()


def _read_end_transaction_v0(b: Buffer, o: int, end: int) -> tuple[EndTransaction, int]:
    o = skip_tags(b, o, end, "EndTransaction") if b[o] else o + 1
    e: EndTransaction = new(_EndTransaction)
    e.__class__ = EndTransaction
    return e, o


def _write_end_transaction_v0(e: EndTransaction, put: Put) -> None:
    put(b"\0")


READERS: Final[Mapping[int, Reader[EndTransaction]]] = {
    0: _read_end_transaction_v0,
}
WRITERS: Final[Mapping[int, Writer[EndTransaction]]] = {
    0: _write_end_transaction_v0,
}
