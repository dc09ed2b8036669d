"""What a share group decides: each heartbeat, leave and expiry becomes records (KIP-932).

`ShareDraft` gathers the records, and shows the group as it will be once they are in the log;
nothing changes before. Carried out by `core.groups.share_group`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from typing import Final

from spindle.core.groups.assignors import Assignable
from spindle.core.groups.consumer_values import (
    FIRST_EPOCH,
    JOIN_EPOCH,
    ConsumerSurroundings,
    Partitions,
)
from spindle.core.groups.share_assignor import assign_shared
from spindle.core.groups.share_group_metadata import ShareGroupMetadata
from spindle.core.groups.share_group_values import (
    Initialization,
    InitializationRecord,
    Named,
    NamedPartitions,
    ShareBeat,
    ShareBeatAnswer,
    ShareEpochRecord,
    ShareGroupRecord,
    ShareMember,
    ShareStanding,
    ShareStandingRecord,
    ShareSubscriptionRecord,
    ShareTargetEpochRecord,
    ShareTargetRecord,
    with_partitions,
    without_partitions,
)
from spindle.core.groups.topic_hashes import group_hash
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicId

_MEMBER_ID_SIZE_MAX: Final = 36


class ShareDraft:
    """Records that are about to be written, and the group as it is with them."""

    def __init__(
        self, group: ShareGroupMetadata, around: ConsumerSurroundings, now_ms: int
    ) -> None:
        self.records: list[ShareGroupRecord] = []
        self.group = group
        self.around = around
        self.limits = around.share_limits(group.group_id)
        self.now_ms = now_ms
        self._id = group.group_id

    def put(self, record: ShareGroupRecord) -> None:
        """A record more."""
        if not self.records:
            self.group = self.group.copy()
        self.records.append(record)
        self.group.apply(record)

    # --- heartbeats -----------------------------------------------------------------------------

    def beat(self, beat: ShareBeat, topics_changed: bool) -> ShareBeatAnswer:
        """A member joins or goes on; its answer. Refusal where it may not."""
        self._check_room(beat)
        before = self._speaker(beat)
        member = _updated(before, beat)
        renamed = set(member.said.topics) != set(before.said.topics)
        if member.said != before.said or before.member_id not in self.group.members:
            self.put(ShareSubscriptionRecord(self._id, member.member_id, member.said))
        if topics_changed:
            self._forget_gone()
        epoch = self.group.epoch
        due = epoch <= self.group.assignment_epoch and self._is_pending()
        if renamed or due or topics_changed:
            self.refresh_epoch(bump=renamed or due)
        self._assign()
        after = self._reconcile(member.member_id, self.group.epoch > epoch)
        tells = beat.epoch == JOIN_EPOCH or beat.topics is not None
        if tells or _numbers(after.stands.assigned) != _numbers(before.stands.assigned):
            assignment: Partitions | None = after.stands.assigned
        else:
            assignment = None
        return ShareBeatAnswer(
            member_id=after.member_id,
            epoch=after.epoch,
            interval=self.limits.heartbeat,
            assignment=assignment,
        )

    def _check_room(self, beat: ShareBeat) -> None:
        is_full = len(self.group.members) >= self.limits.size_max
        if is_full and beat.member_id not in self.group.members:
            raise Refusal(
                Error.GROUP_MAX_SIZE_REACHED,
                "The share group has reached its maximum capacity of "
                f"{self.limits.size_max} members.",
            )

    def _speaker(self, beat: ShareBeat) -> ShareMember:
        known = self.group.members.get(beat.member_id)
        if beat.epoch == JOIN_EPOCH:
            return known or ShareMember(beat.member_id)
        member = known_member(self.group, beat.member_id)
        theirs, ours = beat.epoch, member.epoch
        if theirs > ours or theirs < member.stands.previous_epoch:
            kind = "greater" if theirs > ours else "smaller"
            raise Refusal(
                Error.FENCED_MEMBER_EPOCH,
                f"The share group member has a {kind} member epoch ({theirs}) than the one known "
                f"by the group coordinator ({ours}). The member must abandon all its partitions "
                "and rejoin.",
            )
        return member

    # --- epochs and targets ---------------------------------------------------------------------

    def refresh_epoch(self, bump: bool) -> None:
        """A new epoch, if it must be or the topics have changed: a target has to be made."""
        names = self.group.subscribed_topics()
        hash = group_hash({name: self.around.topic_hash(name) for name in names})
        if bump or hash != self.group.topics_hash:
            epoch = max(self.group.epoch, FIRST_EPOCH) + 1
            self.put(ShareEpochRecord(self._id, (epoch, hash)))

    def _is_pending(self) -> bool:
        """Whether partitions whose state has been made are with no member."""
        given = {
            (topic_id, number)
            for target in self.group.targets.values()
            for topic_id, numbers in target.items()
            for number in numbers
        }
        return any(
            (topic_id, number) not in given
            for topic_id, numbers in self._assignable().items()
            for number in numbers
        )

    def _assignable(self) -> dict[TopicId, frozenset[int]]:
        """Partitions that can be given: of topics subscribed to, with a state."""
        found: dict[TopicId, frozenset[int]] = {}
        for name in sorted(self.group.subscribed_topics()):
            topic_id = self.around.topic_id(name)
            named = None if topic_id is None else self.group.states.initialized.get(topic_id)
            if topic_id is not None and named is not None:
                count = self.around.partition_count(topic_id)
                found[topic_id] = frozenset(n for n in named.partitions if n < count)
        return found

    def _assign(self) -> None:
        """Make the target of the group's epoch, unless the last one was made just now."""
        group = self.group
        if group.epoch <= group.assignment_epoch:
            return
        # A coordinator whose clock was ahead may have made it: that keeps no group waiting.
        age = self.now_ms - group.assigned_ms
        if group.assigned_ms and 0 <= age < self.limits.assignment_interval:
            return
        members = {
            member_id: Assignable(None, self._topic_ids(member), group.targets.get(member_id, {}))
            for member_id, member in group.members.items()
        }
        made = assign_shared(members, self._assignable())
        for member_id in members:
            target = {t: tuple(sorted(numbers)) for t, numbers in made[member_id].items()}
            known = group.targets.get(member_id)
            if known is None or _numbers(target) != _numbers(known):
                self.put(ShareTargetRecord(self._id, member_id, target))
        self.put(ShareTargetEpochRecord(self._id, (group.epoch, self.now_ms)))

    def _topic_ids(self, member: ShareMember) -> frozenset[TopicId]:
        ids = (self.around.topic_id(name) for name in member.said.topics)
        return frozenset(id for id in ids if id is not None)

    def _reconcile(self, member_id: str, changed: bool) -> ShareMember:
        """What a member has now. `changed`: it gives up topics that are gone before the next
        target is made, as Apache Kafka has it."""
        member = self.group.members[member_id]
        epoch = self.group.assignment_epoch
        if not changed and member.epoch == epoch:
            return member
        topics = self._topic_ids(member)
        target = self.group.targets.get(member_id, {})
        assigned = {t: tuple(sorted(numbers)) for t, numbers in target.items() if t in topics}
        stands = member.stands._replace(assigned=assigned)
        if member.epoch != epoch:
            stands = ShareStanding(epoch, member.epoch, assigned)
        if stands != member.stands:
            self.put(ShareStandingRecord(self._id, member_id, stands))
        return self.group.members[member_id]

    # --- states of partitions -------------------------------------------------------------------

    def initialize(self, tried: Iterable[tuple[TopicId, int]]) -> Named:
        """The partitions whose state is to be made now. `tried`: this is under way already."""
        states = self.group.states
        under_way = frozenset(tried)
        wanted: dict[TopicId, NamedPartitions] = {}
        for name in sorted(self.group.subscribed_topics()):
            topic_id = self.around.topic_id(name)
            if topic_id is None or topic_id in states.deleting:
                continue
            done = states.initialized.get(topic_id)
            numbers = frozenset(range(self.around.partition_count(topic_id)))
            numbers -= done.partitions if done is not None else frozenset()
            numbers = frozenset(n for n in numbers if (topic_id, n) not in under_way)
            if numbers:
                wanted[topic_id] = NamedPartitions(name, numbers)
        if wanted:
            self.set_states(initializing=with_partitions(states.initializing, wanted))
        return wanted

    def set_states(
        self,
        initializing: Named | None = None,
        initialized: Named | None = None,
        deleting: dict[TopicId, str] | None = None,
    ) -> None:
        """Write how far the states of partitions are made; None: that is as it was."""
        states = self.group.states
        made = Initialization(
            states.initializing if initializing is None else initializing,
            states.initialized if initialized is None else initialized,
            states.deleting if deleting is None else deleting,
        )
        if made != states:
            self.put(InitializationRecord(self._id, None if made.is_empty else made))

    def settle(self, done: Named) -> None:
        """States were made. What could not be made may be there from a time before: it stays
        marked, so that it goes with the group."""
        states = self.group.states
        left = without_partitions(states.initializing, done)
        # Of what was deleted meanwhile nothing is kept.
        done = {t: named for t, named in done.items() if t in states.initializing}
        self.set_states(initializing=left, initialized=with_partitions(states.initialized, done))

    def end_deletions(self, over: Container[TopicId]) -> None:
        """States of topics were deleted."""
        deleting = self.group.states.deleting
        self.set_states(deleting={t: name for t, name in deleting.items() if t not in over})

    def forget_topics(self, topics: Iterable[TopicId]) -> None:
        """Topics are gone, and so is what was kept of them."""
        gone = frozenset(topics)
        states = self.group.states
        self.set_states(
            {t: named for t, named in states.initializing.items() if t not in gone},
            {t: named for t, named in states.initialized.items() if t not in gone},
            {t: name for t, name in states.deleting.items() if t not in gone},
        )

    def _forget_gone(self) -> None:
        """Topics may have gone while none could write so."""
        states = self.group.states
        known = (*states.initializing, *states.initialized, *states.deleting)
        self.forget_topics(t for t in known if self.around.topic_name(t) is None)

    # --- leaving --------------------------------------------------------------------------------

    def remove(self, members: Iterable[ShareMember]) -> None:
        """Members are out: the others get a new epoch."""
        gone = tuple(members)
        for member in gone:
            self.put(ShareStandingRecord(self._id, member.member_id, None))
            self.put(ShareTargetRecord(self._id, member.member_id, None))
            self.put(ShareSubscriptionRecord(self._id, member.member_id, None))
        if gone:
            self.refresh_epoch(bump=True)


