"""Apache Kafka 4.3 judges our files, and we open what it wrote: the same disk, either way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.support.apache_kafka import (
    CLUSTER_ID,
    CONSOLE_CONSUMER,
    DUMP_LOG,
    ApacheKafka,
    run_tool,
)
from tests.support.storage import (
    CLUSTER,
    KEY,
    append,
    batch,
    check_log,
    create,
    format_at,
    read_batches,
    reopen,
)
from tests.support.waiting import TimeIsUp

from spindle.model.jobs import (
    Append,
    Close,
    Open,
)
from spindle.model.log_values import LogKey, OpenedDirectory
from spindle.runtime.os_disk import OsDisk
from spindle.storage.directory import LogDirectory
from spindle.wire.batch import Compression

pytestmark = pytest.mark.kafka

TOPIC = "written-by-both"
RECORDS = 6000


def our_log(path: str, close: bool) -> LogDirectory:
    """A log of some segments with everything in it that a header can say."""
    disk = OsDisk()
    disk.make_dirs(path)
    format_at(disk, path)
    directory, _ = reopen(disk, path)
    create(directory, segment_bytes=20_000, index_interval_bytes=1000)
    offset = 0
    codecs = [Compression.NONE, Compression.GZIP, Compression.ZSTD, Compression.SNAPPY]
    for number in range(400):
        values = [f"value {offset + n} ".encode() * 20 for n in range(1 + number % 5)]
        made = batch(
            offset,
            values,
            epoch=number // 150,
            at=1_700_000_000_000 + number * 10,
            compression=codecs[number % 4],
            producer_id=77,
            producer_epoch=1,
            base_sequence=offset,
        )
        offset = append(directory, made)
    if close:
        directory.run(Close(path, 1))
    return directory


@pytest.mark.parametrize("close", [True, False])
def test_kafkas_dump_tool_finds_nothing_wrong(
    kafka_jars: Path, tmp_path: Path, close: bool
) -> None:
    """Without a clean close, the files of all but the last segment are complete already."""
    our_log(f"{tmp_path}/d1", close)
    folder = tmp_path / "d1" / "orders-3"
    logs = sorted(folder.glob("*.log"))
    assert len(logs) > 3
    logs = logs if close else logs[:-1]
    dumped = run_tool(kafka_jars, DUMP_LOG, "--deep-iteration", "--files", ",".join(map(str, logs)))
    assert dumped.code == 0, dumped
    assert dumped.stdout.count("baseOffset") + dumped.stdout.count("| offset") > 400
    assert "isvalid: false" not in dumped.stdout
    indexes = [str(f.with_suffix(kind)) for f in logs for kind in (".index", ".timeindex")]
    assert sum(Path(f).stat().st_size for f in indexes if f.endswith(".index")) > 8 * len(logs)
    for arguments in (["--index-sanity-check"], ["--verify-index-only"], []):
        checked = run_tool(kafka_jars, DUMP_LOG, *arguments, "--files", ",".join(indexes))
        assert checked.code == 0, checked
        for complaint in ("Mismatches", "Index timestamp", "mismatch", "out of order", "not found"):
            assert complaint not in checked.stdout + checked.stderr, checked
    snapshots = sorted(folder.glob("*.snapshot"))
    assert snapshots
    told = run_tool(kafka_jars, DUMP_LOG, "--files", ",".join(map(str, snapshots)))
    assert told.code == 0, told
    assert told.stdout.count("producerId: 77") >= len(snapshots)


def open_kafkas(directory: Path) -> tuple[LogDirectory, OpenedDirectory]:
    """Open a directory of node 1 of the cluster that `ApacheKafka` formats."""
    disk = OsDisk()
    ours = LogDirectory(disk, str(directory))
    return ours, ours.run(Open(str(directory), CLUSTER_ID, 1))


def consume(kafka: ApacheKafka, count: int) -> list[str]:
    """`partition offset value` of all records of the topic, by Kafka's consumer."""
    done = kafka.run_tool(
        CONSOLE_CONSUMER, "--bootstrap-server", kafka.bootstrap, "--topic", TOPIC,
        "--from-beginning", "--max-messages", str(count), "--timeout-ms", "20000",
        "--formatter-property", "print.partition=true",
        "--formatter-property", "print.offset=true",
    )  # fmt: skip
    found = [line for line in done.lines() if line.startswith("Partition")]
    if len(found) < count:
        raise TimeIsUp(f"{len(found)} of {count} records came in time")
    return found


