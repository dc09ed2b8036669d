"""Records in and out by librdkafka, for tests that count them: none lost, none twice, in order."""

from __future__ import annotations

import itertools
import struct
import time
from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient

from spindle.cli.demo.demo_load import DemoLoad
from tests.support.deadlines import Deadline
from tests.support.waiting import TimeIsUp, eventually

State = dict[int, tuple[int, set[int]]]
"""Leader and ISR of each partition of a topic."""
_STAMP = struct.Struct(">iqd")
_QUIET = {"log_level": 0, "topic.metadata.refresh.interval.ms": 2000}
_MOVING = frozenset(
    (
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.REPLICA_NOT_AVAILABLE,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.FENCED_LEADER_EPOCH,
        KafkaError.OFFSET_NOT_AVAILABLE,
        KafkaError.KAFKA_STORAGE_ERROR,
        KafkaError._UNKNOWN_PARTITION,
    )
)
"""What brokers say while leaders change, or before they have heard of a topic: ask again. The last
is librdkafka's own: a partition without a leader is not always in what it remembers of a topic."""
_UNANSWERED = frozenset(
    (KafkaError._TIMED_OUT, KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN)
)
"""What librdkafka says where it asks a node that is just going down, say."""


def unanswered(refused: KafkaException) -> bool:
    """Whether no broker has answered: asked again, another one may."""
    return refused.args[0].code() in _UNANSWERED


def flushed(producer: Producer, seconds: float) -> None:
    """Wait until all is delivered or given up on. TimeIsUp if it is not."""
    if left := producer.flush(seconds):
        raise TimeIsUp(f"not within {seconds} s: {left} records are delivered")


def state_of(client: AdminClient | Consumer | Producer, topic: str, seconds: float = 10) -> State:
    """Leader and ISR of each partition of a topic; empty if the broker that answers has none.

    ConnectionError without an answer, so that a poll looks again: librdkafka asked a node that is
    just going down, say.
    """
    try:
        found = client.list_topics(topic, timeout=seconds).topics[topic].partitions
    except KafkaException as refused:
        if unanswered(refused):
            raise ConnectionError(f"no broker tells of {topic}") from refused
        raise
    return {number: (p.leader, set(p.isrs)) for number, p in found.items()}


def produce(
    bootstrap: str,
    topic: str,
    values: Sequence[bytes | None],
    partition: int = 0,
    /,
    **settings: Any,
) -> None:
    """Write values to one partition, acknowledged by all in-sync replicas."""
    failed: list[Any] = []
    given = {"bootstrap.servers": bootstrap, "acks": "all", **_QUIET, **settings}
    producer = Producer(given)
    for value in values:
        producer.produce(
            topic,
            value,
            partition=partition,
            on_delivery=lambda error, _: failed.append(error) if error else None,
        )
    flushed(producer, 60)
    assert not failed, failed[:3]


def taken(reader: Consumer, count: int, seconds: float = 30) -> list[Message]:
    """The next records of a consumer, so many or a few more; what is no record is passed over."""
    found: list[Message] = []

    def look() -> bool:
        found.extend(m for m in reader.consume(count - len(found), 0.2) if m.error() is None)
        return len(found) >= count

    eventually(look, f"{count} records are read", seconds, 0)
    return found


def consumer(bootstrap: str, group: str = "reader", **settings: Any) -> Consumer:
    """A consumer that commits only by an explicit call and begins at the beginning."""
    return Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            **_QUIET,
            **settings,
        }
    )


def _end(reader: Consumer, place: TopicPartition, deadline: Deadline) -> int:
    """Where a partition ends. One that was just elected may not have heard of it yet."""
    while True:
        try:
            return int(reader.get_watermark_offsets(place, timeout=20)[1])
        except KafkaException as refused:
            if refused.args[0].code() not in _MOVING and not unanswered(refused):
                raise
            deadline.hold(f"{place.topic}-{place.partition} is led; last: {refused}")
            time.sleep(0.1)


