"""ListOffsets, OffsetForLeaderEpoch, DeleteRecords, DescribeProducers."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.replica_world import NAME, Answer, World, offsets_listed
from tools.messages.entities import make, request_types

from spindle.model import metadata_records as r
from spindle.model.batches import Record
from spindle.model.errors import Error
from spindle.node.parts import SIZE
from spindle.wire.apis import Key
from spindle.wire.batch import build


def list_offsets(
    world: World, node: int, timestamp: int, version: int = 7, replica: int = -1, epoch: int = -1
) -> tuple[Error, int, int]:
    answer = offsets_listed(world.nodes[node], timestamp, version, replica, epoch)
    told = answer.entity.topics[0].partitions[0]
    return told.error_code, told.offset, told.timestamp


def send_at(world: World, *times: int) -> None:
    batch = build([Record(n, t, b"k", b"v") for n, t in enumerate(times)])
    assert world.produce(1, batch=batch).there


@pytest.fixture
def world() -> World:
    world = World()
    send_at(world, 100, 300)
    send_at(world, 200)
    return world


@pytest.mark.parametrize("version", range(1, 12))
def test_latest_and_earliest_in_every_version(world: World, version: int) -> None:
    assert list_offsets(world, 1, -1, version) == (Error.NONE, 3, -1)
    assert list_offsets(world, 1, -2, version) == (Error.NONE, 0, -1)


@pytest.mark.parametrize(
    ("timestamp", "expected"),
    [
        (0, (0, 100)),
        (100, (0, 100)),
        (101, (1, 300)),
        (300, (1, 300)),
        (301, (-1, -1)),
        (-3, (1, 300)),
        (-4, (0, -1)),
        (-5, (-1, -1)),
        (-6, (-1, -1)),
    ],
)
def test_by_timestamp(world: World, timestamp: int, expected: tuple[int, int]) -> None:
    assert list_offsets(world, 1, timestamp, 11) == (Error.NONE, *expected)


@pytest.mark.parametrize(("timestamp", "version"), [(-3, 6), (-4, 7), (-5, 8), (-6, 10), (-7, 11)])
def test_timestamps_of_later_versions_are_refused(
    world: World, timestamp: int, version: int
) -> None:
    assert list_offsets(world, 1, timestamp, version)[0] == Error.UNSUPPORTED_VERSION


def test_consumers_see_the_high_watermark_and_replicas_the_end(world: World) -> None:
    world.hung |= {2, 3}
    world.produce(1, b"x", acks=1)
    assert list_offsets(world, 1, -1)[1] == 3
    assert list_offsets(world, 1, -1, replica=2)[1] == 4
    assert list_offsets(world, 2, -1)[0] == Error.NOT_LEADER_OR_FOLLOWER
    assert list_offsets(world, 2, -1, replica=-2) == (Error.NONE, 4, -1)
    assert list_offsets(world, 1, -1, epoch=4)[0] == Error.UNKNOWN_LEADER_EPOCH


def test_a_new_leader_tells_no_offset_that_may_lie_below_what_was_seen(world: World) -> None:
    world.cut |= {(1, 2), (3, 2)}
    world.elect(2)
    machine = world.nodes[2].partition()
    assert machine.log.high_watermark < machine.role.epoch_start, (
        "it has not heard of the last mark"
    )
    assert list_offsets(world, 2, -1, epoch=1)[0] == Error.OFFSET_NOT_AVAILABLE
    assert list_offsets(world, 2, -1)[0] == Error.LEADER_NOT_AVAILABLE
    assert list_offsets(world, 2, -2)[0] == Error.NONE
    world.cut.clear()
    world.wait(40)
    assert list_offsets(world, 2, -1, epoch=1) == (Error.NONE, 3, -1)


def end_of(world: World, node: int, epoch: int, current: int = -1) -> tuple[Error, int, int]:
    types = request_types(Key.OFFSET_FOR_LEADER_EPOCH, 4)
    asked = make(
        types.OffsetForLeaderPartition,
        partition=0,
        leader_epoch=epoch,
        current_leader_epoch=current,
    )
    topic = make(types.OffsetForLeaderTopic, topic=NAME, partitions=(asked,))
    body = make(types.OffsetForLeaderEpochRequest, topics=(topic,))
    answer = world.nodes[node].call(Key.OFFSET_FOR_LEADER_EPOCH, 4, body)
    told = answer.entity.topics[0].partitions[0]
    return told.error_code, told.leader_epoch, told.end_offset


def test_ends_of_epochs(world: World) -> None:
    world.elect(2)
    world.elect(1)
    world.produce(1, b"x")
    assert end_of(world, 1, 0) == (Error.NONE, 0, 3)
    assert end_of(world, 1, 1) == (Error.NONE, 0, 3)
    assert end_of(world, 1, 2) == (Error.NONE, 2, 4)
    assert end_of(world, 1, 3) == (Error.NONE, -1, -1)
    assert end_of(world, 1, 0, current=1)[0] == Error.FENCED_LEADER_EPOCH
    assert end_of(world, 2, 0)[0] == Error.NOT_LEADER_OR_FOLLOWER


def delete(world: World, offset: int, partition: int = 0, timeout: int = 1000) -> Answer:
    types = request_types(Key.DELETE_RECORDS, 2)
    asked = make(types.DeleteRecordsPartition, partition_index=partition, offset=offset)
    topic = make(types.DeleteRecordsTopic, name=NAME, partitions=(asked,))
    body = make(types.DeleteRecordsRequest, topics=(topic,), timeout=timeout)
    return world.nodes[1].call(Key.DELETE_RECORDS, 2, body)


def deleted(answer: Answer) -> tuple[Any, int]:
    told = answer.entity.topics[0].partitions[0]
    return told.error_code, told.low_watermark


def test_records_are_deleted_on_all_replicas(world: World) -> None:
    answer = delete(world, 2, timeout=3000)
    world.wait(0.05)
    assert deleted(answer) == (Error.NONE, 2), "followers hear of it at once, and say so at once"
    assert [n.partition().log.start for n in world.nodes.values()] == [2, 2, 2]
    assert list_offsets(world, 1, -2)[1] == 2
    answer = delete(world, -1, timeout=3000)
    world.wait(0.05)
    assert deleted(answer) == (Error.NONE, 3)


def test_a_partition_that_is_named_twice_is_deleted_from_once(world: World) -> None:
    """As in Apache Kafka: the last offset counts, and there is one answer, without a wait."""
    types = request_types(Key.DELETE_RECORDS, 2)

    def topic(*offsets: int) -> Any:
        partitions = tuple(
            make(types.DeleteRecordsPartition, partition_index=0, offset=offset)
            for offset in offsets
        )
        return make(types.DeleteRecordsTopic, name=NAME, partitions=partitions)

    body = make(types.DeleteRecordsRequest, topics=(topic(3, 2), topic(1)), timeout=30_000)
    answer = world.nodes[1].call(Key.DELETE_RECORDS, 2, body)
    world.wait(0.05)
    assert deleted(answer) == (Error.NONE, 1)
    assert [len(told.partitions) for told in answer.entity.topics] == [1]
    assert [n.partition().log.start for n in world.nodes.values()] == [1, 1, 1]


def test_deletion_waits_for_the_followers_in_time(world: World) -> None:
    world.cut.add((2, 1))
    world.wait(0.6)
    answer = delete(world, 2, timeout=800)
    world.wait(0.7)
    assert not answer.there
    world.wait(0.2)
    assert deleted(answer) == (Error.REQUEST_TIMED_OUT, 0), "where the slowest replica begins"


@pytest.mark.spec("S-08")
def test_a_deletion_in_parts_waits_for_its_time_once() -> None:
    world = World(partitions=3)
    for partition in range(3):
        assert world.produce(1, b"v", b"w", partition=partition).there
    answer = delete_in_parts(world, 1)
    world.wait(0.05)
    assert [p.error_code for p in parts_of(answer)[::SIZE]] == [Error.NONE] * 3
    world.cut.add((2, 1))
    world.wait(0.6)
    answer = delete_in_parts(world, 2)
    world.wait(0.7)
    assert not answer.there
    assert [world.nodes[1].partition(n).log.start for n in range(3)] == [2, 2, 2], "all are begun"
    world.wait(0.2)
    told = parts_of(answer)
    assert [p.partition_index for p in told[::SIZE]] == [0, 1, 2]
    late = [p.partition_index for p in told if p.error_code is Error.REQUEST_TIMED_OUT]
    assert late == [0, 1, 2]
    assert len(told) == 3 * SIZE


def delete_in_parts(world: World, offset: int) -> Answer:
    """Delete from three partitions that come in a part each, among others that do not exist."""
    types = request_types(Key.DELETE_RECORDS, 2)
    asked = tuple(
        make(types.DeleteRecordsPartition, partition_index=number, offset=offset)
        for part in range(3)
        for number in (part, *range(1_000, 1_000 + SIZE - 1))
    )
    topic = make(types.DeleteRecordsTopic, name=NAME, partitions=asked)
    body = make(types.DeleteRecordsRequest, topics=(topic,), timeout=800)
    return world.nodes[1].call_in_parts(Key.DELETE_RECORDS, 2, body)


def parts_of(answer: Answer) -> Any:
    (topic,) = answer.entity.topics
    return topic.partitions


def test_a_timeout_of_nothing_does_not_beat_our_own_log() -> None:
    world = World(nodes=1)
    world.produce(1, b"a")
    world.produce(1, b"b")
    world.step()
    answer = delete(world, 1, timeout=0)
    world.wait(0.1)
    assert deleted(answer) == (Error.NONE, 1)


def test_a_timeout_of_nothing_does_not_wait_for_followers(world: World) -> None:
    answer = delete(world, 2, timeout=0)
    world.wait(0.05)
    assert deleted(answer) == (Error.REQUEST_TIMED_OUT, 0), "however soon they come"
    world.wait(2)
    assert [n.partition().log.start for n in world.nodes.values()] == [2, 2, 2]


def test_what_cannot_be_deleted(world: World) -> None:
    assert deleted(delete(world, 4))[0] == Error.OFFSET_OUT_OF_RANGE
    assert deleted(delete(world, -2))[0] == Error.OFFSET_OUT_OF_RANGE
    assert deleted(delete(world, 1, partition=7))[0] == Error.UNKNOWN_TOPIC_OR_PARTITION
    key, value = "cleanup.policy", "compact"
    world.apply(r.DynamicConfig(resource_type=2, resource_name=NAME, key=key, value=value))
    assert deleted(delete(world, 1))[0] == Error.POLICY_VIOLATION


def test_producers_are_described(world: World) -> None:
    world.produce(1, b"x", producer_id=9, producer_epoch=2, base_sequence=0)
    types = request_types(Key.DESCRIBE_PRODUCERS, 0)
    topic = make(types.TopicRequest, name=NAME, partition_indexes=(0, 5))
    body = make(types.DescribeProducersRequest, topics=(topic,))
    answer = world.nodes[1].call(Key.DESCRIBE_PRODUCERS, 0, body)
    there, missing = answer.entity.topics[0].partitions
    (producer,) = there.active_producers
    assert (producer.producer_id, producer.producer_epoch, producer.last_sequence) == (9, 2, 0)
    assert missing.error_code == Error.UNKNOWN_TOPIC_OR_PARTITION
