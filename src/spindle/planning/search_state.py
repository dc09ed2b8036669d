"""A cluster while it is planned: which replica is in which directory, now and as planned so far.

Replicas are known by rank (see `state`), directories by index. Gives the state of a broker to
search from, and takes what has been found. Called by the planners.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, insort
from collections.abc import Collection, Sequence
from itertools import accumulate, chain, pairwise

import numpy as np

from spindle.planning.bands.bound import Edges, GiantsWays, edges, rate_edges
from spindle.planning.bands.dominant_replica import BrokerMeasure, widened_bands
from spindle.planning.cluster_model import ClusterModel, Floats, Ints, ReplicaColumns
from spindle.planning.load import Band
from spindle.planning.placement_index import PlacementIndex, Rates
from spindle.planning.rank_columns import grouped, packed, sums
from spindle.planning.staying_replicas import StayingReplicas

_NONE: Ints = np.empty(0, dtype=np.int64)


class ClusterRates:
    """Bytes written per second, where they count: `of` each replica by rank, as `column` too.

    `flow`: their sum in each directory; `scale`: bytes that a byte per second counts as.
    """

    def __init__(self, column: Floats, flow: list[float], sizes: Ints) -> None:
        self.of: list[float] = column.tolist()
        self.column, self.flow = column, flow
        self.scale = float(sizes.sum()) / max(1.0, float(column.sum()))

    def shift(self, rank: int, source: int, target: int) -> None:
        """Count a move."""
        self.flow[source] -= self.of[rank]
        self.flow[target] += self.of[rank]


class SearchState:
    """Where everything is. `sizes`, `partition`, `place` (directory): by rank."""

    def __init__(self, cluster: ClusterModel, band: Band, together: bool = False) -> None:
        """`together`: all brokers are planned as one; else each by itself."""
        self.cluster, self.band = cluster, band
        r = cluster.replicas
        order = _by_size(r, len(cluster.directories))
        size, directory = r.size[order], r.directory[order]
        self.place: array[int] = packed("q", directory)
        self.sizes: array[int] = packed("q", size)
        self.partition = r.partition[order]
        self.marks = [band.mark(d.capacity) for d in cluster.directories]
        count = len(cluster.directories)
        self.used: list[int] = sums(directory, size, count).astype(np.int64).tolist()
        self.rates: ClusterRates | None = None
        rate: Floats = np.zeros(0)
        if band.rate_tolerance is not None:
            # Whole bytes, whose sums are exact: so a result, planned again, is a result.
            rate = np.rint(r.rate[order])
            self.rates = ClusterRates(rate, sums(directory, rate, count).tolist(), size)
        self.targets = [
            d.open and not d.drain and not cluster.brokers[b].drain
            for d, b in zip(cluster.directories, cluster.owner, strict=True)
        ]
        ranked = ReplicaColumns(self.partition, directory, size, rate, r.pinned[order])
        self.stays = stays = StayingReplicas(cluster, band, ranked, self.targets, together)
        self.held = grouped(directory, (size > 0) & ~stays.all, count)
        self.empty = grouped(directory, (size == 0) & ~stays.all, count)

    @property
    def _size(self) -> Ints:
        """The sizes as a column; the memory is theirs."""
        return np.asarray(self.sizes)

    def around(self, broker: int, blocked: Collection[int] = ()) -> list[Edges]:
        """The band of each of a broker's directories, for the broker alone."""
        own = self.cluster.of_broker(broker)
        stays = [self.staying(d, blocked) for d in own]
        directories = [self.cluster.directories[d] for d in own]
        return edges(
            directories,
            [self.used[d] for d in own],
            self.band,
            [pinned for pinned, _ in stays],
            [largest for _, largest in stays],
            GiantsWays(lambda _, target: self.targets[own[target]], [broker] * len(own)),
        )

    def staying(self, directory: int, blocked: Collection[int] = ()) -> tuple[int, int]:
        """(bytes that cannot leave a directory, bytes of the largest replica that can)."""
        pinned = self.stays.size[directory]
        held: Sequence[int] = self.held[directory]
        if blocked:
            pinned += sum(self.sizes[rank] for rank in held if rank in blocked)
            held = [rank for rank in held if rank not in blocked]
        return pinned, self.sizes[held[-1]] if held else 0

    def largest(self, directory: int, blocked: Collection[int] = ()) -> int:
        """The rank of a directory's largest replica that can leave; there is one."""
        return next(r for r in reversed(self.held[directory]) if r not in blocked)

    def running(self, directory: int, free: Collection[int]) -> tuple[float, float]:
        """(bytes/s that cannot leave a directory, those of its fastest replica that is free)."""
        assert self.rates is not None
        rates = [self.rates.of[rank] for rank in free]
        return self.rates.flow[directory] - sum(rates), max(rates, default=0.0)

    def state(
        self,
        broker: int,
        around: list[Edges] | None = None,
        blocked: Collection[int] = (),
        arrived: Collection[int] = (),
    ) -> PlacementIndex:
        """A broker to search in; `blocked` replicas stay where they are."""
        own = self.cluster.of_broker(broker)
        directories = [self.cluster.directories[d] for d in own]
        held = [self.held[d].tolist() for d in own]
        empty = [self.empty[d].tolist() for d in own]
        if blocked:
            held = [[rank for rank in there if rank not in blocked] for there in held]
            empty = [[rank for rank in there if rank not in blocked] for there in empty]
            ranks = np.fromiter(chain.from_iterable(held), dtype=np.int64)
        else:
            ranks = np.concatenate([_NONE, *(self.held[d] for d in own)])
        flat = self._size[ranks].tolist()
        ends = accumulate(map(len, held), initial=0)
        weights = [flat[begin:end] for begin, end in pairwise(ends)]
        alone = around if around is not None else self.around(broker, blocked)
        around, rates = self.bands(broker, alone, held)
        return PlacementIndex(
            self.sizes,
            held,
            weights,
            [self.used[d] for d in own],
            around,
            [self.marks[d] for d in own],
            [n for n, d in enumerate(own) if self.targets[d]],
            [n for n, d in enumerate(directories) if d.drain],
            empty,
            arrived,
            rates,
        )

    def outside(self, broker: int) -> float:
        """How far a broker is out of its own bands: what its state would tell, without it."""
        own = self.cluster.of_broker(broker)
        around, rates = self.bands(broker, self.around(broker))
        off: float = sum(e.outside(self.used[d]) for e, d in zip(around, own, strict=True))
        if rates is not None:
            off += sum(map(rates.off, range(len(own))))
        drained = [d for d in own if self.cluster.directories[d].drain]
        return off + sum(len(self.held[d]) + len(self.empty[d]) for d in drained)

    def bands(
        self, broker: int, around: list[Edges], held: Sequence[Sequence[int]] | None = None
    ) -> tuple[list[Edges], Rates | None]:
        """The bands of a broker's directories, of bytes `around` and of rates, where those count.

        They are wider where they contradict each other. `held`: what may be moved.
        """
        own = self.cluster.of_broker(broker)
        held = [self.held[d] for d in own] if held is None else held
        rates = self._rates(own, held)
        if rates is None or self.rates is None:
            return around, None
        ranks = np.fromiter(chain.from_iterable(held), dtype=np.int64)
        bytes_ = BrokerMeasure(
            self._size[ranks].astype(np.float64),
            [self.used[d] for d in own],
            around,
            [self.marks[d] for d in own],
        )
        flows = BrokerMeasure(
            self.rates.column[ranks], rates.flow, rates.edges, [math.inf] * len(own)
        )
        counts = list(map(len, held))
        rates.edges = widened_bands(counts, flows, bytes_)
        return widened_bands(counts, bytes_, flows), rates

    def _rates(self, own: Sequence[int], held: Sequence[Sequence[int]]) -> Rates | None:
        if self.rates is None or self.band.rate_tolerance is None:
            return None
        flow = [self.rates.flow[d] for d in own]
        if not any(flow):
            return None
        directories = [self.cluster.directories[d] for d in own]
        stays = [self.running(d, there) for d, there in zip(own, held, strict=True)]
        around = rate_edges(
            directories,
            flow,
            self.band.rate_tolerance,
            [pinned for pinned, _ in stays],
            [largest for _, largest in stays],
        )
        return Rates(self.rates.of, flow, around, sum(self.used[d] for d in own) / sum(flow))

    def shift(self, rank: int, source: int, target: int) -> None:
        """Count a move as done."""
        size = self.sizes[rank]
        lists = self.held if size else self.empty
        self.place[rank] = target
        there = lists[source]
        del there[bisect_left(there, rank)]
        insort(lists[target], rank)
        self.used[source] -= size
        self.used[target] += size
        if self.rates is not None:
            self.rates.shift(rank, source, target)

    def rate(self, rank: int) -> float:
        """Bytes/s that a replica is written with; 0 where rates do not count."""
        return 0.0 if self.rates is None else self.rates.of[rank]

    def name(self, rank: int) -> tuple[str, int]:
        """(topic, partition) of a replica."""
        return self.cluster.partitions.name(int(self.partition[rank]))


def _by_size(r: ReplicaColumns, directories: int) -> Ints:
    """Rows by size, then by partition, then by directory: the order of ranks."""
    rows = np.argsort(r.partition * directories + r.directory, kind="stable")  # Nearly sorted.
    return rows[np.argsort(r.size[rows], kind="stable")]
