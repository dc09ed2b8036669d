"""Frames, headers and the table of APIs."""

from __future__ import annotations

import random
import struct

import pytest
from tools.messages import entities, frames
from tools.messages.entities import make, versions
from tools.messages.frames import Unsupported, decode_request, encode_request

from spindle.model.errors import Corrupt, Error
from spindle.wire import framing
from spindle.wire.apis import TABLE, Key, Role
from spindle.wire.framing import ROOM_MOST, FrameCutter
from spindle.wire.messages.fetch_response import (
    FetchableTopicResponse,
    FetchResponse,
    PartitionData,
)


def frames_of(
    cutter: FrameCutter, data: bytes, sizes: list[int]
) -> list[bytes | bytearray | memoryview]:
    frames: list[bytes | bytearray | memoryview] = []
    offset = 0
    for size in sizes:
        frames += cutter.feed(data[offset : offset + size])
        offset += size
    return frames + cutter.feed(data[offset:])


def test_frames_come_whole_however_they_are_cut() -> None:
    rng = random.Random(7)
    for _ in range(300):
        sent = [rng.randbytes(rng.choice((0, 1, 3, 50, 400))) for _ in range(rng.randrange(6))]
        data = b"".join(struct.pack(">i", len(f)) + f for f in sent)
        cutter = FrameCutter(400)
        sizes = [rng.randrange(9) for _ in range(rng.randrange(60))]
        assert frames_of(cutter, data, sizes) == sent
        assert cutter.pending == 0


def test_an_unfinished_frame_is_pending() -> None:
    cutter = FrameCutter(100)
    assert cutter.feed(b"\0\0") == []
    assert cutter.feed(b"\0\5abc") == []
    assert cutter.pending == 3
    assert cutter.feed(memoryview(b"de\0")) == [b"abcde"]
    assert cutter.pending == 1


def test_large_frame_in_many_pieces_costs_linear_time() -> None:
    body = bytes(4 << 20)
    cutter = FrameCutter(len(body))
    pieces = [struct.pack(">i", len(body))] + [
        body[i : i + 1024] for i in range(0, len(body), 1024)
    ]
    frames = [frame for piece in pieces for frame in cutter.feed(piece)]
    assert frames == [body]


def test_a_promise_alone_gets_little_room() -> None:
    rng = random.Random(8)
    body = rng.randbytes(3 << 20)
    cutter = FrameCutter(len(body))
    assert cutter.feed(struct.pack(">i", len(body)) + body[:10]) == []
    have = 10
    while have < len(body):
        room = cutter.room
        assert room is not None
        assert len(room) <= min(max(have, 64 << 10), ROOM_MOST)
        count = min(len(room), rng.randrange(1, 200_000))
        room[:count] = body[have : have + count]
        del room
        have += count
        frames = cutter.filled(count)
    assert [bytes(frame) for frame in frames] == [body]
    assert cutter.room is None


@pytest.mark.parametrize("size", [-1, -(2**31), 101, 2**31 - 1])
def test_frame_length_outside_the_limit_is_corrupt(size: int) -> None:
    with pytest.raises(Corrupt, match="limit of 100"):
        FrameCutter(100).feed(struct.pack(">i", size))


@pytest.mark.parametrize("client_id", [None, "", "me", "ä" * 300])
def test_request_comes_back(client_id: str | None) -> None:
    for key, version in ((Key.METADATA, 0), (Key.METADATA, 13), (Key.API_VERSIONS, 4)):
        entity = make(entities.request_class(key, version))
        (frame,) = FrameCutter(9999).feed(encode_request(entity, 77, client_id))
        request = decode_request(frame)
        assert request.header == (key, version, 77, client_id)
        assert request.body == entity


def test_unknown_tags_in_a_header_are_stepped_over() -> None:
    entity = make(entities.request_class(Key.METADATA, 12))
    frame = encode_request(entity, 1, "c")[4:]
    assert frame[:12].endswith(b"c\0")
    assert decode_request(frame[:11] + b"\2\0\3abc\x09\0" + frame[12:]).body == entity
    with pytest.raises(Corrupt):
        decode_request(frame[:11] + b"\1\0\xff\xff\xff\xff\x07" + frame[12:])


