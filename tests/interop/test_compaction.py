"""Compacted topics on a Spindle cluster: nothing but superseded records goes, whatever happens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer
from tests.support.apache_kafka import DUMP_LOG, ToolResult
from tests.support.clients import flushed, read_all
from tests.support.local import Local
from tests.support.waiting import eventually

SETTINGS = {
    "log.cleaner.backoff.ms": "200",
    "log.retention.check.interval.ms": "1000",
    "replica.alter.log.dirs.io.max.bytes.per.second": "4000000",
}
COMPACT = {
    "cleanup_policy": "compact",
    "segment_bytes": "100000",
    "min_cleanable_dirty_ratio": "0.01",
    "delete_retention_ms": "100",
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, kafka_jars: Path) -> Iterator[Local]:
    with Local(tmp_path_factory.mktemp("compaction"), kafka_jars, settings=SETTINGS) as local:
        local.start()
        yield local


class Table:
    """A topic of keys and what each should be; each round writes every key again."""

    def __init__(self, cluster: Local, topic: str) -> None:
        self.cluster, self.topic = cluster, topic
        self.wanted: dict[str, str | None] = {}
        self._producer = Producer(
            {"bootstrap.servers": cluster.bootstrap, "enable.idempotence": True, "log_level": 0}
        )
        self._round = 0

    def write(self, rounds: int, keys: int = 50) -> None:
        """Write so many rounds; every seventh key ends as a tombstone."""
        for _ in range(rounds):
            self._round += 1
            for n in range(keys):
                key = f"key-{n}"
                value = None if n % 7 == 0 else f"{key} in round {self._round} " + "x" * 300
                self.wanted[key] = value
                self._producer.produce(self.topic, value, key)
            flushed(self._producer, 30)

    def check(self) -> int:
        """What a reader from the beginning ends with is what was written; the records read."""
        found: dict[str, str | None] = {}
        messages = read_all(self.cluster.bootstrap, self.topic)[0]
        offsets = [message.offset() for message in messages]
        assert offsets == sorted(set(offsets))
        for message in messages:
            raw_key, raw_value = message.key(), message.value()
            assert raw_key is not None
            found[raw_key.decode()] = raw_value.decode() if raw_value is not None else None
        live = {key: value for key, value in self.wanted.items() if value is not None}
        assert {key: value for key, value in found.items() if value is not None} == live
        return len(messages)

    def until_clean(self, most: int) -> None:
        """Wait until every replica of the partition has at most so many bytes."""

        def sizes() -> list[int]:
            return [
                log.size
                for node in self.cluster.brokers
                for disk in self.cluster.disks(node.node_id)
                for name, log in disk.current.items()
                if name.topic == self.topic
            ]

        def clean() -> bool | None:
            found = sizes()
            assert found, f"no broker tells of {self.topic}"
            return max(found) <= most or None

        eventually(clean, "all is compacted", 60, 0.2)


@pytest.mark.spec("K113-30", "K113-13", "B-20")
def test_a_compacted_topic_moves_and_is_compacted_before_and_after(cluster: Local) -> None:
    cluster.create_on("moved", 0, [1, 2, 3], **COMPACT)
    table = Table(cluster, "moved")
    table.write(60)
    table.until_clean(300_000)
    table.write(40)
    told = cluster.alter({("moved", 0, broker): 1 for broker in (1, 2, 3)})
    assert {int(error) for error in told.values()} == {0}
    table.write(20)
    for broker in (1, 2, 3):
        cluster.until(lambda b=broker: cluster.disk_of("moved", 0, b) == 1, f"{broker} has moved")
    assert table.check() < 120 * 50
    table.write(40)
    table.until_clean(250_000)  # Some 850 records.
    assert table.check() < 1000


@pytest.mark.spec("B-20")
def test_killed_while_it_compacts_nothing_is_lost(cluster: Local) -> None:
    cluster.create_on("killed", 0, [1, 2, 3], **COMPACT)
    table = Table(cluster, "killed")
    for broker in (1, 2, 3):
        table.write(30)
        cluster.restart(broker, kill=True)
        cluster.until(lambda: cluster.state("killed")[0][1] == {1, 2, 3}, "all are in sync", 60)
        table.check()
    table.write(30)
    table.until_clean(250_000)  # Some 850 records.
    assert table.check() < 1000


@pytest.mark.kafka
def test_apache_kafka_reads_what_was_compacted(cluster: Local) -> None:
    cluster.create_on("judged", 0, [1, 2, 3], compression_type="producer", **COMPACT)
    table = Table(cluster, "judged")
    table.write(60)
    table.until_clean(300_000)
    log = Path(cluster.log_dirs(1)[0]) / "judged-0"

    def dumped(option: str, kind: str) -> ToolResult | None:
        """None where the cleaner has changed files while the tool read them."""
        before = files()
        names = ",".join(sorted(str(log / name) for name in before if name.endswith(kind)))
        result = cluster.run_tool(DUMP_LOG, option, "--files", names)
        return result if files() == before else None

    def files() -> dict[str, tuple[int, int]]:
        return {p.name: (p.stat().st_ino, p.stat().st_size) for p in log.iterdir()}

    done = eventually(lambda: dumped("--deep-iteration", ".log"), "the log is dumped", 120)
    assert done.code == 0, done
    assert "isvalid: false" not in done.stdout
    offsets = [line for line in done.lines() if line.lstrip().startswith("| offset:")]
    assert 30 < len(offsets) < 1500
    checked = eventually(
        lambda: dumped("--verify-index-only", ".index"), "its indexes are compared", 120
    )
    assert checked.code == 0, checked
    assert "Mismatches" not in checked.stdout
