"""A leader names a nearer replica to consumers that say where they are (KIP-392)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.support.replica_world import NAME, TOPIC, World, fetched, values_of
from tools.messages.entities import make, request_types

from spindle.core.replica.replica_selector import SELECTOR
from spindle.model.errors import Error
from spindle.wire.apis import Key


def world_of(selector: str = SELECTOR) -> World:
    """Three brokers, each in a rack of its own, with a record everywhere."""
    world = World(settings={"replica.selector.class": selector} if selector else {})
    for node in world.nodes.values():
        for broker, state in list(node.image.brokers.items()):
            node.image.brokers[broker] = replace(state, rack=f"r{broker}")
    world.produce(1, b"x")
    return world


def ask(world: World, node: int, rack: str, offset: int = 0, version: int = 12) -> Any:
    """What a consumer of a rack gets of a broker; it would wait for 30 s."""
    types = request_types(Key.FETCH, version)
    partition = make(
        types.FetchPartition, partition=0, fetch_offset=offset, partition_max_bytes=1 << 20
    )
    topic = make(types.FetchTopic, topic=NAME, topic_id=TOPIC, partitions=(partition,))
    place = {"rack_id": rack} if version >= 11 else {}
    body = make(
        types.FetchRequest,
        replica_id=-1,
        max_wait=30_000,
        min_bytes=1,
        max_bytes=1 << 20,
        session_id=0,
        session_epoch=-1,
        topics=(topic,),
        forgotten_topics_data=(),
        **place,
    )
    return world.nodes[node].call(Key.FETCH, version, body)


@pytest.mark.spec("C-06")
def test_a_consumer_is_sent_to_the_replica_in_its_rack_and_reads_there() -> None:
    world = world_of()
    told = fetched(ask(world, 1, "r3"))
    assert (told.preferred_read_replica, told.error_code) == (3, Error.NONE)
    assert not told.records, "the consumer gets them where it is sent"
    assert (told.high_watermark, told.log_start_offset) == (1, 0)
    world.produce(1, b"y")  # The follower learns from its next fetch that the first is committed.
    there = fetched(ask(world, 3, "r3"))
    assert (there.preferred_read_replica, values_of(there)) == (-1, [b"x"])


@pytest.mark.spec("C-06")
@pytest.mark.parametrize("rack", ["", "r1", "elsewhere"])
def test_the_leader_serves_where_no_replica_is_nearer(rack: str) -> None:
    told = fetched(ask(world_of(), 1, rack))
    assert (told.preferred_read_replica, values_of(told)) == (-1, [b"x"])


@pytest.mark.spec("C-06")
@pytest.mark.parametrize("selector", ["", "org.apache.kafka.common.replica.LeaderSelector"])
def test_without_the_selector_the_leader_serves_every_rack(selector: str) -> None:
    told = fetched(ask(world_of(selector), 1, "r3"))
    assert (told.preferred_read_replica, values_of(told)) == (-1, [b"x"])


@pytest.mark.spec("C-06")
def test_an_old_consumer_is_served_by_the_leader() -> None:
    assert values_of(fetched(ask(world_of(), 1, "r3", version=10))) == [b"x"]


@pytest.mark.spec("C-06")
def test_a_replica_out_of_sync_or_behind_is_not_named() -> None:
    world = world_of()
    world.fence(3)
    assert values_of(fetched(ask(world, 1, "r3"))) == [b"x"]
    world.hung.add(2)
    world.produce(1, b"y", acks=1)
    assert fetched(ask(world, 1, "r2")).preferred_read_replica == 2, "it has what is asked for"
    waiting = ask(world, 1, "r2", offset=2)
    assert not waiting.frames, "no follower reaches as far: the consumer waits at the leader"
