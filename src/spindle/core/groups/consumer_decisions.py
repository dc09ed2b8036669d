"""What a consumer group of KIP-848 decides: each heartbeat, leave and expiry becomes records.

Pure functions of the group as it stands and of what it hears. `Draft` gathers the records, and
shows the group as it will be once they are in the log; nothing changes before. Carried out by
`core.groups.consumer_group`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from spindle.core.groups import consumer_identities as identities
from spindle.core.groups.assignors import Assignable, assign
from spindle.core.groups.consumer_group_metadata import (
    ConsumerGroupMetadata,
    current_record,
    subscription_record,
)
from spindle.core.groups.consumer_values import (
    FIRST_EPOCH,
    JOIN_EPOCH,
    NOTHING,
    STATIC_LEAVE_EPOCH,
    ClassicTerms,
    ConsumerBeat,
    ConsumerBeatAnswer,
    ConsumerGroupMember,
    ConsumerLimits,
    ConsumerRecord,
    ConsumerSurroundings,
    CurrentRecord,
    EpochRecord,
    OldTopicsRecord,
    Partitions,
    RegexRecord,
    ResolvedRegex,
    SubscriptionRecord,
    TargetEpochRecord,
    TargetRecord,
    partitions_of,
)
from spindle.core.groups.member_reconciliation import Target, reconciled
from spindle.core.groups.topic_hashes import group_hash
from spindle.core.groups.topic_patterns import matching, pattern_of
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicId

REGEX_PAUSE: int = 10_000
"""Ms between two looks for topics that a group's patterns match, while topics keep coming."""


