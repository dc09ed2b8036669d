"""How a member gets from what it has to what it is to have: the heart of KIP-848.

First it gives up what it is not to have any more, and stays in its epoch until it says that it
has. Then it enters the target's epoch, and gets what is free; for what others still hold it
waits. So no partition has two owners. Pure; asked at each heartbeat by
`core.groups.consumer_decisions`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from spindle.core.groups.consumer_values import (
    NOTHING,
    ConsumerGroupMember,
    CurrentAssignment,
    Held,
    MemberState,
    Partitions,
)
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicId


@dataclass(frozen=True, slots=True)
class Target:
    """What a member is to have, in which epoch, and what it may have by its subscription now.

    `is_held`: whether another member holds a partition. `owned`: what the member says that it
    holds; None where it did not say.
    """

    epoch: int
    partitions: Partitions
    topics: Collection[TopicId]
    is_held: Callable[[TopicId, int], bool]
    owned: Partitions | None


def reconciled(
    member: ConsumerGroupMember, target: Target, subscription_changed: bool
) -> ConsumerGroupMember:
    """The member one step further, or as it is. Refusal FENCED_MEMBER_EPOCH: it must join again."""
    state = member.stands.state
    if member.is_reconciled(target.epoch):
        return _unsubscribed(member, target) if subscription_changed else member
    if state is MemberState.UNREVOKED_PARTITIONS and _owns(target.owned, member.revoking):
        return _unsubscribed(member, target) if subscription_changed else member
    if state is MemberState.UNKNOWN and (target.owned is None or target.owned):
        raise Refusal(
            Error.FENCED_MEMBER_EPOCH,
            "The consumer group member is in an unknown state. "
            "The member must abandon all its partitions and rejoin.",
        )
    return _next(member, target)


def _next(member: ConsumerGroupMember, target: Target) -> ConsumerGroupMember:
    keeps: dict[TopicId, dict[int, int]] = {}
    loses: dict[TopicId, dict[int, int]] = {}
    gets: dict[TopicId, dict[int, int]] = {}
    waits = False
    for topic_id in dict.fromkeys((*target.partitions, *member.assigned)):
        wanted = target.partitions.get(topic_id, ()) if topic_id in target.topics else ()
        has = member.assigned.get(topic_id, {})
        for number, epoch in has.items():
            into = keeps if number in wanted else loses
            into.setdefault(topic_id, {})[number] = epoch
        for number in wanted:
            if number in has:
                continue
            if target.is_held(topic_id, number):
                waits = True
            else:
                gets.setdefault(topic_id, {})[number] = target.epoch
    if loses and _owns(target.owned, loses):
        return _moved(member, member.epoch, MemberState.UNREVOKED_PARTITIONS, keeps, loses)
    for topic_id, numbers in gets.items():
        keeps.setdefault(topic_id, {}).update(numbers)
    state = MemberState.UNRELEASED_PARTITIONS if waits else MemberState.STABLE
    return _moved(member, target.epoch, state, keeps, NOTHING)


def _unsubscribed(member: ConsumerGroupMember, target: Target) -> ConsumerGroupMember:
    """A member gives up at once what it has unsubscribed from, before there is a new target."""
    keeps = {t: numbers for t, numbers in member.assigned.items() if t in target.topics}
    if len(keeps) == len(member.assigned):
        return member
    loses = {topic_id: dict(numbers) for topic_id, numbers in member.revoking.items()}
    for topic_id, numbers in member.assigned.items():
        if topic_id not in target.topics:
            loses.setdefault(topic_id, {}).update(numbers)
    if _owns(target.owned, loses):
        return _moved(member, member.epoch, MemberState.UNREVOKED_PARTITIONS, keeps, loses)
    return _moved(member, member.epoch, member.stands.state, keeps, member.revoking)


def _owns(owned: Partitions | None, held: Held) -> bool:
    """Whether the member may still hold any of these: it does, unless it says what it holds."""
    if owned is None:
        return True
    return any(
        number in held.get(topic_id, ())
        for topic_id, numbers in owned.items()
        for number in numbers
    )


def _moved(
    member: ConsumerGroupMember, epoch: int, state: MemberState, assigned: Held, revoking: Held
) -> ConsumerGroupMember:
    return replace(member, stands=CurrentAssignment(epoch, member.epoch, state, assigned, revoking))
