"""Messages of formats 0 and 1: single and packed, in all their codecs, whole and broken."""

from __future__ import annotations

import struct

import pytest
from tests.support.old_logs import message, packed

from spindle.model.batches import Record
from spindle.model.errors import Corrupt
from spindle.wire import old_messages
from spindle.wire.compression import Compression
from spindle.wire.old_messages import OldMessage
from spindle.wire.records import take_records

NOON = 1_700_000_000_000
LIMIT = 1 << 20
CODECS = (Compression.GZIP, Compression.SNAPPY, Compression.LZ4)


def records(found: OldMessage) -> list[Record]:
    append = found.newest if found.attributes & 8 else None
    return list(
        take_records(found.body, found.records, found.first_offset, found.first_timestamp, append)
    )


@pytest.mark.parametrize("magic", [0, 1])
def test_a_single_message(magic: int) -> None:
    stored = message(magic, 41, b"k", None, NOON)
    assert old_messages.size_at(stored, 0) == len(stored)
    assert old_messages.is_whole(stored)
    found = old_messages.take(stored, LIMIT)
    assert (found.first_offset, found.last_offset, found.records) == (41, 41, 1)
    assert records(found) == [Record(41, NOON if magic else -1, b"k", None)]
    assert not old_messages.is_whole(stored[:-1] + b"!")


@pytest.mark.spec("V-03")
@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("magic", [0, 1])
def test_packed_messages_with_gaps_of_compaction(magic: int, codec: Compression) -> None:
    offsets = [10, 11, 15]
    inner = [message(magic, 0, None, bytes([n]) * 90_000, NOON + n) for n in range(3)]
    stored = packed(magic, offsets, inner, codec, NOON + 9)
    found = old_messages.take(memoryview(stored), LIMIT)
    assert (found.first_offset, found.last_offset, found.records) == (10, 15, 3)
    assert found.newest == (NOON + 2 if magic else -1)
    told = records(found)
    assert [r.offset for r in told] == offsets
    assert [r.timestamp for r in told] == [NOON + n if magic else -1 for n in range(3)]
    assert [r.value for r in told] == [bytes([n]) * 90_000 for n in range(3)]


def test_the_brokers_clock_is_that_of_the_outer_message() -> None:
    stored = packed(1, [3, 4], [message(1, 0, None, b"v", NOON)] * 2, Compression.GZIP, NOON + 5,
                    append=True)  # fmt: skip
    found = old_messages.take(stored, LIMIT)
    assert [r.timestamp for r in records(found)] == [NOON + 5] * 2


@pytest.mark.parametrize(
    ("stored", "why"),
    [
        (message(1, 5, None, None, attributes=1), "has no value"),
        (message(1, 5, None, b"no gzip", attributes=1), "GZIP"),
        (message(1, 5, None, b"", attributes=2), "is empty"),
        (packed(1, [5], [message(0, 0, None, b"")], Compression.GZIP), "format 1"),
        (packed(0, [5, 4], [message(0, 0, None, b"")] * 2, Compression.GZIP), "do not ascend"),
        (message(0, 5, None, b"x") + b"y", "1 bytes too many"),
        (message(0, 5, b"key", b"x")[:22], "claims 3 of 0 bytes"),
        (message(0, 5, b"", b"x")[:24], "ends before"),
    ],
)
def test_nonsense_is_corrupt(stored: bytes, why: str) -> None:
    with pytest.raises(Corrupt, match=why):
        old_messages.take(stored, LIMIT)


def test_what_cannot_be_a_message() -> None:
    good = message(1, 5, None, b"x")
    assert old_messages.size_at(good, 0)
    assert not old_messages.size_at(good[:17], 0)
    assert not old_messages.size_at(struct.pack(">q", -1) + good[8:], 0)
    assert not old_messages.size_at(good[:8] + struct.pack(">i", 21) + good[12:], 0)
    assert not old_messages.size_at(good[:16] + b"\x02" + good[17:], 0)


def test_more_than_the_limit_is_refused() -> None:
    stored = packed(1, [0], [message(1, 0, None, bytes(100_000))], Compression.GZIP)
    with pytest.raises(Corrupt, match="more than"):
        old_messages.take(stored, 70_000)
