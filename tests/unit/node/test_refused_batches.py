"""Batches in flight behind one that was refused: none takes its place (idempotence, KIP-98)."""

from __future__ import annotations

import pytest
from tests.support.replica_world import TOPIC, Answer, World, everywhere, produced

from spindle.model.batches import Record, RecordBatch
from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.node.replicas.successors import WAIT
from spindle.wire.batch import build

AGAIN = Error.NOT_LEADER_OR_FOLLOWER
FEW = Error.NOT_ENOUGH_REPLICAS


def sent(world: World, sequence: int, node: int = 1, epoch: int = 0) -> Answer:
    """A batch of one record of producer 5."""
    return world.produce(node, batch=batch(sequence, epoch))


def batch(sequence: int, epoch: int = 0) -> RecordBatch:
    value = b"%d" % sequence
    return build(
        [Record(0, 100_000, b"k", value)],
        producer_id=5, producer_epoch=epoch, base_sequence=sequence,
    )  # fmt: skip


@pytest.mark.spec("C-01")
@pytest.mark.parametrize("version", [12, 13])
def test_a_leader_that_refused_the_first_batch_does_not_take_the_second(version: int) -> None:
    world = World()
    world.elect(2)
    assert refused(world.produce(1, batch=batch(0), version=version)) is AGAIN
    world.elect(1)
    answer = produced(world.produce(1, batch=batch(1), version=version))
    assert answer.error_code == AGAIN, "a gap would have librdkafka begin a new epoch"
    assert "sequence 0 of producer 5 was refused here" in str(answer.error_message)
    assert refused(world.produce(1, batch=batch(0), version=version)) is Error.NONE
    assert refused(world.produce(1, batch=batch(1), version=version)) is Error.NONE
    assert world.nodes[1].values() == [b"0", b"1"]


def test_the_same_where_too_few_replicas_were_in_sync() -> None:
    world = World(settings={"min.insync.replicas": "2"})
    world.fence(2, 3)
    assert refused(sent(world, 0)) is FEW
    world.unfence(2, 3)
    assert refused(sent(world, 1)) is FEW
    assert refused(sent(world, 0)) is Error.NONE
    assert refused(sent(world, 1)) is Error.NONE


@pytest.mark.spec("C-01")
def test_a_new_leader_that_knows_the_producer_answers_all_in_flight_alike() -> None:
    """A gap has librdkafka send all again in a new epoch, in every partition: twice for the log."""
    world = World()
    assert refused(sent(world, 0)) is Error.NONE
    assert refused(sent(world, 1, node=2)) is AGAIN
    world.elect(2)
    assert [refused(sent(world, n, node=2)) for n in (2, 3)] == [AGAIN, AGAIN]
    assert [refused(sent(world, n, node=2)) for n in (1, 2, 3)] == [Error.NONE] * 3
    assert world.nodes[2].values() == [b"0", b"1", b"2", b"3"]
    assert refused(sent(world, 5, node=2)) is Error.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_the_same_in_the_first_batch_of_a_new_epoch() -> None:
    world = World()
    assert refused(sent(world, 0)) is Error.NONE
    assert refused(sent(world, 0, node=2, epoch=1)) is AGAIN
    world.elect(2)
    assert refused(sent(world, 1, node=2, epoch=1)) is AGAIN
    assert [refused(sent(world, n, node=2, epoch=1)) for n in (0, 1)] == [Error.NONE] * 2


def test_a_replica_that_comes_back_and_leads_on_excuses_what_it_could_not_write() -> None:
    world = World()
    assert refused(sent(world, 0)) is Error.NONE
    node = world.nodes[1]
    hosted = node.replicas.partitions.hosted[PartitionId(TOPIC, 0)]
    hosted.jobs.freeze(lambda: None)
    held = [sent(world, n) for n in (1, 2)]
    node.replicas.on_replica_failed(hosted.id, Error.KAFKA_STORAGE_ERROR)
    node.host()
    assert node.partition().leads
    world.wait(WAIT + 0.01)
    assert {refused(answer) for answer in held} == {Error.KAFKA_STORAGE_ERROR}
    assert refused(sent(world, 3)) is Error.KAFKA_STORAGE_ERROR
    assert [refused(sent(world, n)) for n in (1, 2, 3)] == [Error.NONE] * 3
    assert everywhere(world, b"0", b"1", b"2", b"3")


def test_what_was_written_and_denied_is_found_again() -> None:
    world = World()
    assert refused(sent(world, 0)) is Error.NONE
    world.hung.add(1)
    denied = sent(world, 1)
    world.elect(2)
    world.hung.clear()
    world.step()
    assert refused(denied) is AGAIN
    assert [refused(sent(world, n, node=2)) for n in (1, 2)] == [Error.NONE] * 2
    world.elect(1)
    assert refused(sent(world, 3)) is Error.NONE
    assert len(world.nodes[1].replicas.writes.refused) == 0
    assert everywhere(world, b"0", b"1", b"2", b"3")


def test_an_older_epoch_stays_refused() -> None:
    world = World()
    assert refused(sent(world, 0, node=2)) is AGAIN
    world.elect(2)
    assert refused(sent(world, 0, node=2, epoch=1)) is Error.NONE
    assert refused(sent(world, 1, node=2)) is Error.INVALID_PRODUCER_EPOCH


def test_what_is_wrong_with_a_batch_is_no_reason_to_wait_for_it() -> None:
    world = World(settings={"message.max.bytes": "200"})
    large = build(
        [Record(0, 100_000, b"k", b"x" * 300)], producer_id=5, producer_epoch=0, base_sequence=0
    )
    assert refused(world.produce(1, batch=large)) is Error.MESSAGE_TOO_LARGE
    assert refused(sent(world, 1)) is Error.NONE


def test_batches_that_cannot_be_read_are_refused_as_before() -> None:
    world = World()
    world.elect(2)
    garbage = batch(0)
    garbage = RecordBatch(0, 0, 0, 0, 0, 0, 5, 0, 0, 1, bytes(garbage.data)[:40])
    assert refused(world.produce(1, batch=garbage)) is AGAIN
    world.elect(1)
    assert refused(sent(world, 1)) is Error.NONE


def refused(answer: Answer) -> Error:
    return Error(produced(answer).error_code)
