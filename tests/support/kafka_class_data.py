"""The archive of classes with which Apache Kafka's JVMs start: those of a broker and its tools."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.support import class_data
from tests.support.apache_kafka import (
    CONFIGS,
    DUMP_LOG,
    JVM,
    LOG_DIRS,
    REASSIGN,
    STORAGE,
    TOPICS,
    ApacheKafka,
    archive,
    class_path,
    run_tool,
)


def prepare(jars: Path) -> None:
    """Make it if need be."""
    class_data.prepare(archive(jars), partial(_load, jars))


def _load(jars: Path, lists: Path) -> str:
    jvm = (*JVM, class_data.listing(lists))
    with ApacheKafka(lists.parent / "kafka", jars, jvm=jvm) as kafka:
        kafka.start()
        kafka.create_topic("learned", "1")
        kafka.produce("learned", 10)
        at = ("--bootstrap-server", kafka.bootstrap)
        config = str(kafka.nodes[1].config)
        segment = next(kafka.folder.rglob("learned-0/*.log"))
        for tool, *arguments in (
            (STORAGE, "info", "-c", config),
            (TOPICS, *at, "--describe"),
            (LOG_DIRS, *at, "--describe"),
            (REASSIGN, *at, "--list"),
            (CONFIGS, *at, "--describe", "--entity-type", "brokers"),
            (DUMP_LOG, "--print-data-log", "--files", str(segment)),
        ):
            run_tool(jars, tool, *arguments, jvm=jvm)
        kafka.stop()
    return class_path(jars)
