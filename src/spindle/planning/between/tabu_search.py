"""Searches small brokers and clusters thoroughly: the best move or exchange of all, step by step.

Where replicas are few and large, walks get stuck. This search looks at every move and at every
exchange of two, takes the best even if it makes things worse, and does not touch what it has just
moved for a while (tabu search). Bytes cost more and more while all is in the band, less and less
while it is not. Deterministic. Called by the planners when a plan is out of the band, or dear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spindle.planning.bands.bound import Edges
from spindle.planning.cluster_model import Flags, Floats, Ints

MOST = 240
"""Replicas with bytes: with more of them walks do well, and this takes long."""
STEPS, PATIENCE = 300, 60
"""At most, and without finding anything better; fewer with many items."""
EFFORT = 24_000
"""Items times steps, at most."""
BETWEEN = 2.0
"""What a byte between brokers costs, beside one within."""
_PRICES = (0.005, 2.0)
_NO = np.inf


class AssignmentProblem(NamedTuple):
    """Items in directories, numbered from 0; `home`: where they are before anything moves.

    `used`: bytes in directories as things stand at home; `open`: directories that take items.
    `kin`: items of the same partition; `racks`: of brokers. Item -> for each broker whether it may
    be there: `allowed` while its kin is at home, `apart` while kin is on brokers of other racks.
    """

    sizes: Sequence[int]
    home: Sequence[int]
    owner: Sequence[int]
    directories: Sequence[Edges]
    brokers: Sequence[Edges]
    used: Sequence[int]
    marks: Sequence[float]
    open: Sequence[bool]
    kin: Sequence[Sequence[int]]
    racks: Sequence[int]
    allowed: Sequence[Sequence[bool]]
    apart: Sequence[Sequence[bool]]


class _Bands:
    """Lower and upper edges, as arrays."""

    def __init__(self, around: Sequence[Edges]) -> None:
        self.low = np.array([e.low for e in around], dtype=np.float64)
        self.high = np.array([e.high for e in around], dtype=np.float64)

    def off(self, where: Ints | slice, size: Floats) -> Floats:
        """Bytes out of the band; less than one is none."""
        off: Floats = np.maximum(size - self.high[where], self.low[where] - size)
        off[off < 1] = 0.0
        return off


Cost = tuple[float, float]
"""Bytes out of the bands; bytes moved, with those between brokers dearer: the less the better."""


class _Terms:
    """What stays the same: sizes, homes, what a move costs, and which ones are never made."""

    def __init__(self, problem: AssignmentProblem) -> None:
        self.size: Floats = np.array(problem.sizes, dtype=np.float64)
        self.home = np.array(problem.home, dtype=np.int64)
        self.owner = np.array(problem.owner, dtype=np.int64)
        self.marks = np.array(problem.marks, dtype=np.float64)
        count, places = len(self.size), np.arange(len(problem.used))[None, :]
        self.items = np.arange(count)
        # Home is always open to what lives there.
        self.open = np.tile(np.array(problem.open, dtype=np.bool_), (count, 1))
        self.open[self.items, self.home] = True
        home = self.home[:, None]
        self.abroad = places != home
        across = self.owner[None, :] != self.owner[home]
        self.fee: Floats = self.size[:, None] * (self.abroad + (BETWEEN - 1) * across)
        """What it costs to have an item in a directory rather than at home."""
        self.more: Floats = self.size[None, :] - self.size[:, None]
        """What i's directory gets more, and j's less, where two items are exchanged."""
        self.never = self.more >= 0  # Of two ways to name an exchange, one is enough.
        for n, kin in enumerate(problem.kin):
            self.never[n, list(kin)] = True


class _Kin:
    """Which brokers each item may go to, as its kin is now."""

    def __init__(self, problem: AssignmentProblem, terms: _Terms, place: Ints) -> None:
        self._kin = problem.kin
        self._owner, self._home, self._place = terms.owner, terms.home, place
        self._racks = np.array(problem.racks, dtype=np.int64)
        self._allowed = np.array(problem.allowed, dtype=np.bool_)
        self._apart = np.array(problem.apart, dtype=np.bool_)
        self.may = self._allowed.copy()
        """Item -> for each broker whether it may be there as its kin is now."""
        for item in np.flatnonzero(self._owner[place] != self._owner[self._home]):
            self.tell(int(item))

    def tell(self, item: int) -> None:
        """An item has gone to another broker, or come back: its kin may go elsewhere now.

        Where each that is away adds a rack of its own, any order of their moves keeps all racks.
        """
        for other in self._kin[item]:
            may = self._allowed[other].copy()
            for one in self._kin[other]:
                broker = self._owner[self._place[one]]
                if broker != self._owner[self._home[one]]:
                    may &= self._apart[other] & (self._racks != self._racks[broker])
                    may &= self._apart[one, broker]
            may[self._owner[self._home[other]]] = True
            self.may[other] = may


class _Search:
    """Where the items are during the search."""

    def __init__(self, problem: AssignmentProblem, place: Sequence[int]) -> None:
        self.terms = terms = _Terms(problem)
        self.place = np.array(place, dtype=np.int64)
        self.kin = _Kin(problem, terms, self.place)
        self.dirs, self.brokers = _Bands(problem.directories), _Bands(problem.brokers)
        self.used: Floats = np.array(problem.used, dtype=np.float64)
        np.add.at(self.used, self.place, terms.size)
        np.add.at(self.used, terms.home, -terms.size)
        self.total: Floats = np.zeros(len(problem.brokers))
        np.add.at(self.total, terms.owner, self.used)

    def cost(self) -> Cost:
        """Of where everything is now."""
        off = self.dirs.off(slice(None), self.used).sum()
        off += self.brokers.off(slice(None), self.total).sum()
        return float(off), float(self._fee_now().sum())

    def moves(self, price: float, still: Flags) -> Floats:
        """What each move (item, directory) changes."""
        terms, own, size = self.terms, self.place, self.terms.size
        owner = terms.owner
        more, b = self.used + size[:, None], owner[own]
        off, out = self.dirs.off(slice(None), self.used), self.brokers.off(slice(None), self.total)
        left = self.dirs.off(own, self.used[own] - size) - off[own]
        change: Floats = left[:, None] + (self.dirs.off(slice(None), more) - off)
        gone = self.brokers.off(b, self.total[b] - size) - out[b]
        came = self.brokers.off(slice(None), self.total + size[:, None]) - out
        crossing = owner[None, :] != b[:, None]
        change += np.where(crossing, gone[:, None] + came[:, owner], 0.0)
        change += price * (terms.fee - self._fee_now()[:, None])
        no = ~terms.open | (crossing & ~self.kin.may[:, owner])
        no |= (more > terms.marks) & terms.abroad
        no |= still[:, None]
        no[terms.items, own] = True
        change[no] = _NO
        return change

    def exchanges(self, price: float, still: Flags) -> Floats:
        """What each exchange of two items changes."""
        terms, own, b = self.terms, self.place, self.terms.owner[self.place]
        here = self.dirs.off(own[:, None], self.used[own][:, None] + terms.more)
        off = self.dirs.off(own, self.used[own])
        change: Floats = here + here.T - off[:, None] - off[None, :]
        crossing = b[:, None] != b[None, :]
        here = self.brokers.off(b[:, None], self.total[b][:, None] + terms.more)
        off = self.brokers.off(b, self.total[b])
        change += np.where(crossing, here + here.T - off[:, None] - off[None, :], 0.0)
        to, fee = terms.fee[:, own], self._fee_now()
        change += price * (to + to.T - fee[:, None] - fee[None, :])
        may = terms.open[:, own] & (~crossing | self.kin.may[:, b])
        may &= self.used[own][None, :] - terms.more <= terms.marks[own][None, :]
        no = ~(may & may.T) | (own[:, None] == own[None, :])
        no |= terms.never | still[:, None] | still[None, :]
        change[no] = _NO
        return change

    def _fee_now(self) -> Floats:
        return self.terms.fee[self.terms.items, self.place]

    def shift(self, item: int, target: int) -> None:
        """Move an item."""
        owner, source, size = self.terms.owner, int(self.place[item]), self.terms.size[item]
        self.used[source] -= size
        self.used[target] += size
        self.total[owner[source]] -= size
        self.total[owner[target]] += size
        self.place[item] = target
        if owner[source] != owner[target]:
            self.kin.tell(item)

    def step(self, price: float, still: Flags) -> list[int]:
        """Take the best move or exchange; which items it moved."""
        moves, pairs = self.moves(price, still), self.exchanges(price, still)
        one, two = int(np.argmin(moves)), int(np.argmin(pairs))
        best, other = moves.flat[one], pairs.flat[two]
        if best == _NO and other == _NO:
            return []
        if best <= other:
            item, target = divmod(one, moves.shape[1])
            self.shift(item, target)
            return [item]
        item, partner = divmod(two, pairs.shape[1])
        here, there = int(self.place[item]), int(self.place[partner])
        self.shift(item, there)
        self.shift(partner, here)
        return [item, partner]


def tabu_search(problem: AssignmentProblem, place: Sequence[int]) -> list[int]:
    """The best places found, from those given and from home; these if none are better."""
    ends = [_from(problem, place), _from(problem, problem.home)]
    return min(ends)[1]


def _from(problem: AssignmentProblem, place: Sequence[int]) -> tuple[Cost, list[int]]:
    search = _Search(problem, place)
    best, found, since = search.cost(), search.place.copy(), 0
    count = len(problem.sizes)
    until = np.zeros(count, dtype=np.int64)
    price, noise = 0.05, 1
    for step in range(min(STEPS, EFFORT // max(1, count))):
        moved = search.step(price, until > step)
        if not moved:
            until[:] = 0
            since += 1
        for item in moved:
            # Never the same length of time twice, or the search would go in circles.
            noise = noise * 1103515245 + 12345 & 0x7FFFFFFF
            until[item] = step + 2 + noise // 65536 % (2 + min(count, 40) // 8)
        cost = search.cost()
        if cost < best:
            best, found, since = cost, search.place.copy(), 0
        else:
            since += 1
        if since > PATIENCE:
            break
        price = min(price * 1.1, _PRICES[1]) if not cost[0] else max(price / 1.1, _PRICES[0])
    places: list[int] = found.tolist()
    return best, places
