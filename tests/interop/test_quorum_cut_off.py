"""A voter is cut off from the other two, not stopped: nothing gets through, either way.

Relays between the voters let requests pass, or wait. Brokers and clients still reach all three, the
one that is cut off included: what it may not do is commit, or disturb the others when it is back.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka.admin import AdminClient, NewTopic
from tests.support.clients import audit
from tests.support.local import Local
from tests.support.quorum import describe, in_step, led
from tests.support.relay import Relay
from tests.support.waiting import eventually

from spindle.cli.demo.demo_load import DemoLoad
from spindle.wire.apis import Key

VOTERS = (100, 101, 102)
SETTINGS = {
    "offsets.topic.replication.factor": "2",
    "default.replication.factor": "2",
    # With more patience than by default: what slows this machine down changes no leader.
    "controller.quorum.fetch.timeout.ms": "5000",
}


class Wires:
    """The ways between voters, each direction on its own."""

    def __init__(self, cluster: Local) -> None:
        self._ports: dict[int, int] = {}
        for voter in VOTERS:
            port = cluster.nodes[voter].controller_port
            assert port is not None
            self._ports[voter] = port
        self._relays = {
            (one, other): Relay(self._ports[other])
            for one in VOTERS
            for other in VOTERS
            if one != other
        }
        for voter in VOTERS:
            node = cluster.nodes[voter]
            node.settings["controller.quorum.voters"] = ",".join(
                f"{other}@127.0.0.1:{self._way(voter, other)}" for other in VOTERS
            )
            cluster.write_config(node)

    def _way(self, one: int, other: int) -> int:
        return self._ports[one] if one == other else self._relays[one, other].port

    def cut(self, voter: int) -> None:
        """Let everything between a voter and the others wait."""
        for pair, relay in self._relays.items():
            if voter in pair:
                relay.hold(*Key)

    def mend(self) -> None:
        """Pass everything on, what has waited first: late, and out of date."""
        for relay in self._relays.values():
            relay.release()

    def leads(self, voter: int) -> bool:
        """Whether a voter takes itself for the leader."""
        return describe(self._ports[voter]) is not None

    def close(self) -> None:
        """End all connections."""
        for relay in self._relays.values():
            relay.close()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Two brokers and three controllers, not started."""
    folder = tmp_path_factory.mktemp("cut")
    with Local(folder, brokers=2, controllers=3, settings=SETTINGS) as two_and_three:
        yield two_and_three


@pytest.fixture(scope="module")
def wires(cluster: Local) -> Iterator[Wires]:
    """The ways between the voters of the cluster, which runs."""
    wires = Wires(cluster)
    cluster.start()
    yield wires
    wires.close()


def make_topic(cluster: Local, name: str) -> None:
    """Make a topic, as often as it takes."""

    def asked() -> bool:
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap, "log_level": 0})
        try:
            admin.create_topics([NewTopic(name, 1, 2)], request_timeout=10)[name].result(15)
        except Exception as error:  # librdkafka's errors have no common base but this
            return "exists" in str(error).lower()
        return True

    eventually(asked, f"topic {name} can be made", 90, 0.2)


@pytest.mark.timeout(300)
def test_a_voter_that_is_cut_off_neither_commits_nor_disturbs(cluster: Local, wires: Wires) -> None:
    cluster.create("steady", [[1, 2], [2, 1]])
    load = DemoLoad(cluster.bootstrap, "steady", [1.0, 1.0], 100)
    load.start()
    before = led(cluster)
    wires.cut(before.leader)
    after = led(cluster, not_by=before.leader, after=before.epoch)
    eventually(lambda: not wires.leads(before.leader), "the old leader gives up", 60, 0.1)
    make_topic(cluster, "without-the-old-leader")
    wires.mend()
    in_step(cluster, *VOTERS)
    assert led(cluster).epoch == after.epoch, "the node that comes back does not disturb the leader"

    follower = next(voter for voter in VOTERS if voter != after.leader)
    wires.cut(follower)
    make_topic(cluster, "without-a-follower")
    view = led(cluster)
    assert view.voters[follower] < view.high_watermark, "it gets nothing"
    wires.mend()
    in_step(cluster, *VOTERS, 1, 2)
    assert led(cluster).epoch == after.epoch, "nor does a follower"
    topics = cluster.admin.list_topics(timeout=20).topics
    assert {"without-the-old-leader", "without-a-follower"} <= set(topics)
    load.finish()
    assert audit(load, cluster.bootstrap, "steady") == load.sent