def known_member(group: ShareGroupMetadata, member_id: str) -> ShareMember:
    """A member by its id; Refusal UNKNOWN_MEMBER_ID."""
    known = group.members.get(member_id)
    if known is None:
        raise Refusal(
            Error.UNKNOWN_MEMBER_ID,
            f"Member {member_id} is not a member of group {group.group_id}.",
        )
    return known


def check_share_beat(beat: ShareBeat) -> None:
    """What is wrong with a heartbeat by itself; Refusal INVALID_REQUEST."""
    if not beat.member_id.strip():
        raise _wrong("MemberId can't be empty.")
    if len(beat.member_id) > _MEMBER_ID_SIZE_MAX:
        raise _wrong(f"MemberId has more than {_MEMBER_ID_SIZE_MAX} characters: send a UUID.")
    if not beat.group_id.strip():
        raise _wrong("GroupId can't be empty.")
    if beat.rack_id is not None and not beat.rack_id.strip():
        raise _wrong("RackId can't be empty.")
    if beat.epoch == JOIN_EPOCH and not beat.topics:
        raise _wrong("SubscribedTopicNames must be set in first request.")
    if beat.epoch < -1:
        raise _wrong("MemberEpoch is invalid.")


def _wrong(message: str) -> Refusal:
    return Refusal(Error.INVALID_REQUEST, message)


def _updated(member: ShareMember, beat: ShareBeat) -> ShareMember:
    said = member.said
    client_id, client_host = beat.client
    now = said._replace(
        rack_id=beat.rack_id if beat.rack_id is not None else said.rack_id,
        topics=said.topics if beat.topics is None else tuple(sorted({*beat.topics})),
        client_id=client_id,
        client_host=client_host,
    )
    return replace(member, said=now)


def _numbers(partitions: Partitions) -> dict[TopicId, frozenset[int]]:
    return {t: frozenset(numbers) for t, numbers in partitions.items() if numbers}
