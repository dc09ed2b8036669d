"""A classic group as its members live it: generations, static members, expiry, failed stores."""

from __future__ import annotations

import pytest
from tests.support.group_world import World

from spindle.core.groups.group_states import GroupState
from spindle.core.groups.group_values import GroupLimits, JoinAnswer, MemberIdentity
from spindle.model.errors import Error


@pytest.fixture
def world() -> World:
    return World()


def test_first_generation_waits_for_more_members_and_tells_the_leader_of_all(world: World) -> None:
    first = world.join()
    world.wait(2)
    second = world.join()
    world.wait(0.9)
    assert first == []
    world.wait(0.2)
    assert second == []  # a member came in the first delay: one more is due
    world.wait(3)
    (leader,), (follower,) = first, second
    assert leader.generation == follower.generation == 1
    assert leader.leader == follower.leader == leader.member_id
    assert [m[0] for m in leader.members] == [leader.member_id, follower.member_id]
    assert follower.members == ()
    assert (leader.protocol_type, leader.protocol) == ("consumer", "range")
    assert leader.member_id.startswith("c-")


def test_the_first_delay_ends_with_the_rebalance_timeout_however_many_keep_coming() -> None:
    world = World()
    answers = [world.join(rebalance_timeout=7_000)]
    for _ in range(4):
        world.wait(2)
        answers.append(world.join(rebalance_timeout=7_000))
    assert [len(a) for a in answers] == [1, 1, 1, 1, 0]
    assert world.group.metadata.generation == 1


def test_without_initial_delay_a_lone_member_is_answered_at_once() -> None:
    world = World(limits=GroupLimits(initial_delay=0))
    (answer,) = world.join()
    assert (answer.error, answer.generation) == (Error.NONE, 1)


def test_assignments_are_answered_only_after_they_are_stored() -> None:
    world = World(at_once=False)
    first, second = world.join(), world.join()
    world.wait(6)
    leader, follower = first[0], second[0]
    early = world.sync(follower)
    done = world.sync(leader, ((leader.member_id, b"L"), (follower.member_id, b"F")))
    assert early == done == []
    assert world.group.metadata.state is GroupState.COMPLETING
    world.open.pop()(Error.NONE)
    assert (done[0].assignment, early[0].assignment) == (b"L", b"F")
    assert world.group.metadata.state is GroupState.STABLE
    stored = world.records[-1].value
    assert stored is not None
    assert [(m.member_id, m.assignment, m.subscription) for m in stored.members] == [
        (leader.member_id, b"L", b"r"),
        (follower.member_id, b"F", b"r"),
    ]
    assert (stored.generation, stored.protocol, stored.leader) == (1, "range", leader.member_id)
    # Asked again, the coordinator answers again, without another store.
    assert world.sync(follower)[0].assignment == b"F"
    assert len(world.records) == 1


def test_a_failed_store_begins_a_new_generation() -> None:
    world = World(at_once=False)
    answers = world.join()
    world.wait(3)
    synced = world.sync(answers[0], ((answers[0].member_id, b"x"),))
    world.open.pop()(Error.NOT_COORDINATOR)
    assert synced[0].error is Error.NOT_COORDINATOR
    assert world.group.metadata.state is GroupState.PREPARING
    assert world.beat(answers[0]) is Error.REBALANCE_IN_PROGRESS


def test_a_store_that_ends_after_the_next_rebalance_began_is_not_announced() -> None:
    world = World(at_once=False)
    answers = world.join()
    world.wait(3)
    synced = world.sync(answers[0], ((answers[0].member_id, b"x"),))
    world.join()
    assert synced[0].error is Error.REBALANCE_IN_PROGRESS
    world.open.pop()(Error.NONE)
    assert world.group.metadata.state is GroupState.PREPARING


def test_newcomer_makes_the_others_join_again(world: World) -> None:
    (leader, follower) = world.stable()
    newcomer = world.join()
    assert world.group.metadata.state is GroupState.PREPARING
    assert world.beat(leader) is Error.REBALANCE_IN_PROGRESS
    again = [world.join(leader.member_id), world.join(follower.member_id)]
    assert newcomer[0].generation == 2
    assert [a[0].generation for a in again] == [2, 2]
    assert len(again[0][0].members) == 3


def test_a_member_that_does_not_join_in_time_is_out(world: World) -> None:
    (leader, follower) = world.stable()
    again = world.join(leader.member_id, rebalance_timeout=60_000, session_timeout=1_800_000)
    for _ in range(9):
        world.wait(6)
        world.beat(follower)  # alive, but it never joins
    assert again == []
    world.wait(6)
    assert again[0].generation == 2
    assert [m[0] for m in again[0].members] == [leader.member_id]
    assert world.beat(follower) is Error.UNKNOWN_MEMBER_ID


