"""A consumer group of KIP-848 as its members live it: epochs, reconciliation, static members,
patterns, time, commits, and the way from and to classic groups."""

from __future__ import annotations

import pytest
from tests.support.consumer_world import ConsumerWorld, numbers, topic_id_of

from spindle.core.groups.consumer_values import ConsumerBeatAnswer, ConsumerLimits, EpochRecord
from spindle.core.groups.group_values import (
    Committed,
    GroupRecord,
    Join,
    JoinAnswer,
    MemberIdentity,
    OffsetRecord,
)
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition

T = topic_id_of("t")
pytestmark = pytest.mark.spec("C-02", "C-03")


@pytest.fixture
def world() -> ConsumerWorld:
    return ConsumerWorld()


def state(world: ConsumerWorld) -> str:
    return world.shard.consumers.describe("g").state


def shared(world: ConsumerWorld) -> None:
    """Members a and b have two partitions each, in epoch 3."""
    world.beat("a", 0)
    world.beat("b", 0)
    told = world.beat("a", 2, owned={T: (0, 1, 2, 3)})
    keeps = told.assignment
    assert keeps is not None
    assert world.beat("a", 2, owned=keeps).epoch == 3
    assert world.beat("b", 3).epoch == 3
    assert state(world) == "Stable"


def commit(
    world: ConsumerWorld, member_id: str, epoch: int, partition: int = 0, version: int = 10
) -> Error:
    answers: list[Error] = []
    try:
        world.shard.commit(
            MemberIdentity(group_id="g", member_id=member_id, generation=epoch),
            {TopicPartition("t", partition): Committed(offset=5, commit_ms=1, topic_id=T)},
            lambda told: answers.extend(told.values()),
            version=version,
            refuse=lambda refusal: answers.append(refusal.error),
        )
    except Refusal as refusal:
        return refusal.error
    return answers[0]


def test_the_first_member_gets_all_at_once(world: ConsumerWorld) -> None:
    answer = world.beat("a", 0)
    assert (answer.error, answer.member_id, answer.epoch) == (Error.NONE, "a", 2)
    assert numbers(answer.assignment) == [0, 1, 2, 3]
    assert answer.interval == 5_000
    assert state(world) == "Stable"
    assert world.beat("a", 2).assignment is None, "nothing is new"


def test_a_second_member_waits_until_the_first_has_given_up(world: ConsumerWorld) -> None:
    world.beat("a", 0)
    second = world.beat("b", 0)
    assert (second.epoch, numbers(second.assignment)) == (3, [])
    first = world.beat("a", 2, owned={T: (0, 1, 2, 3)})
    keeps = numbers(first.assignment)
    assert keeps is not None
    assert (first.epoch, len(keeps)) == (2, 2)
    assert state(world) == "Reconciling"
    assert world.beat("b", 3).assignment is None
    gone = world.beat("a", 2, owned={T: keeps})
    assert gone.epoch == 3
    gets = numbers(world.beat("b", 3).assignment)
    assert gets is not None
    assert sorted(keeps + gets) == [0, 1, 2, 3]
    assert state(world) == "Stable"


def test_a_member_that_does_not_say_what_it_holds_still_holds_it(world: ConsumerWorld) -> None:
    world.beat("a", 0)
    world.beat("b", 0)
    world.beat("a", 2, owned={T: (0, 1, 2, 3)})
    assert world.beat("a", 2).epoch == 2
    assert world.beat("b", 3).assignment is None


def test_one_that_gives_nothing_up_in_time_is_out(world: ConsumerWorld) -> None:
    world.beat("a", 0, rebalance_timeout=20_000)
    world.beat("b", 0)
    world.beat("a", 2, owned={T: (0, 1, 2, 3)})
    for _ in range(5):
        world.wait(5)
        world.beat("b", 3)
        world.ask("a", 2, owned={T: (0, 1, 2, 3)})
    assert world.beat("a", 2).error is Error.UNKNOWN_MEMBER_ID
    assert numbers(world.beat("b", world.beat("b", 3).epoch, owned={}).assignment) is not None
    assert [m.member.member_id for m in world.shard.consumers.describe("g").members] == ["b"]


