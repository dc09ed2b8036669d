"""Many replicas of one broker turn bad at once: few requests tell the controller (K589-03).

The broker reaches its three controllers through relays, which count what it says and hold it up
while the active controller dies, or freezes with the request in its hands. Records flow all the
time. The tests share the cluster and run in order.
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import ElectionType, TopicPartition
from tests.interop.conftest import MEASURED
from tests.support import committed, damage
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.clients import audit
from tests.support.local import Local
from tests.support.ports import free_port
from tests.support.quorum import View, ask, in_step, led
from tests.support.relay import Relay
from tests.support.waiting import eventually

from spindle.cli.demo.demo_load import DemoLoad
from spindle.model.errors import Error
from spindle.model.ids import NodeId
from spindle.wire.apis import Key

TOPIC = "many"
PARTITIONS = 60
VICTIM = 1
VOTERS = (CONTROLLER_ID, CONTROLLER_ID + 1, CONTROLLER_ID + 2)
OFFLINE, ONLINE = 1, 2
FEW = 6
"""Requests that may tell of all: the first to find something does not wait for the last."""
PATIENCE = 120
SETTINGS = {
    # However slow this machine is, no broker is fenced while a controller is frozen: the last in
    # sync would be the broker whose replicas are bad, and then no other may lead.
    "broker.session.timeout.ms": "30000",
    "log.dir.scrub.max.bytes.per.second": "100000000",
    "log.dir.scrub.interval.ms": "500",
    "log.initial.task.delay.ms": "500",
    "replica.fetch.backoff.ms": "200",
    "auto.leader.rebalance.enable": "false",
}


@dataclass
class Scene:
    """A cluster, the relays of one broker to each of its controllers, and the load."""

    cluster: Local
    relays: dict[NodeId, Relay]
    load: DemoLoad
    epochs: list[list[Any]]
    """What the broker said in each of its lives."""

    def each(self, act: Callable[[Relay], None]) -> None:
        """Do something with every relay."""
        for relay in self.relays.values():
            act(relay)

    def said(self, state: int) -> list[Any]:
        """The requests that the broker has sent since `forget`, of one state."""
        bodies = [
            seen.body for r in self.relays.values() for seen in r.seen(Key.ALTER_REPLICA_STATE)
        ]
        return [body for body in bodies if body.new_state == state]

    def hurt(self) -> None:
        """Damage every replica of the broker; wait until it knows, and cannot say it."""
        self.each(lambda relay: relay.forget())
        self.each(lambda relay: relay.hold(Key.ALTER_REPLICA_STATE))
        for number in range(PARTITIONS):
            damage.flip(damage.segments(self.log_of(number))[0])
        self.cluster.until(
            lambda: self.offline_replicas() == PARTITIONS, "all are known to be bad", PATIENCE
        )
        eventually(lambda: self.said(OFFLINE), "it has begun to say so", PATIENCE)

    def log_of(self, number: int) -> Path:
        """Where the broker has a replica."""
        name = f"{TOPIC}-{number}"
        (found,) = [
            p / name for p in map(Path, self.cluster.log_dirs(VICTIM)) if (p / name).is_dir()
        ]
        return found

    def offline_replicas(self) -> float:
        """How many replicas the broker cannot serve, as its metrics say."""
        told = self.cluster.metrics(VICTIM)
        return told["kafka_server_replicamanager_offlinereplicacount"]

    def is_whole(self) -> bool:
        """Whether every replica is in sync."""
        return all(isr == {1, 2, 3} for _, isr in self.cluster.state(TOPIC).values())

    def heal(self) -> None:
        """Wait until all is reported and every replica is back; the others lead and go on."""
        self.cluster.until(
            lambda: self.offline_replicas() == 0 and self.is_whole(), "all are back", PATIENCE
        )
        assert not [n for n, (leader, _) in self.cluster.state(TOPIC).items() if leader == VICTIM]
        self.go_on()

    def go_on(self) -> None:
        """More records are acknowledged."""
        wanted = len(self.load.acknowledged) + 200
        eventually(lambda: len(self.load.acknowledged) >= wanted, "records flow", PATIENCE)

    def lead_again(self) -> None:
        """Have the broker lead half of the partitions, as in the beginning."""
        asked = [TopicPartition(TOPIC, number) for number in range(PARTITIONS)]
        self.cluster.admin.elect_leaders(ElectionType.PREFERRED, asked).result(20)
        wanted = {n: 1 + n % 2 for n in range(PARTITIONS)}
        self.cluster.until(
            lambda: {n: s[0] for n, s in self.cluster.state(TOPIC).items()} == wanted,
            "leaders are as they were",
            PATIENCE,
        )


def named(bodies: list[Any]) -> Counter[int]:
    """How often each partition is named."""
    return Counter(n for body in bodies for topic in body.topics for n in topic.partitions)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Three brokers and three controllers; the first broker leads half of the partitions."""
    folder = tmp_path_factory.mktemp("told")
    with ExitStack() as stack:
        cluster = Local(folder, controllers=3, settings=SETTINGS)
        relays = {
            voter: stack.enter_context(Relay(cluster.nodes[voter].controller_port or 0))
            for voter in VOTERS
        }
        stack.enter_context(cluster)
        node = cluster.nodes[VICTIM]
        node.settings["metrics.port"] = str(free_port())
        node.settings["controller.quorum.voters"] = ",".join(
            f"{voter}@127.0.0.1:{relay.port}" for voter, relay in relays.items()
        )
        cluster.write_config(node)
        cluster.start()
        orders = [(1, 2, 3), (2, 1, 3)]
        cluster.create(TOPIC, [orders[n % 2] for n in range(PARTITIONS)], min_insync_replicas="2")
        load = DemoLoad(cluster.bootstrap, TOPIC, [1.0] * PARTITIONS, 300)
        load.start()
        scene = Scene(cluster, relays, load, [])
        cluster.until(
            lambda: set(load.acknowledged.partition) == set(range(PARTITIONS)), "all have records"
        )
        yield scene
        load.finish()


