"""Four client libraries and Apache Kafka's console tools on a Spindle cluster, and after a restart.

The tests share one cluster of three brokers with two log directories each; every test has topics of
its own. `restarted` stops the whole cluster once, between what each client wrote and what it reads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import aiokafka.errors as aiokafka_errors
import kafka.errors as kafka_errors
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin import NewTopic as AioTopic
from confluent_kafka import OFFSET_BEGINNING, Producer, TopicPartition
from confluent_kafka.admin import NewPartitions, NewTopic
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from tests.support.apache_kafka import CONFIGS, CONSOLE_CONSUMER, TOPICS
from tests.support.clients import consumer, flushed, produce, read_all, values
from tests.support.deadlines import Deadline
from tests.support.local import Local
from tests.support.waiting import TimeIsUp, eventually

from spindle.model.batches import COMPRESSION_MASK
from spindle.wire.batch import Compression, split

CONSOLE_PRODUCER = "org.apache.kafka.tools.ConsoleProducer"
GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
FIRST, SECOND = [b"%d" % n for n in range(30)], [b"%d" % n for n in range(30, 40)]


@pytest.fixture(scope="module")
def cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Local]:
    """Three brokers with two directories each."""
    jars: Path = request.getfixturevalue("kafka_jars")
    with Local(tmp_path_factory.mktemp("clients"), jars) as cluster:
        cluster.start()
        yield cluster


# -- the same story by every client ----------------------------------------------------------


@dataclass
class Client:
    """How a client makes a topic of three partitions, writes, and reads in a group (and commits).

    `read` returns `count` values and may wait for them; then it has committed what it read.
    """

    create: Callable[[Local, str], None]
    write: Callable[[Local, str, list[bytes]], None]
    read: Callable[[Local, str, int], list[bytes]]


def librdkafka_create(cluster: Local, topic: str) -> None:
    new = NewTopic(topic, num_partitions=3, replication_factor=3)
    cluster.admin.create_topics([new])[topic].result(20)


def librdkafka_write(cluster: Local, topic: str, given: list[bytes]) -> None:
    for n in range(3):
        produce(cluster.bootstrap, topic, given[n::3], n, **{"enable.idempotence": True})


def librdkafka_read(cluster: Local, topic: str, count: int) -> list[bytes]:
    reader = consumer(cluster.bootstrap, f"group-{topic}")
    reader.subscribe([topic])
    found: list[bytes] = []
    deadline = Deadline(30)
    while len(found) < count:
        deadline.hold(found)
        found += [m.value() for m in reader.consume(count, 0.2) if m.error() is None]
    reader.commit(asynchronous=False)
    reader.close()
    return found


def java_create(cluster: Local, topic: str) -> None:
    cluster.tool(
        TOPICS, "--create", "--topic", topic, "--partitions", "3", "--replication-factor", "3"
    )


def java_write(cluster: Local, topic: str, given: list[bytes]) -> None:
    text = "".join(f"{value.decode()}\n" for value in given)
    cluster.tool(
        CONSOLE_PRODUCER, "--topic", topic, "--producer-property", "acks=all",
        "--producer-property", "enable.idempotence=true", stdin=text,
    )  # fmt: skip


def java_read(cluster: Local, topic: str, count: int) -> list[bytes]:
    more = ("--topic", topic, "--group", f"group-{topic}")
    return [line.encode() for line in console_consumer(cluster, count, *more)]


def console_consumer(cluster: Local, count: int, *more: str) -> list[str]:
    """The lines of Apache Kafka's console consumer for so many records. TimeIsUp if fewer come."""
    done = cluster.tool(
        CONSOLE_CONSUMER, *more, "--from-beginning", "--max-messages", str(count),
        "--timeout-ms", "30000",
    )  # fmt: skip
    if len(done.lines()) < count:
        raise TimeIsUp(f"{len(done.lines())} of {count} records came: {done}")
    return done.lines()


def kafka_python_create(cluster: Local, topic: str) -> None:
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap)
    admin.create_topics({topic: {"num_partitions": 3, "replication_factor": 3}})
    admin.close()


def kafka_python_write(cluster: Local, topic: str, given: list[bytes]) -> None:
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap, acks="all")
    sent = [producer.send(topic, value, partition=n % 3) for n, value in enumerate(given)]
    for future in sent:
        future.get(20)
    producer.close()


def kafka_python_read(cluster: Local, topic: str, count: int) -> list[bytes]:
    reader = KafkaConsumer(
        topic,
        bootstrap_servers=cluster.bootstrap,
        group_id=f"group-{topic}",
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        consumer_timeout_ms=30_000,
    )
    found = [message.value for message in islice(reader, count)]
    if len(found) < count:
        raise TimeIsUp(f"{len(found)} of {count} records came")
    reader.commit()
    reader.close()
    return found


