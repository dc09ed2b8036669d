"""What commands have in common: the files that they write."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.commands import call

from spindle.cli.connecting import run_to_end, written
from spindle.cli.demo import story
from spindle.cli.demo.demo_report import Promise, Story
from spindle.cli.exits import End


def test_a_file_that_cannot_be_written_is_an_error_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(None, "nothing was asked for")
    with pytest.raises(SystemExit) as ended:
        written(tmp_path / "no" / "plan.json", "{}")
    assert ended.value.code == End.FAILED
    told = f"error: cannot write {tmp_path}/no/plan.json: No such file or directory\n"
    assert capsys.readouterr().err == told


def test_a_name_that_is_not_utf8_is_shown_by_its_bytes(tmp_path: Path) -> None:
    written(tmp_path / "page", "/disk-\udcff/é")
    assert (tmp_path / "page").read_text(encoding="utf-8") == "/disk-\\udcff/é"


def test_the_demo_tells_its_promises_although_its_report_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def tell(*_: object) -> Story:
        return Story("lead", (), (), (), (Promise("no record is lost", "0 lost", True),), ())

    monkeypatch.setattr(story, "tell", tell)
    done = call("demo", "--report", str(tmp_path / "no" / "demo.html"))
    assert done.code == End.FAILED
    assert "no record is lost" in done.stdout
    assert done.stderr.startswith("error: cannot write ")


@pytest.mark.parametrize("kept", [True, False])
def test_the_demo_keeps_the_files_of_a_cluster_that_broke_a_promise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    homes: list[Path] = []

    async def tell(home: Path, _: object) -> Story:
        homes.append(home)
        return Story("lead", (), (), (), (Promise("no record is lost", "1 lost", kept),), ())

    monkeypatch.setattr(story, "tell", tell)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    done = call("demo", "--report", str(tmp_path / "demo.html"))
    (home,) = homes
    assert done.code == (0 if kept else 1)
    assert home.exists() is not kept
    assert (f"files are kept in {home}" in done.stdout) is not kept


@pytest.fixture
def in_the_background() -> Iterator[None]:
    """As `nohup spindle ... &` in a script starts a process."""
    before = {
        number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGHUP)
    }
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("in_the_background")
def test_in_the_background_of_a_script_sigterm_ends_it_cleanly_and_a_hangup_does_not() -> None:
    cleaned: list[str] = []

    async def work() -> None:
        loop = asyncio.get_running_loop()
        os.kill(os.getpid(), signal.SIGHUP)
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0)
        loop.call_soon(os.kill, os.getpid(), signal.SIGTERM)
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append("up")

    with pytest.raises(KeyboardInterrupt):
        run_to_end(work())
    assert cleaned == ["up"]


@pytest.fixture
def in_the_foreground() -> Iterator[None]:
    """As a terminal starts a process, however this one was started."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("in_the_foreground")
def test_a_second_signal_does_not_wait_for_the_cleaning_up() -> None:
    async def work() -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(os.kill, os.getpid(), signal.SIGTERM)
        try:
            await asyncio.Event().wait()
        finally:
            loop.call_soon(os.kill, os.getpid(), signal.SIGHUP)
            await asyncio.Event().wait()

    with pytest.raises(KeyboardInterrupt):
        run_to_end(work())
