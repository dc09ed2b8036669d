"""How moves end, with real processes and files: each end once, on one cluster of two brokers with
four log directories each. The judge of the data is librdkafka, reading from the beginning.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource
from tests.support.clients import consumer, produce, values
from tests.support.commands import run
from tests.support.freezing import frozen
from tests.support.local import Local
from tests.support.ports import free_port
from tests.support.real_moves import (
    MB,
    RATE_LIMIT,
    STANDING,
    configure,
    copied,
    fill,
    folders,
    future_bytes,
    limit_moves,
    rests,
)
from tests.support.waiting import eventually

from spindle.client.admin import AdminClient
from spindle.client.results import Replica
from spindle.model.errors import Error

KEEP = "log.dir.move.keep.ms"
SETTINGS = {
    "log.retention.check.interval.ms": "300",
    "log.initial.task.delay.ms": "300",
    "log.segment.delete.delay.ms": "200",
    "log.dir.probe.interval.ms": "500",
    "default.replication.factor": "2",
    "offsets.topic.replication.factor": "2",
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Two brokers with four directories each."""
    folder = tmp_path_factory.mktemp("ends")
    with Local(folder, brokers=2, directories=4, settings=SETTINGS) as cluster:
        for node in cluster.brokers:
            node.settings["metrics.port"] = str(free_port())
            if node.node_id == 2:
                node.settings["num.replica.alter.log.dirs.threads"] = "2"
            cluster.write_config(node)
        cluster.start()
        yield cluster


@pytest.fixture(autouse=True)
def unlimited(cluster: Local) -> Iterator[None]:
    """No test leaves a limit of moves behind."""
    yield
    limit_moves(cluster, None)


def begin(cluster: Local, topic: str, broker: int, disk: int, size: float = 0.5) -> None:
    """Begin a move and let it copy so many megabytes; from then on it all but stands."""
    limit_moves(cluster, MB)
    set_off(cluster, topic, broker, disk, size)
    limit_moves(cluster, STANDING)


def set_off(cluster: Local, topic: str, broker: int, disk: int, size: float) -> None:
    """The same at the rate that is set."""
    assert cluster.alter({(topic, 0, broker): disk}) == {f"{topic}-0-{broker}": Error.NONE}
    cluster.until(lambda: future_bytes(cluster, broker, topic, disk) > size * MB, "it copies", 60)


def ends_at(cluster: Local, topic: str, broker: int, disk: int) -> None:
    """Let moves go on quickly; the replica is at rest in this directory alone."""
    limit_moves(cluster, None)
    cluster.until(lambda: rests(cluster, broker, topic, disk), "it is there alone", 60)


def names(cluster: Local, broker: int, topic: str, disk: int) -> list[Path]:
    """What a directory holds of a topic."""
    return sorted(cluster.nodes[broker].log_dirs[disk].glob(f"{topic}-0*"))


@pytest.fixture
def kept_for_long(cluster: Local) -> Iterator[None]:
    """What ended moves have copied is kept until a test is over."""
    configure(cluster, KEEP, "600000")
    yield
    configure(cluster, KEEP, None)


@pytest.mark.usefixtures("kept_for_long")
@pytest.mark.spec("B-11", "K113-02", "K113-08")
def test_what_a_cancelled_move_has_copied_is_kept_even_over_a_restart(cluster: Local) -> None:
    cluster.create_on("kept", 0, [1, 2])
    given = fill(cluster, "kept", 4 * MB)
    before = copied(cluster, 1)
    begin(cluster, "kept", 1, 1, 2)
    (future,) = names(cluster, 1, "kept", 1)
    assert re.fullmatch(r"kept-0\.[0-9a-f]{32}-future", future.name)
    assert cluster.alter({("kept", 0, 1): 0}) == {"kept-0-1": Error.NONE}
    cluster.until(lambda: folders(cluster, 1, "kept")[1] == ["delete"], "it is set aside", 60)
    cluster.until(lambda: cluster.place_of("kept", 0, 1).future is None, "no tool shows it")
    first = copied(cluster, 1) - before
    cluster.restart(1)
    limit_moves(cluster, None)
    assert cluster.alter({("kept", 0, 1): 1}) == {"kept-0-1": Error.NONE}
    ends_at(cluster, "kept", 1, 1)
    assert copied(cluster, 1) < 4.5 * MB - first, "what had been copied was copied again"
    cluster.until(lambda: cluster.state("kept")[0][1] == {1, 2}, "in sync", 60)
    assert values(cluster.bootstrap, "kept") == given


