"""Producers at a leader whose disk fails hear where to go on, or that there is no such place."""

from __future__ import annotations

import errno

import pytest
from tests.support.replica_world import NAME, TOPIC, Answer, World, produced

from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.node.replicas.successors import WAIT


def failed() -> tuple[World, Answer]:
    """A leader whose disk breaks at a batch, before the controller has decided anything."""
    world = World()
    node = world.nodes[1]
    node.disk.fail(node.path, errno.EIO)
    answer = world.produce(1, b"a")
    assert node.replicas.partitions.hosted[PartitionId(TOPIC, 0)].is_offline
    return world, answer


@pytest.mark.spec("B-01", "K113-01")
def test_the_refusal_names_the_next_leader() -> None:
    world, answer = failed()
    assert not answer.there
    world.elect(2, (2, 3))
    told = produced(answer)
    assert told.error_code == Error.NOT_LEADER_OR_FOLLOWER
    assert (told.current_leader.leader_id, told.current_leader.leader_epoch) == (2, 1)
    assert len(world.nodes[1].replicas.partitions.successors) == 0


def test_a_change_that_leaves_it_the_leader_is_waited_out() -> None:
    world, answer = failed()
    world.change(isr=(1, 2))
    assert not answer.there
    world.elect(3, (3,))
    assert produced(answer).error_code == Error.NOT_LEADER_OR_FOLLOWER


def test_where_no_other_leads_the_disk_is_named() -> None:
    world, answer = failed()
    world.elect(-1, (1,))
    assert produced(answer).error_code == Error.KAFKA_STORAGE_ERROR


def test_no_client_waits_long_for_a_controller() -> None:
    world, answer = failed()
    world.wait(WAIT / 2)
    assert not answer.there
    world.wait(WAIT / 2 + 0.01)
    assert produced(answer).error_code == Error.KAFKA_STORAGE_ERROR
    assert len(world.nodes[1].replicas.partitions.successors) == 0
    assert world.nodes[1].replicas.writes.stats.of(NAME).failed_produce == 1


def test_a_request_whose_time_is_up_waits_no_longer() -> None:
    world = World()
    node = world.nodes[1]
    node.disk.fail(node.path, errno.EIO)
    answer = world.produce(1, b"a", timeout=100)
    world.wait(0.12)
    assert produced(answer).error_code == Error.REQUEST_TIMED_OUT
    world.wait(WAIT)
    assert len(node.replicas.partitions.successors) == 0
