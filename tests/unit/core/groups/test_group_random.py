"""Groups under random members: nothing breaks, each gets an answer, and peace ends in Stable."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import pytest
from tests.support.group_world import World

from spindle.core.groups.group_states import GroupState
from spindle.core.groups.group_values import GroupLimits, Join, JoinAnswer, Sync, SyncAnswer
from spindle.model.errors import Error

STEPS = 300
RETRIED = {Error.UNKNOWN_MEMBER_ID, Error.ILLEGAL_GENERATION, Error.FENCED_INSTANCE_ID}


@dataclass
class Client:
    """A member as clients behave: join, sync, beat; join again on request; forget a lost id."""

    world: World
    instance_id: str | None
    needs_id: bool
    member_id: str = ""
    generation: int = -1
    synced: bool = False
    waiting: list[Any] | None = None
    metadata: bytes = b"m"
    assignment: bytes | None = None

    def step(self) -> None:
        if self.waiting is not None:
            if not self.waiting:
                return
            (answer,) = self.waiting
            self._on_answer(answer)
        elif self.generation < 0:
            self._join()
        elif not self.synced:
            self._sync(())
        else:
            self._beat()

    def crash(self) -> None:
        """The process is gone; another one with the same name begins."""
        self.member_id, self.generation, self.synced, self.waiting = "", -1, False, None
        self.assignment = None

    def _join(self) -> None:
        self.waiting = []
        self.world.group.join(
            Join(
                group_id="g",
                member_id=self.member_id,
                instance_id=self.instance_id,
                client_id="c",
                client_host="/h",
                session_timeout=6_000,
                rebalance_timeout=10_000,
                protocol_type="consumer",
                protocols=(("range", self.metadata), ("sticky", b"")),
                needs_id=self.needs_id and self.instance_id is None,
                may_skip=self.needs_id,
            ),
            self.waiting.append,
        )

    def _sync(self, given: tuple[tuple[str, bytes], ...]) -> None:
        self.waiting = []
        self.world.group.sync(
            Sync(
                group_id="g",
                generation=self.generation,
                member_id=self.member_id,
                instance_id=self.instance_id,
                assignments=given,
            ),
            self.waiting.append,
        )

    def _beat(self) -> None:
        answer = JoinAnswer(generation=self.generation, member_id=self.member_id)
        self._on_error(self.world.beat(answer, instance_id=self.instance_id))

    def _on_answer(self, answer: Any) -> None:
        self.waiting = None
        if isinstance(answer, JoinAnswer) and not answer.error:
            self.member_id, self.generation = answer.member_id, answer.generation
            self.synced = False
            if answer.leader == self.member_id and not answer.skip_assignment:
                assert self.member_id in [m[0] for m in answer.members]
                self._sync(tuple((m[0], m[0].encode()) for m in answer.members))
        elif isinstance(answer, SyncAnswer) and not answer.error:
            self.synced, self.assignment = True, answer.assignment
        elif answer.error is Error.MEMBER_ID_REQUIRED:
            self.member_id = answer.member_id
        else:
            self._on_error(answer.error)

    def _on_error(self, error: Error) -> None:
        if error:
            self.generation, self.synced = -1, False
            if error in RETRIED:
                self.member_id = ""


def play(seed: int) -> None:
    rng = random.Random(seed)
    world = World(limits=GroupLimits(initial_delay=rng.choice((0, 1_000))), at_once=False)
    clients = [
        Client(world, f"i{n}" if rng.random() < 0.4 else None, rng.random() < 0.5)
        for n in range(rng.randrange(1, 6))
    ]
    for _ in range(STEPS):
        what = rng.random()
        client = rng.choice(clients)
        if what < 0.02:
            client.crash()
        elif what < 0.04:
            world.group.leave(client.member_id, client.instance_id)
        elif what < 0.06:
            client.metadata = b"%d" % rng.randrange(3)
            client.generation = -1
        elif what < 0.3:
            world.wait(rng.choice((0.1, 1.0, 4.0)))
        elif what < 0.5 and world.open:
            failed = rng.random() < 0.2
            world.open.pop(0)(Error.COORDINATOR_NOT_AVAILABLE if failed else Error.NONE)
        else:
            client.step()
        check(world)
    settle(world, clients)


def check(world: World) -> None:
    group = world.group
    waiting = [m for m in group.metadata.members if m.joining is not None]
    if group.metadata.state in (GroupState.STABLE, GroupState.COMPLETING, GroupState.EMPTY):
        assert not waiting, "a member waits for a join that is not under way"
    if group.metadata.state is GroupState.STABLE:
        assert not [m for m in group.metadata.members if m.syncing is not None]
    assert (group.metadata.state is GroupState.EMPTY) <= (len(group.metadata.members) == 0)
    assert (group.metadata.leader is None) == (len(group.metadata.members) == 0)


def settle(world: World, clients: list[Client]) -> None:
    """No more faults: all get into one generation, each with its own assignment."""
    world.at_once = True
    for then in world.open:
        then(Error.NONE)
    for _ in range(400):
        for client in clients:
            client.step()
        world.wait(0.5)
        if is_settled(world, clients):
            return
    pytest.fail(f"{world.group.metadata.state}: {clients}")


def is_settled(world: World, clients: list[Client]) -> bool:
    members = {m.member_id for m in world.group.metadata.members}
    return (
        world.group.metadata.state is GroupState.STABLE
        and all(c.synced and c.waiting is None and c.assignment for c in clients)
        and {c.generation for c in clients} == {world.group.metadata.generation}
        and {c.member_id for c in clients} == members
    )


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_any_order_of_events_ends_well(first: int) -> None:
    for seed in range(first, first + 50):
        play(seed)
