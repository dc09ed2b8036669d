"""Single replicas that are bad while their disk is well: they alone go offline, and heal (KIP-589).

Real processes and real files; damage comes from outside. The tests of one cluster share it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support import committed, damage
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.clients import produce, values
from tests.support.commands import run
from tests.support.local import Local
from tests.support.ports import free_port
from tests.support.quorum import ask
from tests.support.waiting import eventually
from tools.messages.entities import make, ms, request_types

from spindle.cli.demo.demo_load import DemoLoad
from spindle.model.errors import Corrupt, Error
from spindle.model.metadata_records import PartitionChange
from spindle.wire import batch
from spindle.wire.apis import Key

RECORDS = [b"%06d" % n + b"x" * 200 for n in range(400)]
PATIENCE = 90
SETTINGS = {
    # A broker that is slow keeps what it leads: only damage takes it away.
    "broker.session.timeout.ms": "9000",
    "auto.leader.rebalance.enable": "false",
    "log.dir.scrub.max.bytes.per.second": "0",
    "log.dir.scrub.interval.ms": "1000",
    "log.initial.task.delay.ms": "500",
    "log.flush.offset.checkpoint.interval.ms": "500",
    "replica.high.watermark.checkpoint.interval.ms": "500",
    "replica.fetch.backoff.ms": "200",
}


def log_of(cluster: Local, broker: int, topic: str, disk: int = 0) -> Path:
    """The directory of a replica's log."""
    return Path(cluster.log_dirs(broker)[disk]) / f"{topic}-0"


def filled(
    cluster: Local,
    topic: str,
    replicas: list[int],
    records: Sequence[bytes] = RECORDS,
    segment_bytes: int = 16_000,
    **configs: str,
) -> None:
    """A topic of several segments on each replica's first disk."""
    cluster.create_on(topic, 0, replicas, segment_bytes=str(segment_bytes), **configs)
    # Batches end where they are full, however slowly this process runs.
    produce(cluster.bootstrap, topic, records, **{"batch.size": 2000, "linger.ms": 10_000})
    for broker in replicas:
        eventually(
            lambda b=broker: is_whole(log_of(cluster, b, topic)),
            f"broker {broker} has all of {topic}",
            PATIENCE,
        )


def scrub(cluster: Local, rate: int) -> None:
    """Switch the scrubbers on or off, while all run."""
    for node in cluster.brokers:
        cluster.configure(node.node_id, {"log.dir.scrub.max.bytes.per.second": str(rate)})


def healed(cluster: Local, topic: str, broker: int) -> Path:
    """Wait until a replica is whole and in the ISR again; its bad copy, which lies aside."""
    log = log_of(cluster, broker, topic)

    def aside() -> list[Path]:
        return [p for p in damage.copies_aside(log.parent) if p.name.startswith(f"{topic}-0.")]

    cluster.until(aside, f"the bad copy of {topic} on {broker} is set aside", PATIENCE)
    cluster.until(lambda: is_whole(log), f"{topic} on {broker} has all again", PATIENCE)
    cluster.until(lambda: cluster.state(topic)[0][1] == {1, 2, 3}, f"{topic} in sync", PATIENCE)
    (copy,) = aside()
    return copy


