"""AlterPartition: batched, one request at a time, repeated until the controller has answered."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.replica_world import World
from tools.messages.entities import make, response_types

from spindle.model.errors import Error, PeerFailed
from spindle.wire.apis import Key


def shrunk(world: World) -> None:
    """Followers stop fetching and fall out; the controller is not asked yet."""
    world.controller_answers = False
    world.cut |= {(2, 1)}
    world.wait(1)
    for p in range(world.partitions):
        world.produce(1, b"x", partition=p, acks=1)
    world.wait(7)


def asked(world: World) -> tuple[Any, Any]:
    """The one request that the controller has got, and how to answer it."""
    ((node, entity, then),) = world.controller_asked
    assert node.id == 1
    world.controller_asked.clear()
    return entity, then


@pytest.fixture
def world() -> World:
    return World(settings={"replica.lag.time.max.ms": "4000"}, partitions=3)


def test_all_partitions_of_a_moment_are_in_one_request(world: World) -> None:
    shrunk(world)
    entity, _ = asked(world)
    assert (entity.broker_id, entity.broker_epoch) == (1, 1)
    (topic,) = entity.topics
    assert [p.partition_index for p in topic.partitions] == [0, 1, 2]
    for p in topic.partitions:
        members = [(b.broker_id, b.broker_epoch) for b in p.new_isr_with_epochs]
        assert members == [(1, 1), (3, 3)]
        assert (p.leader_epoch, p.partition_epoch) == (0, 0)


def test_it_is_repeated_until_it_is_answered(world: World) -> None:
    shrunk(world)
    first, then = asked(world)
    then(PeerFailed("no leader"))
    world.wait(0.1)
    second, then = asked(world)
    assert second == first
    types = response_types(Key.ALTER_PARTITION, 3)
    then(make(types.AlterPartitionResponse, error_code=Error.NOT_CONTROLLER))
    world.step()
    assert world.controller_asked == []
    world.wait(0.2)
    world.controller_answers = True
    world.step()
    assert [world.state(p).isr for p in range(3)] == [(1, 3)] * 3
    assert [world.nodes[1].partition(p).log.high_watermark for p in range(3)] == [1, 1, 1]


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (Error.UNKNOWN_SERVER_ERROR, True),
        (Error.INELIGIBLE_REPLICA, False),
        (Error.INVALID_UPDATE_VERSION, False),
        (Error.FENCED_LEADER_EPOCH, False),
        (Error.NEW_LEADER_ELECTED, False),
    ],
)
def test_errors_of_partitions(error: Error, again: bool) -> None:
    world = World(settings={"replica.lag.time.max.ms": "4000"})
    shrunk(world)
    _, then = asked(world)
    types = response_types(Key.ALTER_PARTITION, 3)
    told = make(types.PartitionData, partition_index=0, error_code=error)
    topic = make(types.TopicData, topic_id=world.topic_id, partitions=(told,))
    then(make(types.AlterPartitionResponse, topics=(topic,)))
    bound = world.nodes[1].partition().role.proposal is not None
    assert bound == (error != Error.INELIGIBLE_REPLICA), "the metadata settles it, or an answer"
    world.wait(1)
    assert bool(world.controller_asked) == again
    assert world.nodes[1].partition().isr == (1, 2, 3)
    assert world.nodes[1].partition().log.high_watermark == 0


def test_what_the_controller_does_not_mention_is_asked_again(world: World) -> None:
    shrunk(world)
    _, then = asked(world)
    then(make(response_types(Key.ALTER_PARTITION, 3).AlterPartitionResponse))
    world.wait(0.2)
    entity, _ = asked(world)
    assert len(entity.topics[0].partitions) == 3