def test_each_time_that_something_is_to_be_given_up_has_its_own_limit(
    world: ConsumerWorld,
) -> None:
    world.topics["t"] = 6
    world.beat("a", 0, rebalance_timeout=20_000)
    world.beat("b", 0)
    assert numbers(world.beat("a", 2, owned={T: range(6)}).assignment) == [0, 1, 2]
    world.wait(15)
    world.beat("c", 0)
    assert numbers(world.beat("a", 2, owned={T: (0, 1, 2)}).assignment) == [0, 1]
    world.wait(15)
    assert world.beat("a", 2, owned={T: (0, 1, 2)}).error is Error.NONE
    world.wait(6)
    assert world.beat("a", 2, owned={T: (0, 1)}).error is Error.UNKNOWN_MEMBER_ID


def test_a_member_without_a_topic_has_an_epoch_to_go_on_with(world: ConsumerWorld) -> None:
    first = world.beat("a", 0, topics=())
    assert (first.error, first.epoch) == (Error.NONE, 1)
    assert world.beat("a", 1).epoch == 1


def test_silence_ends_a_session(world: ConsumerWorld) -> None:
    shared(world)
    world.wait(40)
    world.beat("a", 3)
    world.wait(10)
    assert world.beat("b", 3).error is Error.UNKNOWN_MEMBER_ID
    assert numbers(world.beat("a", 3, owned={T: ()}).assignment) == [0, 1, 2, 3]


def test_a_lost_answer_is_repeated_and_an_older_epoch_is_fenced(world: ConsumerWorld) -> None:
    shared(world)
    held = world.beat("a", 3, rebalance_timeout=60_000, topics=("t",), owned={T: ()}).assignment
    assert held is not None
    again = world.beat("a", 2, rebalance_timeout=60_000, topics=("t",), owned=held)
    assert (again.error, again.epoch, again.assignment) == (Error.NONE, 3, held)
    late = world.beat("a", 2, owned={T: (0, 1, 2, 3)})
    assert late.error is Error.FENCED_MEMBER_EPOCH
    assert late.message is not None
    assert "smaller" in late.message
    assert world.beat("a", 4).error is Error.FENCED_MEMBER_EPOCH
    assert world.beat("a", 0).epoch == 3, "it may join again at any time"


def test_leaving_hands_everything_on(world: ConsumerWorld) -> None:
    shared(world)
    gone = world.beat("b", -1)
    assert (gone.error, gone.epoch, gone.member_id) == (Error.NONE, -1, "b")
    assert numbers(world.beat("a", 3, owned={T: (0, 1)}).assignment) == [0, 1, 2, 3]
    assert world.beat("b", -1).error is Error.UNKNOWN_MEMBER_ID


def test_a_static_member_keeps_its_place_while_it_is_away(world: ConsumerWorld) -> None:
    has = world.beat("a", 0, instance_id="i").assignment
    thief = world.beat("b", 0, instance_id="i")
    assert thief.error is Error.UNRELEASED_INSTANCE_ID
    assert world.beat("a", -2, instance_id="i").epoch == -2
    assert world.beat("c", 0).epoch == 3
    back = world.beat("b", 0, instance_id="i")
    assert (back.error, back.member_id) == (Error.NONE, "b")
    assert has is not None
    kept = numbers(back.assignment)
    assert kept is not None
    assert set(kept) <= {0, 1, 2, 3}
    assert world.beat("a", 2, instance_id="i").error is Error.FENCED_INSTANCE_ID
    assert world.beat("z", 2, instance_id="unknown").error is Error.UNKNOWN_MEMBER_ID


def test_a_static_member_that_stays_away_is_out(world: ConsumerWorld) -> None:
    world.beat("a", 0, instance_id="i")
    world.beat("a", -2, instance_id="i")
    world.wait(46)
    assert world.shard.consumers.describe("g").members == ()


def test_a_full_group_takes_no_newcomer() -> None:
    world = ConsumerWorld(limits=ConsumerLimits(assignment_interval=0, size_max=1))
    world.beat("a", 0)
    assert world.beat("b", 0).error is Error.GROUP_MAX_SIZE_REACHED
    assert world.beat("a", 2).error is Error.NONE


