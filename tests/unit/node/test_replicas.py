"""Replicas of three brokers over real logs: produce, fetch, follow, fail over."""

from __future__ import annotations

import errno
from typing import Any

import pytest
from tests.support.replica_world import (
    NAME,
    TOPIC,
    Answer,
    World,
    everywhere,
    fetched,
    produced,
    values_of,
)

from spindle.model import metadata_records as r
from spindle.model.batches import CONTROL, LOG_APPEND_TIME, TRANSACTIONAL, Record
from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.node.replicas.successors import WAIT
from spindle.wire.batch import build

ID = PartitionId(TOPIC, 0)


def test_a_record_is_produced_replicated_and_consumed() -> None:
    world = World()
    told = produced(world.produce(1, b"one", b"two"))
    assert (told.error_code, told.base_offset, told.log_start_offset) == (Error.NONE, 0, 0)
    assert everywhere(world, b"one", b"two")
    got = fetched(world.fetch(1))
    assert values_of(got) == [b"one", b"two"]
    assert (got.high_watermark, got.log_start_offset) == (2, 0)
    assert produced(world.produce(1, b"three")).base_offset == 2


@pytest.mark.parametrize("version", range(3, 14))
def test_every_version_of_produce_is_served(version: int) -> None:
    world = World(nodes=1)
    told = produced(world.produce(1, b"x", version=version))
    assert (told.error_code, told.base_offset) == (Error.NONE, 0)


@pytest.mark.parametrize("version", range(4, 19))
def test_every_version_of_fetch_is_served(version: int) -> None:
    world = World(nodes=1)
    world.produce(1, b"x")
    assert values_of(fetched(world.fetch(1, version=version))) == [b"x"]
    assert fetched(world.fetch(1, 9, version=version)).error_code == Error.OFFSET_OUT_OF_RANGE


def test_acks_all_waits_for_the_followers_and_acks_one_does_not() -> None:
    world = World()
    world.hung |= {2, 3}
    one, every = world.produce(1, b"a", acks=1), world.produce(1, b"b")
    assert one.there
    assert not every.there
    assert values_of(fetched(world.fetch(1))) == []
    world.hung.clear()
    world.step()
    assert produced(every).error_code == Error.NONE
    assert values_of(fetched(world.fetch(1))) == [b"a", b"b"]


def test_acks_zero_has_no_answer_and_an_error_ends_the_connection() -> None:
    world = World()
    assert world.produce(1, b"a", acks=0).frames == [[]]
    world.step()
    assert everywhere(world, b"a")
    node = world.nodes[2]
    node.out.take()
    body = world.produce(2, b"a", acks=0)
    assert body.frames == [[]]
    assert world.closed == [(2, 1)]


def test_produce_is_timed_out_when_followers_do_not_keep_up() -> None:
    world = World()
    world.hung |= {2, 3}
    answer = world.produce(1, b"a", timeout=500)
    world.wait(0.4)
    assert not answer.there
    world.wait(0.2)
    assert produced(answer).error_code == Error.REQUEST_TIMED_OUT


