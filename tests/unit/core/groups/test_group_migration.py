"""Groups that change between the classic protocol and KIP-848's while they have members: what is
written, what members of both protocols hear, time, static members, commits, other coordinators."""

from __future__ import annotations

import pytest
from tests.support.classic_members import Classic, held, kinds, pair, stable
from tests.support.consumer_world import AT_ONCE, ConsumerWorld, numbers, topic_id_of

from spindle.core.groups.consumer_protocol import (
    ConsumerSubscription,
    read_assignment,
    write_assignment,
    write_subscription,
)
from spindle.core.groups.consumer_values import (
    ClassicTerms,
    CurrentRecord,
    EpochRecord,
    MemberState,
    SubscriptionRecord,
    TargetEpochRecord,
    TargetRecord,
)
from spindle.core.groups.group_values import (
    GroupLimits,
    GroupRecord,
)
from spindle.model.errors import Error

T = topic_id_of("t")
pytestmark = pytest.mark.spec("C-02", "C-03")


@pytest.fixture
def world() -> ConsumerWorld:
    return ConsumerWorld()


# --- up -------------------------------------------------------------------------------------------


def test_a_group_with_members_becomes_a_consumer_group_as_one_batch(world: ConsumerWorld) -> None:
    one, two = pair(world)
    generation, before = one.generation, len(world.records)
    told = world.beat("a", 0, client=("three", "/h"))
    assert (told.error, told.epoch) == (Error.NONE, generation + 1)
    batch = world.records[before:]
    assert batch[0] == GroupRecord("g", None)
    assert [type(record) for record in batch[1:9]] == [
        *[SubscriptionRecord] * 2,
        EpochRecord,
        *[TargetRecord] * 2,
        TargetEpochRecord,
        *[CurrentRecord] * 2,
    ]
    said, current = batch[1], batch[7]
    assert isinstance(said, SubscriptionRecord)
    assert said.value is not None
    assert said.value.classic == ClassicTerms(10_000, (("range", one.said),))
    assert (said.value.regex, said.value.topics, said.value.rebalance_timeout) == (
        "",
        ("t",),
        20_000,
    )
    assert isinstance(current, CurrentRecord)
    assert current.value is not None
    assert current.value[:3] == (generation, generation, MemberState.STABLE)
    assert current.value.assigned == {T: dict.fromkeys(one.owned, generation)}
    assert batch[3] == EpochRecord(
        "g", (generation, world.shard.consumers.all["g"].metadata.topics_hash)
    )
    assert batch[6] == TargetEpochRecord("g", (generation, 0))
    assert kinds(world) == ["consumer"]
    assert (one.beat(), two.beat()) == (Error.REBALANCE_IN_PROGRESS,) * 2


def test_members_of_both_protocols_share_what_there_is(world: ConsumerWorld) -> None:
    one, two = pair(world)
    told = world.beat("a", 0, client=("three", "/h"))
    assert numbers(told.assignment) == [], "what others hold is not given twice"
    one.rejoin()
    two.rejoin()
    told = world.beat("a", told.epoch, client=("three", "/h"))
    owned = [*(numbers(told.assignment) or ()), *one.owned, *two.owned]
    assert sorted(owned) == [0, 1, 2, 3]
    assert held(world) == {
        "one": [*one.owned],
        "two": [*two.owned],
        "three": numbers(told.assignment),
    }
    assert world.shard.consumers.describe("g").state == "Stable"
    assert (one.beat(), two.beat(), world.beat("a", told.epoch).error) == (Error.NONE,) * 3


