"""Between classic groups and consumer groups of KIP-848 that have members (KIP-848, "Upgrade").

What a group of the one kind is as a group of the other kind: pure functions of what it is now. A
classic group's members become members of the classic protocol in a consumer group, in the epoch
that was their generation. Carried out by `core.groups.consumer_groups`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from spindle.core.groups import consumer_protocol as protocol
from spindle.core.groups.consumer_group_metadata import (
    ConsumerGroupMetadata,
    current_record,
    subscription_record,
)
from spindle.core.groups.consumer_values import (
    ClassicTerms,
    ConsumerGroupMember,
    ConsumerLimits,
    ConsumerRecord,
    ConsumerSurroundings,
    CurrentAssignment,
    EpochRecord,
    MemberState,
    Partitions,
    Subscription,
    TargetEpochRecord,
    TargetRecord,
)
from spindle.core.groups.group_metadata import ClassicGroupMetadata
from spindle.core.groups.group_states import GroupState
from spindle.core.groups.group_values import CONSUMER, Protocols, StoredGroup, StoredMember
from spindle.core.groups.members import ClassicGroupMember, Roster
from spindle.core.groups.topic_hashes import group_hash
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicId

# --- a classic group becomes a consumer group -----------------------------------------------------


def check_upgrade(classic: ClassicGroupMetadata, limits: ConsumerLimits) -> None:
    """Whether a classic group with members may become a consumer group; Refusal
    GROUP_ID_NOT_FOUND, as Apache Kafka says it."""
    if not limits.upgrades:
        why = "online upgrade is disabled"
    elif classic.protocol_type != CONSUMER:
        why = "the group does not use the consumer embedded protocol"
    elif len(classic.members) > limits.size_max:
        why = "the group size exceeds the consumer group maximum size"
    else:
        return
    raise _no_upgrade(classic.group_id, why)


def upgraded(
    classic: ClassicGroupMetadata, around: ConsumerSurroundings
) -> tuple[ConsumerRecord, ...]:
    """The records of the consumer group that a classic group becomes; Refusal GROUP_ID_NOT_FOUND
    where the members' words cannot be read, or are those of an assignor of their own."""
    id, epoch = classic.group_id, classic.generation
    try:
        members = _members(classic, around)
    except protocol.Malformed:
        raise _no_upgrade(id, "the embedded consumer protocol is malformed") from None
    names = {name for member in members for name in member.said.topics}
    if classic.state is not GroupState.STABLE or not _is_whole(members, names, around):
        # What members have is no target: a rebalance is under way, or topics have grown since. With
        # the hash of no topics the group makes one at once, also where the newcomer takes over a
        # static place and subscribes to nothing else.
        names = set()
    hash = group_hash({name: around.topic_hash(name) for name in names})
    targets = [
        TargetRecord(id, m.member_id, {t: tuple(numbers) for t, numbers in m.assigned.items()})
        for m in members
    ]
    return (
        *(subscription_record(id, member) for member in members),
        EpochRecord(id, (epoch, hash)),
        *targets,
        TargetEpochRecord(id, (epoch, 0)),
        *(current_record(id, member) for member in members),
    )


def _is_whole(
    members: Iterable[ConsumerGroupMember], names: Iterable[str], around: ConsumerSurroundings
) -> bool:
    """Whether members hold all partitions of these topics, and of no other one."""
    ids = {id for name in names if (id := around.topic_id(name)) is not None}
    wanted = {(id, number) for id in ids for number in range(around.partition_count(id))}
    held = {(id, n) for member in members for id, ns in member.assigned.items() for n in ns}
    return held == wanted


def _members(
    classic: ClassicGroupMetadata, around: ConsumerSurroundings
) -> list[ConsumerGroupMember]:
    name = _spoken_protocol(classic)
    said = {m.member_id: protocol.read_subscription(m.metadata(name)) for m in classic.members}
    holds = _holds(classic, said)
    made = []
    for member in classic.members:
        known = said[member.member_id]
        terms = ClassicTerms(member.session_timeout, member.protocols)
        subscription = Subscription(
            instance_id=member.instance_id,
            rack_id=known.rack_id or None,
            client_id=member.client_id,
            client_host=member.client_host,
            rebalance_timeout=member.rebalance_timeout,
            topics=tuple(sorted({*known.topics})),
            regex="",
            assignor=None,
            classic=terms,
        )
        epoch = classic.generation
        assigned = {
            topic_id: dict.fromkeys(numbers, epoch)
            for topic_id, numbers in by_id(holds[member.member_id], around).items()
        }
        stands = CurrentAssignment(epoch, epoch, MemberState.STABLE, assigned, {})
        made.append(ConsumerGroupMember(member.member_id, subscription, stands))
    return made


def _spoken_protocol(classic: ClassicGroupMetadata) -> str:
    """The protocol of the generation, or of the first one, which is only being made."""
    roster, chosen = classic.members, classic.protocol
    return chosen if chosen in roster.common_protocols() else roster.chosen_protocol()


