"""Brokers act on a large change of the metadata in turns; the image shows all of it at once."""

from __future__ import annotations

import random
import uuid
from itertools import pairwise

import pytest
from tests.support.broker_context import context
from tests.support.logdirs_world import ME, World, pid, topic_id

from spindle.core.logdirs.placement import Candidate, DirectoryCapacities
from spindle.model import metadata_records as r
from spindle.model.ids import PartitionId
from spindle.model.image import ClusterImage, Delta
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.outbox import Outbox
from spindle.node.broker_lifecycle_manager import BrokerLifecycleManager
from spindle.node.logdirs.placement_registry import ReplicaPlacementRegistry, Stage
from spindle.node.metadata import TOLD_AT_ONCE, Metadata

ONE, TWO = uuid.UUID(int=1001), uuid.UUID(int=1002)
WIDE = 2 * TOLD_AT_ONCE + 50


def leads(world: World, number: int) -> bool:
    """Whether the broker leads a partition of the topic."""
    hosted = world.replicas.partitions.find(pid("t", number))
    return hosted is not None and hosted.partition.leads


def partitions(topic: uuid.UUID, count: int) -> list[r.MetadataRecord]:
    return [
        r.PartitionRegistration(
            partition_id=n,
            topic_id=topic,
            replicas=(1,),
            isr=(1,),
            leader=1,
            leader_epoch=0,
            partition_epoch=0,
        )
        for n in range(count)
    ]


def broker(epoch: int) -> r.RegisterBroker:
    return r.RegisterBroker(
        broker_id=5,
        incarnation_id=ONE,
        broker_epoch=epoch,
        endpoints=(),
        features=(),
        rack=None,
        fenced=False,
        in_controlled_shutdown=False,
        log_dirs=(),
    )


class Announced:
    """Metadata, and what a listener got in which turn."""

    def __init__(self) -> None:
        self.out = Outbox(random.Random(1))
        self.metadata = Metadata(self.out)
        self.deltas: list[Delta] = []
        self.metadata.listen(self.deltas.append)

    def commit(self, *records: r.MetadataRecord) -> None:
        """One batch, published."""
        offset = self.metadata.offset + 1
        self.metadata.on_committed(offset, offset + len(records) - 1, 1, records)
        self.metadata.publish()

    def turn(self) -> int:
        """The next turn; of how many partitions listeners heard in it."""
        before = len(self.deltas)
        self.out.tick()
        return sum(len(d.partitions) + len(d.gone) for d in self.deltas[before:])

    def finish(self) -> list[int]:
        """All turns; the partitions of each."""
        turns = []
        while self.out.wake_at is not None:
            turns.append(self.turn())
        return turns

    def ids(self) -> list[PartitionId]:
        """All that listeners heard, in order."""
        return [id for delta in self.deltas for id in (*delta.gone, *delta.partitions)]


@pytest.mark.spec("S-08")
def test_a_large_change_is_announced_in_turns_and_seen_at_once() -> None:
    told = Announced()
    told.commit(r.Topic(name="one", topic_id=ONE), *partitions(ONE, WIDE))
    assert len(told.metadata.image.topics[ONE].partitions) == WIDE
    assert len(told.ids()) <= TOLD_AT_ONCE
    turns = told.finish()
    assert max(turns) <= TOLD_AT_ONCE
    assert told.ids() == [PartitionId(ONE, n) for n in range(WIDE)]


def test_a_small_change_is_announced_when_it_is_committed() -> None:
    told = Announced()
    told.commit(r.Topic(name="one", topic_id=ONE), *partitions(ONE, TOLD_AT_ONCE))
    assert len(told.ids()) == TOLD_AT_ONCE
    assert told.out.wake_at is None
    assert told.metadata.told == told.metadata.offset


def test_an_offset_counts_as_announced_when_the_last_turn_is_over() -> None:
    told = Announced()
    told.commit(r.Topic(name="one", topic_id=ONE))
    before = told.metadata.told
    told.commit(*partitions(ONE, WIDE))
    seen = [told.metadata.told]
    while told.out.wake_at is not None:
        told.turn()
        seen.append(told.metadata.told)
    assert set(seen[:-1]) == {before}
    assert seen[-1] == told.metadata.offset > before


def test_heartbeats_tell_of_metadata_when_the_broker_has_acted_on_all_of_it() -> None:
    told = Announced()
    ground = context(out=told.out)
    ground.metadata = told.metadata
    lifecycle = BrokerLifecycleManager(ground, lambda: DirectoryCapacities({}, 0, 0))
    told.commit(r.Topic(name="one", topic_id=ONE))
    told.commit(*partitions(ONE, WIDE))
    assert lifecycle.last_heartbeat().current_metadata_offset == 0
    told.finish()
    assert lifecycle.last_heartbeat().current_metadata_offset == WIDE


def test_what_is_committed_between_turns_is_announced_after_them_as_one() -> None:
    told = Announced()
    told.commit(r.Topic(name="one", topic_id=ONE), *partitions(ONE, WIDE))
    told.turn()
    first = r.PartitionChange(partition_id=0, topic_id=ONE, isr=())
    last = r.PartitionChange(partition_id=WIDE - 1, topic_id=ONE, isr=())
    told.commit(last)
    told.commit(first, last)
    told.finish()
    assert told.ids()[WIDE:] == [PartitionId(ONE, WIDE - 1), PartitionId(ONE, 0)]
    assert told.metadata.told == told.metadata.offset