def test_new_partitions_are_handed_out_at_the_next_heartbeat(world: ConsumerWorld) -> None:
    world.beat("a", 0)
    world.topics["t"] = 6
    world.shard.consumers.on_topics_changed(frozenset(["other"]))
    assert world.beat("a", 2).epoch == 2
    world.shard.consumers.on_topics_changed(frozenset(["t"]))
    answer = world.beat("a", 2)
    assert (answer.epoch, numbers(answer.assignment)) == (3, [0, 1, 2, 3, 4, 5])


def test_a_topic_that_comes_while_its_first_member_joins_is_handed_out() -> None:
    world = ConsumerWorld(topics={})
    world.held = []
    joined = world.ask("a", 0)
    world.topics["t"] = 2
    world.shard.consumers.on_topics_changed(frozenset(["t"]))
    world.held.pop(0)(None)
    assert numbers(joined[0].assignment) == []
    world.held = None
    assert numbers(world.beat("a", joined[0].epoch).assignment) == [0, 1]


def test_a_topic_that_is_deleted_is_given_up(world: ConsumerWorld) -> None:
    world.topics["u"] = 1
    world.beat("a", 0, topics=("t", "u"))
    del world.topics["t"]
    world.shard.consumers.on_topics_changed(frozenset(["t"]))
    told = world.beat("a", 2, owned={T: (0, 1, 2, 3), topic_id_of("u"): (0,)})
    assert (numbers(told.assignment), numbers(told.assignment, "u")) == ([], [0])


def test_assignments_are_made_once_in_an_interval() -> None:
    world = ConsumerWorld(limits=ConsumerLimits(assignment_interval=1_000))
    world.beat("a", 0)
    newcomer = world.beat("b", 0)
    assert (newcomer.epoch, state(world)) == (2, "Assigning")
    world.wait(1.0)
    assert world.beat("b", 2).epoch == 3


def test_a_clock_that_is_behind_the_last_coordinators_keeps_no_group_waiting() -> None:
    world = ConsumerWorld(limits=ConsumerLimits(assignment_interval=1_000))
    world.beat("a", 0)
    world.beat("b", 0, topics=None, regex="n.*")
    world.topics["new"] = 2
    world.around.version += 1
    world.reload()
    world.out.wall_ms -= 3_600_000
    answer = world.beat("b", 2)
    assert (answer.epoch, numbers(answer.assignment, "new")) == (4, [0, 1])


@pytest.mark.parametrize("pattern", ["t", "t|u", "^t$", ".*"])
def test_patterns_match_whole_names(world: ConsumerWorld, pattern: str) -> None:
    world.topics["tt"] = 1
    answer = world.beat("a", 0, topics=None, regex=pattern)
    assert numbers(answer.assignment) == [0, 1, 2, 3]
    assert numbers(answer.assignment, "tt") == ([0] if pattern == ".*" else [])


def test_a_pattern_finds_topics_that_come_later(world: ConsumerWorld) -> None:
    world.beat("a", 0, topics=None, regex="n.*")
    world.topics["new"] = 2
    world.around.version += 1
    assert world.beat("a", 2).epoch == 2, "it looks every ten seconds"
    world.wait(10.1)
    answer = world.beat("a", 2)
    assert (answer.epoch, numbers(answer.assignment, "new")) == (3, [0, 1])


def test_a_pattern_sees_what_its_client_may_see(world: ConsumerWorld) -> None:
    world.topics["secret"] = 1
    answer = world.beat(
        "a", 0, topics=None, regex=".*", visible=lambda names: frozenset(names) - {"secret"}
    )
    assert answer.assignment is not None
    assert set(answer.assignment) == {T}


@pytest.mark.parametrize("pattern", ["(", "(?=a)", r"(a)\1", "*"])
def test_what_is_no_pattern_of_re2_is_refused(world: ConsumerWorld, pattern: str) -> None:
    answer = world.beat("a", 0, topics=None, regex=pattern)
    assert answer.error is Error.INVALID_REGULAR_EXPRESSION
    assert world.shard.consumers.all == {}
    assert world.records == []


