"""TxnOffsetCommit: what both coordinators say to it, and from when on an offset counts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.cluster_image import topic_id
from tests.support.desk import part, request
from tests.support.group_broker import PARTITIONS, GroupBroker
from tests.support.transactional import Asked
from tools.messages.entities import ms

from spindle.core.groups.subscription import partition_for
from spindle.core.transactions.transaction_values import ProducerIdAndEpoch
from spindle.model.errors import Error
from spindle.model.ids import PartitionId, TopicPartition
from spindle.node.topic_creation import OFFSETS_TOPIC
from spindle.node.transactions.enlisting import BUSY_RETRY, BUSY_TRIES, Enlisting
from spindle.wire.apis import TABLE, Key

KEY = Key.TXN_OFFSET_COMMIT
VERSIONS = range(TABLE[KEY].min, TABLE[KEY].max + 1)
PLACE = PartitionId(topic_id(OFFSETS_TOPIC), partition_for("g", PARTITIONS))
T0 = TopicPartition("t", 0)
BUSY = Error.CONCURRENT_TRANSACTIONS


class World(GroupBroker):
    """A group's coordinator that asks the test about transactions."""

    def __init__(self, settings: dict[str, str] | None = None) -> None:
        super().__init__(with_topic=True, **(settings or {}))
        self.asked = Asked()
        ground: Any = SimpleNamespace(node_id=1, out=self.out)
        self.transactions = SimpleNamespace(enlisting=Enlisting(ground, self.asked))

    def send(self, version: int = 5, offset: int = 5, **fields: Any) -> None:
        """Producer 7 commits an offset of t-0 and one of a partition that is not there."""
        places = tuple(
            part(
                KEY,
                version,
                "TxnOffsetCommitRequestPartition",
                partition_index=n,
                committed_offset=offset,
                committed_metadata="",
            )
            for n in (0, 9)
        )
        topic = part(KEY, version, "TxnOffsetCommitRequestTopic", name="t", partitions=places)
        asked = {
            "transactional_id": "x",
            "group_id": "g",
            "producer_id": 7,
            "producer_epoch": 0,
            "topics": (topic,),
        }
        self.desk.send(request(KEY, version, **(asked | fields)))

    def errors(self) -> list[list[Error]]:
        """The errors of the answers that have come."""
        return [
            [Error(p.error_code) for topic in answer.topics for p in topic.partitions]
            for answer in self.desk.answers()
        ]

    def commit(self, version: int = 5, **fields: Any) -> Error:
        """Commit where the transaction's coordinator has no objection; the error of t-0."""
        self.send(version, **fields)
        while self.asked.questions:
            self.asked.answer()
        ((error, other),) = self.errors()
        assert other in (error, Error.UNKNOWN_TOPIC_OR_PARTITION)
        return error

    def pending(self) -> list[TopicPartition]:
        return list(self.groups.coordinator("g").offsets.pending.of("g"))

    def member(self, instance_id: str | None = None) -> Any:
        protocol = part(Key.JOIN_GROUP, 9, "JoinGroupRequestProtocol", name="range", metadata=b"m")
        fields = {
            "group_id": "g",
            "group_instance_id": instance_id,
            "session_timeout": ms(10_000),
            "rebalance_timeout": ms(10_000),
            "protocol_type": "consumer",
            "protocols": (protocol,),
        }
        answer = self.ask(Key.JOIN_GROUP, 9, member_id="", **fields)
        if answer.error_code == Error.MEMBER_ID_REQUIRED:
            answer = self.ask(Key.JOIN_GROUP, 9, member_id=answer.member_id, **fields)
        assert answer.error_code == Error.NONE
        return answer


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.parametrize("version", VERSIONS)
def test_an_offset_counts_from_the_marker_on(world: World, version: int) -> None:
    assert world.commit(version) == Error.NONE
    coordinator = world.groups.coordinator("g")
    assert (coordinator.fetch("g", None), world.pending()) == ({}, [T0])
    world.groups.on_marker(PLACE, 7, world.replicas.ends[PLACE], True)
    assert [c.offset for c in coordinator.fetch("g", None).values() if c] == [5]
    assert world.pending() == []


def test_the_transactions_coordinator_hears_of_the_groups_partition(world: World) -> None:
    world.send()
    assert world.errors() == []
    question = world.asked.answer()
    assert (question.transactional_id, question.producer, question.adds) == (
        "x",
        ProducerIdAndEpoch(7, 0),
        True,
    )
    assert world.errors() == [[Error.NONE, Error.UNKNOWN_TOPIC_OR_PARTITION]]


@pytest.mark.parametrize(
    ("version", "error", "told"),
    [
        (5, BUSY, Error.COORDINATOR_LOAD_IN_PROGRESS),
        (5, Error.NOT_COORDINATOR, Error.COORDINATOR_LOAD_IN_PROGRESS),
        (5, Error.COORDINATOR_NOT_AVAILABLE, Error.COORDINATOR_LOAD_IN_PROGRESS),
        (5, Error.NETWORK_EXCEPTION, Error.COORDINATOR_LOAD_IN_PROGRESS),
        (5, Error.PRODUCER_FENCED, Error.INVALID_PRODUCER_EPOCH),
        (5, Error.INVALID_PRODUCER_ID_MAPPING, Error.INVALID_PRODUCER_ID_MAPPING),
        (4, Error.TRANSACTION_ABORTABLE, Error.TRANSACTION_ABORTABLE),
        (3, Error.TRANSACTION_ABORTABLE, Error.INVALID_TXN_STATE),
    ],
)
def test_without_the_coordinators_yes_nothing_is_written(
    world: World, version: int, error: Error, told: Error
) -> None:
    world.asked.verdict = error
    world.send(version)
    for _ in range(BUSY_TRIES if error is BUSY else 1):
        if world.asked.questions:
            world.asked.answer(error)
            world.wait(BUSY_RETRY)
    assert world.errors() == [[told, Error.UNKNOWN_TOPIC_OR_PARTITION]]
    assert world.replicas.ends.get(PLACE, 0) == 0


