"""How `spindle disks` shows directories: a table for people, a document for scripts. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from spindle.cli import render
from spindle.cli.roll import state_of
from spindle.client.results import DiskDescription, LogDirDescription
from spindle.model.ids import NodeId, id_to_text


@dataclass(frozen=True, slots=True)
class Shown:
    """A directory as any broker reports it, and what only Spindle's brokers add."""

    broker: NodeId
    plain: LogDirDescription
    more: DiskDescription | None
    leaving: int
    """Replicas that are being moved to another directory."""

    @property
    def state(self) -> str:
        """Its state in words, e.g. "online, cordoned"."""
        if self.more is None:
            words = ["online" if self.plain.online else "offline"]
            cordoned = self.plain.cordoned
        else:
            words = ["online" if self.more.state == "healthy" else self.more.state]
            cordoned = self.more.cordoned
        if cordoned and self.leaving:
            words.append("draining")
        elif cordoned:
            words.append("cordoned")
        return ", ".join(words)

    @property
    def why(self) -> str:
        """Why it is so, where that is known; the path is not said twice."""
        if self.more is None:
            return "" if self.plain.online else self.plain.error.name
        return self.more.reason.removeprefix(f"{self.plain.path}: ")

    @property
    def well(self) -> bool:
        """Whether it serves all that it has."""
        return self.plain.online and not (self.more is not None and self.more.offline_replicas)


@dataclass(frozen=True, slots=True)
class ObservedDirectories:
    """What was seen of a cluster's directories; brokers that could not be asked, and why."""

    disks: tuple[Shown, ...]
    silent: dict[NodeId, Exception] = field(default_factory=dict)


def document(seen: ObservedDirectories) -> dict[str, object]:
    """The document for scripts; null where a broker does not tell."""
    return {
        "disks": [_entry(disk) for disk in seen.disks],
        "silentBrokers": {str(b): str(failure) for b, failure in seen.silent.items()},
    }


def _entry(disk: Shown) -> dict[str, object]:
    plain, more = disk.plain, disk.more
    directory_id = plain.directory_id if more is None else more.directory_id
    return {
        "broker": disk.broker,
        "logDir": plain.path,
        "directoryId": None if directory_id is None else id_to_text(directory_id),
        "state": disk.state,
        "health": None if more is None else more.state,
        "why": None if more is None else more.reason,
        "isCordoned": plain.cordoned if more is None else more.cordoned,
        "totalBytes": plain.total if more is None else more.total,
        "usableBytes": plain.usable if more is None else more.usable,
        "replicas": len(plain.current) if plain.is_known else None,
        "replicaBytes": plain.used,
        "offlineReplicas": None if more is None else more.offline_replicas,
        "movesIn": len(plain.future) if plain.is_known else None,
        "movesOut": disk.leaving if plain.is_known else None,
        "strayBytes": None if more is None else more.stray_bytes,
        "keptBytes": None if more is None else more.kept_bytes,
        "callMs": None if more is None else round(more.call_ms, 3),
        "history": None if more is None else [_event(e.at_ms, e.text) for e in more.history],
    }


def _event(at_ms: int, text: str) -> dict[str, object]:
    return {"atMs": at_ms, "event": text}


def show(seen: ObservedDirectories) -> None:
    """The table for people."""
    columns = (
        "broker", "directory", "id", "state", "replicas", "offline", "bytes", "free", "of disk",
        "moves in", "out",
    )  # fmt: skip
    rows: list[Sequence[str]] = [_row(disk) for disk in seen.disks]
    for broker, failure in seen.silent.items():
        rows.append((str(broker), "(all)", "-", state_of(failure), *("-" * (len(columns) - 4))))
    render.table("Disks", columns, rows)
    for disk in seen.disks:
        if disk.why:
            render.say(f"broker {disk.broker} {disk.plain.path}: {disk.state}: {disk.why}")
        if disk.more is not None and disk.more.stray_bytes:
            strays = render.size(disk.more.stray_bytes)
            render.say(f"broker {disk.broker} {disk.plain.path}: {strays} of stray logs")


def _row(disk: Shown) -> tuple[str, ...]:
    plain, more = disk.plain, disk.more
    directory_id = plain.directory_id if more is None else more.directory_id
    return (
        str(disk.broker),
        plain.path,
        "-" if directory_id is None else id_to_text(directory_id),
        disk.state,
        str(len(plain.current)) if plain.is_known else "-",
        "-" if more is None else str(more.offline_replicas),
        render.size(plain.used),
        render.size(plain.usable),
        render.size(plain.total),
        str(len(plain.future)) if plain.is_known else "-",
        str(disk.leaving) if plain.is_known else "-",
    )


def events_document(seen: ObservedDirectories) -> dict[str, object]:
    """What has happened, for scripts: oldest first."""
    return {
        "events": [
            {"broker": broker, "logDir": path, **_event(at, text)}
            for at, broker, path, text in _events(seen)
        ]
    }


def show_events(seen: ObservedDirectories) -> None:
    """What has happened, for people: oldest first."""
    rows = [(_time(at), str(broker), path, text) for at, broker, path, text in _events(seen)]
    if rows:
        render.table("Events", ("when", "broker", "directory", "what"), rows)
    else:
        render.say("nothing has happened to any directory since its broker started")
    others = sorted({d.broker for d in seen.disks if d.more is None})
    if others:
        render.say(f"Apache Kafka's brokers keep no history: {', '.join(map(str, others))}")


def _events(seen: ObservedDirectories) -> list[tuple[int, NodeId, str, str]]:
    return sorted(
        (event.at_ms, disk.broker, disk.plain.path, _brief(event.text, disk.plain.path))
        for disk in seen.disks
        if disk.more is not None
        for event in disk.more.history
    )


def _brief(event: str, path: str) -> str:
    """What has happened, without the directory's path: that stands beside it."""
    return event.replace(f": {path}: ", ": ", 1)


def _time(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
