"""Brokers and the controller killed or stopped under load: nothing lost, nothing twice.

The tests share one cluster of three brokers with two log directories each, and leave all of its
nodes running. The load is librdkafka's idempotent producer with acks=all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from confluent_kafka import ElectionType, TopicPartition
from tests.interop.conftest import MEASURED
from tests.support import committed
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.clients import audit, produce, values
from tests.support.local import Local
from tests.support.quorum import ask
from tests.support.waiting import eventually
from tools.messages.entities import make, request_types

from spindle.cli.demo.demo_load import DemoLoad, longest_gap
from spindle.model.image import ClusterImage
from spindle.model.metadata_records import BrokerRegistrationChange
from spindle.wire.apis import Key

PLACES = [[1, 2, 3], [2, 3, 1], [3, 1, 2], [1, 3, 2], [2, 1, 3], [3, 2, 1]]
WHOLE = {n: (replicas[0], {1, 2, 3}) for n, replicas in enumerate(PLACES)}
RATE = 150


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Three brokers with two directories each."""
    with Local(tmp_path_factory.mktemp("kills")) as cluster:
        cluster.start()
        yield cluster


def begin_load(cluster: Local, topic: str) -> DemoLoad:
    """A topic of six partitions under load; returns when every partition was written to."""
    cluster.create(topic, PLACES, min_insync_replicas="2")
    load = DemoLoad(cluster.bootstrap, topic, [1.0] * len(PLACES), RATE)
    load.start()
    eventually(lambda: set(load.acknowledged.partition) == set(WHOLE), "the load runs")
    return load


def go_on(load: DemoLoad, more: int = RATE) -> None:
    """Wait until so many more records are acknowledged."""
    wanted = len(load.acknowledged) + more
    eventually(lambda: len(load.acknowledged) >= wanted, f"{wanted} acknowledged", 60)


def elect_preferred(cluster: Local, topic: str) -> None:
    """Give each partition's leadership to its first replica."""
    partitions = [TopicPartition(topic, n) for n in WHOLE]
    cluster.admin.elect_leaders(ElectionType.PREFERRED, partitions).result(20)


@pytest.mark.parametrize("victim", [1, 3])
def test_a_killed_broker_costs_no_record_and_catches_up(cluster: Local, victim: int) -> None:
    topic = f"killed-{victim}"
    load = begin_load(cluster, topic)
    others = {1, 2, 3} - {victim}
    cluster.stop_node(victim, kill=True)
    cluster.until(
        lambda: all(
            leader in others and isr == others for leader, isr in cluster.state(topic).values()
        ),
        "the others lead, without the killed one",
    )
    go_on(load)
    cluster.start_node(victim)
    cluster.until(
        lambda: all(isr == {1, 2, 3} for _, isr in cluster.state(topic).values()),
        "the killed broker is in sync again",
    )
    go_on(load)
    elect_preferred(cluster, topic)
    cluster.become(topic, WHOLE)
    go_on(load)
    load.finish()
    assert audit(load, cluster.bootstrap, topic) > 3 * RATE


@pytest.mark.spec("B-29")
def test_a_client_that_asks_at_the_moment_of_a_kill_hears_of_the_next_leaders(
    cluster: Local,
) -> None:
    """Else librdkafka asks again a second later; without the dead one among the brokers it may lose
    hold of its partitions. A machine that stands still for a moment may be too late now and then.
    """
    cluster.create("asked", PLACES)
    cluster.become("asked", WHOLE)
    types = request_types(Key.METADATA, 9)
    topics = (make(types.MetadataRequestTopic, name="asked"),)
    question = make(types.MetadataRequest, topics=topics)
    for victim, other in 2 * ((1, 2), (2, 3), (3, 1)):
        cluster.stop_node(victim, kill=True)
        answer = ask(cluster.nodes[other].port, question, 20)
        cluster.start_node(victim)
        cluster.until(
            lambda: all(isr == {1, 2, 3} for _, isr in cluster.state("asked").values()),
            "the killed broker is in sync again",
        )
        elect_preferred(cluster, "asked")
        cluster.become("asked", WHOLE)
        leaders = {partition.leader_id for partition in answer.topics[0].partitions}
        if victim not in leaders:
            assert {broker.node_id for broker in answer.brokers} == {1, 2, 3}
            return
    raise AssertionError("each answer named the dead leader")


