"""What even means for a cluster: the band of each directory, and of each broker as a whole.

Brokers that take replicas of others share one level, as if all their directories stood in one
broker; one that takes none may only lose, and keeps a level of its own. Called by the planner of
a cluster.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from spindle.planning.bands.bound import Edges, edges, lower_bound, rate_edges
from spindle.planning.field import Field
from spindle.planning.load import DirectoryLoad

TRIMS = (0.05, 0.25, 0.5)
"""Of half the band: so much less a broker gets whose directories are not even yet, the more the
harder that turns out to be. At the very edge of its band they could hardly be evened out, for each
would have to be at its own edge."""
NOTHING = Edges(0.0, 0.0, 0.0, 0.0)


class Levels(NamedTuple):
    """Bands in bytes: by directory and by broker. `bound`, `broker_bound` as in a Plan.

    `aims`: the bands that brokers are brought into, which may be narrower; `flows`: those of the
    bytes/s that brokers are written with, empty where rates do not count.
    """

    directories: list[Edges]
    brokers: list[Edges]
    aims: list[Edges]
    bound: int
    broker_bound: int
    flows: list[Edges]


def levels(field: Field, blocked: Collection[int] = (), trim: float = 0.0) -> Levels:
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
    around = edges(vessels, sizes, field.band, [p for p, _ in stays], [n for _, n in stays])
    brokers = [_sum([around[v] for v in theirs]) for theirs in of]
    directories: list[Edges] = []
    closed = 0
    for b, broker in enumerate(cluster.brokers):
        if broker.open or broker.drain:
            directories += [around[v] for v in of[b]]
            continue
        alone = field.around(b, blocked)
        directories += alone
        closed += lower_bound(alone, [field.used[d] for d in cluster.of_broker(b)])
    aims = [
        e.trimmed(trim) if any(around[v].outside(sizes[v]) for v in theirs) else e
        for e, theirs in zip(brokers, of, strict=True)
    ]
    # A replica that leaves a closed broker may serve both sums: so the larger one, not their sum.
    bound = max(lower_bound(around, sizes), closed)
    return Levels(
        directories, brokers, aims, bound, lower_bound(brokers, _totals(field)),
        _flows(field, blocked),
    )  # fmt: skip


def _flows(field: Field, blocked: Collection[int]) -> list[Edges]:
    """The band of each broker's write rate: an equal part for each directory that takes replicas.

    A broker that takes nothing from others may only lose.
    """
    tolerance = field.band.rate_tolerance
    if tolerance is None or field.flow is None or not any(field.flow):
        return []
    vessels: list[DirectoryLoad] = []
    rates: list[float] = []
    stays: list[tuple[float, float]] = []
    for b, broker in enumerate(field.cluster.brokers):
        for d in field.cluster.of_broker(b):
            kind = field.cluster.directories[d]
            gone = broker.drain or kind.drain
            vessels.append(kind._replace(open=broker.open and kind.open and not gone, drain=gone))
            rates.append(field.flow[d])
            stays.append(field.running(d, [r for r in field.held[d] if r not in blocked]))
    around = rate_edges(vessels, rates, tolerance, [p for p, _ in stays], [n for _, n in stays])
    own = map(field.cluster.of_broker, range(len(field.cluster.brokers)))
    return [_sum([around[d] for d in theirs]) for theirs in own]


def _totals(field: Field) -> list[int]:
    own = map(field.cluster.of_broker, range(len(field.cluster.brokers)))
    return [sum(field.used[d] for d in theirs) for theirs in own]


def _sum(parts: list[Edges]) -> Edges:
    low, mean, high, fair = (sum(column) for column in zip(NOTHING, *parts, strict=True))
    return Edges(low, mean, high, fair)
