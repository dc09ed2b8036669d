"""What storage tests share: a formatted directory in memory, batches, a whole log read."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from random import Random
from typing import Any

from spindle.model.batches import Record, RecordBatch
from spindle.model.copying_jobs import (
    AdoptCopied,
    CopiedBytes,
    CopyBytes,
    CopyMark,
    CopyProgress,
    MarkCopy,
    PlanCopy,
)
from spindle.model.jobs import (
    Append,
    Close,
    CreateLog,
    LogSettings,
    MarkBad,
    Open,
    Read,
    Reload,
    ReloadManner,
    Salvage,
    WriteCheckpoints,
    WriteHighWatermarks,
)
from spindle.model.log_values import LoadedLog, LogKey, OpenedDirectory
from spindle.model.offsets import EpochHistory
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import meta
from spindle.storage.directory import LogDirectory
from spindle.storage.disk import Disk
from spindle.wire.batch import build, records, split
from spindle.wire.batch import check as wire_check

CLUSTER = "qqqqqqqqQqqqqqqqqqqqqg"
NODE = 1
KEY = LogKey("orders", 3)
FUTURE = KEY._replace(future=True)
TOPIC_ID = uuid.UUID("8f14e45f-ceea-467f-a0f3-1b1b1b1b1b1b")
FAR = (1 << 62) - 1


def ids(seed: int = 0) -> Callable[[], uuid.UUID]:
    """A source of ids that tells the same every time."""
    rng = Random(seed)
    return lambda: uuid.UUID(int=rng.getrandbits(128), version=4)


def format_at(disk: Disk, path: str, seed: int = 1) -> None:
    """Format a directory as the tools do."""
    properties = meta.MetaProperties(1, CLUSTER, NODE, ids(seed)())
    meta.format_directory(disk, path, properties, b"")


def reopen(disk: Disk, path: str, seed: int = 2) -> tuple[LogDirectory, OpenedDirectory]:
    """Open a formatted directory."""
    directory = LogDirectory(disk, path, ids(seed))
    return directory, directory.run(Open(path, CLUSTER, NODE))


def fresh(
    path: str = "/data/d1", disk: MemoryDisk | None = None
) -> tuple[MemoryDisk, LogDirectory]:
    """An open, empty directory in memory; all of it on the medium."""
    disk = disk or MemoryDisk()
    format_at(disk, path)
    disk.settle()
    return disk, reopen(disk, path)[0]


def create(directory: LogDirectory, key: LogKey = KEY, /, **settings: int) -> LoadedLog:
    """Make a log."""
    return directory.run(CreateLog(directory.path, key, TOPIC_ID, LogSettings(**settings)))


def batch(
    offset: int, values: list[bytes], epoch: int = 0, at: int = 1000, **header: Any
) -> RecordBatch:
    """A batch of records from `offset` on; the nth has timestamp `at + n` ms."""
    made = [Record(offset + n, at + n, None, value) for n, value in enumerate(values)]
    return build(made, base_offset=offset, leader_epoch=epoch, **header)


def append(
    directory: LogDirectory,
    *batches: RecordBatch,
    key: LogKey = KEY,
    sync: bool = False,
    now: int = 0,
) -> int:
    """Append; the log's end afterwards."""
    return directory.run(Append(directory.path, key, list(batches), now, sync)).end


def fill(
    directory: LogDirectory, count: int, key: LogKey = KEY, size: int = 50, **more: Any
) -> int:
    """Append batches of two records each until the log has `count` more records."""
    start = end = directory.run(Read(directory.path, key, FAR, FAR, 1)).end
    while end < start + count:
        end = append(directory, batch(end, [b"v" * size] * 2, at=end, **more), key=key)
    return end


def read_batches(
    directory: LogDirectory, key: LogKey = KEY, start: int = -1, limit: int = FAR, most: int = 500
) -> list[RecordBatch]:
    """All batches of a log, read in pieces."""
    found: list[RecordBatch] = []
    offset = start
    if offset < 0:
        offset = directory.run(Read(directory.path, key, FAR, FAR, 1)).start
    while True:
        result = directory.run(Read(directory.path, key, offset, limit, most))
        if not result.data:
            return found
        found += split(result.data)
        offset = found[-1].next_offset


