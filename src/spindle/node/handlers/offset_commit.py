"""OffsetCommit (8), versions 2-10.

Behaviour: offsets count, and are answered, once they are committed in `__consumer_offsets`.
Partitions that do not exist have UNKNOWN_TOPIC_OR_PARTITION (by id: UNKNOWN_TOPIC_ID), too long
metadata OFFSET_METADATA_TOO_LARGE; the others are committed all the same. See `core.groups`.

Version notes: 2-4 may say how long to keep the offset; 6 has the leader epoch; 7 static members;
from 9 on a group that is not there is GROUP_ID_NOT_FOUND instead of ILLEGAL_GENERATION, and members
of consumer groups commit in their epoch (STALE_MEMBER_EPOCH); 10 names topics by id (KIP-848).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from spindle.core.groups.group_values import MemberIdentity
from spindle.model.errors import Error, Refusal
from spindle.model.ids import ZERO_ID, TopicPartition
from spindle.model.image import ClusterImage, TopicState
from spindle.node.handlers._offsets import offsets_of_existing
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestTopic,
)
from spindle.wire.messages.offset_commit_response import (
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

BY_ID_FROM: Final = 10


def on_broker(
    broker: Broker, request: OffsetCommitRequest, context: RequestContext[OffsetCommitResponse]
) -> Later:
    """Commit a group's offsets."""
    who = MemberIdentity(
        group_id=request.group_id,
        generation=request.generation_id_or_member_epoch,
        member_id=request.member_id,
        instance_id=request.group_instance_id,
    )
    by_id = context.version >= BY_ID_FROM
    topics = [(_topic(broker.image, topic, by_id), topic.partitions) for topic in request.topics]
    known = offsets_of_existing(topics, broker.out.wall_ms, request.retention_time_ms)

    def then(errors: Mapping[TopicPartition, Error]) -> None:
        def error_of(topic: OffsetCommitRequestTopic, partition: int) -> Error:
            state = _topic(broker.image, topic, by_id)
            if state is None and by_id:
                return Error.UNKNOWN_TOPIC_ID
            name = state.name if state is not None else topic.name
            return errors.get(TopicPartition(name, partition), Error.UNKNOWN_TOPIC_OR_PARTITION)

        context.answer(_response(request, error_of))

    def refused(why: Refusal) -> None:
        error = _in_version(why.error, context.version)
        then(dict.fromkeys(known, error))

    try:
        coordinator = broker.groups.coordinator(who.group_id)
        coordinator.commit(who, known, then, version=context.version, refuse=refused)
    except Refusal as refusal:
        refused(refusal)
    return LATER


def refuse(
    request: OffsetCommitRequest,
    context: RequestContext[OffsetCommitResponse],
    error: Error,
    message: str,
) -> OffsetCommitResponse:
    """The error at every partition: there is no other place for it."""
    error = _in_version(error, context.version)
    return _response(request, lambda topic, partition: error)


def _in_version(error: Error, version: int) -> Error:
    unknown = version < 9 and error is Error.GROUP_ID_NOT_FOUND
    return Error.ILLEGAL_GENERATION if unknown else error


def _topic(image: ClusterImage, topic: OffsetCommitRequestTopic, by_id: bool) -> TopicState | None:
    return image.topics.get(topic.topic_id or ZERO_ID) if by_id else image.topic(topic.name)


def _response(
    request: OffsetCommitRequest, error_of: Callable[[OffsetCommitRequestTopic, int], Error]
) -> OffsetCommitResponse:
    return OffsetCommitResponse(
        topics=tuple(
            OffsetCommitResponseTopic(
                topic_id=topic.topic_id,
                name=topic.name,
                partitions=tuple(
                    OffsetCommitResponsePartition(
                        partition_index=p.partition_index,
                        error_code=error_of(topic, p.partition_index),
                    )
                    for p in topic.partitions
                ),
            )
            for topic in request.topics
        )
    )
