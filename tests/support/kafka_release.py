"""A cluster of any release of Apache Kafka from 2.4 on, with ZooKeeper or with KRaft.

with cluster_of(Release("2.8.2", "zk"), folder, brokers=2, directories=3) as kafka:
    kafka.start()
    kafka.run_tool(kafka.release.tool(kafka.jars, "LogDirsCommand"), ...)
"""

from __future__ import annotations

import signal
import subprocess
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support.apache_kafka import ApacheKafka, ApacheNode, java
from tests.support.kafka_jars import kafka_jars
from tests.support.ports import free_port
from tests.support.processes import tied

ZK, KRAFT = "zk", "kraft"
_TOOLS: Final = {
    "LogDirsCommand": "org.apache.kafka.tools.LogDirsCommand",
    "ReassignPartitionsCommand": "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
}
_LOG4J_1: Final = (
    "log4j.rootLogger=INFO, out\nlog4j.appender.out=org.apache.log4j.ConsoleAppender\n"
    "log4j.appender.out.layout=org.apache.log4j.PatternLayout\n"
    "log4j.appender.out.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n\n"
)
_QUIET: Final = (
    "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss512k",
    "-Dzookeeper.admin.enableServer=false",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Release:
    """A release and the way in which its metadata are kept."""

    version: str
    mode: str

    @property
    def number(self) -> tuple[int, int]:
        """(major, minor), to be compared."""
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)

    def __str__(self) -> str:
        return f"{self.version} {'ZooKeeper' if self.mode == ZK else 'KRaft'}"

    def tool(self, jars: Path, name: str) -> str:
        """The class of a tool, which has another package before 3.6 or so."""
        newer = _TOOLS[name]
        found = jars / f"kafka-tools-{self.version}.jar"
        if found.exists():
            with zipfile.ZipFile(found) as jar:
                if f"{newer.replace('.', '/')}.class" in jar.namelist():
                    return newer
        return f"kafka.admin.{name}"


def cluster_of(
    release: Release,
    folder: Path,
    *,
    brokers: int = 1,
    directories: int = 3,
    settings: Mapping[str, str] | None = None,
) -> ReleasedKafka:
    """A cluster of a release in its mode, small and not started."""
    kind = ZooKeeperKafka if release.mode == ZK else ReleasedKafka
    return kind(release, folder, brokers=brokers, directories=directories, settings=settings)


class ReleasedKafka(ApacheKafka):
    """A KRaft cluster of some release."""

    def __init__(
        self,
        release: Release,
        folder: Path,
        *,
        brokers: int,
        directories: int,
        settings: Mapping[str, str] | None,
    ) -> None:
        self.release = release
        super().__init__(
            folder,
            kafka_jars(release.version),
            brokers=brokers,
            directories=directories,
            settings=settings,
        )

    def command(self, node: ApacheNode) -> list[str]:
        """How a node's process is started; before 4.0 it logs by log4j 1."""
        old = self.folder / "log4j.properties"
        old.write_text(_LOG4J_1)
        return [*super().command(node)[:1], f"-Dlog4j.configuration=file:{old}",
                *super().command(node)[1:]]  # fmt: skip

    def kafkas(self, name: str, *arguments: str, seconds: int = 120) -> list[str]:
        """What one of the release's own tools prints; it must end well."""
        tool = self.release.tool(self.jars, name)
        where = ("--bootstrap-server", self.bootstrap)
        done = self.run_tool(tool, *where, *arguments, seconds=seconds)
        assert done.code == 0, done
        return done.lines()


class ZooKeeperKafka(ReleasedKafka):
    """A cluster whose metadata are in a ZooKeeper of its own."""

    def __init__(
        self,
        release: Release,
        folder: Path,
        *,
        brokers: int,
        directories: int,
        settings: Mapping[str, str] | None,
    ) -> None:
        self.zookeeper = f"127.0.0.1:{free_port()}"
        self._zookeeper: subprocess.Popen[bytes] | None = None
        super().__init__(
            release, folder, brokers=brokers, directories=directories, settings=settings
        )

    def write_config(self, node: ApacheNode) -> None:
        """The node's `server.properties`, for a broker of ZooKeeper's."""
        node.roles, node.controller_port = "broker", None
        super().write_config(node)
        kept = [
            line
            for line in node.config.read_text().splitlines()
            if not line.startswith(("process.roles", "node.id", "controller.", "listener.security"))
        ]
        more = [f"broker.id={node.node_id}", f"zookeeper.connect={self.zookeeper}"]
        node.config.write_text("\n".join([*kept, *more]) + "\n")

    def format(self) -> None:
        """Nothing is formatted: a broker makes its directories by itself."""

    def start(self) -> None:
        """ZooKeeper first, then the brokers, which try to reach it for a while."""
        port = self.zookeeper.rpartition(":")[2]
        command = java(
            self.jars, "org.apache.zookeeper.server.ZooKeeperServerMain", port,
            str(self.folder / "zookeeper"), jvm=("-Xmx128m", *_QUIET),
        )  # fmt: skip
        with (self.folder / "zookeeper.log").open("ab") as log:
            self._zookeeper = subprocess.Popen(
                tied(command), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip
        super().start()

    def stop(self) -> None:
        """The brokers first: they take leave of ZooKeeper."""
        super().stop()
        self._end_zookeeper()

    def kill(self) -> None:
        """All at once."""
        super().kill()
        self._end_zookeeper()

    def _end_zookeeper(self) -> None:
        if self._zookeeper is not None:
            self._zookeeper.send_signal(signal.SIGKILL)
            self._zookeeper.wait()
            self._zookeeper = None

    def kafkas(self, name: str, *arguments: str, seconds: int = 120) -> list[str]:
        """What one of the release's own tools prints; before 2.6 it reassigns by ZooKeeper."""
        if name == "ReassignPartitionsCommand" and self.release.number < (2, 6):
            arguments = (*arguments, "--zookeeper", self.zookeeper)
        return super().kafkas(name, *arguments, seconds=seconds)
