"""How Metadata and DescribeTopicPartitions tell of topics: the same, in classes of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import repeat
from typing import Protocol, TypeVar

from spindle.model.errors import Error
from spindle.model.ids import TopicId
from spindle.model.image import ClusterImage, TopicState
from spindle.model.metadata_records import PartitionRegistration
from spindle.node.kept_parts import EncodedPart, KeptParts
from spindle.node.request_context import R, RequestContext
from spindle.node.slices import ONE, REST, REST_AFTER, Pause
from spindle.node.topic_creation import INTERNAL
from spindle.node.topic_selection import AbsentTopic, Selected
from spindle.node.topology import Listening
from spindle.wire.codec import Message, Packed, put_all

P = TypeVar("P", bound=Message)
Part = TypeVar("Part", contravariant=True)
A = TypeVar("A", bound=Message, covariant=True)


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
    context: RequestContext[R],
    kept: KeptParts,
    partition: Callable[[Listening, PartitionRegistration], P],
) -> Iterator[A | EncodedPart | Pause]:
    """The topics as an answer on a listener has them, with pauses for their partitions.

    Nothing is looked at before the first is asked for: until then others may share the answer.
    """
    version, seen = context.version, Listening(image, context.listener)
    parts = kept.of((context.key, version, context.listener), seen)
    for found in selected:
        if isinstance(found, Pause):
            yield found
            continue
        if isinstance(found, AbsentTopic):
            yield kind(
                error_code=found.error,
                name=found.name,
                topic_id=found.topic_id,
                is_internal=found.name in INTERNAL,
                topic_authorized_operations=allowed(found.name),
            )
            continue
        bits = allowed(found.state.name)
        name = found.state.topic_id, bits
        part = parts.find(name, found.partitions)
        if part is None:
            packed = Packed()
            yield from _encoded(packed, found.partitions, partial(partition, seen), version)
            part = _topic(kind, found.state, bits, packed, version)
            parts.put(name, found.partitions, part)
        yield part


def _encoded(
    packed: Packed,
    partitions: Sequence[PartitionRegistration],
    partition: Callable[[PartitionRegistration], P],
    version: int,
) -> Iterator[Pause]:
    """Put partitions in, with a pause for each."""
    for first in range(0, len(partitions), REST_AFTER):
        some = [partition(each) for each in partitions[first : first + REST_AFTER]]
        packed.add(len(some), put_all(some, version))
        if len(some) == REST_AFTER:
            yield REST
        else:
            yield from repeat(ONE, len(some))


def _topic(
    kind: TopicClass[P, A], state: TopicState, bits: int, packed: Packed, version: int
) -> EncodedPart:
    def made(partitions: Sequence[P]) -> A:
        return kind(
            name=state.name,
            topic_id=state.topic_id,
            is_internal=state.name in INTERNAL,
            topic_authorized_operations=bits,
            partitions=partitions,
        )

    return EncodedPart(made(()), put_all((made(packed),), version))
