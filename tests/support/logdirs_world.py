"""One broker with several disks in memory: real places, moves, replicas and storage, all by hand.

The controller is a stand-in that commits assignments or not, as the test says. Other brokers do
not exist: partitions are led here unless a test says otherwise. Jobs run in order for each
directory, copies on a lane of their own; any directory can be hung, and the process killed between
any two jobs.
"""

from __future__ import annotations

import random
import uuid
from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from tools.messages.frames import decode_response

from spindle.model import metadata_records as r
from spindle.model.activity import Abandon, Activity, Observe
from spindle.model.batches import Record
from spindle.model.copying_jobs import CopyBytes
from spindle.model.errors import DiskFailed
from spindle.model.ids import UNASSIGNED, LogDir, PartitionId, TopicPartition
from spindle.model.image import ClusterImage
from spindle.model.jobs import (
    Job,
)
from spindle.model.log_values import LogKey
from spindle.model.outbox import FrameAnswered, JobAsked, Ready
from spindle.node.handlers import BROKER
from spindle.node.housekeeping import Housekeeping
from spindle.node.logdirs.log_dir_manager import LogDirManager
from spindle.node.logdirs.placement_registry import LocalReplica
from spindle.node.replicas.replica_manager import ReplicaManager
from spindle.node.slices import Slices
from spindle.storage.formatting import DEFAULT_LEVELS
from spindle.testing.bench import BrokerBench
from spindle.wire.batch import build, split
from spindle.wire.batch import records as records_of
from tests.support.assignment_taker import AssignmentTaker
from tests.support.broker_parts import Fetchers, Lifecycle
from tests.support.desk import Desk, part, request

ME = 1
SETTINGS = {
    "log.segment.delete.delay.ms": "5000",
    "log.initial.task.delay.ms": "100000000",
    "log.dir.probe.interval.ms": "1000",
    "replica.high.watermark.checkpoint.interval.ms": "5000",
}


def topic_id(name: str) -> uuid.UUID:
    return uuid.uuid5(uuid.NAMESPACE_DNS, name)


def pid(name: str, partition: int = 0) -> PartitionId:
    return PartitionId(topic_id(name), partition)


