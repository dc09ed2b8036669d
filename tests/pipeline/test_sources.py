"""The sampler against a live cluster, as a table and as a stream."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from tests.pipeline.conftest import Desk
from tests.support.fake_fleet import HANGING_UP, SILENT, FakeFleet
from tests.support.waiting import eventually

from spindle.pipeline.schemas import SAMPLE
from spindle.pipeline.session import Session
from spindle.pipeline.sources import FORMAT, LogDirs


def live(spark: Session, bootstrap: str) -> DataFrame:
    spark.dataSource.register(LogDirs)
    return spark.read.format(FORMAT).option("bootstrap", bootstrap).load()


@pytest.mark.spec("P-01")
def test_a_sample_has_every_replica_of_every_broker(spark: Session, desk: Desk) -> None:
    desk.skewed("sampled", partitions=2, records=10, size=1000)
    rows = live(spark, desk.bootstrap).where("topic = 'sampled'").collect()
    assert len({r.sampled_at for r in rows}) == 1
    found = {(r.broker, r.directory, r.partition, r.is_future) for r in rows}
    first = {b.node_id: str(b.log_dirs[0]) for b in desk.cluster.brokers}
    assert found == {(b, first[b], n, False) for b in (1, 2) for n in (0, 1)}
    assert all(10_000 < r["size"] < 12_000 for r in rows)
    assert all(0 < r.usable_bytes < r.total_bytes for r in rows)
    assert all(r.broker_error is None and r.directory_error is None for r in rows)
    empty = live(spark, desk.bootstrap).select("broker", "directory").distinct()
    assert empty.count() == 4, "directories without replicas are in the sample too"


@pytest.mark.spec("P-01")
def test_a_broker_that_is_down_gets_a_row_that_says_so(spark: Session, desk: Desk) -> None:
    desk.skewed("half", partitions=2, records=2, size=100)
    gone = desk.cluster.broker(2)
    desk.run(desk.cluster.stop_node(gone))
    try:
        rows = live(spark, desk.bootstrap).collect()
    finally:
        desk.run(desk.cluster.start_node(gone))
        desk.run(desk.cluster.wait_serving())
    (row,) = [r for r in rows if r.broker == 2]
    assert "broker 2" in row.broker_error
    assert row.directory is None
    assert row.topic is None
    told = {r.directory for r in rows if r.broker == 1}
    assert told == {str(d) for d in desk.cluster.broker(1).log_dirs}


@pytest.mark.spec("P-01")
def test_brokers_that_hang_or_hang_up_cost_a_row_each_and_no_more_than_their_time(
    spark: Session,
) -> None:
    with FakeFleet(12, 2, 20, {3: SILENT, 7: HANGING_UP, 9: SILENT}) as fleet:
        reader = spark.read.format(FORMAT).option("bootstrap", fleet.bootstrap)
        spark.dataSource.register(LogDirs)
        rows = reader.option("timeout", "3").option("tasks", "2").load().collect()
    silent = {r.broker: r.broker_error for r in rows if r.broker_error is not None}
    assert sorted(silent) == [3, 7, 9]
    assert all(silent.values())
    told = [r for r in rows if r.broker_error is None]
    assert len(told) == 9 * 2 * 20
    assert {(r.broker, r["size"]) for r in told} == {
        (b, 1000 * n + b) for b in range(1, 13) if b not in silent for n in range(40)
    }
    assert len({r.sampled_at for r in rows}) == 1


def test_only_the_columns_that_are_wanted_are_made(spark: Session, desk: Desk) -> None:
    spark.dataSource.register(LogDirs)
    narrow = (
        spark.read.format(FORMAT).schema("broker int, directory string, usable_bytes long")
        .option("bootstrap", desk.bootstrap).load()
    )  # fmt: skip
    assert narrow.columns == ["broker", "directory", "usable_bytes"]
    assert narrow.where("usable_bytes > 0").select("directory").distinct().count() == 4


def test_without_a_bootstrap_it_says_what_it_needs(spark: Session) -> None:
    spark.dataSource.register(LogDirs)
    with pytest.raises(PySparkException, match=r"needs \.option"):
        spark.read.format(FORMAT).load().count()
    with pytest.raises(PySparkException, match="must be positive"):
        spark.read.format(FORMAT).option("bootstrap", "x:1").option("tasks", 0).load().count()


@pytest.mark.spec("P-01")
def test_a_stream_samples_at_each_interval_and_goes_on_after_a_restart(
    spark: Session, desk: Desk, tmp_path: Path
) -> None:
    spark.dataSource.register(LogDirs)

    def start() -> Any:
        stream = (
            spark.readStream.format(FORMAT).option("bootstrap", desk.bootstrap)
            .option("interval", "1").load()
        )  # fmt: skip
        return (
            stream.writeStream.format("parquet")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .start(str(tmp_path / "out"))
        )

    def moments() -> int:
        if not (tmp_path / "out" / "_spark_metadata").exists():
            return 0
        written = spark.read.schema(SAMPLE).parquet(str(tmp_path / "out"))
        told = written.where(F.col("directory").isNotNull())
        brokers = told.groupBy("sampled_at").agg(F.countDistinct("broker").alias("brokers"))
        counts = [r.brokers for r in brokers.collect()]
        assert set(counts) <= {2}, "every sample is whole"
        return len(counts)

    query = start()
    try:
        eventually(lambda: moments() >= 2, "two samples", 60, 1)
        query.stop()
        before = moments()
        time.sleep(1.1)  # An interval passes: there is something new to be sampled.
        query = start()
        eventually(lambda: moments() > before, "a sample after the restart", 60, 1)
    finally:
        query.stop()
