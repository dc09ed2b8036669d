"""What was measured, as Markdown: a section a run; a later run replaces what it measures again."""

from __future__ import annotations

import datetime
import os
import platform
import statistics
import subprocess
from math import isnan
from typing import Final

from tests.support.processes import tied

from bench.targets import OWN, TARGETS

Table = dict[str, dict[str, list[float]]]
"""Figure -> peer -> values."""

MARK: Final = "<!-- measured -->"
RUN: Final = "Run on "


def render(table: Table, how: str, measured: str) -> str:
    """A section as Markdown: medians, their ratio, whether a target is met, how often measured.

    `how`: the command and what else there is to say of the run; `measured`: the commit. An older
    commit that was measured beside has two columns of its own.
    """
    older = sorted({name for by_peer in table.values() for name in by_peer} - {"spindle", "kafka"})
    lines = [
        f"{RUN}{datetime.date.today()} at {measured} by {how}: {platform.system()}, "
        f"{os.cpu_count()} processors, {_python()}, Apache Kafka 4.3.0.",
        "",
        "| figure (median) | Spindle | Apache Kafka | ratio | target | | runs |"
        + "".join(f" {name.capitalize()} | ratio to it |" for name in older),
        "|---|---|---|---|---|---|---|" + "---|---|" * len(older),
    ]
    for figure, by_peer in table.items():
        ours, theirs = (_median(by_peer, name) for name in ("spindle", "kafka"))
        ratio = _ratio(ours, theirs)
        wanted = [("ratio ", ratio, TARGETS.get(figure)), ("", ours, OWN.get(figure))]
        asked = [(what, value, *limit) for what, value, limit in wanted if limit is not None]
        target = " and ".join(f"{what}{sign} {limit}" for what, _, sign, limit in asked)
        met = all(_holds(value, sign, limit) for _, value, sign, limit in asked)
        verdict = ("met" if met else "MISSED") if asked else ""
        shown = f"{_shown(ours)} | {_shown(theirs)} | {_shown(ratio, 3)}"
        runs = max(map(len, by_peer.values()))
        beside = ""
        for before in (_median(by_peer, name) for name in older):
            beside += f" {_shown(before)} | {_shown(_ratio(ours, before), 3)} |"
        lines.append(f"| {figure} | {shown} | {target} | {verdict} | {runs} |{beside}")
    return "\n".join(lines) + "\n"


def _python() -> str:
    """Which one, and what it was compiled by: builds of one version differ by a fifth."""
    return f"Python {platform.python_version()} ({platform.python_compiler()})"


def commit() -> str:
    """The commit that was measured, and whether the tree differed from it."""

    def git(*words: str) -> str:
        return subprocess.run(tied(["git", *words]), capture_output=True, text=True).stdout.strip()

    name = git("rev-parse", "--short", "HEAD")
    if not name:
        return "an unknown commit"
    # Figures of other sections that were just written there are no change of what is measured.
    changed = git("status", "--porcelain", "--", ":/", ":!/docs/benchmarks.md")
    return f"commit {name}" + (" with uncommitted changes" if changed else "")


def _median(by_peer: dict[str, list[float]], name: str) -> float:
    values = by_peer.get(name)
    return statistics.median(values) if values else float("nan")


def _ratio(ours: float, theirs: float) -> float:
    return ours / theirs if theirs else float("nan")


def _shown(value: float, digits: int = 4) -> str:
    return "-" if isnan(value) else f"{value:.{digits}g}"


def _holds(value: float, sign: str, limit: float) -> bool:
    return {">=": value >= limit, "<=": value <= limit, "<": value < limit}[sign]


def joined(document: str, section: str, figures: set[str]) -> str:
    """The document with a new run's section; older runs lose the rows that it measured again."""
    before, _, measured = document.partition(MARK)
    kept = [_without(figures, f"{RUN}{run}") for run in measured.split(f"\n{RUN}")[1:]]
    sections = [run for run in kept if run.count("\n|") > 2] + [section]
    return f"{before}{MARK}\n\n" + "\n".join(f"{run.strip()}\n" for run in sections)


def _without(figures: set[str], run: str) -> str:
    lines = run.strip().splitlines()
    return "\n".join(line for line in lines if line[2:].partition(" | ")[0] not in figures)
