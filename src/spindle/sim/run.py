"""One seed, from its first event to the verdict: draws a plan, lets it happen, heals, checks.

A plan is all that a seed decides before anything happens: sizes, settings, what clients do, which
faults strike. Called by `spindle sim` and by the tests, which may lay a plan of their own.
"""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from spindle.core.groups.subscription import partition_for
from spindle.model.ids import NodeId
from spindle.node.topic_creation import OFFSETS_TOPIC
from spindle.sim.admin import Admin, Wishes
from spindle.sim.checks import Checks
from spindle.sim.client import Client
from spindle.sim.cluster import Cluster, Shape
from spindle.sim.faults import KINDS, Appetite, Faults
from spindle.sim.history import History
from spindle.sim.host import Host
from spindle.sim.producer import IDS_FROM, Pace, Producer
from spindle.sim.promises import Promises, Terms
from spindle.sim.reader import Reader
from spindle.sim.transactional_producer import Habits, TransactionalProducer
from spindle.sim.transactor import Manner, Transactor
from spindle.sim.violation import Violation
from spindle.sim.worker import Job, Worker
from spindle.sim.world import World

START_SECONDS: Final = 60.0
HEAL_SECONDS: Final = 150.0
"""Virtual time that a cluster has to be well again after the last fault."""
STILL_SECONDS: Final = 8.0
"""And to answer all that clients have asked, and to delete what is to be deleted."""
LOOK_SECONDS: Final = 0.25


@dataclass(frozen=True, slots=True)
class Plan:
    """What a seed has decided. `seconds`: virtual time in which things go wrong."""

    shape: Shape = field(default_factory=Shape)
    terms: Terms = field(default_factory=Terms)
    wishes: Wishes = field(default_factory=Wishes)
    paces: tuple[Pace, ...] = (Pace(),)
    habits: tuple[Habits, ...] = ()
    jobs: tuple[Job, ...] = ()
    reader_version: int = 13
    appetite: Appetite = field(default_factory=Appetite)
    seconds: float = 15.0


@dataclass(slots=True)
class Outcome:
    """What has become of a seed. `error`: None, or what was broken, with the trace."""

    seed: int
    error: str | None = None
    digest: str = ""
    events: int = 0
    virtual_seconds: float = 0.0
    real_seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    """The last log lines of the nodes, where it has failed."""