def test_nothing_is_answered_before_it_is_committed(world: ConsumerWorld) -> None:
    world.held = []
    first, second = world.ask("a", 0), world.ask("b", 0)
    assert (first, second, len(world.held)) == ([], [], 1)
    world.held.pop(0)(None)
    assert (len(first), second, len(world.held)) == (1, [], 1)
    world.held.pop(0)(None)
    assert second[0].epoch == 3


def test_what_cannot_be_written_has_not_happened(world: ConsumerWorld) -> None:
    world.error = Error.COORDINATOR_NOT_AVAILABLE
    assert world.beat("a", 0).error is Error.COORDINATOR_NOT_AVAILABLE
    assert world.shard.consumers.all == {}
    world.error = None
    assert world.beat("a", 0).epoch == 2


def test_a_late_batch_counts_although_its_client_had_to_ask_again(
    world: ConsumerWorld,
) -> None:
    world.held = []
    first, waiting = world.ask("a", 0), world.ask("b", 0)
    world.wait(5.1)
    assert [a.error for a in (*first, *waiting)] == [Error.COORDINATOR_NOT_AVAILABLE] * 2
    world.held.pop()(None)
    world.held = None
    assert [m.member.member_id for m in world.shard.consumers.describe("g").members] == ["a"]
    assert world.beat("a", 0).epoch == 2


def test_another_coordinator_goes_on_where_the_last_one_was(world: ConsumerWorld) -> None:
    shared(world)
    world.beat("c", 0, topics=None, regex="t", instance_id="i", assignor="range")
    before = world.shard.consumers.describe("g")
    waiting: list[ConsumerBeatAnswer] = []
    world.held = []
    waiting = world.ask("a", -1)
    world.held = None
    world.reload()
    assert [a.error for a in waiting] == [Error.NOT_COORDINATOR]
    assert world.shard.consumers.describe("g") == before
    epochs = [r for r in world.records if isinstance(r, EpochRecord)]
    world.beat("c", 4, instance_id="i")
    assert [r for r in world.records if isinstance(r, EpochRecord)] == epochs, "nothing has changed"
    world.wait(46)
    assert world.shard.consumers.describe("g").members == ()


def test_members_commit_in_their_epoch_or_for_what_they_have_longer(world: ConsumerWorld) -> None:
    world.beat("a", 0)
    assert commit(world, "a", 2) is Error.NONE
    assert commit(world, "a", 3) is Error.STALE_MEMBER_EPOCH
    assert commit(world, "x", 2) is Error.UNKNOWN_MEMBER_ID
    assert commit(world, "", -1) is Error.UNKNOWN_MEMBER_ID
    assert commit(world, "a", 2, version=8) is Error.UNSUPPORTED_VERSION
    world.beat("b", 0)
    keeps = numbers(world.beat("a", 2, owned={T: (0, 1, 2, 3)}).assignment)
    assert keeps is not None
    world.beat("a", 2, owned={T: keeps})
    lost = next(n for n in range(4) if n not in keeps)
    assert commit(world, "a", 2, keeps[0]) is Error.NONE, "it has this since epoch 2 (KIP-1251)"
    assert commit(world, "a", 2, lost) is Error.STALE_MEMBER_EPOCH
    world.beat("b", 3)
    assert commit(world, "b", 2, lost) is Error.STALE_MEMBER_EPOCH
    assert commit(world, "b", 3, lost) is Error.NONE


def test_readers_of_offsets_name_their_epoch(world: ConsumerWorld) -> None:
    world.beat("a", 0)
    world.shard.consumers.check_fetch("g", None, -1)
    world.shard.consumers.check_fetch("g", "a", 2)
    for who, error in ((("a", 1), Error.STALE_MEMBER_EPOCH), (("b", 2), Error.UNKNOWN_MEMBER_ID)):
        with pytest.raises(Refusal) as refused:
            world.shard.consumers.check_fetch("g", *who)
        assert refused.value.error is error


