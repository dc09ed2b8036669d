"""Which thread a job runs on, and with which priority."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from spindle.model.activity import Activity
from spindle.model.copying_jobs import PATIENT_FROM as MUCH
from spindle.model.copying_jobs import (
    CopyBytes,
    CopyMark,
    CopyPiece,
    CopyPlan,
    CutStamp,
    OffsetEntries,
    TimeEntries,
)
from spindle.model.errors import DiskFailed
from spindle.model.ids import LogDir, TopicPartition
from spindle.model.jobs import Job, MeasureUsage, Open, Probe, Purge, SyncNames, WriteHighWatermarks
from spindle.model.log_values import LogKey
from spindle.model.outbox import JobAsked
from spindle.model.scrub_jobs import NoteScrubbed
from spindle.runtime.disks import NICEST, TOLD_AT_ONCE, DiskLanes
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage.directory import LogDirectory

ONE, OTHER = "/data/d1", "/data/d2"
KEY = LogKey("orders", 0, future=True)


class Answering:
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

    directories = cast("dict[LogDir, LogDirectory]", {ONE: Answering(), OTHER: Answering()})
    disks = DiskLanes(directories, asyncio.get_running_loop(), done, lambda path: Activity())
    for ticket, job in enumerate(jobs):
        disks.put(JobAsked(ticket, job))
    try:
        await asyncio.wait_for(over.wait(), 60)
    finally:
        disks.end()
    return [found[ticket] for ticket in range(len(jobs))]


@pytest.mark.parametrize("more", [0, 3, 15, 19])
def test_long_work_leaves_the_processor_to_clients(more: int) -> None:
    """From wherever the process was started by `nice`: a thread cannot raise its priority."""
    marks = WriteHighWatermarks(ONE, {TopicPartition("orders", 0): 5})
    patient = (copying(MUCH), Purge(ONE, "x-delete"))
    at_once = (marks, SyncNames(ONE), Probe(ONE), NoteScrubbed(ONE, "x", b""), MeasureUsage(ONE))
    jobs = (*patient, copying(MUCH - 1), *at_once)
    linux = sys.platform == "linux"

    def started() -> tuple[list[int], list[tuple[int, int]]]:
        if linux:  # Its own priority alone, which the threads that it starts inherit.
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, own := min(normal + more, NICEST))
        back = [min(job.steps_back, NICEST - own) if linux else 0 for job in patient]
        return back, asyncio.run(run(*jobs))

    normal = os.getpriority(os.PRIO_PROCESS, 0)
    with ThreadPoolExecutor(1) as pool:
        back, places = pool.submit(started).result()
    assert [nice for _, nice in places] == [*back, 0, *(0 for _ in at_once)]
    assert len({thread for thread, _ in places}) == len(jobs)


def test_jobs_of_a_lane_share_its_thread() -> None:
    places = asyncio.run(run(copying(MUCH), copying(MUCH), MeasureUsage(ONE), MeasureUsage(OTHER)))
    threads = [thread for thread, _ in places]
    assert threads[0] == threads[1]
    assert len(set(threads)) == 3


@pytest.mark.spec("S-08")
def test_results_of_a_large_group_are_answered_in_pieces_and_in_order() -> None:
    """So that the loop has turns for others in between."""
    told: list[list[int]] = []
    turns = 0

    async def main() -> None:
        nonlocal turns
        loop = asyncio.get_running_loop()
        over = asyncio.Event()

        def done(results: list[tuple[int, object]]) -> None:
            told.append([ticket for ticket, _ in results])
            loop.call_soon(others_turn)
            if sum(map(len, told)) == 300:
                over.set()

        def others_turn() -> None:
            nonlocal turns
            turns += not over.is_set()

        directories = cast("dict[LogDir, LogDirectory]", {ONE: Answering()})
        disks = DiskLanes(directories, loop, done, lambda path: Activity())
        try:
            for ticket in range(300):
                disks.put(JobAsked(ticket, MeasureUsage(ONE)))
            await asyncio.wait_for(over.wait(), 60)
        finally:
            disks.end()

    asyncio.run(main())
    assert [ticket for piece in told for ticket in piece] == list(range(300))
    assert max(map(len, told)) <= TOLD_AT_ONCE
    assert turns >= 300 // TOLD_AT_ONCE - 1


# -- a lane that dies --------------------------------------------------------------------------


def purge() -> Purge:
    """A job beside the directory's own lane."""
    return Purge(ONE, "orders-0.x-delete")


@pytest.mark.spec("N-05")
@pytest.mark.parametrize("beside", [False, True], ids=["its own", "beside it"])
def test_a_bug_on_a_lane_takes_its_directory_offline(
    beside: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    disk = MemoryDisk()
    directories = {path: LogDirectory(disk, path) for path in (ONE, OTHER)}

    def impossible(*_: object) -> None:
        raise AssertionError("the promoted log ends at 7")

    if beside:
        monkeypatch.setattr("spindle.storage.beside.run", impossible)
    else:
        monkeypatch.setattr(directories[ONE], "_attempt", impossible)

    async def answers(*jobs: Job[Any]) -> list[Any]:
        found: dict[int, Any] = {}
        over = asyncio.Event()

        def done(results: list[tuple[int, object]]) -> None:
            found.update(results)
            if len(found) == len(jobs):
                over.set()

        disks = DiskLanes(directories, asyncio.get_running_loop(), done, lambda path: Activity())
        for ticket, job in enumerate(jobs):
            disks.put(JobAsked(ticket, job))
        try:
            await asyncio.wait_for(over.wait(), 60)
        finally:
            disks.end()
        return [found[ticket] for ticket in range(len(jobs))]

    first = purge() if beside else MeasureUsage(ONE)
    asyncio.run(answers(first))
    # The probe, an attempt to open it again and what runs beside it are answered, too.
    told = asyncio.run(answers(first, MeasureUsage(ONE), Open(ONE, "cluster", 1), purge()))
    for failure in told:
        assert isinstance(failure, DiskFailed)
        assert failure.directory == ONE
        assert "its thread has died of a bug: AssertionError: the promoted" in str(failure)
    (other,) = asyncio.run(answers(MeasureUsage(OTHER)))
    assert "died" not in str(other)
    said = capfd.readouterr()
    assert "Traceback" in said.out + said.err
