"""What a classic group is at a moment: its state, generation, leader and members.

Kafka's GroupMetadata: values and rules. It makes no rebalance (`core.groups.rebalance`), answers
no client (`core.groups.group`), and knows no clock and no offsets.
"""

from __future__ import annotations

from spindle.core.groups.group_states import LEGAL, TABLE, GroupInput, GroupState, GroupStep
from spindle.core.groups.group_values import (
    GroupRecord,
    GroupView,
    JoinAnswer,
    MemberIdentity,
    MemberView,
    StoredGroup,
    SyncAnswer,
)
from spindle.core.groups.members import ClassicGroupMember, Roster, restored_member
from spindle.core.groups.subscription import subscribed_topics
from spindle.model.errors import Error


class ClassicGroupMetadata:
    """One group. `since_ms`: when it came into its state.

    `promised`: ids given to clients that have not joined with them yet, and until when (s,
    monotonic). `unsynced`: members of the generation that have not asked for their assignment.
    """

    def __init__(self, group_id: str, now_ms: int) -> None:
        self.group_id = group_id
        self.state = GroupState.EMPTY
        self.since_ms = now_ms
        self.generation = 0
        self.protocol_type = ""
        self.protocol: str | None = None
        self.leader: str | None = None
        self.members = Roster()
        self.promised: dict[str, float] = {}
        self.unsynced: dict[str, None] = {}

    @property
    def is_idle(self) -> bool:
        """It has no member and no joining one."""
        return self.state is GroupState.EMPTY and not self.promised

    @property
    def all_joined(self) -> bool:
        """No member, and no client with a promised id, is still to come."""
        return not self.promised and all(m.joining is not None for m in self.members)

    def go(self, state: GroupState, now_ms: int) -> None:
        """The group is in another state from now on."""
        assert state in LEGAL[self.state], f"{self.group_id}: {self.state} to {state}"
        self.state = state
        self.since_ms = now_ms

    def step(self, what: GroupInput) -> GroupStep:
        """What an input means of a group that has members."""
        step = TABLE[self.state, what]
        assert isinstance(step, GroupStep), f"{self.group_id} has members while {self.state}"
        return step

    def restore(self, stored: StoredGroup) -> None:
        """Become what was stored."""
        assert self.state is GroupState.EMPTY, f"{self.group_id} is restored over a living group"
        self.generation = stored.generation
        self.protocol_type = stored.protocol_type
        self.protocol = stored.protocol
        self.leader = stored.leader
        self.since_ms = stored.since_ms
        for member in stored.members:
            self.members.add(restored_member(member, stored.protocol))
        if len(self.members):
            self.state = GroupState.STABLE

    def record(self, assignments: dict[str, bytes]) -> GroupRecord:
        """This generation as it is written."""
        stored = StoredGroup(
            protocol_type=self.protocol_type,
            generation=self.generation,
            protocol=self.protocol,
            leader=self.leader,
            since_ms=self.since_ms,
            members=tuple(
                m.stored(self.protocol, assignments.get(m.member_id, b"")) for m in self.members
            ),
        )
        return GroupRecord(self.group_id, stored)

    @property
    def assignments(self) -> dict[str, bytes]:
        """The members' assignments by member id."""
        return {m.member_id: m.assignment for m in self.members}

    def elect(self) -> bool:
        """Keep the leader if it is here, else take the first member; False if there is none."""
        leader = self.members.get(self.leader) if self.leader is not None else None
        if leader is not None and leader.joining is not None:
            return True
        here = next((m for m in self.members if m.joining is not None), None)
        if here is not None:
            self.leader = here.member_id
        return here is not None

    def forget(self, member: ClassicGroupMember) -> None:
        """A member leaves the group; its parked requests are answered with UNKNOWN_MEMBER_ID."""
        self.members.remove(member)
        self.unsynced.pop(member.member_id, None)
        if self.leader == member.member_id:
            self.leader = next((m.member_id for m in self.members), None)
        error = Error.UNKNOWN_MEMBER_ID
        member.answer_join(JoinAnswer(error=error))
        member.answer_sync(SyncAnswer(error=error))

    def rename(self, member: ClassicGroupMember, member_id: str) -> None:
        """A static member has come back by another id (KIP-345)."""
        old = member.member_id
        self.members.rename(member, member_id)
        if self.leader == old:
            self.leader = member_id
        if old in self.unsynced:
            del self.unsynced[old]
            self.unsynced[member_id] = None

    def speaker(self, member_id: str, instance_id: str | None) -> ClassicGroupMember | Error:
        """The member that speaks."""
        if self.state is GroupState.DEAD:
            return Error.COORDINATOR_NOT_AVAILABLE
        return self.members.identify(member_id, instance_id)

    def member_of(self, who: MemberIdentity) -> ClassicGroupMember | Error:
        """The member that speaks in the current generation."""
        member = self.speaker(who.member_id, who.instance_id)
        if isinstance(member, Error) or who.generation == self.generation:
            return member
        return Error.ILLEGAL_GENERATION

    def joined(self, member: ClassicGroupMember) -> JoinAnswer:
        """The generation, for one member; all members' metadata for the leader."""
        # In a stable group a follower has no use for the others' metadata; nor may a leader
        # that only asks again assign again, but it never comes here in that state.
        return JoinAnswer(
            generation=self.generation,
            protocol_type=self.protocol_type,
            protocol=self.protocol,
            leader=self.leader or "",
            member_id=member.member_id,
            members=self.all_metadata() if member.member_id == self.leader else (),
        )

    def all_metadata(self) -> tuple[tuple[str, str | None, bytes], ...]:
        """Id, instance id and metadata of each member."""
        return tuple((m.member_id, m.instance_id, m.metadata(self.protocol)) for m in self.members)

    def assigned(self, member: ClassicGroupMember) -> SyncAnswer:
        """The assignment of one member."""
        return SyncAnswer(
            protocol_type=self.protocol_type,
            protocol=self.protocol,
            assignment=member.assignment,
        )

    def view(self) -> GroupView:
        """As DescribeGroups shows it: metadata while it holds, assignments until new ones come."""
        stable = self.state is GroupState.STABLE
        return GroupView(
            group_id=self.group_id,
            state=self.state.value,
            protocol_type=self.protocol_type,
            protocol=(self.protocol or "") if stable else "",
            members=tuple(
                MemberView(
                    member_id=m.member_id,
                    instance_id=m.instance_id,
                    client_id=m.client_id,
                    client_host=m.client_host,
                    metadata=m.metadata(self.protocol) if stable else b"",
                    assignment=m.assignment,
                )
                for m in self.members
            ),
        )

    def subscribed_topics(self) -> set[str] | None:
        """Topics that members subscribe to; None where their metadata does not tell."""
        topics: set[str] = set()
        for member in self.members:
            for _, metadata in member.protocols:
                names = subscribed_topics(metadata)
                if names is None:
                    return None
                topics.update(names)
        return topics
