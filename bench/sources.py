"""What reading through Spark costs: log files by `spindle.log` beside Spark's own Kafka connector.

Both read the same topic of one Apache Kafka broker in the same session, in turn; CPU is that of
this process's JVM and Python workers (the broker's is not counted, though only the connector needs
it). The sampler asks brokers of the tests' making that only tell of their log directories.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from confluent_kafka import Producer
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from tests.support.apache_kafka import ApacheKafka
from tests.support.kafka_jars import kafka_jars
from tests.support.processes import tied
from tests.support.spark_jars import spark_kafka_jars

from bench.peers import cpu_seconds
from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic
from spindle.pipeline import history
from spindle.pipeline.segments import source
from spindle.pipeline.session import Session, session
from spindle.pipeline.sources import FORMAT, LogDirs

TOPIC, PARTITIONS = "sources", 4
BROKERS, DIRECTORIES, REPLICAS = 100, 10, 100
"""1,000 directories with 100,000 replicas."""
Note = Callable[[str, str, float], None]
"""Takes a figure's name, whose it is, and its value."""


async def run(home: Path, records: int, rounds: int, note: Note) -> None:
    """All figures of the sources; the first round warms up and is not counted."""
    import asyncio

    settings = {"log.segment.bytes": str(256 << 20)}
    with ApacheKafka(home / "sources", kafka_jars(), directories=2, settings=settings) as kafka:
        await asyncio.to_thread(kafka.start)
        async with AdminClient(kafka.bootstrap) as admin:
            await admin.create_topics([NewTopic(TOPIC, PARTITIONS, 1)]).all()
        await asyncio.to_thread(_fill, kafka.bootstrap, records)
        await asyncio.to_thread(_measure, kafka, home, records, rounds, note)


def _measure(kafka: ApacheKafka, home: Path, records: int, rounds: int, note: Note) -> None:
    spark = session("spindle bench")
    try:
        for jar in spark_kafka_jars():
            spark.sql(f"ADD JAR '{jar}'")
        source.register(spark)
        size = sum(
            path.stat().st_size
            for folder in kafka.log_dirs(1)
            for path in Path(folder).glob(f"{TOPIC}-*/*.log")
        )
        for number in range(-1, rounds):
            for figure, whose, read in _reads(spark, kafka):
                seconds, cpu, count = _timed(read)
                assert count == records, f"{figure} {whose}: {count} of {records} records"
                print(f"{figure} {whose} {number}: {seconds:.2f} s, {cpu:.2f} CPU s",
                      file=sys.stderr)  # fmt: skip
                if number >= 0:
                    note(f"{figure}: MB/s", whose, size / 1e6 / seconds)
                    note(f"{figure}: records/s per core", whose, records / cpu)
        _sample(spark, home, rounds, note)
    finally:
        spark.stop()


def _reads(spark: Session, kafka: ApacheKafka) -> list[tuple[str, str, Callable[[], DataFrame]]]:
    def log(level: str, columns: str) -> DataFrame:
        reader = spark.read.format(source.FORMAT).option("topic", TOPIC).option("level", level)
        return reader.option("columns", columns).load(kafka.log_dirs(1))

    def connector() -> DataFrame:
        reader = spark.read.format("kafka").option("subscribe", TOPIC)
        reader = reader.option("kafka.bootstrap.servers", kafka.bootstrap)
        return reader.option("kafka.max.poll.records", "50000").load()

    every = F.count("*").alias("n"), F.sum(F.length("key") + F.length("value")).alias("size")
    return [
        ("read records", "kafka", lambda: connector().agg(*every)),
        ("read records", "spindle", lambda: log("records", "key,value").agg(*every)),
        ("read batches", "spindle",
         lambda: log("batches", "records,size").agg(F.sum("records"), F.sum("size"))),
    ]  # fmt: skip


def _timed(read: Callable[[], DataFrame]) -> tuple[float, float, int]:
    """(seconds, CPU seconds, what the first column says) of a query."""
    before, began = _cpu(), time.monotonic()
    row = read().first()
    assert row is not None
    return time.monotonic() - began, max(1e-3, _cpu() - before), row[0]


def _cpu() -> float:
    # Spark keeps its Python workers, so none of their time is lost between two looks.
    me = psutil.Process()
    return cpu_seconds([me.pid, *(child.pid for child in me.children(recursive=True))])


def _fill(bootstrap: str, records: int) -> None:
    client = Producer({"bootstrap.servers": bootstrap, "compression.type": "lz4", "linger.ms": 20,
                       "queue.buffering.max.messages": 100_000})  # fmt: skip
    rng = random.Random(1)
    words = [rng.randbytes(96) for _ in range(5000)]  # Nothing that a codec makes small.
    for n in range(records):
        while len(client) > 90_000:
            client.poll(0.05)
        client.produce(TOPIC, words[n % 5000], b"%012d" % n, partition=n % PARTITIONS)
    assert client.flush(120) == 0


def _sample(spark: Session, home: Path, rounds: int, note: Note) -> None:
    counts = list(map(str, (BROKERS, DIRECTORIES, REPLICAS)))
    fleet: Any = subprocess.Popen(
        tied([sys.executable, "-m", "tests.support.fake_fleet", *counts]),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        bootstrap = fleet.stdout.readline().strip()
        spark.dataSource.register(LogDirs)
        reader = spark.read.format(FORMAT).option("bootstrap", bootstrap)
        for number in range(-1, rounds):
            began = time.monotonic()
            count = reader.load().where("broker_error is null").count()
            counted = time.monotonic()
            assert count == BROKERS * DIRECTORIES * REPLICAS, f"{count} replicas were reported"
            assert history.append(reader.load(), home / "history")
            kept = time.monotonic()
            if number >= 0:
                note("sample 100,000 replicas in 1,000 directories s", "spindle", counted - began)
                note("the same, into the history s", "spindle", kept - counted)
    finally:
        fleet.stdin.close()
        fleet.wait(60)
