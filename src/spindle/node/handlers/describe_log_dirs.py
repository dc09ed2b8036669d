"""DescribeLogDirs (35), versions 1-5.

Behaviour: every configured directory in the order of `log.dirs`; one that is offline has
KAFKA_STORAGE_ERROR and nothing else. Current logs: bytes of their segments, and by how much their
end lies behind the high watermark; future logs: how far behind the current one they are, -1 where
that is offline (K113-20). `topics` null asks for all, empty for the directories alone.

Version notes: 2 is flexible; 3 has an error for the whole; 4 the file system's total and usable
bytes (-1 unknown); 5 whether the directory is cordoned, where the
cluster's metadata.version knows of that (KIP-1066). From 2 on Spindle's tagged field has each
directory's id, where it is known (B-25), for those alone that ask for it by a tagged field of the
request: Apache Kafka 4.3 sends no tags here, and there are clients that cannot step over one.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from spindle.model.errors import Error
from spindle.model.feature_rules import CORDONED_DIRECTORIES, METADATA_VERSION
from spindle.model.ids import TopicPartition
from spindle.node.kept_parts import EncodedPart
from spindle.node.logdirs.directories import ConfiguredLogDir
from spindle.node.logdirs.log_dir_manager import ListedReplica
from spindle.node.request_context import Later, RequestContext
from spindle.node.slices import ONE, REST, REST_AFTER, Pause
from spindle.wire.codec import Packed, put_all
from spindle.wire.log_dir_topics import partition_writer, put_topics
from spindle.wire.messages.describe_log_dirs_request import (
    DescribableLogDirTopic,
    DescribeLogDirsRequest,
)
from spindle.wire.messages.describe_log_dirs_response import (
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


AT_ONCE: Final = 8 * REST_AFTER
"""Replicas, and topics, that take about as long as so many things of other answers: a REST."""


def on_broker(
    broker: Broker,
    request: DescribeLogDirsRequest,
    context: RequestContext[DescribeLogDirsResponse],
) -> Later:
    """Tell of all directories."""
    return broker.slices.answer(
        request,
        context,
        _parts(broker, request, context.version),
        lambda found: DescribeLogDirsResponse(results=found),
    )


def _parts(
    broker: Broker, request: DescribeLogDirsRequest, version: int
) -> Iterator[EncodedPart | Pause]:
    asked = None if request.topics is None else (yield from _asked(broker, request.topics))
    # Where each replica is counts as of now: none is listed twice, or not at all, because it moves.
    for path, replicas in broker.logs.listings().items():
        topics: dict[str, list[bytes]] = {}
        while some := list(islice(replicas, AT_ONCE)):
            _add(topics, some, asked, version)
            if len(some) == AT_ONCE:
                yield REST
        packed, left = Packed(), iter(topics.items())
        while named := list(islice(left, AT_ONCE)):
            packed.add(len(named), put_topics(named, version))
            if len(named) == AT_ONCE:
                yield REST
        directory = broker.logs.directories.all[path]
        ids = request.with_directory_ids
        raw = put_all((_directory(broker, directory, packed, ids),), version)
        yield EncodedPart(_directory(broker, directory, (), ids), raw)


def _asked(
    broker: Broker, topics: Sequence[DescribableLogDirTopic]
) -> Generator[Pause, None, set[TopicPartition]]:
    """Those of the partitions that exist: no more is kept, for a client may name millions."""
    found: set[TopicPartition] = set()
    for topic in topics:
        yield ONE
        state = broker.image.topic(topic.topic)
        if state is None:
            continue
        for partition in topic.partitions:
            yield ONE
            if partition in state.partitions:
                found.add(TopicPartition(topic.topic, partition))
    return found


def _add(
    topics: dict[str, list[bytes]],
    replicas: Iterable[ListedReplica | None],
    asked: set[TopicPartition] | None,
    version: int,
) -> None:
    """Put replicas that are asked for behind those that are there of their topics."""
    put = partition_writer(version)
    for replica in replicas:
        if replica is not None and (asked is None or replica.name in asked):
            name, size, lag, is_future = replica
            found = topics.setdefault(name.topic, [])
            found.append(put(name.partition, size, lag, is_future))


def _directory(
    broker: Broker, directory: ConfiguredLogDir, topics: Sequence[DescribeLogDirsTopic], ids: bool
) -> DescribeLogDirsResult:
    path, directory_id = directory.path, directory.id if ids else None
    if not directory.health.online:
        return DescribeLogDirsResult(
            error_code=Error.KAFKA_STORAGE_ERROR, log_dir=path, directory_id=directory_id
        )
    level = broker.image.features.get(METADATA_VERSION, 0)
    is_cordoned = broker.logs.directories.is_cordoned(path)
    return DescribeLogDirsResult(
        log_dir=path,
        topics=topics,
        total_bytes=directory.usage.total,
        usable_bytes=directory.usage.usable,
        is_cordoned=is_cordoned and level >= CORDONED_DIRECTORIES,
        directory_id=directory_id,
    )


def refuse(
    request: DescribeLogDirsRequest,
    context: RequestContext[DescribeLogDirsResponse],
    error: Error,
    message: str,
) -> DescribeLogDirsResponse:
    """Nothing but the error."""
    return DescribeLogDirsResponse(error_code=error)