def draw(seed: int) -> Plan:
    """The plan of a seed: a swarm, so that each seed leaves most things out (VOPR's idea)."""
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
    wishes = replace(_draw_wishes(rng, replicas, configs, by_id), upgrade=0.0 if elr else 0.5)
    paces = tuple(
        Pace(
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
    plan = Plan(
        shape=shape,
        terms=Terms(elr=elr and min_isr >= 2, synced=synced),
        wishes=wishes,
        paces=paces,
        reader_version=13 if by_id else 12,
        appetite=appetite,
        seconds=rng.choice([8.0, 15.0]),
    )
    plan = _with_transactions(plan, random.Random(f"transactions {seed}"), min_isr)
    return _with_slow_turns(plan, random.Random(f"turns {seed}"))


def _with_slow_turns(plan: Plan, rng: random.Random) -> Plan:
    """In half of the seeds brokers act on the metadata one partition after the other."""
    rest = rng.choice([0.0, 0.0, 0.02, 0.3])
    if not rest:
        return plan
    return replace(plan, shape=replace(plan.shape, told_at_once=1, told_rest=rest))


def _with_transactions(plan: Plan, rng: random.Random, min_isr: int) -> Plan:
    """The same with producers in transactions and groups; few seeds have neither."""
    level = rng.choice([2, 2, 2, 1, 0])
    version = plan.reader_version if level == 2 else 11
    cut = {"clock", "freeze"} & set(plan.appetite.weights)
    rivals = rng.random() < 0.6
    manner = Manner(level, version, rng.choice([2.0, 6.0]), excused=bool(cut))
    habits = []
    for n in range(1, 1 + rng.choice([0, 1, 1, 2])):
        pause, aborts = rng.choice([0.0, 0.0, 0.5]), rng.choice([0.1, 0.5])
        own = replace(manner, excused=manner.excused or rivals)
        delays = [0.0, rng.choice([2.0, 5.0])] if rivals and n == 1 else [0.0]
        habits += [Habits(f"id-{n}", own, delay, pause, aborts=aborts) for delay in delays]
    in_transactions, static = rng.random() < 0.6, rng.random() < 0.3
    members = range(1, 1 + rng.choice([0, 2, 3]))
    jobs = tuple(
        Job(
            "group-1",
            f"worker-{n}" if in_transactions else None,
            manner,
            f"instance-{n}" if static else None,
        )
        for n in members
    )
    factor, flush = str(plan.wishes.replicas), {"log.flush.interval.messages": "1"}
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
        wishes=replace(plan.wishes, reuse_names=plan.wishes.reuse_names and not by_name),
        habits=tuple(habits),
        jobs=jobs,
    )


def _draw_wishes(rng: random.Random, replicas: int, configs: dict[str, str], by_id: bool) -> Wishes:
    return Wishes(
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


class Simulation:
    """A plan under way. Scenarios reach the parts: `cluster`, `faults`, `admin`, `world` ..."""

    def __init__(self, seed: int, plan: Plan, trace: Callable[[str], None] | None = None) -> None:
        self.plan = plan
        self.world = World(seed)
        self.world.trace = trace
        self.cluster = Cluster(self.world, plan.shape)
        self.history = History()
        self.checks = Checks(self.cluster, self.history)
        self.promises = Promises(self.cluster, plan.terms)
        self.faults = Faults(self.cluster, self.promises, self.checks, self.history, plan.appetite)
        wishes = replace(
            plan.wishes, directories={m.node_id: m.log_dirs for m in self.cluster.brokers}
        )
        about = (self.cluster.bootstrap, self.history)
        self.admin = Admin("admin", self._rng(), *about, wishes)
        self.producers = [
            Producer(f"producer-{n}", self._rng(), *about, pace)
            for n, pace in enumerate(plan.paces, 1)
        ]
        self.transactors: list[Transactor] = [
            TransactionalProducer(f"transactional-{n}", self._rng(), *about, habits)
            for n, habits in enumerate(plan.habits, 1)
        ]
        self.transactors += [
            Worker(f"worker-{n}", self._rng(), *about, job) for n, job in enumerate(plan.jobs, 1)
        ]
        # Where nothing is undecided one reader sees for both.
        self.readers = [
            Reader(name, self._rng(), *about, plan.reader_version, committed=committed)
            for name, committed in (("reader", False), ("reader of committed", True))
            if committed or self.transactors
        ]
        self.history.groups.coordinator_of = self._coordinator_of

    def _rng(self) -> random.Random:
        return random.Random(self.world.rng.getrandbits(64))

    # --- the phases ---------------------------------------------------------------------------

    def start(self) -> None:
        """Start the nodes, wait until they serve, start the clients."""
        self.cluster.start()
        self.until(lambda: self.cluster.serves(), START_SECONDS, "the cluster serves")
        for client in self._clients():
            self.world.start(Host(client.name, {}), client)

    def _clients(self) -> list[Client]:
        return [self.admin, *self.producers, *self.readers, *self.transactors]

    def until(self, done: Callable[[], bool], seconds: float, what: str) -> None:
        """Let time pass until something holds. Violation if it does not in time."""
        if not self.world.run(self.world.now + seconds, done):
            raise Violation(f"after {seconds:g} s it is still not so that {what}")

    def pass_time(self, seconds: float) -> None:
        """Let time pass."""
        self.world.run(self.world.now + seconds)

    def heal(self) -> None:
        """End all faults and all new work; everything must come to rest, and well."""
        self.faults.heal()
        self.admin.draining = True
        for writer in (*self.producers, *self.transactors):
            writer.draining = True
        self._until_none(self._unsettled, HEAL_SECONDS)
        for reader in self.readers:
            reader.draining = True
        # A request that was given up before may have come late, and begun something.
        self._until_none(lambda: self._unsettled() or self._unanswered(), STILL_SECONDS)

    def _until_none(self, look: Callable[[], str | None], seconds: float) -> None:
        """Let time pass until nothing is found to be missing any more."""
        deadline = self.world.now + seconds
        while (why := look()) is not None:
            if self.world.now >= deadline:
                raise Violation(f"{seconds:g} s after the last fault, or the last request: {why}")
            self.pass_time(LOOK_SECONDS)

    def _unanswered(self) -> str | None:
        for client in self._clients():
            if client.open:
                return f"{client.open} requests of {client.name} are open"
        return self.checks.unanswered()

    def _unsettled(self) -> str | None:
        if self.admin.open:
            return f"{self.admin.open} requests of {self.admin.name} may change something yet"
        for producer in self.producers:
            if not producer.idle:
                return f"{producer.name} waits for {producer.waits_for}"
        for transactor in self.transactors:
            if not transactor.finished:
                return f"{transactor.name} has not ended its last transaction"
        for id, offsets in self.history.acknowledged.items():
            for reader in self.readers:
                at = reader.position(id)
                if id.topic_id not in self.history.deleted and max(offsets) >= at:
                    return f"the {reader.name} is at {at} of {id}"
        return self.checks.unsettled()

    def _coordinator_of(self, group: str) -> tuple[NodeId, int]:
        image = self.cluster.newest
        topic = image.topic(OFFSETS_TOPIC)
        if topic is None:
            return (-1, -1)
        state = topic.partitions[partition_for(group, len(topic.partitions))]
        return (state.leader, state.leader_epoch)

    def run(self) -> None:
        """All phases. Violation, or whatever a bug raises."""
        self.start()
        self.faults.begin()
        self.pass_time(self.plan.seconds)
        self.heal()
        self.checks.final()


def simulate(
    seed: int, plan: Plan | None = None, trace: Callable[[str], None] | None = None
) -> Outcome:
    """Run a seed; what went wrong is part of the outcome, never raised."""
    began = time.perf_counter()
    outcome = Outcome(seed)
    simulation = Simulation(seed, plan or draw(seed), trace)
    try:
        simulation.run()
    except Exception as error:  # any bug at all, wherever it is
        outcome.error = f"{type(error).__name__}: {error}"
        if not isinstance(error, Violation):
            outcome.error += "\n" + "".join(traceback.format_exception(error)[-6:])
        outcome.said = [f"{at:.4f} {host} {s.event}" for at, host, s in simulation.world.said]
    world = simulation.world
    outcome.digest = world.digest
    outcome.events = world.events
    outcome.virtual_seconds = world.now
    outcome.real_seconds = time.perf_counter() - began
    outcome.counts = {**simulation.history.counts, "logs promoted": simulation.checks.moved}
    return outcome
