"""Compaction of the logs that want it: one at a time, in small steps, never during a move.

Decides when and how fast; what is kept, and how it is written, is storage's
(`model.cleaning_jobs`). It rests after each step as long as the step took, so that appends and
reads come first. Belongs to the broker; nothing waits for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from spindle.model.cleaning_jobs import (
    AdoptCleaned,
    CleanBytes,
    CleanPlan,
    CleanRules,
    CleanWork,
    NewSegment,
    PlanClean,
)
from spindle.model.errors import Failure
from spindle.model.ids import LogDir, PartitionId
from spindle.model.jobs import LogStart
from spindle.model.log_values import LogKey
from spindle.model.metric_tables import disk_figures as of
from spindle.model.statistics import Sample
from spindle.node.broker_context import BrokerContext
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.replica_manager import ReplicaManager

STEP: Final = 256 << 10
"""Bytes that one step reads."""
REST: Final = 0.005
"""Seconds between steps at least."""


class Compaction:
    """The broker's cleaner of logs."""

    def __init__(
        self,
        context: BrokerContext,
        replicas: ReplicaManager,
        is_moving: Callable[[PartitionId], bool],
        on_shortened: Callable[[LogDir, LogKey], None],
    ) -> None:
        """`on_shortened`: a log has set segments aside."""
        self._context = context
        self._replicas = replicas
        self._is_moving = is_moving
        self._on_shortened = on_shortened
        self._out = context.out
        self._due: deque[PartitionId] = deque()
        self._cleanings = 0
        self._read = 0
        self._freed = 0
        self._out.after(self._backoff, self._look)

    @property
    def _backoff(self) -> float:
        return self._context.settings.seconds("log.cleaner.backoff.ms")

    # --- which ----------------------------------------------------------------------------------

    def _look(self) -> None:
        """Begin a round over all logs that are to be compacted."""
        if self._context.settings.flag("log.cleaner.enable"):
            hosted = self._replicas.partitions.hosted
            self._due = deque(id for id, found in hosted.items() if found.topic.compact)
        self._next()

    def _next(self) -> None:
        while self._due:
            id = self._due.popleft()
            partitions = self._replicas.partitions
            hosted, bounds = partitions.find(id), partitions.bounds(id)
            if hosted is not None and bounds is not None and self._may_go_on(hosted):
                rules, now = self._rules(hosted), self._out.wall_ms
                job = partial(PlanClean, key=hosted.key, rules=rules, limit=bounds[1], now_ms=now)
                hosted.jobs.run(job, partial(self._on_plan, hosted))
                return
        self._out.after(self._backoff, self._look)

    def _may_go_on(self, hosted: HostedPartition) -> bool:
        """Whether nothing else is to happen to the log. A move copies segments as they are."""
        return not hosted.gone and not self._is_moving(hosted.id)

    def _rules(self, hosted: HostedPartition) -> CleanRules:
        settings = self._context.topic(hosted.name.topic)
        return CleanRules(
            settings.number("min.cleanable.dirty.ratio"),
            settings.whole("min.compaction.lag.ms"),
            settings.whole("max.compaction.lag.ms"),
            settings.whole("delete.retention.ms"),
            self._context.settings.whole("log.cleaner.dedupe.buffer.size"),
        )

    # --- one ------------------------------------------------------------------------------------

    def _on_plan(self, hosted: HostedPartition, plan: CleanPlan | Failure | None) -> None:
        if isinstance(plan, Failure):
            self._fail(hosted, plan)
        elif plan is None:
            self._next()
        else:
            _Cleaning(self, hosted, plan).go_on()

    def _fail(self, hosted: HostedPartition, failure: Failure) -> None:
        if not hosted.gone:
            self._replicas.changes.on_failure(hosted, failure)
        self._next()

    def _rest(self, started: float, read: int, then: Callable[[], None]) -> None:
        """Wait as long as the step took, and as long as the rate wants."""
        took = self._out.now - started
        rate = self._context.settings.number("log.cleaner.io.max.bytes.per.second")
        self._out.after(max(REST, took, read / max(rate, 1.0) - took), then)

    def _end(self, read: int, freed: int) -> None:
        self._cleanings += 1
        self._read += read
        self._freed += freed
        self._next()

    def statistics(self) -> Iterator[Sample]:
        """What the cleaner has done since the start."""
        yield of.CLEANINGS.of(self._cleanings)
        yield of.CLEANED_BYTES.of(self._read)
        yield of.FREED_BYTES.of(self._freed)


class _Cleaning:
    """One cleaning of one log, from its plan to its end."""

    def __init__(self, cleaner: Compaction, hosted: HostedPartition, plan: CleanPlan) -> None:
        self._cleaner = cleaner
        self._hosted = hosted
        self._directory = hosted.directory
        self._plan = plan
        self._work = CleanWork(plan.dirty)
        self._freed = 0

    @property
    def _may_go_on(self) -> bool:
        same = self._hosted.directory == self._directory
        return same and not self._work.lost and self._cleaner._may_go_on(self._hosted)

    def go_on(self) -> None:
        """The next step, or the end."""
        if self._work.done or not self._may_go_on:
            self._cleaner._end(self._work.read_bytes, self._freed)
            return
        job = CleanBytes(self._directory, self._hosted.key, self._plan, self._work, STEP)
        self._cleaner._out.run(job, partial(self._on_step, self._cleaner._out.now, self._read))

    @property
    def _read(self) -> int:
        return self._work.read_bytes

    def _on_step(self, started: float, before: int, work: CleanWork | Failure) -> None:
        if isinstance(work, Failure):
            self._cleaner._fail(self._hosted, work)
            return
        if work.ready is not None and self._may_go_on:
            self._adopt(work.ready)
            return
        self._cleaner._rest(started, work.read_bytes - before, self.go_on)

    def _adopt(self, fresh: NewSegment) -> None:
        groups, work = self._plan.groups, self._work
        last = work.group == len(groups) or groups[work.group][0].base >= work.mapped
        cleaned_to = work.mapped if last else None
        job = AdoptCleaned(self._directory, self._hosted.key, self._plan, fresh, cleaned_to)
        # Not held back: a move that begins now asks for its first plan after this job.
        self._cleaner._out.run(job, partial(self._on_adopted, fresh))

    def _on_adopted(self, fresh: NewSegment, result: LogStart | Failure | None) -> None:
        if isinstance(result, Failure):
            self._cleaner._fail(self._hosted, result)
            return
        if result is None:
            self._work.lost = True
        else:
            self._freed += sum(old.size for old in fresh.olds) - fresh.size
            self._hosted.size = result.size
            self._hosted.tail.drop_below(fresh.end)
            self._cleaner._on_shortened(self._directory, self._hosted.key)
        self._cleaner._rest(self._cleaner._out.now, 0, self.go_on)
