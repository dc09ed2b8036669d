"""What members of the classic protocol ask of a consumer group of KIP-848, and hear.

A join is a heartbeat in the words of the classic protocol: it says what the member wants and what
it holds, and the answer's generation is the member's epoch. The assignment comes with the
synchronisation. Pure; asked by `core.groups.consumer_group`.
"""

from __future__ import annotations

from spindle.core.groups import consumer_identities as identities
from spindle.core.groups import consumer_protocol as protocol
from spindle.core.groups.consumer_conversion import by_id, by_name
from spindle.core.groups.consumer_group_metadata import ConsumerGroupMetadata
from spindle.core.groups.consumer_values import (
    JOIN_EPOCH,
    ConsumerBeat,
    ConsumerGroupMember,
    ConsumerSurroundings,
    MemberState,
)
from spindle.core.groups.group_values import (
    CONSUMER,
    Join,
    JoinAnswer,
    MemberIdentity,
    Sync,
    SyncAnswer,
)
from spindle.model.errors import Error, Refusal


def check_join(group: ConsumerGroupMetadata, ask: Join) -> None:
    """Whether the members of the classic protocol all speak something that the newcomer speaks;
    Refusal INCONSISTENT_GROUP_PROTOCOL."""
    common: set[str] | None = None
    for member in group.members.values():
        if member.said.classic is not None:
            names = {name for name, _ in member.said.classic.protocols}
            common = names if common is None else common & names
    own = {name for name, _ in ask.protocols}
    if ask.protocol_type != CONSUMER or not (own if common is None else own & common):
        raise Refusal(
            Error.INCONSISTENT_GROUP_PROTOCOL,
            f"Member {ask.member_id}'s protocols are not supported.",
        )


def check_static(group: ConsumerGroupMetadata, ask: Join) -> None:
    """A static member that names itself must have its place; Refusal UNKNOWN_MEMBER_ID,
    FENCED_INSTANCE_ID."""
    if ask.instance_id is not None and ask.member_id:
        identities.static_member(group, ask.instance_id, ask.member_id)


def as_beat(ask: Join, member_id: str, around: ConsumerSurroundings) -> ConsumerBeat:
    """A join as the heartbeat that says the same; Refusal INCONSISTENT_GROUP_PROTOCOL where the
    subscription, that of its first protocol, cannot be read."""
    try:
        said = protocol.read_subscription(ask.protocols[0][1])
    except protocol.Malformed as error:
        raise Refusal(
            Error.INCONSISTENT_GROUP_PROTOCOL,
            f"The subscription of member {member_id} cannot be read: {error}.",
        ) from None
    return ConsumerBeat(
        group_id=ask.group_id,
        member_id=member_id,
        epoch=JOIN_EPOCH,
        instance_id=ask.instance_id,
        rack_id=said.rack_id or None,
        rebalance_timeout=ask.rebalance_timeout,
        topics=said.topics,
        regex="",
        owned=by_id(said.owned, around),
        client=(ask.client_id, ask.client_host),
    )


def joined(member: ConsumerGroupMember) -> JoinAnswer:
    """The answer to its join: it leads none, for the coordinator assigns."""
    return JoinAnswer(
        generation=member.epoch,
        protocol_type=CONSUMER,
        protocol=_first_protocol(member)[0],
        member_id=member.member_id,
    )


def synced(group: ConsumerGroupMetadata, ask: Sync, around: ConsumerSurroundings) -> SyncAnswer:
    """A member's assignment; Refusal where it has to join (again) before it gets one.

    While a new target waits (group.consumer.assignment.interval.ms) it gets what it has.
    """
    who = MemberIdentity(
        group_id=ask.group_id,
        generation=ask.generation,
        member_id=ask.member_id,
        instance_id=ask.instance_id,
    )
    member = speaker(group, who)
    name, metadata = _first_protocol(member)
    if ask.protocol_type not in (None, CONSUMER) or ask.protocol not in (None, name):
        raise Refusal(
            Error.INCONSISTENT_GROUP_PROTOCOL,
            f"Member {ask.member_id} speaks {ask.protocol_type}, {ask.protocol}; it joined with "
            f"{CONSUMER}, {name}.",
        )
    gives_up = member.stands.state is MemberState.UNREVOKED_PARTITIONS
    if member.epoch < group.assignment_epoch and not gives_up:
        raise Refusal(
            Error.REBALANCE_IN_PROGRESS,
            f"A new rebalance is triggered in group {ask.group_id} and member {ask.member_id} "
            "should rejoin to catch up.",
        )
    has = by_name(member.assigned, around)
    return SyncAnswer(
        protocol_type=ask.protocol_type,
        protocol=ask.protocol,
        assignment=protocol.write_assignment(has, protocol.version_of(metadata)),
    )


def must_rejoin(group: ConsumerGroupMetadata, member: ConsumerGroupMember) -> bool:
    """A heartbeat tells it to: the group has a new epoch, it has to give something up, or what it
    waits for is free."""
    state = member.stands.state
    if member.epoch < group.epoch or state is MemberState.UNREVOKED_PARTITIONS:
        return True
    return state is MemberState.UNRELEASED_PARTITIONS and not group.waits(member)


def speaker(group: ConsumerGroupMetadata, who: MemberIdentity) -> ConsumerGroupMember:
    """A member of the classic protocol in its epoch; Refusal UNKNOWN_MEMBER_ID,
    FENCED_INSTANCE_ID, ILLEGAL_GENERATION."""
    if who.instance_id is None:
        known = identities.member(group, who.member_id)
    else:
        known = identities.static_member(group, who.instance_id, who.member_id)
    if not known.is_classic:
        raise Refusal(
            Error.UNKNOWN_MEMBER_ID, f"Member {who.member_id} does not use the classic protocol."
        )
    if known.epoch != who.generation:
        raise Refusal(
            Error.ILLEGAL_GENERATION,
            f"The request generation id {who.generation} is not equal to the member epoch "
            f"{known.epoch} of member {who.member_id}.",
        )
    return known


def _first_protocol(member: ConsumerGroupMember) -> tuple[str, bytes]:
    assert member.said.classic is not None
    return member.said.classic.protocols[0]
