"""The table of states: complete, and obeyed by a real group in every state."""

from __future__ import annotations

import itertools

import pytest
from tests.support.group_world import World

from spindle.core.groups.group_states import LEGAL, TABLE, GroupInput, GroupState, GroupStep
from spindle.core.groups.group_values import JoinAnswer, MemberIdentity
from spindle.model.errors import Error

PAIRS = list(itertools.product(GroupState, GroupInput))


def world_in(state: GroupState) -> tuple[World, JoinAnswer, JoinAnswer]:
    """A group of a static and a dynamic member, brought into a state by its members."""
    world = World()
    first = world.join(instance_id="one", session_timeout=1_800_000)
    second = world.join(session_timeout=1_800_000)
    world.wait(6)
    leader, follower = first[0], second[0]
    if state is GroupState.COMPLETING:
        return world, leader, follower
    world.sync(leader, instance_id="one")
    world.sync(follower)
    if state is GroupState.PREPARING:
        world.join(follower.member_id, protocols=(("range", b"new"),), session_timeout=1_800_000)
    if state is GroupState.EMPTY:
        world.group.leave("", "one")
        world.group.leave(follower.member_id, None)
    if state is GroupState.DEAD:
        world.group.close(Error.NOT_COORDINATOR)
    assert world.group.metadata.state is state
    return world, leader, follower


def test_the_table_is_complete() -> None:
    assert set(TABLE) == set(PAIRS)
    assert set(LEGAL) == set(GroupState)


def outcome(world: World, leader: JoinAnswer, follower: JoinAnswer, what: GroupInput) -> object:
    """What a group answers at once, or None where it lets one wait."""
    group = world.group
    joins = {
        GroupInput.NEW_MEMBER: {},
        GroupInput.STATIC_RETURN: {"instance_id": "one"},
        GroupInput.FOLLOWER_SAME: {"member_id": follower.member_id},
        GroupInput.LEADER_SAME: {"member_id": leader.member_id, "instance_id": "one"},
        GroupInput.MEMBER_CHANGED: {
            "member_id": follower.member_id,
            "protocols": (("range", b"newer"),),
        },
    }
    who = MemberIdentity(
        group_id="g",
        generation=group.metadata.generation,
        member_id=leader.member_id,
        instance_id="one",
    )
    if what in joins:
        answers = world.join(**joins[what])  # type: ignore[arg-type]
        return answers[0].error if answers else None
    if what is GroupInput.SYNC:
        synced = world.sync(follower, generation=group.metadata.generation)
        return synced[0].error if synced else None
    if what is GroupInput.HEARTBEAT:
        return group.heartbeat(who)
    if what is GroupInput.COMMIT:
        return group.may_commit(who)
    assert what is GroupInput.MEMBER_GONE
    return group.leave(follower.member_id, None)


@pytest.mark.parametrize(
    ("state", "what"), [(s, i) for s, i in PAIRS if i is not GroupInput.DELETE], ids=str
)
def test_a_group_does_what_the_table_says(state: GroupState, what: GroupInput) -> None:
    world, leader, follower = world_in(state)
    answered = outcome(world, leader, follower, what)
    said = TABLE[state, what]
    after = world.group.metadata.state
    if state is GroupState.EMPTY and what is GroupInput.STATIC_RETURN:
        # An empty group knows no static members: this is a new one.
        assert answered is None
        assert after is GroupState.PREPARING
    elif isinstance(said, Error):
        assert answered is said
        assert after is state
    elif said is GroupStep.REBALANCE:
        assert after is GroupState.PREPARING
        assert answered in (None, Error.NONE)
    elif said in (GroupStep.REPEAT, GroupStep.ACCEPT):
        assert answered is Error.NONE
        assert after is state
    else:
        assert said is GroupStep.WAIT
        assert after in (state, *LEGAL[state])


@pytest.mark.parametrize("state", list(GroupState))
def test_states_change_only_as_the_table_allows(state: GroupState) -> None:
    for other in GroupState:
        world, _, _ = world_in(state)
        if other in LEGAL[state]:
            world.group.metadata.go(other, 0)
            assert world.group.metadata.state is other
        else:
            with pytest.raises(AssertionError):
                world.group.metadata.go(other, 0)
