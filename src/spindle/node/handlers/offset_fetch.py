"""OffsetFetch (9), versions 1-10.

Behaviour: committed offsets of a group's partitions; -1 where there is none. An unknown group
has none. A request for stable offsets (7) gets UNSTABLE_OFFSET_COMMIT where a transaction that
is open has committed one (KIP-447).

Version notes: from 2 on null topics ask for all, and the answer has an error of its own; 5 tells
leader epochs; 7 may demand stable offsets; from 8 on many groups at once (KIP-709); 9 has member
epochs, which classic groups ignore; 10 names topics by id (KIP-848).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.model.image import ClusterImage
from spindle.node.groups.committed_offsets import FetchedOffset, fetch_offsets
from spindle.node.request_context import RequestContext
from spindle.wire.messages.offset_fetch_request import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from spindle.wire.messages.offset_fetch_response import (
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

Fetched: TypeAlias = Mapping[TopicPartition, FetchedOffset]
Asked: TypeAlias = "Sequence[OffsetFetchRequestTopic | OffsetFetchRequestTopics] | None"
P = TypeVar("P", OffsetFetchResponsePartition, OffsetFetchResponsePartitions)


def on_broker(
    broker: Broker, request: OffsetFetchRequest, context: RequestContext[OffsetFetchResponse]
) -> OffsetFetchResponse:
    """Tell committed offsets."""
    if context.version >= 8:
        by_id, stable = context.version >= 10, request.require_stable
        return OffsetFetchResponse(
            groups=tuple(_group(broker, group, by_id, stable) for group in request.groups)
        )
    coordinator, asked = broker.groups.coordinator(request.group_id), request.topics
    found = fetch_offsets(coordinator, request.group_id, _named(asked), request.require_stable)
    partitions = OffsetFetchResponsePartition
    return OffsetFetchResponse(
        topics=tuple(
            OffsetFetchResponseTopic(name=name, partitions=_all(partitions, name, indexes, found))
            for name, indexes in _by_name(asked, found).items()
        ),
    )


def refuse(
    request: OffsetFetchRequest,
    context: RequestContext[OffsetFetchResponse],
    error: Error,
    message: str,
) -> OffsetFetchResponse:
    """The answer's own error; version 1 has none, so there every partition has it."""
    if context.version >= 2:
        return OffsetFetchResponse(error_code=error)
    refused = FetchedOffset(error=error)
    return OffsetFetchResponse(
        topics=tuple(
            OffsetFetchResponseTopic(
                name=topic.name,
                partitions=tuple(
                    _partition(OffsetFetchResponsePartition, index, refused)
                    for index in topic.partition_indexes
                ),
            )
            for topic in request.topics or ()
        ),
    )


def _group(
    broker: Broker, group: OffsetFetchRequestGroup, by_id: bool, stable: bool
) -> OffsetFetchResponseGroup:
    image, asked = broker.image, group.topics
    try:
        coordinator = broker.groups.coordinator(group.group_id)
        named = _named_by_id(image, asked) if by_id else _named(asked)
        found = fetch_offsets(coordinator, group.group_id, named, stable)
    except Refusal as refusal:
        return OffsetFetchResponseGroup(group_id=group.group_id, error_code=refusal.error)
    if by_id and asked is not None:
        topics = _topics_by_id(image, asked, found)
    else:
        topics = tuple(
            OffsetFetchResponseTopics(
                name=name,
                topic_id=image.topic_ids.get(name) if by_id else None,
                partitions=_all(OffsetFetchResponsePartitions, name, indexes, found),
            )
            for name, indexes in _by_name(asked, found).items()
            # A topic that is gone has no id any more to report its offsets under.
            if not by_id or name in image.topic_ids
        )
    return OffsetFetchResponseGroup(group_id=group.group_id, topics=topics)


def _topics_by_id(
    image: ClusterImage, asked: Sequence[OffsetFetchRequestTopics], found: Fetched
) -> tuple[OffsetFetchResponseTopics, ...]:
    kind, unknown = OffsetFetchResponsePartitions, FetchedOffset(error=Error.UNKNOWN_TOPIC_ID)
    answers = []
    # Those that cannot be named come last, as in Apache Kafka's answers.
    for topic in sorted(asked, key=lambda topic: topic.topic_id not in image.topics):
        state = None if topic.topic_id is None else image.topics.get(topic.topic_id)
        indexes = topic.partition_indexes
        if state is None:
            partitions = tuple(_partition(kind, index, unknown) for index in indexes)
        else:
            partitions = _all(kind, state.name, indexes, found)
        answers.append(OffsetFetchResponseTopics(topic_id=topic.topic_id, partitions=partitions))
    return tuple(answers)


def _by_name(asked: Asked, found: Fetched) -> dict[str, dict[int, None]]:
    """The partitions to answer, by topic: one answer for a topic or partition asked for twice."""
    names: dict[str, dict[int, None]] = {}
    if asked is None:
        for partition in found:
            names.setdefault(partition.topic, {})[partition.partition] = None
        return names
    for topic in asked:
        names.setdefault(topic.name, {}).update(dict.fromkeys(topic.partition_indexes))
    return names


def _named(asked: Asked) -> list[TopicPartition] | None:
    if asked is None:
        return None
    return [TopicPartition(topic.name, i) for topic in asked for i in topic.partition_indexes]


def _named_by_id(
    image: ClusterImage, asked: Sequence[OffsetFetchRequestTopics] | None
) -> list[TopicPartition] | None:
    if asked is None:
        return None
    return [
        TopicPartition(state.name, index)
        for topic in asked
        if topic.topic_id and (state := image.topics.get(topic.topic_id)) is not None
        for index in topic.partition_indexes
    ]


def _all(kind: type[P], name: str, indexes: Iterable[int], found: Fetched) -> tuple[P, ...]:
    return tuple(_partition(kind, i, found[TopicPartition(name, i)]) for i in indexes)


def _partition(kind: type[P], index: int, told: FetchedOffset) -> P:
    return kind(
        partition_index=index,
        committed_offset=told.committed.offset,
        committed_leader_epoch=told.committed.leader_epoch,
        metadata=told.committed.metadata,
        error_code=told.error,
    )
