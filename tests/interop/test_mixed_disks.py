"""One broker of each kind, under either's controller: disks in common use.

Replicas move between the disks of both, disks of both fail, and each opens what the other wrote:
the programs exchange their directories, stopped cleanly and killed. The tests of a cluster run in
order; the last one leaves broken disks.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import committed
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.clients import audit, produce, values
from tests.support.directory_world import directory_id
from tests.support.mixed import Mixed
from tests.support.waiting import eventually

from spindle.cli.demo.demo_load import DemoLoad
from spindle.model.errors import Error
from spindle.model.ids import UNASSIGNED
from spindle.model.metadata_records import PartitionRegistration

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(480)]

THEIRS, OURS = 1, 2
BOTH = {THEIRS, OURS}
PLACES = [[THEIRS, OURS], [OURS, THEIRS]]
SETTINGS = {
    "broker.session.timeout.ms": "4000",
    "default.replication.factor": "2",
    "offsets.topic.replication.factor": "2",
    "replica.high.watermark.checkpoint.interval.ms": "1000",
    "log.dir.failure.timeout.ms": "60000",
}


@pytest.fixture(scope="module", params=["our-controller", "their-controller"])
def mixed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mixed]:
    """Broker 1 is Apache Kafka's, broker 2 ours, two directories each."""
    theirs = {THEIRS, CONTROLLER_ID} if request.param == "their-controller" else {THEIRS}
    jars = request.getfixturevalue("kafka_jars")
    folder = tmp_path_factory.mktemp(request.param)
    with Mixed(folder, jars, theirs=theirs, settings=SETTINGS) as cluster:
        cluster.start()
        yield cluster


def go_on(load: DemoLoad, more: int = 70) -> None:
    """Wait until so many more records are acknowledged.

    Apache Kafka may stand still for half a minute and more after a replica was away (B-01).
    """
    wanted = len(load.acknowledged) + more
    eventually(lambda: len(load.acknowledged) >= wanted, f"{wanted} acknowledged", 120)


def in_sync(mixed: Mixed, topic: str) -> None:
    """Wait until both brokers are in every partition's ISR."""

    def all_are() -> bool:
        found = mixed.state(topic)
        return bool(found) and all(isr == BOTH for _, isr in found.values())

    mixed.until(all_are, "both are in sync", 60)


@pytest.mark.spec("B-24", "B-26")
def test_our_controller_gives_our_replicas_a_place_and_leaves_theirs_to_them(mixed: Mixed) -> None:
    mixed.create("placed", [[THEIRS, OURS]] * 4)
    made = [
        one.record
        for batch in committed.batches(mixed)
        for one in batch
        if isinstance(one.record, PartitionRegistration)
    ]
    told = {record.directories[record.replicas.index(OURS)] for record in made}
    ours = {directory_id(path) for path in mixed.nodes[OURS].log_dirs}
    assert told <= (ours if CONTROLLER_ID not in mixed.theirs else {UNASSIGNED})
    assert {record.directories[record.replicas.index(THEIRS)] for record in made} == {UNASSIGNED}

    def known() -> bool:
        topic = committed.image(mixed).topic("placed")
        assert topic is not None
        return not any(UNASSIGNED in p.directories for p in topic.partitions.values())

    mixed.until(known, "each broker has reported where its replicas are", 60)


@pytest.mark.spec("B-26", "K113-03", "K858-07", "K858-16")
def test_replicas_move_between_the_disks_of_both(mixed: Mixed) -> None:
    mixed.create("moving", PLACES)
    load = DemoLoad(mixed.bootstrap, "moving", [1.0, 1.0], 100)
    load.start()
    go_on(load)
    wanted: dict[tuple[str, int, int], int | str] = {
        ("moving", number, broker): 1 - mixed.disk_of("moving", number, broker)
        for number in (0, 1)
        for broker in (THEIRS, OURS)
    }
    assert set(mixed.alter(wanted).values()) == {Error.NONE}
    for replica, disk in wanted.items():
        mixed.until(
            lambda r=replica, d=disk: mixed.disk_of(*r) == d,
            f"{replica} is in {disk}",
        )
    go_on(load)
    in_sync(mixed, "moving")
    load.finish()
    assert audit(load, mixed.bootstrap, "moving") == load.sent


@pytest.mark.spec("B-26", "K858-01")
def test_the_programs_exchange_their_directories(mixed: Mixed) -> None:
    mixed.create("exchanged", PLACES)
    load = DemoLoad(mixed.bootstrap, "exchanged", [1.0, 1.0], 100)
    load.start()
    go_on(load)
    for kill in (False, True):
        for broker in (THEIRS, OURS):
            mixed.stop_node(broker, kill=kill)
        mixed.theirs ^= BOTH
        for broker in (THEIRS, OURS):
            mixed.start_node(broker, wait=False)
        mixed.wait_until_serving()
        in_sync(mixed, "exchanged")
        go_on(load)
    load.finish()
    in_sync(mixed, "exchanged")
    assert audit(load, mixed.bootstrap, "exchanged") == load.sent
    for number in (0, 1):
        one, other = (log_of(mixed, broker, f"exchanged-{number}") for broker in BOTH)
        assert one == other


def log_of(mixed: Mixed, broker: int, name: str) -> bytes:
    """The bytes of a partition's segments on one broker, all together."""
    (found,) = [d / name for d in mixed.nodes[broker].log_dirs if (d / name).is_dir()]
    return b"".join(log.read_bytes() for log in sorted(found.glob("*.log")))


@pytest.mark.spec("B-26", "K858-10", "K858-05")
def test_a_disk_of_each_fails(mixed: Mixed) -> None:
    doomed = {THEIRS: 1, OURS: 1}
    for topic, replicas in (("ours-fails", [OURS, THEIRS]), ("theirs-fails", [THEIRS, OURS])):
        leader = replicas[0]
        told = mixed.alter({(topic, 0, leader): doomed[leader], (topic, 0, replicas[1]): 0})
        assert set(told.values()) <= {Error.UNKNOWN_TOPIC_OR_PARTITION, Error.REPLICA_NOT_AVAILABLE}
        mixed.create(topic, [replicas])
        assert mixed.disk_of(topic, 0, leader) == doomed[leader]
        produce(mixed.bootstrap, topic, [b"before"] * 10)
    mixed.break_disk(OURS, doomed[OURS])
    mixed.become("ours-fails", {0: (THEIRS, {THEIRS})})
    assert mixed.state("theirs-fails") == {0: (THEIRS, BOTH)}
    theirs = Path(mixed.log_dirs(THEIRS)[doomed[THEIRS]])
    while theirs.exists():  # The broker makes new files meanwhile.
        shutil.rmtree(theirs, ignore_errors=True)
    mixed.become("theirs-fails", {0: (OURS, {OURS})})
    for broker in (THEIRS, OURS):
        errors = [disk.error for disk in mixed.disks(broker)]
        assert errors == [Error.NONE, Error.KAFKA_STORAGE_ERROR]
    for topic in ("ours-fails", "theirs-fails"):
        produce(mixed.bootstrap, topic, [b"after"])
        assert values(mixed.bootstrap, topic) == [b"before"] * 10 + [b"after"]
