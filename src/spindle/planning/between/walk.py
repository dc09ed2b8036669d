"""Evens brokers as wholes: which replicas go to another broker, and where they land there.

Bytes first, then rates; what must leave is sent away, and what need not have moved goes back.
Deterministic. Called by the planner of a cluster.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection

import numpy as np

from spindle.planning.between.byte_walk import ByteWalk
from spindle.planning.between.ground import Ground
from spindle.planning.between.levels import Levels
from spindle.planning.between.rate_trade import RateTrade
from spindle.planning.search_state import SearchState


class Between:
    """One attempt to even the brokers. It changes the field."""

    def __init__(
        self, field: SearchState, levels: Levels, blocked: Collection[int], mend: bool = False
    ) -> None:
        """`mend`: separate replicas that share a rack without need."""
        self._mend = mend
        self._ground = Ground(field, levels, blocked)
        self._walk = ByteWalk(self._ground)
        self._mean = np.array([e.mean for e in levels.aims], dtype=np.float64)

    @property
    def home(self) -> dict[int, int]:
        """Of each replica that has been moved: where it was."""
        return self._ground.home

    def run(self) -> None:
        """Bring brokers as close to the band as is found possible; nothing, if no closer."""
        ground, field = self._ground, self._ground.field
        drained = [d for own in ground.own for d in own if ground.rules.must(d)]
        before = self._cost(drained)
        if self._mend:
            self._mend_racks()
        self._walk.run()
        if any(field.held[d] or field.empty[d] for d in drained):
            self._empty(drained)
            self._walk.run()
        if ground.levels.flows:
            RateTrade(ground).run()
        self._take_back()
        if self._cost(drained) >= before:
            ground.undo()

    def _cost(self, drained: list[int]) -> tuple[int, int, float]:
        """(replicas that must leave and have not, crowded partitions, bytes out of the band)."""
        ground, field = self._ground, self._ground.field
        left = sum(len(field.held[d]) + len(field.empty[d]) for d in drained)
        return left, len(ground.rules.crowds()) if self._mend else 0, ground.outside

    def _empty(self, directories: Collection[int]) -> None:
        """Send what is in these directories to any broker that takes it under its marks."""
        field = self._ground.field
        for d in directories:
            for rank in [*reversed(field.held[d]), *field.empty[d]]:
                if rank not in self._ground.blocked:
                    self._sent(rank)

    def _mend_racks(self) -> None:
        """Send replicas that share a rack to the emptiest broker of one that has none of them.

        Of each partition one at a time, from the fullest broker; the walk evens out what that does.
        """
        ground, field = self._ground, self._ground.field
        for crowd in ground.rules.crowds():
            surplus = ground.total - self._mean
            above = {rank: surplus[field.cluster.owner[field.place[rank]]] for rank in crowd}
            for rank in sorted(crowd, key=lambda r: (-above[r], r)):
                if self._may_leave(rank) and self._sent(rank, uncrowded=True):
                    break

    def _may_leave(self, rank: int) -> bool:
        field = self._ground.field
        home = field.place[rank]
        there = field.held[home] if field.sizes[rank] else field.empty[home]
        at = bisect_left(there, rank)
        return rank not in self._ground.blocked and at < len(there) and there[at] == rank

    def _sent(self, rank: int, uncrowded: bool = False) -> bool:
        """Send a replica to the emptiest broker that may have it; `uncrowded`: alone in a rack."""
        ground, rules, size = self._ground, self._ground.rules, self._ground.field.sizes[rank]
        for target in ground.order(ground.total - self._mean, ground.takes):
            landing = ground.landing(target, size)
            if landing is None or not rules.allows(rank, target):
                continue
            if not uncrowded or rules.uncrowds(rank, target):
                ground.shift(rank, ground.field.place[rank], landing)
                return True
        return False

    def _take_back(self) -> None:
        """Leave replicas where they were if brokers end no worse: the fewest bytes between."""
        ground, field, owner = self._ground, self._ground.field, self._ground.field.cluster.owner
        for rank in sorted(ground.home, key=lambda rank: (-field.sizes[rank], rank)):
            home, place = ground.home[rank], field.place[rank]
            size, here, there = field.sizes[rank], owner[place], owner[home]
            if (
                here == there
                or not field.targets[home]
                or field.used[home] + size > ground.marks[home]
            ):
                continue
            if self._mend and not ground.rules.uncrowds(rank, there):
                continue
            rate = field.rate(rank)
            now = ground.off(here) + ground.off(there)
            if ground.off(here, -size, -rate) + ground.off(there, size, rate) <= now:
                ground.shift(rank, place, home)
