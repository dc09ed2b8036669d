"""Transactions of real clients: a reader of committed records sees each once, whatever fails."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from tests.support.apache_kafka import run_tool
from tests.support.clients import flushed, read_all
from tests.support.local import Local
from tests.support.waiting import TimeIsUp, eventually

ONE = {
    "default.replication.factor": "1",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
}
PERFORMANCE_TOOL = "org.apache.kafka.tools.ProducerPerformance"
DUMP = "org.apache.kafka.tools.DumpLogSegments"
COPIER = "org.apache.kafka.tools.TransactionalMessageCopier"
TRANSACTIONS_TOOL = "org.apache.kafka.tools.TransactionsCommand"


@pytest.fixture
def one(tmp_path: Path) -> Iterator[Local]:
    with Local(tmp_path, brokers=1, settings=ONE) as cluster:
        cluster.start()
        cluster.create_on("t", 0, [1])
        yield cluster


def producer(cluster: Local, name: str = "x", /, **more: object) -> Producer:
    made = Producer({"bootstrap.servers": cluster.bootstrap, "transactional.id": name} | more)
    made.init_transactions(60)
    return made


def write(writer: Producer, *values: str, topic: str = "t") -> None:
    for value in values:
        writer.produce(topic, value.encode())
    flushed(writer, 60)


def values(
    cluster: Local, level: str = "read_committed", topic: str = "t", partition: int = 0
) -> list[str]:
    """All that a reader of this isolation level finds before the end that it sees."""
    reader = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap,
            "group.id": "reader",
            "isolation.level": level,
            "enable.partition.eof": True,
            "enable.auto.commit": False,
        }
    )
    reader.assign([TopicPartition(topic, partition, 0)])
    found: list[str] = []
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        message = reader.poll(1)
        if message is None:
            continue
        if message.error():
            if message.error().code() == KafkaError._PARTITION_EOF:
                break
            continue
        found.append(message.value().decode())
    else:
        raise TimeIsUp(f"no end of {topic} within 60 s; found {found}")
    reader.close()
    return found


def until(cluster: Local, expected: list[str], topic: str = "t") -> None:
    """Wait for this: markers may come after a client has heard of its transaction's end."""
    eventually(lambda: values(cluster, topic=topic) == expected, f"{topic} has {expected}", 60)


def test_all_is_read_of_a_log_whose_last_entry_is_a_marker(one: Local) -> None:
    writer = producer(one)
    for number, end in enumerate((writer.commit_transaction, writer.abort_transaction)):
        writer.begin_transaction()
        write(writer, f"{number}")
        end()
        eventually(  # The marker may come after the client has heard of its transaction's end.
            lambda: [m.value() for m in read_all(one.bootstrap, "t", 20)[0]] == [b"0"],
            "what was committed is read, and nothing else",
            30,
        )


def test_what_was_aborted_is_not_seen_and_what_is_open_waits(one: Local) -> None:
    writer = producer(one)
    expected = []
    for n, commits in enumerate((True, False, True)):
        writer.begin_transaction()
        write(writer, f"{n}a", f"{n}b")
        if commits:
            writer.commit_transaction(60)
            expected += [f"{n}a", f"{n}b"]
        else:
            writer.abort_transaction(60)
    until(one, expected)
    writer.begin_transaction()
    write(writer, "open")
    assert values(one) == expected
    assert values(one, "read_uncommitted") == ["0a", "0b", "1a", "1b", "2a", "2b", "open"]
    second = producer(one)  # Fences the first.
    with pytest.raises(KafkaException):
        writer.commit_transaction(60)
    second.begin_transaction()
    write(second, "second")
    second.commit_transaction(60)
    until(one, [*expected, "second"])


def test_offsets_count_with_the_transaction_alone(one: Local) -> None:
    writer = producer(one)
    reader = Consumer(
        {"bootstrap.servers": one.bootstrap, "group.id": "g", "enable.auto.commit": False}
    )
    place = TopicPartition("t", 0)
    for offset, commits in ((3, False), (5, True)):
        writer.begin_transaction()
        write(writer, str(offset))
        metadata = reader.consumer_group_metadata()
        writer.send_offsets_to_transaction([TopicPartition("t", 0, offset)], metadata, 60)
        if commits:
            writer.commit_transaction(60)
        else:
            writer.abort_transaction(60)
    assert reader.committed([place], 60)[0].offset == 5
    reader.close()


def test_a_broker_killed_in_mid_transaction_goes_on_with_it(one: Local) -> None:
    writer = producer(one)
    writer.begin_transaction()
    write(writer, "gone")
    writer.abort_transaction(60)
    writer.begin_transaction()
    write(writer, "before")
    one.restart(1, kill=True)
    write(writer, "after")
    writer.commit_transaction(60)
    until(one, ["before", "after"])
    one.restart(1, kill=True)
    assert values(one) == ["before", "after"]


def test_a_producer_that_is_silent_for_too_long_is_aborted(one: Local) -> None:
    writer = producer(one, **{"transaction.timeout.ms": 1_500})
    writer.begin_transaction()
    write(writer, "late")
    other = producer(one, "y")
    other.begin_transaction()
    write(other, "in time")
    other.commit_transaction(60)
    until(one, ["in time"])


@pytest.mark.spec("K113-30", "K113-03")
def test_a_move_between_directories_takes_transactions_along(one: Local) -> None:
    writer = producer(one)
    writer.begin_transaction()
    write(writer, "aborted")
    writer.abort_transaction(60)
    writer.begin_transaction()
    write(writer, "before")
    one.alter({("t", 0, 1): 1})
    one.until(lambda: one.disk_of("t", 0, 1) == 1, "the move ends", 60)
    write(writer, "after")
    writer.commit_transaction(60)
    until(one, ["before", "after"])
    one.restart(1, kill=True)
    assert values(one) == ["before", "after"]


