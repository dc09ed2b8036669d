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

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from spindle.core.logdirs.move import LogDirMove
from spindle.model.errors import Error
from spindle.model.feature_rules import CORDONED_DIRECTORIES, METADATA_VERSION
from spindle.model.ids import PartitionId, TopicPartition
from spindle.node.logdirs.directories import ConfiguredLogDir
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

Wanted = Callable[[TopicPartition], bool]
Topics = dict[str, list[DescribeLogDirsPartition]]


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

    def wanted(name: TopicPartition) -> bool:
        return asked is None or name in asked

    # Where each replica is counts as of now: none is listed twice, or not at all, because it moves.
    seen = [
        (d, list(broker.logs.places.current(d.path)), list(broker.logs.futures(d.path)))
        for d in broker.logs.directories.all.values()
    ]
    for directory, replicas, moves in seen:
        topics: Topics = {}
        yield from _collect(broker, replicas, moves, wanted, topics)
        yield _directory(broker, directory, topics)


def _directory(
    broker: Broker, directory: ConfiguredLogDir, topics: Topics
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
            DescribeLogDirsTopic(name=name, partitions=tuple(entries))
            for name, entries in topics.items()
        ),
        total_bytes=directory.usage.total,
        usable_bytes=directory.usage.usable,
        is_cordoned=is_cordoned and level >= CORDONED_DIRECTORIES,
        directory_id=directory.id,
    )


def _collect(
    broker: Broker,
    replicas: Iterable[PartitionId],
    moves: Iterable[LogDirMove],
    wanted: Wanted,
    topics: Topics,
) -> Iterator[Pause]:
    """Put the replicas of a directory into `topics`, with rests."""

    def add(name: TopicPartition, size: int, lag: int, future: bool) -> None:
        if wanted(name):
            entry = DescribeLogDirsPartition(
                partition_index=name.partition,
                partition_size=size,
                offset_lag=lag,
                is_future_key=future,
            )
            topics.setdefault(name.topic, []).append(entry)

    for number, id in enumerate(replicas, 1):
        if number % REST_AFTER == 0:
            yield REST
        hosted, bounds = broker.replicas.partitions.find(id), broker.replicas.partitions.bounds(id)
        if hosted is not None and bounds is not None:
            add(hosted.name, hosted.size, max(0, bounds[1] - bounds[2]), False)
    for move in moves:
        bounds = broker.replicas.partitions.bounds(move.id)
        lag = -1 if bounds is None else max(0, bounds[2] - move.end)
        add(move.name, move.size, lag, True)
