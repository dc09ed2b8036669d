"""Record batches: split, checked, stamped, built, read; compressed; hostile."""

from __future__ import annotations

import random
import struct
from dataclasses import replace

import cramjam
import pytest
from crc32c import crc32c
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.amounts import cases

from spindle.model.batches import CONTROL, LOG_APPEND_TIME, Buffer, Record, RecordBatch
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.wire import batch as codec
from spindle.wire.batch import Compression, build, check, check_from_client, records, split, stamped


def some_records(count: int = 3) -> list[Record]:
    return [
        Record(i, 1000 + i, b"k%d" % i, bytes(i), (("h", b"x"), ("n", None))) for i in range(count)
    ]


def resealed(data: bytearray) -> RecordBatch:
    """A batch with a CRC that fits what was done to its bytes."""
    struct.pack_into(">i", data, 8, len(data) - 12)
    struct.pack_into(">I", data, 17, crc32c(bytes(data[21:])))
    (batch,) = split(bytes(data))
    check(batch)
    return batch


def forged(count: int, body: bytes, attributes: int = 0) -> RecordBatch:
    """A batch with these record bytes and a good CRC."""
    data = bytearray(build([], attributes=attributes, last_offset_delta=0).data) + body
    struct.pack_into(">i", data, 57, count)
    struct.pack_into(">i", data, 23, max(count - 1, 0))
    return resealed(data)


@pytest.mark.parametrize("compression", Compression)
def test_built_batch_reads_back(compression: Compression) -> None:
    given_records = [replace(r, offset=r.offset + 50) for r in some_records(200)]
    batch = build(
        given_records,
        base_offset=50,
        leader_epoch=4,
        compression=compression,
        producer_id=9,
        producer_epoch=1,
        base_sequence=7,
    )
    (again,) = split(batch.data)
    check(again)
    assert again == batch
    assert list(records(again)) == given_records
    assert (again.base_offset, again.last_offset, again.next_offset) == (50, 249, 250)
    assert (again.base_timestamp, again.max_timestamp) == (1000, 1199)
    assert (again.producer_id, again.producer_epoch, again.base_sequence) == (9, 1, 7)


texts = st.text(max_size=5)
maybe_bytes = st.none() | st.binary(max_size=200)
batches_of_records = st.lists(
    st.tuples(
        st.integers(1, 5),
        st.integers(-1, 2**60),
        maybe_bytes,
        maybe_bytes,
        st.lists(st.tuples(texts, maybe_bytes), max_size=3).map(tuple),
    ),
    min_size=1,
    max_size=20,
)


@settings(max_examples=cases(200), deadline=None)
@given(batches_of_records, st.integers(0, 2**60), st.sampled_from(Compression))
def test_any_records_survive(
    drawn: list[tuple[int, int, bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...]]],
    base: int,
    compression: Compression,
) -> None:
    wanted, offset = [], base - 1
    for step, timestamp, key, value, headers in drawn:
        offset += step
        wanted.append(Record(offset, timestamp, key, value, headers))
    batch = build(wanted, base_offset=base, compression=compression)
    (again,) = split(batch.data)
    check(again)
    assert list(records(again)) == wanted


def test_unplaced_records_follow_one_another() -> None:
    batch = build(
        [Record(codec.NEXT, 1, None, b"a"), Record(codec.NEXT, 1, None, b"b")], base_offset=10
    )
    assert [r.offset for r in records(batch)] == [10, 11]
    with pytest.raises(AssertionError, match="ascend"):
        build([Record(5, 1, None, None), Record(5, 1, None, None)])
    with pytest.raises(AssertionError, match="ascend"):
        build([Record(5, 1, None, None)], base_offset=6)


def test_batches_may_be_emptied_by_compaction() -> None:
    with pytest.raises(AssertionError, match="last_offset_delta"):
        build([])
    batch = build([], base_offset=5, last_offset_delta=3)
    check(batch)
    assert list(records(batch)) == []
    assert batch.next_offset == 9


def test_split_makes_views_and_knows_where_it_ends() -> None:
    one, two = build(some_records()), build([Record(3, 1, b"k", None)], base_offset=3)
    data = bytes(one.data) + bytes(two.data)
    assert [(b.base_offset, b.size) for b in split(data)] == [(0, one.size), (3, two.size)]
    assert isinstance(split(data)[1].data, memoryview)
    assert split(b"") == []
    for cut in range(1, two.size):
        assert [b.base_offset for b in split(data[:-cut], partial=True)] == [0]
        with pytest.raises(Corrupt):
            split(data[:-cut])


