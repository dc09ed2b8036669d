"""How far a search over a group of KIP-848 goes, what it holds to, and the topic of its group.

Belongs to `membership`.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from spindle.core.groups.consumer_values import ConsumerLimits, ShareGroupLimits
from spindle.core.groups.topic_hashes import topic_hash
from spindle.model.ids import TopicId

TOPIC: Final = "t"
TOPIC_ID: Final = uuid.UUID(int=500)

PROMISES: Final = (
    "no two members hold a partition at a time",
    "the epoch of a member never goes back while it is one",
    "no member is refused or fenced, whatever answers it misses and whichever broker coordinates",
    "another coordinator finds the group in the log as it is",
    "left alone, each partition is held by one member, and all members reach the group's epoch",
)
"""What is checked: the last one wherever all has settled, the others after each choice."""


@dataclass(frozen=True, slots=True)
class MembershipBounds:
    """How much of what may happen."""

    members: int = 2
    partitions: int = 2
    """Of the topic, in the beginning."""
    leaves: int = 0
    """How many members leave."""
    losses: int = 0
    """Answers that members miss."""
    coordinators: int = 0
    """How often another broker coordinates, which may or may not have what was under way."""
    growths: int = 0
    """How often the topic gets a partition more."""


class OneTopic:
    """A cluster with one topic."""

    def __init__(self, partitions: int) -> None:
        self.partitions = partitions
        self._limits = ConsumerLimits(assignment_interval=0)

    @property
    def version(self) -> int:
        """It grows with the topic."""
        return self.partitions

    def limits(self, group_id: str) -> ConsumerLimits:
        """Assignments are made at once."""
        return self._limits

    def share_limits(self, group_id: str) -> ShareGroupLimits:
        """There are no share groups."""
        return ShareGroupLimits()

    def topic_names(self) -> Iterable[str]:
        """The one."""
        return (TOPIC,)

    def topic_id(self, name: str) -> TopicId | None:
        """Its id."""
        return TOPIC_ID if name == TOPIC else None

    def topic_name(self, topic_id: TopicId) -> str | None:
        """Its name."""
        return TOPIC if topic_id == TOPIC_ID else None

    def partition_count(self, topic_id: TopicId) -> int:
        """Its partitions."""
        return self.partitions

    def topic_hash(self, name: str) -> int:
        """A number that changes as it grows."""
        return topic_hash(TOPIC, TOPIC_ID, [()] * self.partitions) if name == TOPIC else 0