def test_a_marker_that_comes_before_the_yes_ends_the_commit(world: World) -> None:
    """Before transaction.version 2 it would wait for an end that never comes."""
    world.asked.verdict = BUSY
    world.send(4)
    world.transactions.enlisting.on_marker(PLACE, ProducerIdAndEpoch(7, 0), bumped=False)
    assert world.errors() == [[Error.INVALID_TXN_STATE, Error.UNKNOWN_TOPIC_OR_PARTITION]]
    world.asked.verdict = Error.NONE
    world.wait(1)
    assert (world.errors(), world.pending()) == ([], [])


def test_a_group_that_moves_while_the_coordinator_is_asked_is_looked_up_again(
    world: World,
) -> None:
    world.send()
    world.lead(False)
    world.asked.answer()
    assert world.errors() == [[Error.NOT_COORDINATOR, Error.UNKNOWN_TOPIC_OR_PARTITION]]
    assert world.replicas.ends.get(PLACE, 0) == 0


def test_where_nothing_is_verified_old_clients_are_not_asked_about() -> None:
    world = World({"transaction.partition.verification.enable": "false"})
    world.asked.verdict = Error.PRODUCER_FENCED
    assert world.commit(4) == Error.NONE
    world.send(5)
    assert world.asked.answer(Error.PRODUCER_FENCED).adds
    assert world.errors() == [[Error.INVALID_PRODUCER_EPOCH, Error.UNKNOWN_TOPIC_OR_PARTITION]]


def test_a_fenced_epoch_is_refused_by_the_log(world: World) -> None:
    world.replicas.error = Error.INVALID_PRODUCER_EPOCH
    assert world.commit() == Error.INVALID_PRODUCER_EPOCH
    assert world.pending() == []


def test_the_member_for_which_a_producer_speaks_is_checked(world: World) -> None:
    member = world.member("me")
    who: dict[str, Any] = {
        "member_id": member.member_id,
        "generation_id": member.generation_id,
        "group_instance_id": "me",
    }
    assert world.commit(**who) == Error.NONE, "its rebalance is no hindrance"
    wrongs: list[tuple[dict[str, Any], Error]] = [
        ({"generation_id": member.generation_id - 1}, Error.ILLEGAL_GENERATION),
        ({"generation_id": -1}, Error.ILLEGAL_GENERATION),
        ({"member_id": "zombie"}, Error.FENCED_INSTANCE_ID),
        ({"member_id": "zombie", "group_instance_id": None}, Error.UNKNOWN_MEMBER_ID),
        ({"group_instance_id": "you"}, Error.UNKNOWN_MEMBER_ID),
    ]
    for wrong, error in wrongs:
        assert world.commit(**(who | wrong)) == error
    anonymous: dict[str, Any] = {"member_id": "", "generation_id": -1, "group_instance_id": None}
    assert world.commit(**anonymous) == Error.NONE
    elsewhere: dict[str, Any] = {**who, "group_instance_id": None, "group_id": "h"}
    assert world.commit(**elsewhere) == Error.ILLEGAL_GENERATION


def test_a_transactional_commit_does_not_keep_a_session_alive(world: World) -> None:
    member = world.member()
    who = {"member_id": member.member_id, "generation_id": member.generation_id}
    assert world.ask(Key.SYNC_GROUP, 4, group_id="g", **who).error_code == Error.NONE
    world.wait(6)
    assert world.commit(**who) == Error.NONE
    world.wait(6)
    assert world.commit(**who) == Error.UNKNOWN_MEMBER_ID


def test_readers_of_stable_offsets_wait_for_the_marker(world: World) -> None:
    world.commit()

    def fetched(stable: bool) -> tuple[int, Error]:
        topic = part(
            Key.OFFSET_FETCH, 7, "OffsetFetchRequestTopic", name="t", partition_indexes=(0,)
        )
        answer = world.ask(
            Key.OFFSET_FETCH, 7, group_id="g", topics=(topic,), require_stable=stable
        )
        (told,) = answer.topics[0].partitions
        return told.committed_offset, Error(told.error_code)

    assert fetched(stable=False) == (-1, Error.NONE)
    assert fetched(stable=True) == (-1, Error.UNSTABLE_OFFSET_COMMIT)
    world.groups.on_marker(PLACE, 7, world.replicas.ends[PLACE], True)
    assert fetched(stable=True) == (5, Error.NONE)
    world.commit()
    assert fetched(stable=False) == (5, Error.NONE)
    assert fetched(stable=True) == (-1, Error.UNSTABLE_OFFSET_COMMIT), "the one before is no answer"


def test_partitions_that_are_not_there_begin_no_transaction(world: World) -> None:
    places = part(KEY, 5, "TxnOffsetCommitRequestPartition", partition_index=9)
    world.send(
        topics=(part(KEY, 5, "TxnOffsetCommitRequestTopic", name="t", partitions=(places,)),)
    )
    assert world.errors() == [[Error.UNKNOWN_TOPIC_OR_PARTITION]]
    assert not world.asked.questions


def test_a_group_must_have_a_name(world: World) -> None:
    world.lead(False)
    world.send(group_id="")
    assert world.errors() == [[Error.INVALID_GROUP_ID, Error.UNKNOWN_TOPIC_OR_PARTITION]]
    assert not world.asked.questions
