"""A later run's section takes the place of what it measured again, and of nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from bench.beside import ROOT, checked_out, name_of
from bench.options import parsed
from bench.report import MARK, Table, joined, render
from bench.sections import Results
from bench.warmth import is_warm, slope
from tests.support.processes import tied


def test_rows_measured_again_leave_older_runs() -> None:
    document = f"# Words\n\n{MARK}\n"
    first: Table = {"a": {"spindle": [1.0]}, "b": {"spindle": [1.0, 3.0, 2.0], "kafka": [1.0]}}
    document = joined(document, render(first, "first", "commit 1"), set(first))
    second: Table = {"a": {"spindle": [4.0]}}
    document = joined(document, render(second, "second", "commit 1"), set(second))
    assert document.startswith("# Words\n")
    assert [line for line in document.splitlines() if line.startswith(("| a", "| b"))] == [
        "| b | 2 | 1 | 2 |  |  | 3 |",
        "| a | 4 | - | - |  |  | 1 |",
    ]
    again = joined(document, render(first, "third", "commit 1"), set(first))
    assert again.count("Run on ") == 1
    assert "at commit 1 by third:" in again


def test_a_peer_is_warm_once_its_figure_stops_getting_better() -> None:
    assert not is_warm([20.0, 30.0])
    assert not is_warm([20.0, 30.0, 40.0])
    assert is_warm([20.0, 40.0, 40.5, 39.0])
    assert is_warm([9.0, 5.0, 5.1, 4.9], less_is_better=True)
    assert not is_warm([9.0, 8.0, 5.0], less_is_better=True)


def test_what_a_figure_still_gains_is_shown_whichever_way_is_better() -> None:
    assert slope([10.0]) == 0.0
    assert slope([80.0, 90.0, 100.0, 110.0]) > 0.1
    assert slope([12.0, 11.0, 10.0, 9.0], less_is_better=True) > 0.09
    assert slope([12.0, 11.0, 10.0, 9.0]) < 0


def test_each_section_is_kept_when_it_ends_and_a_failure_costs_no_other_one(
    tmp_path: Path,
) -> None:
    document = tmp_path / "benchmarks.md"
    document.write_text(f"# Words\n\n{MARK}\n")
    results = Results("python -m bench", document)
    with results.section("first") as table:
        table["a"]["spindle"].append(1.0)
    assert "| a | 1 |" in document.read_text()
    with results.section("second") as table:
        table["b"]["spindle"].append(1.0)
        raise AssertionError("it did not get through")
    with results.section("third") as table:
        table["c"]["spindle"].append(3.0)
    assert results.failed == ["second"]
    assert list(results.minutes) == ["first", "second", "third"]
    kept = document.read_text()
    assert "| a | 1 |" in kept
    assert "| b |" not in kept
    assert "| c | 3 |" in kept
    assert kept.count("at commit ") == 2


def test_an_older_commit_has_columns_of_its_own() -> None:
    table: Table = {
        "a": {"spindle": [3.0], "kafka": [2.0], "spindle at 1234abc": [4.0, 6.0]},
        "start": {"spindle": [1.0]},
    }
    text = render(table, "x", "commit 1")
    assert "| runs | Spindle at 1234abc | ratio to it |" in text
    assert "| a | 3 | 2 | 1.5 |  |  | 2 | 5 | 0.6 |" in text
    assert "| start | 1 | - | - |  |  | 1 | - | - |" in text


def test_an_older_commit_stands_in_a_folder_of_its_own_and_leaves_nothing(tmp_path: Path) -> None:
    def worktrees() -> str:
        command = ["git", "worktree", "list"]
        return subprocess.run(
            tied(command), cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout

    with checked_out("HEAD", tmp_path / "older") as modules:
        assert (modules / "spindle" / "__init__.py").exists()
        assert str(tmp_path / "older") in worktrees()
    assert not (tmp_path / "older").exists()
    assert str(tmp_path / "older") not in worktrees()


def test_what_cannot_be_measured_beside_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert name_of("HEAD").startswith("spindle at ")
    assert parsed(["--only", "small", "--beside", "HEAD"]).beside == "HEAD"
    for words, why in (
        (
            ["--beside", "HEAD"],
            "planner, sources, hostile, start, gap, failover, partitions cannot be measured",
        ),
        (["--only", "small", "--beside", "no-such"], "git knows no commit 'no-such'"),
    ):
        with pytest.raises(SystemExit):
            parsed(words)
        assert why in capsys.readouterr().err
