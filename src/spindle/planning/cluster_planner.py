"""Plans a cluster: brokers as wholes first, then the directories of each; one schedule for all.

What goes to another broker lands where it is wanted there, so the second stage, which may still
choose another directory for it, has little to move. The moves of a phase make one schedule; what
finds no room in it, or has to wait for another replica of its partition, is planned again from
there, until nothing gets better: so planning a plan's result gives an empty plan.

Called with a cluster. Deterministic: same input, same plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from spindle.planning.bands.bound import Edges
from spindle.planning.between.explaining import broker_notes, rack_notes, rate_note, rooms_of
from spindle.planning.between.levels import TRIMS, Levels, levels
from spindle.planning.between.rules import PlacementRules
from spindle.planning.between.tabu_search import BETWEEN, MOST, AssignmentProblem, tabu_search
from spindle.planning.between.walk import Between
from spindle.planning.cluster_model import ClusterModel
from spindle.planning.load import HERE, Band, DirectoryShare, Plan, PlannedMove
from spindle.planning.schedule import ScheduleStep, WaveLimits, schedule
from spindle.planning.search_state import SearchState
from spindle.planning.within.draft import Turn, Within
from spindle.planning.within.search import search
from spindle.planning.within.wording import directory_notes, no_second_copy

PHASES = 24
"""Bounds how often the rest is planned again."""


DEAR = 1.05
"""Times a bound: a plan of a small cluster that is dearer is looked at thoroughly."""
Worth = tuple[int, int, float, float]
"""The work to do: replicas to drain; replicas to separate by rack; bytes
that brokers and directories are out by."""


def plan_cluster(
    cluster: ClusterModel,
    band: Band,
    limits: WaveLimits | None = None,
    between: bool = False,
    mend_racks: bool = False,
) -> Plan:
    """The best plan found for a cluster; `between`: replicas may go to other brokers, too.

    `limits` bound each wave of the schedule; `mend_racks`: separate replicas of a
    partition that share a rack without need.
    """
    limits = limits if limits is not None else WaveLimits()
    if not cluster.directories:
        return Plan((), (), (), {}, 0, 0)
    field = SearchState(cluster, band, between)
    if between:
        return _Whole(field, limits, mend_racks).run().plan()
    return _each_by_itself(field, limits)


def _each_by_itself(field: SearchState, limits: WaveLimits) -> Plan:
    cluster = field.cluster
    stays = [b for b, broker in enumerate(cluster.brokers) if not broker.drain]
    drafts = [Within(field, b, limits).run() for b in stays if cluster.of_broker(b)]
    moves = sorted(
        (turn.wave, n, at, move)
        for n, draft in enumerate(drafts)
        for at, (turn, move) in enumerate(zip(draft.turns, draft.moves(), strict=True))
    )
    counts = Counter(wave for wave, *_ in moves)
    return Plan(
        tuple(move for *_, move in moves),
        tuple(counts[wave] for wave in range(len(counts))),
        (
            *(f"broker {d.number}: {note}" for d in drafts for note in d.notes()),
            *(
                f"broker {b.number} cannot be emptied while replicas may not go to other brokers"
                for b in cluster.brokers
                if b.drain
            ),
        ),
        {d.number: tuple(d.shares()) for d in drafts},
        sum(draft.bound for draft in drafts),
        0,
    )


class _ClusterBefore:
    """The cluster before its plan: bytes and rates of each directory, and its bands."""

    def __init__(self, field: SearchState) -> None:
        self._cluster = field.cluster
        self._used = field.used.copy()
        self._flow = [0.0] * len(self._used) if field.rates is None else field.rates.flow.copy()
        self.levels = levels(field)

    def bounds(self, after: list[int] | None = None) -> tuple[int, int]:
        """Bytes that any plan must move to reach the band, or to end as even as `after`.

        In all, and between brokers.
        """
        given = self._cluster, self._used, after
        return self.levels.bound(*given), self.levels.broker_bound(*given)

    def shares(self, broker: int, field: SearchState) -> Iterator[DirectoryShare]:
        """Each directory of a broker, before and now."""
        for d in self._cluster.of_broker(broker):
            kind = self._cluster.directories[d]
            flow = field.rates.flow[d] if field.rates is not None else 0.0
            yield DirectoryShare(
                kind.path, kind.capacity, self._used[d], field.used[d], self._flow[d], flow
            )


class _Whole:
    """A cluster's plan in the making."""

    def __init__(self, field: SearchState, limits: WaveLimits, mend: bool) -> None:
        self._field, self._limits, self._mend = field, limits, mend
        self._before = _ClusterBefore(field)
        self._turns: list[Turn] = []
        self._waves = 0
        self._blocked: dict[int, int] = {}
        self._now = self._worth(self._before.levels)
        self._small = sum(size > 0 for size in field.sizes) <= MOST
        self._trim = 0
        """How much room is left at the edges of brokers' bands: TRIMS, the more the harder."""

    def run(self) -> _Whole:
        """Plan until nothing gets better."""
        for _ in range(PHASES):
            if not self._advance():
                break
        return self

    def _advance(self) -> bool:
        """Plan once from where the draft is; False when that brings nothing new."""
        field = self._field
        around = levels(field, self._blocked, TRIMS[self._trim])
        before = self._worth(around)
        if not any(before):
            return False
        wanted = self._wanted(around)
        reached = self._worth(around)
        self._carry_out(wanted, back=True)
        if self._small and not self._trim and (any(reached) or self._dear(wanted)):
            wanted, reached = self._deepened(around, wanted, reached)
        if reached >= before:
            self._trim += 1
            return self._trim < len(TRIMS)
        room = {t.target: field.marks[t.target] - field.used[t.target] for t in wanted}
        waves, count = schedule(self._steps(wanted), room, self._limits)
        turns = [t._replace(wave=w) for t, w in zip(wanted, waves, strict=True) if w is not None]
        self._carry_out(turns)
        # Bands depend on where the largest replicas are: only what is better by those of the end
        # cannot lead in a circle.
        worth = self._worth(levels(field), blocked=())
        if worth >= self._now:
            self._carry_out(turns, back=True)
            if len(turns) == len(wanted):
                self._trim += 1
                return self._trim < len(TRIMS)
            stuck = {t.rank: t.target for t, w in zip(wanted, waves, strict=True) if w is None}
            self._blocked |= stuck
            return True
        turns.sort(key=lambda turn: turn.wave)
        self._turns += [t._replace(wave=t.wave + self._waves) for t in turns]
        self._waves += count
        self._now, self._trim = worth, 0
        self._blocked.clear()
        return True

    def _steps(self, wanted: list[Turn]) -> list[ScheduleStep[int]]:
        """The turns as moves to be put in order: two replicas of a partition cross in two waves."""
        field, owner = self._field, self._field.cluster.owner
        partitions = [int(field.partition[t.rank]) for t in wanted]
        crossing = Counter(
            partition
            for t, partition in zip(wanted, partitions, strict=True)
            if owner[t.source] != owner[t.target]
        )
        return [
            ScheduleStep(
                field.sizes[t.rank], t.source, t.target, owner[t.source], owner[t.target],
                partition if crossing[partition] > 1 else None,
            )
            for t, partition in zip(wanted, partitions, strict=True)
        ]  # fmt: skip

    def _wanted(self, around: Levels) -> list[Turn]:
        """Both stages, which change the field; what they move, the largest first."""
        field = self._field
        between = Between(field, around, self._blocked, self._mend)
        between.run()
        home = dict(between.home)
        arrived: dict[int, list[int]] = {}
        for rank in home:
            arrived.setdefault(field.cluster.owner[field.place[rank]], []).append(rank)
        for b in range(len(field.cluster.brokers)):
            own = field.cluster.of_broker(b)
            if not any(field.targets[d] for d in own):
                continue
            start = field.state(b, self._edges(b, around), self._blocked, set(arrived.get(b, ())))
            for rank, (source, target) in search(start).moved.items():
                home.setdefault(rank, own[source])
                field.shift(rank, own[source], own[target])
        wanted = [Turn(r, d, field.place[r], 0) for r, d in home.items() if d != field.place[r]]
        return self._ordered(wanted)

    def _dear(self, wanted: list[Turn]) -> bool:
        field, owner = self._field, self._field.cluster.owner
        across = sum(field.sizes[t.rank] for t in wanted if owner[t.source] != owner[t.target])
        moved = sum(field.sizes[t.rank] for t in wanted)
        most, most_across = self._before.bounds()
        return across > DEAR * most_across or moved > DEAR * most

    def _deepened(
        self, around: Levels, wanted: list[Turn], reached: Worth
    ) -> tuple[list[Turn], Worth]:
        """What a thorough search makes of a plan, or the plan if that is better."""
        field, owner = self._field, self._field.cluster.owner
        there = {t.rank: t.target for t in wanted}
        problem, ranks = self._problem(around)
        if not ranks:
            return wanted, reached
        places = tabu_search(problem, [there.get(rank, field.place[rank]) for rank in ranks])
        for rank, place in zip(ranks, places, strict=True):
            there[rank] = place
        turns = [Turn(r, field.place[r], d, 0) for r, d in there.items() if d != field.place[r]]
        self._carry_out(turns)
        found = self._worth(around)
        self._carry_out(turns, back=True)

        def bytes_of(plan: list[Turn]) -> float:
            across = sum(field.sizes[t.rank] for t in plan if owner[t.source] != owner[t.target])
            return (BETWEEN - 1) * across + sum(field.sizes[t.rank] for t in plan)

        if (found, bytes_of(turns)) < (reached, bytes_of(wanted)):
            return self._ordered(turns), found
        return wanted, reached

    def _problem(self, around: Levels) -> tuple[AssignmentProblem, list[int]]:
        """The cluster for the thorough search, and its items: ranks."""
        field, owner = self._field, self._field.cluster.owner
        ranks = [r for held in field.held for r in held if r not in self._blocked]
        ranks.sort(key=lambda r: (field.partition[r], owner[field.place[r]]))
        rules, count = PlacementRules(field), len(field.cluster.brokers)
        items: dict[int, list[int]] = {}
        for item, rank in enumerate(ranks):
            items.setdefault(int(field.partition[rank]), []).append(item)
        kin = [[i for i in items[int(field.partition[r])] if i != n] for n, r in enumerate(ranks)]
        racks = {rack: n for n, rack in enumerate(dict.fromkeys(rules.racks))}
        allowed = [
            [b == owner[field.place[r]] or rules.allows(r, b) for b in range(count)] for r in ranks
        ]
        apart = [
            [may and rules.uncrowds(r, b) for b, may in enumerate(there)]
            for r, there in zip(ranks, allowed, strict=True)
        ]
        problem = AssignmentProblem(
            [field.sizes[r] for r in ranks], [field.place[r] for r in ranks], owner,
            around.directories, around.brokers, field.used,
            [max(m, u) for m, u in zip(field.marks, field.used, strict=True)],
            field.targets, kin, [racks[rack] for rack in rules.racks], allowed, apart,
        )  # fmt: skip
        return problem, ranks

    def _ordered(self, turns: list[Turn]) -> list[Turn]:
        field = self._field
        names = {turn.rank: field.name(turn.rank) for turn in turns}
        return sorted(turns, key=lambda t: (-field.sizes[t.rank], names[t.rank], t.source))

    def _carry_out(self, turns: list[Turn], back: bool = False) -> None:
        for rank, source, target, _ in turns:
            if back:
                self._field.shift(rank, target, source)
            else:
                self._field.shift(rank, source, target)

    def _edges(
        self, broker: int, around: Levels, blocked: Collection[int] | None = None
    ) -> list[Edges]:
        """The bands of a broker's directories: the cluster's, or its own if it is far off."""
        own = self._field.cluster.of_broker(broker)
        if around.brokers[broker].outside(sum(self._field.used[d] for d in own)):
            return self._field.around(broker, self._blocked if blocked is None else blocked)
        return [around.directories[d] for d in own]

    def _worth(self, around: Levels, blocked: Collection[int] | None = None) -> Worth:
        """How far from even everything is as it stands."""
        field, cluster = self._field, self._field.cluster
        left, brokers, directories = 0, 0.0, 0.0
        for b, broker in enumerate(cluster.brokers):
            own = cluster.of_broker(b)
            brokers += around.brokers[b].outside(sum(field.used[d] for d in own))
            if around.flows and field.rates is not None:
                flow = sum(field.rates.flow[d] for d in own)
                brokers += around.flows[b].outside(flow) * field.rates.scale
            edges, rates = field.bands(b, self._edges(b, around, blocked))
            for d, edge in zip(own, edges, strict=True):
                if broker.drain or cluster.directories[d].drain:
                    left += len(field.held[d]) + len(field.empty[d])
                else:
                    directories += edge.outside(field.used[d])
            if rates is not None:
                directories += sum(map(rates.off, range(len(own))))
        crowds = len(PlacementRules(field).crowds()) if self._mend else 0
        return left, crowds, brokers, directories

    # -- what there is to tell -------------------------------------------------------------

    def plan(self) -> Plan:
        """The plan as it is now."""
        cluster = self._field.cluster
        counts = Counter(turn.wave for turn in self._turns)
        return Plan(
            tuple(self._moves()),
            tuple(counts[wave] for wave in range(self._waves)),
            tuple(self._notes()),
            {
                b.number: tuple(self._before.shares(n, self._field))
                for n, b in enumerate(cluster.brokers)
            },
            *self._before.bounds(self._field.used),
        )

    def _moves(self) -> Iterator[PlannedMove]:
        field, cluster = self._field, self._field.cluster
        for rank, source, target, _ in self._turns:
            broker, path = cluster.place(source)
            to, there = cluster.place(target)
            to = HERE if to == broker else to
            size, rate = field.sizes[rank], field.rate(rank)
            yield PlannedMove(broker, *field.name(rank), path, there, size, to, rate)

    def _notes(self) -> Iterator[str]:
        field, cluster = self._field, self._field.cluster
        around = levels(field)
        rules = PlacementRules(field)
        rooms = rooms_of(field, rules)
        yield from rack_notes(field, rules, self._mend)
        stuck = set(self._blocked.values())
        drained = [d for d in range(len(cluster.directories)) if rules.must(d)]
        # What is not emptied is what the others lack.
        kept = any(field.held[d] or field.empty[d] for d in drained)
        for b, broker in enumerate(cluster.brokers):
            own = cluster.of_broker(b)
            about = list(broker_notes(field, rules, around.brokers[b], b, rooms, kept, stuck))
            yield from (f"broker {broker.number} {note}" for note in about)
            if around.flows and not broker.drain:
                for note in rate_note(field, around.flows[b], b):
                    yield f"broker {broker.number} {note}"
            # Of a broker with one directory all has been said.
            if not broker.drain and not (about and len(own) == 1):
                for note in directory_notes(field, b, self._edges(b, around), stuck, kept):
                    yield f"broker {broker.number}: {note}"
        for rank, target in self._blocked.items():
            yield no_second_copy(field, rank, target, named=True)
