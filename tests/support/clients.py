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

from spindle.cli.demo.demo_load import DemoLoad

_STAMP = struct.Struct(">iqd")
_QUIET = {"log_level": 0, "topic.metadata.refresh.interval.ms": 2000}


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
    assert producer.flush(60) == 0
    assert not failed, failed[:3]


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


def _end(reader: Consumer, place: TopicPartition, deadline: float) -> int:
    """Where a partition ends. One that was just elected may not have heard of it yet."""
    while True:
        try:
            return int(reader.get_watermark_offsets(place, timeout=20)[1])
        except KafkaException as refused:
            moved = refused.args[0].code() == KafkaError.NOT_LEADER_FOR_PARTITION
            if not moved or time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def read_all(
    bootstrap: str, topic: str, seconds: float = 60, promised: Mapping[int, int] | None = None
) -> dict[int, list[Message]]:
    """Every record of a topic, by partition, from its beginning to its end as of now.

    `promised`: where each partition's records end at the earliest. A broker that has not heard yet
    that it leads no more tells an end of before.
    """
    reader = consumer(bootstrap, "reader", **{"enable.partition.eof": True})
    deadline = time.monotonic() + seconds
    try:
        read: dict[int, int] = {}
        """How far: the last entries of a log may be markers, or aborted, and come to no reader."""
        found: dict[int, list[Message]] = {}
        ends = {}
        for number in reader.list_topics(topic, 20).topics[topic].partitions:
            place = TopicPartition(topic, number)
            found[number] = []
            end = _end(reader, place, deadline)
            ends[number] = max(end, (promised or {}).get(number, 0))
        reader.assign([TopicPartition(topic, n, OFFSET_BEGINNING) for n in ends])
        while any(read.get(n, 0) < end for n, end in ends.items()):
            assert time.monotonic() < deadline, (
                f"{topic}: { {n: len(m) for n, m in found.items()} } of {ends}"
            )
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


def values(bootstrap: str, topic: str) -> list[bytes]:
    """The values of a topic, partition by partition."""
    found = read_all(bootstrap, topic)
    return [message.value() for number in sorted(found) for message in found[number]]


def audit(load: DemoLoad, bootstrap: str, topic: str) -> int:
    """All that a load was promised is there once, in order, at its offset; how much that is."""
    assert not load.failed, load.failed[:3]
    assert len(load.acknowledged) == load.sent
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
