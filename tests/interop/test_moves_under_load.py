"""Replicas move between disks while librdkafka writes and reads: moved whole, cancelled, sent
elsewhere, killed in the middle, left without their leader.

The tests share one cluster of three brokers with three log directories each. The judge of the data
is the load itself: every acknowledged record is there once, in order, under its offset.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from confluent_kafka import TopicPartition
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.clients import audit, consumer, values
from tests.support.deadlines import Deadline, within
from tests.support.directory_world import directory_id
from tests.support.local import Local
from tests.support.ports import free_port
from tests.support.processes import children_of
from tests.support.real_moves import (
    MB,
    STANDING,
    copied,
    fill,
    folders,
    future_bytes,
    limit_moves,
    rests,
)
from tests.support.waiting import eventually

from spindle.cli.demo.demo_load import DemoLoad, Drain, longest_gap
from spindle.client.results import ReplicaLogDirs
from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.wire import batch
from spindle.wire.metadata import decode_record

RATE = 300
SESSION_S = 2.0
SETTINGS = {"broker.session.timeout.ms": str(int(SESSION_S * 1000))}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Three brokers with three directories each."""
    with Local(tmp_path_factory.mktemp("moves"), directories=3, settings=SETTINGS) as cluster:
        for node in cluster.brokers:
            node.settings["metrics.port"] = str(free_port())
            cluster.write_config(node)
        cluster.start()
        yield cluster


@pytest.fixture
def slowly(cluster: Local) -> Iterator[None]:
    """Moves copy one megabyte a second."""
    limit_moves(cluster, MB)
    yield
    limit_moves(cluster, None)


def answered_directories(cluster: Local, topic: str) -> list[tuple[Any, ...]]:
    """The directories of a topic's only partition, each time that the metadata changed them."""
    (folder,) = cluster.nodes[CONTROLLER_ID].log_dirs
    data = (folder / "__cluster_metadata-0" / f"{0:020d}.log").read_bytes()
    topic_id, told = None, []
    for each in batch.split(data, partial=True):
        for record in () if each.is_control else batch.records(each):
            found = decode_record(record.value or b"")
            if isinstance(found, r.Topic) and found.name == topic:
                topic_id = found.topic_id
            elif (
                isinstance(found, r.PartitionRegistration | r.PartitionChange)
                and found.topic_id == topic_id
            ):
                told.append(found.directories)
    return [directories for directories in told if directories]


@pytest.mark.spec("K113-01", "K113-03", "K113-04", "K113-30", "K858-16", "B-05")
def test_leaders_and_followers_move_while_records_flow(cluster: Local) -> None:
    cluster.create_on("busy", 0, [1, 2, 3], min_insync_replicas="2")
    load = DemoLoad(cluster.bootstrap, "busy", [1.0], RATE)
    drain = Drain(cluster.bootstrap, "busy", "movers", {"auto.commit.interval.ms": 100})
    load.start()
    drain.start()
    eventually(lambda: len(drain.consumed) >= RATE, "records are consumed")
    begin = load.acknowledged.at[-1]
    partition = eventually(lambda: offsets_partition(cluster, "movers"), "the group commits")
    internal = {b: cluster.disk_of("__consumer_offsets", partition, b) for b in (1, 2, 3)}
    wanted: dict[tuple[str, int, int], int | str] = {("busy", 0, b): 1 for b in (1, 2, 3)}
    wanted |= {("__consumer_offsets", partition, b): (d + 1) % 3 for b, d in internal.items()}
    firsts = frozenset(directory_id(node.log_dirs[0]) for node in cluster.brokers)
    cluster.until(
        lambda: (
            {frozenset(told) for told in answered_directories(cluster, "busy")[-1:]} == {firsts}
        ),
        "its places are known",
    )
    placed = len(answered_directories(cluster, "busy"))
    assert set(cluster.alter(wanted).values()) == {Error.NONE}
    for (topic, number, broker), disk in wanted.items():
        cluster.until(
            lambda t=topic, n=number, b=broker, d=disk: cluster.disk_of(t, n, b) == d,
            f"{topic}-{number} on broker {broker} has moved",
        )
    wanted_records = load.sent + RATE
    eventually(lambda: len(drain.consumed) >= wanted_records, "records are consumed")
    load.finish()
    eventually(lambda: len(drain.consumed) >= load.sent, "all records are consumed")
    drain.finish()
    gap, at = longest_gap(load.acknowledged.at, begin, load.acknowledged.at[-1])
    within(gap, SESSION_S, f"nothing was acknowledged, {at - begin:.2f} s in")
    assert audit(load, cluster.bootstrap, "busy") == load.sent
    assert drain.consumed.offset == list(range(load.sent))
    # For each replica the metadata went from the old directory to the new one, once.
    told = answered_directories(cluster, "busy")
    for replica in range(3):
        names = [directories[replica] for directories in told[placed - 1 :]]
        changes = [name for n, name in enumerate(names) if n == 0 or name != names[n - 1]]
        assert len(changes) == 2, changes
    for broker in (1, 2, 3):
        cluster.until(lambda b=broker: rests(cluster, b, "busy", 1), "sources are deleted")
    reader = consumer(cluster.bootstrap, "movers")
    (place,) = reader.committed([TopicPartition("busy", 0)], 20)
    assert place.offset == load.sent
    reader.close()


