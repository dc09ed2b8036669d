"""The drill's words, and what they do to calls."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.support.processes import tied
from tests.support.waiting import eventually

from spindle.runtime.drill import DrillDisk, break_directory, mend_directory, parse
from spindle.runtime.os_disk import OsDisk


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "d").mkdir()
    return str(tmp_path / "d")


def number_of(call: object) -> int:
    with pytest.raises(OSError) as caught:
        call()  # type: ignore[operator]
    assert caught.value.errno is not None
    return caught.value.errno


@pytest.mark.parametrize(
    "words",
    ["EWHAT", "slow", "slow much", "hang sync please", "EIO fly", "kill", "kill one", "room"],
)
def test_unknown_words_are_refused(path: str, words: str) -> None:
    with pytest.raises(ValueError):
        break_directory(path, words)
    assert OsDisk().stat(path + ".broken") is None


def test_a_fault_strikes_the_verbs_that_it_names_and_ends_with_its_file(path: str) -> None:
    disk = DrillDisk(OsDisk(), [path])
    file = disk.open(f"{path}/f", create=True)
    break_directory(path, "EIO read,list")
    file.write(0, [b"abc"])
    assert number_of(lambda: file.read(0, 3)) == errno.EIO
    assert number_of(lambda: disk.list(path)) == errno.EIO
    mend_directory(path)
    assert file.read(0, 3) == b"abc"
    (Path(path + ".broken")).touch()
    assert number_of(lambda: disk.usage(path)) == errno.EIO
    assert disk.stat(path + ".broken") is not None  # Beside it, all is well.


@pytest.mark.spec("T-02")
def test_a_disk_has_room_for_so_many_bytes_since_the_drill_began(path: str) -> None:
    disk = DrillDisk(OsDisk(), [path])
    file = disk.open(f"{path}/f", create=True)
    file.write(0, [b"abc"])
    break_directory(path, "room 5")
    assert disk.usage(path).usable == 5
    file.write(3, [b"d", b"ef"])
    assert number_of(lambda: file.write(6, [b"ghi"])) == errno.ENOSPC
    assert disk.usage(path).usable == 2
    disk.open(f"{path}/g", create=True).write(0, [b"hi"])
    assert number_of(lambda: disk.make_dir(f"{path}/h")) == errno.ENOSPC
    assert disk.usage(path).usable == 0
    assert file.read(0, 9) == b"abcdef"
    break_directory(path, "room 6")
    assert disk.copy(file, 0, file, 6, 6) == 6
    assert number_of(lambda: disk.copy(file, 0, file, 12, 1)) == errno.ENOSPC
    mend_directory(path)
    file.write(6, [b"ghi"])


def test_a_full_disk_can_be_read_and_a_read_only_one_not_changed(path: str) -> None:
    disk = DrillDisk(OsDisk(), [path])
    file = disk.open(f"{path}/f", create=True)
    file.write(0, [b"abc"])
    break_directory(path, "ENOSPC")
    assert number_of(lambda: file.write(3, [b"d"])) == errno.ENOSPC
    assert disk.usage(path).usable == 0
    assert file.read(0, 9) == b"abc"
    disk.remove(f"{path}/f")
    break_directory(path, "EROFS")
    assert number_of(lambda: disk.make_dirs(f"{path}/x")) == errno.EROFS
    assert file.read(0, 9) == b"abc"


def test_a_call_hangs_until_the_drill_ends(path: str) -> None:
    disk = DrillDisk(OsDisk(), [path])
    file = disk.open(f"{path}/f", create=True)
    break_directory(path, "hang sync")
    thread = threading.Thread(target=file.sync, daemon=True)
    thread.start()
    file.write(0, [b"others do not"])
    thread.join(0.1)
    assert thread.is_alive()
    mend_directory(path)
    eventually(lambda: not thread.is_alive(), "the call returns")


def test_the_words() -> None:
    assert parse("").number == errno.EIO
    assert parse("slow 0.5 write").delay == 0.5
    assert parse("slow 0.5 write").verbs == {"write"}
    assert parse("hang").delay == float("inf")


def test_the_process_is_killed_instead_of_the_call_with_that_number(path: str) -> None:
    script = (
        "import sys; from spindle.runtime.drill import DrillDisk\n"
        "from spindle.runtime.os_disk import OsDisk\n"
        "disk = DrillDisk(OsDisk(), sys.argv[1:])\n"
        "for name in 'abcdef': disk.make_dirs(f'{sys.argv[1]}/{name}'); disk.list(sys.argv[1])\n"
    )
    break_directory(path, "kill 3")
    done = subprocess.run(tied([sys.executable, "-c", script, path]), check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert OsDisk().list(path) == ["a", "b"]
