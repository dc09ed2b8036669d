"""A later run's section takes the place of what it measured anew, and of nothing else."""

from __future__ import annotations

from pathlib import Path

from bench.report import MARK, Table, joined, render
from bench.sections import Results
from bench.warmth import is_warm, slope


def test_rows_measured_anew_leave_older_runs() -> None:
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


def test_what_a_figure_still_gains_is_told_whichever_way_is_better() -> None:
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