def offsets_partition(cluster: Local, group: str) -> int | None:
    """Which partition of the offsets topic keeps a group: the one that is not empty."""
    for disk in cluster.disks(1):
        for name, log in disk.current.items():
            if name.topic == "__consumer_offsets" and log.size > 0:
                return name.partition
    return None


@pytest.mark.spec("B-32")
def test_beside_clients_a_process_of_its_own_copies(cluster: Local) -> None:
    """And where it is killed, the next move has another."""
    cluster.create_on("served", 0, [1, 2])
    cluster.create_on("large", 0, [1], segment_bytes=str(8 * MB))
    given = fill(cluster, "large", 20 * MB)
    load = DemoLoad(cluster.bootstrap, "served", [1.0], RATE)
    load.start()
    pids = []
    for disk in (1, 0):
        acknowledged = len(load.acknowledged.at)
        eventually(lambda n=acknowledged: len(load.acknowledged.at) > n, "clients are served")
        assert cluster.alter({("large", 0, 1): disk}) == {"large-0-1": Error.NONE}
        cluster.until(lambda d=disk: rests(cluster, 1, "large", d), "it has moved")
        (process,) = copying(cluster, 1)
        pids.append(process.pid)
        process.kill()
        eventually(lambda: not copying(cluster, 1), "it has ended")
    assert pids[0] != pids[1]
    load.finish()
    assert audit(load, cluster.bootstrap, "served") == load.sent
    assert values(cluster.bootstrap, "large") == given


def copying(cluster: Local, broker: int) -> list[psutil.Process]:
    """The processes in which a broker copies."""
    node = cluster.nodes[broker].process
    assert node is not None
    return children_of(node.pid)


@pytest.mark.spec("K113-07", "K113-08", "K113-20")
def test_a_move_is_shown_and_cancelled(cluster: Local, slowly: None) -> None:
    cluster.create_on("cancelled", 0, [1, 2])
    given = fill(cluster, "cancelled", 6 * MB)
    began = time.monotonic()  # Before the order: its answer may come when much is copied.
    assert cluster.alter({("cancelled", 0, 1): 1}) == {"cancelled-0-1": Error.NONE}

    def copies() -> ReplicaLogDirs | None:
        now = cluster.place_of("cancelled", 0, 1)
        return now if now.future_size > MB else None

    place = eventually(copies, "it copies")
    allowed = (time.monotonic() - began + 1) * MB
    assert (place.current, place.future) == tuple(cluster.log_dirs(1)[:2])
    assert 0 < place.future_lag < 6000
    assert place.future_size < allowed + 0.2 * MB, "the limit was not obeyed"
    assert cluster.alter({("cancelled", 0, 1): 0}) == {"cancelled-0-1": Error.NONE}
    cluster.until(lambda: rests(cluster, 1, "cancelled", 0), "nothing is left of the move")
    cluster.until(lambda: cluster.place_of("cancelled", 0, 1).future is None, "none is shown")
    assert values(cluster.bootstrap, "cancelled") == given


@pytest.mark.spec("K113-09")
def test_a_move_is_redirected(cluster: Local, slowly: None) -> None:
    cluster.create_on("redirected", 0, [2, 3])
    given = fill(cluster, "redirected", 4 * MB)
    assert cluster.alter({("redirected", 0, 2): 1}) == {"redirected-0-2": Error.NONE}
    cluster.until(lambda: future_bytes(cluster, 2, "redirected", 1) > 0, "it copies")
    limit_moves(cluster, STANDING)
    assert cluster.alter({("redirected", 0, 2): 2}) == {"redirected-0-2": Error.NONE}
    cluster.until(lambda: future_bytes(cluster, 2, "redirected", 2) > 0, "it copies elsewhere")
    assert cluster.place_of("redirected", 0, 2).future == cluster.log_dirs(2)[2]
    limit_moves(cluster, None)
    cluster.until(lambda: rests(cluster, 2, "redirected", 2), "it is where it was sent last")
    assert values(cluster.bootstrap, "redirected") == given


