"""Spark's own Kafka connector on Spindle brokers: batch and streaming, both ways."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from tests.pipeline.conftest import Desk
from tests.support.clients import read_all
from tests.support.kafka_jars import JarsMissing
from tests.support.spark_jars import spark_kafka_jars

from spindle.client.results import NewTopic
from spindle.pipeline.segments.source import register
from spindle.pipeline.session import Session

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def kafka(spark: Session, desk: Desk) -> Connector:
    """The connector within the tests' session."""
    try:
        jars = spark_kafka_jars()
    except JarsMissing as missing:
        pytest.fail(str(missing))
    for jar in jars:
        spark.sql(f"ADD JAR '{jar}'")
    return Connector(spark, desk)


class Connector:
    """How a user reads and writes with it."""

    def __init__(self, spark: Session, desk: Desk) -> None:
        self.spark = spark
        self.desk = desk

    def topic(self, name: str, partitions: int = 3) -> str:
        """A new topic."""
        self.desk.ask("create_topics", [NewTopic(name, partitions, 2)])
        return name

    def options(self, reader: Any, topic: str, **options: Any) -> Any:
        """What every read needs; `kafka.max.poll.records` saves thousands of requests."""
        return (
            reader.format("kafka").option("kafka.bootstrap.servers", self.desk.bootstrap)
            .option("subscribe", topic).option("includeHeaders", "true")
            .option("kafka.max.poll.records", "50000").options(**options)
        )  # fmt: skip

    def read(self, topic: str, **options: Any) -> DataFrame:
        """A batch read."""
        table: DataFrame = self.options(self.spark.read, topic, **options).load()
        return table

    def stream(self, topic: str, **options: Any) -> DataFrame:
        """A streaming read from the beginning."""
        options = {"startingOffsets": "earliest", **options}
        table: DataFrame = self.options(self.spark.readStream, topic, **options).load()
        return table

    def write(self, table: DataFrame, topic: str, **options: str) -> None:
        """A batch write."""
        (
            table.write.format("kafka").option("kafka.bootstrap.servers", self.desk.bootstrap)
            .option("topic", topic).option("includeHeaders", "true").options(**options).save()
        )  # fmt: skip

    def on_disk(self, topic: str) -> DataFrame:
        """The same topic's log files of the first broker."""
        register(self.spark)
        folders = [str(path) for path in self.desk.cluster.broker(1).log_dirs]
        return self.spark.read.format("spindle.log").option("topic", topic).load(folders)


def mixed(spark: Session, count: int) -> DataFrame:
    """Rows with keys, values and headers that are there, empty, or null."""
    ids = spark.range(0, count, 1, 2)
    header = F.array(
        F.struct(F.lit("h").alias("key"), F.col("id").cast("string").cast("binary").alias("value")),
        F.struct(F.lit("none").alias("key"), F.lit(None).cast("binary").alias("value")),
    )
    return ids.select(
        F.when(F.col("id") % 5 != 0, F.concat(F.lit("key-"), "id")).alias("key"),
        F.when(F.col("id") % 7 != 0, F.concat(F.lit("value-"), "id")).alias("value"),
        F.when(F.col("id") % 3 == 0, header).alias("headers"),
    )


def plain(row: Row) -> tuple[Any, ...]:
    headers = None if not row.headers else tuple((h.key, h.value) for h in row.headers)
    return row.partition, row.offset, row.key, row.value, headers