def test_a_cooperative_member_keeps_what_stays_its_own(world: ConsumerWorld) -> None:
    one = Classic(world, "one")
    one.cooperative = True
    stable(world, one)
    told = world.beat("a", 0)
    first = one.owned
    assert one.beat() is Error.REBALANCE_IN_PROGRESS
    generation = one.generation
    answer = one.join()
    assert answer is not None
    assert answer.generation == generation, "it has to give something up first"
    assert one.sync().error is Error.NONE
    kept = one.owned
    assert set(kept) < set(first)
    assert numbers(world.beat("a", told.epoch).assignment) is None
    assert one.beat() is Error.REBALANCE_IN_PROGRESS
    assert one.join() is not None
    assert one.generation == told.epoch
    one.sync()
    assert (one.owned, one.beat()) == (kept, Error.NONE)
    told = world.beat("a", told.epoch)
    assert sorted([*kept, *(numbers(told.assignment) or ())]) == [0, 1, 2, 3]


def test_a_member_hears_when_what_it_waits_for_is_free(world: ConsumerWorld) -> None:
    world.beat("a", 0)
    one = Classic(world, "one")
    assert one.join() is not None
    one.sync()
    assert (one.owned, one.beat()) == ((), Error.NONE)
    told = world.beat("a", 2, owned={T: (0, 1, 2, 3)})
    assert one.beat() is Error.NONE
    assert told.assignment is not None
    world.beat("a", 2, owned=told.assignment)
    assert one.beat() is Error.REBALANCE_IN_PROGRESS
    one.rejoin()
    assert sorted([*one.owned, *(numbers(told.assignment) or ())]) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        ({"upgrades": False}, "online upgrade is disabled"),
        ({"size_max": 1}, "the group size exceeds the consumer group maximum size"),
    ],
)
def test_what_may_not_become_a_consumer_group_stays(limits: dict[str, int], why: str) -> None:
    world = ConsumerWorld(limits=AT_ONCE._replace(**limits))  # type: ignore[arg-type]
    one, _ = pair(world)
    told = world.beat("a", 0)
    assert told.error is Error.GROUP_ID_NOT_FOUND
    assert told.message == f"Cannot upgrade classic group g to consumer group because {why}."
    assert (one.beat(), kinds(world)) == (Error.NONE, ["classic"])


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"protocol_type": "connect"}, "the group does not use the consumer embedded protocol"),
        ({"protocols": (("range", b"?"),)}, "the embedded consumer protocol is malformed"),
    ],
)
def test_groups_of_another_kind_stay(
    world: ConsumerWorld, fields: dict[str, object], why: str
) -> None:
    one = Classic(world, "one")
    one.join(**fields)
    world.wait(0.1)
    one.take()
    told = world.beat("a", 0)
    assert told.message == f"Cannot upgrade classic group g to consumer group because {why}."
    assert kinds(world) == ["classic"]


def test_what_an_assignor_of_its_own_says_is_not_thrown_away(world: ConsumerWorld) -> None:
    one = Classic(world, "one")
    one.join()
    world.wait(0.1)
    one.take()
    one.sync(((one.member_id, write_assignment({"t": (0,)}, 3)[:-4] + b"\0\0\0\1x"),))
    told = world.beat("a", 0)
    assert told.error is Error.GROUP_ID_NOT_FOUND
    assert "an unsupported custom assignor is in use" in (told.message or "")


def test_members_that_wait_for_a_generation_join_again(world: ConsumerWorld) -> None:
    one, two = pair(world)
    three = Classic(world, "three")
    assert three.join() is None
    told = world.beat("a", 0)
    (answer,) = three.answers
    assert (answer.error, bool(answer.member_id)) == (Error.REBALANCE_IN_PROGRESS, True)
    three.member_id = answer.member_id
    for member in (one, two, three):
        member.rejoin()
    told = world.beat("a", told.epoch)
    owned = [*(numbers(told.assignment) or ()), *one.owned, *two.owned, *three.owned]
    assert sorted(owned) == [0, 1, 2, 3]


