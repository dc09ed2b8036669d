"""Offsets and administration of the groups of one partition, and their round trip by replay."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from tests.support.consumer_world import FakeSurroundings, share_states

from spindle.core.groups.coordinator_shard import GroupCoordinatorShard
from spindle.core.groups.group_states import GroupState
from spindle.core.groups.group_values import (
    Committed,
    CoordinatorRecord,
    GroupLimits,
    GroupRecord,
    Join,
    JoinAnswer,
    MemberIdentity,
    OffsetRecord,
    Sync,
)
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.model.outbox import Outbox

T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)
DAY = 24 * 3600 * 1000


def subscription(*topics: str) -> bytes:
    names = b"".join(len(t).to_bytes(2, "big") + t.encode() for t in topics)
    return b"\0\3" + len(topics).to_bytes(4, "big") + names + b"\xff\xff\xff\xff"


def shard(log: Log) -> GroupCoordinatorShard:
    around = FakeSurroundings()
    return GroupCoordinatorShard(
        log.limits, log.out, log.append, log.append_in, log.append, around, share_states()
    )


class Log:
    """A coordinator over a log in memory whose appends are answered when the test says."""

    def __init__(self, limits: GroupLimits | None = None) -> None:
        self.out = Outbox(random.Random(2))
        self.out.wall_ms = 1_000_000
        self.records: list[CoordinatorRecord] = []
        self.held: list[Callable[[], None]] | None = None
        self.error: Error | None = None
        self.limits = limits or GroupLimits(initial_delay=0)
        self.coordinator = shard(self)
        self.coordinator.on_loaded()

    def append(self, records: list[CoordinatorRecord], then: Callable[[int | Error], None]) -> None:
        if self.error is not None:
            then(self.error)
            return
        at = len(self.records)
        self.records += records
        if self.held is None:
            then(at)
        else:
            self.held.append(lambda: then(at))

    def append_in(
        self,
        producer: tuple[int, int],
        records: list[CoordinatorRecord],
        then: Callable[[int | Error], None],
    ) -> None:
        self.append(records, then)

    def leave(self, *members: tuple[str, str | None]) -> list[Error]:
        answers: list[list[Error]] = []
        self.coordinator.leave("g", members, answers.append)
        return answers[0]

    def commit(
        self, offsets: dict[TopicPartition, int], **who: object
    ) -> dict[TopicPartition, Error]:
        answers: dict[TopicPartition, Error] = {}
        self.coordinator.commit(
            MemberIdentity(**({"group_id": "g"} | who)),  # type: ignore[arg-type]
            {p: Committed(offset=n, commit_ms=self.out.wall_ms) for p, n in offsets.items()},
            lambda answer: answers.update(answer),
        )
        return answers

    def offsets(self, group_id: str = "g") -> dict[TopicPartition, int]:
        found = self.coordinator.fetch(group_id, None)
        return {p: c.offset for p, c in found.items() if c is not None}

    def member(self, *topics: str, group_id: str = "g", kind: str = "consumer") -> JoinAnswer:
        """A stable group of one member."""
        answers: list[JoinAnswer] = []
        self.coordinator.join(
            Join(
                group_id=group_id,
                member_id="",
                client_id="c",
                client_host="/h",
                session_timeout=10_000,
                rebalance_timeout=10_000,
                protocol_type=kind,
                protocols=(("range", subscription(*topics)),),
            ),
            answers.append,
        )
        (answer,) = answers
        self.coordinator.sync(
            Sync(group_id=group_id, generation=answer.generation, member_id=answer.member_id),
            lambda synced: None,
        )
        return answer

    def reloaded(self) -> Log:
        """A new coordinator that has replayed this one's log."""
        other = Log(self.limits)
        other.out.wall_ms = self.out.wall_ms
        other.coordinator = shard(other)
        for at, record in enumerate(self.records):
            other.coordinator.replay(record, at)
        other.coordinator.on_loaded()
        return other


@pytest.fixture
def log() -> Log:
    return Log()


def test_a_commit_counts_once_it_is_in_the_log(log: Log) -> None:
    log.held = []
    answers = log.commit({T0: 5, T1: 6})
    assert answers == {}
    assert log.offsets() == {}
    log.held.pop()()
    assert answers == {T0: Error.NONE, T1: Error.NONE}
    assert log.offsets() == {T0: 5, T1: 6}
    assert log.coordinator.fetch("g", [T0, U0])[U0] is None
    assert log.coordinator.fetch("nobody", [T0]) == {T0: None}


