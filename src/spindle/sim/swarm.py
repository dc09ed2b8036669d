"""What a seed decides before anything happens: sizes, settings, what clients do, what strikes.

A swarm: each seed leaves most things out, so that what it has comes together often (VOPR's idea).
What came later is drawn from a source of its own, and leaves the rest of a seed's plan as it was.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from spindle.core.groups.consumer_values import ASSIGNORS
from spindle.model.feature_rules import ELIGIBLE_LEADER_REPLICAS
from spindle.model.settings.groups import MIGRATION_POLICIES
from spindle.sim.faults import KINDS, Appetite
from spindle.sim.group_client import Shift
from spindle.sim.producer import IDS_FROM, ProducerPace
from spindle.sim.promises import Terms
from spindle.sim.share_consumer import SETTINGS as SHARE_SETTINGS
from spindle.sim.share_reader import ShareJob
from spindle.sim.sim_admin import LEVELS, AdminWeights
from spindle.sim.sim_cluster import Shape
from spindle.sim.subscriber import SETTINGS, SubscriberJob
from spindle.sim.transactional_producer import Habits
from spindle.sim.transactor import TransactorManner
from spindle.sim.worker import WorkerJob
from spindle.wire.compression import Compression

COMPRESSIONS: Final = ("uncompressed", "gzip", "snappy", "lz4", "zstd", "producer")
"""What a topic's compression.type may be."""


@dataclass(frozen=True, slots=True)
class SwarmPlan:
    """What a seed has decided. `seconds`: virtual time in which things go wrong."""

    shape: Shape = field(default_factory=Shape)
    terms: Terms = field(default_factory=Terms)
    weights: AdminWeights = field(default_factory=AdminWeights)
    paces: tuple[ProducerPace, ...] = (ProducerPace(),)
    habits: tuple[Habits, ...] = ()
    jobs: tuple[WorkerJob, ...] = ()
    subscribers: tuple[SubscriberJob, ...] = ()
    sharers: tuple[ShareJob, ...] = ()
    reader_version: int = 13
    appetite: Appetite = field(default_factory=Appetite)
    seconds: float = 15.0


def draw(seed: int) -> SwarmPlan:
    """The plan of a seed."""
    rng = random.Random(f"plan {seed}")
    brokers = rng.choice([1, 2, 3, 3, 3, 4])
    replicas = min(brokers, rng.choice([1, 2, 3, 3]))
    min_isr = rng.choice([1, max(1, replicas - 1), max(1, replicas - 1), min(2, replicas)])
    synced = rng.random() < 0.25
    elr = rng.random() < 0.9
    combined = rng.random() < 0.25
    controllers = min(rng.choice([1, 3]), brokers if combined else 3)
    shape = Shape(
        brokers=brokers,
        dirs=rng.choice([1, 2, 2, 3]),
        controllers=2 if controllers == 3 and brokers < 3 and combined else controllers,
        combined=combined,
        apart=rng.random() < 0.6,
        elr=elr,
        settings={
            "auto.leader.rebalance.enable": rng.choice(["true", "false"]),
            "leader.imbalance.check.interval.seconds": "4",
            "metadata.log.max.record.bytes.between.snapshots": rng.choice(["2000", "20000000"]),
            "metadata.log.segment.bytes": rng.choice(["3000", "100000"]),
            "metadata.log.max.snapshot.interval.ms": rng.choice(["3000", "3600000"]),
            "metadata.max.retention.bytes": rng.choice(["10000", "10000", "104857600"]),
            "metadata.max.retention.ms": rng.choice(["5000", "604800000"]),
            "num.replica.alter.log.dirs.threads": rng.choice(["1", "3"]),
            "replica.fetch.max.bytes": rng.choice(["1000", "1048576"]),
        },
    )
    configs = {
        "min.insync.replicas": str(min_isr),
        "segment.bytes": rng.choice(["1000", "5000", "1000000"]),
        "index.interval.bytes": rng.choice(["100", "4096"]),
    }
    if synced:
        configs["flush.messages"] = "1"
    by_id = rng.random() < 0.5
    weights = replace(_draw_wishes(rng, replicas, configs, by_id), upgrade=0.0 if elr else 0.5)
    paces = tuple(
        ProducerPace(
            pause=rng.choice([0.1, 0.4, 1.0]),
            records_max=rng.choice([1, 4]),
            bytes_max=rng.choice([20, 400]),
            version=13 if by_id else rng.choice([9, 11]),
            patience_ms=rng.choice([500, 3000]),
        )
        for _ in range(rng.choice([1, 1, 2]))
    )
    kinds = [kind for kind in KINDS if rng.random() < 0.4]
    appetite = Appetite(
        weights={kind: 0.2 + rng.random() for kind in kinds} or {"kill": 1.0},
        pause=rng.choice([0.5, 1.0, 3.0]),
        length=rng.choice([0.3, 1.0, 4.0]),
    )
    plan = SwarmPlan(
        shape=shape,
        terms=Terms(elr=elr and min_isr >= 2, synced=synced),
        weights=weights,
        paces=paces,
        reader_version=13 if by_id else 12,
        appetite=appetite,
        seconds=rng.choice([8.0, 15.0]),
    )
    plan = _with_transactions(plan, random.Random(f"transactions {seed}"), min_isr)
    plan = _with_sharers(plan, random.Random(f"sharers {seed}"), min_isr)
    for what, with_it in MORE.items():
        plan = with_it(plan, random.Random(f"{what} {seed}"))
    return plan


