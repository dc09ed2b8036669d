"""How a classic group's generations are made: phases, stored assignments, sessions and time.

What each input means in each state stands in `core.groups.group_states`; here is how it is carried
out. The group performs nothing: it stores through the function it is given, wakes through the
Outbox, and answers through the continuations that came with each request. It never knows where it
is stored, nor offsets. `core.groups.group` is the door that clients come through.

A generation: members join (PreparingRebalance) until all are there or time is up; each gets
the generation, the leader also all members' metadata (CompletingRebalance); the leader brings the
assignments; they are stored, and only then sent (Stable).
"""

from __future__ import annotations

from collections.abc import Callable

from spindle.core.groups.group_states import LEGAL, TABLE, GroupInput, GroupState, GroupStep
from spindle.core.groups.group_values import (
    GroupLimits,
    GroupRecord,
    JoinAnswer,
    StoredGroup,
    SyncAnswer,
)
from spindle.core.groups.members import ClassicGroupMember, Roster, restored_member
from spindle.model.errors import Error
from spindle.model.outbox import Outbox, Timer

Store = Callable[[GroupRecord, Callable[[Error], None]], None]


class Rebalance:
    """The generations of one group. Times kept are s (monotonic), timeouts of members ms."""

    def __init__(self, group_id: str, limits: GroupLimits, out: Outbox, store: Store) -> None:
        self.group_id = group_id
        self.state = GroupState.EMPTY
        self.generation = 0
        self.protocol_type = ""
        self.protocol: str | None = None
        self.leader: str | None = None
        self.since_ms = out.wall_ms
        self.members = Roster()
        self._promised: dict[str, float] = {}
        """Ids given to clients that have not joined with them yet, and until when."""
        self._unsynced: dict[str, None] = {}
        self._limits = limits
        self._out = out
        self._store = store
        self._timer: Timer | None = None
        self._phase_ends: float | None = None
        self._delay_left: float | None = None
        """Seconds by which the first generation may still be put off; None: it is not the first."""
        self._grew = False

    # --- from and to the log ------------------------------------------------------------------

    def restore(self, stored: StoredGroup) -> None:
        """Become what was stored; members' sessions begin again."""
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
        for restored in self.members:
            self._heard_of(restored)

    def close(self, error: Error) -> None:
        """The group is deleted or led elsewhere: answer all waiting members, and stop."""
        self._go(GroupState.DEAD)
        for member in self.members:
            member.answer_join(JoinAnswer(error=error, member_id=member.member_id))
            member.answer_sync(SyncAnswer(error=error))
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def reopen(self) -> None:
        """Its deletion could not be stored: it is an empty group as before."""
        assert self.state is GroupState.DEAD
        assert not len(self.members)
        self.state = GroupState.EMPTY

    @property
    def is_idle(self) -> bool:
        """It has no member and no joining one."""
        return self.state is GroupState.EMPTY and not self._promised

    def stored(self, assignments: dict[str, bytes]) -> StoredGroup:
        """This generation as it is written."""
        return StoredGroup(
            protocol_type=self.protocol_type,
            generation=self.generation,
            protocol=self.protocol,
            leader=self.leader,
            since_ms=self.since_ms,
            members=tuple(
                m.stored(self.protocol, assignments.get(m.member_id, b"")) for m in self.members
            ),
        )

    # --- the phases of a rebalance --------------------------------------------------------------

    def _take_step(self, step: GroupStep | Error) -> None:
        if step is GroupStep.REBALANCE:
            self._prepare()
        else:
            self._maybe_complete()

    def _prepare(self) -> None:
        """Begin a new generation: all must join again."""
        is_first = self.state is GroupState.EMPTY
        if self.state is GroupState.COMPLETING:
            self._fail_syncs(Error.REBALANCE_IN_PROGRESS)
        self._go(GroupState.PREPARING)
        self._unsynced.clear()
        patience = self._patience()
        delay = min(self._limits.initial_delay / 1000, patience)
        if is_first and delay > 0:
            # More members are probably starting: one rebalance for all of them (KIP-134).
            self._delay_left = max(patience - delay, 0.0)
            self._grew = False
            self._end_phase_in(delay)
        else:
            self._delay_left = None
            self._end_phase_in(patience)
            self._maybe_complete()

    def _patience(self) -> float:
        return max((m.rebalance_timeout for m in self.members), default=0) / 1000

    def _maybe_complete(self) -> None:
        if (
            self.state is GroupState.PREPARING
            and self._delay_left is None
            and not self._promised
            and all(m.joining is not None for m in self.members)
        ):
            self._complete()

    def _complete(self) -> None:
        """The present members make the generation."""
        for member in self.members:
            if member.joining is None and member.instance_id is None:
                self._forget(member)
        if len(self.members) and not self._elect():
            # Static members alone, and none of them here: wait until they come or expire.
            self._delay_left = None
            self._end_phase_in(self._patience())
            return
        self.generation += 1
        self._phase_ends = None
        if not len(self.members):
            self.protocol = None
            self._go(GroupState.EMPTY)
            self._store(GroupRecord(self.group_id, self.stored({})), lambda error: None)
            return
        self.protocol = self.members.chosen_protocol()
        self._go(GroupState.COMPLETING)
        self._unsynced = {m.member_id: None for m in self.members}
        self._end_phase_in(self._patience())
        for member in self.members:
            member.is_new = False
            self._heard_of(member)
            member.answer_join(self._joined(member))

    def _elect(self) -> bool:
        """Keep the leader if it is here, else take the first member; False if there is none."""
        leader = self.members.get(self.leader) if self.leader is not None else None
        if leader is not None and leader.joining is not None:
            return True
        here = next((m for m in self.members if m.joining is not None), None)
        if here is not None:
            self.leader = here.member_id
        return here is not None

    def _joined(self, member: ClassicGroupMember) -> JoinAnswer:
        # In a stable group a follower has no use for the others' metadata; nor may a leader
        # that only asks again assign again, but it never comes here in that state.
        return JoinAnswer(
            generation=self.generation,
            protocol_type=self.protocol_type,
            protocol=self.protocol,
            leader=self.leader or "",
            member_id=member.member_id,
            members=self._all_metadata() if member.member_id == self.leader else (),
        )

    def _all_metadata(self) -> tuple[tuple[str, str | None, bytes], ...]:
        return tuple((m.member_id, m.instance_id, m.metadata(self.protocol)) for m in self.members)

    # --- assignments ----------------------------------------------------------------------------

    def _on_stored(self, generation: int, given: dict[str, bytes], error: Error) -> None:
        if self.state is not GroupState.COMPLETING or generation != self.generation:
            return
        if error:
            self._fail_syncs(error)
            self._prepare()
            return
        self._go(GroupState.STABLE)
        for member in self.members:
            member.assignment = given.get(member.member_id, b"")
            if member.syncing is not None:
                self._heard_of(member)
                member.answer_sync(self._assigned(member))

    def _assigned(self, member: ClassicGroupMember) -> SyncAnswer:
        return SyncAnswer(
            protocol_type=self.protocol_type,
            protocol=self.protocol,
            assignment=member.assignment,
        )

    def _assignments(self) -> dict[str, bytes]:
        return {m.member_id: m.assignment for m in self.members}

    def _fail_syncs(self, error: Error) -> None:
        for member in self.members:
            member.assignment = b""
            if member.syncing is not None:
                self._heard_of(member)
                member.answer_sync(SyncAnswer(error=error))

    # --- members that go --------------------------------------------------------------------------

    def _forget(self, member: ClassicGroupMember) -> None:
        self.members.remove(member)
        self._unsynced.pop(member.member_id, None)
        if self.leader == member.member_id:
            self.leader = next((m.member_id for m in self.members), None)
        error = Error.UNKNOWN_MEMBER_ID
        member.answer_join(JoinAnswer(error=error))
        member.answer_sync(SyncAnswer(error=error))

    def _drop(self, member: ClassicGroupMember) -> None:
        step = TABLE[self.state, GroupInput.MEMBER_GONE]
        assert isinstance(step, GroupStep), f"{self.group_id} has members while {self.state}"
        self._forget(member)
        self._take_step(step)

    # --- time -----------------------------------------------------------------------------------

    def _heard_of(self, member: ClassicGroupMember) -> None:
        member.deadline = self._out.now + member.session_timeout / 1000
        self._wake_by(member.deadline)

    def _end_phase_in(self, delay: float) -> None:
        self._phase_ends = self._out.now + delay
        self._wake_by(self._phase_ends)

    def _wake_by(self, when: float) -> None:
        # Deadlines mostly move back: the timer stays and looks again when it fires.
        if self.state is GroupState.DEAD or (self._timer is not None and self._timer.at <= when):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._out.at(when, self._on_time)

    def _on_time(self) -> None:
        self._timer = None
        now = self._out.now
        for member_id, until in tuple(self._promised.items()):
            if until <= now:
                del self._promised[member_id]
        self._maybe_complete()
        for member in self.members:
            if member.member_id in self.members and member.deadline <= now:
                if member.is_waiting:
                    member.deadline = now + member.session_timeout / 1000
                else:
                    self._out.say(
                        "info", "member expired", group=self.group_id, member=member.member_id
                    )
                    self._drop(member)
        if self._phase_ends is not None and self._phase_ends <= now:
            self._phase_ends = None
            self._on_phase_end()
        self._wake_again()

    def _wake_again(self) -> None:
        deadlines = [m.deadline for m in self.members]
        deadlines += self._promised.values()
        if self._phase_ends is not None:
            deadlines.append(self._phase_ends)
        if deadlines:
            self._wake_by(min(deadlines))

    def _on_phase_end(self) -> None:
        if self.state is GroupState.PREPARING and self._delay_left and self._grew:
            # Members still keep coming into the first generation: wait as long again.
            delay = min(self._limits.initial_delay / 1000, self._delay_left)
            self._delay_left = max(self._delay_left - delay, 0.0)
            self._grew = False
            self._end_phase_in(delay)
        elif self.state is GroupState.PREPARING:
            self._complete()
        elif self.state is GroupState.COMPLETING:
            late = [m for m in self.members if m.member_id in self._unsynced]
            for member in late:
                self._forget(member)
            if late:
                self._prepare()

    def _go(self, state: GroupState) -> None:
        assert state in LEGAL[self.state], f"{self.group_id}: {self.state} to {state}"
        self.state = state
        self.since_ms = self._out.wall_ms
