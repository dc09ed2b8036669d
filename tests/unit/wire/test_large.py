"""Large typed requests read in steps say what they say when they are read at once (S-08)."""

from __future__ import annotations

import tracemalloc
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from tools.messages import entities
from tools.messages.layout import Field, Layout, layout_of

from spindle.model.errors import Corrupt, Error, Refusal
from spindle.wire import messages
from spindle.wire.apis import TABLE, Key
from spindle.wire.codec import Request, decode, encode, walk
from spindle.wire.large import KEPT, STEP, TAGS_MAX, Many
from spindle.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from spindle.wire.messages.produce_request import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from spindle.wire.values import put_uvarint

COUNTS = [(), (4_000,), (3, 2_000), (2, 2, 2_000), (100, 60)]
REQUESTS: list[type[Request[Any]]] = [
    cls
    for found in iter_modules(messages.__path__)
    for cls in vars(import_module(f"{messages.__name__}.{found.name}")).values()
    if isinstance(cls, type) and issubclass(cls, Request) and cls.__module__.endswith(found.name)
]
each_request = pytest.mark.parametrize("cls", REQUESTS, ids=lambda cls: cls.__name__)


def filled(layout: Layout, counts: tuple[int, ...]) -> Any:
    """A message whose arrays have so many elements: outer ones, those in their elements, ..."""
    assert layout.cls is not None
    values: dict[str, Any] = {}
    for field in layout.fields:
        inner = field.layout
        if field.array and counts:
            values[field.name] = (element(field, counts[1:]),) * counts[0]
        elif not field.array and inner is not None:
            values[field.name] = filled(inner, counts)
        elif field.kind in ("string", "bytes", "records") and not field.array:
            values[field.name] = "x" * 7 if field.kind == "string" else b"y" * 7
    return entities.make(layout.cls, **values)


def element(field: Field, counts: tuple[int, ...]) -> Any:
    blank = {"string": "text", "bytes": b"bytes", "bool": False, "uuid": None}
    return blank.get(field.kind, 7) if field.layout is None else filled(field.layout, counts)


def test_every_api_has_its_request() -> None:
    assert {cls.KEY for cls in REQUESTS} == set(TABLE)


@each_request
def test_every_request_is_read_as_it_is_at_once(cls: type[Request[Any]]) -> None:
    for version in cls.VERSIONS:
        layout = layout_of(entities.request_class(cls.KEY, version))
        sizes = COUNTS if version == cls.VERSIONS[-1] else COUNTS[:2]
        for sent in {entities.encode(filled(layout, counts)): None for counts in sizes}:
            look_at(cls, version, sent)


def look_at(cls: type[Request[Any]], version: int, sent: bytes) -> None:
    reading = walk(cls, version, memoryview(b"head" + sent), 4)
    steps = 1
    while not reading.step():
        steps += 1
    assert (reading.end, encode(reading.value, version)) == (4 + len(sent), sent)
    assert encode(reading.value, version) == sent, "and a second time"
    if not any(isinstance(v, Many) for v in arrays(reading.value)):
        assert reading.value == decode(cls, version, sent)[0]
    if len(sent) > 4 * STEP and cls.KEY in (Key.METADATA, Key.CREATE_TOPICS):
        assert steps >= len(sent) / (4 * STEP) - 1


def arrays(message: Any) -> Any:
    """The arrays of a message, and those in the elements of short ones."""
    for name in message.__slots__:
        value = getattr(message, name)
        if isinstance(value, Many):
            yield value
        for one in value if isinstance(value, tuple) else (value,):
            if hasattr(one, "__slots__") and hasattr(one, "WRITERS"):
                yield from arrays(one)


@each_request
def test_every_broken_request_is_said_as_it_is_at_once(cls: type[Request[Any]]) -> None:
    for version in cls.VERSIONS:
        layout = layout_of(entities.request_class(cls.KEY, version))
        sent = entities.encode(filled(layout, (1, 2, 1)))
        for at in range(len(sent)):
            for broken in (sent[:at], sent[:at] + b"\xff" + sent[at + 1 :]):
                found = said(cls, version, broken)
                if "are read in a large message" not in str(found):
                    assert found == said_at_once(cls, version, broken)


