"""Producers with transactional ids, at random: zombies, lost answers, time that is over, epochs
that are used up, a coordinator that moves while it writes, markers that come late and again.

A transaction ends the same way in all of its partitions, and as its producer heard; a producer
that was fenced ends none; none other is refused for good; epochs never go back; a coordinator
knows what its log says; in peace nothing stays open (`tests.support.transaction_world`).
"""

from __future__ import annotations

import random

import pytest
from tests.support.random_producers import TIMEOUT, RandomProducer
from tests.support.transaction_world import START_MS, TransactionWorld

from spindle.core.transactions.transaction_values import (
    EPOCH_MAX,
    ProducerIdAndEpoch,
    Stored,
    TransactionRecord,
)

STEPS = 600
NAMES = ("x", "y")


def made(rng: random.Random) -> tuple[TransactionWorld, list[RandomProducer]]:
    """A world, in which the epochs of one name may be nearly used up, and producers."""
    last = ProducerIdAndEpoch(7, EPOCH_MAX - rng.randrange(1, 6))
    old = Stored(producer=last, timeout_ms=TIMEOUT, updated_ms=START_MS)
    log = [TransactionRecord("x", old)] if rng.random() < 0.5 else []
    world = TransactionWorld(rng, rng.randrange(3), log)
    clients = [
        RandomProducer(world, NAMES[n % 2], f"p{n}", rng, knows_bumping=rng.random() < 0.6)
        for n in range(rng.choice((2, 3, 4)))
    ]
    for client in clients:
        client.rivals = [c for c in clients if c.name == client.name and c is not client]
    return world, clients


def disturb(world: TransactionWorld, rng: random.Random, clients: list[RandomProducer]) -> None:
    """One of the things that happen, or a step of one producer."""
    client, event = rng.choice(clients), rng.random()
    if event < 0.02:
        world.move()
    elif event < 0.03:
        world.raise_level()
    elif event < 0.04 and len(world.epochs) > 1:
        world.close(rng.choice(tuple(world.epochs)[:-1]))
    elif event < 0.05:
        pass_time(world, clients, rng.choice((0.6, 0.6, 0.6, 9.0, 2_000.0)))
    elif event < 0.06:
        client.die()
    elif event < 0.07:
        client.wants_epoch()
    elif event < 0.5:
        world.go_on()
    else:
        client.step(loses=0.1)


def pass_time(world: TransactionWorld, clients: list[RandomProducer], seconds: float) -> None:
    """Those whose time is over may hear that they are fenced."""
    world.wait(seconds)
    for client in clients:
        if world.out.wall_ms > client.began_ms + TIMEOUT:
            client.displaced = True


@pytest.mark.parametrize("seed", range(40))
def test_transactions_end_as_one_and_as_was_said(seed: int) -> None:
    rng = random.Random(seed)
    world, clients = made(rng)
    for _ in range(STEPS):
        disturb(world, rng, clients)
        world.check()
    world.settle()
    for client in {client.name: client for client in clients}.values():
        goes_on(world, client)


def goes_on(world: TransactionWorld, client: RandomProducer) -> None:
    """In peace a producer begins and ends transactions."""
    client.die()
    client.ended = 0
    for _ in range(500):
        client.step(loses=0)
        world.go_on()
        world.wait(0.01)
    assert client.ended > 2, f"{client.place} gets no further than {client.stage}"
