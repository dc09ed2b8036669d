"""What lies exactly at a bound of a log: a limit, its start, a cut, what is on the medium."""

from __future__ import annotations

from tests.support.power import at_every_change
from tests.support.storage import (
    FAR,
    KEY,
    append,
    batch,
    create,
    fill,
    fresh,
    read_values,
    reopen,
)

from spindle.model.jobs import (
    Flush,
    LogStart,
    MoveLogStart,
    Read,
    Retain,
    Truncate,
    WriteCheckpoints,
)
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage.directory import LogDirectory
from spindle.wire.batch import split

PATH = "/data/d1"


def offsets(directory: LogDirectory, offset: int, limit: int = FAR) -> list[int]:
    data = directory.run(Read(PATH, KEY, offset, limit, 1 << 20)).data
    return [found.base_offset for found in split(data)]


def test_a_batch_that_begins_at_the_limit_is_not_read() -> None:
    """The limit is the high watermark: what lies from there on is not committed."""
    _, directory = fresh()
    create(directory)
    fill(directory, 4)
    append(directory, batch(4, [b"not committed"]))
    assert offsets(directory, 0, 4) == [0, 2]
    assert offsets(directory, 4, 4) == []
    assert offsets(directory, 0, 5) == [0, 2, 4]


def test_a_segment_with_one_record_that_is_not_deleted_stays() -> None:
    _, directory = fresh()
    create(directory, segment_bytes=500)
    fill(directory, 40)
    base = directory.logs[KEY].segments[1].base
    assert isinstance(directory.run(MoveLogStart(PATH, KEY, base - 1)), LogStart)
    assert [s.base for s in directory.logs[KEY].segments][:2] == [0, base]
    assert min(read_values(directory)) == base - 1
    directory.run(MoveLogStart(PATH, KEY, base))
    assert directory.logs[KEY].segments[0].base == base


def test_retention_takes_no_segment_that_is_not_wholly_below_the_limit() -> None:
    """The limit is the high watermark: the last record of the segment is not committed."""
    _, directory = fresh()
    create(directory, segment_bytes=500)
    fill(directory, 40)
    end = directory.logs[KEY].segments[0].end
    assert directory.run(Retain(PATH, KEY, -1, 0, end - 1, 0)).start == 0
    assert directory.run(Retain(PATH, KEY, -1, 0, end, 0)).start == end


def test_a_cut_takes_the_start_the_times_and_the_recovery_point_back() -> None:
    _, directory = fresh()
    create(directory)
    fill(directory, 40)
    directory.run(Flush(PATH, KEY))
    directory.run(MoveLogStart(PATH, KEY, 30))
    loaded = directory.run(Truncate(PATH, KEY, 20))
    assert (loaded.start, loaded.end, loaded.max_timestamp) == (20, 20, 19)
    log = directory.logs[KEY]
    assert log.recovery_point <= 20
    fill(directory, 10)
    directory.run(WriteCheckpoints(PATH))
    assert log.recovery_point <= 20, "what came after the cut is not on the medium"


def test_reads_after_a_cut_forget_where_batches_began() -> None:
    _, directory = fresh()
    create(directory, index_interval_bytes=1 << 20)
    fill(directory, 40, size=20)
    for offset in range(0, 40, 2):
        directory.run(Read(PATH, KEY, offset, FAR, 150))
    directory.run(Truncate(PATH, KEY, 10))
    fill(directory, 40, size=70)
    assert all(offsets(directory, at)[0] == at for at in range(0, 50, 2))


def test_the_recovery_point_stops_at_the_first_segment_that_is_not_on_the_medium() -> None:
    _, directory = fresh()
    create(directory, segment_bytes=500)
    fill(directory, 20)
    directory.run(WriteCheckpoints(PATH))
    waited = directory.logs[KEY].active.base
    fill(directory, 20)
    directory.run(WriteCheckpoints(PATH))
    log = directory.logs[KEY]
    assert log.recovery_point == waited < log.active.base
    assert [s.synced for s in log.segments[:-1]] == [s.base < waited for s in log.segments[:-1]]


def test_a_segment_that_is_removed_leaves_no_index_without_its_records() -> None:
    """A start would have to ask whether another process has removed them."""

    def prepare() -> MemoryDisk:
        disk, directory = fresh()
        create(directory, segment_bytes=500)
        fill(directory, 20)
        directory.run(Flush(PATH, KEY))
        disk.settle()
        disk.kill()
        return disk

    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, PATH)
        directory.run(Truncate(PATH, KEY, 3))

    def check(disk: MemoryDisk) -> None:
        names = disk.list(f"{PATH}/orders-3")
        indexes = [n.partition(".")[0] for n in names if n.endswith("index")]
        assert all(f"{base}.log" in names for base in indexes)

    assert at_every_change(prepare, work, check) > 10
