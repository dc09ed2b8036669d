"""Finds an offset of a partition by its time, or by what it stands for.

Only a search by time needs the disk. Knows no messages: used by the handler of ListOffsets.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from spindle.core.replica.partition import Offline, PartitionLeader
from spindle.core.replica.replica_log import NO_EPOCH
from spindle.model.errors import Error, Failure
from spindle.model.jobs import FindOffset, FoundOffset
from spindle.node.replicas.delayed_fetch import CONSUMER, DEBUGGER
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.replica_manager import ReplicaManager

LATEST: Final = -1
EARLIEST: Final = -2
MAX_TIMESTAMP: Final = -3
EARLIEST_LOCAL: Final = -4
LATEST_TIERED: Final = -5
EARLIEST_PENDING: Final = -6


class WantedOffset(NamedTuple):
    """Which offset of which partition is asked for, and by which reader."""

    topic: str
    partition: int
    timestamp: int
    """In ms, or one of the names above."""
    epoch: int
    """The leader epoch that the reader knows, or NO_EPOCH."""
    replica: int
    """A broker's id, CONSUMER or DEBUGGER."""
    committed: bool
    is_supported: bool
    """Whether the version of the request knows this timestamp."""


class ListedOffset(NamedTuple):
    """The answer for one partition."""

    error: Error = Error.NONE
    offset: int = -1
    timestamp: int = -1
    epoch: int = -1


def find_offset(
    replicas: ReplicaManager, wanted: WantedOffset, then: Callable[[ListedOffset], None]
) -> None:
    """Look an offset up; `then` gets the answer, now or later.

    A consumer at a leader whose disk has failed is answered once the next leader is known: it asks
    for the metadata then, and finds it there.
    """
    if not wanted.is_supported:
        then(ListedOffset(Error.UNSUPPORTED_VERSION))
        return
    hosted = _serving(replicas, wanted)
    if isinstance(hosted, Error):
        _refuse(replicas, wanted, hosted, then)
        return
    log, timestamp = hosted.partition.log, wanted.timestamp
    if (error := _check(hosted, wanted)) != Error.NONE:
        then(ListedOffset(error))
    elif timestamp == LATEST:
        then(ListedOffset(offset=_latest(hosted, wanted), epoch=hosted.partition.leader_epoch))
    elif timestamp in (EARLIEST, EARLIEST_LOCAL):
        then(ListedOffset(offset=log.start, epoch=log.epochs.epoch_at(log.start)))
    elif timestamp in (LATEST_TIERED, EARLIEST_PENDING):
        then(ListedOffset())
    else:

        def on_found(result: FoundOffset | Failure) -> None:
            if isinstance(result, Failure):
                replicas.changes.on_failure(hosted, result)
                _refuse(replicas, wanted, Error.KAFKA_STORAGE_ERROR, then)
            else:
                then(ListedOffset(Error.NONE, result.offset, result.timestamp, result.epoch))

        limit = _latest(hosted, wanted)
        job = partial(FindOffset, key=hosted.key, timestamp=timestamp, limit=limit)
        hosted.jobs.run(job, on_found)


def _serving(replicas: ReplicaManager, wanted: WantedOffset) -> HostedPartition | Error:
    """The replica that may answer, or why there is none: only a debugger reads a follower's."""
    if wanted.replica != DEBUGGER:
        return replicas.partitions.leader(wanted.topic, wanted.partition)
    hosted = replicas.partitions.locate(wanted.topic, wanted.partition)
    if isinstance(hosted, HostedPartition) and isinstance(hosted.partition.role, Offline):
        return hosted.partition.role.error
    return hosted


def _refuse(
    replicas: ReplicaManager,
    wanted: WantedOffset,
    error: Error,
    then: Callable[[ListedOffset], None],
) -> None:
    partitions = replicas.partitions
    if error is Error.KAFKA_STORAGE_ERROR and wanted.replica == CONSUMER:
        id = partitions.id_of(wanted.topic, wanted.partition)
        again = partial(find_offset, replicas, wanted, then)
        if id is not None and partitions.successors.wait(id, again):
            return
    then(ListedOffset(error))


def _check(hosted: HostedPartition, wanted: WantedOffset) -> Error:
    role, named = hosted.partition.role, wanted.epoch != NO_EPOCH
    error = hosted.partition.check_epoch(wanted.epoch)
    if error != Error.NONE:
        return error
    if (
        wanted.replica == CONSUMER
        and wanted.timestamp not in (EARLIEST, EARLIEST_LOCAL)
        and isinstance(role, PartitionLeader)
        and hosted.partition.log.high_watermark < role.epoch_start
    ):
        return Error.OFFSET_NOT_AVAILABLE if named else Error.LEADER_NOT_AVAILABLE
    return Error.NONE


def _latest(hosted: HostedPartition, wanted: WantedOffset) -> int:
    log = hosted.partition.log
    if wanted.replica != CONSUMER:
        return log.next
    return log.stable if wanted.committed else log.high_watermark
