"""An exact solver as judge: what is the fewest bytes, and is there a plan at all? (CP-SAT)"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import NamedTuple

from ortools.sat.python import cp_model

from spindle.planning.cluster import Cluster
from spindle.planning.field import Field
from spindle.planning.levels import levels
from spindle.planning.load import Band
from spindle.planning.rules import Rules

SECONDS = 20.0


class Verdict(NamedTuple):
    """`feasible`: None where the solver ran out of time; `cost`: of the best end there is."""

    feasible: bool | None
    cost: int = 0


def judge(cluster: Cluster, band: Band, between: bool) -> Verdict:
    """Whether an end within all bands exists, and the fewest bytes that lead there.

    Bytes to other brokers count twice, as the planner has it. The way there (room for second
    copies) is not looked at.
    """
    problem = _Problem(cluster, band, between)
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


class _Problem:
    """A Boolean for each replica and each directory that it may be in."""

    def __init__(self, cluster: Cluster, band: Band, between: bool) -> None:
        self.model = cp_model.CpModel()
        field = Field(cluster, band)
        rules = Rules(field)
        places = range(len(cluster.directories))
        around = levels(field).directories
        if not between:
            around = [e for b in range(len(cluster.brokers)) for e in field.around(b)]
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
                inside[d].append((size, var))
                on[int(field.partition[rank]), cluster.owner[d]].append(var)
                if d != home:
                    cost.append((1 + (cluster.owner[d] != cluster.owner[home])) * size * var)
        for d in places:
            kind, e = cluster.directories[d], around[d]
            total = sum(size * var for size, var in inside[d])
            most = max(e.high, 0.0) if not kind.drain else field.pinned[d]
            self.model.add(total <= math.ceil(most + 1) - 1)
            self.model.add(total >= math.floor(e.low - 1) + 1)
        for together in on.values():
            self.model.add(sum(together) <= 1)
        self._racks(cluster, on)
        self.cost = sum(cost)

    def _racks(self, cluster: Cluster, on: dict[tuple[int, int], list[cp_model.IntVar]]) -> None:
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