def test_of_two_commits_the_later_one_in_the_log_counts_whichever_is_answered_first(
    log: Log,
) -> None:
    log.held = []
    log.commit({T0: 5})
    log.commit({T0: 6})
    first, second = log.held
    second()
    first()
    assert log.offsets() == {T0: 6}


def test_a_failed_commit_changes_nothing(log: Log) -> None:
    log.error = Error.COORDINATOR_NOT_AVAILABLE
    assert log.commit({T0: 5}) == {T0: Error.COORDINATOR_NOT_AVAILABLE}
    log.error = Error.UNKNOWN_SERVER_ERROR
    assert log.commit({T0: 5}) == {T0: Error.INVALID_COMMIT_OFFSET_SIZE}
    assert log.offsets() == {}
    assert log.coordinator.describe("g") is None


def test_a_commit_that_was_given_up_counts_when_it_is_committed_after_all(log: Log) -> None:
    late: CoordinatorRecord = OffsetRecord("g", T0, Committed(offset=9, commit_ms=1))
    log.coordinator.on_late([late], 4)
    assert log.offsets() == {T0: 9}
    assert log.coordinator.describe("g") is not None


def test_too_long_metadata_spoils_only_its_own_partition(log: Log) -> None:
    answers: dict[TopicPartition, Error] = {}
    offsets = {
        T0: Committed(offset=1, metadata="x" * 4097, commit_ms=0),
        T1: Committed(offset=2, metadata="x" * 4096, commit_ms=0),
    }
    log.coordinator.commit(MemberIdentity(group_id="g"), offsets, answers.update)
    assert answers == {T0: Error.OFFSET_METADATA_TOO_LARGE, T1: Error.NONE}
    assert log.offsets() == {T1: 2}


def test_members_commit_in_their_generation_and_strangers_only_while_no_member_is_there(
    log: Log,
) -> None:
    member = log.member("t")
    who = {"member_id": member.member_id, "generation": 1}
    assert log.commit({T0: 1}, **who) == {T0: Error.NONE}
    for wrong, error in (
        ({"generation": 2}, Error.ILLEGAL_GENERATION),
        ({"generation": 0}, Error.ILLEGAL_GENERATION),
        ({"member_id": "x"}, Error.UNKNOWN_MEMBER_ID),
        ({"instance_id": "x"}, Error.UNKNOWN_MEMBER_ID),
        ({"member_id": "", "generation": -1}, Error.UNKNOWN_MEMBER_ID),
    ):
        with pytest.raises(Refusal) as refused:
            log.commit({T0: 2}, **(who | wrong))
        assert refused.value.error is error
    assert log.leave((member.member_id, None)) == [Error.NONE]
    assert log.commit({T0: 3}) == {T0: Error.NONE}
    with pytest.raises(Refusal) as refused:
        log.commit({T0: 2}, group_id="unknown", generation=1)
    assert refused.value.error is Error.GROUP_ID_NOT_FOUND
    with pytest.raises(Refusal) as refused:
        log.commit({T0: 2}, group_id="", generation=1)
    assert refused.value.error is Error.GROUP_ID_NOT_FOUND
    assert log.commit({T0: 2}, group_id="") == {T0: Error.NONE}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"session_timeout": 5_999}, Error.INVALID_SESSION_TIMEOUT),
        ({"session_timeout": 1_800_001}, Error.INVALID_SESSION_TIMEOUT),
        ({"member_id": "x"}, Error.UNKNOWN_MEMBER_ID),
        ({"protocols": ()}, Error.INCONSISTENT_GROUP_PROTOCOL),
    ],
)
def test_a_refused_join_leaves_nothing_behind(
    log: Log, change: dict[str, object], error: Error
) -> None:
    ask: dict[str, object] = {
        "group_id": "g",
        "member_id": "",
        "client_id": "c",
        "client_host": "/h",
        "session_timeout": 10_000,
        "rebalance_timeout": 10_000,
        "protocol_type": "consumer",
        "protocols": (("range", b""),),
    }
    answers: list[JoinAnswer] = []
    log.coordinator.join(Join(**(ask | change)), answers.append)  # type: ignore[arg-type]
    assert [a.error for a in answers] == [error]
    assert log.coordinator.groups.all == {}