def test_silence_ends_a_session_and_the_next_leader_is_a_member_that_is_here(world: World) -> None:
    (leader, follower) = world.stable()
    world.wait(8)
    assert world.beat(follower) is Error.NONE
    world.wait(3)
    assert world.beat(leader) is Error.UNKNOWN_MEMBER_ID
    assert world.beat(follower) is Error.REBALANCE_IN_PROGRESS
    (answer,) = world.join(follower.member_id)
    assert answer.leader == follower.member_id
    assert len(answer.members) == 1


def test_a_member_that_waits_for_us_does_not_expire(world: World) -> None:
    (leader, follower) = world.stable()
    again = world.join(follower.member_id, protocols=(("range", b"changed"),))
    for _ in range(5):
        world.wait(8)
        world.beat(leader)
    assert follower.member_id in world.group.metadata.members
    world.join(leader.member_id)
    assert again[0].generation == 2


def test_leaving_ends_in_an_empty_group_that_is_stored(world: World) -> None:
    (leader, follower) = world.stable()
    assert world.group.leave(leader.member_id, None) is Error.NONE
    assert world.group.leave(leader.member_id, None) is Error.UNKNOWN_MEMBER_ID
    assert world.group.leave(follower.member_id, None) is Error.NONE
    assert world.group.metadata.state is GroupState.EMPTY
    stored = world.records[-1].value
    assert stored is not None
    assert (stored.members, stored.generation, stored.protocol, stored.leader) == (
        (),
        2,
        None,
        None,
    )
    assert stored.protocol_type == "consumer"


def test_versions_from_4_on_get_an_id_before_they_join(world: World) -> None:
    (promise,) = world.join(needs_id=True)
    assert promise.error is Error.MEMBER_ID_REQUIRED
    assert world.group.metadata.state is GroupState.EMPTY
    joined = world.join(promise.member_id, needs_id=True)
    world.wait(3)
    assert joined[0].member_id == promise.member_id
    assert joined[0].generation == 1


def test_a_promised_id_runs_out_with_the_session_timeout(world: World) -> None:
    (promise,) = world.join(needs_id=True)
    world.wait(11)
    assert world.group.metadata.is_idle
    assert world.join(promise.member_id)[0].error is Error.UNKNOWN_MEMBER_ID


def test_a_promised_id_can_be_given_back(world: World) -> None:
    (promise,) = world.join(needs_id=True)
    assert world.group.leave(promise.member_id, None) is Error.NONE
    assert world.group.metadata.is_idle


def test_a_rebalance_waits_for_promised_ids(world: World) -> None:
    (only,) = world.stable(1)
    (promise,) = world.join(needs_id=True)
    again = world.join(only.member_id)  # the leader's join begins a rebalance
    assert again == []
    newcomer = world.join(promise.member_id)
    assert again[0].generation == newcomer[0].generation == 2


def test_the_first_generation_does_not_wait_for_promised_ids() -> None:
    world = World(limits=GroupLimits(initial_delay=0))
    world.join(needs_id=True)
    (joined,) = world.join()
    assert joined.generation == 1


def test_protocols_are_voted_for_among_the_common_ones(world: World) -> None:
    answers = [
        world.join(protocols=(("a", b""), ("b", b"1"), ("c", b""))),
        world.join(protocols=(("c", b""), ("b", b"2"))),
        world.join(protocols=(("b", b"3"), ("c", b""))),
    ]
    world.wait(6)
    assert answers[0][0].protocol == "b"
    assert [m[2] for m in answers[0][0].members] == [b"1", b"2", b"3"]


@pytest.mark.parametrize(
    "fields",
    [
        {"protocol_type": "connect"},
        {"protocols": (("sticky", b""),)},
        {"protocols": ()},
        {"protocol_type": ""},
    ],
)
def test_a_member_that_shares_no_protocol_is_kept_out(
    world: World, fields: dict[str, object]
) -> None:
    world.stable()
    assert world.join(**fields)[0].error is Error.INCONSISTENT_GROUP_PROTOCOL
    assert world.group.metadata.state is GroupState.STABLE


def test_commits_keep_a_member_alive_that_sends_no_heartbeats(world: World) -> None:
    (member,) = world.stable(1)
    who = MemberIdentity(group_id="g", generation=member.generation, member_id=member.member_id)
    for _ in range(4):
        world.wait(8)  # Of a session of ten seconds.
        assert world.group.may_commit(who) is Error.NONE
    world.wait(11)
    assert world.group.may_commit(who) is Error.UNKNOWN_MEMBER_ID


