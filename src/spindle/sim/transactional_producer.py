"""A client that writes in transactions to several partitions at once, commits most, aborts some.

Two of one transactional id fence each other, again and again: each goes on as a zombie until it
learns of it. Part of the workload.
"""

from __future__ import annotations

from dataclasses import dataclass

from spindle.model.errors import Error
from spindle.model.ids import NodeId, PartitionId
from spindle.model.outbox import Rng
from spindle.sim.script import Steps
from spindle.sim.told_history import History
from spindle.sim.transaction_history import Attempt
from spindle.sim.transactor import PLAIN, Transactor, TransactorManner


@dataclass(frozen=True, slots=True)
class Habits:
    """How it works. `delay`: s before its first; `pause`: mean s between transactions."""

    transactional_id: str
    manner: TransactorManner = PLAIN
    delay: float = 0.0
    pause: float = 0.4
    partitions_max: int = 3
    aborts: float = 0.25
    """The share of its transactions that it aborts."""
    dawdles: float = 0.05
    """The share that it lets wait for longer than the timeout."""


class TransactionalProducer(Transactor):
    """Writes to partitions of all topics that it sees."""

    def __init__(
        self,
        name: str,
        rng: Rng,
        brokers: dict[NodeId, tuple[str, int]],
        history: History,
        habits: Habits,
    ) -> None:
        super().__init__(name, rng, brokers, history, habits.transactional_id, habits.manner)
        self._habits = habits
        self._made = 0

    def begin(self) -> None:
        """Look for topics, then work."""
        self.refresh_often()
        self.run(self._work())

    def _work(self) -> Steps[None]:
        yield self.pausing(self._habits.delay)
        yield from self.identify()
        while not self.draining:
            targets = self.targets()
            if not targets:
                yield self.retrying()
                continue
            yield from self._transaction(targets)
            yield self.pausing(self.between(0.0, 2.0) * self._habits.pause)
        yield from self.identify()
        self.finished = True

    def _transaction(self, targets: list[PartitionId]) -> Steps[None]:
        attempt = self.open_transaction()
        count = 1 + self.out.rng.randrange(min(len(targets), self._habits.partitions_max))
        ids = [targets.pop(self.out.rng.randrange(len(targets))) for _ in range(count)]
        errors: list[Error] = yield self.together([self._fill(attempt, id) for id in ids])
        error = next((e for e in errors if e), Error.NONE)
        if self.out.rng.random() < self._habits.dawdles:
            yield self.pausing(self.between(0.5, 2.0) * self._habits.manner.timeout)
        yield from self.finish(attempt, self.out.rng.random() >= self._habits.aborts, error)

    def _fill(self, attempt: Attempt, id: PartitionId) -> Steps[Error]:
        """Some batches for one partition, in order."""
        count = 1 + self.out.rng.randrange(3 if self._habits.manner.flight == 1 else 9)
        sizes = [1 + self.out.rng.randrange(3) for _ in range(count)]
        return self.write(attempt, id, [[self._value(id) for _ in range(n)] for n in sizes])

    def _value(self, id: PartitionId) -> bytes:
        self._made += 1
        return f"{self.name}/{id}/{self._made}/{'y' * self.out.rng.randrange(40)}".encode()
