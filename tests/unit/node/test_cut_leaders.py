"""A replica that is to lead while its log is being cut: it leads once the cut is done."""

from __future__ import annotations

import pytest
from tests.support.replica_world import Answer, World, everywhere, produced

from spindle.model.errors import Error


def sent(world: World, node: int, sequence: int, value: bytes) -> Answer:
    """A record of producer 5."""
    return world.produce(
        node, value, timeout=60_000, producer_id=5, producer_epoch=0, base_sequence=sequence
    )


def cutting() -> World:
    """Broker 2 has a record that 3, which led for a moment, lacked; 2 is to lead during the cut."""
    world = World()
    assert produced(sent(world, 1, 0, b"a")).error_code == Error.NONE
    world.cut.add((3, 1))
    world.wait(1)
    sent(world, 1, 1, b"b")
    world.wait(0.1)
    assert [world.nodes[n].values() for n in (2, 3)] == [[b"a", b"b"], [b"a"]]
    world.down.add(1)
    world.hung.add(2)
    world.cut.clear()
    world.elect(3, (2, 3))
    world.wait(1)
    assert world.nodes[2].values() == [b"a"], "the cut is on the disk, and not answered"
    assert world.nodes[2].partition().log.end == 2
    world.elect(2, (2, 3))
    return world


@pytest.mark.spec("C-01")
def test_what_is_cut_is_not_taken_for_a_batch_that_was_appended() -> None:
    world = cutting()
    assert produced(sent(world, 2, 1, b"b")).error_code == Error.NOT_LEADER_OR_FOLLOWER
    world.hung.clear()
    world.wait(1)
    assert world.nodes[2].partition().leads
    assert produced(sent(world, 2, 1, b"b")).error_code == Error.NONE
    assert [world.nodes[n].values() for n in (2, 3)] == [[b"a", b"b"]] * 2


def test_no_offset_is_given_behind_what_is_cut() -> None:
    world = cutting()
    assert produced(world.produce(2, b"c")).error_code == Error.NOT_LEADER_OR_FOLLOWER
    world.hung.clear()
    world.wait(1)
    assert produced(world.produce(2, b"c")).base_offset == 1
    assert [world.nodes[n].values() for n in (2, 3)] == [[b"a", b"c"]] * 2


def test_a_log_that_cannot_be_cut_does_not_lead() -> None:
    world = cutting()
    world.nodes[2].replicas.on_directory_failed(world.nodes[2].path)
    world.hung.clear()
    world.wait(1)
    answer = world.produce(2, b"c")
    assert not answer.there
    world.elect(3, (3,))
    assert produced(answer).error_code == Error.NOT_LEADER_OR_FOLLOWER
    assert produced(world.produce(3, b"c")).error_code == Error.NONE


def test_another_leader_may_be_followed_meanwhile() -> None:
    world = cutting()
    world.elect(3, (2, 3))
    answer = world.produce(3, b"c", timeout=60_000)
    world.hung.clear()
    world.down.clear()
    world.nodes[1].boot()
    world.nodes[1].host()
    world.wait(2)
    assert produced(answer).error_code == Error.NONE
    assert everywhere(world, b"a", b"c")
