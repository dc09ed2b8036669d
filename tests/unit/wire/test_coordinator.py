"""Records of `__consumer_offsets`: all versions, tombstones, hostile bytes."""

from __future__ import annotations

import struct
import uuid
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.amounts import cases

from spindle.model.errors import Corrupt
from spindle.wire.coordinator import (
    GroupKey,
    GroupMember,
    GroupMetadata,
    GroupValue,
    OffsetCommit,
    OffsetKey,
    OffsetValue,
    decode_coordinator_record,
    encode_group,
    encode_offset,
)

TOPIC_ID = uuid.UUID(int=9)
OFFSET_KEY = b"\0\1\0\1g\0\1t\0\0\0\3"
GROUP_KEY = b"\0\2\0\1g"

text = st.text(max_size=8)
int32, int64 = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)
offset_values = st.builds(
    OffsetValue,
    offset=int64,
    leader_epoch=int32,
    metadata=text,
    commit_timestamp=int64,
    topic_id=st.none() | st.uuids(),
)
members = st.builds(
    GroupMember,
    member_id=text,
    instance_id=st.none() | text,
    client_id=text,
    client_host=text,
    rebalance_timeout=st.integers(0, 2**31 - 1),
    session_timeout=int32,
    subscription=st.binary(max_size=9),
    assignment=st.binary(max_size=9),
)
group_values = st.builds(
    GroupValue,
    protocol_type=text,
    generation=int32,
    protocol=st.none() | text,
    leader=st.none() | text,
    state_timestamp=int64,
    members=st.lists(members, max_size=3).map(tuple),
)


@settings(max_examples=cases(100), deadline=None)
@given(text, text, int32, st.none() | offset_values)
def test_offsets_come_back(
    group: str, topic: str, partition: int, value: OffsetValue | None
) -> None:
    key, raw = encode_offset(group, topic, partition, value)
    assert raw is None or raw[:2] == b"\0\4"
    assert decode_coordinator_record(key, raw) == OffsetCommit(
        OffsetKey(group, topic, partition), value
    )


@settings(max_examples=cases(100), deadline=None)
@given(text, st.none() | group_values)
def test_groups_come_back(group: str, value: GroupValue | None) -> None:
    key, raw = encode_group(group, value)
    assert raw is None or raw[:2] == b"\0\3"
    assert decode_coordinator_record(key, raw) == GroupMetadata(GroupKey(group), value)


def test_an_expiry_is_kept_in_version_1() -> None:
    value = OffsetValue(offset=5, metadata="m", commit_timestamp=6, expire_timestamp=7)
    key, raw = encode_offset("g", "t", 3, value)
    assert raw == b"\0\1" + struct.pack(">q", 5) + b"\0\1m" + struct.pack(">qq", 6, 7)
    assert decode_coordinator_record(key, raw) == OffsetCommit(OffsetKey("g", "t", 3), value)


COMMITTED = struct.pack(">q", 6)
OLD_OFFSETS: dict[int, tuple[bytes, dict[str, Any]]] = {
    0: (struct.pack(">q", 5) + b"\0\1m" + COMMITTED, {}),
    2: (struct.pack(">q", 5) + b"\0\1m" + COMMITTED, {}),
    3: (struct.pack(">qi", 5, 2) + b"\0\1m" + COMMITTED, {"leader_epoch": 2}),
    4: (
        struct.pack(">qi", 5, 2) + b"\2m" + COMMITTED + b"\1\0\x10" + TOPIC_ID.bytes,
        {"leader_epoch": 2, "topic_id": TOPIC_ID},
    ),
}


@pytest.mark.parametrize("version", OLD_OFFSETS)
@pytest.mark.parametrize("key_type", [0, 1])
def test_all_versions_of_offsets_are_read(version: int, key_type: int) -> None:
    body, more = OLD_OFFSETS[version]
    key = bytes((0, key_type)) + OFFSET_KEY[2:]
    value = replace(OffsetValue(offset=5, metadata="m", commit_timestamp=6), **more)
    assert decode_coordinator_record(key, bytes((0, version)) + body) == OffsetCommit(
        OffsetKey("g", "t", 3), value
    )


@pytest.mark.parametrize("version", range(5))
def test_all_versions_of_groups_are_read(version: int) -> None:
    def put(value: bytes, wide: bool = False) -> bytes:
        if version == 4:
            return bytes((len(value) + 1,)) + value
        return struct.pack(">i" if wide else ">h", len(value)) + value

    null = b"\0" if version == 4 else b"\xff\xff"
    end = b"\0" if version == 4 else b""
    raw = bytes((0, version)) + put(b"consumer") + struct.pack(">i", 8) + put(b"range") + null
    raw += struct.pack(">q", 77) if version >= 2 else b""
    raw += b"\2" if version == 4 else struct.pack(">i", 1)
    raw += put(b"m1") + (put(b"i1") if version >= 3 else b"") + put(b"c") + put(b"/h")
    raw += struct.pack(">i", 60) if version >= 1 else b""
    raw += struct.pack(">i", 10) + put(b"sub", True) + put(b"as", True) + end + end
    member = GroupMember(
        member_id="m1",
        instance_id="i1" if version >= 3 else None,
        client_id="c",
        client_host="/h",
        rebalance_timeout=60 if version >= 1 else 10,
        session_timeout=10,
        subscription=b"sub",
        assignment=b"as",
    )
    value = GroupValue(
        protocol_type="consumer",
        generation=8,
        protocol="range",
        leader=None,
        state_timestamp=77 if version >= 2 else -1,
        members=(member,),
    )
    assert decode_coordinator_record(GROUP_KEY, raw) == GroupMetadata(GroupKey("g"), value)


@pytest.mark.parametrize("type_", [3, 5, 8, 15, 99])
def test_records_of_other_kinds_of_groups_are_passed_over(type_: int) -> None:
    assert decode_coordinator_record(bytes((0, type_)) + b"whatever", b"\0\0") is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b"\0", None),
        (b"\0\1\0\5ab", None),
        (OFFSET_KEY, b""),
        (OFFSET_KEY, b"\0\5abc"),
        (OFFSET_KEY, b"\xff\xff"),
        (OFFSET_KEY, b"\0\3abc"),
        (GROUP_KEY, b"\0\3\xff\xff"),
        (GROUP_KEY, b"\0\3\0\0\0\0\0\1\xff\xff\xff\xff" + bytes(8) + b"\x7f\xff\xff\xff"),
    ],
)
def test_broken_records_are_corrupt(key: bytes, value: bytes | None) -> None:
    with pytest.raises(Corrupt):
        decode_coordinator_record(key, value)


@settings(max_examples=cases(300), deadline=None)
@given(group_values, st.data())
def test_mutated_groups_raise_nothing_but_corrupt(value: GroupValue, data: st.DataObject) -> None:
    key, raw = encode_group("g", value)
    assert raw is not None
    broken = bytearray(raw)
    broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    try:
        decode_coordinator_record(key, bytes(broken[: data.draw(st.integers(0, len(broken)))]))
    except Corrupt:
        return
