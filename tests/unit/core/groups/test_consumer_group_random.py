"""Consumer groups of KIP-848 under random members: lost answers and requests, coordinators that
move with a batch under way, zombies, static members, topics that grow. Never do two members of the
group hold one partition; no commit of a member that is out counts; peace ends in Stable."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest
from tests.support.consumer_world import ConsumerWorld

from spindle.core.groups.consumer_values import ConsumerBeatAnswer
from spindle.core.groups.group_values import Committed, MemberIdentity
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicId, TopicPartition

STEPS = 400
JOIN_AGAIN = {Error.UNKNOWN_MEMBER_ID, Error.FENCED_MEMBER_EPOCH}


@dataclass
class Client:
    """A consumer as clients are: it holds what answers say, and gives up the rest."""

    world: ConsumerWorld
    name: str
    instance_id: str | None
    rng: random.Random
    life: int = 0
    epoch: int = 0
    holds: set[tuple[TopicId, int]] = field(default_factory=set)
    waiting: list[ConsumerBeatAnswer] | None = None
    sent_full: bool = False
    topics: tuple[str, ...] = ("t",)

    @property
    def id(self) -> str:
        return f"{self.name}-{self.life}"

    def step(self, loses: float) -> None:
        """Take an answer, or lose it; else beat."""
        if self.waiting is None:
            self._beat()
        elif self.waiting:
            (answer,) = self.waiting
            self.waiting = None
            if self.rng.random() >= loses:
                self._take(answer)
            else:
                self.sent_full = False  # It says everything again.

    def die(self) -> None:
        """Another process begins; a static one leaves its place first, mostly."""
        if self.instance_id is not None and self.epoch > 0:
            self.world.ask(self.id, -2, instance_id=self.instance_id)
        elif self.epoch > 0 and self.rng.random() < 0.5:
            self.world.ask(self.id, -1)
        self._forget()
        self.life += 1

    def _forget(self) -> None:
        self.epoch, self.holds, self.waiting, self.sent_full = 0, set(), None, False

    def _beat(self) -> None:
        owned: dict[TopicId, list[int]] = {}
        for topic_id, number in self.holds:
            owned.setdefault(topic_id, []).append(number)
        fields: dict[str, object] = {"owned": owned}
        if self.epoch and not self.sent_full:
            fields |= {"rebalance_timeout": 60_000, "topics": self.topics}
        elif not self.epoch:
            fields |= {"topics": self.topics}
        if self.instance_id is not None:
            fields["instance_id"] = self.instance_id
        self.sent_full = True
        self.waiting = self.world.ask(self.id, self.epoch, **fields)

    def _take(self, answer: ConsumerBeatAnswer) -> None:
        if answer.error in JOIN_AGAIN:
            self._forget()
        elif answer.error is Error.FENCED_INSTANCE_ID:
            self._forget()
            self.life += 1
        elif answer.error is Error.NONE:
            self.epoch = answer.epoch
            if answer.assignment is not None:
                self.holds = {(t, n) for t, ns in answer.assignment.items() for n in ns}
        else:
            self.sent_full = False


def check_owners(clients: list[Client]) -> None:
    """Of those that are members, each partition has one holder at most."""
    try:
        view = clients[0].world.shard.consumers.describe("g")
    except Refusal:
        return
    members = {m.member.member_id for m in view.members}
    holders: dict[tuple[TopicId, int], str] = {}
    for client in clients:
        if client.id not in members:
            continue
        for part in client.holds:
            other = holders.setdefault(part, client.id)
            assert other == client.id, f"{part} is held by {other} and {client.id}"


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
        Client(world, f"m{n}", f"i{n}" if rng.random() < 0.3 else None, rng)
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
            client.topics, client.sent_full = rng.choice((("t",), ("t", "u"), ("u",))), False
        elif event < 0.2 and world.held:
            world.held.pop(0)(None)
        else:
            client.step(loses=0.1)
        check_owners(clients)
    settle(world, rng)
    world.held = None
    for _ in range(60):
        for client in clients:
            client.step(loses=0)
            check_owners(clients)
        world.wait(1.0)
    world.wait(44)
    for _ in range(20):
        for client in clients:
            client.step(loses=0)
            client.step(loses=0)
        check_owners(clients)
        world.wait(1.0)
    view = world.shard.consumers.describe("g")
    assert view.state == "Stable", view
    wanted = {name for client in clients for name in client.topics}
    assert sum(len(c.holds) for c in clients) == sum(world.topics[name] for name in wanted)
    assert commit_by(world, "zombie", 1) is Error.UNKNOWN_MEMBER_ID
    assert commit_by(world, clients[0].id, clients[0].epoch - 1) is Error.STALE_MEMBER_EPOCH
