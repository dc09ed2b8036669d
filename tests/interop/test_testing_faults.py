"""Each fault of `spindle.testing`, by its one call, as librdkafka and the AdminClient see it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest
from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient, NewTopic
from tests.support.clients import flushed, produce, state_of, values
from tests.support.waiting import eventually

import spindle.testing
from spindle.client.admin import AdminClient as OwnClient
from spindle.client.results import LogDirDescription
from spindle.model.errors import Unusable
from spindle.testing import BrokerInstance, ClusterInstance

pytestmark = pytest.mark.spec("T-02")


@pytest.fixture
def cluster() -> Iterator[ClusterInstance]:
    """Three brokers with two disks each; a topic `t` of one partition, led by broker 1."""
    with spindle.testing.cluster() as running:
        create(running, "t", [1, 2, 3])
        yield running


def create(cluster: ClusterInstance, topic: str, replicas: list[int], **config: str) -> None:
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0})
    new = NewTopic(topic, num_partitions=1, replica_assignment=[replicas], config=config)
    admin.create_topics([new])[topic].result(20)
    eventually(lambda: leader(cluster, topic) == replicas[0], f"{topic} is led")


def leader(cluster: ClusterInstance, topic: str = "t") -> int:
    """The leader as some broker tells librdkafka; 0: none answers, or it names none."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0})
    try:
        return max(0, state_of(admin, topic, 2).get(0, (0, set()))[0])
    except ConnectionError:
        return 0


def in_sync(cluster: ClusterInstance, topic: str = "t") -> set[int]:
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0})
    return state_of(admin, topic).get(0, (-1, set()))[1]


def disks(cluster: ClusterInstance, broker: int) -> list[LogDirDescription]:
    async def ask() -> list[LogDirDescription]:
        async with OwnClient(cluster.bootstrap_servers) as admin:
            found = {d.path: d for d in await admin.describe_log_dirs([broker])[broker]}
        return [found[str(disk.path)] for disk in cluster.broker(broker).disks]

    return asyncio.run(ask())


def offline(cluster: ClusterInstance, broker: int) -> list[int]:
    """The disks that a broker says are offline."""
    return [n for n, d in enumerate(disks(cluster, broker)) if d.error]


def disk_of(cluster: ClusterInstance, broker: int, topic: str = "t") -> int:
    """Which of a broker's disks has a topic's partition 0."""
    paths = [disk.path for disk in cluster.broker(broker).disks]
    return next(n for n, path in enumerate(paths) if (path / f"{topic}-0").exists())


def is_silent(broker: BrokerInstance) -> bool:
    """Whether a client has no answer of this broker alone."""
    try:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap_server, "log_level": 0})
        admin.list_topics(timeout=1)
    except KafkaException:
        return True
    return False


@pytest.mark.parametrize("fault", ["fail", "hang"])
def test_of_a_dead_or_hung_disk_others_serve_the_partitions(
    cluster: ClusterInstance, fault: str
) -> None:
    produce(cluster.bootstrap_servers, "t", [b"before"])
    number = disk_of(cluster, 1)
    disk = cluster.broker(1).disk(number)
    getattr(disk, fault)()
    eventually(lambda: leader(cluster) in (2, 3), "another broker leads")
    produce(cluster.bootstrap_servers, "t", [b"during"])
    assert offline(cluster, 1) == [number]
    disk.heal()
    eventually(lambda: offline(cluster, 1) == [], "the broker takes the disk back")
    eventually(lambda: in_sync(cluster) == {1, 2, 3}, "its replica is in sync")
    assert values(cluster.bootstrap_servers, "t") == [b"before", b"during"]


def test_a_full_disk_takes_no_more_than_was_left_and_is_read(cluster: ClusterInstance) -> None:
    create(cluster, "alone", [1])
    produce(cluster.bootstrap_servers, "alone", [b"before"])
    disk = cluster.broker(1).disk(disk_of(cluster, 1, "alone"))
    disk.fill(leave=100_000)
    produce(cluster.bootstrap_servers, "alone", [b"x" * 50_000])
    with pytest.raises(AssertionError):
        produce(cluster.bootstrap_servers, "alone", [b"x" * 60_000], retries=0)
    assert values(cluster.bootstrap_servers, "alone") == [b"before", b"x" * 50_000]
    assert offline(cluster, 1) == []
    disk.heal()
    produce(cluster.bootstrap_servers, "alone", [b"after"])


def test_a_slow_disk_delays_what_waits_for_it(cluster: ClusterInstance) -> None:
    create(cluster, "alone", [1])
    produce(cluster.bootstrap_servers, "alone", [b"before"])
    disk = cluster.broker(1).disk(disk_of(cluster, 1, "alone"))
    disk.slow(0.7, ["write"])
    begun = time.monotonic()
    produce(cluster.bootstrap_servers, "alone", [b"late"])
    assert time.monotonic() - begun >= 0.7
    assert offline(cluster, 1) == []
    disk.heal()


def test_a_killed_broker_is_replaced_and_comes_back(cluster: ClusterInstance) -> None:
    broker = cluster.broker(1)
    produce(cluster.bootstrap_servers, "t", [b"before"])
    broker.kill()
    assert (broker.is_running, broker.exit_code) == (False, -9)
    eventually(lambda: leader(cluster) in (2, 3), "another broker leads")
    produce(cluster.bootstrap_servers, "t", [b"during"])
    broker.start()
    eventually(lambda: in_sync(cluster) == {1, 2, 3}, "it is back in sync")
    assert values(cluster.bootstrap_servers, "t") == [b"before", b"during"]


