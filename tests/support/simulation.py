"""Scenes for named simulations: a small cluster, one topic, clients at work, and nothing by chance.

A test brings the faults; `finish` heals, waits until all is well, and looks up every promise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from spindle.model.ids import LogDir, NodeId, PartitionId
from spindle.model.jobs import Job
from spindle.model.metadata_records import PartitionRegistration
from spindle.node.broker import Broker
from spindle.node.logdirs.placement_registry import LocalReplica
from spindle.sim.faults import Appetite
from spindle.sim.host import Host
from spindle.sim.producer import ProducerPace
from spindle.sim.promises import Terms
from spindle.sim.seed_run import Simulation
from spindle.sim.sim_admin import AdminWeights
from spindle.sim.sim_cluster import Shape, SimNode
from spindle.sim.swarm import SwarmPlan

TOPIC = "topic-1"
BUSY = ProducerPace(pause=0.02)
PLAIN = Terms()


def plan(
    shape: Shape,
    replicas: int,
    *,
    partitions: int = 1,
    topics: int = 1,
    pace: ProducerPace = BUSY,
    terms: Terms = PLAIN,
    **configs: str,
) -> SwarmPlan:
    """A plan without chance: one topic, one producer, no faults."""
    weights = AdminWeights(
        topics=topics,
        partitions_max=partitions,
        replicas=replicas,
        configs=(
            ("segment.bytes", "5000"),
            *((name.replace("_", "."), value) for name, value in configs.items()),
        ),
        create=0.0,
        delete=0.0,
        move=0.0,
        reassign=0.0,
        trim=0.0,
        throttle=0.0,
        elect=0.0,
    )
    return SwarmPlan(shape, terms, weights, (pace,), appetite=Appetite({}, pause=1e9))


class Scene(Simulation):
    """A simulation that a test directs. Started; the topic has a leader and some records."""

    def __init__(self, shape: Shape, replicas: int, seed: int = 1, **rest: Any) -> None:
        super().__init__(seed, plan(shape, replicas, **rest))
        self.start()
        self.until(lambda: self.acknowledged() >= 20, 20, "records are acknowledged")

    # --- asking -----------------------------------------------------------------------------

    def acknowledged(self) -> int:
        """How many records were acknowledged."""
        return self.history.counts.get("records acknowledged", 0)

    @property
    def id(self) -> PartitionId:
        """The first partition of the topic."""
        return PartitionId(self.cluster.newest.topic_ids[TOPIC], 0)

    @property
    def first(self) -> PartitionId | None:
        """The same, as long as the topic is there."""
        topic_id = self.cluster.newest.topic_ids.get(TOPIC)
        return None if topic_id is None else PartitionId(topic_id, 0)

    @property
    def state(self) -> PartitionRegistration:
        """What the metadata says of it."""
        found = self.cluster.newest.partition(self.id)
        assert found is not None
        return found

    @property
    def leader(self) -> SimNode:
        """The node that leads it."""
        return self.cluster.members[self.state.leader]

    @property
    def follower(self) -> SimNode:
        """A node that follows it."""
        return self.cluster.members[next(b for b in self.state.replicas if b != self.state.leader)]

    def broker(self, member: SimNode) -> Broker:
        """A node's broker, which must run."""
        assert member.broker is not None, f"{member.host.name} is down: {member.host.halted}"
        return member.broker

    def place(self, member: SimNode) -> LocalReplica:
        """Where a node has the partition."""
        return self.broker(member).logs.places.all[self.id]

    def here(self, member: SimNode) -> LogDir:
        """The directory in which a node has the partition."""
        path = self.place(member).directory
        assert path is not None
        return path

    def elsewhere(self, member: SimNode) -> LogDir:
        """A directory in which it has not."""
        return next(p for p in member.log_dirs if p != self.here(member))

    def events(self, text: str) -> Iterator[tuple[str, dict[str, object]]]:
        """Log lines with these words: (host, fields)."""
        return ((host, s.fields) for _, host, s in self.world.said if s.event == text)

    # --- doing ------------------------------------------------------------------------------

    def move(self, member: SimNode, path: LogDir) -> None:
        """Have the partition moved on a node."""
        host = self.world.hosts["admin"]
        self.world.feed(host, lambda: self.admin.move(TOPIC, 0, member.node_id, path))

    def reassign(self, *brokers: NodeId) -> None:
        """Have the partition's replicas moved to these brokers."""
        host = self.world.hosts["admin"]
        self.world.feed(host, lambda: self.admin.reassign(TOPIC, 0, brokers))

    def after(
        self, kind: type[Job[Any]], member: SimNode, then: Callable[[], None], nth: int = 1
    ) -> list[int]:
        """Call `then` right after a node's disk has done its nth job of a kind; a list that then
        has an entry.
        """
        done: list[int] = []
        before = self.world.disks.on_jobs
        left = nth

        def look(host: Host, jobs: list[Job[Any]], results: list[Any]) -> None:
            nonlocal left
            before(host, jobs, results)
            if host is member.host and not done:
                left -= sum(isinstance(job, kind) for job in jobs)
                if left <= 0:
                    done.append(1)
                    then()

        self.world.disks.on_jobs = look
        return done

    def counted(self, kind: type[Job[Any]], member: SimNode) -> list[int]:
        """A list that gets an entry for each job of a kind that a node's disks have done."""
        done: list[int] = []
        before = self.world.disks.on_jobs

        def look(host: Host, jobs: list[Job[Any]], results: list[Any]) -> None:
            before(host, jobs, results)
            if host is member.host:
                done.extend(1 for job in jobs if isinstance(job, kind))

        self.world.disks.on_jobs = look
        return done

    def kill(self, member: SimNode, seconds: float = 0.5) -> None:
        """Kill a process; it starts again after a while."""
        self.cluster.kill(member)
        self.cluster.start_later(member, seconds)

    def cut_power(self, member: SimNode, seconds: float = 0.5) -> None:
        """The same, but what was not synced is lost in part."""
        self.cluster.cut_power(member)
        self.cluster.start_later(member, seconds)

    def hurt(self, member: SimNode) -> None:
        """The test is about to hurt a disk of this node: it may halt for that."""
        self.checks.disks_hurt[member.host.name] = None
        self.checks.network_hurt = True

    def flow(self, records: int = 20, seconds: float = 20) -> None:
        """Let some more records be acknowledged, which must be possible."""
        enough = self.acknowledged() + records
        self.until(lambda: self.acknowledged() >= enough, seconds, "records are acknowledged")

    def finish(self) -> None:
        """Heal; all must be well, and all that was acknowledged must be there."""
        self.flow()
        self.heal()
        self.checks.final()