def aiokafka_create(cluster: Local, topic: str) -> None:
    async def create() -> None:
        admin = AIOKafkaAdminClient(bootstrap_servers=cluster.bootstrap)
        await admin.start()
        await admin.create_topics([AioTopic(topic, num_partitions=3, replication_factor=3)])
        await admin.close()

    asyncio.run(create())


def aiokafka_write(cluster: Local, topic: str, given: list[bytes]) -> None:
    async def write() -> None:
        producer = AIOKafkaProducer(
            bootstrap_servers=cluster.bootstrap, acks="all", enable_idempotence=True
        )
        await producer.start()
        for number, value in enumerate(given):
            await producer.send_and_wait(topic, value, partition=number % 3)
        await producer.stop()

    asyncio.run(write())


def aiokafka_read(cluster: Local, topic: str, count: int) -> list[bytes]:
    async def read() -> list[bytes]:
        reader = AIOKafkaConsumer(
            topic,
            bootstrap_servers=cluster.bootstrap,
            group_id=f"group-{topic}",
            auto_offset_reset="earliest",
            enable_auto_commit=False,
        )
        await reader.start()
        found = [(await asyncio.wait_for(reader.getone(), 30)).value for _ in range(count)]
        await reader.commit()
        await reader.stop()
        return found

    return asyncio.run(read())


CLIENTS = {
    "librdkafka": Client(librdkafka_create, librdkafka_write, librdkafka_read),
    "java": Client(java_create, java_write, java_read),
    "kafka-python": Client(kafka_python_create, kafka_python_write, kafka_python_read),
    "aiokafka": Client(aiokafka_create, aiokafka_write, aiokafka_read),
}


@contextmanager
def on_time() -> Iterator[None]:
    """TimeIsUp where a deadline of one of Python's two libraries has passed."""
    try:
        yield
    except (kafka_errors.KafkaTimeoutError, aiokafka_errors.KafkaTimeoutError) as late:
        raise TimeIsUp(str(late)) from late


@pytest.fixture(scope="module")
def restarted(cluster: Local) -> dict[str, list[bytes]]:
    """What each client read of what it had written; then the cluster was stopped and started."""
    found = {}
    for name, client in CLIENTS.items():
        with on_time():
            client.create(cluster, name)
            client.write(cluster, name, FIRST)
            found[name] = client.read(cluster, name, len(FIRST))
    cluster.restart()
    return found


@pytest.mark.kafka
@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_writes_reads_commits_and_goes_on_after_a_restart(
    cluster: Local, restarted: dict[str, list[bytes]], name: str
) -> None:
    assert sorted(restarted[name]) == sorted(FIRST)
    client = CLIENTS[name]
    with on_time():
        client.write(cluster, name, SECOND)
        # Only what is new: the group's commits outlived the restart.
        assert sorted(client.read(cluster, name, len(SECOND))) == sorted(SECOND)
    assert sorted(values(cluster.bootstrap, name)) == sorted(FIRST + SECOND)


# -- what records may be ---------------------------------------------------------------------


@pytest.mark.kafka
def test_what_one_client_compresses_all_can_read(cluster: Local) -> None:
    codecs = ("gzip", "snappy", "lz4", "zstd")
    given = {codec: [b"%s %d " % (codec.encode(), n) * 50 for n in range(20)] for codec in codecs}

    async def by_aiokafka(codec: str) -> list[bytes]:
        producer = AIOKafkaProducer(bootstrap_servers=cluster.bootstrap, compression_type=codec)
        await producer.start()
        await asyncio.gather(*[await producer.send(f"codec-{codec}", v) for v in given[codec]])
        await producer.stop()
        reader = AIOKafkaConsumer(
            f"codec-{codec}", bootstrap_servers=cluster.bootstrap, auto_offset_reset="earliest"
        )
        await reader.start()
        found = [(await asyncio.wait_for(reader.getone(), 30)).value for _ in range(40)]
        await reader.stop()
        return found

    for codec in codecs:
        cluster.create(f"codec-{codec}", [[1, 2, 3]])
        settings = {"compression.type": codec, "linger.ms": 50, "enable.idempotence": True}
        produce(cluster.bootstrap, f"codec-{codec}", given[codec], **settings)
        assert asyncio.run(by_aiokafka(codec)) == given[codec] * 2
        assert values(cluster.bootstrap, f"codec-{codec}") == given[codec] * 2
    expected = [value.decode() for codec in codecs for value in given[codec] * 2]
    assert sorted(console_consumer(cluster, 160, "--include", "codec-.*")) == sorted(expected)


