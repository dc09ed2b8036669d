"""What `spindle balance apply` looks at before it moves anything: faults of the release, trouble.

Asks the cluster; what stands against a run is decided by `pipeline.preconditions`, and which faults
concern it by `pipeline.known_faults`. Called by `applying`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from spindle.cli.balance.barred_brokers import refusing
from spindle.cli.balance.broker_looks import LOOK_SECONDS, answered_soon
from spindle.cli.balance.cluster_look import deleted, name_of, pending
from spindle.cli.refusals import Declined
from spindle.client.admin import AdminClient, features_of
from spindle.client.results import Reassignment
from spindle.model.errors import Failure, PeerFailed, Refusal
from spindle.model.ids import TopicPartition
from spindle.pipeline.execution_values import ReplicationHealth
from spindle.pipeline.known_faults import faults, release_range
from spindle.pipeline.preconditions import ClusterHealth, obstacles, refusal
from spindle.pipeline.proposal import ClusterProposal
from spindle.planning.load import PlannedMove

Say = Callable[[str], None]


async def checked(
    admin: AdminClient, moves: Sequence[PlannedMove], despite: Sequence[str], say: Say
) -> ClusterHealth:
    """What is not well in the cluster now. Declined where that stands against these moves.

    `despite`: the names of obstacles that the operator goes on in spite of. Faults that the
    cluster's release may have are said first.
    """
    brokers = {broker for move in moves for broker in (move.broker, move.to)}
    await _say_faults(admin, moves, brokers, say)
    health = await look(admin, brokers, {move.broker for move in moves if not move.between})
    # A broker that only gives replicas away need not answer: others have them.
    receiving = {move.to for move in moves}
    silent = {broker: why for broker, why in health.silent.items() if broker in receiving}
    health = replace(health, silent=silent)
    own = {name_of(move) for move in moves if move.between}
    if found := obstacles(health, brokers, own, despite):
        raise Declined(refusal(found))
    for broker in sorted(health.silent.keys() & brokers):
        say(f"warning: broker {broker} gives no answer: what moves from or to it is left out")
    return health


class Rehearsal(NamedTuple):
    """What a run would do: moves and bytes to make, replicas in place, partitions that are gone."""

    moves: int
    bytes: int
    there: int
    gone: int
    leaders: int


async def rehearsed(
    admin: AdminClient, proposal: ClusterProposal, despite: Sequence[str], say: Say
) -> tuple[Rehearsal, ClusterHealth]:
    """What a run would do now, and what it would go on in spite of; changes nothing.

    Declined where something stands against it.
    """
    waiting = await pending(admin, proposal.moves)
    gone = await deleted(admin, [name_of(m) for m in proposal.moves])
    left = [m for m in proposal.moves if name_of(m) not in gone]
    there = len(left) - len(waiting)
    health = ClusterHealth()
    if waiting:
        health = await checked(admin, waiting, despite, say)
        waiting = [m for m in waiting if {m.broker, m.to}.isdisjoint(health.silent)]
    orders = () if proposal.leadership is None else proposal.leadership.orders
    found = Rehearsal(
        len(waiting), sum(m.size for m in waiting), there,
        len(proposal.moves) - len(left), len(orders),
    )  # fmt: skip
    return found, health


async def look(admin: AdminClient, brokers: Set[int], within: Set[int]) -> ClusterHealth:
    """What is not well: directories of these brokers, replicas and reassignments of all.

    `within`: the brokers that are to move replicas between their directories.
    """
    asked = admin.describe_log_dirs(sorted(brokers), partitions=[], timeout=LOOK_SECONDS)
    told = await asked.settled()
    silent = {b: str(found) for b, found in told.items() if isinstance(found, PeerFailed)}
    offline = {
        (broker, d.path)
        for broker, found in told.items()
        if not isinstance(found, Exception)
        for d in found
        if not d.online
    }
    active = await answered_soon(lambda s: admin.list_partition_reassignments(timeout=s))
    barred = await refusing(admin, within & {broker for broker, _ in offline})
    replicas = await replication_health(admin, active)
    return ClusterHealth(frozenset(offline), replicas, frozenset(active), barred, silent)


async def replication_health(
    admin: AdminClient, active: Mapping[TopicPartition, Reassignment]
) -> ReplicationHealth:
    """Which brokers are live, and which replicas are not well; `active`: reassignments."""
    topics = await answered_soon(lambda s: admin.list_topics(internal=True, timeout=s))
    live = (await answered_soon(lambda s: admin.describe_cluster(timeout=s))).brokers
    late: dict[TopicPartition, frozenset[int]] = {}
    leaderless = set()
    for topic in topics.values():
        for p in topic.partitions:
            name = TopicPartition(topic.name, p.partition)
            well: tuple[int, ...] = p.isr
            if p.leader < 0:
                leaderless.add(name)
                well = ()
            coming = active[name].adding if name in active else ()
            late[name] = frozenset(p.replicas) - {*well, *coming}
    behind = {name: brokers for name, brokers in late.items() if brokers}
    return ReplicationHealth(frozenset(live), behind, frozenset(leaderless))


async def _say_faults(
    admin: AdminClient, moves: Sequence[PlannedMove], brokers: Set[int], say: Say
) -> None:
    asked = (features_of(admin, broker, timeout=LOOK_SECONDS) for broker in sorted(brokers))
    releases = set()
    for told in await asyncio.gather(*asked, return_exceptions=True):
        if isinstance(told, BaseException):
            if not isinstance(told, (Failure, Refusal)):
                raise told
            continue  # The run's own looks say so of a broker that does not answer.
        releases.add(release_range(told.metadata_version, told.versions))
    within, between = any(not m.between for m in moves), any(m.between for m in moves)
    for fault in faults(releases, within=within, between=between):
        first, last = (".".join(map(str, release)) for release in (fault.first, fault.last))
        say(
            f"warning: these brokers may have {fault.name} (Apache Kafka {first} to {last}): "
            f"{fault.what}. What helps: {fault.way_out}"
        )
