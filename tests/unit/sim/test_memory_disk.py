"""The disk in memory forgets what was not synced, and fails as a test says."""

from __future__ import annotations

import errno
from random import Random

import pytest

from spindle.sim.memory_disk import MemoryDisk, PowerCut


def write(disk: MemoryDisk, path: str, data: bytes, sync: bool = False) -> None:
    """Write a file from its beginning."""
    file = disk.open(path, create=True)
    file.write(0, [data])
    if sync:
        file.sync()


def content(disk: MemoryDisk, path: str) -> bytes:
    """All bytes of a file."""
    file = disk.open(path)
    return file.read(0, file.size())


@pytest.fixture
def disk() -> MemoryDisk:
    """A disk with a directory that is on the medium."""
    disk = MemoryDisk()
    disk.make_dirs("/d")
    disk.settle()
    return disk


def test_what_is_synced_survives_a_crash(disk: MemoryDisk) -> None:
    write(disk, "/d/f", b"kept" * 1000, sync=True)
    disk.sync_dir("/d")
    disk.crash(Random(1))
    assert content(disk, "/d/f") == b"kept" * 1000


def test_what_is_not_synced_has_every_fate(disk: MemoryDisk) -> None:
    fates = set()
    for seed in range(100):
        one = MemoryDisk()
        one.make_dirs("/d")
        write(one, "/d/f", b"old" * 1000, sync=True)
        one.settle()
        file = one.open("/d/f")
        file.write(0, [b"new" * 1000])
        file.write(3000, [b"tail" * 1000])
        one.crash(Random(seed))
        found = content(one, "/d/f")
        assert set(found) <= set(b"oldnewtail\0")
        fates.add(found)
    assert b"old" * 1000 in fates
    assert b"new" * 1000 + b"tail" * 1000 in fates
    assert any(len(f) not in (3000, 7000) for f in fates), "torn in the middle of a write"


def test_a_name_that_is_not_synced_may_be_lost_or_kept(disk: MemoryDisk) -> None:
    found = set()
    for seed in range(30):
        one = MemoryDisk()
        one.make_dirs("/d")
        one.settle()
        write(one, "/d/f", b"x", sync=True)
        one.rename("/d/f", "/d/g")
        one.crash(Random(seed))
        found.add(tuple(one.list("/d")))
    assert found == {(), ("f",), ("g",)}


def test_after_a_crash_open_files_are_dead_and_locks_are_free(disk: MemoryDisk) -> None:
    file = disk.open("/d/f", create=True)
    disk.lock("/d/.lock")
    with pytest.raises(OSError, match="lock") as held:
        disk.lock("/d/.lock")
    assert held.value.errno == errno.EAGAIN
    disk.crash(Random(0))
    with pytest.raises(OSError, match="closed"):
        file.read(0, 1)
    disk.lock("/d/.lock")


def test_a_power_cut_comes_after_the_given_change(disk: MemoryDisk) -> None:
    file = disk.open("/d/f", create=True)
    disk.calls.cut_after(2)
    file.write(0, [b"a"])
    with pytest.raises(PowerCut):
        file.write(1, [b"b"])
    with pytest.raises(PowerCut):
        file.read(0, 1)


def test_faults_strike_by_prefix_verb_and_count(disk: MemoryDisk) -> None:
    disk.make_dirs("/e")
    disk.fail("/d/", errno.EIO, "write", after=1, times=1)
    file = disk.open("/d/f", create=True)
    other = disk.open("/e/f", create=True)
    file.write(0, [b"a"])
    other.write(0, [b"a"])
    with pytest.raises(OSError, match="/d/f") as failed:
        file.write(1, [b"b"])
    assert failed.value.errno == errno.EIO
    file.write(1, [b"b"])


def test_a_full_disk_takes_what_fits(disk: MemoryDisk) -> None:
    disk.capacity["/d"] = 10
    file = disk.open("/d/f", create=True)
    file.write(0, [b"123456"])
    with pytest.raises(OSError, match="/d/f") as failed:
        file.write(6, [b"123456"])
    assert failed.value.errno == errno.ENOSPC
    assert file.size() == 10
    assert disk.usage("/d")[:2] == (10, 0)


def test_a_read_only_disk_reads(disk: MemoryDisk) -> None:
    write(disk, "/d/f", b"abc")
    disk.read_only("/d")
    with pytest.raises(OSError, match="/d/f") as failed:
        write(disk, "/d/f", b"x")
    assert failed.value.errno == errno.EROFS
    assert content(disk, "/d/f") == b"abc"
    disk.heal("/d")
    write(disk, "/d/f", b"x")


def test_a_blank_disk_is_empty(disk: MemoryDisk) -> None:
    write(disk, "/d/f", b"abc")
    disk.blank("/d")
    assert disk.list("/d") == []
