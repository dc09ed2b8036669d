"""No request that can be read reaches a bug, whatever it says (N-05).

Whole clusters in the simulated world, where a bug rises: absurd requests of every API in every
version come to brokers and controllers, some of them in good company on one connection. Afterwards
every node runs, and the cluster does what it is asked.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.support.hostile import Hostile
from tools.messages.entities import make, ms, request_types
from tools.messages.frames import encode_message

from spindle.node.handlers import BROKER
from spindle.node.node import Node
from spindle.sim.sim_cluster import Shape, SimCluster, SimNode
from spindle.sim.world import World
from spindle.wire.apis import TABLE, Key

SEEDS = 6
REQUESTS = 400
TOPICS = ("plain", "compacted")
BELIEVED = {
    Key.VOTE, Key.BEGIN_QUORUM_EPOCH, Key.END_QUORUM_EPOCH,  # may end an epoch
    Key.UNREGISTER_BROKER, Key.BROKER_HEARTBEAT, Key.BROKER_REGISTRATION,  # may end a broker
    Key.DELETE_TOPICS, Key.UPDATE_FEATURES,
}  # fmt: skip
"""What changes the cluster itself comes in half of the seeds: the others keep what they have."""


class Attack:
    """A cluster with two topics, and connections of a client that means no good."""

    def __init__(self, seed: int) -> None:
        self.world = World(seed)
        self.cluster = SimCluster(self.world, Shape(brokers=2, dirs=2))
        self.cluster.start()
        self.cluster.until(self.cluster.serves)
        self.rng = random.Random(f"hostile {seed}")
        self.hostile = Hostile(self.rng, (*TOPICS, self.cluster.cluster_id))
        self.connections = 1_000_000
        self._make_topics()

    def _make_topics(self) -> None:
        t = request_types(Key.CREATE_TOPICS, 7)
        topics = tuple(
            make(
                t.CreatableTopic,
                name=name,
                num_partitions=2,
                replication_factor=2,
                configs=(make(t.CreatableTopicConfig, name="cleanup.policy", value=policy),),
            )
            for name, policy in zip(TOPICS, ("delete", "compact"), strict=True)
        )
        request = make(t.CreateTopicsRequest, topics=topics, timeout=ms(5000))
        self.send(self.cluster.brokers[0], encode_message(request, 1, "good"))
        self.cluster.until(lambda: set(TOPICS) <= self.cluster.newest.topic_ids.keys())
        self.hostile.ids.extend(self.cluster.newest.topic_ids[name] for name in TOPICS)
        for broker in self.cluster.newest.brokers.values():
            self.hostile.ids.extend(broker.log_dirs)

    def send(self, member: SimNode, *frames: bytes) -> None:
        """Have a new connection bring these requests to a node, on each of its listeners."""
        for listener in member.config.listeners:
            node = member.node
            if node is None:
                return
            self.connections += 1
            number = self.connections

            def come(node: Node = node, name: str = listener.name, number: int = number) -> None:
                node.on_connected(number, name, "evil")
                for frame in frames:
                    node.on_frame(number, frame)

            self.world.feed(member.host, come)

    def attack(self, keys: list[Key]) -> None:
        """Bring requests of some APIs to all nodes, and let some time pass."""
        wanted = [self.rng.choice(keys) for _ in range(self.rng.choice((1, 1, 4)))]
        made: list[Any] = []
        frames: list[bytes] = []
        for key in wanted:
            version = self.rng.randrange(TABLE[key].readable_from, TABLE[key].max + 1)
            entity, frame = self.hostile.message(key, version)
            made.append(entity)
            frames.append(frame)
        try:
            for member in self.cluster.members.values():
                self.send(member, *frames)
            self.world.time.run(self.world.time.now + self.rng.choice((0.0, 0.01, 0.2)))
        except Exception as bug:
            bug.add_note(f"after {made}")
            raise


@pytest.mark.spec("N-05")
@pytest.mark.parametrize("seed", range(SEEDS))
def test_absurd_requests_reach_no_bug(seed: int) -> None:
    attack = Attack(seed)
    keys = [Key(key) for key in TABLE if seed % 2 or key not in BELIEVED]
    for _ in range(REQUESTS):
        attack.attack(keys)
    attack.world.time.run(attack.world.time.now + 30)
    if seed % 2 == 0:
        halted = {m.host.name: m.host.halted for m in attack.cluster.members.values()}
        assert not any(halted.values()), halted
        assert attack.cluster.serves()


@pytest.mark.spec("N-05")
def test_a_bug_in_a_handler_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def impossible(*_: object) -> None:
        raise AssertionError("the promoted log ends at 7")

    monkeypatch.setattr(BROKER[Key.LIST_GROUPS], "handle", impossible)
    attack = Attack(0)
    with pytest.raises(AssertionError, match="the promoted log ends at 7"):
        attack.attack([Key.LIST_GROUPS])