def test_an_empty_group_is_deleted_with_its_offsets(world: ConsumerWorld) -> None:
    answers: list[Error] = []
    world.beat("a", 0)
    commit(world, "a", 2)
    world.shard.delete_group("g", answers.append)
    world.beat("a", -1)
    world.shard.delete_group("g", answers.append)
    assert answers == [Error.NON_EMPTY_GROUP, Error.NONE]
    assert world.shard.views() == []
    assert world.shard.fetch("g", None) == {}
    world.reload()
    assert world.shard.views() == []


def test_an_empty_group_expires_with_its_offsets(world: ConsumerWorld) -> None:
    world.beat("a", 0)
    commit(world, "a", 2)
    world.beat("a", -1)
    world.out.wall_ms += 8 * 24 * 3600 * 1000
    world.shard.expire()
    assert world.shard.views() == []
    assert world.shard.fetch("g", None) == {}


def test_offsets_of_subscribed_topics_are_not_deleted(world: ConsumerWorld) -> None:
    world.beat("a", 0)
    commit(world, "a", 2)
    answers: dict[TopicPartition, Error] = {}
    world.shard.delete_offsets("g", [TopicPartition("t", 0)], answers.update)
    assert list(answers.values()) == [Error.GROUP_SUBSCRIBED_TO_TOPIC]


def test_leave_group_sends_members_away(world: ConsumerWorld) -> None:
    world.beat("a", 0)
    world.beat("b", 0, instance_id="i")
    answers: list[list[Error]] = []
    world.shard.leave("g", [("a", None), ("", "i"), ("x", None)], answers.append)
    assert answers == [[Error.NONE, Error.NONE, Error.UNKNOWN_MEMBER_ID]]
    assert world.shard.consumers.describe("g").members == ()


# --- from and to classic groups -------------------------------------------------------------------


def join(world: ConsumerWorld, member_id: str = "") -> list[JoinAnswer]:
    answers: list[JoinAnswer] = []
    world.shard.join(
        Join(
            group_id="g",
            member_id=member_id,
            client_id="c",
            client_host="/h",
            session_timeout=10_000,
            rebalance_timeout=10_000,
            protocol_type="consumer",
            protocols=(("range", b"\0\0\0\0\0\0"),),
        ),
        answers.append,
    )
    return answers


def test_an_empty_classic_group_becomes_a_consumer_group_and_keeps_its_offsets(
    world: ConsumerWorld,
) -> None:
    (joined,) = join(world)
    assert world.beat("a", 0).error is Error.GROUP_ID_NOT_FOUND, "it has a strange member"
    world.shard.leave("g", [(joined.member_id, None)], lambda errors: None)
    assert commit(world, "", -1) is Error.NONE
    assert world.beat("a", 2).error is Error.GROUP_ID_NOT_FOUND
    assert world.beat("a", 0).epoch == 2
    assert world.shard.describe("g") is None
    assert [(v.group_id, v.kind) for v in world.shard.views()] == [("g", "consumer")]
    assert GroupRecord("g", None) in world.records
    world.reload()
    assert [(v.group_id, v.kind) for v in world.shard.views()] == [("g", "consumer")]
    assert len(world.shard.fetch("g", None)) == 1


def test_a_classic_group_lives_on_where_its_change_cannot_be_written(world: ConsumerWorld) -> None:
    commit(world, "", -1)
    world.error = Error.COORDINATOR_NOT_AVAILABLE
    assert world.beat("a", 0).error is Error.COORDINATOR_NOT_AVAILABLE
    world.error = None
    (joined,) = join(world)
    assert joined.error is Error.NONE
    assert [v.kind for v in world.shard.views()] == ["classic"]


def test_an_empty_consumer_group_becomes_a_classic_group(world: ConsumerWorld) -> None:
    world.beat("a", 0)
    commit(world, "a", 2)
    world.beat("a", -1)
    assert join(world, "x")[0].error is Error.UNKNOWN_MEMBER_ID
    (joined,) = join(world)
    assert joined.error is Error.NONE
    assert [v.kind for v in world.shard.views()] == ["classic"]
    assert [r for r in world.records if isinstance(r, OffsetRecord)] != []
    assert len(world.shard.fetch("g", None)) == 1
    assert world.beat("a", 2).error is Error.GROUP_ID_NOT_FOUND
