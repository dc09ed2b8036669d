"""Which thread a job runs on, and with which priority."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from array import array
from collections.abc import Sequence
from typing import Any, cast

from spindle.model.activity import Activity
from spindle.model.copying import PATIENT_FROM as MUCH
from spindle.model.copying import (
    CopyBytes,
    CopyMark,
    CopyPiece,
    CopyPlan,
    CutStamp,
    OffsetEntries,
    TimeEntries,
)
from spindle.model.ids import LogDir, TopicPartition
from spindle.model.jobs import Job, Measure, Purge, WriteHighWatermarks
from spindle.model.logs import LogKey
from spindle.model.outbox import JobAsked
from spindle.runtime.disks import NICE, Disks
from spindle.storage.directory import Directory

ONE, OTHER = "/data/d1", "/data/d2"
KEY = LogKey("orders", 0, future=True)


class Told:
    """In the place of a directory: answers with the thread's name and how far it steps back."""

    def __init__(self) -> None:
        self.normal = os.getpriority(os.PRIO_PROCESS, 0)

    def run_group(self, group: Sequence[Job[Any]]) -> list[Any]:
        thread = threading.get_native_id()
        nice = os.getpriority(os.PRIO_PROCESS, thread) - self.normal
        return [(thread, nice) for _ in group]


def copying(size: int) -> CopyBytes:
    """A step of a move from ONE to OTHER."""
    mark = CopyMark("orders-0.x-future", 0, 0, 0, 0, 0, (), None, 0)
    stamp = CutStamp("/data/d1/orders-0", 1, 0)
    entries, times = (
        OffsetEntries(0, array("i"), array("i")),
        TimeEntries(0, array("q"), array("i")),
    )
    piece = CopyPiece(0, 0, size, 0, 0, True, 9, entries, times, -1, False, True, ())
    plan = CopyPlan(mark, "orders-0", 0, None, (piece,), stamp, 0, 9, (), None)
    return CopyBytes(OTHER, KEY, ONE, plan)


async def run(*jobs: Job[Any]) -> list[tuple[int, int]]:
    """Thread and niceness of each job."""
    found: dict[int, Any] = {}
    over = asyncio.Event()

    def done(results: list[tuple[int, object]]) -> None:
        found.update(results)
        if len(found) == len(jobs):
            over.set()

    directories = cast("dict[LogDir, Directory]", {ONE: Told(), OTHER: Told()})
    disks = Disks(directories, asyncio.get_running_loop(), done, lambda path: Activity())
    for ticket, job in enumerate(jobs):
        disks.put(JobAsked(ticket, job))
    try:
        await asyncio.wait_for(over.wait(), 60)
    finally:
        disks.end()
    return [found[ticket] for ticket in range(len(jobs))]


def test_what_nobody_waits_for_steps_back() -> None:
    marks = WriteHighWatermarks(ONE, {TopicPartition("orders", 0): 5})
    jobs = (copying(MUCH), Purge(ONE, "x-delete"), copying(MUCH - 1), marks, Measure(ONE))
    places = asyncio.run(run(*jobs))
    back = NICE if sys.platform == "linux" else 0
    assert [nice for _, nice in places] == [back, back, 0, 0, 0]
    assert len({thread for thread, _ in places}) == len(jobs)


def test_jobs_of_a_lane_share_its_thread() -> None:
    places = asyncio.run(run(copying(MUCH), copying(MUCH), Measure(ONE), Measure(OTHER)))
    threads = [thread for thread, _ in places]
    assert threads[0] == threads[1]
    assert len(set(threads)) == 3
