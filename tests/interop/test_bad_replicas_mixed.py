"""A bad replica beside Apache Kafka's controller; its copy under a broker of Kafka's (K589-05).

The controller lacks AlterReplicaState: the broker reports by an assignment to LOST, and back.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from tests.interop.test_bad_replicas import (
    PATIENCE,
    RECORDS,
    SETTINGS,
    filled,
    healed,
    log_of,
)
from tests.support import committed, damage
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.clients import values
from tests.support.directory_world import directory_id
from tests.support.mixed import Mixed
from tests.support.relay import Relay

from spindle.model.ids import LOST, DirectoryId
from spindle.wire.apis import Key


def assigned(cluster: Mixed) -> DirectoryId:
    """The directory that the metadata names for the first broker's replica."""
    return committed.assigned(cluster, 1, "mixed")["mixed"]


LARGE = [record + b"y" * 12_000 for record in RECORDS]
"""As many, for segments of the least size that Apache Kafka allows."""


@pytest.fixture
def beside(kafka_jars: Path, tmp_path: Path) -> Iterator[tuple[Mixed, Relay]]:
    """Three Spindle brokers beside Apache Kafka's controller, and what the first one tells it."""
    cluster = Mixed(tmp_path, kafka_jars, theirs={CONTROLLER_ID}, brokers=3, settings=SETTINGS)
    port = cluster.nodes[CONTROLLER_ID].controller_port
    assert port is not None
    with Relay(port) as relay, cluster:
        node = cluster.nodes[1]
        node.settings["controller.quorum.voters"] = f"{CONTROLLER_ID}@127.0.0.1:{relay.port}"
        cluster.write_config(node)
        cluster.start()
        yield cluster, relay


@pytest.mark.kafka
@pytest.mark.spec("K589-05", "K589-02", "K589-04")
def test_beside_apache_kafkas_controller_an_assignment_says_it(
    beside: tuple[Mixed, Relay],
) -> None:
    cluster, relay = beside
    filled(cluster, "mixed", [1, 2, 3], LARGE, 1 << 20)
    first = directory_id(cluster.nodes[1].log_dirs[0])
    cluster.until(lambda: assigned(cluster) == first, "the controller knows its place", PATIENCE)
    cluster.restart(1)
    cluster.lead(1, "mixed")
    relay.forget()
    damage.flip(damage.sealed(log_of(cluster, 1, "mixed")))
    assert values(cluster.bootstrap, "mixed") == LARGE
    copy = healed(cluster, "mixed", 1)
    assert cluster.state("mixed")[0][0] in (2, 3)
    mixed = committed.image(cluster).topic_ids["mixed"]

    def reported() -> list[DirectoryId]:
        """What was said, in its order; what had no answer in time may be said again."""
        every = (
            directory.id_
            for seen in relay.seen(Key.ASSIGN_REPLICAS_TO_DIRS)
            for directory in seen.body.directories
            if mixed in [topic.topic_id for topic in directory.topics]
        )
        return [id for id, _ in groupby(every)]

    cluster.until(lambda: assigned(cluster) == first, "it is in its place again", PATIENCE)
    assert reported() == [LOST, first]
    keys = {seen.header.api_key for seen in relay.seen()}
    assert not [key for key in keys if key >= 30_000]
    # Apache Kafka takes the broker over: it opens the bad copy, gives its last indexes room, and
    # leaves the records and the mark alone.
    names = [p.name for p in copy.iterdir() if p.suffix == ".log" or p.name == "replica-bad"]
    contents = {name: (copy / name).read_bytes() for name in names}
    cluster.stop_node(1)
    cluster.theirs.add(1)
    cluster.start_node(1)
    cluster.until(lambda: cluster.state("mixed")[0][1] == {1, 2, 3}, "it serves", PATIENCE)
    assert {name: (copy / name).read_bytes() for name in names} == contents
