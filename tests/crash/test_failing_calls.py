"""Every single call to the disk fails once, in turn: what was acknowledged stays, work goes on."""

from __future__ import annotations

import errno
from typing import Any

import pytest
from tests.support.storage import (
    CLUSTER,
    FAR,
    FUTURE,
    KEY,
    NODE,
    TOPIC_ID,
    batch,
    check_log,
    create,
    format_at,
    read_values,
    reopen,
)

from spindle.model.copying_jobs import (
    AdoptCopied,
    CopiedBytes,
    CopyBytes,
    MarkCopy,
    PlanCopy,
)
from spindle.model.errors import DiskFailed, Failure, LogFailed
from spindle.model.jobs import (
    Append,
    CreateLog,
    Flush,
    Job,
    LogSettings,
    Open,
    Read,
    Retain,
    Truncate,
    WriteCheckpoints,
    WriteHighWatermarks,
)
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage.directory import LogDirectory

PATH, OTHER = "/data/d1", "/data/d2"
SETTINGS = LogSettings(segment_bytes=500, index_interval_bytes=100)


def work(directory: LogDirectory) -> dict[int, bytes]:
    """Jobs of every kind, each tried again while it fails; what was acknowledged at the end."""
    held: dict[int, bytes] = {}

    def do(job: Job[Any]) -> object:
        for _ in range(4):
            result = directory.run_group([job])[0]
            if not isinstance(result, Failure):
                return result
            assert isinstance(result, DiskFailed | LogFailed)
            if directory._failed is not None:
                # The disk is well again: it is brought back, and tells where its log stands.
                assert not isinstance(directory.run_group([Open(PATH, CLUSTER, NODE)])[0], Failure)
                directory.run(CreateLog(PATH, KEY, TOPIC_ID, SETTINGS))
                if isinstance(job, Append):
                    end = directory.run(Read(PATH, KEY, FAR, FAR, 1)).end
                    if end > job.batches[-1].last_offset:
                        return None  # It was written, though its sync had failed.
            elif isinstance(job, Append) and directory.logs[KEY].end > job.batches[0].base_offset:
                # It was written, though there was no room to sync it: cut back, as a broker does.
                do(Truncate(PATH, KEY, job.batches[0].base_offset))
        raise AssertionError(f"{job} does not succeed: {result}")

    do(CreateLog(PATH, KEY, TOPIC_ID, SETTINGS))
    for number in range(12):
        values = [b"%d" % number * 20] * 2
        do(
            Append(
                PATH,
                KEY,
                [batch(number * 2, values, number > 5, at=number)],
                0,
                sync=number % 2 == 0,
            )
        )
        held |= {number * 2 + n: value for n, value in enumerate(values)}
        if number == 5:
            do(Truncate(PATH, KEY, 8))
            held = {o: v for o, v in held.items() if o < 8}
            do(Append(PATH, KEY, [batch(8, [b"again"] * 4, epoch=1)], 0, sync=True))
            held |= dict.fromkeys(range(8, 12), b"again")
    do(Retain(PATH, KEY, -1, 1500, 6, 0))
    do(Flush(PATH, KEY))
    do(WriteCheckpoints(PATH))
    do(WriteHighWatermarks(PATH, {KEY.topic_partition: 10}))
    return held


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC, errno.EMFILE])
def test_a_call_that_fails_once_costs_no_acknowledged_record(code: int) -> None:
    failed = 0
    for after in range(2000):
        disk = MemoryDisk()
        format_at(disk, PATH)
        directory, _ = reopen(disk, PATH)
        fault = disk.fail(f"{PATH}/", code, after=after, times=1)
        held = work(directory)
        if fault.times:
            break
        failed += 1
        start = directory.run(Read(PATH, KEY, FAR, FAR, 1)).start
        assert read_values(directory) == {o: v for o, v in held.items() if o >= start}
        disk.kill()
        directory, opened = reopen(disk, PATH)
        (loaded,) = opened.logs
        check_log(directory, loaded)
        kept = read_values(directory)
        assert {o: v for o, v in held.items() if o >= loaded.start} == kept
    assert failed > 100


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC])
@pytest.mark.parametrize("failing", [PATH, OTHER])
def test_a_copy_goes_on_after_any_call_that_failed(code: int, failing: str) -> None:
    failed = 0
    for after in range(2000):
        disk = MemoryDisk()
        for number, path in enumerate((PATH, OTHER)):
            format_at(disk, path, seed=number)
        source, target = reopen(disk, PATH)[0], reopen(disk, OTHER)[0]
        create(source, segment_bytes=500)
        create(target, FUTURE, segment_bytes=500)
        for number in range(12):
            source.run(Append(PATH, KEY, [batch(number * 2, [b"x" * 50] * 2)], 0))
        fault = disk.fail(f"{failing}/orders-3", code, after=after, times=1)
        copy_through(source, target)
        if fault.times:
            break
        failed += 1
        assert read_values(target, FUTURE) == read_values(source)
        check_log(target, target.logs[FUTURE].loaded(0))
    assert failed > 20


def copy_through(source: LogDirectory, target: LogDirectory) -> None:
    """Copy to the end, opening what failed again, beginning again with a fresh mark."""

    def do(directory: LogDirectory, job: Job[Any]) -> Any:
        result = directory.run_group([job])[0]
        if directory._failed is not None:
            directory.run(Open(directory.path, CLUSTER, NODE))
        return result

    for _ in range(40):
        mark = do(target, MarkCopy(OTHER, FUTURE))
        while not isinstance(mark, Failure):
            plan = do(source, PlanCopy(PATH, KEY, mark, FAR, 400))
            if isinstance(plan, Failure):
                break
            copied = CopiedBytes()
            if plan.pieces:
                copied = do(target, CopyBytes(OTHER, FUTURE, PATH, plan))
            if isinstance(copied, Failure):
                break
            adopted = do(target, AdoptCopied(OTHER, FUTURE, plan, copied))
            if isinstance(adopted, Failure):
                break
            if adopted.end == adopted.source_end and not adopted.copied:
                return
            mark = adopted.mark
    raise AssertionError("the copy does not come to an end")
