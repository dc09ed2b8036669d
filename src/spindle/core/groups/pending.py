"""Offsets that were committed in transactions which are still open (KIP-98, KIP-447).

They count from the transaction's marker on, or never. Pure bookkeeping for
`core.groups.coordinator`.
"""

from __future__ import annotations

from spindle.core.groups.values import OffsetRecord
from spindle.model.ids import TopicPartition


class Pending:
    """The offsets by producer id, in the order in which they were committed."""

    def __init__(self) -> None:
        self._by_producer: dict[int, list[OffsetRecord]] = {}

    def add(self, producer_id: int, record: OffsetRecord) -> None:
        """A producer has committed this in its transaction."""
        assert record.value is not None, "nothing is removed in a transaction"
        self._by_producer.setdefault(producer_id, []).append(record)

    def take(self, producer_id: int, marker: int) -> list[OffsetRecord]:
        """The offsets that the marker at this offset decides about; they are pending no more."""
        held = self._by_producer.pop(producer_id, [])
        decided = [r for r in held if r.value is not None and r.value.at < marker]
        later = held[len(decided) :]
        if later:
            # Of the producer's next transaction, which has overtaken the news of this marker.
            self._by_producer[producer_id] = later
        return decided

    def of(self, group_id: str) -> set[TopicPartition]:
        """The partitions for which a group's next offset is undecided."""
        return {
            record.partition
            for held in self._by_producer.values()
            for record in held
            if record.group_id == group_id
        }

    def groups(self) -> dict[str, None]:
        """The groups that have such offsets."""
        return dict.fromkeys(r.group_id for held in self._by_producer.values() for r in held)
