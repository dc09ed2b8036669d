"""`spindle log-dirs`: every broker's disks - state, space, replicas - and the moves between them.

A table for people; with --json the document of Kafka's own tool, with more in it (K113-21).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Final

import typer

from spindle.cli import render, roll
from spindle.cli.connecting import AsJson, Bootstrap, BrokerList, TimeLimit, with_admin
from spindle.cli.exits import End
from spindle.cli.reassign.reassignment_plan import parse_brokers
from spindle.client.admin import AdminClient
from spindle.client.failures import Refused
from spindle.client.results import LogDescription, LogDirDescription
from spindle.model.errors import Error, Unusable
from spindle.model.ids import NodeId, TopicPartition, id_to_text

_JAVA_PACKAGE: Final = "org.apache.kafka.common.errors."
_JAVA_NAMES: Final = {
    Error.KAFKA_STORAGE_ERROR: "KafkaStorageException",
    Error.CLUSTER_AUTHORIZATION_FAILED: "ClusterAuthorizationException",
    Error.REQUEST_TIMED_OUT: "TimeoutException",
    Error.UNKNOWN_SERVER_ERROR: "UnknownServerException",
}


@dataclass(frozen=True)
class DescribedLogDirs:
    """The reports of the brokers, and the errors of those that failed."""

    brokers: dict[NodeId, tuple[LogDirDescription, ...]]
    silent: dict[NodeId, Exception] = field(default_factory=dict)


def log_dirs(
    bootstrap_server: Bootstrap,
    broker_list: BrokerList = "",
    topic_list: Annotated[
        str, typer.Option(metavar="TOPIC,...", help="Only replicas of these topics.")
    ] = "",
    only: Annotated[
        str, typer.Option("--log-dirs", metavar="PATH,...", help="Only these directories.")
    ] = "",
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Show each broker's log directories: state, space, replicas, and moves in progress.

    A broker that is down has a row. Exit code 1: a directory is offline; 6: a broker is down or
    could not be asked.
    """
    topics, paths = names(topic_list), names(only)

    async def work(admin: AdminClient) -> DescribedLogDirs:
        called = await roll.call(admin, parse_brokers(broker_list))
        found = await ask(admin, called.live)
        await _check_names(admin, topics, paths, found)
        return DescribedLogDirs(
            found.brokers, dict(sorted({**called.down, **found.silent}.items()))
        )

    found = with_admin(bootstrap_server, work, timeout=request_timeout)
    found = narrowed(found, topics, paths)
    if as_json:
        print(json.dumps(document(found, more=True)))
    else:
        _show(found)
    for broker, failure in found.silent.items():
        render.warn(f"broker {broker} was left out: {failure}")
    if any(not d.online for theirs in found.brokers.values() for d in theirs):
        raise typer.Exit(End.FAILED)
    if found.silent:
        raise typer.Exit(End.UNKNOWN)


async def _check_names(
    admin: AdminClient, topics: Sequence[str], paths: Sequence[str], found: DescribedLogDirs
) -> None:
    """Unusable where a topic or a directory does not exist at all: zeros would say otherwise."""
    told = await admin.describe_topics(topics).settled()
    gone = [name for name, topic in told.items() if isinstance(topic, Refused)]
    if gone:
        raise Unusable(f"there is no topic {', '.join(gone)}")
    there = {d.path for theirs in found.brokers.values() for d in theirs}
    if missing := [path for path in paths if path not in there]:
        raise Unusable(
            f"no broker that answers has the log directory {', '.join(missing)}; they have: "
            + ", ".join(sorted(there))
        )


async def ask(admin: AdminClient, brokers: Sequence[NodeId]) -> DescribedLogDirs:
    """Ask these brokers for their directories."""
    settled = await admin.describe_log_dirs(brokers).settled()
    return DescribedLogDirs(
        {b: d for b, d in settled.items() if not isinstance(d, Exception)},
        {b: roll.of_known(d) for b, d in settled.items() if isinstance(d, Exception)},
    )


