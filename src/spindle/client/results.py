"""What the AdminClient is asked with and answers with: frozen values, no bytes and no sockets.

Sizes are bytes, offsets and lags are numbers of records, -1 where a broker does not know.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from spindle.client.cluster import Node
from spindle.model.acl import AclOperation
from spindle.model.errors import Error
from spindle.model.ids import (
    DirectoryId,
    Endpoint,
    LogDir,
    NodeId,
    TopicId,
    TopicPartition,
    VersionRange,
)


class Replica(NamedTuple):
    """A partition on a broker; printed as Kafka does: `topic-partition-broker`."""

    topic: str
    partition: int
    broker: NodeId

    @property
    def name(self) -> TopicPartition:
        """Its partition."""
        return TopicPartition(self.topic, self.partition)

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}-{self.broker}"


@dataclass(frozen=True, slots=True)
class ClusterDescription:
    """The cluster's id, its live brokers by id, and which one speaks for the controller."""

    cluster_id: str
    controller_id: NodeId
    brokers: dict[NodeId, Node]
    authorized: frozenset[AclOperation] | None = None
    """What the user may do with the cluster; None where it was not asked, or is not said."""


@dataclass(frozen=True, slots=True)
class PartitionDescription:
    """A partition: its leader (-1: none), replicas, in-sync replicas, and those on dead disks."""

    partition: int
    leader: NodeId
    leader_epoch: int
    replicas: tuple[NodeId, ...]
    isr: tuple[NodeId, ...]
    offline: tuple[NodeId, ...]


@dataclass(frozen=True, slots=True)
class TopicDescription:
    """A topic and its partitions, in order."""

    name: str
    topic_id: TopicId | None
    internal: bool
    partitions: tuple[PartitionDescription, ...]


class OffsetRange(NamedTuple):
    """What a leader gives to consumers: offsets from `start` on and before `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic to be made: by counts (-1: the broker's default), or by an assignment."""

    name: str
    partitions: int = -1
    replication_factor: int = -1
    assignment: dict[int, tuple[NodeId, ...]] | None = None
    configs: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewPartitions:
    """The number of partitions a topic will have in all, and where the new ones go."""

    total: int
    assignment: tuple[tuple[NodeId, ...], ...] | None = None


class ResourceType(IntEnum):
    """What settings belong to, as on the wire."""

    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


class Resource(NamedTuple):
    """What settings belong to: `Resource(ResourceType.TOPIC, "orders")`. Broker "" is all."""

    type: ResourceType
    name: str

    def __str__(self) -> str:
        return f"{self.type.name.lower()} {self.name or '(default)'}"


class ConfigSource(IntEnum):
    """Where a setting's value comes from, as on the wire."""

    UNKNOWN = 0
    TOPIC = 1
    DYNAMIC_BROKER = 2
    DYNAMIC_DEFAULT_BROKER = 3
    STATIC_BROKER = 4
    DEFAULT = 5
    DYNAMIC_BROKER_LOGGER = 6
    CLIENT_METRICS = 7
    GROUP = 8


@dataclass(frozen=True, slots=True)
class Config:
    """One setting's value (None where it is secret or unset) and where it comes from."""

    name: str
    value: str | None
    source: ConfigSource
    read_only: bool
    sensitive: bool


class Change(IntEnum):
    """What to do with a setting, as on the wire."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


class ConfigChange(NamedTuple):
    """One change of one setting."""

    name: str
    change: Change
    value: str | None = None


@dataclass(frozen=True, slots=True)
class LogDescription:
    """One log in a directory (K113-20). `lag`: a current log's distance to its high watermark;
    a future log's distance to the current log, -1 where that one is not readable."""

    size: int
    lag: int
    is_future: bool


@dataclass(frozen=True, slots=True)
class LogDirDescription:
    """One log directory of a broker: its error (NONE where it is well) and its logs."""

    path: LogDir
    error: Error
    total: int | None
    """Bytes of its file system; None where the broker does not say."""
    usable: int | None
    """Bytes of it that are free for use."""
    cordoned: bool
    current: dict[TopicPartition, LogDescription]
    future: dict[TopicPartition, LogDescription]
    directory_id: DirectoryId | None = None
    """The id by which the metadata names it; None where the broker does not tell (B-25)."""

    @property
    def online(self) -> bool:
        """Whether the directory serves."""
        return self.error == Error.NONE

    @property
    def used(self) -> int | None:
        """Bytes of its logs; None where it is offline, and what lies in it is unknown."""
        return sum(log.size for log in self.current.values()) if self.is_known else None

    @property
    def is_known(self) -> bool:
        """Whether its broker knows what lies in it: of an offline one it lists nothing."""
        return self.online or bool(self.current or self.future)


