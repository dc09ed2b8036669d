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

from spindle.planning.bands.bound import Edges, edges, rate_edges
from spindle.planning.bands.company import BrokerMeasure, with_company
from spindle.planning.cluster_model import ClusterModel, Flags, Floats, Ints, ReplicaColumns
from spindle.planning.load import Band
from spindle.planning.placement_index import PlacementIndex, Rates

CRUMB, CRUMBS = 1 / 4096, 0.01
"""What is too small to be moved for the sake of the band: a replica with less than this part of a
mean directory, if all that are no larger have less than this part of all bytes together."""
_NOTHING: array[int] = array("q")
_NONE: Ints = np.empty(0, dtype=np.int64)


class SearchState:
    """Where everything is. `sizes`, `rates`, `partition`, `place` (directory): by rank."""

    def __init__(self, cluster: ClusterModel, band: Band, together: bool = False) -> None:
        """`together`: all brokers are planned as one; else each by itself."""
        self.cluster, self.band = cluster, band
        r = cluster.replicas
        order = _by_size(r, len(cluster.directories))
        size, directory = r.size[order], r.directory[order]
        self.place: array[int] = _packed("q", directory)
        self.sizes: array[int] = _packed("q", size)
        self._size, self._rate = size, np.zeros(0)
        self.rates: list[float] | None = None
        self.partition = r.partition[order]
        self.marks = [band.mark(d.capacity) for d in cluster.directories]
        count = len(cluster.directories)
        self.used: list[int] = _sums(directory, size, count).astype(np.int64).tolist()
        self.flow: list[float] | None = None
        self.scale = 0.0
        """Bytes that a byte per second counts as."""
        if band.rate_tolerance is not None:
            # Whole bytes, whose sums are exact: so a result, planned again, is a result.
            self._rate = rate = np.rint(r.rate[order])
            self.rates = rate.tolist()
            self.flow = _sums(directory, rate, count).tolist()
            self.scale = float(size.sum()) / max(1.0, float(rate.sum()))
        self.targets = [
            d.open and not d.drain and not cluster.brokers[b].drain
            for d, b in zip(cluster.directories, cluster.owner, strict=True)
        ]
        pinned = r.pinned[order]
        self.frozen = frozenset(self.partition[pinned].tolist())
        """Partitions of which a replica is on the move."""
        self.arriving: list[int] = np.bincount(directory[pinned], minlength=count).tolist()
        self.coming: list[int] = (
            _sums(directory[pinned], size[pinned], count).astype(np.int64).tolist()
        )
        """Bytes of what is on the move to each directory."""
        kept = np.zeros(len(size), dtype=np.bool_)
        if cluster.kept:
            topics = cluster.partitions.topic[self.partition]
            kept = np.isin(topics, np.array(sorted(cluster.kept))) & ~pinned
        self.kept = _grouped(directory, kept, count) if cluster.kept else [_NOTHING] * count
        """Ranks in each directory that stay because their topic is excluded."""
        crumbs, self.crumb = self._crumbs(directory, together)
        stays = pinned | kept | crumbs
        self.pinned: list[int] = (
            _sums(directory[stays], size[stays], count).astype(np.int64).tolist()
        )
        """Bytes that cannot leave each directory."""
        self.held = _grouped(directory, (size > 0) & ~stays, count)
        self.empty = _grouped(directory, (size == 0) & ~stays, count)

    def _crumbs(self, directory: Ints, together: bool) -> tuple[Flags, list[int]]:
        """(what is too small to be moved, the size of the largest of it on each broker).

        Where it lies plays no part, nor what has been planned: so a result planned again is a
        result. What has to leave its directory is none.
        """
        owner = np.array(self.cluster.owner, dtype=np.int64)
        count = len(self.cluster.brokers)
        targets = np.array(self.targets, dtype=np.bool_)
        size, least = self._size, self.band.least
        scope = np.zeros_like(directory) if together else owner[directory]
        number = 1 if together else count
        total = np.maximum(1, _sums(scope, size, number))
        if least is not None:
            crumbs = (size > 0) & (size < least)
        else:
            disks = np.bincount(owner[targets] * (not together), minlength=number)
            mean = total / np.maximum(1, disks)
            crumbs = (size > 0) & (size < (CRUMB * mean)[scope])
            some = np.flatnonzero(crumbs)  # Ascending, like ranks.
            where = scope[some]
            some = some[np.argsort(where, kind="stable")]
            sums = np.cumsum(size[some])
            begins = np.searchsorted(scope[some], np.arange(number))
            before = np.concatenate([[0], sums])[begins]
            crumbs[some] = sums - before[scope[some]] <= (CRUMBS * total)[scope[some]]
        if self.flow is not None:
            flow = np.maximum(1, _sums(scope, self._rate, number))
            crumbs &= self._rate <= (CRUMB * flow)[scope]
        drained = [d.drain for d in self.cluster.directories]
        gone = (
            np.array(drained, dtype=np.bool_)
            | np.array([b.drain for b in self.cluster.brokers], dtype=np.bool_)[owner]
        )
        crumbs &= ~gone[directory]
        largest = np.zeros(number, dtype=np.int64)
        np.maximum.at(largest, scope[crumbs], size[crumbs])
        told: list[int] = np.broadcast_to(largest, count).tolist()
        return crumbs, told

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
        )

    def staying(self, directory: int, blocked: Collection[int] = ()) -> tuple[int, int]:
        """(bytes that cannot leave a directory, bytes of the largest replica that can)."""
        pinned = self.pinned[directory]
        held: Sequence[int] = self.held[directory]
        if blocked:
            pinned += sum(self.sizes[rank] for rank in held if rank in blocked)
            held = [rank for rank in held if rank not in blocked]
        return pinned, self.sizes[held[-1]] if held else 0

    def running(self, directory: int, free: Collection[int]) -> tuple[float, float]:
        """(bytes/s that cannot leave a directory, those of its fastest replica that is free)."""
        assert self.rates is not None
        assert self.flow is not None
        rates = [self.rates[rank] for rank in free]
        return self.flow[directory] - sum(rates), max(rates, default=0.0)

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
        if rates is None:
            return around, None
        ranks = np.fromiter(chain.from_iterable(held), dtype=np.int64)
        bytes_ = BrokerMeasure(
            self._size[ranks].astype(np.float64),
            [self.used[d] for d in own],
            around,
            [self.marks[d] for d in own],
        )
        flows = BrokerMeasure(self._rate[ranks], rates.flow, rates.edges, [math.inf] * len(own))
        counts = list(map(len, held))
        rates.edges = with_company(counts, flows, bytes_)
        return with_company(counts, bytes_, flows), rates

    def _rates(self, own: Sequence[int], held: Sequence[Sequence[int]]) -> Rates | None:
        if self.rates is None or self.flow is None or self.band.rate_tolerance is None:
            return None
        flow = [self.flow[d] for d in own]
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
        return Rates(self.rates, flow, around, sum(self.used[d] for d in own) / sum(flow))

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
        if self.flow is not None and self.rates is not None:
            self.flow[source] -= self.rates[rank]
            self.flow[target] += self.rates[rank]

    def rate(self, rank: int) -> float:
        """Bytes/s that a replica is written with; 0 where rates do not count."""
        return 0.0 if self.rates is None else self.rates[rank]

    def name(self, rank: int) -> tuple[str, int]:
        """(topic, partition) of a replica."""
        return self.cluster.partitions.name(int(self.partition[rank]))


