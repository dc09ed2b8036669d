"""Between the transaction machine's records and those of `__transaction_state`.

The machine may not know bytes and wire may not know the machine; here they meet. Used by
`node.transactions` when it writes and when it loads.
"""

from __future__ import annotations

from spindle.core.transactions.transaction_states import TransactionState
from spindle.core.transactions.transaction_values import (
    ProducerIdAndEpoch,
    Stored,
    TransactionRecord,
)
from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.model.ids import TopicPartition
from spindle.node.groups.group_records import KeyValue
from spindle.wire.transactions import (
    TransactionPartitions,
    TransactionValue,
    decode_transaction,
    encode_transaction,
)

FLEXIBLE_FROM = 1
"""The transaction.version from which on values are written in version 1."""


def to_bytes(record: TransactionRecord, level: int) -> KeyValue:
    """A record as it is appended at this transaction.version."""
    value = None if record.value is None else _value(record.value)
    version = 1 if level >= FLEXIBLE_FROM else 0
    return KeyValue(*encode_transaction(record.transactional_id, value, version))


def from_bytes(key: Buffer, value: Buffer | None) -> TransactionRecord | None:
    """A record as it was read; None for kinds that we do not know. Corrupt."""
    read = decode_transaction(key, value)
    if read is None:
        return None
    name, stored = read
    return TransactionRecord(name, None if stored is None else _stored(stored))


def _value(stored: Stored) -> TransactionValue:
    topics: dict[str, list[int]] = {}
    for topic, partition in stored.partitions:
        topics.setdefault(topic, []).append(partition)
    partitions = tuple(TransactionPartitions(name, tuple(p)) for name, p in topics.items())
    return TransactionValue(
        producer_id=stored.producer.producer_id,
        previous_producer_id=stored.previous_id,
        next_producer_id=stored.next_id,
        producer_epoch=stored.producer.epoch,
        timeout=stored.timeout_ms,
        status=stored.state,
        partitions=None if stored.state is TransactionState.EMPTY else partitions,
        updated=stored.updated_ms,
        started=stored.started_ms,
        client_version=stored.version,
    )


def _stored(value: TransactionValue) -> Stored:
    try:
        state = TransactionState(value.status)
    except ValueError:
        raise Corrupt(f"a transaction is in state {value.status}, which is none") from None
    return Stored(
        producer=ProducerIdAndEpoch(value.producer_id, value.producer_epoch),
        previous_id=value.previous_producer_id,
        next_id=value.next_producer_id,
        timeout_ms=value.timeout,
        state=state,
        partitions=tuple(
            TopicPartition(topic.topic, partition)
            for topic in value.partitions or ()
            for partition in topic.partitions
        ),
        updated_ms=value.updated,
        started_ms=value.started,
        version=value.client_version,
    )