def test_stamping_changes_no_checksum() -> None:
    original = build(some_records())
    assert stamped(original) == [original.data]
    moved = replace(original, base_offset=7000, leader_epoch=12)
    head, rest = stamped(moved)
    assert isinstance(rest, memoryview)
    assert rest.obj is original.data
    (again,) = split(b"".join((head, rest)))
    check(again)
    assert (again.base_offset, again.leader_epoch) == (7000, 12)
    assert [r.offset for r in records(again)] == [7000, 7001, 7002]


def test_append_time_replaces_the_records_times() -> None:
    batch = codec.with_append_time(build(some_records(), compression=Compression.LZ4), 5_000)
    (again,) = split(batch.data)
    check(again)
    assert again == batch
    assert again.attributes & LOG_APPEND_TIME
    assert [r.timestamp for r in records(again)] == [5_000] * 3


def test_a_flipped_bit_is_found() -> None:
    data = bytes(build(some_records()).data)
    rng = random.Random(1)
    for _ in range(300):
        at = rng.randrange(21, len(data))
        broken = bytearray(data)
        broken[at] ^= 1 << rng.randrange(8)
        with pytest.raises(Corrupt, match="CRC"):
            check(split(bytes(broken))[0])


def test_check_of_a_batch_that_was_not_split() -> None:
    batch = build(some_records())
    with pytest.raises(Corrupt, match="format"):
        check(replace(batch, data=b"short"))


def test_negative_counts_are_corrupt() -> None:
    batch = build(some_records())
    for bad in (replace(batch, record_count=-1), replace(batch, last_offset_delta=-1)):
        with pytest.raises(Corrupt, match="claims"):
            check(bad)


@pytest.mark.parametrize("magic", [0, 1])
def test_old_message_formats_are_refused(magic: int) -> None:
    with pytest.raises(Refusal) as caught:
        split(bytes(16) + bytes((magic,)) + bytes(20))
    assert caught.value.error is Error.UNSUPPORTED_FOR_MESSAGE_FORMAT


@pytest.mark.parametrize("length", [-1, 0, 48, -(2**31), 2**31 - 1])
def test_lengths_that_cannot_be_are_corrupt(length: int) -> None:
    data = bytearray(build(some_records()).data)
    struct.pack_into(">i", data, 8, length)
    with pytest.raises(Corrupt):
        split(bytes(data))


def test_unknown_format_is_corrupt() -> None:
    data = bytearray(build(some_records()).data)
    data[16] = 3
    with pytest.raises(Corrupt, match="format 3"):
        split(bytes(data))


def test_what_clients_may_not_send() -> None:
    good = build(some_records(), producer_id=1, producer_epoch=0, base_sequence=0)
    check_from_client(good)
    check_from_client(build(some_records()))
    for bad in (
        replace(good, record_count=2),
        replace(good, record_count=0, last_offset_delta=-1),
        replace(good, attributes=CONTROL),
        replace(good, base_sequence=-1),
    ):
        with pytest.raises(Refusal) as caught:
            check_from_client(bad)
        assert caught.value.error is Error.INVALID_RECORD


HOSTILE_RECORDS = {
    "count without records": (5, b""),
    "count beyond all bytes": (2**31 - 1, b"\x0c\0\0\0\1\1\0" * 3),
    "record longer than the batch": (1, b"\x7e\0\0\0\1\1\0"),
    "record of negative length": (1, b"\x01\0\0\0\1\1\0"),
    "record too small": (1, b"\x08\0\0\0\1\1\0"),
    "record longer than its fields": (1, b"\x0e\0\0\0\1\1\0\0"),
    "varint of six bytes": (1, b"\xff\xff\xff\xff\xff\x01\0"),
    "time delta of eleven bytes": (1, b"\x20\0" + b"\xff" * 10 + b"\1\0\1\1\0"),
    "key length -2": (1, b"\x0c\0\0\0\3\1\0"),
    "key longer than the record": (1, b"\x0c\0\0\0\x40\1\0"),
    "negative header count": (1, b"\x0c\0\0\0\1\1\1"),
    "headers beyond the record": (1, b"\x0c\0\0\0\1\1\x40"),
    "header without name": (1, b"\x10\0\0\0\1\1\2\1\1"),
    "bytes behind the last": (1, b"\x0c\0\0\0\1\1\0" + b"left"),
    "cut in the last field": (1, b"\x0e\0\0\0\1\1\x02\x02"),
}


