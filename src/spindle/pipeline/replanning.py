"""Plans the rest of an execution again, from what brokers say now: sizes have changed meanwhile.

Pure, without Spark: a census (DescribeLogDirs of the brokers concerned) in, waves out. Capacities
are those of the plan, and so are write rates where those count, since brokers do not tell them.
Called by the execution's rim between waves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spindle.client.log_dirs import LogDirs
from spindle.client.results import Replica
from spindle.pipeline.execution_values import ParticipatingDirectory, Place, replica_of
from spindle.pipeline.proposal import ClusterProposal, PlanRequest, Waves
from spindle.planning.assigned_replicas import AssignedReplicas, complete
from spindle.planning.broker_planner import plan_broker
from spindle.planning.capacities import ENDLESS
from spindle.planning.cluster_model import cluster_of
from spindle.planning.cluster_planner import plan_cluster
from spindle.planning.load import DirectoryLoad, PlannedMove, ReplicaLoad
from spindle.planning.schedule import WaveLimits

UNASKED = AssignedReplicas()
Census = Mapping[int, LogDirs]
"""Each broker's directories with all that is in them."""


def rooms(proposal: ClusterProposal) -> dict[Place, ParticipatingDirectory]:
    """The directories of a plan as its execution knows them."""
    band = proposal.wanted.band
    return {
        (d.broker, d.path): ParticipatingDirectory(
            d.capacity, d.capacity - int(band.mark(d.capacity)) if d.capacity else 0, d.before
        )
        for d in proposal.directories
    }


def used(census: Census) -> dict[Place, int]:
    """Bytes of replicas in each directory; copies that moves are making do not count."""
    return {
        (broker, d.path): sum(log.size for log in d.current.values())
        for broker, directories in census.items()
        for d in directories
    }


def taking(census: Census) -> frozenset[Place]:
    """The directories that take replicas: online and not cordoned."""
    return frozenset(
        (broker, d.path)
        for broker, directories in census.items()
        for d in directories
        if d.online and not d.cordoned
    )


def replan(
    census: Census,
    proposal: ClusterProposal,
    running: Sequence[PlannedMove],
    limits: WaveLimits,
    assigned: AssignedReplicas = UNASKED,
) -> Waves:
    """The waves that bring the brokers of the census into the plan's band; moves that are under
    way count where they go. Where those may cross brokers the census is that of all, and what the
    metadata has (`assigned`) is kept."""
    going = {replica_of(move): move.target for move in running}
    if proposal.wanted.between:
        return _whole(census, proposal, running, limits, assigned)
    waves: list[list[PlannedMove]] = []
    for broker in sorted(census):
        plan = plan_broker(
            broker,
            directory_loads(broker, census[broker], capacities(proposal), proposal.wanted),
            replica_loads(broker, census[broker], going, proposal.rates),
            proposal.wanted.band,
            limits.moves_per_disk,
            limits.moves_per_broker,
            proposal.wanted.selection,
        )
        start = 0
        for number, count in enumerate(plan.waves):
            while len(waves) <= number:
                waves.append([])
            waves[number] += plan.moves[start : start + count]
            start += count
    return tuple(tuple(wave) for wave in waves)


def _whole(
    census: Census,
    proposal: ClusterProposal,
    running: Sequence[PlannedMove],
    limits: WaveLimits,
    assigned: AssignedReplicas,
) -> Waves:
    going = {replica_of(move): move.target for move in running}
    rates = proposal.rates
    loads = {broker: replica_loads(broker, found, going, rates) for broker, found in census.items()}
    for move in running:
        if move.between:
            gone = Replica(move.topic, move.partition, move.broker)
            loads[move.broker] = [r for r in loads[move.broker] if r[:2] != gone[:2]]
            others = [r for r in loads[move.to] if r[:2] != gone[:2]]
            rate = rates.get((move.topic, move.partition), 0)
            coming = ReplicaLoad(move.topic, move.partition, move.target, move.size, True, rate)
            loads[move.to] = [*others, coming]
    known = capacities(proposal)
    directories = {b: directory_loads(b, d, known, proposal.wanted) for b, d in census.items()}
    brokers = [proposal.wanted.load(b, assigned.racks.get(b)) for b in sorted(census)]
    wanted = proposal.wanted
    cluster = cluster_of(brokers, directories, loads, wanted.selection)
    full = complete(cluster, assigned, wanted.load, True)
    plan = plan_cluster(full.cluster, wanted.band, limits, True, wanted.mend_racks)
    return tuple(plan.by_wave())


def capacities(proposal: ClusterProposal) -> dict[Place, int]:
    """The bytes that replicas may take in each directory, as the planner has them."""
    return {
        (d.broker, d.path): ENDLESS if d.broker in proposal.bytes_only else d.capacity
        for d in proposal.directories
    }


def directory_loads(
    broker: int, found: LogDirs, capacity: Mapping[Place, int], wanted: PlanRequest
) -> list[DirectoryLoad]:
    """The directories of a broker as the planner takes them: online, with a known capacity."""
    loads = []
    for d in found:
        name = f"{broker}:{d.path}"
        room = capacity.get((broker, d.path), 0)
        if d.online and room:
            open_ = not d.cordoned and name not in wanted.exclude
            loads.append(DirectoryLoad(d.path, room, open_, name in wanted.drain))
    return loads


def replica_loads(
    broker: int,
    found: LogDirs,
    going: Mapping[Replica, str],
    rates: Mapping[tuple[str, int], int],
) -> list[ReplicaLoad]:
    """Replicas as they are; one that is moving counts where it goes, and stays there."""
    known = {d.path for d in found if d.online}
    moving = {n: (d.path, log.size) for d in found if d.online for n, log in d.future.items()}
    loads = []
    for d in found:
        if not d.online:
            continue
        for name, log in d.current.items():
            target, copied = moving.get(name, (going.get(Replica(*name, broker)), 0))
            pinned = target in known
            path = target if pinned and target is not None else d.path
            rate = rates.get((name.topic, name.partition), 0)
            loads.append(ReplicaLoad(*name, path, max(log.size, copied), pinned, rate))
    return loads
