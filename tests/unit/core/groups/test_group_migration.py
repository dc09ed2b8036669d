"""Groups that change between the classic protocol and KIP-848's while they have members: what is
written, what members of both protocols hear, time, static members, commits, other coordinators."""

from __future__ import annotations

import pytest
from tests.support.consumer_world import AT_ONCE, ConsumerWorld, numbers, topic_id_of

from spindle.core.groups.consumer_protocol import (
    ConsumerSubscription,
    read_assignment,
    write_assignment,
    write_subscription,
)
from spindle.core.groups.consumer_values import (
    ClassicTerms,
    ConsumerLimits,
    CurrentRecord,
    EpochRecord,
    MemberState,
    SubscriptionRecord,
    TargetEpochRecord,
    TargetRecord,
)
from spindle.core.groups.group_values import (
    Committed,
    GroupLimits,
    GroupRecord,
    Join,
    JoinAnswer,
    MemberIdentity,
    Sync,
    SyncAnswer,
)
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition

T = topic_id_of("t")
pytestmark = pytest.mark.spec("C-02", "C-03")


class Classic:
    """A member of the classic protocol, which does what its group tells it to."""

    def __init__(self, world: ConsumerWorld, name: str, instance_id: str | None = None) -> None:
        self.world = world
        self.name = name
        self.instance_id = instance_id
        self.member_id = ""
        self.generation = -1
        self.leads = False
        self.owned: tuple[int, ...] = ()
        self.answers: list[JoinAnswer] = []
        self.cooperative = False
        self.protocol = "range"
        self.topics = ("t",)
        self.later: list[Error] = []
        self.said = b""

    @property
    def metadata(self) -> bytes:
        owned = {"t": self.owned} if self.owned and self.cooperative else {}
        return write_subscription(ConsumerSubscription(self.topics, owned, self.generation))

    def join(self, **fields: object) -> JoinAnswer | None:
        """Ask to join; the answer, if there is one already."""
        self.answers, self.said = [], self.metadata
        ask: dict[str, object] = {
            "group_id": "g",
            "member_id": self.member_id,
            "instance_id": self.instance_id,
            "client_id": self.name,
            "client_host": "/h",
            "session_timeout": 10_000,
            "rebalance_timeout": 20_000,
            "protocol_type": "consumer",
            "protocols": ((self.protocol, self.said),),
        }
        self.world.shard.join(Join(**(ask | fields)), self.answers.append)  # type: ignore[arg-type]
        return self.take()

    def take(self) -> JoinAnswer | None:
        if not self.answers:
            return None
        (answer,) = self.answers
        if not answer.error:
            self.member_id, self.generation = answer.member_id, answer.generation
            self.leads = answer.leader == answer.member_id
        return answer

    def sync(self, given: tuple[tuple[str, bytes], ...] = ()) -> SyncAnswer:
        answers: list[SyncAnswer] = []
        ask = Sync(
            group_id="g",
            generation=self.generation,
            member_id=self.member_id,
            instance_id=self.instance_id,
            protocol_type="consumer",
            protocol=self.protocol,
            assignments=given,
        )
        self.world.shard.sync(ask, answers.append)
        (answer,) = answers
        if not answer.error:
            self.owned = read_assignment(answer.assignment).partitions.get("t", ())
        return answer

    def beat(self) -> Error:
        return self.world.shard.heartbeat(self.identity)

    @property
    def identity(self) -> MemberIdentity:
        return MemberIdentity(
            group_id="g",
            generation=self.generation,
            member_id=self.member_id,
            instance_id=self.instance_id,
        )

    def leave(self) -> Error:
        answers: list[list[Error]] = []
        self.world.shard.leave("g", [(self.member_id, self.instance_id)], answers.append)
        return answers[0][0]

    def commit(self, partition: int, version: int = 8) -> Error:
        self.later = []
        self.commit_later(partition, version)
        return self.later[0]

    def commit_later(self, partition: int, version: int = 8) -> None:
        """The answer, when it comes, is in `later`."""
        answers = self.later
        partitions = {TopicPartition("t", partition): Committed(offset=5, commit_ms=1, topic_id=T)}
        try:
            self.world.shard.commit(
                self.identity,
                partitions,
                lambda told: answers.extend(told.values()),
                version=version,
                refuse=lambda refusal: answers.append(refusal.error),
            )
        except Refusal as refusal:
            answers.append(refusal.error)

    def rejoin(self) -> None:
        """Join and ask for the assignment, as often as the group wants it (eager: owns nothing)."""
        for _ in range(5):
            if not self.cooperative:
                self.owned = ()
            answer = self.join()
            assert answer is not None
            assert answer.error is Error.NONE
            self.sync()
            if self.beat() is Error.NONE:
                return
        raise AssertionError(f"{self.name} does not come to rest")


