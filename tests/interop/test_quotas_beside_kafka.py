"""Quotas of clients are set, described and kept as Apache Kafka 4.3 does it, in its words (S-07).

One node of each; every request is sent to both, and the answers are compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import pytest
from confluent_kafka import Consumer, Producer, ThrottleEvent
from tests.support.acl_cases import ROOT, Side
from tests.support.apache_kafka import CONFIGS, ApacheKafka, ApacheNode, run_tool
from tests.support.clients import flushed
from tests.support.quota_cases import ALTERATIONS, QUESTIONS, QuotaLink, altered, asked
from tests.support.spindle_cluster import SpindleCluster
from tests.support.storage import batch
from tests.support.waiting import eventually

from spindle.model.errors import Error
from spindle.wire.codec import Message, Request
from spindle.wire.messages import create_partitions_request as create_partitions
from spindle.wire.messages import create_topics_request as create_topics
from spindle.wire.messages import delete_topics_request as delete_topics
from spindle.wire.messages import fetch_request as fetch
from spindle.wire.messages import metadata_request as metadata
from spindle.wire.messages import produce_request as produce

pytestmark = pytest.mark.spec("S-07")
VERSION: Final = 1


@pytest.fixture(scope="module")
def sides(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Side, ...]]:
    folder = tmp_path_factory.mktemp("quotas")
    theirs = ApacheKafka(folder / "kafka", kafka_jars, directories=1)
    ours = SpindleCluster(folder / "spindle", kafka_jars, directories=1)
    with theirs, ours:
        for cluster in (theirs, ours):
            cluster.start()
        yield tuple(side_of(name, c) for name, c in (("kafka", theirs), ("spindle", ours)))


def side_of(name: str, cluster: ApacheKafka) -> Side:
    node: ApacheNode = cluster.brokers[0]
    assert node.controller_port is not None
    return Side(name, node.port, node.controller_port)


def shape(message: object) -> object:
    """An answer in a form that does not know order."""
    if isinstance(message, Message):
        told = {name: shape(getattr(message, name)) for name in type(message).__slots__}
        return tuple(sorted(told.items()))
    if isinstance(message, list | tuple):
        return tuple(sorted((shape(each) for each in message), key=repr))
    return int(message) if isinstance(message, int) else message


def test_every_change_has_kafkas_answer(sides: tuple[Side, ...]) -> None:
    kafka, spindle = sides
    for name, request in ALTERATIONS.items():
        for controller in (False, True):
            expected = shape(kafka.ask(request, VERSION, ROOT, controller))
            assert shape(spindle.ask(request, VERSION, ROOT, controller)) == expected, name


def test_every_question_has_kafkas_answer(sides: tuple[Side, ...]) -> None:
    kafka, spindle = sides
    for name, request in QUESTIONS.items():
        for version in (0, VERSION):

            def same(request: Request[Any] = request, version: int = version) -> bool:
                one, other = (shape(side.ask(request, version, ROOT)) for side in sides)
                return one == other

            try:  # Brokers hear of a change a moment after it was answered.
                eventually(same, name, 10)
            except AssertionError:
                expected = shape(kafka.ask(request, version, ROOT))
                assert shape(spindle.ask(request, version, ROOT)) == expected, name
    assert len(spindle.ask(asked(), VERSION, ROOT).entries) >= 6


TOOL: Final = (
    ("--alter", "--entity-type", "users", "--entity-name", "tool", "--add-config",
     "producer_byte_rate=1024,consumer_byte_rate=2048"),
    ("--alter", "--entity-type", "users", "--entity-default", "--entity-type", "clients",
     "--entity-name", "tool", "--add-config", "request_percentage=50.5"),
    ("--alter", "--entity-type", "clients", "--entity-default", "--add-config",
     "controller_mutation_rate=100"),
    ("--alter", "--entity-type", "ips", "--entity-name", "127.0.0.33", "--add-config",
     "connection_creation_rate=7"),
    ("--alter", "--entity-type", "users", "--entity-name", "tool", "--add-config",
     "SCRAM-SHA-256=[iterations=4096,password=a-secret]"),
    ("--alter", "--entity-type", "users", "--entity-name", "tool", "--delete-config",
     "consumer_byte_rate"),
    ("--describe", "--entity-type", "users"),
    ("--describe", "--entity-type", "users", "--entity-name", "tool"),
    ("--describe", "--entity-type", "users", "--entity-type", "clients"),
    ("--describe", "--entity-type", "clients", "--entity-default"),
    ("--describe", "--entity-type", "ips"),
)  # fmt: skip


def test_kafka_configs_sets_and_describes(sides: tuple[Side, ...], kafka_jars: Path) -> None:
    for words in TOOL:

        def said(side: Side, words: tuple[str, ...] = words) -> list[str]:
            at = ("--bootstrap-server", f"127.0.0.1:{side.port}")
            done = run_tool(kafka_jars, CONFIGS, *at, *words)
            assert done.code == 0, done
            return sorted(line.strip() for line in done.lines() if line.strip())

        def alike(said: Callable[[Side], list[str]] = said) -> bool:
            one, other = map(said, sides)
            return one == other

        if words[0] == "--alter":
            assert alike(), words
        else:  # Brokers hear of a change a moment after it was answered.
            eventually(alike, f"both say the same: {words}", 20)


def created(names: tuple[str, ...], partitions: int = 1) -> create_topics.CreateTopicsRequest:
    return create_topics.CreateTopicsRequest(
        topics=tuple(
            create_topics.CreatableTopic(name=name, num_partitions=partitions, replication_factor=1)
            for name in names
        ),
        timeout_ms=20_000,
    )


@pytest.fixture
def bare(sides: tuple[Side, ...]) -> tuple[Side, ...]:
    """The same clusters without any quota."""
    for side in sides:
        found = side.ask(asked(), VERSION, ROOT).entries
        wanted: list[tuple[dict[str, str | None], dict[str, float | None]]] = [
            (
                {e.entity_type: e.entity_name for e in entry.entity},
                {v.key: None for v in entry.values},
            )
            for entry in found
        ]
        side.ask(altered(*wanted), VERSION, ROOT)
        eventually(lambda s=side: not s.ask(asked(), VERSION, ROOT).entries, "there are none", 20)
    return sides


def topic_on(side: Side, name: str) -> None:
    made = side.ask(created((name,)), 7, ROOT)
    assert made.topics[0].error_code == Error.NONE
    wanted = metadata.MetadataRequest(topics=(metadata.MetadataRequestTopic(name=name),))

    def led() -> bool:
        (topic,) = side.ask(wanted, 9, ROOT).topics
        return not topic.error_code and not topic.partitions[0].error_code

    eventually(led, "the topic is led", 30)


def limit(side: Side, entity: dict[str, str | None], **quotas: float | None) -> None:
    """Set quotas, and wait until the broker knows them."""
    (entry,) = side.ask(altered((entity, quotas)), VERSION, ROOT).entries
    assert entry.error_code == Error.NONE, entry
    kind, name = next(iter(entity.items()))
    question = asked((kind, 1 if name is None else 0, name), strict=len(entity) == 1)

    def known() -> bool:
        found = {v.key: v.value for e in side.ask(question, 1, ROOT).entries for v in e.values}
        return all(found.get(key) == value for key, value in quotas.items())

    eventually(known, "the quotas are known", 20)


def produced(topic: str, size: int, acks: int = 1) -> produce.ProduceRequest:
    return produce.ProduceRequest(
        acks=acks,
        timeout_ms=20_000,
        topic_data=(
            produce.TopicProduceData(
                name=topic,
                partition_data=(
                    produce.PartitionProduceData(index=0, records=batch(0, [bytes(size)]).data),
                ),
            ),
        ),
    )


def fetched(topic: str, session: int = 0, epoch: int = -1) -> fetch.FetchRequest:
    return fetch.FetchRequest(
        max_wait_ms=500,
        min_bytes=1,
        max_bytes=50_000_000,
        session_id=session,
        session_epoch=epoch,
        topics=(
            fetch.FetchTopic(
                topic=topic,
                partitions=(
                    fetch.FetchPartition(
                        partition=0, fetch_offset=0, partition_max_bytes=50_000_000
                    ),
                ),
            ),
        ),
    )


def write(side: Side, topic: str, size: int, times: int = 1) -> None:
    """Write as a client without a quota; a new topic may not take it at once."""

    def written() -> bool:
        with QuotaLink(side.port, "modest") as link:
            (of_topic,) = link.ask(produced(topic, size), 9).responses
        (partition,) = of_topic.partition_responses
        return not partition.error_code

    for _ in range(times):
        eventually(written, "it is written", 30)


SOON: Final = 0.4
"""Seconds in which a client that is not held back has its answer, and others do not."""


def test_a_producer_over_its_quota_is_held_back_as_kafka_does(bare: tuple[Side, ...]) -> None:
    waits = []
    for side in bare:
        topic_on(side, "produced")
        write(side, "produced", 10)
        limit(side, {"client-id": "greedy"}, producer_byte_rate=20_000)
        with QuotaLink(side.port, "greedy") as link, QuotaLink(side.port, "modest") as other:
            assert link.ask(produced("produced", 1_000), 9).throttle_time_ms == 0
            told = link.ask(produced("produced", 300_000), 9)
            assert told.responses[0].partition_responses[0].error_code == Error.NONE
            waits.append(told.throttle_time_ms)
            link.send(produced("produced", 10), 9)
            assert other.ask(produced("produced", 300_000), 9).throttle_time_ms == 0
            assert not link.answered(SOON), "it is answered only when its time has come"
            waits.append(link.take().responses[0].partition_responses[0].base_offset)
        limit(side, {"client-id": "greedy"}, producer_byte_rate=None)
        with QuotaLink(side.port, "greedy") as link:
            assert link.ask(produced("produced", 300_000), 9).throttle_time_ms == 0
    kafkas, kafkas_offset, ours, our_offset = waits
    assert kafkas_offset == our_offset
    assert 4_000 < kafkas < 6_500
    assert abs(ours - kafkas) < 1_000


def test_without_acks_a_producer_is_held_back_too(bare: tuple[Side, ...]) -> None:
    for side in bare:
        topic_on(side, "unacknowledged")
        write(side, "unacknowledged", 10)
        limit(side, {"client-id": "blind"}, producer_byte_rate=20_000)
        with QuotaLink(side.port, "blind") as link:
            link.send(produced("unacknowledged", 300_000, acks=0), 9)
            link._sent.clear()
            question = metadata.MetadataRequest(topics=())
            link.send(question, 9)
            assert not link.answered(SOON), side.name
            assert link.take().brokers


def test_a_consumer_over_its_quota_gets_no_records_as_kafka_does(bare: tuple[Side, ...]) -> None:
    waits = []
    for side in bare:
        topic_on(side, "fetched")
        write(side, "fetched", 60_000, 4)
        limit(side, {"user": "ANONYMOUS", "client-id": None}, consumer_byte_rate=10_000)
        with QuotaLink(side.port, "reader") as link:

            def some(link: QuotaLink = link) -> int:
                # Apache Kafka cuts batches, and may find its own answer a few bytes too long.
                (*found,) = link.ask(fetched("fetched"), 12).responses
                return sum(len(p.records) for r in found for p in r.partitions)

            size = eventually(some, "there are records", 60, 0.0)
            assert 60_000 <= size <= 125_000, "no more than fits into the quota's windows"
            second = link.ask(fetched("fetched"), 12)
            assert (second.error_code, list(second.responses)) == (Error.NONE, [])
            waits.append(second.throttle_time_ms)
            link.send(fetched("fetched"), 12)
            assert not link.answered(SOON)
        limit(side, {"user": "ANONYMOUS", "client-id": None}, consumer_byte_rate=None)
    assert all(waits)


def test_sessions_live_through_answers_without_records(bare: tuple[Side, ...]) -> None:
    told = []
    for side in bare:
        topic_on(side, "sessions")
        write(side, "sessions", 50_000)
        with QuotaLink(side.port, "remembered") as link:
            opened = link.ask(fetched("sessions", 0, 0), 12)
            assert opened.session_id
            assert opened.responses
            limit(side, {"client-id": "remembered"}, consumer_byte_rate=6_000)
            answers = []
            for epoch in (1, 2, 3):
                answer = link.ask(fetched("sessions", opened.session_id, epoch), 12)
                answers.append(
                    (
                        answer.error_code,
                        answer.session_id == opened.session_id,
                        sum(
                            len(p.records or b"") > 0
                            for r in answer.responses
                            for p in r.partitions
                        ),
                        answer.throttle_time_ms > 0,
                    )
                )
            told.append(answers)
    # How long the third one has to wait depends on when the windows of the rate end.
    assert told[0][0] == told[1][0], told
    for answers in told:
        assert all(error == Error.NONE and same for error, same, _, _ in answers), told
        assert (Error.NONE, True, 0, True) in answers, told


def errors(answer: Any, field: str) -> list[int]:
    return [int(each.error_code) for each in getattr(answer, field)]


def test_changes_of_topics_over_the_quota_are_refused_as_kafka_does(
    bare: tuple[Side, ...],
) -> None:
    def changes(side: Side) -> Iterator[tuple[object, bool]]:
        limit(side, {"client-id": "maker"}, controller_mutation_rate=0.5)
        with QuotaLink(side.port, "maker") as link:
            # What the second takes too much comes back in nine seconds.
            made = link.ask(created(("first", "second", "third"), 5), 7)
            yield errors(made, "topics"), made.throttle_time_ms > 0
            yield sorted(str(t.error_message) for t in made.topics), True
        with QuotaLink(side.port, "maker") as link:
            more = create_partitions.CreatePartitionsRequest(
                topics=(create_partitions.CreatePartitionsTopic(name="first", count=6),),
                timeout_ms=20_000,
            )
            made = link.ask(more, 3)
            yield errors(made, "results"), made.throttle_time_ms > 0
        with QuotaLink(side.port, "maker") as link:
            named = (delete_topics.DeleteTopicState(name="first"),)
            gone = link.ask(delete_topics.DeleteTopicsRequest(topics=named, timeout_ms=20_000), 6)
            yield errors(gone, "responses"), gone.throttle_time_ms > 0
            link.send(metadata.MetadataRequest(topics=()), 9)
            yield link.answered(SOON), True
        with QuotaLink(side.port, "maker") as link:
            made = link.ask(created(("lenient",), 5), 5)
            yield errors(made, "topics"), made.throttle_time_ms > 0
            link.send(metadata.MetadataRequest(topics=()), 9)
            yield link.answered(SOON), True

    kafka, spindle = (list(changes(side)) for side in bare)
    assert kafka == spindle
    assert spindle[0][0] == [Error.NONE, Error.NONE, Error.THROTTLING_QUOTA_EXCEEDED]


def test_time_over_the_quota_holds_a_client_back(bare: tuple[Side, ...]) -> None:
    """How long requests take differs from broker to broker; that it counts does not."""
    for side in bare:
        limit(side, {"user": "ANONYMOUS", "client-id": "busy"}, request_percentage=0.01)
        with QuotaLink(side.port, "busy") as link:

            def is_held_back(link: QuotaLink = link) -> bool:
                wait: int = link.ask(metadata.MetadataRequest(topics=None), 9).throttle_time_ms
                assert wait <= 1_000, "a window at most"
                return wait > 0

            eventually(is_held_back, f"{side.name} holds it back", 30, 0.0)


def test_too_many_connections_of_an_address_are_turned_away(bare: tuple[Side, ...]) -> None:
    def is_let_in(side: Side) -> bool:
        try:
            with QuotaLink(side.port, "many", "127.0.0.7") as link:
                link.ask(metadata.MetadataRequest(topics=()), 9)
        except (AssertionError, ConnectionError):
            return False
        return True

    for side in bare:
        limit(side, {"ip": "127.0.0.7"}, connection_creation_rate=2)
        connections = (is_let_in(side) for _ in range(1000))
        served = sum(1 for _ in takewhile(bool, connections))
        assert 20 <= served < 1000, "as many as come in ten seconds, and then no more"


def kept_waiting(make: Callable[[Callable[[ThrottleEvent], None]], None]) -> list[float]:
    events: list[float] = []
    make(lambda event: events.append(event.throttle_time))
    return events


def test_librdkafka_is_held_to_its_rates(bare: tuple[Side, ...]) -> None:
    side = bare[1]
    rate, size, count = 150_000, 10_000, 220
    topic_on(side, "rdkafka")
    limit(side, {"client-id": "rdkafka"}, producer_byte_rate=rate, consumer_byte_rate=rate)
    at = {"bootstrap.servers": f"127.0.0.1:{side.port}", "client.id": "rdkafka", "log_level": 0}
    began = time.monotonic()

    def write(on_throttle: Callable[[ThrottleEvent], None]) -> None:
        producer = Producer({**at, "throttle_cb": on_throttle, "batch.size": 20_000})
        for _ in range(count):
            producer.produce("rdkafka", bytes(size), partition=0)
        flushed(producer, 120)

    assert any(kept_waiting(write))
    # What it may send at once, and then its rate.
    assert time.monotonic() - began > (size * count - 11 * rate) / rate * 0.5
    began = time.monotonic()

    def read(on_throttle: Callable[[ThrottleEvent], None]) -> None:
        consumer = Consumer(
            {**at, "throttle_cb": on_throttle, "group.id": "rdkafka",
             "auto.offset.reset": "earliest", "fetch.message.max.bytes": 100_000}
        )  # fmt: skip
        consumer.subscribe(["rdkafka"])
        left = count

        def took() -> bool:
            nonlocal left
            left -= sum(m.error() is None for m in consumer.consume(50, 1.0))
            return left == 0

        eventually(took, "all is read", 120, 0.0)
        consumer.close()

    assert any(kept_waiting(read))
    assert time.monotonic() - began > (size * count - 11 * rate) / rate * 0.5
