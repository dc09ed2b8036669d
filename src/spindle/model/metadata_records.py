"""Metadata records as values: what the controller writes and every node replays.

Field meanings are those of Apache Kafka's metadata records of the same names; versions and bytes
are `wire.metadata`'s business. Defaults mean "absent".
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from spindle.model.acl import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AclResourceType,
    PatternType,
    of_code,
)
from spindle.model.ids import DirectoryId, Endpoint, NodeId, TopicId, VersionRange

NO_CHANGE: Final = -2
"""`PartitionChange.leader`: the leader is not part of this change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterBroker:
    """A broker process has registered; always fenced when new (KIP-631, KIP-858)."""

    broker_id: NodeId
    incarnation_id: DirectoryId
    broker_epoch: int
    endpoints: tuple[Endpoint, ...] = ()
    features: tuple[tuple[str, VersionRange], ...] = ()
    rack: str | None = None
    fenced: bool = True
    in_controlled_shutdown: bool = False
    log_dirs: tuple[DirectoryId, ...] = ()
    cordoned_log_dirs: tuple[DirectoryId, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnregisterBroker:
    """A broker is gone for good."""

    broker_id: NodeId
    broker_epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerRegistrationChange:
    """Part of a registration changes. `fenced`/`in_controlled_shutdown`: 1 set, -1 clear (fenced
    only), 0 as it was; `log_dirs`: the online ones, empty = as they were; cordoned None likewise.
    """

    broker_id: NodeId
    broker_epoch: int
    fenced: int = 0
    in_controlled_shutdown: int = 0
    log_dirs: tuple[DirectoryId, ...] = ()
    cordoned_log_dirs: tuple[DirectoryId, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterController:
    """A controller has registered its endpoints and features."""

    controller_id: NodeId
    incarnation_id: DirectoryId
    endpoints: tuple[Endpoint, ...] = ()
    features: tuple[tuple[str, VersionRange], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A topic is created."""

    name: str
    topic_id: TopicId


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveTopic:
    """A topic is deleted, with its partitions and its configs."""

    topic_id: TopicId


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionRegistration:
    """A partition as a whole. `directories` stands beside `replicas`, one each."""

    partition_id: int
    topic_id: TopicId
    replicas: tuple[NodeId, ...]
    isr: tuple[NodeId, ...]
    leader: NodeId
    leader_epoch: int
    partition_epoch: int
    directories: tuple[DirectoryId, ...] = ()
    removing_replicas: tuple[NodeId, ...] = ()
    adding_replicas: tuple[NodeId, ...] = ()
    leader_recovery_state: int = 0
    elr: tuple[NodeId, ...] = ()
    last_known_elr: tuple[NodeId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionChange:
    """Part of a partition changes; None (or NO_CHANGE, or -1 for recovery) leaves a field alone.

    Replaying it raises the partition epoch, and the leader epoch if `leader` is present.
    """

    partition_id: int
    topic_id: TopicId
    isr: tuple[NodeId, ...] | None = None
    leader: NodeId = NO_CHANGE
    replicas: tuple[NodeId, ...] | None = None
    removing_replicas: tuple[NodeId, ...] | None = None
    adding_replicas: tuple[NodeId, ...] | None = None
    leader_recovery_state: int = -1
    elr: tuple[NodeId, ...] | None = None
    last_known_elr: tuple[NodeId, ...] | None = None
    directories: tuple[DirectoryId, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamicConfig:
    """One dynamic setting. Types: 2 topic, 4 broker, 16 client metrics, 32 group; value None
    deletes; name "" is the cluster-wide default.
    """

    resource_type: int
    resource_name: str
    key: str
    value: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureLevel:
    """A feature's finalized level; 0 removes it."""

    name: str
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProducerIdsBlock:
    """A broker was given a block of producer ids; the next begins at `next_producer_id`."""

    broker_id: NodeId
    broker_epoch: int
    next_producer_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoOp:
    """Time passes; lets lag be measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginTransaction:
    """What follows counts only at `EndTransaction` (KIP-868)."""

    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndTransaction:
    """What came since `BeginTransaction` counts now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AbortTransaction:
    """What came since `BeginTransaction` never counts."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearElr:
    """Eligible leader replicas of a topic ("" for all) are forgotten."""

    topic: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserScramCredential:
    """A user may log in by SCRAM (KIP-554). Mechanisms by number: 1 SHA-256, 2 SHA-512.

    What a server checks a login with; it is no password, and no text shows it.
    """

    name: str
    mechanism: int
    salt: bytes = field(repr=False)
    stored_key: bytes = field(repr=False)
    server_key: bytes = field(repr=False)
    iterations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveUserScramCredential:
    """A user may no longer log in by this mechanism."""

    name: str
    mechanism: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessControlEntry:
    """An ACL is added; the numbers are Kafka's, some perhaps newer than this node."""

    id: uuid.UUID
    resource_type: int
    resource_name: str
    pattern_type: int
    principal: str
    host: str
    operation: int
    permission_type: int

    @classmethod
    def of(cls, id: uuid.UUID, acl: AclBinding) -> AccessControlEntry:
        """The record of a new ACL."""
        return cls(
            id=id,
            resource_type=acl.resource_type,
            resource_name=acl.resource_name,
            pattern_type=acl.pattern_type,
            principal=acl.principal,
            host=acl.host,
            operation=acl.operation,
            permission_type=acl.permission,
        )

    @property
    def binding(self) -> AclBinding:
        """The ACL; what this node does not know is UNKNOWN."""
        return AclBinding(
            of_code(AclResourceType, self.resource_type),
            self.resource_name,
            of_code(PatternType, self.pattern_type),
            self.principal,
            self.host,
            of_code(AclOperation, self.operation),
            of_code(AclPermissionType, self.permission_type),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveAccessControlEntry:
    """An ACL is removed."""

    id: uuid.UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientQuota:
    """An entity's quota is set, or removed (KIP-546): see `model.client_quotas` for its parts."""

    entity: tuple[tuple[str, str | None], ...]
    key: str
    value: float = 0.0
    remove: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegationToken:
    """A delegation token is made, or ends at another time (KIP-48). Principals as `User:alice`,
    times in ms since 1970. What proves it is no part of it: see `model.token_key`.
    """

    owner: str
    requester: str
    renewers: tuple[str, ...] = ()
    issue_timestamp: int
    max_timestamp: int
    """It cannot be renewed for longer."""
    expiration_timestamp: int
    token_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveDelegationToken:
    """A delegation token ends."""

    token_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """A record that we keep but do not read: its body as it came."""

    key: int
    version: int
    body: bytes


MetadataRecord: TypeAlias = (
    RegisterBroker
    | UnregisterBroker
    | BrokerRegistrationChange
    | RegisterController
    | Topic
    | RemoveTopic
    | PartitionRegistration
    | PartitionChange
    | DynamicConfig
    | FeatureLevel
    | ProducerIdsBlock
    | NoOp
    | BeginTransaction
    | EndTransaction
    | AbortTransaction
    | ClearElr
    | UserScramCredential
    | RemoveUserScramCredential
    | AccessControlEntry
    | RemoveAccessControlEntry
    | ClientQuota
    | DelegationToken
    | RemoveDelegationToken
    | Other
)