def _by_size(r: ReplicaColumns, directories: int) -> Ints:
    """Rows by size, then by partition, then by directory: the order of ranks."""
    rows = np.argsort(r.partition * directories + r.directory, kind="stable")  # Nearly sorted.
    return rows[np.argsort(r.size[rows], kind="stable")]


def _sums(places: Ints, values: Ints | Floats, count: int) -> Floats:
    # Sums of doubles: exact up to 2^53, which is 9 PB in a directory.
    return np.bincount(places, weights=values.astype(np.float64), minlength=count).astype(float)


def _packed(kind: str, values: Ints) -> array[int]:
    """The same as plain numbers, in eight bytes each."""
    packed: array[int] = array(kind)
    packed.frombytes(values.astype(packed.typecode).data.cast("B"))
    return packed


def _grouped(directory: Ints, chosen: Flags, count: int) -> list[array[int]]:
    """The chosen ranks of each directory, ascending."""
    ranks = np.flatnonzero(chosen)
    theirs = directory[ranks]
    narrow = theirs.astype(np.uint16) if count <= 1 << 16 else theirs  # Sorted by radix.
    order = np.argsort(narrow, kind="stable")
    ends = np.cumsum(np.bincount(theirs, minlength=count)).tolist()
    flat = _packed("q", ranks[order])
    return [flat[begin:end] for begin, end in pairwise([0, *ends])]
