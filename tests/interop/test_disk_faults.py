"""Every fault of a disk, for every part that the disk plays, in a running cluster under load.

One case is one fault. In each, the same disk of one broker holds a replica that leads, one that
follows, one that is being moved away and the copy of one that is being moved in, and is where a new
replica is wanted in that very moment; and another disk of that broker has a partition that no other
broker has, which must go on being served, led in the same epoch, as if nothing were. Acknowledged
records must all be there, once; how long no broker served is printed at the end of the run.

SPINDLE_FAULT_ROUNDS=5 goes through all of it as often, other brokers and disks each time.
"""

from __future__ import annotations

import asyncio
import math
import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest
from confluent_kafka import KafkaException
from tests.interop.conftest import MEASURED
from tests.support.apache_kafka import CONTROLLER_ID, ApacheNode
from tests.support.clients import audit, produce, values
from tests.support.local import Local
from tests.support.ports import free_port
from tests.support.quorum import ask
from tests.support.relay import Relay
from tests.support.waiting import eventually
from tools.messages.entities import make, ms, request_types

from spindle.cli.demo.demo_load import DemoLoad, longest_gap
from spindle.client.admin import AdminClient
from spindle.model.batches import Record
from spindle.model.errors import Error
from spindle.model.ids import id_to_text
from spindle.runtime.drill import break_directory, mend_directory
from spindle.runtime.os_disk import OsDisk
from spindle.storage.formatting import format_blank
from spindle.wire.apis import Key
from spindle.wire.batch import build

RATE = 50  # Kilobytes: more in a second than moves may copy, so none ends under load.
ROUNDS = int(os.environ.get("SPINDLE_FAULT_ROUNDS", "1"))
HALTED = 3
MORE = RATE
UNHEARD_S = 10
SETTINGS = {
    # A broker that this machine slows down is not given up for that.
    "broker.session.timeout.ms": "6000",
    "log.dir.probe.interval.ms": "200",
    "log.dir.io.timeout.ms": "1500",
    "replica.high.watermark.checkpoint.interval.ms": "500",
    "replica.alter.log.dirs.io.max.bytes.per.second": "30000",
    "offsets.topic.num.partitions": "1",
    "log.dir.slow.ms": "20",
}
LOST, FULL, SLOW = "lost", "full", "slow"


@dataclass(frozen=True)
class Fault:
    """Something that befalls a disk, and what is to come of it: LOST, FULL or SLOW."""

    name: str
    end: str
    drill: str = ""
    begin_at: Callable[[Path], None] | None = None
    """For what is done to the directory itself, from outside."""
    end_at: Callable[[Path], None] | None = None
    disks: int = 1

    def begin(self, cluster: Local, broker: int, disks: list[int]) -> None:
        for disk in disks:
            if self.begin_at is None:
                cluster.break_disk(broker, disk, self.drill)
            else:
                self.begin_at(cluster.nodes[broker].log_dirs[disk])

    def mend(self, cluster: Local, broker: int, disks: list[int]) -> None:
        for disk in disks:
            path = cluster.nodes[broker].log_dirs[disk]
            if self.end_at is None:
                cluster.mend_disk(broker, disk)
            else:
                self.end_at(path)
            if not path.exists():
                path.mkdir()
                now_ms = time.time_ns() // 1_000_000
                format_blank(OsDisk(), [str(path)], cluster.cluster_id, broker, now_ms)


def _aside(path: Path) -> Path:
    return path.with_name(path.name + ".aside")


def _unmount(path: Path) -> None:
    path.rename(_aside(path))


def _mount(path: Path) -> None:
    _aside(path).rename(path)


def _delete(path: Path) -> None:
    _unmount(path)
    shutil.rmtree(_aside(path))