@pytest.mark.spec("B-26")
@pytest.mark.parametrize("kill", [False, True], ids=["stopped", "killed"])
def test_a_disk_goes_from_kafka_to_us_and_back(
    kafka_jars: Path, tmp_path: Path, kill: bool
) -> None:
    """Kafka writes, we read all and append, Kafka reads all and appends."""
    settings = {"log.segment.bytes": str(1 << 20)}
    with ApacheKafka(tmp_path / "kafka", kafka_jars, settings=settings) as kafka:
        kafka.start()
        kafka.create_topic(TOPIC, "1,1")
        kafka.produce(TOPIC, RECORDS)
        kafka.stop_node(1, kill=kill)

        ends: dict[int, int] = {}
        for path in kafka.nodes[1].log_dirs:
            ours, opened = open_kafkas(path)
            assert opened.clean is not kill
            assert opened.quarantined == opened.ignored == ()
            if not kill:
                assert opened.warnings == ()
            for loaded in opened.logs:
                check_log(ours, loaded)
                assert loaded.topic_id is not None
                if loaded.key.topic == TOPIC:
                    assert loaded.producers, "the producer was idempotent"
                    ends[loaded.key.partition] = append_ours(ours, loaded.key, loaded.end)
            ours.run(Close(str(path), 1))
        assert sum(ends.values()) == RECORDS + 2 * 100

        folders = [folder for path in kafka.nodes[1].log_dirs for folder in path.glob(f"{TOPIC}-*")]
        assert [len(marks(folder)) for folder in folders] == [1, 1]
        kafka.start_node(1)
        assert not [mark for folder in folders for mark in marks(folder)], "Kafka may leave gaps"
        kafka.produce(TOPIC, 100)
        lines = consume(kafka, RECORDS + 300)
        assert len(lines) == RECORDS + 300
        assert sum("by Spindle" in line for line in lines) == 200
        offsets: dict[int, set[int]] = {0: set(), 1: set()}
        for line in lines:
            found = re.match(r"Partition:(\d+)\s+Offset:(\d+)", line)
            assert found is not None, line
            offsets[int(found[1])].add(int(found[2]))
        for partition, seen in offsets.items():
            assert seen == set(range(len(seen))), f"holes in partition {partition}"
        kafka.stop_node(1)
        for path in kafka.nodes[1].log_dirs:
            _, opened = open_kafkas(path)
            assert opened.clean


def marks(folder: Path) -> list[Path]:
    """What says in a log's directory that no gap between its segments is well."""
    return list(folder.glob("unbroken-*"))


def append_ours(ours: LogDirectory, key: LogKey, end: int) -> int:
    """Append a hundred records; the log's end."""
    epoch = ours.logs[key].epochs.history.latest
    made = [
        batch(end + n * 10, [b"by Spindle"] * 10, epoch=epoch, at=1_800_000_000_000)
        for n in range(10)
    ]
    return ours.run(Append(ours.path, key, made, 0)).end


def test_our_formatted_directory_is_known_by_its_cluster(tmp_path: Path) -> None:
    directory = our_log(f"{tmp_path}/d1", close=True)
    again = LogDirectory(OsDisk(), directory.path)
    opened = again.run(Open(directory.path, CLUSTER, 1))
    assert opened.clean
    assert len(read_batches(again, KEY, most=1 << 20)) == 400
