"""Records of `__transaction_state`: keys and values as bytes <-> the states of transactional ids.

A key begins with its type, 0; a value with its version, without value it is a tombstone. Version 1
of the value is what Apache Kafka writes from transaction.version 1 on, version 0 below. Knows no
meaning of the numbers. The transaction coordinator's node part is the only caller.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.wire.declare import F, layout
from spindle.wire.readers import read_all
from spindle.wire.writers import writer_of

_INT16: Final = struct.Struct(">h")
_KEY_TYPE: Final = 0


@dataclass(frozen=True, slots=True)
class TransactionKey:
    """A transactional id."""

    transactional_id: str


@dataclass(frozen=True, slots=True)
class TransactionPartitions:
    """The partitions of a topic that take part."""

    topic: str
    partitions: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionValue:
    """The state of a transactional id. Times in ms; -1 for ids and epochs that are not there.

    `partitions` None: a state that has none. `next_producer_epoch` belongs to KIP-939.
    """

    producer_id: int
    previous_producer_id: int = -1
    next_producer_id: int = -1
    producer_epoch: int
    next_producer_epoch: int = -1
    timeout: int
    status: int
    partitions: tuple[TransactionPartitions, ...] | None
    updated: int
    started: int
    client_version: int = 0


_KEY: Final = layout(
    "TransactionLogKey",
    0,
    (F("transactional_id", "string"),),
    cls=TransactionKey,
    flexible=False,
)
_FIELDS: Final = (
    F("producer_id", "int64"),
    F("previous_producer_id", "int64", since=1, tag=0, default=-1),
    F("next_producer_id", "int64", since=1, tag=1, default=-1),
    F("producer_epoch", "int16"),
    F("next_producer_epoch", "int16", since=1, tag=3, default=-1),
    F("timeout", "int32"),
    F("status", "int8"),
)
_TIMES: Final = (
    F("updated", "int64"),
    F("started", "int64"),
    F("client_version", "int16", since=1, tag=2, default=0),
)
_VALUES: Final = tuple(
    layout(
        "TransactionLogValue",
        version,
        (
            *_FIELDS,
            F(
                "partitions",
                "?[]",
                of=layout(
                    "PartitionsSchema",
                    version,
                    (F("topic", "string"), F("partitions", "[]int32")),
                    cls=TransactionPartitions,
                    flexible=version >= 1,
                ),
            ),
            *_TIMES,
        ),
        cls=TransactionValue,
        flexible=version >= 1,
    )
    for version in range(2)
)


def encode_transaction(
    transactional_id: str, value: TransactionValue | None, version: int
) -> tuple[bytes, bytes | None]:
    """Key and value of a transactional id's record, the value in this version; None forgets it."""
    pieces: list[Buffer] = [_INT16.pack(_KEY_TYPE)]
    writer_of(_KEY)(TransactionKey(transactional_id), pieces.append)
    key = b"".join(pieces)
    if value is None:
        return key, None
    pieces = [_INT16.pack(version)]
    writer_of(_VALUES[version])(value, pieces.append)
    return key, b"".join(pieces)


def decode_transaction(
    key: Buffer, value: Buffer | None
) -> tuple[str, TransactionValue | None] | None:
    """Read a record; None for types of keys that we do not know. Corrupt."""
    if _version_of(key, "key") != _KEY_TYPE:
        return None
    name = read_all(_KEY, key, _INT16.size)[0].transactional_id
    if value is None:
        return name, None
    version = _version_of(value, "value")
    if not 0 <= version < len(_VALUES):
        raise Corrupt(f"TransactionLogValue has version {version}; this node knows 0 and 1")
    return name, read_all(_VALUES[version], value, _INT16.size)[0]


def _version_of(data: Buffer, what: str) -> int:
    if len(data) < _INT16.size:
        raise Corrupt(f"a transaction record's {what} of {len(data)} bytes is cut short")
    return int(_INT16.unpack_from(data)[0])
