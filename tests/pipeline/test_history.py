"""The history: whole samples or none, each once, also after crashes in a compaction."""

from __future__ import annotations

import json
import os
from datetime import UTC, date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.pipeline.samples import NOON, at_minute, row, samples, sizes

from spindle.model.errors import Unusable
from spindle.pipeline import history
from spindle.pipeline.folders import place
from spindle.pipeline.schemas import SAMPLE, arrow
from spindle.pipeline.session import Session

DAY = "day=2026-03-01"


@pytest.fixture(params=["path", "uri"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """A folder as a path, and as a URI that Spark's own file systems are asked for."""
    return tmp_path if request.param == "path" else tmp_path.as_uri()


def visible(folder: Path) -> list[str]:
    """What lies in a folder, without checksums of Hadoop's."""
    return sorted(p.name for p in folder.iterdir() if not p.name.startswith("."))


@pytest.mark.spec("P-02")
def test_what_is_appended_is_read_back_and_lies_by_day(
    spark: Session, home: Path | str, tmp_path: Path
) -> None:
    first = history.append(at_minute(spark, 0, 10), home)
    history.append(at_minute(spark, 24 * 60, 20), home)
    assert first is not None
    assert first.endswith(f"{tmp_path}/{DAY}/sample-120000000000.parquet")
    rows = history.read(spark, home).orderBy("sampled_at", "broker").collect()
    assert [(r.broker, r["size"], r.broker_error) for r in rows] == [
        (1, 10, None), (2, None, "no answer"), (1, 20, None), (2, None, "no answer"),
    ]  # fmt: skip
    assert rows[0].sampled_at.astimezone(UTC) == NOON
    assert [n for n in visible(tmp_path) if n != "_aside"] == [DAY, "day=2026-03-02"]
    assert visible(tmp_path / "_aside") == []


@pytest.mark.spec("P-02")
def test_a_sample_appended_again_after_a_restart_counts_once(
    spark: Session, home: Path | str, tmp_path: Path
) -> None:
    assert history.append(at_minute(spark, 0, 10), home) == history.append(
        at_minute(spark, 0, 10), home
    )
    half = tmp_path / "_aside" / "7-cafe"
    half.mkdir(parents=True)
    (half / "part-0.parquet").write_bytes(b"PAR1 and then the process was killed")
    assert sizes(spark, home) == [10]
    history.compact(spark, home)
    assert not half.exists(), "what was left for long is taken away"


def test_an_empty_sample_and_an_empty_history(spark: Session, tmp_path: Path) -> None:
    assert history.append(samples(spark, []), tmp_path) is None
    assert history.read(spark, tmp_path / "nowhere").count() == 0
    assert history.compact(spark, tmp_path / "nowhere") == []


@pytest.mark.spec("P-02")
def test_closed_days_become_few_files_and_old_ones_go(
    spark: Session, home: Path | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for minute in range(3):
        history.append(at_minute(spark, minute, minute), home)
    history.append(at_minute(spark, 24 * 60, 9), home)
    monkeypatch.setattr(history, "ROWS_PER_FILE", 3)
    made = history.compact(spark, home, before=date(2026, 3, 2))
    assert len(made) == 2, "6 rows in files of about 3"
    assert history.files(home, spark)[:2] == made
    assert len(history.files(home, spark)) == 3
    names = visible(tmp_path / DAY)
    assert [n.rpartition(".")[2] for n in names] == ["parquet", "parquet", "json"]
    assert sizes(spark, home) == [0, 1, 2, 9]
    assert history.compact(spark, home, before=date(2026, 3, 2)) == []
    assert history.expire(home, date(2026, 3, 2), spark) == [DAY]
    assert sizes(spark, home) == [9]


@pytest.mark.spec("P-02")
def test_a_compaction_killed_anywhere_loses_and_doubles_nothing(
    spark: Session, tmp_path: Path
) -> None:
    day = tmp_path / DAY
    for minute in range(3):
        history.append(at_minute(spark, minute, minute), tmp_path)
    originals = {name: (day / name).read_bytes() for name in visible(day)}
    history.compact(spark, tmp_path)
    compacted = {name: (day / name).read_bytes() for name in visible(day)}
    marker = next(name for name in compacted if name.endswith(".json"))

    def state(*parts: dict[str, bytes]) -> None:
        for name in visible(day):
            (day / name).unlink()
        for part in parts:
            for name, data in part.items():
                (day / name).write_bytes(data)

    # Killed before its files counted: they lie there, and nothing says that they do.
    state(originals, {n: d for n, d in compacted.items() if n != marker})
    assert sizes(spark, tmp_path) == [0, 1, 2]
    # Killed after that: some of what it holds has not been taken away yet.
    state(compacted, dict(list(originals.items())[1:]))
    assert sizes(spark, tmp_path) == [0, 1, 2]
    # A late sample makes it run again, and it is killed once more: everything is there at once.
    history.append(at_minute(spark, 30, 7), tmp_path)
    late = {n: (day / n).read_bytes() for n in visible(day) if n not in {**originals, **compacted}}
    assert len(late) == 1
    (again,) = history.compact(spark, tmp_path)
    newest = {name: (day / name).read_bytes() for name in visible(day)}
    assert len(newest) == 2
    state(originals, compacted, late, newest)
    assert sizes(spark, tmp_path) == [0, 1, 2, 7]
    history.compact(spark, tmp_path)
    assert visible(day) == sorted(newest)
    assert again in history.files(tmp_path)
    assert sizes(spark, tmp_path) == [0, 1, 2, 7]


@pytest.mark.spec("P-02")
def test_older_and_newer_versions_wrote_other_columns(
    spark: Session, home: Path | str, tmp_path: Path
) -> None:
    history.append(at_minute(spark, 0, 10), home)
    day = tmp_path / DAY
    made = pa.Table.from_pylist([row(1, "/a", "t-0", 20)], schema=arrow(SAMPLE))
    older = made.drop_columns(["cordoned", "offset_lag"])
    pq.write_table(older, day / "sample-130000000000.parquet")
    newer = made.append_column("rack", pa.array(["r1"]))
    pq.write_table(newer, day / "sample-140000000000.parquet")
    found = history.read(spark, home)
    assert found.columns == SAMPLE.names
    assert found.where("cordoned is null and topic is not null").count() == 1
    assert sizes(spark, home) == [10, 20, 20]
    (made_of_all,) = history.compact(spark, home)
    kept = spark.read.parquet(made_of_all)
    assert set(kept.columns) - {"day"} == {*SAMPLE.names, "rack"}
    assert [r.rack for r in kept.where("rack is not null").collect()] == ["r1"]
    assert sizes(spark, home) == [10, 20, 20]


def test_a_home_that_only_spark_reaches_wants_its_jvm(spark: Session, tmp_path: Path) -> None:
    with pytest.raises(Unusable, match=r"hdfs://nowhere/x is reached through Spark's own JVM"):
        place("hdfs://nowhere/x")
    with pytest.raises(Unusable, match=r"No FileSystem for scheme|nothing://x"):
        history.files("nothing://x/y", spark)
    there = place(tmp_path.as_uri(), spark)
    there.write("a/b", json.dumps([1]).encode())
    assert there.read("a/b") == (tmp_path / "a" / "b").read_bytes() == b"[1]"
    assert there.rename("a/b", "c")
    there.write("a/b", b"")
    assert not there.rename("a/b", "c"), "nothing is replaced"
    there.delete("a")
    assert [n for n in os.listdir(tmp_path) if n[0] != "."] == ["c"]


@pytest.mark.spec("P-02", "V-07")
def test_a_table_of_the_catalog_keeps_each_sample_once(spark: Session) -> None:
    home = "spark:kept_samples"
    spark.sql("DROP TABLE IF EXISTS kept_samples")
    try:
        assert sizes(spark, home) == []
        assert history.append(samples(spark, []), home) is None
        names = [history.append(at_minute(spark, minute), home) for minute in (1, 2, 2)]
        assert names[1] == names[2]
        assert sizes(spark, home) == [1, 2], "the same sample is there once"
        assert names[0] is not None
        (one,) = history.read_files(spark, [names[0]]).where("topic = 't'").collect()
        assert one["size"] == 1
        assert history.files(home) == [home]
        with pytest.raises(Unusable, match="kept_samples is a table of a catalog"):
            history.compact(spark, home)
    finally:
        spark.sql("DROP TABLE IF EXISTS kept_samples")
