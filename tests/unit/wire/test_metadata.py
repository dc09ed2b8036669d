"""Metadata records: every one comes back, old versions are read, unknown ones survive."""

from __future__ import annotations

import uuid
from dataclasses import fields
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.amounts import cases

from spindle.model import metadata_records as r
from spindle.model.errors import Corrupt
from spindle.model.ids import LOST, MIGRATING, UNASSIGNED, Endpoint, VersionRange
from spindle.wire.metadata import decode_record, encode_record

ids = st.sampled_from((MIGRATING, UNASSIGNED, LOST)) | st.uuids()
int8, int16 = st.integers(-128, 127), st.integers(-(2**15), 2**15 - 1)
int32, int64 = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)
text = st.text(max_size=8)


def several(of: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(of, max_size=3).map(tuple)


endpoints = several(st.builds(Endpoint, text, text, st.integers(0, 65535), int16))
features = several(st.tuples(text, st.builds(VersionRange, int16, int16)))
nodes, directories = several(int32), several(ids)

BY_NAME: dict[str, st.SearchStrategy[Any]] = {
    "broker_id": int32, "controller_id": int32, "incarnation_id": ids, "broker_epoch": int64,
    "endpoints": endpoints, "features": features, "rack": st.none() | text,
    "log_dirs": directories, "cordoned_log_dirs": st.none() | directories,
    "topic_id": ids, "partition_id": int32, "leader": int32, "leader_epoch": int32,
    "partition_epoch": int32, "leader_recovery_state": int8, "resource_type": int8,
    "resource_name": text, "key": text, "value": st.none() | text, "level": int16,
    "mechanism": int8, "salt": st.binary(), "stored_key": st.binary(), "server_key": st.binary(),
    "iterations": int32,
    "id": st.uuids(), "pattern_type": int8, "principal": text, "host": text, "operation": int8,
    "entity": several(st.tuples(text, st.none() | text)), "remove": st.booleans(),
    "owner": text, "requester": text, "renewers": several(text), "token_id": text,
    "issue_timestamp": int64, "max_timestamp": int64, "expiration_timestamp": int64,
    "permission_type": int8, "next_producer_id": int64, "name": text, "reason": text, "topic": text,
}  # fmt: skip


def strategy(cls: type[Any]) -> st.SearchStrategy[Any]:
    given_fields: dict[str, st.SearchStrategy[Any]] = {}
    for field in fields(cls):
        drawn = BY_NAME.get(field.name)
        if field.name in ("fenced", "in_controlled_shutdown"):
            drawn = int8 if cls is r.BrokerRegistrationChange else st.booleans()
        if field.name == "value" and cls is r.ClientQuota:
            drawn = st.floats(allow_nan=False)
        if drawn is None:
            optional = "None" in str(field.type)
            each = ids if field.name == "directories" else int32
            drawn = (st.none() if optional else st.nothing()) | several(each)
        given_fields[field.name] = drawn
    return st.builds(cls, **given_fields)


CLASSES = [c for c in get_args(r.MetadataRecord) if c is not r.Other]


@pytest.mark.parametrize("cls", CLASSES)
@settings(max_examples=cases(60), deadline=None)
@given(data=st.data())
def test_every_record_comes_back(cls: type[Any], data: st.DataObject) -> None:
    record = data.draw(strategy(cls))
    if cls is r.PartitionRegistration and not record.directories:
        return
    assert decode_record(encode_record(record)) == record


def test_zero_id_is_migrating() -> None:
    record = r.PartitionRegistration(
        partition_id=0,
        topic_id=uuid.uuid4(),
        replicas=(1, 2),
        isr=(1,),
        leader=1,
        leader_epoch=0,
        partition_epoch=0,
        directories=(MIGRATING, LOST),
    )
    read = decode_record(encode_record(record))
    assert isinstance(read, r.PartitionRegistration)
    assert read.directories == (MIGRATING, LOST)


# Bodies written by hand from the field tables: (bytes after the frame, record).
TOPIC_ID = uuid.UUID(int=7)
OLD = {
    "RegisterBroker 0": (
        b"\0\0"
        + b"\0\0\0\1"
        + TOPIC_ID.bytes
        + bytes(7)
        + b"\5"
        + b"\2"
        + b"\2P\2h\x23\x84\0\0\0"
        + b"\2"
        + b"\2f\0\1\0\3\0"
        + b"\0"
        + b"\1"
        + b"\0",
        r.RegisterBroker(
            broker_id=1,
            incarnation_id=TOPIC_ID,
            broker_epoch=5,
            endpoints=(Endpoint("P", "h", 9092, 0),),
            features=(("f", VersionRange(1, 3)),),
        ),
    ),
    "RegisterBroker 1": (
        b"\0\1" + b"\0\0\0\1" + TOPIC_ID.bytes + bytes(7) + b"\5\1\1\2r\0\1\0",
        r.RegisterBroker(
            broker_id=1,
            incarnation_id=TOPIC_ID,
            broker_epoch=5,
            rack="r",
            fenced=False,
            in_controlled_shutdown=True,
        ),
    ),
    "RegisterBroker 2": (
        b"\0\2" + b"\0\0\0\1\0" + TOPIC_ID.bytes + bytes(7) + b"\5\1\1\0\1\0\0",
        r.RegisterBroker(broker_id=1, incarnation_id=TOPIC_ID, broker_epoch=5),
    ),
    "RegisterBroker 3": (
        b"\0\3"
        + b"\0\0\0\1\0"
        + TOPIC_ID.bytes
        + bytes(7)
        + b"\5\1\1\0\1\0\1\0\x11\2"
        + LOST.bytes,
        r.RegisterBroker(broker_id=1, incarnation_id=TOPIC_ID, broker_epoch=5, log_dirs=(LOST,)),
    ),
    "Partition 0": (
        b"\3\0"
        + b"\0\0\0\2"
        + TOPIC_ID.bytes
        + b"\3\0\0\0\1\0\0\0\2"
        + b"\2\0\0\0\1"
        + b"\1\1"
        + b"\0\0\0\1\0\0\0\4\0\0\0\6\1\0\1\1",
        r.PartitionRegistration(
            partition_id=2,
            topic_id=TOPIC_ID,
            replicas=(1, 2),
            isr=(1,),
            leader=1,
            leader_epoch=4,
            partition_epoch=6,
            directories=(MIGRATING, MIGRATING),
            leader_recovery_state=1,
        ),
    ),
    "Partition 1": (
        b"\3\1"
        + b"\0\0\0\2"
        + TOPIC_ID.bytes
        + b"\2\0\0\0\1"
        + b"\2\0\0\0\1"
        + b"\1\1"
        + b"\0\0\0\1\0\0\0\4\0\0\0\6\2"
        + LOST.bytes
        + b"\0",
        r.PartitionRegistration(
            partition_id=2,
            topic_id=TOPIC_ID,
            replicas=(1,),
            isr=(1,),
            leader=1,
            leader_epoch=4,
            partition_epoch=6,
            directories=(LOST,),
        ),
    ),
    "PartitionChange 0": (
        b"\5\0" + b"\0\0\0\2" + TOPIC_ID.bytes + b"\2\0\1\1\1\4\xff\xff\xff\xff",
        r.PartitionChange(partition_id=2, topic_id=TOPIC_ID, isr=(), leader=-1),
    ),
    "PartitionChange 1": (
        b"\5\1" + b"\0\0\0\2" + TOPIC_ID.bytes + b"\1\x08\x11\2" + LOST.bytes,
        r.PartitionChange(partition_id=2, topic_id=TOPIC_ID, directories=(LOST,)),
    ),
    "FenceBroker": (
        b"\7\0\0\0\0\1" + bytes(7) + b"\5\0",
        r.BrokerRegistrationChange(broker_id=1, broker_epoch=5, fenced=1),
    ),
    "UnfenceBroker": (
        b"\x08\0\0\0\0\1" + bytes(7) + b"\5\0",
        r.BrokerRegistrationChange(broker_id=1, broker_epoch=5, fenced=-1),
    ),
    "BeginTransaction without name": (b"\x17\0\0", r.BeginTransaction()),
}


@pytest.mark.parametrize("name", OLD)
def test_old_versions_are_read(name: str) -> None:
    body, record = OLD[name]
    assert decode_record(b"\1" + body) == record


@pytest.mark.parametrize(
    ("change", "version"),
    [
        ({"fenced": 1}, 0),
        ({"in_controlled_shutdown": 1}, 1),
        ({"log_dirs": (LOST,)}, 2),
        ({"cordoned_log_dirs": ()}, 3),
    ],
)
def test_registration_changes_use_the_oldest_version(change: dict[str, Any], version: int) -> None:
    record = r.BrokerRegistrationChange(broker_id=1, broker_epoch=2, **change)
    assert encode_record(record)[:3] == bytes((1, 17, version))


WRITTEN = {
    r.RegisterBroker: (0, 4), r.UnregisterBroker: (1, 0), r.Topic: (2, 0),
    r.PartitionRegistration: (3, 2), r.DynamicConfig: (4, 0), r.PartitionChange: (5, 2),
    r.RemoveTopic: (9, 0), r.FeatureLevel: (12, 0),
    r.ProducerIdsBlock: (15, 0), r.NoOp: (20, 0), r.BeginTransaction: (23, 0),
    r.EndTransaction: (24, 0), r.AbortTransaction: (25, 0), r.RegisterController: (27, 0),
    r.ClearElr: (28, 0), r.UserScramCredential: (11, 0), r.RemoveUserScramCredential: (22, 0),
    r.ClientQuota: (14, 0),
}  # fmt: skip


@pytest.mark.parametrize("cls", WRITTEN)
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_keys_and_versions_are_those_of_kafka_4_3(cls: type[Any], data: st.DataObject) -> None:
    assert encode_record(data.draw(strategy(cls)))[:3] == bytes((1, *WRITTEN[cls]))


def test_unknown_records_survive() -> None:
    value = b"\1\x0d\0some body"
    record = decode_record(value)
    assert record == r.Other(key=13, version=0, body=b"some body")
    assert encode_record(record) == value
    far = r.Other(key=1000, version=300, body=b"")
    assert decode_record(memoryview(encode_record(far))) == far


def test_unknown_tags_are_stepped_over() -> None:
    value = encode_record(r.NoOp())
    assert decode_record(value[:-1] + b"\1\x09\2ab") == r.NoOp()


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (b"", "cut short"),
        (b"\2\x14\0\0", "frame version 2"),
        (b"\1\3\3", "knows 0 to 2"),
        (b"\1\x14\0\0x", "1 bytes are left"),
        (b"\1\3\2\0", "Partition v2"),
        (b"\1\x09\0" + bytes(16), "RemoveTopic v0"),
    ],
)
def test_broken_records_are_corrupt(value: bytes, why: str) -> None:
    with pytest.raises(Corrupt, match=why):
        decode_record(value)


@settings(max_examples=cases(400), deadline=None)
@given(st.sampled_from(CLASSES), st.data())
def test_mutated_records_raise_nothing_but_corrupt(cls: type[Any], data: st.DataObject) -> None:
    value = bytearray(encode_record(data.draw(strategy(cls))))
    for _ in range(data.draw(st.integers(1, 3))):
        value[data.draw(st.integers(0, len(value) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(value)))
    for raw in (bytes(value), bytes(value[:cut])):
        try:
            record = decode_record(raw)
        except Corrupt:
            continue
        assert decode_record(encode_record(record)) == record
