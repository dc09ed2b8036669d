"""The states of share partitions in one partition of `__share_group_state` (KIP-932).

Kafka's ShareCoordinatorShard: a snapshot, then updates, then a snapshot again. What is asked of one
share partition happens one after the other; a change counts once its record is committed. Leaders
and states of older epochs are fenced. Knows no bytes and no clock; driven by `node.share`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from spindle.core.share.share_values import (
    OutcomeThen,
    ShareOutcome,
    SharePartitionKey,
    ShareRecord,
    ShareState,
    ShareWrite,
    SnapshotRecord,
    UpdateRecord,
)
from spindle.core.share.state_batches import combined
from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.model.outbox import Outbox

Append: TypeAlias = Callable[[list[ShareRecord], Callable[[int | Error], None]], None]
"""Append records as one batch; the continuation gets the first one's offset once committed."""

_NO_STATE_WRITTEN: Final = "Write operation on uninitialized share partition not allowed."
_NO_STATE_READ: Final = "Read operation on uninitialized share partition not allowed."


class ShareCoordinatorLimits(NamedTuple):
    """Settings that the coordinator obeys (records, ms)."""

    updates: int = 500
    """Updates after which a snapshot is written."""
    cold: int = 300_000
    """A share partition that was not written for so long gets a snapshot."""


class _KeptState:
    """One share partition: what is committed, and what waits for its turn."""

    __slots__ = ("at", "busy", "state", "turns", "updates")

    def __init__(self) -> None:
        self.state: ShareState | None = None
        self.updates = 0
        self.at = -1
        """The offset of its snapshot."""
        self.busy = False
        self.turns: deque[tuple[Callable[[], None], OutcomeThen]] = deque()


