"""Names of things: nodes, topics, partitions, log directories.

Knows no bytes and no files. Used by every room.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")

NodeId: TypeAlias = int
"""Id of a broker or controller (`node.id`)."""

TopicId: TypeAlias = uuid.UUID
DirectoryId: TypeAlias = uuid.UUID
LogDir: TypeAlias = str
"""Absolute path of a configured log directory; known even where the directory cannot be read."""

NO_LEADER: Final = -1
ZERO_ID: Final = uuid.UUID(int=0)
METADATA_TOPIC: Final = "__cluster_metadata"
METADATA_TOPIC_ID: Final = uuid.UUID(int=1)

# KIP-858, values as Apache Kafka 4.x ships them (K858-02).
MIGRATING: Final = uuid.UUID(int=0)
UNASSIGNED: Final = uuid.UUID(int=1)
LOST: Final = uuid.UUID(int=2)
RESERVED_COUNT: Final = 100


def is_reserved(directory: DirectoryId) -> bool:
    """Whether an id is among the first hundred, which no real directory may carry."""
    return directory.int < RESERVED_COUNT


def id_to_text(value: uuid.UUID) -> str:
    """Kafka's text form of an id: 22 characters of url-safe base64 without padding."""
    return base64.urlsafe_b64encode(value.bytes).decode().rstrip("=")


def id_from_text(text: str) -> uuid.UUID:
    """Read Kafka's text form of an id; ValueError names a text which is not one."""
    try:
        raw = base64.urlsafe_b64decode(text + "==")
    except ValueError:
        raise ValueError(f"{text!r} is not a base64 id of 22 characters") from None
    if len(raw) != 16 or len(text) != 22:
        raise ValueError(f"{text!r} is not a base64 id of 22 characters")
    return uuid.UUID(bytes=raw)


class TopicPartition(NamedTuple):
    """A partition by its topic's name: how disks and old clients know it."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


def by_topic(values: Iterable[tuple[TopicPartition, T]]) -> dict[str, list[tuple[int, T]]]:
    """What belongs to partitions, by topic: with the partition's number, in the order given."""
    topics: dict[str, list[tuple[int, T]]] = {}
    for (topic, partition), value in values:
        topics.setdefault(topic, []).append((partition, value))
    return topics


class PartitionId(NamedTuple):
    """A partition by its topic's id: how the metadata knows it. Survives re-creation of a name."""

    topic_id: TopicId
    partition: int

    def __str__(self) -> str:
        return f"{id_to_text(self.topic_id)}-{self.partition}"


class Endpoint(NamedTuple):
    """Where a listener is reached. `security_protocol`: 0 PLAINTEXT, 1 SSL, 2/3 SASL_*."""

    name: str
    host: str
    port: int
    security_protocol: int = 0


class VersionRange(NamedTuple):
    """The versions of a feature or an API that a node supports, both ends included."""

    min: int
    max: int
