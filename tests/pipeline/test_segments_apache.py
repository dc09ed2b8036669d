"""Log files of Apache Kafka, read by us and by its own console consumer: the same records."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from tests.pipeline.made_logs import good, read
from tests.support.apache_kafka import CONSOLE_CONSUMER, LOG_DIRS, ApacheKafka, ToolResult
from tests.support.clients import flushed, produce
from tests.support.waiting import TimeIsUp, eventually

from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic
from spindle.pipeline import auditing
from spindle.pipeline.forensics import examine
from spindle.pipeline.segments.source import register
from spindle.pipeline.session import Session
from spindle.pipeline.sources import FORMAT, LogDirs

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(400)]
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
Line = tuple[str, ...]


def some_values(topic: str, count: int) -> list[bytes]:
    return [f"{topic} value {n} {'x' * (n % 300)}".encode() for n in range(count)]


def write_keyed(bootstrap: str, topic: str, codec: str) -> None:
    """Records with keys, headers and nulls, compressed by librdkafka itself."""
    client = Producer({"bootstrap.servers": bootstrap, "compression.type": codec, "linger.ms": 50})
    for n in range(300):
        client.produce(
            topic,
            None if n % 7 == 0 else f"{topic} keyed {n}",
            None if n % 5 == 0 else f"key {n}",
            headers=[("h", f"one {n}"), ("empty", "")] if n % 3 == 0 else None,
        )
    flushed(client, 60)


def write_transactions(bootstrap: str, topic: str) -> None:
    client = Producer({"bootstrap.servers": bootstrap, "transactional.id": "t", "linger.ms": 5})
    client.init_transactions()
    for number in range(6):
        client.begin_transaction()
        for n in range(20):
            client.produce(topic, f"{topic} {number} {n}")
        client.flush(30)
        if number % 3 == 1:
            client.abort_transaction()
        else:
            client.commit_transaction()


def _setting(codec: str) -> str:
    return "uncompressed" if codec == "none" else codec


async def make_topics(kafka: ApacheKafka) -> None:
    small = {"segment.bytes": "1048576"}
    topics = [
        NewTopic(f"seg-{c}", 1, 1, configs={"compression.type": _setting(c), **small})
        for c in CODECS
    ]
    topics += [NewTopic(f"seg-own-{codec}", 1, 1) for codec in CODECS]
    topics.append(NewTopic("seg-transactions", 1, 1))
    topics.append(
        NewTopic(
            "seg-compacted", 1, 1,
            configs={
                "cleanup.policy": "compact", "segment.ms": "500", "segment.bytes": "1048576",
                "min.cleanable.dirty.ratio": "0.01", "compression.type": "lz4",
            },
        )
    )  # fmt: skip
    async with AdminClient(kafka.bootstrap) as admin:
        await admin.create_topics(topics).all()


def compact(kafka: ApacheKafka) -> None:
    """Write the same keys again and again until the cleaner has taken records away."""
    client = Producer({"bootstrap.servers": kafka.bootstrap})
    rounds = 0

    def cleaned() -> bool:
        nonlocal rounds
        rounds += 1
        for n in range(60):
            if n % 3 != rounds % 3:
                client.produce("seg-compacted", f"seg-compacted {rounds} {n}", f"k{n}")
        client.flush(30)
        rows = good(read(Path(kafka.log_dirs(1)[0]), topics=frozenset({"seg-compacted"})))
        rows += good(read(Path(kafka.log_dirs(1)[1]), topics=frozenset({"seg-compacted"})))
        return len(rows) < int(rows[-1]["offset"]) + 1 - 40

    eventually(cleaned, "the cleaner has been at work", 90, 0.6)


@pytest.fixture(scope="module")
def disks(
    kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory, spark: Session
) -> Iterator[Disks]:
    """One broker with two log directories, filled, asked what it holds, then ended cleanly."""
    settings = {"log.cleaner.backoff.ms": "200", "log.initial.task.delay.ms": "500"}
    home = tmp_path_factory.mktemp("kafka")
    with ApacheKafka(home, kafka_jars, directories=2, settings=settings) as kafka:
        kafka.start()
        asyncio.run(make_topics(kafka))
        for codec in CODECS:
            produce(kafka.bootstrap, f"seg-{codec}", some_values(f"seg-{codec}", 4000))
            write_keyed(kafka.bootstrap, f"seg-own-{codec}", codec)
        write_transactions(kafka.bootstrap, "seg-transactions")
        compact(kafka)
        found = Disks(kafka.log_dirs(1), consumed(kafka, "read_uncommitted"))
        found.committed = consumed(kafka, "read_committed")
        spark.dataSource.register(LogDirs)
        live = spark.read.format(FORMAT).option("bootstrap", kafka.bootstrap).load()
        found.sampled = live.collect()
        found.told = kafka.run_tool(LOG_DIRS, "--bootstrap-server", kafka.bootstrap, "--describe")
        kafka.stop()
        yield found


class Disks:
    """The log directories of a broker, and what its consumers got from it."""

    def __init__(self, paths: list[str], everything: list[Line]) -> None:
        self.paths = paths
        self.everything = everything
        self.committed: list[Line] = []
        self.sampled: list[Any] = []
        self.told: ToolResult | None = None

    def load(self, spark: Session, **options: Any) -> DataFrame:
        """All of them as a table, internal topics left out."""
        register(spark)
        table = spark.read.format("spindle.log").options(**options).load(self.paths)
        return table.where(F.col("topic").startswith("seg-") | F.col("topic").isNull())


def consumed(kafka: ApacheKafka, isolation: str) -> list[Line]:
    """What Apache Kafka's console consumer prints of all topics."""
    wanted = ("timestamp", "partition", "offset", "headers", "key")
    properties = [f"print.{name}=true" for name in wanted] + ["headers.separator=|"]
    options = [part for text in properties for part in ("--formatter-property", text)]
    done = kafka.run_tool(
        CONSOLE_CONSUMER, "--bootstrap-server", kafka.bootstrap, "--include", "seg-.*",
        "--from-beginning", "--isolation-level", isolation, "--timeout-ms", "6000", *options,
        seconds=120,
    )  # fmt: skip
    return sorted(tuple(line.split("\t")) for line in done.lines() if line.count("\t") == 5)


