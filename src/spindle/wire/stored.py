"""Values in the records of the coordinators' topics and of control batches.

Their readers and writers are in `record_codecs`; `coordinator`, `transactions` and `control` are
the doors to them. The values of the metadata log's records are in `model.metadata_records`.
"""

from __future__ import annotations

from dataclasses import dataclass

from spindle.model.ids import NodeId, TopicId


@dataclass(frozen=True, slots=True)
class OffsetKey:
    """Whose offset: a group's, for a partition."""

    group: str
    topic: str
    partition: int


@dataclass(frozen=True, slots=True)
class GroupKey:
    """A classic group."""

    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetValue:
    """A committed offset. Times in ms; -1 for no leader epoch and for no expiry of its own."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""
    commit_timestamp: int
    expire_timestamp: int = -1
    topic_id: TopicId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMember:
    """A member of a group's generation. Timeouts in ms."""

    member_id: str
    instance_id: str | None = None
    client_id: str
    client_host: str
    rebalance_timeout: int = -1
    session_timeout: int
    subscription: bytes
    assignment: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupValue:
    """A generation of a group. `state_timestamp`: when the group came into its state, ms or -1."""

    protocol_type: str
    generation: int
    protocol: str | None
    leader: str | None
    state_timestamp: int = -1
    members: tuple[GroupMember, ...] = ()


@dataclass(frozen=True, slots=True)
class ConsumerGroupKey:
    """A consumer group of KIP-848."""

    group: str


@dataclass(frozen=True, slots=True)
class ConsumerMemberKey:
    """A member of a consumer group."""

    group: str
    member_id: str


@dataclass(frozen=True, slots=True)
class RegularExpressionKey:
    """A pattern of topics that a consumer group subscribes to."""

    group: str
    regex: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerGroupValue:
    """A group's epoch, and the hash of the topics it depends on."""

    epoch: int
    topics_hash: int = 0


@dataclass(frozen=True, slots=True)
class ClassicProtocol:
    """A protocol that a classic member of a consumer group offers."""

    name: str
    metadata: bytes


@dataclass(frozen=True, slots=True)
class ClassicMember:
    """What a classic member of a consumer group has said. Timeout in ms."""

    session_timeout: int
    protocols: tuple[ClassicProtocol, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerMemberValue:
    """What a member has said. Timeout in ms."""

    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str
    client_host: str
    topics: tuple[str, ...] = ()
    regex: str | None = None
    rebalance_timeout: int = -1
    assignor: str | None = None
    classic: ClassicMember | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetEpochValue:
    """The epoch of the target assignment, and when it was made (ms)."""

    epoch: int
    at: int = 0


@dataclass(frozen=True, slots=True)
class TopicPartitionsValue:
    """Partitions of a topic."""

    topic_id: TopicId | None
    partitions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TargetMemberValue:
    """What a member is to have."""

    topics: tuple[TopicPartitionsValue, ...]


@dataclass(frozen=True, slots=True)
class HeldPartitionsValue:
    """Partitions of a topic, each with the epoch in which its member got it (None: before 4.3)."""

    topic_id: TopicId | None
    partitions: tuple[int, ...]
    epochs: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentMemberValue:
    """Where a member stands."""

    epoch: int
    previous_epoch: int
    state: int
    assigned: tuple[HeldPartitionsValue, ...] = ()
    revoking: tuple[HeldPartitionsValue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RegularExpressionValue:
    """The topics that a pattern matched, at a version of the metadata and a time (ms)."""

    topics: tuple[str, ...]
    version: int
    at: int


@dataclass(frozen=True, slots=True)
class TransactionKey:
    """A transactional id."""

    transactional_id: str


@dataclass(frozen=True, slots=True)
class TransactionPartitions:
    """The partitions of a topic that take part."""

    topic: str
    partitions: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionValue:
    """The state of a transactional id. Times in ms; -1 for ids and epochs that are not there.

    `partitions` None: a state that has none. `next_producer_epoch` belongs to KIP-939.
    """

    producer_id: int
    previous_producer_id: int = -1
    next_producer_id: int = -1
    producer_epoch: int
    next_producer_epoch: int = -1
    timeout: int
    status: int
    partitions: tuple[TransactionPartitions, ...] | None
    updated: int
    started: int
    client_version: int = 0


@dataclass(frozen=True, slots=True)
class LeaderChange:
    """A leader of the metadata quorum begins its epoch, with its voters and those that voted."""

    leader: NodeId
    voters: tuple[NodeId, ...] = ()
    granting: tuple[NodeId, ...] = ()


@dataclass(frozen=True, slots=True)
class SnapshotHeader:
    """A snapshot begins. `last_timestamp`: of the newest record that went into it, in ms."""

    last_timestamp: int


@dataclass(frozen=True, slots=True)
class SnapshotFooter:
    """A snapshot is complete."""


# --- share groups (KIP-932) ------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareMemberValue:
    """What a member of a share group has said."""

    rack_id: str | None = None
    client_id: str
    client_host: str
    topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareCurrentValue:
    """Where a member of a share group stands."""

    epoch: int
    previous_epoch: int
    state: int
    assigned: tuple[TopicPartitionsValue, ...]


@dataclass(frozen=True, slots=True)
class NamedPartitionsValue:
    """Partitions of a topic whose share state is being made, or is there."""

    topic_id: TopicId | None
    topic: str
    partitions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NamedTopicValue:
    """A topic whose share state is being deleted."""

    topic_id: TopicId | None
    topic: str


@dataclass(frozen=True, slots=True)
class ShareInitializationValue:
    """How far the share state of a group's partitions is made."""

    initializing: tuple[NamedPartitionsValue, ...]
    initialized: tuple[NamedPartitionsValue, ...]
    deleting: tuple[NamedTopicValue, ...]


@dataclass(frozen=True, slots=True)
class ShareStateKey:
    """A partition as one share group sees it, in `__share_group_state`."""

    group: str
    topic_id: TopicId | None
    partition: int


@dataclass(frozen=True, slots=True)
class ShareBatchValue:
    """Neighbouring records in the same state, delivered the same number of times."""

    first: int
    last: int
    state: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareSnapshotValue:
    """All of a share partition's state. Times in ms; `complete` -1: not known."""

    snapshot_epoch: int
    state_epoch: int
    leader_epoch: int
    start_offset: int
    complete: int = -1
    created_ms: int
    written_ms: int
    batches: tuple[ShareBatchValue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareUpdateValue:
    """What has changed since the snapshot. -1: as it was."""

    snapshot_epoch: int
    leader_epoch: int
    start_offset: int
    complete: int = -1
    batches: tuple[ShareBatchValue, ...]
