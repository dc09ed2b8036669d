"""Large messages read in steps say what they say when they are read at once (S-08)."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from spindle.model.errors import Corrupt
from spindle.wire.apis import TABLE, Key
from spindle.wire.entities import decode, encode, make, request_class, request_types
from spindle.wire.layout import Layout, layout_of
from spindle.wire.values import put_uvarint
from spindle.wire.walks import KEPT, STEP, TAGS_MAX, Many, Walk

EVERY = [(key, api.max) for key, api in TABLE.items()]


def filled(layout: Layout, counts: tuple[int, ...]) -> Any:
    """A message whose arrays have so many elements: outer ones, those in their elements, ..."""
    assert layout.cls is not None
    values: dict[str, Any] = {}
    for field in layout.fields:
        inner = field.layout
        if field.array and counts:
            blank = {"string": "text", "bytes": b"bytes", "bool": False, "uuid": None}
            one = blank.get(field.kind, 7) if inner is None else filled(inner, counts[1:])
            values[field.name] = (one,) * counts[0]
        elif not field.array and inner is not None:
            values[field.name] = filled(inner, counts)
        elif field.kind in ("string", "bytes", "records") and not field.array:
            values[field.name] = "x" * 7 if field.kind == "string" else b"y" * 7
    return make(layout.cls, **values)


@pytest.mark.parametrize(("key", "version"), EVERY)
@pytest.mark.parametrize("counts", [(), (4_000,), (3, 2_000), (2, 2, 2_000), (100, 60)])
def test_every_request_is_read_as_it_is_at_once(
    key: int, version: int, counts: tuple[int, ...]
) -> None:
    layout = layout_of(request_class(key, version))
    sent = encode(filled(layout, counts))
    walk = Walk(layout, memoryview(b"head" + sent), 4)
    steps = 1
    while not walk.step():
        steps += 1
    assert (walk.end, encode(walk.value)) == (4 + len(sent), sent)
    assert encode(walk.value) == sent, "and a second time"
    if counts == (4_000,) and key in (Key.METADATA, Key.CREATE_TOPICS, Key.DESCRIBE_CONFIGS):
        assert steps >= len(sent) / (4 * STEP) - 1


def metadata(count: int) -> Any:
    t = request_types(Key.METADATA, 12)
    topics = tuple(make(t.MetadataRequestTopic, name=f"topic-{n}") for n in range(count))
    return make(t.MetadataRequest, topics=topics)


def walked(sent: bytes, key: int = Key.METADATA, version: int = 12) -> Any:
    walk = Walk(layout_of(request_class(key, version)), sent)
    while not walk.step():
        pass
    return walk.value


def test_long_arrays_stay_bytes_and_short_ones_are_tuples() -> None:
    assert type(walked(encode(metadata(KEPT // 50))).topics) is tuple
    many = walked(encode(metadata(3_000))).topics
    assert type(many) is Many
    assert (len(many), many[0].name, many[2_999].name) == (3_000, "topic-0", "topic-2999")
    assert [topic.name for topic in many] == [f"topic-{n}" for n in range(3_000)]
    with pytest.raises(IndexError):
        many[3_000]


def test_records_make_no_array_long() -> None:
    t = request_types(Key.PRODUCE, 9)
    parts = tuple(make(t.PartitionProduceData, index=n, records=bytes(1 << 20)) for n in range(3))
    topic = make(t.TopicProduceData, name="t", partition_data=parts)
    sent = encode(make(t.ProduceRequest, topic_data=(topic,)))
    walk = Walk(layout_of(request_class(Key.PRODUCE, 9)), sent)
    assert walk.step(), "one step is enough"
    assert type(walk.value.topic_data) is tuple
    assert walk.value == decode(request_class(Key.PRODUCE, 9), sent)[0]


@pytest.mark.spec("S-08")
def test_what_is_kept_of_a_large_request_is_little_beside_its_bytes() -> None:
    sent = encode(metadata(50_000))
    tracemalloc.start()
    try:
        body = walked(sent)
        assert sum(len(topic.name) for topic in body.topics) > 500_000
        assert tracemalloc.get_traced_memory()[1] < len(sent) / 4
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("cut", [1, 2, 3, 20, 30_000])
def test_what_is_broken_is_said_as_it_is_at_once(cut: int) -> None:
    sent = encode(metadata(3_000))[:-cut]
    with pytest.raises(Corrupt) as at_once:
        decode(request_class(Key.METADATA, 12), sent)
    with pytest.raises(Corrupt) as in_steps:
        walked(sent)
    assert str(in_steps.value) == str(at_once.value)


def test_a_name_that_is_no_utf_8_is_found_wherever_it_is() -> None:
    sent = encode(metadata(3_000)).replace(b"topic-2990", b"topic-29\xff0")
    with pytest.raises(Corrupt, match="MetadataRequest v12: a string is not UTF-8"):
        walked(sent)


def test_tagged_fields_without_end_are_refused() -> None:
    end = encode(metadata(1))[:-1]
    tags = b"".join(put_uvarint(1_000 + n) + b"\0" for n in range(TAGS_MAX + 1))
    assert walked(end + put_uvarint(TAGS_MAX) + tags[: 3 * TAGS_MAX]).topics[0].name == "topic-0"
    with pytest.raises(Corrupt, match="MetadataRequest v12 claims 101 tagged fields"):
        walked(end + put_uvarint(TAGS_MAX + 1) + tags)
