"""The Disk port: the operating system's and the one in memory behave alike."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from spindle.model.batches import Buffer
from spindle.runtime.drill import DrillDisk
from spindle.runtime.os_disk import OsDisk
from spindle.runtime.timed_disk import TimedDisk
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage.disk import Disk, Unseen


@pytest.fixture(params=["os", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Disk, str]:
    """A disk, and a directory on it."""
    disk: Disk = OsDisk() if request.param == "os" else MemoryDisk()
    disk.make_dirs(f"{tmp_path}/d")
    return disk, f"{tmp_path}/d"


def test_files_are_written_and_read_at_positions(place: tuple[Disk, str]) -> None:
    disk, at = place
    file = disk.open(f"{at}/f", create=True)
    assert file.write(0, [b"abc", memoryview(b"defg"), bytearray(b"h")]) == 8
    assert file.write(2, [b"XY"]) == 2
    assert file.read(0, 100) == b"abXYefgh"
    assert file.read(6, 1) == b"g"
    assert file.read(8, 5) == b""
    file.truncate(3)
    file.truncate(5)
    assert file.read(0, 9) == b"abX\0\0"
    assert file.size() == 5
    file.sync()
    file.close()


def test_many_buffers_are_written_whole(place: tuple[Disk, str]) -> None:
    disk, at = place
    file = disk.open(f"{at}/f", create=True)
    buffers = [str(n % 10).encode() * 7 for n in range(3000)]
    assert file.write(5, buffers) == 21000
    assert file.read(5, 21000) == b"".join(buffers)


def test_names(place: tuple[Disk, str]) -> None:
    disk, at = place
    disk.make_dirs(f"{at}/b/c")
    disk.make_dirs(f"{at}/b/c")
    disk.open(f"{at}/a", create=True).close()
    assert disk.list(at) == ["a", "b"]
    assert disk.stat(f"{at}/b") is not None
    found = disk.stat(f"{at}/a")
    assert found is not None
    assert (found.size, found.is_directory) == (0, False)
    assert disk.stat(f"{at}/b/nothing") is None
    disk.rename(f"{at}/a", f"{at}/z")
    disk.rename(f"{at}/b", f"{at}/y")
    disk.sync_dir(at)
    assert disk.list(at) == ["y", "z"]
    disk.remove(f"{at}/y/c")
    disk.remove(f"{at}/y")
    disk.remove(f"{at}/z")
    assert disk.list(at) == []


@pytest.mark.parametrize(
    ("verb", "code"),
    [
        (lambda disk, at: disk.open(f"{at}/none"), errno.ENOENT),
        (lambda disk, at: disk.open(f"{at}/none/f", create=True), errno.ENOENT),
        (lambda disk, at: disk.list(f"{at}/none"), errno.ENOENT),
        (lambda disk, at: disk.remove(f"{at}/none"), errno.ENOENT),
        (lambda disk, at: disk.rename(f"{at}/none", f"{at}/b"), errno.ENOENT),
        (lambda disk, at: disk.rename(f"{at}/sub", f"{at}/full"), errno.ENOTEMPTY),
        (lambda disk, at: disk.remove(f"{at}/full"), errno.ENOTEMPTY),
        (lambda disk, at: disk.open(f"{at}/sub"), errno.EISDIR),
        (lambda disk, at: disk.usage(f"{at}/none"), errno.ENOENT),
        (lambda disk, at: disk.sync_dir(f"{at}/none"), errno.ENOENT),
    ],
)
def test_failures_are_alike(
    place: tuple[Disk, str], verb: Callable[[Disk, str], object], code: int
) -> None:
    disk, at = place
    disk.make_dirs(f"{at}/sub")
    disk.make_dirs(f"{at}/full/of")
    with pytest.raises(OSError, match="Errno") as failed:
        verb(disk, at)
    assert failed.value.errno == code


def test_a_lock_holds_until_it_is_closed(place: tuple[Disk, str]) -> None:
    disk, at = place
    lock = disk.lock(f"{at}/.lock")
    with pytest.raises(OSError, match="lock") as held:
        disk.lock(f"{at}/.lock")
    assert held.value.errno == errno.EAGAIN
    lock.close()
    disk.lock(f"{at}/.lock").close()


def test_copying_between_files(place: tuple[Disk, str]) -> None:
    disk, at = place
    source = disk.open(f"{at}/s", create=True)
    target = disk.open(f"{at}/t", create=True)
    source.write(0, [b"0123456789" * 1000])
    done = 0
    while got := disk.copy(source, 5 + done, target, 3 + done, 5000 - done):
        done += got
    assert done == 5000
    assert target.read(3, 5000) == source.read(5, 5000)
    assert disk.copy(source, 10000, target, 0, 5) == 0


def test_what_is_copied_is_seen_before_it_is_written(place: tuple[Disk, str]) -> None:
    disk, at = place
    source, target = (disk.open(f"{at}/{name}", create=True) for name in "st")
    source.write(0, [b"0123456789" * 1000])
    seen = _Passed()
    assert disk.copy(source, 7, target, 3, 9000, seen) == 9000
    assert seen.bytes == source.read(7, 9000)
    assert seen.ended
    short = _Passed()
    assert disk.copy(source, 5000, target, 3, 9000, short) == 5000
    assert not short.ended

    class Refuses(Unseen):
        def feed(self, part: Buffer) -> None:
            raise ValueError("not well")

    with pytest.raises(ValueError, match="not well"):
        disk.copy(source, 0, target, 20_000, 10, Refuses())
    assert target.size() == 9003


class _Passed:
    """What has passed, and whether all of it has."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.ended = False

    def feed(self, part: Buffer) -> None:
        self.bytes += part

    def finish(self) -> None:
        self.ended = True


def test_usage_tells_total_and_free(place: tuple[Disk, str]) -> None:
    disk, at = place
    usage = disk.usage(at)
    assert usage.total >= usage.usable > 0


def test_usage_tells_the_device_that_directories_share(tmp_path: Path) -> None:
    os_disk, memory = OsDisk(), MemoryDisk()
    for name in ("a", "b"):
        os_disk.make_dirs(f"{tmp_path}/{name}")
        memory.make_dirs(f"/mnt/{name}")
    devices = {os_disk.usage(f"{tmp_path}/{name}").device for name in ("a", "b")}
    assert devices == {os.stat(tmp_path).st_dev}
    assert memory.usage("/mnt/a").device != memory.usage("/mnt/b").device
    memory.capacity["/mnt"] = 1000
    memory.open("/mnt/a/f", create=True).write(0, [bytes(300)])
    assert memory.usage("/mnt/a") == memory.usage("/mnt/b")
    assert memory.usage("/mnt/b").usable == 700


@pytest.mark.parametrize("kind", ["plain", "timed", "with drills"])
def test_the_kernel_is_asked_to_sync_files_and_directories(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What no test sees without it: everything is there as long as the power is."""
    synced: list[str] = []
    for name in ("fdatasync", "fsync"):
        monkeypatch.setattr(os, name, lambda fd: synced.append(os.readlink(f"/proc/self/fd/{fd}")))
    at = str(tmp_path)
    disk: Disk = OsDisk()
    if kind == "timed":
        disk = TimedDisk(disk, [at])
    elif kind == "with drills":
        disk = DrillDisk(disk, [at])
    file = disk.open(f"{at}/f", create=True)
    file.sync()
    assert synced == [f"{at}/f"]
    disk.sync_dir(at)
    assert synced == [f"{at}/f", at]
    file.close()