def read_values(directory: LogDirectory, key: LogKey = KEY, start: int = -1) -> dict[int, bytes]:
    """All records of a log (from its start): offset -> value."""
    first = directory.logs[key].start
    return {
        record.offset: record.value or b""
        for found in read_batches(directory, key, start)
        for record in records(found)
        if record.offset >= first
    }


def step(
    source: LogDirectory,
    target: LogDirectory,
    mark: CopyMark | None = None,
    limit: int = FAR,
    most: int = 1 << 20,
    key: LogKey = KEY,
    meanwhile: Callable[[], object] = lambda: None,
    still: bool = False,
) -> CopyProgress:
    """One step of a move; `meanwhile` happens while the bytes are being copied."""
    future = key._replace(future=True)
    if mark is None:
        mark = target.run(MarkCopy(target.path, future))
    plan = source.run(PlanCopy(source.path, key, mark, limit, most, still))
    meanwhile()
    copied = CopiedBytes()
    if plan.pieces:
        copied = target.run(CopyBytes(target.path, future, source.path, plan))
    return target.run(AdoptCopied(target.path, future, plan, copied))


def copy_all(source: LogDirectory, target: LogDirectory, most: int = 700, key: LogKey = KEY) -> int:
    """Step until the future log has all of the current one; the number of steps."""
    progress = None
    for number in range(1, 1000):
        progress = step(source, target, progress.mark if progress else None, most=most, key=key)
        if progress.end == progress.source_end and not progress.copied:
            return number
    raise AssertionError("the copy does not come to an end")


def check_log(directory: LogDirectory, loaded: LoadedLog, *, holes: bool = False) -> None:
    """What is kept beside the records agrees with the records: epochs, producers, indexes.

    `holes`: compaction may have left some between batches.
    """
    found = read_batches(directory, loaded.key)
    history = EpochHistory(loaded.epochs)
    ends = [loaded.start, *(b.next_offset for b in found)]
    for one, end in zip(found, ends, strict=False):
        wire_check(one)
        whole = one.base_offset >= end if holes else one.base_offset == end
        assert whole or one is found[0], "no hole between batches"
        assert history.epoch_at(max(one.base_offset, loaded.start)) == one.leader_epoch
    assert loaded.end == ends[-1]
    batches = (b for b in found if b.producer_id >= 0 and not b.is_control)
    last = {b.producer_id: b.last_offset for b in batches}
    known = {p.producer_id: p.last_offset for p in loaded.producers}
    assert {p: known.get(p) for p in last} == last
    for segment in directory.logs[loaded.key].segments:
        starts = {h.last_offset: h.position for h in segment.headers()}
        for offset, position in segment.index.between(0, segment.size):
            assert starts[offset] == position
        newest = max((h.max_timestamp for h in segment.headers()), default=-1)
        assert segment.latest.timestamp == newest


def accept_loss(directory: LogDirectory, key: LogKey = KEY) -> list[str]:
    """Mark a log as bad, take the damage out, serve the rest: what is lost."""
    path = directory.path
    directory.run(MarkBad(path, key, "bad CRC", 5))
    base: int | None = 0
    lost: list[str] = []
    while base is not None:
        step = directory.run(Salvage(path, key, base, "ab" * 16, "bad CRC", 7))
        base, lost = step.next, [*lost, *step.lost]
    directory.run(Reload(path, key, ReloadManner.LOSS_ACCEPTED))
    return lost


def put(disk: MemoryDisk, path: str, data: bytes) -> None:
    """Write a file as another process would."""
    disk.make_dirs(path.rpartition("/")[0])
    file = disk.open(path, create=True)
    file.truncate(0)
    file.write(0, [data])
    file.close()


def with_records(close: bool = True, path: str = "/data/d1") -> MemoryDisk:
    """A directory with a log of 40 records."""
    disk, directory = fresh()
    create(directory, segment_bytes=1000, index_interval_bytes=200)
    fill(directory, 40)
    directory.run(WriteCheckpoints(path))
    directory.run(WriteHighWatermarks(path, {KEY.topic_partition: 30}))
    if close:
        directory.run(Close(path, 5))
    else:
        disk.kill()
    return disk
