"""Apache Kafka 4.3 as the other party of a test: nodes in Java processes, and its own tools.

    with ApacheKafka(tmp_path, jars, brokers=2, directories=2) as kafka:
        kafka.start()
        kafka.run_tool(LOG_DIRS, "--bootstrap-server", kafka.bootstrap, "--describe")

By default node 1 is broker and controller and the others are brokers; `controllers=3` makes the
first three both, and `separate_controller=True` gives nodes 100, 101, ... the controller's role
alone. Every node has its own folder with `server.properties`, its log directories and `node.log`,
which is kept after the test. Nothing here uses Spindle's own client: whether Kafka serves is asked
with eight hand-made bytes.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support import class_data, resident_tools
from tests.support.ports import free_port
from tests.support.processes import tied
from tests.support.waiting import eventually

LOG_DIRS = "org.apache.kafka.tools.LogDirsCommand"
REASSIGN = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"
STORAGE = "kafka.tools.StorageTool"
TOPICS = "org.apache.kafka.tools.TopicCommand"
CONFIGS = "kafka.admin.ConfigCommand"
DUMP_LOG = "org.apache.kafka.tools.DumpLogSegments"
PERF_PRODUCER = "org.apache.kafka.tools.ProducerPerformance"
CONSOLE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
METADATA_QUORUM = "org.apache.kafka.tools.MetadataQuorumCommand"

CLUSTER_ID = "U3BpbmRsZVRlc3RzMDAwMQ"
CONTROLLER_ID = 100
_SHARES = "-Xshare:auto"
"""With this a JVM maps the archive of classes, where there is one; benchmarks go without."""
JVM = ("-Xmx256m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", _SHARES)
_START_LIMIT_S = 90
_STOP_LIMIT_S = 30
_DEFAULTS = {
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "2",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "2",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
    "num.network.threads": "2",
    "num.io.threads": "2",
    "log.cleaner.dedupe.buffer.size": "2097152",
    "log.segment.delete.delay.ms": "1000",
}


@dataclass(frozen=True)
class ToolResult:
    """What a tool answered: exit code and both streams."""

    code: int
    stdout: str
    stderr: str

    def lines(self) -> list[str]:
        """The lines of stdout."""
        return self.stdout.splitlines()


@dataclass
class ApacheNode:
    """One node: where it lives and, while it runs, its process."""

    node_id: int
    folder: Path
    roles: str
    port: int
    controller_port: int | None
    log_dirs: list[Path]
    settings: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def is_broker(self) -> bool:
        """Whether clients can talk to it."""
        return "broker" in self.roles

    @property
    def config(self) -> Path:
        """Its `server.properties`."""
        return self.folder / "server.properties"

    @property
    def log(self) -> Path:
        """All that it printed."""
        return self.folder / "node.log"


class ApacheKafka:
    """A cluster of Apache Kafka nodes under one folder."""

    def __init__(
        self,
        folder: Path,
        jars: Path,
        *,
        brokers: int = 1,
        directories: int = 2,
        separate_controller: bool = False,
        controllers: int = 1,
        settings: Mapping[str, str] | None = None,
        cluster_id: str = CLUSTER_ID,
        jvm: Sequence[str] = JVM,
        first_broker: int = 1,
        first_controller: int = CONTROLLER_ID,
    ) -> None:
        assert brokers >= 1
        assert directories >= 1
        self.folder = folder
        self.jars = jars
        self.cluster_id = cluster_id
        self._extra = dict(settings or {})
        self._jvm = tuple(jvm)
        self.nodes: dict[int, ApacheNode] = {}
        if separate_controller:
            for number in range(controllers):
                self._plan(first_controller + number, "controller", 1)
        for number in range(first_broker, first_broker + brokers):
            both = number < first_broker + controllers and not separate_controller
            self._plan(number, "broker,controller" if both else "broker", directories)
        self._log4j = folder / "log4j2.properties"
        folder.mkdir(parents=True, exist_ok=True)
        self._log4j.write_text(_log4j())
        for node in self.nodes.values():
            self.write_config(node)

    # -- the plan ---------------------------------------------------------------------------

    def _plan(self, node_id: int, roles: str, directories: int) -> None:
        folder = self.folder / f"node-{node_id}"
        folder.mkdir(parents=True)
        self.nodes[node_id] = ApacheNode(
            node_id=node_id,
            folder=folder,
            roles=roles,
            port=free_port(),
            controller_port=free_port() if "controller" in roles else None,
            log_dirs=[folder / f"d{n}" for n in range(1, directories + 1)],
        )

    def write_config(self, node: ApacheNode) -> None:
        """Write the node's `server.properties` from its fields (again, after a change)."""
        listeners = []
        if node.is_broker:
            listeners.append(f"PLAINTEXT://127.0.0.1:{node.port}")
        if node.controller_port is not None:
            listeners.append(f"CONTROLLER://127.0.0.1:{node.controller_port}")
        lines = {
            **_DEFAULTS,
            "process.roles": node.roles,
            "node.id": str(node.node_id),
            "listeners": ",".join(listeners),
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": self.voters,
            "log.dirs": ",".join(str(d) for d in node.log_dirs),
            **self._extra,
            **node.settings,
        }
        node.config.write_text("".join(f"{name}={value}\n" for name, value in lines.items()))

    @property
    def voters(self) -> str:
        """`controller.quorum.voters` of this cluster."""
        return ",".join(
            f"{n.node_id}@127.0.0.1:{n.controller_port}"
            for n in self.nodes.values()
            if n.controller_port is not None
        )

    @property
    def brokers(self) -> list[ApacheNode]:
        """The nodes that serve clients, by id."""
        return [n for n in self.nodes.values() if n.is_broker]

    @property
    def bootstrap(self) -> str:
        """`--bootstrap-server` of this cluster."""
        return ",".join(f"127.0.0.1:{n.port}" for n in self.brokers)

    @property
    def controllers(self) -> str:
        """`--bootstrap-controller` of this cluster."""
        return ",".join(voter.partition("@")[2] for voter in self.voters.split(","))

    def log_dirs(self, node_id: int) -> list[str]:
        """The node's log directories, absolute, in the order of its configuration."""
        return [str(d) for d in self.nodes[node_id].log_dirs]

    # -- life -------------------------------------------------------------------------------

    def format(self) -> None:
        """Format every node's directories with Apache Kafka's own tool (those not formatted)."""
        for node in self.nodes.values():
            self.format_with_kafka(node)

    def format_with_kafka(self, node: ApacheNode, *options: str) -> None:
        """Format a node's directories with Apache Kafka's own tool (those not formatted)."""
        done = self.run_tool(
            STORAGE, "format", "-g", "-t", self.cluster_id, "-c", str(node.config), *options
        )
        assert done.code == 0, done

    def start(self) -> None:
        """Format what needs it, start every node, return when all brokers know each other."""
        self.format()
        for node in self.nodes.values():
            self.start_node(node.node_id, wait=False)
        self.wait_until_serving()

    def start_node(self, node_id: int, *, wait: bool = True) -> None:
        """Start one node; with `wait`, return when all running brokers know each other."""
        node = self.nodes[node_id]
        assert node.process is None, f"node {node_id} runs already"
        with node.log.open("ab") as log:
            node.process = subprocess.Popen(
                tied(self.command(node)),
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip
        if wait:
            self.wait_until_serving()

    def wait_until_serving(self, seconds: float = _START_LIMIT_S) -> None:
        """Return when each running broker lists all running brokers."""
        running = [n for n in self.brokers if n.process is not None]
        ids = {n.node_id for n in running}

        def all_known() -> bool:
            for node in self.nodes.values():
                if node.process is not None and node.process.poll() is not None:
                    raise AssertionError(f"node {node.node_id} ended: {self.tail(node.node_id)}")
            return all(brokers_known("127.0.0.1", n.port) == ids for n in running)

        eventually(all_known, f"brokers {sorted(ids)} serve", seconds, 0.1)

    def stop_node(self, node_id: int, *, kill: bool = False) -> None:
        """End one node: by SIGTERM (its clean shutdown), or at once with `kill`."""
        node = self.nodes[node_id]
        if node.process is None:
            return
        node.process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
        try:
            node.process.wait(_STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            node.process.kill()
            node.process.wait()
        node.process = None

    def stop(self) -> None:
        """End every node, brokers first so that the controller can let them go."""
        for node in sorted(self.nodes.values(), key=lambda n: n.controller_port is not None):
            self.stop_node(node.node_id)

    def kill(self) -> None:
        """End every node at once."""
        for node_id in self.nodes:
            self.stop_node(node_id, kill=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    def tail(self, node_id: int, size: int = 3000) -> str:
        """The end of what a node printed."""
        return self.nodes[node_id].log.read_text(errors="replace")[-size:]

    # -- tools ------------------------------------------------------------------------------

    def run_tool(
        self, tool: str, *arguments: str, stdin: str = "", seconds: int = 60
    ) -> ToolResult:
        """Run one of Kafka's tools (a class name) to its end."""
        return run_tool(self.jars, tool, *arguments, stdin=stdin, seconds=seconds)

    def command(self, node: ApacheNode) -> list[str]:
        """How a node's process is started."""
        options = (f"-Dlog4j2.configurationFile={self._log4j}",)
        return java(self.jars, "kafka.Kafka", str(node.config), options=options, jvm=self._jvm)

    def create_topic(self, name: str, assignment: str) -> None:
        """Create a topic with Kafka's notation of an assignment, `1:2,2:1`: its replicas are there.

        Replicas of brokers that do not run are not waited for.
        """
        done = self.run_tool(
            TOPICS, "--bootstrap-server", self.bootstrap, "--create", "--topic", name,
            "--replica-assignment", assignment,
        )  # fmt: skip
        assert done.code == 0, done
        nodes = [
            (self.nodes[int(broker)], f"{name}-{number}")
            for number, brokers in enumerate(assignment.split(","))
            for broker in brokers.split(":")
        ]
        running = [(node, log) for node, log in nodes if node.process is not None]

        def there() -> bool:
            return all(any((d / log).exists() for d in node.log_dirs) for node, log in running)

        eventually(there, f"the replicas of {name} are there", _START_LIMIT_S, 0.05)

    def produce(self, topic: str, records: int, size: int = 1000) -> None:
        """Write `records` records of `size` bytes with Kafka's own producer, acks=all."""
        done = self.run_tool(
            PERF_PRODUCER, "--topic", topic, "--num-records", str(records), "--record-size",
            str(size), "--throughput", "-1", "--producer-props",
            f"bootstrap.servers={self.bootstrap}", "acks=all",
        )  # fmt: skip
        assert done.code == 0, done


def java(
    jars: Path,
    main: str,
    *arguments: str,
    options: Sequence[str] = (),
    jvm: Sequence[str] = JVM,
) -> list[str]:
    """The command line of a JVM with Kafka's jars; a small one unless `jvm` says otherwise."""
    shared = class_data.options(archive(jars)) if _SHARES in jvm else []
    return ["java", *jvm, *shared, *options, "-cp", class_path(jars), main, *arguments]


def class_path(jars: Path) -> str:
    """All of Kafka's jars, in one order wherever they lie: an archive of classes is bound to it."""
    return os.pathsep.join(map(str, sorted(jars.glob("*.jar"))))


def archive(jars: Path) -> Path:
    """Where the archive of their classes is, once it is made (`kafka_class_data`)."""
    return class_data.place("kafka", sorted(jars.glob("*.jar")))


def run_tool(
    jars: Path,
    tool: str,
    *arguments: str,
    stdin: str = "",
    seconds: int = 60,
    jvm: Sequence[str] = JVM,
) -> ToolResult:
    """Run one of Kafka's tools without a cluster (a class name, its arguments) to its end.

    It runs in a process that stays for the next one. With another `jvm` it has one of its own.
    """
    if tuple(jvm) == JVM:
        (*command, _) = java(jars, "")
        code, stdout, told = resident_tools.answer(command, (tool, *arguments), stdin, seconds)
    else:
        done = subprocess.run(
            tied(java(jars, tool, *arguments, jvm=jvm)), input=stdin, capture_output=True,
            text=True, timeout=seconds, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        code, stdout, told = done.returncode, done.stdout, done.stderr
    stderr = "".join(
        line for line in told.splitlines(keepends=True) if not line.startswith("SLF4J:")
    )
    return ToolResult(code, stdout, stderr)


def brokers_known(host: str, port: int, seconds: float = 2) -> set[int]:
    """The ids of all brokers that this one lists (Metadata version 0); empty if it does not."""
    try:
        with socket.create_connection((host, port), timeout=seconds) as link:
            body = struct.pack(">hhihi", 3, 0, 1, -1, 0)
            link.sendall(struct.pack(">i", len(body)) + body)
            with link.makefile("rb") as stream:
                (size,) = struct.unpack(">i", stream.read(4))
                frame = stream.read(size)
    except (OSError, struct.error):
        return set()
    if len(frame) < size:
        return set()  # It hung up within its answer.
    (count,) = struct.unpack_from(">i", frame, 4)
    at, ids = 8, set()
    for _ in range(count):
        node_id, length = struct.unpack_from(">ih", frame, at)
        ids.add(node_id)
        at += 4 + 2 + length + 4
    return ids


def _log4j() -> str:
    return (
        "appender.out.type=Console\nappender.out.name=out\nappender.out.layout.type=PatternLayout\n"
        "appender.out.layout.pattern=%d{ISO8601} %p %c{1}: %m%n\n"
        "rootLogger.level=info\nrootLogger.appenderRef.out.ref=out\n"
    )
