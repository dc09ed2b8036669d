"""What a node of a quorum in virtual time keeps over a crash, and batches for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from spindle.core.raft.raft_values import ElectionState
from spindle.model.batches import CONTROL, RecordBatch
from spindle.model.ids import ZERO_ID, DirectoryId, NodeId
from spindle.model.offsets import OffsetAndEpoch


def batch(offset: int, epoch: int, count: int = 1, control: bool = False) -> RecordBatch:
    """A batch of `count` records at an offset."""
    return RecordBatch(
        offset, count - 1, epoch, CONTROL if control else 0, 0, 0, -1, -1, -1, count, b""
    )


def directory_of(me: NodeId, disk: int = 0) -> DirectoryId:
    """The id of the metadata directory on one of a node's disks."""
    return UUID(int=1000 * (disk + 1) + me)


@dataclass
class Disk:
    """What survives a crash of one node."""

    state: ElectionState | None = None
    batches: list[RecordBatch] = field(default_factory=list)
    snapshot: OffsetAndEpoch | None = None
    directory: DirectoryId = ZERO_ID
