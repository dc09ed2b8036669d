"""The history: whole samples or none, each once, also after crashes in a compaction."""

from __future__ import annotations

from datetime import UTC, date, timedelta
from pathlib import Path

import pytest
from pyspark.sql import DataFrame
from tests.pipeline.samples import NOON, row, samples, silent

from spindle.pipeline import history
from spindle.pipeline.session import Session


def sample(spark: Session, minutes: int, size: int) -> DataFrame:
    at = NOON + timedelta(minutes=minutes)
    return samples(spark, [row(1, "/a", "t-0", size, at=at), silent(2, at=at)])


def sizes(spark: Session, home: Path) -> list[int]:
    rows = history.read(spark, home).where("topic = 't'").collect()
    return sorted(r["size"] for r in rows)


@pytest.mark.spec("P-02")
def test_what_is_appended_is_read_back_and_lies_by_day(spark: Session, tmp_path: Path) -> None:
    first = history.append(sample(spark, 0, 10), tmp_path)
    history.append(sample(spark, 24 * 60, 20), tmp_path)
    assert first == tmp_path / "day=2026-03-01" / "sample-120000000000.parquet"
    rows = history.read(spark, tmp_path).orderBy("sampled_at", "broker").collect()
    assert [(r.broker, r["size"], r.broker_error) for r in rows] == [
        (1, 10, None), (2, None, "nobody answers"), (1, 20, None), (2, None, "nobody answers"),
    ]  # fmt: skip
    assert rows[0].sampled_at.astimezone(UTC) == NOON
    assert sorted(p.name for p in tmp_path.iterdir()) == ["day=2026-03-01", "day=2026-03-02"]


@pytest.mark.spec("P-02")
def test_a_sample_appended_again_after_a_restart_counts_once(
    spark: Session, tmp_path: Path
) -> None:
    for _ in range(2):
        history.append(sample(spark, 0, 10), tmp_path)
    half_written = tmp_path / "day=2026-03-01" / ".sample-1.parquet.cafe"
    half_written.write_bytes(b"PAR1 and then the process was killed")
    assert sizes(spark, tmp_path) == [10]


def test_an_empty_sample_and_an_empty_history(spark: Session, tmp_path: Path) -> None:
    assert history.append(samples(spark, []), tmp_path) is None
    assert history.read(spark, tmp_path / "nowhere").count() == 0


@pytest.mark.spec("P-02")
def test_closed_days_become_one_file_each(spark: Session, tmp_path: Path) -> None:
    for minute in range(3):
        history.append(sample(spark, minute, minute), tmp_path)
    history.append(sample(spark, 24 * 60, 9), tmp_path)
    (made,) = history.compact(tmp_path, before=date(2026, 3, 2))
    assert history.files(tmp_path)[0] == made
    assert len(history.files(tmp_path)) == 2
    assert list(made.parent.iterdir()) == [made]
    assert sizes(spark, tmp_path) == [0, 1, 2, 9]
    assert history.compact(tmp_path, before=date(2026, 3, 2)) == []


@pytest.mark.spec("P-02")
def test_a_compaction_killed_anywhere_loses_and_doubles_nothing(
    spark: Session, tmp_path: Path
) -> None:
    for minute in range(3):
        history.append(sample(spark, minute, minute), tmp_path)
    originals = {path.name: path.read_bytes() for path in history.files(tmp_path)}
    (made,) = history.compact(tmp_path)
    day = made.parent
    # Killed after the rename: some of what it holds has not been taken away yet.
    for name in list(originals)[1:]:
        (day / name).write_bytes(originals[name])
    assert sizes(spark, tmp_path) == [0, 1, 2]
    # A late sample makes it run again: the first compacted file and its leftovers are still there.
    history.append(sample(spark, 30, 7), tmp_path)
    first = made.read_bytes()
    (again,) = history.compact(tmp_path)
    made.write_bytes(first)
    (day / ".compact-1.parquet.cafe").write_bytes(b"half")
    for name in originals:
        (day / name).write_bytes(originals[name])
    assert sizes(spark, tmp_path) == [0, 1, 2, 7]
    history.compact(tmp_path)
    assert list(day.iterdir()) == [again]
    assert sizes(spark, tmp_path) == [0, 1, 2, 7]
