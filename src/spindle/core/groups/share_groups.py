"""The share groups of one partition of `__consumer_offsets` (KIP-932).

Makes, finds, restores and buries them. Called by `core.groups.coordinator_shard`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping

from spindle.core.groups.consumer_values import JOIN_EPOCH, ConsumerSurroundings
from spindle.core.groups.group_values import GroupView
from spindle.core.groups.share_group import ErrorsThen, Refuse, ShareGroup, ShareStates
from spindle.core.groups.share_group_metadata import ShareGroupMetadata
from spindle.core.groups.share_group_values import (
    PartitionErrors,
    ShareBeat,
    ShareBeatAnswer,
    ShareBeatThen,
    ShareGroupRecord,
    ShareGroupView,
)
from spindle.core.groups.turns import AppendSurely
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicId
from spindle.model.outbox import Outbox

PROTOCOL_TYPE = "share"


class ShareGroups:
    """The groups by id. Before `on_loaded` they are values that replay has found."""

    def __init__(
        self,
        others: Container[str],
        around: ConsumerSurroundings,
        out: Outbox,
        append: AppendSurely,
        states: ShareStates,
    ) -> None:
        """`others`: names that groups of another kind have."""
        self.all: dict[str, ShareGroup] = {}
        self._others = others
        self.around = around
        self._out = out
        self._append = append
        self._states = states
        self._stored: dict[str, ShareGroupMetadata] = {}

    def replay(self, record: ShareGroupRecord) -> None:
        """Take in one record of the partition."""
        group = self._stored.get(record.group_id)
        if group is None:
            group = self._stored[record.group_id] = ShareGroupMetadata(record.group_id)
        group.apply(record)

    def on_loaded(self) -> None:
        """All is replayed: groups live from now on."""
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

    def on_topics_deleted(self, topics: Iterable[TopicId]) -> None:
        """Nothing is kept of topics that are gone."""
        gone = tuple(topics)
        for group in tuple(self.all.values()):
            group.forget_topics(gone)

    # --- asking ---------------------------------------------------------------------------------

    def find(self, group_id: str) -> ShareGroup | None:
        """A group that is there."""
        group = self.all.get(group_id)
        return group if group is not None and group.metadata.is_there else None

    def named(self, group_id: str) -> ShareGroup:
        """The same; Refusal GROUP_ID_NOT_FOUND."""
        group = self.find(group_id)
        if group is None:
            self._check_name(group_id)
            raise Refusal(Error.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
        return group

    def _made(self, group_id: str) -> ShareGroup:
        """A group that is there, or one that begins; Refusal where the name is another kind's."""
        group = self.all.get(group_id)
        if group is None:
            self._check_name(group_id)
            group = self._new(group_id, ShareGroupMetadata(group_id))
        return group

    def _check_name(self, group_id: str) -> None:
        if group_id in self._others:
            raise Refusal(Error.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a share group.")

    def describe(self, group_id: str) -> ShareGroupView:
        """A group as it stands; Refusal GROUP_ID_NOT_FOUND."""
        return self.named(group_id).metadata.view()

    def views(self) -> list[GroupView]:
        """All groups, without their members."""
        return [
            GroupView(
                group_id=group_id,
                state=group.metadata.state.value,
                protocol_type=PROTOCOL_TYPE,
                kind="share",
            )
            for group_id, group in self.all.items()
            if group.metadata.is_there
        ]

    # --- happenings -----------------------------------------------------------------------------

    def beat(self, beat: ShareBeat, then: ShareBeatThen) -> None:
        """A member of a group joins, goes on or leaves."""
        group = self.all.get(beat.group_id)
        try:
            if beat.epoch == JOIN_EPOCH:
                group = self._made(beat.group_id)
            else:
                group = group or self.named(beat.group_id)
        except Refusal as refusal:
            then(ShareBeatAnswer(error=refusal.error, message=refusal.message))
            return

        def told(answer: ShareBeatAnswer) -> None:
            self._tidy(beat.group_id)
            then(answer)

        group.beat(beat, told)
        self._tidy(beat.group_id)

    def alter(
        self,
        group_id: str,
        offsets: Mapping[TopicId, Mapping[int, int]],
        names: Mapping[TopicId, str],
        then: ErrorsThen,
        refuse: Refuse,
    ) -> None:
        """A group without members begins at other offsets; one that is not there is made.

        Without offsets none is made: all that was named is unknown.
        """

        def told(errors: PartitionErrors) -> None:
            self._tidy(group_id)
            then(errors)

        def refused(refusal: Refusal) -> None:
            self._tidy(group_id)
            refuse(refusal)

        group = self._made(group_id)
        if offsets or group.metadata.is_there:
            group.alter(offsets, names, told, refused)
        else:
            told({})

    def remove(self, group_id: str, then: Callable[[Error], None]) -> None:
        """An empty group goes."""

        def gone() -> None:
            self._tidy(group_id)
            then(Error.NONE)

        self.named(group_id).remove(gone, lambda refusal: then(refusal.error))

    def _new(self, group_id: str, metadata: ShareGroupMetadata) -> ShareGroup:
        group = ShareGroup(metadata, self.around, self._out, self._append, self._states)
        self.all[group_id] = group
        return group

    def _tidy(self, group_id: str) -> None:
        """A group of which nothing has come, or nothing is left, is forgotten."""
        group = self.all.get(group_id)
        if group is not None and group.is_idle and not group.metadata.is_there:
            del self.all[group_id]
