"""The consumer groups of KIP-848 of one partition of `__consumer_offsets`.

Makes, finds, restores and buries them, and turns empty classic groups into them and back. Knows no
offsets. Called by `core.groups.coordinator_shard`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace

from spindle.core.groups import consumer_identities as identities
from spindle.core.groups.consumer_group import BeatThen, ConsumerGroup, Predecessor
from spindle.core.groups.consumer_group_metadata import ConsumerGroupMetadata
from spindle.core.groups.consumer_values import (
    JOIN_EPOCH,
    ConsumerBeat,
    ConsumerBeatAnswer,
    ConsumerGroupView,
    ConsumerRecord,
    ConsumerSurroundings,
)
from spindle.core.groups.group_metadata_manager import GroupMetadataManager
from spindle.core.groups.group_states import GroupState
from spindle.core.groups.group_values import (
    CoordinatorRecord,
    GroupView,
    Join,
    JoinAnswer,
    MemberIdentity,
)
from spindle.core.groups.members import JoinThen
from spindle.core.groups.turns import AppendSurely
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicId, id_to_text
from spindle.model.outbox import Outbox

PROTOCOL_TYPE = "consumer"


class ConsumerGroups:
    """The groups by id. Before `on_loaded` they are values that replay has found."""

    def __init__(
        self,
        classic: GroupMetadataManager,
        around: ConsumerSurroundings,
        out: Outbox,
        append: AppendSurely,
    ) -> None:
        self.all: dict[str, ConsumerGroup] = {}
        self.elsewhere: Container[str] = ()
        """Names that share groups have."""
        self._classic = classic
        self.around = around
        self._out = out
        self._append = append
        self._stored: dict[str, ConsumerGroupMetadata] = {}

    # --- loading --------------------------------------------------------------------------------

    def replay(self, record: ConsumerRecord) -> None:
        """Take in one record of the partition."""
        group = self._stored.get(record.group_id)
        if group is None:
            group = self._stored[record.group_id] = ConsumerGroupMetadata(record.group_id)
        group.apply(record)

    def on_loaded(self) -> None:
        """All is replayed: groups live from now on, and their members' sessions begin."""
        for group_id, metadata in self._stored.items():
            if metadata.is_there:
                self._new(group_id, metadata).restore()
        self._stored = {}

    def close(self) -> None:
        """Another broker leads now: all waiting clients are sent there."""
        groups = tuple(self.all.values())
        self.all.clear()
        for group in groups:
            group.close(Error.NOT_COORDINATOR)

    def on_topics_changed(self, names: frozenset[str]) -> None:
        """Topics came, grew or went."""
        for group in self.all.values():
            group.on_topics_changed(names)

    # --- asking ---------------------------------------------------------------------------------

    def find(self, group_id: str) -> ConsumerGroup | None:
        """A group that is there."""
        group = self.all.get(group_id)
        return group if group is not None and group.metadata.is_there else None

    def named(self, group_id: str) -> ConsumerGroup:
        """The same; Refusal GROUP_ID_NOT_FOUND."""
        group = self.find(group_id)
        if group is None:
            kind = f"Group {group_id} is not a consumer group."
            if group_id not in self._classic.all and group_id not in self.elsewhere:
                kind = f"Group {group_id} not found."
            raise Refusal(Error.GROUP_ID_NOT_FOUND, kind)
        return group

    def describe(self, group_id: str) -> ConsumerGroupView:
        """A group as it stands; Refusal GROUP_ID_NOT_FOUND."""
        return self.named(group_id).metadata.view(self.around.limits(group_id).assignors[0])

    def check_fetch(self, group_id: str, member_id: str | None, epoch: int) -> None:
        """Whether a member may read its group's offsets; Refusal STALE_MEMBER_EPOCH,
        UNKNOWN_MEMBER_ID. Classic groups do not mind."""
        group = self.find(group_id)
        if group is not None:
            identities.check_fetch(group.metadata, member_id, epoch)

    def admit(
        self,
        who: MemberIdentity,
        partitions: Sequence[tuple[TopicId | None, int]],
        version: int | None,
        then: Callable[[], None],
        refuse: Callable[[Refusal], None],
    ) -> bool:
        """A member of one of these groups commits: `then`, once it may. False: of no such group.

        `version`: of OffsetCommit; None: in a transaction.
        """
        group = self.all.get(who.group_id)
        if group is None:
            return False

        def act() -> None:
            identities.check_commit(group.metadata, who, partitions, version)
            then()

        group.when_settled(act, refuse)
        return True

    def views(self) -> list[GroupView]:
        """All groups, without their members."""
        return [
            GroupView(
                group_id=group_id,
                state=group.metadata.state.value,
                protocol_type=PROTOCOL_TYPE,
                kind="consumer",
            )
            for group_id, group in self.all.items()
            if group.metadata.is_there
        ]

    # --- heartbeats -----------------------------------------------------------------------------

    def beat(self, beat: ConsumerBeat, then: BeatThen) -> None:
        """A member of a group joins, goes on or leaves (KIP-848)."""
        try:
            self._beat(beat, then)
        except Refusal as refusal:
            then(ConsumerBeatAnswer(error=refusal.error, message=refusal.message))

    def _beat(self, beat: ConsumerBeat, then: BeatThen) -> None:
        group = self.all.get(beat.group_id)
        if beat.epoch != JOIN_EPOCH:
            (group or self.named(beat.group_id)).beat(beat, then)
            return
        if not beat.member_id:
            beat = replace(beat, member_id=id_to_text(self._out.new_id()))
        if group is None and beat.group_id in self.elsewhere:
            self.named(beat.group_id)
        if group is None:
            group = self._new(beat.group_id, ConsumerGroupMetadata(beat.group_id))

        def told(answer: ConsumerBeatAnswer) -> None:
            self._tidy(beat.group_id)
            then(answer)

        group.beat(beat, told)
        self._tidy(beat.group_id)

    def _predecessor(self, group_id: str) -> Predecessor | None:
        """The classic group that ceases as this one begins; Refusal where it has members."""
        classic = self._classic.all.get(group_id)
        if classic is None:
            return None
        if classic.metadata.state is GroupState.DEAD:
            raise Refusal(Error.COORDINATOR_NOT_AVAILABLE, f"Group {group_id} is being deleted.")
        if not classic.metadata.is_idle:
            raise Refusal(
                Error.GROUP_ID_NOT_FOUND,
                f"Classic group {group_id} has members. Spindle makes a consumer group of it once "
                "they have left.",
            )
        record = self._classic.take_out(classic)

        def revive() -> None:
            if classic.metadata.state is GroupState.DEAD:
                classic.reopen()

        def bury() -> None:
            self._out.say("info", "classic group became a consumer group", group=group_id)
            self._classic.on_written(record)

        return Predecessor(record, revive, bury)

    # --- from and to classic groups ---------------------------------------------------------------

    def join(self, ask: Join, then: JoinThen, go_on: Callable[[], None]) -> None:
        """A classic client joins: an empty group ceases, and then it can (`go_on`)."""
        if ask.member_id:
            then(JoinAnswer(error=Error.UNKNOWN_MEMBER_ID, member_id=ask.member_id))
            return

        def refuse(refusal: Refusal) -> None:
            error = refusal.error
            if error is Error.NON_EMPTY_GROUP:
                # Classic members inside a consumer group are not served.
                error = Error.INCONSISTENT_GROUP_PROTOCOL
            then(JoinAnswer(error=error, member_id=ask.member_id))

        def gone(first: int) -> None:
            self._out.say("info", "consumer group became a classic group", group=ask.group_id)
            go_on()

        self.remove(ask.group_id, list, gone, refuse)

    def remove(
        self,
        group_id: str,
        others: Callable[[], list[CoordinatorRecord]],
        then: Callable[[int], None],
        refuse: Callable[[Refusal], None],
    ) -> None:
        """An empty group goes, with `others` (the records that remove its offsets)."""

        def gone(first: int) -> None:
            self._tidy(group_id)
            then(first)

        self.all[group_id].remove(others, gone, refuse)

    def empty(self) -> Iterable[str]:
        """The groups without members, with which nothing happens now."""
        return [
            group_id
            for group_id, group in self.all.items()
            if group.is_idle and group.metadata.is_there and not group.metadata.members
        ]

    def _new(self, group_id: str, metadata: ConsumerGroupMetadata) -> ConsumerGroup:
        group = ConsumerGroup(
            metadata, self.around, self._out, self._append, lambda: self._predecessor(group_id)
        )
        self.all[group_id] = group
        return group

    def _tidy(self, group_id: str) -> None:
        """A group of which nothing has come, or nothing is left, is forgotten."""
        group = self.all.get(group_id)
        if group is not None and group.is_idle and not group.metadata.is_there:
            del self.all[group_id]
