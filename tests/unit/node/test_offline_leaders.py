"""What ListOffsets and ShareFetch hear at a leader whose disk has failed, and all at a replica
whose log never became usable there."""

from __future__ import annotations

import errno

import pytest
from tests.support.replica_world import (
    TOPIC,
    Answer,
    World,
    fetched,
    offsets_listed,
    produced,
)
from tests.support.share_world import ShareWorld, acquired

from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.node.replicas.offset_lookup import EARLIEST, LATEST
from spindle.node.replicas.successors import WAIT

ID = PartitionId(TOPIC, 0)
STORAGE, ELSEWHERE = Error.KAFKA_STORAGE_ERROR, Error.NOT_LEADER_OR_FOLLOWER
DEBUGGER, FOLLOWER = -2, 2


def fail(world: World) -> None:
    """The leader's replica fails, before the controller has decided anything."""
    world.nodes[1].replicas.on_replica_failed(ID, STORAGE)
    world.step()


def lose(world: World) -> None:
    """The leader's log never became usable: nothing is hosted."""
    replicas = world.nodes[1].replicas
    replicas.on_log_gone(ID)
    replicas.on_replica_failed(ID, STORAGE)
    world.step()


def listed(answer: Answer) -> Error:
    """What a reader heard of its offset."""
    return Error(answer.entity.topics[0].partitions[0].error_code)


# --- ListOffsets ----------------------------------------------------------------------------------


@pytest.mark.spec("B-01")
@pytest.mark.parametrize("timestamp", [LATEST, EARLIEST, 0])
def test_a_consumer_is_answered_once_the_next_leader_is_known(timestamp: int) -> None:
    world = World()
    fail(world)
    answer = offsets_listed(world.nodes[1], timestamp)
    assert not answer.there
    world.elect(2, (2, 3))
    assert listed(answer) is ELSEWHERE
    assert listed(offsets_listed(world.nodes[1], timestamp)) is ELSEWHERE


def test_a_search_that_meets_the_dead_disk_waits_as_well() -> None:
    world = World()
    world.produce(1, b"a")
    node = world.nodes[1]
    node.disk.fail(node.path, errno.EIO)
    answer = offsets_listed(node, 0)
    assert node.replicas.partitions.hosted[ID].is_offline
    assert not answer.there
    world.elect(2, (2, 3))
    assert listed(answer) is ELSEWHERE


def test_without_a_decision_the_disk_is_named() -> None:
    world = World()
    fail(world)
    answer = offsets_listed(world.nodes[1], LATEST)
    world.wait(WAIT + 0.01)
    assert listed(answer) is STORAGE
    assert listed(offsets_listed(world.nodes[1], LATEST)) is STORAGE


def test_a_replica_that_is_back_answers_itself() -> None:
    world = World()
    fail(world)
    answer = offsets_listed(world.nodes[1], EARLIEST)
    world.nodes[1].host()
    world.wait(WAIT / 2)
    assert listed(answer) is Error.NONE


@pytest.mark.spec("K858-10")
@pytest.mark.parametrize("replica", [DEBUGGER, FOLLOWER])
def test_others_are_refused_at_once(replica: int) -> None:
    world = World()
    fail(world)
    assert listed(offsets_listed(world.nodes[1], LATEST, replica=replica)) is STORAGE


def test_a_debugger_asks_for_this_replica_whichever_leads() -> None:
    world = World()
    fail(world)
    world.elect(2, (2, 3))
    for timestamp in (LATEST, EARLIEST):
        assert listed(offsets_listed(world.nodes[1], timestamp, replica=DEBUGGER)) is STORAGE
        assert listed(offsets_listed(world.nodes[3], timestamp, replica=DEBUGGER)) is Error.NONE


# --- replicas whose logs never became usable --------------------------------------------------


