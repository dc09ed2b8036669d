"""The share coordinator at random: leaders and group coordinators ask, it moves while it writes,
old records are deleted, topics go.

Each question has one answer; what was answered as kept is kept; older leaders and states are
refused; what is kept is what the log says, whole or from where its oldest records were deleted.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from typing import Final

import pytest
from tests.support.share_state_world import ShareStateWorld, expanded

from spindle.core.share.share_values import (
    DeliveryState,
    ShareOutcome,
    SharePartitionKey,
    ShareWrite,
    StateBatch,
)
from spindle.model.errors import Error

pytestmark = pytest.mark.spec("C-04")
STEPS = 300
KEYS: Final = tuple(
    SharePartitionKey(group, uuid.UUID(int=topic), 0) for group in "gh" for topic in (1, 2)
)
ERRORS: Final = {
    Error.NONE,
    Error.NOT_COORDINATOR,
    Error.COORDINATOR_NOT_AVAILABLE,
    Error.FENCED_LEADER_EPOCH,
    Error.FENCED_STATE_EPOCH,
    Error.INVALID_REQUEST,
    Error.UNKNOWN_TOPIC_OR_PARTITION,
}
STATES = (DeliveryState.AVAILABLE, DeliveryState.ACKNOWLEDGED, DeliveryState.ARCHIVED)


class Askers:
    """Those that ask, and what they were promised of each share partition."""

    def __init__(self, world: ShareStateWorld, rng: random.Random) -> None:
        self.world, self.rng = world, rng
        self.open = 0
        self.leader: dict[SharePartitionKey, int] = {}
        """The highest epoch of a leader that has read."""
        self.epoch: dict[SharePartitionKey, int] = {}
        self.kept: dict[SharePartitionKey, dict[int, tuple[int, int]]] = {}
        """Deliveries and state of records."""
        self.start: dict[SharePartitionKey, int] = {}
        """The highest offset at which one was asked to begin."""

    def ask(self) -> None:
        """One question."""
        key, what = self.rng.choice(KEYS), self.rng.random()
        shard = self.world.shard
        if what < 0.12:
            epoch, start = self.rng.randrange(4), self.rng.choice((-1, 0, 5))
            self.start[key] = max(start, self.start.get(key, 0))
            told = self._once(lambda: self._begin(key, epoch), lambda: self.forget(key))
            shard.initialize(key, epoch, start, told)
        elif what < 0.3:
            self._read(key, self.rng.randrange(-1, 6))
        elif what < 0.9:
            self._write(key)
        elif what < 0.93:
            shard.delete(key, self._once(lambda: self.forget(key), lambda: self.forget(key)))
        else:
            assert shard.summary(key, -1).error in ERRORS

    def _once(
        self, then: Callable[[], None], perhaps: Callable[[], None] = lambda: None
    ) -> Callable[[ShareOutcome], None]:
        """Takes one answer. `then`: it has been done; `perhaps`: none knows."""
        self.open += 1
        answers: list[Error] = []

        def answered(outcome: ShareOutcome) -> None:
            assert not answers, f"{outcome} after {answers}"
            assert outcome.error in ERRORS
            answers.append(outcome.error)
            self.open -= 1
            if not outcome.error:
                then()
            elif outcome.error is Error.NOT_COORDINATOR:
                perhaps()

        return answered

    def _begin(self, key: SharePartitionKey, epoch: int) -> None:
        assert epoch >= self.epoch.get(key, -1), "an older state takes the place of a younger one"
        self.epoch[key], self.kept[key] = epoch, {}

    def forget(self, key: SharePartitionKey) -> None:
        """Nothing is promised any more."""
        for promised in (self.leader, self.epoch, self.kept):
            promised.pop(key, None)

    def _read(self, key: SharePartitionKey, leader: int) -> None:
        def done() -> None:
            assert leader == -1 or leader >= self.leader.get(key, -1), "an older leader reads"
            self.leader[key] = max(leader, self.leader.get(key, -1))

        self.world.shard.read(key, leader, self._once(done))

    def _write(self, key: SharePartitionKey) -> None:
        epoch, leader = self.rng.randrange(-1, 4), self.rng.randrange(-1, 6)
        start, first = -1, self.rng.randrange(12)
        if self.rng.random() < 0.3:
            start = self.start[key] = self.start.get(key, 0) + self.rng.randrange(2)
        batches = []
        for _ in range(self.rng.randrange(3)):
            last = first + self.rng.randrange(4)
            state, count = self.rng.choice(STATES), self.rng.randrange(1, 4)
            batches.append(StateBatch(first, last, state, count))
            first = last + 1 + self.rng.randrange(2)

        def done() -> None:
            assert leader == -1 or leader >= self.leader.get(key, -1), "an older leader writes"
            assert epoch == -1 or epoch >= self.epoch.get(key, -1), "an older state is written"
            self.leader[key] = max(leader, self.leader.get(key, -1))
            kept = {} if key.topic_id in self.world.gone else self.kept.setdefault(key, {})
            for batch in batches:
                for n in range(batch.first, batch.last + 1):
                    now = (batch.deliveries, int(batch.state))
                    kept[n] = max(kept.get(n, now), now)

        write = ShareWrite(epoch, leader, start, 0, batches)
        self.world.shard.write(key, write, self._once(done))

    def check(self, key: SharePartitionKey) -> None:
        """What was promised is kept."""
        state = expanded(self.world.kept(key).state)
        start, promised = self.start.get(key, 0), self.kept.get(key, {})
        if promised:
            assert state is not None
            assert all(state[3][n] >= what for n, what in promised.items() if n >= start)


def disturb(world: ShareStateWorld, rng: random.Random, askers: Askers) -> None:
    """One of the things that happen, or a question."""
    event = rng.random()
    if event < 0.03:
        world.move()
    elif event < 0.05:
        world.wait(rng.choice((1.0, 30.0)))
        world.shard.snapshot_cold()
    elif event < 0.1:
        world.prune()
    elif event < 0.102:
        topic = rng.choice(KEYS).topic_id
        world.gone.add(topic)
        for key in KEYS:
            if key.topic_id == topic:
                askers.forget(key)
        world.shard.on_topics_deleted({topic})
    elif event < 0.5:
        world.go_on(fails=rng.random() < 0.05)
    else:
        askers.ask()


@pytest.mark.parametrize("seed", range(40))
def test_states_are_kept_as_was_said_wherever_the_coordinator_is(seed: int) -> None:
    rng = random.Random(seed)
    world = ShareStateWorld(rng)
    askers = Askers(world, rng)
    for _ in range(STEPS):
        disturb(world, rng, askers)
        for key in KEYS:
            askers.check(key)
        if rng.random() < 0.1:
            world.check(KEYS)
    for _ in range(2):
        while world.held:
            world.go_on()
        world.shard.snapshot_cold()
    assert not askers.open, "questions are left without an answer"
    assert all(world.kept(key).state is None for key in KEYS if key.topic_id in world.gone)
