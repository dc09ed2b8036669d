"""One step of a move as a chain of jobs: which part is asked for what, and where a failure goes."""

from __future__ import annotations

import errno
import random

from tests.support.storage import FAR, FUTURE, KEY, create, fill, fresh, read_values

from spindle.model.copying_jobs import (
    CopyMark,
    CopyProgress,
)
from spindle.model.errors import DiskFailed, Failure, LogFailed
from spindle.model.outbox import Outbox
from spindle.node.logdirs.future_log_copier import copy_step
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage.directory import LogDirectory


class Steps:
    """Two directories, and an outbox whose jobs they carry out one by one."""

    def __init__(self) -> None:
        self.disk: MemoryDisk
        self.disk, self.source = fresh("/data/d1")
        _, self.target = fresh("/data/d2", self.disk)
        create(self.source, segment_bytes=1000)
        create(self.target, FUTURE)
        self.out = Outbox(random.Random(1))
        self.asked: list[tuple[str, str]] = []

    def step(self, mark: CopyMark | None, most: int) -> CopyProgress | Failure:
        """One step, to its end."""
        answers: list[CopyProgress | Failure] = []
        copy_step(
            self.out, KEY, self.source.path, self.target.path, mark, FAR, most, answers.append
        )
        self.asked.clear()
        while (ready := self.out.take()) is not None:
            for asked in ready.jobs:
                self.asked.append((type(asked.job).__name__, asked.job.directory))
                directory: LogDirectory = (
                    self.source if asked.job.directory == self.source.path else self.target
                )
                self.out.done(asked.ticket, directory.run_group([asked.job])[0])
        assert self.out.pending == 0
        (answer,) = answers
        return answer


def test_the_first_step_asks_where_the_copy_stands_and_the_last_copies_nothing() -> None:
    steps = Steps()
    fill(steps.source, 40)
    progress = steps.step(None, 1 << 20)
    assert steps.asked == [
        ("MarkCopy", "/data/d2"),
        ("PlanCopy", "/data/d1"),
        ("CopyBytes", "/data/d2"),
        ("AdoptCopied", "/data/d2"),
    ]
    assert isinstance(progress, CopyProgress)
    assert progress.end == progress.source_end == 40
    last = steps.step(progress.mark, 1 << 20)
    assert steps.asked == [("PlanCopy", "/data/d1"), ("AdoptCopied", "/data/d2")]
    assert isinstance(last, CopyProgress)
    assert (last.copied, last.end) == (0, last.source_end)
    assert read_values(steps.target, FUTURE) == read_values(steps.source)


def test_a_failure_anywhere_ends_the_step_and_says_whose_it_is() -> None:
    failures = set()
    for after in range(500):
        steps = Steps()
        fill(steps.source, 40)
        fault = steps.disk.fail("/data/d", errno.EIO, after=after, times=1)
        answer = steps.step(None, 1 << 20)
        if fault.times:
            break
        if isinstance(answer, Failure):
            # EIO in one file is that replica's fault until the disk's own files fail too (K589-02).
            assert isinstance(answer, DiskFailed | LogFailed)
            failures.add((steps.asked[-1][0], answer.directory))
    assert failures >= {
        ("PlanCopy", "/data/d1"),
        ("CopyBytes", "/data/d1"),
        ("CopyBytes", "/data/d2"),
        ("AdoptCopied", "/data/d2"),
    }
