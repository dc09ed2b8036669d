"""How a classic group's generations are made: phases, stored assignments, sessions and time.

What each input means in each state stands in `core.groups.group_states`, what the group is in
`core.groups.group_metadata`; here it is carried out. The rebalance performs nothing: it stores
through the function it is given, wakes through the Outbox, and answers through the continuations
that came with each request. It never knows where it is stored, nor offsets. `core.groups.group`
is the door that clients come through.

A generation: members join (PreparingRebalance) until all are there or time is up; each gets
the generation, the leader also all members' metadata (CompletingRebalance); the leader brings the
assignments; they are stored, and only then sent (Stable).
"""

from __future__ import annotations

from collections.abc import Callable

from spindle.core.groups.group_metadata import ClassicGroupMetadata
from spindle.core.groups.group_states import TABLE, GroupInput, GroupState, GroupStep
from spindle.core.groups.group_values import (
    GroupLimits,
    GroupRecord,
    JoinAnswer,
    SyncAnswer,
)
from spindle.core.groups.members import ClassicGroupMember
from spindle.model.errors import Error
from spindle.model.outbox import Outbox, Timer

Store = Callable[[GroupRecord, Callable[[Error], None]], None]


class Rebalance:
    """The generations of one group. Times kept are s (monotonic), timeouts of members ms."""

    def __init__(
        self, group: ClassicGroupMetadata, limits: GroupLimits, out: Outbox, store: Store
    ) -> None:
        self._group = group
        self._limits = limits
        self._out = out
        self._store = store
        self._timer: Timer | None = None
        self._phase_ends: float | None = None
        self._delay_left: float | None = None
        """Seconds by which the first generation may still be put off; None: it is not the first."""
        self._grew = False

    def close(self, error: Error) -> None:
        """The group is deleted or led elsewhere: answer all waiting members, and stop."""
        self._go(GroupState.DEAD)
        for member in self._group.members:
            member.answer_join(JoinAnswer(error=error, member_id=member.member_id))
            member.answer_sync(SyncAnswer(error=error))
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def take_step(self, step: GroupStep | Error) -> None:
        """Begin a rebalance, or see whether one is complete."""
        if step is GroupStep.REBALANCE:
            self._prepare()
        else:
            self.maybe_complete()

    def _prepare(self) -> None:
        """Begin a new generation: all must join again."""
        is_first = self._group.state is GroupState.EMPTY
        if self._group.state is GroupState.COMPLETING:
            self._fail_syncs(Error.REBALANCE_IN_PROGRESS)
        self._go(GroupState.PREPARING)
        self._group.unsynced.clear()
        patience = self._patience()
        delay = min(self._limits.initial_delay / 1000, patience)
        if is_first and delay > 0:
            # More members are probably starting: one rebalance for all of them (KIP-134).
            self._delay_left = max(patience - delay, 0.0)
            self._grew = False
            self._end_phase_in(delay)
        elif is_first:
            # Ids that were promised to other members are not waited for.
            self._delay_left = None
            self._complete()
        else:
            self._delay_left = None
            self._end_phase_in(patience)
            self.maybe_complete()

    def _patience(self) -> float:
        return max((m.rebalance_timeout for m in self._group.members), default=0) / 1000

    def maybe_complete(self) -> None:
        """Make the generation if all are there."""
        if (
            self._group.state is GroupState.PREPARING
            and self._delay_left is None
            and self._group.all_joined
        ):
            self._complete()

    def _complete(self) -> None:
        """The present members make the generation."""
        for member in self._group.members:
            if member.joining is None and member.instance_id is None:
                self._group.forget(member)
        if len(self._group.members) and not self._group.elect():
            # Static members alone, and none of them here: wait until they come or expire.
            self._delay_left = None
            self._end_phase_in(self._patience())
            return
        self._group.generation += 1
        self._phase_ends = None
        if not len(self._group.members):
            self._group.protocol = None
            self._go(GroupState.EMPTY)
            self._store(self._group.record({}), lambda error: None)
            return
        self._group.protocol = self._group.members.chosen_protocol()
        self._go(GroupState.COMPLETING)
        self._group.unsynced = {m.member_id: None for m in self._group.members}
        self._end_phase_in(self._patience())
        for member in self._group.members:
            member.is_new = False
            self.heard_of(member)
            member.answer_join(self._group.joined(member))

    def on_stored(self, generation: int, given: dict[str, bytes], error: Error) -> None:
        """The leader's assignments are stored, or could not be."""
        if self._group.state is not GroupState.COMPLETING or generation != self._group.generation:
            return
        if error:
            self._fail_syncs(error)
            self._prepare()
            return
        self._go(GroupState.STABLE)
        for member in self._group.members:
            member.assignment = given.get(member.member_id, b"")
            if member.syncing is not None:
                self.heard_of(member)
                member.answer_sync(self._group.assigned(member))

    def _fail_syncs(self, error: Error) -> None:
        for member in self._group.members:
            member.assignment = b""
            if member.syncing is not None:
                self.heard_of(member)
                member.answer_sync(SyncAnswer(error=error))

    def drop(self, member: ClassicGroupMember) -> None:
        """A member goes: the others make a generation without it."""
        step = self._group.step(GroupInput.MEMBER_GONE)
        self._group.forget(member)
        self.take_step(step)

    def heard_of(self, member: ClassicGroupMember) -> None:
        """A member is alive: its session begins again."""
        member.deadline = self._out.now + member.session_timeout / 1000
        self.wake_by(member.deadline)

    def _end_phase_in(self, delay: float) -> None:
        self._phase_ends = self._out.now + delay
        self.wake_by(self._phase_ends)

    def on_joined(self, member: ClassicGroupMember) -> None:
        """A member more, whose deadline is set."""
        self._grew = self._grew or self._group.generation == 0
        self.wake_by(member.deadline)
        self.take_step(TABLE[self._group.state, GroupInput.NEW_MEMBER])

    def on_all_synced(self) -> None:
        """Each member has asked for its assignment: the phase has no end that waits for them."""
        self._phase_ends = None

    def wake_by(self, when: float) -> None:
        """Look at deadlines at this time (s, monotonic) at the latest."""
        # Deadlines mostly move back: the timer stays and looks again when it fires.
        if self._group.state is GroupState.DEAD or (
            self._timer is not None and self._timer.at <= when
        ):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._out.at(when, self._on_time)

    def _on_time(self) -> None:
        self._timer = None
        now = self._out.now
        for member_id, until in tuple(self._group.promised.items()):
            if until <= now:
                del self._group.promised[member_id]
        self.maybe_complete()
        for member in self._group.members:
            if member.member_id in self._group.members and member.deadline <= now:
                if member.is_waiting:
                    member.deadline = now + member.session_timeout / 1000
                else:
                    self._out.say(
                        "info",
                        "member expired",
                        group=self._group.group_id,
                        member=member.member_id,
                    )
                    self.drop(member)
        if self._phase_ends is not None and self._phase_ends <= now:
            self._phase_ends = None
            self._on_phase_end()
        self._wake_again()

    def _wake_again(self) -> None:
        deadlines = [m.deadline for m in self._group.members]
        deadlines += self._group.promised.values()
        if self._phase_ends is not None:
            deadlines.append(self._phase_ends)
        if deadlines:
            self.wake_by(min(deadlines))

    def _on_phase_end(self) -> None:
        if self._group.state is GroupState.PREPARING and self._delay_left and self._grew:
            # Members still keep coming into the first generation: wait as long again.
            delay = min(self._limits.initial_delay / 1000, self._delay_left)
            self._delay_left = max(self._delay_left - delay, 0.0)
            self._grew = False
            self._end_phase_in(delay)
        elif self._group.state is GroupState.PREPARING:
            self._complete()
        elif self._group.state is GroupState.COMPLETING:
            late = [m for m in self._group.members if m.member_id in self._group.unsynced]
            for member in late:
                self._group.forget(member)
            if late:
                self._prepare()

    def _go(self, state: GroupState) -> None:
        self._group.go(state, self._out.wall_ms)
