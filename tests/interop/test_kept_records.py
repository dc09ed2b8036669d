"""No repair, return or restart throws good records away: real processes, real files (B-28, B-31).

Damage comes from outside. The tests share one cluster of three brokers with two directories each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import damage
from tests.support.apache_kafka import ToolResult
from tests.support.clients import produce, values
from tests.support.commands import run
from tests.support.local import Local

from spindle.client.admin import AdminClient
from spindle.client.failures import Refused
from spindle.client.results import DiskOrder

RECORDS = [b"%06d" % n + b"x" * 200 for n in range(300)]
PATIENCE = 90
SETTINGS = {
    "auto.leader.rebalance.enable": "false",
    "log.dir.scrub.max.bytes.per.second": "0",
    "log.dir.probe.interval.ms": "300",
    "log.initial.task.delay.ms": "600000",
    "log.flush.offset.checkpoint.interval.ms": "600000",
    "replica.high.watermark.checkpoint.interval.ms": "600000",
    "replica.fetch.backoff.ms": "200",
    "offsets.topic.num.partitions": "1",
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Three brokers; nothing is checkpointed: all of a log lies above its recovery point."""
    with Local(tmp_path_factory.mktemp("kept"), settings=SETTINGS) as cluster:
        cluster.start()
        yield cluster


def filled(cluster: Local, topic: str, replicas: list[int], **configs: str) -> Path:
    """A topic with records in one segment on the first disks; the first replica's directory."""
    cluster.create_on(topic, 0, replicas, **configs)
    produce(cluster.bootstrap, topic, RECORDS, **{"batch.size": 2000})
    log = log_of(cluster, replicas[0], topic)
    cluster.until(lambda: cluster.state(topic)[0][1] == set(replicas), f"{topic} in sync", PATIENCE)
    assert len(damage.segments(log)) == 1
    return log


def log_of(cluster: Local, broker: int, topic: str) -> Path:
    return Path(cluster.log_dirs(broker)[0]) / f"{topic}-0"


def contents(log: Path) -> list[bytes]:
    return [file.read_bytes() for file in damage.segments(log)]


def replicas(cluster: Local, *words: str) -> ToolResult:
    return run("spindle", "replicas", words[0], "-b", cluster.bootstrap, *words[1:])


def take_offline(cluster: Local, broker: int, *, force: bool) -> str:
    """Order a broker's first directory offline; what came of it."""

    async def work() -> str:
        async with AdminClient(cluster.bootstrap) as admin:
            path = cluster.log_dirs(broker)[0]
            return await admin.alter_disk(broker, path, DiskOrder.OFFLINE, force=force)

    return asyncio.run(work())


@pytest.mark.spec("B-28", "K589-02")
def test_neither_a_crash_nor_a_repair_cuts_the_only_copy(cluster: Local) -> None:
    log = filled(cluster, "only", [2])
    cluster.stop_node(2, kill=True)
    damage.flip(damage.segments(log)[0])
    before = contents(log)
    cluster.start_node(2)
    cluster.until(lambda: (log / "replica-bad").exists(), "the damage is found", PATIENCE)
    assert contents(log) == before
    repaired = replicas(cluster, "repair", "2", "only-0")
    assert repaired.code == 1, repaired
    for words in ("damaged still, and left as it is", " good records (", "accept-loss"):
        assert words in repaired.stderr, repaired
    assert contents(log) == before
    done = replicas(cluster, "accept-loss", "--yes", "2", "only-0")
    assert (done.code, "lost: segment 0: " in done.stdout) == (0, True), done
    left = values(cluster.bootstrap, "only")
    assert len(RECORDS) - 15 < len(left) < len(RECORDS)
    assert set(left) < set(RECORDS)


