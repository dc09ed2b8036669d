"""Fetch sessions as a consumer meets them, cold reads, fairness, deadlines."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.replica_world import NAME, TOPIC, Answer, World, fetched, produced, values_of
from tools.messages.entities import make, request_types

from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.node.replicas import delayed_fetch, fetch_manager
from spindle.wire.apis import Key


def delete(world: World, offset: int) -> Answer:
    """Ask node 1 to delete what lies below an offset."""
    types = request_types(Key.DELETE_RECORDS, 2)
    asked = make(types.DeleteRecordsPartition, partition_index=0, offset=offset)
    topic = make(types.DeleteRecordsTopic, name=NAME, partitions=(asked,))
    body = make(types.DeleteRecordsRequest, topics=(topic,), timeout=1000)
    return world.nodes[1].call(Key.DELETE_RECORDS, 2, body)


class Consumer:
    """Speaks incremental fetches to node 1."""

    def __init__(self, world: World, version: int = 12, replica: int = -1) -> None:
        self.world = world
        self.version = version
        self.replica = replica
        self.id = 0
        self.epoch = 0

    def ask(
        self,
        offsets: dict[int, int],
        forget: tuple[int, ...] = (),
        max_wait: int = 0,
        max_bytes: int = 1 << 20,
        partition_bytes: int = 1 << 20,
    ) -> Answer:
        types = request_types(Key.FETCH, self.version)
        wanted = tuple(
            make(
                types.FetchPartition,
                partition=p,
                fetch_offset=offset,
                partition_max_bytes=partition_bytes,
            )
            for p, offset in offsets.items()
        )
        topic = make(types.FetchTopic, topic=NAME, topic_id=TOPIC, partitions=wanted)
        gone = make(types.ForgottenTopic, topic=NAME, topic_id=TOPIC, partitions=forget)
        body = make(
            types.FetchRequest,
            replica_id=self.replica,
            max_wait=max_wait,
            min_bytes=1,
            max_bytes=max_bytes,
            session_id=self.id,
            session_epoch=self.epoch,
            topics=(topic,) if wanted else (),
            forgotten_topics_data=(gone,) if forget else (),
        )
        return self.world.nodes[1].call(Key.FETCH, self.version, body)

    def take(self, answer: Answer) -> dict[int, list[Any]]:
        entity = answer.entity
        assert entity.error_code == Error.NONE
        self.id = entity.session_id
        self.epoch += 1
        return {p.partition_index: values_of(p) for t in entity.responses for p in t.partitions}


def test_a_session_answers_with_news_only() -> None:
    world = World(nodes=1, partitions=3)
    consumer = Consumer(world)
    assert consumer.take(consumer.ask({0: 0, 1: 0, 2: 0})) == {0: [], 1: [], 2: []}
    assert consumer.id != 0
    assert consumer.take(consumer.ask({})) == {}
    world.produce(1, b"x", partition=1)
    assert consumer.take(consumer.ask({})) == {1: [b"x"]}
    assert consumer.take(consumer.ask({})) == {1: [b"x"]}, "it has not moved on"
    assert consumer.take(consumer.ask({1: 1})) == {}
    assert consumer.take(consumer.ask({}, forget=(1,))) == {}
    world.produce(1, b"y", partition=1)
    world.produce(1, b"z", partition=2)
    assert consumer.take(consumer.ask({})) == {2: [b"z"]}


def test_a_session_waits_for_news() -> None:
    world = World(nodes=1, partitions=2)
    consumer = Consumer(world)
    consumer.take(consumer.ask({0: 0, 1: 0}))
    answer = consumer.ask({}, max_wait=5000)
    assert not answer.there
    world.produce(1, b"x", partition=1)
    assert consumer.take(answer) == {1: [b"x"]}
    answer = consumer.ask({1: 1}, max_wait=300)
    world.wait(0.4)
    assert consumer.take(answer) == {}


def test_news_without_records_are_answered_at_the_deadline() -> None:
    """A log start that moved before the fetch came is not forgotten while the fetch waits."""
    world = World(nodes=1)
    for value in (b"x", b"y", b"z"):
        world.produce(1, value)
    consumer = Consumer(world)
    consumer.take(consumer.ask({0: 3}))
    delete(world, 2)
    world.step()
    answer = consumer.ask({}, max_wait=300)
    assert not answer.there, "no record has come"
    world.wait(0.4)
    (told,) = answer.entity.responses[0].partitions
    assert told.log_start_offset == 2
    assert consumer.take(answer) == {0: []}
    answer = consumer.ask({}, max_wait=300)
    world.wait(0.4)
    assert consumer.take(answer) == {}, "it was sent once"


def test_a_follower_that_names_a_partition_again_is_answered_again() -> None:
    """It may have dropped the last answer, since its log was in another state by then."""
    world = World()
    world.produce(1, b"x")
    world.wait(1)
    follower, consumer = Consumer(world, replica=2), Consumer(world)
    for asking, is_told in ((follower, True), (consumer, False)):
        assert asking.take(asking.ask({0: 1})) == {0: []}
        assert asking.take(asking.ask({})) == {}
        assert (asking.take(asking.ask({0: 1})) == {0: []}) is is_told


def test_news_that_come_together_go_out_together() -> None:
    world = World(nodes=1, partitions=3)
    consumer = Consumer(world)
    consumer.take(consumer.ask({0: 0, 1: 0, 2: 0}))
    answer = consumer.ask({}, max_wait=5000)
    world.hung.add(1)
    for p in range(3):
        world.produce(1, b"x", partition=p)
    world.hung.clear()
    world.step()
    assert consumer.take(answer) == {0: [b"x"], 1: [b"x"], 2: [b"x"]}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"id": 12345}, Error.FETCH_SESSION_ID_NOT_FOUND),
        ({"epoch": 7}, Error.INVALID_FETCH_SESSION_EPOCH),
        ({"version": 13}, Error.FETCH_SESSION_TOPIC_ID_ERROR),
    ],
)
def test_errors_of_sessions(change: dict[str, int], error: Error) -> None:
    world = World(nodes=1)
    consumer = Consumer(world)
    consumer.take(consumer.ask({0: 0}))
    for name, value in change.items():
        setattr(consumer, name, value)
    assert consumer.ask({}).entity.error_code == error


def test_a_closed_session_is_forgotten() -> None:
    world = World(nodes=1)
    consumer = Consumer(world)
    consumer.take(consumer.ask({0: 0}))
    hosted = world.nodes[1].replicas.partitions.hosted[PartitionId(TOPIC, 0)]
    assert len(hosted.watchers) == 1
    id, consumer.epoch = consumer.id, -1
    assert fetched(consumer.ask({0: 0})).error_code == Error.NONE
    assert len(hosted.watchers) == 0
    consumer.id, consumer.epoch = id, 1
    assert consumer.ask({}).entity.error_code == Error.FETCH_SESSION_ID_NOT_FOUND


def test_polls_without_a_session_leave_nothing_behind() -> None:
    world = World(nodes=1)
    hosted = world.nodes[1].replicas.partitions.hosted[PartitionId(TOPIC, 0)]
    answer = world.fetch(1, max_wait=100)
    assert len(hosted.watchers) == 1
    world.wait(0.2)
    assert answer.there
    assert len(hosted.watchers) == 0
    assert len(world.nodes[1].replicas.purgatory) == 0


def test_a_busy_partition_does_not_starve_the_others() -> None:
    world = World(nodes=1, partitions=3)
    for p in range(3):
        for n in range(4):
            world.produce(1, bytes([n]) * 400, partition=p)
    consumer = Consumer(world)
    offsets = {0: 0, 1: 0, 2: 0}
    asked: dict[int, int] = dict(offsets)
    rounds = 0
    while any(o < 4 for o in offsets.values()):
        got = consumer.take(consumer.ask(asked, max_bytes=500))
        asked = {}
        for p, values in got.items():
            offsets[p] += len(values)
            asked[p] = offsets[p]
        rounds += 1
        assert rounds <= 12
        assert max(offsets.values()) - min(offsets.values()) <= 2, offsets


@pytest.mark.parametrize("cold", [False, True])
def test_limits_hold_for_many_partitions(cold: bool) -> None:
    world = World(nodes=1, partitions=4)
    for p in range(4):
        for n in range(3):
            world.produce(1, bytes([n]) * 400, partition=p)
    if cold:
        for hosted in world.nodes[1].replicas.partitions.hosted.values():
            hosted.tail.clear()
    consumer = Consumer(world)
    consumer.epoch = -1
    every = dict.fromkeys(range(4), 0)
    got = {
        p.partition_index: values_of(p)
        for t in consumer.ask(every, max_bytes=2000, partition_bytes=1000).entity.responses
        for p in t.partitions
    }
    assert set(got) == {0, 1, 2, 3}, "all are named without a session"
    assert sum(map(len, got.values())) in (3, 4)
    assert all(len(v) <= 2 for v in got.values())
    assert len(got[0]) == 2


@pytest.mark.spec("B-10")
def test_what_is_read_from_a_disk_is_work_that_moves_give_way_to() -> None:
    world = World(nodes=1)
    world.produce(1, b"x")
    replicas = world.nodes[1].replicas
    written = replicas.served_at
    world.wait(5)
    assert fetched(world.fetch(1, 0)).error_code == Error.NONE
    assert replicas.served_at == written, "memory had it"
    replicas.partitions.hosted[PartitionId(TOPIC, 0)].tail.clear()
    assert fetched(world.fetch(1, 0)).error_code == Error.NONE
    assert replicas.served_at == world.now > written


def test_a_log_deleted_under_a_reader_is_out_of_range() -> None:
    world = World(nodes=1)
    for n in range(4):
        world.produce(1, bytes([n]))
    node = world.nodes[1]
    hosted = node.replicas.partitions.hosted[PartitionId(TOPIC, 0)]
    node.replicas.writes.move_start(hosted, 2, lambda: None)
    world.step()
    assert fetched(world.fetch(1, 1)).error_code == Error.OFFSET_OUT_OF_RANGE
    assert fetched(world.fetch(1, 2)).log_start_offset == 2


def test_an_unknown_topic_is_unknown_by_name_and_by_id() -> None:
    world = World(nodes=1)
    consumer = Consumer(world)
    consumer.epoch = -1
    world.nodes[1].image.topic_ids.clear()
    told = fetched(consumer.ask({0: 0}))
    assert told.error_code == Error.UNKNOWN_TOPIC_OR_PARTITION
    world.nodes[1].image.topics.clear()
    assert fetched(world.fetch(1, version=13)).error_code == Error.UNKNOWN_TOPIC_ID


def test_diverging_readers_learn_where() -> None:
    world = World()
    world.produce(1, b"a")
    world.elect(2)
    world.produce(2, b"b")
    told = fetched(world.fetch(2, 2, last_fetched_epoch=0))
    assert (told.diverging_epoch.epoch, told.diverging_epoch.end_offset) == (0, 1)
    assert values_of(told) == []
    told = fetched(world.fetch(2, 1, last_fetched_epoch=0))
    assert values_of(told) == [b"b"]
    told = fetched(world.fetch(2, 1, last_fetched_epoch=5))
    assert told.error_code == Error.OFFSET_OUT_OF_RANGE


def test_a_new_leader_does_not_let_its_followers_sit_in_older_polls() -> None:
    """What is produced right after a failover is committed at once, not after a long poll."""
    world = World(partitions=2)
    world.change(1, leader=2)
    world.wait(10)
    world.change(0, leader=2, isr=(2, 3))
    answer = world.produce(2, b"x")
    world.wait(0.05)
    assert produced(answer).error_code == Error.NONE
    world.requests.clear()
    world.wait(3)
    assert len(world.requests) < 250, "the hurry ends"


def test_unused_sessions_are_closed() -> None:
    world = World(nodes=1)
    consumer = Consumer(world)
    consumer.take(consumer.ask({0: 0}))
    assert world.nodes[1].replicas.fetches.session_count == 1
    world.wait(100)
    consumer.take(consumer.ask({}))
    world.wait(100)
    assert world.nodes[1].replicas.fetches.session_count == 1
    world.wait(60)
    assert world.nodes[1].replicas.fetches.session_count == 0
    assert consumer.ask({}).entity.error_code == Error.FETCH_SESSION_ID_NOT_FOUND


def _settled(world: World, answer: Answer) -> Answer:
    for _ in range(50):
        if answer.there:
            break
        world.wait(0.001)
    return answer


@pytest.mark.spec("S-08")
@pytest.mark.parametrize("version", [12, 18])
def test_a_fetch_in_turns_is_answered_like_one_at_once(
    version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = []
    for at_once in (500, 2, 1):
        for module in (delayed_fetch, fetch_manager):
            monkeypatch.setattr(module, "AT_ONCE", at_once)
        world = World(nodes=1, partitions=5)
        for n in (0, 2, 4):
            world.produce(1, b"v%d" % n, partition=n)
        consumer = Consumer(world, version)
        every = dict.fromkeys(range(6), 0)  # The last one does not exist.
        answers = [_settled(world, consumer.ask(every)).entity]
        consumer.id, consumer.epoch = answers[0].session_id, 1
        answers.append(_settled(world, consumer.ask({2: 1}, forget=(5, 4))).entity)
        world.produce(1, b"more", partition=3)
        consumer.epoch += 1
        answers.append(_settled(world, consumer.ask({}, max_bytes=1)).entity)
        told.append([(a.error_code, a.responses) for a in answers])
    assert told[0][0][1][0].partitions[5].error_code == Error.UNKNOWN_TOPIC_OR_PARTITION
    assert told[0] == told[1] == told[2]


@pytest.mark.spec("S-08")
def test_a_large_fetch_that_its_client_gave_up_leaves_its_news_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(nodes=1, partitions=5)
    consumer = Consumer(world)
    consumer.take(consumer.ask(dict.fromkeys(range(5), 0)))
    for n in range(5):
        world.produce(1, b"v%d" % n, partition=n)
    for module in (delayed_fetch, fetch_manager):
        monkeypatch.setattr(module, "AT_ONCE", 2)
    with monkeypatch.context() as still:
        still.setattr(world, "step", lambda: None)
        consumer.ask({})
    consumer.epoch += 1
    found = consumer.take(_settled(world, consumer.ask({})))
    assert found == {n: [b"v%d" % n] for n in range(5)}
