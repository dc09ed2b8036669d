"""Replication throttles on both sides: which replicas are held back, how far, and which are not."""

from __future__ import annotations

import pytest
from tests.support.replica_world import NAME, World

from spindle.model import metadata_records as r
from spindle.model.image import TOPIC_RESOURCE

pytestmark = pytest.mark.spec("S-07", "K113-22")

RATE = 20_000
RECORD = bytes(10_000)
COUNT = 60
SLACK = 45_000
"""What an answer may hold beyond the rate."""


def behind(side: str, *, rate: int = RATE, partitions: int = 1) -> World:
    """Broker 3 is out of the ISR and lacks 600 kB; then it fetches again, throttled."""
    world = World(
        settings={
            f"{side}.replication.throttled.rate": str(rate),
            "replica.fetch.max.bytes": "20000",
            "replica.fetch.response.max.bytes": "40000",
            "replica.lag.time.max.ms": "2000",
        },
        partitions=partitions,
    )
    world.down.add(3)
    world.close_connection(3)
    world.fence(3)
    world.wait(1)
    for _ in range(COUNT):
        world.produce(1, RECORD, acks=1)
        world.step()
    world.wait(3)
    assert world.nodes[2].partition().log.end == COUNT
    assert world.nodes[3].partition().log.end == 0
    return world


def throttle(world: World, side: str, replicas: str | None) -> None:
    world.apply(
        r.DynamicConfig(
            resource_type=TOPIC_RESOURCE,
            resource_name=NAME,
            key=f"{side}.replication.throttled.replicas",
            value=replicas,
        )
    )


def back(world: World) -> None:
    world.down.clear()
    world.nodes[3].boot()
    for partition in range(world.partitions):
        world.nodes[3].host(partition)
    world.unfence(3)


def taken(world: World, broker: int = 3) -> int:
    return int(world.nodes[broker].partition().log.end) * len(RECORD)


@pytest.mark.parametrize("who", ["*", "mine"])
@pytest.mark.parametrize("side", ["leader", "follower"])
def test_a_replica_out_of_sync_is_copied_at_the_rate(side: str, who: str) -> None:
    world = behind(side)
    throttle(world, side, who if who == "*" else f"0:{1 if side == 'leader' else 3}")
    back(world)
    began, before = world.now, taken(world)
    for _ in range(20):
        world.wait(1)
        elapsed = world.now - began
        assert taken(world) - before <= RATE * (elapsed + 1) + SLACK
    assert taken(world) >= RATE * 20 * 0.7, "slow, but not slower"
    assert taken(world) < COUNT * len(RECORD)
    assert 3 not in world.state().isr
    throttle(world, side, None)
    world.wait(3)
    assert taken(world) == COUNT * len(RECORD)
    assert 3 in world.state().isr


@pytest.mark.parametrize("side", ["leader", "follower"])
@pytest.mark.parametrize("who", ["0:2", "1:1,1:3", ""])
def test_a_replica_that_is_not_named_is_not_held_back(side: str, who: str) -> None:
    world = behind(side)
    throttle(world, side, who)
    back(world)
    world.wait(5)
    assert taken(world) == COUNT * len(RECORD)


@pytest.mark.parametrize("side", ["leader", "follower"])
def test_replicas_in_sync_are_never_held_back(side: str) -> None:
    world = behind(side, rate=1)
    throttle(world, side, "*")
    back(world)
    for n in range(20):
        answer = world.produce(1, RECORD)
        world.wait(0.2)
        assert answer.there, "broker 2 is in the ISR: acks=all is answered at once"
        assert world.nodes[2].partition().log.end == COUNT + n + 1
    assert taken(world) <= SLACK


@pytest.mark.parametrize("side", ["leader", "follower"])
def test_partitions_that_are_not_throttled_go_on(side: str) -> None:
    world = behind(side, rate=1, partitions=2)
    throttle(world, side, "0:1,0:3")
    back(world)
    world.wait(5)
    held = taken(world)
    answers = [world.produce(1, b"x", partition=1) for _ in range(3)]
    world.wait(2)
    assert all(answer.there for answer in answers)
    assert world.nodes[3].partition(1).log.end == 3
    assert taken(world) == held


def test_a_waiting_follower_costs_the_leader_nothing_until_there_is_news() -> None:
    world = behind("leader", rate=1)
    throttle(world, "leader", "*")
    back(world)
    world.wait(2)
    world.requests.clear()
    world.wait(10)
    asked = [body for sender, _, body in world.requests if sender == 3]
    assert len(asked) <= 10 / 0.5 + 2, "a fetch waits for replica.fetch.wait.max.ms, as ever"
