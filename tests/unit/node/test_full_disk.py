"""A disk without room under replicas of three brokers: nothing is lost, denied or written twice."""

from __future__ import annotations

import errno
from typing import Any

import pytest
from tests.support.replica_parts import Answer
from tests.support.replica_world import World, everywhere, fetched, produced, values_of

from spindle.model.errors import Error


@pytest.mark.spec("B-12")
def test_b12_a_full_disk_refuses_appends_and_serves_again_when_there_is_room() -> None:
    world = World()
    world.produce(1, b"first")
    node = world.nodes[1]
    node.disk.fail("/disk-1/", errno.ENOSPC, "write", "truncate")
    idempotent: dict[str, Any] = {"producer_id": 5, "producer_epoch": 0, "base_sequence": 0}
    told = produced(world.produce(1, b"full", **idempotent))
    assert told.error_code == Error.KAFKA_STORAGE_ERROR
    assert values_of(fetched(world.fetch(1))) == [b"first"], "it can still be read"
    node.disk.heal("/disk-1/")
    world.wait(2)
    told = produced(world.produce(1, b"full", **idempotent))
    assert (told.error_code, told.base_offset) == (Error.NONE, 1), "it was never appended before"
    assert everywhere(world, b"first", b"full")


@pytest.mark.spec("B-12")
def test_b12_what_comes_behind_a_refused_append_is_not_acknowledged() -> None:
    world = World(nodes=1)
    node = world.nodes[1]
    world.hung.add(1)
    node.disk.fail("/disk-1/", errno.ENOSPC, "write", "truncate")
    refused = world.produce(1, b"no room")
    node.disk.heal("/disk-1/")
    behind = world.produce(1, b"room again")
    world.hung.clear()
    world.wait(2)
    for answer in (refused, behind):
        assert produced(answer).error_code == Error.KAFKA_STORAGE_ERROR
    assert (node.partition().log.end, node.values()) == (0, [])
    assert produced(world.produce(1, b"first")).base_offset == 0


@pytest.mark.spec("B-12")
def test_b12_no_producer_hears_of_a_gap_that_the_full_disk_has_made() -> None:
    """Clients take a gap for the loss of what is before it, and send it again in a new epoch."""
    world = World()
    node = world.nodes[1]

    def sent(sequence: int) -> Answer:
        return world.produce(
            1, b"%d" % sequence, producer_id=5, producer_epoch=0, base_sequence=sequence
        )

    assert produced(sent(0)).error_code == Error.NONE
    for follower in (2, 3):
        world.nodes[follower].disk.fail(f"/disk-{follower}/", errno.ENOSPC, "write", "truncate")
    written = sent(1)
    assert not written.there, "no follower has it"
    node.disk.fail("/disk-1/", errno.ENOSPC, "write", "truncate")
    refused = sent(2)
    node.disk.heal("/disk-1/")
    behind = sent(3)
    for answer in (refused, behind):
        assert produced(answer).error_code == Error.KAFKA_STORAGE_ERROR
    assert not written.there, "it is written, and may still be committed"
    for follower in (2, 3):
        world.nodes[follower].disk.heal(f"/disk-{follower}/")
    world.wait(3)
    assert produced(written).error_code == Error.NONE
    assert [produced(sent(n)).error_code for n in (2, 3)] == [Error.NONE, Error.NONE]
    assert everywhere(world, b"0", b"1", b"2", b"3")


@pytest.mark.spec("B-12")
def test_b12_a_follower_with_a_full_disk_goes_on_when_there_is_room() -> None:
    world = World()
    node = world.nodes[2]
    node.disk.fail("/disk-2/", errno.ENOSPC, "write", "truncate")
    answer = world.produce(1, b"x", timeout=60_000)
    world.wait(3)
    assert not answer.there
    node.disk.heal("/disk-2/")
    world.wait(3)
    assert produced(answer).error_code == Error.NONE
    assert everywhere(world, b"x")
