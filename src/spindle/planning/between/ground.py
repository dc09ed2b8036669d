"""Where brokers stand while replicas go between them: totals, room, and every shift so far.

Decides on no shift; tells which are allowed, carries them out, and takes them back. The walks
between brokers call it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from spindle.planning.between.levels import Levels
from spindle.planning.between.rules import PlacementRules
from spindle.planning.cluster_model import ClusterModel, Flags, Floats, Ints
from spindle.planning.search_state import SearchState

NEAR = 16
"""Brokers that are tried first; so many of each rack only if none of these takes anything."""


class Shift(NamedTuple):
    """A replica goes from a directory to another, as the walk made it."""

    rank: int
    source: int
    target: int


class BrokerOrder:
    """The order in which brokers are tried: a few of all, then so many of each rack."""

    def __init__(self, cluster: ClusterModel) -> None:
        # Brokers that do not tell their rack are looked at together.
        names = [b.rack or "" for b in cluster.brokers]
        self._of_rack = [np.flatnonzero(np.array(names) == name) for name in sorted(set(names))]

    def __call__(self, by: Floats, chosen: Flags) -> Iterator[int]:
        """The chosen brokers, those with the least first."""
        if not chosen.any():
            return
        first: list[int] = []
        if len(by) > NEAR:
            first = _least(np.where(chosen, by, np.inf), NEAR).tolist()
            first = [b for b in first if chosen[b]]
            yield from first
        numbers = np.flatnonzero(chosen)
        if len(by) > NEAR:
            racks = [rack[chosen[rack]] for rack in self._of_rack]
            numbers = np.concatenate([rack[_least(by[rack], NEAR)] for rack in racks])
            numbers = numbers[~np.isin(numbers, first)]
        yield from numbers[np.lexsort((numbers, by[numbers]))].tolist()


class Ground:
    """The brokers during a walk. `log` has every shift in order, for `undo`."""

    def __init__(self, field: SearchState, levels: Levels, blocked: Collection[int]) -> None:
        self.field, self.levels, self.blocked = field, levels, blocked
        self.rules = PlacementRules(field)
        self.order = BrokerOrder(field.cluster)
        self.own = [field.cluster.of_broker(b) for b in range(len(levels.aims))]
        self.total = np.array([sum(field.used[d] for d in own) for own in self.own], np.float64)
        self.flow = np.zeros(len(self.own))
        if field.rates is not None:
            flow = field.rates.flow
            self.flow += [sum(flow[d] for d in own) for own in self.own]
        self.marks = [max(m, u) for m, u in zip(field.marks, field.used, strict=True)]
        self.takes = np.array(self.rules.takes, dtype=np.bool_)
        self.log: list[Shift] = []
        self.home: dict[int, int] = {}
        """Of each replica that has been moved: where it was."""

    @property
    def outside(self) -> float:
        """Bytes that brokers are out of the band by, and their rates, as if bytes."""
        return sum(self.off(b) for b in range(len(self.own)))

    def shift(self, rank: int, source: int, target: int) -> None:
        """Move a replica, and take note of it."""
        field, owner = self.field, self.field.cluster.owner
        size = field.sizes[rank]
        field.shift(rank, source, target)
        self.total[owner[source]] -= size
        self.total[owner[target]] += size
        if field.rates is not None:
            rate = field.rates.of[rank]
            self.flow[owner[source]] -= rate
            self.flow[owner[target]] += rate
        home = self.home.setdefault(rank, source)
        if home == target:
            del self.home[rank]
        self.rules.touch(rank, owner[home] != owner[target])
        self.log.append(Shift(rank, source, target))

    def undo(self) -> None:
        """Take back all shifts."""
        while self.log:
            rank, source, target = self.log[-1]
            self.shift(rank, target, source)
            del self.log[-2:]

    def off(self, broker: int, more: int = 0, faster: float = 0.0) -> float:
        """How far a broker is out of its bands with so much more, rates as if bytes."""
        off = self.levels.aims[broker].outside(float(self.total[broker]) + more)
        if self.levels.flows and self.field.rates is not None:
            flow = float(self.flow[broker]) + faster
            off += self.field.rates.scale * self.levels.flows[broker].outside(flow)
        return off

    def open(self, broker: int) -> list[int]:
        """A broker's directories that take replicas."""
        return [d for d in self.own[broker] if self.field.targets[d]]

    def free(self, broker: int) -> list[int]:
        """A broker's replicas with bytes that may be moved."""
        there = [rank for d in self.own[broker] for rank in self.field.held[d]]
        return [rank for rank in there if rank not in self.blocked]

    def landing(self, broker: int, size: int) -> int | None:
        """The emptiest directory of a broker that holds so much more."""
        used, around = self.field.used, self.levels.directories
        fits = [d for d in self.open(broker) if used[d] + size <= self.marks[d]]
        if not fits:
            return None
        return max(
            fits, key=lambda d: (used[d] + size <= around[d].high, around[d].mean - used[d], -d)
        )

    def may_exchange(self, rank: int, other: int) -> bool:
        """Whether two replicas of two brokers may change places."""
        field, owner, sizes = self.field, self.field.cluster.owner, self.field.sizes
        here, there = owner[field.place[rank]], owner[field.place[other]]
        return (
            field.partition[rank] != field.partition[other]
            and self.rules.allows(rank, there)
            and self.rules.allows(other, here)
            and self.landing(there, sizes[rank]) is not None
            and self.landing(here, sizes[other]) is not None
        )

    def shift_to(self, rank: int, broker: int) -> None:
        """Move a replica to a broker that has been found to have room for it."""
        landing = self.landing(broker, self.field.sizes[rank])
        assert landing is not None, "it has just been found to fit"
        self.shift(rank, self.field.place[rank], landing)


def _least(by: Floats, count: int) -> Ints:
    """Where the least are, so many at most, in order; of equal ones the first."""
    if len(by) <= count:
        return np.argsort(by, kind="stable")
    # All that are as small as the last of them, or which of these is meant would be left open.
    most = np.partition(by, count - 1)[count - 1]
    near = np.flatnonzero(by <= most)
    return near[np.argsort(by[near], kind="stable")][:count]
