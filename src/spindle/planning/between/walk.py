"""Evens brokers as wholes: which replicas go to another broker, and where they land there.

A greedy walk from the fullest broker to the emptiest, which takes from the fullest directories and
fills the emptiest, so that little is left to do within brokers. Where no single replica fits, two
are exchanged; where that does not help either, a move is forced and the walk mends what it broke.
Deterministic. Called by the planner of a cluster.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from spindle.planning.between.levels import Levels
from spindle.planning.between.rules import PlacementRules
from spindle.planning.cluster_model import ClusterModel, Flags, Floats, Ints
from spindle.planning.search_state import SearchState
from spindle.planning.within.trade import Side, Trade, exchanges, moves

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
NEAR = 16
"""Brokers that are tried first; so many of each rack only if none of these takes anything."""
TRADES_PER_BROKER = 24
"""Steps for the sake of rates, at most."""
GIVERS, EXCHANGED = 6, 48
"""Brokers whose replicas are exchanged for those of a stuck one, and replicas tried of each."""


class Shift(NamedTuple):
    """A replica goes from a directory to another, as the walk made it."""

    rank: int
    source: int
    target: int


class _Need(NamedTuple):
    """Of a pair of brokers: bytes wanted, and bytes that may go at most."""

    wanted: float
    room: float


def _least(by: Floats, count: int) -> Ints:
    """Where the least are, so many at most, in order; of equal ones the first."""
    if len(by) <= count:
        return np.argsort(by, kind="stable")
    # All that are as small as the last of them, or which of these is meant would be left open.
    most = np.partition(by, count - 1)[count - 1]
    near = np.flatnonzero(by <= most)
    return near[np.argsort(by[near], kind="stable")][:count]


def _by_rack(cluster: ClusterModel) -> list[Ints]:
    """The brokers of each rack; those that do not tell theirs are looked at together."""
    names = [b.rack or "" for b in cluster.brokers]
    return [np.flatnonzero(np.array(names) == name) for name in sorted(set(names))]


class Between:
    """The walk. Changes the field; `log` has every shift in order, to be undone or summed up."""

    def __init__(
        self, field: SearchState, levels: Levels, blocked: Collection[int], mend: bool = False
    ) -> None:
        """`mend`: separate replicas that share a rack without need."""
        self._mend = mend
        self._field, self._blocked = field, blocked
        self.rules = PlacementRules(field)
        self._edges, self._around = levels.aims, levels.directories
        self._owner = field.cluster.owner
        self._own = [field.cluster.of_broker(b) for b in range(len(levels.aims))]
        self._low = np.array([e.low for e in levels.aims], dtype=np.float64)
        self._high = np.array([e.high for e in levels.aims], dtype=np.float64)
        self._mean = np.array([e.mean for e in levels.aims], dtype=np.float64)
        # Where a broker that is out of the band is to end up: not quite at the edge.
        self._least = self._low + ASIDE * (self._mean - self._low)
        self._most = self._high - ASIDE * (self._high - self._mean)
        self._total = np.array([sum(field.used[d] for d in own) for own in self._own], np.float64)
        self._flows = levels.flows
        self._flow = np.zeros(len(self._own))
        if field.flow is not None:
            self._flow += [sum(field.flow[d] for d in own) for own in self._own]
        self._marks = [max(m, u) for m, u in zip(field.marks, field.used, strict=True)]
        self._takes = np.array(self.rules.takes, dtype=np.bool_)
        self._of_rack = _by_rack(field.cluster)
        self.log: list[Shift] = []
        self.home: dict[int, int] = {}
        """Of each replica that has been moved: where it was."""

    @property
    def outside(self) -> float:
        """Bytes that brokers are out of the band by, and their rates, as if bytes."""
        return sum(self._off(b, 0) for b in range(len(self._own)))

    def run(self) -> None:
        """Bring brokers as close to the band as is found possible; nothing, if no closer."""
        drained = [d for own in self._own for d in own if self.rules.must(d)]
        before = self._cost(drained)
        if self._mend:
            self.mend_racks()
        self.walk()
        if any(self._field.held[d] or self._field.empty[d] for d in drained):
            self.empty(drained)
            self.walk()
        if self._flows:
            self.trade()
        self.take_back()
        if self._cost(drained) >= before:
            self.undo(0)

    def _cost(self, drained: list[int]) -> tuple[int, int, float]:
        """(replicas that must leave and have not, crowded partitions, bytes out of the band)."""
        held, empty = self._field.held, self._field.empty
        left = sum(len(held[d]) + len(empty[d]) for d in drained)
        return left, len(self.rules.crowds()) if self._mend else 0, self.outside

    # -- the walk --------------------------------------------------------------------------

    def walk(self) -> None:
        """Give and take until all are in the band or nothing moves any more."""
        stuck, moved = np.zeros(len(self._own), dtype=np.bool_), False
        steps = _FEWEST_STEPS + STEPS_PER_REPLICA * len(self._field.sizes)
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
        over = np.where(stuck, -np.inf, self._total - self._high)
        worst = int(np.argmax(over))
        if over[worst] >= 1:
            return worst, True
        under = np.where(stuck | ~self._takes, -np.inf, self._low - self._total)
        worst = int(np.argmax(under))
        return (worst, False) if under[worst] >= 1 else None

    def _give(self, source: int) -> bool:
        may = self._takes & (self._total < self._most)
        may[source] = False
        order = self._order(self._total - self._mean, may)
        tried = []
        for target in order:
            if self._pass(source, target):
                return True
            tried.append(target)
        return any(self._exchange(source, target) for target in tried[:GIVERS])

    def _take(self, target: int) -> bool:
        may = self._total > self._least
        may[target] = False
        tried = []
        for source in self._order(self._mean - self._total, may):
            if self._pass(source, target):
                return True
            tried.append(source)
        return any(self._exchange(source, target) for source in tried[:GIVERS])

    def _order(self, by: Floats, chosen: Flags) -> Iterator[int]:
        """The chosen brokers, the least first: a few; then of each rack so many."""
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

    def _need(self, source: int, target: int) -> _Need:
        surplus = float(self._total[source] - self._most[source])
        lack = float(self._least[target] - self._total[target])
        room = float(self._most[target] - self._total[target])
        if self._total[source] <= self._high[source]:
            room = min(room, float(self._total[source] - self._least[source]))
            return _Need(min(lack, room), room)
        return _Need(min(surplus, lack) if lack > 0 else min(surplus, room), room)

    # -- one replica, or two --------------------------------------------------------------

    def _pass(self, source: int, target: int) -> bool:
        """Send the replica that serves a pair of brokers best."""
        need = self._need(source, target)
        if need.wanted < 1:
            return False
        held, used, around = self._field.held, self._field.used, self._around
        sizes = self._field.sizes
        full = [d for d in self._own[source] if held[d] and sizes[held[d][0]] <= need.room]
        if not full:
            return False
        full.sort(key=lambda d: around[d].mean - used[d])
        smallest = [max(1, sizes[held[d][0]]) for d in full]
        lands = self._lands(target)
        spare = min(need.room, float(self._total[source] - self._least[source]))
        gentle = [min(spare, used[d] - around[d].mean, lands) for d in full]
        neutral = [min(spare, used[d] - around[d].low, lands) for d in full]
        for caps in (gentle, neutral, [spare] * len(full), [need.room] * len(full)):
            best: tuple[int, int, int, int] | None = None
            for d, cap, least in zip(full, caps, smallest, strict=True):
                if cap < least:
                    continue
                found = self._fitting(d, target, min(need.wanted, cap), cap)
                if found is not None and (best is None or self._larger(found[0], best[0])):
                    best = (*found, d, target)
                    if 2 * sizes[found[0]] >= need.wanted:
                        break
            if best is not None:
                self.shift(best[0], best[2], best[1])
                return True
        return False

    def _lands(self, broker: int) -> float:
        """The most that one replica should bring: room for more than one stays, while there is."""
        rooms = [(self._around[d].high - self._field.used[d], d) for d in self._open(broker)]
        if not rooms:
            return 0.0
        room, emptiest = max(rooms)
        return room / 2 if room > self._around[emptiest].mean * ROOMY else room

    def _larger(self, rank: int, than: int) -> bool:
        return self._field.sizes[rank] > self._field.sizes[than]

    def _fitting(
        self, directory: int, target: int, wanted: float, cap: float
    ) -> tuple[int, int] | None:
        """(a replica about as large as wanted which may go to a broker, the directory there)."""
        for rank in self._candidates(directory, wanted, cap):
            if rank not in self._blocked and self.rules.allows(rank, target):
                landing = self._landing(target, self._field.sizes[rank])
                if landing is not None:
                    return rank, landing
        return None

    def _candidates(self, directory: int, wanted: float, cap: float) -> Iterator[int]:
        held, sizes = self._field.held[directory], self._field.sizes
        at = bisect_left(held, bisect_right(sizes, wanted))
        if at < len(held) and sizes[held[at]] <= min(cap, wanted * (1 + OVERSHOOT)):
            yield held[at]
        yield from held[max(0, at - DEPTH) : at][::-1]
        for rank in held[at : at + DEPTH]:
            if sizes[rank] > cap:
                return
            yield rank

    def _open(self, broker: int) -> list[int]:
        return [d for d in self._own[broker] if self._field.targets[d]]

    def _landing(self, broker: int, size: int) -> int | None:
        """The emptiest directory of a broker that holds so much more."""
        used, around = self._field.used, self._around
        fits = [d for d in self._open(broker) if used[d] + size <= self._marks[d]]
        if not fits:
            return None
        return max(
            fits, key=lambda d: (used[d] + size <= around[d].high, around[d].mean - used[d], -d)
        )

    def _exchange(self, source: int, target: int) -> bool:
        """Send a larger replica and take a smaller one back, the difference closest to need."""
        need = self._need(source, target)
        if need.wanted < 1 or not self._takes[source] or not self._takes[target]:
            return False
        sizes = self._field.sizes
        mine, theirs = self._exchangeable(source), self._exchangeable(target)
        best: tuple[float, int, int] | None = None
        for rank in mine:
            at = bisect_left(theirs, bisect_left(sizes, sizes[rank] - need.wanted))
            for other in theirs[max(0, at - 2) : at + 2]:
                gain = sizes[rank] - sizes[other]
                key = (abs(gain - need.wanted), rank, other)
                fits = 0 < gain <= need.room and key[0] < need.wanted
                if fits and (best is None or key < best) and self._may_exchange(*key[1:]):
                    best = key
        if best is None:
            return False
        for rank, to in ((best[1], target), (best[2], source)):
            landing = self._landing(to, sizes[rank])
            assert landing is not None, "it has just been found to fit"
            self.shift(rank, self._field.place[rank], landing)
        return True

    def _exchangeable(self, broker: int) -> list[int]:
        """A broker's largest replicas and its smallest, ascending."""
        held = [rank for d in self._own[broker] for rank in self._field.held[d]]
        held = sorted(rank for rank in held if rank not in self._blocked)
        if len(held) <= 2 * EXCHANGED:
            return held
        return [*held[:EXCHANGED], *held[-EXCHANGED:]]

    def _may_exchange(self, rank: int, other: int) -> bool:
        place, owner, sizes = self._field.place, self._owner, self._field.sizes
        here, there = owner[place[rank]], owner[place[other]]
        return (
            self._field.partition[rank] != self._field.partition[other]
            and self.rules.allows(rank, there)
            and self.rules.allows(other, here)
            and self._landing(there, sizes[rank]) is not None
            and self._landing(here, sizes[other]) is not None
        )

    def shift(self, rank: int, source: int, target: int) -> None:
        """Move a replica, and take note of it."""
        size, owner = self._field.sizes[rank], self._owner
        self._field.shift(rank, source, target)
        self._total[owner[source]] -= size
        self._total[owner[target]] += size
        if self._field.rates is not None:
            self._flow[owner[source]] -= self._field.rates[rank]
            self._flow[owner[target]] += self._field.rates[rank]
        home = self.home.setdefault(rank, source)
        if home == target:
            del self.home[rank]
        self.rules.touch(rank, owner[home] != owner[target])
        self.log.append(Shift(rank, source, target))

    def undo(self, length: int) -> None:
        """Take back all shifts but the first ones."""
        while len(self.log) > length:
            rank, source, target = self.log[-1]
            self.shift(rank, target, source)
            del self.log[-2:]

    # -- what has to leave, and what need not ------------------------------------------------

    def empty(self, directories: Collection[int]) -> None:
        """Send what is in these directories to any broker that takes it under its marks."""
        for d in directories:
            for rank in [*reversed(self._field.held[d]), *self._field.empty[d]]:
                if rank in self._blocked:
                    continue
                for target in self._order(self._total - self._mean, self._takes):
                    landing = self._landing(target, self._field.sizes[rank])
                    if landing is not None and self.rules.allows(rank, target):
                        self.shift(rank, d, landing)
                        break

    def mend_racks(self) -> None:
        """Send replicas that share a rack to the emptiest broker of one that has none of them.

        Of each partition one at a time, from the fullest broker; the walk evens out what that does.
        """
        place, owner = self._field.place, self._owner
        for crowd in self.rules.crowds():
            above = {rank: self._total[b] - self._mean[b] for rank in crowd
                     for b in (owner[place[rank]],)}  # fmt: skip
            for rank in sorted(crowd, key=lambda r: (-above[r], r)):
                if self._mended(rank):
                    break

    def _mended(self, rank: int) -> bool:
        field, home = self._field, self._field.place[rank]
        there = field.held[home] if field.sizes[rank] else field.empty[home]
        at = bisect_left(there, rank)
        if rank in self._blocked or at == len(there) or there[at] != rank:
            return False
        for target in self._order(self._total - self._mean, self._takes):
            landing = self._landing(target, field.sizes[rank])
            if landing is None or not self.rules.allows(rank, target):
                continue
            if self.rules.uncrowds(rank, target):
                self.shift(rank, home, landing)
                return True
        return False

    def take_back(self) -> None:
        """Leave replicas where they were if brokers end no worse: the fewest bytes between."""
        field, owner = self._field, self._owner
        for rank in sorted(self.home, key=lambda rank: (-field.sizes[rank], rank)):
            home, place = self.home[rank], field.place[rank]
            size, here, there = field.sizes[rank], owner[place], owner[home]
            if (
                here == there
                or not field.targets[home]
                or field.used[home] + size > self._marks[home]
            ):
                continue
            if self._mend and not self.rules.uncrowds(rank, there):
                continue
            rate = self._field.rate(rank)
            now = self._off(here, 0) + self._off(there, 0)
            if self._off(here, -size, -rate) + self._off(there, size, rate) <= now:
                self.shift(rank, place, home)

    def _off(self, broker: int, more: int, faster: float = 0.0) -> float:
        off = self._edges[broker].outside(float(self._total[broker]) + more)
        if self._flows:
            flow = float(self._flow[broker]) + faster
            off += self._field.scale * self._flows[broker].outside(flow)
        return off

    # -- rates, too --------------------------------------------------------------------------

    def trade(self) -> None:
        """Bring rates nearer to their bands, by moves and exchanges that keep bytes in theirs."""
        stuck: dict[int, None] = {}
        for _ in range(_FEWEST_STEPS + TRADES_PER_BROKER * len(self._own)):
            off = [(self._off(b, 0), -b) for b in range(len(self._own)) if b not in stuck]
            most, worst = max(off, default=(0.0, 0))
            if most <= 0:
                return
            if self._trade_best(-worst):
                stuck.clear()
            else:
                stuck[-worst] = None

    def _trade_best(self, broker: int) -> bool:
        """Take the best step between a broker and those that lack what it has, or have it."""
        rates = np.array([e.mean for e in self._flows])
        sign = 1.0 if self._flow[broker] >= rates[broker] else -1.0
        others = np.arange(len(self._own)) != broker
        near = islice(self._order(sign * (self._flow - rates), others), NEAR)
        one = self._side(broker)
        best: tuple[float, list[tuple[int, int]]] | None = None
        for other in near:
            side = self._side(other)
            for found, source, target in (
                (moves(one, side), broker, other),
                (moves(side, one), other, broker),
                (exchanges(one, side), broker, other),
            ):
                step = next((s for s in found if self._may(s, source, target)), None)
                if step is not None and (best is None or step.score > best[0]):
                    both = [(step.rank, target), (step.back, source)]
                    best = (step.score, both[: 1 if step.back < 0 else 2])
        for rank, to in best[1] if best is not None else ():
            landing = self._landing(to, self._field.sizes[rank])
            assert landing is not None, "it has just been found to fit"
            self.shift(rank, self._field.place[rank], landing)
        return best is not None

    def _may(self, step: Trade, source: int, target: int) -> bool:
        if step.back >= 0:
            return self._may_exchange(step.rank, step.back)
        fits = self._landing(target, self._field.sizes[step.rank]) is not None
        return fits and self.rules.allows(step.rank, target)

    def _side(self, broker: int) -> Side:
        field = self._field
        held = [r for d in self._own[broker] for r in field.held[d] if r not in self._blocked]
        sizes = np.array([field.sizes[rank] for rank in held], dtype=np.float64)
        away = np.array([rank in self.home for rank in held], dtype=np.bool_)
        return Side(
            held, sizes, np.array([field.rate(rank) for rank in held], dtype=np.float64),
            np.where(away, 0.0, sizes), float(self._total[broker]), float(self._flow[broker]),
            self._edges[broker], self._flows[broker], field.scale, np.inf,
            bool(self._takes[broker]),
        )  # fmt: skip
