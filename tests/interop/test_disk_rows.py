"""What lies on disks and should not trouble a running broker, or costs it one replica at most.

The tests share one cluster of three brokers with three log directories each, and leave it whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.clients import produce, values
from tests.support.commands import call
from tests.support.local import Local
from tests.support.ports import free_port

from spindle.model.errors import Error

SETTINGS = {
    "log.dir.probe.interval.ms": "300",
    "offsets.topic.num.partitions": "1",
    "log.index.interval.bytes": "1000",
    "log.segment.bytes": "100000",
}
MANAGER = "kafka_log_logmanager_"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Three brokers with three directories each, and their metrics."""
    folder = tmp_path_factory.mktemp("rows")
    with Local(folder, directories=3, settings=SETTINGS) as cluster:
        for node in cluster.brokers:
            node.settings["metrics.port"] = str(free_port())
            cluster.write_config(node)
        cluster.start()
        yield cluster


def at(cluster: Local, broker: int, disk: int) -> Path:
    """A broker's directory."""
    return Path(cluster.log_dirs(broker)[disk])


def offset_at_time(cluster: Local, topic: str) -> int:
    """Where consumers begin that ask by time: a look into the time index."""
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": "by-time"})
    try:
        (found,) = consumer.offsets_for_times([TopicPartition(topic, 0, 1)], timeout=30)
        return int(found.offset)
    finally:
        consumer.close()


@pytest.mark.spec("B-14")
def test_no_file_is_mapped_and_cut_indexes_kill_no_process(cluster: Local) -> None:
    topic = "indexed"
    cluster.create_on(topic, 1, [1])
    sent = [b"%06d" % n * 150 for n in range(600)]
    for first in range(0, len(sent), 50):  # A batch each, so that there are several segments.
        produce(cluster.bootstrap, topic, sent[first : first + 50])
    assert values(cluster.bootstrap, topic) == sent
    assert offset_at_time(cluster, topic) == 0
    process = cluster.nodes[1].process
    assert process is not None
    maps = Path(f"/proc/{process.pid}/maps").read_text()
    assert str(cluster.nodes[1].folder) not in maps
    # Cut to nothing, to half an entry, and filled with rubbish, while they are in use.
    logs = at(cluster, 1, 1) / f"{topic}-0"
    indexes = sorted(logs.glob("*index"))
    assert len(indexes) > 6
    for number, path in enumerate(indexes):
        with open(path, "r+b") as file:
            file.truncate((0, 5, 0)[number % 3])
            if number % 3 == 2:
                file.write(b"\xff" * 60)
    assert values(cluster.bootstrap, topic) == sent
    offset_at_time(cluster, topic)
    produce(cluster.bootstrap, topic, [b"after"])
    assert values(cluster.bootstrap, topic) == [*sent, b"after"]
    assert process.poll() is None
    cluster.restart(1)
    assert values(cluster.bootstrap, topic) == [*sent, b"after"]
    assert offset_at_time(cluster, topic) == 0


@pytest.mark.spec("B-15")
def test_foreign_names_and_damaged_small_files_cost_a_warning_each(cluster: Local) -> None:
    for name in ("small", "other"):
        cluster.create_on(name, 0, [2, 3])
        produce(cluster.bootstrap, name, [b"1"])
    cluster.stop_node(2)
    folder = at(cluster, 2, 0)
    (folder / "lost+found").mkdir()
    (folder / "holidays").mkdir()
    (folder / "notes.txt").write_text("not ours")
    (folder / "recovery-point-offset-checkpoint").write_bytes(b"\x00\x01 rubbish")
    (folder / "log-start-offset-checkpoint").write_text("0\n7\nmissing lines\n")
    (folder / "small-0" / "leader-epoch-checkpoint").write_bytes(b"\xffnonsense")
    (folder / "small-0" / "partition.metadata").write_text("version: 9\n")
    cluster.start_node(2)
    for name in ("small", "other"):
        cluster.until(lambda n=name: cluster.state(n)[0][1] == {2, 3}, f"{name} is whole", 60)
        produce(cluster.bootstrap, name, [b"2"])
        assert values(cluster.bootstrap, name) == [b"1", b"2"]
    assert [d.error for d in cluster.disks(2)] == [Error.NONE] * 3
    assert (folder / "notes.txt").read_text() == "not ours"
    assert (folder / "holidays").is_dir()
    log = cluster.nodes[2].log.read_text(errors="replace")
    for words in ("foreign name left alone", "recovery-point-offset-checkpoint"):
        assert words in log, words