def _with_levels(plan: SwarmPlan, rng: random.Random) -> SwarmPlan:
    """The same on an older metadata.version that changes, in some seeds."""
    if rng.random() < 0.7:
        return plan
    level = rng.choice(LEVELS)
    elr = plan.shape.elr and level >= ELIGIBLE_LEADER_REPLICAS
    weights = replace(plan.weights, change_version=rng.choice([0.3, 1.0, 4.0]))
    return replace(
        plan,
        shape=replace(plan.shape, metadata_version=level, elr=elr),
        terms=replace(plan.terms, elr=plan.terms.elr and elr),
        weights=weights if elr else replace(weights, upgrade=0.5),
    )


def _with_voters(plan: SwarmPlan, rng: random.Random) -> SwarmPlan:
    """The same with a dynamic quorum in half of the seeds: controllers get votes and lose them."""
    if rng.random() < 0.5:
        return plan
    shape = plan.shape
    most = shape.brokers if shape.combined else 4
    controllers = min(most, shape.controllers + rng.choice([1, 2]))
    first = min(controllers, rng.choice([1, shape.controllers]))
    return replace(
        plan,
        shape=replace(shape, controllers=controllers, first_voters=first),
        weights=replace(plan.weights, voters=rng.choice([0.5, 2.0, 6.0])),
    )


def _with_slow_turns(plan: SwarmPlan, rng: random.Random) -> SwarmPlan:
    """In half of the seeds brokers act on the metadata one partition after the other."""
    rest = rng.choice([0.0, 0.0, 0.02, 0.3])
    if not rest:
        return plan
    return replace(plan, shape=replace(plan.shape, told_at_once=1, told_rest=rest))


def _with_transactions(plan: SwarmPlan, rng: random.Random, min_isr: int) -> SwarmPlan:
    """The same with producers in transactions and groups; few seeds have neither."""
    level = rng.choice([2, 2, 2, 1, 0])
    version = plan.reader_version if level == 2 else 11
    cut = {"clock", "freeze"} & set(plan.appetite.weights)
    rivals = rng.random() < 0.6
    manner = TransactorManner(level, version, rng.choice([2.0, 6.0]), excused=bool(cut))
    habits = []
    for n in range(1, 1 + rng.choice([0, 1, 1, 2])):
        pause, aborts = rng.choice([0.0, 0.0, 0.5]), rng.choice([0.1, 0.5])
        own = replace(manner, excused=manner.excused or rivals)
        delays = [0.0, rng.choice([2.0, 5.0])] if rivals and n == 1 else [0.0]
        habits += [Habits(f"id-{n}", own, delay, pause, aborts=aborts) for delay in delays]
    in_transactions, static = rng.random() < 0.6, rng.random() < 0.3
    members = range(1, 1 + rng.choice([0, 2, 3]))
    jobs = tuple(
        WorkerJob(
            "group-1",
            f"worker-{n}" if in_transactions else None,
            manner,
            f"instance-{n}" if static else None,
        )
        for n in members
    )
    factor, flush = str(plan.weights.replicas), {"log.flush.interval.messages": "1"}
    settings = {
        **plan.shape.settings,
        **(flush if plan.terms.synced else {}),
        "min.insync.replicas": str(min_isr),
        "offsets.topic.replication.factor": factor,
        "transaction.state.log.replication.factor": factor,
        "transaction.state.log.min.isr": str(min_isr),
    }
    by_name = version < IDS_FROM or bool(jobs)
    return replace(
        plan,
        shape=replace(plan.shape, transaction_version=level, settings=settings),
        weights=replace(plan.weights, reuse_names=plan.weights.reuse_names and not by_name),
        habits=tuple(habits),
        jobs=jobs,
    )


