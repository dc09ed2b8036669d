"""Which fetches of a follower count for the high watermark, and which do not."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.replica_world import NAME, TOPIC, Node, World, fetched
from tools.messages.entities import make, request_types

from spindle.model.errors import Error
from spindle.wire.apis import Key


def followed(leader: Node, replica: int, offset: int, **more: int) -> Any:
    """The leader's answer to a fetch of a follower; `broker_epoch`: as which it is registered."""
    types = request_types(Key.FETCH, 15)
    broker_epoch = more.pop("broker_epoch", -2)
    if broker_epoch == -2:
        broker_epoch = leader.image.brokers[replica].broker_epoch
    partition = make(
        types.FetchPartition,
        partition=0,
        fetch_offset=offset,
        partition_max_bytes=1000,
        current_leader_epoch=leader.partition().leader_epoch,
        **more,
    )
    state = make(types.ReplicaState, replica_id=replica, replica_epoch=broker_epoch)
    topic = make(types.FetchTopic, topic=NAME, topic_id=TOPIC, partitions=(partition,))
    body = make(
        types.FetchRequest,
        replica_state=state,
        max_wait=0,
        min_bytes=0,
        max_bytes=1000,
        session_epoch=-1,
        topics=(topic,),
    )
    return fetched(leader.call(Key.FETCH, 15, body))


@pytest.fixture
def world() -> World:
    """Broker 1 leads in an epoch after the first; the disks of its followers hang."""
    world = World()
    world.produce(1, b"everywhere")
    world.elect(2)
    world.elect(1)
    world.hung |= {2, 3}
    world.produce(1, b"here", acks=1)
    machine = world.nodes[1].partition()
    assert (machine.log.high_watermark, machine.log.end) == (1, 2)
    return world


@pytest.mark.spec("C-01")
def test_a_fetch_of_an_earlier_registration_does_not_count(world: World) -> None:
    leader = world.nodes[1]
    followed(leader, 3, 2)
    old = leader.image.brokers[2].broker_epoch - 1
    assert followed(leader, 2, 2, broker_epoch=old).error_code == Error.NOT_LEADER_OR_FOLLOWER
    assert leader.partition().log.high_watermark == 1
    assert followed(leader, 2, 2).error_code == Error.NONE
    assert leader.partition().log.high_watermark == 2


@pytest.mark.spec("C-01")
def test_a_fetch_of_a_log_that_parted_does_not_count(world: World) -> None:
    leader = world.nodes[1]
    epoch = leader.partition().leader_epoch
    followed(leader, 3, 2, last_fetched_epoch=epoch)
    told = followed(leader, 2, 2, last_fetched_epoch=0)
    assert (told.diverging_epoch.epoch, told.diverging_epoch.end_offset) == (0, 1)
    assert leader.partition().log.high_watermark == 1, "its second record is another one"
    followed(leader, 2, 2, last_fetched_epoch=epoch)
    assert leader.partition().log.high_watermark == 2


def test_a_broker_that_is_no_replica_is_not_served(world: World) -> None:
    leader = world.nodes[1]
    told = followed(leader, 4, 0, broker_epoch=9)
    assert (told.error_code, told.records) == (Error.UNKNOWN_LEADER_EPOCH, b"")


def test_a_fetch_beyond_the_logs_end_is_out_of_range(world: World) -> None:
    leader = world.nodes[1]
    assert followed(leader, 2, 2).error_code == Error.NONE
    assert followed(leader, 2, 3).error_code == Error.OFFSET_OUT_OF_RANGE