def test_a_full_group_lets_only_its_members_in() -> None:
    world = World(limits=GroupLimits(size_max=2))
    (leader, follower) = world.stable(2)
    assert world.join()[0].error is Error.GROUP_MAX_SIZE_REACHED
    again = world.join(leader.member_id)
    world.join(follower.member_id)
    assert again[0].generation == 2


def test_sync_is_checked(world: World) -> None:
    (leader, _) = world.stable()
    assert world.sync(leader, generation=7)[0].error is Error.ILLEGAL_GENERATION
    assert world.sync(leader, generation=0)[0].error is Error.ILLEGAL_GENERATION
    assert world.sync(leader, member_id="x")[0].error is Error.UNKNOWN_MEMBER_ID
    for wrong in ({"protocol_type": "connect"}, {"protocol": "sticky"}):
        assert world.sync(leader, **wrong)[0].error is Error.INCONSISTENT_GROUP_PROTOCOL
    right = {"protocol_type": "consumer", "protocol": "range"}
    assert world.sync(leader, **right)[0].error is Error.NONE


def test_a_member_that_joins_but_never_syncs_is_out_after_the_rebalance_timeout(
    world: World,
) -> None:
    first, second = world.join(session_timeout=1_800_000), world.join(session_timeout=1_800_000)
    world.wait(6)
    leader, follower = first[0], second[0]
    synced = world.sync(follower)
    world.wait(60)
    assert synced[0].error is Error.REBALANCE_IN_PROGRESS
    assert leader.member_id not in world.group.metadata.members
    (again,) = world.join(follower.member_id)
    assert again.leader == follower.member_id


# --- static members -----------------------------------------------------------------------------


def static_pair(world: World) -> tuple[JoinAnswer, JoinAnswer]:
    first = world.join(instance_id="one", session_timeout=30_000)
    second = world.join(instance_id="two", session_timeout=30_000)
    world.wait(6)
    leader, follower = first[0], second[0]
    world.sync(leader, ((leader.member_id, b"L"), (follower.member_id, b"F")), instance_id="one")
    world.sync(follower, instance_id="two")
    return leader, follower


def test_a_restarted_static_follower_keeps_its_assignment_without_a_rebalance(world: World) -> None:
    leader, follower = static_pair(world)
    (back,) = world.join(instance_id="two")
    assert back.error is Error.NONE
    assert back.member_id != follower.member_id
    assert back.member_id.startswith("two-")
    assert (back.generation, back.leader, back.members) == (1, leader.member_id, ())
    assert world.group.metadata.state is GroupState.STABLE
    assert world.sync(back, instance_id="two")[0].assignment == b"F"
    stored = world.records[-1].value
    assert stored is not None
    assert [m.member_id for m in stored.members] == [leader.member_id, back.member_id]
    # Its former self is fenced.
    assert world.beat(follower, instance_id="two") is Error.FENCED_INSTANCE_ID
    assert world.beat(follower) is Error.UNKNOWN_MEMBER_ID


def test_a_restarted_static_leader_that_can_skip_is_asked_to(world: World) -> None:
    static_pair(world)
    (back,) = world.join(instance_id="one", may_skip=True)
    assert back.leader == back.member_id
    assert back.skip_assignment
    assert [m[1] for m in back.members] == ["one", "two"]
    assert world.sync(back, instance_id="one")[0].assignment == b"L"


def test_a_restarted_static_leader_that_cannot_skip_believes_in_its_former_self(
    world: World,
) -> None:
    leader, _ = static_pair(world)
    (back,) = world.join(instance_id="one")
    assert (back.leader, back.skip_assignment, back.members) == (leader.member_id, False, ())
    assert world.group.metadata.leader == back.member_id


def test_a_static_return_that_changes_the_protocol_rebalances(world: World) -> None:
    first = world.join(instance_id="one", protocols=(("a", b""), ("b", b"")))
    second = world.join(instance_id="two", protocols=(("a", b""), ("b", b"")))
    world.wait(6)
    world.sync(first[0], instance_id="one")
    world.sync(second[0], instance_id="two")
    back = world.join(instance_id="two", protocols=(("b", b""),))
    assert back == []
    assert world.group.metadata.state is GroupState.PREPARING
    world.join(first[0].member_id, instance_id="one", protocols=(("a", b""), ("b", b"")))
    assert back[0].protocol == "b"