@pytest.mark.spec("K858-10")
def test_a_lost_replica_is_no_matter_of_clients_once_another_leads() -> None:
    world = World()
    lose(world)
    assert fetched(world.fetch(1)).error_code == STORAGE
    world.elect(2, (2, 3))
    told = fetched(world.fetch(1))
    assert (told.error_code, told.current_leader.leader_id) == (ELSEWHERE, 2)
    assert listed(offsets_listed(world.nodes[1], LATEST)) is ELSEWHERE
    told = produced(world.produce(1, b"a"))
    assert (told.error_code, told.current_leader.leader_id) == (ELSEWHERE, 2)


def test_a_producer_at_a_lost_replica_hears_where_to_go_on() -> None:
    world = World()
    lose(world)
    answer, offset = world.produce(1, b"a"), offsets_listed(world.nodes[1], LATEST)
    assert not answer.there
    assert not offset.there
    world.elect(2, (2, 3))
    told = produced(answer)
    assert (told.error_code, told.current_leader.leader_id) == (ELSEWHERE, 2)
    assert listed(offset) is ELSEWHERE


def test_a_lost_replica_whose_topic_is_deleted_is_waited_for_no_longer() -> None:
    world = World()
    lose(world)
    answer = world.produce(1, b"a")
    world.nodes[1].replicas.on_log_gone(ID)
    world.step()
    assert produced(answer).error_code == ELSEWHERE
    assert len(world.nodes[1].replicas.partitions.successors) == 0


# --- ShareFetch -----------------------------------------------------------------------------------


def shared(answer: Answer, partition: int = 0) -> tuple[Error, int]:
    """What a member heard of a partition: the error, and the leader that it names."""
    (told,) = (
        p
        for topic in answer.entity.responses
        for p in topic.partitions
        if p.partition_index == partition
    )
    return Error(told.error_code), told.current_leader.leader_id


@pytest.mark.spec("B-01", "C-04", "K858-10")
@pytest.mark.parametrize("parked", [True, False])
def test_a_member_hears_where_to_go_on(parked: bool) -> None:
    world = ShareWorld(nodes=3)
    if parked:
        answer = world.ask(max_wait_ms=10_000)
        fail(world.world)
    else:
        fail(world.world)
        answer = world.ask(max_wait_ms=10_000)
    assert not answer.there
    world.world.elect(2, (2, 3))
    assert shared(answer) == (ELSEWHERE, 2)
    assert shared(world.ask(max_wait_ms=10_000)) == (ELSEWHERE, 2)


@pytest.mark.spec("C-04")
def test_a_members_read_that_meets_the_dead_disk_waits_as_well() -> None:
    world = ShareWorld(nodes=3)
    world.produce(b"a")
    node = world.node
    node.replicas.partitions.hosted[ID].tail.clear()
    node.disk.fail(node.path, errno.EIO)
    answer = world.ask(max_wait_ms=10_000)
    assert node.replicas.partitions.hosted[ID].is_offline
    assert not answer.there
    world.world.elect(2, (2, 3))
    assert shared(answer) == (ELSEWHERE, 2)


@pytest.mark.spec("C-04")
@pytest.mark.parametrize(("patience", "after"), [(10_000, WAIT + 0.01), (100, 0.11), (0, 0.0)])
def test_no_member_waits_long_for_a_controller(patience: int, after: float) -> None:
    world = ShareWorld(nodes=3)
    fail(world.world)
    answer = world.ask(max_wait_ms=patience)
    world.world.wait(after)
    assert shared(answer) == (STORAGE, -1)


@pytest.mark.spec("C-04")
def test_a_member_gets_the_other_partitions_records_meanwhile() -> None:
    world = ShareWorld(partitions=2, nodes=3)
    fail(world.world)
    answer = world.ask(max_wait_ms=10_000)
    assert not answer.there
    world.produce(b"a", partition=1)
    assert acquired(answer) == {1: [(0, 0, 1)]}


@pytest.mark.spec("C-04")
def test_a_second_failure_under_one_fetch_is_waited_for_again() -> None:
    world = ShareWorld(nodes=3)
    fail(world.world)
    answer = world.ask(max_wait_ms=10_000)
    world.node.host()
    world.world.wait(WAIT / 2)
    assert not answer.there
    fail(world.world)
    assert not answer.there
    world.world.elect(3, (2, 3))
    assert shared(answer) == (ELSEWHERE, 3)
