"""A thread for each log directory: it drains its queue, runs the group, and reports once a group.

A sick disk stops its own thread and no other. Copies of a move run on a lane of their own for
each pair of directories. Jobs and results are plain values. A bug in a job is reported with its
traceback and takes the lane's directory offline until the node is started again; every job that was
put, or is put later, is answered. Knows nothing of Kafka.
"""

from __future__ import annotations

import asyncio
import os
import queue
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable
from typing import Final

import structlog

from spindle.model.activity import Abandon, Activity, Observe
from spindle.model.ids import LogDir
from spindle.model.jobs import (
    BesideJob,
    Job,
)
from spindle.model.outbox import JobAsked
from spindle.runtime.bell import Bell
from spindle.storage.directory import LogDirectory

log = structlog.get_logger("spindle.runtime.disks")

GROUP_MAX = 256
"""Jobs run as one group at most: bounds how long an answer waits for its neighbours."""

TOLD_AT_ONCE: Final = 64
"""Results that the loop takes in before the others have their turn."""

NICEST: Final = 19
"""The lowest priority that Linux has."""

Report = Callable[[list[tuple[int, object]]], None]
_Lane = tuple[LogDir, LogDir]


class Lane(threading.Thread):
    """One queue and the thread that works it off, in order, group by group."""

    def __init__(self, name: str, directory: LogDirectory, report: Report, steps: int) -> None:
        super().__init__(name=name, daemon=True)
        self._directory = directory
        self._steps_back = steps
        self._report = report
        self._queue: queue.SimpleQueue[JobAsked | None] = queue.SimpleQueue()

    def put(self, asked: JobAsked) -> None:
        """Have a job done after all that were put before it."""
        self._queue.put(asked)

    def end(self) -> None:
        """Finish what is queued, then stop."""
        self._queue.put(None)

    def run(self) -> None:
        """Drain the queue for ever."""
        if self._steps_back:
            _step_back(self._steps_back)
        ended = False
        while not ended:
            group: list[JobAsked] = []
            item = self._queue.get()
            while item is not None:
                group.append(item)
                if len(group) >= GROUP_MAX or self._queue.empty():  # No other thread takes any.
                    break
                item = self._queue.get()
            ended = item is None
            if group:
                tickets = [asked.ticket for asked in group]
                results = self._run([asked.job for asked in group])
                self._report(list(zip(tickets, results, strict=True)))

    def _run(self, jobs: list[Job[object]]) -> list[object]:
        try:
            return self._directory.run_group(jobs)
        except BaseException as bug:
            verbs = ", ".join(sorted({type(job).__name__ for job in jobs}))
            log.exception("a bug: a directory's thread has died", lane=self.name, jobs=verbs)
            self._directory.die(f"its thread has died of a bug: {named(bug)}")
            return self._directory.run_group(jobs)


class DiskLanes:
    """All lanes of a node. `done(results)` is called on the loop, in the order of completion.

    `observe` tells what a directory's disk does, without waiting for it.
    """

    def __init__(
        self,
        directories: dict[LogDir, LogDirectory],
        loop: asyncio.AbstractEventLoop,
        done: Callable[[list[tuple[int, object]]], None],
        observe: Callable[[LogDir], Activity],
    ) -> None:
        self._directories = directories
        self._observe = observe
        self._loop = loop
        self._done = done
        self._lanes: dict[_Lane, Lane] = {}
        self._results: deque[tuple[int, object]] = deque()
        """Those that are not delivered yet; the lanes' threads put them here."""
        self._is_telling = False
        """The loop goes on with them in its next turn."""
        self._bell = Bell(loop, self._on_rung)

    def put(self, asked: JobAsked) -> None:
        """Queue a job on the lane it belongs to."""
        if isinstance(asked.job, Observe):
            results: list[tuple[int, object]] = [(asked.ticket, self._observe(asked.job.directory))]
            self._loop.call_soon(self._done, results)
            return
        if isinstance(asked.job, Abandon):
            self._directories[asked.job.directory].abandon()
            given_up: list[tuple[int, object]] = [(asked.ticket, None)]
            self._loop.call_soon(self._done, given_up)
            return
        lane = _lane_of(asked.job)
        if lane not in self._lanes:
            self._lanes[lane] = self._begun(asked.job, lane[1])
        self._lanes[lane].put(asked)

    def _begun(self, job: Job[object], path: LogDir) -> Lane:
        directory = self._directories[path]
        if isinstance(job, BesideJob):
            lane = Lane("beside", directory, self._report, job.steps_back)
        else:
            lane = Lane(path, directory, self._report, 0)
        lane.start()
        return lane

    def end(self) -> None:
        """Let every thread stop once its queue is empty; a hung one is left behind (daemon)."""
        for lane in self._lanes.values():
            lane.end()
        self._bell.close()  # The node has stopped: nothing waits for what is still to come.

    def _report(self, results: list[tuple[int, object]]) -> None:
        self._results.extend(results)
        self._bell.ring()

    def _on_rung(self) -> None:
        if not self._is_telling:
            self._tell()

    def _tell(self) -> None:
        """Tell what has come; of much only a piece, then the others have their turn."""
        told = [self._results.popleft() for _ in range(min(len(self._results), TOLD_AT_ONCE))]
        self._is_telling = bool(self._results)
        if self._is_telling:
            self._loop.call_soon(self._tell)
        if told:
            self._done(told)


def named(bug: BaseException) -> str:
    """A bug in one line: its kind, its text and the line of code that raised it."""
    trace = traceback.extract_tb(bug.__traceback__)
    where = f" ({trace[-1].filename}:{trace[-1].lineno})" if trace else ""
    return f"{type(bug).__name__}: {bug}".removesuffix(": ") + where


def _step_back(steps: int) -> None:
    """Lower the calling thread's priority, where the system gives each thread one of its own.

    And that of processes that it starts. From where the process was started: no thread may raise
    its priority again.
    """
    if sys.platform == "linux":
        thread = threading.get_native_id()
        nice = os.getpriority(os.PRIO_PROCESS, thread) + steps
        os.setpriority(os.PRIO_PROCESS, thread, min(nice, NICEST))


def _lane_of(job: Job[object]) -> _Lane:
    if isinstance(job, BesideJob):
        return job.lane
    return (job.directory, job.directory)
