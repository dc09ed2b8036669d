"""The bytes of this node's copy of the metadata log: jobs for the disk, newest batches in memory.

Serving a follower that is up to date, and applying what was just appended, needs no disk. Knows
batches and offsets, no epochs and no roles. Belongs to `quorum`; a failed disk halts the node.
"""

from __future__ import annotations

import errno
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

from spindle.model.batches import Buffer, RecordBatch
from spindle.model.errors import DiskFailed, Failure
from spindle.model.ids import METADATA_TOPIC, LogDir
from spindle.model.jobs import (
    Append,
    Appended,
    Job,
    LogStart,
    MoveLogStart,
    Read,
    ReadResult,
    Reset,
    Sweep,
    Truncate,
)
from spindle.model.log_values import LoadedLog, LogKey
from spindle.model.metadata_records import MetadataRecord
from spindle.model.outbox import Outbox
from spindle.wire import batch as codec

CACHE_BYTES_MAX: Final = 8 << 20
READ_BYTES: Final = 1 << 20
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
FULL_PAUSE: Final = 1.0
"""s before a job is repeated that found the disk full."""
LOG_KEY: Final = LogKey(METADATA_TOPIC, 0)

R = TypeVar("R")


class Cached(NamedTuple):
    """A batch in memory; `records` where we wrote it ourselves, else decoded on demand."""

    batch: RecordBatch
    records: Sequence[MetadataRecord] | None


class MetadataLog:
    """Reads and writes `__cluster_metadata-0`."""

    def __init__(self, directory: LogDir, out: Outbox, durable: bool) -> None:
        """`durable`: whether batches are durable before they count, as of a voter and a node that
        may become one. A broker alone fetches again what a power cut takes; it would otherwise let
        the replicas in the directory wait for a sync with each record.
        """
        self._durable = durable
        self._directory = directory
        self._out = out
        self.is_closing = False
        """Whether the node stops; what then becomes of a job no longer matters."""
        self.size = 0
        """Bytes of the log's segments, once it is open."""
        self._cache: list[Cached] = []
        self._cache_bytes = 0

    # --- writing ----------------------------------------------------------------------------

    def append(self, batches: list[Cached], then: Callable[[], None]) -> None:
        """Append batches in order; `then` once all are there, and durable where they must be."""

        def done(now: Appended) -> None:
            self.size = now.size
            self._remember(batches)
            then()

        plain = [cached.batch for cached in batches]
        job = Append(self._directory, LOG_KEY, plain, self._out.wall_ms, sync=self._durable)
        self.run(job, done)

    def truncate(self, offset: int, then: Callable[[], None]) -> None:
        """Cut the end back to `offset`."""

        def done(now: LoadedLog) -> None:
            self.size = now.size
            while self._cache and self._cache[-1].batch.next_offset > offset:
                self._cache_bytes -= self._cache.pop().batch.size
            then()

        self.run(Truncate(self._directory, LOG_KEY, offset), done)

    def reset(self, offset: int, then: Callable[[], None]) -> None:
        """Start again, empty, at `offset`."""

        def done(now: LoadedLog) -> None:
            self.size = now.size
            self._cache.clear()
            self._cache_bytes = 0
            then()

        self.run(Reset(self._directory, LOG_KEY, offset), done)

    def move_start(self, offset: int, then: Callable[[], None]) -> None:
        """Give up whole segments below `offset`."""

        def done(now: LogStart) -> None:
            self.size = now.size
            self.run(Sweep(self._directory, LOG_KEY), lambda _: None)
            then()

        self.run(MoveLogStart(self._directory, LOG_KEY, offset), done)

    # --- reading ----------------------------------------------------------------------------

    def cached(self, offset: int, limit: int, max_bytes: int = READ_BYTES) -> list[Cached] | None:
        """Batches from `offset` up to `limit` that are in memory; None: only the disk has them.

        At least one, then no more than `max_bytes`.
        """
        index = bisect_right(self._cache, offset, key=lambda c: c.batch.base_offset) - 1
        if index < 0:
            return None
        if self._cache[index].batch.next_offset <= offset:
            index += 1
        found: list[Cached] = []
        for cached in self._cache[index:]:
            if cached.batch.next_offset > limit:
                break
            max_bytes -= cached.batch.size
            if found and max_bytes < 0:
                break
            found.append(cached)
        return found

    def read(
        self, offset: int, limit: int, max_bytes: int, then: Callable[[list[Cached]], None]
    ) -> None:
        """Whole batches from the one that holds `offset`, from memory (at once) or from disk."""
        found = self.cached(offset, limit, max_bytes)
        if found is not None:
            then(found)
        else:
            self.read_disk(offset, limit, max_bytes, then)

    def read_disk(
        self, offset: int, limit: int, max_bytes: int, then: Callable[[list[Cached]], None]
    ) -> None:
        """The same from the disk."""

        def done(result: ReadResult) -> None:
            then([Cached(batch, None) for batch in codec.split(bytes(result.data), partial=True)])

        self.run(Read(self._directory, LOG_KEY, offset, limit, max_bytes), done)

    def run(self, job: Job[R], then: Callable[[R], None]) -> None:
        """Have a job done. A failure halts the node, which cannot go on without its metadata
        (K858-11), and `then` is not called.

        A full disk is not a dead one (B-12): the job is repeated until there is space again.
        """

        def done(result: R | Failure) -> None:
            if isinstance(result, DiskFailed) and result.errno in FULL:
                self._out.say("error", "the metadata directory is full", reason=str(result))
                self._out.after(FULL_PAUSE, lambda: self.run(job, then))
            elif isinstance(result, Failure):
                if not self.is_closing:
                    self._out.halt(f"the metadata directory has failed: {result}")
            else:
                then(result)

        self._out.run(job, done)

    # --- memory -----------------------------------------------------------------------------

    def _remember(self, batches: list[Cached]) -> None:
        for cached in batches:
            self._cache.append(cached)
            self._cache_bytes += cached.batch.size
        drop = 0
        while self._cache_bytes > CACHE_BYTES_MAX and drop < len(self._cache) - 1:
            self._cache_bytes -= self._cache[drop].batch.size
            drop += 1
        del self._cache[:drop]


def wire_bytes(batches: Sequence[Cached]) -> list[Buffer]:
    """Batches as they go over the wire."""
    buffers: list[Buffer] = []
    for cached in batches:
        buffers.extend(codec.stamped(cached.batch))
    return buffers