@pytest.mark.spec("B-17")
def test_strays_are_reported_with_their_bytes_and_expire(cluster: Local) -> None:
    cluster.create_on("forgotten", 2, [3, 1])
    produce(cluster.bootstrap, "forgotten", [b"x" * 1000] * 50)
    cluster.stop_node(3)
    path = str(at(cluster, 3, 2))
    # No request tells a broker of the deletion of a topic whose log is found only afterwards.
    cluster.admin.delete_topics(["forgotten"])["forgotten"].result(30)
    cluster.start_node(3)
    label = f'{{logDirectory="{path}"}}'

    def figure(name: str) -> float:
        return cluster.metrics(3)[f"{MANAGER}{name}{label}"]

    cluster.until(lambda: figure("straybytes") > 50_000, "the stray log is weighed", 60)
    cluster.until(lambda: figure("straylogs") == 1, "it is counted")
    shown = call("disks", "-b", cluster.bootstrap, "--broker-list", "3")
    assert re.search(rf"broker 3 {path}: \d+\.\d KiB of stray logs", shown.stdout), shown
    cluster.stop_node(3)
    node = cluster.nodes[3]
    node.settings["log.dir.stray.retention.ms"] = "1000"
    cluster.write_config(node)
    cluster.start_node(3)
    cluster.until(lambda: not list(Path(path).glob("*-stray")), "it has expired", 60)
    cluster.until(lambda: figure("straylogs") == 0, "it is not counted any more")


@pytest.mark.spec("B-27")
def test_replicas_of_a_dead_disk_are_made_again_in_place(cluster: Local) -> None:
    topic = "healed"
    cluster.create_on(topic, 1, [1, 2, 3], min_insync_replicas="2")
    sent = [b"%d" % n for n in range(100)]
    produce(cluster.bootstrap, topic, sent)
    cluster.stop_node(2)
    cluster.nodes[2].settings["log.dir.rebuild.delay.ms"] = "1000"
    cluster.write_config(cluster.nodes[2])
    cluster.start_node(2)
    cluster.until(lambda: cluster.state(topic)[0][1] == {1, 2, 3}, "all are in sync", 60)
    cluster.break_disk(2, 1)
    cluster.until(lambda: cluster.disks(2)[1].error != Error.NONE, "the disk is offline", 60)
    # Elsewhere: what the ISR was before the controller heard of the disk proves nothing.
    cluster.until(lambda: cluster.disk_of(topic, 0, 2) != 1, "it healed by itself", 60)
    cluster.until(lambda: cluster.state(topic)[0][1] == {1, 2, 3}, "all are in sync again", 60)
    offline = "kafka_server_replicamanager_offlinereplicacount"
    cluster.until(lambda: cluster.metrics(2)[offline] == 0, "none is offline")
    assert values(cluster.bootstrap, topic) == sent
    cluster.mend_disk(2, 1)
    cluster.until(lambda: cluster.disks(2)[1].error == Error.NONE, "the disk is back", 60)
    # The old copy is set aside: one replica, one log.
    assert cluster.disk_of(topic, 0, 2) != 1


@pytest.mark.spec("K858-08", "K858-17")
def test_what_the_controller_has_still_to_hear_is_counted(cluster: Local) -> None:
    cluster.create_on("untold", 0, [1])
    queued = "kafka_server_assignmentsmanager_queuedreplicatodirassignments"
    cluster.until(lambda: cluster.metrics(1)[queued] == 0, "nothing waits", 60)
    cluster.stop_node(CONTROLLER_ID)
    assert set(cluster.alter({("untold", 0, 1): 2}).values()) == {Error.NONE}
    cluster.until(lambda: cluster.metrics(1)[queued] == 1, "the report waits", 60)
    cluster.start_node(CONTROLLER_ID)
    cluster.until(lambda: cluster.metrics(1)[queued] == 0, "it was reported", 60)
    cluster.until(lambda: cluster.disk_of("untold", 0, 1) == 2, "the move ends", 60)


@pytest.mark.spec("K858-03", "K858-18")
def test_directories_are_known_by_their_ids_wherever_they_are_mounted(cluster: Local) -> None:
    for disk in range(3):
        cluster.create_on(f"mounted-{disk}", disk, [3])
        produce(cluster.bootstrap, f"mounted-{disk}", [b"%d" % disk])
    cluster.stop_node(3)
    first, second, third = (at(cluster, 3, disk) for disk in range(3))
    first.rename(first.with_name("held"))
    second.rename(first)
    first.with_name("held").rename(second)
    text = (third / "meta.properties").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("directory.id")]
    assert len(lines) == len(text.splitlines()) - 1
    (third / "meta.properties").write_text("\n".join(lines) + "\n")
    cluster.start_node(3)
    for disk, now in enumerate((1, 0, 2)):
        topic = f"mounted-{disk}"
        cluster.until(lambda t=topic: cluster.state(t)[0][0] == 3, f"{topic} is led", 60)
        assert cluster.disk_of(topic, 0, 3) == now
        assert values(cluster.bootstrap, topic) == [b"%d" % disk]
    assert "directory.id=" in (third / "meta.properties").read_text()
    assert [d.error for d in cluster.disks(3)] == [Error.NONE] * 3


@pytest.mark.spec("B-23")
def test_a_metadata_directory_among_the_others_is_warned_of(cluster: Local) -> None:
    node = cluster.nodes[1]
    warning = "metadata.log.dir is the log directory"
    assert warning not in node.log.read_text(errors="replace")
    cluster.stop_node(1)
    apart = node.settings.pop("metadata.log.dir")
    cluster.write_config(node)
    cluster.start_node(1)
    assert warning in node.log.read_text(errors="replace")
    cluster.stop_node(1)
    node.settings["metadata.log.dir"] = apart
    cluster.write_config(node)
    cluster.start_node(1)
