"""What goes in and out of a share group: heartbeats, answers, members, records (KIP-932).

Times are ms. Knows no wire format. Assignments are never changed in place: a new one is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from spindle.core.groups.consumer_values import Partitions
from spindle.model.errors import Error
from spindle.model.ids import TopicId

SIMPLE: Final = "simple"
"""The only assignor of share groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareBeat:
    """A heartbeat. None: it has not changed since the last one."""

    group_id: str
    member_id: str
    epoch: int
    rack_id: str | None = None
    topics: tuple[str, ...] | None = None
    client: tuple[str, str]
    """Its id and its host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareBeatAnswer:
    """The answer to a heartbeat. `assignment`: None where it has not changed."""

    error: Error = Error.NONE
    message: str | None = None
    member_id: str | None = None
    epoch: int = 0
    interval: int = 0
    assignment: Partitions | None = None


ShareBeatThen: TypeAlias = Callable[[ShareBeatAnswer], None]


# --- what is kept --------------------------------------------------------------------------------


class OfShareGroup:
    """A record of a share group."""

    __slots__ = ()


class ShareSubscription(NamedTuple):
    """What a member has said, as it is stored."""

    rack_id: str | None
    client_id: str
    client_host: str
    topics: tuple[str, ...]


class ShareStanding(NamedTuple):
    """Where a member stands, as it is stored."""

    epoch: int
    previous_epoch: int
    assigned: Partitions


UNSAID: Final = ShareSubscription(None, "", "", ())
NOWHERE: Final = ShareStanding(0, -1, {})


@dataclass(frozen=True, slots=True)
class ShareMember:
    """A member: what it has said, and what it may use."""

    member_id: str
    said: ShareSubscription = UNSAID
    stands: ShareStanding = NOWHERE

    @property
    def epoch(self) -> int:
        """The epoch that its next heartbeat is to name."""
        return self.stands.epoch


class NamedPartitions(NamedTuple):
    """Partitions of a topic, with the name that it has."""

    topic: str
    partitions: frozenset[int]


Named: TypeAlias = Mapping[TopicId, NamedPartitions]


@dataclass(frozen=True, slots=True)
class Initialization:
    """Of which partitions the share coordinator keeps a state, or is asked to make or delete one.

    `deleting`: names of topics by id.
    """

    initializing: Named
    initialized: Named
    deleting: Mapping[TopicId, str]

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing."""
        return not (self.initializing or self.initialized or self.deleting)


NOTHING_INITIALIZED: Final = Initialization({}, {}, {})


def with_partitions(named: Named, others: Named) -> dict[TopicId, NamedPartitions]:
    """Both together."""
    found = dict(named)
    for topic_id, more in others.items():
        known = found.get(topic_id)
        numbers = more.partitions if known is None else known.partitions | more.partitions
        found[topic_id] = NamedPartitions(more.topic, numbers)
    return found


def without_partitions(named: Named, others: Named) -> dict[TopicId, NamedPartitions]:
    """The first without the second."""
    found: dict[TopicId, NamedPartitions] = {}
    for topic_id, known in named.items():
        gone = others.get(topic_id)
        numbers = known.partitions if gone is None else known.partitions - gone.partitions
        if numbers:
            found[topic_id] = NamedPartitions(known.topic, numbers)
    return found


# --- records of __consumer_offsets ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShareEpochRecord(OfShareGroup):
    """A group's epoch, and the hash of the topics it depends on; value None removes the group."""

    group_id: str
    value: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class ShareSubscriptionRecord(OfShareGroup):
    """What a member has said."""

    group_id: str
    member_id: str
    value: ShareSubscription | None


@dataclass(frozen=True, slots=True)
class ShareTargetEpochRecord(OfShareGroup):
    """The epoch of the target assignment, and when it was made (ms)."""

    group_id: str
    value: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class ShareTargetRecord(OfShareGroup):
    """What a member is to have."""

    group_id: str
    member_id: str
    value: Partitions | None


@dataclass(frozen=True, slots=True)
class ShareStandingRecord(OfShareGroup):
    """Where a member stands."""

    group_id: str
    member_id: str
    value: ShareStanding | None


@dataclass(frozen=True, slots=True)
class InitializationRecord(OfShareGroup):
    """How far the states of a group's partitions are made."""

    group_id: str
    value: Initialization | None


ShareGroupRecord: TypeAlias = (
    ShareEpochRecord
    | ShareSubscriptionRecord
    | ShareTargetEpochRecord
    | ShareTargetRecord
    | ShareStandingRecord
    | InitializationRecord
)


# --- the share coordinator, as groups see it ------------------------------------------------------


class InitializeOrder(NamedTuple):
    """Make states that begin at these offsets (-1: the leader finds it)."""

    group_id: str
    state_epoch: int
    offsets: Mapping[TopicId, Mapping[int, int]]


PartitionErrors: TypeAlias = Mapping[tuple[TopicId, int], tuple[Error, str | None]]
"""What has become of each partition, with why."""


# --- what is shown --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareGroupView:
    """A group as ShareGroupDescribe shows it."""

    group_id: str
    state: str
    epoch: int
    assignment_epoch: int
    members: tuple[ShareMember, ...]
