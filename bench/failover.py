"""How long the cluster is without a decision: a controller is killed, a disk full of leaders dies.

Both peers are the test suites' clusters, which have the same shape: the same properties, the same
directories, the same preloaded fault shim, and a relay before the controller where its requests
are to be weighed. The peers take turns; one that was hurt is restarted and whole before the next.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.support.apache_kafka import CONTROLLER_ID, ApacheKafka
from tests.support.quorum import ask, in_step, led
from tests.support.relay import Relay, Seen
from tests.support.waiting import eventually
from tools.messages.entities import make, request_types

from bench.measures import Figures
from bench.peers import NAMES, new_cluster, preloaded
from spindle.cli.demo.demo_load import DemoLoad
from spindle.client.admin import AdminClient
from spindle.client.failures import Refused
from spindle.client.results import NewTopic, Replica
from spindle.model.errors import Error, Failure
from spindle.model.ids import TopicPartition
from spindle.wire.apis import Key

VICTIM, WITNESS, OTHER = 3, 1, 2
PATIENCE = 180.0
ATTEMPT = 1.0
"""Seconds after which a client that hears nothing asks again."""
PAUSE = 0.02
RATE = 200.0
LEADERS = 2_000


def killed_controllers(home: Path, rounds: int) -> Iterator[tuple[str, Figures]]:
    """Time from the death of the active one of three controllers until a topic is made."""
    peers = {name: new_cluster(name, home / "controllers", controllers=3) for name in NAMES}
    try:
        for peer in peers.values():
            peer.start()
        for round_ in range(rounds):
            for name, cluster in peers.items():
                active = led(cluster).leader
                cluster.stop_node(active, kill=True)
                seconds = made_after(cluster, f"failover-{round_}")
                cluster.start_node(active, wait=False)
                in_step(cluster, active)
                yield name, {"controller killed: topic made after s": seconds}
    finally:
        for cluster in peers.values():
            cluster.kill()


def made_after(cluster: ApacheKafka, topic: str) -> float:
    """Seconds until a topic can be made, by a client that asks again and again."""

    async def make_it() -> float:
        began = time.monotonic()
        async with AdminClient(cluster.bootstrap, timeout=ATTEMPT) as admin:
            while True:
                try:
                    await admin.create_topics([NewTopic(topic, 1, 3)]).all()
                    break
                except Refused as refused:
                    if refused.error == Error.TOPIC_ALREADY_EXISTS:
                        break  # An attempt before was heard after all.
                except Failure:
                    pass
                assert time.monotonic() < began + PATIENCE, f"{topic} cannot be made"
                await asyncio.sleep(PAUSE)
        return time.monotonic() - began

    return asyncio.run(make_it())


def dead_disks(home: Path, shim: Path, rounds: int, leaders: int) -> Iterator[tuple[str, Figures]]:
    """Time from the death of a disk of leaders until all are led elsewhere; how it is reported."""
    peers = {name: new_cluster(name, home / "disks") for name in NAMES}
    relays = {name: _relayed(cluster) for name, cluster in peers.items()}
    try:
        for cluster in peers.values():
            with preloaded(shim, _doomed(cluster)):
                cluster.start()
            _fill(cluster, leaders)
        for _ in range(rounds):
            for name, cluster in peers.items():
                yield name, _disk_dies(cluster, relays[name], shim, leaders)
    finally:
        for cluster in peers.values():
            cluster.kill()
        for relay in relays.values():
            relay.close()


def _disk_dies(cluster: ApacheKafka, relay: Relay, shim: Path, leaders: int) -> Figures:
    doomed = _doomed(cluster)
    marker = doomed.with_name(doomed.name + ".broken")
    # An idle disk's death may go unnoticed for long: a client writes to one of its partitions.
    load = DemoLoad(cluster.bootstrap, "led", [1.0] + [0.0] * (leaders - 1), RATE)
    load.start()
    try:
        eventually(lambda: len(load.acknowledged) > RATE, "records are acknowledged", PATIENCE)
        relay.forget()
        began = time.monotonic()
        marker.write_text("EIO")
        _until(lambda: not _led_by(cluster, VICTIM) and not _led_by(cluster, -1), "all are led")
        seconds = time.monotonic() - began
        told = [len(seen.frame) for seen in relay.seen() if _tells(seen)]
    finally:
        load.finish()
        marker.unlink(missing_ok=True)
    cluster.stop_node(VICTIM, kill=True)
    with preloaded(shim, doomed):
        cluster.start_node(VICTIM)
    _lead_again(cluster, leaders)
    return {
        f"disk of {leaders} leaders dies: all led after s": seconds,
        f"disk of {leaders} leaders dies: bytes that tell it": float(min(told)),
    }


def _tells(seen: Seen) -> bool:
    """Whether a request tells the controller of a failed directory."""
    return seen.header.api_key == Key.BROKER_HEARTBEAT and bool(seen.body.offline_log_dirs)


# --- scenes -------------------------------------------------------------------------------------


def _doomed(cluster: ApacheKafka) -> Path:
    return cluster.nodes[VICTIM].log_dirs[-1]


def _relayed(cluster: ApacheKafka) -> Relay:
    """Have the victim reach its controller through a relay."""
    node = cluster.nodes[VICTIM]
    relay = Relay(cluster.nodes[CONTROLLER_ID].controller_port or 0)
    node.settings["controller.quorum.voters"] = f"{CONTROLLER_ID}@127.0.0.1:{relay.port}"
    cluster.write_config(node)
    return relay


def _fill(cluster: ApacheKafka, leaders: int) -> None:
    """A topic whose partitions are all led from the directory that is going to die."""
    assignment: dict[int, tuple[int, ...]] = {
        n: (VICTIM, WITNESS if n % 2 else OTHER) for n in range(leaders)
    }
    doomed = str(_doomed(cluster))

    async def fill() -> None:
        async with AdminClient(cluster.bootstrap, timeout=PATIENCE) as admin:
            wishes = {Replica("led", n, VICTIM): doomed for n in range(leaders)}
            await admin.alter_replica_log_dirs(wishes).settled()  # remembered for later
            await admin.create_topics([NewTopic("led", assignment=assignment)]).all()
            deadline = time.monotonic() + PATIENCE
            while True:
                described = await admin.describe_log_dirs([VICTIM])[VICTIM]
                (found,) = [d for d in described if d.path == doomed]
                if sum(place.topic == "led" for place in found.current) == leaders:
                    return
                assert time.monotonic() < deadline, "not all replicas are where they were wished"
                await asyncio.sleep(0.5)

    asyncio.run(fill())
    _until(lambda: _led_by(cluster, VICTIM) == leaders, "all are led by the victim")


def _lead_again(cluster: ApacheKafka, leaders: int) -> None:
    """The victim is back: its replicas catch up and lead again."""

    async def elect() -> None:
        async with AdminClient(cluster.bootstrap, timeout=PATIENCE) as admin:
            partitions = [TopicPartition("led", n) for n in range(leaders)]
            await admin.elect_leaders(partitions).settled()

    def all_lead() -> bool:
        if _led_by(cluster, VICTIM) == leaders:
            return True
        asyncio.run(elect())
        return False

    _until(all_lead, "all are led by the victim again")


def _until(look: Callable[[], object], what: str) -> None:
    eventually(look, what, PATIENCE, 0.05)


def _led_by(cluster: ApacheKafka, leader: int) -> int:
    """How many of the partitions the witness takes to be led by a broker."""
    types = request_types(Key.METADATA, 12)
    topic = make(types.MetadataRequestTopic, name="led", topic_id=None)
    request = make(types.MetadataRequest, topics=(topic,), allow_auto_topic_creation=False)
    port = cluster.nodes[WITNESS].port
    (answer,) = ask(port, request, 10).topics
    return sum(int(p.leader_id) == leader for p in answer.partitions)
