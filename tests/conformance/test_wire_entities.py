"""Every request and response that we serve, in every version: our generated code against kio's own.

kio is an independent reading of Kafka's message definitions, so agreement in both directions says
that the bytes are right. Mutilated bytes may raise nothing but Corrupt.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kio.serial import entity_reader, entity_writer
from tests.support.amounts import cases
from tools.messages import entities, frames
from tools.messages.layout import Field, Layout, layout_of
from tools.messages.schema import DATA, attribute
from tools.messages.times import timestamp

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.wire import codec, messages
from spindle.wire.apis import TABLE, Key

MESSAGES = {
    cls.__name__: cls
    for found in iter_modules(messages.__path__)
    for cls in vars(import_module(f"{messages.__name__}.{found.name}")).values()
    if isinstance(cls, type) and issubclass(cls, codec.Whole)
}
VERSIONS: dict[str, list[Callable[[], type[Any]]]] = {
    f"{Key(key).name}-{side}": [
        partial(load, key, version) for version in range(api.readable_from, api.max + 1)
    ]
    for key, api in TABLE.items()
    for side, load in (("request", entities.request_class), ("response", entities.response_class))
} | {
    name: [partial(entities.data_class, name, version) for version in versions]
    for name, versions in DATA.items()
}
"""What loads kio's class of each version of a message: in its test, for that takes long."""
each_message = pytest.mark.parametrize("versions", VERSIONS.values(), ids=VERSIONS)


def whole(bits: int, signed: bool = True) -> st.SearchStrategy[int]:
    low = -(2 ** (bits - 1)) if signed else 0
    return st.integers(low, 2 ** (bits - signed) - 1) | st.sampled_from((0, 1, low))


# The one code that is ours alone is unknown to kio.
CODES = [code for code in Error if code != Error.UNKNOWN_EVENT_TYPE]

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "int8": whole(8), "int16": whole(16), "int32": whole(32), "int64": whole(64),
    "uint16": whole(16, False), "bool": st.booleans(),
    "float64": st.floats(allow_nan=False, allow_infinity=False),
    "uuid": st.none() | st.uuids(), "error_code": st.sampled_from(CODES),
    "timedelta_i32": whole(32).map(lambda n: timedelta(milliseconds=n)),
    "timedelta_i64": whole(40).map(lambda n: timedelta(milliseconds=n)),
    "datetime_i64": st.integers(0, 2**41).map(
        lambda n: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=n)
    ),
    "string": st.text(max_size=5) | st.just("x" * 200),
    "bytes": st.binary(max_size=200), "records": st.binary(max_size=200),
}  # fmt: skip


@cache
def of_layout(layout: Layout) -> st.SearchStrategy[Any]:
    assert layout.cls is not None
    return st.builds(layout.cls, **{f.name: of_field(f) for f in layout.fields})


def of_field(field: Field) -> st.SearchStrategy[Any]:
    one = VALUES[field.kind] if field.layout is None else of_layout(field.layout)
    if field.array:
        one = st.lists(one, max_size=2).map(tuple)
    # kio writes no null in a tagged field unless it is the default, that is: not at all.
    may_be_null = field.nullable and (field.tag is None or field.default is None)
    return st.none() | one if may_be_null else one


def by_kio(entity: Any) -> bytes:
    buffer = io.BytesIO()
    entity_writer(type(entity))(buffer, entity)
    return buffer.getvalue()


@pytest.mark.hypothesis
@each_message
def test_bytes_are_kios_bytes_and_broken_ones_are_corrupt(
    versions: list[Callable[[], type[Any]]],
) -> None:
    for load in versions:
        look_at(load())