@pytest.mark.parametrize(("begin", "end"), [("freeze", "thaw"), ("cut_off", "reconnect")])
def test_a_broker_that_stands_still_or_is_cut_off_is_replaced_until_it_is_back(
    cluster: ClusterInstance, begin: str, end: str
) -> None:
    broker = cluster.broker(1)
    produce(cluster.bootstrap_servers, "t", [b"before"])
    getattr(broker, begin)()
    assert is_silent(broker)
    assert broker.is_running
    eventually(lambda: leader(cluster) in (2, 3), "the controller fences it")
    produce(cluster.bootstrap_servers, "t", [b"during"])
    getattr(broker, end)()
    eventually(lambda: in_sync(cluster) == {1, 2, 3}, "it is back in sync")
    eventually(lambda: not is_silent(broker), "it answers again")
    assert values(cluster.bootstrap_servers, "t") == [b"before", b"during"]


def test_a_broker_can_be_cut_off_while_it_starts(cluster: ClusterInstance) -> None:
    """It heeds the signal when it can, and the signal does not end it (as it would by default)."""
    broker = cluster.broker(1)
    broker.kill()
    broker.start(wait=False)
    broker.cut_off()
    assert is_silent(broker)
    assert broker.is_running
    broker.reconnect()
    eventually(lambda: in_sync(cluster) == {1, 2, 3}, "it is in sync")


def test_a_broker_that_is_cut_off_receives_what_was_on_its_way_afterwards(
    cluster: ClusterInstance,
) -> None:
    """Nothing of a connection is lost: a producer's request is answered after the reconnection."""
    create(cluster, "alone", [1])
    broker, answers = cluster.broker(1), []
    producer = Producer({"bootstrap.servers": broker.bootstrap_server, "log_level": 0})
    producer.produce("alone", b"before", on_delivery=lambda error, _: answers.append(error))
    flushed(producer, 20)
    broker.cut_off()
    producer.produce("alone", b"during", on_delivery=lambda error, _: answers.append(error))
    assert producer.flush(1) == 1
    broker.reconnect()
    flushed(producer, 20)
    assert answers == [None, None]
    assert values(cluster.bootstrap_servers, "alone") == [b"before", b"during"]


@pytest.mark.spec("B-13")
def test_a_controller_that_stood_still_does_not_blame_its_disk(cluster: ClusterInstance) -> None:
    """Its disk had 1 s to answer a call, of the 1.5 s that it may take (of a sync 4.5)."""
    controller = cluster.controller(0)
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0})
    controller.metadata_disk.hang()
    created = admin.create_topics([NewTopic("late", 1, 1)])["late"]
    time.sleep(1)
    controller.freeze()
    time.sleep(5)
    controller.thaw()
    controller.metadata_disk.heal()
    created.result(20)
    assert controller.is_running


@pytest.mark.spec("B-29")
def test_a_controller_that_stood_still_fences_no_broker_for_that(cluster: ClusterInstance) -> None:
    """All nodes stand still for longer than a session lasts, as on a machine that is paused."""
    for node in cluster.nodes:
        node.freeze()
    time.sleep(5)
    for node in cluster.nodes:
        node.thaw()
    create(cluster, "after", [1, 2, 3])
    assert "broker fenced" not in cluster.controller(0).log_file.read_text()


@pytest.mark.parametrize("fault", ["kill", "freeze", "cut_off"])
def test_without_one_of_three_controllers_the_others_decide(fault: str) -> None:
    with spindle.testing.cluster(controllers=3, log_dirs=1) as cluster:
        create(cluster, "t", [1, 2])
        getattr(cluster.controller(0), fault)()
        cluster.broker(1).kill()
        eventually(lambda: leader(cluster) == 2, "another controller has 2 lead")
        cluster.broker(1).start()
        eventually(lambda: in_sync(cluster) == {1, 2}, "the broker is back in sync")
        if fault == "kill":
            cluster.controller(0).start()
        else:
            getattr(cluster.controller(0), {"freeze": "thaw", "cut_off": "reconnect"}[fault])()


def test_a_restarted_broker_has_its_records_and_a_controller_its_topics(
    cluster: ClusterInstance,
) -> None:
    create(cluster, "alone", [1])
    produce(cluster.bootstrap_servers, "alone", [b"kept"])
    pids = [node.pid for node in cluster.nodes]
    cluster.broker(1).restart(kill=True)
    cluster.broker(2).restart()
    cluster.controller().restart()
    assert not {node.pid for node in cluster.nodes} & set(pids[:3])
    assert values(cluster.bootstrap_servers, "alone") == [b"kept"]


def test_a_node_without_its_metadata_disk_stops(cluster: ClusterInstance) -> None:
    broker = cluster.broker(3)
    broker.metadata_disk.fail()
    eventually(lambda: broker.exit_code == 3, "it stops itself")
    broker.metadata_disk.heal()
    broker.start()
    controller = cluster.controller()
    controller.metadata_disk.fail()
    produce(cluster.bootstrap_servers, "t", [b"served without a controller"])
    eventually(lambda: controller.exit_code == 3, "it stops itself, too")


def test_what_cannot_be_done_to_a_node_is_refused_by_name(cluster: ClusterInstance) -> None:
    broker = cluster.broker(2)
    with pytest.raises(Unusable, match="broker 2 runs already"):
        broker.start()
    broker.freeze()
    with pytest.raises(Unusable, match="broker 2 is frozen"):
        broker.cut_off()
    broker.kill()
    with pytest.raises(Unusable, match="broker 2 does not run"):
        broker.freeze()
    with pytest.raises(LookupError, match="no broker 4: there are 1 to 3"):
        cluster.broker(4)
    with pytest.raises(LookupError, match="no controller 1: the first of 1 is 0"):
        cluster.controller(1)
    with pytest.raises(ValueError, match="are no verbs"):
        cluster.broker(1).disk(0).fail(calls=["think"])
