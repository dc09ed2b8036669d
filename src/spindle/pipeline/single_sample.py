"""Plans a cluster from one sample in this process: the same planner and plan as on Spark.

Pure values, no Spark: what needs the history (write rates, growth) is not planned here, and a fleet
is Spark's. Called by the commands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from spindle.client.log_dirs import LogDirs
from spindle.client.results import LogDirDescription
from spindle.model.errors import Error
from spindle.pipeline.assembly import (
    DirectoryUse,
    Place,
    affordable,
    capacities,
    check_names,
    directories,
    left_after,
    with_capacities,
)
from spindle.pipeline.proposal import ClusterProposal, PlanRequest
from spindle.pipeline.replanning import Census, directory_loads, replica_loads
from spindle.pipeline.sampling import ClusterSample
from spindle.planning.assigned_replicas import AssignedReplicas, CompletedModel, complete
from spindle.planning.capacities import Capacities
from spindle.planning.cluster_model import cluster_of
from spindle.planning.cluster_planner import plan_cluster
from spindle.planning.devices import Room, devices
from spindle.planning.load import PlannedMove

REPLICAS_MAX: Final = 200_000
"""Of a sample that is planned here unless Spark is asked for."""


def propose(
    sample: ClusterSample,
    wanted: PlanRequest,
    assigned: AssignedReplicas,
    add: Mapping[Place, int] | None = None,
) -> ClusterProposal:
    """The plan of a cluster. Unusable where it lacks what is to be drained or spared.

    `add`: directories that it would have, too, and the bytes that replicas may take there.
    """
    if not sample.answers:
        return ClusterProposal((), (), 0, ("no broker is registered",), (), wanted)
    census = _with(sample.census, add or {})
    there = [
        use._replace(capacity=(add or {}).get((broker, use.path), use.capacity))
        for broker, found in census.items()
        for use in uses(broker, found)
    ]
    check_names(wanted, [(use.broker, use.path) for use in there], assigned.brokers)
    known = capacities(there, wanted)
    there = with_capacities(there, known)
    full = _cluster(census, known, wanted, assigned)
    found = plan_cluster(
        full.cluster, wanted.band, wanted.limits, wanted.between, wanted.mend_racks
    )
    plan = affordable(tuple(found.by_wave()), there, known, wanted)
    moves = tuple(move for wave in plan.waves for move in wave)
    names = {name for dirs in census.values() for d in dirs for name in d.current}
    odd = wanted.selection.notes(names if assigned.replicas is None else assigned.replicas)
    return ClusterProposal(
        directories=directories(there, moves, _left(census, wanted, moves), {}),
        waves=plan.waves,
        bound=found.bound if len(moves) == len(found.moves) else 0,
        notes=(*odd, *known.notes(), *assigned.notes(), *full.notes, *found.notes, *plan.notes),
        silent=sample.silent,
        wanted=wanted,
        sampled_at=f"{sample.at:%Y-%m-%dT%H:%M:%SZ}" if census else "",
        weights=_largest(census) if wanted.leaders else {},
        bytes_only=known.bytes_only,
        hidden=assigned.hidden({topic for topic, _ in names}),
    )


def uses(broker: int, found: LogDirs) -> list[DirectoryUse]:
    """What a broker's directories hold, and may hold: those on one device share its space.

    Ordered by path. Copies that moves are making take space, too.
    """
    used = {
        d.path: sum(log.size for logs in (d.current, d.future) for log in logs.values())
        for d in found
    }
    told = [Room(d.path, d.total, d.usable, used[d.path]) for d in found if d.usable is not None]
    capacity: dict[str, int] = {}
    for rooms in devices(told):
        share = (sum(r.used for r in rooms) + min(r.usable for r in rooms)) // len(rooms)
        capacity |= {room.path: share for room in rooms}
    return [
        DirectoryUse(broker, d.path, d.online, d.cordoned, capacity.get(d.path), used[d.path])
        for d in sorted(found, key=lambda d: d.path)
    ]


def _with(census: Mapping[int, LogDirs], add: Mapping[Place, int]) -> dict[int, LogDirs]:
    """A census with empty directories more, of brokers that may be new."""
    found = dict(census)
    for broker, path in add:
        fresh = LogDirDescription(path, Error.NONE, None, None, False, {}, {})
        found[broker] = (*found.get(broker, ()), fresh)
    return dict(sorted(found.items()))


def _cluster(
    census: Census, known: Capacities, wanted: PlanRequest, assigned: AssignedReplicas
) -> CompletedModel:
    """A broker without any directory to plan with is part of it by its copies alone."""
    room = {(b, d.path): known.planned(b, d.path) or 0 for b, dirs in census.items() for d in dirs}
    loads = {b: directory_loads(b, found, room, wanted) for b, found in census.items()}
    there = {broker: found for broker, found in loads.items() if found}
    replicas = {broker: replica_loads(broker, census[broker], {}, {}) for broker in there}
    racks = assigned.racks if wanted.between else {}
    brokers = [wanted.load(broker, racks.get(broker)) for broker in there]
    cluster = cluster_of(brokers, there, replicas, wanted.selection)
    return complete(cluster, assigned, wanted.load, wanted.between)


def _left(
    census: Census, wanted: PlanRequest, moves: tuple[PlannedMove, ...]
) -> Mapping[Place, int]:
    if not wanted.drain:
        return {}
    replicas: Counter[Place] = Counter()
    for broker, found in census.items():
        going = {name: d.path for d in found for name in d.future}
        names = {name: d.path for d in found for name in d.current} | going
        replicas.update((broker, path) for path in names.values())
    return left_after(replicas, moves)


def _largest(census: Census) -> dict[tuple[str, int], float]:
    """The bytes of the largest replica of each partition."""
    largest: dict[tuple[str, int], float] = {}
    for found in census.values():
        for d in found:
            for name, log in d.current.items():
                key = (name.topic, name.partition)
                largest[key] = max(largest.get(key, 0.0), float(log.size))
    return largest
