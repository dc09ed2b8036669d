"""What producers with transactional ids meet: a coordinator that moves, its log, partitions.

A deposed coordinator may go on for a while, as it has not heard of that; nothing that it writes is
committed. Markers arrive late, again, and after their coordinator is gone. Promises are held as
things happen: they fail where they are broken.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from spindle.core.replica.producer_state_manager import ProducerStateManager
from spindle.core.transactions.transaction_coordinator_shard import TransactionCoordinatorShard
from spindle.core.transactions.transaction_states import TransactionState
from spindle.core.transactions.transaction_values import (
    BUMPING,
    EPOCH_MAX,
    NO_EPOCH,
    NO_ID,
    Ending,
    ProducerIdAndEpoch,
    Stored,
    TransactionLimits,
    TransactionRecord,
)
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.model.outbox import Outbox
from spindle.node.transactions.transaction_records import from_bytes, to_bytes

if TYPE_CHECKING:
    from tests.support.random_producers import RandomProducer

LIMITS: Final = TransactionLimits(timeout_max=10_000, expiration=1_000_000)
START_MS: Final = 1_000
FINAL: Final = (Error.INVALID_PRODUCER_EPOCH, Error.TRANSACTION_COORDINATOR_FENCED)
"""What a partition says to a marker that comes from the past."""


SETTLED: Final = {
    TransactionState.EMPTY,
    TransactionState.COMPLETE_COMMIT,
    TransactionState.COMPLETE_ABORT,
}


class _Batch(NamedTuple):
    """As much of a batch as the state of its producer needs."""

    producer_id: int
    producer_epoch: int
    is_transactional: bool = True
    base_sequence: int = -1
    max_timestamp: int = 0


class _Marker(NamedTuple):
    coordinator_epoch: int


@dataclass(eq=False)
class _Question:
    """A batch that waits until the coordinator has said that its partition takes part."""

    producer: ProducerIdAndEpoch
    adds: bool
    then: Callable[[object], None]


@dataclass(eq=False)
class MarkedPartition:
    """A partition as its leader keeps it: which transactions are open, and how others ended."""

    world: TransactionWorld
    where: TopicPartition
    producers: ProducerStateManager = field(default_factory=ProducerStateManager)
    open: dict[int, tuple[int, set[str]]] = field(default_factory=dict)
    """By producer id: the epoch, and what was written."""
    asked: list[_Question] = field(default_factory=list)

    def write(
        self,
        client: RandomProducer,
        producer: ProducerIdAndEpoch,
        then: Callable[[object], None],
    ) -> None:
        """Append a batch; the coordinator is asked first where a transaction would begin."""
        label, name = client.label, client.name
        epoch, _ = self.open.get(producer.producer_id, (NO_EPOCH, None))
        shard = self.world.asked(client.rng)
        if epoch == producer.epoch:
            then(self._append(producer, label))
        elif producer.epoch < self.producers.epoch_of(producer.producer_id):
            then(Error.INVALID_PRODUCER_EPOCH)
        elif self.producers.coordinator_of(producer.producer_id) > self.world.epochs[shard]:
            then(Error.COORDINATOR_NOT_AVAILABLE)
        else:
            question = _Question(producer, client.bumps, then)
            self.asked.append(question)

            def answered(error: Error) -> None:
                if question in self.asked:
                    self.asked.remove(question)
                    then(error or self._append(producer, label))

            if client.bumps:
                shard.add(name, producer, [self.where], True, answered)
            else:
                shard.verify(name, producer, [self.where], lambda e: answered(e[self.where]))

    def _append(self, producer: ProducerIdAndEpoch, label: str) -> Error:
        id, epoch = producer
        if epoch < self.producers.epoch_of(id):
            return Error.INVALID_PRODUCER_EPOCH
        began, labels = self.open.setdefault(id, (epoch, set()))
        assert began == epoch, f"{self.where}: {label} is in the transaction of {labels}"
        labels.add(label)
        self.world.promises.on_written(label)
        self.producers.note(_Batch(id, epoch))  # type: ignore[arg-type]
        return Error.NONE

    def mark(self, ending: Ending) -> Error:
        """A marker comes; it may have come before."""
        id, epoch = ending.producer
        bumped = ending.version >= BUMPING
        error = self.producers.check_marker(
            id, epoch, ending.coordinator_epoch, bumped=bumped, is_open=id in self.open
        )
        if error:
            return error
        marker = _Marker(ending.coordinator_epoch)
        self.producers.note(_Batch(id, epoch), marker)  # type: ignore[arg-type]
        _, labels = self.open.pop(id, (NO_EPOCH, set()))
        self.world.promises.on_marked(labels, ending.committed)
        for question in [q for q in self.asked if q.producer.producer_id == id]:
            is_same = question.producer.epoch == epoch
            is_next = bumped or (question.adds and epoch < EPOCH_MAX)
            if question.producer.epoch < epoch or (is_same and not is_next):
                self.asked.remove(question)
                question.then(Error.INVALID_TXN_STATE if is_same else Error.INVALID_PRODUCER_EPOCH)
        return Error.NONE


@dataclass(eq=False)
class _Sending:
    """Markers of an ending on their way. `then` is None once its coordinator is gone."""

    shard: TransactionCoordinatorShard
    ending: Ending
    then: Callable[[Error], None] | None
    left: list[TopicPartition]


class TransactionWorld:
    """Coordinators one after the other over one log. `level`: the cluster's transaction.version."""

    def __init__(self, rng: random.Random, level: int, log: Iterable[TransactionRecord]) -> None:
        self.rng, self.level = rng, level
        self.out = Outbox(random.Random(1))
        self.out.wall_ms = START_MS
        self.log: list[TransactionRecord] = []
        self._read: dict[str, Stored] = {}
        self._short: set[str] = set()
        """Names whose last record is in the older format, which has no more than clients need."""
        self.parts = [MarkedPartition(self, TopicPartition("t", n)) for n in range(4)]
        self.held: list[tuple[list[TransactionRecord], Callable[[Error], None]]] = []
        self.sendings: dict[_Sending, None] = {}
        self.late: list[Callable[[], None]] = []
        """What will come yet: producer ids, and errors of appends."""
        self.promises = TransactionPromises()
        self.epochs: dict[TransactionCoordinatorShard, int] = {}
        """The coordinators that serve, the true one last."""
        self.peace = False
        self._ids = 100
        self._commit(log)
        self._lead(0)

    # --- coordinators ---------------------------------------------------------------------------

    @property
    def coordinator(self) -> TransactionCoordinatorShard:
        """The one whose records count."""
        return tuple(self.epochs)[-1]

    def asked(self, rng: random.Random) -> TransactionCoordinatorShard:
        """The coordinator that a client takes for the true one; mostly it is."""
        return rng.choice(tuple(self.epochs)) if rng.random() < 0.2 else self.coordinator

    def raise_level(self) -> None:
        """The cluster's transaction.version goes up; deposed coordinators do not hear of it."""
        self.coordinator.level = self.level = min(self.level + 1, BUMPING)

    def move(self) -> None:
        """Another broker leads, which has some of what was being written."""
        old, lost = self.coordinator, self.held
        self.held = []
        for records, _ in lost[: self.rng.randrange(len(lost) + 1)]:
            self._commit(records)
        self.late += [partial(then, Error.NOT_COORDINATOR) for _, then in lost]
        self._lead(self.epochs[old] + 1)
        if self.rng.random() < 0.5:
            self.close(old)

    def close(self, shard: TransactionCoordinatorShard) -> None:
        """A deposed coordinator hears of it. Markers on their way may arrive all the same."""
        del self.epochs[shard]
        shard.close()
        for sending in [s for s in self.sendings if s.shard is shard]:
            sending.then = None
            if self.rng.random() < 0.5:
                del self.sendings[sending]

    def _lead(self, epoch: int) -> None:
        def append(records: list[TransactionRecord], then: Callable[[Error], None]) -> None:
            if shard is not self.coordinator:
                self.late.append(partial(then, Error.NOT_COORDINATOR))
            elif not self.peace and self.rng.random() < 0.02:
                self.late.append(partial(then, Error.COORDINATOR_NOT_AVAILABLE))
            else:
                self.held.append((records, then))

        def send(ending: Ending, then: Callable[[Error], None]) -> None:
            if ending.partitions:
                self.sendings[_Sending(shard, ending, then, list(ending.partitions))] = None
            else:
                then(Error.NONE)

        shard = TransactionCoordinatorShard(epoch, LIMITS, self.out, append, self._new_id, send)
        shard.level = self.level
        for record in self.log:
            shard.replay(record)
        self.epochs[shard] = epoch
        shard.on_loaded()

    def _new_id(self, then: Callable[[int | Error], None]) -> None:
        self._ids += 1
        fails = not self.peace and self.rng.random() < 0.1
        told = Error.COORDINATOR_LOAD_IN_PROGRESS if fails else self._ids
        self.late.append(partial(then, told))

    # --- what is under way ----------------------------------------------------------------------

    def go_on(self) -> None:
        """Something that is under way gets on."""
        what = self.rng.random()
        if what < 0.5 and self.held:
            records, then = self.held.pop(0)
            self._commit(records)
            then(Error.NONE)
        elif what < 0.7 and self.late:
            self.late.pop(self.rng.randrange(len(self.late)))()
        elif self.sendings:
            self._mark(self.rng.choice(tuple(self.sendings)))

    def _commit(self, records: Iterable[TransactionRecord]) -> None:
        for record in records:
            read = from_bytes(*to_bytes(record, self.level))
            assert read is not None
            self.log.append(read)
            self.promises.on_stored(read)
            name = read.transactional_id
            self._read.pop(name, None)
            if read.value is not None:
                self._read[name] = read.value
            (self._short.discard if self.level else self._short.add)(name)

    def _mark(self, sending: _Sending) -> None:
        """One marker arrives. Its answer may be lost: then it comes again."""
        where = self.rng.choice(sending.left)
        error = self.parts[where.partition].mark(sending.ending)
        if error not in FINAL and not self.peace and self.rng.random() < 0.2:
            return
        sending.left.remove(where)
        if error in FINAL or not sending.left:
            del self.sendings[sending]
            if sending.then is not None:
                sending.then(error)

    def wait(self, seconds: float) -> None:
        """Time passes; transactions that are open for too long are ended."""
        self.out.now += seconds
        self.out.wall_ms += int(seconds * 1000)
        self.out.tick()
        for shard in tuple(self.epochs):
            shard.time_out()
            shard.expire()

    def settle(self) -> None:
        """All that is under way ends, and so does each transaction."""
        self.peace = True
        for shard in tuple(self.epochs)[:-1]:
            self.close(shard)
        for _ in range(6):
            while self.held or self.late or self.sendings:
                self.go_on()
            self.wait(3.0)
        self.check()
        states = {txn.state for txn in self.coordinator.transactions.values()}
        assert states <= SETTLED, f"in {states} for ever"
        for part in self.parts:
            assert not part.open, f"{part.where} waits for ever for the end of {part.open}"
            assert not part.asked
        self.promises.check_ends()

    def check(self) -> None:
        """What a coordinator knows is what another one would read."""
        busy = {record.transactional_id for records, _ in self.held for record in records}
        for name, txn in self.coordinator.transactions.items():
            if name in busy or txn.fence_failed or txn.stored.producer.epoch == NO_EPOCH:
                continue
            known = txn.stored
            if name in self._short:
                known = replace(known, previous_id=NO_ID, next_id=NO_ID, version=0)
            assert known == self._read[name]