def printed(row: Any) -> Line:
    """A record as the console consumer prints it."""

    def text(blob: bytes | None) -> str:
        return "null" if blob is None else bytes(blob).decode()

    kind = "CreateTime" if row["timestamp_type"] == "create" else "LogAppendTime"
    headers = "|".join(f"{h['key']}:{text(h['value'])}" for h in row["headers"] or ())
    return (
        f"{kind}:{row['ms']}", f"Partition:{row['partition']}", f"Offset:{row['offset']}",
        headers or "NO_HEADERS", text(row["key"]), text(row["value"]),
    )  # fmt: skip


@pytest.mark.spec("P-09")
def test_the_records_are_those_that_the_console_consumer_prints(
    spark: Session, disks: Disks
) -> None:
    rows = disks.load(spark).withColumn("ms", F.unix_millis("timestamp")).collect()
    assert [row for row in rows if row["error"]] == []
    data = [row for row in rows if not row["is_control"]]
    settled = [row for row in data if not row["is_aborted"]]
    if len(disks.everything) < len(data) or len(disks.committed) < len(settled):
        raise TimeIsUp("the console consumer ended before it had all: nothing came for six seconds")
    assert len(disks.everything) > 20_000
    assert sorted(map(printed, data)) == disks.everything
    assert sorted(map(printed, settled)) == disks.committed
    assert len(data) - len(settled) == 2 * 20
    for codec in CODECS:
        for topic in (f"seg-{codec}", f"seg-own-{codec}"):
            found = {r["compression"] for r in data if r["topic"] == topic}
            # A client sends a batch as it is where packing does not make it smaller.
            assert codec in found
            assert found <= {codec, "none"}


