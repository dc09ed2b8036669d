"""Disks that fail in a running cluster: what stands still, for how long, and how it comes back.

The tests share one cluster of three brokers with three log directories each (and a directory for
metadata), and leave it whole. Disks fail by the fault drill: every access to them ends with EIO.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.clients import audit, produce, values
from tests.support.deadlines import within
from tests.support.local import Local
from tests.support.ports import free_port
from tests.support.waiting import eventually

from spindle.cli.demo.demo_load import DemoLoad, longest_gap
from spindle.model.errors import Error

RATE = 100
HALTED = 3
SESSION_S = 3.0
SETTINGS = {
    "broker.session.timeout.ms": str(int(SESSION_S * 1000)),
    "log.dir.failure.timeout.ms": "4000",
    "offsets.topic.num.partitions": "1",
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Three brokers with three directories each, and their metrics."""
    folder = tmp_path_factory.mktemp("disks")
    with Local(folder, directories=3, settings=SETTINGS) as cluster:
        for node in cluster.brokers:
            node.settings["metrics.port"] = str(free_port())
            cluster.write_config(node)
        cluster.start()
        yield cluster


@pytest.fixture(autouse=True)
def whole(cluster: Local) -> Iterator[None]:
    """What a failed test has left behind must not fail the others."""
    yield
    for node in cluster.brokers:
        for marker in node.folder.glob("*.broken"):
            marker.unlink()
    for node in cluster.nodes.values():
        if node.process is None or node.process.poll() is not None:
            node.process = None
            cluster.start_node(node.node_id, wait=False)
    cluster.wait_until_serving()


def begin_load(cluster: Local, topic: str) -> DemoLoad:
    """Records for a topic's only partition, until `finish`."""
    load = DemoLoad(cluster.bootstrap, topic, [1.0], RATE)
    load.start()
    go_on(load, RATE)
    return load


def go_on(load: DemoLoad, more: int = RATE) -> None:
    """Wait until so many more records are acknowledged."""
    wanted = len(load.acknowledged) + more
    eventually(lambda: len(load.acknowledged) >= wanted, f"{wanted} acknowledged", 60)


def offline_disks(cluster: Local, broker: int) -> list[int]:
    """Numbers of the directories that a broker describes as offline."""
    errors = [disk.error for disk in cluster.disks(broker)]
    assert set(errors) <= {Error.NONE, Error.KAFKA_STORAGE_ERROR}
    return [n for n, error in enumerate(errors) if error != Error.NONE]


def replicas_on(cluster: Local, broker: int, disk: int) -> int:
    """How many replicas a directory holds, whether its broker can use it or not."""
    return len(list(cluster.nodes[broker].log_dirs[disk].glob("*-0")))


def figures(cluster: Local, broker: int) -> tuple[float, float, list[float]]:
    """Offline directories, offline replicas, and each directory's state, from the metrics."""
    told = cluster.metrics(broker)
    states = [
        told[f'kafka_log_logmanager_logdirectoryoffline{{logDirectory="{path}"}}']
        for path in cluster.log_dirs(broker)
    ]
    return (
        told["kafka_log_logmanager_offlinelogdirectorycount"],
        told["kafka_server_replicamanager_offlinereplicacount"],
        states,
    )


def until_figures(cluster: Local, broker: int, wanted: tuple[float, float, list[float]]) -> None:
    """Wait until a broker's metrics say this."""
    cluster.until(lambda: figures(cluster, broker) == wanted, f"the metrics say {wanted}")


@pytest.mark.spec("B-01", "K858-05", "K858-08", "K858-10", "B-13")
@pytest.mark.parametrize(("role", "victim"), [("leader", 1), ("follower", 2)])
def test_a_dead_disk_holds_no_other_partition_up(cluster: Local, role: str, victim: int) -> None:
    topic, calm = f"gap-{role}", f"calm-{role}"
    cluster.create_on(topic, 1, [1, 2, 3], min_insync_replicas="2")
    cluster.create_on(calm, 2, [victim, 3])
    load = begin_load(cluster, topic)
    begin = load.acknowledged.at[-1]
    cluster.break_disk(victim, 1)
    go_on(load, 2 * RATE)
    gap, at = longest_gap(load.acknowledged.at, begin, load.acknowledged.at[-1])
    load.finish()
    # What it takes is measured by the benchmarks; here, that no session had to end for it.
    within(gap, SESSION_S, f"nothing was acknowledged, {at - begin:.2f} s in")
    others = {1, 2, 3} - {victim}

    def given_over() -> bool:
        ((leader, isr),) = cluster.state(topic).values()
        return leader in others and isr == others

    cluster.until(given_over, f"{others} have it")
    # The broker's other disks go on, with what is led from them.
    cluster.become(calm, {0: (victim, {victim, 3})})
    produce(cluster.bootstrap, calm, [b"still here"])
    assert offline_disks(cluster, victim) == [1]
    until_figures(cluster, victim, (1, replicas_on(cluster, victim, 1), [0, 1, 0]))
    assert audit(load, cluster.bootstrap, topic) > 2 * RATE
    # The disk answers again: its replicas return without a restart.
    cluster.mend_disk(victim, 1)
    # Another broker may still tell of the ISR of before: the victim itself is asked first.
    cluster.until(lambda: offline_disks(cluster, victim) == [], "the disk is back")
    cluster.until(lambda: cluster.state(topic)[0][1] == {1, 2, 3}, "the replica is back")
    until_figures(cluster, victim, (0, 0, [0, 0, 0]))


