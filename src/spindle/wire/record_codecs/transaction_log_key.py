"""TransactionLogKey, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null
from spindle.wire.stored import TransactionKey
from spindle.wire.values import short

new = object.__new__
pack_h = Struct(">h").pack
unpack_h = Struct(">h").unpack_from


class _TransactionKey(Open, TransactionKey):
    __slots__ = ()


def _read_transaction_log_key_v0(b: Buffer, o: int, end: int) -> tuple[TransactionKey, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TransactionLogKey.transactional_id")
    if n > end - o:
        raise short("TransactionLogKey.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    e: TransactionKey = new(_TransactionKey)
    e.transactional_id = transactional_id
    e.__class__ = TransactionKey
    return e, o


def _write_transaction_log_key_v0(e: TransactionKey, put: Put) -> None:
    transactional_id = e.transactional_id
    raw = transactional_id.encode()
    put(pack_h(len(raw)))
    put(raw)


READERS: Final[Mapping[int, Reader[TransactionKey]]] = {
    0: _read_transaction_log_key_v0,
}
WRITERS: Final[Mapping[int, Writer[TransactionKey]]] = {
    0: _write_transaction_log_key_v0,
}