class Draft:
    """Records that are about to be written, and the group as it is with them."""

    def __init__(
        self, group: ConsumerGroupMetadata, around: ConsumerSurroundings, now_ms: int
    ) -> None:
        self.records: list[ConsumerRecord] = []
        self.group = group
        self.around = around
        self.limits: ConsumerLimits = around.limits(group.group_id)
        self.now_ms = now_ms
        self._id = group.group_id

    def put(self, record: ConsumerRecord) -> None:
        """A record more."""
        if not self.records:
            self.group = self.group.copy()
        self.records.append(record)
        self.group.apply(record)

    # --- heartbeats -----------------------------------------------------------------------------

    def beat(
        self, beat: ConsumerBeat, topics_changed: bool, classic: ClassicTerms | None = None
    ) -> ConsumerBeatAnswer:
        """A member joins or goes on; its answer. Refusal where it may not.

        `topics_changed`: topics may have changed since the group's epoch. `classic`: it is a join
        by the classic protocol.
        """
        joins = beat.epoch == JOIN_EPOCH
        check_room(self.group, beat.member_id, self.limits)
        if joins:
            before = self._enter(identities.newcomer(self.group, beat, classic is not None), beat)
        else:
            before = identities.speaker(self.group, beat)
        member = _updated(before, beat, classic)
        names_changed = self._subscribe(before, member)
        regex_changed, found = self._resolve(before, member, beat)
        bumps = names_changed or found
        # A member in epoch 0 would seem to join with each heartbeat, also one without a topic.
        if bumps or topics_changed or not self.group.epoch:
            self.refresh_epoch(bump=bumps)
        self._assign()
        after = self._reconcile(member.member_id, beat.owned, names_changed or regex_changed)
        tells = (
            joins or beat.is_full or partitions_of(after.assigned) != partitions_of(before.assigned)
        )
        return ConsumerBeatAnswer(
            member_id=after.member_id,
            epoch=after.epoch,
            interval=self.limits.heartbeat,
            assignment=partitions_of(after.assigned) if tells else None,
        )

    def _enter(self, known: ConsumerGroupMember, beat: ConsumerBeat) -> ConsumerGroupMember:
        """A newcomer takes over the static place that it comes for."""
        if known.member_id == beat.member_id and known.epoch != STATIC_LEAVE_EPOCH:
            return known
        target = self.group.targets.get(known.member_id, {})
        stands = known.stands._replace(epoch=0, previous_epoch=0)
        member = replace(known, member_id=beat.member_id, stands=stands)
        self._remove(known.member_id)
        self.put(subscription_record(self._id, member))
        self.put(TargetRecord(self._id, member.member_id, target))
        self.put(current_record(self._id, member))
        return member

    def _subscribe(self, before: ConsumerGroupMember, member: ConsumerGroupMember) -> bool:
        """Keep what the member says; whether it names other topics."""
        if member != before or before.member_id not in self.group.members:
            self.put(subscription_record(self._id, member))
        return set(member.said.topics) != set(before.said.topics)

    # --- patterns -------------------------------------------------------------------------------

    def _resolve(
        self, before: ConsumerGroupMember, member: ConsumerGroupMember, beat: ConsumerBeat
    ) -> tuple[bool, bool]:
        """Find what patterns match. Whether the member's is another one; whether what is
        subscribed to may be something else now."""
        regex = member.said.regex
        changed = (before.said.regex or "") != (regex or "")
        patterns = self.group.patterns()
        if changed and regex:
            pattern_of(regex)
        self._forget_patterns()
        if not patterns or not self._are_due(patterns):
            return changed, changed
        found = changed
        names = tuple(self.around.topic_names())
        for regex in patterns:
            known = self.group.regexes.get(regex)
            topics = beat.visible(matching(regex, names))
            found = found or topics != (known.topics if known else frozenset())
            value = ResolvedRegex(topics, self.around.version, self.now_ms)
            self.put(RegexRecord(self._id, regex, value))
        return changed, found

    def _forget_patterns(self) -> None:
        """Patterns that no member has any more."""
        patterns = self.group.patterns()
        for regex in tuple(self.group.regexes):
            if regex not in patterns:
                self.put(RegexRecord(self._id, regex, None))

    def _are_due(self, patterns: Iterable[str]) -> bool:
        known = self.group.regexes
        if any(regex not in known for regex in patterns):
            return True
        age = self.now_ms - max(value.at_ms for value in known.values())
        if 0 <= age <= REGEX_PAUSE:
            return False
        is_old = max(value.version for value in known.values()) < self.around.version
        return is_old or age < 0 or age > self.limits.regex_refresh

    # --- epochs and targets ---------------------------------------------------------------------

    def refresh_epoch(self, bump: bool) -> None:
        """A new epoch, if it must be or the topics have changed: a target has to be made."""
        names = self.group.subscribed_topics()
        hash = group_hash({name: self.around.topic_hash(name) for name in names})
        epoch = max(self.group.epoch, FIRST_EPOCH)
        if bump or hash != self.group.topics_hash:
            epoch += 1
        if epoch != self.group.epoch:
            self.put(EpochRecord(self._id, (epoch, hash)))
        if self.group.has_old_topics:
            self.put(OldTopicsRecord(self._id, is_there=False))

    def _assign(self) -> None:
        """Make the target of the group's epoch, unless the last one was made just now."""
        group = self.group
        if group.epoch <= group.assignment_epoch:
            return
        # A coordinator whose clock was ahead may have made it: that keeps no group waiting.
        age = self.now_ms - group.assigned_ms
        if group.assigned_ms and 0 <= age < self.limits.assignment_interval:
            return
        ids: dict[str, TopicId | None] = {}
        members: dict[str, Assignable] = {}
        for member_id, member in group.members.items():
            topics = self._topic_ids(group.topics_of(member), ids)
            has = group.targets.get(member_id, {})
            members[member_id] = Assignable(member.said.instance_id, topics, has)
        counts = {id: self.around.partition_count(id) for id in ids.values() if id is not None}
        made = assign(self._assignor(), members, counts)
        for member_id in members:
            target = {t: tuple(sorted(numbers)) for t, numbers in made[member_id].items()}
            if not _same(target, group.targets.get(member_id)):
                self.put(TargetRecord(self._id, member_id, target))
        self.put(TargetEpochRecord(self._id, (group.epoch, self.now_ms)))

    def _assignor(self) -> str:
        preferred = self.group.preferred_assignor()
        known = self.limits.assignors
        return preferred if preferred in known else known[0]

    def _topic_ids(
        self, names: Iterable[str], ids: dict[str, TopicId | None]
    ) -> frozenset[TopicId]:
        for name in names:
            if name not in ids:
                ids[name] = self.around.topic_id(name)
        return frozenset(id for name in names if (id := ids[name]) is not None)

    def _reconcile(
        self, member_id: str, owned: Partitions | None, changed: bool
    ) -> ConsumerGroupMember:
        member = self.group.members[member_id]
        if not changed and member.is_reconciled(self.group.assignment_epoch):
            return member
        held = self.group.held_by_others(member_id)
        target = Target(
            self.group.assignment_epoch,
            self.group.targets.get(member_id, {}),
            self._topic_ids(self.group.topics_of(member), {}),
            lambda topic_id, number: (topic_id, number) in held,
            owned,
        )
        after = reconciled(member, target, changed)
        if after != member:
            self.put(current_record(self._id, after))
        return after

    # --- leaving --------------------------------------------------------------------------------

    def leave_place(self, member: ConsumerGroupMember) -> None:
        """A static member goes for a while; its place and its partitions are kept for it."""
        assigned = {t: dict.fromkeys(numbers, 0) for t, numbers in member.assigned.items()}
        stands = member.stands._replace(
            epoch=STATIC_LEAVE_EPOCH, assigned=assigned, revoking=NOTHING
        )
        gone = replace(member, stands=stands)
        self.put(current_record(self._id, gone))

    def remove(self, members: Iterable[ConsumerGroupMember]) -> None:
        """Members are out: the others get a new epoch."""
        gone = tuple(members)
        if not gone:
            return
        for member in gone:
            self._remove(member.member_id)
        self._forget_patterns()
        self.refresh_epoch(bump=True)

    def _remove(self, member_id: str) -> None:
        self.put(CurrentRecord(self._id, member_id, None))
        self.put(TargetRecord(self._id, member_id, None))
        self.put(SubscriptionRecord(self._id, member_id, None))