@pytest.mark.usefixtures("kept_for_long")
@pytest.mark.spec("B-11", "K113-09")
def test_a_redirected_move_that_comes_back_finds_its_copy_and_time_ends_it(cluster: Local) -> None:
    cluster.create_on("back", 0, [2, 1])
    given = fill(cluster, "back", 4 * MB)
    begin(cluster, "back", 2, 1, 2)
    begin(cluster, "back", 2, 2)
    cluster.until(lambda: folders(cluster, 2, "back")[1] == ["delete"], "the first is set aside")
    before = copied(cluster, 2)
    assert cluster.alter({("back", 0, 2): 1}) == {"back-0-2": Error.NONE}
    limit_moves(cluster, None)
    cluster.until(lambda: cluster.disk_of("back", 0, 2) == 1, "it is there", 60)
    assert copied(cluster, 2) - before < 2.5 * MB
    # The other copy goes when its time is over; no move uses it.
    cluster.until(lambda: folders(cluster, 2, "back")[2] == ["delete"], "it is kept", 60)
    configure(cluster, KEEP, "300")
    begin(cluster, "back", 2, 2)
    assert cluster.alter({("back", 0, 2): 1}) == {"back-0-2": Error.NONE}
    ends_at(cluster, "back", 2, 1)
    assert values(cluster.bootstrap, "back") == given


@pytest.mark.spec("B-12", "K113-12")
def test_a_full_destination_ends_a_move_and_it_can_be_repeated(cluster: Local) -> None:
    cluster.create_on("stout", 0, [1, 2])
    given = fill(cluster, "stout", 3 * MB)
    begin(cluster, "stout", 1, 1)
    cluster.break_disk(1, 1, "ENOSPC")
    cluster.until(lambda: cluster.place_of("stout", 0, 1).future is None, "the move ends", 60)
    given += fill(cluster, "stout", MB)
    assert cluster.disk_of("stout", 0, 1) == 0
    cluster.become("stout", {0: (1, {1, 2})})
    cluster.mend_disk(1, 1)
    limit_moves(cluster, None)
    told = {"stout-0-1": Error.NONE}
    cluster.until(lambda: cluster.alter({("stout", 0, 1): 1}) == told, "there is room again", 60)
    ends_at(cluster, "stout", 1, 1)
    assert values(cluster.bootstrap, "stout") == given


@pytest.mark.spec("K113-12", "K113-15", "K113-20")
def test_a_dead_destination_ends_a_move_and_a_dead_source_stops_it(cluster: Local) -> None:
    cluster.create_on("dying", 0, [1, 2])
    given = fill(cluster, "dying", 3 * MB)
    begin(cluster, "dying", 1, 1)
    cluster.break_disk(1, 1)
    cluster.until(lambda: not cluster.disks(1)[1].online, "the destination is offline", 60)
    cluster.until(lambda: cluster.place_of("dying", 0, 1).future is None, "the move has ended")
    cluster.become("dying", {0: (1, {1, 2})})
    given += fill(cluster, "dying", MB)
    cluster.mend_disk(1, 1)
    cluster.until(lambda: cluster.disks(1)[1].online, "the destination is back", 60)
    begin(cluster, "dying", 1, 2)
    cluster.break_disk(1, 0)
    cluster.until(lambda: cluster.state("dying")[0] == (2, {2}), "the other leads", 60)
    given += fill(cluster, "dying", MB)
    # The copy stays as it is (K113-17); no replica serves from it.
    assert folders(cluster, 1, "dying")[2] == ["future"]
    assert future_bytes(cluster, 1, "dying", 2) > 0.5 * MB
    cluster.mend_disk(1, 0)
    ends_at(cluster, "dying", 1, 2)
    cluster.until(lambda: cluster.state("dying")[0][1] == {1, 2}, "in sync", 60)
    assert values(cluster.bootstrap, "dying") == given


