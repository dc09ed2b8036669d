"""What even means for a cluster: the band of each directory, and of each broker as a whole.

Brokers that take replicas of others share one level, as if all their directories stood in one
broker; one that takes none may only lose, and keeps a level of its own. Called by the planner of
a cluster.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import NamedTuple

from spindle.planning.bands.bound import Edges, GiantsWays, edges, lower_bound, rate_edges
from spindle.planning.between.rules import PlacementRules
from spindle.planning.cluster_model import ClusterModel
from spindle.planning.load import DirectoryLoad
from spindle.planning.search_state import SearchState

TRIMS = (0.05, 0.25, 0.5)
"""Of half the band: so much less a broker gets whose directories are not even yet, the more the
harder that turns out to be. At the very edge of its band they could hardly be evened out, for each
would have to be at its own edge."""
NOTHING = Edges(0.0, 0.0, 0.0, 0.0)


class Levels(NamedTuple):
    """Bands in bytes: by directory and by broker.

    `aims`: the bands that brokers are brought into, which may be narrower; `flows`: those of the
    bytes/s that brokers are written with, empty where rates do not count.
    """

    directories: list[Edges]
    brokers: list[Edges]
    aims: list[Edges]
    flows: list[Edges]

    def bound(
        self, cluster: ClusterModel, before: Sequence[int], after: Sequence[int] | None = None
    ) -> int:
        """Bytes that any plan must move which ends in the band, or as even as `after`.

        A replica that leaves a closed broker may serve two sums, that of brokers which share a
        level and that of directories of closed ones: so it is the larger one, not both.
        """
        around: list[Edges] = []
        sizes: list[int] = []
        ends: list[int] | None = None if after is None else []
        closed = 0
        for b, broker in enumerate(cluster.brokers):
            own = cluster.of_broker(b)
            here = slice(own.start, own.stop)
            if broker.open or broker.drain:
                around += self.directories[here]
                sizes += before[here]
                if ends is not None and after is not None:
                    ends += after[here]
            elif own:
                around.append(self.brokers[b])
                sizes.append(sum(before[here]))
                if ends is not None and after is not None:
                    ends.append(sum(after[here]))
                theirs = None if after is None else after[here]
                closed += lower_bound(self.directories[here], before[here], theirs)
        return max(lower_bound(around, sizes, ends), closed)

    def broker_bound(
        self, cluster: ClusterModel, before: Sequence[int], after: Sequence[int] | None = None
    ) -> int:
        """Those of them that must go to another broker."""
        ends = None if after is None else _totals(cluster, after)
        return lower_bound(self.brokers, _totals(cluster, before), ends)


def levels(field: SearchState, blocked: Collection[int] = (), trim: float = 0.0) -> Levels:
    """The bands of a cluster from where everything is now; `blocked` replicas stay there."""
    cluster = field.cluster
    vessels: list[DirectoryLoad] = []
    sizes: list[int] = []
    stays: list[tuple[int, int]] = []
    of: list[range] = []
    for b, broker in enumerate(cluster.brokers):
        own = cluster.of_broker(b)
        begin = len(vessels)
        if broker.open or broker.drain:
            for d in own:
                kind = cluster.directories[d]
                vessels.append(kind._replace(open=False, drain=True) if broker.drain else kind)
                sizes.append(field.used[d])
                stays.append(field.staying(d, blocked))
        elif own:
            usable = [d for d in own if field.targets[d]]
            room = sum(cluster.directories[d].capacity for d in usable)
            vessels.append(DirectoryLoad("", room, False))
            sizes.append(sum(field.used[d] for d in own))
            stays.append((sum(field.staying(d, blocked)[0] for d in own), 0))
        of.append(range(begin, len(vessels)))
    groups = [b for b, theirs in enumerate(of) for _ in theirs]
    ways = GiantsWays(_LargestMayGo(field, blocked).__call__, groups)
    around = edges(vessels, sizes, field.band, [p for p, _ in stays], [n for _, n in stays], ways)
    brokers = [_sum([around[v] for v in theirs]) for theirs in of]
    directories: list[Edges] = []
    for b, broker in enumerate(cluster.brokers):
        if broker.open or broker.drain:
            directories += [around[v] for v in of[b]]
            continue
        directories += field.around(b, blocked)
    aims = [
        e.trimmed(trim) if any(around[v].outside(sizes[v]) for v in theirs) else e
        for e, theirs in zip(brokers, of, strict=True)
    ]
    return Levels(directories, brokers, aims, _flows(field, blocked))


class _LargestMayGo:
    """Whether the largest replica of a vessel may go to another, by the rules of placement."""

    def __init__(self, field: SearchState, blocked: Collection[int]) -> None:
        self._field, self._blocked = field, blocked
        cluster = field.cluster
        self._directory: list[int] = []
        """Of each vessel; a broker that takes nothing is one, by its first directory."""
        for b, broker in enumerate(cluster.brokers):
            own = cluster.of_broker(b)
            self._directory += own if broker.open or broker.drain else own[:1]

    @cached_property
    def _rules(self) -> PlacementRules:
        return PlacementRules(self._field)

    def __call__(self, vessel: int, other: int) -> bool:
        owner, source = self._field.cluster.owner, self._directory[vessel]
        target = self._directory[other]
        if not self._field.targets[target]:
            return False
        rank = self._field.largest(source, self._blocked)
        there = owner[target]
        return owner[source] == there or self._rules.allows(rank, there)


def _flows(field: SearchState, blocked: Collection[int]) -> list[Edges]:
    """The band of each broker's write rate: an equal part for each directory that takes replicas.

    A broker that takes nothing from others may only lose.
    """
    tolerance = field.band.rate_tolerance
    if tolerance is None or field.rates is None or not any(field.rates.flow):
        return []
    vessels: list[DirectoryLoad] = []
    rates: list[float] = []
    stays: list[tuple[float, float]] = []
    for b, broker in enumerate(field.cluster.brokers):
        for d in field.cluster.of_broker(b):
            kind = field.cluster.directories[d]
            gone = broker.drain or kind.drain
            vessels.append(kind._replace(open=broker.open and kind.open and not gone, drain=gone))
            rates.append(field.rates.flow[d])
            stays.append(field.running(d, [r for r in field.held[d] if r not in blocked]))
    around = rate_edges(vessels, rates, tolerance, [p for p, _ in stays], [n for _, n in stays])
    own = map(field.cluster.of_broker, range(len(field.cluster.brokers)))
    return [_sum([around[d] for d in theirs]) for theirs in own]


def _totals(cluster: ClusterModel, used: Sequence[int]) -> list[int]:
    own = map(cluster.of_broker, range(len(cluster.brokers)))
    return [sum(used[theirs.start : theirs.stop]) for theirs in own]


def _sum(parts: list[Edges]) -> Edges:
    low, mean, high, fair = (sum(column) for column in zip(NOTHING, *parts, strict=True))
    return Edges(low, mean, high, fair)
