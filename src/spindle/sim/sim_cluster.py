"""A whole cluster in the simulated world: real nodes on real storage code over memory disks.

Formats the disks (every id comes from the seed), starts and ends processes, cuts the power, and
says what the newest committed metadata is. The killer of a process says when it starts again; one
that ends by itself is started again after a while, as an operator's supervisor does. Used by the
workload, the faults, the checks and the named scenarios.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from spindle.model.config import NodeConfig, node_config
from spindle.model.feature_rules import (
    ELR_VERSION,
    FINALIZED,
    KRAFT_LEVELS,
    METADATA_VERSION,
    TRANSACTION_VERSION,
)
from spindle.model.ids import DirectoryId, Endpoint, LogDir, NodeId, id_to_text
from spindle.model.image import ClusterImage, Delta
from spindle.model.metadata_records import FeatureLevel
from spindle.model.outbox import Outbox
from spindle.model.quorum_voters import NO_VOTERS, Voter, Voters
from spindle.node.broker import Broker
from spindle.node.metadata import TOLD_AT_ONCE
from spindle.node.node import Node
from spindle.sim.host import Host
from spindle.sim.memory_disk import MemoryDisk
from spindle.sim.world import World
from spindle.storage import meta
from spindle.storage.directory import LogDirectory
from spindle.storage.formatting import DEFAULT_LEVELS, quorum_checkpoint
from spindle.wire.checkpoint import encode_checkpoint

FIRST_CONTROLLER: Final = 100
BROKER_PORT: Final = 9092
CONTROLLER_PORT: Final = 9093
DECODED_AT_ONCE: Final = 2
"""Metadata records that a node decodes in one turn, where turns have rests."""
RESTART_SECONDS: Final = 1.0
"""How long the supervisor waits before it starts a node that has ended by itself."""

QUICK: Final[Mapping[str, str]] = {
    "auto.create.topics.enable": "false",
    "broker.heartbeat.interval.ms": "500",
    "broker.session.timeout.ms": "3000",
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "1000",
    "log.dir.failure.timeout.ms": "6000",
    "log.dir.io.timeout.ms": "2000",
    "log.dir.move.keep.ms": "4000",
    "log.dir.probe.interval.ms": "500",
    "log.dir.scrub.interval.ms": "4000",
    "log.dir.scrub.max.bytes.per.second": "1000000",
    "log.flush.offset.checkpoint.interval.ms": "2000",
    "log.initial.task.delay.ms": "1000",
    "log.retention.check.interval.ms": "3000",
    "log.retention.ms": "-1",
    "log.segment.delete.delay.ms": "1000",
    "metadata.max.idle.interval.ms": "2000",
    "offsets.topic.num.partitions": "2",
    "replica.fetch.backoff.ms": "500",
    "replica.high.watermark.checkpoint.interval.ms": "1500",
    "replica.lag.time.max.ms": "3000",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "1000",
    "transaction.state.log.num.partitions": "2",
}
"""Settings that make a minute of virtual time eventful."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a cluster is and how it is set up."""

    brokers: int = 3
    dirs: int = 2
    controllers: int = 1
    first_voters: int = 0
    """How many of the controllers begin a dynamic quorum (KIP-853); 0: all are static voters."""
    combined: bool = False
    """The controllers are the first brokers."""
    apart: bool = True
    """The metadata log has a directory of its own (B-23)."""
    elr: bool = True
    """Eligible leader replicas are switched on (KIP-966)."""
    transaction_version: int = 2
    metadata_version: int = FINALIZED[METADATA_VERSION]
    """With which the cluster begins; from 17 on it knows directories."""
    told_at_once: int = TOLD_AT_ONCE
    """Partitions of which a broker's parts hear in one turn when the metadata changes."""
    told_rest: float = 0.0
    """Seconds between two such turns, and between two of decoding: much may happen meanwhile."""
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class SimNode:
    """One node: its configuration and disks, and its process while it runs."""

    node_id: NodeId
    properties: Mapping[str, str]
    disk: MemoryDisk
    host: Host
    held: bool = False
    """Another part starts it again; the supervisor does not."""

    @property
    def config(self) -> NodeConfig:
        """Its configuration, read again."""
        return node_config(self.properties)

    @property
    def log_dirs(self) -> tuple[LogDir, ...]:
        """Its log directories (a controller alone has the one for its metadata)."""
        return self.config.log_dirs

    @property
    def directories(self) -> tuple[LogDir, ...]:
        """All of them, that of the metadata log included."""
        return self.config.directories

    @property
    def node(self) -> Node | None:
        """Its process."""
        machine = self.host.machine
        assert machine is None or isinstance(machine, Node)
        return machine

    @property
    def broker(self) -> Broker | None:
        """Its broker, while it runs."""
        return self.node.broker if self.node is not None else None