def refusals() -> dict[str, tuple[Error, dict[str, Any]]]:
    good = build([Record(0, 1, b"k", b"v")])
    data = bytearray(good.data)
    data[-1] ^= 1
    broken = build([Record(0, 1, b"k", b"v")])
    broken.data = bytes(data)
    two = build([Record(0, 1, b"k", b"v")])
    two.data = bytes(good.data) * 2
    empty = build([Record(0, 1, b"k", b"v")])
    empty.data = b""
    old = build([Record(0, 1, b"k", b"v")])
    old.data = bytes(good.data[:16]) + b"\1" + bytes(good.data[17:])
    cut = build([Record(0, 1, b"k", b"v")])
    cut.data = bytes(good.data[:-1])
    return {
        "acks": (Error.INVALID_REQUIRED_ACKS, {"acks": 2}),
        "partition": (Error.UNKNOWN_TOPIC_OR_PARTITION, {"partition": 9}),
        "crc": (Error.CORRUPT_MESSAGE, {"batch": broken}),
        "two batches": (Error.INVALID_RECORD, {"batch": two}),
        "no batch": (Error.INVALID_RECORD, {"batch": empty}),
        "old format": (Error.INVALID_RECORD, {"batch": old}),
        "cut short": (Error.INVALID_RECORD, {"batch": cut}),
        "base offset": (
            Error.INVALID_RECORD,
            {"batch": build([Record(1, 1, b"k", b"v")], base_offset=1)},
        ),
        "unknown codec": (Error.UNKNOWN_SERVER_ERROR, {"attributes": 5}),
        "control": (Error.INVALID_RECORD, {"attributes": CONTROL}),
        "gaps": (Error.INVALID_RECORD, {"last_offset_delta": 5}),
        "transaction": (
            Error.INVALID_REQUEST,  # It names no transactional id.
            {
                "attributes": TRANSACTIONAL,
                "producer_id": 1,
                "producer_epoch": 0,
                "base_sequence": 0,
            },
        ),
        "no sequence": (Error.INVALID_RECORD, {"producer_id": 1, "producer_epoch": 0}),
        "zstd in 6": (Error.UNSUPPORTED_COMPRESSION_TYPE, {"attributes": 4, "version": 6}),
    }


@pytest.mark.parametrize("case", refusals())
def test_what_must_not_be_appended_is_refused(case: str) -> None:
    error, fields = refusals()[case]
    world = World(nodes=1)
    assert produced(world.produce(1, b"v", **fields)).error_code == error
    assert world.nodes[1].values() == []
    assert produced(world.produce(1, b"good")).base_offset == 0


def test_topic_settings_bind_appends() -> None:
    world = World(nodes=1)
    for key, value in (
        ("max.message.bytes", "100"),
        ("message.timestamp.type", "LogAppendTime"),
        ("cleanup.policy", "compact"),
    ):
        world.apply(r.DynamicConfig(resource_type=2, resource_name=NAME, key=key, value=value))
    assert produced(world.produce(1, b"x" * 100)).error_code == Error.MESSAGE_TOO_LARGE
    bare = build([Record(0, 1, None, b"v")])
    assert produced(world.produce(1, batch=bare)).error_code == Error.INVALID_RECORD
    who: dict[str, Any] = {"producer_id": 5, "producer_epoch": 0, "base_sequence": 0}
    timed = produced(world.produce(1, b"v", attributes=LOG_APPEND_TIME, **who))
    assert timed.error_code == Error.INVALID_TIMESTAMP
    told = produced(world.produce(1, b"v", **who))
    assert told.error_code == Error.NONE
    assert int(told.log_append_time.timestamp()) == int(world.now)
    world.wait(5)
    again = produced(world.produce(1, b"v", **who))
    assert (again.base_offset, again.log_append_time) == (0, told.log_append_time)


def test_idempotent_producers_are_answered_with_their_old_offsets() -> None:
    world = World()

    def send(sequence: int, epoch: int = 0, count: int = 1) -> tuple[Error, int]:
        told = produced(
            world.produce(
                1,
                *[b"v"] * count,
                producer_id=5,
                producer_epoch=epoch,
                base_sequence=sequence,
            )
        )
        return told.error_code, told.base_offset

    assert [send(n) for n in range(6)] == [(Error.NONE, n) for n in range(6)]
    assert [send(n) for n in range(1, 6)] == [(Error.NONE, n) for n in range(1, 6)]
    assert send(8) == (Error.OUT_OF_ORDER_SEQUENCE_NUMBER, -1)
    assert send(0, epoch=1) == (Error.NONE, 6)
    assert send(6) == (Error.INVALID_PRODUCER_EPOCH, -1)
    assert send(3, epoch=2) == (Error.OUT_OF_ORDER_SEQUENCE_NUMBER, -1)
    world.elect(2)
    told = produced(world.produce(2, b"v", producer_id=5, producer_epoch=1, base_sequence=0))
    assert (told.error_code, told.base_offset) == (Error.NONE, 6), "the new leader knows as well"


