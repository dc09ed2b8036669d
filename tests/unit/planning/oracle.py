"""An exact solver as judge: what is the fewest bytes, and is there a plan at all? (CP-SAT)"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import NamedTuple

from ortools.sat.python import cp_model

from spindle.planning.bands.bound import Edges, rate_edges
from spindle.planning.between.levels import levels
from spindle.planning.between.rules import PlacementRules
from spindle.planning.cluster_model import ClusterModel
from spindle.planning.load import Band
from spindle.planning.search_state import SearchState

SECONDS = 20.0


class Verdict(NamedTuple):
    """`feasible`: None where the solver ran out of time; `cost`: of the best end there is."""

    feasible: bool | None
    cost: int = 0


def judge(cluster: ClusterModel, band: Band, between: bool, plain: bool = False) -> Verdict:
    """Whether an end within all bands exists, and the fewest bytes that lead there.

    Bytes to other brokers count twice, as the planner has it. The way there (room for second
    copies) is not looked at. Rates count within brokers only; `plain`: by bands of bytes and of
    rates that do not know of each other.
    """
    field = SearchState(cluster, band)
    problem = _Problem(field, between, *_bands(field, between, plain))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = SECONDS
    solver.parameters.num_workers = 1
    problem.model.minimize(problem.cost)
    status = solver.solve(problem.model)
    if status == cp_model.INFEASIBLE:
        return Verdict(False)
    if status != cp_model.OPTIMAL:
        return Verdict(None)
    return Verdict(True, round(solver.objective_value))


def _bands(field: SearchState, between: bool, plain: bool) -> tuple[list[Edges], list[Edges]]:
    """(bands of bytes, bands of rates or none) of all directories."""
    if between:
        return levels(field).directories, []
    sizes: list[Edges] = []
    flows: list[Edges] = []
    for b in range(len(field.cluster.brokers)):
        alone = field.around(b)
        edges, rates = field.bands(b, alone)
        sizes += alone if plain else edges
        if rates is not None:
            flows += plain_rates(field, b) if plain else rates.edges
    return sizes, flows


def plain_rates(field: SearchState, broker: int) -> list[Edges]:
    """The bands of a broker's rates, whatever its bytes are."""
    own = field.cluster.of_broker(broker)
    stays = [field.running(d, field.held[d]) for d in own]
    assert field.rates is not None
    assert field.band.rate_tolerance is not None
    return rate_edges(
        [field.cluster.directories[d] for d in own], [field.rates.flow[d] for d in own],
        field.band.rate_tolerance, [p for p, _ in stays], [most for _, most in stays],
    )  # fmt: skip


class _Problem:
    """A Boolean for each replica and each directory that it may be in."""

    def __init__(
        self, field: SearchState, between: bool, around: list[Edges], flows: list[Edges]
    ) -> None:
        self.model = cp_model.CpModel()
        cluster, rules = field.cluster, PlacementRules(field)
        places = range(len(cluster.directories))
        inside: dict[int, list[tuple[int, cp_model.IntVar]]] = defaultdict(list)
        on: dict[tuple[int, int], list[cp_model.IntVar]] = defaultdict(list)
        cost = []
        held = [set(field.held[d]) | set(field.empty[d]) for d in places]
        for rank, size in enumerate(field.sizes):
            home = field.place[rank]
            choices = {home}
            if rank in held[home]:
                choices |= {
                    d for d in places
                    if field.targets[d]
                    and (
                        cluster.owner[d] == cluster.owner[home]
                        or (between and rules.free(rank) and rules.takes[cluster.owner[d]])
                    )
                }  # fmt: skip
            here = {d: self.model.new_bool_var(f"{rank}@{d}") for d in sorted(choices)}
            self.model.add_exactly_one(here.values())
            for d, var in here.items():
                inside[d].append((rank, var))
                on[int(field.partition[rank]), cluster.owner[d]].append(var)
                if d != home:
                    cost.append((1 + (cluster.owner[d] != cluster.owner[home])) * size * var)
        for d in places:
            kind, e = cluster.directories[d], around[d]
            total = sum(field.sizes[rank] * var for rank, var in inside[d])
            most = max(e.high, 0.0) if not kind.drain else field.stays.size[d]
            self.model.add(total <= math.ceil(most + 1) - 1)
            self.model.add(total >= math.floor(e.low - 1) + 1)
            if flows:
                flow = sum(round(field.rate(rank)) * var for rank, var in inside[d])
                self.model.add(flow <= math.floor(flows[d].high))
                self.model.add(flow >= math.ceil(flows[d].low))
        for together in on.values():
            self.model.add(sum(together) <= 1)
        self._racks(cluster, on)
        self.cost = sum(cost)

    def _racks(
        self, cluster: ClusterModel, on: dict[tuple[int, int], list[cp_model.IntVar]]
    ) -> None:
        """Each partition keeps as many racks as it has."""
        rack = [b.rack if b.rack is not None else str(n) for n, b in enumerate(cluster.brokers)]
        owners: dict[int, set[str]] = defaultdict(set)
        r = cluster.replicas
        for partition, directory in zip(r.partition.tolist(), r.directory.tolist(), strict=True):
            owners[partition].add(rack[cluster.owner[directory]])
        for partition, before in owners.items():
            there = []
            for name in sorted(set(rack)):
                own = [v for (p, b), vs in on.items() if p == partition and rack[b] == name
                       for v in vs]  # fmt: skip
                var = self.model.new_bool_var(f"rack {name} of {partition}")
                self.model.add(sum(own) >= var)
                there.append(var)
            self.model.add(sum(there) >= len(before))
