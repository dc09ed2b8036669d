"""Offsets that were committed in transactions which are still open (KIP-98, KIP-447).

They count from the transaction's marker on, or never. Pure bookkeeping for
`core.groups.coordinator_shard`.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import TypeVar

from spindle.core.groups.group_values import OffsetRecord
from spindle.model.ids import TopicPartition

K = TypeVar("K")
L = TypeVar("L")
V = TypeVar("V")


Place = tuple[str, TopicPartition]
"""A group, and the partition for which it commits."""


class Pending:
    """The offsets by producer id and place, in the order in which they were committed."""

    def __init__(self) -> None:
        self._held: dict[int, dict[Place, list[OffsetRecord]]] = {}
        self._producers: dict[str, dict[TopicPartition, dict[int, None]]] = {}
        """The same by group and partition: which producers have an offset there."""

    def add(self, producer_id: int, record: OffsetRecord) -> None:
        """A producer has committed this in its transaction."""
        assert record.value is not None, "nothing is removed in a transaction"
        place = (record.group_id, record.partition)
        self._held.setdefault(producer_id, {}).setdefault(place, []).append(record)
        partitions = self._producers.setdefault(record.group_id, {})
        partitions.setdefault(record.partition, {})[producer_id] = None

    def take(self, producer_id: int, marker: int) -> list[OffsetRecord]:
        """The offsets that the marker at this offset decides about; they are pending no more.

        What stands behind it is of the producer's next transaction, which has overtaken the news.
        """
        decided: list[OffsetRecord] = []
        for place in tuple(self._held.get(producer_id, ())):
            decided += self._cut(producer_id, place, marker)
        return decided

    def forget(self, group_id: str, partition: TopicPartition, tombstone: int) -> None:
        """The tombstone at this offset removes what was committed for a partition before it."""
        for producer_id in tuple(self._producers.get(group_id, {}).get(partition, ())):
            self._cut(producer_id, (group_id, partition), tombstone)

    def _cut(self, producer_id: int, place: Place, offset: int) -> list[OffsetRecord]:
        """Take out what one producer has committed for one place before an offset of the log."""
        held = self._held[producer_id][place]
        count = sum(1 for r in held if r.value is not None and r.value.at < offset)
        taken, held[:] = held[:count], held[count:]
        if not held:
            group_id, partition = place
            _drop(self._held, producer_id, place)
            _drop(self._producers[group_id], partition, producer_id)
            if not self._producers[group_id]:
                del self._producers[group_id]
        return taken

    def of(self, group_id: str) -> Set[TopicPartition]:
        """The partitions for which a group's next offset is undecided."""
        return self._producers.get(group_id, {}).keys()

    def groups(self) -> Iterable[str]:
        """The groups that have such offsets."""
        return self._producers.keys()


def _drop(outer: dict[K, dict[L, V]], key: K, inner: L) -> None:
    del outer[key][inner]
    if not outer[key]:
        del outer[key]
