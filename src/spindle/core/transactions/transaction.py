"""One transactional id: its stored state, what is being written of it, and its producer.

Pure bookkeeping for `core.transactions.transaction_coordinator_shard`: epochs (KIP-98, KIP-360,
KIP-890) and the question which input a request is, given them.
"""

from __future__ import annotations

from typing import Final

from spindle.core.transactions.transaction_states import (
    TABLE,
    TransactionInput,
    TransactionState,
    TransactionStep,
)
from spindle.core.transactions.transaction_values import (
    BUMPING,
    EPOCH_MAX,
    NO_EPOCH,
    NO_ID,
    ProducerIdAndEpoch,
    Stored,
)
from spindle.model.errors import Error

_DECIDED: Final = (TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT)


class Transaction:
    """A transactional id. `pending`: the state that is being written; nothing else may be begun."""

    __slots__ = (
        "fence_failed",
        "last_epoch",
        "pending",
        "stored",
        "taking_part",
        "transactional_id",
    )

    def __init__(self, transactional_id: str, stored: Stored) -> None:
        self.transactional_id = transactional_id
        self.stored = stored
        self.taking_part = frozenset(stored.partitions)
        self.pending: TransactionState | None = None
        self.last_epoch = NO_EPOCH
        """The epoch before this one, if its owner may not have heard of the change."""
        self.fence_failed = False
        """A fencing epoch could not be written; the next attempt takes the same."""

    @property
    def state(self) -> TransactionState:
        """Its state: the pending state names the one to come."""
        if self.pending in (TransactionState.DEAD, TransactionState.PREPARE_EPOCH_FENCE):
            return self.pending
        return self.stored.state

    def take(self, stored: Stored) -> None:
        """A new state was committed."""
        self.stored = stored
        self.taking_part = frozenset(stored.partitions)
        if stored.state in (TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT):
            self.fence_failed = False

    def step(self, what: TransactionInput) -> TransactionStep | Error:
        """What an input means now; CONCURRENT_TRANSACTIONS while something is being written."""
        if self.pending is not None:
            return Error.CONCURRENT_TRANSACTIONS
        return TABLE[self.state, what]

    # --- epochs -----------------------------------------------------------------------------

    def check_expected(self, expected: ProducerIdAndEpoch | None) -> Error:
        """May a producer that believes to be `expected` go on under this id?"""
        under_way = self.pending is not None or self.stored.state in _DECIDED
        if expected is None or under_way:
            return Error.NONE
        own = self.stored.producer
        if own.epoch == NO_EPOCH or expected.producer_id == own.producer_id:
            rotated = False
        elif expected.producer_id == self.stored.previous_id and expected.is_exhausted:
            rotated = True  # It may not have heard of its new id.
        else:
            return Error.PRODUCER_FENCED
        if own.epoch == NO_EPOCH or expected.epoch in (own.epoch, self.last_epoch):
            return Error.NONE
        # A newcomer leaves no last epoch: to the producer before it the newcomer's id is not given.
        return Error.PRODUCER_FENCED if rotated else self.not_ours(expected.epoch)

    def not_ours(self, epoch: int) -> Error:
        """Why a producer with our id is refused whose epoch is another than ours.

        Epochs only grow, and only the coordinator gives them: one above ours was given by the next
        coordinator, of which this broker has not learned yet. Apache Kafka's coordinator answers
        PRODUCER_FENCED to any other epoch, and with that the youngest producer is fenced for good
        by a broker that is behind. Ours sends it on, and the true coordinator decides.
        """
        if epoch > self.stored.producer.epoch:
            return Error.NOT_COORDINATOR
        return Error.PRODUCER_FENCED

    def has_left(self, producer: ProducerIdAndEpoch | None) -> bool:
        """Whether a producer speaks in an epoch that is over, whichever broker coordinates.

        Not before the epoch above it is committed: a fence that could not be written has given one
        that the next coordinator does not know.
        """
        own = self.stored.producer
        return (
            producer is not None
            and producer.producer_id == own.producer_id
            and producer.epoch < own.epoch
            and not self.fence_failed
        )

    def must_rotate(self, expected: ProducerIdAndEpoch | None) -> bool:
        """Whether the next epoch is one of a new producer id."""
        own = self.stored.producer
        return own.is_exhausted and (expected is None or expected.epoch == own.epoch)

    def next_epoch(self, expected: ProducerIdAndEpoch | None) -> tuple[ProducerIdAndEpoch, int]:
        """The producer to go on with and the epoch before it; after `check_expected`."""
        own = self.stored.producer
        if expected is None:
            return own._replace(epoch=own.epoch + 1), NO_EPOCH
        if own.epoch in (NO_EPOCH, expected.epoch):
            return own._replace(epoch=own.epoch + 1), own.epoch
        # It asks again for what it was given.
        return own, self.last_epoch

    # --- ends ---------------------------------------------------------------------------------

    def ending(
        self, producer: ProducerIdAndEpoch, commit: bool, bumps: bool
    ) -> TransactionInput | Error:
        """Which input an EndTxn of this producer is, or why it is none."""
        own = self.stored.producer
        if self.stored.state in _DECIDED and producer == ProducerIdAndEpoch(self.stored.next_id, 0):
            return Error.CONCURRENT_TRANSACTIONS  # It knows its next id already.
        bumped = self.stored.version >= BUMPING
        overflown = (
            bumps
            and bumped
            and producer.producer_id == self.stored.previous_id
            and producer.epoch == EPOCH_MAX - 1
            and own.epoch == 0
        )
        if producer.producer_id != own.producer_id and not overflown:
            return Error.INVALID_PRODUCER_ID_MAPPING
        if producer.epoch == own.epoch and not overflown:
            if bumps:
                return TransactionInput.COMMIT_BUMPING if commit else TransactionInput.ABORT_BUMPING
            return TransactionInput.COMMIT if commit else TransactionInput.ABORT
        # A fence takes the very last epoch: no producer goes on with that.
        used_up = own.epoch == EPOCH_MAX and self.stored.next_id == NO_ID
        if bumps and bumped and (overflown or producer.epoch + 1 == own.epoch) and not used_up:
            return TransactionInput.COMMIT_REPEATED if commit else TransactionInput.ABORT_REPEATED
        return self.not_ours(producer.epoch)