@pytest.mark.spec("K113-17", "K113-15")
def test_a_lone_future_log_beside_a_bad_directory_is_left_untouched(cluster: Local) -> None:
    cluster.create_on("hidden", 0, [1, 2])
    given = fill(cluster, "hidden", 3 * MB)
    begin(cluster, "hidden", 1, 1)
    cluster.stop_node(1, kill=True)
    size = future_bytes(cluster, 1, "hidden", 1)
    cluster.break_disk(1, 0)
    cluster.start_node(1)
    given += fill(cluster, "hidden", MB)
    cluster.become("hidden", {0: (2, {2})})
    assert folders(cluster, 1, "hidden")[1] == ["future"]
    assert future_bytes(cluster, 1, "hidden", 1) == size
    cluster.mend_disk(1, 0)
    ends_at(cluster, "hidden", 1, 1)
    cluster.until(lambda: cluster.state("hidden")[0][1] == {1, 2}, "in sync", 60)
    assert values(cluster.bootstrap, "hidden") == given


@pytest.mark.spec("K113-16", "B-03")
def test_a_future_log_is_adopted_when_the_current_one_is_lost(cluster: Local) -> None:
    cluster.create_on("orphan", 0, [2, 1], segment_bytes="200000")
    given = fill(cluster, "orphan", 3 * MB)
    begin(cluster, "orphan", 1, 1, 1.5)
    cluster.stop_node(1, kill=True)
    shutil.rmtree(cluster.nodes[1].log_dirs[0] / "orphan-0")
    (future,) = names(cluster, 1, "orphan", 1)
    first = (future / f"{0:020d}.log").stat()
    cluster.start_node(1)
    ends_at(cluster, "orphan", 1, 1)
    # The same file as before, not one fetched again.
    (adopted,) = names(cluster, 1, "orphan", 1)
    assert (adopted / f"{0:020d}.log").stat().st_ino == first.st_ino
    cluster.until(lambda: cluster.state("orphan")[0][1] == {1, 2}, "in sync", 60)
    cluster.stop_node(2)
    assert values(cluster.bootstrap, "orphan") == given
    cluster.start_node(2)


@pytest.mark.spec("K113-16", "K113-18", "B-04")
def test_a_broker_starts_between_the_two_renames(cluster: Local) -> None:
    """As a kill there leaves it: 4.3 does not start. Its only replica, so that nothing can hide."""
    cluster.create_on("between", 0, [1])
    given = fill(cluster, "between", MB)
    cluster.stop_node(1, kill=True)
    source, target = cluster.nodes[1].log_dirs[0], cluster.nodes[1].log_dirs[1]
    shutil.copytree(source / "between-0", target / f"between-0.{'ab' * 16}-future")
    (source / "between-0").rename(source / f"between-0.{'cd' * 16}-delete")
    cluster.start_node(1)
    ends_at(cluster, "between", 1, 1)
    assert values(cluster.bootstrap, "between") == given


@pytest.mark.spec("K113-13", "B-20")
def test_retention_passes_what_was_copied_and_goes_on_afterwards(cluster: Local) -> None:
    cluster.create_on("fading", 0, [1], segment_bytes="200000")
    given = fill(cluster, "fading", 3 * MB)
    begin(cluster, "fading", 1, 1, 1)
    keep_bytes(cluster, "fading", 500_000)
    cluster.until(lambda: beginning(cluster, "fading") > 2300, "retention has passed it", 60)
    given += fill(cluster, "fading", MB)
    ends_at(cluster, "fading", 1, 1)

    def at_rest() -> list[bytes] | None:
        """What there is to read; None where retention has taken some away meanwhile."""
        first = beginning(cluster, "fading")
        read = values(cluster.bootstrap, "fading")
        return read if beginning(cluster, "fading") == first else None

    found = eventually(at_rest, "it is read between two looks of retention")
    assert found == given[len(given) - len(found) :]
    start = beginning(cluster, "fading")
    given += fill(cluster, "fading", MB)
    cluster.until(lambda: beginning(cluster, "fading") > start, "retention goes on", 60)
    log = cluster.nodes[1].log_dirs[1] / "fading-0"
    cluster.until(
        lambda: sum(f.stat().st_size for f in log.glob("*.log")) < MB, "old segments are gone", 60
    )


