"""What a cluster shows of the moves of a plan: where replicas are, in sync or not, what is gone.

Called by `applying`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from spindle.cli.balance.broker_looks import LOOK_SECONDS, BrokerLooks, answered_soon
from spindle.client.admin import AdminClient
from spindle.client.failures import OutOfTime, Refused, Unreachable
from spindle.client.log_dirs import LogDirs, replica_in
from spindle.client.results import PartitionDescription, Replica, ReplicaLogDirs, TopicDescription
from spindle.model.errors import Error, Unusable
from spindle.model.ids import TopicPartition
from spindle.pipeline.execution import Execution
from spindle.pipeline.execution_values import ClusterLook, ends, replica_of
from spindle.planning.load import PlannedMove


async def verify(admin: AdminClient, moves: Sequence[PlannedMove]) -> list[tuple[PlannedMove, str]]:
    """Which replicas are not in the directory that the plan names, and where they are instead.

    One from another broker must be in sync, too: until then the partition has a copy less.
    Of a replica that moves twice the last move counts, on whatever broker.
    """
    moves = ends(moves)
    partitions = await _partitions(admin, [name_of(m) for m in moves if m.between])
    asked = [replica_of(m) for m in moves]
    places = await admin.describe_replica_log_dirs(asked, timeout=LOOK_SECONDS).settled()
    wrong = []
    for move in moves:
        place = places[replica_of(move)]
        if isinstance(place, Exception):
            wrong.append((move, str(place)))
        elif place.current != move.target or place.future is not None:
            where = place.current or "no directory that can be read"
            going = "" if place.future is None else f", going to {place.future}"
            wrong.append((move, f"in {where}{going}"))
        elif move.between:
            partition = partitions.get(name_of(move))
            if partition is None:
                unknown = "whether it is in sync could not be asked"
                wrong.append((move, f"in {place.current}; {unknown}"))
            elif move.to not in partition.isr:
                wrong.append((move, f"in {place.current}, but not in sync"))
    return wrong


async def observe(
    admin: AdminClient,
    machine: Execution,
    census: Mapping[int, LogDirs] | None = None,
    looks: BrokerLooks | None = None,
) -> ClusterLook:
    """What the cluster shows of what the machine watches, and the room that there is.

    `looks`: those of the run, which know the brokers that are silent.
    """
    moves = machine.watched
    names = [name_of(m) for m in moves]
    told: Mapping[int, LogDirs | Exception]
    if looks is None:
        looks = BrokerLooks(admin, lambda _: None, lambda: {move.to for move in moves})
    if census is not None:
        told = census
    else:
        brokers = sorted({broker for broker, _ in machine.places})
        told = await looks.ask(brokers, names)
    places: dict[Replica, ReplicaLogDirs | Exception] = {}
    for move in moves:
        found = told.get(move.to, Unusable(f"there is no broker {move.to}"))
        replica = replica_of(move)
        places[replica] = found if isinstance(found, Exception) else replica_in(found, replica.name)
    absent = [
        TopicPartition(r.topic, r.partition)
        for r, place in places.items()
        if isinstance(place, ReplicaLogDirs) and place.current is None and place.future is None
    ]
    gone = await deleted(admin, absent)
    free = {
        (broker, d.path): d.usable
        for broker, directories in told.items()
        if not isinstance(directories, Exception)
        for d in directories
        if d.usable is not None
    }
    offline = frozenset(
        (broker, d.path)
        for broker, directories in told.items()
        if not isinstance(directories, Exception)
        for d in directories
        if not d.online
    )
    between = [n for n, m in zip(names, moves, strict=True) if m.between]
    if not between:
        return ClusterLook(places, free, gone=gone, offline=offline, silent=looks.silent)
    active = await answered_soon(
        lambda seconds: admin.list_partition_reassignments(between, timeout=seconds)
    )
    partitions = await _partitions(admin, between)
    assigned = {name: p.replicas for name, p in partitions.items()}
    in_sync = {name: p.isr for name, p in partitions.items()}
    return ClusterLook(
        places, free, assigned, in_sync, frozenset(active), gone, offline, silent=looks.silent
    )


async def assigned_brokers(
    admin: AdminClient, names: Sequence[TopicPartition] | Mapping[TopicPartition, object]
) -> dict[TopicPartition, tuple[int, ...]]:
    """The brokers of those of these partitions that exist."""
    return {name: p.replicas for name, p in (await _partitions(admin, names)).items()}


async def _partitions(
    admin: AdminClient, names: Sequence[TopicPartition] | Mapping[TopicPartition, object]
) -> dict[TopicPartition, PartitionDescription]:
    """Those of these partitions that exist, as the cluster describes them."""
    if not names:
        return {}
    topics = await _topics(admin, names)
    every = {
        TopicPartition(topic.name, p.partition): p
        for topic in topics.values()
        if not isinstance(topic, Exception)
        for p in topic.partitions
    }
    return {name: every[name] for name in names if name in every}


async def _topics(
    admin: AdminClient, names: Iterable[TopicPartition]
) -> dict[str, TopicDescription | Exception]:
    """The topics of these partitions, or why they are not known."""
    topics = sorted({n.topic for n in names})

    async def ask(seconds: float | None) -> dict[str, TopicDescription | Exception]:
        told = await admin.describe_topics(topics, timeout=seconds).settled()
        for found in told.values():
            if seconds is not None and isinstance(found, (Unreachable, OutOfTime)):
                raise found
        return told

    return await answered_soon(ask)


async def deleted(admin: AdminClient, names: Sequence[TopicPartition]) -> frozenset[TopicPartition]:
    """Those of these partitions that do not exist; what cannot be asked counts as there."""
    topics = await _topics(admin, names) if names else {}
    there = {
        TopicPartition(topic.name, p.partition)
        for topic in topics.values()
        if not isinstance(topic, Exception)
        for p in topic.partitions
    }
    unsure = {
        name
        for name, topic in topics.items()
        if isinstance(topic, Exception)
        and not (isinstance(topic, Refused) and topic.error == Error.UNKNOWN_TOPIC_OR_PARTITION)
    }
    return frozenset(n for n in names if n not in there and n.topic not in unsure)


async def pending(admin: AdminClient, moves: Sequence[PlannedMove]) -> list[PlannedMove]:
    """The moves that are left to be done: their partitions exist, their replicas are elsewhere."""
    wrong = [move for move, _ in await verify(admin, moves)]
    gone = await deleted(admin, [name_of(m) for m in wrong])
    return [move for move in wrong if name_of(move) not in gone]


def name_of(move: PlannedMove) -> TopicPartition:
    """The partition that a move is of."""
    return TopicPartition(move.topic, move.partition)