@pytest.mark.spec("B-06", "K113-12")
def test_a_dead_disk_does_not_forbid_moves_between_the_others(cluster: Local) -> None:
    cluster.create_on("movable", 1, [3, 1])
    cluster.create_on("doomed", 0, [3, 1])
    produce(cluster.bootstrap, "movable", [b"x" * 1000] * 2000)
    produce(cluster.bootstrap, "doomed", [b"x" * 1000] * 2000)
    cluster.break_disk(3, 0)
    cluster.until(lambda: offline_disks(cluster, 3) == [0], "the disk is offline")
    asked = {("movable", 0, 3): 2, ("doomed", 0, 3): 2}
    told = {"movable-0-3": Error.NONE, "doomed-0-3": Error.KAFKA_STORAGE_ERROR}
    assert cluster.alter(asked) == told
    assert cluster.alter({("movable", 0, 3): 0}) == {"movable-0-3": Error.KAFKA_STORAGE_ERROR}
    cluster.until(lambda: cluster.disk_of("movable", 0, 3) == 2, "the replica has moved")
    assert len(values(cluster.bootstrap, "movable")) == 2000
    cluster.mend_disk(3, 0)
    cluster.become("doomed", {0: (1, {1, 3})})


@pytest.mark.spec("B-16", "B-18")
@pytest.mark.parametrize("how", ["dead", "unmounted", "empty"])
def test_a_broker_starts_without_one_of_its_disks(cluster: Local, how: str) -> None:
    lost, kept = f"lost-{how}", f"kept-{how}"
    cluster.create_on(lost, 1, [2, 3])
    cluster.create_on(kept, 2, [2, 3])
    produce(cluster.bootstrap, lost, [b"1"])
    cluster.stop_node(2)
    disk = cluster.nodes[2].log_dirs[1]
    aside = disk.with_name("aside")
    if how == "dead":
        cluster.break_disk(2, 1)
    else:
        disk.rename(aside)
    if how == "empty":
        disk.mkdir()
    cluster.start_node(2)
    cluster.become(kept, {0: (3, {2, 3})})
    cluster.become(lost, {0: (3, {3})})
    produce(cluster.bootstrap, lost, [b"2"])
    assert offline_disks(cluster, 2) == [1]
    gone = len(list((disk if how == "dead" else aside).glob("*-0")))
    until_figures(cluster, 2, (1, gone, [0, 1, 0]))
    cluster.stop_node(2)
    if how == "dead":
        cluster.mend_disk(2, 1)
    else:
        if how == "empty":
            assert list(disk.iterdir()) == []
            shutil.rmtree(disk)
        aside.rename(disk)
    cluster.start_node(2)
    cluster.become(lost, {0: (3, {2, 3})})
    assert offline_disks(cluster, 2) == []
    until_figures(cluster, 2, (0, 0, [0, 0, 0]))
    assert values(cluster.bootstrap, lost) == [b"1", b"2"]


@pytest.mark.spec("K858-11")
@pytest.mark.parametrize("what", ["all log directories", "the metadata directory"])
def test_a_broker_that_has_lost(cluster: Local, what: str) -> None:
    victim = 3
    topic = what.replace(" ", "-")
    cluster.create(topic, [[victim, 1, 2]], min_insync_replicas="2")
    load = begin_load(cluster, topic)
    metadata = cluster.nodes[victim].folder / "metadata.broken"
    if what == "the metadata directory":
        metadata.write_text("EIO")
    else:
        for disk in range(3):
            cluster.break_disk(victim, disk)
    assert cluster.exit_code(victim) == HALTED
    reason = "last log directory" if what == "all log directories" else "metadata directory"
    assert f"the {reason} has failed" in cluster.tail(victim, 20_000)
    cluster.until(lambda: cluster.state(topic)[0][1] == {1, 2}, "the others go on")
    go_on(load)
    load.finish()
    audit(load, cluster.bootstrap, topic)
    if what == "the metadata directory":
        metadata.unlink()
    else:
        for disk in range(3):
            cluster.mend_disk(victim, disk)
    cluster.start_node(victim)
    cluster.until(lambda: cluster.state(topic)[0][1] == {1, 2, 3}, "the broker is back")


@pytest.mark.spec("K858-09", "B-22")
def test_a_leader_that_cannot_tell_of_its_dead_disk_stops(cluster: Local) -> None:
    cluster.create_on("untold", 1, [2, 3])
    cluster.stop_node(CONTROLLER_ID)
    cluster.break_disk(2, 1)
    assert cluster.exit_code(2) == HALTED
    assert "the controller could not be informed within 4000 ms" in cluster.tail(2, 20_000)
    with pytest.raises(ConnectionError):
        cluster.metrics(2)
    cluster.start_node(CONTROLLER_ID, wait=False)
    cluster.until(lambda: cluster.state("untold") == {0: (3, {3})}, "the other leads")
    cluster.mend_disk(2, 1)
    cluster.start_node(2)
    cluster.become("untold", {0: (3, {2, 3})})