@pytest.mark.kafka
@pytest.mark.spec("N-01")
def test_a_topic_compresses_what_clients_send_as_it_says(cluster: Local) -> None:
    wanted = {"gzip": "1", "snappy": None, "lz4": "12", "zstd": "9", "uncompressed": None}
    sent = ("none", "gzip", "snappy", "lz4", "zstd")
    given = {to: [b"%s %d " % (to.encode(), n) * 50 for n in range(20)] for to in wanted}
    for to, level in wanted.items():
        own = {} if level is None else {f"compression_{to}_level": level}
        cluster.create(f"packed-{to}", [[1, 2, 3]], compression_type=to, **own)
        for codec in sent[1:]:
            in_transaction(cluster, f"packed-{to}", given[to], codec)
        produce(cluster.bootstrap, f"packed-{to}", given[to])
        assert values(cluster.bootstrap, f"packed-{to}") == given[to] * len(sent)
    committed = ("--isolation-level", "read_committed")
    lines = console_consumer(cluster, 500, "--include", "packed-.*", *committed)
    expected = [value.decode() for to in wanted for value in given[to] * len(sent)]
    assert sorted(lines) == sorted(expected)
    for to in wanted:
        name = "NONE" if to == "uncompressed" else to.upper()
        for broker in (1, 2, 3):
            found = compressions(cluster, broker, f"packed-{to}-0")
            assert found == {name}, f"{to} on broker {broker}"


def in_transaction(cluster: Local, topic: str, sent: list[bytes], codec: str) -> None:
    producer = Producer(
        {
            "bootstrap.servers": cluster.bootstrap, "transactional.id": topic, "linger.ms": 50,
            "compression.type": codec,
        }
    )  # fmt: skip
    producer.init_transactions(30)
    producer.begin_transaction()
    for value in sent:
        producer.produce(topic, value, partition=0)
    producer.commit_transaction(30)


def compressions(cluster: Local, broker: int, log: str) -> set[str]:
    """The compressions of a log's batches, markers left out."""
    (segment,) = (
        segment
        for directory in cluster.log_dirs(broker)
        for segment in Path(directory, log).glob("*.log")
    )
    return {
        Compression(batch.attributes & COMPRESSION_MASK).name
        for batch in split(segment.read_bytes())
        if not batch.is_control
    }


def test_keys_headers_nothing_and_times_are_kept(cluster: Local) -> None:
    cluster.create("forms", [[1, 2], [2, 3]])
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all"})
    given: list[dict[str, Any]] = [
        {"key": b"k", "value": b"v", "headers": [("h", b"1"), ("h", b"2"), ("none", None)]},
        {"key": b"k", "value": None},
        {"key": None, "value": b""},
        {"key": b"", "value": "åß".encode()},
    ]
    for number, record in enumerate(given):
        producer.produce("forms", partition=0, timestamp=1_000_000 + number, **record)
    flushed(producer, 20)
    found = read_all(cluster.bootstrap, "forms")[0]
    assert [(m.key(), m.value(), m.timestamp()[1]) for m in found] == [
        (r["key"], r["value"], 1_000_000 + n) for n, r in enumerate(given)
    ]
    assert found[0].headers() == given[0]["headers"]
    assert [m.headers() for m in found[1:]] == [None] * 3


def test_records_are_found_by_their_time(cluster: Local) -> None:
    cluster.create("times", [[1, 2, 3]], segment_bytes="2000")
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all", "linger.ms": 0})
    for number in range(100):
        producer.produce("times", b"x" * 100, partition=0, timestamp=1_000_000 + 10 * number)
        producer.poll(0)
        if number % 10 == 9:
            flushed(producer, 20)
    reader = consumer(cluster.bootstrap)

    def at(time_ms: int) -> int:
        found: int = reader.offsets_for_times([TopicPartition("times", 0, time_ms)], 20)[0].offset
        return found

    assert [at(t) for t in (0, 1_000_000, 1_000_001, 1_000_555, 1_000_990)] == [0, 0, 1, 56, 99]
    assert at(1_000_991) == -1  # librdkafka: the end
    reader.close()


def test_a_large_record_needs_leave(cluster: Local) -> None:
    cluster.create("large", [[2, 3, 1]], max_message_bytes="6000000")
    cluster.create("small", [[2, 3, 1]])
    given = [bytes([n]) * 5_000_000 for n in range(3)]
    settings = {"message.max.bytes": 8_000_000}
    produce(cluster.bootstrap, "large", given, **settings)
    found = read_all(cluster.bootstrap, "large")[0]
    assert [m.value() for m in found] == given
    with pytest.raises(AssertionError, match="MSG_SIZE_TOO_LARGE"):
        produce(cluster.bootstrap, "small", [given[0]], **settings)