def _holds(
    classic: ClassicGroupMetadata, said: Mapping[str, protocol.ConsumerSubscription]
) -> dict[str, dict[str, list[int]]]:
    """What members hold: what their leader gave them, and what they said that they kept.

    A cooperative member says when it joins what it holds. It may not have heard yet that its leader
    leaves some of that to none, so that it gives it up; and where a rebalance was begun once more,
    what the leader gave is not known. Another member must not get any of that now.
    """
    holds: dict[str, dict[str, list[int]]] = {}
    taken: set[tuple[str, int]] = set()

    def take(member: ClassicGroupMember, parts: Mapping[str, Collection[int]]) -> None:
        for topic, numbers in parts.items():
            free = [number for number in numbers if (topic, number) not in taken]
            if free:
                holds[member.member_id].setdefault(topic, []).extend(free)
                taken.update((topic, number) for number in free)

    for member in classic.members:
        holds[member.member_id] = {}
        if member.assignment:
            given = protocol.read_assignment(member.assignment)
            if given.user_data:
                raise _no_upgrade(
                    classic.group_id,
                    "an unsupported custom assignor is in use. Please refer to the documentation "
                    "or switch to a default assignor before re-attempting the upgrade",
                )
            take(member, given.partitions)
    for member in sorted(classic.members, key=lambda m: -said[m.member_id].generation):
        take(member, said[member.member_id].owned)
    return holds


def _no_upgrade(group_id: str, why: str) -> Refusal:
    return Refusal(
        Error.GROUP_ID_NOT_FOUND,
        f"Cannot upgrade classic group {group_id} to consumer group because {why}.",
    )


# --- a consumer group becomes a classic group -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Downgrade:
    """A consumer group as a classic one. `protocols`: all that each member speaks; the record has
    one. `is_settled`: its members have what the record says, so they need not join again."""

    stored: StoredGroup
    protocols: Mapping[str, Protocols]
    is_settled: bool


def downgraded(
    group: ConsumerGroupMetadata,
    gone: Iterable[ConsumerGroupMember],
    around: ConsumerSurroundings,
    now_ms: int,
) -> Downgrade | None:
    """What the group is once these members are gone from it; None: it stays a consumer group.

    It becomes a classic one when its last member of KIP-848 goes and members of the classic
    protocol stay.
    """
    out = tuple(gone)
    names = {member.member_id for member in out}
    stay = [m for m in group.members.values() if m.member_id not in names]
    limits = around.limits(group.group_id)
    if not limits.downgrades or not stay or len(stay) > limits.classic_size_max:
        return None
    if all(member.is_classic for member in out) or not all(member.is_classic for member in stay):
        return None
    return _classic(group, stay, around, now_ms)


def _classic(
    group: ConsumerGroupMetadata,
    stay: Sequence[ConsumerGroupMember],
    around: ConsumerSurroundings,
    now_ms: int,
) -> Downgrade | None:
    roster = Roster()
    for member in stay:
        roster.add(_classic_member(member))
    if not roster.common_protocols():
        return None
    name = roster.chosen_protocol()
    given = _given(group, stay)
    members: list[StoredMember] = []
    for one in roster:
        try:
            version = protocol.version_of(one.metadata(name))
        except protocol.Malformed:
            return None
        assignment = by_name(given[one.member_id], around)
        members.append(one.stored(name, protocol.write_assignment(assignment, version)))
    stored = StoredGroup(
        protocol_type=CONSUMER,
        generation=group.epoch,
        protocol=name,
        leader=min(stay, key=lambda member: member.epoch == group.epoch).member_id,
        since_ms=now_ms,
        members=tuple(members),
    )
    is_settled = all(member.is_reconciled(group.epoch) for member in stay)
    return Downgrade(stored, {one.member_id: one.protocols for one in roster}, is_settled)


def _given(
    group: ConsumerGroupMetadata, stay: Sequence[ConsumerGroupMember]
) -> dict[str, Partitions]:
    """What the record says that members have: their targets, once all are there. Before that,
    a member keeps what it holds, and no other one has that: the group may become a consumer group
    again, or another coordinator may read the record, before the members have joined again.

    Members behind the group's epoch join again in any case, for their generation has passed. The
    first of them leads, so that the others join again, too, whichever coordinator hears it.
    """
    held = {
        member.member_id: {
            (topic, number)
            for part in (member.assigned, member.revoking)
            for topic, numbers in part.items()
            for number in numbers
        }
        for member in stay
    }
    taken = set[tuple[TopicId, int]]().union(*held.values())
    given: dict[str, Partitions] = {}
    for id, own in held.items():
        target = {(t, n) for t, numbers in group.targets.get(id, {}).items() for n in numbers}
        found: dict[TopicId, list[int]] = {}
        for topic, number in sorted(own | (target - taken)):
            found.setdefault(topic, []).append(number)
        given[id] = found
    return given


def _classic_member(member: ConsumerGroupMember) -> ClassicGroupMember:
    said, terms = member.said, member.said.classic
    assert terms is not None, f"{member.member_id} is no member of the classic protocol"
    return ClassicGroupMember(
        member_id=member.member_id,
        instance_id=said.instance_id,
        client_id=said.client_id,
        client_host=said.client_host,
        session_timeout=terms.session_timeout,
        rebalance_timeout=said.rebalance_timeout,
        protocols=terms.protocols,
    )


# --- topics ---------------------------------------------------------------------------------------


def by_id(
    partitions: Mapping[str, Collection[int]], around: ConsumerSurroundings
) -> dict[TopicId, tuple[int, ...]]:
    """Partitions by the ids of their topics; those of topics that are gone are left out."""
    found = ((around.topic_id(name), numbers) for name, numbers in partitions.items())
    return {id: tuple(sorted({*numbers})) for id, numbers in found if id is not None}


def by_name(partitions: Partitions, around: ConsumerSurroundings) -> dict[str, tuple[int, ...]]:
    """Partitions by the names of their topics; those of topics that are gone are left out."""
    found = ((around.topic_name(id), numbers) for id, numbers in partitions.items())
    return {name: tuple(sorted(numbers)) for name, numbers in found if name is not None}
