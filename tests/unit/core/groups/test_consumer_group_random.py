"""Consumer groups of KIP-848 under random members: lost answers and requests, coordinators that
move with a batch under way, zombies, static members, topics that grow. Never do two members of the
group hold one partition; no commit of a member that is out counts; peace ends in Stable."""

from __future__ import annotations

import random

import pytest
from tests.support.consumer_world import ConsumerWorld
from tests.support.random_members import RandomMember, check_owners

from spindle.core.groups.group_values import Committed, MemberIdentity
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition

STEPS = 400


def commit_by(world: ConsumerWorld, member_id: str, epoch: int) -> Error:
    answers: list[Error] = []
    world.shard.commit(
        MemberIdentity(group_id="g", member_id=member_id, generation=epoch),
        {TopicPartition("t", 0): Committed(offset=1, commit_ms=1)},
        lambda told: answers.extend(told.values()),
        refuse=lambda refusal: answers.append(refusal.error),
    )
    return answers[0] if answers else Error.NONE


def settle(world: ConsumerWorld, rng: random.Random) -> None:
    """Batches that are under way are committed, in order, or the coordinator moves."""
    while world.held:
        world.held.pop(0)(None)


@pytest.mark.spec("C-02")
@pytest.mark.parametrize("seed", range(60))
def test_no_partition_ever_has_two_owners(seed: int) -> None:
    rng = random.Random(seed)
    world = ConsumerWorld(topics={"t": rng.randrange(1, 6), "u": 2})
    clients = [
        RandomMember(world, f"m{n}", f"i{n}" if rng.random() < 0.3 else None, rng)
        for n in range(rng.randrange(2, 6))
    ]
    for _ in range(STEPS):
        event = rng.random()
        client = rng.choice(clients)
        if event < 0.02:
            client.die()
        elif event < 0.04:
            if world.held:  # The log keeps some of what was under way.
                for batch in world.held[: rng.randrange(2)]:
                    batch(None)
            world.held = [] if rng.random() < 0.5 else None
            world.reload()
        elif event < 0.06:
            world.wait(rng.choice((1.0, 10.0, 50.0)))
        elif event < 0.08:
            name = rng.choice(("t", "u"))
            world.topics[name] += 1
            world.shard.consumers.on_topics_changed(frozenset([name]))
        elif event < 0.10:
            client.subscribe(rng.choice((("t",), ("t", "u"), ("u",))))
        elif event < 0.2 and world.held:
            world.held.pop(0)(None)
        else:
            client.step(loses=0.1)
        check_owners(world, clients)
    settle(world, rng)
    world.held = None
    for _ in range(60):
        for client in clients:
            client.step(loses=0)
            check_owners(world, clients)
        world.wait(1.0)
    world.wait(44)
    for _ in range(20):
        for client in clients:
            client.step(loses=0)
            client.step(loses=0)
        check_owners(world, clients)
        world.wait(1.0)
    view = world.shard.consumers.describe("g")
    assert view.state == "Stable", view
    wanted = {name for client in clients for name in client.topics}
    assert sum(len(c.holds) for c in clients) == sum(world.topics[name] for name in wanted)
    assert commit_by(world, "zombie", 1) is Error.UNKNOWN_MEMBER_ID
    assert commit_by(world, clients[0].id, clients[0].epoch - 1) is Error.STALE_MEMBER_EPOCH