def test_a_group_whose_first_generation_is_being_made_becomes_one(world: ConsumerWorld) -> None:
    world.shard.groups.limits = GroupLimits(initial_delay=3_000)
    one, two = Classic(world, "one"), Classic(world, "two")
    assert (one.join(), two.join()) == (None, None)
    told = world.beat("a", 0)
    assert (told.error, told.epoch) == (Error.NONE, 2)
    for member in (one, two):
        member.member_id = member.answers[0].member_id
        member.rejoin()
    told = world.beat("a", 2, owned=told.assignment)
    for member in (one, two):
        member.rejoin()
    owned = [*(numbers(world.beat("a", 2, owned=told.assignment).assignment) or ())]
    assert one.owned
    assert two.owned
    assert not {*owned} & {*one.owned, *two.owned}


def test_where_a_rebalance_began_again_members_hold_what_they_say_they_kept(
    world: ConsumerWorld,
) -> None:
    one, two = pair(world)
    one.cooperative = two.cooperative = True
    for _ in range(2):
        one.join()
        two.join()
        one.take()
        two.take()
    one.topics = ("t", "u")
    one.join()  # All assignments are void, and members go on with what they have.
    told = world.beat("a", 0)
    assert numbers(told.assignment) == []
    holds = held(world)
    assert holds["two"] == [*two.owned]
    assert holds["one"] == [*one.owned]


def test_a_member_holds_what_its_leader_has_taken_from_it_until_it_hears_of_that(
    world: ConsumerWorld,
) -> None:
    one, two = pair(world)
    one.cooperative = two.cooperative = True
    for _ in range(2):
        one.join()
        two.join()
        one.take()
        two.take()
    assert one.leads
    kept, taken = two.owned
    dealt = ((one.member_id, one.owned), (two.member_id, (kept,)))
    one.sync(tuple((id, write_assignment({"t": numbers}, 3)) for id, numbers in dealt))
    told = world.beat("a", 0)
    assert taken not in (numbers(told.assignment) or ())
    assert held(world)["two"] == [kept, taken]


# --- what cannot be written -----------------------------------------------------------------------


def test_a_group_lives_on_where_the_change_cannot_be_written(world: ConsumerWorld) -> None:
    one, two = pair(world)
    world.held = []
    answers = world.ask("a", 0)
    assert one.beat() is Error.COORDINATOR_NOT_AVAILABLE
    one.commit_later(0)
    (settle,) = world.held
    world.held = None
    settle(Error.COORDINATOR_NOT_AVAILABLE)
    assert [answer.error for answer in answers] == [Error.COORDINATOR_NOT_AVAILABLE]
    assert one.later == [Error.NONE]
    assert (one.beat(), two.beat(), kinds(world)) == (Error.NONE, Error.NONE, ["classic"])
    world.wait(11)
    assert one.beat() is Error.UNKNOWN_MEMBER_ID, "its session goes on, too"


def test_the_coordinator_may_move_while_a_group_goes_over(world: ConsumerWorld) -> None:
    one, two = pair(world)
    world.held = []
    answers = world.ask("a", 0)
    (settle,) = world.held
    world.held, written = None, len(world.records)
    world.reload()
    settle(Error.NOT_COORDINATOR)
    assert [answer.error for answer in answers] == [Error.NOT_COORDINATOR]
    assert (one.beat(), two.beat(), kinds(world)) == (Error.NONE, Error.NONE, ["classic"])
    for _ in range(6):
        world.wait(5)
        assert one.beat() is two.beat() is Error.NONE
    assert len(world.records) == written, "the closed coordinator's timers are off"


def test_a_rebalance_begins_again_where_the_change_cannot_be_written(world: ConsumerWorld) -> None:
    one, two = pair(world)
    one.join(protocols=(("range", write_subscription(ConsumerSubscription(("t", "u"), {}))),))
    world.error = Error.COORDINATOR_NOT_AVAILABLE
    assert world.beat("a", 0).error is Error.COORDINATOR_NOT_AVAILABLE
    world.error = None
    (answer,) = one.answers
    assert answer.error is Error.REBALANCE_IN_PROGRESS
    assert two.beat() is Error.REBALANCE_IN_PROGRESS
    one.join()
    two.join()
    assert (one.take() is not None, two.take() is not None) == (True, True)


