"""A share group whose log, or the share coordinator, is slow or fails (KIP-932)."""

from __future__ import annotations

import random

import pytest
from tests.support.consumer_world import topic_id_of
from tests.support.random_share_members import RandomShareMember, ShareGroupWorld

from spindle.model.errors import Error

pytestmark = pytest.mark.spec("C-04")
T = topic_id_of("t")


def joined(world: ShareGroupWorld) -> RandomShareMember:
    """A member with all partitions."""
    member = RandomShareMember(world, "m", random.Random(1))
    for _ in range(6):
        member.step(loses=0)
        settle(world)
    assert member.holds == {(T, n) for n in range(world.topics["t"])}
    return member


def settle(world: ShareGroupWorld) -> None:
    """All that is under way ends."""
    while world.held or world.keeper.under_way:
        world.go_on()


def left(world: ShareGroupWorld, member: RandomShareMember) -> None:
    """The group is empty."""
    member.die(leaves=True)
    settle(world)


def test_a_member_that_joined_late_and_is_gone_is_put_out() -> None:
    """The batch was under way for longer than its client waits."""
    world = ShareGroupWorld(held=[])
    member = RandomShareMember(world, "m", random.Random(1))
    member.step(loses=0)
    world.wait(6.0)
    settle(world)
    assert list(world.shard.shares.all["g"].metadata.members) == [member.id]
    world.wait(46.0)
    settle(world)
    assert not world.shard.shares.all["g"].metadata.members


@pytest.mark.parametrize("what", ["alter", "delete offsets", "delete"])
def test_a_question_is_answered_where_the_log_does_not_take_what_came_of_it(what: str) -> None:
    world = ShareGroupWorld(held=[])
    left(world, joined(world))
    shares, answers = world.shard.shares, list[object]()
    if what == "alter":
        shares.alter("g", {T: {0: 5}}, {T: "t"}, answers.append, answers.append)
    elif what == "delete":
        shares.remove("g", answers.append)
    else:
        shares.named("g").delete_offsets([T], answers.append, answers.append)
    assert world.held is not None
    world.held.pop(0)(None)
    world.keeper.under_way.pop(0)(Error.NONE)
    assert not answers
    world.held.pop(0)(Error.COORDINATOR_NOT_AVAILABLE)
    assert len(answers) == 1


def test_a_deletion_that_failed_keeps_no_member_waiting_for_ever() -> None:
    world = ShareGroupWorld(held=[])
    left(world, joined(world))
    answers: list[Error] = []
    world.shard.delete_group("g", answers.append)
    assert world.held is not None
    world.held.pop(0)(None)
    world.keeper.under_way.pop(0)(Error.COORDINATOR_NOT_AVAILABLE)
    settle(world)
    assert answers == [Error.COORDINATOR_NOT_AVAILABLE]
    joined(world)


def test_a_deletion_goes_on_where_the_coordinator_moved() -> None:
    world = ShareGroupWorld(held=[])
    left(world, joined(world))
    answers: list[object] = []
    world.shard.shares.named("g").delete_offsets([T], answers.append, answers.append)
    assert world.held is not None
    world.held.pop(0)(None)
    world.keeper.under_way.clear()  # It goes down with what it asked for.
    world.move(kept=0)
    settle(world)
    assert not world.keeper.states
    assert not world.shard.shares.all["g"].metadata.states.deleting


def test_nothing_is_known_of_what_was_deleted_while_it_was_made() -> None:
    """Else members would get partitions of which no state is kept."""
    world = ShareGroupWorld(held=[])
    left(world, joined(world))
    shares, answers = world.shard.shares, list[object]()
    shares.alter("g", {T: {0: 5}}, {T: "t"}, answers.append, answers.append)
    assert world.held is not None
    world.held.pop(0)(None)
    shares.named("g").delete_offsets([T], answers.append, answers.append)
    world.held.pop(0)(None)
    settle(world)
    assert len(answers) == 2
    assert not world.keeper.states
    assert shares.all["g"].metadata.states.is_empty


def test_a_topic_that_went_is_given_up_although_the_log_refused_that_at_first() -> None:
    world = ShareGroupWorld(held=[])
    member = joined(world)
    del world.topics["t"]
    world.shard.shares.on_topics_changed(frozenset("t"))
    member.step(loses=0)
    member.step(loses=0)
    assert world.held is not None
    world.held.pop(0)(Error.COORDINATOR_NOT_AVAILABLE)
    for _ in range(6):
        member.step(loses=0)
        settle(world)
    assert not member.holds


def test_a_group_goes_whose_topic_went_unheard() -> None:
    world = ShareGroupWorld(held=[])
    left(world, joined(world))
    del world.topics["t"]
    world.move(kept=0)
    answers: list[Error] = []
    world.shard.delete_group("g", answers.append)
    settle(world)
    assert answers == [Error.NONE]
    assert not world.shard.shares.all
