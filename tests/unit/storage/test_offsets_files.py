"""A directory's checkpoints of offsets: lowered before a cut, and known as they were written."""

from __future__ import annotations

import errno

import pytest
from tests.support.storage import fresh

from spindle.model.ids import TopicPartition
from spindle.sim.disk import MemoryDisk
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
