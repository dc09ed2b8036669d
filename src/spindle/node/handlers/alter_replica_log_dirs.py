"""AlterReplicaLogDirs (34), versions 1-2.

Behaviour: each named replica begins to move to the named directory, and the answer comes as soon as
that outlives a kill: when the future logs stand on disk, before anything is copied (K113-01). The
current directory cancels a move (K113-08), another one takes its place (K113-09). A replica that is
not here yet is remembered on disk and created there later (K113-10, B-09). Checks in this order:
INVALID_TOPIC_EXCEPTION (name too long for a future log), LOG_DIR_NOT_FOUND (not a configured path),
KAFKA_STORAGE_ERROR (directory offline), INVALID_REPLICA_ASSIGNMENT (cordoned; but staying there, or
cancelling, is allowed: B-19), KAFKA_STORAGE_ERROR (replica offline), UNKNOWN_TOPIC_OR_PARTITION and
REPLICA_NOT_AVAILABLE (both remembered). A partition with two directories: INVALID_REQUEST.

Version notes: 2 is flexible.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.model.errors import Error
from spindle.model.ids import LogDir, TopicPartition, by_topic
from spindle.node.handlers._gathering import Gathering
from spindle.node.handlers._repeats import RepeatedPartitions
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.alter_replica_log_dirs_request import AlterReplicaLogDirsRequest
from spindle.wire.messages.alter_replica_log_dirs_response import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: AlterReplicaLogDirsRequest,
    context: RequestContext[AlterReplicaLogDirsResponse],
) -> Later:
    """Begin, redirect or cancel moves."""
    wanted: dict[TopicPartition, list[LogDir]] = {}
    for directory in request.dirs:
        for topic in directory.topics:
            for partition in topic.partitions:
                name = TopicPartition(topic.name, partition)
                wanted.setdefault(name, []).append(directory.path)
    seen = context.survey if isinstance(context.survey, RepeatedPartitions) else None
    gathering = Gathering[TopicPartition, Error](
        wanted, lambda errors: context.answer(_respond(errors))
    )
    for name, paths in wanted.items():
        then = partial(gathering.settle, name)
        if len(paths) > 1 or (seen is not None and seen.named[name] > 1):
            then(Error.INVALID_REQUEST)
        else:
            broker.logs.orders.altering.alter(name, paths[0], then)
    return LATER


def refuse(
    request: AlterReplicaLogDirsRequest,
    context: RequestContext[AlterReplicaLogDirsResponse],
    error: Error,
    message: str,
) -> AlterReplicaLogDirsResponse:
    """The error at each partition."""
    return _respond(
        {
            TopicPartition(topic.name, partition): error
            for directory in request.dirs
            for topic in directory.topics
            for partition in topic.partitions
        }
    )


def _respond(errors: dict[TopicPartition, Error]) -> AlterReplicaLogDirsResponse:
    return AlterReplicaLogDirsResponse(
        results=tuple(
            AlterReplicaLogDirTopicResult(
                topic_name=topic,
                partitions=tuple(
                    AlterReplicaLogDirPartitionResult(partition_index=partition, error_code=error)
                    for partition, error in told
                ),
            )
            for topic, told in by_topic(errors.items()).items()
        )
    )
