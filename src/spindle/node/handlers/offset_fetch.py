"""OffsetFetch (9), versions 1-10.

Behaviour: committed offsets of a group's partitions; -1 where there is none. An unknown group
has none. A request for stable offsets (7) gets UNSTABLE_OFFSET_COMMIT where a transaction that
is open has committed one (KIP-447).

Version notes: from 2 on null topics ask for all, and the answer has an error of its own; 5 tells
leader epochs; 7 may demand stable offsets; from 8 on many groups at once (KIP-709); 9 has member
epochs, which classic groups ignore; 10 names topics by id (KIP-848).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from spindle.core.groups.coordinator_shard import GroupCoordinatorShard
from spindle.core.groups.group_values import Committed
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.model.image import ClusterImage
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

Found = dict[str, dict[int, Committed | None]]
Known = dict[TopicPartition, Committed | None]
Waits = dict[TopicPartition, Error]
Asked: TypeAlias = "Sequence[OffsetFetchRequestTopic | OffsetFetchRequestTopics] | None"

_NOTHING: Final = Committed(offset=-1, leader_epoch=-1, metadata="", commit_ms=0)
"""The answer for a partition without a committed or visible offset."""


def on_broker(
    broker: Broker, request: OffsetFetchRequest, context: RequestContext[OffsetFetchResponse]
) -> OffsetFetchResponse:
    """Tell committed offsets."""
    if context.version >= 8:
        by_id, stable = context.version >= 10, request.require_stable
        return OffsetFetchResponse(
            groups=tuple(_group(broker, group, by_id, stable) for group in request.groups)
        )
    coordinator = broker.groups.coordinator(request.group_id)
    known = coordinator.fetch(request.group_id, _named(request.topics))
    waits = _undecided(coordinator, request.group_id, known, request.require_stable)
    return OffsetFetchResponse(
        topics=tuple(
            OffsetFetchResponseTopic(
                name=name,
                partitions=tuple(
                    _partition(index, value, waits.get(TopicPartition(name, index), Error.NONE))
                    for index, value in partitions.items()
                ),
            )
            for name, partitions in _by_name(request.topics, known).items()
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
    return OffsetFetchResponse(
        topics=tuple(
            OffsetFetchResponseTopic(
                name=topic.name,
                partitions=tuple(
                    _partition(index, None, error) for index in topic.partition_indexes
                ),
            )
            for topic in request.topics or ()
        ),
    )


def _group(
    broker: Broker, group: OffsetFetchRequestGroup, by_id: bool, stable: bool
) -> OffsetFetchResponseGroup:
    try:
        coordinator = broker.groups.coordinator(group.group_id)
        asked = group.topics
        named = _named_by_id(broker.image, asked) if by_id else _named(asked)
        known = coordinator.fetch(group.group_id, named)
        waits = _undecided(coordinator, group.group_id, known, stable)
    except Refusal as refusal:
        return OffsetFetchResponseGroup(group_id=group.group_id, error_code=refusal.error)
    topics = (
        _topics_by_id(broker.image, group.topics, known, waits)
        if by_id
        else tuple(
            OffsetFetchResponseTopics(name=name, partitions=_all(name, partitions, waits))
            for name, partitions in _by_name(group.topics, known).items()
        )
    )
    return OffsetFetchResponseGroup(group_id=group.group_id, topics=topics)


def _topics_by_id(
    image: ClusterImage,
    asked: Sequence[OffsetFetchRequestTopics] | None,
    known: Known,
    waits: Waits,
) -> tuple[OffsetFetchResponseTopics, ...]:
    if asked is None:
        # Offsets of topics that are gone cannot be named any more.
        return tuple(
            OffsetFetchResponseTopics(
                topic_id=image.topic_ids[name], partitions=_all(name, partitions, waits)
            )
            for name, partitions in _by_name(None, known).items()
            if name in image.topic_ids
        )
    answers = []
    # Those that cannot be named come last, as in Apache Kafka's answers.
    for topic in sorted(asked, key=lambda topic: topic.topic_id not in image.topics):
        state = None if topic.topic_id is None else image.topics.get(topic.topic_id)
        if state is None:
            partitions = tuple(
                _partition_of_group(index, None, Error.UNKNOWN_TOPIC_ID)
                for index in topic.partition_indexes
            )
        else:
            places = [TopicPartition(state.name, index) for index in topic.partition_indexes]
            partitions = tuple(
                _partition_of_group(p.partition, known.get(p), waits.get(p, Error.NONE))
                for p in places
            )
        answers.append(OffsetFetchResponseTopics(topic_id=topic.topic_id, partitions=partitions))
    return tuple(answers)


def _by_name(asked: Asked, known: Known) -> Found:
    found: Found = {}
    if asked is None:
        for partition, value in known.items():
            found.setdefault(partition.topic, {})[partition.partition] = value
        return found
    for topic in asked:
        partitions = found.setdefault(topic.name, {})
        for index in topic.partition_indexes:
            partitions[index] = known.get(TopicPartition(topic.name, index))
    return found


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


def _undecided(
    coordinator: GroupCoordinatorShard, group_id: str, known: Known, stable: bool
) -> Waits:
    """The partitions whose offset a transaction is about to change, for a stable read."""
    if not stable:
        return {}
    pending = coordinator.pending.of(group_id)
    return {name: Error.UNSTABLE_OFFSET_COMMIT for name in known if name in pending}


def _all(
    name: str, partitions: Mapping[int, Committed | None], waits: Waits
) -> tuple[OffsetFetchResponsePartitions, ...]:
    return tuple(
        _partition_of_group(index, value, waits.get(TopicPartition(name, index), Error.NONE))
        for index, value in partitions.items()
    )


def _partition(index: int, value: Committed | None, error: Error) -> OffsetFetchResponsePartition:
    """Up to version 7. `value` is set only where there is no error."""
    told = _NOTHING if error or value is None else value
    return OffsetFetchResponsePartition(
        partition_index=index,
        committed_offset=told.offset,
        committed_leader_epoch=told.leader_epoch,
        metadata=told.metadata,
        error_code=error,
    )


def _partition_of_group(
    index: int, value: Committed | None, error: Error
) -> OffsetFetchResponsePartitions:
    """From version 8 on. `value` is set only where there is no error."""
    told = _NOTHING if error or value is None else value
    return OffsetFetchResponsePartitions(
        partition_index=index,
        committed_offset=told.offset,
        committed_leader_epoch=told.leader_epoch,
        metadata=told.metadata,
        error_code=error,
    )
