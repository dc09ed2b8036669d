"""The coordinator of the transactional ids of one partition of `__transaction_state` (KIP-98).

Gives producers their ids and epochs, knows which partitions take part in which transaction, and
decides how it ends: the decision counts once it is committed to the partition, and only then do
the markers go out (`send`). Rebuilt by replaying the partition; transactions that were decided and
not completed get their markers again. `node.transactions` makes one for each partition this broker
leads and closes it when another broker leads. It never knows bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Final, TypeAlias

from spindle.core.transactions.completing import Completing, Send
from spindle.core.transactions.descriptions import Append, TransactionDescriptions
from spindle.core.transactions.transaction import Transaction
from spindle.core.transactions.transaction_states import (
    TABLE,
    TransactionInput,
    TransactionState,
    TransactionStep,
)
from spindle.core.transactions.transaction_values import (
    BUMPING,
    NO_EPOCH,
    NO_ID,
    ProducerIdAndEpoch,
    Stored,
    TransactionLimits,
    TransactionRecord,
)
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.model.outbox import Outbox

NewId: TypeAlias = Callable[[Callable[[int | Error], None]], None]
"""Ask for a producer id that is not in use."""
Given: TypeAlias = Callable[[ProducerIdAndEpoch | Error], None]
"""The caller gets the producer to go on with, or the error."""

TOMBSTONES_MAX: Final = 1_000
"""Ids that are forgotten in one batch."""


class TransactionCoordinatorShard:
    """The transactional ids of one partition. Before `on_loaded` it only replays."""

    def __init__(
        self,
        epoch: int,
        limits: TransactionLimits,
        out: Outbox,
        append: Append,
        new_id: NewId,
        send: Send,
    ) -> None:
        self.transactions: dict[str, Transaction] = {}
        self.level = 0
        """The cluster's transaction.version; its owner keeps it up to date."""
        self._limits = limits
        self._out = out
        self._append = append
        self._new_id = new_id
        self._tell = TransactionDescriptions(self.transactions, append).tell
        self._completing = Completing(epoch, out, send, self._store)
        self._closed = False

    # --- loading --------------------------------------------------------------------------------

    def replay(self, record: TransactionRecord) -> None:
        """Take in one record of the partition, in order."""
        if record.value is None:
            self.transactions.pop(record.transactional_id, None)
        else:
            self.transactions[record.transactional_id] = Transaction(
                record.transactional_id, record.value
            )

    def on_loaded(self) -> None:
        """All is replayed: what was decided and not completed goes on."""
        for txn in self.transactions.values():
            if TABLE[txn.state, TransactionInput.MARKED] is TransactionStep.COMPLETE:
                self._completing.mark(txn)

    def close(self) -> None:
        """Another broker leads now."""
        self._closed = True
        self._completing.close()
        self.transactions.clear()

    # --- producers ------------------------------------------------------------------------------

    def init(
        self,
        transactional_id: str,
        timeout_ms: int,
        expected: ProducerIdAndEpoch | None,
        then: Given,
    ) -> None:
        """A producer begins (KIP-98), or goes on after an error as `expected` (KIP-360).

        A transaction that is open is aborted first; the client has to ask again.
        """
        if not transactional_id:
            raise Refusal(Error.INVALID_REQUEST, "an empty transactional id")
        if not 0 < timeout_ms <= self._limits.timeout_max:
            raise Refusal(
                Error.INVALID_TRANSACTION_TIMEOUT,
                f"a timeout of {timeout_ms} ms; transaction.max.timeout.ms is "
                f"{self._limits.timeout_max}",
            )
        txn = self.transactions.get(transactional_id)
        if txn is None:
            self._new_id(lambda id: self._begin(transactional_id, timeout_ms, expected, id, then))
        else:
            self._init(txn, timeout_ms, expected, then)

    def _begin(
        self,
        transactional_id: str,
        timeout_ms: int,
        expected: ProducerIdAndEpoch | None,
        producer_id: int | Error,
        then: Given,
    ) -> None:
        if self._closed:
            then(Error.NOT_COORDINATOR)
            return
        if isinstance(producer_id, Error):
            then(producer_id)
            return
        txn = self.transactions.get(transactional_id)
        if txn is None:  # Two that began at once share one.
            stored = Stored(
                producer=ProducerIdAndEpoch(producer_id, NO_EPOCH),
                timeout_ms=timeout_ms,
                updated_ms=self._out.wall_ms,
            )
            txn = self.transactions[transactional_id] = Transaction(transactional_id, stored)
        self._init(txn, timeout_ms, expected, then)

    def _init(
        self, txn: Transaction, timeout_ms: int, expected: ProducerIdAndEpoch | None, then: Given
    ) -> None:
        error = txn.check_expected(expected)
        step = error or txn.step(TransactionInput.INIT)
        if isinstance(step, Error):
            self._tell(txn.transactional_id, expected, step, then)
        elif step is TransactionStep.FENCE:
            self._fence(txn, lambda error: then(error or Error.CONCURRENT_TRANSACTIONS))
        elif txn.must_rotate(expected):
            txn.pending = TransactionState.EMPTY
            self._new_id(lambda id: self._rotate(txn, timeout_ms, expected, id, then))
        else:
            producer, last = txn.next_epoch(expected)
            self._store_empty(txn, timeout_ms, producer, last, then)

    def _rotate(
        self,
        txn: Transaction,
        timeout_ms: int,
        expected: ProducerIdAndEpoch | None,
        producer_id: int | Error,
        then: Given,
    ) -> None:
        txn.pending = None
        if self._closed or isinstance(producer_id, Error):
            then(Error.NOT_COORDINATOR if self._closed else Error.COORDINATOR_LOAD_IN_PROGRESS)
            return
        last = txn.stored.producer.epoch if expected is not None else NO_EPOCH
        self._store_empty(txn, timeout_ms, ProducerIdAndEpoch(producer_id, 0), last, then)

    def _store_empty(
        self,
        txn: Transaction,
        timeout_ms: int,
        producer: ProducerIdAndEpoch,
        last: int,
        then: Given,
    ) -> None:
        stored = replace(
            txn.stored,
            producer=producer,
            previous_id=txn.stored.producer.producer_id,
            next_id=NO_ID,
            timeout_ms=timeout_ms,
            state=TransactionState.EMPTY,
            partitions=(),
            started_ms=-1,
            updated_ms=self._out.wall_ms,
        )

        def done(error: Error) -> None:
            if not error:
                txn.last_epoch = last
            then(error or producer)

        self._store(txn, stored, done)

    # --- partitions -----------------------------------------------------------------------------

    def add(
        self,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        partitions: Iterable[TopicPartition],
        bumps: bool,
        then: Callable[[Error], None],
    ) -> None:
        """Partitions take part from now on; the first of them begins the transaction.

        `bumps`: the client takes a new epoch after each transaction (KIP-890).
        """
        # First of all whether anything is under way: a producer may know its next id already.
        known = self.transactions.get(transactional_id)
        step = None if known is None else known.step(TransactionInput.ADD)
        refused = step if isinstance(step, Error) else self._check(transactional_id, producer)
        if known is None or refused:
            self._tell(transactional_id, producer, refused, then)
            return
        stored = known.stored
        added = [p for p in dict.fromkeys(partitions) if p not in known.taking_part]
        ongoing = stored.state is TransactionState.ONGOING
        if ongoing and not added:
            if bumps and stored.version >= BUMPING and not known.fence_failed:
                # Leaders ask so. Another coordinator that has ended it took the next epoch for the
                # marker, so the partition refuses this one from then on.
                then(Error.NONE)
            else:
                self._tell(transactional_id, producer, Error.NONE, then)
            return
        now_ms = self._out.wall_ms
        changed = replace(
            stored,
            previous_id=stored.producer.producer_id,
            state=TransactionState.ONGOING,
            partitions=(*stored.partitions, *added),
            started_ms=stored.started_ms if ongoing else now_ms,
            updated_ms=now_ms,
            version=BUMPING if bumps else 0,
        )
        self._store(known, changed, then)

    def verify(
        self,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        partitions: Collection[TopicPartition],
        then: Callable[[dict[TopicPartition, Error]], None],
    ) -> None:
        """Whether partitions take part (KIP-890), asked by their leader; or why it may not know.

        A yes comes from memory: leaders ask once a transaction, while its producer waits. Another
        broker may coordinate by now and have ended the transaction. The yes does no harm then. The
        partition took part when that broker began, so it gets that one's marker. What its leader
        takes before the marker ends with it. Once the marker is there, which has that coordinator's
        epoch, the leader drops the answers that it waits for, and does not ask a coordinator of a
        lower epoch again (`node.transactions.enlisting`). Only a broker that coordinates for the
        second time, and has learned of neither change, could still mislead that leader. A fence
        that could not be written has taken an epoch that another coordinator may give for the next
        transaction: of that one a yes must be certain, here and in `add`.
        """
        refused = self._check(transactional_id, producer)
        txn = self.transactions.get(transactional_id)
        if not refused and txn is not None:
            step = TABLE[txn.state, TransactionInput.VERIFY]
            refused = step if isinstance(step, Error) else Error.NONE
        taking_part = frozenset() if txn is None else txn.taking_part
        told = {
            p: refused or (Error.NONE if p in taking_part else Error.TRANSACTION_ABORTABLE)
            for p in partitions
        }
        if not any(told.values()) and (txn is None or not txn.fence_failed):
            then(told)
            return
        self._tell(
            transactional_id,
            producer,
            refused,
            lambda error: then(dict.fromkeys(partitions, error) if error else told),
        )

    def _check(self, transactional_id: str, producer: ProducerIdAndEpoch) -> Error:
        """Why this is not the producer of an id and its epoch, as far as is known here."""
        if not transactional_id:
            raise Refusal(Error.INVALID_REQUEST, "an empty transactional id")
        txn = self.transactions.get(transactional_id)
        if txn is None or txn.stored.producer.producer_id != producer.producer_id:
            return Error.INVALID_PRODUCER_ID_MAPPING
        if txn.stored.producer.epoch != producer.epoch:
            return txn.not_ours(producer.epoch)
        return Error.NONE

    # --- the end --------------------------------------------------------------------------------

    def end(
        self,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        commit: bool,
        bumps: bool,
        then: Given,
    ) -> None:
        """Commit or abort; answered as soon as the decision stands, with what to go on with.

        `bumps`: the client takes a new epoch after each transaction (KIP-890).
        """
        if not transactional_id:
            raise Refusal(Error.INVALID_REQUEST, "an empty transactional id")
        txn = self.transactions.get(transactional_id)
        if txn is None:
            self._tell(transactional_id, producer, Error.INVALID_PRODUCER_ID_MAPPING, then)
            return
        what = txn.ending(producer, commit, bumps)
        step = what if isinstance(what, Error) else txn.step(what)
        if isinstance(step, Error):
            self._tell(transactional_id, producer, step, then)
        elif step is TransactionStep.ACCEPT:
            self._tell(transactional_id, producer, txn.stored.producer, then)
        elif bumps and producer.is_exhausted:
            txn.pending = (
                TransactionState.PREPARE_COMMIT if commit else TransactionState.PREPARE_ABORT
            )
            self._new_id(lambda id: self._end_and_rotate(txn, commit, id, then))
        else:
            self._decide(txn, commit, bumps, NO_ID, then)

    def _end_and_rotate(
        self, txn: Transaction, commit: bool, next_id: int | Error, then: Given
    ) -> None:
        txn.pending = None
        if self._closed or isinstance(next_id, Error):
            then(Error.NOT_COORDINATOR if self._closed else Error.COORDINATOR_LOAD_IN_PROGRESS)
        else:
            self._decide(txn, commit, True, next_id, then)

    def _decide(
        self, txn: Transaction, commit: bool, bumps: bool, next_id: int, then: Given
    ) -> None:
        stored, last = txn.stored, txn.last_epoch
        producer = stored.producer
        if bumps:
            producer, last = producer._replace(epoch=producer.epoch + 1), producer.epoch
        now_ms = self._out.wall_ms
        decided = replace(
            stored,
            producer=producer,
            previous_id=stored.producer.producer_id,
            next_id=next_id,
            state=TransactionState.PREPARE_COMMIT if commit else TransactionState.PREPARE_ABORT,
            started_ms=stored.started_ms if stored.state is TransactionState.ONGOING else now_ms,
            updated_ms=now_ms,
            version=BUMPING if bumps else 0,
        )

        def done(error: Error) -> None:
            if error:
                then(error)
                return
            txn.last_epoch = last
            # From here on the outcome is certain; the markers may take their time.
            then(ProducerIdAndEpoch(next_id, 0) if next_id != NO_ID else producer)
            self._completing.mark(txn)

        self._store(txn, decided, done)

    def _fence(self, txn: Transaction, then: Callable[[Error], None]) -> None:
        """Abort without the producer, in an epoch that it does not have."""
        stored = txn.stored
        epoch = stored.producer.epoch
        if not txn.fence_failed and epoch < (1 << 15) - 1:
            epoch += 1
        producer = stored.producer._replace(epoch=epoch)
        # A producer may end its transaction by asking for an epoch: when it asks again, it goes on.
        goes_on = self.level >= BUMPING and epoch > stored.producer.epoch
        last = stored.producer.epoch if goes_on and not producer.is_exhausted else NO_EPOCH
        decided = replace(
            stored,
            producer=producer,
            previous_id=producer.producer_id,
            state=TransactionState.PREPARE_ABORT,
            updated_ms=self._out.wall_ms,
            version=BUMPING if self.level >= BUMPING else 0,
        )

        def done(error: Error) -> None:
            if error:
                # The epoch is unknown elsewhere: the next attempt takes the same.
                txn.fence_failed = True
                txn.stored = replace(stored, producer=producer)
            else:
                txn.last_epoch = last
                self._completing.mark(txn)
            then(error)

        self._store(txn, decided, done, TransactionState.PREPARE_EPOCH_FENCE)

    # --- time -----------------------------------------------------------------------------------

    def time_out(self) -> None:
        """Abort the transactions that have been open for longer than their timeout."""
        now_ms = self._out.wall_ms
        for txn in self.transactions.values():
            late = now_ms - txn.stored.started_ms > txn.stored.timeout_ms
            if (
                late
                and txn.pending is None
                and txn.step(TransactionInput.TIMEOUT) is TransactionStep.FENCE
            ):
                self._out.say(
                    "info", "transaction timed out", transactional_id=txn.transactional_id
                )
                self._fence(txn, lambda error: None)

    def expire(self) -> None:
        """Forget ids that were unused for long."""
        oldest = self._out.wall_ms - self._limits.expiration
        gone = [
            txn
            for txn in self.transactions.values()
            if txn.stored.updated_ms <= oldest
            and txn.pending is None
            and txn.step(TransactionInput.EXPIRE) is TransactionStep.BURY
        ][:TOMBSTONES_MAX]
        if not gone:
            return
        for txn in gone:
            txn.pending = TransactionState.DEAD

        def done(error: Error) -> None:
            for txn in gone:
                txn.pending = None
                if not error:
                    self.transactions.pop(txn.transactional_id, None)
            if not error and len(gone) == TOMBSTONES_MAX:
                self._out.after(0.0, self.expire)  # There may be more.

        self._append([TransactionRecord(txn.transactional_id, None) for txn in gone], done)

    # --- records --------------------------------------------------------------------------------

    def _store(
        self,
        txn: Transaction,
        stored: Stored,
        then: Callable[[Error], None],
        pending: TransactionState | None = None,
    ) -> None:
        """Append a new state; it is the state once that is committed."""
        assert txn.pending is None, f"{txn.transactional_id}: two changes at once"
        txn.pending = stored.state if pending is None else pending

        def done(error: Error) -> None:
            txn.pending = None
            if not error:
                txn.take(stored)
            then(error)

        self._append([TransactionRecord(txn.transactional_id, stored)], done)
