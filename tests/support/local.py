"""A Spindle cluster for the tests that judge the whole: processes, real disks, faults on demand.

    with Local(tmp_path, jars, brokers=3) as cluster:
        cluster.start()
        cluster.break_disk(2, 0)

Nodes 100, 101, ... are the controllers; each broker has its metadata on a directory apart from its
log directories. Leaving the block ends all processes, and fails if one of them has reported a bug,
whatever else has failed: what then ran out of time has a cause.
"""

from __future__ import annotations

import asyncio
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TypeVar, cast

from confluent_kafka import ElectionType, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from tools.messages.entities import make, request_types

from spindle.client.admin import AdminClient as OwnClient
from spindle.client.failures import OutOfTime, Refused, Unreachable
from spindle.client.results import (
    Change,
    ConfigChange,
    ConfigSource,
    LogDirDescription,
    Replica,
    ReplicaLogDirs,
    Resource,
    ResourceType,
)
from spindle.model.errors import Error
from spindle.model.metadata_records import MetadataRecord
from spindle.runtime.drill import break_directory, mend_directory
from spindle.runtime.os_disk import OsDisk
from spindle.storage import meta
from spindle.storage.formatting import DEFAULT_LEVELS, format_blank
from spindle.wire.apis import Key
from tests.support.apache_kafka import CONTROLLER_ID, ToolResult
from tests.support.clients import State, state_of
from tests.support.nursery import Nursery, shared
from tests.support.quorum import ask
from tests.support.spindle_cluster import SpindleCluster
from tests.support.waiting import TimeIsUp, eventually

SETTINGS = {
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "log.dir.fault.drills": "true",
    "log.dir.move.keep.ms": "1000",
    "offsets.topic.replication.factor": "3",
    "offsets.topic.num.partitions": "4",
    "default.replication.factor": "3",
}
T = TypeVar("T")