@pytest.fixture
def world() -> ConsumerWorld:
    return ConsumerWorld()


def stable(world: ConsumerWorld, *members: Classic) -> None:
    """A stable classic group, with the partitions of t dealt out to its members."""
    for member in members:
        member.join()
    for _ in range(3):
        world.wait(0.1)
        for member in members:
            if member.take() is None:
                continue
            if member.beat() is Error.REBALANCE_IN_PROGRESS:
                member.join()
    (leader,) = [member for member in members if member.leads]
    shares = {
        m.member_id: tuple(n for n in range(4) if n % len(members) == at)
        for at, m in enumerate(members)
    }
    given = tuple((id, write_assignment({"t": share}, 3)) for id, share in shares.items())
    for member in (leader, *(m for m in members if m is not leader)):
        assert member.sync(given if member is leader else ()).error is Error.NONE


def pair(world: ConsumerWorld) -> tuple[Classic, Classic]:
    one, two = Classic(world, "one"), Classic(world, "two")
    stable(world, one, two)
    return one, two


def kinds(world: ConsumerWorld) -> list[str]:
    return [view.kind for view in world.shard.views()]


def held(world: ConsumerWorld) -> dict[str, list[int]]:
    view = world.shard.consumers.describe("g")
    return {m.member.said.client_id: numbers(m.member.assigned) or [] for m in view.members}


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
    told = world.beat("a", 1, owned={T: (0, 1, 2, 3)})
    assert one.beat() is Error.NONE
    assert told.assignment is not None
    world.beat("a", 1, owned=told.assignment)
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
    assert (told.error, told.epoch) == (Error.NONE, 1)
    for member in (one, two):
        member.member_id = member.answers[0].member_id
        member.rejoin()
    told = world.beat("a", 1, owned=told.assignment)
    for member in (one, two):
        member.rejoin()
    owned = [*(numbers(world.beat("a", 1, owned=told.assignment).assignment) or ())]
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
    """Those who left are not in what is stored, so their session would not end there."""
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


def test_the_last_of_all_leaves_an_empty_consumer_group(world: ConsumerWorld) -> None:
    one = Classic(world, "one")
    world.beat("a", 0)
    one.join()
    assert one.leave() is Error.NONE
    world.beat("a", -1)
    assert world.shard.consumers.describe("g").state == "Empty"


def test_what_waits_behind_the_change_is_told_what_the_group_is_then(world: ConsumerWorld) -> None:
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


# --- classic members of a consumer group --------------------------------------------------------


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
    one.generation -= 1
    one.protocol = "roundrobin"
    assert one.sync().error is Error.INCONSISTENT_GROUP_PROTOCOL
    other = Classic(world, "two")
    other.protocol = "sticky"
    refused = other.join()
    assert refused is not None
    assert refused.error is Error.INCONSISTENT_GROUP_PROTOCOL
    one.member_id = "a"
    assert one.beat() is Error.UNKNOWN_MEMBER_ID, "a speaks the other protocol"
    one.member_id = "x"
    assert one.beat() is Error.UNKNOWN_MEMBER_ID


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