class World:
    """The broker, its disks, its controller, its clock."""

    def __init__(self, directories: int = 2, settings: dict[str, str] | None = None) -> None:
        self.now = 100.0
        self.clock_error_ms = 0
        """Of the wall clock: it may be set while it runs."""
        self.bench = BrokerBench(
            ME,
            [f"/d{n}" for n in range(1, directories + 1)],
            {"metadata.log.dir": "/meta", **SETTINGS, **(settings or {})},
            lambda: int(self.now * 1000),
        )
        self.disk, self.paths, self.settings = (
            self.bench.disk,
            self.bench.paths,
            self.bench.settings,
        )
        self.image = ClusterImage()
        self.controller = AssignmentTaker(self.image, self.apply)
        self.hung: set[LogDir] = set()
        self.waiting_since: dict[LogDir, float] = {}
        self.stop_before: Callable[[Job[Any]], bool] | None = None
        self.stopped_at: Job[Any] | None = None
        self.halted: str | None = None
        self.said: list[tuple[str, str, dict[str, object]]] = []
        self.epoch = 0
        for level in DEFAULT_LEVELS:
            self.image.apply(level)
        for n, path in enumerate(self.paths):
            self.format(path, n)
        self.disk.settle()
        self._boot()

    # --- the process --------------------------------------------------------------------------

    def format(self, path: LogDir, number: int) -> None:
        self.bench.format(path, self.directory_id(number))

    def directory_id(self, number: int) -> uuid.UUID:
        """The id with which /d<number + 1> is formatted."""
        return uuid.UUID(int=10_000 + number)

    def _boot(self) -> None:
        self.queues: dict[tuple[LogDir, LogDir], deque[JobAsked]] = {}
        self.observed: list[JobAsked] = []
        self.writes: dict[LogDir, int] = {}
        """Bytes that each look finds written since the one before."""
        controller: Any = self.controller
        self.context = context = self.bench.boot(controller, self.image, seed=self.epoch)
        self.config, self.out = context.config, context.out
        self.directories = self.bench.directories
        self._clock()
        self.lifecycle = Lifecycle()
        self.fetchers = Fetchers()
        self.replicas = ReplicaManager(context)
        self.logs = LogDirManager(
            context, self.lifecycle, self.replicas, self.fetchers.has_answered
        )
        self.replicas.bind(self.fetchers, self.logs.post)
        self.housekeeping = Housekeeping(context, self.replicas, self.logs)
        self.broker = SimpleNamespace(
            image=self.image,
            settings=context.settings,
            node_id=ME,
            out=self.out,
            slices=Slices(self.out, self.paths[0]),
            logs=self.logs,
            replicas=self.replicas,
        )
        self.answers: list[FrameAnswered] = []
        """On the one connection, in the order of its requests."""
        self._sent = 0
        self.desk = Desk(BROKER, self.broker, self.out)

    def open(self) -> None:
        """Open the directories and register; the logs are settled."""
        self.logs.on_opened(self.bench.open())
        self.epoch += 1
        ids = self.logs.online_ids
        if not ids:
            self.step()
            return
        self.lifecycle.epoch = self.epoch
        self.apply(
            r.RegisterBroker(
                broker_id=ME,
                incarnation_id=uuid.UUID(int=self.epoch),
                broker_epoch=self.epoch,
                fenced=False,
                log_dirs=ids,
            )
        )
        self.wait(0.05)

    def kill(self) -> None:
        """The process dies; what it had written is there."""
        self.disk.kill()
        self.reboot()

    def power_cut(self, seed: int) -> None:
        """The power goes: unsynced writes are lost in part."""
        self.disk.crash(random.Random(seed))
        self.reboot()

    def reboot(self) -> None:
        """Another process on the disks as they are."""
        self.stop_before = self.stopped_at = None
        self.controller.asked.clear()
        self._boot()

    def restart(self) -> None:
        """Kill, and start again."""
        self.kill()
        self.open()

    # --- metadata -----------------------------------------------------------------------------

    def apply(self, *records: r.MetadataRecord) -> None:
        """Commit records."""
        for record in records:
            self.image.apply(record)
        delta = self.image.take_delta()
        self.logs.on_metadata(delta)
        self.replicas.on_metadata(delta)
        self.step()

    def create_topic(
        self,
        name: str,
        partitions: int = 1,
        directory: uuid.UUID = UNASSIGNED,
        leader: int = ME,
        **configs: str,
    ) -> None:
        """A topic whose only replicas are here (and at a broker 2, if that leads)."""
        self.apply(
            r.Topic(name=name, topic_id=topic_id(name)),
            *(
                r.DynamicConfig(
                    resource_type=2, resource_name=name, key=k.replace("_", "."), value=v
                )
                for k, v in configs.items()
            ),
            *(self.partition_record(name, n, directory, leader) for n in range(partitions)),
        )

    def partition_record(
        self, name: str, partition: int, directory: uuid.UUID = UNASSIGNED, leader: int = ME
    ) -> r.PartitionRegistration:
        replicas = (ME,) if leader == ME else (ME, 2)
        return r.PartitionRegistration(
            partition_id=partition,
            topic_id=topic_id(name),
            replicas=replicas,
            isr=replicas,
            leader=leader,
            leader_epoch=0,
            partition_epoch=0,
            directories=(directory, *([uuid.UUID(int=99_999)] * (len(replicas) - 1))),
        )

    def change(self, name: str, partition: int = 0, **fields: Any) -> None:
        self.apply(r.PartitionChange(partition_id=partition, topic_id=topic_id(name), **fields))

    def assign(self, name: str, directory: uuid.UUID, partition: int = 0) -> None:
        """The metadata names a directory for our replica."""
        state = self.image.partition(pid(name, partition))
        assert state is not None
        self.change(name, partition, directories=(directory, *state.directories[1:]))

    def assigned(self, name: str, partition: int = 0) -> uuid.UUID:
        """The directory that the metadata names."""
        return self.context.assigned(pid(name, partition))

    def id_of(self, path: LogDir) -> uuid.UUID:
        return self.logs.directories.id_of(path)

    # --- running ------------------------------------------------------------------------------

    def _clock(self) -> None:
        self.bench.set_time(self.now, self.clock_error_ms)

    def step(self) -> None:
        """Carry out all that is wished at this moment."""
        busy = True
        while busy and self.stopped_at is None and self.halted is None:
            self._clock()
            busy = False
            if self.out.wake_at is not None and self.out.wake_at <= self.now:
                self.out.tick()
                busy = True
            busy = self._take_orders() or busy
            busy = self._work() or busy
            busy = self.controller.act() or busy

    def _take_orders(self) -> bool:
        ready = self.out.take()
        if ready is None:
            return False
        self._note(ready)
        return True

    def _note(self, ready: Ready) -> None:
        for asked in ready.jobs:
            job = asked.job
            if isinstance(job, Observe):
                self.observed.append(asked)
                continue
            if isinstance(job, Abandon):
                self.directories[job.directory].abandon()
                continue
            source = job.source if isinstance(job, CopyBytes) else job.directory
            self.queues.setdefault((source, job.directory), deque()).append(asked)
        self.answers += ready.answers
        self.said += [(s.level, s.event, s.fields) for s in ready.log_lines]
        self.halted = self.halted or ready.halt

    def _observe(self) -> bool:
        """Tell of each directory that was asked about how long its own thread has hung."""
        for path in self.paths:
            if not self.queues.get((path, path)) or path not in self.hung:
                self.waiting_since[path] = self.now
        observed, self.observed = self.observed, []
        for asked in observed:
            path = asked.job.directory
            busy = self.now - self.waiting_since[path]
            verb, written = "write" if busy else "", self.writes.get(path, 0)
            self.out.done(asked.ticket, Activity(busy, verb, written=written))
        return bool(observed)

    def _work(self) -> bool:
        """Each lane does one job."""
        done = self._observe()
        for lane in list(self.queues):
            if not self.queues[lane] or not self.hung.isdisjoint(lane):
                continue
            asked = self.queues[lane].popleft()
            if self.stop_before is not None and self.stop_before(asked.job):
                self.stopped_at = asked.job
                self.queues[lane].appendleft(asked)
                return False
            result = self.directories[lane[1]].run_group([asked.job])[0]
            self._clock()
            self.out.done(asked.ticket, result)
            done = True
        return done

    def wait(self, seconds: float) -> None:
        """Time passes, with every timer at its moment."""
        end = self.now + seconds
        while self.stopped_at is None and self.halted is None:
            self.step()
            at = self.out.wake_at
            if at is None or at > end:
                break
            self.now = max(self.now, at)
        self.now = max(self.now, end)
        self.step()

    def until(self, what: Callable[[], bool], limit: float = 60.0) -> None:
        """Time passes until something is so."""
        end = self.now + limit
        self.step()
        while not what():
            assert self.now < end, "it does not come to pass"
            self.wait(0.01)

    def run_until_job(self, what: Callable[[Job[Any]], bool], limit: float = 60.0) -> None:
        """Run until a job like this is about to be done; nothing is done any more then."""
        self.stop_before = what
        end = self.now + limit
        while self.stopped_at is None:
            assert self.now < end, "no such job came"
            self.wait(0.01)

    def resume(self) -> None:
        """Go on after `run_until_job`, beginning with the job that was stopped at."""
        self.stop_before = self.stopped_at = None

    # --- asking -------------------------------------------------------------------------------

    def place(self, name: str, partition: int = 0) -> LocalReplica:
        return self.logs.places.all[pid(name, partition)]

    def produce(self, name: str, *values: bytes, partition: int = 0) -> None:
        """Append a batch at the leader, as a producer does; nothing waits for it."""
        hosted = self.replicas.partitions.hosted[pid(name, partition)]
        now = int(self.now * 1000)
        batch = build([Record(n, now, b"k", v) for n, v in enumerate(values)])
        hosted.partition.assign(batch)
        self.replicas.writes.append(hosted, [batch])

    def values(self, name: str, partition: int = 0) -> list[bytes | None]:
        """All values in a current log, read where it lives."""
        hosted = self.replicas.partitions.hosted[pid(name, partition)]
        log = self.directories[hosted.directory].logs[hosted.key]
        found: list[bytes | None] = []
        at = log.start
        while at < log.end:
            batches = split(log.read(at, log.end, 1 << 30, True).data)
            found += [x.value for b in batches for x in records_of(b)]
            at = batches[-1].next_offset
        return found

    def names(self, path: LogDir) -> list[str]:
        """The sub-directories of a log directory."""
        found = []
        for name in self.disk.list(path):
            stat = self.disk.stat(f"{path}/{name}")
            if stat is not None and stat.is_directory:
                found.append(name)
        return found

    def kinds(self, path: LogDir) -> list[str]:
        """The same without the unique parts: t-0, t-0.-future, t-0.-delete."""
        return [
            name if "." not in name else f"{name.split('.')[0]}.-{name.rpartition('-')[2]}"
            for name in self.names(path)
        ]

    def bad(self, path: LogDir, code: int = 5) -> None:
        """The disk under a directory dies; the next probe sees it."""
        self.disk.fail(path, code)

    def fail_now(self, path: LogDir) -> None:
        """The disk dies and some job has just been answered so."""
        self.bad(path)
        self.logs.on_disk_failed(DiskFailed(path, "write", 5))
        self.step()

    # --- clients ------------------------------------------------------------------------------

    def alter(self, path: LogDir, name: str, *partitions: int, version: int = 2) -> list[int]:
        """AlterReplicaLogDirs; the error of each partition."""
        return self.alter_dirs(_order(path, name, *partitions, version=version), version)

    def alter_dirs(self, dirs: tuple[Any, ...], version: int = 2) -> list[int]:
        return _errors(self._ask(34, version, dirs=dirs))

    def order(self, path: LogDir, name: str, *partitions: int) -> Callable[[], list[int] | None]:
        """The same by a client that does not wait: the answer that it has by now, if any."""
        answer = self._send(request(34, 2, dirs=_order(path, name, *partitions)))
        return lambda: _errors(told) if (told := answer()) is not None else None

    def describe(self, topics: Any = None, version: int = 5, **more: bool) -> Any:
        """DescribeLogDirs; results by directory."""
        answer = self._ask(35, version, topics=topics, **more)
        return {d.log_dir: d for d in answer.results}

    def states(self) -> Any:
        """What DescribeLogDirStates answers of the directories."""
        return self._ask(30114, 0).log_dirs

    def _ask(self, key: int, version: int, **fields: Any) -> Any:
        answer = self._send(request(key, version, **fields))
        busy = True
        while busy and answer() is None:  # No more is done than the answer waits for.
            busy = self._work()
            busy = self._take_orders() or busy
        if answer() is None:  # It waits for a timer, too.
            self.wait(0.1)
        told = answer()
        assert told is not None, "not answered"
        return told

    def _send(self, sent: Any) -> Callable[[], Any]:
        """Send a request; what has been answered to it by now, if anything."""
        self._take_orders()
        self._clock()
        number, answers = self._sent, self.answers
        self._sent += 1
        self.desk.send(sent)
        self._take_orders()

        def answer() -> Any:
            if len(answers) <= number:
                return None
            frame = b"".join(bytes(b) for b in answers[number].buffers)
            return decode_response(sent, frame[4:])

        return answer


def _order(path: LogDir, name: str, *partitions: int, version: int = 2) -> tuple[Any, ...]:
    numbers = partitions or (0,)
    topic = part(34, version, "AlterReplicaLogDirTopic", name=name, partitions=numbers)
    return (part(34, version, "AlterReplicaLogDir", path=path, topics=(topic,)),)


def _errors(answer: Any) -> list[int]:
    return [int(p.error_code) for t in answer.results for p in t.partitions]


def name(topic: str, partition: int = 0) -> TopicPartition:
    return TopicPartition(topic, partition)


def key(topic: str, partition: int = 0, future: bool = False) -> LogKey:
    return LogKey(topic, partition, future)
