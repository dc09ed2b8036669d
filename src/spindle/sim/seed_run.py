"""One seed, from its first event to the verdict: lets a plan happen, heals, checks.

Called by `spindle sim` and by the tests, which may lay a plan of their own (else `swarm` draws it).
"""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from spindle.core.groups.subscription import partition_for
from spindle.model.ids import NodeId, PartitionId
from spindle.node.topic_creation import OFFSETS_TOPIC
from spindle.sim.checks import Checks
from spindle.sim.classic_consumer import ClassicConsumer
from spindle.sim.client import Client
from spindle.sim.faults import Faults
from spindle.sim.host import Host
from spindle.sim.producer import SimProducer
from spindle.sim.promises import Promises
from spindle.sim.reader import SimReader
from spindle.sim.share_consumer import ShareConsumer
from spindle.sim.sim_admin import Admin
from spindle.sim.sim_cluster import SimCluster
from spindle.sim.subscriber import Subscriber
from spindle.sim.swarm import SwarmPlan, draw
from spindle.sim.told_history import History
from spindle.sim.transactional_producer import TransactionalProducer
from spindle.sim.transactor import Transactor
from spindle.sim.violation import Violation
from spindle.sim.worker import Worker
from spindle.sim.world import World

START_SECONDS: Final = 60.0
HEAL_SECONDS: Final = 150.0
"""Virtual time that a cluster has to be well again after the last fault."""
STILL_SECONDS: Final = 8.0
"""And to answer all that clients have asked, and to delete what is to be deleted."""
LOOK_SECONDS: Final = 0.25


@dataclass(slots=True)
class SeedOutcome:
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


class Simulation:
    """A plan under way. Scenarios reach the parts: `cluster`, `faults`, `admin`, `world` ..."""

    def __init__(
        self, seed: int, plan: SwarmPlan, trace: Callable[[str], None] | None = None
    ) -> None:
        self.plan = plan
        self.world = World(seed)
        self.world.time.trace = trace
        self.cluster = SimCluster(self.world, plan.shape)
        self.history = History()
        self.checks = Checks(self.cluster, self.history)
        self.promises = Promises(self.cluster, plan.terms)
        self.faults = Faults(self.cluster, self.promises, self.checks, self.history, plan.appetite)
        weights = replace(
            plan.weights,
            directories={m.node_id: m.log_dirs for m in self.cluster.brokers},
            controllers=self.cluster.voters.voters,
        )
        about = (self.cluster.bootstrap, self.history)
        self.admin = Admin("admin", self._rng(), *about, weights)
        self.producers = [
            SimProducer(f"producer-{n}", self._rng(), *about, pace)
            for n, pace in enumerate(plan.paces, 1)
        ]
        self.transactors: list[Transactor] = [
            TransactionalProducer(f"transactional-{n}", self._rng(), *about, habits)
            for n, habits in enumerate(plan.habits, 1)
        ]
        self.transactors += [
            (ClassicConsumer if job.consumes else Worker)(f"worker-{n}", self._rng(), *about, job)
            for n, job in enumerate(plan.jobs, 1)
        ]
        self.transactors += [
            Subscriber(f"subscriber-{n}", self._rng(), *about, job)
            for n, job in enumerate(plan.subscribers, 1)
        ]
        self.sharers = [
            ShareConsumer(f"sharer-{n}", self._rng(), *about, job)
            for n, job in enumerate(plan.sharers, 1)
        ]
        # Where nothing is undecided one reader sees for both.
        self.readers = [
            SimReader(name, self._rng(), *about, plan.reader_version, committed=committed)
            for name, committed in (("reader", False), ("reader of committed", True))
            if committed or self.transactors
        ]
        self.history.groups.coordinator_of = self._coordinator_of
        self.history.groups.shares.leader_of = self._leader_of
        if plan.sharers:
            self.history.groups.shares.limit = plan.sharers[0].limit

    def _rng(self) -> random.Random:
        return random.Random(self.world.time.rng.getrandbits(64))

    # --- the phases ---------------------------------------------------------------------------

    def start(self) -> None:
        """Start the nodes, wait until they serve, start the clients."""
        self.cluster.start()
        self.until(lambda: self.cluster.serves(), START_SECONDS, "the cluster serves")
        for client in self._clients():
            self.world.start(Host(client.name, {}), client)

    def _clients(self) -> list[Client]:
        return [self.admin, *self.producers, *self.readers, *self.transactors, *self.sharers]

    def until(self, done: Callable[[], bool], seconds: float, what: str) -> None:
        """Let time pass until something holds. Violation if it does not in time."""
        if not self.world.time.run(self.world.time.now + seconds, done):
            raise Violation(f"after {seconds:g} s it is still not so that {what}")

    def pass_time(self, seconds: float) -> None:
        """Let time pass."""
        self.world.time.run(self.world.time.now + seconds)

    def heal(self) -> None:
        """End all faults and all new work; everything must come to rest, and well."""
        self.faults.heal()
        self.admin.draining = True
        # A move of a large log may take longer than all the rest under the lowest limit.
        self.world.feed(self.world.hosts[self.admin.name], self.admin.unthrottle)
        for client in (*self.producers, *self.transactors, *self.sharers):
            client.draining = True
        self._until_none(self._unsettled, HEAL_SECONDS)
        for reader in self.readers:
            reader.draining = True
        # A request that was given up before may have come late, and begun something.
        self._until_none(lambda: self._unsettled() or self._unanswered(), STILL_SECONDS)

    def _until_none(self, look: Callable[[], str | None], seconds: float) -> None:
        """Let time pass until nothing is found to be missing any more."""
        deadline = self.world.time.now + seconds
        while (why := look()) is not None:
            if self.world.time.now >= deadline:
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
        workers: list[Transactor | ShareConsumer] = [*self.transactors, *self.sharers]
        for worker in workers:
            if not worker.finished:
                return f"{worker.name} waits for {worker.waits_for}"
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

    def _leader_of(self, id: PartitionId) -> tuple[NodeId, int]:
        state = self.cluster.newest.partition(id)
        return (-1, -1) if state is None else (state.leader, state.leader_epoch)

    def run(self) -> None:
        """All phases. Violation, or whatever a bug raises."""
        self.start()
        self.faults.begin()
        self.pass_time(self.plan.seconds)
        self.heal()
        self.checks.final()


def simulate(
    seed: int, plan: SwarmPlan | None = None, trace: Callable[[str], None] | None = None
) -> SeedOutcome:
    """Run a seed; what went wrong is part of the outcome, never raised."""
    began = time.perf_counter()
    outcome = SeedOutcome(seed)
    simulation = Simulation(seed, plan or draw(seed), trace)
    try:
        simulation.run()
    except Exception as error:  # any bug at all, wherever it is
        outcome.error = f"{type(error).__name__}: {error}"
        if not isinstance(error, Violation):
            outcome.error += "\n" + "".join(traceback.format_exception(error)[-6:])
        outcome.said = [f"{at:.4f} {host} {s.event}" for at, host, s in simulation.world.said]
    world = simulation.world
    outcome.digest = world.time.digest
    outcome.events = world.time.events
    outcome.virtual_seconds = world.time.now
    outcome.real_seconds = time.perf_counter() - began
    checks = simulation.checks
    outcome.counts = {
        **simulation.history.counts,
        "logs promoted": checks.moved,
        "metadata records looked at": checks.forms_looked_at,
    }
    return outcome
