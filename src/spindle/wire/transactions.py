"""Records of `__transaction_state`: keys and values as bytes <-> the states of transactional ids.

A key begins with its type, 0; a value with its version, without value it is a tombstone. Version 1
of the value is what Apache Kafka writes from transaction.version 1 on, version 0 below. Knows no
meaning of the numbers. The transaction coordinator's node part is the only caller.
"""

from __future__ import annotations

import struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.wire.codec import read_record
from spindle.wire.record_codecs import transaction_log_key, transaction_log_value
from spindle.wire.stored import TransactionKey
from spindle.wire.stored import TransactionPartitions as TransactionPartitions
from spindle.wire.stored import TransactionValue as TransactionValue

_INT16: Final = struct.Struct(">h")
_KEY_TYPE: Final = 0


def encode_transaction(
    transactional_id: str, value: TransactionValue | None, version: int
) -> tuple[bytes, bytes | None]:
    """Key and value of a transactional id's record, the value in this version; None forgets it."""
    pieces: list[Buffer] = [_INT16.pack(_KEY_TYPE)]
    transaction_log_key.WRITERS[_KEY_TYPE](TransactionKey(transactional_id), pieces.append)
    key = b"".join(pieces)
    if value is None:
        return key, None
    pieces = [_INT16.pack(version)]
    transaction_log_value.WRITERS[version](value, pieces.append)
    return key, b"".join(pieces)


def decode_transaction(
    key: Buffer, value: Buffer | None
) -> tuple[str, TransactionValue | None] | None:
    """Read a record; None for types of keys that we do not know. Corrupt."""
    if _version_of(key, "key") != _KEY_TYPE:
        return None
    read_key = transaction_log_key.READERS[_KEY_TYPE]
    found, _ = read_record(read_key, "TransactionLogKey", _KEY_TYPE, key, _INT16.size)
    name = found.transactional_id
    if value is None:
        return name, None
    version = _version_of(value, "value")
    reader = transaction_log_value.READERS.get(version)
    if reader is None:
        raise Corrupt(f"TransactionLogValue has version {version}; this node knows 0 and 1")
    return name, read_record(reader, "TransactionLogValue", version, value, _INT16.size)[0]


def _version_of(data: Buffer, what: str) -> int:
    if len(data) < _INT16.size:
        raise Corrupt(f"a transaction record's {what} of {len(data)} bytes is cut short")
    return int(_INT16.unpack_from(data)[0])