def test_a_voter_that_is_not_the_leader_names_the_leader() -> None:
    world = World()
    answer = world.produce(2, b"v")
    told = produced(answer)
    assert told.error_code == Error.NOT_LEADER_OR_FOLLOWER
    assert (told.current_leader.leader_id, told.current_leader.leader_epoch) == (1, 0)
    assert [(e.node_id, e.port) for e in answer.entity.node_endpoints] == [(1, 9001)]
    got = fetched(world.fetch(2, version=10))
    assert got.error_code == Error.NOT_LEADER_OR_FOLLOWER
    answer = world.fetch(1, version=16, current_leader_epoch=3)
    assert fetched(answer).error_code == Error.UNKNOWN_LEADER_EPOCH
    world.elect(2)
    answer = world.fetch(1, version=16, current_leader_epoch=0)
    assert fetched(answer).error_code == Error.FENCED_LEADER_EPOCH
    assert fetched(answer).current_leader.leader_id == 2
    assert answer.entity.node_endpoints[0].port == 9002


def test_too_few_replicas_in_sync() -> None:
    world = World()
    world.apply(
        r.DynamicConfig(resource_type=2, resource_name=NAME, key="min.insync.replicas", value="2")
    )
    world.hung |= {2, 3}
    late = world.produce(1, b"after", timeout=2000)
    world.fence(2, 3)
    assert produced(world.produce(1, b"no")).error_code == Error.NOT_ENOUGH_REPLICAS
    assert produced(world.produce(1, b"one", acks=1)).error_code == Error.NONE
    assert world.nodes[1].partition().log.high_watermark == 0, "nothing is committed below min ISR"
    world.wait(2.1)
    assert produced(late).error_code == Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    world.hung.clear()
    world.unfence(2, 3)
    world.wait(1)
    assert set(world.state().isr) == {1, 2, 3}
    assert everywhere(world, b"after", b"one")
    assert world.nodes[1].partition().log.high_watermark == 2


def test_long_poll_waits_for_enough_bytes() -> None:
    world = World()
    poll = world.fetch(1, max_wait=1000)
    heavy = world.fetch(1, max_wait=1000, min_bytes=400)
    assert not poll.there
    assert not heavy.there
    world.produce(1, b"x")
    assert values_of(fetched(poll)) == [b"x"]
    assert not heavy.there
    for _ in range(6):
        world.produce(1, b"y")
    assert len(values_of(fetched(heavy))) in (6, 7)
    late = world.fetch(1, 7, max_wait=300)
    world.wait(0.2)
    assert not late.there
    world.wait(0.2)
    assert values_of(fetched(late)) == []
    assert len(world.nodes[1].replicas.purgatory) <= 2, "only the followers' polls are parked"


def test_a_leader_change_wakes_polls_and_disappoints_produces() -> None:
    world = World()
    world.hung |= {2, 3}
    poll = world.fetch(1, max_wait=10_000)
    answer = world.produce(1, b"lost?", timeout=10_000)
    world.elect(2)
    assert produced(answer).error_code == Error.NOT_LEADER_OR_FOLLOWER
    assert poll.there


def idempotent(world: World, sequence: int) -> Answer:
    """One record of producer 7, in its place of the producer's sequence."""
    return world.produce(
        1, b"%d" % sequence, timeout=10_000, producer_id=7, producer_epoch=0, base_sequence=sequence
    )


def test_the_last_replica_in_sync_acknowledges_what_it_writes_while_it_gives_up_leading() -> None:
    """Several batches under way, all refused and yet written, would end an idempotent producer.

    Its log knows the last batch of each producer alone after a restart, and takes a repeated first
    one for a hole in the sequence.
    """
    world = World()
    world.fence(2, 3)
    assert produced(idempotent(world, 0)).error_code == Error.NONE
    world.hung.add(1)
    under_way = [idempotent(world, n) for n in (1, 2, 3)]
    world.elect(-1, (1,))
    assert not any(answer.there for answer in under_way)
    refused = produced(idempotent(world, 4))
    assert refused.error_code == Error.NOT_LEADER_OR_FOLLOWER
    world.hung.clear()
    world.step()
    assert [produced(answer).error_code for answer in under_way] == [Error.NONE] * 3
    assert world.nodes[1].values() == [b"0", b"1", b"2", b"3"]
    assert world.nodes[1].partition().log.high_watermark == 4


