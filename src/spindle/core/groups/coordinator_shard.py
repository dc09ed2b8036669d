"""The coordinator of the groups of one partition of `__consumer_offsets`.

Composes the groups (`group_metadata_manager`) and their committed offsets
(`offset_metadata_manager`); rebuilt by replaying the partition. Everything that must survive is
appended through the function it is given, counts only once that is committed, and is answered only
then. `node.groups` makes one for each partition this broker leads, gives it
the partition's records, and closes it when another broker leads. It never knows bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Final

from spindle.core.groups.consumer_groups import ConsumerGroups
from spindle.core.groups.consumer_values import ConsumerSurroundings, EpochRecord
from spindle.core.groups.group import ClassicGroup
from spindle.core.groups.group_metadata_manager import Append, GroupMetadataManager
from spindle.core.groups.group_states import TABLE, GroupInput, GroupState, GroupStep
from spindle.core.groups.group_values import (
    CONSUMER,
    Committed,
    CoordinatorRecord,
    GroupLimits,
    GroupRecord,
    GroupView,
    Join,
    JoinAnswer,
    MemberIdentity,
    OffsetRecord,
    Sync,
    SyncAnswer,
)
from spindle.core.groups.members import JoinThen, SyncThen
from spindle.core.groups.offset_metadata_manager import OffsetMetadataManager
from spindle.core.groups.retention import expired, expired_of
from spindle.core.groups.share_group import ShareStates
from spindle.core.groups.share_group_values import OfShareGroup
from spindle.core.groups.share_groups import ShareGroups
from spindle.core.groups.turns import AppendSurely
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.model.outbox import Outbox

AppendIn = Callable[[tuple[int, int], list[CoordinatorRecord], Callable[[int | Error], None]], None]
"""As `Append`, in the transaction of a producer (id, epoch)."""

NEWEST_COMMIT: Final = 10
"""The newest version of OffsetCommit."""
TOMBSTONES_MAX: Final = 1_000
"""Tombstones in one batch."""


class _GroupNames:
    """The names that groups of some kinds have."""

    def __init__(self, *kinds: Callable[[], Container[str]]) -> None:
        self._kinds = kinds

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and any(name in kind() for kind in self._kinds)


class GroupCoordinatorShard:
    """Groups and offsets of one partition. Before `on_loaded` it only replays."""

    def __init__(
        self,
        limits: GroupLimits,
        out: Outbox,
        append: Append,
        append_in: AppendIn,
        append_surely: AppendSurely,
        around: ConsumerSurroundings,
        states: ShareStates,
    ) -> None:
        self.groups = GroupMetadataManager(limits, out, append)
        self.consumers = ConsumerGroups(self.groups, around, out, append_surely)
        others = _GroupNames(lambda: self.groups.all, lambda: self.consumers.all)
        self.shares = ShareGroups(others, around, out, append_surely, states)
        self.groups.elsewhere = _GroupNames(lambda: self.consumers.all, lambda: self.shares.all)
        self.consumers.elsewhere = _GroupNames(lambda: self.shares.all)
        self.offsets = OffsetMetadataManager()
        self._limits = limits
        self._out = out
        self._append = append
        self._append_in = append_in

    def replay(self, record: CoordinatorRecord, at: int) -> None:
        """Take in one record of the partition, at this offset. Tombstones free what they name."""
        if isinstance(record, OffsetRecord):
            self._put(record, at)
        elif isinstance(record, GroupRecord):
            self.groups.replay(record)
        elif isinstance(record, OfShareGroup):
            self.shares.replay(record)
        else:
            self.consumers.replay(record)
            if isinstance(record, EpochRecord) and record.value is None:
                self.groups.on_consumer_group_gone(record.group_id)

    def on_loaded(self) -> None:
        """All is replayed: groups live from now on, and their members' sessions begin."""
        self.consumers.on_loaded()
        self.shares.on_loaded()
        self.groups.on_loaded(self.offsets.groups())

    def close(self) -> None:
        """Another broker leads now: all waiting clients are sent there."""
        self.groups.close()
        self.consumers.close()
        self.shares.close()
        self.offsets = OffsetMetadataManager()

    def join(self, ask: Join, then: JoinThen) -> None:
        """A client joins a group, which begins to exist if it asks for an id."""
        if self.consumers.join(ask, then, lambda: self.join(ask, then)):
            return
        if ask.group_id in self.shares.all:
            error = Error.UNKNOWN_MEMBER_ID if ask.member_id else Error.INCONSISTENT_GROUP_PROTOCOL
            then(JoinAnswer(error=error, member_id=ask.member_id))
            return
        group = self.groups.join(ask, then)
        if group is None or not group.metadata.is_idle or group.metadata.generation:
            return
        if not self.offsets.named(ask.group_id):
            self.groups.all.pop(ask.group_id, None)  # A refused join leaves nothing behind.

    def sync(self, ask: Sync, then: SyncThen) -> None:
        """A member asks for its assignment."""
        consumers = self.consumers.serving(ask.group_id)
        group = self.groups.all.get(ask.group_id)
        if consumers is not None:
            consumers.sync(ask, then, lambda: self.sync(ask, then))
        elif group is None:
            then(SyncAnswer(error=Error.UNKNOWN_MEMBER_ID))
        else:
            group.sync(ask, then)

    def heartbeat(self, who: MemberIdentity) -> Error:
        """A member is alive."""
        consumers = self.consumers.find(who.group_id)
        if consumers is not None:
            return consumers.heartbeat(who)
        group = self.groups.all.get(who.group_id)
        return Error.UNKNOWN_MEMBER_ID if group is None else group.heartbeat(who)

    def leave(
        self,
        group_id: str,
        members: Sequence[tuple[str, str | None]],
        then: Callable[[list[Error]], None],
    ) -> None:
        """Members (id, instance id) leave; an error for each."""
        consumers = self.consumers.find(group_id)
        if consumers is not None:
            consumers.leave(members, then)
            return
        group = self.groups.all.get(group_id)
        if group is None:
            then([Error.UNKNOWN_MEMBER_ID for _ in members])
            return
        then([group.leave(member_id, instance_id) for member_id, instance_id in members])

    def commit(
        self,
        who: MemberIdentity,
        offsets: dict[TopicPartition, Committed],
        then: Callable[[dict[TopicPartition, Error]], None],
        producer: tuple[int, int] | None = None,
        version: int = NEWEST_COMMIT,
        refuse: Callable[[Refusal], None] | None = None,
    ) -> None:
        """Commit offsets; an error for each partition, after they are committed to the log.

        Refusal, at once or by `refuse`, where the group will not have any of them. `producer` (id,
        epoch): in its transaction, at whose end they count (KIP-98, KIP-447). `version`: of
        OffsetCommit.
        """

        def commit() -> None:
            self._commit(who.group_id, offsets, then, producer)

        def refused(refusal: Refusal) -> None:
            then(dict.fromkeys(offsets, refusal.error))

        partitions = [(value.topic_id, p.partition) for p, value in offsets.items()]
        spoken = None if producer is not None else version

        def otherwise() -> None:
            self.commit(who, offsets, then, producer, version, refuse)

        if self.consumers.admit(who, partitions, spoken, commit, refuse or refused, otherwise):
            return
        if who.group_id in self.shares.all:
            raise Refusal(
                Error.GROUP_ID_NOT_FOUND, f"{who.group_id} is a share group: it commits no offsets"
            )
        group = self.groups.all.get(who.group_id)
        error = _may_commit(group, who, producer is not None)
        if error:
            raise Refusal(error, f"{who.group_id}: no commit by {who.member_id or 'a client'} now")
        commit()

    def _commit(
        self,
        group_id: str,
        offsets: dict[TopicPartition, Committed],
        then: Callable[[dict[TopicPartition, Error]], None],
        producer: tuple[int, int] | None,
    ) -> None:
        answers: dict[TopicPartition, Error] = {}
        records: list[CoordinatorRecord] = []
        for partition, value in offsets.items():
            if len(value.metadata) > self._limits.metadata_max:
                answers[partition] = Error.OFFSET_METADATA_TOO_LARGE
            else:
                records.append(OffsetRecord(group_id, partition, value))
        if not records:
            then(answers)
            return

        def committed(result: int | Error) -> None:
            if not isinstance(result, Error):
                self.on_late(records, result, None if producer is None else producer[0])
            outcome = _commit_error(result) if isinstance(result, Error) else Error.NONE
            answers.update({r.partition: outcome for r in records if isinstance(r, OffsetRecord)})
            then({partition: answers[partition] for partition in offsets})

        if producer is None:
            self._append(records, committed)
        else:
            self._append_in(producer, records, committed)

    def fetch(
        self, group_id: str, partitions: Iterable[TopicPartition] | None
    ) -> dict[TopicPartition, Committed | None]:
        """Committed offsets of these partitions (None: of all that have one)."""
        return self.offsets.fetch(group_id, partitions)

    def hold(self, producer_id: int, record: OffsetRecord, at: int) -> None:
        """An offset was committed, at this offset of the partition, in an open transaction."""
        self.offsets.hold(producer_id, record, at)
        self.groups.ensure(record.group_id)

    def on_marker(self, producer_id: int, at: int, committed: bool) -> None:
        """A producer's transaction has ended with the marker at this offset of the partition."""
        for record in self.offsets.pending.take(producer_id, at):
            if committed and record.value is not None:
                self._put(record, record.value.at)

    def delete_offsets(
        self,
        group_id: str,
        partitions: Sequence[TopicPartition],
        then: Callable[[dict[TopicPartition, Error]], None],
    ) -> None:
        """Forget offsets of partitions without a subscriber; an error for each (KIP-496)."""
        subscribed = _subscribed(self.consumers, self.groups, group_id)
        answers: dict[TopicPartition, Error] = {}
        for partition in partitions:
            is_held = subscribed is None or partition.topic in subscribed
            answers[partition] = Error.GROUP_SUBSCRIBED_TO_TOPIC if is_held else Error.NONE
        known = self.offsets.named(group_id)
        gone = [p for p, error in answers.items() if not error and p in known]

        def removed(error: Error) -> None:
            for partition in gone:
                answers[partition] = error
            then(answers)

        self._remove([OffsetRecord(group_id, p, None) for p in gone], removed)

    def on_topics_deleted(self, topics: Iterable[str]) -> None:
        """Offsets of deleted topics go, for each group."""
        self._remove(list(self.offsets.tombstones(topics)), lambda error: None)

    def expire(self) -> None:
        """Forget offsets that are older than the retention, and groups of which nothing is left."""
        now_ms = self._out.wall_ms
        records: list[CoordinatorRecord] = []
        for group_id, group in self.groups.all.items():
            if group.metadata.state is GroupState.DEAD:
                continue
            offsets = self.offsets.of(group_id)
            undecided = self.offsets.pending.of(group_id)
            old = expired(group.metadata, offsets, now_ms, self._limits.retention)
            old = [partition for partition in old if partition not in undecided]
            records += [OffsetRecord(group_id, partition, None) for partition in old]
            if group.metadata.is_idle and not undecided and len(old) == len(offsets):
                records.append(self.groups.take_out(group))
        records += self._expired_of_consumers(now_ms)
        if records:
            self._out.say("info", "offsets expired", tombstones=len(records))
        self._remove(records, lambda error: None)

    def _expired_of_consumers(self, now_ms: int) -> list[CoordinatorRecord]:
        """Offsets of topics that no member subscribes to; a group goes with the last of them."""
        records: list[CoordinatorRecord] = []
        for group_id, group in tuple(self.consumers.all.items()):
            if not group.metadata.is_there:
                continue
            offsets = self.offsets.of(group_id)
            undecided = self.offsets.pending.of(group_id)
            old: list[CoordinatorRecord] = [
                OffsetRecord(group_id, partition, None)
                for partition in expired_of(
                    group.metadata.subscribed_topics(), offsets, now_ms, self._limits.retention
                )
                if partition not in undecided
            ]
            is_bare = not undecided and len(old) == len(offsets)
            if is_bare and group_id in self.consumers.empty():
                self._remove_consumers(group_id, lambda error: None)
            else:
                records += old
        return records

    def _remove_consumers(self, group_id: str, then: Callable[[Error], None]) -> None:
        """An empty consumer group goes, with its offsets."""

        def offsets() -> list[CoordinatorRecord]:
            removed.extend(OffsetRecord(group_id, p, None) for p in self.offsets.named(group_id))
            return [*removed]

        def gone(first: int) -> None:
            for at, record in enumerate(removed, first):
                self._put(record, at)
            then(Error.NONE)

        removed: list[OffsetRecord] = []
        self.consumers.remove(group_id, offsets, gone, lambda refusal: then(refusal.error))

    def describe(self, group_id: str) -> GroupView | None:
        """A group as it stands, or None."""
        group = self.groups.all.get(group_id)
        return None if group is None else group.metadata.view()

    def views(self) -> list[GroupView]:
        """All groups, without their members."""
        return [
            *self.consumers.views(),
            *self.shares.views(),
            *(
                GroupView(
                    group_id=id,
                    state=g.metadata.state.value,
                    protocol_type=g.metadata.protocol_type,
                )
                for id, g in self.groups.all.items()
            ),
        ]

    def delete_group(self, group_id: str, then: Callable[[Error], None]) -> None:
        """Delete an empty group with its offsets; the answer once that is committed."""
        if self.consumers.find(group_id) is not None:
            self._remove_consumers(group_id, then)
            return
        if self.shares.find(group_id) is not None:
            self.shares.remove(group_id, then)
            return
        group = self.groups.all.get(group_id)
        if group is None:
            then(Error.GROUP_ID_NOT_FOUND)
            return
        step = TABLE[group.metadata.state, GroupInput.DELETE]
        if isinstance(step, Error):
            then(step)
            return
        assert step is GroupStep.ACCEPT
        records: list[CoordinatorRecord] = [
            OffsetRecord(group_id, partition, None) for partition in self.offsets.named(group_id)
        ]
        self._remove([*records, self.groups.take_out(group)], then)

    def _remove(self, tombstones: list[CoordinatorRecord], then: Callable[[Error], None]) -> None:
        """Append tombstones, as many batches as it takes; forget what they name once committed."""
        if not tombstones:
            then(Error.NONE)
            return
        now, later = tombstones[:TOMBSTONES_MAX], tombstones[TOMBSTONES_MAX:]

        def removed(result: int | Error) -> None:
            if isinstance(result, Error):
                self.groups.on_refused(tombstones)
                then(result)
            else:
                self._apply(now, result)
                self._remove(later, then)

        self._append(now, removed)

    def on_late(
        self, records: list[CoordinatorRecord], first: int, producer_id: int | None = None
    ) -> None:
        """An append that was given up has been committed after all, at this offset."""
        if producer_id is None:
            self._apply(records, first)
        else:
            for at, record in enumerate(records, first):
                assert isinstance(record, OffsetRecord)
                self.hold(producer_id, record, at)

    def _apply(self, records: list[CoordinatorRecord], first: int) -> None:
        for at, record in enumerate(records, first):
            if isinstance(record, GroupRecord):
                self.groups.on_written(record)
            elif isinstance(record, OffsetRecord):
                self._put(record, at)
            else:
                raise AssertionError(f"{record} is its consumer group's to write")

    def _put(self, record: OffsetRecord, at: int) -> None:
        if self.offsets.put(record, at) and record.value is not None:
            self.groups.ensure(record.group_id)


def _commit_error(error: Error) -> Error:
    # A batch that is too large for the log: the client can only commit less at once.
    return Error.INVALID_COMMIT_OFFSET_SIZE if error is Error.UNKNOWN_SERVER_ERROR else error


def _subscribed(
    consumers: ConsumerGroups, groups: GroupMetadataManager, group_id: str
) -> set[str] | None:
    """Topics that a group's members subscribe to; None where they do not say."""
    found = consumers.find(group_id)
    if found is not None:
        return found.metadata.subscribed_topics()
    group = groups.all.get(group_id)
    if group is None:
        raise Refusal(Error.GROUP_ID_NOT_FOUND, f"group {group_id} does not exist")
    if group.metadata.state is not GroupState.EMPTY and group.metadata.protocol_type != CONSUMER:
        raise Refusal(Error.NON_EMPTY_GROUP, f"group {group_id} has members")
    return group.metadata.subscribed_topics()


def _may_commit(group: ClassicGroup | None, who: MemberIdentity, in_transaction: bool) -> Error:
    if group is not None:
        return group.may_commit(who, in_transaction)
    # The first commit of a consumer that assigns its own partitions makes the group.
    return Error.NONE if who.generation < 0 else Error.GROUP_ID_NOT_FOUND