def test_a_member_that_is_being_put_out_does_not_hear_that_it_is_alive(
    world: ConsumerWorld,
) -> None:
    one, two = pair(world)
    world.beat("a", 0)
    world.held = []
    world.shard.leave("g", [(one.member_id, None)], lambda errors: None)
    (settle,) = world.held
    assert (one.beat(), two.beat()) == (Error.UNKNOWN_MEMBER_ID, Error.REBALANCE_IN_PROGRESS)
    settle(Error.COORDINATOR_NOT_AVAILABLE)
    assert one.beat() is Error.REBALANCE_IN_PROGRESS, "it stays, for that was not written"


def test_a_consumer_group_lives_on_where_its_change_cannot_be_written(world: ConsumerWorld) -> None:
    one, _ = pair(world)
    world.beat("a", 0)
    world.error = Error.COORDINATOR_NOT_AVAILABLE
    assert world.beat("a", -1).error is Error.COORDINATOR_NOT_AVAILABLE
    world.error = None
    assert kinds(world) == ["consumer"]
    one.rejoin()


# --- down -----------------------------------------------------------------------------------------


def test_the_last_member_of_kip_848_leaves_a_classic_group_behind(world: ConsumerWorld) -> None:
    one, two = pair(world)
    told = world.beat("a", 0)
    one.rejoin()
    two.rejoin()
    before = len(world.records)
    assert world.beat("a", -1).error is Error.NONE
    batch = world.records[before:]
    assert batch[-2] == EpochRecord("g", None)
    made = batch[-1]
    assert isinstance(made, GroupRecord)
    assert made.value is not None
    assert (made.value.generation, made.value.protocol_type) == (told.epoch, "consumer")
    assert made.value.protocol == "range"
    targets = {
        m.client_id: read_assignment(m.assignment).partitions["t"] for m in made.value.members
    }
    assert targets == {"one": one.owned, "two": two.owned}
    assert [m.subscription for m in made.value.members] == [
        one.said,
        two.said,
    ]
    assert kinds(world) == ["classic"]
    assert (one.beat(), two.beat()) == (Error.REBALANCE_IN_PROGRESS,) * 2
    assert (one.commit(one.owned[0]), two.commit(two.owned[0])) == (Error.NONE,) * 2
    one.join()
    two.join()
    assert one.take() is not None
    assert one.generation == told.epoch + 1


def test_so_does_one_whose_session_expires(world: ConsumerWorld) -> None:
    one, _ = pair(world)
    world.beat("a", 0)
    for _ in range(9):
        one.rejoin()
        world.wait(5)
    assert kinds(world) == ["classic"]
    assert one.beat() is Error.REBALANCE_IN_PROGRESS


def test_a_new_coordinator_lets_the_group_that_it_became_make_a_generation(
    world: ConsumerWorld,
) -> None:
    """Members that left are not in what is stored, so their session would not end there."""
    one, two = pair(world)
    world.beat("a", 0)
    one.rejoin()
    two.rejoin()
    world.beat("a", -1)
    world.reload()
    assert kinds(world) == ["classic"]
    assert (one.beat(), two.beat()) == (Error.REBALANCE_IN_PROGRESS,) * 2
    one.join()
    two.join()
    (leader,) = [m for m in (one, two) if m.take() is not None and m.leads]
    leader.sync(((leader.member_id, write_assignment({"t": (0, 1, 2, 3)}, 3)),))
    world.reload()
    assert one.beat() is Error.NONE


