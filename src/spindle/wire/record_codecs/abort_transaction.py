"""AbortTransaction, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import AbortTransaction
from spindle.wire.codec import Open, Put, Reader, Writer, wrong_size
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__


class _AbortTransaction(Open, AbortTransaction):
    __slots__ = ()


def _read_abort_transaction_v0(b: Buffer, o: int, end: int) -> tuple[AbortTransaction, int]:
    reason: str = ""
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
            raise short("AbortTransaction", size, end - o)
        stop = o + size
        if tag == 0:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                reason = ""
            else:
                if n > end - o:
                    raise short("AbortTransaction.reason", n, end - o)
                reason = str(b[o : o + n], "utf-8")
                o += n
            if o != stop:
                raise wrong_size("AbortTransaction.reason", o - stop)
        o = stop
    e: AbortTransaction = new(_AbortTransaction)
    e.reason = reason
    e.__class__ = AbortTransaction
    return e, o


def _write_abort_transaction_v0(e: AbortTransaction, put: Put) -> None:
    count = 0
    tags: list[bytes] = []
    reason = e.reason
    if reason:
        count += 1
        reason_pieces: list[Buffer] = []
        raw = reason.encode()
        reason_pieces.append(put_uvarint(len(raw) + 1))
        reason_pieces.append(raw)
        piece = b"".join(reason_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


READERS: Final[Mapping[int, Reader[AbortTransaction]]] = {
    0: _read_abort_transaction_v0,
}
WRITERS: Final[Mapping[int, Writer[AbortTransaction]]] = {
    0: _write_abort_transaction_v0,
}
