"""Entities: made, written, read; and what hostile bytes do to them."""

from __future__ import annotations

import struct
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from tools.messages import entities
from tools.messages.entities import decode, encode, make, ms, to_ms

from spindle.model.errors import Corrupt, Error, Refusal
from spindle.wire.codec import LARGE


def test_make_fills_defaults() -> None:
    types = entities.response_types(1, 17)
    data = make(types.PartitionData, partition_index=3)
    assert data.error_code == Error.NONE
    assert data.high_watermark == 0
    assert data.last_stable_offset == -1
    assert data.records is None
    assert data.current_leader == make(types.LeaderIdAndEpoch)
    assert make(types.FetchResponse).throttle_time == timedelta(0)
    assert data == types.PartitionData(
        partition_index=3,
        error_code=Error.NONE,
        high_watermark=0,
        aborted_transactions=None,
        records=None,
    )
    assert type(data) is types.PartitionData


def test_make_drops_what_the_version_lacks_but_no_misspelling() -> None:
    old = entities.request_types(1, 4)
    made = make(old.FetchPartition, partition=1, current_leader_epoch=4, log_start_offset=2)
    assert not hasattr(made, "current_leader_epoch")
    with pytest.raises(AssertionError, match="fetch_offsett"):
        make(old.FetchPartition, fetch_offsett=1)


def test_entities_are_frozen() -> None:
    made = make(entities.request_class(3, 12))
    read, _ = decode(type(made), encode(made))
    for entity in (made, read):
        with pytest.raises(AttributeError):
            entity.topics = ()


def test_unknown_api_is_refused() -> None:
    for key, version in ((4, 0), (3, 99), (999, 0), (3, -1)):
        with pytest.raises(Refusal) as caught:
            entities.request_types(key, version)
        assert caught.value.error is Error.UNSUPPORTED_VERSION
    assert not entities.versions(4)


def test_error_codes() -> None:
    cls = entities.response_class(63, 0)
    for given, read in ((3, Error.UNKNOWN_TOPIC_OR_PARTITION), (250, 250)):
        entity, _ = decode(cls, encode(make(cls, error_code=given)))
        assert entity.error_code == read
    known, _ = decode(cls, encode(make(cls, error_code=Error.STALE_BROKER_EPOCH)))
    assert known.error_code is Error.STALE_BROKER_EPOCH


def test_unknown_tags_are_stepped_over() -> None:
    cls = entities.request_class(63, 1)
    plain = encode(make(cls, broker_id=1))
    assert plain[-1] == 0
    entity, size = decode(cls, plain[:-1] + b"\2\x07\2ab\x81\x01\0rest")
    assert entity == make(cls, broker_id=1)
    assert size == len(plain) + 7


def test_times_may_be_given_in_milliseconds() -> None:
    cls = entities.request_class(0, 9)
    by_number, by_timedelta = make(cls, timeout=1500), make(cls, timeout=ms(1500))
    assert encode(by_number) == encode(by_timedelta)
    read, _ = decode(cls, encode(by_number))
    assert to_ms(read.timeout) == 1500
    assert to_ms(timedelta(days=-1, milliseconds=7)) == -86_399_993
    answer = entities.response_types(0, 9)
    for given, expected in (
        (None, None),
        (5, datetime(1970, 1, 1, 0, 0, 0, 5000, tzinfo=UTC)),
        (datetime(2024, 5, 1, tzinfo=UTC), datetime(2024, 5, 1, tzinfo=UTC)),
    ):
        made = make(answer.PartitionProduceResponse, log_append_time=given)
        assert decode(type(made), encode(made))[0].log_append_time == expected


