"""One broker process: real places, moves, replicas and storage; disks in memory, lanes by hand.

The life cycle is reduced to what it tells the controller: a registration, then heartbeats whenever
there is news, until they are answered. Nothing is fetched from other brokers. Belongs to
`situation`, which decides what happens next.
"""

from __future__ import annotations

import random
import uuid
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final

from spindle.core.controller.brokers import HeartbeatAnswer
from spindle.model.activity import Abandon, Activity, Observe
from spindle.model.batches import Record
from spindle.model.config import NodeConfig, node_config
from spindle.model.errors import PeerFailed, Refusal
from spindle.model.ids import DirectoryId, LogDir, PartitionId
from spindle.model.jobs import (
    BesideJob,
    GetFile,
    Job,
    ListFiles,
    MeasureUsage,
    Open,
    Probe,
    PutFile,
)
from spindle.model.outbox import JobAsked, Outbox
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.log_dir_manager import LogDirManager
from spindle.node.metadata import Metadata
from spindle.node.peers import Peers
from spindle.node.replicas.replica_manager import ReplicaManager
from spindle.sim.exhaustive.mailbox import CLUSTER, Answer, Beat, ControllerModel, Register
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import meta
from spindle.storage.directory import LogDirectory
from spindle.wire.batch import build

ME: Final = 1
WALL_MS: Final = 1_000_000_000
QUIET_JOBS: Final = (MeasureUsage, Probe, GetFile, PutFile, ListFiles)
"""Jobs on no log: when they run makes no difference, so they run at once."""

Lane = tuple[LogDir, LogDir]


def directory_id(number: int) -> DirectoryId:
    """The id of /d<number>."""
    return uuid.UUID(int=10_000 + number)


