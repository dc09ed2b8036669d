"""The main job: `spindle demo` keeps every promise, writes its report, leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.support.page_words import judgements
from tests.support.processes import alive, tied, words_of
from tests.support.waiting import TimeIsUp, eventually

pytestmark = pytest.mark.timeout(500)
ARCHIVE = "spindle.pipeline.class_archive"
OF_RECORDS = (
    "no acknowledged record is lost",
    "no record is doubled",
    "no record is changed or out of order",
    "the producer gave nothing up",
    "every planned move is done and verified",
)
OF_TIME = (
    "a dead disk stops acknowledgements for less than 1 s",
    "every partition serves again within 10 s of that",
)


class Demo:
    """The command as a process, what it says, and every process that it has started."""

    def __init__(self, home: Path) -> None:
        self.report, self.temporary = home / "report.html", home / "tmp"
        self.temporary.mkdir()
        self._out = home / "out"
        spindle = Path(sys.executable).parent / "spindle"
        with self._out.open("wb") as out:
            self.process = subprocess.Popen(
                tied([str(spindle), "demo", "--report", str(self.report)]),
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=home,
                env={**os.environ, "TMPDIR": str(self.temporary), "LC_ALL": "C.UTF-8"},
                start_new_session=True,
            )
        self._started: dict[int, psutil.Process] = {}
        self._watching = threading.Thread(target=self._watch, daemon=True)
        self._watching.start()

    def said(self) -> str:
        """All that it printed."""
        return self._out.read_text(errors="replace")

    def end(self, seconds: float) -> int:
        """Wait for its end; the exit code."""
        code = self.process.wait(seconds)
        self._watching.join()
        return code

    def left(self) -> list[str]:
        """Processes of its that still live.

        The maker of Spark's archive of classes is none of them: it waits for the JVM's end, and
        works only where no command has made the archive before.
        """
        living = [words_of(process) for process in self._started.values() if alive(process)]
        return [" ".join(words) for words in living if ARCHIVE not in words]

    def kill(self) -> None:
        """End it and all that it started."""
        self.process.kill()
        self.process.wait()
        for process in self._started.values():
            with suppress(psutil.NoSuchProcess):  # By its id and its start: never another's.
                process.kill()

    def _watch(self) -> None:
        while self.process.poll() is None:
            try:
                for child in psutil.Process(self.process.pid).children(recursive=True):
                    self._started.setdefault(child.pid, child)
            except psutil.NoSuchProcess:
                pass
            threading.Event().wait(0.2)


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    """A running demo; ended with the test."""
    running = Demo(tmp_path)
    try:
        yield running
    finally:
        running.kill()


def kept(demo: Demo, promise: str) -> bool:
    """Whether the demo says that it kept a promise."""
    return re.search(rf"{re.escape(promise)} +\S.*? kept", demo.said()) is not None


def nothing_is_left(demo: Demo) -> None:
    eventually(lambda: not demo.left(), "all its processes end", 10)
    assert list(demo.temporary.glob("spindle-demo-*")) == []
    eventually(lambda: not list(demo.temporary.glob("spark-*")), "Spark's files are gone", 10)


@pytest.mark.spec("P-08")
def test_the_demo_keeps_every_promise(demo: Demo) -> None:
    code = demo.end(400)
    assert all(kept(demo, promise) for promise in OF_RECORDS), demo.said()
    late = [promise for promise in OF_TIME if not kept(demo, promise)]
    if code == 1 and late:  # Its clock runs while others have the machine.
        print(demo.said())
        raise TimeIsUp(f"not so: {', '.join(late)}")
    assert code == 0, demo.said()
    page = demo.report.read_text()
    assert "every promise was kept" in page
    judged = judgements(page)
    for promise in (*OF_RECORDS, *OF_TIME):
        assert [said for text, said in judged.items() if promise in text] == [("good", "kept")]
    moved = re.search(r"every planned move is done and verified +(\d+) of (\d+)", demo.said())
    assert moved
    assert int(moved[1]) > 0
    assert "Traceback" not in demo.said()
    nothing_is_left(demo)


def test_an_interrupted_demo_takes_everything_along(demo: Demo) -> None:
    def is_at_work() -> bool:
        assert demo.process.poll() is None, demo.said()
        return "sampling the disks" in demo.said()

    eventually(is_at_work, "the demo is at work", 120, 0.2)
    demo.process.send_signal(signal.SIGINT)
    assert demo.end(90) == 130, demo.said()
    assert "Traceback" not in demo.said()
    assert not demo.report.exists()
    nothing_is_left(demo)
