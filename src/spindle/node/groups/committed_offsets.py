"""What a group has committed, as its clients may see it. The handler of OffsetFetch uses it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from spindle.core.groups.coordinator_shard import GroupCoordinatorShard
from spindle.core.groups.group_values import Committed
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition

_NOTHING: Final = Committed(offset=-1, leader_epoch=-1, metadata="", commit_ms=0)
"""The answer for a partition without a committed or visible offset."""


class FetchedOffset(NamedTuple):
    """The answer for one partition; the offset tells nothing where there is an error."""

    committed: Committed = _NOTHING
    error: Error = Error.NONE


def fetch_offsets(
    coordinator: GroupCoordinatorShard,
    group_id: str,
    partitions: Iterable[TopicPartition] | None,
    stable: bool,
) -> dict[TopicPartition, FetchedOffset]:
    """The committed offsets of these partitions; None: of all that have one.

    `stable`: where a transaction is about to change one, the answer is to come again (KIP-447).
    """
    pending = coordinator.offsets.pending.of(group_id) if stable else frozenset()
    return {
        partition: FetchedOffset(error=Error.UNSTABLE_OFFSET_COMMIT)
        if partition in pending
        else FetchedOffset(committed or _NOTHING)
        for partition, committed in coordinator.fetch(group_id, partitions).items()
    }
