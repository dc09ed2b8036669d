"""OffsetCommit (8), versions 2-10.

Behaviour: offsets count, and are answered, once they are committed in `__consumer_offsets`.
Partitions that do not exist have UNKNOWN_TOPIC_OR_PARTITION (by id: UNKNOWN_TOPIC_ID), too long
metadata OFFSET_METADATA_TOO_LARGE; the others are committed all the same. See `core.groups`.

Version notes: 2-4 may say how long to keep the offset; 6 has the leader epoch; 7 static members;
from 9 on a group that is not there is GROUP_ID_NOT_FOUND instead of ILLEGAL_GENERATION; 10 names
topics by id (KIP-848).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.groups.values import Committed, Identity
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID, TopicPartition
from spindle.model.image import ClusterImage, TopicState
from spindle.node.calls import Call
from spindle.wire.entities import make, to_ms

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(broker: Broker, call: Call) -> None:
    """Commit a group's offsets."""
    body = call.body
    who = Identity(
        group_id=body.group_id,
        generation=body.generation_id_or_member_epoch,
        member_id=body.member_id,
        instance_id=getattr(body, "group_instance_id", None),
    )
    known = _existing(broker.image, call, broker.out.wall_ms)

    def then(errors: dict[TopicPartition, Error]) -> None:
        call.answer(_encode(broker.image, call, errors))

    broker.groups.coordinator(who.group_id).commit(who, known, then)


def refuse(call: Call, error: Error, message: str) -> Any:
    """The error at every partition: there is no other place for it."""
    if call.version < 9 and error is Error.GROUP_ID_NOT_FOUND:
        error = Error.ILLEGAL_GENERATION
    return _response(call, lambda topic, partition: error)


def _topic(image: ClusterImage, topic: Any) -> TopicState | None:
    if hasattr(topic, "name"):
        return image.topic(topic.name)
    return image.topics.get(topic.topic_id or ZERO_ID)


def _existing(image: ClusterImage, call: Call, now_ms: int) -> dict[TopicPartition, Committed]:
    retention = getattr(call.body, "retention_time", None)
    keep_ms = -1 if retention is None else to_ms(retention)
    found = {}
    for topic in call.body.topics:
        state = _topic(image, topic)
        for p in topic.partitions:
            if state is None or p.partition_index not in state.partitions:
                continue
            found[TopicPartition(state.name, p.partition_index)] = Committed(
                offset=p.committed_offset,
                leader_epoch=getattr(p, "committed_leader_epoch", -1),
                metadata=p.committed_metadata or "",
                commit_ms=now_ms,
                expire_ms=now_ms + keep_ms if keep_ms >= 0 else -1,
                topic_id=state.topic_id,
            )
    return found


def _encode(image: ClusterImage, call: Call, errors: dict[TopicPartition, Error]) -> Any:
    def error_of(topic: Any, partition: int) -> Error:
        state = _topic(image, topic)
        if state is None and not hasattr(topic, "name"):
            return Error.UNKNOWN_TOPIC_ID
        name = state.name if state is not None else topic.name
        return errors.get(TopicPartition(name, partition), Error.UNKNOWN_TOPIC_OR_PARTITION)

    return _response(call, error_of)


def _response(call: Call, error_of: Any) -> Any:
    r = call.reply
    return make(
        r.OffsetCommitResponse,
        topics=tuple(
            make(
                r.OffsetCommitResponseTopic,
                **_named(topic),
                partitions=tuple(
                    r.OffsetCommitResponsePartition(
                        partition_index=p.partition_index,
                        error_code=error_of(topic, p.partition_index),
                    )
                    for p in topic.partitions
                ),
            )
            for topic in call.body.topics
        ),
    )


def _named(topic: Any) -> dict[str, Any]:
    return {"name": topic.name} if hasattr(topic, "name") else {"topic_id": topic.topic_id}