def test_zero_uuid_is_none() -> None:
    cls = entities.request_class(63, 2)
    some = uuid.uuid4()
    made = make(cls, offline_log_dirs=(some, uuid.UUID(int=0), None), cordoned_log_dirs=())
    read, _ = decode(cls, encode(made))
    assert read.offline_log_dirs == (some, None, None)
    assert read.cordoned_log_dirs == ()
    assert decode(cls, encode(make(cls)))[0].cordoned_log_dirs is None


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_buffer_can_be_read(kind: type) -> None:
    types = entities.request_types(0, 12)
    made = make(
        types.ProduceRequest,
        acks=-1,
        topic_data=(
            make(
                types.TopicProduceData,
                name="tö",
                partition_data=(
                    make(types.PartitionProduceData, index=1, records=b"abc"),
                    make(types.PartitionProduceData, index=2, records=None),
                ),
            ),
        ),
    )
    raw = b"xx" + encode(made) + b"behind"
    read, size = decode(types.ProduceRequest, kind(raw), 2)
    assert read == made
    assert size == len(raw) - 8


HOSTILE = {
    "array, compact": (3, 13, b"\xff\xff\xff\xff\x07\0\0\0"),
    "array, compact, 35 bits": (3, 13, b"\xff\xff\xff\xff\x7f\0\0\0"),
    "varint without end": (3, 13, b"\xff" * 12),
    "array, old": (3, 4, struct.pack(">i", 2**31 - 1) + b"\0\0\0"),
    "array of fixed size entries": (53, 0, b"\0\0" + struct.pack(">i", 2**30)),
    "array, null where none may be": (0, 13, b"\0\0\1\0\0\0\0\0\0"),
    "string": (0, 13, b"\xff\xff\xff\xff\x07ab"),
    "string, old": (12, 0, b"\x7f\xffab"),
    "string, not utf-8": (12, 0, b"\0\1\xff"),
    "string, null where none may be": (12, 0, b"\xff\xff"),
    "records": (0, 3, b"\xff\xff\0\0\0\0\0\0\0\0\0\1\0\1a\0\0\0\1\0\0\0\0\x7f\xff\xff\xff"),
    "bytes": (14, 0, b"\0\1g\0\0\0\0\0\1m\0\0\0\1\0\1m\x7f\xff\xff\xff"),
    "tag beyond the end": (63, 1, bytes(22) + b"\1\0\xff\xff\xff\xff\x07"),
    "tag longer than its value": (63, 1, bytes(22) + b"\1\0\x03\1\0\0"),
    "tag shorter than its value": (63, 1, bytes(22) + b"\1\0\x01\2" + bytes(20)),
    "nothing": (3, 13, b""),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytes_are_corrupt(name: str) -> None:
    key, version, raw = HOSTILE[name]
    cls = entities.request_class(key, version)
    with pytest.raises(Corrupt, match=cls.__name__):
        decode(cls, raw)


def test_offset_behind_the_end_is_corrupt() -> None:
    with pytest.raises(Corrupt):
        decode(entities.request_class(3, 12), b"abc", 10)


def test_times_that_python_cannot_hold_are_corrupt() -> None:
    types = entities.response_types(0, 9)
    raw = bytearray(encode(make(types.PartitionProduceResponse, log_append_time=0)))
    raw[14:22] = b"\x7f" * 8
    with pytest.raises(Corrupt, match="out of range"):
        decode(types.PartitionProduceResponse, raw)


def test_records_are_views_of_the_frame() -> None:
    types = entities.request_types(0, 12)
    frame = encode(make(types.PartitionProduceData, index=1, records=b"abc"))
    read, _ = decode(types.PartitionProduceData, frame)
    assert isinstance(read.records, memoryview)
    assert read.records.obj is frame


def test_small_pieces_are_joined_and_large_ones_kept() -> None:
    types = entities.response_types(1, 12)
    big = bytes(LARGE)
    pieces: list[bytes | bytearray | memoryview] = []
    entities.encode_into(make(types.PartitionData, records=big), pieces)
    assert pieces[1] is big
    assert len(pieces) == 3
    assert b"".join(pieces) == encode(make(types.PartitionData, records=big))


def test_data_messages() -> None:
    cls = entities.data_class("leader_change_message", 0)
    made = make(cls, version=0, leader_id=3)
    assert decode(cls, encode(made))[0] == made
