"""A transaction coordinator by hand: its log, producer ids and markers are the test's."""

from __future__ import annotations

import random
from collections.abc import Callable

from spindle.core.transactions.transaction_coordinator_shard import TransactionCoordinatorShard
from spindle.core.transactions.transaction_states import TransactionState
from spindle.core.transactions.transaction_values import (
    Ending,
    ProducerIdAndEpoch,
    TransactionLimits,
    TransactionRecord,
)
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.model.outbox import Outbox

A, B = TopicPartition("t", 0), TopicPartition("t", 1)


class World:
    """A coordinator whose log, ids and markers are the test's."""

    def __init__(self) -> None:
        self.out = Outbox(random.Random(1))
        self.out.wall_ms = 1_000
        self.log: list[TransactionRecord] = []
        self.error = Error.NONE
        self.held: list[Callable[[], None]] | None = None
        self.endings: list[tuple[Ending, Callable[[Error], None]]] = []
        self.ids = iter(range(100, 200))
        self.asked: list[Callable[[int | Error], None]] | None = None
        """Those that wait for an id; None: each gets one at once."""
        self.coordinator = self.new()

    def new(self) -> TransactionCoordinatorShard:
        return TransactionCoordinatorShard(
            3,
            TransactionLimits(timeout_max=10_000, expiration=5_000),
            self.out,
            self.append,
            self.new_id,
            lambda ending, then: self.endings.append((ending, then)),
        )

    def new_id(self, then: Callable[[int | Error], None]) -> None:
        if self.asked is None:
            then(next(self.ids))
        else:
            self.asked.append(then)

    def append(self, records: list[TransactionRecord], then: Callable[[Error], None]) -> None:
        def done() -> None:
            if not self.error:
                self.log.extend(records)
            then(self.error)

        if self.held is None:
            done()
        else:
            self.held.append(done)

    def init(
        self, expected: ProducerIdAndEpoch | None = None, timeout: int = 1_000
    ) -> ProducerIdAndEpoch | Error:
        told: list[ProducerIdAndEpoch | Error] = []
        self.coordinator.init("x", timeout, expected, told.append)
        return told[0]

    def begin(self) -> ProducerIdAndEpoch:
        made = self.init()
        assert isinstance(made, ProducerIdAndEpoch)
        return made

    def add(
        self, producer: ProducerIdAndEpoch, *partitions: TopicPartition, bumps: bool = False
    ) -> Error:
        told: list[Error] = []
        try:
            self.coordinator.add("x", producer, partitions, bumps, told.append)
        except Refusal as refusal:
            return refusal.error
        return told[0]

    def verify(
        self, producer: ProducerIdAndEpoch, *partitions: TopicPartition
    ) -> dict[TopicPartition, Error]:
        told: list[dict[TopicPartition, Error]] = []
        self.coordinator.verify("x", producer, partitions, told.append)
        return told[0]

    def end(self, producer: ProducerIdAndEpoch, commit: bool = True, bumps: bool = False) -> object:
        told: list[ProducerIdAndEpoch | Error] = []
        self.coordinator.end("x", producer, commit, bumps, told.append)
        return told[0]

    def mark(self, error: Error = Error.NONE) -> Ending:
        ending, then = self.endings.pop(0)
        then(error)
        return ending

    def reload(self) -> None:
        self.coordinator.close()
        self.coordinator = self.new()
        for record in self.log:
            self.coordinator.replay(record)
        self.coordinator.on_loaded()

    @property
    def state(self) -> TransactionState:
        return self.coordinator.transactions["x"].state
