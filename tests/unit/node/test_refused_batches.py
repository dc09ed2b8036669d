"""Batches in flight behind one that was refused: none takes its place (idempotence, KIP-98)."""

from __future__ import annotations

import pytest
from tests.support.replica_world import Answer, World, produced

from spindle.model.batches import Record, RecordBatch
from spindle.model.errors import Error
from spindle.wire.batch import build

GAP = Error.OUT_OF_ORDER_SEQUENCE_NUMBER


def sent(world: World, sequence: int, node: int = 1, acks: int = -1) -> Answer:
    """A batch of one record of producer 5."""
    return world.produce(node, batch=batch(sequence), acks=acks)


def batch(sequence: int) -> RecordBatch:
    value = b"%d" % sequence
    return build(
        [Record(0, 100_000, b"k", value)],
        producer_id=5, producer_epoch=0, base_sequence=sequence,
    )  # fmt: skip


@pytest.mark.spec("C-01")
@pytest.mark.parametrize("version", [12, 13])
def test_a_leader_that_refused_the_first_batch_does_not_take_the_second(version: int) -> None:
    world = World()
    world.elect(2)
    assert refused(world.produce(1, batch=batch(0), version=version)) is (
        Error.NOT_LEADER_OR_FOLLOWER
    )
    world.elect(1)
    answer = produced(world.produce(1, batch=batch(1), version=version))
    assert answer.error_code == GAP
    assert "sequence 0 of producer 5 was refused here" in str(answer.error_message)
    assert refused(world.produce(1, batch=batch(0), version=version)) is Error.NONE
    assert refused(world.produce(1, batch=batch(1), version=version)) is Error.NONE
    assert world.nodes[1].values() == [b"0", b"1"]


def test_the_same_where_too_few_replicas_were_in_sync() -> None:
    world = World(settings={"min.insync.replicas": "2"})
    world.fence(2, 3)
    assert refused(sent(world, 0)) is Error.NOT_ENOUGH_REPLICAS
    world.unfence(2, 3)
    assert refused(sent(world, 1)) is GAP
    assert refused(sent(world, 0)) is Error.NONE
    assert refused(sent(world, 1)) is Error.NONE


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
    assert refused(world.produce(1, batch=garbage)) is Error.NOT_LEADER_OR_FOLLOWER
    world.elect(1)
    assert refused(sent(world, 1)) is Error.NONE


def refused(answer: Answer) -> Error:
    return Error(produced(answer).error_code)