def test_a_refused_join_leaves_a_group_whose_offsets_a_transaction_holds(log: Log) -> None:
    value = {T0: Committed(offset=1, commit_ms=0)}
    log.coordinator.commit(MemberIdentity(group_id="g"), value, lambda answers: None, (7, 0))
    ask = Join(
        group_id="g",
        member_id="",
        client_id="c",
        client_host="/h",
        session_timeout=10_000,
        rebalance_timeout=10_000,
        protocol_type="consumer",
        protocols=(),
    )
    answers: list[JoinAnswer] = []
    log.coordinator.join(ask, answers.append)
    assert [a.error for a in answers] == [Error.INCONSISTENT_GROUP_PROTOCOL]
    assert list(log.coordinator.groups.all) == ["g"]


def test_unknown_groups_have_no_members(log: Log) -> None:
    who = MemberIdentity(group_id="g", generation=1, member_id="m")
    assert log.coordinator.heartbeat(who) is Error.UNKNOWN_MEMBER_ID
    assert log.leave(("m", None), ("n", None)) == [Error.UNKNOWN_MEMBER_ID] * 2
    synced: list[Error] = []
    log.coordinator.sync(
        Sync(group_id="g", generation=1, member_id="m"), lambda a: synced.append(a.error)
    )
    assert synced == [Error.UNKNOWN_MEMBER_ID]


# --- deleting and expiring ----------------------------------------------------------------------


def test_only_empty_groups_are_deleted_and_with_them_their_offsets(log: Log) -> None:
    member = log.member("t")
    log.commit({T0: 1}, member_id=member.member_id, generation=1)
    errors: list[Error] = []
    log.coordinator.delete_group("g", errors.append)
    log.leave((member.member_id, None))
    log.coordinator.delete_group("g", errors.append)
    log.coordinator.delete_group("g", errors.append)
    assert errors == [Error.NON_EMPTY_GROUP, Error.NONE, Error.GROUP_ID_NOT_FOUND]
    assert log.offsets() == {}
    assert log.records[-2:] == [OffsetRecord("g", T0, None), GroupRecord("g", None)]


def test_no_member_gets_in_while_a_deletion_is_under_way_and_it_can_fail(log: Log) -> None:
    log.commit({T0: 1})
    log.held = []
    errors: list[Error] = []
    log.coordinator.delete_group("g", errors.append)
    with pytest.raises(Refusal) as refused:
        log.commit({T0: 2})
    assert refused.value.error is Error.COORDINATOR_NOT_AVAILABLE
    log.held.pop()()
    assert errors == [Error.NONE]
    assert log.coordinator.describe("g") is None

    log.held = None
    log.commit({T0: 1})
    log.error = Error.NOT_COORDINATOR
    log.coordinator.delete_group("g", errors.append)
    assert errors[-1] is Error.NOT_COORDINATOR
    assert log.coordinator.groups.all["g"].metadata.state is GroupState.EMPTY
    assert log.offsets() == {T0: 1}


def test_the_coordinator_may_move_while_a_deletion_is_under_way(log: Log) -> None:
    log.commit({T0: 1})
    log.held = []
    log.coordinator.delete_group("g", lambda error: None)
    log.coordinator.close()
    assert log.coordinator.groups.all == {}
    other = log.reloaded()
    assert other.coordinator.describe("g") is None, "the records were written"


def test_a_late_tombstone_spares_a_group_that_was_reopened(log: Log) -> None:
    log.commit({T0: 1})
    log.coordinator.on_late([GroupRecord("g", None)], 9)
    assert log.coordinator.describe("g") is not None


def test_offsets_of_topics_without_subscribers_can_be_deleted(log: Log) -> None:
    member = log.member("t")
    who = {"member_id": member.member_id, "generation": 1}
    log.commit({T0: 1, U0: 2}, **who)
    answers: dict[TopicPartition, Error] = {}
    log.coordinator.delete_offsets("g", [T0, U0], answers.update)
    assert answers == {T0: Error.GROUP_SUBSCRIBED_TO_TOPIC, U0: Error.NONE}
    assert log.offsets() == {T0: 1}
    with pytest.raises(Refusal) as refused:
        log.coordinator.delete_offsets("nobody", [T0], answers.update)
    assert refused.value.error is Error.GROUP_ID_NOT_FOUND


def test_offsets_of_a_group_of_another_kind_are_deleted_only_while_it_is_empty(log: Log) -> None:
    log.member("t", kind="connect")
    with pytest.raises(Refusal) as refused:
        log.coordinator.delete_offsets("g", [T0], lambda errors: None)
    assert refused.value.error is Error.NON_EMPTY_GROUP


