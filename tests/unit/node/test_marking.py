"""Markers at a partition's leader: when they count, which are refused, what readers then see."""

from __future__ import annotations

import pytest
from tests.support.replica_parts import fetched
from tests.support.replica_world import NAME, produced, values_of
from tests.support.transactional import ID, TransactionalWorld
from tools.messages.entities import make, request_types

from spindle.core.transactions.transaction_values import EPOCH_MAX
from spindle.model.errors import Error
from spindle.node.replicas.replica_manager import PRODUCER_SWEEP
from spindle.wire.apis import Key


@pytest.fixture
def world() -> TransactionalWorld:
    return TransactionalWorld()


def write(world: TransactionalWorld, value: bytes, sequence: int = 0, epoch: int = 0) -> None:
    """A batch that its coordinator lets in, where it must be asked."""
    answer = world.write(value, sequence, epoch)
    if world.asked.questions:
        world.asked.answer()
        world.step()
    assert produced(answer).error_code == Error.NONE


def cut_off(world: TransactionalWorld, *followers: int) -> None:
    """Nothing of these reaches their leader any more."""
    world.cut |= {(follower, 1) for follower in followers}
    world.close_connection(1)
    world.step()


def test_a_marker_counts_once_all_in_sync_replicas_have_it(world: TransactionalWorld) -> None:
    write(world, b"a")
    cut_off(world, 2, 3)
    told = world.mark(1)
    assert told == []
    assert world.committed_values() == []
    assert world.decided == []
    world.cut.clear()
    world.wait(60)
    assert told == [Error.NONE]
    assert world.committed_values() == [b"a"]
    assert world.decided == [(ID, 7, 1, True)]


def test_a_marker_that_comes_again_waits_as_the_first_one_does(world: TransactionalWorld) -> None:
    write(world, b"a")
    cut_off(world, 2, 3)
    first, second = world.mark(1), world.mark(1)
    assert (first, second) == ([], [])
    world.cut.clear()
    world.wait(60)
    assert (first, second) == ([Error.NONE], [Error.NONE])
    assert world.mark(1) == [Error.NONE], "nothing is left to wait for"


def test_what_was_aborted_is_not_read_though_the_leader_dies_with_its_marker(
    world: TransactionalWorld,
) -> None:
    write(world, b"aborted")
    cut_off(world, 2, 3)
    told = [world.mark(1, committed=False), world.mark(1, committed=False)]
    world.down.add(1)
    world.cut.clear()
    world.elect(2, (2, 3))
    world.wait(1)
    assert told == [[], []], "the coordinator goes on sending"
    assert 7 in world.nodes[2].partition().log.transactions.open
    assert world.mark(1, committed=False, node=2) == [Error.NONE]
    later = world.write(b"later", 0, 1, node=2)
    world.asked.answer()
    world.step()
    assert produced(later).error_code == Error.NONE
    assert world.mark(2, node=2) == [Error.NONE]
    assert world.committed_values(2) == [b"later"]


def test_a_marker_is_refused_as_its_leader_goes(world: TransactionalWorld) -> None:
    write(world, b"a")
    cut_off(world, 2, 3)
    told = world.mark(1)
    world.elect(2, (2, 3))
    assert told == [Error.NOT_LEADER_OR_FOLLOWER]
    assert world.mark(1) == [Error.NOT_LEADER_OR_FOLLOWER]
    assert world.decided == []


def test_coordinators_hear_of_each_younger_epoch(world: TransactionalWorld) -> None:
    """Another broker may have led, and coordinated, between two looks at the metadata."""
    heard: list[bool] = []
    world.nodes[1].replicas.listeners.append(lambda id, leads: heard.append(leads))
    world.change(isr=(1, 2))
    assert heard == []
    world.elect(1)
    assert heard == [True]
    world.elect(2)
    assert heard == [True, False]


def test_too_few_replicas_in_sync_take_no_marker() -> None:
    world = TransactionalWorld(**{"min.insync.replicas": "2"})
    write(world, b"a")
    world.fence(2, 3)
    assert world.mark(1) == [Error.NOT_ENOUGH_REPLICAS]
    assert 7 in world.nodes[1].partition().log.transactions.open