class DiskOrder(IntEnum):
    """What an operator may order of a log directory without a restart, as on the wire (B-13)."""

    PROBE = 0
    """Write, sync and read back, now."""
    ONLINE = 1
    """Open it again."""
    OFFLINE = 2
    """Close it until the next ONLINE."""
    REPLACE = 3
    """Make a blank disk in its place the broker's own, and open it (B-16)."""


class DiskEvent(NamedTuple):
    """An event of a log directory: ms since 1970, and what happened, in words."""

    at_ms: int
    text: str


@dataclass(frozen=True, slots=True)
class DiskDescription:
    """One log directory as a Spindle broker knows it, offline ones too (B-13)."""

    path: LogDir
    directory_id: DirectoryId | None
    state: str
    """healthy, slow, full, hung, failed, offline (by order), opening."""
    reason: str
    cordoned: bool
    total: int | None
    usable: int | None
    replicas: int
    replica_bytes: int
    offline_replicas: int
    """Replicas that cannot be served and whose log was here last."""
    moves_in: int
    moves_out: int
    stray_bytes: int
    kept_bytes: int
    call_ms: float
    """How long a call of its disk has taken lately; 0: not known."""
    history: tuple[DiskEvent, ...]

    @property
    def online(self) -> bool:
        """Whether the directory serves."""
        return self.state in ("healthy", "slow", "full")


class BadReplica(NamedTuple):
    """A replica that is offline although its directory serves, why, and what will be done."""

    name: TopicPartition
    reason: str
    damaged: bool
    outlook: str


class KeptBadCopy(NamedTuple):
    """A damaged log that was set aside: its directory's name, bytes, since when (ms), and why."""

    name: str
    size: int
    since_ms: int
    reason: str


class DoubtfulGap(NamedTuple):
    """Offsets that are missing in a log that serves, from `first` to before `next`.

    Apache Kafka's compaction may have left that, or a power cut has taken them.
    """

    name: TopicPartition
    first: int
    next: int


@dataclass(frozen=True, slots=True)
class ReplicaHealth:
    """How the replicas of one log directory are (KIP-589): its scrubber, what is bad in it.

    `scrubbed_bytes` of `scrub_total_bytes` were looked at in this round, or in the last one;
    `scrub_ended_ms`: when a round was last complete (ms since 1970; 0: never).
    """

    path: LogDir
    scrub_rounds: int
    scrub_ended_ms: int
    scrubbed_bytes: int
    scrub_total_bytes: int
    bad_copies: tuple[KeptBadCopy, ...]
    offline: tuple[BadReplica, ...]
    gaps: tuple[DoubtfulGap, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplicaLogDirs:
    """Where a replica lives and where it is moving to (K113-26).

    `current` is None where no readable directory of the broker has it; `offline_dirs` are those
    that could not be read, in one of which it may be.
    """

    current: LogDir | None = None
    current_lag: int = -1
    current_size: int = 0
    future: LogDir | None = None
    future_lag: int = -1
    """Records that the copy still lacks; -1 where that is unknown."""
    future_size: int = 0
    offline_dirs: tuple[LogDir, ...] = ()


@dataclass(frozen=True, slots=True)
class BrokerFeatures:
    """What a broker serves: its highest metadata.version (None without KRaft), versions by API.

    `finalized`: the cluster's levels of features, as far as the broker has heard.
    """

    metadata_version: int | None
    versions: dict[int, tuple[int, int]]
    finalized: dict[str, int]


@dataclass(frozen=True, slots=True)
class FeatureMetadata:
    """Levels of features: those that the node that was asked supports, and the cluster's.

    A feature that is not in `finalized` has level 0. `epoch` goes up with the cluster's levels;
    None where the node does not say.
    """

    supported: dict[str, VersionRange]
    finalized: dict[str, int]
    epoch: int | None


@dataclass(frozen=True, slots=True)
class Reassignment:
    """A reassignment in progress: all replicas, those coming, those going."""

    replicas: tuple[NodeId, ...]
    adding: tuple[NodeId, ...]
    removing: tuple[NodeId, ...]


@dataclass(frozen=True, slots=True)
class QuorumMember:
    """A voter or observer of the metadata log; times in ms since 1970, -1: unknown."""

    node_id: NodeId
    directory_id: DirectoryId | None
    log_end_offset: int
    last_fetch_ms: int
    last_caught_up_ms: int


@dataclass(frozen=True, slots=True)
class QuorumDescription:
    """The metadata quorum: its leader, epoch, high watermark and members."""

    leader_id: NodeId
    leader_epoch: int
    high_watermark: int
    voters: tuple[QuorumMember, ...]
    observers: tuple[QuorumMember, ...]
    endpoints: dict[NodeId, tuple[Endpoint, ...]] = field(default_factory=dict)
    """The controllers' listeners by their ids; empty where no answer has them."""