class TransactionPromises:
    """What was promised, held against what happens."""

    def __init__(self) -> None:
        self.begun: dict[str, str] = {}
        """The name in which each transaction was begun."""
        self._told: dict[str, bool] = {}
        """Those whose end was answered: whether they are committed."""
        self._written: set[str] = set()
        self._ended: dict[str, bool] = {}
        """Those of which a partition has a marker."""
        self._over: set[str] = set()
        """Those that can be committed no more."""
        self._stored: dict[str, ProducerIdAndEpoch] = {}
        self._used: set[int] = set()

    def on_stored(self, record: TransactionRecord) -> None:
        """A state counts: epochs only grow, and an id that was left does not come back."""
        name, value = record.transactional_id, record.value
        before = self._stored.pop(name, None)
        if value is None:
            return
        now = self._stored[name] = value.producer
        if before is not None and before.producer_id == now.producer_id:
            assert now.epoch >= before.epoch, f"{name} goes back from {before} to {now}"
        else:
            assert before is None or before.is_exhausted, f"{name} goes from {before} to {now}"
            assert now.producer_id not in self._used
            self._used.add(now.producer_id)

    def on_written(self, label: str) -> None:
        """A partition has a record of a transaction."""
        self._written.add(label)

    def on_newest(self, name: str, producer: ProducerIdAndEpoch) -> None:
        """A producer begins: what others have begun in its name is over, if it is the last one."""
        if self._stored.get(name) == producer:
            self._over |= {
                label
                for label, begun in self.begun.items()
                if begun == name and not self._ended.get(label)
            }

    def is_over(self, label: str) -> bool:
        """Whether another producer has begun since, and the transaction had not been committed."""
        return label in self._over

    def on_answered(self, label: str, committed: bool) -> None:
        """A producer hears that its transaction has ended so."""
        self._told[label] = committed
        self._agree(label)

    def on_marked(self, labels: set[str], committed: bool) -> None:
        """A partition has a marker for these."""
        for label in labels:
            assert not (committed and label in self._over), f"{label}: a zombie's is committed"
            both = self._ended.setdefault(label, committed) != committed
            assert not both, f"{label} is committed in one partition, aborted in another"
            self._agree(label)

    def _agree(self, label: str) -> None:
        told = self._told.get(label)
        assert told in (None, self._ended.get(label, told)), f"{label}: not {told}, as was said"

    def check_ends(self) -> None:
        """Each transaction with records has ended."""
        assert self._written == self._ended.keys()