# -- topics ----------------------------------------------------------------------------------


def test_a_topic_is_made_when_it_is_first_written_to(cluster: Local) -> None:
    produce(cluster.bootstrap, "on-demand", [b"1", b"2"])
    assert values(cluster.bootstrap, "on-demand") == [b"1", b"2"]
    reader = consumer(cluster.bootstrap)
    reader.subscribe(["never-made"])
    reader.consume(1, 1)
    reader.close()
    assert "never-made" not in cluster.admin.list_topics(timeout=10).topics


def test_a_deleted_topic_is_gone_from_the_disks_and_may_be_made_again(cluster: Local) -> None:
    def on_disk() -> list[str]:
        return [
            entry.name
            for node in cluster.brokers
            for directory in node.log_dirs
            for entry in directory.iterdir()
            if entry.name.startswith("mortal-")
        ]

    cluster.create("mortal", [[1, 2, 3], [2, 3, 1]])
    produce(cluster.bootstrap, "mortal", [b"old"] * 10)
    assert len(on_disk()) == 6
    cluster.admin.delete_topics(["mortal"])["mortal"].result(20)
    cluster.until(lambda: not on_disk(), "no log of the deleted topic is left")
    cluster.create("mortal", [[3, 2]])
    produce(cluster.bootstrap, "mortal", [b"new"])
    assert values(cluster.bootstrap, "mortal") == [b"new"]


def test_partitions_are_added_while_a_group_reads(cluster: Local) -> None:
    cluster.create("growing", [[1, 2, 3]])
    produce(cluster.bootstrap, "growing", [b"1"])
    reader = consumer(cluster.bootstrap, "growing")
    reader.subscribe(["growing"])
    eventually(lambda: reader.consume(1, 0.2), "the first record")
    new = NewPartitions("growing", 3, replica_assignment=[[2, 3, 1], [3, 1, 2]])
    cluster.admin.create_partitions([new])["growing"].result(20)
    cluster.become("growing", {n: (n + 1, {1, 2, 3}) for n in range(3)})
    for broker in (1, 2, 3):  # A client that asks one that has not heard of them gives up.
        cluster.until(lambda b=broker: cluster.knows(b, "growing", 3), f"{broker} knows them")
    for n in (1, 2):
        produce(cluster.bootstrap, "growing", [b"%d" % n], n)
    found: set[bytes] = set()
    deadline = Deadline(30)
    while found != {b"1", b"2"}:
        deadline.hold(found)
        found |= {m.value() for m in reader.consume(2, 0.2) if m.error() is None}
    reader.close()


# -- administration by Apache Kafka's tools ----------------------------------------------------


@pytest.mark.kafka
def test_topics_configs_and_groups_by_kafkas_tools(cluster: Local) -> None:
    cluster.create("managed", [[1, 2], [2, 3]])
    produce(cluster.bootstrap, "managed", [b"x"] * 5)
    for broker in (1, 2, 3):
        cluster.until(lambda b=broker: cluster.knows(b, "managed", 2), f"{broker} knows it")
    described = cluster.tool(TOPICS, "--describe", "--topic", "managed").stdout
    assert "PartitionCount: 2" in described
    assert "ReplicationFactor: 2" in described
    assert "managed" in cluster.tool(TOPICS, "--list").lines()
    entity = ("--entity-type", "topics", "--entity-name", "managed")

    def configs() -> str:
        return cluster.tool(CONFIGS, "--describe", *entity).stdout

    # The controller has answered; the broker that describes them hears of it a moment later.
    cluster.tool(CONFIGS, "--alter", *entity, "--add-config", "retention.ms=123456")
    eventually(lambda: "retention.ms=123456" in configs(), "it is set")
    cluster.tool(CONFIGS, "--alter", *entity, "--delete-config", "retention.ms")
    eventually(lambda: "retention.ms" not in configs(), "it is unset")
    reader = consumer(cluster.bootstrap, "managed-group")
    reader.assign([TopicPartition("managed", 0, OFFSET_BEGINNING)])
    eventually(lambda: reader.consume(5, 0.2), "records")
    reader.commit(offsets=[TopicPartition("managed", 0, 3)], asynchronous=False)
    reader.close()
    rows = cluster.tool(GROUPS, "--describe", "--group", "managed-group").lines()
    (row,) = [line.split() for line in rows if line.startswith("managed-group")]
    assert row[1:6] == ["managed", "0", "3", "5", "2"]
    cluster.tool(TOPICS, "--delete", "--topic", "managed")
    cluster.until(lambda: "managed" not in cluster.admin.list_topics(timeout=10).topics, "gone")
