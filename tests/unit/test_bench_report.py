"""A later run's section takes the place of what it measured anew, and of nothing else."""

from __future__ import annotations

from bench.report import MARK, Table, joined, render
from bench.warmth import is_warm


def test_rows_measured_anew_leave_older_runs() -> None:
    document = f"# Words\n\n{MARK}\n"
    first: Table = {"a": {"spindle": [1.0]}, "b": {"spindle": [1.0, 3.0, 2.0], "kafka": [1.0]}}
    document = joined(document, render(first, "first"), set(first))
    second: Table = {"a": {"spindle": [4.0]}}
    document = joined(document, render(second, "second"), set(second))
    assert document.startswith("# Words\n")
    assert [line for line in document.splitlines() if line.startswith(("| a", "| b"))] == [
        "| b | 2 | 1 | 2 |  |  | 3 |",
        "| a | 4 | - | - |  |  | 1 |",
    ]
    again = joined(document, render(first, "third"), set(first))
    assert again.count("Run on ") == 1
    assert "`third`" in again


def test_a_peer_is_warm_once_its_figure_stops_getting_better() -> None:
    assert not is_warm([20.0, 30.0])
    assert not is_warm([20.0, 30.0, 40.0])
    assert is_warm([20.0, 40.0, 40.5, 39.0])
    assert is_warm([9.0, 5.0, 5.1, 4.9], less_is_better=True)
    assert not is_warm([9.0, 8.0, 5.0], less_is_better=True)