def check_room(group: ConsumerGroupMetadata, member_id: str, limits: ConsumerLimits) -> None:
    """Whether a member may be in the group; Refusal GROUP_MAX_SIZE_REACHED."""
    if len(group.members) >= limits.size_max and member_id not in group.members:
        raise Refusal(
            Error.GROUP_MAX_SIZE_REACHED,
            f"The consumer group has reached its maximum capacity of {limits.size_max} members.",
        )


def _updated(
    member: ConsumerGroupMember, beat: ConsumerBeat, classic: ClassicTerms | None
) -> ConsumerGroupMember:
    """The member with what its heartbeat changes."""
    said = member.said
    client_id, client_host = beat.client
    timeout = beat.rebalance_timeout
    now = said._replace(
        instance_id=beat.instance_id if beat.instance_id is not None else said.instance_id,
        rack_id=beat.rack_id if beat.rack_id is not None else said.rack_id,
        rebalance_timeout=timeout if timeout != -1 else said.rebalance_timeout,
        topics=said.topics if beat.topics is None else tuple(sorted({*beat.topics})),
        regex=beat.regex if beat.regex is not None else said.regex,
        assignor=beat.assignor if beat.assignor is not None else said.assignor,
        classic=classic,
        client_id=client_id,
        client_host=client_host,
    )
    return replace(member, said=now)


def _same(made: Partitions, known: Partitions | None) -> bool:
    return known is not None and {t: set(n) for t, n in made.items()} == {
        t: set(n) for t, n in known.items()
    }