def behind(world: ConsumerWorld) -> tuple[Classic, Classic]:
    """A classic group again, before its members are where they were to be: the first one still
    holds all of t, the second one has just come and holds nothing."""
    one, two = Classic(world, "one"), Classic(world, "two")
    stable(world, one)
    assert one.owned == (0, 1, 2, 3)
    world.beat("a", 0)
    assert two.join() is not None
    two.sync()
    assert two.owned == ()
    assert world.beat("a", -1).error is Error.NONE
    assert kinds(world) == ["classic"]
    return one, two


def test_what_a_member_still_holds_is_no_other_ones_once_the_group_changes_again(
    world: ConsumerWorld,
) -> None:
    one, two = behind(world)
    told = world.beat("b", 0)
    assert (told.error, numbers(told.assignment)) == (Error.NONE, [])
    assert held(world)["one"] == [0, 1, 2, 3]
    one.rejoin()
    two.rejoin()
    mine = [*(numbers(world.beat("b", told.epoch).assignment) or ())]
    one.rejoin()
    two.rejoin()
    assert sorted([*one.owned, *two.owned, *mine]) == [0, 1, 2, 3]


def test_the_record_of_a_group_that_changes_says_what_members_hold(world: ConsumerWorld) -> None:
    """Another coordinator may read it. A member that is behind the epoch has to join again, and
    leads: with it all of them do."""
    one, two = behind(world)
    made = world.records[-1]
    assert isinstance(made, GroupRecord)
    assert made.value is not None
    assert made.value.leader == one.member_id
    assert made.value.generation == two.generation != one.generation
    assert {
        m.client_id: read_assignment(m.assignment).partitions.get("t", ())
        for m in made.value.members
    } == {"one": (0, 1, 2, 3), "two": ()}
    world.reload()
    assert (one.beat(), two.beat()) == (Error.ILLEGAL_GENERATION, Error.REBALANCE_IN_PROGRESS)


@pytest.mark.parametrize("limits", [{"downgrades": False}, {"classic_size_max": 1}])
def test_what_may_not_become_classic_stays(limits: dict[str, int]) -> None:
    world = ConsumerWorld(limits=AT_ONCE._replace(**limits))  # type: ignore[arg-type]
    one, two = pair(world)
    world.beat("a", 0)
    one.rejoin()
    two.rejoin()
    world.beat("a", -1)
    assert kinds(world) == ["consumer"]
    one.rejoin()
    two.rejoin()
    assert sorted([*one.owned, *two.owned]) == [0, 1, 2, 3]
    assert (one.leave(), two.leave()) == (Error.NONE, Error.NONE)
    assert world.shard.consumers.describe("g").state == "Empty"


def test_a_group_in_which_one_of_kip_848_stays_is_a_consumer_group(world: ConsumerWorld) -> None:
    one, _ = pair(world)
    world.beat("a", 0)
    world.beat("b", 0)
    world.beat("a", -1)
    assert kinds(world) == ["consumer"]
    assert one.beat() is Error.REBALANCE_IN_PROGRESS


def test_the_last_of_all_leaves_an_empty_consumer_group(world: ConsumerWorld) -> None:
    one = Classic(world, "one")
    world.beat("a", 0)
    one.join()
    assert one.leave() is Error.NONE
    world.beat("a", -1)
    assert world.shard.consumers.describe("g").state == "Empty"


def test_what_waits_behind_the_change_hears_what_the_group_is_then(world: ConsumerWorld) -> None:
    one, two = pair(world)
    world.beat("a", 0)
    one.rejoin()
    two.rejoin()
    world.held = []
    left = world.ask("a", -1)
    one.commit_later(one.owned[0])
    assert two.join() is None
    back = world.ask("b", 0)
    (settle,) = world.held
    world.held = None
    settle(None)
    assert [a.error for a in left] == [Error.NONE]
    assert one.later == [Error.NONE]
    (answer,) = two.answers
    assert answer.error is Error.REBALANCE_IN_PROGRESS, "it waited in the classic group"
    assert [a.error for a in back] == [Error.NONE], "which has become a consumer group again"
    assert kinds(world) == ["consumer"]
