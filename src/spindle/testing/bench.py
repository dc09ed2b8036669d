"""A broker's parts without a process: disks in memory, and the clock, the jobs and the effects in a
test's hand.

    bench = BrokerBench(paths=["/d1", "/d2"])
    for path in bench.paths:
        bench.format(path, uuid.uuid4())
    bench.boot(controller)
    replicas = ReplicaManager(bench.context)  # or another part of spindle.node
    opened = bench.open()

The parts are the real ones, and so is their storage; what a part asks for is in `bench.out`. A test
carries out jobs with `perform` when it likes, and delivers or withholds everything else.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from spindle.model.config import NodeConfig, node_config
from spindle.model.errors import Failure
from spindle.model.ids import LogDir, NodeId
from spindle.model.image import ClusterImage
from spindle.model.jobs import Job, Open
from spindle.model.log_values import OpenedDirectory
from spindle.model.outbox import Outbox
from spindle.node.broker_context import BrokerContext
from spindle.node.metadata import Metadata
from spindle.node.node_to_controller_channel import NodeToControllerChannel
from spindle.node.peers import Peers
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import meta
from spindle.storage.directory import LogDirectory

R = TypeVar("R")
CLUSTER_ID: Final = "AV9P4iMkRQymBdGIGwlqQA"


class BrokerBench:
    """What one broker's parts stand on: its disks outlive its processes (`boot`)."""

    def __init__(
        self,
        node_id: NodeId = 1,
        paths: Sequence[LogDir] = ("/d1",),
        settings: Mapping[str, str] | None = None,
        wall_ms: Callable[[], int] = lambda: 0,
    ) -> None:
        """`wall_ms`: the clock of the disks' files."""
        self.node_id = node_id
        self.paths = [*paths]
        self.settings = dict(settings or {})
        self.disk = MemoryDisk(wall_ms)
        self.directories: dict[LogDir, LogDirectory] = {}
        """Storage of each path, of the present process."""

    @property
    def config(self) -> NodeConfig:
        """The broker's configuration, by its paths and settings as they are now."""
        return node_config(
            {
                "node.id": str(self.node_id),
                "process.roles": "broker",
                "listeners": f"PLAINTEXT://127.0.0.1:{9000 + self.node_id}",
                "controller.quorum.voters": "100@127.0.0.1:9999",
                "log.dirs": ",".join(self.paths),
                **self.settings,
            }
        )

    def format(self, path: LogDir, directory_id: uuid.UUID) -> None:
        """Make a log directory, as `kafka-storage format` does."""
        self.disk.make_dirs(path)
        meta.write(self.disk, path, meta.MetaProperties(1, CLUSTER_ID, self.node_id, directory_id))

    def boot(
        self,
        controller: NodeToControllerChannel,
        image: ClusterImage | None = None,
        out: Outbox | None = None,
        seed: int | None = None,
    ) -> BrokerContext:
        """A process starts: a context for its parts, and storage on the disks as they are.

        `image`: the metadata that it has. `seed` makes its random source and what ids it gives.
        """
        seed = self.node_id if seed is None else seed
        self.disk.locked.clear()
        self.out = out or Outbox(random.Random(seed))
        self._ids = random.Random(seed + 77)
        self.directories = {}
        for path in self.paths:
            self.attach(path)
        metadata = Metadata()
        if image is not None:
            metadata.image = image
        peers = Peers(self.out, f"broker-{self.node_id}")
        self.context = BrokerContext(self.config, CLUSTER_ID, self.out, metadata, peers, controller)
        return self.context

    def attach(self, path: LogDir) -> LogDirectory:
        """Storage of one more path, whether the configuration names it or not."""
        self.directories[path] = LogDirectory(self.disk, path, self._new_id)
        return self.directories[path]

    def _new_id(self) -> uuid.UUID:
        return uuid.UUID(int=self._ids.getrandbits(128), version=4)

    def set_time(self, now: float, clock_error_ms: int = 0) -> None:
        """The time of the input that follows; the wall clock may be wrong by so much."""
        self.out.now, self.out.wall_ms = now, int(now * 1000) + clock_error_ms

    def open(self) -> dict[LogDir, OpenedDirectory | Failure]:
        """Open every path, as the start of a process does."""
        return {p: d.run_group([self.opening(p)])[0] for p, d in self.directories.items()}

    def opening(self, path: LogDir) -> Open:
        """The job that opens a path."""
        return Open(path, CLUSTER_ID, self.node_id)

    def perform(self, job: Job[R]) -> R | Failure:
        """Carry out a job now; its result, or what came instead."""
        done: R | Failure = self.directories[job.directory].run_group([job])[0]
        return done