@pytest.mark.spec("B-28", "B-13")
def test_offline_and_online_cut_nothing_and_name_whom_they_concern(cluster: Local) -> None:
    log = filled(cluster, "solo", [3])
    damage.flip(damage.segments(log)[0])
    before = contents(log)
    with pytest.raises(Refused, match=r"holds the last live replica of solo-0"):
        take_offline(cluster, 3, force=False)
    assert "is offline" in take_offline(cluster, 3, force=True)
    path = cluster.log_dirs(3)[0]
    cluster.until((Path(path) / ".kafka_cleanshutdown").exists, "it is closed cleanly", PATIENCE)
    assert contents(log) == before
    online = run("spindle", "disks", "online", "-b", cluster.bootstrap, "3", path)
    assert online.code == 0, online
    assert contents(log) == before
    cluster.until(lambda: cluster.state("solo")[0][0] == 3, "it is led again", PATIENCE)
    cluster.stop_node(3, kill=True)
    cluster.start_node(3)
    cluster.until(lambda: (log / "replica-bad").exists(), "the damage is found", PATIENCE)
    assert contents(log) == before
    line = "1 replica is damaged: solo-0"
    cluster.until(
        lambda: line in run("spindle", "disks", "-b", cluster.bootstrap).stdout, "it is shown"
    )


@pytest.mark.spec("B-15", "B-28")
def test_a_start_offset_beyond_the_end_costs_no_record(cluster: Local) -> None:
    single, log = filled(cluster, "begun", [1]), filled(cluster, "shared", [1, 2, 3])
    cluster.stop_node(1)
    before = contents(log)
    checkpoint = Path(cluster.log_dirs(1)[0]) / "log-start-offset-checkpoint"
    checkpoint.write_text("0\n2\nbegun 0 99999999\nshared 0 99999999\n")
    cluster.start_node(1)
    assert values(cluster.bootstrap, "begun") == RECORDS
    cluster.until(lambda: cluster.state("shared")[0][1] == {1, 2, 3}, "in sync again", PATIENCE)
    assert contents(log) == before
    assert damage.offsets(single) == list(range(len(RECORDS)))
    assert "begins at 0" in cluster.nodes[1].log.read_text()


@pytest.mark.spec("B-15")
def test_a_file_in_the_place_of_a_log_costs_neither_disk_nor_broker(cluster: Local) -> None:
    first, second = map(Path, cluster.log_dirs(1))
    (first / "blocked-0").touch()
    (second / "blocked-1").touch()
    cluster.create("blocked", [[1], [1]])
    produce(cluster.bootstrap, "blocked", RECORDS[:20])
    assert (cluster.disk_of("blocked", 0, 1), cluster.disk_of("blocked", 1, 1)) == (1, 0)
    cluster.restart(1)
    assert sorted(values(cluster.bootstrap, "blocked")) == RECORDS[:20]
    (first / "blocked-0").unlink()
    (second / "blocked-1").unlink()


@pytest.mark.spec("B-15", "B-16")
def test_garbled_meta_properties_cost_one_directory_until_they_are_mended(cluster: Local) -> None:
    path = cluster.log_dirs(1)[1]
    properties = Path(path) / "meta.properties"
    good = properties.read_bytes()
    cluster.stop_node(1)
    properties.write_bytes(b"\xbd\xff noise")
    cluster.start_node(1)
    shown = run("spindle", "disks", "-b", cluster.bootstrap, "--broker-list", "1")
    assert "is damaged: it is not a properties file" in shown.stdout, shown
    properties.write_bytes(good)
    online = run("spindle", "disks", "online", "-b", cluster.bootstrap, "1", path)
    assert f"{path} on broker 1 is healthy" in online.stdout, online


@pytest.mark.spec("B-31", "K589-02")
def test_the_last_one_in_sync_that_lost_its_tail_does_not_lead_the_others_have_it(
    cluster: Local,
) -> None:
    log = filled(cluster, "tail", [3, 1, 2], min_insync_replicas="2")
    for broker in (1, 2):
        cluster.break_disk(broker, 0)
        cluster.until(lambda b=broker: b not in cluster.state("tail")[0][1], f"{broker} is out")
    cluster.break_disk(3, 0)
    cluster.until(lambda: cluster.state("tail")[0][0] == -1, "no broker leads", PATIENCE)
    damage.tear(damage.segments(log)[0])  # As a power cut of the disk does.
    cluster.mend_disk(3, 0)
    why, mark = "and had reached 300", log / "replica-bad"
    cluster.until(lambda: why in mark.read_text(), "it is known to be shorter", PATIENCE)
    for broker in (1, 2):
        cluster.mend_disk(broker, 0)
    cluster.until(lambda: cluster.state("tail")[0][1] == {1, 2, 3}, "all in sync", PATIENCE)
    assert values(cluster.bootstrap, "tail") == RECORDS
    assert damage.offsets(log) == list(range(len(RECORDS)))
