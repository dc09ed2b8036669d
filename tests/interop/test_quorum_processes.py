"""Three Spindle controllers as processes: killed, frozen, restarted, with clients going on.

The tests share a cluster, run in order, and make a topic after each fault; the last one looks up
every topic that was ever made and every record that was acknowledged.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, NewTopic
from tests.support.clients import audit
from tests.support.local import Local
from tests.support.processes import tied
from tests.support.quorum import View, ask, describe, in_step, led, quorum_of
from tests.support.waiting import eventually
from tools.messages.entities import make, request_types

from spindle.cli.demo.demo_load import DemoLoad
from spindle.model.errors import Error
from spindle.wire.apis import Key

VOTERS = (100, 101, 102)
SETTINGS = {
    "offsets.topic.replication.factor": "2",
    "default.replication.factor": "2",
    # With more patience than by default: what slows this machine down changes no leader.
    "controller.quorum.fetch.timeout.ms": "5000",
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Two brokers and three controllers."""
    folder = tmp_path_factory.mktemp("three")
    with Local(folder, brokers=2, controllers=3, settings=SETTINGS) as three:
        three.start()
        yield three


@pytest.fixture(scope="module")
def load(cluster: Local) -> Iterator[DemoLoad]:
    """A producer that goes on through all tests."""
    cluster.create("steady", [[1, 2], [2, 1]])
    load = DemoLoad(cluster.bootstrap, "steady", [1.0, 1.0], 100)
    load.start()
    yield load
    load.finish()


@pytest.fixture(scope="module")
def made() -> list[str]:
    """Names of the topics made so far."""
    return []


def make_topic(cluster: Local, made: list[str], name: str) -> None:
    """Make a topic, as often as it takes: a dying controller may have heard the first request."""

    def asked() -> bool:
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap, "log_level": 0})
        try:
            admin.create_topics([NewTopic(name, 2, 2)], request_timeout=10)[name].result(15)
        except Exception as error:  # librdkafka's errors have no common base but this
            return "already exists" in str(error) or "EXISTS" in str(error)
        return True

    eventually(asked, f"topic {name} can be made", 60, 0.2)
    made.append(name)


def go_on(load: DemoLoad) -> None:
    """Some more records are acknowledged."""
    wanted = len(load.acknowledged) + 20
    eventually(lambda: len(load.acknowledged) >= wanted, "records are acknowledged", 60)


def kill(cluster: Local, load: DemoLoad, made: list[str]) -> None:
    before = led(cluster)
    cluster.stop_node(before.leader, kill=True)
    after = led(cluster, not_by=before.leader, after=before.epoch)
    make_topic(cluster, made, f"made-in-{after.epoch}")
    cluster.start_node(before.leader, wait=False)
    in_step(cluster, before.leader)


def freeze(cluster: Local, load: DemoLoad, made: list[str]) -> None:
    """The leader is cut off; when it is back it still believes to lead, and must not."""
    before = led(cluster)
    process = cluster.nodes[before.leader].process
    assert process is not None
    process.send_signal(signal.SIGSTOP)
    try:
        after = led(cluster, not_by=before.leader, after=before.epoch)
        make_topic(cluster, made, f"made-in-{after.epoch}")
    finally:
        process.send_signal(signal.SIGCONT)
    in_step(cluster, before.leader)
    assert led(cluster).epoch == after.epoch, "the node that comes back does not disturb the leader"


def minority(cluster: Local, load: DemoLoad, made: list[str]) -> None:
    """Both followers are gone: nothing is committed, and nothing that was is lost."""
    before = led(cluster)
    followers = [voter for voter in VOTERS if voter != before.leader]
    for voter in followers:
        cluster.stop_node(voter, kill=True)
    eventually(lambda: quorum_of(cluster) is None, "the leader gives up", 60)
    go_on(load)
    for voter in followers:
        cluster.start_node(voter, wait=False)
    after = led(cluster, after=before.epoch)
    make_topic(cluster, made, f"made-in-{after.epoch}")
    in_step(cluster, *VOTERS)


def everything(cluster: Local, load: DemoLoad, made: list[str]) -> None:
    """The power fails for all of them at once."""
    before = led(cluster)
    for node in cluster.nodes:
        cluster.stop_node(node, kill=True)
    for node in cluster.nodes:
        cluster.start_node(node, wait=False)
    cluster.wait_until_serving()
    after = led(cluster, after=before.epoch)
    make_topic(cluster, made, f"made-in-{after.epoch}")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("fault", [kill, freeze, minority, everything])