class Local(SpindleCluster):
    """Brokers 1..n and controllers 100.., ours, with metadata directories and fault drills."""

    def __init__(
        self,
        folder: Path,
        jars: Path = Path(),
        *,
        brokers: int = 3,
        directories: int = 2,
        settings: Mapping[str, str] | None = None,
        controllers: int = 1,
        first_broker: int = 1,
        first_controller: int = CONTROLLER_ID,
        first_records: Iterable[MetadataRecord] = DEFAULT_LEVELS,
        nursery: Nursery | None = None,
    ) -> None:
        super().__init__(
            folder,
            jars,
            brokers=brokers,
            directories=directories,
            separate_controller=True,
            controllers=controllers,
            first_broker=first_broker,
            first_controller=first_controller,
            settings={**SETTINGS, **(settings or {})},
        )
        self._first_records = tuple(first_records)
        self._nursery = nursery
        """One of its own, which ends with it; else all share one."""
        for node in self.brokers:
            node.settings["metadata.log.dir"] = str(node.folder / "metadata")
            self.write_config(node)

    def format(self) -> None:
        """Format what is blank, without a process for each."""
        disk = OsDisk()
        for node in self.nodes.values():
            paths = [str(d) for d in node.log_dirs]
            if node.is_broker:
                paths.append(node.settings["metadata.log.dir"])
            blank = [p for p in paths if meta.read(disk, p) is None]
            now_ms = time.time_ns() // 1_000_000
            format_blank(disk, blank, self.cluster_id, node.node_id, now_ms, self._first_records)

    def start_node(self, node_id: int, *, wait: bool = True) -> None:
        """Start one node; with `wait`, return when all running brokers know each other."""
        node = self.nodes[node_id]
        assert node.process is None, f"node {node_id} runs already"
        nursery = self._nursery or shared()
        node.process = cast("subprocess.Popen[bytes]", nursery.start(node.config, node.log))
        if wait:
            self.wait_until_serving()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            super().__exit__(kind, error, trace)
        finally:
            if self._nursery is not None:
                self._nursery.close()

    # -- faults -----------------------------------------------------------------------------

    def break_disk(self, broker: int, directory: int, error: str = "EIO") -> None:
        """Have every access to a broker's directory fail from now on."""
        break_directory(self.log_dirs(broker)[directory], error)

    def mend_disk(self, broker: int, directory: int) -> None:
        """End that."""
        mend_directory(self.log_dirs(broker)[directory])

    def restart(self, *brokers: int, kill: bool = False) -> None:
        """Stop these brokers and start them again; without any named, the whole cluster."""
        nodes = brokers or sorted(self.nodes)
        for node in nodes:
            self.stop_node(node, kill=kill)
        for node in reversed(nodes):
            self.start_node(node, wait=False)
        self.wait_until_serving()

    def exit_code(self, broker: int, seconds: float = 20) -> int:
        """Wait until a node has ended by itself; its exit code."""
        process = self.nodes[broker].process
        assert process is not None
        code = process.wait(seconds)
        self.nodes[broker].process = None
        return code

    # -- disks ------------------------------------------------------------------------------

    def done(self, work: Callable[[OwnClient], Awaitable[T]], seconds: float = 30) -> T:
        """Do something with Spindle's own client, which waits so long for an answer.

        TimeIsUp if none comes; ConnectionError where the broker is not there, or goes down.
        """

        async def within() -> T:
            async with OwnClient(self.bootstrap, timeout=seconds) as admin:
                return await work(admin)

        try:
            return asyncio.run(within())
        except OutOfTime as late:
            raise TimeIsUp(str(late)) from late
        except Unreachable as gone:
            raise ConnectionError(str(gone)) from gone

    def disks(self, broker: int) -> list[LogDirDescription]:
        """A broker's log directories as it describes them, in the order of its configuration."""

        async def look(admin: OwnClient) -> list[LogDirDescription]:
            found = {d.path: d for d in await admin.describe_log_dirs([broker])[broker]}
            return [found[path] for path in self.log_dirs(broker)]

        return self.done(look)

    def place_of(self, topic: str, partition: int, broker: int) -> ReplicaLogDirs:
        """Where a replica lives and moves to, as its broker says."""
        replica = Replica(topic, partition, broker)

        async def look(admin: OwnClient) -> ReplicaLogDirs:
            return await admin.describe_replica_log_dirs([replica])[replica]

        return self.done(look)

    def disk_of(self, topic: str, partition: int, broker: int) -> int:
        """The number of the directory where a replica lives."""
        place = eventually(
            lambda: self.place_of(topic, partition, broker).current,
            f"broker {broker} has {topic}-{partition}",
        )
        assert place is not None
        return self.log_dirs(broker).index(place)

    def alter(
        self, wanted: Mapping[tuple[str, int, int], int | str], seconds: float = 60
    ) -> dict[str, Error]:
        """Ask for replicas (topic, partition, broker) to be in directories, by number or path.

        `seconds`: how long an answer is waited for.
        """
        paths = {
            Replica(*replica): self.log_dirs(replica[2])[to] if isinstance(to, int) else to
            for replica, to in wanted.items()
        }

        async def order(admin: OwnClient) -> dict[str, Error]:
            told = {}
            items = admin.alter_replica_log_dirs(paths)
            for replica in paths:
                try:
                    await items[replica]
                    told[str(replica)] = Error.NONE
                except Refused as refused:
                    told[str(replica)] = Error(refused.error)
            return told

        return self.done(order, seconds)

    def create_on(self, topic: str, disk: int, replicas: Sequence[int], **configs: str) -> None:
        """Make a topic of one partition, each of its replicas on the directory of that number.

        Brokers hear it beforehand: they answer that they know no such topic, and remember (B-09).
        """
        told = self.alter({(topic, 0, broker): disk for broker in replicas})
        assert set(told.values()) == {Error.UNKNOWN_TOPIC_OR_PARTITION}, told
        self.create(topic, [replicas], **configs)
        assert [self.disk_of(topic, 0, broker) for broker in replicas] == [disk] * len(replicas)

    def configure(self, broker: int, settings: Mapping[str, str | None]) -> None:
        """Change dynamic settings of a broker; None: what its file says counts again."""
        resource = Resource(ResourceType.BROKER, str(broker))
        changes = [
            ConfigChange(name, Change.DELETE if value is None else Change.SET, value)
            for name, value in settings.items()
        ]

        async def change(admin: OwnClient) -> None:
            await admin.incremental_alter_configs({resource: changes}).all()

        self.done(change)
        self._until_heard(broker, settings, ConfigSource.DYNAMIC_BROKER)

    def configure_all(self, settings: Mapping[str, str | None]) -> None:
        """Change dynamic settings of all brokers; return when each that runs has heard of it."""
        everyone = Resource(ResourceType.BROKER, "")
        changes = [
            ConfigChange(name, Change.DELETE if value is None else Change.SET, value)
            for name, value in settings.items()
        ]

        async def change(admin: OwnClient) -> None:
            await admin.incremental_alter_configs({everyone: changes}).all()

        self.done(change)
        for node in self.brokers:
            self._until_heard(node.node_id, settings, ConfigSource.DYNAMIC_DEFAULT_BROKER)

    def _until_heard(
        self, broker: int, settings: Mapping[str, str | None], source: ConfigSource
    ) -> None:
        """Wait until a broker that runs says of itself what has just been set; None: unset."""
        resource = Resource(ResourceType.BROKER, str(broker))

        def heard() -> bool:
            process = self.nodes[broker].process
            if process is None or process.poll() is not None:
                return True
            told = self.done(lambda admin: admin.describe_configs([resource])[resource])
            own = {name: c.value for name, c in told.items() if c.source == source}
            return all(
                name not in own if value is None else name in own and _same(own[name], value)
                for name, value in settings.items()
            )

        self.until(heard, f"broker {broker} has heard {settings}")

    def metrics(self, broker: int) -> dict[str, float]:
        """What a node's metrics page says; its `metrics.port` must be set.

        ConnectionError where the node is not there.
        """
        url = f"http://127.0.0.1:{self.nodes[broker].settings['metrics.port']}/metrics"
        try:
            with urllib.request.urlopen(url, timeout=10) as page:
                lines = page.read().decode().splitlines()
        except urllib.error.URLError as gone:
            if isinstance(gone.reason, OSError):
                raise gone.reason from gone
            raise
        pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        return {name: float(value) for name, value in pairs}

    # -- topics -----------------------------------------------------------------------------

    @cached_property
    def admin(self) -> AdminClient:
        """librdkafka's admin client."""
        return AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})

    def create(self, topic: str, assignment: Sequence[Sequence[int]], **configs: str) -> None:
        """Make a topic with these replicas, and wait until each partition is led and in sync."""
        config = {name.replace("_", "."): value for name, value in configs.items()}
        new = NewTopic(
            topic,
            num_partitions=len(assignment),
            replica_assignment=[list(replicas) for replicas in assignment],
            config=config,
        )
        self.admin.create_topics([new])[topic].result(20)
        self.become(topic, {n: (r[0], set(r)) for n, r in enumerate(assignment)})

    def state(self, topic: str) -> State:
        """Leader and ISR of each partition, as librdkafka sees them.

        TimeIsUp if no broker answers, or none has heard of the topic.
        """
        return eventually(lambda: state_of(self.admin, topic), f"a broker tells of {topic}")

    def become(self, topic: str, wanted: State, seconds: float = 30) -> None:
        """Wait until a topic's partitions are led and replicated so."""
        self.until(lambda: self.state(topic) == wanted, f"{topic} is {wanted}", seconds)

    def lead(self, broker: int, *topics: str) -> None:
        """Have the first replica of topics of one partition lead, once it is in the ISR."""
        for topic in topics:
            self.until(lambda t=topic: broker in self.state(t)[0][1], f"{topic} is in sync", 90)
        asked = [TopicPartition(topic, 0) for topic in topics]
        self.admin.elect_leaders(ElectionType.PREFERRED, asked).result(20)
        for topic in topics:
            self.until(lambda t=topic: self.state(t)[0][0] == broker, f"{broker} leads {topic}", 60)

    def knows(self, broker: int, topic: str, partitions: int) -> bool:
        """Whether this broker itself says that a topic has so many partitions."""
        types = request_types(Key.METADATA, 9)
        asked = (make(types.MetadataRequestTopic, name=topic),)
        request = make(types.MetadataRequest, topics=asked, allow_auto_topic_creation=False)
        (found,) = ask(self.nodes[broker].port, request, 20).topics
        return len(found.partitions) == partitions

    def until(self, look: Callable[..., object], what: str, seconds: float = 30) -> None:
        """Poll; if it never comes true, tell what the nodes said last."""
        try:
            eventually(look, what, seconds, 0.1)
        except TimeIsUp as late:
            tails = [f"--- node {n}:\n{self.tail(n, 1500)}" for n in self.nodes]
            raise TimeIsUp("\n".join([str(late), *self.bugs(), *tails])) from late

    def tool(self, name: str, *arguments: str, stdin: str = "") -> ToolResult:
        """Run one of Apache Kafka's tools against this cluster; it must end well."""
        done = self.run_tool(name, "--bootstrap-server", self.bootstrap, *arguments, stdin=stdin)
        assert done.code == 0, done
        return done


def _same(told: str | None, given: str) -> bool:
    """Whether a broker tells of what it was given: 1 as 1.0, say, and a secret not at all."""
    if told is None or told == given:
        return True
    try:
        return float(told) == float(given)
    except ValueError:
        return False
