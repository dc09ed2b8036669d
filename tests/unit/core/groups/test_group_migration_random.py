"""A group with members of both protocols, at random: it goes over and back, its coordinator moves
with a batch under way, static places change hands, answers are lost, it is deleted between. Never
do two of its members hold one partition; in peace each partition has a holder."""

from __future__ import annotations

import random

import pytest
from tests.support.consumer_world import ConsumerWorld
from tests.support.random_members import (
    AnyMember,
    RandomClassicMember,
    RandomMember,
    check_owners,
)

from spindle.model.errors import Error

STEPS = 400
TOPICS = (("t",), ("t", "u"), ("u",))


def drawn(world: ConsumerWorld, rng: random.Random) -> list[AnyMember]:
    """Members of both kinds, some of which come for the same static place."""
    cooperative, made = rng.random() < 0.5, list[AnyMember]()
    for n in range(rng.randrange(2, 6)):
        instance = rng.choice(("i0", f"i{n}")) if rng.random() < 0.4 else None
        if rng.random() < 0.5:
            made.append(RandomMember(world, f"m{n}", instance, rng))
        else:
            made.append(RandomClassicMember(world, f"c{n}", instance, rng, cooperative))
    return made


def disturb(world: ConsumerWorld, rng: random.Random, client: AnyMember) -> None:
    """One of the things that happen to a group, or a step of one member."""
    event = rng.random()
    if event < 0.03:
        client.die()
    elif event < 0.05:
        move_coordinator(world, rng)
    elif event < 0.07:
        world.wait(rng.choice((1.0, 10.0, 50.0)))
    elif event < 0.08:
        name = rng.choice(("t", "u"))
        world.topics[name] += 1
        world.shard.consumers.on_topics_changed(frozenset([name]))
    elif event < 0.10:
        client.subscribe(rng.choice(TOPICS))
    elif event < 0.12:
        client.leave()
    elif event < 0.13:
        world.shard.delete_group("g", lambda error: None)
    elif event < 0.25 and world.held:
        world.held.pop(0)(None)
    else:
        client.step(loses=0.1)


def move_coordinator(world: ConsumerWorld, rng: random.Random) -> None:
    """The log keeps some of what was under way; the rest fails, before or after the move."""
    for _ in range(rng.randrange(2)):
        if world.held:
            world.held.pop(0)(None)
    failing, world.held = world.held or [], [] if rng.random() < 0.5 else None
    if rng.random() < 0.5:
        world.reload()
    world.error = Error.NOT_COORDINATOR
    for batch in failing:
        batch(world.error)
    world.error = None
    world.reload()


def settle(world: ConsumerWorld, clients: list[AnyMember]) -> list[AnyMember]:
    """All that is under way ends, and each static place has one client left; those that stay."""
    while world.held:
        world.held.pop(0)(None)
    world.held = None
    places: set[str] = set()
    stay = list[AnyMember]()
    for client in clients:
        if client.instance_id is None or client.instance_id not in places:
            stay.append(client)
            places |= {client.instance_id} if client.instance_id else set()
    return stay


@pytest.mark.spec("C-02", "C-03")
@pytest.mark.parametrize("seed", range(60))
def test_members_of_both_protocols_never_share_a_partition(seed: int) -> None:
    rng = random.Random(seed)
    world = ConsumerWorld(topics={"t": rng.randrange(1, 6), "u": 2})
    clients = drawn(world, rng)
    for _ in range(STEPS):
        disturb(world, rng, rng.choice(clients))
        check_owners(world, clients)
    clients = settle(world, clients)
    for turn in range(240):
        for client in clients:
            if turn == 120 and isinstance(client, RandomClassicMember):
                # A classic leader that came back in a static place made no generation then.
                client.generation = -1
            client.step(loses=0)
            check_owners(world, clients)
        world.wait(1.0)
    wanted = {name for client in clients for name in client.topics}
    held = [part for client in clients for part in client.holds]
    assert len(held) == len({*held}) == sum(world.topics[name] for name in wanted)