@pytest.mark.spec("P-09")
def test_batches_tell_of_producers_transactions_and_compaction(
    spark: Session, disks: Disks
) -> None:
    batches = disks.load(spark, level="batches")
    rows = batches.where("topic = 'seg-transactions'").orderBy("base_offset").collect()
    markers = [row for row in rows if row["is_control"]]
    assert len(markers) == 6
    assert len({row["producer_id"] for row in rows}) == 1
    data = [row for row in rows if not row["is_control"]]
    assert all(row["is_transactional"] for row in rows)
    assert [row["sequence"] for row in data] == [
        sum(before["records"] for before in data[:n]) for n in range(len(data))
    ]
    assert sum(row["records"] for row in data if row["is_aborted"]) == 40
    compacted = batches.where("topic = 'seg-compacted' and error is null")
    told = compacted.agg(
        F.sum("records").alias("records"), F.max("last_offset").alias("last")
    ).first()
    assert told is not None
    assert 0 < told["records"] < told["last"] + 1 - 40


def test_bounds_and_columns_by_options_and_by_filters(spark: Session, disks: Disks) -> None:
    of_topic = disks.load(spark).where("topic = 'seg-zstd'")
    narrow = disks.load(spark, topic="seg-zstd", columns="topic,offset,value")
    assert narrow.columns == ["topic", "offset", "value"]
    assert narrow.count() == of_topic.count() == 4000
    some = [row.offset for row in of_topic.where("offset between 3000 and 3010").collect()]
    assert sorted(some) == list(range(3000, 3011))
    options = {"topic": "seg-zstd", "startOffset": 3000, "endOffset": 3011, "columns": "topic"}
    assert disks.load(spark, **options).count() == 11
    moment = of_topic.where("offset = 2000").collect()[0].timestamp
    later = [row.offset for row in of_topic.where(F.col("timestamp") >= moment).collect()]
    assert set(range(2000, 4000)) <= set(later)
    assert len(later) < 4000
    before = of_topic.where(F.col("timestamp") < moment).count()
    assert before + len(later) == 4000


@pytest.mark.spec("P-01")
def test_the_sampler_tells_of_apache_kafka_what_its_own_tool_tells(disks: Disks) -> None:
    assert disks.told is not None
    document = json.loads(next(line for line in disks.told.lines() if line.startswith("{")))
    expected = {
        (broker["broker"], directory["logDir"], replica["partition"], replica["size"])
        for broker in document["brokers"]
        for directory in broker["logDirs"]
        for replica in directory["partitions"]
    }
    # The compacted topic may have been cleaned in between, and so become smaller.
    found = {
        (row.broker, row.directory, f"{row.topic}-{row.partition}", row["size"])
        for row in disks.sampled
    }
    assert {one for one in found ^ expected if not one[2].startswith("seg-compacted")} == set()
    assert len(found) > 15
    assert {row.directory for row in disks.sampled} == set(disks.paths)
    assert all(0 < row.usable_bytes < row.total_bytes for row in disks.sampled)
    assert {row.broker_error for row in disks.sampled} == {None}


@pytest.mark.spec("P-08", "P-09")
def test_forensics_and_audit_find_apache_kafkas_disks_sound(spark: Session, disks: Disks) -> None:
    found = examine(spark, disks.paths, [*(f"seg-{c}" for c in CODECS), "seg-transactions"])
    assert found.sound
    logs = {log.topic: log for log in found.logs}
    assert [(log.codecs, log.records) for log in (logs[f"seg-{c}"].well for c in CODECS)] == [
        ((c,), 4000) for c in CODECS
    ]
    told = logs["seg-transactions"]
    assert (told.well.control, told.well.records, told.verdict) == (6, 126, "whole")
    assert told.well.aborted > 0
    numbered = auditing.count(spark, [], disks=disks.paths, topics=["seg-transactions"])
    assert numbered.sound
    assert numbered.counts["records"] == 120
