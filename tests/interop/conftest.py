"""Prints what tests have measured without judging it: a line for each, at the end of the run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

MEASURED = "measured"
"""`record_property(MEASURED, line)` has a line printed under this heading."""


@pytest.hookimpl(wrapper=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter,
) -> Iterator[None]:
    """The lines of all tests, in the order in which they ran."""
    lines = [
        f"{value}"
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "call"
        for name, value in report.user_properties
        if name == MEASURED
    ]
    if lines:
        terminalreporter.section("measured, not judged")
        for line in lines:
            terminalreporter.write_line(line)
    return (yield)