def test_what_is_under_way_is_refused_once_another_leads_or_may() -> None:
    world = World()
    world.hung.add(1)
    shared = idempotent(world, 0)
    world.elect(-1, (1, 2, 3))
    assert produced(shared).error_code == Error.NOT_LEADER_OR_FOLLOWER
    world = World()
    world.fence(2, 3)
    world.hung.add(1)
    alone = idempotent(world, 0)
    world.elect(-1, (1,))
    assert not alone.there
    world.elect(2, (2,))  # An unclean election.
    assert produced(alone).error_code == Error.NOT_LEADER_OR_FOLLOWER


def test_first_batch_comes_whole_and_limits_hold() -> None:
    world = World(nodes=1)
    for n in range(5):
        world.produce(1, bytes([n]) * 500)
    assert len(values_of(fetched(world.fetch(1, max_bytes=10)))) == 1
    assert len(values_of(fetched(world.fetch(1, max_bytes=1300)))) == 2
    node = world.nodes[1]
    node.replicas.partitions.hosted[ID].tail.clear()
    assert len(values_of(fetched(world.fetch(1, max_bytes=10)))) == 1
    assert len(values_of(fetched(world.fetch(1, max_bytes=1300)))) == 2
    assert values_of(fetched(world.fetch(1, 3))) == [bytes([3]) * 500, bytes([4]) * 500]


def test_unacknowledged_records_of_an_old_leader_are_cut() -> None:
    world = World()
    world.produce(1, b"kept")
    world.cut |= {(2, 1), (3, 1)}
    world.wait(1)
    answer = world.produce(1, b"not replicated", timeout=60_000)
    assert not answer.there
    world.cut.clear()
    world.down.add(1)
    world.elect(2, (2, 3))
    world.produce(2, b"instead")
    world.down.discard(1)
    node = world.nodes[1]
    node.boot()
    node.host()
    world.wait(2)
    assert everywhere(world, b"kept", b"instead")
    assert set(world.state().isr) == {1, 2, 3}


def test_a_slow_follower_leaves_the_isr_and_comes_back() -> None:
    world = World(settings={"replica.lag.time.max.ms": "3000"})
    world.cut.add((2, 1))
    world.wait(1)
    answer = world.produce(1, b"a", timeout=60_000)
    world.wait(2)
    assert not answer.there
    world.wait(4)
    assert set(world.state().isr) == {1, 3}
    assert produced(answer).error_code == Error.NONE
    world.cut.clear()
    world.wait(60)
    assert set(world.state().isr) == {1, 2, 3}
    assert everywhere(world, b"a")


@pytest.mark.spec("B-01")
def test_b01_a_dead_disk_of_a_follower_does_not_hold_back_acks_all() -> None:
    world = World()
    world.produce(1, b"before")
    world.hung.add(2)  # The disk hangs: the follower stays silent from now on.
    answer = world.produce(1, b"during", timeout=30_000)
    assert not answer.there
    world.lose_directory(2)  # The controller has heard of it, and says so.
    assert produced(answer).error_code == Error.NONE, "released at once, without a new append"
    assert world.produce(1, b"after").there


@pytest.mark.spec("B-01")
def test_b01_a_refused_replica_with_a_dead_disk_is_not_waited_for() -> None:
    world = World()
    world.produce(1, b"before")
    world.lose_directory(2)
    world.hung.add(2)
    assert world.produce(1, b"during", timeout=30_000).there
    world.wait(40)
    assert set(world.state().isr) == {1, 3}


@pytest.mark.spec("K858-10")
def test_k858_10_a_failed_disk_stops_its_replicas_and_no_others() -> None:
    world = World(partitions=2)
    node = world.nodes[1]
    other = "/disk-1b"
    node.add_directory(other)
    node.host(1, other)
    world.step()
    poll = world.fetch(1, max_wait=10_000)
    node.disk.fail("/disk-1/", errno.EIO)
    answer = world.produce(1, b"x", timeout=10_000)
    world.wait(WAIT + 0.01)  # No controller names another leader.
    assert produced(answer).error_code == Error.KAFKA_STORAGE_ERROR
    assert fetched(poll).error_code == Error.KAFKA_STORAGE_ERROR
    assert fetched(world.fetch(1)).error_code == Error.KAFKA_STORAGE_ERROR
    assert produced(world.produce(1, b"y")).error_code == Error.KAFKA_STORAGE_ERROR
    assert [f.errno for f in node.logs.disk_failures] == [errno.EIO]
    assert node.replicas.partitions.bounds(ID) is None
    assert produced(world.produce(1, b"z", partition=1)).error_code == Error.NONE


