"""What goes in and out of a consumer group of KIP-848: heartbeats, answers, members, records.

Times are ms. Knows no wire format. Assignments are never changed in place: a new one is made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol, TypeAlias

from spindle.model.errors import Error
from spindle.model.ids import TopicId

JOIN_EPOCH: Final = 0
FIRST_EPOCH: Final = 1
"""A new group's, as Apache Kafka's: the first subscription to topics raises it to 2."""
LEAVE_EPOCH: Final = -1
STATIC_LEAVE_EPOCH: Final = -2
"""A static member goes and will come back (KIP-848)."""
UNIFORM: Final = "uniform"
RANGE: Final = "range"
ASSIGNORS: Final = (UNIFORM, RANGE)

Partitions: TypeAlias = Mapping[TopicId, Collection[int]]
"""Partitions by topic."""
Held: TypeAlias = Mapping[TopicId, Mapping[int, int]]
"""Partitions by topic, each with the epoch in which its member got it (KIP-1251)."""
NOTHING: Final[Held] = MappingProxyType({})


class MemberState(IntEnum):
    """How far a member is on its way to its target; values as they are stored."""

    STABLE = 0
    UNREVOKED_PARTITIONS = 1
    """It has still to give partitions up."""
    UNRELEASED_PARTITIONS = 2
    """Other members have still to give partitions up for it."""
    UNKNOWN = 127
    """A newer coordinator has written a state that does not exist here."""


# --- heartbeats ---------------------------------------------------------------------------------


def all_names(names: Iterable[str]) -> frozenset[str]:
    """A client that may see every topic."""
    return frozenset(names)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerBeat:
    """A heartbeat. None (-1 for the timeout): it has not changed since the last one.

    `visible`: of names of topics, those that the client may describe.
    """

    group_id: str
    member_id: str
    epoch: int
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout: int = -1
    topics: tuple[str, ...] | None = None
    regex: str | None = None
    assignor: str | None = None
    owned: Partitions | None = None
    client: tuple[str, str]
    """Its id and its host."""
    visible: Callable[[Iterable[str]], frozenset[str]] = all_names

    @property
    def is_full(self) -> bool:
        """It says all about its member, which therefore wants to hear all."""
        told = self.topics is not None or self.regex is not None
        return self.rebalance_timeout != -1 and told and self.owned is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerBeatAnswer:
    """The answer to a heartbeat. `assignment`: None where it has not changed."""

    error: Error = Error.NONE
    message: str | None = None
    member_id: str | None = None
    epoch: int = 0
    interval: int = 0
    assignment: Partitions | None = None


class ConsumerLimits(NamedTuple):
    """Settings that a consumer group obeys (ms, members)."""

    session: int = 45_000
    heartbeat: int = 5_000
    assignment_interval: int = 1_000
    size_max: int = (1 << 31) - 1
    assignors: tuple[str, ...] = ASSIGNORS
    regex_refresh: int = 600_000
    upgrades: bool = True
    """A classic group may become a consumer group while it has members."""
    downgrades: bool = True
    """And the other way round."""
    classic_size_max: int = (1 << 31) - 1


class ShareGroupLimits(NamedTuple):
    """Settings that a share group obeys (ms, members)."""

    session: int = 45_000
    heartbeat: int = 5_000
    assignment_interval: int = 1_000
    size_max: int = 200
    initialize_retry: int = 30_000
    """After so long the making of a state is tried once more."""


class ConsumerSurroundings(Protocol):
    """What consumer groups need to know of their cluster, as it is now."""

    @property
    def version(self) -> int:
        """It grows with each change of the metadata."""

    def limits(self, group_id: str) -> ConsumerLimits:
        """The settings of a group."""

    def share_limits(self, group_id: str) -> ShareGroupLimits:
        """The settings of a share group."""

    def topic_names(self) -> Iterable[str]:
        """The names of all topics."""

    def topic_id(self, name: str) -> TopicId | None:
        """A topic's id; None where there is no such topic."""

    def topic_name(self, topic_id: TopicId) -> str | None:
        """A topic's name; None where there is no such topic."""

    def partition_count(self, topic_id: TopicId) -> int:
        """The partitions of a topic that is there."""

    def topic_hash(self, name: str) -> int:
        """A number that changes with what assignments depend on; 0: there is no such topic."""


