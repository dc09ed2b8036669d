"""Nodes that consist of a quorum and nothing else, in the simulated world: real frames, real
storage code, memory disks, virtual time.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from spindle.model.config import node_config
from spindle.model.ids import METADATA_TOPIC
from spindle.model.image import ClusterImage
from spindle.model.jobs import Open
from spindle.model.metadata_records import MetadataRecord
from spindle.model.outbox import Outbox, Ready
from spindle.node.connection import Connection
from spindle.node.handlers import CONTROLLER
from spindle.node.metadata import Metadata
from spindle.node.peers import Peers
from spindle.node.quorum.quorum import Quorum
from spindle.node.request_context import Serving
from spindle.node.router import Router
from spindle.sim.host import Host
from spindle.sim.memory_disk import MemoryDisk
from spindle.sim.world import World
from spindle.storage.directory import LogDirectory
from spindle.storage.formatting import DEFAULT_LEVELS
from spindle.storage.meta import MetaProperties, format_directory

CLUSTER_ID = "AV9P4iMkRQymBdGIGwlqQA"
HANDLERS: dict[int, Serving[Any]] = dict(CONTROLLER)
FOLDER = f"/meta/{METADATA_TOPIC}-0"


class Recorder:
    """Stands for the controller: notes when it leads, and with what."""

    def __init__(self, quorum: Quorum) -> None:
        self.quorum = quorum
        self.epochs: list[int] = []
        self.resigned = 0
        self.image: ClusterImage | None = None
        self.bootstrap: tuple[MetadataRecord, ...] = ()

    def on_leading(
        self, epoch: int, image: ClusterImage, bootstrap: Sequence[MetadataRecord]
    ) -> None:
        self.epochs.append(epoch)
        self.image = image
        self.bootstrap = tuple(bootstrap)
        if not image.features:
            self.quorum.append(DEFAULT_LEVELS)

    def on_resigned(self) -> None:
        self.resigned += 1


class QuorumMachine:
    """One node's quorum behind a driver's inputs."""

    def __init__(self, config: Any, rng: random.Random) -> None:
        self.config = config
        self.out = Outbox(rng)
        self.metadata = Metadata()
        self.quorum = Quorum(
            config, CLUSTER_ID, self.out, Peers(self.out, f"q{config.node_id}"), self.metadata
        )
        self.controller: Recorder | None = None
        if config.is_controller:
            self.controller = self.quorum.activation.controller = Recorder(self.quorum)
        self.deltas: list[Any] = []
        self.metadata.listen(self.deltas.append)
        self.loaded = False
        self._router = Router(HANDLERS, self, self.out)
        self._connections: dict[int, Connection] = {}

    def set_time(self, now: float, wall_ms: int) -> None:
        self.out.now, self.out.wall_ms = now, wall_ms

    def begin(self) -> None:
        self.out.run(Open("/meta", CLUSTER_ID, self.config.node_id), self._on_opened)

    def _on_opened(self, opened: Any) -> None:
        self.quorum.start(opened, self._on_loaded)

    def _on_loaded(self) -> None:
        self.loaded = True

    def on_connected(self, connection: int, listener: str, host: str) -> None:
        self._connections[connection] = Connection(connection, listener, host, self.out)

    def on_frame(self, connection: int, frame: Any) -> None:
        self._router.on_frame(self._connections[connection], frame)

    def on_disconnected(self, connection: int) -> None:
        self._connections.pop(connection).close()

    def on_done(self, ticket: int, result: object) -> None:
        self.out.done(ticket, result)

    def on_time(self) -> None:
        self.out.tick()

    def take(self) -> Ready | None:
        return self.out.take()

    @property
    def wake_at(self) -> float | None:
        return self.out.wake_at

    @property
    def image(self) -> ClusterImage:
        """As a controller's: its voters are asked for their versions."""
        return self.metadata.image


