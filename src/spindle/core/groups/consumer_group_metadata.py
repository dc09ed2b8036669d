"""What a consumer group of KIP-848 is at a moment, as its records say. Applied records alone
change it, in whatever order they come: while the log is replayed as while the group lives.

Knows no clock, no request and no offsets. `core.groups.consumer_decisions` asks it and makes the
records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum

from spindle.core.groups.consumer_values import (
    NOWHERE,
    ConsumerGroupMember,
    ConsumerGroupView,
    ConsumerMemberView,
    ConsumerRecord,
    CurrentAssignment,
    CurrentRecord,
    EpochRecord,
    OldTopicsRecord,
    Partitions,
    RegexRecord,
    ResolvedRegex,
    Subscription,
    SubscriptionRecord,
    TargetEpochRecord,
    TargetRecord,
)
from spindle.model.ids import TopicId


class ConsumerGroupState(Enum):
    """Where a group stands; values are the names that clients see."""

    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"
    DEAD = "Dead"


class ConsumerGroupMetadata:
    """One group. `is_there`: it has an epoch, so it exists. `assigned_ms`: 0 before the first."""

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id
        self.is_there = False
        self.epoch = 0
        self.topics_hash = 0
        self.has_old_topics = False
        self.assignment_epoch = 0
        self.assigned_ms = 0
        self.members: dict[str, ConsumerGroupMember] = {}
        self.targets: dict[str, Partitions] = {}
        self.regexes: dict[str, ResolvedRegex] = {}

    def copy(self) -> ConsumerGroupMetadata:
        """Another one that is the same."""
        other = ConsumerGroupMetadata(self.group_id)
        other.is_there, other.epoch, other.topics_hash = self.is_there, self.epoch, self.topics_hash
        other.has_old_topics = self.has_old_topics
        other.assignment_epoch, other.assigned_ms = self.assignment_epoch, self.assigned_ms
        other.members, other.targets = dict(self.members), dict(self.targets)
        other.regexes = dict(self.regexes)
        return other

    # --- asking ---------------------------------------------------------------------------------

    @property
    def state(self) -> ConsumerGroupState:
        """Where the group stands."""
        if not self.members:
            return ConsumerGroupState.EMPTY
        if self.epoch > self.assignment_epoch:
            return ConsumerGroupState.ASSIGNING
        if all(m.is_reconciled(self.assignment_epoch) for m in self.members.values()):
            return ConsumerGroupState.STABLE
        return ConsumerGroupState.RECONCILING

    def static(self, instance_id: str) -> ConsumerGroupMember | None:
        """A member by its instance id."""
        return next((m for m in self.members.values() if m.said.instance_id == instance_id), None)

    def held_by_others(self, member_id: str) -> set[tuple[TopicId, int]]:
        """What all members but one have, or have still to give up."""
        held: set[tuple[TopicId, int]] = set()
        for other in self.members.values():
            if other.member_id != member_id:
                for part in (other.assigned, other.revoking):
                    held.update((t, n) for t, numbers in part.items() for n in numbers)
        return held

    def waits(self, member: ConsumerGroupMember) -> bool:
        """Whether something that a member is to have is still another's."""
        held = self.held_by_others(member.member_id)
        target = self.targets.get(member.member_id, {})
        return any((t, n) in held for t, numbers in target.items() for n in numbers)

    def topics_of(self, member: ConsumerGroupMember) -> frozenset[str]:
        """The names that a member subscribes to, by name and by pattern."""
        said = member.said
        found = self.regexes.get(said.regex) if said.regex else None
        names = frozenset(said.topics)
        return names if found is None else names | found.topics

    def subscribed_topics(self) -> set[str]:
        """The names that any member subscribes to."""
        return {name for member in self.members.values() for name in self.topics_of(member)}

    def patterns(self) -> Counter[str]:
        """The patterns of members, and how many have each."""
        return Counter(m.said.regex for m in self.members.values() if m.said.regex)

    def preferred_assignor(self) -> str | None:
        """The assignor that most members ask for."""
        votes = Counter(m.said.assignor for m in self.members.values() if m.said.assignor)
        return max(votes, key=lambda name: votes[name]) if votes else None

    def view(self, default_assignor: str) -> ConsumerGroupView:
        """As ConsumerGroupDescribe shows it."""
        return ConsumerGroupView(
            group_id=self.group_id,
            state=self.state.value,
            epoch=self.epoch,
            assignment_epoch=self.assignment_epoch,
            assignor=self.preferred_assignor() or default_assignor,
            members=tuple(
                ConsumerMemberView(member, self.targets.get(member.member_id, {}))
                for member in self.members.values()
            ),
        )

    def tombstones(self) -> Iterator[ConsumerRecord]:
        """What removes the group and all that is known of it."""
        id = self.group_id
        yield from (CurrentRecord(id, member_id, None) for member_id in self.members)
        yield from (TargetRecord(id, member_id, None) for member_id in self.members)
        yield TargetEpochRecord(id, None)
        yield from (SubscriptionRecord(id, member_id, None) for member_id in self.members)
        yield from (RegexRecord(id, regex, None) for regex in self.regexes)
        if self.has_old_topics:
            yield OldTopicsRecord(id, is_there=False)
        yield EpochRecord(id, None)

    # --- changing -------------------------------------------------------------------------------

    def apply(self, record: ConsumerRecord) -> None:
        """A record of the group. A tombstone removes what it names."""
        if isinstance(record, CurrentRecord):
            self._stand(record.member_id, record.value)
        elif isinstance(record, SubscriptionRecord):
            self._say(record.member_id, record.value)
        elif isinstance(record, TargetRecord):
            if record.value is None:
                self.targets.pop(record.member_id, None)
            else:
                self.targets[record.member_id] = record.value
        elif isinstance(record, TargetEpochRecord):
            self.assignment_epoch, self.assigned_ms = record.value or (0, 0)
        elif isinstance(record, RegexRecord):
            if record.value is None:
                self.regexes.pop(record.regex, None)
            else:
                self.regexes[record.regex] = record.value
        elif isinstance(record, OldTopicsRecord):
            self.has_old_topics = record.is_there
        else:
            self.is_there = record.value is not None
            self.epoch, self.topics_hash = record.value or (0, 0)

    def _say(self, member_id: str, told: Subscription | None) -> None:
        if told is None:
            self.members.pop(member_id, None)
            return
        known = self.members.get(member_id) or ConsumerGroupMember(member_id)
        self.members[member_id] = replace(known, said=told)

    def _stand(self, member_id: str, current: CurrentAssignment | None) -> None:
        known = self.members.get(member_id)
        if known is None and current is None:
            return  # It is gone altogether.
        known = known or ConsumerGroupMember(member_id)
        self.members[member_id] = replace(known, stands=current or NOWHERE)


def subscription_record(group_id: str, member: ConsumerGroupMember) -> SubscriptionRecord:
    """What a member has said, as a record."""
    return SubscriptionRecord(group_id, member.member_id, member.said)


def current_record(group_id: str, member: ConsumerGroupMember) -> CurrentRecord:
    """Where a member stands, as a record."""
    return CurrentRecord(group_id, member.member_id, member.stands)