@pytest.mark.spec("S-08")
def test_a_topic_that_is_deleted_goes_in_turns_before_another_comes_by_its_name() -> None:
    told = Announced()
    told.commit(r.Topic(name="one", topic_id=ONE), *partitions(ONE, WIDE))
    told.finish()
    told.deltas.clear()
    told.commit(
        r.RemoveTopic(topic_id=ONE), r.Topic(name="one", topic_id=TWO), *partitions(TWO, WIDE)
    )
    assert list(told.deltas[0].removed) == [ONE]
    assert max(told.finish()) <= TOLD_AT_ONCE
    topics = [id.topic_id for id in told.ids()]
    assert topics == [ONE] * WIDE + [TWO] * WIDE
    assert all(before in (after, ONE) for before, after in pairwise(topics))


def test_settings_come_before_the_partitions_and_brokers_after_them() -> None:
    told = Announced()
    setting = r.DynamicConfig(resource_type=2, resource_name="one", key="k", value="v")
    told.commit(broker(7), r.Topic(name="one", topic_id=ONE), *partitions(ONE, WIDE), setting)
    told.finish()
    assert (2, "one") in told.deltas[0].configs
    assert [bool(delta.brokers) for delta in told.deltas].index(True) == len(told.deltas) - 1


def test_a_snapshot_between_turns_loses_nothing() -> None:
    told = Announced()
    told.commit(broker(7), r.Topic(name="one", topic_id=ONE), *partitions(ONE, WIDE))
    told.turn()
    told.commit(r.UnregisterBroker(broker_id=5, broker_epoch=7), r.RemoveTopic(topic_id=ONE))
    told.metadata.on_snapshot(OffsetAndEpoch(5000, 3), [r.Topic(name="two", topic_id=TWO)])
    told.metadata.publish()
    told.finish()
    gone = [id for delta in told.deltas for id in delta.gone]
    assert gone == [PartitionId(ONE, n) for n in range(WIDE)]
    assert 5 in told.deltas[-1].brokers
    assert told.metadata.told == 4999


# --- the logs of a broker ------------------------------------------------------------------------


def begin(world: World, name: str, count: int) -> list[Delta]:
    """A topic is committed; what a broker must hear of it, one partition in a turn."""
    world.image.apply(r.Topic(name=name, topic_id=topic_id(name)))
    for n in range(count):
        world.image.apply(world.partition_record(name, n))
    return list(world.image.take_delta().slices(1))


def tell(world: World, deltas: list[Delta]) -> None:
    for delta in deltas:
        world.logs.on_metadata(delta)
        world.replicas.on_metadata(delta)
        world.step()


def started() -> World:
    world = World()
    world.open()
    return world


def test_each_partition_is_made_and_led_in_its_turn() -> None:
    world = started()
    deltas = begin(world, "t", 3)
    tell(world, deltas[:2])
    assert [leads(world, n) for n in range(3)] == [True, False, False]
    tell(world, deltas[2:])
    assert all(leads(world, n) for n in range(3))


def test_no_log_is_made_of_a_topic_that_went_before_its_turn() -> None:
    world = started()
    deltas = begin(world, "t", 3)
    tell(world, deltas[:2])
    world.image.apply(r.RemoveTopic(topic_id=topic_id("t")))
    tell(world, deltas[2:])
    assert list(world.logs.places.all) == [pid("t", 0)]
    tell(world, list(world.image.take_delta().slices(1)))
    assert not world.logs.places.all
    assert not world.replicas.partitions.hosted


def test_a_broker_that_dies_between_turns_makes_the_rest_at_its_start() -> None:
    world = started()
    deltas = begin(world, "t", 4)
    tell(world, deltas[:3])
    world.restart()
    assert {place.stage for place in world.logs.places.all.values()} == {Stage.READY}
    assert all(leads(world, n) for n in range(4))


def test_a_leader_that_changes_twice_before_its_turn_is_announced_once() -> None:
    world = started()
    world.create_topic("t", 2, leader=2)
    for n in (0, 1):
        world.image.apply(r.PartitionChange(partition_id=n, topic_id=topic_id("t"), leader=ME))
    deltas = list(world.image.take_delta().slices(1))
    tell(world, deltas[:2])
    world.image.apply(r.PartitionChange(partition_id=1, topic_id=topic_id("t"), leader=2))
    tell(world, deltas[2:])
    assert leads(world, 0)
    assert not leads(world, 1)
    assert world.replicas.partitions.leader_epoch(pid("t", 1)) == 2
    tell(world, list(world.image.take_delta().slices(1)))
    assert world.replicas.partitions.leader_epoch(pid("t", 1)) == 2


def test_a_small_delta_is_its_own_slice() -> None:
    image = ClusterImage()
    image.apply(r.Topic(name="one", topic_id=ONE))
    for record in partitions(ONE, 3):
        image.apply(record)
    delta = image.take_delta()
    assert list(delta.slices(3)) == [delta]
    pieces = delta.slices(2)
    assert [len(piece.partitions) for piece in pieces] == [0, 2, 1]
    assert [piece.goes_on for piece in pieces] == [False, True, True]


@pytest.mark.spec("S-08")
def test_figures_of_all_logs_are_gathered_once_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    world = started()
    gathered: list[int] = []
    places, real = world.logs.places, ReplicaPlacementRegistry._candidates

    def candidates(self: ReplicaPlacementRegistry) -> list[Candidate]:
        gathered.append(len(self.all))
        return real(self)

    monkeypatch.setattr(ReplicaPlacementRegistry, "_candidates", candidates)
    tell(world, begin(world, "t", 20))
    assert len(places.all) == 20
    assert len(gathered) == 1
