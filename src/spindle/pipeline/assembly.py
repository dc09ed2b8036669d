"""What a plan is put together from, whether Spark has planned or this process. Pure.

Called by `job` and by `single_sample`; knows values, no DataFrame.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from spindle.model.errors import Unusable
from spindle.pipeline.proposal import DirectoryNow, PlanRequest, Waves
from spindle.planning.budget import CutPlan, Vessel, cut
from spindle.planning.capacities import Capacities, ReportedSpace, settle
from spindle.planning.load import PlannedMove

Place = tuple[int, str]
"""A directory: broker, path."""
Flow = tuple[int | None, int | None]
"""Bytes/s now and after a plan; None where rates do not count."""


class DirectoryUse(NamedTuple):
    """A directory now; `capacity`: bytes that replicas may take, None where it is unknown."""

    broker: int
    path: str
    online: bool
    cordoned: bool
    capacity: int | None
    used: int


def directories(
    there: Sequence[DirectoryUse],
    moves: Sequence[PlannedMove],
    left: Mapping[Place, int],
    flows: Mapping[Place, Flow],
    unknown: Flow = (None, None),
) -> tuple[DirectoryNow, ...]:
    """Each directory before and after these moves. `left`: replicas in it then, if it is drained.

    `unknown`: the bytes/s of a directory that `flows` does not have.
    """
    change = change_of(moves)
    return tuple(
        DirectoryNow(
            d.broker, d.path, d.online, d.capacity or 0, d.used,
            d.used + change[d.broker, d.path], d.cordoned,
            *flows.get((d.broker, d.path), unknown),
            left.get((d.broker, d.path), 0),
        )
        for d in there
    )  # fmt: skip


def change_of(moves: Iterable[PlannedMove]) -> Counter[Place]:
    """Bytes that come to each directory, less those that leave it."""
    change: Counter[Place] = Counter()
    for move in moves:
        change[move.to, move.target] += move.size
        change[move.broker, move.source] -= move.size
    return change


def left_after(replicas: Mapping[Place, int], moves: Sequence[PlannedMove]) -> dict[Place, int]:
    """How many replicas each directory has once these moves are done; `replicas`: before them."""
    left = Counter(replicas)
    for move in moves:
        left[move.to, move.target] += 1
        left[move.broker, move.source] -= 1
    return left


def capacities(there: Sequence[DirectoryUse], wanted: PlanRequest) -> Capacities:
    """What each directory can hold: as it is wanted, or else as brokers report."""
    told = [ReportedSpace(d.broker, d.path, d.online, d.capacity) for d in there]
    return settle(told, wanted.capacities, wanted.between)


def with_capacities(there: Sequence[DirectoryUse], known: Capacities) -> list[DirectoryUse]:
    """The directories with the capacities that hold; None where there is none."""
    return [d._replace(capacity=known.known.get((d.broker, d.path))) for d in there]


def affordable(
    waves: Waves, there: Sequence[DirectoryUse], known: Capacities, wanted: PlanRequest
) -> CutPlan:
    """The plan within its budget."""
    if not wanted.budget.limits:
        return CutPlan(waves, ())
    vessels = {}
    for d in there:
        capacity = known.planned(d.broker, d.path)
        if d.online and capacity is not None:
            mark = wanted.band.mark(capacity)
            vessels[d.broker, d.path] = Vessel(d.used, capacity, mark)
    drained = [
        place for place in _sources(waves)
        if str(place[0]) in wanted.drain or f"{place[0]}:{place[1]}" in wanted.drain
    ]  # fmt: skip
    return cut(waves, vessels, wanted.budget, wanted.between, drained)


def _sources(waves: Waves) -> set[Place]:
    return {(move.broker, move.source) for wave in waves for move in wave}


def check_names(
    wanted: PlanRequest, there: Sequence[Place], assigned: Collection[int] = ()
) -> None:
    """Unusable where what is to be drained or spared is not there; `assigned`: brokers that the
    metadata has replicas on, which may be dead."""
    named = [f"{broker}:{path}" for broker, path in there]
    brokers = [str(broker) for broker in dict.fromkeys(broker for broker, _ in there)]
    brokers += [str(broker) for broker in assigned if str(broker) not in brokers]
    for name in (*wanted.drain, *wanted.exclude, *wanted.capacities):
        if name.isdigit() and name not in brokers:
            raise Unusable(f"there is no broker {name}; there are: {', '.join(brokers)}")
        if name.isdigit() and not wanted.between:
            raise Unusable(
                f"broker {name} as a whole counts only where replicas may go to other brokers: add "
                "--between-brokers, or name a directory as BROKER:PATH"
            )
        if not name.isdigit() and name not in named:
            raise Unusable(
                f"the cluster has no log directory {name}; write BROKER:PATH, one of: "
                + (", ".join(named) or "none, no broker answered")
            )