class RecordedLifecycle:
    """What the life cycle tells the controller, and hears from it."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.epoch = -1
        self.is_ready = False
        self.is_fenced = True
        self.failed: dict[DirectoryId, None] = {}
        self._told: tuple[DirectoryId, ...] | None = None
        self._asking = False
        self._retry = False

    def ready(self) -> None:
        """Every directory is known: ask to be unfenced (K858-13)."""
        self.is_ready = True
        self.go_on()

    def on_directory_failed(self, directory_id: DirectoryId) -> None:
        """Tell the controller now (K858-10)."""
        self.failed[directory_id] = None
        self.go_on()

    def on_directory_back(self, directory_id: DirectoryId) -> None:
        """Not in here: no directory comes back while a process lives."""

    def set_cordoned(self, directory_ids: Iterable[DirectoryId]) -> None:
        """Not in here."""

    def on_time(self) -> None:
        """Repeat what failed."""
        self._retry = False
        self.go_on()

    def go_on(self) -> None:
        """Send what is to be said, one letter at a time."""
        if self._asking or self._retry:
            return
        offline = tuple(self.failed)
        if self.epoch < 0:
            self._send(self._process.registration, self._registered)
        elif offline != (self._told or ()) or (self.is_ready and self.is_fenced):
            beat = Beat(ME, self.epoch, not self.is_ready, offline)
            self._send(beat, lambda answer: self._heard(offline, answer))

    def _send(self, content: object, then: Answer) -> None:
        self._asking = True
        self._process.controller.send(content, then)

    def _failed(self, answer: object) -> bool:
        self._asking = False
        self._retry = isinstance(answer, PeerFailed | Refusal)
        return self._retry

    def _registered(self, answer: object) -> None:
        if not self._failed(answer):
            assert isinstance(answer, int)
            self.epoch = answer
            self.go_on()

    def _heard(self, offline: tuple[DirectoryId, ...], answer: object) -> None:
        if not self._failed(answer):
            assert isinstance(answer, HeartbeatAnswer)
            self._told = offline
            self.is_fenced = answer.is_fenced
            self.go_on()


class _Fetchers:
    """Nothing is fetched."""

    def follow(self, hosted: object) -> None:
        """Nothing."""

    def leave(self, hosted: object) -> None:
        """Nothing."""

    def on_brokers(self, brokers: object) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


class Process:
    """One life of the broker, from its start to its end."""

    def __init__(
        self,
        disk: MemoryDisk,
        paths: list[LogDir],
        controller: ControllerModel,
        life: int,
        now: float,
    ) -> None:
        self.controller = controller
        self.disk = disk
        self.lanes: dict[Lane, deque[JobAsked]] = {}
        self.directories = {p: LogDirectory(disk, p, _ids(life)) for p in paths}
        self.learned = 0
        """Batches of the metadata log that it has read."""
        self.halted: str | None = None
        metadata = Metadata()
        self.image = metadata.image
        self.out = Outbox(random.Random(life))
        self.set_clock(now)
        self.life = RecordedLifecycle(self)
        master: Any = controller
        peers = Peers(self.out, "small")
        context = BrokerContext(_config(paths), CLUSTER, self.out, metadata, peers, master)
        self.replicas = ReplicaManager(context)
        self.logs = LogDirManager(context, self.life, self.replicas, lambda _: True)
        self.replicas.bind(_Fetchers(), self.logs.post)
        while self.learned < len(controller.log):
            self.learn()
        opened = {p: self.directories[p].run_group([Open(p, CLUSTER, ME)])[0] for p in paths}
        self.logs.on_opened(opened)
        self.registration = Register(
            ME,
            uuid.UUID(int=1000 + life),
            self.logs.online_ids,
            self.logs.reconciler.previous_broker_epoch,
        )
        if self.registration.directories:
            self.life.go_on()
        self.settle()

    def set_clock(self, now: float) -> None:
        """The time, in seconds; what clocks on the wall show makes no difference in here."""
        self.out.now, self.out.wall_ms = now, WALL_MS

    # --- what may happen next -------------------------------------------------------------------

    def learn(self) -> None:
        """Read the next batch of the metadata log."""
        for record in self.controller.log[self.learned]:
            self.image.apply(record)
        self.learned += 1
        delta = self.image.take_delta()
        self.logs.on_metadata(delta)
        self.replicas.on_metadata(delta)
        self.settle()

    def work(self, lane: Lane) -> None:
        """Do the next job of a lane."""
        asked = self.lanes[lane].popleft()
        if not self.lanes[lane]:
            del self.lanes[lane]
        self._do(asked)
        self.settle()

    def tick(self) -> None:
        """Run the timers that are due."""
        self.life.on_time()
        self.out.tick()
        self.settle()

    def produce(self, topic: PartitionId, value: bytes) -> bool:
        """Append a record, where this broker leads."""
        hosted = self.replicas.partitions.hosted.get(topic)
        if hosted is None or not hosted.partition.leads:
            return False
        batch = build([Record(0, 0, b"k", value)])
        hosted.partition.assign(batch)
        self.replicas.writes.append(hosted, [batch])
        self.settle()
        return True

    def continuations(self) -> list[object]:
        """What waits for jobs and for time: as much a part of the state as the machines."""
        waiting = [
            self.out._waiting[asked.ticket] for lane in self.lanes.values() for asked in lane
        ]
        timers = sorted(t for t in self.out._timers if t[2].then is not None)
        return [waiting, [(at, timer.then) for at, _, timer in timers]]

    # --- carrying out effects --------------------------------------------------------------------

    def settle(self) -> None:
        """Take all effects; do what makes no difference at once."""
        while (ready := self.out.take()) is not None:
            self.halted = self.halted or ready.halt
            for asked in ready.jobs:
                if isinstance(asked.job, Observe):
                    self.out.done(asked.ticket, Activity())
                elif isinstance(asked.job, Abandon):
                    self.directories[asked.job.directory].abandon()
                    self.out.done(asked.ticket, None)
                elif isinstance(asked.job, QUIET_JOBS):
                    self._do(asked)
                else:
                    self.lanes.setdefault(_lane_of(asked.job), deque()).append(asked)

    def _do(self, asked: JobAsked) -> None:
        result = self.directories[asked.job.directory].run_group([asked.job])[0]
        self.out.done(asked.ticket, result)


def format_directories(disk: MemoryDisk, paths: list[LogDir]) -> None:
    """As the storage tool does."""
    for number, path in enumerate(paths, 1):
        disk.make_dirs(path)
        meta.write(disk, path, meta.MetaProperties(1, CLUSTER, ME, directory_id(number)))
    disk.settle()


def _lane_of(job: Job[object]) -> Lane:
    return job.lane if isinstance(job, BesideJob) else (job.directory, job.directory)


def _ids(life: int) -> Callable[[], uuid.UUID]:
    rng = random.Random(life + 77)
    return lambda: uuid.UUID(int=rng.getrandbits(128), version=4)


def _config(paths: list[LogDir]) -> NodeConfig:
    return node_config(
        {
            "node.id": str(ME),
            "process.roles": "broker",
            "listeners": "PLAINTEXT://127.0.0.1:9001",
            "controller.quorum.voters": "100@127.0.0.1:9999",
            "log.dirs": ",".join(paths),
            "metadata.log.dir": "/meta",
            "log.initial.task.delay.ms": "100000000",
            "replica.lag.time.max.ms": "100000000",
        }
    )
