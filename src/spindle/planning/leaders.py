"""Evens out leaders: each broker as many partitions, and as much of their weight, as any other.

A partition's preferred leader is the first of its replicas, so only their order changes and nothing
is copied. Every step makes a broker that is out of its bands more like another one: the leader of
one partition changes, or of two. Deterministic. Called when the replicas' own plan is made.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spindle.planning.amounts import counted, listed, told_apart
from spindle.planning.cluster_model import Flags, Floats, Ints

STEPS_PER_PARTITION = 2
_FEWEST_STEPS = 64
EXCHANGED = 64
"""Partitions that a broker leads which exchanges are looked for among."""
_LEAST_GAIN = 1e-9


class WeightedPartition(NamedTuple):
    """A partition: its brokers, the preferred leader first; `weight`: bytes, or bytes/s.

    `kept`: it is excluded, so its leader leads on.
    """

    topic: str
    partition: int
    replicas: tuple[int, ...]
    weight: float
    kept: bool = False

    @property
    def name(self) -> str:
        """topic-partition."""
        return f"{self.topic}-{self.partition}"


class Lead(NamedTuple):
    """What a broker leads, before and after: partitions, and their weight."""

    broker: int
    partitions_before: int
    partitions_after: int
    weight_before: float
    weight_after: float


class Leadership(NamedTuple):
    """The new orders, of those partitions whose leader changes; each broker's part; reasons."""

    orders: tuple[WeightedPartition, ...]
    leads: tuple[Lead, ...]
    notes: tuple[str, ...]


def even_leaders(
    partitions: Sequence[WeightedPartition],
    brokers: Sequence[int],
    tolerance: float,
    unit: str = "",
) -> Leadership:
    """Choose leaders; `brokers`: those that may lead; the others must lead nothing.

    A broker is even within `tolerance` of the mean, in numbers rounded to whole partitions.
    `unit`: what follows an amount of weight in words, "/s" where weights are rates.
    """
    ordered = sorted(partitions)
    if not ordered:
        return Leadership((), (), ())
    search = _LeaderSearch(ordered, brokers, tolerance)
    before = search.counts.copy(), search.weights.copy()
    search.run()
    orders = tuple(
        led._replace(replicas=first(led.replicas, search.brokers[leader]))
        for led, leader in zip(ordered, search.leader.tolist(), strict=True)
        if led.replicas and led.replicas[0] != search.brokers[leader]
    )
    leads = tuple(
        Lead(b, int(before[0][n]), int(search.counts[n]), float(before[1][n]),
             float(search.weights[n]))
        for n, b in enumerate(search.brokers)
    )  # fmt: skip
    return Leadership(orders, leads, tuple(search.notes(unit)))


def first(replicas: tuple[int, ...], leader: int) -> tuple[int, ...]:
    """The replicas with this one first, which changes places with the one that was."""
    other = replicas[0]
    return tuple(leader if b == other else other if b == leader else b for b in replicas)


class _LeaderAims:
    """The bands of each broker in partitions and in weight, around what it should lead.

    `shared`: the partitions that brokers which may lead can lead at all: these share them out.
    """

    def __init__(self, may: Flags, shared: Floats, tolerance: float) -> None:
        taking = max(1, int(may.sum()))
        self.count_mean = np.where(may, len(shared) / taking, 0.0)
        self.weight_mean = np.where(may, shared.sum() / taking, 0.0)
        self.low = np.floor(self.count_mean * (1 - tolerance))
        self.high = np.ceil(self.count_mean * (1 + tolerance))
        self.light = self.weight_mean * (1 - tolerance)
        self.heavy = self.weight_mean * (1 + tolerance)

    def off(self, counts: Floats, weights: Floats) -> Floats:
        """How far each broker is out of its bands, as shares of the means."""
        more = np.maximum(np.maximum(counts - self.high, self.low - counts), 0)
        heavier = np.maximum(np.maximum(weights - self.heavy, self.light - weights), 0)
        heavier = np.where(heavier >= 1, heavier, 0)
        whole, all_of_it = self.count_mean.max(), self.weight_mean.max()
        return more / (whole or 1) + heavier / (all_of_it or 1)

    def strain(self, broker: Ints, counts: Floats, weights: Floats) -> Floats:
        """How unlike the mean brokers are with these, as squares: the less the better."""
        count = (counts - self.count_mean[broker]) / self.count_mean.max()
        weight = weights - self.weight_mean[broker]
        strain: Floats = count**2 + (weight / (self.weight_mean.max() or 1)) ** 2
        return strain