@pytest.mark.parametrize(("key", "version"), [(4, 0), (999, 1), (-3, 0), (18, 5), (1, 3), (0, 2)])
def test_unknown_versions_are_refused_with_their_header(key: int, version: int) -> None:
    frame = struct.pack(">hhih", key, version, 42, 2) + b"me\0rest"
    with pytest.raises(Unsupported) as caught:
        decode_request(frame)
    assert caught.value.error is Error.UNSUPPORTED_VERSION
    assert caught.value.header == (key, version, 42, "me")


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\0\3\0\0",
        struct.pack(">hhih", 3, 1, 1, 9) + b"shor",
        struct.pack(">hhih", 3, 1, 1, 1) + b"\xff",
    ],
)
def test_broken_headers_are_corrupt(frame: bytes) -> None:
    with pytest.raises(Corrupt):
        decode_request(frame)


def test_response_header_follows_the_version() -> None:
    old = make(entities.response_class(Key.METADATA, 8))
    new = make(entities.response_class(Key.METADATA, 9))
    versions_answer = make(entities.response_class(Key.API_VERSIONS, 3))
    header = framing.RequestHeader(3, 0, 5, None)
    for entity, tags in ((old, b""), (new, b"\0"), (versions_answer, b"")):
        answer = b"".join(frames.encode_response(header, entity))
        body = entities.encode(entity)
        assert answer == struct.pack(">ii", 4 + len(tags + body), 5) + tags + body
        asked = entities.request_class(entity.__api_key__, entity.__version__)
        assert frames.decode_response(asked, answer[4:]) == entity
        assert framing.correlation_of(answer[4:]) == 5


def test_api_versions_answered_in_v0() -> None:
    refused = make(entities.response_class(18, 0), error_code=Error.UNSUPPORTED_VERSION)
    header = framing.RequestHeader(18, 4, 9, None)
    frame = b"".join(frames.encode_response(header, refused))[4:]
    asked = make(entities.request_class(18, 4), client_software_name="x")
    answer = frames.decode_response(asked, frame)
    assert answer.error_code == Error.UNSUPPORTED_VERSION
    assert answer.__version__ == 0


def test_record_bytes_of_a_typed_response_are_not_copied() -> None:
    big, other = bytearray(50_000), memoryview(bytes(9_000))
    partitions = [
        PartitionData(partition_index=0, records=[big, other]),
        PartitionData(partition_index=1, records=b"tiny"),
    ]
    answer = FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=partitions)])
    buffers = framing.response_frame(framing.RequestHeader(1, 12, 3, None), answer)
    assert [any(b is given for b in buffers) for given in (big, other)] == [True, True]
    assert len(buffers) == 4
    data = b"".join(buffers)
    assert struct.unpack_from(">i", data) == (len(data) - 4,)
    read = frames.decode_response(entities.request_class(1, 12), data[4:])
    assert [p.records for p in read.responses[0].partitions] == [bytes(59_000), b"tiny"]


def test_every_row_can_be_read_and_written() -> None:
    for key, api in TABLE.items():
        assert set(versions(key)) >= set(range(api.readable_from, api.max + 1)), api
        for version in range(api.readable_from, api.max + 1):
            assert entities.request_class(key, version).__flexible__ == api.is_flexible(version)
            assert entities.response_class(key, version).__flexible__ == api.is_flexible(version)
    assert not TABLE[Key.PRODUCE].reads(2)
    assert TABLE[0].name == "PRODUCE"


def test_listeners() -> None:
    brokers = {key for key, api in TABLE.items() if Role.BROKER in api.listeners}
    controllers = {key for key, api in TABLE.items() if Role.CONTROLLER in api.listeners}
    assert Key.DESCRIBE_LOG_DIRS in brokers - controllers
    assert Key.ASSIGN_REPLICAS_TO_DIRS in controllers - brokers
    assert Key.API_VERSIONS in brokers & controllers
    assert brokers | controllers == set(TABLE)
