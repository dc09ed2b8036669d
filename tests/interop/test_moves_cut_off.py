"""Ends of moves in a moment that is hard to meet, after the controller has agreed, say; and what is
refused, or not remembered any more. One cluster of two brokers with three directories each.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.clients import produce, values
from tests.support.committed import assigned, image
from tests.support.directory_world import directory_id
from tests.support.local import Local
from tests.support.quorum import ask
from tests.support.real_moves import MB, fill, folders, rests
from tests.support.relay import Relay
from tools.messages.entities import make, request_types
from tools.messages.frames import encode_request

from spindle.model.errors import Error
from spindle.model.ids import LOST, UNASSIGNED, DirectoryId
from spindle.wire.apis import Key

REMEMBERED = "spindle-wishes.json"
PARTITIONS = 5
"""Of a topic whose replicas must not be gathered in one of three directories."""
SETTINGS = {
    "log.segment.delete.delay.ms": "200",
    "log.dir.probe.interval.ms": "300",
    # Longer than a loaded machine needs for the steps between a disk that hangs and its death.
    "log.dir.io.timeout.ms": "10000",
    "default.replication.factor": "2",
    "offsets.topic.replication.factor": "2",
}


@dataclass(frozen=True)
class World:
    """A cluster, and what stands between its broker 1 and the controller."""

    cluster: Local
    relay: Relay

    def assigned(self, topic: str) -> int | str:
        """The directory of broker 1 that the metadata names, by number."""
        known: dict[DirectoryId, int | str] = {
            directory_id(path): number for number, path in enumerate(self.cluster.nodes[1].log_dirs)
        }
        named = assigned(self.cluster, 1, topic)[topic]
        return {LOST: "lost", UNASSIGNED: "unassigned", **known}[named]

    def create(self, topic: str, replicas: list[int]) -> None:
        """Make a topic whose replicas are in directories 0, and the controller has heard so.

        What broker 1 reports from then on is news of a move.
        """
        self.cluster.create_on(topic, 0, replicas)
        self.cluster.until(lambda: self.assigned(topic) == 0, f"the controller places {topic}")

    def reported(self, topic: str) -> list[DirectoryId]:
        """Where broker 1 has said that its replica of a topic is, request by request."""
        own = image(self.cluster).topic_ids[topic]
        return [
            directory.id_
            for seen in self.relay.seen(Key.ASSIGN_REPLICAS_TO_DIRS)
            for directory in seen.body.directories
            for told in directory.topics
            if told.topic_id == own
        ]

    @contextmanager
    def agreed(self, topic: str) -> Iterator[None]:
        """The replica's move to directory 1 is agreed, and its broker does not know it yet."""
        target = directory_id(self.cluster.nodes[1].log_dirs[1])
        self.relay.hold(Key.ASSIGN_REPLICAS_TO_DIRS)
        try:
            assert self.cluster.alter({(topic, 0, 1): 1}) == {f"{topic}-0-1": Error.NONE}
            self.cluster.until(
                lambda: target in self.reported(topic), "its broker has copied all, and says so"
            )
            self.relay.hold(Key.FETCH)
            self.cluster.until(lambda: self.relay.holds(Key.FETCH), "its broker is deaf")
            yield
        finally:
            self.relay.release()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Two brokers with three directories each."""
    folder = tmp_path_factory.mktemp("cut-off")
    cluster = Local(folder, brokers=2, directories=3, settings=SETTINGS)
    with cluster, Relay(cluster.nodes[CONTROLLER_ID].controller_port or 0) as relay:
        own = cluster.nodes[1]
        own.settings["controller.quorum.voters"] = f"{CONTROLLER_ID}@127.0.0.1:{relay.port}"
        cluster.write_config(own)
        cluster.start()
        yield World(cluster, relay)


@pytest.fixture
def cluster(world: World) -> Local:
    """The same, where nothing is held up."""
    return world.cluster


@pytest.mark.spec("K858-16")
def test_a_destination_that_dies_after_the_controller_agreed_is_taken_back(world: World) -> None:
    cluster = world.cluster
    world.create("target", [1])
    given = fill(cluster, "target", MB)
    with world.agreed("target"):
        world.relay.release(Key.ASSIGN_REPLICAS_TO_DIRS)
        cluster.until(lambda: world.assigned("target") == 1, "it is agreed")
        cluster.break_disk(1, 1)
        cluster.until(lambda: not cluster.disks(1)[1].online, "the destination is dead")
    cluster.until(lambda: world.assigned("target") == 0, "it is taken back")
    cluster.until(lambda: cluster.state("target")[0] == (1, {1}), "it is led")
    assert cluster.place_of("target", 0, 1).current == cluster.log_dirs(1)[0]
    assert values(cluster.bootstrap, "target") == given
    cluster.mend_disk(1, 1)
    cluster.until(lambda: cluster.disks(1)[1].online, "the destination is back")


@pytest.mark.spec("K858-16")
def test_of_a_destination_that_dies_before_that_nothing_is_said_any_more(world: World) -> None:
    cluster = world.cluster
    world.create("queued", [1])
    world.create("later", [1])
    given = fill(cluster, "queued", MB)
    world.relay.cut(Key.ASSIGN_REPLICAS_TO_DIRS)
    assert cluster.alter({("queued", 0, 1): 1}) == {"queued-0-1": Error.NONE}
    dead = directory_id(cluster.nodes[1].log_dirs[1])
    cluster.until(lambda: dead in world.reported("queued"), "it is said, and not heard")
    cluster.break_disk(1, 1)
    cluster.until(lambda: not cluster.disks(1)[1].online, "the destination is dead")
    said = len(world.reported("queued"))
    world.relay.release()
    assert cluster.alter({("later", 0, 1): 2}) == {"later-0-1": Error.NONE}
    cluster.until(lambda: world.assigned("later") == 2, "another move is agreed")
    assert dead not in world.reported("queued")[said:]
    assert world.assigned("queued") == 0
    assert cluster.state("queued")[0] == (1, {1})
    assert values(cluster.bootstrap, "queued") == given
    cluster.mend_disk(1, 1)
    cluster.until(lambda: cluster.disks(1)[1].online, "the destination is back")


@pytest.mark.spec("K858-16")
def test_a_source_that_dies_after_the_controller_agreed_leaves_the_replica_lost(
    world: World,
) -> None:
    """What came last is not in the copy when the source dies: no replica may serve from it."""
    cluster = world.cluster
    world.create("source", [2, 1])
    given = fill(cluster, "source", MB // 4)
    later = [b"not in the copy"] * 10
    with world.agreed("source"):
        cluster.break_disk(1, 0, "hang read")
        produce(cluster.bootstrap, "source", later)
        world.relay.release(Key.ASSIGN_REPLICAS_TO_DIRS)
        cluster.until(lambda: world.assigned("source") == 1, "it is agreed")
        cluster.break_disk(1, 0)
        cluster.until(lambda: not cluster.disks(1)[0].online, "the source is dead")
    cluster.until(lambda: world.assigned("source") == "lost", "it is lost")
    cluster.until(lambda: cluster.state("source")[0] == (2, {2}), "the other goes on alone")
    assert folders(cluster, 1, "source")[1] == ["future"]
    cluster.mend_disk(1, 0)
    cluster.until(lambda: cluster.state("source")[0][1] == {1, 2}, "in sync", 60)
    assert values(cluster.bootstrap, "source") == given + later


def move(cluster: Local, topic: str, *disks: int) -> Error:
    """Send partition 0 of a topic to directories of broker 1, all in one request."""
    types = request_types(Key.ALTER_REPLICA_LOG_DIRS, 2)
    wanted = (make(types.AlterReplicaLogDirTopic, name=topic, partitions=(0,)),)
    paths = [cluster.log_dirs(1)[disk] for disk in disks]
    dirs = tuple(make(types.AlterReplicaLogDir, path=path, topics=wanted) for path in paths)
    request = make(types.AlterReplicaLogDirsRequest, dirs=dirs)
    answer = ask(cluster.nodes[1].port, request, 20)
    ((result,),) = [told.partitions for told in answer.results]
    return Error(result.error_code)


@pytest.mark.spec("K113-11")
def test_what_is_named_twice_or_offline_or_malformed_changes_nothing(cluster: Local) -> None:
    cluster.create_on("steady", 0, [1])
    given = fill(cluster, "steady", MB // 10)
    assert move(cluster, "steady", 1, 2) == Error.INVALID_REQUEST
    types = request_types(Key.ALTER_REPLICA_LOG_DIRS, 2)
    whole = encode_request(make(types.AlterReplicaLogDirsRequest, dirs=()), 1, "test")[4:]
    said = cluster.nodes[1].log.stat().st_size
    broken = whole[:-2] + b"\x02" + b"\x7f/no/such"  # A path that claims more than there is.
    with socket.create_connection(("127.0.0.1", cluster.nodes[1].port), 10) as link:
        link.sendall(len(broken).to_bytes(4, "big") + broken)
        assert link.recv(1) == b"", "the broker hangs up"
    why = "AlterReplicaLogDir.path claims 126 bytes but only 8 are left"
    log = cluster.nodes[1].log
    cluster.until(lambda: why in log.read_bytes()[said:].decode(), "the broker says why")
    assert rests(cluster, 1, "steady", 0)
    cluster.break_disk(1, 0)
    cluster.until(lambda: not cluster.disks(1)[0].online, "the replica is offline")
    assert move(cluster, "steady", 1) == Error.KAFKA_STORAGE_ERROR
    cluster.mend_disk(1, 0)
    cluster.until(lambda: cluster.state("steady")[0] == (1, {1}), "it serves again", 60)
    assert rests(cluster, 1, "steady", 0)
    assert values(cluster.bootstrap, "steady") == given


def remember(cluster: Local, topic: str, disk: int) -> set[Error]:
    """Order all replicas of a topic that broker 2 may get into one directory."""
    wanted = {(topic, n, 2): disk for n in range(PARTITIONS)}
    return set(cluster.alter(wanted).values())


def gathered(cluster: Local, topic: str, disk: int) -> bool:
    """Whether all replicas that broker 2 has are in that directory."""
    return {cluster.disk_of(topic, n, 2) for n in range(PARTITIONS)} == {disk}


@pytest.mark.spec("B-09")
@pytest.mark.parametrize("over", [False, True])
def test_a_remembered_directory_expires_over_a_restart(cluster: Local, over: bool) -> None:
    topic = f"expired-{over}"
    assert remember(cluster, topic, 2) == {Error.UNKNOWN_TOPIC_OR_PARTITION}
    cluster.stop_node(2, kill=True)
    file = cluster.nodes[2].log_dirs[2] / REMEMBERED
    found = json.loads(file.read_bytes())
    assert len(found["wishes"]) == PARTITIONS
    for row in found["wishes"]:
        row["until"] -= 24 * 3600 * 1000 if over else 0
    file.write_text(json.dumps(found))
    cluster.start_node(2)
    cluster.create(topic, [[2]] * PARTITIONS)
    assert gathered(cluster, topic, 2) == (not over)


@pytest.mark.spec("B-09")
def test_a_remembered_directory_is_not_for_the_next_topic_of_that_name(cluster: Local) -> None:
    cluster.create("namesake", [[1]] * PARTITIONS)
    assert remember(cluster, "namesake", 1) == {Error.REPLICA_NOT_AVAILABLE}
    cluster.admin.delete_topics(["namesake"])["namesake"].result(20)
    cluster.until(lambda: not any(folders(cluster, 1, "namesake").values()), "it is gone", 60)
    cluster.create("namesake", [[2]] * PARTITIONS)
    assert not gathered(cluster, "namesake", 1)
