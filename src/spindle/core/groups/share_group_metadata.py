"""What a share group is at a moment, as its records say. Applied records alone change it.

Knows no clock, no request and no offsets. `core.groups.share_decisions` makes the records.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum

from spindle.core.groups.consumer_values import Partitions
from spindle.core.groups.share_group_values import (
    NOTHING_INITIALIZED,
    NOWHERE,
    Initialization,
    InitializationRecord,
    ShareEpochRecord,
    ShareGroupRecord,
    ShareGroupView,
    ShareMember,
    ShareStandingRecord,
    ShareSubscriptionRecord,
    ShareTargetEpochRecord,
    ShareTargetRecord,
)


class ShareGroupState(Enum):
    """Where a share group stands; values are the names that clients see."""

    EMPTY = "Empty"
    STABLE = "Stable"


class ShareGroupMetadata:
    """One group. `is_there`: it has an epoch, so it exists. `assigned_ms`: 0 before the first."""

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id
        self.is_there = False
        self.epoch = 0
        self.topics_hash = 0
        self.assignment_epoch = 0
        self.assigned_ms = 0
        self.members: dict[str, ShareMember] = {}
        self.targets: dict[str, Partitions] = {}
        self.states: Initialization = NOTHING_INITIALIZED

    def copy(self) -> ShareGroupMetadata:
        """Another one that is the same."""
        other = ShareGroupMetadata(self.group_id)
        other.is_there, other.epoch, other.topics_hash = self.is_there, self.epoch, self.topics_hash
        other.assignment_epoch, other.assigned_ms = self.assignment_epoch, self.assigned_ms
        other.members, other.targets = dict(self.members), dict(self.targets)
        other.states = self.states
        return other

    @property
    def state(self) -> ShareGroupState:
        """Where the group stands."""
        return ShareGroupState.STABLE if self.members else ShareGroupState.EMPTY

    def subscribed_topics(self) -> set[str]:
        """The names that any member subscribes to."""
        return {name for member in self.members.values() for name in member.said.topics}

    def view(self) -> ShareGroupView:
        """As ShareGroupDescribe shows it."""
        return ShareGroupView(
            group_id=self.group_id,
            state=self.state.value,
            epoch=self.epoch,
            assignment_epoch=self.assignment_epoch,
            members=tuple(self.members.values()),
        )

    def tombstones(self) -> Iterator[ShareGroupRecord]:
        """What removes all records of the group."""
        id = self.group_id
        for member_id in self.members:
            yield ShareStandingRecord(id, member_id, None)
        for member_id in self.targets:
            yield ShareTargetRecord(id, member_id, None)
        yield ShareTargetEpochRecord(id, None)
        for member_id in self.members:
            yield ShareSubscriptionRecord(id, member_id, None)
        if not self.states.is_empty:
            yield InitializationRecord(id, None)
        yield ShareEpochRecord(id, None)

    def apply(self, record: ShareGroupRecord) -> None:
        """Take in a record that counts."""
        if isinstance(record, ShareEpochRecord):
            self.is_there = record.value is not None
            self.epoch, self.topics_hash = record.value or (0, 0)
        elif isinstance(record, ShareTargetEpochRecord):
            self.assignment_epoch, self.assigned_ms = record.value or (0, 0)
        elif isinstance(record, InitializationRecord):
            self.states = record.value or NOTHING_INITIALIZED
        elif isinstance(record, ShareTargetRecord):
            self.targets.pop(record.member_id, None)
            if record.value is not None:
                self.targets[record.member_id] = record.value
        else:
            self._apply_to_member(record)

    def _apply_to_member(self, record: ShareSubscriptionRecord | ShareStandingRecord) -> None:
        known = self.members.get(record.member_id)
        if isinstance(record, ShareSubscriptionRecord):
            if record.value is None:
                self.members.pop(record.member_id, None)
            else:
                made = known or ShareMember(record.member_id)
                self.members[record.member_id] = replace(made, said=record.value)
        elif record.value is not None:
            made = known or ShareMember(record.member_id)
            self.members[record.member_id] = replace(made, stands=record.value)
        elif known is not None:
            self.members[record.member_id] = replace(known, stands=NOWHERE)
