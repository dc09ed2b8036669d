"""What is known of a directory's disk from beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from spindle.runtime.os_disk import OsDisk
from spindle.runtime.timed_disk import TimedDisk


@pytest.mark.spec("B-07")
def test_bytes_written_are_those_of_writes_and_of_copies_into_the_directory(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    disk = TimedDisk(OsDisk(), [a, b])
    here, there = disk.open(f"{a}/f", create=True), disk.open(f"{b}/f", create=True)
    here.write(0, [b"12345", b"678"])
    assert here.read(0, 8) == b"12345678"
    seen = disk.observe(a)
    assert (seen.bytes, seen.written) == (16, 8)
    assert disk.copy(here, 0, there, 0, 8) == 8
    assert (disk.observe(a).written, disk.observe(b).written) == (0, 8)
    assert disk.observe(b).written == 0, "it is reported once"
    here.close()
    there.close()