def test_a_static_return_whose_store_fails_can_be_tried_again(world: World) -> None:
    static_pair(world)
    world.at_once = False
    failed = world.join(instance_id="two")
    world.open.pop()(Error.COORDINATOR_NOT_AVAILABLE)
    assert failed[0].error is Error.COORDINATOR_NOT_AVAILABLE
    again = world.join(instance_id="two")
    world.open.pop()(Error.NONE)
    assert again[0].error is Error.NONE


@pytest.mark.spec("C-02")
def test_a_static_return_that_another_one_overtakes_before_it_is_stored_is_fenced(
    world: World,
) -> None:
    static_pair(world)
    world.at_once = False
    older, younger = world.join(instance_id="two"), world.join(instance_id="two")
    for stored in world.open:
        stored(Error.NONE)
    assert [answer.error for answer in older] == [Error.FENCED_INSTANCE_ID]
    assert [answer.error for answer in younger] == [Error.NONE]
    assert world.beat(younger[0], instance_id="two") is Error.NONE


def test_static_members_stay_through_a_rebalance_they_miss(world: World) -> None:
    leader, follower = static_pair(world)
    newcomer = world.join()
    world.join(leader.member_id, instance_id="one", session_timeout=1_800_000)
    for _ in range(10):
        world.wait(6)
        world.beat(follower, instance_id="two")
    assert newcomer[0].generation == 2
    assert world.group.metadata.members.static("two") is not None


def test_when_only_absent_static_members_are_left_the_rebalance_waits_for_them(
    world: World,
) -> None:
    leader, follower = static_pair(world)
    newcomer = world.join()
    for _ in range(11):
        world.wait(6)
        world.beat(leader, instance_id="one")
        world.beat(follower, instance_id="two")
        if newcomer:
            break
    (there,) = newcomer
    assert there.leader == there.member_id
    world.group.leave(there.member_id, None)
    world.wait(20)
    assert world.group.metadata.state is GroupState.PREPARING
    again = world.join(leader.member_id, instance_id="one")
    world.join(follower.member_id, instance_id="two")
    assert again[0].generation == 3


def test_a_static_member_can_be_removed_by_its_instance_alone(world: World) -> None:
    static_pair(world)
    assert world.group.leave("", "two") is Error.NONE
    assert world.group.leave("", "three") is Error.UNKNOWN_MEMBER_ID
    assert world.group.leave("wrong", "one") is Error.FENCED_INSTANCE_ID


def test_an_old_self_that_waits_is_fenced_when_the_new_one_comes(world: World) -> None:
    _, follower = static_pair(world)
    waiting = world.join(follower.member_id, instance_id="two", protocols=(("range", b"new"),))
    world.join(instance_id="two")
    assert waiting[0].error is Error.FENCED_INSTANCE_ID


# --- loading and closing ------------------------------------------------------------------------


def test_a_restored_group_goes_on_where_it_was(world: World) -> None:
    leader, follower = static_pair(world)
    stored = world.records[-1].value
    assert stored is not None
    other = World()
    other.group.restore(stored)
    assert other.group.metadata.state is GroupState.STABLE
    assert other.beat(leader, instance_id="one") is Error.NONE
    assert other.sync(follower, instance_id="two")[0].assignment == b"F"
    assert other.group.metadata.view().members == world.group.metadata.view().members
    other.wait(31)
    assert other.beat(leader, instance_id="one") is Error.UNKNOWN_MEMBER_ID


def test_closing_sends_all_waiting_members_away(world: World) -> None:
    (leader, _) = world.stable()
    waiting = world.join()
    world.group.close(Error.NOT_COORDINATOR)
    assert waiting[0].error is Error.NOT_COORDINATOR
    assert world.beat(leader) is Error.COORDINATOR_NOT_AVAILABLE
    assert world.out.wake_at is None


def test_a_group_that_is_led_elsewhere_tells_those_that_wait_for_their_assignments() -> None:
    world = World(at_once=False)
    waiting = [world.join(), world.join()]
    world.wait(6)
    (follower,) = (a for (a,) in waiting if a.member_id != a.leader)
    synced = world.sync(follower)
    assert synced == []
    world.group.close(Error.NOT_COORDINATOR)
    assert [answer.error for answer in synced] == [Error.NOT_COORDINATOR]


def test_metadata_is_shown_while_it_holds_and_assignments_until_new_ones_come(world: World) -> None:
    (leader, _) = world.stable()
    view = world.group.metadata.view()
    assert (view.state, view.protocol) == ("Stable", "range")
    assert view.members[0].assignment == b"part of " + leader.member_id.encode()
    world.join()
    view = world.group.metadata.view()
    assert (view.state, view.protocol) == ("PreparingRebalance", "")
    assert view.members[0].assignment == b"part of " + leader.member_id.encode()
