"""A consumer group of KIP-848 as its clients meet it: one thing after the other.

What happens to the group becomes records (`core.groups.consumer_decisions`); they are appended as
one batch, count once that is committed, and are answered only then. While a batch is under way the
next ones wait: nothing is decided on what may not come to be. `core.groups.consumer_groups`
makes it; it never knows where it is stored, nor offsets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from spindle.core.groups import consumer_identities as identities
from spindle.core.groups.consumer_decisions import Draft
from spindle.core.groups.consumer_group_metadata import ConsumerGroupMetadata, ConsumerGroupState
from spindle.core.groups.consumer_values import (
    LEAVE_EPOCH,
    STATIC_LEAVE_EPOCH,
    ConsumerBeat,
    ConsumerBeatAnswer,
    ConsumerGroupMember,
    ConsumerSurroundings,
    Held,
    MemberState,
)
from spindle.core.groups.deadlines import Deadlines
from spindle.core.groups.group_values import CoordinatorRecord, GroupRecord
from spindle.core.groups.turns import AppendSurely, GroupTurn, TurnTaking
from spindle.model.errors import Error, Refusal
from spindle.model.outbox import Outbox

BeatThen: TypeAlias = Callable[[ConsumerBeatAnswer], None]


@dataclass(frozen=True, slots=True)
class Predecessor:
    """The empty classic group from which a group is made, in the same batch."""

    record: GroupRecord
    revive: Callable[[], None]
    """Nothing has come of it: the classic group is there as before."""
    bury: Callable[[], None]


class ConsumerGroup(TurnTaking):
    """One group. `metadata` is what is committed."""

    def __init__(
        self,
        metadata: ConsumerGroupMetadata,
        around: ConsumerSurroundings,
        out: Outbox,
        append: AppendSurely,
        predecessor: Callable[[], Predecessor | None] = lambda: None,
    ) -> None:
        """`predecessor`: what has the group's name before the group is; Refusal: it may not be."""
        super().__init__(out, append)
        self.metadata = metadata
        self._predecessor = predecessor
        self._around = around
        self._topics_changed = True
        self._sessions = Deadlines(out, self._on_time)
        self._revocations = Deadlines(out, self._on_time)
        self._revoking: dict[str, Held] = {}
        """What members are to give up by the time that `_revocations` has for them."""

    def restore(self) -> None:
        """Its records are replayed: members' sessions begin."""
        for member in self.metadata.members.values():
            self._heard_of(member.member_id)
            self._watch_revocation(member)

    def close(self, error: Error) -> None:
        """The group is led elsewhere: answer all that wait, and stop."""
        self._sessions.clear()
        self._revocations.clear()
        self._stop(error)

    def on_topics_changed(self, names: Iterable[str]) -> None:
        """Topics came, grew or went; the next heartbeat looks whether that matters.

        While a batch is under way it may be what subscribes to them, by topics as they were before.
        """
        if not self.is_idle or not self.metadata.subscribed_topics().isdisjoint(names):
            self._topics_changed = True

    # --- heartbeats -----------------------------------------------------------------------------

    def beat(self, beat: ConsumerBeat, then: BeatThen) -> None:
        """A member joins, goes on or leaves; `then` gets the answer once it counts."""

        def refuse(refusal: Refusal) -> None:
            then(ConsumerBeatAnswer(error=refusal.error, message=refusal.message or None))

        if beat.epoch > 0 and beat.member_id in self.metadata.members:
            self._heard_of(beat.member_id)  # However long the log takes, it is alive.
        if beat.epoch in (LEAVE_EPOCH, STATIC_LEAVE_EPOCH):
            self._enqueue(GroupTurn(lambda turn: self._leave(beat, turn, then), refuse))
        else:
            self._enqueue(GroupTurn(lambda turn: self._beat(beat, turn, then), refuse))

    def _beat(self, beat: ConsumerBeat, turn: GroupTurn, then: BeatThen) -> None:
        draft = Draft(self.metadata, self._around, self._out.wall_ms)
        looks, self._topics_changed = self._topics_changed, False
        try:
            answer = draft.beat(beat, looks)
            before = None if self.metadata.is_there else self._predecessor()
        except Refusal as refusal:
            self._topics_changed = looks
            turn.fail(refusal)
            return
        member = draft.group.members[beat.member_id]

        def counts(first: int = 0) -> None:
            self.metadata = draft.group
            if before is not None:
                before.bury()
            self._watch(member)
            if turn.take() is not None:
                then(answer)

        def undo() -> None:
            self._topics_changed = True
            if before is not None:
                before.revive()

        if draft.records:
            first: list[CoordinatorRecord] = [] if before is None else [before.record]
            self._write([*first, *draft.records], turn, counts, undo)
        else:
            counts()

    def _leave(self, beat: ConsumerBeat, turn: GroupTurn, then: BeatThen) -> None:
        try:
            if beat.instance_id is None:
                member = identities.member(self.metadata, beat.member_id)
            else:
                member = identities.static_member(self.metadata, beat.instance_id, beat.member_id)
        except Refusal as refusal:
            turn.fail(refusal)
            return
        draft = Draft(self.metadata, self._around, self._out.wall_ms)
        if beat.epoch == STATIC_LEAVE_EPOCH and beat.instance_id is not None:
            draft.leave_place(member)
        else:
            draft.remove([member])
        answer = ConsumerBeatAnswer(member_id=beat.member_id, epoch=beat.epoch)
        self._store(draft, turn, lambda: then(answer))

    def leave(
        self, members: Sequence[tuple[str, str | None]], then: Callable[[list[Error]], None]
    ) -> None:
        """Members (id, instance id) are sent away by LeaveGroup; an error for each."""

        def act(turn: GroupTurn) -> None:
            answers: list[Error] = []
            gone: dict[str, ConsumerGroupMember] = {}
            for member_id, instance_id in members:
                try:
                    if instance_id is None:
                        known = identities.member(self.metadata, member_id)
                    else:
                        static = self.metadata.static(instance_id)
                        named = member_id or (static.member_id if static else "")
                        known = identities.static_member(self.metadata, instance_id, named)
                except Refusal as refusal:
                    answers.append(refusal.error)
                else:
                    gone[known.member_id] = known
                    answers.append(Error.NONE)
            draft = Draft(self.metadata, self._around, self._out.wall_ms)
            draft.remove(gone.values())
            self._store(draft, turn, lambda: then(answers))

        self._enqueue(GroupTurn(act, lambda refusal: then([refusal.error for _ in members])))

    def _store(self, draft: Draft, turn: GroupTurn, then: Callable[[], None]) -> None:
        def counts(first: int = 0) -> None:
            self.metadata = draft.group
            self._sweep()
            if turn.take() is not None:
                then()

        if draft.records:
            self._write([*draft.records], turn, counts)
        else:
            counts()

    # --- ends -----------------------------------------------------------------------------------

    def remove(
        self,
        others: Callable[[], list[CoordinatorRecord]],
        then: Callable[[int], None],
        refuse: Callable[[Refusal], None],
    ) -> None:
        """The group goes, if it is empty, with `others` (its offsets); Refusal NON_EMPTY_GROUP."""

        def act(turn: GroupTurn) -> None:
            if self.metadata.state is not ConsumerGroupState.EMPTY:
                turn.fail(Refusal(Error.NON_EMPTY_GROUP, "the group has members"))
                return

            def counts(first: int) -> None:
                self.metadata = ConsumerGroupMetadata(self.metadata.group_id)
                turn.take()
                then(first)

            self._write([*others(), *self.metadata.tombstones()], turn, counts)

        self._enqueue(GroupTurn(act, refuse))

    # --- time -----------------------------------------------------------------------------------

    def _watch(self, member: ConsumerGroupMember) -> None:
        self._sweep()
        self._heard_of(member.member_id)
        self._watch_revocation(member)

    def _heard_of(self, member_id: str) -> None:
        session = self._around.limits(self.metadata.group_id).session
        self._sessions.put(member_id, self._out.now + session / 1000)

    def _watch_revocation(self, member: ConsumerGroupMember) -> None:
        """A member that is to give partitions up has its rebalance timeout for that, each time."""
        name = member.member_id
        if member.stands.state is not MemberState.UNREVOKED_PARTITIONS:
            self._revocations.drop(name)
            self._revoking.pop(name, None)
        elif self._revoking.get(name) != member.revoking:
            self._revoking[name] = member.revoking
            self._revocations.put(name, self._out.now + member.said.rebalance_timeout / 1000)

    def _sweep(self) -> None:
        """Watch none that is gone."""
        self._sessions.keep(self.metadata.members)
        self._revocations.keep(self.metadata.members)
        for name in tuple(self._revoking):
            if name not in self.metadata.members:
                del self._revoking[name]

    def _on_time(self) -> None:
        self._enqueue(GroupTurn(self._expire, None))

    def _expire(self, turn: GroupTurn) -> None:
        self._sweep()
        late = dict.fromkeys(self._sessions.due(), "its session expired")
        late |= dict.fromkeys(self._revocations.due(), "it did not give its partitions up in time")
        for member_id, why in late.items():
            self._out.say(
                "info", "member expired", group=self.metadata.group_id, member=member_id, reason=why
            )
        draft = Draft(self.metadata, self._around, self._out.wall_ms)
        draft.remove(self.metadata.members[member_id] for member_id in late)
        self._store(draft, turn, lambda: None)
        self._sessions.wake()
        self._revocations.wake()
