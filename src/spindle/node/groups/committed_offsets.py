"""What a group has committed, as its clients may see it. The handler of OffsetFetch uses it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from spindle.core.groups.coordinator_shard import GroupCoordinatorShard
from spindle.core.groups.group_values import Committed
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID, TopicId, TopicPartition, by_topic
from spindle.model.image import ClusterImage

_NOTHING: Final = Committed(offset=-1, leader_epoch=-1, metadata="", commit_ms=0)
"""The answer for a partition without a committed or visible offset."""


class FetchedOffset(NamedTuple):
    """The answer for one partition; the offset tells nothing where there is an error."""

    committed: Committed = _NOTHING
    error: Error = Error.NONE


_UNKNOWN_ID: Final = FetchedOffset(error=Error.UNKNOWN_TOPIC_ID)


class FetchedTopic(NamedTuple):
    """The answer for one topic: a number and an offset for each partition."""

    name: str
    topic_id: TopicId | None
    """Where the client names topics by their ids."""
    offsets: list[tuple[int, FetchedOffset]]


class GroupOffsets:
    """The offsets of one group, as one request asks for them."""

    def __init__(self, coordinator: GroupCoordinatorShard, group_id: str, stable: bool) -> None:
        """`stable`: where a transaction is about to change one, the answer is to come again
        (KIP-447)."""
        self._coordinator = coordinator
        self._group_id = group_id
        self._pending = coordinator.offsets.pending.of(group_id) if stable else frozenset()

    def by_name(self, asked: Sequence[tuple[str, Sequence[int]]] | None) -> list[FetchedTopic]:
        """Those of partitions by their topics' names; None: of all that have one.

        A topic or a partition that is asked for twice comes once.
        """
        topics: dict[str, list[tuple[int, FetchedOffset]]] = {name: [] for name, _ in asked or ()}
        names = None
        if asked is not None:
            names = [TopicPartition(name, number) for name, numbers in asked for number in numbers]
        topics.update(by_topic(self._fetch(names).items()))
        return [FetchedTopic(name, None, offsets) for name, offsets in topics.items()]

    def by_id(
        self, image: ClusterImage, asked: Sequence[tuple[TopicId | None, Sequence[int]]] | None
    ) -> list[FetchedTopic]:
        """The same by their topics' ids: UNKNOWN_TOPIC_ID where there is none."""
        if asked is None:
            # A topic that is gone has no id any more to report its offsets under.
            return [
                topic._replace(topic_id=image.topic_ids[topic.name])
                for topic in self.by_name(None)
                if topic.name in image.topic_ids
            ]
        topics = [(id, image.topics.get(id or ZERO_ID), numbers) for id, numbers in asked]
        names = [TopicPartition(t.name, n) for _, t, numbers in topics if t for n in numbers]
        found = self._fetch(names)
        # Those that cannot be named come last, as in Apache Kafka's answers.
        topics.sort(key=lambda each: each[1] is None)
        return [
            FetchedTopic("", id, [(n, _UNKNOWN_ID) for n in numbers])
            if state is None
            else FetchedTopic(
                state.name, id, [(n, found[TopicPartition(state.name, n)]) for n in numbers]
            )
            for id, state, numbers in topics
        ]

    def _fetch(
        self, partitions: Iterable[TopicPartition] | None
    ) -> dict[TopicPartition, FetchedOffset]:
        return {
            partition: FetchedOffset(error=Error.UNSTABLE_OFFSET_COMMIT)
            if partition in self._pending
            else FetchedOffset(committed or _NOTHING)
            for partition, committed in self._coordinator.fetch(self._group_id, partitions).items()
        }