def keep_bytes(cluster: Local, topic: str, size: int) -> None:
    """Set a topic's retention, with Apache Kafka's wire format and librdkafka's client."""
    entry = ConfigEntry("retention.bytes", str(size), incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource("topic", topic, incremental_configs=[entry])
    cluster.admin.incremental_alter_configs([resource])[resource].result(20)


def beginning(cluster: Local, topic: str) -> int:
    """A partition's first offset, as librdkafka sees it."""
    reader = consumer(cluster.bootstrap, "looker")
    low, _ = reader.get_watermark_offsets(TopicPartition(topic, 0), 20)
    reader.close()
    return int(low)


@pytest.mark.spec("K113-14")
def test_a_reassignment_takes_a_replica_away_in_mid_move(cluster: Local) -> None:
    cluster.create_on("leaving", 0, [1])
    given = fill(cluster, "leaving", 3 * MB)
    begin(cluster, "leaving", 1, 1)
    plan = cluster.folder / "leaving.json"
    wanted = {"topic": "leaving", "partition": 0, "replicas": [2]}
    plan.write_text(json.dumps({"version": 1, "partitions": [wanted]}))
    options = ("--bootstrap-server", cluster.bootstrap, "--reassignment-json-file", str(plan))
    done = run("kafka-reassign-partitions", *options, "--execute")
    assert done.code == 0, done
    cluster.until(lambda: cluster.state("leaving")[0] == (2, {2}), "the other has it", 60)
    cluster.until(lambda: not any(folders(cluster, 1, "leaving").values()), "all is gone", 60)
    assert values(cluster.bootstrap, "leaving") == given


@pytest.mark.spec("B-21", "K113-03")
def test_the_source_is_not_given_up_before_the_copy_is_on_the_medium(cluster: Local) -> None:
    cluster.create_on("durable", 0, [1])
    given = fill(cluster, "durable", MB)
    begin(cluster, "durable", 1, 1, 0.2)
    cluster.break_disk(1, 1, "hang sync")
    limit_moves(cluster, None)
    cluster.until(lambda: future_bytes(cluster, 1, "durable", 1) >= MB, "all is copied", 60)
    given += fill(cluster, "durable", MB // 10)  # Served, and acknowledged, from the source.
    assert folders(cluster, 1, "durable") == {0: ["plain"], 1: ["future"], 2: [], 3: []}
    cluster.mend_disk(1, 1)
    ends_at(cluster, "durable", 1, 1)
    assert values(cluster.bootstrap, "durable") == given


@pytest.mark.spec("K113-05")
def test_only_so_many_moves_copy_at_once_and_the_others_are_shown(cluster: Local) -> None:
    topics = {"first": 1, "second": 2, "third": 3}
    for topic in topics:
        cluster.create_on(topic, 0, [2])
        fill(cluster, topic, 2 * MB)
    configure(cluster, "log.dir.move.copies.max", "3")
    limit_moves(cluster, MB // 10)  # None ends while this looks at all of them.
    wanted = {(topic, 0, 2): disk for topic, disk in topics.items()}
    assert set(cluster.alter(wanted).values()) == {Error.NONE}

    def copying() -> list[str]:
        return [t for t, disk in topics.items() if future_bytes(cluster, 2, t, disk) > 0]

    cluster.until(lambda: len(copying()) == 2, "two copy", 60)
    (waiting,) = set(topics) - set(copying())
    where = cluster.place_of(waiting, 0, 2)
    assert where.future == cluster.log_dirs(2)[topics[waiting]]
    assert future_bytes(cluster, 2, waiting, topics[waiting]) == 0, "three at once"
    configure(cluster, "log.dir.move.copies.max", None)
    for topic, disk in topics.items():
        ends_at(cluster, topic, 2, disk)


@pytest.mark.spec("B-10", "K113-07")
def test_a_limit_of_each_disk_holds_beside_that_of_the_broker(cluster: Local) -> None:
    cluster.create_on("slowed", 0, [1])
    fill(cluster, "slowed", 3 * MB)
    limit_moves(cluster, None)
    configure(cluster, "log.dir.move.max.bytes.per.second", str(MB // 2))
    began = time.monotonic()
    set_off(cluster, "slowed", 1, 1, 1.2)
    size = future_bytes(cluster, 1, "slowed", 1)
    allowed = (time.monotonic() - began + 1) * MB // 2  # No bursts of more than a second's worth.
    assert size < allowed + 0.2 * MB
    configure(cluster, "log.dir.move.max.bytes.per.second", None)
    ends_at(cluster, "slowed", 1, 1)


@pytest.mark.spec("B-10", "B-32")
def test_a_move_gives_way_to_producers_and_never_further_than_it_is_set(cluster: Local) -> None:
    for topic in ("polite", "talk"):
        cluster.create_on(topic, 0, [1])
    fill(cluster, "polite", 8 * MB)
    limit_moves(cluster, MB // 5)  # It is not over before all is seen.
    set_off(cluster, "polite", 1, 2, 0.1)

    def share() -> float:
        figures = cluster.metrics(1)
        (found,) = (v for name, v in figures.items() if "moveshare" in name and "polite" in name)
        return found

    def share_while_writing() -> float:
        produce(cluster.bootstrap, "talk", [b"somebody writes"])
        return share()

    cluster.until(lambda: share() == 1.0, "it has the disks for itself", 60)
    cluster.until(lambda: share_while_writing() < 1.0, "it gives way", 60)
    configure(cluster, "log.dir.move.busy.share", "1")
    cluster.until(lambda: share_while_writing() == 1.0, "it obeys its settings", 60)
    configure(cluster, "log.dir.move.busy.share", None)
    ends_at(cluster, "polite", 1, 2)


@pytest.mark.spec("B-09", "K113-10")
def test_where_a_replica_is_to_be_made_outlives_a_restart_but_not_its_disk(cluster: Local) -> None:
    told = cluster.alter({("wished", 0, 2): 3, ("unlucky", 0, 2): 1})
    assert set(told.values()) == {Error.UNKNOWN_TOPIC_OR_PARTITION}
    cluster.restart(2, kill=True)
    cluster.create("wished", [[2]])
    assert cluster.disk_of("wished", 0, 2) == 3
    cluster.break_disk(2, 1)
    cluster.until(lambda: not cluster.disks(2)[1].online, "it is offline", 60)
    cluster.create("unlucky", [[2]])
    assert cluster.disk_of("unlucky", 0, 2) != 1
    cluster.mend_disk(2, 1)
    cluster.until(lambda: cluster.disks(2)[1].online, "it is back", 60)


def limit_of(cluster: Local, broker: int) -> str:
    """The limit of moves that a broker obeys."""
    resource = ConfigResource(ConfigResource.Type.BROKER, str(broker))
    found = cluster.admin.describe_configs([resource])[resource].result(20)
    return str(found[RATE_LIMIT].value)


@pytest.mark.spec("B-10")
def test_moves_share_disks_in_turn_and_other_disks_at_once(cluster: Local) -> None:
    for topic, disk in (("one", 0), ("two", 0), ("three", 2)):
        cluster.create_on(topic, disk, [1])
        fill(cluster, topic, 2 * MB)
    limit_moves(cluster, 100_000)
    cluster.until(lambda: limit_of(cluster, 1) == "100000", "the broker knows the limit")
    # It begins before the others are asked for: of those it would be any's turn.
    set_off(cluster, "one", 1, 1, 0)
    wanted = {("two", 0, 1): 3, ("three", 0, 1): 3}
    assert set(cluster.alter(wanted).values()) == {Error.NONE}
    cluster.until(
        lambda: future_bytes(cluster, 1, "three", 3) > 0, "other disks' moves run beside it", 60
    )
    begun = future_bytes(cluster, 1, "two", 3)
    assert cluster.place_of("one", 0, 1).future is not None, "the first is not over yet"
    assert begun == 0, "two copies from one disk at once"
    waits = cluster.place_of("two", 0, 1)
    assert waits.future == cluster.log_dirs(1)[3]  # It is shown as under way all the same.
    configure(cluster, "log.dir.move.copies.max", "2")
    cluster.until(lambda: future_bytes(cluster, 1, "two", 3) > 0, "two at once", 60)
    configure(cluster, "log.dir.move.copies.max", None)
    limit_moves(cluster, None)
    for topic, disk in (("one", 1), ("two", 3), ("three", 3)):
        ends_at(cluster, topic, 1, disk)


@pytest.mark.spec("K113-27", "B-07")
def test_new_replicas_go_where_there_is_room_and_are_spread_evenly(cluster: Local) -> None:
    cluster.create("spread", [[2]] * 8)
    eight = [cluster.disk_of("spread", number, 2) for number in range(8)]
    cluster.break_disk(2, eight[0], "ENOSPC")
    cluster.until(lambda: cluster.disks(2)[eight[0]].usable == 0, "it is full", 60)
    cluster.create("room", [[2]] * 6)
    six = [cluster.disk_of("room", number, 2) for number in range(6)]
    cluster.mend_disk(2, eight[0])
    cluster.until(lambda: cluster.disks(2)[eight[0]].usable != 0, "it takes replicas again", 60)
    assert eight[0] not in six
    # Load and bytes decide, not the number of logs: but no directory gets most of them.
    assert len(set(eight)) >= 3, eight
    assert max(eight.count(disk) for disk in eight) <= 4, eight
    assert len(set(six)) >= 2, six


@pytest.mark.spec("K113-11")
def test_what_cannot_be_is_refused_and_changes_nothing(cluster: Local) -> None:
    cluster.create_on("steady", 0, [1])
    produce(cluster.bootstrap, "steady", [b"x"])
    cluster.break_disk(1, 3)
    cluster.until(lambda: not cluster.disks(1)[3].online, "it is offline", 60)
    refused: dict[str | int, Error] = {
        "/no/such/directory": Error.LOG_DIR_NOT_FOUND,
        "relative/path": Error.LOG_DIR_NOT_FOUND,
        3: Error.KAFKA_STORAGE_ERROR,
    }
    for place, error in refused.items():
        assert cluster.alter({("steady", 0, 1): place}) == {"steady-0-1": error}, place
    assert rests(cluster, 1, "steady", 0)
    cluster.mend_disk(1, 3)
    cluster.until(lambda: cluster.disks(1)[3].online, "it is back", 60)


@pytest.mark.spec("B-02", "K113-13")
def test_a_follower_is_cut_while_it_moves_and_so_is_its_copy(cluster: Local) -> None:
    cluster.create_on("cut", 0, [1, 2])
    given = fill(cluster, "cut", 2 * MB)
    limit_moves(cluster, None)
    alone = f"127.0.0.1:{cluster.nodes[1].port}"
    with frozen(cluster.nodes[2], cluster.nodes[100]):
        # What only broker 1 has, its copy has, too: but no controller is there to agree to a swap.
        for only_here in ([b"answers the fetch that waits"], [b"only here" * 10] * 500):
            produce(alone, "cut", only_here, acks="1")

        async def move() -> None:
            replica = Replica("cut", 0, 1)
            async with AdminClient(alone) as admin:
                wanted = {replica: cluster.log_dirs(1)[1]}
                await admin.alter_replica_log_dirs(wanted)[replica]

        asyncio.run(move())
        whole = (cluster.nodes[1].log_dirs[0] / "cut-0" / f"{0:020}.log").stat().st_size
        cluster.until(lambda: future_bytes(cluster, 1, "cut", 1) == whole, "it is copied", 60)
        cluster.stop_node(1, kill=True)
    cluster.until(lambda: cluster.state("cut")[0][0] == 2, "broker 2 leads", 60)
    later = [b"written to broker 2"] * 300
    produce(f"127.0.0.1:{cluster.nodes[2].port}", "cut", later, acks="1")
    cluster.start_node(1)
    cluster.until(lambda: rests(cluster, 1, "cut", 1), "the move has gone on", 60)
    cluster.until(lambda: cluster.state("cut")[0][1] == {1, 2}, "in sync", 60)
    cluster.stop_node(2)
    cluster.until(lambda: cluster.state("cut")[0][0] == 1, "broker 1 leads", 60)
    found = values(cluster.bootstrap, "cut")
    assert found in (given + later, [*given, b"answers the fetch that waits", *later])
    cluster.start_node(2)
