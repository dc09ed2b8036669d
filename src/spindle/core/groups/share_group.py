"""A share group as its clients meet it: one thing after the other (KIP-932).

What happens becomes records (`core.groups.share_decisions`). The states of its partitions are kept
by the share coordinator, which the group asks to make and to delete them; its records say how far
that is, so that another coordinator of the group goes on with it. `core.groups.share_groups` makes
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from spindle.core.groups.consumer_values import LEAVE_EPOCH, ConsumerSurroundings
from spindle.core.groups.deadlines import Deadlines
from spindle.core.groups.share_decisions import ShareDraft, known_member
from spindle.core.groups.share_group_metadata import ShareGroupMetadata, ShareGroupState
from spindle.core.groups.share_group_values import (
    InitializeOrder,
    Named,
    NamedPartitions,
    PartitionErrors,
    ShareBeat,
    ShareBeatAnswer,
    ShareBeatThen,
    ShareEpochRecord,
    with_partitions,
    without_partitions,
)
from spindle.core.groups.turns import AppendSurely, GroupTurn, TurnTaking
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicId
from spindle.model.outbox import Outbox

ErrorsThen: TypeAlias = Callable[[PartitionErrors], None]
Refuse: TypeAlias = Callable[[Refusal], None]


class ShareStates(NamedTuple):
    """The ways to the share coordinator: each answers once for all partitions."""

    initialize: Callable[[InitializeOrder, ErrorsThen], None]
    delete: Callable[[str, Mapping[TopicId, Sequence[int]], ErrorsThen], None]


class ShareGroup(TurnTaking):
    """One group. `metadata` is what is committed."""

    def __init__(
        self,
        metadata: ShareGroupMetadata,
        around: ConsumerSurroundings,
        out: Outbox,
        append: AppendSurely,
        states: ShareStates,
    ) -> None:
        super().__init__(out, append)
        self.metadata = metadata
        self._around = around
        self._states = states
        self._topics_changed = True
        self._tried: dict[tuple[TopicId, int], float] = {}
        """Partitions whose state we have asked for, and when (s)."""
        self._deletions = 0
        """Deletions of states that are under way."""
        self._sessions = Deadlines(out, self._on_time)

    def restore(self) -> None:
        """Its records are replayed: members' sessions begin, and deletions go on."""
        for member_id in self.metadata.members:
            self._heard_of(member_id)
        if self.metadata.states.deleting:
            self._delete_states(_ignored)

    def close(self, error: Error) -> None:
        """The group is led elsewhere: answer all that wait, and stop."""
        self._sessions.clear()
        self._stop(error)

    def on_topics_changed(self, names: Iterable[str]) -> None:
        """Topics came, grew or went; the next heartbeat looks whether that matters.

        While a batch is under way it may be what subscribes to them, by topics as they were before.
        """
        if not self.is_idle or not self.metadata.subscribed_topics().isdisjoint(names):
            self._topics_changed = True

    def _draft(self) -> ShareDraft:
        return ShareDraft(self.metadata, self._around, self._out.wall_ms)

    # --- heartbeats -----------------------------------------------------------------------------

    def beat(self, beat: ShareBeat, then: ShareBeatThen) -> None:
        """A member joins, goes on or leaves; `then` gets the answer once it counts."""

        def refuse(refusal: Refusal) -> None:
            then(ShareBeatAnswer(error=refusal.error, message=refusal.message or None))

        if beat.epoch > 0 and beat.member_id in self.metadata.members:
            self._heard_of(beat.member_id)
        act = self._leave if beat.epoch == LEAVE_EPOCH else self._beat
        self._enqueue(GroupTurn(lambda turn: act(beat, turn, then), refuse))

    def _beat(self, beat: ShareBeat, turn: GroupTurn, then: ShareBeatThen) -> None:
        draft = self._draft()
        looks, self._topics_changed = self._topics_changed, False
        try:
            answer = draft.beat(beat, looks)
        except Refusal as refusal:
            self._topics_changed = looks
            turn.fail(refusal)
            return
        wanted = draft.initialize(self._under_way(draft.limits.initialize_retry))

        def counts(waits: bool) -> None:
            self._heard_of(beat.member_id)
            if wanted:
                self._initialize(draft.group.epoch, wanted, None, _ignored)
            if draft.group.states.deleting and not self._deletions:
                self._delete_states(_ignored)
            if waits:
                then(answer)

        def undo() -> None:
            self._topics_changed = True

        self._store(draft, turn, counts, undo)

    def _leave(self, beat: ShareBeat, turn: GroupTurn, then: ShareBeatThen) -> None:
        draft = self._draft()
        try:
            draft.remove([known_member(self.metadata, beat.member_id)])
        except Refusal as refusal:
            turn.fail(refusal)
            return
        answer = ShareBeatAnswer(member_id=beat.member_id, epoch=beat.epoch)
        self._store(draft, turn, lambda waits: then(answer) if waits else None)

    def _store(
        self,
        draft: ShareDraft,
        turn: GroupTurn,
        then: Callable[[bool], None] = lambda waits: None,
        undo: Callable[[], None] = lambda: None,
    ) -> None:
        """Append what was decided; `then` once it counts, with whether its client still waits."""

        def counts(first: int = 0) -> None:
            self.metadata = draft.group
            self._sessions.keep(self.metadata.members)
            then(turn.take() is not None)

        if draft.records:
            self._write([*draft.records], turn, counts, undo)
        else:
            counts()

    # --- states of partitions -------------------------------------------------------------------

    def _under_way(self, retry: int) -> list[tuple[TopicId, int]]:
        before = self._out.now - retry / 1000
        return [where for where, at in self._tried.items() if at > before]

    def _initialize(
        self,
        epoch: int,
        wanted: Named,
        offsets: Mapping[TopicId, Mapping[int, int]] | None,
        then: ErrorsThen,
    ) -> None:
        """Have states made, and note what has come of it."""
        now = self._out.now
        made = offsets or {t: dict.fromkeys(sorted(n.partitions), -1) for t, n in wanted.items()}
        self._tried.update({(t, n): now for t, numbers in made.items() for n in numbers})

        def told(errors: PartitionErrors) -> None:
            for where in errors:
                self._tried.pop(where, None)
            done = _without_errors(wanted, errors)
            self._note(lambda draft: draft.settle(done), errors, then)

        self._states.initialize(InitializeOrder(self.metadata.group_id, epoch, made), told)

    def _note(
        self, decide: Callable[[ShareDraft], None], errors: PartitionErrors, then: ErrorsThen
    ) -> None:
        """Write what has come of states. `then` hears it once that counts, or why it does not."""

        def act(turn: GroupTurn) -> None:
            draft = self._draft()
            decide(draft)
            self._store(draft, turn, lambda waits: then(errors) if waits else None)

        def refuse(refusal: Refusal) -> None:
            then(dict.fromkeys(errors, (refusal.error, refusal.message or None)))

        self._enqueue(GroupTurn(act, refuse))

    def alter(
        self,
        offsets: Mapping[TopicId, Mapping[int, int]],
        names: Mapping[TopicId, str],
        then: ErrorsThen,
        refuse: Refuse,
    ) -> None:
        """Begin at other offsets; Refusal NON_EMPTY_GROUP."""
        wanted = {t: NamedPartitions(names[t], frozenset(n)) for t, n in offsets.items()}

        def act(turn: GroupTurn) -> None:
            if not self._is_vacant(turn):
                return
            draft = self._draft()
            group = self.metadata
            # The group's epoch stays. Its next one fences the leaders that know the states of now.
            epoch = group.epoch + 1
            if not group.is_there:
                draft.put(ShareEpochRecord(group.group_id, (epoch, group.topics_hash)))
            states = self.metadata.states
            draft.set_states(
                initializing=with_partitions(states.initializing, wanted),
                deleting={t: n for t, n in states.deleting.items() if t not in wanted},
            )

            def counts(waits: bool) -> None:
                self._initialize(epoch, wanted, offsets, then if waits else _ignored)

            self._store(draft, turn, counts)

        self._enqueue(GroupTurn(act, refuse))

    def delete_offsets(
        self,
        topics: Iterable[TopicId],
        then: Callable[[Mapping[TopicId, tuple[Error, str | None]]], None],
        refuse: Refuse,
    ) -> None:
        """Forget the states of topics; those without one are left out of the answer. Refusal
        NON_EMPTY_GROUP."""
        asked = tuple(topics)

        def act(turn: GroupTurn) -> None:
            if not self._is_vacant(turn):
                return
            states = self.metadata.states
            known = with_partitions(states.initialized, states.initializing)
            gone = {t: known[t].topic for t in asked if t in known}
            gone |= {t: states.deleting[t] for t in asked if t in states.deleting}
            draft = self._draft()
            self._mark_deleting(draft, gone)
            partitions = {t: sorted(known[t].partitions) for t in gone if t in known}

            def counts(waits: bool) -> None:
                self._delete_states(told if waits else _ignored, partitions)

            self._store(draft, turn, counts)

        def told(errors: PartitionErrors) -> None:
            found: dict[TopicId, tuple[Error, str | None]] = {}
            for (topic_id, _), outcome in errors.items():
                if topic_id in asked and not found.get(topic_id, (Error.NONE, None))[0]:
                    found[topic_id] = outcome
            then(found)

        self._enqueue(GroupTurn(act, refuse))

    def _mark_deleting(self, draft: ShareDraft, gone: Mapping[TopicId, str]) -> None:
        states = self.metadata.states
        bare: Named = {t: NamedPartitions("", frozenset()) for t in gone}
        draft.set_states(
            {t: named for t, named in states.initializing.items() if t not in bare},
            {t: named for t, named in states.initialized.items() if t not in bare},
            {**states.deleting, **gone},
        )

    def _delete_states(
        self, then: ErrorsThen, partitions: Mapping[TopicId, Sequence[int]] | None = None
    ) -> None:
        """Have the states of what is marked deleted; then the mark goes.

        Where that fails it stays, and the next heartbeat tries again: members get none of a topic
        that is marked.
        """
        asked: dict[TopicId, Sequence[int]] = {}
        for topic_id, name in self.metadata.states.deleting.items():
            if self._around.topic_id(name) == topic_id:
                every = range(self._around.partition_count(topic_id))
                asked[topic_id] = (partitions or {}).get(topic_id, every)
        gone = frozenset(self.metadata.states.deleting) - frozenset(asked)

        def told(errors: PartitionErrors) -> None:
            self._deletions -= 1
            failed = {t for (t, _), (error, _) in errors.items() if error}
            over = gone | (frozenset(asked) - failed)
            self._note(lambda draft: draft.end_deletions(over), errors, then)

        self._deletions += 1
        self._states.delete(self.metadata.group_id, asked, told)

    def forget_topics(self, topics: Iterable[TopicId]) -> None:
        """Topics are gone."""
        gone = frozenset(topics)
        states = self.metadata.states
        if gone.isdisjoint({*states.initializing, *states.initialized, *states.deleting}):
            return

        def act(turn: GroupTurn) -> None:
            draft = self._draft()
            draft.forget_topics(gone)
            self._store(draft, turn, undo=undo)

        def undo() -> None:
            self._topics_changed = True

        self._enqueue(GroupTurn(act, None))

    # --- ends -----------------------------------------------------------------------------------

    def _is_vacant(self, turn: GroupTurn) -> bool:
        if self.metadata.state is ShareGroupState.EMPTY:
            return True
        group_id = self.metadata.group_id
        turn.fail(Refusal(Error.NON_EMPTY_GROUP, f"Group {group_id} is not empty."))
        return False

    def remove(self, then: Callable[[], None], refuse: Refuse) -> None:
        """The group goes with the states of its partitions; Refusal NON_EMPTY_GROUP."""

        def act(turn: GroupTurn) -> None:
            if not self._is_vacant(turn):
                return
            states = self.metadata.states
            known = with_partitions(states.initialized, states.initializing)
            draft = self._draft()
            self._mark_deleting(draft, {t: named.topic for t, named in known.items()})
            partitions = {t: sorted(named.partitions) for t, named in known.items()}

            def counts(waits: bool) -> None:
                self._delete_states(told if waits else _ignored, partitions)

            self._store(draft, turn, counts)

        def told(errors: PartitionErrors) -> None:
            failed = next((outcome for outcome in errors.values() if outcome[0]), None)
            if failed is not None:
                refuse(Refusal(failed[0], failed[1] or ""))
            else:
                self._enqueue(GroupTurn(end, refuse))

        def end(turn: GroupTurn) -> None:
            if not self._is_vacant(turn):
                return

            def counts(first: int) -> None:
                self.metadata = ShareGroupMetadata(self.metadata.group_id)
                self._tried.clear()
                if turn.take() is not None:
                    then()

            self._write([*self.metadata.tombstones()], turn, counts)

        self._enqueue(GroupTurn(act, refuse))

    # --- time -----------------------------------------------------------------------------------

    def _heard_of(self, member_id: str) -> None:
        session = self._around.share_limits(self.metadata.group_id).session
        self._sessions.put(member_id, self._out.now + session / 1000)

    def _on_time(self) -> None:
        self._enqueue(GroupTurn(self._expire, None))

    def _expire(self, turn: GroupTurn) -> None:
        self._sessions.keep(self.metadata.members)
        late = self._sessions.due()
        for member_id in late:
            self._out.say(
                "info",
                "member expired",
                group=self.metadata.group_id,
                member=member_id,
                reason="its session expired",
            )
        draft = self._draft()
        draft.remove(self.metadata.members[member_id] for member_id in late)
        self._store(draft, turn)
        self._sessions.wake()


def _ignored(told: PartitionErrors) -> None:
    """No client waits."""


def _without_errors(wanted: Named, errors: PartitionErrors) -> dict[TopicId, NamedPartitions]:
    """Those of which a state was made."""
    failed = {
        t: NamedPartitions(named.topic, frozenset(n for n in named.partitions if errors[t, n][0]))
        for t, named in wanted.items()
    }
    return without_partitions(wanted, failed)
