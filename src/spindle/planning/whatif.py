"""What would be: a cluster with a disk more or less, a broker more or less, or as it will be.

Plain functions from a cluster to a cluster, to be planned like any other; nothing is touched.
Called by the commands. Unusable where the cluster has no such broker or directory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from spindle.model.errors import Unusable
from spindle.planning.cluster import BrokerLoad, Cluster, Floats, Ints
from spindle.planning.load import Band, DirectoryLoad, Plan
from spindle.planning.schedule import Limits
from spindle.planning.whole import plan_cluster

Growth = Mapping[tuple[int, str, int], float]
"""Bytes per second by (broker, topic, partition); what is not in it does not grow."""


def with_disk(cluster: Cluster, broker: int, path: str, capacity: int) -> Cluster:
    """With an empty directory more."""
    owner = _broker(cluster, broker)
    if any(cluster.directories[d].path == path for d in cluster.of_broker(owner)):
        raise Unusable(f"broker {broker} has a log directory {path} already; name another path")
    return _with_directories(cluster, [(owner, DirectoryLoad(path, capacity))])


def with_broker(
    cluster: Cluster, broker: BrokerLoad, directories: Sequence[DirectoryLoad]
) -> Cluster:
    """With an empty broker more."""
    if any(known.number == broker.number for known in cluster.brokers):
        raise Unusable(f"the cluster has a broker {broker.number} already; give it another id")
    at = sum(known.number < broker.number for known in cluster.brokers)
    grown = replace(
        cluster,
        brokers=(*cluster.brokers[:at], broker, *cluster.brokers[at:]),
        owner=tuple(b + (b >= at) for b in cluster.owner),
    )
    return _with_directories(grown, [(at, kind) for kind in directories])


def without_disk(cluster: Cluster, broker: int, path: str) -> Cluster:
    """With a directory that is to be emptied."""
    return _changed(cluster, broker, path, lost=False)


def lost_disk(cluster: Cluster, broker: int, path: str) -> Cluster:
    """With a directory that has failed: its replicas must come into being again elsewhere.

    They are copied from the leaders, wherever they go; a plan's moves name the lost directory as
    their source all the same.
    """
    return _changed(cluster, broker, path, lost=True)


def without_broker(cluster: Cluster, broker: int) -> Cluster:
    """With a broker that is to be emptied."""
    at = _broker(cluster, broker)
    brokers = list(cluster.brokers)
    brokers[at] = brokers[at]._replace(drain=True)
    return replace(cluster, brokers=tuple(brokers))


class Full(NamedTuple):
    """When a directory reaches its high mark: `seconds` from now, 0 if it has."""

    broker: int
    path: str
    seconds: float


def first_full(cluster: Cluster, growth: Growth, band: Band) -> Full | None:
    """The directory that reaches its high mark first if all goes on as now; None: none ever."""
    count, r = len(cluster.directories), cluster.replicas
    used = np.bincount(r.directory, weights=r.size, minlength=count)
    faster = np.bincount(r.directory, weights=_rates(cluster, growth), minlength=count)
    best: Full | None = None
    for d, kind in enumerate(cluster.directories):
        left = band.mark(kind.capacity) - float(used[d])
        if left > 0 >= faster[d] or kind.capacity == 0:
            continue
        full = Full(*cluster.place(d), max(0.0, left) / float(faster[d]) if left > 0 else 0.0)
        if best is None or full.seconds < best.seconds:
            best = full
    return best


def ahead(cluster: Cluster, growth: Growth, seconds: float) -> Cluster:
    """With the sizes that replicas will have. One that shrinks counts as large as it is now.

    For until it has shrunk it takes its room.
    """
    more = np.maximum(0.0, _rates(cluster, growth) * seconds).astype(np.int64)
    sizes = cluster.replicas.size + more
    return replace(cluster, replicas=cluster.replicas._replace(size=sizes))


def plan_ahead(
    cluster: Cluster,
    growth: Growth,
    seconds: float,
    band: Band,
    limits: Limits | None = None,
    between: bool = False,
) -> Plan:
    """A plan that is even in so many seconds. Its moves tell today's bytes, its shares those then.

    Room is reckoned with the sizes of then, so no directory passes its high mark meanwhile.
    """
    plan = plan_cluster(ahead(cluster, growth, seconds), band, limits, between)
    today: dict[tuple[str, int, int, str], int] = {}
    r = cluster.replicas
    for n in range(len(r.size)):
        name = cluster.partitions.name(int(r.partition[n]))
        today[(*name, *cluster.place(int(r.directory[n])))] = int(r.size[n])
    moves = []
    for move in plan.moves:
        size = today.pop((move.topic, move.partition, move.broker, move.source))
        today[move.topic, move.partition, move.to, move.target] = size
        moves.append(move._replace(size=size))
    return replace(plan, moves=tuple(moves))


def _rates(cluster: Cluster, growth: Growth) -> Floats:
    r = cluster.replicas
    owners = [cluster.brokers[cluster.owner[d]].number for d in r.directory.tolist()]
    names = map(cluster.partitions.name, r.partition.tolist())
    found = [growth.get((b, *name), 0.0) for b, name in zip(owners, names, strict=True)]
    return np.array(found, dtype=np.float64)


def _broker(cluster: Cluster, number: int) -> int:
    for n, broker in enumerate(cluster.brokers):
        if broker.number == number:
            return n
    known = ", ".join(str(broker.number) for broker in cluster.brokers)
    raise Unusable(f"the cluster has no broker {number}; it has: {known or 'none'}")


def _changed(cluster: Cluster, broker: int, path: str, lost: bool) -> Cluster:
    own = cluster.of_broker(_broker(cluster, broker))
    kinds = list(cluster.directories)
    for d in own:
        if kinds[d].path == path:
            kinds[d] = DirectoryLoad(path, 0 if lost else kinds[d].capacity, False, True)
            return replace(cluster, directories=tuple(kinds))
    known = ", ".join(kinds[d].path for d in own)
    raise Unusable(f"broker {broker} has no log directory {path}; it has: {known or 'none'}")


def _with_directories(cluster: Cluster, more: Sequence[tuple[int, DirectoryLoad]]) -> Cluster:
    """With more directories, each with its broker's index; replicas stay where they are."""
    old = list(zip(cluster.owner, cluster.directories, strict=True))
    order = sorted([*old, *more])
    at = {(b, kind.path): n for n, (b, kind) in enumerate(order)}
    renumbered: Ints = np.array([at[b, kind.path] for b, kind in old], dtype=np.int64)
    r = cluster.replicas
    return replace(
        cluster,
        directories=tuple(kind for _, kind in order),
        owner=tuple(b for b, _ in order),
        replicas=r._replace(directory=renumbered[r.directory] if len(old) else r.directory),
    )
