"""Plans the moves between one broker's directories: into the band, with the fewest bytes.

What has no room while copies exist is left out, and the rest is planned again from there, until
nothing gets better: so planning a plan's result gives an empty plan. Called by the planners of a
broker and of a cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spindle.planning.bands.bound import least_that_brings, lower_bound
from spindle.planning.load import DirectoryShare, PlannedMove
from spindle.planning.placement_index import PlacementIndex
from spindle.planning.schedule import ScheduleStep, WaveLimits, schedule
from spindle.planning.search_state import SearchState
from spindle.planning.within.search import search
from spindle.planning.within.wording import directory_notes, no_second_copy

PHASES = 24
"""Bounds how often the rest is planned again."""


class Turn(NamedTuple):
    """A move of a plan in the making; directories are the cluster's, `wave` counts from 0."""

    rank: int
    source: int
    target: int
    wave: int


class Within:
    """A broker's plan in the making: moves that fit, in order, and the field after them.

    `blocked`: replicas that find no room on their way, with where they should have gone, since the
    last progress.
    """

    def __init__(self, field: SearchState, broker: int, limits: WaveLimits) -> None:
        self._field, self._broker, self._limits = field, broker, limits
        self._own = field.cluster.of_broker(broker)
        self.number = field.cluster.brokers[broker].number
        self.turns: list[Turn] = []
        self.waves = 0
        self.blocked: dict[int, int] = {}
        start = field.state(broker)
        self._off, self._first = start.outside, _BrokerBefore(start)
        self._start: PlacementIndex | None = start
        """Where everything is now, until something moves."""

    def run(self) -> Within:
        """Plan until nothing gets better."""
        for _ in range(PHASES):
            if not self._off or not self._advance():
                break
        return self

    def _advance(self) -> bool:
        """Plan once from where the draft is; False when that brings nothing new."""
        field = self._field
        blocked = self.blocked
        start = None if blocked else self._start
        found = search(start or field.state(self._broker, blocked=blocked))
        if not found.moved:
            return False
        first, sizes = self._own[0], field.sizes
        wanted = [(r, home + first, to + first) for r, (home, to) in sorted(found.moved.items())]
        wanted.sort(key=lambda w: -sizes[w[0]])  # The largest first, equal ones by their names.
        steps = [ScheduleStep(sizes[rank], source, target, 0, 0) for rank, source, target in wanted]
        room = {d: field.marks[d] - field.used[d] for d in self._own}
        waves, count = schedule(steps, room, self._limits)
        fits = [
            Turn(rank, source, target, self.waves + wave)
            for (rank, source, target), wave in zip(wanted, waves, strict=True)
            if wave is not None
        ]
        stuck = {w[0]: w[2] for w, n in zip(wanted, waves, strict=True) if n is None}
        if fits and self._carry_out(fits):
            self.turns += sorted(fits, key=lambda turn: turn.wave)
            self.waves += count
            self.blocked.clear()
            return True
        self.blocked |= stuck
        return bool(stuck)

    def _carry_out(self, turns: list[Turn]) -> bool:
        """Make these moves if they bring the broker closer to the band, as it is then.

        Bands depend on where the largest replicas are: only what is better by those of the end
        cannot lead in a circle.
        """
        for turn in turns:
            self._field.shift(turn.rank, turn.source, turn.target)
        off = self._field.outside(self._broker)
        if off < self._off:
            self._start, self._off = None, off
            return True
        for turn in turns:
            self._field.shift(turn.rank, turn.target, turn.source)
        return False

    # -- what there is to tell -------------------------------------------------------------

    @property
    def bound(self) -> int:
        """The fewest bytes that any plan must move which ends as even as this one."""
        field = self._field
        flow = None if field.rates is None else [field.rates.flow[d] for d in self._own]
        return self._first.bound([field.used[d] for d in self._own], flow)

    def moves(self) -> Iterator[PlannedMove]:
        """The moves, in order."""
        field = self._field
        for rank, source, target, _ in self.turns:
            paths = (field.cluster.directories[source].path, field.cluster.directories[target].path)
            size, rate = field.sizes[rank], field.rate(rank)
            yield PlannedMove(self.number, *field.name(rank), *paths, size, rate=rate)

    def shares(self) -> Iterator[DirectoryShare]:
        """Each directory before and after."""
        field = self._field
        for n, d in enumerate(self._own):
            directory = field.cluster.directories[d]
            yield DirectoryShare(
                directory.path, directory.capacity, self._first.used[n], field.used[d],
                self._first.flow[n], field.rates.flow[d] if field.rates is not None else 0.0,
            )  # fmt: skip

    def notes(self) -> Iterator[str]:
        """Why directories are not as even as the band wants them, in words."""
        around = self._field.around(self._broker)
        yield from directory_notes(self._field, self._broker, around, set(self.blocked.values()))
        for rank, target in self.blocked.items():
            yield no_second_copy(self._field, rank, target)


class _BrokerBefore:
    """A broker before its plan: its bytes and rates, and what any plan must move from there."""

    def __init__(self, start: PlacementIndex) -> None:
        self.used = list(start.used)
        self.flow = [0.0] * len(self.used) if start.rates is None else list(start.rates.flow)
        self._edges, self._rates = start.bands.edges, start.rates
        self._held: list[list[int]] = start.held if start.rates is not None else []
        self._sizes = start.sizes

    def bound(self, used: list[int], flow: list[float] | None) -> int:
        """The fewest bytes of any plan that leaves directories as even as this, in rates too."""
        rates = self._rates
        if rates is None or flow is None:
            return lower_bound(self._edges, self.used, used)
        sizes = [np.array([self._sizes[r] for r in held], np.float64) for held in self._held]
        flows = [np.array([rates.of[r] for r in held], np.float64) for held in self._held]
        out = coming = 0.0
        for n, size in enumerate(self.used):
            edge, flowing = self._edges[n].with_end(used[n]), rates.edges[n].with_end(flow[n])
            surplus = least_that_brings(sizes[n], flows[n], self.flow[n] - flowing.high)
            out += max(0.0, size - edge.high, surplus)
            lack = flowing.low - self.flow[n]
            if lack > 0:
                others = [m for m in range(len(sizes)) if m != n]
                lack = least_that_brings(
                    np.concatenate([sizes[m] for m in others] or [np.empty(0)]),
                    np.concatenate([flows[m] for m in others] or [np.empty(0)]),
                    lack,
                )
            coming += max(0.0, edge.low - size, lack)
        return int(max(out, coming))
