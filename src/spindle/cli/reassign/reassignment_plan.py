"""The JSON of kafka-reassign-partitions: the brokers and directories of each partition.

Pure: texts in, values out, and back. `Unusable` says what is wrong with a document, in Kafka's
words where Kafka has them. Called by `run` and all that read or write such files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from spindle.client.results import Replica
from spindle.model.errors import Unusable
from spindle.model.ids import LogDir, NodeId, TopicPartition

T = TypeVar("T")

ANY: Final = "any"
"""The word for: wherever the broker likes, or where the replica already is."""

Assignment = dict[TopicPartition, tuple[NodeId, ...]]


@dataclass(frozen=True)
class ReassignmentPlan:
    """What a document asks for: each partition's brokers, and a directory for some replicas."""

    replicas: Assignment
    directories: dict[Replica, LogDir] = field(default_factory=dict)

    @property
    def topics(self) -> list[str]:
        """The topics it is about, sorted."""
        return sorted({name.topic for name in self.replicas})


def parse_plan(text: str) -> ReassignmentPlan:
    """Read a reassignment document (version 1)."""
    replicas: Assignment = {}
    directories: dict[Replica, LogDir] = {}
    twice: list[TopicPartition] = []
    for entry in _entries(text, "partitions"):
        name = TopicPartition(_text(entry, "topic"), _number(entry, "partition"))
        brokers = tuple(_broker(value, name) for value in _list(entry, "replicas", str(name)))
        if name in replicas:
            twice.append(name)
        replicas[name] = brokers
        directories.update(_directories(entry, name, brokers))
    if twice:
        names = ",".join(map(str, twice))
        raise Unusable(f"Partition reassignment contains duplicate topic partitions: {names}")
    if not replicas:
        raise Unusable("Partition reassignment list cannot be empty")
    _check_brokers(replicas)
    return ReassignmentPlan(dict(sorted(replicas.items())), dict(sorted(directories.items())))


def parse_topics(text: str) -> list[str]:
    """Read a topics-to-move document (version 1)."""
    topics = [_text(entry, "topic") for entry in _entries(text, "topics")]
    if twice := _duplicates(topics):
        names = ", ".join(twice)
        raise Unusable(f"List of topics to reassign contains duplicate entries: {names}")
    if not topics:
        raise Unusable("the list of topics to move is empty: name at least one")
    return topics


def parse_brokers(text: str) -> list[NodeId]:
    """Read `1,2,3`."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if wrong := [part for part in parts if not (part.isascii() and part.isdigit())]:
        raise Unusable(f"broker list: {wrong[0]!r} is not a broker id; write e.g. 1,2,3")
    if twice := _duplicates(parts):
        raise Unusable(f"Broker list contains duplicate entries: {', '.join(twice)}")
    return [int(part) for part in parts]


def plan_json(
    replicas: Mapping[TopicPartition, Sequence[NodeId]],
    directories: Mapping[Replica, LogDir] | None = None,
) -> str:
    """An assignment as the tool's document, in one line as Kafka prints it."""
    known = directories or {}
    partitions = [
        {
            "topic": name.topic,
            "partition": name.partition,
            "replicas": list(brokers),
            "log_dirs": [known.get(Replica(*name, broker), ANY) for broker in brokers],
        }
        for name, brokers in sorted(replicas.items())
    ]
    document = {"version": 1, "partitions": partitions}
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def _entries(text: str, key: str) -> list[dict[str, object]]:
    """The objects that the document lists under a key."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}: {error.msg}"
        raise Unusable(f"The input string is not a valid JSON: {where}") from None
    if not isinstance(document, dict):
        raise Unusable(f'The input string is not a valid JSON object: write {{"{key}": [...]}}')
    version = document.get("version", 1)
    if version != 1:
        raise Unusable(f"Not supported version field value {version}")
    entries = document.get(key)
    if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise Unusable(f'the document has no list of objects named "{key}"')
    return entries


def _directories(
    entry: dict[str, object], name: TopicPartition, brokers: Sequence[NodeId]
) -> dict[Replica, LogDir]:
    if entry.get("log_dirs") is None:
        return {}
    named = _list(entry, "log_dirs", str(name))
    if len(named) != len(brokers):
        raise Unusable(
            f"Size of replicas list {_scala(brokers)} is different from size of log dirs list"
            f" {_scala(named)} for partition {name}"
        )
    found: dict[Replica, LogDir] = {}
    for broker, directory in zip(brokers, named, strict=True):
        if not isinstance(directory, str):
            raise Unusable(f"log_dirs of partition {name}: {directory!r} is not a path")
        if directory != ANY:
            found[Replica(*name, broker)] = directory
    return found


def _check_brokers(replicas: Assignment) -> None:
    for name, brokers in replicas.items():
        if not brokers:
            raise Unusable(f"Partition replica list cannot be empty: {name}")
    twice = [(name, b) for name, brokers in replicas.items() if (b := _duplicates(brokers))]
    if twice:
        which = ", ".join(
            f"{name} contains multiple entries for {','.join(map(str, b))}" for name, b in twice
        )
        raise Unusable(f"Partition replica lists may not contain duplicate entries: {which}")


def _text(entry: dict[str, object], key: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value:
        raise Unusable(f'an entry has no "{key}" text: {json.dumps(entry)[:200]}')
    return value


def _number(entry: dict[str, object], key: str) -> int:
    value = entry.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise Unusable(f'an entry has no "{key}" number: {json.dumps(entry)[:200]}')
    return value


def _list(entry: dict[str, object], key: str, where: str) -> list[object]:
    value = entry.get(key)
    if not isinstance(value, list):
        raise Unusable(f'partition {where} has no list named "{key}"')
    return value


def _broker(value: object, name: TopicPartition) -> NodeId:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise Unusable(f"replicas of partition {name}: {value!r} is not a broker id")
    return value


def _duplicates(values: Iterable[T]) -> list[T]:
    seen: dict[T, int] = {}
    for value in values:
        seen[value] = seen.get(value, 0) + 1
    return [value for value, count in seen.items() if count > 1]


def _scala(values: Iterable[object]) -> str:
    return f"[{', '.join(map(str, values))}]"
