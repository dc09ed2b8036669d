"""A directory's checkpoints of offsets: lowered before a cut, and known as they were written."""

from __future__ import annotations

import errno

import pytest
from tests.support.storage import FUTURE, KEY, create, fill, fresh, read_values, reopen

from spindle.model.ids import TopicPartition
from spindle.model.jobs import Discard, Flush, MoveLogStart, WriteCheckpoints
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import layout
from spindle.storage.offsets_files import OffsetFiles, write

PATH = "/data/d1"
NAME = TopicPartition("orders", 3)
OTHER = TopicPartition("orders", 4)
LOWERED = (layout.RECOVERY_POINTS, layout.LOG_STARTS, layout.CLEANER_OFFSETS)


def at_twenty() -> tuple[MemoryDisk, OffsetFiles]:
    """Two logs of which each file says 20."""
    disk, _ = fresh(PATH)
    for name in LOWERED:
        write(disk, f"{PATH}/{name}", {NAME: 20, OTHER: 20})
    return disk, OffsetFiles(disk, PATH, [])


def written(disk: MemoryDisk, name: str) -> dict[TopicPartition, int]:
    found = OffsetFiles(disk, PATH, [])
    return {
        layout.RECOVERY_POINTS: found.recovery_points,
        layout.LOG_STARTS: found.starts,
        layout.CLEANER_OFFSETS: found.cleaned,
    }[name]


@pytest.mark.parametrize("name", LOWERED)
def test_no_file_tells_of_what_lies_behind_a_cut(name: str) -> None:
    disk, files = at_twenty()
    files.lower(NAME, 25)
    assert written(disk, name) == {NAME: 20, OTHER: 20}
    files.lower(NAME, 5)
    assert written(disk, name) == {NAME: 5, OTHER: 20}


@pytest.mark.parametrize("name", LOWERED)
def test_what_could_not_be_written_is_written_at_the_next_attempt(name: str) -> None:
    """The disk was full. A cut that comes again must not believe that the file is lowered."""
    disk, files = at_twenty()
    fault = disk.fail(f"{PATH}/{name}", errno.ENOSPC, "write")
    with pytest.raises(OSError, match="No space"):
        files.lower(NAME, 5)
    assert written(disk, name) == {NAME: 20, OTHER: 20}
    disk.mend(fault)
    files.lower(NAME, 5)
    assert written(disk, name) == {NAME: 5, OTHER: 20}


@pytest.mark.parametrize("name", LOWERED)
def test_no_file_tells_a_new_log_of_an_earlier_one(name: str) -> None:
    """Else one that is killed young would begin, be trusted, or be clean where the other was."""
    disk, files = at_twenty()
    files.forget(NAME)
    assert written(disk, name) == {OTHER: 20}


def test_a_young_log_has_all_its_records_though_an_earlier_one_had_lost_some() -> None:
    disk, directory = fresh(PATH)
    create(directory)
    fill(directory, 40)
    directory.run(MoveLogStart(PATH, KEY, 30))
    directory.run(WriteCheckpoints(PATH))
    directory.run(Discard(PATH, KEY, "delete", "a" * 32))
    create(directory)
    fill(directory, 40)
    disk.kill()
    directory, _ = reopen(disk, PATH)
    assert set(read_values(directory)) == set(range(40))


@pytest.mark.spec("B-28")
def test_a_copy_does_not_tell_how_far_a_log_had_come_that_could_not_be_loaded() -> None:
    """Both have one name in the files. A log that reads well again must not count as too short."""
    disk, directory = fresh(PATH)
    create(directory)
    fill(directory, 20)
    directory.run(Flush(PATH, KEY))
    create(directory, FUTURE)
    directory.run(WriteCheckpoints(PATH))
    disk.kill()
    log = f"{PATH}/orders-3/{0:020d}.log"
    disk.rot(log, 200, 4)
    directory, opened = reopen(disk, PATH)
    assert [q.name for q in opened.quarantined] == ["orders-3"]
    fill(directory, 40, FUTURE)
    directory.run(Flush(PATH, FUTURE))
    directory.run(WriteCheckpoints(PATH))
    disk.kill()
    disk.rot(log, 200, 4)
    directory, opened = reopen(disk, PATH)
    assert opened.quarantined == ()
    assert set(read_values(directory)) == set(range(20))
