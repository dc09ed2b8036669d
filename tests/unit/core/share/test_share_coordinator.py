"""The share coordinator, where records of its log are gone, or topics (KIP-932)."""

from __future__ import annotations

import random
import uuid

import pytest
from tests.support.share_state_world import ShareStateWorld

from spindle.core.share.share_values import ShareOutcome, SharePartitionKey
from spindle.model.errors import Error

pytestmark = pytest.mark.spec("C-04")
KEY = SharePartitionKey("g", uuid.UUID(int=1), 0)


def begun(world: ShareStateWorld, state_epoch: int, start: int) -> None:
    """A group is set to begin somewhere."""
    answers: list[ShareOutcome] = []
    world.shard.initialize(KEY, state_epoch, start, answers.append)
    world.go_on()
    assert answers == [ShareOutcome()]


def read(world: ShareStateWorld, leader_epoch: int) -> Error:
    """A leader reads the state."""
    answers: list[ShareOutcome] = []
    world.shard.read(KEY, leader_epoch, answers.append)
    world.go_on()
    return answers[0].error


def test_older_leaders_stay_fenced_after_a_new_start_and_the_end_of_older_records() -> None:
    world = ShareStateWorld(random.Random(1))
    begun(world, 0, 0)
    assert read(world, 5) is Error.NONE
    begun(world, 1, 7)
    world.prune()
    world.move()
    assert world.first == 2
    assert read(world, 4) is Error.FENCED_LEADER_EPOCH


def test_nothing_stays_of_a_topic_that_went_while_the_coordinator_moved() -> None:
    world = ShareStateWorld(random.Random(1))
    begun(world, 0, 0)
    world.gone.add(KEY.topic_id)
    world.move()
    world.shard.snapshot_cold()
    world.go_on()
    assert world.kept(KEY).state is None
    assert world.shard.needed_from == len(world.log)
