"""What is done to logs by the clock: retention, checkpoints, `flush.ms`; figures.

Knows when, not how: the jobs are storage's. Belongs to the broker; no part waits for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from spindle.model.errors import DiskFailed, Failure
from spindle.model.ids import LogDir, PartitionId, TopicPartition
from spindle.model.image import TOPIC_RESOURCE
from spindle.model.jobs import Flush, LogStart, Retain, WriteCheckpoints, WriteHighWatermarks
from spindle.model.log_values import DirectoryState
from spindle.model.metric_tables import disk_figures as of
from spindle.model.metric_tables.replication_figures import OFFLINE_REPLICAS
from spindle.model.settings.setting import MAX_LONG
from spindle.model.statistics import Sample
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.log_dir_manager import LogDirManager
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.replica_manager import ReplicaManager

FLUSH_LOOK: Final = 0.5
"""Seconds between looks for logs that `flush.ms` wants on the medium."""
TOGETHER: Final = 16
"""Logs that are shortened at once."""
MARKS_EVERY: Final = "replica.high.watermark.checkpoint.interval.ms"
POINTS_EVERY: Final = "log.flush.offset.checkpoint.interval.ms"


class Housekeeping:
    """The broker's periodic work on its logs."""

    def __init__(
        self, context: BrokerContext, replicas: ReplicaManager, logs: LogDirManager
    ) -> None:
        self._context = context
        self._replicas = replicas
        self._logs = logs
        self._out = context.out
        self._settings = context.settings
        self._flushed: dict[PartitionId, float] = {}
        self._due: deque[PartitionId] = deque()
        self._checkpoints: list[Callable[[LogDir], None]] = []
        """Checkpoints under way: each learns of a directory that it need not wait for."""
        delay = context.settings.seconds("log.initial.task.delay.ms")
        logs.directories.listeners.append(self._on_directory_failed)
        self._out.after(delay, self._retain_all)
        self._out.after(delay, self._flush_due)
        self._out.after(self._settings.seconds(MARKS_EVERY), self._marks)
        self._out.after(self._settings.seconds(POINTS_EVERY), self._points)

    # --- checkpoints --------------------------------------------------------------------------

    def _points(self) -> None:
        self._out.after(self._settings.seconds(POINTS_EVERY), self._points)
        for directory in self._logs.directories.online:
            self._out.run(WriteCheckpoints(directory.path), self._on_checkpoint)

    def _on_checkpoint(self, result: Failure | None) -> None:
        if isinstance(result, DiskFailed):
            self._logs.on_disk_failed(result)

    def _marks(self) -> None:
        self._out.after(self._settings.seconds(MARKS_EVERY), self._marks)
        self.checkpoint(lambda: None)

    def checkpoint(self, then: Callable[[], None]) -> None:
        """Write every directory's high watermarks; `then` when all are written or have failed."""
        paths = [d.path for d in self._logs.directories.online]
        left = set(paths)

        def over(path: LogDir) -> None:
            if path in left:
                left.remove(path)
                if not left:
                    self._checkpoints.remove(over)
                    then()

        def written(path: LogDir, result: Failure | None) -> None:
            self._on_checkpoint(result)
            over(path)

        if not paths:
            then()
            return
        self._checkpoints.append(over)
        for path in paths:
            self._out.run(WriteHighWatermarks(path, self._marks_of(path)), partial(written, path))

    def _marks_of(self, path: LogDir) -> dict[TopicPartition, int]:
        """A current log's mark stands before that of a future log of the same partition."""
        marks = self._logs.future_marks(path) | self._replicas.partitions.high_watermarks(path)
        return {key.topic_partition: mark for key, mark in marks.items()}

    def _on_directory_failed(self, path: LogDir) -> None:
        """A directory is lost, or hangs: its checkpoint is no longer waited for."""
        for over in list(self._checkpoints):
            over(path)

    # --- retention ----------------------------------------------------------------------------

    def _retain_all(self) -> None:
        self._out.after(self._settings.seconds("log.retention.check.interval.ms"), self._retain_all)
        if not self._due:
            self._due = deque(self._replicas.partitions.hosted)
            for _ in range(TOGETHER):
                self._retain_next()

    def _retain_next(self) -> None:
        """Delete what a topic need not keep. A future log follows its current one's start."""
        while self._due:
            id = self._due.popleft()
            partitions = self._replicas.partitions
            hosted, bounds = partitions.find(id), partitions.bounds(id)
            if hosted is None or bounds is None:
                continue
            settings = self._context.topic(hosted.name.topic)
            if "delete" not in settings.names("cleanup.policy"):
                continue
            job = partial(
                Retain,
                key=hosted.key,
                retention_ms=settings.whole("retention.ms"),
                retention_bytes=settings.whole("retention.bytes"),
                limit=bounds[1],
                now_ms=self._out.wall_ms,
            )
            hosted.jobs.write(job, partial(self._on_retained, hosted))
            return

    def _on_retained(self, hosted: HostedPartition, result: LogStart | Failure) -> None:
        if not hosted.gone:
            if isinstance(result, Failure):
                self._replicas.changes.on_failure(hosted, result)
            else:
                self._replicas.writes.on_start(hosted, result)
        self._retain_next()

    # --- flush.ms -----------------------------------------------------------------------------

    def _flush_due(self) -> None:
        self._out.after(FLUSH_LOOK, self._flush_due)
        replicas = self._replicas
        everyone = self._settings.find_whole("log.flush.interval.ms") not in (None, MAX_LONG)
        topics = {
            name
            for (kind, name), values in self._context.image.configs.items()
            if kind == TOPIC_RESOURCE and "flush.ms" in values
        }
        for hosted in list(replicas.partitions.hosted.values()) if everyone or topics else ():
            if not everyone and hosted.name.topic not in topics:
                continue
            every = self._context.topic(hosted.name.topic).whole("flush.ms")
            due = self._flushed.get(hosted.id, 0.0) + every / 1000 <= self._out.now
            if every < MAX_LONG and due and replicas.partitions.bounds(hosted.id) is not None:
                self._flushed[hosted.id] = self._out.now
                hosted.jobs.run(partial(Flush, key=hosted.key), partial(self._on_flushed, hosted))
        for id in self._flushed.keys() - replicas.partitions.hosted.keys():
            del self._flushed[id]

    def _on_flushed(self, hosted: HostedPartition, result: Failure | None) -> None:
        if isinstance(result, Failure) and not hosted.gone:
            self._replicas.changes.on_failure(hosted, result)

    # --- figures ------------------------------------------------------------------------------

    def statistics(self) -> Iterator[Sample]:
        """Figures about directories and moves, under Kafka's names (K858-08)."""
        logs, offline = self._logs, self._logs.offline
        yield of.OFFLINE_DIRECTORIES.of(len(offline))
        states = list(logs.directories.states())
        for state in states:
            yield from self._directory(state)
        cordoned = sum(logs.directories.is_cordoned(state.path) for state in states)
        yield of.CORDONED_DIRECTORIES.of(cordoned)
        yield OFFLINE_REPLICAS.of(logs.offline_replicas)
        yield of.ASSIGNMENTS.of(len(logs.assignments.assigning.queue))
        yield from logs.moves.under_way.statistics()

    def _directory(self, state: DirectoryState) -> Iterator[Sample]:
        logs, path = self._logs, state.path
        directories = logs.directories
        yield of.DIRECTORY_OFFLINE.of(not state.online, path)
        yield of.DIRECTORY_CORDONED.of(directories.is_cordoned(path), path)
        yield of.DIRECTORY_SLOW.of(directories.paces.is_slow(path), path)
        yield of.CALL_SECONDS.of(directories.paces.latency(path), path)
        strays = logs.places.purging.strays[path].values()
        yield of.STRAY_LOGS.of(len(strays), path)
        yield of.STRAY_BYTES.of(sum(strays), path)
        bad = list(logs.repairs.bad_copies.in_directory(path))
        yield of.BAD_COPIES.of(len(bad), path)
        yield of.BAD_BYTES.of(sum(copy.size for copy in bad), path)
        yield of.GAPS.of(sum(1 for _ in logs.places.doubtful_in(path)), path)
        yield of.KEPT_BYTES.of(logs.moves.kept.bytes_in(path), path)
        yield from logs.scrubbing.statistics(path)
        yield of.TOTAL_BYTES.of(state.usage.total, path)
        yield of.USABLE_BYTES.of(state.usage.usable, path)
