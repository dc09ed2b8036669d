"""What producers did in transactions and what became of it, for the checks (spec C-01, C-08).

Finds for itself what contradicts a promise at once: a read of committed records that shows a
transaction that no producer committed, and an older producer that commits after a younger one
had its epoch. The rest is compared with the logs in the end (`transaction_checks`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from spindle.model.ids import PartitionId
from spindle.sim.violation import Violation

OUTPUT: Final = b"out/"
"""What the values of records begin with that are made of others; they are not read again."""


class Fate(Enum):
    """What a producer knows of its transaction."""

    OPEN = "open"
    ABORTED = "aborted"
    """No producer has asked, or will ask, for its commit."""
    ASKED = "asked to commit"
    """The answer may never come: all or nothing."""
    COMMITTED = "committed"


@dataclass(frozen=True, slots=True)
class ConsumedRecord:
    """A record that a group has read and made another one of."""

    group: str
    id: PartitionId
    offset: int


@dataclass(slots=True, eq=False)
class Attempt:
    """One transaction. `epoch`: of its producer; `asked_at`: when its commit was asked for."""

    transactional_id: str
    producer: str
    number: int
    producer_id: int
    epoch: int
    began_at: float
    fate: Fate = Fate.OPEN
    asked_at: float = 0.0
    sent: dict[bytes, PartitionId] = field(default_factory=dict)
    acknowledged: dict[PartitionId, dict[int, bytes]] = field(default_factory=dict)
    sources: list[ConsumedRecord] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"transaction {self.number} of {self.producer} ({self.transactional_id}, producer "
            f"{self.producer_id} epoch {self.epoch}, {self.fate.value})"
        )


class TransactionHistory:
    """All transactions that were begun."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.read: dict[PartitionId, dict[int, bytes]] = {}
        """Offset -> value of what readers of committed records were given."""
        self._by_value: dict[bytes, Attempt] = {}
        self._given: dict[str, list[tuple[int, int, float]]] = {}
        """Producer id, epoch and time of every answer to InitProducerId."""

    def begin(
        self, transactional_id: str, producer: str, given: tuple[int, int], now: float
    ) -> Attempt:
        """A producer begins a transaction with the id and epoch that it was given."""
        attempt = Attempt(transactional_id, producer, len(self.attempts), *given, now)
        self.attempts.append(attempt)
        return attempt

    def on_sent(self, attempt: Attempt, id: PartitionId, value: bytes) -> None:
        """A record is about to be sent in a transaction."""
        attempt.sent[value] = id
        self._by_value[value] = attempt

    def of(self, value: bytes) -> Attempt | None:
        """The transaction in which a record was sent; None: in none."""
        return self._by_value.get(value)

    def on_given(self, transactional_id: str, producer_id: int, epoch: int, now: float) -> None:
        """A producer got its id and epoch: one with an older epoch is fenced from now on."""
        given = self._given.setdefault(transactional_id, [])
        if any((id, e) == (producer_id, epoch) for id, e, _ in given):
            raise Violation(
                f"{transactional_id}: producer {producer_id} epoch {epoch} was given twice"
            )
        given.append((producer_id, epoch, now))

    def on_commit_asked(self, attempt: Attempt, now: float) -> None:
        """From now on a transaction may be committed."""
        attempt.fate, attempt.asked_at = Fate.ASKED, now

    def on_committed(self, attempt: Attempt) -> None:
        """The coordinator has said so."""
        for producer_id, epoch, at in self._given.get(attempt.transactional_id, ()):
            younger = producer_id > attempt.producer_id or (
                producer_id == attempt.producer_id and epoch > attempt.epoch
            )
            if younger and at < attempt.asked_at:
                raise Violation(
                    f"a fenced producer has committed: {attempt} asked at {attempt.asked_at:.3f}, "
                    f"producer {producer_id} had epoch {epoch} since {at:.3f}"
                )
        attempt.fate = Fate.COMMITTED

    def on_read(self, reader: str, id: PartitionId, offset: int, value: bytes) -> None:
        """A reader of committed records was given this one."""
        attempt = self._by_value.get(value)
        if attempt is not None and attempt.fate in (Fate.OPEN, Fate.ABORTED):
            raise Violation(f"{reader} was given offset {offset} of {id}, of {attempt}: {value!r}")
        self.read.setdefault(id, {})[offset] = value
