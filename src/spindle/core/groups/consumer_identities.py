"""Which member of a consumer group speaks, and whether it may: ids, epochs, static places.

Pure. Asked by `core.groups.consumer_decisions` and for commits by `core.groups.consumer_group`.
"""

from __future__ import annotations

from collections.abc import Iterable

from spindle.core.groups.consumer_group_metadata import ConsumerGroupMetadata
from spindle.core.groups.consumer_values import (
    JOIN_EPOCH,
    STATIC_LEAVE_EPOCH,
    ConsumerBeat,
    ConsumerGroupMember,
)
from spindle.core.groups.group_values import MemberIdentity
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicId

MEMBER_EPOCHS_FROM = 9
"""The version of OffsetCommit that carries epochs of members."""


def member(group: ConsumerGroupMetadata, member_id: str) -> ConsumerGroupMember:
    """A member by its id; Refusal UNKNOWN_MEMBER_ID."""
    known = group.members.get(member_id)
    if known is None:
        raise Refusal(
            Error.UNKNOWN_MEMBER_ID,
            f"Member {member_id} is not a member of group {group.group_id}.",
        )
    return known


def static_member(
    group: ConsumerGroupMetadata, instance_id: str, member_id: str
) -> ConsumerGroupMember:
    """The member in a static place; Refusal UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID."""
    known = group.static(instance_id)
    if known is None:
        raise Refusal(Error.UNKNOWN_MEMBER_ID, f"Instance id {instance_id} is unknown.")
    if known.member_id != member_id:
        raise Refusal(
            Error.FENCED_INSTANCE_ID,
            f"Static member {member_id} with instance id {instance_id} was fenced by "
            f"member {known.member_id}.",
        )
    return known


def speaker(group: ConsumerGroupMetadata, beat: ConsumerBeat) -> ConsumerGroupMember:
    """A member that is there already, in an epoch that it may be in."""
    if beat.instance_id is None:
        known = member(group, beat.member_id)
    else:
        known = static_member(group, beat.instance_id, beat.member_id)
    _check_epoch(known, beat)
    return known


def newcomer(
    group: ConsumerGroupMetadata, beat: ConsumerBeat, is_classic: bool
) -> ConsumerGroupMember:
    """A member that joins: a new one, or one that begins again.

    In a static place its owner must have left it for a while, where both are of KIP-848; Refusal
    UNRELEASED_INSTANCE_ID.
    """
    assert beat.epoch == JOIN_EPOCH
    if beat.instance_id is not None:
        owner = group.static(beat.instance_id)
        if owner is not None:
            by_beats = not is_classic and not owner.is_classic
            if by_beats and owner.epoch != STATIC_LEAVE_EPOCH:
                raise Refusal(
                    Error.UNRELEASED_INSTANCE_ID,
                    f"Static member {beat.member_id} with instance id {beat.instance_id} cannot "
                    f"join the group because the instance id is owned by {owner.member_id} member.",
                )
            return owner
    known = group.members.get(beat.member_id)
    return known or ConsumerGroupMember(beat.member_id)


def _check_epoch(known: ConsumerGroupMember, beat: ConsumerBeat) -> None:
    """One epoch behind it may be: the answer with the newer one was lost."""
    if beat.epoch == known.epoch:
        return
    is_late = beat.epoch < known.epoch
    if is_late and beat.epoch == known.stands.previous_epoch and _is_within(beat, known):
        return
    raise Refusal(
        Error.FENCED_MEMBER_EPOCH,
        f"The consumer group member has a {'smaller' if is_late else 'greater'} member epoch "
        f"({beat.epoch}) than the one known by the group coordinator ({known.epoch}). "
        "The member must abandon all its partitions and rejoin.",
    )


def _is_within(beat: ConsumerBeat, known: ConsumerGroupMember) -> bool:
    return beat.owned is not None and all(
        number in known.assigned.get(topic_id, ())
        for topic_id, numbers in beat.owned.items()
        for number in numbers
    )


def check_commit(
    group: ConsumerGroupMetadata,
    who: MemberIdentity,
    partitions: Iterable[tuple[TopicId | None, int]],
    version: int | None,
) -> None:
    """Whether a member may commit offsets of these partitions; Refusal where it may not.

    `version` of OffsetCommit; None: in a transaction, where the producer is fenced, so one that
    does not say for which member it speaks may always. A commit of an older epoch is taken for
    partitions that the member has had since then or longer (KIP-1251).
    """
    if who.generation < 0 and not group.members:
        return
    if version is None and who.generation == -1 and not who.member_id and who.instance_id is None:
        return
    known = member(group, who.member_id)
    if version is not None and version < MEMBER_EPOCHS_FROM and not known.is_classic:
        raise Refusal(
            Error.UNSUPPORTED_VERSION,
            "OffsetCommit version 9 or above must be used by members using the consumer group "
            "protocol",
        )
    if who.generation == known.epoch:
        return
    if who.generation > known.epoch:
        raise _stale(who, known, f"is newer than its epoch {known.epoch}")
    for topic_id, number in partitions:
        since = None
        if topic_id is not None:
            since = known.assigned.get(topic_id, {}).get(number)
            if since is None:
                since = known.revoking.get(topic_id, {}).get(number)
        if since is None or who.generation < since:
            raise _stale(who, known, f"is older than its assignment of {topic_id}-{number}")


def check_fetch(group: ConsumerGroupMetadata, member_id: str | None, epoch: int) -> None:
    """Whether a member may read the group's offsets; without a name each client may."""
    if member_id is None and epoch < 0:
        return
    known = member(group, member_id or "")
    if known.epoch != epoch:
        who = MemberIdentity(group_id=group.group_id, member_id=member_id or "", generation=epoch)
        raise _stale(who, known, f"is not its epoch {known.epoch}")


def _stale(who: MemberIdentity, known: ConsumerGroupMember, why: str) -> Refusal:
    return Refusal(
        Error.ILLEGAL_GENERATION if known.is_classic else Error.STALE_MEMBER_EPOCH,
        f"The epoch {who.generation} of member {who.member_id} of group {who.group_id} {why}.",
    )