# --- what is kept --------------------------------------------------------------------------------


class ClassicTerms(NamedTuple):
    """What a member of the classic protocol in a consumer group has said (ms)."""

    session_timeout: int
    protocols: tuple[tuple[str, bytes], ...]


class Subscription(NamedTuple):
    """What a member has said, as it is stored."""

    instance_id: str | None
    rack_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout: int
    topics: tuple[str, ...]
    regex: str | None
    assignor: str | None
    classic: ClassicTerms | None = None


class CurrentAssignment(NamedTuple):
    """Where a member stands, as it is stored."""

    epoch: int
    previous_epoch: int
    state: MemberState
    assigned: Held
    revoking: Held


NOT_SUBSCRIBED: Final = Subscription(None, None, "", "", -1, (), "", None)
NOWHERE: Final = CurrentAssignment(0, -1, MemberState.STABLE, NOTHING, NOTHING)


@dataclass(frozen=True, slots=True)
class ConsumerGroupMember:
    """A member: what it has said, and how far it is on its way to its target."""

    member_id: str
    said: Subscription = NOT_SUBSCRIBED
    stands: CurrentAssignment = NOWHERE

    @property
    def epoch(self) -> int:
        """The epoch that its next heartbeat is to name."""
        return self.stands.epoch

    @property
    def assigned(self) -> Held:
        """What it may use."""
        return self.stands.assigned

    @property
    def revoking(self) -> Held:
        """What it must give up and may still hold."""
        return self.stands.revoking

    @property
    def is_classic(self) -> bool:
        """It speaks the classic protocol."""
        return self.said.classic is not None

    def is_reconciled(self, epoch: int) -> bool:
        """It holds all that the target assignment of this epoch gives it, and nothing else."""
        return self.stands.state is MemberState.STABLE and self.stands.epoch == epoch


class ResolvedRegex(NamedTuple):
    """The topics that a pattern matched, at a version of the metadata and a time (ms)."""

    topics: frozenset[str]
    version: int
    at_ms: int


# --- records of __consumer_offsets ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EpochRecord:
    """A group's epoch, and the hash of the topics it depends on; value None removes the group."""

    group_id: str
    value: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class OldTopicsRecord:
    """The topics of a group as Apache Kafka 4.0 kept them. Here it is only read and removed."""

    group_id: str
    is_there: bool


@dataclass(frozen=True, slots=True)
class SubscriptionRecord:
    """What a member has said."""

    group_id: str
    member_id: str
    value: Subscription | None


@dataclass(frozen=True, slots=True)
class TargetEpochRecord:
    """The epoch of the target assignment, and when it was made (ms)."""

    group_id: str
    value: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class TargetRecord:
    """What a member is to have."""

    group_id: str
    member_id: str
    value: Partitions | None


@dataclass(frozen=True, slots=True)
class CurrentRecord:
    """Where a member stands."""

    group_id: str
    member_id: str
    value: CurrentAssignment | None


@dataclass(frozen=True, slots=True)
class RegexRecord:
    """The topics that a pattern matches."""

    group_id: str
    regex: str
    value: ResolvedRegex | None


ConsumerRecord: TypeAlias = (
    EpochRecord
    | OldTopicsRecord
    | SubscriptionRecord
    | TargetEpochRecord
    | TargetRecord
    | CurrentRecord
    | RegexRecord
)


# --- what is shown --------------------------------------------------------------------------------


class ConsumerMemberView(NamedTuple):
    """A member as ConsumerGroupDescribe shows it."""

    member: ConsumerGroupMember
    target: Partitions


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerGroupView:
    """A group as ConsumerGroupDescribe shows it."""

    group_id: str
    state: str
    epoch: int
    assignment_epoch: int
    assignor: str
    members: tuple[ConsumerMemberView, ...]


def partitions_of(held: Held) -> dict[TopicId, tuple[int, ...]]:
    """The partitions without their epochs, in order."""
    return {topic_id: tuple(sorted(numbers)) for topic_id, numbers in held.items()}