@pytest.mark.kafka
def test_kafkas_tool_lists_and_describes(one: Local, kafka_jars: Path) -> None:
    def tool(*arguments: str) -> str:
        where = ("--bootstrap-server", one.bootstrap)
        done = run_tool(kafka_jars, TRANSACTIONS_TOOL, *where, *arguments)
        assert done.code == 0, done
        return done.stdout

    writer = producer(one)
    writer.begin_transaction()
    write(writer, "open")
    listed = tool("list")
    assert "x" in listed.split()
    assert "Ongoing" in listed
    assert "t-0" in tool("describe", "--transactional-id", "x")
    producers = tool("describe-producers", "--topic", "t", "--partition", "0")
    assert producers.splitlines()[1].split()[-1] == "0"
    writer.abort_transaction(60)

    # A transaction counts from its start, also once it has ended.
    def has_ended() -> bool:
        return "CompleteAbort" in tool("list")

    eventually(has_ended, "the transaction has ended", 60)
    assert "CompleteAbort" in tool("list", "--duration-filter", "1")
    assert "x" not in tool("list", "--duration-filter", "3600000").split()


@pytest.mark.kafka
def test_java_producers_with_an_epoch_for_each_transaction(one: Local, kafka_jars: Path) -> None:
    """Produce 12 and later, EndTxn 5, TxnOffsetCommit 5: transaction.version 2 (KIP-890)."""
    one.create_on("copy", 1, [1])
    properties = one.folder / "producer.properties"
    properties.write_text(f"bootstrap.servers={one.bootstrap}\ntransactional.id=perf\n")
    done = run_tool(
        kafka_jars,
        PERFORMANCE_TOOL,
        *("--topic", "t", "--num-records", "300", "--record-size", "20", "--throughput", "1000"),
        *("--command-config", str(properties), "--transaction-duration-ms", "50"),
        seconds=120,
    )
    assert done.code == 0, done
    written: list[str] = []

    def all_is_there() -> bool:
        written[:] = values(one)
        return len(written) >= 300

    eventually(all_is_there, "the last transaction is committed", 60)
    assert len(written) == 300
    done = run_tool(
        kafka_jars,
        COPIER,
        *("--broker-list", one.bootstrap, "--input-topic", "t", "--input-partition", "0"),
        *("--output-topic", "copy", "--transactional-id", "copier", "--consumer-group", "copier"),
        *("--transaction-size", "50", "--max-messages", "300", "--enable-random-aborts"),
        seconds=120,
    )
    assert done.code == 0, done
    until(one, written, "copy")
    writer = producer(one)
    writer.begin_transaction()
    write(writer, "aborted")
    writer.abort_transaction(60)
    until(one, written)
    one.stop_node(1)
    dump = ("--print-data-log", "--files")
    logs = sorted(one.folder.rglob("__transaction_state-*/*.log"))
    decoded = run_tool(
        kafka_jars, DUMP, *dump, ",".join(map(str, logs)), "--transaction-log-decoder"
    )
    assert decoded.code == 0, decoded
    assert '"transactionalId":"copier"' in decoded.stdout
    assert '"transactionStatus":4' in decoded.stdout
    assert '"clientTransactionVersion":2' in decoded.stdout
    (index,) = one.folder.rglob("t-0/*.txnindex")
    entries = run_tool(kafka_jars, DUMP, "--files", str(index))
    assert (entries.code, "producerId" in entries.stdout) == (0, True), entries


def test_the_disk_of_a_leader_fails_in_mid_transaction(tmp_path: Path) -> None:
    copies = {"transaction.state.log.replication.factor": "3"}  # The coordinator's disk may die.
    with Local(tmp_path, brokers=3, settings=copies) as cluster:
        cluster.start()
        cluster.create_on("t", 0, [1, 2, 3])
        writer = producer(cluster)
        writer.begin_transaction()
        write(writer, "aborted")
        writer.abort_transaction(60)
        writer.begin_transaction()
        write(writer, "before")
        cluster.break_disk(1, 0)
        write(writer, "after")
        writer.commit_transaction(60)
        until(cluster, ["before", "after"])


@pytest.mark.kafka
def test_java_transactions_follow_each_other_at_once(tmp_path: Path, kafka_jars: Path) -> None:
    """A transaction begins before all markers of the last one are written (KIP-890).

    Its first batches meet those markers in most of the twelve partitions.
    """
    copies = {"transaction.state.log.replication.factor": "3"}
    with Local(tmp_path, kafka_jars, brokers=3, settings=copies) as cluster:
        cluster.start()
        cluster.create("many", [[1 + (n + m) % 3 for m in range(3)] for n in range(12)])
        properties = cluster.folder / "producer.properties"
        properties.write_text(
            f"bootstrap.servers={cluster.bootstrap}\ntransactional.id=chain\nlinger.ms=0\n"
            "partitioner.class=org.apache.kafka.clients.producer.RoundRobinPartitioner\n"
        )
        done = cluster.run_tool(
            PERFORMANCE_TOOL,
            *("--topic", "many", "--num-records", "3000", "--record-size", "20"),
            *("--command-config", str(properties), "--transaction-duration-ms", "5"),
            *("--throughput", "1000"),
            seconds=180,
        )
        assert done.code == 0, done
        assert "Exception" not in done.stdout + done.stderr, done

        def records() -> int:
            return sum(len(values(cluster, topic="many", partition=n)) for n in range(12))

        whole = lambda: found if (found := records()) >= 3000 else None  # noqa: E731
        assert eventually(whole, "the last transaction is committed", 60) == 3000
