"""What goes in and out of the group coordinator: requests, answers and stored records as values.

Times are ms. Knows no wire format and no group; handlers translate requests into these, the node
translates the records to and from the bytes of `__consumer_offsets`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from spindle.core.groups.consumer_values import ConsumerRecord
from spindle.core.groups.share_group_values import ShareGroupRecord
from spindle.model.errors import Error
from spindle.model.ids import TopicId, TopicPartition

Protocols: TypeAlias = tuple[tuple[str, bytes], ...]
"""What a client speaks: protocols with what it says in each, the one it likes best first."""
NO_GENERATION: Final = -1
CONSUMER: Final = "consumer"
"""The protocol type of consumers; others (connect, ...) keep their own kind of metadata."""


# --- requests -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """A client wants to be a member. `member_id` "" asks for one.

    `needs_id`: the client first wants an id and then joins with it (KIP-394, version 4 and later);
    `may_skip`: a leader understands that it need not assign (KIP-814, version 9 and later).
    """

    group_id: str
    member_id: str
    instance_id: str | None = None
    client_id: str
    client_host: str
    session_timeout: int
    rebalance_timeout: int
    protocol_type: str
    protocols: Protocols
    needs_id: bool = False
    may_skip: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync:
    """A member asks for its assignment; the leader brings those of all. None: not checked."""

    group_id: str
    generation: int
    member_id: str
    instance_id: str | None = None
    protocol_type: str | None = None
    protocol: str | None = None
    assignments: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberIdentity:
    """The member that speaks for a group, as heartbeats and commits name it."""

    group_id: str
    generation: int = NO_GENERATION
    member_id: str = ""
    instance_id: str | None = None


# --- answers ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinAnswer:
    """What a joining client gets. `members` (id, instance, metadata) only for the leader."""

    error: Error = Error.NONE
    generation: int = NO_GENERATION
    protocol_type: str | None = None
    protocol: str | None = None
    leader: str = ""
    member_id: str = ""
    members: tuple[tuple[str, str | None, bytes], ...] = ()
    skip_assignment: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncAnswer:
    """A member's assignment in the current generation."""

    error: Error = Error.NONE
    protocol_type: str | None = None
    protocol: str | None = None
    assignment: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberView:
    """A member as DescribeGroups shows it; metadata only in a stable group."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    metadata: bytes
    assignment: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupView:
    """A group as DescribeGroups and ListGroups show it."""

    group_id: str
    state: str
    protocol_type: str
    protocol: str = ""
    members: tuple[MemberView, ...] = ()
    kind: str = "classic"


# --- records of __consumer_offsets ----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """A committed offset. `at`: offset of its own record in `__consumer_offsets`.

    `expire_ms` -1: kept as long as the group's retention says; set only by very old clients.
    """

    offset: int
    leader_epoch: int = -1
    metadata: str = ""
    commit_ms: int
    expire_ms: int = -1
    topic_id: TopicId | None = None
    at: int = -1


@dataclass(frozen=True, slots=True)
class OffsetRecord:
    """A group's offset for a partition; value None removes it."""

    group_id: str
    partition: TopicPartition
    value: Committed | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMember:
    """A member as it is stored with its group."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout: int
    session_timeout: int
    subscription: bytes
    assignment: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredGroup:
    """A generation of a group as it is stored. Without members the group is empty."""

    protocol_type: str
    generation: int
    protocol: str | None
    leader: str | None
    since_ms: int
    members: tuple[StoredMember, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class GroupRecord:
    """A group's generation; value None removes the group."""

    group_id: str
    value: StoredGroup | None


CoordinatorRecord: TypeAlias = OffsetRecord | GroupRecord | ConsumerRecord | ShareGroupRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLimits:
    """Settings that groups obey (ms, bytes, members)."""

    session_min: int = 6_000
    session_max: int = 1_800_000
    initial_delay: int = 3_000
    size_max: int = (1 << 31) - 1
    metadata_max: int = 4_096
    retention: int = 7 * 24 * 3600 * 1000
    """How long offsets outlive their group's last member, or their last commit."""