class ShareCoordinatorShard:
    """The states by share partition. Before `on_loaded` it only replays."""

    def __init__(
        self,
        limits: ShareCoordinatorLimits,
        out: Outbox,
        append: Append,
        exists: Callable[[PartitionId], bool],
    ) -> None:
        """`exists`: whether a partition is there."""
        self._limits = limits
        self._out = out
        self._append = append
        self._exists = exists
        self._kept: dict[SharePartitionKey, _KeptState] = {}
        self._next = 0
        self._closed = False

    # --- loading --------------------------------------------------------------------------------

    def replay(self, record: ShareRecord, at: int) -> None:
        """Take in one record of the partition, which stands at this offset."""
        self._next = max(self._next, at + 1)
        kept = self._kept.get(record.key)
        if isinstance(record, SnapshotRecord):
            if record.value is None:
                if kept is not None:
                    kept.state, kept.updates, kept.at = None, 0, -1
                    self._tidy(record.key)
                return
            kept = kept or self._kept.setdefault(record.key, _KeptState())
            before = kept.state
            kept.state, kept.updates, kept.at = record.value, 0, at
            if before is not None and before.leader_epoch > record.value.leader_epoch:
                # A new start offset keeps the fence against older leaders.
                kept.state = replace(record.value, leader_epoch=before.leader_epoch)
            return
        kept = kept or self._kept.setdefault(record.key, _KeptState())
        state = kept.state or ShareState(snapshot_epoch=record.snapshot_epoch)
        kept.updates += 1
        if kept.at < 0:
            kept.at = at
        start = state.start_offset if record.start_offset == -1 else record.start_offset
        kept.state = replace(
            state,
            leader_epoch=max(state.leader_epoch, record.leader_epoch),
            start_offset=start,
            complete=record.complete,
            batches=combined(state.batches, record.batches, start),
        )

    def on_loaded(self) -> None:
        """All is replayed."""

    def close(self) -> None:
        """Another broker leads now: all that wait are sent there."""
        self._closed = True
        kept, self._kept = self._kept, {}
        for each in kept.values():
            while each.turns:
                each.turns.popleft()[1](ShareOutcome(Error.NOT_COORDINATOR))

    # --- requests -------------------------------------------------------------------------------

    def initialize(
        self, key: SharePartitionKey, state_epoch: int, start_offset: int, then: OutcomeThen
    ) -> None:
        """A share partition begins to be, or begins at another offset."""

        def act() -> None:
            state = self._state(key)
            if state is not None and state.state_epoch > state_epoch != -1:
                self._settle(key, then, ShareOutcome(Error.FENCED_STATE_EPOCH))
                return
            now = self._out.wall_ms
            made = ShareState(
                snapshot_epoch=0 if state is None else state.snapshot_epoch + 1,
                state_epoch=state_epoch,
                leader_epoch=0 if state is None else state.leader_epoch,
                start_offset=start_offset,
                complete=0 if start_offset >= 0 else -1,
                created_ms=now,
                written_ms=now,
            )
            self._write(key, SnapshotRecord(key, made), then)

        self._ask(key, act, then)

    def read(self, key: SharePartitionKey, leader_epoch: int, then: OutcomeThen) -> None:
        """What is kept; from now on leaders of older epochs are fenced."""

        def act() -> None:
            state = self._state(key)
            error = self._reading_error(state, leader_epoch)
            if error or state is None:
                self._settle(key, then, error)
            elif leader_epoch in (-1, state.leader_epoch):
                self._settle(key, then, ShareOutcome(state=state))
            else:
                known = state
                write = ShareWrite(
                    state.state_epoch, leader_epoch, state.start_offset, state.complete, ()
                )
                self._write(
                    key,
                    self._record(key, state, write),
                    lambda told: then(told if told.error else ShareOutcome(state=known)),
                )

        self._ask(key, act, then, needs_state=True)

    def write(self, key: SharePartitionKey, write: ShareWrite, then: OutcomeThen) -> None:
        """A leader has changed the states of records."""

        def act() -> None:
            state = self._state(key)
            if state is None:
                told = ShareOutcome(Error.INVALID_REQUEST, _NO_STATE_WRITTEN)
                self._settle(key, then, told)
            elif state.leader_epoch > write.leader_epoch != -1:
                self._settle(key, then, ShareOutcome(Error.FENCED_LEADER_EPOCH))
            elif state.state_epoch > write.state_epoch != -1:
                self._settle(key, then, ShareOutcome(Error.FENCED_STATE_EPOCH))
            else:
                self._write(key, self._record(key, state, write), then)

        self._ask(key, act, then, needs_state=True)

    def delete(self, key: SharePartitionKey, then: OutcomeThen) -> None:
        """A share partition is no more."""

        def act() -> None:
            if self._state(key) is None:
                self._settle(key, then, ShareOutcome())
            else:
                self._write(key, SnapshotRecord(key, None), then)

        self._ask(key, act, then)

    def summary(self, key: SharePartitionKey, leader_epoch: int) -> ShareOutcome:
        """What is kept, without a word on leaders."""
        if self._is_wrong(key):
            return ShareOutcome(Error.UNKNOWN_TOPIC_OR_PARTITION)
        state = self._state(key)
        if state is None:
            return ShareOutcome(state=ShareState(state_epoch=0, leader_epoch=0))
        error = self._reading_error(state, leader_epoch)
        return error or ShareOutcome(state=state)

    # --- housekeeping ---------------------------------------------------------------------------

    def on_topics_deleted(self, topics: Container[object]) -> None:
        """Nothing is kept of topics that are gone."""
        for key in tuple(self._kept):
            if key.topic_id in topics:
                self._enqueue(key, partial(self._forget, key), _ignored)

    def _forget(self, key: SharePartitionKey) -> None:
        if self._state(key) is None:
            self._settle(key, _ignored, ShareOutcome())
        else:
            self._write(key, SnapshotRecord(key, None), _ignored)

    def snapshot_cold(self) -> None:
        """What is not written any more gets a snapshot, so that its old records can go.

        So can those of a topic that has gone while none could write so.
        """
        before = self._out.wall_ms - self._limits.cold
        for key, kept in tuple(self._kept.items()):
            state = kept.state
            if self._is_wrong(key):
                self._enqueue(key, partial(self._forget, key), _ignored)
                continue
            if kept.busy or not kept.updates or state is None or state.written_ms > before:
                continue
            made = replace(
                state, snapshot_epoch=state.snapshot_epoch + 1, written_ms=self._out.wall_ms
            )
            record = SnapshotRecord(key, made)
            self._enqueue(key, partial(self._write, key, record, _ignored), _ignored)

    @property
    def needed_from(self) -> int:
        """The offset of the first record that a new coordinator needs."""
        return min((kept.at for kept in self._kept.values() if kept.at >= 0), default=self._next)

    # --- one thing after the other --------------------------------------------------------------

    def _state(self, key: SharePartitionKey) -> ShareState | None:
        kept = self._kept.get(key)
        return None if kept is None else kept.state

    def _is_wrong(self, key: SharePartitionKey) -> bool:
        return not self._exists(PartitionId(key.topic_id, key.partition))

    def _reading_error(self, state: ShareState | None, leader_epoch: int) -> ShareOutcome | None:
        if state is None:
            return ShareOutcome(Error.INVALID_REQUEST, _NO_STATE_READ)
        if state.leader_epoch > leader_epoch != -1:
            return ShareOutcome(Error.FENCED_LEADER_EPOCH)
        return None

    def _ask(
        self,
        key: SharePartitionKey,
        act: Callable[[], None],
        then: OutcomeThen,
        needs_state: bool = False,
    ) -> None:
        """Take a turn, if the partition is there. `needs_state`: that there is none is said first,
        as Apache Kafka does."""
        if key.partition < 0:
            then(
                ShareOutcome(Error.INVALID_REQUEST, "The partition id cannot be a negative number.")
            )
        elif self._is_wrong(key) and not (needs_state and self._state(key) is None):
            then(ShareOutcome(Error.UNKNOWN_TOPIC_OR_PARTITION))
        else:
            self._enqueue(key, act, then)

    def _enqueue(self, key: SharePartitionKey, act: Callable[[], None], then: OutcomeThen) -> None:
        if self._closed:
            then(ShareOutcome(Error.NOT_COORDINATOR))
            return
        kept = self._kept.setdefault(key, _KeptState())
        kept.turns.append((act, then))
        if not kept.busy:
            self._go_on(key, kept)

    def _go_on(self, key: SharePartitionKey, kept: _KeptState) -> None:
        while kept.turns and not kept.busy:
            kept.busy = True
            kept.turns.popleft()[0]()
        self._tidy(key)

    def _tidy(self, key: SharePartitionKey) -> None:
        kept = self._kept.get(key)
        if kept is not None and kept.state is None and not kept.busy and not kept.turns:
            del self._kept[key]

    def _settle(self, key: SharePartitionKey, then: OutcomeThen, told: ShareOutcome | None) -> None:
        """A turn is over without a record."""
        kept = self._kept[key]
        kept.busy = False
        then(told or ShareOutcome())

    def _write(self, key: SharePartitionKey, record: ShareRecord, then: OutcomeThen) -> None:
        def done(result: int | Error) -> None:
            if self._closed:
                then(ShareOutcome(Error.NOT_COORDINATOR))
                return
            kept = self._kept[key]
            if isinstance(result, Error):
                kept.busy = False
                then(ShareOutcome(result))
            else:
                self.replay(record, result)
                kept.busy = False
                then(ShareOutcome())
            self._go_on(key, kept)

        self._append([record], done)

    def _record(self, key: SharePartitionKey, state: ShareState, write: ShareWrite) -> ShareRecord:
        """What is written: an update, or a snapshot after so many of them."""
        leader_epoch = state.leader_epoch if write.leader_epoch == -1 else write.leader_epoch
        if self._kept[key].updates < self._limits.updates:
            return UpdateRecord(
                key=key,
                snapshot_epoch=state.snapshot_epoch,
                leader_epoch=leader_epoch,
                start_offset=write.start_offset,
                complete=write.complete,
                batches=combined((), write.batches, write.start_offset),
            )
        start = state.start_offset if write.start_offset == -1 else write.start_offset
        now = self._out.wall_ms
        made = ShareState(
            snapshot_epoch=state.snapshot_epoch + 1,
            state_epoch=state.state_epoch,
            leader_epoch=leader_epoch,
            start_offset=start,
            complete=write.complete,
            created_ms=now,
            written_ms=now,
            batches=combined(state.batches, write.batches, start),
        )
        return SnapshotRecord(key, made)


def _ignored(told: ShareOutcome) -> None:
    """Housekeeping is tried again the next time."""