def read_all(
    bootstrap: str, topic: str, seconds: float = 60, promised: Mapping[int, int] | None = None
) -> dict[int, list[Message]]:
    """Every record of a topic, by partition, from its beginning to its end as of now.

    `promised`: where each partition's records end at the earliest. A broker that has not heard yet
    that it leads no more tells an end of before.
    """
    reader = consumer(bootstrap, "reader", **{"enable.partition.eof": True})
    deadline = Deadline(seconds)
    try:
        read: dict[int, int] = {}
        """How far: the last entries of a log may be markers, or aborted, and come to no reader."""
        found: dict[int, list[Message]] = {}
        ends = {}
        # A broker that has no replica of a new topic may hear of it last.
        for number in eventually(lambda: state_of(reader, topic), f"{topic} is known", seconds):
            place = TopicPartition(topic, number)
            found[number] = []
            end = _end(reader, place, deadline)
            ends[number] = max(end, (promised or {}).get(number, 0))
        reader.assign([TopicPartition(topic, n, OFFSET_BEGINNING) for n in ends])
        while any(read.get(n, 0) < end for n, end in ends.items()):
            if deadline.is_over:
                _not_lost(reader, topic, promised or {})
                deadline.hold(f"{topic}: { {n: len(m) for n, m in found.items()} } of {ends}")
            for message in reader.consume(1000, 0.1):
                error, number = message.error(), message.partition()
                if error is None:
                    found[number].append(message)
                    read[number] = message.offset() + 1
                elif error.code() == KafkaError._PARTITION_EOF:
                    read[number] = message.offset()
        return found
    finally:
        reader.close()


def _not_lost(reader: Consumer, topic: str, promised: Mapping[int, int]) -> None:
    """Each partition has what was promised: that it was not read in time is another matter."""
    for number, end in promised.items():
        there = _end(reader, TopicPartition(topic, number), Deadline(20))
        assert there >= end, f"{topic}-{number}: ends at {there}: up to {end}, all are lost"


def values(bootstrap: str, topic: str) -> list[bytes]:
    """The values of a topic, partition by partition."""
    found = read_all(bootstrap, topic)
    return [message.value() for number in sorted(found) for message in found[number]]


def audit(load: DemoLoad, bootstrap: str, topic: str) -> int:
    """All that a load was promised is there once, in order, at its offset; how much that is."""
    assert not load.failed, load.failed[:3]
    if open_ := load.sent - len(load.acknowledged):
        raise TimeIsUp(f"{topic}: {open_} records of {load.sent} have no answer yet")
    events = load.acknowledged
    places: list[int | None] = [*events.offset]
    told = list(zip(events.partition, places, events.sequence, strict=True))
    # A batch that was sent again to a leader that has started meanwhile: it has the batch, but does
    # not know any more where (DUPLICATE_SEQUENCE_NUMBER).
    nowhere = {(number, sequence) for number, offset, sequence in told if offset is None}
    ends: dict[int, int] = {}
    for number, offset, _ in told:
        ends[number] = max(ends.get(number, 0), 0 if offset is None else offset + 1)
    there: dict[tuple[int, int], int] = {}
    for number, messages in read_all(bootstrap, topic, promised=ends).items():
        offsets = [m.offset() for m in messages]
        assert offsets == list(range(len(offsets))), f"{topic}-{number}: a gap or a repetition"
        sequences = [_STAMP.unpack_from(m.value())[1] for m in messages]
        wrong = [
            f"at {at}: {before}, {after}"
            for at, (before, after) in enumerate(itertools.pairwise(sequences), 1)
            if before >= after
        ]
        assert not wrong, f"{topic}-{number}: out of order, or twice: {wrong[:9]}"
        there.update({(number, m.offset()): s for m, s in zip(messages, sequences, strict=True)})
    promised = {(number, offset): n for number, offset, n in told if offset is not None}
    promised |= {place: n for place, n in there.items() if (place[0], n) in nowhere}
    assert len(promised) == load.sent
    lost = {place: n for place, n in promised.items() if there.get(place) != n}
    unasked = {place: n for place, n in there.items() if place not in promised}
    assert not lost, f"{topic}: lost or elsewhere, by (partition, offset): {lost}"
    assert not unasked, f"{topic}: never acknowledged, by (partition, offset): {unasked}"
    return len(there)
