"""A process beside the node copies what its clients must not wait for, and ends with the node."""

from __future__ import annotations

import errno
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.support.processes import children_of, tied, words_of
from tests.support.waiting import eventually

from spindle.core.logdirs.pacing import pace_of
from spindle.model.batches import Buffer
from spindle.model.copying_jobs import FULL_PACE, CopyPace
from spindle.model.errors import Corrupt
from spindle.runtime.copying_process import CopyingProcesses, CopyOrder, NoCopyingProcess
from spindle.runtime.os_copy import DIRECT_FROM
from spindle.runtime.os_disk import OsDisk
from spindle.storage.disk import UNSEEN, CopyOptions, Seen, Unseen
from spindle.storage.scan import Verifier

MIB = 1 << 20
DATA = random.Random(2).randbytes(3 * MIB)
PACE = pace_of(0.5)
STARTED = """
import os, sys
from spindle.core.logdirs.pacing import pace_of
from spindle.runtime.os_disk import OsDisk
from spindle.storage.disk import UNSEEN, CopyOptions
disk = OsDisk()
source, target = (disk.open(f"{sys.argv[1]}/{name}", create=True) for name in ("source", "target"))
disk.copy(source, 0, target, 0, source.size(), UNSEEN, CopyOptions(False, pace_of(0.5)))
print("copied", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def files(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """A source with `DATA`, and a target with nothing."""
    (tmp_path / "source").write_bytes(DATA)
    (tmp_path / "target").write_bytes(b"")
    fds = [os.open(tmp_path / name, os.O_RDWR) for name in ("source", "target")]
    yield fds[0], fds[1]
    for fd in fds:
        os.close(fd)


@pytest.fixture
def processes() -> Iterator[CopyingProcesses]:
    """Those that a test starts end with it, those of an `OsDisk` too."""
    yield CopyingProcesses()
    for process in copying():
        with suppress(psutil.NoSuchProcess):  # It has ended meanwhile.
            process.kill()
    eventually(lambda: not copying(), "they have ended")


def copying(pid: int | None = None) -> list[psutil.Process]:
    """The processes that copy for a process; by default for this one."""
    return [p for p in children_of(pid) if "spindle copying" in " ".join(words_of(p))]


def order(length: int = len(DATA), seen: Seen = UNSEEN, start: int = 0) -> CopyOrder:
    return CopyOrder(start, start, length, seen, CopyOptions(False, PACE))


class Slipping(Unseen):
    """Has a bug."""

    def feed(self, part: Buffer) -> None:
        raise ZeroDivisionError("a slip")


def test_it_copies_range_after_range(
    processes: CopyingProcesses, files: tuple[int, int], tmp_path: Path
) -> None:
    for start in range(0, len(DATA), MIB):
        assert processes.copy(*files, order(MIB, start=start)) == MIB
    assert (tmp_path / "target").read_bytes() == DATA
    assert processes.copy(*files, order(2 * MIB, start=2 * MIB)) == MIB, "the file ends"
    assert len(copying()) == 1


def test_what_is_wrong_comes_back(processes: CopyingProcesses, files: tuple[int, int]) -> None:
    with pytest.raises(Corrupt, match="at 0: "):
        processes.copy(*files, order(seen=Verifier(0, len(DATA), 0)))
    full = os.open("/dev/full", os.O_RDWR)
    with pytest.raises(OSError, match="No space left") as refused:
        processes.copy(files[0], full, order())
    os.close(full)
    assert refused.value.errno == errno.ENOSPC
    with pytest.raises(ZeroDivisionError) as slipped:
        processes.copy(*files, order(seen=Slipping()))
    assert "in feed" in slipped.value.__notes__[0]
    assert processes.copy(*files, order()) == len(DATA), "it goes on after each"
    assert len(copying()) == 1


def test_copies_at_one_time_have_a_process_each(
    processes: CopyingProcesses, files: tuple[int, int]
) -> None:
    slow = CopyOrder(0, 0, len(DATA), UNSEEN, CopyOptions(False, CopyPace(0.05, MIB // 4)))
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(processes.copy, *files, slow) for _ in range(2)]
        eventually(lambda: len(copying()) == 2, "each has its own")
        assert [one.result() for one in both] == [len(DATA)] * 2


def test_one_that_has_ended_is_replaced(
    processes: CopyingProcesses, files: tuple[int, int]
) -> None:
    processes.copy(*files, order())
    (first,) = copying()
    first.kill()
    assert processes.copy(*files, order()) == len(DATA)
    (second,) = eventually(lambda: [p for p in copying() if p != first], "another one is there")
    second.kill()
    for pid in (first.pid, second.pid):
        eventually(lambda p=pid: not psutil.pid_exists(p), "no zombie stays")


def test_what_ends_in_the_middle_of_a_copy_is_named_and_the_node_copies_itself(
    processes: CopyingProcesses, files: tuple[int, int], tmp_path: Path
) -> None:
    slow = CopyOrder(0, 0, len(DATA), UNSEEN, CopyOptions(False, CopyPace(0.01, MIB // 4)))
    with ThreadPoolExecutor(1) as pool:
        one = pool.submit(processes.copy, *files, slow)
        (process,) = eventually(copying, "it copies")
        process.kill()
        with pytest.raises(NoCopyingProcess, match="exit code -9"):
            one.result()
    disk = OsDisk()
    source, target = (disk.open(f"{tmp_path}/{name}") for name in ("source", "target"))
    with ThreadPoolExecutor(1) as pool:
        manner = CopyOptions(False, CopyPace(0.2, MIB // 4))
        copy = pool.submit(disk.copy, source, 0, target, 0, len(DATA), UNSEEN, manner)
        (process,) = eventually(copying, "it copies")
        process.kill()
        assert copy.result() == len(DATA)
    assert target.read(0, len(DATA)) == DATA


@pytest.mark.spec("B-32")
@pytest.mark.parametrize(
    ("pace", "length", "beside"),
    [(PACE, len(DATA), True), (FULL_PACE, len(DATA), False), (PACE, DIRECT_FROM - 1, False)],
)
def test_only_long_copies_beside_clients_have_one(
    processes: CopyingProcesses,
    files: tuple[int, int],
    tmp_path: Path,
    pace: CopyPace,
    length: int,
    beside: bool,
) -> None:
    disk = OsDisk()
    source, target = (disk.open(f"{tmp_path}/{name}") for name in ("source", "target"))
    assert disk.copy(source, 0, target, 0, length, UNSEEN, CopyOptions(False, pace)) == length
    assert len(copying()) == beside


def test_where_none_can_be_started_the_node_copies_itself(
    files: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", f"{tmp_path}/missing")
    disk = OsDisk()
    source, target = (disk.open(f"{tmp_path}/{name}") for name in ("source", "target"))
    with pytest.raises(NoCopyingProcess, match="could not be started"):
        CopyingProcesses().copy(*files, order())
    assert disk.copy(source, 0, target, 0, MIB, UNSEEN, CopyOptions(False, PACE)) == MIB


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_with_the_node_however_that_ends(
    files: tuple[int, int], tmp_path: Path, number: signal.Signals
) -> None:
    node = subprocess.Popen(
        tied([sys.executable, "-c", STARTED, str(tmp_path)]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert node.stdout is not None
        assert node.stdout.readline() == "copied\n"
        (process,) = copying(node.pid)
        node.send_signal(number)
        node.wait(10)
        eventually(lambda: not process.is_running(), "it has ended")
    finally:
        node.kill()
        node.communicate()


@pytest.mark.parametrize(("idle", "closed"), [("0.05", False), ("600", True)])
def test_it_ends_when_it_has_nothing_to_do(idle: str, closed: bool) -> None:
    """After its time without an order, or at the end of its orders."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, its:
        words = (str(its.fileno()), str(os.getpid()), idle)
        command = [sys.executable, "-m", "spindle.runtime.copying_process", *words]
        with subprocess.Popen(tied(command), pass_fds=[its.fileno()]) as process:
            its.close()
            if closed:
                ours.close()
            assert process.wait(30) == 0
