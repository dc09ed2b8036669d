"""A node's log in files: how large they become, how many stay, and what a full disk does."""

from __future__ import annotations

from pathlib import Path

import pytest

from spindle.model.errors import Unusable
from spindle.runtime.log_file import RotatingLogFile


def names(folder: Path) -> dict[str, str]:
    """All files with what is in them."""
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_large_file_gives_way_and_the_oldest_ones_go(tmp_path: Path) -> None:
    log = RotatingLogFile(tmp_path / "node.log", 10, 2)
    for number in range(8):
        print(f"line {number}", file=log)
    assert names(tmp_path) == {
        "node.log": "line 6\nline 7\n",
        "node.log.1": "line 4\nline 5\n",
        "node.log.2": "line 2\nline 3\n",
    }


def test_without_older_files_the_one_that_is_there_begins_again(tmp_path: Path) -> None:
    log = RotatingLogFile(tmp_path / "node.log", 10, 0)
    for number in range(3):
        print(f"line {number}", file=log)
    assert names(tmp_path) == {"node.log": "line 2\n"}


def test_a_start_goes_on_with_the_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "node.log").write_text("before\n")
    print("after", file=RotatingLogFile(tmp_path / "node.log", 100, 1))
    assert names(tmp_path) == {"node.log": "before\nafter\n"}


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match=r"--log-file .*none/node\.log: No such file"):
        RotatingLogFile(tmp_path / "none" / "node.log", 100, 1)


def test_what_cannot_be_written_goes_to_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = RotatingLogFile(Path("/dev/full"), 100, 1)
    print("one", file=log)
    print("two", file=log)
    assert capsys.readouterr().err == (
        "log file /dev/full: No space left on device; lines go here\none\ntwo\n"
    )
