"""A share group at random: members lose answers, die, leave, and read other topics; its coordinator
moves with a batch under way; the share coordinator is late, or fails; offsets are altered and
deleted, topics come, grow and go, the group is deleted between.

No partition is given before its state is kept; the group is what its log says; in peace its members
are those that live, each partition is with one of them, each of them has one, and a state is kept
of just the partitions that the group knows.
"""

from __future__ import annotations

import random

import pytest
from tests.support.consumer_world import topic_id_of
from tests.support.random_share_members import Part, RandomShareMember, ShareGroupWorld

from spindle.core.groups.share_group_values import Named, with_partitions
from spindle.model.errors import Error

pytestmark = pytest.mark.spec("C-04")
STEPS = 500
TOPICS = (("t",), ("t", "u"), ("u",), ("t", "v"))


def disturb(world: ShareGroupWorld, rng: random.Random, client: RandomShareMember) -> None:
    """One of the things that happen to a group, or a step of one member."""
    event = rng.random()
    if event < 0.03:
        client.die(leaves=rng.random() < 0.5)
    elif event < 0.05:
        world.move(kept=rng.randrange(2))
    elif event < 0.08:
        world.wait(rng.choice((0.3, 1.0, 10.0, 50.0)))
    elif event < 0.10:
        change_topics(world, rng)
    elif event < 0.12:
        client.subscribe(rng.choice(TOPICS))
    elif event < 0.14:
        ask_as_admin(world, rng)
    elif event < 0.40:
        fails = Error.COORDINATOR_NOT_AVAILABLE if rng.random() < 0.1 else Error.NONE
        world.go_on(fails)
    else:
        client.step(loses=0.1)


def change_topics(world: ShareGroupWorld, rng: random.Random) -> None:
    """One grows, or one comes; `u` may go, and does not come back."""
    name = rng.choice(("t", "u", "v"))
    if name == "u" and name in world.topics and rng.random() < 0.3:
        gone = topic_id_of(name)
        del world.topics[name]
        for part in [part for part in world.keeper.states if part[0] == gone]:
            del world.keeper.states[part]
        world.shard.shares.on_topics_deleted([gone])
    elif name in world.topics:
        world.topics[name] += 1
    elif name == "v":
        world.topics[name] = 2
    world.shard.shares.on_topics_changed(frozenset([name]))


def ask_as_admin(world: ShareGroupWorld, rng: random.Random) -> None:
    """Where the group has members, or is not there, it is refused."""
    shares, name, what = world.shard.shares, rng.choice([*world.topics]), rng.random()
    topic_id, told = topic_id_of(name), list[object]()
    if what < 0.4:
        offsets = {topic_id: {0: rng.randrange(9)}}
        shares.alter("g", offsets, {topic_id: name}, told.append, told.append)
    elif shares.find("g") is None:
        return
    elif what < 0.7:
        shares.named("g").delete_offsets([topic_id], told.append, told.append)
    else:
        world.shard.delete_group("g", told.append)
    world.admins.append(told)


def parts(named: Named) -> set[Part]:
    """All of them."""
    return {(t, n) for t, known in named.items() for n in known.partitions}


def check(world: ShareGroupWorld) -> None:
    """The group as it is now."""
    group = world.shard.shares.all.get("g")
    if group is None or not group.is_idle:
        return
    now, read = group.metadata, world.read()
    assert vars(now) == vars(read), "another coordinator would read another group"
    assert all(member.epoch <= now.epoch for member in now.members.values())
    assert set(now.targets) <= set(now.members)


def check_peace(world: ShareGroupWorld, clients: list[RandomShareMember]) -> None:
    """The group after a time without faults."""
    group = world.shard.shares.all["g"].metadata
    assert set(group.members) == {client.id for client in clients}
    assert {client.epoch for client in clients} == {group.epoch}
    states = group.states
    assert not states.deleting
    assert parts(states.initialized) <= set(world.keeper.states)
    assert parts(with_partitions(states.initialized, states.initializing)) >= set(
        world.keeper.states
    )
    for name in group.subscribed_topics() & set(world.topics):
        readers = [client for client in clients if name in client.topics]
        held = dict.fromkeys(range(world.topics[name]), 0)
        for client in readers:
            mine = [n for t, n in client.holds if t == topic_id_of(name)]
            assert mine, f"{client.id} has nothing of {name}"
            for number in mine:
                held[number] += 1
        assert min(held.values()) > 0, f"none has {name} {held}"
        assert max(held.values()) - min(held.values()) <= 1


def check_end(world: ShareGroupWorld, clients: list[RandomShareMember]) -> None:
    """When all have left it can be deleted, and leaves nothing."""
    for client in clients:
        client.die(leaves=True)
    told: list[Error] = []
    world.shard.delete_group("g", told.append)
    while not told:
        world.go_on()
    assert told == [Error.NONE]
    assert not world.keeper.states
    assert not world.shard.shares.all


@pytest.mark.parametrize("seed", range(40))
def test_a_share_group_is_what_its_log_says_and_comes_to_peace(seed: int) -> None:
    rng = random.Random(seed)
    topics = {"t": rng.randrange(1, 5), "u": 2}
    world = ShareGroupWorld(topics=topics, held=[], interval=rng.choice((0, 1_000)))
    clients = [RandomShareMember(world, f"m{n}", rng) for n in range(rng.randrange(1, 6))]
    for _ in range(STEPS):
        disturb(world, rng, rng.choice(clients))
        check(world)
    for _ in range(120):
        for client in clients:
            client.step(loses=0)
            world.go_on()
            check(world)
        world.wait(1.0)
    assert all(len(told) == 1 for told in world.admins), "each question has one answer"
    check_peace(world, clients)
    check_end(world, clients)
