"""The walk that evens the bytes of brokers, from the fullest broker to the emptiest.

It takes from the fullest directories and fills the emptiest, so that little is left to do within
brokers. Where no single replica fits, two are exchanged. Deterministic. Called by `walk`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spindle.planning.bands.bound import Edges
from spindle.planning.between.ground import Ground
from spindle.planning.cluster_model import Flags

ASIDE = 0.1
"""Of half the band, at its edges: brokers are not brought that close to them, because their
directories could not be evened out any more."""
OVERSHOOT = 0.005
"""Of what a broker wants: so much more may come if one replica does for several."""
STEPS_PER_REPLICA = 2
_FEWEST_STEPS = 64
ROOMY = 0.25
"""Of the target of a directory: with more room than this it is filled with several replicas."""
DEPTH = 8
"""Replicas of a directory that are tried for a pair of brokers, one after the other."""
GIVERS, EXCHANGED = 6, 48
"""Brokers whose replicas are exchanged for those of a stuck one, and replicas tried of each."""


class _Need(NamedTuple):
    """Of a pair of brokers: bytes wanted, and bytes that may go at most."""

    wanted: float
    room: float


class _Aims:
    """The bands of brokers as arrays, and where in them the walk brings brokers."""

    def __init__(self, edges: Sequence[Edges]) -> None:
        self.low = np.array([e.low for e in edges], dtype=np.float64)
        self.high = np.array([e.high for e in edges], dtype=np.float64)
        self.mean = np.array([e.mean for e in edges], dtype=np.float64)
        # Where a broker that is out of the band is to end up: not quite at the edge.
        self.least = self.low + ASIDE * (self.mean - self.low)
        self.most = self.high - ASIDE * (self.high - self.mean)


class ByteWalk:
    """Gives and takes on a ground, which it changes."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._aims = _Aims(ground.levels.aims)

    def run(self) -> None:
        """Give and take until all are in the band or nothing moves any more."""
        stuck, moved = np.zeros(len(self._ground.own), dtype=np.bool_), False
        steps = _FEWEST_STEPS + STEPS_PER_REPLICA * len(self._ground.field.sizes)
        while steps:
            pair = self._stuck_free_pair(stuck)
            if pair is None:
                if not moved:
                    return
                # What has moved since may help those that were stuck: the last look is at all.
                stuck[:], moved = False, False
                continue
            broker, gives = pair
            if self._give(broker) if gives else self._take(broker):
                moved = True
                steps -= 1
            else:
                stuck[broker] = True

    def _stuck_free_pair(self, stuck: Flags) -> tuple[int, bool] | None:
        """(the broker to help next, whether it gives): the farthest out of the band."""
        ground = self._ground
        over = np.where(stuck, -np.inf, ground.total - self._aims.high)
        worst = int(np.argmax(over))
        if over[worst] >= 1:
            return worst, True
        under = np.where(stuck | ~ground.takes, -np.inf, self._aims.low - ground.total)
        worst = int(np.argmax(under))
        return (worst, False) if under[worst] >= 1 else None

    def _give(self, source: int) -> bool:
        ground = self._ground
        may = ground.takes & (ground.total < self._aims.most)
        may[source] = False
        tried = []
        for target in ground.order(ground.total - self._aims.mean, may):
            if self._pass(source, target):
                return True
            tried.append(target)
        return any(self._exchange(source, target) for target in tried[:GIVERS])

    def _take(self, target: int) -> bool:
        ground = self._ground
        may = ground.total > self._aims.least
        may[target] = False
        tried = []
        for source in ground.order(self._aims.mean - ground.total, may):
            if self._pass(source, target):
                return True
            tried.append(source)
        return any(self._exchange(source, target) for source in tried[:GIVERS])

    def _need(self, source: int, target: int) -> _Need:
        total, aims = self._ground.total, self._aims
        surplus = float(total[source] - aims.most[source])
        lack = float(aims.least[target] - total[target])
        room = float(aims.most[target] - total[target])
        if total[source] <= aims.high[source]:
            room = min(room, float(total[source] - aims.least[source]))
            return _Need(min(lack, room), room)
        return _Need(min(surplus, lack) if lack > 0 else min(surplus, room), room)

    def _pass(self, source: int, target: int) -> bool:
        """Send the replica that serves a pair of brokers best."""
        need = self._need(source, target)
        if need.wanted < 1:
            return False
        ground, field, around = self._ground, self._ground.field, self._ground.levels.directories
        held, used, sizes = field.held, field.used, field.sizes
        full = [d for d in ground.own[source] if held[d] and sizes[held[d][0]] <= need.room]
        if not full:
            return False
        full.sort(key=lambda d: around[d].mean - used[d])
        smallest = [max(1, sizes[held[d][0]]) for d in full]
        lands = self._lands(target)
        spare = min(need.room, float(ground.total[source] - self._aims.least[source]))
        gentle = [min(spare, used[d] - around[d].mean, lands) for d in full]
        neutral = [min(spare, used[d] - around[d].low, lands) for d in full]
        for caps in (gentle, neutral, [spare] * len(full), [need.room] * len(full)):
            best: tuple[int, int, int, int] | None = None
            for d, cap, least in zip(full, caps, smallest, strict=True):
                if cap < least:
                    continue
                found = self._fitting(d, target, min(need.wanted, cap), cap)
                if found is not None and (best is None or sizes[found[0]] > sizes[best[0]]):
                    best = (*found, d, target)
                    if 2 * sizes[found[0]] >= need.wanted:
                        break
            if best is not None:
                ground.shift(best[0], best[2], best[1])
                return True
        return False

    def _lands(self, broker: int) -> float:
        """The most that one replica should bring: room for more than one stays, while there is."""
        used, around = self._ground.field.used, self._ground.levels.directories
        rooms = [(around[d].high - used[d], d) for d in self._ground.open(broker)]
        if not rooms:
            return 0.0
        room, emptiest = max(rooms)
        return room / 2 if room > around[emptiest].mean * ROOMY else room

    def _fitting(
        self, directory: int, target: int, wanted: float, cap: float
    ) -> tuple[int, int] | None:
        """(a replica about as large as wanted which may go to a broker, the directory there)."""
        ground = self._ground
        for rank in self._candidates(directory, wanted, cap):
            if rank not in ground.blocked and ground.rules.allows(rank, target):
                landing = ground.landing(target, ground.field.sizes[rank])
                if landing is not None:
                    return rank, landing
        return None

    def _candidates(self, directory: int, wanted: float, cap: float) -> Iterator[int]:
        held, sizes = self._ground.field.held[directory], self._ground.field.sizes
        at = bisect_left(held, bisect_right(sizes, wanted))
        if at < len(held) and sizes[held[at]] <= min(cap, wanted * (1 + OVERSHOOT)):
            yield held[at]
        yield from held[max(0, at - DEPTH) : at][::-1]
        for rank in held[at : at + DEPTH]:
            if sizes[rank] > cap:
                return
            yield rank

    def _exchange(self, source: int, target: int) -> bool:
        """Send a larger replica and take a smaller one back, the difference closest to need."""
        need, ground = self._need(source, target), self._ground
        if need.wanted < 1 or not ground.takes[source] or not ground.takes[target]:
            return False
        sizes = ground.field.sizes
        mine, theirs = self._exchangeable(source), self._exchangeable(target)
        best: tuple[float, int, int] | None = None
        for rank in mine:
            at = bisect_left(theirs, bisect_left(sizes, sizes[rank] - need.wanted))
            for other in theirs[max(0, at - 2) : at + 2]:
                gain = sizes[rank] - sizes[other]
                key = (abs(gain - need.wanted), rank, other)
                fits = 0 < gain <= need.room and key[0] < need.wanted
                if fits and (best is None or key < best) and ground.may_exchange(*key[1:]):
                    best = key
        if best is None:
            return False
        ground.shift_to(best[1], target)
        ground.shift_to(best[2], source)
        return True

    def _exchangeable(self, broker: int) -> list[int]:
        """A broker's largest replicas and its smallest, ascending."""
        held = sorted(self._ground.free(broker))
        if len(held) <= 2 * EXCHANGED:
            return held
        return [*held[:EXCHANGED], *held[-EXCHANGED:]]