@pytest.mark.parametrize("name", HOSTILE_RECORDS)
def test_hostile_records_are_corrupt(name: str) -> None:
    count, body = HOSTILE_RECORDS[name]
    with pytest.raises(Corrupt):
        list(records(forged(count, body)))


def test_header_names_that_are_no_utf8_survive() -> None:
    body = b"\x14\0\0\0\1\1\2\x02\xff\x02x"
    batch = forged(1, body)
    (record,) = records(batch)
    again = build([record])
    assert bytes(again.data)[61:] == body


def packed(codec_: Compression, data: bytes) -> bytes:
    if codec_ is Compression.GZIP:
        return bytes(cramjam.gzip.compress(data))
    if codec_ is Compression.ZSTD:
        return bytes(cramjam.zstd.compress(data))
    if codec_ is Compression.LZ4:
        return bytes(cramjam.lz4.compress(data))
    return bytes(cramjam.snappy.compress_raw(data))


COMPRESSED = [c for c in Compression if c]


@pytest.mark.parametrize("compression", COMPRESSED)
def test_bombs_are_corrupt(compression: Compression) -> None:
    bomb = packed(compression, bytes(8 << 20))
    with pytest.raises(Corrupt, match="hold"):
        list(records(forged(1, bomb, compression), limit=1 << 20))
    fits = build([Record(0, 0, None, bytes(1 << 20))], compression=compression)
    assert [len(r.value or b"") for r in records(fits)] == [1 << 20]


@pytest.mark.parametrize("compression", COMPRESSED)
def test_broken_compressed_data_is_corrupt(compression: Compression) -> None:
    rng = random.Random(2)
    good = bytes(build(some_records(50), compression=compression).data)[61:]
    for _ in range(200):
        broken = bytearray(good)
        broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
        drawn: list[Record] = []
        try:
            drawn = list(records(forged(50, bytes(broken), compression), limit=1 << 20))
        except Corrupt:
            continue
        assert len(drawn) == 50  # a flip in the data itself may go unseen without the CRC
    with pytest.raises(Corrupt):
        list(records(forged(50, good[:-9], compression), limit=1 << 20))


def test_snappy_comes_bare_or_in_blocks() -> None:
    body = bytes(build(some_records(9)).data)[61:]
    bare = bytes(cramjam.snappy.compress_raw(body))
    assert len(list(records(forged(9, bare, Compression.SNAPPY)))) == 9
    blocks = b"\x82SNAPPY\0\0\0\0\1\0\0\0\1"
    for part in (body[:20], body[20:]):
        block = bytes(cramjam.snappy.compress_raw(part))
        blocks += struct.pack(">i", len(block)) + block
    assert len(list(records(forged(9, blocks, Compression.SNAPPY)))) == 9
    for broken in (blocks[:-1], blocks + b"\x7f\xff\xff\xff", blocks + b"\0"):
        with pytest.raises(Corrupt):
            list(records(forged(9, broken, Compression.SNAPPY)))


def test_unknown_compression_is_corrupt() -> None:
    with pytest.raises(Corrupt, match="compression 6"):
        list(records(forged(1, b"\x0c\0\0\0\1\1\0", 6)))


def test_lz4_frames_have_independent_blocks() -> None:
    data = random.Random(3).randbytes(100_000)
    frame = bytes(build([Record(0, 0, None, data)], compression=Compression.LZ4).data)[61:]
    assert frame[4] & 0x20
    assert data in bytes(cramjam.lz4.decompress(frame))


@settings(max_examples=cases(300), deadline=None)
@given(st.binary(max_size=300), st.sampled_from([bytes, bytearray, memoryview]))
def test_random_bytes_are_corrupt_or_refused(data: bytes, kind: type) -> None:
    given_bytes: Buffer = kind(data)
    try:
        for batch in split(given_bytes):
            check(batch)
            list(records(batch))
    except (Corrupt, Refusal):
        return
    assert data == b""


@settings(max_examples=cases(500), deadline=None)
@given(st.data())
def test_mutated_records_raise_nothing_but_corrupt(data: st.DataObject) -> None:
    compression = data.draw(st.sampled_from(Compression))
    raw = bytearray(build(some_records(10), compression=compression).data)
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(21, len(raw) - 1))] = data.draw(st.integers(0, 255))
    struct.pack_into(">I", raw, 17, crc32c(bytes(raw[21:])))
    (batch,) = split(bytes(raw))
    try:
        check(batch)
        read = list(records(batch, limit=1 << 20))
    except Corrupt:
        return
    assert len(read) == batch.record_count