class SimCluster:
    """The nodes of a cluster, by id. Formatted when made; `start` starts them all."""

    def __init__(self, world: World, shape: Shape) -> None:
        self.world = world
        self.shape = shape
        self.cluster_id = id_to_text(self.new_id())
        self.members: dict[NodeId, SimNode] = {}
        self.newest = ClusterImage()
        """The committed metadata, as the node that has read most of it has it."""
        controllers = self._controller_ids()
        self.voters = self._dynamic_voters()
        """The controllers of a dynamic quorum as voters, those without a vote, too."""
        for id in dict.fromkeys((*range(1, shape.brokers + 1), *controllers)):
            member = self._member(id)
            self.members[id] = member
            for path in member.directories:
                self.format(member, path)
            member.disk.settle()
            for endpoint in member.config.listeners:
                world.net.listen((endpoint.host, endpoint.port), member.host.name, endpoint.name)
        world.watchers.append(self._look)
        world.on_ended = self._on_ended

    # --- making it --------------------------------------------------------------------------

    def new_id(self) -> DirectoryId:
        """An id from the seed, as nodes make them."""
        return Outbox(self.world.time.rng).new_id()

    def _controller_ids(self) -> tuple[NodeId, ...]:
        first = 1 if self.shape.combined else FIRST_CONTROLLER
        return tuple(range(first, first + self.shape.controllers))

    def _dynamic_voters(self) -> Voters:
        if not self.shape.first_voters:
            return NO_VOTERS
        return Voters(
            tuple(
                Voter(
                    id,
                    self.new_id(),
                    (Endpoint("CONTROLLER", f"node-{id}", CONTROLLER_PORT),),
                    KRAFT_LEVELS,
                )
                for id in self._controller_ids()
            )
        )

    def _member(self, id: NodeId) -> SimNode:
        shape, host = self.shape, f"node-{id}"
        is_broker, is_controller = id <= shape.brokers, id in self._controller_ids()
        roles = ["broker"] * is_broker + ["controller"] * is_controller
        listeners = [f"PLAINTEXT://{host}:{BROKER_PORT}"] * is_broker
        listeners += [f"CONTROLLER://{host}:{CONTROLLER_PORT}"] * is_controller
        dirs = [f"/{host}/disk-{n}" for n in range(1, shape.dirs + 1)]
        apart = shape.apart or not is_broker
        properties = {
            "node.id": str(id),
            "process.roles": ",".join(roles),
            "listeners": ",".join(listeners),
            **self._quorum_properties(),
            "log.dirs": ",".join(dirs) if is_broker else f"/{host}/metadata",
            "metadata.log.dir": f"/{host}/metadata" if apart else dirs[0],
            **QUICK,
            **shape.settings,
        }
        disk = MemoryDisk(lambda: self.world.time.wall_ms)
        return SimNode(id, properties, disk, Host(host, {}))

    def _quorum_properties(self) -> dict[str, str]:
        ids = self._controller_ids()
        if self.shape.first_voters:
            servers = ",".join(f"node-{v}:{CONTROLLER_PORT}" for v in ids)
            return {"controller.quorum.bootstrap.servers": servers}
        voters = ",".join(f"{v}@node-{v}:{CONTROLLER_PORT}" for v in ids)
        return {"controller.quorum.voters": voters}

    def format(self, member: SimNode, path: LogDir) -> None:
        """Format a blank directory, under a new id; a controller's under that of its vote."""
        wanted = {
            **{level.name: level.level for level in DEFAULT_LEVELS},
            METADATA_VERSION: self.shape.metadata_version,
            ELR_VERSION: int(self.shape.elr),
            TRANSACTION_VERSION: self.shape.transaction_version,
        }
        levels = [FeatureLevel(name=n, level=level) for n, level in wanted.items() if level]
        now, keeps_log = self.world.time.wall_ms, path == member.config.metadata_dir
        vote = self.voters.find(member.node_id) if keeps_log else None
        id = self.new_id() if vote is None else vote.directory_id
        own = meta.MetaProperties(1, self.cluster_id, member.node_id, id)
        first = Voters(self.voters.voters[: self.shape.first_voters])
        begins = vote is not None and first.find(member.node_id) is not None
        quorum = quorum_checkpoint(first, now) if begins else None
        bootstrap = b"".join(encode_checkpoint(levels, timestamp=now))
        meta.format_directory(member.disk, path, own, bootstrap, quorum)

    # --- asking -----------------------------------------------------------------------------

    @property
    def brokers(self) -> list[SimNode]:
        """Nodes that serve clients."""
        return [m for id, m in self.members.items() if id <= self.shape.brokers]

    @property
    def controllers(self) -> list[SimNode]:
        """Nodes that take part in the quorum as voters."""
        return [self.members[id] for id in self._controller_ids()]

    @property
    def bootstrap(self) -> dict[NodeId, tuple[str, int]]:
        """Where clients find the brokers."""
        return {m.node_id: (m.host.name, BROKER_PORT) for m in self.brokers}

    def running(self) -> Iterator[tuple[SimNode, Node]]:
        """Nodes whose process lives."""
        for member in self.members.values():
            if member.node is not None:
                yield member, member.node

    def member_of(self, host: Host) -> SimNode | None:
        """The node that runs on a host; None for a client's."""
        return next((m for m in self.members.values() if m.host is host), None)

    def active(self) -> Node | None:
        """The node whose controller decides, the latest if two believe so."""
        found = [n for _, n in self.running() if n.controller and n.controller.active]
        return max(found, key=lambda n: n.quorum.epoch, default=None)

    def _look(self, host: Host) -> None:
        machine = host.machine
        if isinstance(machine, Node) and machine.metadata.offset >= self.newest.offset:
            # A node's image stays readable when the node is gone.
            self.newest = machine.metadata.image

    # --- life and death ---------------------------------------------------------------------

    def start(self) -> None:
        """Start every node."""
        for member in self.members.values():
            self.start_node(member)

    def start_node(self, member: SimNode) -> None:
        """Start a node's process, with what its disks hold."""
        member.held = False
        if member.node is not None:
            return
        new_id = self.new_id
        member.host.directories = {
            path: LogDirectory(member.disk, path, new_id) for path in member.directories
        }
        rng = random.Random(self.world.time.rng.getrandbits(64))
        node = Node(member.config, self.cluster_id, rng)
        node.metadata.at_once = self.shape.told_at_once
        node.metadata.rest = node.quorum.loader.decoding.rest = self.shape.told_rest
        if self.shape.told_rest:
            node.quorum.loader.decoding.at_once = DECODED_AT_ONCE
        node.metadata.listen(lambda delta: self._tell_changes(member, node, delta))
        self.world.start(member.host, node)

    def _tell_changes(self, member: SimNode, node: Node, delta: Delta) -> None:
        """Have the trace show what a node has learned."""
        if self.world.time.trace is None:
            return
        image, who = node.metadata.image, f"{member.host.name} learns at {node.metadata.offset}:"
        for id in delta.partitions:
            state = image.partition(id)
            if state is not None:
                self.world.time.tell(
                    f"{who} {image.name_of(id)} leader {state.leader} epoch {state.leader_epoch} "
                    f"isr {state.isr} elr {state.elr} replicas {state.replicas} "
                    f"directories {[str(d)[:8] for d in state.directories]}"
                )
        for broker in delta.brokers:
            own = image.brokers.get(broker)
            if own is not None:
                dirs = [str(d)[:8] for d in own.log_dirs]
                fenced = "fenced" if own.fenced else "unfenced"
                self.world.time.tell(f"{who} broker {broker} {fenced} of {own.broker_epoch} {dirs}")

    def kill(self, member: SimNode) -> None:
        """The process dies; what it has written stays in the page cache."""
        self.world.kill(member.host)
        member.disk.kill()

    def cut_power(self, member: SimNode) -> None:
        """The machine goes dark: writes that were not synced are lost in part, some are torn."""
        self.world.kill(member.host)
        self.world.time.note("power cut", member.host.name)
        member.disk.crash(self.world.time.rng)

    def stop(self, member: SimNode) -> None:
        """Have a node stop in an orderly way."""
        node = member.node
        if node is not None:
            self.world.feed(member.host, node.shut_down)

    def start_later(self, member: SimNode, seconds: float) -> None:
        """Start a node after a while, unless another part has done so."""
        member.held = True
        self.world.time.after(seconds, self.start_node, member)

    def _on_ended(self, host: Host) -> None:
        member = self.member_of(host)
        if member is None:
            return
        member.disk.kill()
        if not member.held:
            self.world.time.after(RESTART_SECONDS, self._supervise, member, host.life)

    def _supervise(self, member: SimNode, life: int) -> None:
        if member.host.life == life and not member.held:
            self.start_node(member)

    # --- what most scenarios want -----------------------------------------------------------

    def until(self, done: Callable[[], bool], seconds: float = 30.0) -> None:
        """Let time pass until something holds, which it must."""
        assert self.world.time.run(self.world.time.now + seconds, done), "it never came to hold"

    def serves(self) -> bool:
        """Whether every broker is registered, unfenced, and knows that of every other."""
        ids = [m.node_id for m in self.brokers]
        return all(
            m.broker is not None and all(m.broker.image.is_active(id) for id in ids)
            for m in self.brokers
        )
