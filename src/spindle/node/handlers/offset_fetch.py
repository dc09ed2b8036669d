"""OffsetFetch (9), versions 1-10.

Behaviour: committed offsets of a group's partitions; -1 where there is none. A group that nobody
knows has none. Who demands stable offsets (7) has UNSTABLE_OFFSET_COMMIT where a transaction that
is open has committed one (KIP-447).

Version notes: from 2 on null topics ask for all, and the answer has an error of its own; 5 tells
leader epochs; 7 may demand stable offsets; from 8 on many groups at once (KIP-709); 9 has member
epochs, which classic groups ignore; 10 names topics by id (KIP-848).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.groups.coordinator import Coordinator
from spindle.core.groups.values import Committed
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.model.image import ClusterImage
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker

Found = dict[str, dict[int, Committed | None]]
Known = dict[TopicPartition, Committed | None]
Waits = dict[TopicPartition, Error]


def on_broker(broker: Broker, call: Call) -> None:
    """Tell committed offsets."""
    r = call.reply
    if call.version >= 8:
        groups = tuple(_group(broker, call, group) for group in call.body.groups)
        call.answer(make(r.OffsetFetchResponse, groups=groups))
        return
    body = call.body
    coordinator = broker.groups.coordinator(body.group_id)
    known = coordinator.fetch(body.group_id, None)
    waits = _undecided(coordinator, body.group_id, getattr(body, "require_stable", False))
    call.answer(
        make(
            r.OffsetFetchResponse,
            topics=tuple(
                r.OffsetFetchResponseTopic(
                    name=name,
                    partitions=tuple(
                        _partition(
                            r.OffsetFetchResponsePartition,
                            index,
                            value,
                            waits.get(TopicPartition(name, index), Error.NONE),
                        )
                        for index, value in partitions.items()
                    ),
                )
                for name, partitions in _by_name(body.topics, known).items()
            ),
            error_code=Error.NONE,
        )
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """The answer's own error; version 1 has none, so there every partition has it."""
    r = call.reply
    topics = call.body.topics or ()
    if call.version >= 2:
        return make(r.OffsetFetchResponse, topics=(), error_code=error)
    return make(
        r.OffsetFetchResponse,
        topics=tuple(
            r.OffsetFetchResponseTopic(
                name=topic.name,
                partitions=tuple(
                    _partition(r.OffsetFetchResponsePartition, index, None, error)
                    for index in topic.partition_indexes
                ),
            )
            for topic in topics
        ),
    )


def _group(broker: Broker, call: Call, group: Any) -> Any:
    r = call.reply
    try:
        coordinator = broker.groups.coordinator(group.group_id)
        known = coordinator.fetch(group.group_id, None)
        waits = _undecided(coordinator, group.group_id, call.body.require_stable)
    except Refusal as refusal:
        return make(r.OffsetFetchResponseGroup, group_id=group.group_id, error_code=refusal.error)
    topics = (
        _topics_by_id(broker.image, r, group.topics, known, waits)
        if call.version >= 10
        else tuple(
            r.OffsetFetchResponseTopics(name=name, partitions=_all(r, name, partitions, waits))
            for name, partitions in _by_name(group.topics, known).items()
        )
    )
    return make(
        r.OffsetFetchResponseGroup,
        group_id=group.group_id,
        topics=topics,
        error_code=Error.NONE,
    )


def _topics_by_id(
    image: ClusterImage,
    r: Any,
    asked: Any,
    known: Known,
    waits: Waits,
) -> tuple[Any, ...]:
    if asked is None:
        # Offsets of topics that are gone cannot be named any more.
        return tuple(
            r.OffsetFetchResponseTopics(
                topic_id=image.topic_ids[name], partitions=_all(r, name, partitions, waits)
            )
            for name, partitions in _by_name(None, known).items()
            if name in image.topic_ids
        )
    answers = []
    # Those that cannot be named come last, as in Apache Kafka's answers.
    for topic in sorted(asked, key=lambda topic: topic.topic_id not in image.topics):
        state = image.topics.get(topic.topic_id)
        error = Error.UNKNOWN_TOPIC_ID if state is None else Error.NONE
        partitions = tuple(
            _partition(
                r.OffsetFetchResponsePartitions,
                index,
                known.get(TopicPartition(state.name, index)) if state else None,
                error or (waits.get(TopicPartition(state.name, index), error) if state else error),
            )
            for index in topic.partition_indexes
        )
        answers.append(r.OffsetFetchResponseTopics(topic_id=topic.topic_id, partitions=partitions))
    return tuple(answers)


def _by_name(asked: Any, known: Known) -> Found:
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


def _undecided(coordinator: Coordinator, group_id: str, stable: bool) -> Waits:
    """The partitions whose offset a transaction is about to change, for who minds."""
    if not stable:
        return {}
    return dict.fromkeys(coordinator.pending.of(group_id), Error.UNSTABLE_OFFSET_COMMIT)


def _all(
    r: Any, name: str, partitions: dict[int, Committed | None], waits: Waits
) -> tuple[Any, ...]:
    return tuple(
        _partition(
            r.OffsetFetchResponsePartitions,
            index,
            value,
            waits.get(TopicPartition(name, index), Error.NONE),
        )
        for index, value in partitions.items()
    )


def _partition(cls: Any, index: int, value: Committed | None, error: Error = Error.NONE) -> Any:
    """`value` is told only where there is no error."""
    if error:
        value = None
    return make(
        cls,
        partition_index=index,
        committed_offset=-1 if value is None else value.offset,
        committed_leader_epoch=-1 if value is None else value.leader_epoch,
        metadata="" if value is None else value.metadata,
        error_code=error,
    )