def _with_compressions(plan: SwarmPlan, rng: random.Random) -> SwarmPlan:
    """The same with topics that have a compression of their own, which some seeds change."""
    if rng.random() < 0.5:
        return plan
    several = tuple(rng.sample(COMPRESSIONS, rng.choice([1, 2, len(COMPRESSIONS)])))
    codecs = tuple(rng.sample(tuple(Compression), rng.choice([1, 2, len(Compression)])))
    return replace(
        plan,
        weights=replace(plan.weights, compressions=several, repack=_some(rng, 2.0)),
        paces=tuple(replace(pace, codecs=codecs) for pace in plan.paces),
        habits=tuple(replace(h, manner=replace(h.manner, codecs=codecs)) for h in plan.habits),
        jobs=tuple(replace(job, manner=replace(job.manner, codecs=codecs)) for job in plan.jobs),
    )


def _with_flights(plan: SwarmPlan, rng: random.Random) -> SwarmPlan:
    """The same with producers that have several batches of a partition under way."""
    if rng.random() < 0.5:
        return plan
    flight = rng.choice([2, 5, 5])
    return replace(
        plan,
        paces=tuple(replace(p, flight=flight, bumps=rng.random() < 0.3) for p in plan.paces),
        habits=tuple(replace(h, manner=replace(h.manner, flight=flight)) for h in plan.habits),
        jobs=tuple(replace(job, manner=replace(job.manner, flight=flight)) for job in plan.jobs),
    )


def _with_twins(plan: SwarmPlan, rng: random.Random) -> SwarmPlan:
    """The same with two live clients in the place of one static member, in some seeds (KIP-345)."""
    if rng.random() < 0.6:
        return plan
    jobs = list(plan.jobs or (WorkerJob("group-1"), WorkerJob("group-1")))
    rests, both_produce = rng.choice([0.2, 1.0, 3.0]), rng.random() < 0.5
    for n, job in enumerate(jobs, 1):
        jobs[n - 1] = replace(job, instance_id=f"instance-{n}", rests=rests)
    for job in tuple(jobs[: rng.choice([1, 1, len(jobs)])]):
        # A process that was started twice has its transactional id twice, too.
        manner = replace(job.manner, excused=job.manner.excused or both_produce)
        jobs[jobs.index(job)] = replace(job, manner=manner)
        own = job.transactional_id and job.transactional_id + "-twin" * (not both_produce)
        jobs.append(replace(job, transactional_id=own, manner=manner))
    by_name = replace(plan.weights, reuse_names=False)
    return replace(plan, jobs=tuple(jobs), weights=by_name)


def _with_consumers(plan: SwarmPlan, rng: random.Random) -> SwarmPlan:
    """The same with groups of KIP-848 in half of the seeds: static members, two clients in one
    place, in transactions or without, by names or by a pattern."""
    if rng.random() < 0.5:
        return plan
    shared, static, in_transactions = rng.random() < 0.2, rng.random() < 0.4, rng.random() < 0.3
    level = plan.shape.transaction_version
    version = plan.reader_version if level == 2 else 11
    cut = bool({"clock", "freeze"} & set(plan.appetite.weights))
    loses = rng.choice([0.0, 0.1, 0.4])
    jobs = []
    for n in range(1, 1 + rng.choice([2, 2, 3, 4])):
        place = 1 if static and shared else n
        jobs.append(
            SubscriberJob(
                "group-2",
                f"subscriber-{n}" if in_transactions else None,
                TransactorManner(level, version, rng.choice([2.0, 6.0]), excused=cut),
                f"instance-{place}" if static else None,
                pause=rng.choice([0.2, 0.4, 0.8]),
                loses=loses,
                by_pattern=rng.random() < 0.3,
                assignor=rng.choice(ASSIGNORS),
            )
        )
    interval = rng.choice(["0", "1000"])
    settings = {
        **plan.shape.settings,
        **SETTINGS,
        "group.consumer.assignment.interval.ms": interval,
    }
    return replace(
        plan,
        shape=replace(plan.shape, settings=settings),
        weights=replace(plan.weights, reuse_names=False),
        subscribers=tuple(jobs),
    )


