"""Producers at a leader whose disk fails hear where to go on, or that there is no such place."""

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
)
from tools.messages.entities import make, request_types

from spindle.model.batches import Record
from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.node.replicas.successors import WAIT
from spindle.wire.apis import Key
from spindle.wire.batch import build

ID = PartitionId(TOPIC, 0)
STORAGE, ELSEWHERE = Error.KAFKA_STORAGE_ERROR, Error.NOT_LEADER_OR_FOLLOWER


def failed() -> tuple[World, Answer]:
    """A leader whose disk breaks at a batch, before the controller has decided anything."""
    world = World()
    node = world.nodes[1]
    node.disk.fail(node.path, errno.EIO)
    answer = world.produce(1, b"a")
    assert node.replicas.partitions.hosted[ID].is_offline
    return world, answer


def offline(world: World) -> None:
    """The leader's replica fails, and no client is there that could hear of it."""
    world.nodes[1].replicas.on_replica_failed(ID, STORAGE)
    world.step()


def waiting(world: World) -> int:
    """How many clients wait for the next leader's name."""
    return len(world.nodes[1].replicas.partitions.successors)


def error(answer: Answer) -> Error:
    """What a client heard of its batch."""
    return Error(produced(answer).error_code)


def numbered(world: World, sequence: int, node: int = 1) -> Answer:
    """A batch of one record of an idempotent producer."""
    record = Record(0, 100_000, b"k", b"%d" % sequence)
    batch = build([record], producer_id=5, producer_epoch=0, base_sequence=sequence)
    return world.produce(node, batch=batch)


@pytest.mark.spec("B-01")
def test_the_refusal_names_the_next_leader() -> None:
    world, answer = failed()
    assert not answer.there
    world.elect(2, (2, 3))
    told = produced(answer)
    assert told.error_code == ELSEWHERE
    assert (told.current_leader.leader_id, told.current_leader.leader_epoch) == (2, 1)
    assert waiting(world) == 0


def test_a_change_that_leaves_it_the_leader_is_waited_out() -> None:
    world, answer = failed()
    world.change(isr=(1, 2))
    assert not answer.there
    world.elect(3, (3,))
    assert error(answer) is ELSEWHERE


def test_where_no_other_leads_the_disk_is_named() -> None:
    world, answer = failed()
    world.elect(-1, (1,))
    assert error(answer) is STORAGE


def test_no_client_waits_long_for_a_controller() -> None:
    world, answer = failed()
    world.wait(WAIT / 2)
    assert not answer.there
    world.wait(WAIT / 2 + 0.01)
    assert error(answer) is STORAGE
    assert waiting(world) == 0
    assert world.nodes[1].replicas.writes.stats.of(NAME).failed_produce == 1


def test_a_request_whose_time_is_up_waits_no_longer() -> None:
    world = World()
    node = world.nodes[1]
    node.disk.fail(node.path, errno.EIO)
    answer = world.produce(1, b"a", timeout=100)
    world.wait(0.12)
    assert error(answer) is Error.REQUEST_TIMED_OUT
    world.wait(WAIT)
    assert waiting(world) == 0


# --- batches that come when the disk has failed already -----------------------------------------


@pytest.mark.spec("B-01", "K858-10")
@pytest.mark.parametrize("version", [9, 12, 13])
def test_a_batch_that_comes_to_a_dead_disk_hears_where_to_go_on(version: int) -> None:
    world = World()
    offline(world)
    answer = world.produce(1, b"a", version=version)
    assert not answer.there
    world.elect(2, (2, 3))
    told = produced(answer)
    assert told.error_code == ELSEWHERE
    if version >= 10:
        assert (told.current_leader.leader_id, told.current_leader.leader_epoch) == (2, 1)
    assert waiting(world) == 0


@pytest.mark.spec("K858-10")
def test_once_another_leads_the_dead_disk_is_no_matter_of_clients() -> None:
    world = World()
    offline(world)
    world.elect(2, (2, 3))
    told = produced(world.produce(1, b"a"))
    assert (told.error_code, told.current_leader.leader_id) == (ELSEWHERE, 2)


@pytest.mark.spec("K858-10")
def test_without_a_controller_clients_are_kept_waiting_once() -> None:
    world = World()
    offline(world)
    answers = [world.produce(1, b"a")]
    world.wait(WAIT / 2)
    answers.append(world.produce(1, b"b"))
    world.wait(WAIT / 2 + 0.01)
    assert [error(answer) for answer in answers] == [STORAGE, STORAGE]
    assert error(world.produce(1, b"c")) is STORAGE
    world.elect(2, (2, 3))
    assert error(world.produce(1, b"c")) is ELSEWHERE


def test_a_later_failure_is_waited_for_again() -> None:
    world = World()
    offline(world)
    world.produce(1, b"a")
    world.wait(WAIT + 0.01)
    world.nodes[1].host()
    world.wait(2)  # Followers fetch again.
    assert error(world.produce(1, b"b")) is Error.NONE
    offline(world)
    assert not world.produce(1, b"c").there


def test_what_has_no_other_replica_is_refused_at_once() -> None:
    world = World(nodes=1)
    offline(world)
    assert error(world.produce(1, b"a")) is STORAGE


def test_where_the_controller_has_found_no_leader_the_answer_comes_at_once() -> None:
    world = World()
    offline(world)
    world.elect(-1, (1,))
    assert error(world.produce(1, b"a")) is STORAGE