class Hosts:
    """A world with voters 1..n and observers after them."""

    def __init__(
        self,
        voters: int = 1,
        observers: int = 0,
        seed: int = 1,
        bootstrap: bytes = b"",
        **settings: str,
    ) -> None:
        self.world = World(seed)
        self.bootstrap = bootstrap
        self.settings = {name.replace("_", "."): value for name, value in settings.items()}
        self.voters = range(1, voters + 1)
        self.disks: dict[int, MemoryDisk] = {}
        self.hosts: dict[int, Host] = {}
        for id in range(1, voters + observers + 1):
            self.disks[id] = self.formatted(id)
            self.world.net.listen((f"host-{id}", 9000 + id), f"node-{id}", "CONTROLLER")
            self.start(id)

    def formatted(self, id: int) -> MemoryDisk:
        """An empty disk, ready for a node."""
        disk = MemoryDisk()
        own = MetaProperties(1, CLUSTER_ID, id, self._new_id())
        format_directory(disk, "/meta", own, self.bootstrap)
        return disk

    def start(self, id: int) -> QuorumMachine:
        """Start a node that is down, with the disk that it has."""
        roles = "controller" if id in self.voters else "broker"
        listener = f"CONTROLLER://host-{id}:{9000 + id}"
        config = node_config(
            {
                "node.id": str(id),
                "process.roles": roles,
                "listeners": listener if roles == "controller" else f"PLAINTEXT://:{8000 + id}",
                "log.dirs": "/meta",
                "controller.quorum.voters": ",".join(
                    f"{v}@host-{v}:{9000 + v}" for v in self.voters
                ),
                **self.settings,
            }
        )
        host = Host(f"node-{id}", {"/meta": LogDirectory(self.disks[id], "/meta", self._new_id)})
        self.hosts[id] = host
        machine = QuorumMachine(config, random.Random(self.world.time.rng.getrandbits(32)))
        self.world.start(host, machine)
        return machine

    def _new_id(self) -> Any:
        return Outbox(self.world.time.rng).new_id()

    def stop(self, id: int) -> None:
        """Kill a node; its disk keeps what was synced."""
        self.world.kill(self.hosts[id])
        self.disks[id].crash(self.world.time.rng)

    def cut_off(self, machine: QuorumMachine) -> None:
        """No voter hears a node any more, and it hears none."""
        me = machine.config.node_id
        for other in set(self.voters) - {me}:
            self.world.net.cuts[f"node-{me}", f"node-{other}"] = None
            self.world.net.cuts[f"node-{other}", f"node-{me}"] = None

    def __getitem__(self, id: int) -> QuorumMachine:
        machine = self.hosts[id].machine
        assert isinstance(machine, QuorumMachine), f"node {id} is down: {self.hosts[id].halted}"
        return machine

    def until(self, done: Any, seconds: float = 20.0) -> None:
        """Let time pass until something holds, which it must."""
        assert self.world.time.run(self.world.time.now + seconds, done), "it never came to hold"

    def pass_time(self, seconds: float) -> None:
        """Let time pass."""
        self.world.time.run(self.world.time.now + seconds)

    def feed(self, id: int, happened: Any) -> None:
        """Something happens inside a node."""
        self.world.feed(self.hosts[id], happened)

    def leader(self) -> QuorumMachine | None:
        """The node whose controller is at work."""
        found = [
            h.machine
            for h in self.hosts.values()
            if isinstance(h.machine, QuorumMachine) and h.machine.quorum.is_leader
        ]
        return max(found, key=lambda m: m.quorum.epoch, default=None)

    def await_leader(self) -> QuorumMachine:
        """Let time pass until a controller is at work."""
        self.until(lambda: self.leader() is not None)
        leader = self.leader()
        assert leader is not None
        return leader

    def append(self, machine: QuorumMachine, *records: MetadataRecord) -> list[int]:
        """Append on the leader; the list gets the last offset once that is committed."""
        committed: list[int] = []
        self.feed(machine.config.node_id, lambda: machine.quorum.append(records, committed.append))
        return committed
