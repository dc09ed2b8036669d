"""The coordinator of the groups of one partition of `__consumer_offsets`.

Holds the groups and their committed offsets; rebuilt by replaying the partition. Everything that
must survive is appended through the function it is given, counts only once that is committed,
and is answered only then. `node.groups` makes one for each partition this broker leads, gives it
the partition's records, and closes it when another broker leads. It never knows bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from spindle.core.groups.group import ClassicGroup
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
    StoredGroup,
    Sync,
    SyncAnswer,
)
from spindle.core.groups.members import JoinThen, SyncThen
from spindle.core.groups.pending import Pending
from spindle.core.groups.retention import expired
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.model.outbox import Outbox

Append = Callable[[list[CoordinatorRecord], Callable[[int | Error], None]], None]
"""Append records as one batch; the continuation gets the first one's offset once committed."""

AppendIn = Callable[[tuple[int, int], list[CoordinatorRecord], Callable[[int | Error], None]], None]
"""The same in the transaction of a producer (id, epoch)."""

Offsets = dict[TopicPartition, Committed]

TOMBSTONES_MAX: Final = 1_000
"""Tombstones in one batch."""


class GroupCoordinatorShard:
    """Groups and offsets of one partition. Before `on_loaded` it only replays."""

    def __init__(
        self, limits: GroupLimits, out: Outbox, append: Append, append_in: AppendIn
    ) -> None:
        self.groups: dict[str, ClassicGroup] = {}
        self.offsets: dict[str, Offsets] = {}
        self._limits = limits
        self._out = out
        self.pending = Pending()
        """Offsets of transactions that are open."""
        self._append = append
        self._append_in = append_in
        self._is_loaded = False
        self._stored: dict[str, StoredGroup] = {}
        """What replay has found so far."""

    # --- loading --------------------------------------------------------------------------------

    def replay(self, record: CoordinatorRecord, at: int) -> None:
        """Take in one record of the partition, at this offset. Tombstones free what they name."""
        if isinstance(record, OffsetRecord):
            self._put(record, at)
        elif record.value is None:
            self._stored.pop(record.group_id, None)
        else:
            self._stored[record.group_id] = record.value

    def on_loaded(self) -> None:
        """All is replayed: groups live from now on, and their members' sessions begin."""
        for group_id, stored in self._stored.items():
            self._new_group(group_id).restore(stored)
        self._stored = {}
        self._is_loaded = True
        for group_id in (*self.offsets, *self.pending.groups()):
            if group_id not in self.groups:
                self._new_group(group_id)

    def close(self) -> None:
        """Another broker leads now: all waiting clients are sent there."""
        for group in self.groups.values():
            group.close(Error.NOT_COORDINATOR)
        self.groups = {}
        self.offsets = {}
        self.pending = Pending()

    # --- membership -----------------------------------------------------------------------------

    def join(self, ask: Join, then: JoinThen) -> None:
        """A client joins a group, which begins to exist if it asks for an id."""
        error = self._check_join(ask)
        group = self.groups.get(ask.group_id)
        if not error and group is None:
            if ask.member_id:
                error = Error.UNKNOWN_MEMBER_ID
            else:
                group = self._new_group(ask.group_id)
        if error or group is None:
            then(JoinAnswer(error=error, member_id=ask.member_id))
            return
        group.join(ask, then)
        self._drop_if_unused(group)

    def _check_join(self, ask: Join) -> Error:
        if not self._limits.session_min <= ask.session_timeout <= self._limits.session_max:
            return Error.INVALID_SESSION_TIMEOUT
        return Error.NONE

    def sync(self, ask: Sync, then: SyncThen) -> None:
        """A member asks for its assignment."""
        group = self.groups.get(ask.group_id)
        if group is None:
            then(SyncAnswer(error=Error.UNKNOWN_MEMBER_ID))
        else:
            group.sync(ask, then)

    def heartbeat(self, who: MemberIdentity) -> Error:
        """A member is alive."""
        group = self.groups.get(who.group_id)
        return Error.UNKNOWN_MEMBER_ID if group is None else group.heartbeat(who)

    def leave(self, group_id: str, members: Sequence[tuple[str, str | None]]) -> list[Error]:
        """Members (id, instance id) leave; an error for each."""
        group = self.groups.get(group_id)
        if group is None:
            return [Error.UNKNOWN_MEMBER_ID for _ in members]
        return [group.leave(member_id, instance_id) for member_id, instance_id in members]

    # --- offsets --------------------------------------------------------------------------------

    def commit(
        self,
        who: MemberIdentity,
        offsets: dict[TopicPartition, Committed],
        then: Callable[[dict[TopicPartition, Error]], None],
        producer: tuple[int, int] | None = None,
    ) -> None:
        """Commit offsets; an error for each partition, after they are committed to the log.

        Refusal where the group will not have any of them. `producer` (id, epoch): in its
        transaction, at whose end they count (KIP-98, KIP-447).
        """
        group = self.groups.get(who.group_id)
        error = self._may_commit(group, who, producer is not None)
        if error:
            raise Refusal(error, f"{who.group_id}: no commit by {who.member_id or 'nobody'} now")
        answers: dict[TopicPartition, Error] = {}
        records: list[CoordinatorRecord] = []
        for partition, value in offsets.items():
            if len(value.metadata) > self._limits.metadata_max:
                answers[partition] = Error.OFFSET_METADATA_TOO_LARGE
            else:
                records.append(OffsetRecord(who.group_id, partition, value))
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

    def _may_commit(
        self, group: ClassicGroup | None, who: MemberIdentity, in_transaction: bool
    ) -> Error:
        if group is not None:
            return group.may_commit(who, in_transaction)
        # The first commit of a consumer that assigns its own partitions makes the group.
        return Error.NONE if who.generation < 0 else Error.GROUP_ID_NOT_FOUND

    def fetch(
        self, group_id: str, partitions: Iterable[TopicPartition] | None
    ) -> dict[TopicPartition, Committed | None]:
        """Committed offsets of these partitions (None: of all that have one)."""
        known = self.offsets.get(group_id, {})
        if partitions is None:
            return dict(known)
        return {partition: known.get(partition) for partition in partitions}

    # --- offsets in transactions ------------------------------------------------------------------

    def _hold(self, producer_id: int, records: list[CoordinatorRecord], first: int) -> None:
        for at, record in enumerate(records, first):
            assert isinstance(record, OffsetRecord)
            self.hold(producer_id, record, at)

    def hold(self, producer_id: int, record: OffsetRecord, at: int) -> None:
        """An offset was committed, at this offset of the partition, in an open transaction."""
        assert record.value is not None, "nothing is removed in a transaction"
        value = replace(record.value, at=at)
        self.pending.add(producer_id, replace(record, value=value))
        self._ensure_group(record.group_id)

    def on_marker(self, producer_id: int, at: int, committed: bool) -> None:
        """A producer's transaction has ended with the marker at this offset of the partition."""
        for record in self.pending.take(producer_id, at):
            if committed and record.value is not None:
                self._put(record, record.value.at)

    def delete_offsets(
        self,
        group_id: str,
        partitions: Sequence[TopicPartition],
        then: Callable[[dict[TopicPartition, Error]], None],
    ) -> None:
        """Forget offsets of partitions without a subscriber; an error for each (KIP-496)."""
        group = self.groups.get(group_id)
        if group is None:
            raise Refusal(Error.GROUP_ID_NOT_FOUND, f"group {group_id} does not exist")
        if group.state is not GroupState.EMPTY and group.protocol_type != CONSUMER:
            raise Refusal(Error.NON_EMPTY_GROUP, f"group {group_id} has members")
        subscribed = group.subscribed_topics()
        answers: dict[TopicPartition, Error] = {}
        for partition in partitions:
            is_held = subscribed is None or partition.topic in subscribed
            answers[partition] = Error.GROUP_SUBSCRIBED_TO_TOPIC if is_held else Error.NONE
        known = self._named(group_id)
        gone = [p for p, error in answers.items() if not error and p in known]

        def removed(error: Error) -> None:
            for partition in gone:
                answers[partition] = error
            then(answers)

        self._remove([OffsetRecord(group_id, p, None) for p in gone], removed)

    def on_topics_deleted(self, topics: Iterable[str]) -> None:
        """Offsets of deleted topics go, for each group."""
        names = set(topics)
        self._remove(
            [
                OffsetRecord(group_id, partition, None)
                for group_id in dict.fromkeys((*self.offsets, *self.pending.groups()))
                for partition in self._named(group_id)
                if partition.topic in names
            ],
            lambda error: None,
        )

    def expire(self) -> None:
        """Forget offsets that are older than the retention, and groups of which nothing is left."""
        now_ms = self._out.wall_ms
        records: list[CoordinatorRecord] = []
        for group_id, group in self.groups.items():
            if group.state is GroupState.DEAD:
                continue
            offsets = self.offsets.get(group_id, {})
            undecided = self.pending.of(group_id)
            old = expired(group, offsets, now_ms, self._limits.retention)
            old = [partition for partition in old if partition not in undecided]
            records += [OffsetRecord(group_id, partition, None) for partition in old]
            if group.is_idle and not undecided and len(old) == len(offsets):
                records += self._take_out(group)
        if records:
            self._out.say("info", "offsets expired", tombstones=len(records))
        self._remove(records, lambda error: None)

    # --- administration -------------------------------------------------------------------------

    def describe(self, group_id: str) -> GroupView | None:
        """A group as it stands, or None."""
        group = self.groups.get(group_id)
        return None if group is None else group.view()

    def views(self) -> list[GroupView]:
        """All groups, without their members."""
        return [
            GroupView(group_id=g.group_id, state=g.state.value, protocol_type=g.protocol_type)
            for g in self.groups.values()
        ]

    def delete_group(self, group_id: str, then: Callable[[Error], None]) -> None:
        """Delete an empty group with its offsets; the answer once that is committed."""
        group = self.groups.get(group_id)
        if group is None:
            then(Error.GROUP_ID_NOT_FOUND)
            return
        step = TABLE[group.state, GroupInput.DELETE]
        if isinstance(step, Error):
            then(step)
            return
        assert step is GroupStep.ACCEPT
        records: list[CoordinatorRecord] = [
            OffsetRecord(group_id, partition, None) for partition in self._named(group_id)
        ]
        self._remove(records + self._take_out(group), then)

    # --- records --------------------------------------------------------------------------------

    def _take_out(self, group: ClassicGroup) -> list[CoordinatorRecord]:
        """Admit no member from now on; it is gone once this record is committed."""
        group.close(Error.COORDINATOR_NOT_AVAILABLE)
        return [GroupRecord(group.group_id, None)]

    def _remove(self, tombstones: list[CoordinatorRecord], then: Callable[[Error], None]) -> None:
        """Append tombstones, as many batches as it takes; forget what they name once committed."""
        if not tombstones:
            then(Error.NONE)
            return
        now, later = tombstones[:TOMBSTONES_MAX], tombstones[TOMBSTONES_MAX:]

        def removed(result: int | Error) -> None:
            if isinstance(result, Error):
                self._reopen(tombstones)
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
            self._hold(producer_id, records, first)

    def _reopen(self, tombstones: list[CoordinatorRecord]) -> None:
        for record in tombstones:
            group = self.groups.get(record.group_id)
            if isinstance(record, GroupRecord) and group is not None:
                group.reopen()

    def _apply(self, records: list[CoordinatorRecord], first: int) -> None:
        for at, record in enumerate(records, first):
            if isinstance(record, GroupRecord):
                self._bury(record)
            else:
                self._put(record, at)

    def _bury(self, record: GroupRecord) -> None:
        group = self.groups.get(record.group_id)
        # A tombstone that came too late found its group reopened: that one lives on.
        if record.value is None and group is not None and group.state is GroupState.DEAD:
            del self.groups[record.group_id]

    def _put(self, record: OffsetRecord, at: int) -> None:
        """An offset, or its removal, counts that stands at this offset of the partition.

        The log's order decides, while we live as when the log is replayed: answers of two commits
        may cross, and a transaction's offsets count later than others that were written after them.
        """
        group_id, partition = record.group_id, record.partition
        known = self.offsets.get(group_id, {}).get(partition)
        if record.value is None:
            self.pending.forget(group_id, partition, at)
        if known is not None and known.at >= at:
            return
        if record.value is not None:
            self._ensure_group(group_id)
            value = replace(record.value, at=at)
            self.offsets.setdefault(group_id, {})[partition] = value
        elif known is not None:
            offsets = self.offsets[group_id]
            del offsets[partition]
            if not offsets:
                del self.offsets[group_id]

    def _named(self, group_id: str) -> dict[TopicPartition, None]:
        """The partitions for which a group has an offset, or will if a transaction commits."""
        return dict.fromkeys((*self.offsets.get(group_id, ()), *self.pending.of(group_id)))

    def _ensure_group(self, group_id: str) -> None:
        if self._is_loaded and group_id not in self.groups:
            self._new_group(group_id)

    def _new_group(self, group_id: str) -> ClassicGroup:
        group = ClassicGroup(group_id, self._limits, self._out, self._store)
        self.groups[group_id] = group
        return group

    def _drop_if_unused(self, group: ClassicGroup) -> None:
        # A refused join leaves nothing behind.
        if group.is_idle and group.generation == 0 and not self._named(group.group_id):
            self.groups.pop(group.group_id, None)

    def _store(self, record: GroupRecord, then: Callable[[Error], None]) -> None:
        self._append([record], lambda r: then(r if isinstance(r, Error) else Error.NONE))


def _commit_error(error: Error) -> Error:
    # A batch that is too large for the log: the client can only commit less at once.
    return Error.INVALID_COMMIT_OFFSET_SIZE if error is Error.UNKNOWN_SERVER_ERROR else error
