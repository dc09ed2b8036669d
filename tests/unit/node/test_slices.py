"""Large descriptions leave room for others while they are made (S-08)."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.support.cluster_image import add_topic, three_brokers
from tools.messages.entities import make, request_types
from tools.messages.frames import decode_response, encode_message

from spindle.model.batches import Buffer
from spindle.model.computing import Compute
from spindle.model.errors import DiskFailed, Failure
from spindle.model.ids import TopicPartition
from spindle.model.outbox import Outbox, Ready
from spindle.model.settings.typed_settings import Settings
from spindle.node import slices, topic_selection
from spindle.node.connection import Connection
from spindle.node.handlers import BROKER, metadata
from spindle.node.handlers.describe_log_dirs import AT_ONCE
from spindle.node.logdirs.log_dir_manager import listed
from spindle.node.replicas.silent_leaders import SilentLeaders
from spindle.node.router import Router
from spindle.node.slices import REST_AFTER, SENT, SLICE, Slices
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import beside
from spindle.wire.apis import Key
from spindle.wire.framing import correlation_of

PARTITIONS = 10_000


class Bench:
    """A router with one handler, and as much of a broker as that needs."""

    def __init__(self, key: Key, **broker: Any) -> None:
        self.out = Outbox(random.Random(1))
        self.key = key
        target: Any = SimpleNamespace(
            out=self.out, slices=Slices(self.out, "/d1"), node_id=1, cluster_id="cluster", **broker
        )
        silent = SilentLeaders(self.out, lambda: target.image)
        target.fetchers = SimpleNamespace(silent=silent)
        self.router = Router({int(key): BROKER[key]}, target, self.out)
        self.connection = Connection(1, "PLAINTEXT", "here", self.out)
        self.slices = 0

    def ask(self, request: Any) -> Any:
        """The answer; `slices` are the inputs that it took."""
        frame = encode_message(request, 1, None)
        self.router.on_frame(self.connection, frame)
        ready = self.until(lambda: self.out.take())
        while not ready.answers:
            (asked,) = ready.jobs
            assert isinstance(asked.job, Compute)
            self.out.done(asked.ticket, self.carried_out(asked.job))
            ready = self.until(lambda: self.out.take())
        (answer,) = ready.answers
        assert not ready.jobs, "nothing is left to do"
        return decode_response(request, joined(answer.buffers)[4:])

    def carried_out(self, job: Compute) -> Any:
        return beside.run(MemoryDisk(), job)

    def until(self, take: Callable[[], Ready | None]) -> Ready:
        """What the node has to do once it has anything to do."""
        while (ready := take()) is None:
            assert self.out.wake_at is not None
            self.out.now = self.out.wake_at
            self.out.tick()
            self.slices += 1
        return ready


def joined(buffers: list[Buffer]) -> bytes:
    return b"".join(map(bytes, buffers))


def with_topics(count: int) -> Bench:
    """A cluster of so many partitions, half of them of one topic."""
    image = three_brokers()
    add_topic(image, "large", *[(1, 2)] * (count // 2))
    for number in range(count // 20):
        add_topic(image, f"small-{number}", *[(1, 2)] * 10)
    return Bench(Key.METADATA, image=image, settings=Settings({"node.id": "1"}))


def metadata_request() -> Any:
    return make(request_types(Key.METADATA, 12).MetadataRequest, topics=None)


@pytest.mark.spec("S-08")
def test_metadata_of_many_partitions_is_sent_in_slices() -> None:
    bench = with_topics(PARTITIONS)
    answer = bench.ask(metadata_request())
    assert sum(len(topic.partitions) for topic in answer.topics) == PARTITIONS
    assert len(answer.brokers) == 3
    assert bench.slices >= PARTITIONS / 1000


@pytest.mark.spec("S-08")
def test_however_many_ask_one_slice_is_made_in_a_turn() -> None:
    bench = with_topics(PARTITIONS)
    made = 0
    before = metadata._partition

    def counted(*args: Any) -> Any:
        nonlocal made
        made += 1
        return before(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metadata, "_partition", counted)
        for version in range(4, 13):
            request = make(request_types(Key.METADATA, version).MetadataRequest, topics=None)
            bench.router.on_frame(bench.connection, encode_message(request, 1, None))
        assert made <= SLICE, "the first begins, the others wait"
        for turn in range(2, 50):
            assert bench.out.wake_at is not None
            bench.out.now = bench.out.wake_at
            bench.out.tick()
            assert made <= turn * SLICE
        assert made > 35 * SLICE


def test_a_small_answer_is_given_at_once() -> None:
    bench = with_topics(100)
    answer = bench.ask(metadata_request())
    assert sum(len(topic.partitions) for topic in answer.topics) == 100
    assert bench.slices == 0


def test_topics_may_come_and_go_between_two_slices() -> None:
    bench = with_topics(PARTITIONS)
    image = bench.router._target.image
    before = bench.out.tick

    def tick() -> None:
        add_topic(image, f"new-{bench.slices}", (1, 2))
        before()

    bench.out.tick = tick  # type: ignore[method-assign]
    answer = bench.ask(metadata_request())
    assert sum(len(topic.partitions) for topic in answer.topics) == PARTITIONS


def test_a_directory_that_fails_costs_no_answer() -> None:
    class Failing(Bench):
        def carried_out(self, job: Compute) -> Failure:
            return DiskFailed("/d1", "Compute", 5)

    image = three_brokers()
    add_topic(image, "large", *[(1, 2)] * 2000)
    settings = Settings({"node.id": "1"})
    bench = Failing(Key.METADATA, image=image, settings=settings)
    (topic,) = bench.ask(metadata_request()).topics
    assert len(topic.partitions) == 2000


@pytest.mark.spec("S-08")
def test_settings_of_many_topics_are_described_in_slices() -> None:
    image = three_brokers()
    for number in range(100):
        add_topic(image, f"t-{number}", (1, 2))
    bench = Bench(Key.DESCRIBE_CONFIGS, image=image, settings=Settings({"node.id": "1"}))
    t = request_types(Key.DESCRIBE_CONFIGS, 4)
    asked = tuple(
        make(t.DescribeConfigsResource, resource_type=2, resource_name=f"t-{n}") for n in range(100)
    )
    answer = bench.ask(make(t.DescribeConfigsRequest, resources=asked))
    assert [r.resource_name for r in answer.results] == [f"t-{n}" for n in range(100)]
    assert all(result.configs for result in answer.results)
    assert bench.slices >= 15


@pytest.mark.spec("S-08")
@pytest.mark.parametrize("are_offline", [False, True])
def test_directories_with_many_replicas_are_described_in_slices(are_offline: bool) -> None:
    log = SimpleNamespace(high_watermark=0, end=0)
    hosted: Any = [
        SimpleNamespace(
            name=TopicPartition("t", number),
            size=1,
            gone=False,
            is_offline=are_offline,
            partition=SimpleNamespace(log=log),
        )
        for number in range(PARTITIONS)
    ]
    partitions: Any = None
    directory = SimpleNamespace(
        path="/d1",
        id=None,
        health=SimpleNamespace(online=True),
        usage=SimpleNamespace(total=1, usable=1),
    )
    broker = {
        "image": SimpleNamespace(features={}),
        "logs": SimpleNamespace(
            directories=SimpleNamespace(all={"/d1": directory}, is_cordoned=lambda path: False),
            listings=lambda: {"/d1": listed(partitions, hosted, ())},
        ),
    }
    bench = Bench(Key.DESCRIBE_LOG_DIRS, **broker)
    t = request_types(Key.DESCRIBE_LOG_DIRS, 4)
    answer = bench.ask(make(t.DescribeLogDirsRequest, topics=None))
    ((*topics,),) = [result.topics for result in answer.results]
    told = sum(len(topic.partitions) for topic in topics)
    assert told == (0 if are_offline else PARTITIONS)
    assert bench.slices >= PARTITIONS / (AT_ONCE * SLICE / REST_AFTER) - 1


def turn(bench: Bench) -> list[tuple[int, Any]]:
    """One turn of the loop, jobs included; (correlation, answer) of each answer."""
    if bench.out.wake_at is not None:
        bench.out.now = bench.out.wake_at
        bench.out.tick()
    answered = []
    while (ready := bench.out.take()) is not None:
        for asked in ready.jobs:
            assert isinstance(asked.job, Compute)
            bench.out.done(asked.ticket, bench.carried_out(asked.job))
        for answer in ready.answers:
            data = joined(answer.buffers)
            assert len(data) == 4 + int.from_bytes(data[:4], "big")
            answered.append((correlation_of(data[4:]), decoded(data[8:])))
    return answered


@cache
def decoded(data: bytes) -> Any:
    """An answer without its number: clients that share one get the same bytes."""
    return decode_response(metadata_request(), bytes(4) + data)


@pytest.mark.spec("S-08")
def test_clients_that_ask_the_same_before_it_is_begun_share_an_answer() -> None:
    bench = with_topics(PARTITIONS)
    made = 0
    before = metadata._partition

    def counted(*args: Any) -> Any:
        nonlocal made
        made += 1
        return before(*args)

    clients = 3 * SENT
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metadata, "_partition", counted)
        for number in range(clients + 1):
            frame = encode_message(metadata_request(), number, None)
            connection = Connection(number, "PLAINTEXT", "here", bench.out)
            bench.router.on_frame(connection, frame)
        answered: list[tuple[int, Any]] = []
        for _ in range(200):
            now = turn(bench)
            assert len(now) <= SENT, "others have their turn in between"
            answered += now
    assert sorted(number for number, _ in answered) == list(range(clients + 1))
    assert {sum(len(t.partitions) for t in answer.topics) for _, answer in answered} == {PARTITIONS}
    assert made < 1.6 * PARTITIONS, "what the first one's has is there for the others'"


@pytest.mark.spec("S-08")
def test_a_client_that_asks_while_an_answer_is_made_gets_what_is_true_by_then() -> None:
    bench = with_topics(PARTITIONS)
    bench.router.on_frame(bench.connection, encode_message(metadata_request(), 1, None))
    turn(bench)
    add_topic(bench.router._target.image, "made-meanwhile", (1, 2))
    bench.router.on_frame(bench.connection, encode_message(metadata_request(), 2, None))
    told: dict[int, Any] = {}
    for _ in range(100):
        told |= {number: {t.name for t in answer.topics} for number, answer in turn(bench)}
    assert "made-meanwhile" in told[2]


def test_another_question_is_another_answer() -> None:
    bench = with_topics(PARTITIONS)
    some = make(
        request_types(Key.METADATA, 12).MetadataRequest,
        topics=(make(request_types(Key.METADATA, 12).MetadataRequestTopic, name="large"),),
    )
    for number, request in enumerate((metadata_request(), metadata_request(), some)):
        bench.router.on_frame(bench.connection, encode_message(request, number, None))
    told: dict[int, Any] = {}
    for _ in range(100):
        told |= {number: len(answer.topics) for number, answer in turn(bench)}
    assert told == {0: 1 + PARTITIONS // 20, 1: 1 + PARTITIONS // 20, 2: 1}


@pytest.mark.spec("S-08")
def test_what_an_answer_was_made_of_goes_with_it() -> None:
    """And does not wait for the collector of cycles, which would hold the loop for long."""
    bench = with_topics(PARTITIONS)
    bench.ask(metadata_request())
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            bench.ask(metadata_request())
        assert gc.collect() < PARTITIONS / 10
    finally:
        gc.enable()


NAMES = 20_000


def counted_turns(bench: Bench, patch: pytest.MonkeyPatch, module: Any, made: str) -> list[int]:
    """How many times a function of a module was called in each turn until an answer came."""
    calls = 0
    before = getattr(module, made)

    def counted(*args: Any) -> Any:
        nonlocal calls
        calls += 1
        return before(*args)

    patch.setattr(module, made, counted)
    turns, past = [], 0
    while not (answered := turn(bench)):
        turns.append(calls - past)
        past = calls
        assert bench.out.wake_at is not None
    assert len(answered) == 1
    return [*turns, calls - past]


def names(key: Key, version: int, kind: str) -> tuple[Any, ...]:
    """So many topics that are not there, and one that is, thrice."""
    topic = getattr(request_types(key, version), kind)
    there = make(topic, name="large")
    return (there, *(make(topic, name=f"t-{n:06}") for n in range(NAMES)), there, there)


@pytest.mark.spec("S-08")
def test_metadata_by_many_names_is_sent_in_slices_and_each_topic_once() -> None:
    bench = with_topics(100)
    t = request_types(Key.METADATA, 12)
    topics = names(Key.METADATA, 12, "MetadataRequestTopic")
    request = make(t.MetadataRequest, topics=topics, allow_auto_topic_creation=False)
    answer = bench.ask(request)
    assert [topic.name for topic in answer.topics] == [
        "large",
        *(f"t-{n:06}" for n in range(NAMES)),
    ]
    with pytest.MonkeyPatch.context() as patch:
        bench.router.on_frame(bench.connection, encode_message(request, 1, None))
        assert max(counted_turns(bench, patch, topic_selection, "absent")) <= SLICE


@pytest.mark.spec("S-08")
def test_partitions_of_many_topics_are_described_in_slices_and_pages() -> None:
    image = three_brokers()
    add_topic(image, "large", *[(1, 2)] * 1_000)
    key = Key.DESCRIBE_TOPIC_PARTITIONS
    bench = Bench(key, image=image)
    t = request_types(key, 0)
    request = make(
        t.DescribeTopicPartitionsRequest,
        topics=names(key, 0, "TopicRequest"),
        response_partition_limit=2_000,
        cursor=None,
    )
    answer = bench.ask(request)
    assert bench.slices >= NAMES / 1000
    assert [topic.name for topic in answer.topics] == [
        "large",
        *(f"t-{n:06}" for n in range(1_000)),
    ]
    assert answer.next_cursor.topic_name == "t-001000"


@pytest.mark.spec("S-08")
def test_for_a_client_that_has_gone_nothing_more_is_made() -> None:
    bench = with_topics(PARTITIONS)
    bench.router.on_frame(bench.connection, encode_message(metadata_request(), 1, None))
    assert turn(bench) == []
    bench.connection.close()
    for _ in range(2):
        assert turn(bench) == []
    assert bench.out.wake_at is None


@pytest.mark.spec("S-08")
def test_an_answer_without_bound_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "ANSWER_MAX", 10_000)
    bench = with_topics(PARTITIONS)
    bench.router.on_frame(bench.connection, encode_message(metadata_request(), 1, None))
    for _ in range(PARTITIONS):
        if (ready := bench.out.take()) is not None and ready.closes:
            break
        for asked in ready.jobs if ready is not None else ():
            bench.out.done(asked.ticket, bench.carried_out(cast("Compute", asked.job)))
        if bench.out.wake_at is not None:
            bench.out.tick()
    assert ready is not None
    assert ready.closes == [1]
    assert "ask for less at a time" in str(ready.log_lines[0].fields["reason"])
    assert bench.out.wake_at is None


@pytest.mark.spec("S-08")
def test_a_kept_answer_that_is_bulky_is_long_work_to_send() -> None:
    bench = with_topics(PARTITIONS)
    bench.ask(metadata_request())
    frame = encode_message(metadata_request(), 1, None)
    bench.until(lambda: None if bench.out.wake_at is not None else Ready())
    for _ in range(10):
        bench.router.on_frame(bench.connection, frame)
    first = bench.out.take()
    assert first is not None
    assert len(first.answers) == 1, "the first has it at once, the others wait"
    sizes = [len(joined(first.answers[0].buffers))]
    assert sizes[0] > slices.SENT_BYTES // 2
    turns = 0
    while len(sizes) < 10:
        ready = bench.until(bench.out.take)
        assert len(ready.answers) <= 1
        sizes += [len(joined(answer.buffers)) for answer in ready.answers]
        turns += 1
    assert len(set(sizes)) == 1
    assert turns >= 9
