"""How Metadata and DescribeTopicPartitions tell of topics: the same, in classes of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from spindle.model.errors import Error
from spindle.model.ids import TopicId
from spindle.model.image import ClusterImage
from spindle.model.metadata_records import PartitionRegistration
from spindle.node.slices import ONE, Pause
from spindle.node.topic_creation import INTERNAL
from spindle.node.topic_selection import AbsentTopic, Selected
from spindle.node.topology import Listening

P = TypeVar("P")
Part = TypeVar("Part", contravariant=True)
A = TypeVar("A", covariant=True)


class TopicClass(Protocol[Part, A]):
    """The class of an answer's topics."""

    def __call__(
        self,
        *,
        error_code: Error = Error.NONE,
        name: str | None,
        topic_id: TopicId | None,
        is_internal: bool,
        topic_authorized_operations: int,
        partitions: Sequence[Part] = (),
    ) -> A:
        """One topic."""


def described(
    kind: TopicClass[P, A],
    selected: Iterable[Selected],
    allowed: Callable[[str | None], int],
    image: ClusterImage,
    listener: str,
    partition: Callable[[Listening, PartitionRegistration], P],
) -> Iterator[A | Pause]:
    """The topics as an answer on a listener has them, with a pause after each partition.

    Nothing is looked at before the first is asked for: until then others may share the answer.
    """
    seen = Listening(image, listener)
    for found in selected:
        if isinstance(found, Pause):
            yield found
        elif isinstance(found, AbsentTopic):
            yield kind(
                error_code=found.error,
                name=found.name,
                topic_id=found.topic_id,
                is_internal=found.name in INTERNAL,
                topic_authorized_operations=allowed(found.name),
            )
        else:
            told = []
            for each in found.partitions:
                told.append(partition(seen, each))
                yield ONE
            yield kind(
                name=found.state.name,
                topic_id=found.state.topic_id,
                is_internal=found.state.name in INTERNAL,
                topic_authorized_operations=allowed(found.state.name),
                partitions=tuple(told),
            )