def test_offsets_of_a_deleted_topic_go_in_batches_of_bounded_size(log: Log) -> None:
    many = {TopicPartition("t", n): n for n in range(2_500)}
    log.commit(many | {U0: 1})
    before = len(log.records)
    sizes: list[int] = []
    append = log.append

    def counting(records: list[CoordinatorRecord], then: Callable[[int | Error], None]) -> None:
        sizes.append(len(records))
        append(records, then)

    log.coordinator._append = counting
    log.coordinator.on_topics_deleted(["t"])
    assert sizes == [1_000, 1_000, 500]
    assert len(log.records) == before + 2_500
    assert log.offsets() == {U0: 1}


def test_offsets_outlive_their_group_by_the_retention_and_then_it_goes_too(log: Log) -> None:
    member = log.member("t")
    log.commit({T0: 1}, member_id=member.member_id, generation=1)
    log.out.wall_ms += 6 * DAY
    log.leave((member.member_id, None))
    log.out.wall_ms += 7 * DAY - 1
    log.coordinator.expire()
    assert log.offsets() == {T0: 1}
    log.out.wall_ms += 1
    log.coordinator.expire()
    assert log.offsets() == {}
    assert log.coordinator.groups.all == {}
    assert log.records[-1] == GroupRecord("g", None)


def test_a_living_group_loses_only_offsets_of_topics_it_does_not_read(log: Log) -> None:
    member = log.member("t")
    log.commit({T0: 1, U0: 2}, member_id=member.member_id, generation=1)
    log.out.wall_ms += 7 * DAY
    log.coordinator.expire()
    assert log.offsets() == {T0: 1}


def test_a_living_group_of_another_kind_loses_nothing(log: Log) -> None:
    member = log.member(kind="connect")
    log.commit({U0: 2}, member_id=member.member_id, generation=1)
    log.out.wall_ms += 8 * DAY
    log.coordinator.expire()
    assert log.offsets() == {U0: 2}


def test_without_members_ever_each_commit_is_kept_for_the_retention(log: Log) -> None:
    log.commit({T0: 1})
    log.out.wall_ms += 4 * DAY
    log.commit({T1: 1})
    log.out.wall_ms += 3 * DAY
    log.coordinator.expire()
    assert log.offsets() == {T1: 1}


def test_an_offset_with_a_time_of_its_own_goes_then(log: Log) -> None:
    value = Committed(offset=1, commit_ms=log.out.wall_ms, expire_ms=log.out.wall_ms + 10)
    log.coordinator.commit(MemberIdentity(group_id="g"), {T0: value}, lambda errors: None)
    log.out.wall_ms += 9
    log.coordinator.expire()
    assert log.offsets() == {T0: 1}
    log.out.wall_ms += 1
    log.coordinator.expire()
    assert log.offsets() == {}


# --- replay -------------------------------------------------------------------------------------


def test_replaying_the_log_gives_the_same_groups_and_offsets(log: Log) -> None:
    member = log.member("t")
    log.commit({T0: 1}, member_id=member.member_id, generation=1)
    log.commit({T0: 2, U0: 3}, member_id=member.member_id, generation=1)
    log.coordinator.delete_offsets("g", [U0], lambda errors: None)
    log.commit({T1: 7}, group_id="simple")
    log.commit({T1: 8}, group_id="gone")
    log.coordinator.delete_group("gone", lambda error: None)
    other = log.reloaded()
    assert other.coordinator.offsets.committed.keys() == {"g", "simple"}
    assert other.offsets() == {T0: 2}
    assert other.offsets("simple") == {T1: 7}
    assert other.coordinator.describe("g") == log.coordinator.describe("g")
    assert other.coordinator.views() == log.coordinator.views()
    who = MemberIdentity(group_id="g", generation=1, member_id=member.member_id)
    assert other.coordinator.heartbeat(who) is Error.NONE
    assert other.commit({T0: 9}, member_id=member.member_id, generation=1) == {T0: Error.NONE}


def test_closing_frees_everything_and_answers_waiting_members(log: Log) -> None:
    log = Log(GroupLimits(initial_delay=3_000))
    answers: list[JoinAnswer] = []
    log.coordinator.join(
        Join(
            group_id="g",
            member_id="",
            client_id="c",
            client_host="/h",
            session_timeout=10_000,
            rebalance_timeout=10_000,
            protocol_type="consumer",
            protocols=(("range", b""),),
        ),
        answers.append,
    )
    log.coordinator.close()
    assert [a.error for a in answers] == [Error.NOT_COORDINATOR]
    assert log.coordinator.groups.all == {}
    assert log.out.wake_at is None