def led_when_fenced(cluster: Local, broker: int, before: int) -> list[list[str]]:
    """What a broker still led each time that it was fenced, after so many batches of metadata.

    Such a partition has had no leader that answers since the broker was gone.
    """
    image, found = ClusterImage(), []
    for number, batch in enumerate(committed.batches(cluster)):
        changes = [one.record for one in batch]
        if number >= before and any(
            isinstance(change, BrokerRegistrationChange)
            and (change.broker_id, change.fenced) == (broker, 1)
            for change in changes
        ):
            led = [(t.name, p.partition_id) for t, p in image.partitions() if p.leader == broker]
            found.append([f"{topic}-{partition}" for topic, partition in led])
        for change in changes:
            image.apply(change)
    return found


def test_a_controlled_stop_moves_leaders_without_a_gap(
    cluster: Local, record_property: Callable[[str, object], None]
) -> None:
    load = begin_load(cluster, "stopped")
    go_on(load)
    begin, before = load.acknowledged.at[-1], len(committed.batches(cluster))
    cluster.stop_node(2)
    cluster.until(lambda: 2 not in {s[0] for s in cluster.state("stopped").values()}, "others lead")
    go_on(load)
    cluster.start_node(2)
    cluster.until(
        lambda: all(isr == {1, 2, 3} for _, isr in cluster.state("stopped").values()),
        "the stopped broker is in sync again",
    )
    go_on(load)
    load.finish()
    audit(load, cluster.bootstrap, "stopped")
    assert led_when_fenced(cluster, 2, before)[:1] == [[]], "others led before it was gone"
    gaps, told = [], load.acknowledged
    for number in WHOLE:
        times = [at for at, p in zip(told.at, told.partition, strict=True) if p == number]
        gaps.append(longest_gap(times, begin, times[-1])[0])
    record_property(MEASURED, f"a controlled stop: a partition stood still for {max(gaps):.2f} s")


def test_all_brokers_killed_one_after_another_and_at_once(cluster: Local) -> None:
    load = begin_load(cluster, "all")
    for victim in (1, 2, 3):
        cluster.restart(victim, kill=True)
        cluster.until(
            lambda: all(isr == {1, 2, 3} for _, isr in cluster.state("all").values()),
            "all are in sync again",
        )
    go_on(load)
    cluster.restart(1, 2, 3, CONTROLLER_ID, kill=True)
    go_on(load)
    load.finish()
    audit(load, cluster.bootstrap, "all")


def test_a_killed_controller_forgets_nothing_and_data_flow_without_it(cluster: Local) -> None:
    cluster.create("kept", [[1, 2], [2, 3]], retention_ms="123456")
    load = begin_load(cluster, "flowing")
    cluster.stop_node(CONTROLLER_ID, kill=True)
    go_on(load)
    cluster.start_node(CONTROLLER_ID)
    cluster.create("made-after", [[3, 1]])
    go_on(load)
    load.finish()
    audit(load, cluster.bootstrap, "flowing")
    wanted = {0: {1, 2}, 1: {2, 3}}
    cluster.until(lambda: {n: s[1] for n, s in cluster.state("kept").items()} == wanted, "in sync")
    produce(cluster.bootstrap, "kept", [b"x"], 1)
    assert values(cluster.bootstrap, "kept") == [b"x"]
    # The leaders' epochs went on: no broker was fenced while the controller was away.
    cluster.become("flowing", WHOLE)