def names(text: str) -> list[str]:
    """`a,b` as a list."""
    return [part.strip() for part in text.split(",") if part.strip()]


def narrowed(
    found: DescribedLogDirs, topics: Sequence[str], directories: Sequence[str]
) -> DescribedLogDirs:
    """The same with these topics' replicas and these directories only (none: all).

    A directory without such a replica stays, empty, as Kafka's tool has it.
    """

    def of_topics(
        logs: Mapping[TopicPartition, LogDescription],
    ) -> dict[TopicPartition, LogDescription]:
        return {name: log for name, log in logs.items() if not topics or name.topic in topics}

    brokers = {
        broker: tuple(
            replace(d, current=of_topics(d.current), future=of_topics(d.future))
            for d in theirs
            if not directories or d.path in directories
        )
        for broker, theirs in found.brokers.items()
    }
    return DescribedLogDirs(brokers, found.silent)


def document(found: DescribedLogDirs, *, more: bool = False) -> dict[str, object]:
    """The document that Kafka's tool prints (version 1); with `more`, what it leaves out too."""
    result: dict[str, object] = {
        "brokers": [
            {"broker": broker, "logDirs": [_directory(d, more) for d in directories]}
            for broker, directories in found.brokers.items()
        ],
        "version": 1,
    }
    if more:
        result["silentBrokers"] = {str(b): str(failure) for b, failure in found.silent.items()}
    return result


def _directory(d: LogDirDescription, more: bool) -> dict[str, object]:
    logs = [*sorted(d.current.items()), *sorted(d.future.items())]
    entry: dict[str, object] = {
        "partitions": [
            {
                "partition": str(name),
                "size": log.size,
                "offsetLag": log.lag,
                "isFuture": log.is_future,
            }
            for name, log in logs
        ],
        "error": java_name(d.error),
        "logDir": d.path,
    }
    if more:
        entry |= {"totalBytes": d.total, "usableBytes": d.usable, "isCordoned": d.cordoned}
        entry["directoryId"] = None if d.directory_id is None else id_to_text(d.directory_id)
    return entry


def java_name(error: Error) -> str | None:
    """The class that Kafka's tool names for an error."""
    if error is Error.NONE:
        return None
    plain = error.name.title().replace("_", "").removesuffix("Exception").removesuffix("Error")
    return _JAVA_PACKAGE + _JAVA_NAMES.get(error, f"{plain}Exception")


def _show(found: DescribedLogDirs) -> None:
    directories = [(b, d) for b, theirs in found.brokers.items() for d in theirs]
    render.table(
        "Log directories",
        ("broker", "directory", "state", "replicas", "bytes", "free", "of disk", "moves in"),
        [
            (
                str(broker),
                d.path,
                _state(d),
                str(len(d.current)) if d.is_known else "-",
                render.size(d.used),
                render.size(d.usable),
                render.size(d.total),
                str(len(d.future)) if d.is_known else "-",
            )
            for broker, d in directories
        ]
        + [tuple(row) for row in roll.silent_rows(found.silent, 8)],
    )
    moves = [row for broker, theirs in found.brokers.items() for row in _moves(broker, theirs)]
    if moves:
        render.table("Moves", ("replica", "from", "to", "copied", "of", "progress"), moves)


def _moves(broker: NodeId, directories: Sequence[LogDirDescription]) -> list[list[str]]:
    sources = {name: (d.path, log) for d in directories for name, log in d.current.items()}
    rows = []
    for d in directories:
        for name, log in sorted(d.future.items()):
            source, current = sources.get(name, ("(offline)", None))
            total = current.size if current else None
            rows.append(
                [
                    f"{name}-{broker}",
                    source,
                    d.path,
                    render.size(log.size),
                    render.size(total),
                    "stands still" if total is None else render.bar(log.size, total),
                ]
            )
    return rows


def _state(d: LogDirDescription) -> str:
    if not d.online:
        return f"offline ({d.error.name})"
    return "online, cordoned" if d.cordoned else "online"