def is_whole(log: Path) -> bool:
    """Whether a log has every record, and every byte of it is right."""
    try:
        return damage.offsets(log) == list(range(len(RECORDS)))
    except (Corrupt, OSError):
        return False  # It is being replaced, or written.


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Three brokers, whose scrubbers are off."""
    with Local(tmp_path_factory.mktemp("bad"), settings=SETTINGS) as cluster:
        for node in cluster.brokers:
            node.settings["metrics.port"] = str(free_port())
            cluster.write_config(node)
        cluster.start()
        filled(cluster, "calm", [1, 2, 3])
        yield cluster


@pytest.fixture(autouse=True)
def neighbours(request: pytest.FixtureRequest) -> Iterator[None]:
    """Nothing happens to another replica of the same disks, nor to the disks."""
    yield
    if "cluster" in request.fixturenames:
        cluster: Local = request.getfixturevalue("cluster")
        cluster.until(lambda: cluster.state("calm")[0][1] == {1, 2, 3}, "calm in sync", PATIENCE)
        for broker in (1, 2, 3):
            aside = damage.copies_aside(Path(cluster.log_dirs(broker)[0]))
            assert not [copy for copy in aside if copy.name.startswith("calm-")]
            assert [disk.error for disk in cluster.disks(broker)] == [Error.NONE] * 2


@pytest.mark.spec("K589-02", "K589-04", "B-28")
def test_a_consumer_meets_damage_at_the_leader_and_reads_on(cluster: Local) -> None:
    topics = {"flipped": "read-flipped", "torn": "read-torn"}
    for topic in topics.values():
        filled(cluster, topic, [1, 2, 3], min_insync_replicas="2")
    # What was just written is read from memory: a broker that has started again has the disk only.
    cluster.restart(1)
    cluster.lead(1, "calm", *topics.values())
    load = DemoLoad(cluster.bootstrap, "calm", [1.0], 100)
    load.start()
    known: list[Path] = []
    for kind, topic in topics.items():
        damage.KINDS[kind](damage.sealed(log_of(cluster, 1, topic)))
        assert values(cluster.bootstrap, topic) == RECORDS
        known.append(healed(cluster, topic, 1))
        assert cluster.state(topic)[0][0] in (2, 3)
        assert values(cluster.bootstrap, topic) == RECORDS
    load.finish()
    assert not load.failed
    label = f'{{logDirectory="{cluster.log_dirs(1)[0]}"}}'
    size = sum(file.stat().st_size for copy in known for file in copy.iterdir())

    def counted() -> bool:
        figures = cluster.metrics(1)
        names = ("badcopies", "badcopiesbytes")
        return [figures[f"kafka_log_logmanager_{name}{label}"] for name in names] == [2, size]

    cluster.until(counted, f"2 bad copies of {size} bytes are counted")
    assert "replica states changed" in cluster.nodes[CONTROLLER_ID].log.read_text()
    assert known[0].name in cluster.nodes[1].log.read_text()


@pytest.mark.spec("K589-02", "K589-04", "B-28")
def test_a_reader_of_a_follower_meets_damage_and_reads_on(cluster: Local) -> None:
    """Followers serve consumers, too (KIP-392): by the same look at each batch."""
    filled(cluster, "nearby", [1, 2, 3])
    cluster.restart(2)  # From here on it reads from the disk.
    cluster.until(lambda: cluster.state("nearby")[0][1] == {1, 2, 3}, "in sync", PATIENCE)
    epochs = leader_epochs(cluster)
    damage.flip(damage.sealed(log_of(cluster, 2, "nearby")))
    got: list[bytes] = []
    met: set[Error] = set()

    def read_on() -> bool:
        begin = len(got)
        error, data = fetch(cluster, 2, "nearby", begin)
        met.add(error)
        for one in batch.split(data, partial=True):
            batch.check(one)
            found = [record for record in batch.records(one) if record.offset >= begin]
            got.extend(bytes(record.value or b"") for record in found)
        return len(got) == len(RECORDS)

    cluster.until(read_on, "all is read from the follower", PATIENCE)
    assert got == RECORDS
    assert Error.KAFKA_STORAGE_ERROR in met
    # The damaged replica is offline then, and names the leader (KIP-951).
    met -= {Error.NOT_LEADER_OR_FOLLOWER}
    assert met <= {Error.NONE, Error.KAFKA_STORAGE_ERROR, Error.OFFSET_OUT_OF_RANGE}
    healed(cluster, "nearby", 2)
    assert cluster.state("nearby")[0][0] == 1
    assert leader_epochs(cluster) == epochs


def fetch(cluster: Local, broker: int, topic: str, offset: int) -> tuple[Error, bytes]:
    """What a broker answers to a consumer, whether it leads or not."""
    t = request_types(Key.FETCH, 11)
    partition = make(
        t.FetchPartition,
        partition=0,
        fetch_offset=offset,
        partition_max_bytes=20_000,
        current_leader_epoch=-1,
        log_start_offset=-1,
    )
    request = make(
        t.FetchRequest,
        replica_id=-1,
        max_wait=ms(100),
        min_bytes=1,
        max_bytes=1_000_000,
        session_epoch=-1,
        topics=(make(t.FetchTopic, topic=topic, partitions=(partition,)),),
    )
    answer = ask(cluster.nodes[broker].port, request, 20)
    (found,) = answer.responses[0].partitions
    return Error(found.error_code), bytes(found.records or b"")


def leader_epochs(cluster: Local) -> dict[str, int]:
    """The epoch in which each topic's only partition is led."""
    topics = committed.image(cluster).topics.values()
    return {topic.name: topic.partitions[0].leader_epoch for topic in topics}


@pytest.mark.spec("K589-02", "K589-04", "B-28")
def test_the_scrubbers_find_what_no_client_reads(cluster: Local) -> None:
    """On leaders and followers, each kind of damage on a replica of its own, all at once."""
    kinds = {"flipped": 1, "missing": 2, "unreadable": 3, "torn": 2}
    for kind in kinds:
        filled(cluster, f"scrub-{kind}", [1, 2, 3])
    before = {b: damage.copies_aside(Path(cluster.log_dirs(b)[0])) for b in (1, 2, 3)}
    for kind, broker in kinds.items():
        damage.KINDS[kind](damage.sealed(log_of(cluster, broker, f"scrub-{kind}")))
    assert {b: damage.copies_aside(Path(cluster.log_dirs(b)[0])) for b in (1, 2, 3)} == before
    scrub(cluster, 100_000_000)
    try:
        for kind, broker in kinds.items():
            topic = f"scrub-{kind}"
            healed(cluster, topic, broker)
            assert values(cluster.bootstrap, topic) == RECORDS
        assert cluster.state("scrub-flipped")[0][0] in (2, 3)
        assert cluster.state("scrub-missing")[0][0] == 1
        told = cluster.metrics(1)
        label = f'{{logDirectory="{cluster.log_dirs(1)[0]}"}}'
        assert told["kafka_log_logmanager_scrubbadlogs_total" + label] == 1
    finally:
        scrub(cluster, 0)