def test_topics_can_be_made_again_after(
    fault: Callable[[Local, DemoLoad, list[str]], None],
    cluster: Local,
    load: DemoLoad,
    made: list[str],
) -> None:
    fault(cluster, load, made)
    go_on(load)


def test_nothing_was_lost(cluster: Local, load: DemoLoad, made: list[str]) -> None:
    load.finish()
    assert audit(load, cluster.bootstrap, "steady") == load.sent
    in_step(cluster, *VOTERS, 1, 2)
    assert len(made) == len(set(made)) == 4
    assert set(made) <= set(cluster.admin.list_topics(timeout=20).topics)
    cluster.until(
        lambda: all(isr == {1, 2} for name in made for _, isr in cluster.state(name).values()),
        "all is in sync",
        60,
    )


@pytest.mark.spec("K589-01")
def test_only_the_active_controller_takes_replica_states(cluster: Local) -> None:
    """The others say NOT_CONTROLLER, whatever else is wrong with the request, and write nothing."""
    cluster.until(lambda: cluster.state("steady")[0][1] == {1, 2}, "all is in sync", 60)
    before = in_step(cluster, *VOTERS)
    t = request_types(Key.ALTER_REPLICA_STATE, 0)
    topic = make(t.TopicData, name="steady", partitions=(0,))
    request = make(
        t.AlterReplicaStateRequest,
        broker_id=1,
        broker_epoch=-7,
        new_state=1,
        reason="by hand",
        topics=(topic,),
    )
    said = {
        voter: Error(ask(port, request, 20).error_code)
        for voter in VOTERS
        if (port := cluster.nodes[voter].controller_port) is not None
    }
    followers = dict.fromkeys(set(VOTERS) - {before.leader}, Error.NOT_CONTROLLER)
    assert said == {before.leader: Error.STALE_BROKER_EPOCH, **followers}
    assert cluster.state("steady")[0][1] == {1, 2}


def test_a_broker_stops_without_controllers_that_cannot_come(cluster: Local) -> None:
    """The last test with this cluster: a majority of its controllers is gone."""
    for voter in VOTERS[:2]:
        cluster.stop_node(voter, kill=True)
    cluster.stop_node(1)
    assert "none can be elected" in cluster.nodes[1].log.read_text()


@pytest.mark.timeout(180)
@pytest.mark.parametrize("end", [psutil.Process.terminate, psutil.Process.kill])
def test_a_leader_that_stops_or_dies_has_a_successor_before_it_is_missed(
    end: Callable[[psutil.Process], None], tmp_path: Path
) -> None:
    """Fetches would time out after two minutes: one that stops says so, one that dies refuses."""
    command = [sys.executable, "-m", "spindle", "up", "--brokers", "3", "--dirs", "1", "--port"]
    command += ["0", "--controllers", "3", "--combined", "--json", "--data", str(tmp_path)]
    patience = ["--setting", "controller.quorum.fetch.timeout.ms=120000"]
    with subprocess.Popen(tied([*command, *patience]), stdout=subprocess.PIPE) as up:
        try:
            assert up.stdout is not None
            told = json.loads(up.stdout.readline())
            ports = [int(address.rpartition(":")[2]) for address in told["controllers"].split(",")]
            before = leading(ports)
            (process,) = [
                p
                for p in psutil.Process(up.pid).children(recursive=True)
                if any(c.laddr.port == ports[before.leader - 1] for c in listening(p))
            ]
            end(process)
            eventually(lambda: not process.is_running(), "the leader stops", 60)
            after = leading(ports)
            assert after.leader != before.leader
            eventually(lambda: makes(told["bootstrap"], "afterwards"), "a topic is made", 60)
        finally:
            up.kill()


def leading(ports: list[int]) -> View:
    """What the leader says, as soon as one does."""
    views = eventually(lambda: [v for p in ports if (v := describe(p))], "a voter leads", 60, 0.1)
    return views[0]


def listening(process: psutil.Process) -> list[Any]:
    """The sockets at which a process takes connections; none if it has just ended."""
    with suppress(psutil.NoSuchProcess):
        return [c for c in process.net_connections("tcp4") if c.status == psutil.CONN_LISTEN]
    return []


def makes(bootstrap: str, topic: str) -> bool:
    """Whether a client that has just come gets its topic.

    One that knows only a broker which is dead, but not yet fenced, would ask it for ever.
    """
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    try:
        admin.create_topics([NewTopic(topic, 1, 2)], request_timeout=5)[topic].result(10)
    except KafkaException as error:
        return bool(error.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS)
    return True