def kill(scene: Scene, active: View) -> NodeId:
    """The active controller dies before it has heard anything."""
    scene.cluster.stop_node(active.leader, kill=True)
    led(scene.cluster, not_by=active.leader, after=active.epoch)
    scene.each(lambda relay: relay.release())
    return active.leader


def freeze(scene: Scene, active: View) -> NodeId:
    """The active controller gets the request, and does not get to it until another one leads."""
    process = scene.cluster.nodes[active.leader].process
    assert process is not None
    process.send_signal(signal.SIGSTOP)
    scene.each(lambda relay: relay.release())
    led(scene.cluster, not_by=active.leader, after=active.epoch)
    return active.leader


@pytest.mark.timeout(400)
@pytest.mark.spec("K589-03", "K589-02", "K589-04")
@pytest.mark.parametrize("fault", [kill, freeze])
def test_all_is_reported_at_once_to_the_controller_that_leads_in_the_end(
    scene: Scene,
    fault: Callable[[Scene, View], NodeId],
    record_property: Callable[[str, object], None],
) -> None:
    cluster = scene.cluster
    scene.lead_again()
    scene.hurt()
    active = led(cluster)
    first = scene.said(OFFLINE)
    hit = fault(scene, active)
    try:
        scene.heal()
    finally:
        process = cluster.nodes[hit].process
        if process is None:
            cluster.start_node(hit, wait=False)
        else:
            process.send_signal(signal.SIGCONT)
    in_step(cluster, *VOTERS)
    offline, online = scene.said(OFFLINE), scene.said(ONLINE)
    assert set(named(offline)) == set(named(online)) == set(range(PARTITIONS))
    later = [body for body in offline if all(body is not one for one in first)]
    assert set(named(later)) == set(range(PARTITIONS)), "what got lost is repeated"
    assert len(offline) <= FEW, [sum(named([body]).values()) for body in offline]
    epochs = {body.broker_epoch for body in (*offline, *online)}
    assert len(epochs) == 1
    scene.epochs.append([*offline, *online])
    # The one that came back has nothing to add: another one decided what it had in hand.
    assert scene.is_whole()
    record_property(
        MEASURED,
        f"{PARTITIONS} bad replicas, the controller {fault.__name__}s: reported in {len(offline)} "
        f"requests, back in {len(online)}",
    )


@pytest.mark.spec("K589-03", "K589-01")
def test_what_an_earlier_life_of_the_broker_said_changes_nothing(scene: Scene) -> None:
    """The same requests once more, as a network may repeat them, after the broker has restarted."""
    cluster = scene.cluster
    repeated = [body for life in scene.epochs for body in life]
    assert repeated
    cluster.restart(VICTIM)
    cluster.until(scene.is_whole, "the broker is back", PATIENCE)
    before = states(cluster)
    leader = led(cluster).leader
    port = cluster.nodes[leader].controller_port
    assert port is not None
    said = [Error(ask(port, body, 20).error_code) for body in repeated]
    assert said == [Error.STALE_BROKER_EPOCH] * len(repeated)
    assert states(cluster) == before
    assert scene.offline_replicas() == 0


def states(cluster: Local) -> dict[int, Any]:
    """Every partition as the metadata log has it, once all of it is in the first controller's."""
    in_step(cluster, CONTROLLER_ID)
    topic = committed.image(cluster).topic(TOPIC)
    assert topic is not None
    return dict(topic.partitions)


def test_nothing_was_lost(scene: Scene) -> None:
    scene.go_on()
    scene.load.finish()
    assert audit(scene.load, scene.cluster.bootstrap, TOPIC) == scene.load.sent
