"""What OffsetCommit and TxnOffsetCommit share: the offsets of their requests, as values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from spindle.core.groups.group_values import Committed
from spindle.model.ids import TopicPartition
from spindle.model.image import TopicState
from spindle.wire.messages.offset_commit_request import OffsetCommitRequestPartition
from spindle.wire.messages.txn_offset_commit_request import TxnOffsetCommitRequestPartition

Offset: TypeAlias = OffsetCommitRequestPartition | TxnOffsetCommitRequestPartition


def offsets_of_existing(
    topics: Iterable[tuple[TopicState | None, Sequence[Offset]]], now_ms: int, keep_ms: int = -1
) -> dict[TopicPartition, Committed]:
    """The offsets of those partitions that exist, each with its topic as the metadata has it.

    `keep_ms`: how long an old client wants them kept; -1: as long as others.
    """
    return {
        TopicPartition(state.name, p.partition_index): Committed(
            offset=p.committed_offset,
            leader_epoch=p.committed_leader_epoch,
            metadata=p.committed_metadata or "",
            commit_ms=now_ms,
            expire_ms=now_ms + keep_ms if keep_ms >= 0 else -1,
            topic_id=state.topic_id,
        )
        for state, partitions in topics
        if state is not None
        for p in partitions
        if p.partition_index in state.partitions
    }
