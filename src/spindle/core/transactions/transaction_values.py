"""What goes in and out of the transaction coordinator: requests, answers, stored states, endings.

Times are ms. Knows no wire format; handlers translate requests into these, the node translates the
records to and from the bytes of `__transaction_state`, and endings into WriteTxnMarkers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from spindle.core.transactions.transaction_states import TransactionState
from spindle.model.ids import TopicPartition

NO_ID: Final = -1
NO_EPOCH: Final = -1
EPOCH_MAX: Final = (1 << 15) - 1
BUMPING: Final = 2
"""The transaction.version from which on each transaction ends in an epoch of its own."""


class ProducerIdAndEpoch(NamedTuple):
    """A producer id and its epoch: what a producer may write with."""

    producer_id: int
    epoch: int

    @property
    def is_exhausted(self) -> bool:
        """Whether no producer may get a higher epoch: the very last is left for fencing."""
        return self.epoch >= EPOCH_MAX - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """The state of a transactional id as it is stored. `started_ms` -1: no transaction yet.

    `previous_id`: the producer id before this record; `next_id`: the one that the next transaction
    gets, where the epochs of this one are used up; `version`: the transaction.version that the
    client spoke.
    """

    producer: ProducerIdAndEpoch
    previous_id: int = NO_ID
    next_id: int = NO_ID
    timeout_ms: int
    state: TransactionState = TransactionState.EMPTY
    partitions: tuple[TopicPartition, ...] = ()
    updated_ms: int
    started_ms: int = -1
    version: int = 0


@dataclass(frozen=True, slots=True)
class TransactionRecord:
    """A record of `__transaction_state`; value None forgets the id."""

    transactional_id: str
    value: Stored | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """A decided transaction whose partitions are to get their markers."""

    transactional_id: str
    producer: ProducerIdAndEpoch
    committed: bool
    coordinator_epoch: int
    partitions: tuple[TopicPartition, ...]
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionLimits:
    """Settings that the coordinator obeys (ms)."""

    timeout_max: int = 900_000
    expiration: int = 7 * 24 * 3600 * 1000