@pytest.mark.spec("P-10")
@pytest.mark.spec("P-09")
def test_a_batch_goes_in_and_comes_out_as_it_was(kafka: Connector) -> None:
    topic = kafka.topic("connector-batch")
    written = mixed(kafka.spark, 3000)
    kafka.write(written, topic, **{"kafka.compression.type": "zstd", "kafka.acks": "all"})
    rows = kafka.read(topic).collect()
    found = sorted((r.key or b"", r.value or b"", plain(r)[4] or ()) for r in rows)
    expected = sorted(
        (
            b"" if r.key is None else r.key.encode(),
            b"" if r.value is None else r.value.encode(),
            tuple((h.key, h.value) for h in r.headers or ()),
        )
        for r in written.collect()
    )
    assert found == expected
    assert sum(r.key is None for r in rows) == 600
    messages = [m for own in read_all(kafka.desk.bootstrap, topic).values() for m in own]
    told = sorted((m.partition(), m.offset(), m.key(), m.value()) for m in messages)
    assert told == sorted(plain(r)[:4] for r in rows), "librdkafka reads the same"
    disk = kafka.on_disk(topic).where("error is null").collect()
    assert sorted(map(plain, disk)) == sorted(map(plain, rows)), "and so do the files"
    assert {r.compression for r in disk} == {"zstd"}
    assert {(r.offset, r.partition, r.timestamp) for r in disk} == {
        (r.offset, r.partition, r.timestamp) for r in rows
    }


@pytest.mark.spec("P-10")
def test_ranges_of_offsets_and_of_time(kafka: Connector) -> None:
    topic = kafka.topic("connector-ranges", 1)
    kafka.write(mixed(kafka.spark, 400), topic)
    middle = kafka.read(topic).agg(F.max("timestamp").alias("at")).collect()[0].at
    later = F.unix_millis(F.lit(middle)) + 1
    moment = kafka.spark.range(1).select(later.alias("ms")).collect()[0].ms
    kafka.write(mixed(kafka.spark, 300), topic)
    ranges = {"startingOffsets": f'{{"{topic}":{{"0":390}}}}',
              "endingOffsets": f'{{"{topic}":{{"0":410}}}}'}  # fmt: skip
    assert kafka.read(topic, **ranges).count() == 20
    since = kafka.read(topic, startingTimestamp=str(moment)).agg(F.min("offset").alias("first"))
    assert since.collect()[0].first == 400
    until = kafka.read(topic, endingTimestamp=str(moment))
    assert until.count() == 400
    assert kafka.read(topic, minPartitions="4").count() == 700
    committed = {"kafka.isolation.level": "read_committed"}
    assert kafka.read(topic, **committed).count() == 700


@pytest.mark.spec("P-10")
def test_a_stream_stops_and_goes_on_and_has_every_offset_once(
    kafka: Connector, tmp_path: Path
) -> None:
    source, target = kafka.topic("connector-in"), kafka.topic("connector-out", 2)
    kafka.write(mixed(kafka.spark, 1000), source)
    seen: dict[int, list[tuple[int, int]]] = {}

    def note(batch: DataFrame, number: int) -> None:
        rows = batch.select("partition", "offset").collect()
        seen[number] = [(r.partition, r.offset) for r in rows]

    def run() -> list[int]:
        table = kafka.stream(source, maxOffsetsPerTrigger=400)
        query = (
            table.writeStream.foreachBatch(note).trigger(availableNow=True)
            .option("checkpointLocation", str(tmp_path / "noted")).start()
        )  # fmt: skip
        assert query.awaitTermination(120)
        return [progress["numInputRows"] for progress in query.recentProgress]

    first = run()
    assert len([n for n in first if n]) >= 3
    assert max(first) <= 400
    kafka.write(mixed(kafka.spark, 500), source)
    assert sum(run()) == 500, "a restart goes on where the checkpoint ends"
    offsets = [place for number in sorted(seen) for place in seen[number]]
    assert len(offsets) == len(set(offsets)) == 1500
    everything = kafka.read(source).select("partition", "offset").collect()
    assert set(offsets) == {(r.partition, r.offset) for r in everything}
    query = (
        kafka.stream(source).selectExpr("key", "value", "headers").writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.desk.bootstrap).option("topic", target)
        .option("includeHeaders", "true").trigger(availableNow=True)
        .option("checkpointLocation", str(tmp_path / "copied")).start()
    )  # fmt: skip
    assert query.awaitTermination(120)
    copied, original = (
        Counter((r.key, r.value, plain(r)[4]) for r in kafka.read(t).collect())
        for t in (target, source)
    )
    assert copied == original
    assert copied.total() == 1500
