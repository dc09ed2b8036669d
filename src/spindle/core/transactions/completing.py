"""What follows a decision: markers in all partitions, then the state that says it is complete.

Belongs to `core.transactions.transaction_coordinator_shard`, which decides and writes. A marker
that another broker's coordinator refuses to be ours leaves the decision to that one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

from spindle.core.transactions.transaction import Transaction
from spindle.core.transactions.transaction_states import (
    TransactionInput,
    TransactionState,
    TransactionStep,
)
from spindle.core.transactions.transaction_values import NO_ID, Ending, ProducerIdAndEpoch, Stored
from spindle.model.errors import Error
from spindle.model.outbox import Outbox

Send: TypeAlias = Callable[[Ending, Callable[[Error], None]], None]
"""Have all partitions of an ending marked, however long it takes; an error: it is not ours."""
Store: TypeAlias = Callable[[Transaction, Stored, Callable[[Error], None]], None]
"""Write a transactional id's new state; the continuation runs once that is committed, or not."""

COMPLETE_RETRY: Final = 0.5
"""Seconds before the completion of a marked transaction is written again."""


class Completing:
    """The decided transactions of one coordinator. `epoch`: the coordinator's."""

    def __init__(self, epoch: int, out: Outbox, send: Send, store: Store) -> None:
        self._epoch = epoch
        self._out = out
        self._send = send
        self._store = store
        self._closed = False

    def close(self) -> None:
        """Another broker leads now: the rest is for its coordinator, which reads the decisions."""
        self._closed = True

    def mark(self, txn: Transaction) -> None:
        """A decision was committed: send its markers, and complete it once all are written."""
        if self._closed:
            return
        stored = txn.stored
        ending = Ending(
            transactional_id=txn.transactional_id,
            producer=stored.producer,
            committed=stored.state is TransactionState.PREPARE_COMMIT,
            coordinator_epoch=self._epoch,
            partitions=stored.partitions,
            version=stored.version,
        )
        self._send(ending, lambda error: self._on_marked(txn, stored, error))

    def _on_marked(self, txn: Transaction, decided: Stored, error: Error) -> None:
        if self._closed or txn.stored is not decided:
            return
        if error:
            # A younger coordinator has been there: we will learn of it, too.
            self._out.say(
                "warning",
                "transaction markers refused",
                transactional_id=txn.transactional_id,
                error=error.name,
            )
            return
        self._complete(txn)

    def _complete(self, txn: Transaction) -> None:
        if self._closed:
            return
        if (
            txn.pending is not None
            or txn.step(TransactionInput.MARKED) is not TransactionStep.COMPLETE
        ):
            self._out.after(COMPLETE_RETRY, lambda: self._complete(txn))
            return
        stored = txn.stored
        committed = stored.state is TransactionState.PREPARE_COMMIT
        producer = stored.producer
        if stored.next_id != NO_ID:
            producer = ProducerIdAndEpoch(stored.next_id, 0)
        completed = replace(
            stored,
            producer=producer,
            previous_id=stored.producer.producer_id,
            next_id=NO_ID,
            state=TransactionState.COMPLETE_COMMIT
            if committed
            else TransactionState.COMPLETE_ABORT,
            partitions=(),
            updated_ms=self._out.wall_ms,
        )

        def done(error: Error) -> None:
            if error:
                self._out.after(COMPLETE_RETRY, lambda: self._complete(txn))

        self._store(txn, completed, done)
