"""Real processes, killed and stopped in mid-air, of both kinds, under our controller (B-29)."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import committed
from tests.support.mixed import Mixed

from spindle.cli.demo.demo_load import DemoLoad
from spindle.model.ids import NO_LEADER

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(240)]

THEIRS, OURS, OTHER = 1, 2, 3
PLACES = [[THEIRS, OURS, OTHER], [OURS, OTHER, THEIRS], [OTHER, THEIRS, OURS]]
SETTINGS = {
    "broker.session.timeout.ms": "300000",
    "default.replication.factor": "3",
    "offsets.topic.replication.factor": "3",
}
"""No session ends while a test runs."""


@pytest.fixture(scope="module")
def mixed(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mixed]:
    """Broker 1 is Apache Kafka's, the others and the controller are ours."""
    folder = tmp_path_factory.mktemp("killed")
    with Mixed(folder, kafka_jars, theirs={THEIRS}, brokers=3, settings=SETTINGS) as cluster:
        cluster.start()
        cluster.create("led", PLACES)
        yield cluster


def fenced(mixed: Mixed) -> set[int]:
    return {id for id, broker in committed.image(mixed).brokers.items() if broker.fenced}


def leaders(mixed: Mixed) -> set[int]:
    """The brokers that lead partitions. A client might ask the broker that stands still."""
    topic = committed.image(mixed).topic("led")
    assert topic is not None
    return {partition.leader for partition in topic.partitions.values()}


@pytest.mark.spec("B-29")
@pytest.mark.parametrize("victim", [OURS, THEIRS])
def test_a_killed_brokers_partitions_are_led_elsewhere_and_its_next_process_is_taken(
    mixed: Mixed, victim: int
) -> None:
    load = DemoLoad(mixed.bootstrap, "led", [1.0] * len(PLACES), 200)
    load.start()
    stopped = mixed.nodes[OTHER].process
    assert stopped is not None
    mixed.until(lambda: len(load.acknowledged) > 50, "records are acknowledged")
    stopped.send_signal(signal.SIGSTOP)
    try:
        mixed.stop_node(victim, kill=True)
        mixed.until(lambda: fenced(mixed) == {victim}, "the killed one is fenced, and it alone")
        mixed.until(lambda: leaders(mixed).isdisjoint({victim, NO_LEADER}), "others lead")
    finally:
        stopped.send_signal(signal.SIGCONT)
    mixed.start_node(victim)
    mixed.until(lambda: not fenced(mixed), "its next process is taken", 60)
    before = len(load.acknowledged)
    mixed.until(lambda: len(load.acknowledged) > before + 50, "records are acknowledged", 60)
    load.finish()
    assert load.failed == []
