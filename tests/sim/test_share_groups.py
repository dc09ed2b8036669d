"""Share groups over whole clusters in the simulated world: members, leaders and coordinators that
die, and records that are looked for one by one (KIP-932)."""

from __future__ import annotations

import random
import uuid
from typing import Any

import pytest
from tests.support.amounts import beyond

from spindle.model.batches import Record
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import NodeId, TopicId
from spindle.sim.client import Client
from spindle.sim.host import Host
from spindle.sim.sim_cluster import Shape, SimCluster
from spindle.sim.world import World
from spindle.wire import batch as batches
from spindle.wire.codec import Request, Response
from spindle.wire.messages import create_topics_request as creating
from spindle.wire.messages import incremental_alter_configs_request as altering
from spindle.wire.messages import produce_request as producing
from spindle.wire.messages import share_acknowledge_request as acknowledging
from spindle.wire.messages import share_fetch_request as fetching
from spindle.wire.messages.find_coordinator_request import FindCoordinatorRequest
from spindle.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest

pytestmark = [pytest.mark.spec("C-04")]
ACCEPT, RELEASE, REJECT = 1, 2, 3


class Caller(Client):
    """A client that asks what the test says."""

    def begin(self) -> None:
        """Wait for the test to ask."""


class ShareWorld:
    """A cluster, one topic, and a client that speaks for all members of a group."""

    def __init__(self, seed: int, partitions: int = 2) -> None:
        self.rng = random.Random(f"share {seed}")
        self.world = World(seed)
        self.cluster = SimCluster(self.world, Shape(brokers=3, dirs=1))
        self.cluster.start()
        self.cluster.until(self.cluster.serves)
        history: Any = None
        self.client = Caller("caller", self.rng, self.cluster.bootstrap, history)
        self.host = Host("caller", {})
        self.world.start(self.host, self.client)
        self.partitions = partitions
        self._make()

    @property
    def topic_id(self) -> TopicId:
        return self.cluster.newest.topic_ids["t"]

    def call(self, node: NodeId | None, request: Request[Any], version: int) -> Any:
        """Ask a broker, and let time pass until it has answered; None: it never will."""
        told: list[Response | PeerFailed] = []
        self.world.feed(
            self.host,
            lambda: self.client.ask(node, request, told.append, timeout=20.0, version=version),
        )
        self.cluster.until(lambda: bool(told), 60.0)
        return None if isinstance(told[0], PeerFailed) else told[0]

    def until(self, what: Any, seconds: float = 60.0) -> Any:
        """Try again until it gives something."""
        end = self.client.out.now + seconds
        while not (found := what()):
            assert self.client.out.now < end, "it takes too long"
            self.rest(0.5)
        return found

    def rest(self, seconds: float) -> None:
        end = self.client.out.now + seconds
        done: list[None] = []

        def wait() -> None:
            self.client.out.after(seconds, lambda: done.append(None))

        self.world.feed(self.host, wait)
        self.cluster.until(lambda: bool(done), 2 * seconds + 1)
        assert self.client.out.now >= end

    def _make(self) -> None:
        topic = creating.CreatableTopic(
            name="t", num_partitions=self.partitions, replication_factor=3
        )
        self.until(
            lambda: self.call(
                None, creating.CreateTopicsRequest(topics=(topic,), timeout_ms=5000), 7
            )
        )
        self.cluster.until(lambda: "t" in self.cluster.newest.topic_ids)
        setting = altering.AlterableConfig(
            name="share.auto.offset.reset", config_operation=0, value="earliest"
        )
        lock = altering.AlterableConfig(
            name="share.record.lock.duration.ms", config_operation=0, value="15000"
        )
        resource = altering.AlterConfigsResource(
            resource_type=32, resource_name="g", configs=(setting, lock)
        )
        self.until(
            lambda: self.call(
                None, altering.IncrementalAlterConfigsRequest(resources=(resource,)), 1
            )
        )

    def leader(self, number: int) -> NodeId:
        found: NodeId = self.until(lambda: self._leader(number))
        return found

    def _leader(self, number: int) -> NodeId | None:
        state = self.cluster.newest.topic("t").partitions[number]  # type: ignore[union-attr]
        return state.leader if state.leader >= 0 else None

    def produce(self, number: int, values: list[int]) -> None:
        """Write records; they are there when it returns."""
        made = batches.build(Record(n, 1, b"", b"%d" % v) for n, v in enumerate(values))
        data = producing.PartitionProduceData(index=number, records=[made.data])
        topic = producing.TopicProduceData(name="t", partition_data=(data,))
        request = producing.ProduceRequest(acks=-1, timeout_ms=5000, topic_data=(topic,))

        def written() -> bool:
            told = self.call(self.leader(number), request, 9)
            return told is not None and not told.responses[0].partition_responses[0].error_code

        self.until(written)

    # --- members --------------------------------------------------------------------------------

    def coordinator(self) -> NodeId:
        def found() -> Any:
            told = self.call(None, FindCoordinatorRequest(key_type=0, coordinator_keys=("g",)), 6)
            return told if told and not told.coordinators[0].error_code else None

        return NodeId(int(self.until(found).coordinators[0].node_id))

    def beat(self, member: str, epoch: int, topics: tuple[str, ...] | None = None) -> Any:
        request = ShareGroupHeartbeatRequest(
            group_id="g", member_id=member, member_epoch=epoch, subscribed_topic_names=topics
        )

        def heard() -> Any:
            told = self.call(self.coordinator(), request, 1)
            return told if told and told.error_code not in (14, 15, 16) else None

        return self.until(heard)

    def join(self, member: str) -> set[int]:
        """A member joins and beats until it has partitions."""
        told = self.beat(member, 0, ("t",))
        assert not told.error_code, told.error_message

        def assigned() -> set[int]:
            nonlocal told
            told = self.beat(member, told.member_epoch, ("t",))
            assert not told.error_code, told.error_message
            topics = told.assignment.topic_partitions if told.assignment else ()
            return {n for topic in topics for n in topic.partitions}

        found: set[int] = self.until(assigned)
        return found

    def fetch(self, member: str, number: int, epoch: int, records: int = 500) -> Any:
        partition = fetching.FetchPartition(partition_index=number)
        request = fetching.ShareFetchRequest(
            group_id="g",
            member_id=member,
            share_session_epoch=epoch,
            max_wait_ms=500,
            min_bytes=1,
            max_bytes=1 << 20,
            max_records=records,
            batch_size=records,
            topics=(fetching.FetchTopic(topic_id=self.topic_id, partitions=(partition,)),),
        )
        return self.call(self.leader(number), request, 2)

    def acquire(self, member: str, number: int, records: int = 500) -> list[tuple[int, int, int]]:
        """A new session of a member, and what it gets: (first, last, deliveries)."""
        told = self.fetch(member, number, 0, records)
        if told is None or told.error_code:
            return []
        return [
            (a.first_offset, a.last_offset, a.delivery_count)
            for topic in told.responses
            for p in topic.partitions
            for a in p.acquired_records
        ]

    def acknowledge(
        self,
        member: str,
        number: int,
        first: int,
        last: int,
        types: tuple[int, ...],
        epoch: int = 1,
    ) -> Error | None:
        """What a member says; None: no answer has come, so that it may count or not."""
        batch = acknowledging.AcknowledgementBatch(
            first_offset=first, last_offset=last, acknowledge_types=types
        )
        partition = acknowledging.AcknowledgePartition(
            partition_index=number, acknowledgement_batches=(batch,)
        )
        request = acknowledging.ShareAcknowledgeRequest(
            group_id="g",
            member_id=member,
            share_session_epoch=epoch,
            topics=(
                acknowledging.AcknowledgeTopic(topic_id=self.topic_id, partitions=(partition,)),
            ),
        )
        told = self.call(self.leader(number), request, 2)
        if told is None:
            return None
        if told.error_code:
            return Error(told.error_code)
        return Error(told.responses[0].partitions[0].error_code)


