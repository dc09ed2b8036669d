"""The consumer groups of KIP-848 of one partition of `__consumer_offsets`.

Makes, finds, restores and buries them, and turns classic groups into them and back. Knows no
offsets. Called by `core.groups.coordinator_shard`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace

from spindle.core.groups import consumer_identities as identities
from spindle.core.groups.consumer_conversion import Downgrade, check_upgrade, upgraded
from spindle.core.groups.consumer_group import (
    BeatThen,
    ConsumerGroup,
    Neighbours,
    Predecessor,
)
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
    GroupRecord,
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
        otherwise: Callable[[], None],
    ) -> bool:
        """A member of one of these groups commits: `then`, once it may. False: of no such group.

        `version`: of OffsetCommit; None: in a transaction. `otherwise`: the group is a classic one.
        """
        group = self.serving(who.group_id)
        if group is None:
            return False

        def act() -> None:
            if not group.metadata.is_there and who.group_id in self._classic.all:
                otherwise()
                return
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
        group.beat(beat, then)

    def _predecessor(self, group_id: str) -> Predecessor | None:
        """The classic group that ceases as this one begins; Refusal where it cannot."""
        classic = self._classic.all.get(group_id)
        if classic is None:
            return None
        was = classic.metadata.state
        if was is GroupState.DEAD:
            raise Refusal(Error.COORDINATOR_NOT_AVAILABLE, f"Group {group_id} is being deleted.")
        group = ConsumerGroupMetadata(group_id)
        records: tuple[ConsumerRecord, ...] = ()
        if was is not GroupState.EMPTY:
            check_upgrade(classic.metadata, self.around.limits(group_id))
            records = upgraded(classic.metadata, self.around)
        for record in records:
            group.apply(record)
        tombstone = GroupRecord(group_id, None)

        def revive() -> None:
            if classic.metadata.state is GroupState.DEAD:
                classic.resume(was)

        def bury() -> None:
            self._out.say("info", "classic group became a consumer group", group=group_id)
            self._classic.on_written(tombstone)

        return Predecessor(
            group=group,
            records=(tombstone, *records),
            suspend=lambda: classic.close(Error.REBALANCE_IN_PROGRESS),
            revive=revive,
            bury=bury,
        )

    # --- classic clients, and classic groups ------------------------------------------------------

    def serving(self, group_id: str) -> ConsumerGroup | None:
        """The group that classic clients are to ask: it is there, or a batch decides whether."""
        group = self.all.get(group_id)
        if group is None or not (group.metadata.is_there or group.is_writing):
            return None
        return group

    def join(self, ask: Join, then: JoinThen, otherwise: Callable[[], None]) -> bool:
        """A classic client joins one of these groups, with (or without) members of its protocol.
        False: of no such group. `otherwise`: its group is none of these any more."""
        group = self.serving(ask.group_id)
        if group is None:
            return False
        limits = self._classic.limits
        if not limits.session_min <= ask.session_timeout <= limits.session_max:
            then(JoinAnswer(error=Error.INVALID_SESSION_TIMEOUT, member_id=ask.member_id))
        else:
            group.join(ask, then, otherwise)
        return True

    def _succeed(self, group_id: str, after: Downgrade, rejoins: bool) -> None:
        self._classic.adopt(group_id, after.stored, after.protocols, rejoins)

    def remove(
        self,
        group_id: str,
        others: Callable[[], list[CoordinatorRecord]],
        then: Callable[[int], None],
        refuse: Callable[[Refusal], None],
    ) -> None:
        """An empty group goes, with `others` (the records that remove its offsets)."""
        self.all[group_id].remove(others, then, refuse)

    def empty(self) -> Iterable[str]:
        """The groups without members, with which nothing happens now."""
        return [
            group_id
            for group_id, group in self.all.items()
            if group.is_idle and group.metadata.is_there and not group.metadata.members
        ]

    def _new(self, group_id: str, metadata: ConsumerGroupMetadata) -> ConsumerGroup:
        group = ConsumerGroup(
            metadata,
            self.around,
            self._out,
            self._append,
            Neighbours(
                lambda: self._predecessor(group_id),
                lambda after, rejoins: self._succeed(group_id, after, rejoins),
                lambda: self._forget(group_id),
            ),
        )
        self.all[group_id] = group
        return group

    def _forget(self, group_id: str) -> None:
        self.all.pop(group_id, None)