@pytest.mark.spec("K589-04")
def test_a_replica_that_was_away_for_a_moment_keeps_what_readers_have_seen_as_committed() -> None:
    world = World()
    assert produced(world.produce(1, b"x", timeout=10_000)).error_code == Error.NONE
    leader = world.nodes[1]
    assert leader.partition().log.high_watermark == 1
    leader.replicas.on_replica_failed(ID, Error.KAFKA_STORAGE_ERROR)
    leader.host()  # Its checkpoint of the high watermark is older than what was read.
    assert leader.partition().leads
    assert leader.partition().log.high_watermark == 1


def test_jobs_wait_while_a_log_changes_its_directory() -> None:
    world = World()
    node = world.nodes[1]
    still: list[bool] = []
    node.replicas.freeze(ID, lambda: still.append(True))
    assert still == [True]
    answer = world.produce(1, b"x")
    node.replicas.partitions.hosted[ID].tail.clear()
    assert not answer.there
    assert node.values() == []
    node.replicas.thaw(ID, node.path, None)
    world.step()
    assert produced(answer).error_code == Error.NONE
    assert everywhere(world, b"x")


def test_freezing_waits_for_writes_under_way() -> None:
    world = World(nodes=1)
    world.hung.add(1)
    still: list[bool] = []
    answer = world.produce(1, b"x")
    world.nodes[1].replicas.freeze(ID, lambda: still.append(True))
    assert not still
    world.hung.clear()
    world.step()
    assert still == [True]
    assert answer.there


def test_a_deleted_topic_is_unknown_to_waiting_requests() -> None:
    world = World(nodes=1)
    poll = world.fetch(1, max_wait=10_000)
    node = world.nodes[1]
    node.image.apply(r.RemoveTopic(topic_id=TOPIC))
    node.replicas.on_log_gone(ID)
    node.replicas.on_metadata(node.image.take_delta())
    world.step()
    assert fetched(poll).error_code == Error.UNKNOWN_TOPIC_ID
    told = produced(world.produce(1, b"x", version=9))
    assert told.error_code == Error.UNKNOWN_TOPIC_OR_PARTITION


def test_a_replica_that_never_had_a_log_is_offline() -> None:
    world = World(nodes=1, partitions=2)
    node = world.nodes[1]
    id = PartitionId(TOPIC, 1)
    node.replicas.on_log_gone(id)
    node.replicas.on_replica_failed(id, Error.KAFKA_STORAGE_ERROR)
    told = produced(world.produce(1, b"x", partition=1))
    assert told.error_code == Error.KAFKA_STORAGE_ERROR
    node.host(1)
    assert produced(world.produce(1, b"x", partition=1)).error_code == Error.NONE


def test_coordinators_append_and_read() -> None:
    world = World()
    node = world.nodes[1]
    got: list[Any] = []
    pairs = [Record(0, 0, b"k", b"1"), Record(0, 0, b"k", None)]
    world.hung |= {2, 3}
    node.replicas.append(ID, pairs, got.append)
    world.step()
    assert got == []
    world.hung.clear()
    world.step()
    assert got == [0]
    read: list[Any] = []
    node.replicas.read(ID, 0, 1 << 20, read.append)
    world.step()
    assert [result.end for result in read] == [2]
    world.nodes[2].replicas.append(ID, pairs, got.append)
    assert got == [0, Error.NOT_LEADER_OR_FOLLOWER]
    heard: list[tuple[PartitionId, bool]] = []
    node.replicas.listeners.append(lambda id, leads: heard.append((id, leads)))
    world.elect(2)
    world.elect(1)
    assert heard == [(ID, False), (ID, True)]
