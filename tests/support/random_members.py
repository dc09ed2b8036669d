"""A group's members, which do as clients do, step by step: of KIP-848, and of the classic protocol.

Answers come late, or never; a client holds what its last answer says, and gives up the rest.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from spindle.core.groups.consumer_protocol import (
    ConsumerSubscription,
    read_assignment,
    read_subscription,
    write_assignment,
    write_subscription,
)
from spindle.core.groups.consumer_values import ConsumerBeatAnswer
from spindle.core.groups.group_states import GroupState
from spindle.core.groups.group_values import Join, JoinAnswer, MemberIdentity, Sync, SyncAnswer
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicId
from tests.support.consumer_world import ConsumerWorld, topic_id_of

JOIN_AGAIN = {Error.UNKNOWN_MEMBER_ID, Error.FENCED_MEMBER_EPOCH, Error.GROUP_ID_NOT_FOUND}
"""The last one: the group has become a classic one."""
STRANGER = {Error.UNKNOWN_MEMBER_ID, Error.FENCED_INSTANCE_ID}
Part = tuple[TopicId, int]
LEASE = 44.0
"""Seconds for which a member that was heard is one surely: a little less than a session."""


@dataclass
class RandomMember:
    """A consumer of KIP-848."""

    world: ConsumerWorld
    name: str
    instance_id: str | None
    rng: random.Random
    life: int = 0
    epoch: int = 0
    holds: set[Part] = field(default_factory=set)
    waiting: list[ConsumerBeatAnswer] | None = None
    sent_full: bool = False
    topics: tuple[str, ...] = ("t",)
    asked_at: float = 0.0
    heard_at: float = 0.0
    """When it asked what was answered last."""

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

    def subscribe(self, topics: tuple[str, ...]) -> None:
        """Read these topics from now on."""
        self.topics, self.sent_full = topics, False

    def leave(self) -> None:
        """Go for good, also from a static place."""
        self.world.ask(self.id, -1, instance_id=self.instance_id)
        self._forget()

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
        self.sent_full, self.asked_at = True, self.world.out.now
        self.waiting = self.world.ask(self.id, self.epoch, **fields)

    def _take(self, answer: ConsumerBeatAnswer) -> None:
        if answer.error in JOIN_AGAIN:
            self._forget()
        elif answer.error is Error.FENCED_INSTANCE_ID:
            self._forget()
            self.life += 1
        elif answer.error is Error.NONE:
            self.epoch, self.heard_at = answer.epoch, self.asked_at
            if answer.assignment is not None:
                self.holds = {(t, n) for t, ns in answer.assignment.items() for n in ns}
        else:
            self.sent_full = False


@dataclass
class RandomClassicMember:
    """A consumer of the classic protocol, eager or cooperative. The leader deals partitions out."""

    world: ConsumerWorld
    name: str
    instance_id: str | None
    rng: random.Random
    cooperative: bool = False
    id: str = ""
    generation: int = -1
    held_in: int = -1
    """The generation in which it got what it holds."""
    holds: set[Part] = field(default_factory=set)
    topics: tuple[str, ...] = ("t",)
    joining: list[JoinAnswer] | None = None
    syncing: list[SyncAnswer] | None = None
    joined: JoinAnswer | None = None
    """It has to ask for its assignment."""
    seen: dict[str, int] = field(default_factory=dict)
    """How many partitions its topics had when it joined."""
    asked_at: float = 0.0
    heard_at: float = 0.0
    """When it asked what was answered last."""

    def step(self, loses: float) -> None:
        """Take an answer, or lose it; else do what is next."""
        lost = self.rng.random() < loses
        if self.joining is not None:
            if self.joining:
                answer, self.joining = self.joining[0], None
                self._on_joined(Error.REQUEST_TIMED_OUT if lost else answer.error, answer)
        elif self.syncing is not None:
            if self.syncing:
                told, self.syncing = self.syncing[0], None
                self._on_synced(Error.REQUEST_TIMED_OUT if lost else told.error, told)
        elif self.joined is not None:
            self._sync(self.joined)
        elif self.generation < 0 or self.seen != self._sizes():
            self._join()
        else:
            error = self.world.shard.heartbeat(self._identity)
            if error in STRANGER:
                self._forget()
            elif error is not Error.NONE:
                self.generation = -1
            else:
                self.heard_at = self.world.out.now

    def die(self) -> None:
        """Another process begins."""
        if self.id and self.instance_id is None and self.rng.random() < 0.5:
            self.leave()
        self._forget()

    def subscribe(self, topics: tuple[str, ...]) -> None:
        """Read these topics from now on."""
        self.topics = topics
        self.generation = -1

    def leave(self) -> None:
        """Go for good, also from a static place."""
        self.world.shard.leave("g", [(self.id, self.instance_id)], lambda errors: None)
        self._forget()

    @property
    def _identity(self) -> MemberIdentity:
        return MemberIdentity(
            group_id="g",
            generation=self.generation,
            member_id=self.id,
            instance_id=self.instance_id,
        )

    def _sizes(self) -> dict[str, int]:
        return {name: self.world.topics[name] for name in self.topics}

    def _forget(self) -> None:
        self.id, self.generation, self.holds = "", -1, set()
        self.joining = self.syncing = self.joined = None

    def _join(self) -> None:
        if not self.cooperative:
            self.holds = set()
        owned: dict[str, list[int]] = {}
        for topic_id, number in sorted(self.holds):
            name = self.world.around.topic_name(topic_id)
            assert name is not None
            owned.setdefault(name, []).append(number)
        held = {name: tuple(numbers) for name, numbers in owned.items()}
        said = ConsumerSubscription(self.topics, held, self.held_in)
        self.joining, self.seen = [], self._sizes()
        self.asked_at = self.world.out.now
        ask = Join(
            group_id="g",
            member_id=self.id,
            instance_id=self.instance_id,
            client_id=self.name,
            client_host="/h",
            session_timeout=45_000,
            rebalance_timeout=60_000,
            protocol_type="consumer",
            protocols=(("range", write_subscription(said)),),
        )
        self.world.shard.join(ask, self.joining.append)

    def _on_joined(self, error: Error, answer: JoinAnswer) -> None:
        if error is Error.NONE:
            self.id, self.joined = answer.member_id, answer
            self.generation = answer.generation
        elif error in STRANGER:
            self._forget()
        else:
            self.generation = -1

    def _sync(self, joined: JoinAnswer) -> None:
        self.joined, self.syncing = None, []
        self.asked_at = self.world.out.now
        ask = Sync(
            group_id="g",
            generation=joined.generation,
            member_id=self.id,
            instance_id=self.instance_id,
            protocol_type="consumer",
            protocol="range",
            assignments=self._dealt(joined) if joined.members else (),
        )
        self.world.shard.sync(ask, self.syncing.append)

    def _on_synced(self, error: Error, answer: SyncAnswer) -> None:
        if error in STRANGER:
            self._forget()
        elif error is not Error.NONE:
            self.generation = -1
        else:
            given = read_assignment(answer.assignment).partitions if answer.assignment else {}
            told = {(topic_id_of(name), n) for name, numbers in given.items() for n in numbers}
            loses_some = bool(self.holds - told)
            self.holds, self.held_in, self.heard_at = told, self.generation, self.asked_at
            if self.cooperative and loses_some:
                self.generation = -1  # It has given something up: others may have it now.

    def _dealt(self, joined: JoinAnswer) -> tuple[tuple[str, bytes], ...]:
        """Partitions in turn; one that another cooperative member says it keeps, to none yet."""
        said = {id: read_subscription(metadata) for id, _, metadata in joined.members}
        owner: dict[tuple[str, int], str] = {}
        for id, one in sorted(said.items(), key=lambda item: item[1].generation):
            owner |= {(name, n): id for name, numbers in one.owned.items() for n in numbers}
        given: dict[str, dict[str, list[int]]] = {id: {} for id in said}
        for name in sorted({name for one in said.values() for name in one.topics}):
            takers = sorted(id for id, one in said.items() if name in one.topics)
            for number in range(self.world.topics[name]):
                taker = takers[number % len(takers)]
                if not self.cooperative or owner.get((name, number), taker) == taker:
                    given[taker].setdefault(name, []).append(number)
        return tuple(
            (id, write_assignment({name: tuple(ns) for name, ns in parts.items()}, 3))
            for id, parts in given.items()
        )


AnyMember = RandomMember | RandomClassicMember


def members_of(world: ConsumerWorld) -> set[str] | None:
    """The ids of the group's members; None while it is not there, or changes its kind."""
    classic = world.shard.groups.all.get("g")
    if classic is not None and classic.metadata.state is not GroupState.DEAD:
        return {member.member_id for member in classic.metadata.members}
    try:
        return {m.member.member_id for m in world.shard.consumers.describe("g").members}
    except Refusal:
        return None


def check_owners(world: ConsumerWorld, clients: Iterable[Any]) -> None:
    """Of those that are members, each partition has one holder at most."""
    members = members_of(world)
    holders: dict[Part, str] = {}
    for client in clients:
        if members is None or client.id not in members:
            continue
        if world.out.now > client.heard_at + LEASE:
            continue  # It may have been out meanwhile, and be back before it hears of that.
        for part in client.holds:
            other = holders.setdefault(part, client.id)
            assert other == client.id, f"{part} is held by {other} and {client.id}"