def test_a_client_that_wants_no_answer_is_disconnected_at_once() -> None:
    world = World()
    offline(world)
    world.produce(1, b"a", acks=0)
    assert world.closed == [(1, 1)]
    assert waiting(world) == 0


def test_a_batch_that_came_to_a_dead_disk_has_not_timed_out() -> None:
    """It was not written: a producer need not take it for one that may be in the log."""
    world = World()
    offline(world)
    answer = world.produce(1, b"a", timeout=100)
    world.wait(0.12)
    assert error(answer) is STORAGE
    world.wait(WAIT)
    assert waiting(world) == 0


def test_a_topic_that_is_deleted_is_waited_for_no_longer() -> None:
    world = World()
    offline(world)
    answer = world.produce(1, b"a")
    world.nodes[1].replicas.on_log_gone(ID)
    world.step()
    assert error(answer) is ELSEWHERE
    assert waiting(world) == 0


@pytest.mark.spec("C-01")
@pytest.mark.parametrize("under_way", [True, False])
def test_none_overtakes_a_batch_that_waits_when_the_replica_is_back(under_way: bool) -> None:
    """A replica that is made again, before another leads, takes batches in their order."""
    world = World()
    assert error(numbered(world, 0)) is Error.NONE
    node = world.nodes[1]
    if under_way:
        node.replicas.partitions.hosted[ID].jobs.freeze(lambda: None)
        first = numbered(world, 1)
        offline(world)
    else:
        offline(world)
        first = numbered(world, 1)
    assert not first.there
    node.host()
    world.step()
    assert node.partition().leads
    assert error(first) is STORAGE, "it can be sent again at once"
    assert error(numbered(world, 2)) is STORAGE, "the one before it has to come first"
    world.wait(2)  # Followers fetch again.
    assert [error(numbered(world, n)) for n in (1, 2)] == [Error.NONE] * 2
    assert everywhere(world, b"0", b"1", b"2")


def test_the_other_partitions_of_a_request_are_written_meanwhile() -> None:
    world = World(partitions=2)
    offline(world)
    answer = both_partitions(world)
    assert not answer.there
    assert world.nodes[1].values(1) == [b"x"]
    world.elect(2, (1, 2, 3))
    told = [p.error_code for p in answer.entity.responses[0].partition_responses]
    assert told == [ELSEWHERE, Error.NONE]


def both_partitions(world: World) -> Answer:
    """A batch for each of two partitions in one request."""
    types = request_types(Key.PRODUCE, 13)
    batch = build([Record(0, 100_000, b"k", b"x")])
    parts = tuple(make(types.PartitionProduceData, index=n, records=batch.data) for n in (0, 1))
    topic = make(types.TopicProduceData, topic_id=TOPIC, partition_data=parts)
    body = make(
        types.ProduceRequest,
        transactional_id=None,
        acks=-1,
        timeout=10_000,
        topic_data=(topic,),
    )
    return world.nodes[1].call(Key.PRODUCE, 13, body)


# --- consumers ------------------------------------------------------------------------------------


def consumed(answer: Answer) -> tuple[Error, int]:
    """What a consumer heard of its partition: the error, and the leader that it names."""
    told = fetched(answer)
    return Error(told.error_code), told.current_leader.leader_id


@pytest.mark.spec("B-01", "K858-10")
@pytest.mark.parametrize("parked", [True, False])
def test_a_consumer_hears_where_to_go_on(parked: bool) -> None:
    world = World()
    if parked:
        poll = world.fetch(1, max_wait=10_000)
        offline(world)
    else:
        offline(world)
        poll = world.fetch(1, max_wait=10_000)
    offline(world)  # Its directory reports it, and then the registry of replicas.
    assert not poll.there
    world.elect(2, (2, 3))
    assert consumed(poll) == (ELSEWHERE, 2)
    assert consumed(world.fetch(1)) == (ELSEWHERE, 2)


def test_a_consumer_whose_read_meets_the_dead_disk_hears_where_to_go_on() -> None:
    world = World()
    assert error(world.produce(1, b"a", timeout=10_000)) is Error.NONE
    node = world.nodes[1]
    node.replicas.partitions.hosted[ID].tail.clear()
    node.disk.fail(node.path, errno.EIO)
    poll = world.fetch(1, max_wait=10_000)
    assert node.replicas.partitions.hosted[ID].is_offline
    assert not poll.there
    world.elect(2, (2, 3))
    assert consumed(poll) == (ELSEWHERE, 2)


@pytest.mark.parametrize(("patience", "after"), [(10_000, WAIT + 0.01), (100, 0.11), (0, 0.0)])
def test_no_consumer_waits_long_for_a_controller(patience: int, after: float) -> None:
    world = World()
    offline(world)
    poll = world.fetch(1, max_wait=patience)
    world.wait(after)
    assert consumed(poll) == (STORAGE, -1)


def test_a_consumer_of_a_replica_that_is_made_again_is_answered() -> None:
    world = World()
    poll = world.fetch(1, max_wait=10_000)
    offline(world)
    world.nodes[1].host()
    world.wait(WAIT)
    assert consumed(poll)[0] is Error.NONE


def test_followers_are_refused_at_once() -> None:
    world = World()
    heard: list[Error] = []

    def look(node: int, request: Any, answer: Any) -> Any:
        heard.extend(Error(p.error_code) for t in answer.responses for p in t.partitions)
        return answer

    world.twist = look
    offline(world)
    assert STORAGE in heard
    assert waiting(world) == 0
