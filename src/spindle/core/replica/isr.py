"""How far the followers of a partition are, as its leader sees it, and which belong to the ISR.

Fetches alone decide: a follower's fetch offset says that it has written everything below it.
A replica is eligible for the ISR if its broker is registered, unfenced and not shutting down, with
the epoch it fetches under, and if its assigned directory is online (B-01). The leader role in
`partition` uses this module, which knows no more of the metadata than those two facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from spindle.model.ids import NodeId

UNKNOWN: Final = -1
LONG_AGO: Final = float("-inf")


@dataclass(slots=True)
class FollowerProgress:
    """One follower. Times in s, monotonic. `end`/`start`: offsets it has reported, or UNKNOWN."""

    broker: NodeId
    end: int = UNKNOWN
    start: int = UNKNOWN
    caught_up_at: float = LONG_AGO
    """When it last had everything that the leader had."""
    fetched_at: float = LONG_AGO
    leader_end_then: int = UNKNOWN
    """The leader's log end when it last fetched."""
    broker_epoch: int = -1
    """The registration under which it fetches; -1: it does not say."""
    eligible_epoch: int | None = None
    """The registration under which it may join the ISR; None: it may not."""

    @property
    def eligible(self) -> bool:
        """Whether it may join the ISR, and may be waited for."""
        return self.eligible_epoch is not None and self.broker_epoch in (-1, self.eligible_epoch)

    def on_fetch(
        self, offset: int, start: int, broker_epoch: int, leader_end: int, now: float
    ) -> None:
        """It asked for records from `offset` on."""
        if offset >= leader_end:
            self.caught_up_at = now
        elif self.leader_end_then != UNKNOWN and offset >= self.leader_end_then:
            # All that there was at its last fetch has arrived: it was caught up then.
            self.caught_up_at = max(self.caught_up_at, self.fetched_at)
        self.end = offset
        self.start = start
        self.broker_epoch = broker_epoch
        self.leader_end_then = leader_end
        self.fetched_at = now

    def is_caught_up(self, leader_end: int, now: float, lag_max: float) -> bool:
        """Whether it has everything, or had within the last `lag_max` seconds."""
        return self.end >= leader_end or now - self.caught_up_at <= lag_max


@dataclass(slots=True, frozen=True)
class PendingIsrChange:
    """An ISR that the leader asks the controller for. Until answered, both ISRs bind it."""

    leader_epoch: int
    partition_epoch: int
    isr: tuple[NodeId, ...]
    broker_epochs: tuple[int, ...]
    """The registration of each member; -1: the controller need not compare."""
    before: tuple[NodeId, ...] = ()
    """The ISR that it is to replace."""


class Followers:
    """The other replicas of a partition that is led here."""

    __slots__ = ("by_broker", "eligible")

    def __init__(self, replicas: Iterable[NodeId], isr: Iterable[NodeId], now: float) -> None:
        # Members of the ISR get the whole lag time to find their new leader.
        in_isr = tuple(isr)
        self.by_broker = {
            b: FollowerProgress(b, caught_up_at=now if b in in_isr else LONG_AGO) for b in replicas
        }
        self.eligible: Mapping[NodeId, int | None] = {}

    def assign(self, replicas: Iterable[NodeId], isr: Iterable[NodeId], now: float) -> None:
        """The replica set changed under the same leader: keep what is known of those that stay."""
        known = self.by_broker
        self.by_broker = Followers(replicas, isr, now).by_broker
        for broker, progress in known.items():
            if broker in self.by_broker:
                self.by_broker[broker] = progress

    def set_eligible(self, epochs: Mapping[NodeId, int | None]) -> None:
        """The brokers that may join the ISR, each with its registration's epoch."""
        self.eligible = epochs
        for broker, progress in self.by_broker.items():
            progress.eligible_epoch = epochs.get(broker)

    def on_leader_end(self, before: int, now: float) -> None:
        """The leader's log end moves on from `before`: followers there were caught up until now."""
        for progress in self.by_broker.values():
            if progress.end >= before:
                progress.caught_up_at = now

    def mark(self, maximal: frozenset[NodeId], end: int, now: float, lag_max: float) -> int:
        """The offset below which all replicas that must hold everything do hold it.

        Those are the members of the maximal ISR, and replicas about to join it: caught up and
        eligible. Without the latter a busy partition would never let a replica back in; without
        the test for eligibility a dead disk would stall it for the whole lag time (B-01).
        """
        mark = end
        for broker, progress in self.by_broker.items():
            if progress.end < mark and (
                broker in maximal
                or (progress.eligible and progress.is_caught_up(end, now, lag_max))
            ):
                mark = progress.end
        return mark

    def lagging(
        self, isr: Iterable[NodeId], end: int, now: float, lag_max: float
    ) -> tuple[NodeId, ...]:
        """Members of the ISR that have not been caught up for longer than `lag_max`."""
        return tuple(
            b
            for b in isr
            if b in self.by_broker and not self.by_broker[b].is_caught_up(end, now, lag_max)
        )

    def epoch_of(self, broker: NodeId) -> int:
        """The registration of a replica: as it says itself, else as the metadata has it, or -1."""
        progress = self.by_broker.get(broker)
        if progress is not None and progress.broker_epoch >= 0:
            return progress.broker_epoch
        known = self.eligible.get(broker)
        return -1 if known is None else known

    def low_mark(self, own: int) -> int:
        """The lowest log start of all replicas whose broker may be waited for (DeleteRecords)."""
        alive = self.eligible
        return min([own, *(p.start for b, p in self.by_broker.items() if alive.get(b) is not None)])