FAULTS = [
    Fault("EIO", LOST, "EIO"),
    Fault("EIO when writing", LOST, "EIO write,sync"),
    Fault("EIO when reading", LOST, "EIO read"),
    Fault("read-only", LOST, "EROFS"),
    Fault("full", FULL, "ENOSPC"),
    Fault("no permission", LOST, "", lambda p: p.chmod(0), lambda p: p.chmod(0o755)),
    Fault("unmounted", LOST, "", _unmount, _mount),
    Fault("deleted", LOST, "", _delete, lambda p: None),
    Fault("slow", SLOW, "slow 0.2 write"),
    Fault("hangs in read", LOST, "hang read"),
    Fault("hangs in write", LOST, "hang write"),
    Fault("hangs in fsync", LOST, "hang sync"),
    Fault("hangs in rename", LOST, "hang rename"),
    Fault("two at once", LOST, "EIO", disks=2),
    Fault("two hang at once", LOST, "hang write", disks=2),
]  # fmt: skip
CASES = [
    pytest.param(number, fault, id=f"{fault.name}{f' {round_}' if round_ else ''}")
    for round_ in range(ROUNDS)
    for number, fault in enumerate(FAULTS, round_ * (len(FAULTS) + 1))
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Three brokers with four directories each, and their metrics."""
    folder = tmp_path_factory.mktemp("faults")
    with Local(folder, directories=4, settings=SETTINGS) as cluster:
        for node in cluster.brokers:
            node.settings["metrics.port"] = str(free_port())
            cluster.write_config(node)
        cluster.start()
        yield cluster


class Scene:
    """A broker, the disk that is going to fail, and the topics that need it."""

    ROLES = ("leads", "follows", "moves away", "moves in")

    def __init__(self, cluster: Local, number: int, fault: Fault) -> None:
        self.cluster = cluster
        self.fault = fault
        self.broker = 1 + number % 3
        self.bad = [number // 3 % 3, 3][: fault.disks]
        self.safe, self.calm = ((self.bad[0] + n) % 3 for n in (1, 2))
        self.others = {1, 2, 3} - {self.broker}
        roles = (*self.ROLES, "calm", "new")
        self.topics = {role: f"{number}-{role.replace(' ', '-')}" for role in roles}
        self.log = cluster.nodes[self.broker].log
        self.loads: dict[str, DemoLoad] = {}

    def prepare(self) -> None:
        """Topics, load, and moves under way."""
        cluster, (first, second) = self.cluster, sorted(self.others)
        leads, follows = [self.broker, first, second], [first, self.broker, second]
        for role, disk, replicas in zip(
            self.ROLES,
            (self.bad[0], self.bad[0], self.bad[0], self.safe),
            (leads, follows, follows, follows),
            strict=True,
        ):
            topic = self.topics[role]
            cluster.create_on(topic, disk, replicas, min_insync_replicas="2")
            self._begin(role)
        cluster.create_on(self.topics["calm"], self.calm, [self.broker])
        self._begin("calm")
        self.go_on(RATE)
        self.epoch = self._calm_epoch()
        away, inwards = self.topics["moves away"], self.topics["moves in"]
        told = cluster.alter(
            {(away, 0, self.broker): self.safe, (inwards, 0, self.broker): self.bad[0]}
        )
        assert set(told.values()) == {Error.NONE}
        for topic in (away, inwards):
            cluster.until(lambda t=topic: self._moves(t), f"{topic} is being moved")
        cluster.alter({(self.topics["new"], 0, self.broker): self.bad[0]})

    def _begin(self, role: str) -> None:
        load = self.loads[role] = DemoLoad(self.cluster.bootstrap, self.topics[role], [1.0], RATE)
        load.start()

    def _calm_epoch(self) -> int:
        """The epoch in which the broker leads what only it has, and what is not concerned."""

        async def ask() -> int:
            async with AdminClient(self.cluster.bootstrap) as admin:
                topic = self.topics["calm"]
                (partition,) = (await admin.describe_topics([topic])[topic]).partitions
            assert (partition.leader, partition.isr) == (self.broker, (self.broker,))
            return partition.leader_epoch

        return asyncio.run(ask())

    def _moves(self, topic: str) -> bool:
        return self.cluster.place_of(topic, 0, self.broker).future is not None

    def go_on(self, more: int) -> None:
        """Wait until so many more records of every topic are acknowledged."""
        wanted = {role: len(load.acknowledged) + more for role, load in self.loads.items()}
        for role, load in self.loads.items():
            self.cluster.until(
                lambda role=role, load=load: len(load.acknowledged) >= wanted[role],
                f"records of what {role} are acknowledged",
                90,
            )

    def new_replica(self) -> None:
        """A replica is wanted on that disk; there will be one, wherever."""
        other = min(self.others)
        topic = self.topics["new"]
        self.cluster.create(topic, [[self.broker, other]])
        produce(self.cluster.bootstrap, topic, [b"served"])

    def named(self, word: str) -> list[int]:
        """Which directories are offline, cordoned, or slow, by the broker's metrics."""
        told = self.cluster.metrics(self.broker)
        metric = f"kafka_log_logmanager_logdirectory{word}"
        paths = self.cluster.log_dirs(self.broker)
        return [n for n, p in enumerate(paths) if told[f'{metric}{{logDirectory="{p}"}}']]

    def is_found(self) -> bool:
        """Whether the broker knows of the fault, and of no other."""
        word = {LOST: "offline", FULL: "cordoned", SLOW: "slow"}[self.fault.end]
        found = self.named(word)
        # What stalls this whole machine may look as if a well disk were slow.
        return set(found) >= set(self.bad) if word == "slow" else found == sorted(self.bad)

    def is_recorded(self) -> bool:
        """Whether the controller has drawn the consequences."""
        if self.fault.end != LOST:
            return True
        state = {role: self.cluster.state(self.topics[role])[0] for role in self.ROLES}
        return (
            state["leads"][0] in self.others
            and state["leads"][1] == state["follows"][1] == state["moves away"][1] == self.others
            and state["moves in"][1] == {1, 2, 3}
        )

    def is_whole(self) -> bool:
        """Whether every replica is back."""
        whole = all(self.cluster.state(self.topics[role])[0][1] == {1, 2, 3} for role in self.ROLES)
        return whole and self.named("offline") == self.named("cordoned") == []

    def finish(self) -> None:
        """No more load; all that was acknowledged is there once; the broker was never given up."""
        assert self._calm_epoch() == self.epoch
        for load in self.loads.values():
            load.finish()
        for role, load in self.loads.items():
            audit(load, self.cluster.bootstrap, self.topics[role])
        assert values(self.cluster.bootstrap, self.topics["new"]) == [b"served"]
        for future in self.cluster.admin.delete_topics(list(self.topics.values())).values():
            future.result(20)


@pytest.mark.spec(
    "K858-05", "K858-08", "K858-10", "B-01", "B-06", "B-09", "B-12", "B-13", "B-18", "B-19", "B-22"
)
@pytest.mark.parametrize(("number", "fault"), CASES)
def test_a_fault(
    cluster: Local,
    number: int,
    fault: Fault,
    record_property: Callable[[str, object], None],
) -> None:
    scene = Scene(cluster, number, fault)
    scene.prepare()
    said = scene.log.stat().st_size
    begun = time.monotonic()
    fault.begin(cluster, scene.broker, scene.bad)
    try:
        cluster.until(scene.is_found, f"the broker finds out: {fault.name}", 60)
        found = time.monotonic() - begun
        cluster.until(scene.is_recorded, "the controller acts", 60)
        recorded = time.monotonic() - begun
        scene.new_replica()
        scene.go_on(MORE)
    finally:
        fault.mend(cluster, scene.broker, scene.bad)
    ended = time.monotonic()
    gaps = {r: longest_gap(scene.loads[r].acknowledged.at, begun, ended)[0] for r in scene.loads}
    cluster.until(scene.is_whole, "all is well again", 90)
    back = time.monotonic() - ended
    scene.finish()
    lines = scene.log.read_bytes()[said:].decode(errors="replace").splitlines()
    events = [line for line in lines if "[error" in line or "[warning" in line]
    event = events[0].split("]", 1)[1].strip()[:90] if events else "-"
    record_property(
        MEASURED,
        f"disk {fault.name:16} no service s: "
        + ", ".join(f"{role} {gap:.2f}" for role, gap in gaps.items())
        + f"; found {found:.2f}, acted {recorded:.2f}, back {back:.2f} s; {event}",
    )
    assert events
    assert os.path.isdir(cluster.log_dirs(scene.broker)[scene.bad[0]])


@pytest.mark.spec("B-13", "K858-11")
@pytest.mark.parametrize("verb", ["write", "sync"])
def test_a_hung_disk_holds_up_no_shutdown(cluster: Local, verb: str) -> None:
    topic, victim = f"shutdown-{verb}", 2
    cluster.create_on(topic, 1, [victim, 1, 3], min_insync_replicas="2")
    load = DemoLoad(cluster.bootstrap, topic, [1.0], RATE)
    load.start()
    cluster.until(lambda: len(load.acknowledged) >= RATE, "records are acknowledged", 60)
    cluster.break_disk(victim, 1, f"hang {verb}")
    process = cluster.nodes[victim].process
    assert process is not None
    process.send_signal(signal.SIGTERM)
    assert cluster.exit_code(victim, 90) == 0
    more = len(load.acknowledged) + MORE
    cluster.until(lambda: len(load.acknowledged) >= more, "others acknowledge", 60)
    cluster.mend_disk(victim, 1)
    cluster.start_node(victim)
    cluster.until(lambda: cluster.state(topic)[0][1] == {1, 2, 3}, "the replica is back", 60)
    load.finish()
    audit(load, cluster.bootstrap, topic)


@pytest.mark.spec("K858-11", "B-13", "B-23")
@pytest.mark.parametrize(("number", "drill"), list(enumerate(["EIO write", "EROFS", "hang write"])))
def test_without_its_metadata_directory_a_node_stops(
    cluster: Local,
    number: int,
    drill: str,
    record_property: Callable[[str, object], None],
) -> None:
    victim = 1 + number % 3
    others = {1, 2, 3} - {victim}
    topic = f"metadata-{number}"
    cluster.create(topic, [[victim, *sorted(others)]], min_insync_replicas="2")
    load = DemoLoad(cluster.bootstrap, topic, [1.0], RATE)
    load.start()
    cluster.until(lambda: len(load.acknowledged) >= RATE, "records are acknowledged", 60)
    metadata = cluster.nodes[victim].settings["metadata.log.dir"]
    begun = time.monotonic()
    break_directory(metadata, drill)
    with suppress(KafkaException):  # It may be the victim that is asked, and has no time to answer.
        cluster.create(f"{topic}-news", [sorted(others)])
    assert cluster.exit_code(victim, 90) == HALTED
    stopped = time.monotonic() - begun
    assert "the metadata directory has failed" in cluster.tail(victim, 20_000)
    more = len(load.acknowledged) + MORE
    cluster.until(lambda: len(load.acknowledged) >= more, "others acknowledge", 60)
    gap = longest_gap(load.acknowledged.at, begun, time.monotonic())[0]
    record_property(MEASURED, f"metadata {drill:12} stopped {stopped:.2f}, no service {gap:.2f} s")
    mend_directory(metadata)
    cluster.start_node(victim)
    cluster.until(lambda: cluster.state(topic)[0][1] == {1, 2, 3}, "the broker is back", 60)
    load.finish()
    audit(load, cluster.bootstrap, topic)


@pytest.mark.spec("B-12")
def test_a_full_metadata_directory_is_waited_for(cluster: Local) -> None:
    victim = 3
    metadata = cluster.nodes[victim].settings["metadata.log.dir"]
    cluster.create("before-full", [[victim, 1]], min_insync_replicas="2")
    produce(cluster.bootstrap, "before-full", [b"known"])
    break_directory(metadata, "ENOSPC")
    try:
        cluster.create("while-full", [[1, 2]])
        said = "the metadata directory is full"
        cluster.until(lambda: said in cluster.tail(victim), "it says so", 60)
        # What it knows it goes on with.
        produce(cluster.bootstrap, "before-full", [b"served"])
    finally:
        mend_directory(metadata)
    cluster.create("after-full", [[victim, 1]], min_insync_replicas="2")
    produce(cluster.bootstrap, "after-full", [b"served, too"])
    assert values(cluster.bootstrap, "before-full") == [b"known", b"served"]


@pytest.mark.spec("B-22", "K858-09")
def test_each_dead_disk_has_a_time_of_its_own(cluster: Local) -> None:
    """Three fail one after the other; of the first the controller hears in time.

    The broker stops when the second one's time is up: not at the first one's, nor the third one's.
    """
    victim, other = 2, 3
    topics = [f"untold-{disk}" for disk in range(3)]
    for disk, topic in enumerate(topics):
        cluster.create_on(topic, disk, [victim, other])
    ids = [disk.directory_id for disk in cluster.disks(victim)]
    node = cluster.nodes[victim]
    begun = node.log.stat().st_size
    with reached_through_relay(cluster, victim) as relay:
        cluster.lead(victim, *topics)

        def fail(disk: int) -> None:
            relay.hold(Key.BROKER_HEARTBEAT, Key.BROKER_REGISTRATION, Key.FETCH)
            cluster.break_disk(victim, disk)
            cluster.until(lambda d=disk: failed_at(node, begun, d), "the broker finds out", 60)

        fail(0)
        relay.release()
        cluster.until(
            lambda: cluster.state(topics[0])[0][1] == {other}, "the first is reported", 60
        )
        fail(1)
        since = time.monotonic()
        eventually(lambda: time.monotonic() > since + UNHEARD_S / 2, "half of its time", UNHEARD_S)
        fail(2)
        assert cluster.exit_code(victim, 90) == HALTED
        for disk in range(3):
            cluster.mend_disk(victim, disk)
    told = said_at(node, begun, "the controller could not be informed")
    assert told is not None
    assert ids[1] is not None
    stopped, reason = told
    assert f"directory {id_to_text(ids[1])} has failed" in reason
    first, second, third = (failed_at(node, begun, disk) or math.nan for disk in range(3))
    assert first < second <= stopped - UNHEARD_S < third
    cluster.start_node(victim)
    for topic in topics:
        cluster.until(lambda t=topic: cluster.state(t)[0][1] == {victim, other}, "it is back", 60)


@pytest.mark.spec("B-01", "K858-10")
def test_a_batch_that_comes_to_a_dead_disk_hears_the_next_leader(cluster: Local) -> None:
    victim, disk, topic = 2, 1, "sent-on"
    cluster.create_on(topic, disk, [victim, 1, 3])
    node = cluster.nodes[victim]
    begun = node.log.stat().st_size
    with reached_through_relay(cluster, victim) as relay:
        cluster.lead(victim, topic)
        relay.hold(Key.BROKER_HEARTBEAT)
        cluster.break_disk(victim, disk)
        cluster.until(lambda: failed_at(node, begun, disk), "the broker finds out", 60)
        assert sent(node, topic) == (Error.KAFKA_STORAGE_ERROR, -1), "nothing is decided"
        relay.release()

        def is_sent_on() -> bool:
            error, leader = sent(node, topic)
            assert (error == Error.NOT_LEADER_OR_FOLLOWER) == (leader in {1, 3}), (error, leader)
            return leader == cluster.state(topic)[0][0]

        cluster.until(is_sent_on, "the refusal names the next leader")
        cluster.mend_disk(victim, disk)


def sent(node: ApacheNode, topic: str) -> tuple[int, int]:
    """A batch for partition 0 is sent to a broker: (error, the leader that its answer names)."""
    types = request_types(Key.PRODUCE, 12)
    batch = build([Record(0, time.time_ns() // 1_000_000, None, b"value")])
    data = make(types.PartitionProduceData, index=0, records=batch.data)
    topics = (make(types.TopicProduceData, name=topic, partition_data=(data,)),)
    request = make(types.ProduceRequest, acks=-1, timeout=ms(5000), topic_data=topics)
    told = ask(node.port, request, 20).responses[0].partition_responses[0]
    return told.error_code, told.current_leader.leader_id


@contextmanager
def reached_through_relay(cluster: Local, broker: int) -> Iterator[Relay]:
    """The broker is started again, with little patience and a relay before its controller."""
    node, port = cluster.nodes[broker], cluster.nodes[CONTROLLER_ID].controller_port
    assert port is not None
    usual = dict(node.settings)
    with Relay(port) as relay:
        node.settings["controller.quorum.voters"] = f"{CONTROLLER_ID}@127.0.0.1:{relay.port}"
        node.settings["log.dir.failure.timeout.ms"] = str(UNHEARD_S * 1000)
        cluster.write_config(node)
        cluster.restart(broker)
        try:
            yield relay
        finally:
            node.settings = usual
            cluster.write_config(node)


def failed_at(node: ApacheNode, begun: int, disk: int) -> float | None:
    """When a broker found a directory to have failed, by its own clock; None: not yet."""
    found = said_at(node, begun, f"log directory has failed .*directory={node.log_dirs[disk]} ")
    return found[0] if found else None


def said_at(node: ApacheNode, begun: int, what: str) -> tuple[float, str] | None:
    """The first line since `begun` that matches, and its time."""
    for line in node.log.read_bytes()[begun:].decode(errors="replace").splitlines():
        if re.search(what, line):
            return datetime.fromisoformat(line.split()[0]).timestamp(), line
    return None