def said(cls: type[Request[Any]], version: int, data: bytes) -> object:
    try:
        return walked(data, cls, version)
    except Corrupt as corrupt:
        return str(corrupt)


def said_at_once(cls: type[Request[Any]], version: int, data: bytes) -> object:
    try:
        return decode(cls, version, data)[0]
    except Corrupt as corrupt:
        return str(corrupt)


def metadata(count: int) -> MetadataRequest:
    return MetadataRequest(topics=[MetadataRequestTopic(name=f"topic-{n}") for n in range(count)])


def walked(sent: bytes, cls: type[Request[Any]] = MetadataRequest, version: int = 12) -> Any:
    reading = walk(cls, version, sent)
    while not reading.step():
        pass
    return reading.value


def test_long_arrays_stay_bytes_and_short_ones_are_tuples() -> None:
    assert type(walked(encode(metadata(KEPT // 50), 12)).topics) is tuple
    many = walked(encode(metadata(3_000), 12)).topics
    assert type(many) is Many
    assert (len(many), many[0].name, many[2_999].name) == (3_000, "topic-0", "topic-2999")
    assert [topic.name for topic in many] == [f"topic-{n}" for n in range(3_000)]
    with pytest.raises(IndexError):
        many[3_000]


def test_records_make_no_array_long() -> None:
    parts = [PartitionProduceData(index=n, records=bytes(1 << 20)) for n in range(3)]
    topic = TopicProduceData(name="t", partition_data=parts)
    sent = encode(ProduceRequest(topic_data=[topic]), 9)
    reading = walk(ProduceRequest, 9, sent)
    assert reading.step(), "one step is enough"
    assert type(reading.value.topic_data) is tuple
    assert reading.value == decode(ProduceRequest, 9, sent)[0]


@pytest.mark.spec("S-08")
def test_what_is_kept_of_a_large_request_is_little_beside_its_bytes() -> None:
    sent = encode(metadata(50_000), 12)
    tracemalloc.start()
    try:
        body = walked(sent)
        assert sum(len(topic.name) for topic in body.topics) > 500_000
        assert tracemalloc.get_traced_memory()[1] < len(sent) / 4
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("cut", [1, 2, 3, 20, 30_000])
def test_what_is_cut_short_is_said_as_it_is_at_once(cut: int) -> None:
    sent = encode(metadata(3_000), 12)[:-cut]
    with pytest.raises(Corrupt) as at_once:
        decode(MetadataRequest, 12, sent)
    with pytest.raises(Corrupt) as in_steps:
        walked(sent)
    assert str(in_steps.value) == str(at_once.value)


def test_a_name_that_is_no_utf_8_is_found_wherever_it_is() -> None:
    sent = encode(metadata(3_000), 12).replace(b"topic-2990", b"topic-29\xff0")
    with pytest.raises(Corrupt, match="MetadataRequest v12: a string is not UTF-8"):
        walked(sent)


def test_tagged_fields_without_end_are_refused_wherever_they_are() -> None:
    tags = b"".join(put_uvarint(1_000 + n) + b"\0" for n in range(TAGS_MAX + 1))
    allowed = put_uvarint(TAGS_MAX) + tags[: 3 * TAGS_MAX]
    too_many = put_uvarint(TAGS_MAX + 1) + tags
    whole = encode(metadata(1), 12)
    assert walked(whole[:-1] + allowed).topics[0].name == "topic-0"
    with pytest.raises(Corrupt, match="MetadataRequest claims 101 tagged fields"):
        walked(whole[:-1] + too_many)
    name = b"topic-0"
    inside = whole.index(name) + len(name)
    with pytest.raises(Corrupt, match="MetadataRequestTopic claims 101 tagged fields"):
        walked(whole[:inside] + too_many + whole[inside + 1 :])
    assert decode(MetadataRequest, 12, whole[:-1] + too_many)[0] == metadata_read(whole)


def metadata_read(sent: bytes) -> MetadataRequest:
    return decode(MetadataRequest, 12, sent)[0]


def test_a_version_that_we_do_not_have_is_refused_at_once() -> None:
    with pytest.raises(Refusal) as refused:
        walk(MetadataRequest, 99, b"")
    assert refused.value.error == Error.UNSUPPORTED_VERSION