def _with_sharers(plan: SwarmPlan, rng: random.Random, min_isr: int) -> SwarmPlan:
    """The same with a share group in half of the seeds (KIP-932): short locks, few deliveries."""
    if rng.random() < 0.5:
        return plan
    lock, limit = rng.choice([1.0, 3.0, 8.0]), rng.choice([2, 5, 10])
    job = ShareJob(
        "group-3",
        pause=rng.choice([0.1, 0.3, 0.8]),
        records=rng.choice([1, 5, 50]),
        strict=rng.random() < 0.5,
        lock=lock,
        limit=limit,
        releases=rng.choice([0.0, 0.1, 0.4]),
        rejects=rng.choice([0.0, 0.05]),
        forgets=rng.choice([0.0, 0.1, 0.3]),
        apart=rng.choice([0.0, 0.4, 1.0]),
        loses=rng.choice([0.0, 0.0, 0.1]),
        renews=rng.choice([0.0, 0.5, 1.0]),
    )
    settings = {
        **plan.shape.settings,
        **SHARE_SETTINGS,
        "group.share.record.lock.duration.ms": str(int(lock * 1000)),
        "group.share.delivery.count.limit": str(limit),
        "group.share.partition.max.record.locks": rng.choice(["100", "2000"]),
        "share.coordinator.snapshot.update.records.per.snapshot": rng.choice(["1", "5", "500"]),
        "share.coordinator.state.topic.num.partitions": rng.choice(["1", "3"]),
        "share.coordinator.state.topic.replication.factor": str(plan.weights.replicas),
        "share.coordinator.state.topic.min.isr": str(min_isr),
        "share.coordinator.state.topic.prune.interval.ms": rng.choice(["1000", "300000"]),
        "share.coordinator.cold.partition.snapshot.interval.ms": rng.choice(["2000", "300000"]),
    }
    return replace(
        plan,
        shape=replace(plan.shape, settings=settings),
        weights=replace(plan.weights, reuse_names=False),
        sharers=(job,) * rng.choice([1, 2, 3]),
    )


def _with_migration(plan: SwarmPlan, rng: random.Random) -> SwarmPlan:
    """The same with consumers of the classic protocol beside those of KIP-848, in half of the seeds
    that have such: some take turns with them, perhaps in the same static place.

    In one place there is one of the classic protocol: two would put each other out for ever.
    """
    if rng.random() < 0.5 or not plan.subscribers:
        return plan
    jobs, subscribers = list(plan.jobs), list(plan.subscribers)
    length, policy = rng.choice([2.0, 4.0, 6.0]), rng.choice(MIGRATION_POLICIES)
    if rng.random() < 0.6:
        policy = "bidirectional"
    taken: set[str | None] = set()
    for n in range(rng.choice([1, 2, len(subscribers)])):
        job = subscribers[n % len(subscribers)]
        turns = policy == "bidirectional" and rng.random() < 0.7 and job.instance_id not in taken
        if turns:
            taken |= {job.instance_id} - {None}
            subscribers[n % len(subscribers)] = replace(job, shift=Shift(length, is_second=True))
        jobs.append(
            WorkerJob(
                job.group,
                job.transactional_id and f"{job.transactional_id}-classic-{n}",
                job.manner,
                job.instance_id if turns else None,
                pause=job.pause,
                shift=Shift(length) if turns else None,
                consumes=True,
            )
        )
    settings = {**plan.shape.settings, "group.consumer.migration.policy": policy}
    return replace(
        plan,
        shape=replace(plan.shape, settings=settings),
        jobs=tuple(jobs),
        subscribers=tuple(subscribers),
    )


def _draw_wishes(
    rng: random.Random, replicas: int, configs: dict[str, str], by_id: bool
) -> AdminWeights:
    return AdminWeights(
        pause=rng.choice([0.2, 0.5, 2.0]),
        topics=rng.choice([1, 2]),
        topics_max=rng.choice([2, 4]),
        partitions_max=rng.choice([1, 3]),
        replicas=replicas,
        configs=tuple(configs.items()),
        create=_some(rng, 1.0),
        delete=_some(rng, 0.7),
        move=_some(rng, 8.0),
        reassign=_some(rng, 2.0),
        trim=_some(rng, 0.7),
        throttle=_some(rng, 0.7),
        elect=_some(rng, 0.5),
        reuse_names=by_id,
    )


def _some(rng: random.Random, weight: float) -> float:
    return weight * rng.random() if rng.random() < 0.7 else 0.0


MORE: Final[Mapping[str, Callable[[SwarmPlan, random.Random], SwarmPlan]]] = {
    "turns": _with_slow_turns,
    "compressions": _with_compressions,
    "flights": _with_flights,
    "twins": _with_twins,
    "consumers": _with_consumers,
    "migration": _with_migration,
    "voters": _with_voters,
    "levels": _with_levels,
}
"""What a plan gets after its transactions and share groups, in this order, by its own chance."""