def test_records_are_acquired_acknowledged_and_come_back() -> None:
    world = ShareWorld(1)
    world.produce(0, list(range(10)))
    member = str(uuid.UUID(int=1))
    assert world.join(member) == {0, 1}
    found = world.until(lambda: world.acquire(member, 0))
    assert found == [(0, 9, 1)]
    assert world.acknowledge(member, 0, 0, 4, (ACCEPT,)) is Error.NONE
    assert world.acknowledge(member, 0, 5, 6, (RELEASE,), epoch=2) is Error.NONE
    assert world.acknowledge(member, 0, 7, 7, (REJECT,), epoch=3) is Error.NONE
    assert world.acquire("b", 0) == [(5, 6, 2)]
    assert world.acknowledge("b", 0, 8, 9, (ACCEPT,)) is Error.INVALID_RECORD_STATE
    world.rest(16)
    assert world.acquire("c", 0) == [(5, 6, 3), (8, 9, 2)]


@pytest.mark.parametrize("seed", [*range(2), *beyond(range(2, 20))])
def test_nothing_is_lost_and_nothing_accepted_comes_again_whatever_dies(seed: int) -> None:
    world = ShareWorld(seed, partitions=1)
    world.produce(0, list(range(30)))
    world.join(str(uuid.UUID(int=1)))
    kept: set[int] = set()
    maybe: set[int] = set()
    for turn in range(25):
        member = f"m{turn}"
        for first, last, _ in world.acquire(member, 0, world.rng.randint(1, 12)):
            assert kept.isdisjoint(range(first, last + 1)), "an accepted record came again"
            deed = world.rng.random()
            if deed < 0.3:
                told = world.acknowledge(member, 0, first, last, (ACCEPT,))
                if told is Error.NONE:
                    kept.update(range(first, last + 1))
                elif told is None or told not in (
                    Error.INVALID_RECORD_STATE,
                    Error.SHARE_SESSION_NOT_FOUND,
                    Error.NOT_LEADER_OR_FOLLOWER,
                ):
                    maybe.update(range(first, last + 1))
                break
        if world.rng.random() < 0.35:
            victim = world.rng.choice(world.cluster.brokers)
            if victim.node is not None:
                world.cluster.kill(victim)
                world.cluster.start_later(victim, world.rng.uniform(0.5, 8.0))
        world.rest(world.rng.choice((0.5, 5.0, 16.0)))
    world.rest(20)
    found: set[int] = set()

    def all_found() -> bool:
        for first, last, _ in world.acquire("last", 0):
            found.update(range(first, last + 1))
            world.acknowledge("last", 0, first, last, (ACCEPT,))
        return kept | maybe | found == set(range(30))

    world.until(all_found, 120.0)
    assert not kept & found
