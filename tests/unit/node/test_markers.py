"""Endings on their way to the leaders of their partitions: which is asked, and until when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.broker_context import context
from tests.support.cluster_image import add_topic, three_brokers, topic_id
from tools.messages.entities import make, response_types

from spindle.core.transactions.transaction_values import Ending, ProducerIdAndEpoch
from spindle.model import metadata_records as r
from spindle.model.errors import Error, PeerFailed
from spindle.model.feature_rules import METADATA_VERSION
from spindle.model.ids import NO_LEADER, TopicPartition, VersionRange
from spindle.node.transactions.markers import ENDINGS_MAX, RETRY, Markers, Sending
from spindle.wire.apis import Key

T0, T1, T2 = (TopicPartition("t", n) for n in range(3))
U0 = TopicPartition("u", 0)


class World:
    """Broker 1 sends. It leads t-2 itself, 2 leads t-0 and u-0, 3 leads t-1."""

    def __init__(self) -> None:
        self.image = three_brokers()
        add_topic(self.image, "t", (2, 3), (3, 2), (1, 2))
        add_topic(self.image, "u", (2, 1))
        ground = context(image=self.image)
        self.out = ground.out
        peers: Any = SimpleNamespace(ask=self._ask)
        ground.peers = peers
        self.asked: list[tuple[int, Any, Callable[[Any], None]]] = []
        self.versions: list[int] = []
        self.local: list[tuple[TopicPartition, Callable[[Error], None]]] = []
        marking: Any = SimpleNamespace(write=lambda p, e, then: self.local.append((p, then)))
        self.markers = Markers(ground, marking)

    def _ask(
        self, host: str, port: int, channel: str, body: Any, version: int, then: Any, wait: float
    ) -> None:
        self.versions.append(version)
        self.asked.append((port - 9000, body, then))

    def send(self, *partitions: TopicPartition, pid: int = 7) -> tuple[Sending, list[Error]]:
        """An ending; its outcome, once there is one."""
        told: list[Error] = []
        ending = Ending(
            transactional_id=f"x{pid}",
            producer=ProducerIdAndEpoch(pid, 4),
            committed=True,
            coordinator_epoch=9,
            partitions=partitions,
            version=2,
        )
        sending = self.markers.send(ending, told.append)
        self.wait(0)
        return sending, told

    def questions(self) -> list[tuple[int, dict[int, list[TopicPartition]]]]:
        """What is asked at this moment: broker -> producer id -> partitions."""
        return [
            (
                node,
                {
                    marker.producer_id: [
                        TopicPartition(topic.name, n)
                        for topic in marker.topics
                        for n in topic.partition_indexes
                    ]
                    for marker in body.markers
                },
            )
            for node, body, _ in self.asked
        ]

    def answer(self, *errors: Error, omit: int = 0) -> None:
        """Answer the oldest question, with one error for each partition, or NONE for all."""
        _, body, then = self.asked.pop(0)
        types = response_types(Key.WRITE_TXN_MARKERS, 1)
        left = list(errors)
        markers = []
        for marker in body.markers:
            topics = []
            for topic in marker.topics:
                told = [
                    make(
                        types.WritableTxnMarkerPartitionResult,
                        partition_index=n,
                        error_code=left.pop(0) if left else Error.NONE,
                    )
                    for n in topic.partition_indexes
                ]
                partitions = tuple(told[omit:])
                topics.append(
                    make(types.WritableTxnMarkerTopicResult, name=topic.name, partitions=partitions)
                )
            markers.append(
                make(
                    types.WritableTxnMarkerResult,
                    producer_id=marker.producer_id,
                    topics=tuple(topics),
                )
            )
        then(make(types.WriteTxnMarkersResponse, markers=tuple(markers)))
        self.wait(0)

    def lead(self, partition: TopicPartition, leader: int) -> None:
        change = r.PartitionChange(
            partition_id=partition.partition, topic_id=topic_id(partition.topic), leader=leader
        )
        self.image.apply(change)

    def wait(self, seconds: float) -> None:
        end = self.out.now + seconds
        while (at := self.out.wake_at) is not None and at <= end:
            self.out.now = max(at, self.out.now)
            self.out.tick()
        self.out.now = end


@pytest.fixture
def world() -> World:
    return World()


def test_each_leader_is_asked_once_for_all_its_partitions(world: World) -> None:
    _, told = world.send(T0, T1, U0)
    assert world.questions() == [(2, {7: [T0, U0]}), (3, {7: [T1]})]
    (marker,) = world.asked[0][1].markers
    assert (marker.producer_epoch, marker.coordinator_epoch) == (4, 9)
    assert (marker.transaction_result, marker.transaction_version) == (True, 2)
    world.answer()
    assert told == []
    world.answer()
    assert told == [Error.NONE]
    assert len(world.markers) == 0
    world.wait(60)
    assert world.asked == []


def test_older_brokers_are_asked_in_version_one_whatever_the_clusters_level(world: World) -> None:
    for broker, highest in ((2, 29), (3, 30)):
        features = ((METADATA_VERSION, VersionRange(7, highest)),)
        world.image.apply(replace(world.image.brokers[broker], features=features))
    world.image.apply(r.FeatureLevel(name=METADATA_VERSION, level=29))
    world.send(T0, T1)
    assert world.versions == [1, 2]


def test_without_a_partition_there_is_nothing_to_wait_for(world: World) -> None:
    _, told = world.send()
    assert told == [Error.NONE]
    assert world.asked == []


def test_what_we_lead_is_written_here(world: World) -> None:
    _, told = world.send(T2, T1)
    world.answer()
    ((where, then),) = world.local
    assert (where, told) == (T2, [])
    then(Error.NOT_ENOUGH_REPLICAS)
    world.wait(RETRY)
    (_, (where, then)) = world.local
    assert where == T2
    then(Error.NONE)
    assert told == [Error.NONE]


@pytest.mark.parametrize(
    "error",
    [
        Error.NOT_LEADER_OR_FOLLOWER,
        Error.UNKNOWN_TOPIC_OR_PARTITION,
        Error.NOT_ENOUGH_REPLICAS,
        Error.KAFKA_STORAGE_ERROR,
        Error.REQUEST_TIMED_OUT,
        Error.COORDINATOR_LOAD_IN_PROGRESS,
    ],
)
def test_what_cannot_be_written_now_is_sent_again_and_nothing_else(
    world: World, error: Error
) -> None:
    _, told = world.send(T0, U0)
    world.answer(Error.NONE, error)
    world.wait(RETRY)
    assert world.questions() == [(2, {7: [U0]})]
    world.answer()
    assert told == [Error.NONE]


def test_a_lost_answer_and_one_that_lacks_a_partition_are_asked_for_again(world: World) -> None:
    _, told = world.send(T0)
    world.asked.pop(0)[2](PeerFailed("closed"))
    world.wait(RETRY)
    assert world.questions() == [(2, {7: [T0]})]
    world.answer(omit=1)
    assert told == []
    world.wait(RETRY)
    world.answer()
    assert told == [Error.NONE]


def test_a_leader_that_cannot_be_reached_is_not_asked_again_at_once(world: World) -> None:
    world.send(T0)
    world.send(U0, pid=8)
    world.asked.pop(0)[2](PeerFailed("refused"))
    world.wait(0)
    assert world.questions() == [(2, {8: [U0]})], "the other one has not failed"
    world.asked.pop(0)[2](PeerFailed("refused"))
    world.wait(RETRY / 2)
    assert world.asked == []
    world.wait(RETRY / 2)
    assert world.questions() == [(2, {7: [T0], 8: [U0]})]


@pytest.mark.parametrize(
    "error", [Error.INVALID_PRODUCER_EPOCH, Error.TRANSACTION_COORDINATOR_FENCED]
)
def test_a_younger_coordinator_ends_the_sending(world: World, error: Error) -> None:
    _, told = world.send(T0, T1)
    world.answer(error)
    assert told == [error]
    world.answer(Error.NOT_LEADER_OR_FOLLOWER)
    world.wait(60)
    assert (told, world.asked) == ([error], [])
    assert len(world.markers) == 0


def test_a_partition_without_a_leader_waits_for_one(world: World) -> None:
    world.lead(T0, NO_LEADER)
    _, told = world.send(T0)
    world.wait(10)
    assert world.asked == []
    world.lead(T0, 3)
    world.wait(RETRY)
    assert world.questions() == [(3, {7: [T0]})]
    world.answer()
    assert told == [Error.NONE]


def test_a_new_leader_is_asked_where_the_old_one_refused(world: World) -> None:
    world.send(T0)
    world.lead(T0, 3)
    world.answer(Error.NOT_LEADER_OR_FOLLOWER)
    world.wait(RETRY)
    assert world.questions() == [(3, {7: [T0]})]


def test_a_deleted_partition_needs_no_marker(world: World) -> None:
    _, told = world.send(T0, U0)
    world.image.apply(r.RemoveTopic(topic_id=topic_id("u")))
    world.answer(Error.NONE, Error.UNKNOWN_TOPIC_OR_PARTITION)
    world.wait(RETRY)
    assert (told, world.asked) == ([Error.NONE], [])


def test_one_request_at_a_time_goes_to_a_broker(world: World) -> None:
    outcomes = [world.send(T0, pid=pid)[1] for pid in range(ENDINGS_MAX + 2)]
    assert world.questions() == [(2, {0: [T0]})]
    world.answer()
    ((_, asked),) = world.questions()
    assert list(asked) == list(range(1, ENDINGS_MAX + 1))
    world.answer()
    ((_, asked),) = world.questions()
    assert list(asked) == [ENDINGS_MAX + 1]
    world.answer()
    assert outcomes == [[Error.NONE]] * (ENDINGS_MAX + 2)


def test_what_another_coordinator_has_to_send_is_dropped(world: World) -> None:
    sending, told = world.send(T0, T1, T2)
    world.markers.drop(sending)
    world.answer()
    world.answer(Error.NOT_ENOUGH_REPLICAS)
    world.local.pop()[1](Error.NONE)
    world.wait(60)
    assert (told, world.asked, world.local) == ([], [], [])
