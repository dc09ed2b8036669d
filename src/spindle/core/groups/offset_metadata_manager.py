"""The committed offsets of the groups of one partition (Kafka's OffsetMetadataManager).

The log's order decides, while we live as when the log is replayed: answers of two commits may
cross, and a transaction's offsets count later than others that were written after them. Knows no
group and writes nothing. Called by `core.groups.coordinator_shard`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from spindle.core.groups.group_values import Committed, OffsetRecord
from spindle.core.groups.pending import Pending
from spindle.model.ids import TopicPartition

Offsets = dict[TopicPartition, Committed]


class OffsetMetadataManager:
    """Offsets by group: `committed`, and in `pending` those of transactions that are open."""

    def __init__(self) -> None:
        self.committed: dict[str, Offsets] = {}
        self.pending = Pending()

    def of(self, group_id: str) -> Offsets:
        """The offsets of a group that count."""
        return self.committed.get(group_id, {})

    def named(self, group_id: str) -> dict[TopicPartition, None]:
        """The partitions for which a group has an offset, or will if a transaction commits."""
        return dict.fromkeys((*self.of(group_id), *self.pending.of(group_id)))

    def groups(self) -> list[str]:
        """The groups with offsets that count, or will if a transaction commits."""
        return list(dict.fromkeys((*self.committed, *self.pending.groups())))

    def fetch(
        self, group_id: str, partitions: Iterable[TopicPartition] | None
    ) -> dict[TopicPartition, Committed | None]:
        """Committed offsets of these partitions (None: of all that have one)."""
        known = self.of(group_id)
        if partitions is None:
            return dict(known)
        return {partition: known.get(partition) for partition in partitions}

    def put(self, record: OffsetRecord, at: int) -> bool:
        """An offset, or its removal, stands at this offset of the partition; whether it counts."""
        group_id, partition = record.group_id, record.partition
        known = self.of(group_id).get(partition)
        if record.value is None:
            self.pending.forget(group_id, partition, at)
        if known is not None and known.at >= at:
            return False
        if record.value is not None:
            value = replace(record.value, at=at)
            self.committed.setdefault(group_id, {})[partition] = value
        elif known is not None:
            offsets = self.committed[group_id]
            del offsets[partition]
            if not offsets:
                del self.committed[group_id]
        return True

    def hold(self, producer_id: int, record: OffsetRecord, at: int) -> None:
        """An offset was committed, at this offset of the partition, in an open transaction."""
        assert record.value is not None, "nothing is removed in a transaction"
        value = replace(record.value, at=at)
        self.pending.add(producer_id, replace(record, value=value))

    def tombstones(self, topics: Iterable[str]) -> list[OffsetRecord]:
        """What removes the offsets of these topics, of all groups."""
        names = set(topics)
        return [
            OffsetRecord(group_id, partition, None)
            for group_id in self.groups()
            for partition in self.named(group_id)
            if partition.topic in names
        ]