@pytest.mark.spec("K589-02", "K589-04", "B-15", "B-28")
def test_a_restart_finds_what_is_missing_or_cut(cluster: Local) -> None:
    kinds = {"missing": "start-missing", "torn": "start-torn", "unreadable": "start-unreadable"}
    for topic in kinds.values():
        filled(cluster, topic, [3, 1, 2])
    cluster.stop_node(3)
    for kind, topic in kinds.items():
        damage.KINDS[kind](damage.sealed(log_of(cluster, 3, topic)))
    cluster.start_node(3)
    for topic in kinds.values():
        healed(cluster, topic, 3)
        assert values(cluster.bootstrap, topic) == RECORDS


@pytest.mark.spec("K589-02", "B-28")
def test_a_single_copy_waits_until_a_person_accepts_the_loss(cluster: Local) -> None:
    filled(cluster, "single", [2])
    segment = damage.sealed(log_of(cluster, 2, "single"))
    base, size = int(segment.stem), segment.stat().st_size
    damage.flip(segment)
    scrub(cluster, 100_000_000)
    server = ("-b", cluster.bootstrap)
    try:
        cluster.until(lambda: cluster.state("single")[0][0] == -1, "no broker leads it", PATIENCE)
        shown = run("spindle", "replicas", *server, "--json")
        assert shown.code == 1
        (bad,) = [r for d in json.loads(shown.stdout)["logDirs"] for r in d["offline"]]
        assert (bad["replica"], bad["damaged"]) == ("single-0", True)
        assert "accept-loss" in bad["outlook"]
        whole = run("spindle", "replicas", "accept-loss", *server, "--yes", "1", "calm-0")
        assert (whole.code, "it serves" in whole.stderr) == (1, True), whole
        # A restart does not make it good.
        cluster.restart(2, kill=True)
        cluster.until(lambda: cluster.state("calm")[0][1] == {1, 2, 3}, "calm is whole", PATIENCE)
        assert cluster.state("single")[0][0] == -1
        many = ("spindle", "replicas", "accept-loss", *server, "--yes", "--all")
        none = run(*many, "1")
        assert (none.code, none.lines()) == (4, ["no replica waits for its loss to be accepted"])
        done = run(*many)
        assert done.code == 0, done
        assert "single-0 on broker 2 in " in done.stderr, "what would be lost is listed first"
        assert f"single-0 on broker 2: lost: segment {base}: 1781 of {size} bytes" in done.stdout
        assert "1 loss accepted, 0 failed" in done.stdout
        cluster.until(lambda: cluster.state("single")[0][0] == 2, "it is led again", PATIENCE)
        left = values(cluster.bootstrap, "single")
        assert len(RECORDS) - 40 < len(left) < len(RECORDS)
        assert set(left) < set(RECORDS)
        assert left == sorted(left)
        produce(cluster.bootstrap, "single", [b"after"])
        assert values(cluster.bootstrap, "single") == [*left, b"after"]
        again = run("spindle", "replicas", *server)
        assert again.code == 0, again
    finally:
        scrub(cluster, 0)


@pytest.mark.spec("K589-01", "K589-03")
def test_the_request_and_each_of_its_errors_over_a_real_connection(cluster: Local) -> None:
    filled(cluster, "told", [1, 2, 3])
    image = committed.image(cluster)
    epoch = image.brokers[1].broker_epoch
    t = request_types(Key.ALTER_REPLICA_STATE, 0)

    def tell(topic: str = "told", partition: int = 0, **fields: Any) -> Any:
        named = make(t.TopicData, name=topic, partitions=(partition,))
        given = {"broker_id": 1, "broker_epoch": epoch, "new_state": 1, "reason": "by hand"}
        request = make(t.AlterReplicaStateRequest, **{**given, **fields}, topics=(named,))
        return committed.ask_controller(cluster, request)

    count = len(committed.batches(cluster))
    assert tell(broker_epoch=epoch - 1).error_code == Error.STALE_BROKER_EPOCH
    assert tell(new_state=9).error_code == Error.UNKNOWN_EVENT_TYPE
    for topic, partition in (("nothing", 0), ("told", 7)):
        answer = tell(topic, partition)
        assert answer.error_code == Error.NONE
        (found,) = answer.topics[0].partitions
        assert found.error_code == Error.UNKNOWN_TOPIC_OR_PARTITION
    # Of this topic: replicas of others may still be coming back into their ISR.
    own = image.topic_ids["told"]
    written = [w.record for b in committed.batches(cluster)[count:] for w in b]
    assert not [r for r in written if isinstance(r, PartitionChange) and r.topic_id == own]
    # A broker whose replica is well says so, and it is back.
    assert tell().topics[0].partitions[0].error_code == Error.NONE
    cluster.until(
        lambda: cluster.state("told")[0][1] == {1, 2, 3} and cluster.state("told")[0][0] != 1,
        "it has left, and is back",
        PATIENCE,
    )
