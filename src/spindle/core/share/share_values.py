"""What goes in and out of share partitions and of their coordinator (KIP-932).

A share partition is a partition as one share group sees it. Knows no wire format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple, TypeAlias

from spindle.model.errors import Error
from spindle.model.ids import TopicId, id_to_text

UNINITIALIZED: Final = -1
"""A start offset that the leader of the partition is still to find, by share.auto.offset.reset."""


class SharePartitionKey(NamedTuple):
    """A partition as one share group sees it."""

    group_id: str
    topic_id: TopicId
    partition: int

    @property
    def text(self) -> str:
        """What FindCoordinator calls it, and what says which coordinator keeps it."""
        return f"{self.group_id}:{id_to_text(self.topic_id)}:{self.partition}"


class DeliveryState(IntEnum):
    """Where a record stands; values as they are stored (ACQUIRED never is)."""

    AVAILABLE = 0
    ACQUIRED = 1
    ACKNOWLEDGED = 2
    ARCHIVED = 4
    """It is given up: rejected, delivered too often, aborted or not there."""

    @property
    def is_final(self) -> bool:
        """Whether the record is never delivered again."""
        return self >= DeliveryState.ACKNOWLEDGED


class AcknowledgeType(IntEnum):
    """What a client says of a record; values as on the wire."""

    GAP = 0
    """There is no such record."""
    ACCEPT = 1
    RELEASE = 2
    REJECT = 3
    RENEW = 4
    """It needs more time (KIP-1222)."""


class StateBatch(NamedTuple):
    """Neighbouring records in the same state, delivered the same number of times."""

    first: int
    last: int
    state: int
    deliveries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareState:
    """What is kept of a share partition. Times in ms."""

    snapshot_epoch: int = 0
    state_epoch: int = 0
    """It grows when the start offset is set again: older writers are fenced."""
    leader_epoch: int = 0
    start_offset: int = UNINITIALIZED
    complete: int = -1
    """Records from the start offset on that are never delivered again; -1: not known."""
    created_ms: int = 0
    written_ms: int = 0
    batches: tuple[StateBatch, ...] = ()


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """All of a share partition's state; value None removes it."""

    key: SharePartitionKey
    value: ShareState | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateRecord:
    """What has changed since the snapshot. `start_offset` -1: it has not."""

    key: SharePartitionKey
    snapshot_epoch: int
    leader_epoch: int
    start_offset: int
    complete: int
    batches: tuple[StateBatch, ...]


ShareRecord: TypeAlias = SnapshotRecord | UpdateRecord


class ShareWrite(NamedTuple):
    """What a leader has kept of its share partition."""

    state_epoch: int
    leader_epoch: int
    start_offset: int
    complete: int
    batches: Sequence[StateBatch]


class ShareOutcome(NamedTuple):
    """What has become of a request to the coordinator; `state`: what was read."""

    error: Error = Error.NONE
    message: str | None = None
    state: ShareState | None = None


OutcomeThen: TypeAlias = Callable[[ShareOutcome], None]
