"""Members of the classic protocol in a consumer group of KIP-848: what they may say, time, commits,
static places, another coordinator."""

from __future__ import annotations

import pytest
from tests.support.classic_members import Classic, kinds, pair, stable
from tests.support.consumer_world import ConsumerWorld, numbers

from spindle.core.groups.consumer_values import ConsumerLimits
from spindle.model.errors import Error

pytestmark = pytest.mark.spec("C-02", "C-03")


@pytest.fixture
def world() -> ConsumerWorld:
    return ConsumerWorld()


def test_a_member_must_know_its_id_first(world: ConsumerWorld) -> None:
    world.beat("a", 0)
    one = Classic(world, "one")
    answer = one.join(needs_id=True)
    assert answer is not None
    assert answer.error is Error.MEMBER_ID_REQUIRED
    one.member_id = answer.member_id
    one.rejoin()
    assert one.member_id == answer.member_id


def test_members_speak_in_their_own_generation_alone(world: ConsumerWorld) -> None:
    world.beat("a", 0)
    one = Classic(world, "one")
    one.join()
    one.generation += 1
    assert one.beat() is Error.ILLEGAL_GENERATION
    assert one.sync().error is Error.ILLEGAL_GENERATION
    assert one.commit(0) is Error.ILLEGAL_GENERATION
    one.generation -= 2
    assert one.beat() is Error.ILLEGAL_GENERATION
    one.generation += 1
    one.protocol = "roundrobin"
    assert one.sync().error is Error.INCONSISTENT_GROUP_PROTOCOL
    other = Classic(world, "two")
    other.protocol = "sticky"
    refused = other.join()
    assert refused is not None
    assert refused.error is Error.INCONSISTENT_GROUP_PROTOCOL
    again = one.join(protocol_type="connect")
    assert again is not None
    assert (again.error, again.member_id) == (Error.INCONSISTENT_GROUP_PROTOCOL, "")
    one.member_id = "a"
    assert one.beat() is Error.UNKNOWN_MEMBER_ID, "a speaks the other protocol"
    one.member_id = "x"
    assert one.beat() is Error.UNKNOWN_MEMBER_ID


def test_a_member_that_joins_while_a_target_waits_gets_what_it_has() -> None:
    world = ConsumerWorld(limits=ConsumerLimits(assignment_interval=1_000))
    world.beat("a", 0)
    one = Classic(world, "one")
    one.join()
    answer = one.sync()
    assert (answer.error, one.owned) == (Error.NONE, ())
    assert one.beat() is Error.REBALANCE_IN_PROGRESS, "its next join makes the target"
    world.wait(1.1)
    one.join()
    assert one.sync().error is Error.NONE
    assert one.beat() is Error.NONE


def test_what_no_consumer_says_is_refused(world: ConsumerWorld) -> None:
    world.beat("a", 0)
    for fields in ({"protocols": (("range", b"?"),)}, {"protocol_type": "connect"}):
        answer = Classic(world, "one").join(**fields)
        assert answer is not None
        assert answer.error is Error.INCONSISTENT_GROUP_PROTOCOL
    short = Classic(world, "one").join(session_timeout=1)
    assert short is not None
    assert short.error is Error.INVALID_SESSION_TIMEOUT


def test_a_member_commits_with_an_old_version(world: ConsumerWorld) -> None:
    one, two = pair(world)
    world.beat("a", 0)
    assert one.commit(one.owned[0], version=2) is Error.NONE
    one.rejoin()
    two.rejoin()
    assert one.commit(one.owned[0], version=2) is Error.NONE
    one.generation += 1
    assert one.commit(one.owned[0]) is Error.ILLEGAL_GENERATION


def test_silent_and_late_members_are_out(world: ConsumerWorld) -> None:
    one, two = pair(world)
    three = Classic(world, "three")
    told = world.beat("a", 0)
    three.join()  # It never asks for its assignment.
    assert two.beat() is Error.REBALANCE_IN_PROGRESS  # It never joins.
    one.rejoin()
    for _ in range(4):
        world.wait(5)
        for member in (one, two, three):
            member.beat()
        told = world.beat("a", told.epoch)
    world.wait(1)
    assert one.beat() is not Error.UNKNOWN_MEMBER_ID
    assert (two.beat(), three.beat()) == (Error.UNKNOWN_MEMBER_ID,) * 2
    one.rejoin()
    world.wait(11)
    assert one.beat() is Error.UNKNOWN_MEMBER_ID, "its own session is over"
    assert world.beat("a", told.epoch).error is Error.NONE, "that of KIP-848 is not"


def test_sessions_go_on_with_another_coordinator(world: ConsumerWorld) -> None:
    one, two = pair(world)
    told = world.beat("a", 0)
    one.rejoin()
    two.rejoin()
    world.reload()
    assert (one.beat(), two.beat(), world.beat("a", told.epoch).error) == (Error.NONE,) * 3
    world.wait(6)
    assert one.beat() is Error.NONE
    world.wait(6)
    assert (one.beat(), two.beat()) == (Error.REBALANCE_IN_PROGRESS, Error.UNKNOWN_MEMBER_ID)


# --- static members -------------------------------------------------------------------------------


@pytest.mark.parametrize("is_made", [False, True])
def test_a_static_member_that_goes_over_alone_gets_what_no_member_has(
    world: ConsumerWorld, is_made: bool
) -> None:
    """Of a first generation that is being made, or of a topic that has grown since."""
    one = Classic(world, "one", "i")
    if is_made:
        stable(world, one)
        world.topics["t"] = 5
    else:
        one.join()
    told = world.beat("a", 0, instance_id="i")
    assert numbers(told.assignment) == [*range(world.topics["t"])]


def test_a_static_member_goes_over_to_kip_848_and_back(world: ConsumerWorld) -> None:
    one, two = Classic(world, "one", "i"), Classic(world, "two", "j")
    stable(world, one, two)
    owned = {*one.owned}
    told = world.beat("a", 0, instance_id="i", client=("one", "/h"))
    assert {*(numbers(told.assignment) or ())} == owned, "its place, and what belongs to that"
    assert one.beat() is Error.FENCED_INSTANCE_ID
    assert one.commit(min(owned)) is Error.UNKNOWN_MEMBER_ID
    back = Classic(world, "one", "i")
    answer = back.join()
    assert answer is not None
    assert answer.error is Error.NONE
    assert kinds(world) == ["classic"], "the last member of KIP-848 has been replaced"
    assert world.beat("a", told.epoch, instance_id="i").error is Error.GROUP_ID_NOT_FOUND
    assert back.sync().error is Error.NONE, "nothing has changed, so none has to join again"
    assert {*back.owned} == owned
    assert (back.beat(), two.beat()) == (Error.NONE, Error.NONE)


def test_a_static_member_with_an_id_must_have_its_place(world: ConsumerWorld) -> None:
    world.beat("a", 0)
    one = Classic(world, "one", "i")
    one.rejoin()
    old = one.member_id
    again = Classic(world, "one", "i")
    again.rejoin()
    assert again.member_id != old
    answer = one.join()
    assert answer is not None
    assert answer.error is Error.FENCED_INSTANCE_ID
    assert one.beat() is Error.FENCED_INSTANCE_ID
    assert one.leave() is Error.FENCED_INSTANCE_ID
    again.rejoin()


def test_limits_say_what_is_so_without_settings() -> None:
    assert (ConsumerLimits().upgrades, ConsumerLimits().downgrades) == (True, True)