class _LeaderSearch:
    """The leaders during the search; brokers and partitions as indices."""

    def __init__(
        self, partitions: Sequence[WeightedPartition], brokers: Sequence[int], tolerance: float
    ) -> None:
        self.brokers = sorted({b for led in partitions for b in led.replicas} | set(brokers))
        at = {b: n for n, b in enumerate(self.brokers)}
        self.partitions = partitions
        count, wide = len(partitions), max((len(led.replicas) for led in partitions), default=1)
        self.replicas = np.full((count, max(1, wide)), -1, dtype=np.int64)
        for n, led in enumerate(partitions):
            theirs = led.replicas[:1] if led.kept else led.replicas
            self.replicas[n, : len(theirs)] = [at[b] for b in theirs]
        # Whole bytes, whose sums are exact, and replicas in an order that no plan changes: so a
        # result, planned again, is a result.
        self.weight = np.rint(np.array([led.weight for led in partitions], dtype=np.float64))
        self.leader: Ints = self.replicas[:, 0].copy()
        self.replicas.sort(axis=1)
        there = self.leader >= 0
        size = len(self.brokers)
        self.counts = np.bincount(self.leader[there], minlength=size).astype(np.float64)
        self.weights = np.bincount(self.leader[there], self.weight[there], size).astype(np.float64)
        self.may = np.zeros(size, dtype=np.bool_)
        self.may[[at[b] for b in brokers]] = True
        held = np.argsort(self.replicas.ravel(), kind="stable")
        ends = np.searchsorted(self.replicas.ravel()[held], np.arange(size + 1))
        parts = held // self.replicas.shape[1]
        self.parts = [parts[a:b] for a, b in pairwise(ends)]
        ours = np.flatnonzero(there)
        holders = self.replicas[ours]
        shared = ours[np.any((holders >= 0) & self.may[holders], axis=1)]
        self.aims = _LeaderAims(self.may, self.weight[shared], tolerance)

    def run(self) -> None:
        """Search until every broker is within its bands, or no step brings one nearer."""
        self._hand_over()
        stuck, moved = np.zeros(len(self.brokers), dtype=np.bool_), False
        steps = _FEWEST_STEPS + STEPS_PER_PARTITION * len(self.leader)
        while steps:
            off = np.where(stuck, 0.0, self.off())
            worst = int(np.argmax(off))
            if not off[worst]:
                if not moved:
                    return
                # What has moved since may help those that were stuck: the last look is at all.
                stuck[:], moved = False, False
            elif self._step(worst) or self._exchange(worst) or self._chain(worst):
                moved = True
                steps -= 1
            else:
                stuck[worst] = True

    def _hand_over(self) -> None:
        """Partitions of a broker that must lead nothing go to another replica's, the heavy first.

        Whether that makes brokers more even does not matter here: the steps that follow do that.
        """
        led = np.flatnonzero(self.leader >= 0)
        led = led[~self.may[self.leader[led]]]
        for part in led[np.argsort(-self.weight[led], kind="stable")].tolist():
            theirs = self.replicas[part]
            takers = theirs[(theirs >= 0) & self.may[theirs]]
            if len(takers):
                weight = np.full(len(takers), self.weight[part])
                strain = self._strain(takers, 1.0, weight) - self._strain(takers, 0.0, 0 * weight)
                self._give(part, int(takers[np.argmin(strain)]))

    def off(self) -> Floats:
        """How far each broker is out of its bands."""
        return self.aims.off(self.counts, self.weights)

    def _strain(self, broker: Ints, more: Floats | float, heavier: Floats) -> Floats:
        """How unlike the mean brokers are with so much more."""
        return self.aims.strain(broker, self.counts[broker] + more, self.weights[broker] + heavier)

    def _whole_strain(self) -> float:
        """That of all brokers that may lead."""
        brokers = np.flatnonzero(self.may)
        return float(self._strain(brokers, 0.0, np.zeros(len(brokers))).sum())

    def _gain(self, source: Ints, target: Ints, more: Floats | float, heavier: Floats) -> Floats:
        none = np.zeros_like(heavier)
        before = self._strain(source, 0.0, none) + self._strain(target, 0.0, none)
        after = self._strain(source, -more, -heavier) + self._strain(target, more, heavier)
        return before - after

    def _step(self, broker: int) -> bool:
        """The change of one leader that brings a broker and another nearest to the mean."""
        parts = self.parts[broker]
        mine = self.leader[parts] == broker
        led = np.repeat(parts[mine], self.replicas.shape[1])
        to = self.replicas[parts[mine]].ravel()
        may = (to >= 0) & (to != broker) & self.may[to]
        others = parts[~mine] if self.may[broker] else parts[:0]
        chosen = np.concatenate([led[may], others])
        if not len(chosen):
            return False
        target = np.concatenate([to[may], np.full(len(others), broker)])
        gain = self._gain(self.leader[chosen], target, 1.0, self.weight[chosen])
        best = int(np.argmax(gain))
        if gain[best] < _LEAST_GAIN:
            return False
        self._give(int(chosen[best]), int(target[best]))
        return True

    def _exchange(self, broker: int) -> bool:
        """The exchange of two partitions' leaders that does so, of as many to each."""
        if not self.may[broker]:
            return False
        best: tuple[float, int, int, int] | None = None
        for other in np.flatnonzero(self.may).tolist():
            both = np.intersect1d(self.parts[broker], self.parts[other])
            mine = self._spread(both[self.leader[both] == broker])
            theirs = self._spread(both[self.leader[both] == other])
            if other == broker or not len(mine) or not len(theirs):
                continue
            heavier = (self.weight[mine][:, None] - self.weight[theirs][None, :]).ravel()
            pair = np.array([broker]), np.array([other])
            gain = self._gain(*pair, 0.0, heavier)
            at = int(np.argmax(gain))
            if gain[at] >= _LEAST_GAIN and (best is None or gain[at] > best[0]):
                i, j = divmod(at, len(theirs))
                best = (float(gain[at]), int(mine[i]), int(theirs[j]), other)
        if best is None:
            return False
        self._give(best[1], best[3])
        self._give(best[2], broker)
        return True

    def _chain(self, broker: int) -> bool:
        """Changes of several leaders in a row, from a broker with many to one with few."""
        over = self.counts[broker] > self.aims.high[broker]
        if not over and self.counts[broker] >= self.aims.low[broker]:
            return False
        came: dict[int, tuple[int, int]] = {broker: (-1, -1)}
        waiting = deque([broker])
        while waiting:
            one = waiting.popleft()
            for part, other in self._next(one, over):
                if other in came or not self.may[other]:
                    continue
                came[other] = (one, part)
                waiting.append(other)
                change = self.counts[broker] - self.counts[other]
                if (change if over else -change) >= 2:
                    return self._follow(other, came, over)
        return False

    def _next(self, broker: int, over: bool) -> Iterator[tuple[int, int]]:
        """(partition, broker that may lead it instead, or that leads it instead), light first."""
        parts = self.parts[broker]
        mine = self.leader[parts] == broker
        chosen = parts[mine] if over else parts[~mine]
        for part in chosen[np.argsort(self.weight[chosen], kind="stable")].tolist():
            if over:
                yield from ((part, b) for b in self.replicas[part].tolist() if b >= 0)
            else:
                yield part, int(self.leader[part])

    def _follow(self, end: int, came: dict[int, tuple[int, int]], over: bool) -> bool:
        """Take a chain's steps, if all is more even then.

        By the same measure as a single step: so no step takes back what a chain has brought.
        """
        before, taken = self._whole_strain(), []
        while came[end][0] >= 0:
            one, part = came[end]
            taken.append((part, int(self.leader[part])))
            self._give(part, end if over else one)
            end = one
        if self._whole_strain() < before - _LEAST_GAIN:
            return True
        for part, leader in reversed(taken):
            self._give(part, leader)
        return False

    def _spread(self, parts: Ints) -> Ints:
        if len(parts) <= EXCHANGED:
            return parts
        by_weight = parts[np.argsort(self.weight[parts], kind="stable")]
        return by_weight[np.linspace(0, len(parts) - 1, EXCHANGED).astype(np.int64)]

    def _give(self, partition: int, target: int) -> None:
        source, weight = int(self.leader[partition]), self.weight[partition]
        self.leader[partition] = target
        self.counts[source] -= 1
        self.counts[target] += 1
        self.weights[source] -= weight
        self.weights[target] += weight

    def notes(self, unit: str) -> Iterator[str]:
        """Which brokers are not even, and what is in the way."""
        for n, off in enumerate(self.off().tolist()):
            broker = self.brokers[n]
            if off <= 0:
                continue
            if not self.may[n]:
                mine = [self.partitions[part] for part in np.flatnonzero(self.leader == n).tolist()]
                leads = f"broker {broker} still leads"
                kept = [led.name for led in mine if led.kept]
                if kept:
                    those = counted(len(kept), "excluded partition")
                    yield f"{leads} {those}: {listed(kept)}"
                alone = [led.name for led in mine if not led.kept]
                if alone:
                    those = counted(len(alone), "partition")
                    yield (
                        f"{leads} {those}, and no other broker that may lead has a replica: "
                        f"{listed(alone)}"
                    )
            elif not len(self.parts[n]):
                yield f"broker {broker} leads nothing: it has no replica of any partition"
            else:
                weight, mean = told_apart(self.weights[n], self.aims.weight_mean[n])
                count = _mean(self.aims.count_mean[n])
                yield (
                    f"broker {broker} leads {counted(round(self.counts[n]), 'partition')} with "
                    f"{weight}{unit}, the mean is {count} with {mean}{unit}: "
                    "no other leader among the replicas that there are, and no exchange of two, "
                    "was found to bring it closer"
                )


def _mean(count: float) -> str:
    return f"{count:.1f}".removesuffix(".0")
