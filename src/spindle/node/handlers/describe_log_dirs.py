"""DescribeLogDirs (35), versions 1-5.

Behaviour: every configured directory in the order of `log.dirs`; one that is offline has
KAFKA_STORAGE_ERROR and nothing else. Current logs: bytes of their segments, and by how much their
end lies behind the high watermark; future logs: how far behind the current one they are, -1 where
that is offline (K113-20). `topics` null asks for all, empty for the directories alone.

Version notes: 2 is flexible; 3 has an error for the whole; 4 the file system's total and usable
bytes (-1 unknown); 5 whether the directory is cordoned, where the
cluster's metadata.version knows of that (KIP-1066). From 2 on Spindle's tagged field has each
directory's id, where it is known (B-25).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from spindle.model.errors import Error
from spindle.model.feature_rules import CORDONED_DIRECTORIES, METADATA_VERSION
from spindle.model.ids import TopicPartition, by_topic
from spindle.node.logdirs.directories import ConfiguredLogDir
from spindle.node.logdirs.log_dir_manager import ListedReplica
from spindle.node.request_context import Later, RequestContext
from spindle.node.slices import ONE, REST, REST_AFTER, Pause
from spindle.wire.messages.describe_log_dirs_request import DescribeLogDirsRequest
from spindle.wire.messages.describe_log_dirs_response import (
    DescribeLogDirsPartition,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: DescribeLogDirsRequest,
    context: RequestContext[DescribeLogDirsResponse],
) -> Later:
    """Tell of all directories."""
    return broker.slices.answer(
        request,
        context,
        _parts(broker, request),
        lambda found: DescribeLogDirsResponse(results=found),
    )


def _parts(
    broker: Broker, request: DescribeLogDirsRequest
) -> Iterator[DescribeLogDirsResult | Pause]:
    asked: set[TopicPartition] | None = None if request.topics is None else set()
    for topic in request.topics or ():
        assert asked is not None
        yield ONE
        state = broker.image.topic(topic.topic)
        if state is None:
            continue  # Only what exists is kept: a client may name millions.
        for partition in topic.partitions:
            yield ONE
            if partition in state.partitions:
                asked.add(TopicPartition(topic.topic, partition))

    # Where each replica is counts as of now: none is listed twice, or not at all, because it moves.
    directories = [(d, broker.logs.listing(d.path)) for d in broker.logs.directories.all.values()]
    for directory, replicas in directories:
        found = []
        for number, replica in enumerate(replicas, 1):
            if number % REST_AFTER == 0:
                yield REST
            if replica is not None and (asked is None or replica.name in asked):
                found.append(replica)
        yield _directory(broker, directory, found)


def _directory(
    broker: Broker, directory: ConfiguredLogDir, found: list[ListedReplica]
) -> DescribeLogDirsResult:
    path = directory.path
    if not directory.health.online:
        return DescribeLogDirsResult(
            error_code=Error.KAFKA_STORAGE_ERROR, log_dir=path, directory_id=directory.id
        )
    level = broker.image.features.get(METADATA_VERSION, 0)
    is_cordoned = broker.logs.directories.is_cordoned(path)
    return DescribeLogDirsResult(
        log_dir=path,
        topics=tuple(
            DescribeLogDirsTopic(
                name=topic,
                partitions=tuple(
                    DescribeLogDirsPartition(
                        partition_index=number,
                        partition_size=replica.size,
                        offset_lag=replica.lag,
                        is_future_key=replica.is_future,
                    )
                    for number, replica in replicas
                ),
            )
            for topic, replicas in by_topic((replica.name, replica) for replica in found).items()
        ),
        total_bytes=directory.usage.total,
        usable_bytes=directory.usage.usable,
        is_cordoned=is_cordoned and level >= CORDONED_DIRECTORIES,
        directory_id=directory.id,
    )


def refuse(
    request: DescribeLogDirsRequest,
    context: RequestContext[DescribeLogDirsResponse],
    error: Error,
    message: str,
) -> DescribeLogDirsResponse:
    """Nothing but the error."""
    return DescribeLogDirsResponse(error_code=error)
