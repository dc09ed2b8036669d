"""Questions for metadata wait a moment where a leader has just fallen silent (B-29)."""

from __future__ import annotations

import random

import pytest
from tests.support.cluster_image import add_broker, three_brokers
from tests.support.replica_world import World

from spindle.model.outbox import Outbox
from spindle.node.replicas.silent_leaders import HOLD, LAST, SilentLeaders

pytestmark = pytest.mark.spec("B-29")


class Asked:
    """A question that counts how often its time has come."""

    def __init__(self) -> None:
        self.out, self.image = Outbox(random.Random(1)), three_brokers()
        self.leaders = SilentLeaders(self.out, lambda: self.image)
        self.answered = 0

    def waits(self) -> bool:
        before = self.answered
        self.leaders.when_known(self._answer)
        return self.answered == before

    def _answer(self) -> None:
        self.answered += 1

    def wait(self, seconds: float) -> None:
        self.out.now += seconds
        self.out.tick()


@pytest.fixture
def asked() -> Asked:
    return Asked()


def test_no_question_waits_while_leaders_answer_or_are_known_to_be_gone(asked: Asked) -> None:
    asked.leaders.on_heard(1)
    assert not asked.waits()
    add_broker(asked.image, 1, fenced=True)
    asked.leaders.on_silent(1)
    asked.leaders.on_silent(4)
    assert not asked.waits()


def test_a_question_waits_until_the_leader_is_fenced(asked: Asked) -> None:
    asked.leaders.on_silent(1)
    assert asked.waits()
    asked.leaders.on_brokers([2])
    asked.wait(HOLD / 2)
    assert asked.answered == 0
    asked.leaders.on_brokers([1])
    asked.wait(0)
    assert asked.answered == 1
    assert not asked.waits()


def test_a_question_waits_until_the_leader_answers_again(asked: Asked) -> None:
    asked.leaders.on_silent(1)
    assert asked.waits()
    asked.leaders.on_heard(1)
    asked.wait(0)
    assert asked.answered == 1


def test_a_question_waits_for_each_silent_leader_and_once(asked: Asked) -> None:
    asked.leaders.on_silent(1)
    asked.wait(HOLD / 2)
    asked.leaders.on_silent(2)
    assert asked.waits()
    asked.wait(HOLD / 2)
    assert asked.answered == 0
    asked.wait(HOLD / 2)
    asked.wait(0)
    assert asked.answered == 1


def test_a_follower_whose_leader_dies_has_questions_wait_until_it_is_fenced() -> None:
    world = World()
    world.wait(1)
    silent = world.nodes[2].fetchers.silent
    answered: list[float] = []
    world.down.add(1)
    world.close_connection(1)
    silent.when_known(lambda: answered.append(world.now))
    world.wait(0.1)
    assert answered == []
    world.fence(1)
    world.step()
    assert answered == [world.now]
    assert set(silent.lasting) == {1}
    world.wait(LAST)
    assert not silent.lasting


def test_each_registration_is_waited_for_once_until_it_answers(asked: Asked) -> None:
    asked.leaders.on_silent(1)
    asked.wait(HOLD)
    asked.leaders.on_silent(1)
    assert not asked.waits()
    asked.leaders.on_heard(1)
    asked.leaders.on_silent(1)
    assert asked.waits()


def test_a_silent_leader_is_named_for_a_while_after_it_was_fenced(asked: Asked) -> None:
    asked.leaders.on_silent(1)
    add_broker(asked.image, 1, fenced=True)
    asked.leaders.on_brokers([1])
    assert set(asked.leaders.lasting) == {1}
    meanwhile = asked.leaders.revision
    assert asked.leaders.revision is meanwhile
    asked.wait(LAST)
    assert not asked.leaders.lasting
    assert asked.leaders.revision is not meanwhile, "answers that name it are kept no longer"


def test_its_next_process_ends_that_while(asked: Asked) -> None:
    asked.leaders.on_silent(1)
    add_broker(asked.image, 1, fenced=True)
    asked.leaders.on_brokers([1])
    add_broker(asked.image, 1)
    asked.leaders.on_brokers([1])
    assert not asked.leaders.lasting


def test_one_that_answered_until_it_was_fenced_is_not_named(asked: Asked) -> None:
    before = asked.leaders.revision
    add_broker(asked.image, 1, fenced=True)
    asked.leaders.on_brokers([1])
    assert not asked.leaders.lasting
    assert asked.leaders.revision is not before