def test_a_full_disk_takes_no_marker(world: TransactionalWorld) -> None:
    write(world, b"a")
    world.nodes[1].replicas.partitions.hosted[ID].full = True
    assert world.mark(1) == [Error.KAFKA_STORAGE_ERROR]
    assert 7 in world.nodes[1].partition().log.transactions.open


def test_a_fenced_coordinator_ends_nothing(world: TransactionalWorld) -> None:
    write(world, b"a")
    assert world.mark(1, coordinator=5) == [Error.NONE]
    write(world, b"b", epoch=1)
    assert world.mark(2, False, coordinator=4) == [Error.TRANSACTION_COORDINATOR_FENCED]
    assert world.committed_values() == [b"a"]
    assert world.mark(2, coordinator=5) == [Error.NONE]
    assert world.committed_values() == [b"a", b"b"]


@pytest.mark.parametrize("version", [0, 1])
def test_transactions_of_one_epoch_end_one_after_the_other(
    world: TransactionalWorld, version: int
) -> None:
    """Before transaction.version 2 a marker has the epoch of the records that it ends."""
    for n, committed in enumerate((True, False, True)):
        write(world, b"%d" % n, sequence=n)
        assert world.mark(0, committed, version=version) == [Error.NONE]
    assert world.committed_values() == [b"0", b"2"]
    write(world, b"3", sequence=3)
    assert world.mark(-1, version=version) == [Error.INVALID_PRODUCER_EPOCH]


def test_a_late_marker_does_not_end_the_next_transaction(world: TransactionalWorld) -> None:
    write(world, b"a")
    assert world.mark(1) == [Error.NONE]
    write(world, b"b", epoch=1)
    assert world.mark(1) == [Error.INVALID_PRODUCER_EPOCH]
    assert world.committed_values() == [b"a"]


def test_where_no_epoch_is_left_a_marker_has_that_of_its_records(
    world: TransactionalWorld,
) -> None:
    write(world, b"a", epoch=EPOCH_MAX)
    assert world.mark(EPOCH_MAX) == [Error.NONE]
    assert world.committed_values() == [b"a"]


def test_producers_are_forgotten_as_the_setting_says_at_the_time(
    world: TransactionalWorld,
) -> None:
    """`producer.id.expiration.ms`; a transaction that is open keeps its producer."""

    def known() -> list[int]:
        types = request_types(Key.DESCRIBE_PRODUCERS, 0)
        topic = make(types.TopicRequest, name=NAME, partition_indexes=(0,))
        body = make(types.DescribeProducersRequest, topics=(topic,))
        answer = world.nodes[1].call(Key.DESCRIBE_PRODUCERS, 0, body).entity
        return [p.producer_id for p in answer.topics[0].partitions[0].active_producers]

    world.produce(1, b"idle", producer_id=8, producer_epoch=0, base_sequence=0)
    write(world, b"open")
    world.wait(2 * PRODUCER_SWEEP)
    assert known() == [8, 7]
    world.nodes[1].config.settings.set_dynamic({"producer.id.expiration.ms": "60000"})
    world.wait(PRODUCER_SWEEP)
    assert known() == [7]
    world.mark(1)
    world.wait(2 * PRODUCER_SWEEP)
    assert known() == []


def test_readers_of_committed_records_stop_before_what_is_undecided(
    world: TransactionalWorld,
) -> None:
    world.produce(1, b"plain")
    write(world, b"open")
    world.produce(1, b"behind")
    machine = world.nodes[1].partition()
    assert (machine.log.stable, machine.log.high_watermark) == (1, 3)
    got = fetched(world.fetch(1, isolation=1))
    assert (values_of(got), got.last_stable_offset, got.high_watermark) == ([b"plain"], 1, 3)
    assert values_of(fetched(world.fetch(1))) == [b"plain", b"open", b"behind"]
    cut_off(world, 2, 3)
    world.mark(1)
    assert machine.log.stable == 1, "the marker is not below the high watermark yet"
    world.cut.clear()
    world.wait(60)
    assert machine.log.stable == machine.log.high_watermark == 4
    assert world.committed_values() == [b"plain", b"open", b"behind"]
