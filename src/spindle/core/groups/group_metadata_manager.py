"""The groups of one partition of `__consumer_offsets` (Kafka's GroupMetadataManager).

Makes, finds, restores and buries them. Knows no offsets. Called by
`core.groups.coordinator_shard`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping

from spindle.core.groups.group import ClassicGroup
from spindle.core.groups.group_states import GroupState
from spindle.core.groups.group_values import (
    CoordinatorRecord,
    GroupLimits,
    GroupRecord,
    Join,
    JoinAnswer,
    Protocols,
    StoredGroup,
)
from spindle.core.groups.members import JoinThen
from spindle.model.errors import Error
from spindle.model.outbox import Outbox

Append = Callable[[list[CoordinatorRecord], Callable[[int | Error], None]], None]
"""Append records as one batch; the continuation gets the first one's offset once committed."""


class GroupMetadataManager:
    """The groups by id. Before `on_loaded` they are values that replay has found."""

    def __init__(self, limits: GroupLimits, out: Outbox, append: Append) -> None:
        self.all: dict[str, ClassicGroup] = {}
        self.elsewhere: Container[str] = ()
        """Names that groups of another kind have."""
        self.limits = limits
        self._out = out
        self._append = append
        self._is_loaded = False
        self._stored: dict[str, StoredGroup] = {}
        self._converted: dict[str, int] = {}
        """Groups that were consumer groups, with the generations that they have stored since."""

    def replay(self, record: GroupRecord) -> None:
        """Take in one record of the partition. A tombstone frees what it names."""
        if record.value is None:
            self._stored.pop(record.group_id, None)
        else:
            self._stored[record.group_id] = record.value
            if record.group_id in self._converted:
                self._converted[record.group_id] += 1

    def on_consumer_group_gone(self, group_id: str) -> None:
        """Replay has come to the end of a consumer group: what follows may be what it became."""
        self._converted[group_id] = 0

    def on_loaded(self, with_offsets: Iterable[str]) -> None:
        """All is replayed: groups live from now on, and their members' sessions begin."""
        for group_id, stored in self._stored.items():
            if group_id not in self.elsewhere:
                group = self._new(group_id)
                group.restore(stored)
                if self._converted.get(group_id) == 1:
                    # Its first generation was being made, and members that left are not in it.
                    group.rebalance()
        self._stored, self._converted = {}, {}
        self._is_loaded = True
        for group_id in with_offsets:
            self.ensure(group_id)

    def close(self) -> None:
        """Another broker leads now: all waiting clients are sent there."""
        for group in self.all.values():
            # One that was being removed, or going over to KIP-848, has answered its members.
            if group.metadata.state is not GroupState.DEAD:
                group.close(Error.NOT_COORDINATOR)
        self.all = {}

    def ensure(self, group_id: str) -> None:
        """An offset is committed for a group: it exists."""
        if self._is_loaded and group_id not in self.all and group_id not in self.elsewhere:
            self._new(group_id)

    def join(self, ask: Join, then: JoinThen) -> ClassicGroup | None:
        """A client joins a group, which begins to exist if it asks for an id.

        The group that has the join; None where it was refused before.
        """
        error = Error.NONE
        if not self.limits.session_min <= ask.session_timeout <= self.limits.session_max:
            error = Error.INVALID_SESSION_TIMEOUT
        group = self.all.get(ask.group_id)
        if not error and group is None:
            if ask.member_id:
                error = Error.UNKNOWN_MEMBER_ID
            else:
                group = self._new(ask.group_id)
        if error or group is None:
            then(JoinAnswer(error=error, member_id=ask.member_id))
            return None
        group.join(ask, then)
        return group

    def adopt(
        self,
        group_id: str,
        stored: StoredGroup,
        protocols: Mapping[str, Protocols],
        rejoins: bool,
    ) -> None:
        """A consumer group has become a classic one; whether its members must join again."""
        assert group_id not in self.all, f"{group_id} was a consumer group and a classic one"
        group = self._new(group_id)
        group.restore(stored, protocols)
        if rejoins:
            group.rebalance()

    def take_out(self, group: ClassicGroup) -> GroupRecord:
        """Admit no member from now on; the group is gone once this record is committed."""
        group.close(Error.COORDINATOR_NOT_AVAILABLE)
        return GroupRecord(group.metadata.group_id, None)

    def on_written(self, record: GroupRecord) -> None:
        """A record is committed. A tombstone that came too late found its group reopened."""
        group = self.all.get(record.group_id)
        if record.value is None and group is not None and group.metadata.state is GroupState.DEAD:
            del self.all[record.group_id]

    def on_refused(self, records: Iterable[CoordinatorRecord]) -> None:
        """Records could not be written: groups that were to be deleted live on."""
        for record in records:
            group = self.all.get(record.group_id)
            if isinstance(record, GroupRecord) and group is not None:
                group.reopen()

    def _new(self, group_id: str) -> ClassicGroup:
        group = ClassicGroup(group_id, self.limits, self._out, self._store)
        self.all[group_id] = group
        return group

    def _store(self, record: GroupRecord, then: Callable[[Error], None]) -> None:
        self._append([record], lambda r: then(r if isinstance(r, Error) else Error.NONE))
