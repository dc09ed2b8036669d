"""Records of the metadata log, the coordinators' topics and control batches: each version's bytes.

The committed readers and writers do as functions that are made from the same tables another way.
"""

from __future__ import annotations

import uuid
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.messages.layout import FIXED, Field, Layout
from tools.messages.metadata_records import metadata_records
from tools.messages.readers import read_all
from tools.messages.recording import Recorded
from tools.messages.schema import snake
from tools.messages.topic_records import control_records, topic_records
from tools.messages.writers import writer_of

from spindle.model import metadata_records as r
from spindle.model.errors import Corrupt
from spindle.wire.codec import read_record

RECORDS = [*metadata_records(), *topic_records(), *control_records()]
READ = [pytest.param(one, v, id=f"{one.name} {v}") for one in RECORDS for v in one.layouts]
WRITTEN = [pytest.param(one, v, id=f"{one.name} {v}") for one in RECORDS for v in one.written]

TEXT = st.text(max_size=8)
IDS = st.uuids() | st.just(uuid.UUID(int=0))
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "bool": st.booleans(), "int8": st.integers(-128, 127), "uint16": st.integers(0, 65535),
    "int16": st.integers(-(2**15), 2**15 - 1), "int32": st.integers(-(2**31), 2**31 - 1),
    "int64": st.integers(-(2**63), 2**63 - 1), "string": TEXT | st.just("x" * 200),
    "bytes": st.binary(max_size=9), "id": IDS, "uuid": st.none() | st.uuids(),
    "float64": st.floats(allow_nan=False),
}  # fmt: skip


def of_layout(layout: Layout) -> st.SearchStrategy[Any]:
    given_fields = {f.name: of_field(f) for f in layout.fields if f.name}
    if layout.cls is not None:
        return st.builds(layout.cls, **given_fields)
    assert layout.build is not None
    return st.builds(layout.build, *given_fields.values())


def of_field(field: Field) -> st.SearchStrategy[Any]:
    one = VALUES[field.kind] if field.layout is None else of_layout(field.layout)
    if field.array:
        one = st.lists(one, max_size=3).map(tuple)
    null_differs = field.nullable and field.default is None
    return one | st.none() if null_differs else one


def module(record: Recorded) -> ModuleType:
    return import_module(f"spindle.wire.record_codecs.{snake(record.name)}")


def expected(layout: Layout, value: Any) -> bytes:
    pieces: list[Any] = []
    writer_of(layout)(value, pieces.append)
    return b"".join(pieces)


@pytest.mark.parametrize(("record", "version"), WRITTEN)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_bytes_are_those_of_the_tables(record: Recorded, version: int, data: st.DataObject) -> None:
    layout = record.layouts[version]
    value = data.draw(of_layout(layout))
    pieces: list[Any] = []
    module(record).WRITERS[version](value, pieces.append)
    written = b"".join(pieces)
    assert written == expected(layout, value)
    reader = module(record).READERS[version]
    assert read_record(reader, record.name, version, written, 0) == read_all(layout, written)


@pytest.mark.parametrize(("record", "version"), WRITTEN)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_broken_bytes_are_read_alike(record: Recorded, version: int, data: st.DataObject) -> None:
    """The same value with the same end, or Corrupt from both."""
    layout = record.layouts[version]
    raw = bytearray(expected(layout, data.draw(of_layout(layout))))
    for _ in range(data.draw(st.integers(0, 3)) if raw else 0):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    sent = bytes(raw[: data.draw(st.integers(0, len(raw)))]) + data.draw(st.binary(max_size=6))
    reader = module(record).READERS[version]
    try:
        value, end = read_all(layout, sent)
    except Corrupt:
        with pytest.raises(Corrupt, match=f"^{record.name} v{version}: "):
            read_record(reader, record.name, version, sent, 0)
        return
    if isinstance(value, r.BeginTransaction) and value.name is None:
        value = r.BeginTransaction()
    if isinstance(value, r.AbortTransaction) and value.reason is None:
        value = r.AbortTransaction()
    assert read_record(reader, record.name, version, sent, 0) == (value, end)


def zeros(field: Field) -> bytes:
    """A field as zeros, empty where it has a length."""
    if field.layout is not None and not field.array:
        return b"".join(map(zeros, field.layout.plain)) + b"\0"
    if field.array or field.kind not in FIXED:
        return b"\1"
    return bytes(FIXED[field.kind][1])


@pytest.mark.parametrize(("record", "version"), READ)
def test_unknown_tags_are_stepped_over(record: Recorded, version: int) -> None:
    """Nine tags, the last one long and of a high number, before the bytes end."""
    layout = record.layouts[version]
    if not layout.flexible:
        return
    plain = b"".join(map(zeros, layout.plain))
    tags = b"\x09" + b"\x7f\0" * 8 + b"\xff\x7f" + b"\x80\x01" + bytes(128)
    reader = module(record).READERS[version]
    bare, end = read_record(reader, record.name, version, plain + b"\0", 0)
    assert end == len(plain) + 1
    found = read_record(reader, record.name, version, plain + tags, 0)
    assert found == (bare, len(plain) + len(tags))
    for cut in range(1, len(tags)):
        with pytest.raises(Corrupt):
            read_record(reader, record.name, version, (plain + tags)[:-cut], 0)


def test_what_is_read_is_frozen_and_of_its_class() -> None:
    """The open twin that a reader fills in is never seen outside."""
    (partition,) = (one for one in RECORDS if one.name == "Partition")
    value = r.PartitionRegistration(
        partition_id=1, topic_id=uuid.UUID(int=5), replicas=(1,), isr=(1,), leader=1,
        leader_epoch=0, partition_epoch=0,
    )  # fmt: skip
    sent = expected(partition.layouts[2], value)
    found, _ = read_record(module(partition).READERS[2], "Partition", 2, sent, 0)
    assert type(found) is r.PartitionRegistration
    assert (found, hash(found)) == (value, hash(value))
    with pytest.raises(AttributeError):
        found.leader = 2  # type: ignore[misc]