@pytest.mark.spec("K113-15", "K113-19", "B-02")
def test_a_killed_broker_goes_on_with_what_it_had_copied(cluster: Local, slowly: None) -> None:
    cluster.create_on("resumed", 0, [1, 2])
    given = fill(cluster, "resumed", 4 * MB)
    assert cluster.alter({("resumed", 0, 1): 1}) == {"resumed-0-1": Error.NONE}
    cluster.until(lambda: future_bytes(cluster, 1, "resumed", 1) > 2 * MB, "half is copied")
    cluster.stop_node(1, kill=True)
    had = future_bytes(cluster, 1, "resumed", 1)
    given += fill(cluster, "resumed", MB)
    cluster.start_node(1)
    cluster.until(lambda: rests(cluster, 1, "resumed", 1), "the move is done")
    cluster.until(lambda: cluster.state("resumed")[0][1] == {1, 2}, "in sync")
    assert copied(cluster, 1) < 5.5 * MB - had
    cluster.stop_node(2)
    cluster.until(lambda: cluster.state("resumed")[0][0] == 1, "broker 1 leads")
    assert values(cluster.bootstrap, "resumed") == given
    cluster.start_node(2)


@pytest.mark.spec("K113-16", "K113-18", "K113-19", "B-02")
def test_a_broker_killed_in_any_phase_of_moves_loses_nothing(cluster: Local) -> None:
    cluster.create_on("hunted", 0, [1, 2])
    load = DemoLoad(cluster.bootstrap, "hunted", [1.0], 3 * RATE)
    load.start()
    eventually(lambda: len(load.acknowledged) > RATE, "the load runs")
    disk = 0

    def is_made(phase: str, target: int) -> bool:
        """Whether a new future log says whose it is: no start can go on with one that does not."""
        made = cluster.nodes[1].log_dirs[target].glob("hunted-0.*-future/*.log")
        try:
            return phase != "future" or any(made)
        except FileNotFoundError:
            return False  # It is just being named another way.

    for phase in ("future", "delete", "plain"):
        deadline, seen = Deadline(60), False
        target = disk
        while not seen:  # It may pass while this process waits for a processor: once more, then.
            source, target = target, (target + 1) % 3
            cluster.until(lambda s=source: rests(cluster, 1, "hunted", s), "it can move")
            assert cluster.alter({("hunted", 0, 1): target}) == {"hunted-0-1": Error.NONE}
            watched = source if phase == "delete" else target
            while not seen and not rests(cluster, 1, "hunted", target):
                seen = phase in folders(cluster, 1, "hunted")[watched] and is_made(phase, target)
                deadline.hold(f"{phase}: {folders(cluster, 1, 'hunted')}")
            seen = seen or phase == "plain"
        cluster.stop_node(1, kill=True)
        cluster.start_node(1)
        cluster.until(lambda t=target: rests(cluster, 1, "hunted", t), "it has moved")
        cluster.until(lambda: cluster.state("hunted")[0][1] == {1, 2}, "in sync")
        disk = target
    load.finish()
    cluster.until(lambda: same_log(cluster, "hunted", (1, 2)), "both have all")
    cluster.stop_node(2)
    cluster.until(lambda: cluster.state("hunted")[0][0] == 1, "broker 1 leads")
    audit(load, cluster.bootstrap, "hunted")
    cluster.start_node(2)


def same_log(cluster: Local, topic: str, brokers: tuple[int, ...]) -> bool:
    """Whether these brokers have the same bytes of a topic's only partition."""
    found: list[Path] = []
    for broker in brokers:
        for directory in cluster.nodes[broker].log_dirs:
            found += (directory / f"{topic}-0").glob("*.log")
    return len(found) == len(brokers) and len({log.read_bytes() for log in found}) == 1


@pytest.mark.spec("K113-14")
def test_a_move_outlives_its_leader_and_not_its_topic(cluster: Local, slowly: None) -> None:
    cluster.create_on("led", 0, [1, 2, 3], min_insync_replicas="1")
    cluster.create_on("mortal", 0, [2, 1])
    given = fill(cluster, "led", 3 * MB)
    fill(cluster, "mortal", 3 * MB)
    asked = {("led", 0, 2): 1, ("mortal", 0, 2): 1}
    assert set(cluster.alter(asked).values()) == {Error.NONE}
    cluster.until(lambda: future_bytes(cluster, 2, "led", 1) > 0, "it copies")
    cluster.until(lambda: future_bytes(cluster, 2, "mortal", 1) > 0, "it copies")
    cluster.stop_node(1)
    cluster.until(lambda: cluster.state("led")[0][0] == 2, "broker 2 leads")
    given += fill(cluster, "led", MB)
    cluster.admin.delete_topics(["mortal"])["mortal"].result(20)
    limit_moves(cluster, None)
    cluster.until(lambda: rests(cluster, 2, "led", 1), "the move is done")
    cluster.until(lambda: not any(folders(cluster, 2, "mortal").values()), "all of it is gone")
    cluster.start_node(1)
    cluster.until(lambda: cluster.state("led")[0][1] == {1, 2, 3}, "in sync")
    assert values(cluster.bootstrap, "led") == given
