"""A worker of Kafka Connect 4.3, exactly once (KIP-618), on a Spindle cluster.

It makes its own topics and the connector's, writes in transactions of its own name for each task,
and fences those of the task before.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.support.apache_kafka import java
from tests.support.clients import values
from tests.support.local import Local
from tests.support.ports import free_port
from tests.support.processes import tied
from tests.support.spark_jars import connect_file_jar
from tests.support.waiting import eventually

TOPIC, SLOW = "lines", 120
TEXT = "org.apache.kafka.connect.storage.StringConverter"
SAFE = {
    "transaction.state.log.replication.factor": "3",
    "transaction.state.log.min.isr": "2",
}
"""Transactions go on while a broker is dead."""


class Worker:
    """One process of Connect's, asked over HTTP."""

    def __init__(self, folder: Path, cluster: Local) -> None:
        self.port = free_port()
        topics = {f"{kind}.storage.topic": f"of-{kind}" for kind in ("config", "offset", "status")}
        settings = {
            "bootstrap.servers": cluster.bootstrap,
            "group.id": "workers",
            "listeners": f"http://127.0.0.1:{self.port}",
            "key.converter": TEXT,
            "value.converter": TEXT,
            "exactly.once.source.support": "enabled",
            "plugin.discovery": "service_load",
            "plugin.path": str(connect_file_jar().parent),
            **topics,
        }
        config = folder / "worker.properties"
        config.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        main = "org.apache.kafka.connect.cli.ConnectDistributed"
        with (folder / "worker.log").open("wb") as log:
            self.process = subprocess.Popen(
                tied(java(cluster.jars, main, str(config))), stdout=log, stderr=subprocess.STDOUT
            )

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """Its answer, True for an empty one; None where it refuses: it rebalances, say."""
        link = HTTPConnection("127.0.0.1", self.port, timeout=60)
        link.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
        answer = link.getresponse()
        text = answer.read()
        link.close()
        return (json.loads(text) if text else True) if answer.status < 300 else None

    def does(self, method: str, path: str, body: object = None) -> Any:
        """Its answer, once it takes the request."""
        return eventually(
            lambda: self.ask(method, path, body), f"Connect takes {method} {path}", SLOW, 0.2
        )


def test_connect_copies_each_line_once(tmp_path: Path, kafka_jars: Path) -> None:
    source = tmp_path / "lines.txt"
    text = [f"line {n:06}" for n in range(600)]

    def write(lines: list[str]) -> None:
        with source.open("a") as file:
            file.write("".join(f"{line}\n" for line in lines))

    with Local(tmp_path / "cluster", kafka_jars, settings=SAFE) as cluster:
        cluster.start()
        worker = Worker(tmp_path, cluster)

        def arrived(wanted: Counter[str]) -> bool:
            return Counter(v.decode() for v in values(cluster.bootstrap, TOPIC)) == wanted

        try:
            write(text[:300])
            connector = {
                "connector.class": "FileStreamSource",
                "file": str(source),
                "topic": TOPIC,
                "batch.size": 50,
                "exactly.once.support": "required",
                "topic.creation.default.partitions": 1,
                "topic.creation.default.replication.factor": 3,
            }
            worker.does("POST", "/connectors", {"name": "source", "config": connector})
            eventually(lambda: TOPIC in cluster.admin.list_topics().topics, "the topic", SLOW)
            eventually(lambda: arrived(Counter(text[:300])), "the first lines", SLOW, 0.2)

            # Connect waits 30 s for the leader of its settings, of Apache Kafka's brokers as well.
            needed = cluster.state("of-config")[0][0]
            cluster.stop_node(next(n for n in (1, 2, 3) if n != needed), kill=True)
            write(text[300:])
            worker.does("POST", "/connectors/source/restart?includeTasks=true")
            eventually(lambda: arrived(Counter(text)), "all lines, each once", SLOW, 0.2)

            worker.does("PUT", "/connectors/source/stop")
            (place,) = worker.does("GET", "/connectors/source/offsets")["offsets"]
            assert place["offset"] == {"position": source.stat().st_size}
            place["offset"]["position"] = source.stat().st_size // 2
            worker.does("PATCH", "/connectors/source/offsets", {"offsets": [place]})
            worker.does("PUT", "/connectors/source/resume")
            twice = Counter(text) + Counter(text[300:])
            eventually(lambda: arrived(twice), "half of the lines again", SLOW, 0.2)
        finally:
            worker.process.kill()
            worker.process.wait()
