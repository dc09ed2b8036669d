"""A classic consumer group as its clients meet it: join, sync, heartbeat, commit, leave.

Identifies the speaker and the meaning (`core.groups.group_states`); `core.groups.rebalance`
carries it out, `core.groups.group_metadata` is what the group is.
`core.groups.group_metadata_manager` makes it; it never knows offsets or where it is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from spindle.core.groups.group_metadata import ClassicGroupMetadata
from spindle.core.groups.group_states import TABLE, GroupInput, GroupState, GroupStep
from spindle.core.groups.group_values import (
    GroupLimits,
    Join,
    JoinAnswer,
    MemberIdentity,
    Protocols,
    StoredGroup,
    Sync,
    SyncAnswer,
)
from spindle.core.groups.members import ClassicGroupMember, JoinThen, SyncThen, new_member
from spindle.core.groups.rebalance import Rebalance, Store
from spindle.model.errors import Error
from spindle.model.outbox import Outbox

NEW_MEMBER_TIMEOUT: Final = 300.0
"""Seconds after which a join that is never answered counts as abandoned."""

PROMISED_MAX: Final = 10_000
"""Ids that may be promised to clients and not used yet."""


class ClassicGroup:
    """One group: what it is (`metadata`), and what clients may ask of it."""

    def __init__(self, group_id: str, limits: GroupLimits, out: Outbox, store: Store) -> None:
        self.metadata = ClassicGroupMetadata(group_id, out.wall_ms)
        self._rebalance = Rebalance(self.metadata, limits, out, store)
        self._limits = limits
        self._out = out
        self._store = store

    def restore(
        self, stored: StoredGroup, protocols: Mapping[str, Protocols] = MappingProxyType({})
    ) -> None:
        """Become what was stored; members' sessions begin again. `protocols`: all that members
        speak, where that is known."""
        self.metadata.restore(stored)
        for member in self.metadata.members:
            member.protocols = protocols.get(member.member_id, member.protocols)
            self._rebalance.heard_of(member)

    def close(self, error: Error) -> None:
        """The group is deleted or led elsewhere: answer all waiting members, and stop."""
        self._rebalance.close(error)

    def reopen(self) -> None:
        """Its deletion could not be stored: it is an empty group as before."""
        assert not len(self.metadata.members)
        self.resume(GroupState.EMPTY)

    def resume(self, was: GroupState) -> None:
        """It was closed and lives on: in the state that it had, or its members join again."""
        assert self.metadata.state is GroupState.DEAD
        self.metadata.state = GroupState.STABLE if len(self.metadata.members) else GroupState.EMPTY
        for member in self.metadata.members:
            self._rebalance.heard_of(member)
        if was in (GroupState.PREPARING, GroupState.COMPLETING):
            self.rebalance()

    def rebalance(self) -> None:
        """All members must join again."""
        if len(self.metadata.members):
            self._rebalance.take_step(GroupStep.REBALANCE)

    def join(self, ask: Join, then: JoinThen) -> None:
        """A client joins; `then` gets the generation once it is made, or the reason why not."""
        error = self._admit(ask)
        if error:
            then(JoinAnswer(error=error, member_id=ask.member_id))
        elif ask.member_id:
            self._join_known(ask, then)
        elif ask.instance_id is not None:
            known = self.metadata.members.static(ask.instance_id)
            if known is None:
                self._add(ask, f"{ask.instance_id}-{self._out.new_id()}", then)
            else:
                self._return_static(known, ask, then)
        else:
            member_id = f"{ask.client_id}-{self._out.new_id()}"
            if ask.needs_id:
                self._promise(member_id, ask.session_timeout, then)
            else:
                self._add(ask, member_id, then)

    def _admit(self, ask: Join) -> Error:
        if self.metadata.state is GroupState.DEAD:
            return Error.COORDINATOR_NOT_AVAILABLE
        names = [name for name, _ in ask.protocols]
        if not ask.protocol_type or not names:
            return Error.INCONSISTENT_GROUP_PROTOCOL
        if len(self.metadata.members) and (
            ask.protocol_type != self.metadata.protocol_type
            or not self.metadata.members.can_speak(names)
        ):
            return Error.INCONSISTENT_GROUP_PROTOCOL
        return self._room_for(ask)

    def _room_for(self, ask: Join) -> Error:
        member = self.metadata.members.get(ask.member_id)
        if self.metadata.state is GroupState.PREPARING:
            # All waiting members count, so that a shrunk limit drops the latest.
            waiting = sum(1 for m in self.metadata.members if m.joining is not None)
            is_full = waiting >= self._limits.size_max
            has_place = member is not None and member.joining is not None
        else:
            is_full = len(self.metadata.members) >= self._limits.size_max
            has_place = member is not None
        known = (
            ask.instance_id is not None
            and self.metadata.members.static(ask.instance_id) is not None
        )
        if is_full and not has_place and not known:
            self.metadata.promised.pop(ask.member_id, None)
            return Error.GROUP_MAX_SIZE_REACHED
        return Error.NONE

    def _promise(self, member_id: str, session_timeout: int, then: JoinThen) -> None:
        if len(self.metadata.promised) >= PROMISED_MAX:
            then(JoinAnswer(error=Error.GROUP_MAX_SIZE_REACHED))
            return
        until = self._out.now + session_timeout / 1000
        self.metadata.promised[member_id] = until
        self._rebalance.wake_by(until)
        then(JoinAnswer(error=Error.MEMBER_ID_REQUIRED, member_id=member_id))

    def _add(self, ask: Join, member_id: str, then: JoinThen) -> None:
        if not len(self.metadata.members):
            self.metadata.protocol_type = ask.protocol_type
        member = new_member(ask, member_id, then)
        member.deadline = self._out.now + NEW_MEMBER_TIMEOUT
        self.metadata.members.add(member)
        if self.metadata.leader is None:
            self.metadata.leader = member_id
        self._rebalance.on_joined(member)

    def _join_known(self, ask: Join, then: JoinThen) -> None:
        if ask.member_id in self.metadata.promised and ask.instance_id is None:
            del self.metadata.promised[ask.member_id]
            self._add(ask, ask.member_id, then)
            return
        member = self.metadata.members.identify(ask.member_id, ask.instance_id)
        if isinstance(member, Error):
            then(JoinAnswer(error=member, member_id=ask.member_id))
            return
        if member.protocols != ask.protocols:
            what = GroupInput.MEMBER_CHANGED
        elif member.member_id == self.metadata.leader:
            what = GroupInput.LEADER_SAME
        else:
            what = GroupInput.FOLLOWER_SAME
        step = self.metadata.step(what)
        if step is GroupStep.REPEAT:
            self._rebalance.heard_of(member)
            then(self.metadata.joined(member))
            return
        self._rejoin(member, ask, then)
        self._rebalance.take_step(step)

    def _rejoin(self, member: ClassicGroupMember, ask: Join, then: JoinThen) -> None:
        # An older join of the same member is a retry's forerunner; its connection is owed a word.
        member.answer_join(
            JoinAnswer(error=Error.REBALANCE_IN_PROGRESS, member_id=member.member_id)
        )
        member.update(ask)
        member.joining = then

    def _return_static(self, member: ClassicGroupMember, ask: Join, then: JoinThen) -> None:
        """A static member's process was restarted: it keeps its place (KIP-345)."""
        told_leader = self.metadata.leader or ""
        fenced = Error.FENCED_INSTANCE_ID
        member.answer_join(JoinAnswer(error=fenced, member_id=member.member_id))
        member.answer_sync(SyncAnswer(error=fenced))
        new = f"{ask.instance_id}-{self._out.new_id()}"
        self.metadata.rename(member, new)
        member.update(ask)
        self._rebalance.heard_of(member)
        step = self.metadata.step(GroupInput.STATIC_RETURN)
        if (
            step is GroupStep.REPEAT
            and self.metadata.members.chosen_protocol() == self.metadata.protocol
        ):
            # Nothing changes for the others, but a new coordinator must know the new id.
            self._store(
                self.metadata.record(self.metadata.assignments),
                lambda error: self._returned(member, new, ask, told_leader, error, then),
            )
            return
        member.joining = then
        self._rebalance.take_step(GroupStep.REBALANCE if step is GroupStep.REPEAT else step)

    def _returned(
        self,
        member: ClassicGroupMember,
        member_id: str,
        ask: Join,
        told_leader: str,
        error: Error,
        then: JoinThen,
    ) -> None:
        if not error and self.metadata.members.get(member_id) is not member:
            # Another one has come for the same instance meanwhile, or the member is gone.
            is_there = self.metadata.members.get(member.member_id) is member
            error = Error.FENCED_INSTANCE_ID if is_there else Error.UNKNOWN_MEMBER_ID
        if error:
            then(JoinAnswer(error=error))
            return
        leads = member.member_id == self.metadata.leader
        then(
            JoinAnswer(
                generation=self.metadata.generation,
                protocol_type=self.metadata.protocol_type,
                protocol=self.metadata.protocol,
                # One that cannot skip must not believe that it leads, or it would assign again.
                leader=(self.metadata.leader or "") if ask.may_skip else told_leader,
                member_id=member.member_id,
                members=self.metadata.all_metadata() if leads and ask.may_skip else (),
                skip_assignment=leads and ask.may_skip,
            )
        )

    def sync(self, ask: Sync, then: SyncThen) -> None:
        """A member wants its assignment; `then` gets it once the leader's word is stored."""
        member = self._check_sync(ask)
        if isinstance(member, Error):
            then(SyncAnswer(error=member))
            return
        self.metadata.unsynced.pop(member.member_id, None)
        if TABLE[self.metadata.state, GroupInput.SYNC] is GroupStep.REPEAT:
            self._rebalance.heard_of(member)
            then(self.metadata.assigned(member))
            return
        member.answer_sync(SyncAnswer(error=Error.REBALANCE_IN_PROGRESS))
        member.syncing = then
        if not self.metadata.unsynced:
            self._rebalance.on_all_synced()
        if member.member_id == self.metadata.leader:
            given, generation = dict(ask.assignments), self.metadata.generation
            self._store(
                self.metadata.record(given),
                lambda error: self._rebalance.on_stored(generation, given, error),
            )

    def _check_sync(self, ask: Sync) -> ClassicGroupMember | Error:
        member = self.metadata.speaker(ask.member_id, ask.instance_id)
        if isinstance(member, Error):
            return member
        if ask.generation != self.metadata.generation:
            return Error.ILLEGAL_GENERATION
        if ask.protocol_type not in (None, self.metadata.protocol_type) or (
            ask.protocol not in (None, self.metadata.protocol)
        ):
            return Error.INCONSISTENT_GROUP_PROTOCOL
        step = TABLE[self.metadata.state, GroupInput.SYNC]
        return step if isinstance(step, Error) else member

    def heartbeat(self, who: MemberIdentity) -> Error:
        """A member is alive; REBALANCE_IN_PROGRESS tells it to join again."""
        member = self.metadata.member_of(who)
        if isinstance(member, Error):
            return member
        self._rebalance.heard_of(member)
        step = TABLE[self.metadata.state, GroupInput.HEARTBEAT]
        return step if isinstance(step, Error) else Error.NONE

    def may_commit(self, who: MemberIdentity, in_transaction: bool = False) -> Error:
        """Whether these offsets may be committed for the group.

        Consumers without a group (generation -1, no id) may while there is no member. In a
        transaction it is the producer that is fenced, so one that does not say for which member it
        speaks may always (before KIP-447 none did), and a rebalance is no hindrance.
        """
        if self.metadata.state is GroupState.EMPTY and who.generation < 0:
            return Error.NONE
        is_anonymous = who.generation < 0 and not who.member_id and who.instance_id is None
        if is_anonymous and self.metadata.state is not GroupState.DEAD:
            return Error.NONE if in_transaction else Error.UNKNOWN_MEMBER_ID
        member = self.metadata.member_of(who)
        if isinstance(member, Error):
            return member
        if in_transaction:
            return Error.NONE  # It is the producer that speaks: the member itself may be dead.
        step = TABLE[self.metadata.state, GroupInput.COMMIT]
        if isinstance(step, Error):
            return step
        self._rebalance.heard_of(member)
        return Error.NONE

    def leave(self, member_id: str, instance_id: str | None) -> Error:
        """A member leaves; a static one may be named by its instance alone."""
        if self.metadata.state is GroupState.DEAD:
            return Error.COORDINATOR_NOT_AVAILABLE
        if not member_id and instance_id is not None:
            static = self.metadata.members.static(instance_id)
            member_id = static.member_id if static is not None else ""
        if instance_id is None and member_id in self.metadata.promised:
            del self.metadata.promised[member_id]
            self._rebalance.maybe_complete()
            return Error.NONE
        member = self.metadata.members.identify(member_id, instance_id)
        if isinstance(member, Error):
            return member
        self._rebalance.drop(member)
        return Error.NONE
