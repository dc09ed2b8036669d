"""Processes that keep the history are killed (SIGKILL) before each change of its files.

A process is forked from the tests' own, so that it need not start a JVM: that lives on.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.pipeline.samples import at_minute, sizes

from spindle.pipeline import history
from spindle.pipeline.folders import place
from spindle.pipeline.session import Session

DAY = "day=2026-03-01"
SAMPLES = 3
CHANGES = 3 + 1 + SAMPLES
"""Of a compaction: its file comes to the day, its marker is written and comes there, what it was
written in goes, and the samples go that it holds."""
COUNTS_FROM = 4
"""Before this change the marker is there."""


def killed(keeping: Callable[[], object], change: int) -> None:
    """Run that in a process of its own, which is killed in place of its nth change of a file."""
    child = os.fork()
    if child == 0:
        try:
            _be_killed_at(change)
            keeping()
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def _be_killed_at(change: int) -> None:
    kind: Any = type(place("."))
    before = iter(range(1, change))

    def counted(plain: Callable[..., Any]) -> Callable[..., Any]:
        def changed(*arguments: Any) -> Any:
            if next(before, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return plain(*arguments)

        return changed

    for name in ("write", "rename", "delete"):
        setattr(kind, name, counted(getattr(kind, name)))


def lying(home: Path) -> list[str]:
    """What lies in the day's folder: the first word and the last of each name."""
    return sorted(p.name.partition("-")[0] + p.suffix for p in (home / DAY).glob("[!.]*"))


@pytest.mark.spec("P-02")
def test_killed_while_it_appends_a_process_leaves_the_sample_once_or_not_at_all(
    spark: Session, tmp_path: Path
) -> None:
    history.append(at_minute(spark, 1), tmp_path)
    for change, there in ((1, [1]), (2, [1, 2])):
        killed(lambda: history.append(at_minute(spark, 2), tmp_path), change)
        assert sizes(spark, tmp_path) == there
    history.append(at_minute(spark, 2), tmp_path)
    assert sizes(spark, tmp_path) == [1, 2]


@pytest.mark.spec("P-02")
def test_killed_anywhere_in_a_compaction_no_sample_is_lost_or_doubled(
    spark: Session, tmp_path: Path
) -> None:
    fresh, homes = tmp_path / "fresh", [tmp_path / f"{n}" for n in range(1, CHANGES + 1)]
    every = list(range(SAMPLES))
    for minute in every:
        history.append(at_minute(spark, minute), fresh)
    for change, home in enumerate(homes, 1):
        shutil.copytree(fresh, home)
        killed(lambda home=home: history.compact(spark, home), change)  # type: ignore[misc]
        assert sizes(spark, home) == every, change
        left = lying(home)
        assert ("compact.json" in left) == (change >= COUNTS_FROM), change
        gone = max(0, change - COUNTS_FROM - 1)
        assert left.count("sample.parquet") == SAMPLES - gone, change
    for home in homes:
        history.compact(spark, home)
        assert lying(home) == ["compact.json", "compact.parquet"]
        assert sizes(spark, home) == every