@settings(max_examples=cases(4), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def look_at(cls: type[Any], data: st.DataObject) -> None:
    """All that holds for one class of kio's and our message of that name."""
    entity = data.draw(of_layout(layout_of(cls)))
    raw = by_kio(entity)
    look_at_entity(cls, entity, raw)
    look_at_message(entity, raw)
    message, version = MESSAGES[cls.__name__], int(cls.__version__)
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    for _ in range(13):
        broken = mutilated(raw, rng)
        with suppress(Corrupt):
            read, size = codec.decode(message, version, broken)
            assert size <= len(broken)
            codec.encode(read, version)
        with suppress(Corrupt):
            found, size = entities.decode(cls, broken)
            assert size <= len(broken)
            entities.encode(found)


def look_at_entity(cls: type[Any], entity: Any, raw: bytes) -> None:
    """Our code for kio's own classes."""
    assert entities.encode(entity) == raw
    assert entity_reader(cls)(raw, 0) == (entity, len(raw))
    for buffer in (raw, bytearray(raw)):
        assert entities.decode(cls, buffer) == (entity, len(raw))
    pieces: list[bytes | bytearray | memoryview] = []
    entities.encode_into(entity, pieces)
    assert b"".join(pieces) == raw


def look_at_message(entity: Any, raw: bytes) -> None:
    """The message of the program."""
    message, version = MESSAGES[type(entity).__name__], int(type(entity).__version__)
    for buffer in (raw, bytearray(raw)):
        read, size = codec.decode(message, version, buffer)
        assert size == len(raw)
        assert_same(read, entity)
    assert codec.encode(read, version) == raw
    assert read == codec.decode(message, version, raw)[0]
    pieces: list[Buffer] = []
    codec.encode_into(read, version, pieces)
    assert b"".join(pieces) == raw
    if isinstance(read, codec.Response):
        assert codec.encode(packed(read, version), version) == raw


def packed(message: Any, version: int) -> Any:
    """The same with its arrays of structs, and those in them, as bytes."""
    given: dict[str, Any] = {}
    for name in message.__slots__:
        value = getattr(message, name)
        if isinstance(value, tuple) and value and isinstance(value[0], codec.Message):
            given[name] = codec.Packed()
            for one in value:
                given[name].add(1, codec.put_all([packed(one, version)], version))
    return codec.changed(message, **given)


def assert_same(message: Any, entity: Any) -> None:
    """That a message has the values of kio's entity, and its defaults for what kio's lacks."""
    layout = layout_of(type(entity))
    plain = type(message)()
    known = {attribute(f): f for f in layout.fields}
    for name in message.__slots__:
        value = getattr(message, name)
        if name not in known:
            continue  # this version has no such field; a reader sets its default: see below
        field, wanted = known[name], getattr(entity, known[name].name)
        if field.layout is not None and field.array:
            assert (value is None) == (wanted is None)
            for one, other in zip(value or (), wanted or (), strict=True):
                assert_same(one, other)
        elif field.layout is not None and wanted is not None:
            assert_same(value, wanted)
        else:
            assert value == as_written(field, wanted), name
    for name in set(message.__slots__) - set(known):
        assert getattr(message, name) == getattr(plain, name), name


def as_written(field: Field, value: Any) -> Any:
    if field.kind.startswith("timedelta"):
        return entities.to_ms(value)
    return timestamp(value) if field.kind.startswith("datetime") else value


@each_message
def test_what_make_fills_in_can_be_sent(versions: list[Callable[[], type[Any]]]) -> None:
    for load in versions:
        cls = load()
        entity = entities.make(cls)
        raw = entities.encode(entity)
        assert entities.decode(cls, raw) == (entity, len(raw))
        assert entity_reader(cls)(raw, 0) == (entity, len(raw))


def mutilated(raw: bytes, rng: random.Random) -> bytes:
    """Some bytes changed, and cut short somewhere."""
    broken = bytearray(raw)
    for _ in range(rng.randrange(3) if broken else 0):
        broken[rng.randrange(len(broken))] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
    del broken[rng.randrange(len(broken) + 1) :]
    return bytes(broken)


def test_random_frames_raise_nothing_but_corrupt_and_refusal() -> None:
    rng = random.Random(11)
    outcomes = set()
    for _ in range(20_000):
        key = rng.choice((*TABLE, rng.randrange(-5, 200)))
        frame = key.to_bytes(2, "big", signed=True) + bytes((0, rng.randrange(20)))
        frame += (
            rng.randbytes(4)
            + b"\xff\xff"
            + bytes(
                rng.choice((0, 1, 2, 255, rng.randrange(256))) for _ in range(rng.randrange(60))
            )
        )
        try:
            frames.decode_request(frame)
            outcomes.add("read")
        except Refusal as refusal:
            outcomes.add(refusal.error.name)
        except Corrupt:
            outcomes.add("corrupt")
    assert outcomes == {"read", "UNSUPPORTED_VERSION", "corrupt"}
