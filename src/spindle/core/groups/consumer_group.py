"""A consumer group of KIP-848 as its clients meet it: one thing after the other.

What happens to the group becomes records (`core.groups.consumer_decisions`); they are appended as
one batch, count once that is committed, and are answered only then. While a batch is under way the
next ones wait: nothing is decided on what may not come to be. `core.groups.consumer_groups`
makes it; it never knows where it is stored, nor offsets.

Members of the classic protocol are served beside those of KIP-848. A group whose last member of
KIP-848 goes becomes a classic one with the next batch (`core.groups.consumer_conversion`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from spindle.core.groups import classic_member_requests as requests
from spindle.core.groups import consumer_identities as identities
from spindle.core.groups.consumer_conversion import Downgrade, downgraded
from spindle.core.groups.consumer_decisions import Draft, check_room
from spindle.core.groups.consumer_group_metadata import ConsumerGroupMetadata, ConsumerGroupState
from spindle.core.groups.consumer_timers import ConsumerTimers
from spindle.core.groups.consumer_values import (
    LEAVE_EPOCH,
    STATIC_LEAVE_EPOCH,
    ClassicTerms,
    ConsumerBeat,
    ConsumerBeatAnswer,
    ConsumerGroupMember,
    ConsumerSurroundings,
)
from spindle.core.groups.group_values import (
    CoordinatorRecord,
    GroupRecord,
    Join,
    JoinAnswer,
    MemberIdentity,
    Sync,
    SyncAnswer,
)
from spindle.core.groups.members import JoinThen, SyncThen
from spindle.core.groups.turns import AppendSurely, GroupTurn, TurnTaking
from spindle.model.errors import Error, Refusal
from spindle.model.ids import id_to_text
from spindle.model.outbox import Outbox

BeatThen: TypeAlias = Callable[[ConsumerBeatAnswer], None]


@dataclass(frozen=True, slots=True)
class Predecessor:
    """The classic group from which a group is made, in the same batch."""

    group: ConsumerGroupMetadata
    """What the group is before its first heartbeat: empty, or with the classic group's members."""
    records: tuple[CoordinatorRecord, ...]
    """What makes that of the classic group."""
    suspend: Callable[[], None]
    """The batch is on its way: the classic group answers all that wait, and stops."""
    revive: Callable[[], None]
    """Nothing has come of it: the classic group is there as before."""
    bury: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The classic groups beside a group: what has its name before it is, and once it has ceased.

    `predecessor` is a Refusal where the group may not be.
    """

    predecessor: Callable[[], Predecessor | None]
    succeed: Callable[[Downgrade, bool], None]
    """It is a classic group from now on; whether all members must join again."""
    forget: Callable[[], None]
    """Nothing is left of the group, or nothing has come of it, and none waits for it."""


class ConsumerGroup(TurnTaking):
    """One group. `metadata` is what is committed."""

    def __init__(
        self,
        metadata: ConsumerGroupMetadata,
        around: ConsumerSurroundings,
        out: Outbox,
        append: AppendSurely,
        neighbours: Neighbours,
    ) -> None:
        super().__init__(out, append)
        self.metadata = metadata
        self._neighbours = neighbours
        self._around = around
        self._topics_changed = True
        self._going: frozenset[str] = frozenset()
        """Members that the batch which is under way puts out."""
        self._timers = ConsumerTimers(out, self._on_time)

    def restore(self) -> None:
        """Its records are replayed: members' sessions begin."""
        for member in self.metadata.members.values():
            self._heard_of(member)
            self._timers.watch_revocation(member)

    def close(self, error: Error) -> None:
        """The group is led elsewhere: answer all that wait, and stop."""
        self._timers.clear()
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

        known = self.metadata.members.get(beat.member_id)
        if beat.epoch > 0 and known is not None:
            self._heard_of(known)  # However long the log takes, it is alive.
        if beat.epoch in (LEAVE_EPOCH, STATIC_LEAVE_EPOCH):
            self._enqueue(GroupTurn(lambda turn: self._leave(beat, turn, then), refuse))
        else:
            self._enqueue(GroupTurn(lambda turn: self._beat(beat, turn, then), refuse))

    def _beat(self, beat: ConsumerBeat, turn: GroupTurn, then: BeatThen) -> None:
        looks, self._topics_changed = self._topics_changed, False
        try:
            before = None if self.metadata.is_there else self._neighbours.predecessor()
            draft = self._draft(None if before is None else before.group)
            answer = draft.beat(beat, looks)
        except Refusal as refusal:
            self._topics_changed = looks
            turn.fail(refusal)
            return
        member = draft.group.members[beat.member_id]

        def counts() -> None:
            self._timers.watch_revocation(member)
            self._heard_of(member)
            if before is not None:
                before.bury()
                for other in draft.group.members.values():
                    self._heard_of(other)

        def undo() -> None:
            self._topics_changed = True
            if before is not None:
                before.revive()

        if before is not None:
            before.suspend()
        first = () if before is None else before.records
        self._store([*first, *draft.records], draft, turn, counts, lambda: then(answer), undo)

    def _leave(self, beat: ConsumerBeat, turn: GroupTurn, then: BeatThen) -> None:
        try:
            if beat.instance_id is None:
                member = identities.member(self.metadata, beat.member_id)
            else:
                member = identities.static_member(self.metadata, beat.instance_id, beat.member_id)
        except Refusal as refusal:
            turn.fail(refusal)
            return
        answer = ConsumerBeatAnswer(member_id=beat.member_id, epoch=beat.epoch)
        if beat.epoch == STATIC_LEAVE_EPOCH and beat.instance_id is not None:
            draft = self._draft()
            draft.leave_place(member)
            self._store(draft.records, draft, turn, lambda: None, lambda: then(answer))
        else:
            self._send_away([member], turn, lambda: then(answer))

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
            self._send_away(gone.values(), turn, lambda: then(answers))

        self._enqueue(GroupTurn(act, lambda refusal: then([refusal.error for _ in members])))

    # --- members of the classic protocol ---------------------------------------------------------

    def join(self, ask: Join, then: JoinThen, otherwise: Callable[[], None]) -> None:
        """A member of the classic protocol joins, or joins again. `otherwise`: the group is not
        there any more, nor as long as it would be empty."""

        def refuse(refusal: Refusal) -> None:
            then(JoinAnswer(error=refusal.error))

        def act(turn: GroupTurn) -> None:
            if not self.metadata.is_there:
                if turn.take() is not None:
                    otherwise()
            elif not self.metadata.members:
                self._make_room(ask, turn, otherwise)
            else:
                self._join(ask, turn, then)

        self._enqueue(GroupTurn(act, refuse))

    def _make_room(self, ask: Join, turn: GroupTurn, then: Callable[[], None]) -> None:
        """A group without members ceases, so that a classic one can be."""
        if ask.member_id:
            turn.fail(Refusal(Error.UNKNOWN_MEMBER_ID, "the group has no member"))
            return

        def gone(first: int) -> None:
            self._out.say("info", "consumer group became a classic group", group=ask.group_id)
            then()

        self._remove(list, turn, gone)

    def _join(self, ask: Join, turn: GroupTurn, then: JoinThen) -> None:
        member_id = ask.member_id or id_to_text(self._out.new_id())
        looks, self._topics_changed = self._topics_changed, False
        draft = self._draft()
        replaced = None if ask.instance_id is None else self.metadata.static(ask.instance_id)
        try:
            check_room(self.metadata, member_id, draft.limits)
            requests.check_join(self.metadata, ask)
            if ask.needs_id and not ask.member_id and ask.instance_id is None:
                raise Refusal(Error.MEMBER_ID_REQUIRED, "a member has to have an id")
            requests.check_static(self.metadata, ask)
            terms = ClassicTerms(ask.session_timeout, ask.protocols)
            draft.beat(requests.as_beat(ask, member_id, self._around), looks, terms)
        except Refusal as refusal:
            self._topics_changed = looks
            if turn.take() is not None:
                needs_id = refusal.error is Error.MEMBER_ID_REQUIRED
                told = member_id if needs_id else ""
                then(JoinAnswer(error=refusal.error, member_id=told))
            return
        member = draft.group.members[member_id]
        answer = requests.joined(member)
        gone = () if replaced is None else (replaced,)
        after = downgraded(draft.group, gone, self._around, self._out.wall_ms)
        if after is not None:
            self._cease(draft, after, not after.is_settled, turn, lambda: then(answer))
            return

        def counts() -> None:
            self._timers.watch_revocation(member)
            self._heard_of(member)
            self._timers.joined(member)

        def undo() -> None:
            self._topics_changed = True

        self._store(draft.records, draft, turn, counts, lambda: then(answer), undo)

    def sync(self, ask: Sync, then: SyncThen, otherwise: Callable[[], None]) -> None:
        """A member of the classic protocol asks for its assignment."""

        def act(turn: GroupTurn) -> None:
            if not self.metadata.is_there:
                if turn.take() is not None:
                    otherwise()
                return
            try:
                answer = requests.synced(self.metadata, ask, self._around)
            except Refusal as refusal:
                known = self.metadata.members.get(ask.member_id)
                if refusal.error is Error.REBALANCE_IN_PROGRESS and known is not None:
                    self._timers.must_join(known)
                turn.fail(refusal)
                return
            known = self.metadata.members[ask.member_id]
            self._timers.synced(known)
            self._heard_of(known)
            if turn.take() is not None:
                then(answer)

        self._enqueue(GroupTurn(act, lambda refusal: then(SyncAnswer(error=refusal.error))))

    def heartbeat(self, who: MemberIdentity) -> Error:
        """A member of the classic protocol is alive; REBALANCE_IN_PROGRESS tells it to join again.

        A batch that is under way does not count yet: the next heartbeat will tell. But a member
        that one puts out is not to believe that it is heard.
        """
        try:
            member = requests.speaker(self.metadata, who)
            if member.member_id in self._going:
                raise Refusal(Error.UNKNOWN_MEMBER_ID, "the member is being removed")
        except Refusal as refusal:
            return refusal.error
        self._heard_of(member)
        if not requests.must_rejoin(self.metadata, member):
            return Error.NONE
        self._timers.must_join(member)
        return Error.REBALANCE_IN_PROGRESS

    # --- ends -----------------------------------------------------------------------------------

    def remove(
        self,
        others: Callable[[], list[CoordinatorRecord]],
        then: Callable[[int], None],
        refuse: Callable[[Refusal], None],
    ) -> None:
        """The group goes, if it is empty, with `others` (its offsets); Refusal NON_EMPTY_GROUP."""
        self._enqueue(GroupTurn(lambda turn: self._remove(others, turn, then), refuse))

    def _remove(
        self,
        others: Callable[[], list[CoordinatorRecord]],
        turn: GroupTurn,
        then: Callable[[int], None],
    ) -> None:
        if self.metadata.state is not ConsumerGroupState.EMPTY:
            turn.fail(Refusal(Error.NON_EMPTY_GROUP, "the group has members"))
            return

        def counts(first: int) -> None:
            self.metadata = ConsumerGroupMetadata(self.metadata.group_id)
            turn.take()
            then(first)

        self._write([*others(), *self.metadata.tombstones()], turn, counts)

    def _send_away(
        self, members: Iterable[ConsumerGroupMember], turn: GroupTurn, then: Callable[[], None]
    ) -> None:
        """Members are out. Where those of the classic protocol stay alone, so is the group."""
        gone, draft = tuple(members), self._draft()
        self._going = frozenset(member.member_id for member in gone)
        after = downgraded(self.metadata, gone, self._around, self._out.wall_ms)
        if after is not None:
            self._cease(draft, after, True, turn, then)
            return
        draft.remove(gone)
        self._store(draft.records, draft, turn, lambda: None, then)

    def _cease(
        self,
        draft: Draft,
        after: Downgrade,
        rejoins: bool,
        turn: GroupTurn,
        then: Callable[[], None],
    ) -> None:
        """The group becomes a classic one, in one batch."""
        id = self.metadata.group_id

        def counts(first: int) -> None:
            self.metadata = ConsumerGroupMetadata(id)
            self._topics_changed = True
            self._timers.clear()
            self._out.say("info", "consumer group became a classic group", group=id)
            self._neighbours.succeed(after, rejoins)
            if turn.take() is not None:
                then()

        def undo() -> None:
            self._topics_changed = True

        made = GroupRecord(id, after.stored)
        self._write([*draft.records, *draft.group.tombstones(), made], turn, counts, undo)

    # --- writing --------------------------------------------------------------------------------

    def _draft(self, group: ConsumerGroupMetadata | None = None) -> Draft:
        return Draft(group or self.metadata, self._around, self._out.wall_ms)

    def _store(
        self,
        records: Sequence[CoordinatorRecord],
        draft: Draft,
        turn: GroupTurn,
        counts: Callable[[], None],
        then: Callable[[], None],
        undo: Callable[[], None] = lambda: None,
    ) -> None:
        """Append what a draft has, if it has anything; the group is that from then on."""

        def stored(first: int = 0) -> None:
            self.metadata = draft.group
            self._timers.keep(self.metadata.members)
            counts()
            if turn.take() is not None:
                then()

        if records:
            self._write([*records], turn, stored, undo)
        else:
            stored()

    def _go_on(self) -> None:
        if not self.is_writing:
            self._going = frozenset()
        super()._go_on()
        if self.is_idle and not self.metadata.is_there:
            self._neighbours.forget()

    # --- time -----------------------------------------------------------------------------------

    def _heard_of(self, member: ConsumerGroupMember) -> None:
        session = self._around.limits(self.metadata.group_id).session
        self._timers.heard_of(member, session)

    def _on_time(self) -> None:
        self._enqueue(GroupTurn(self._expire, None))

    def _expire(self, turn: GroupTurn) -> None:
        self._timers.keep(self.metadata.members)
        late = self._timers.late()
        for member_id, why in late.items():
            self._out.say(
                "info", "member expired", group=self.metadata.group_id, member=member_id, reason=why
            )
        gone = [self.metadata.members[member_id] for member_id in late]
        self._send_away(gone, turn, lambda: None)
        self._timers.wake()
