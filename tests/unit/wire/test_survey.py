"""Stepping over a client's records finds what reading each of them would find (S-08)."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from spindle.model.batches import Record, RecordBatch
from spindle.model.errors import Corrupt
from spindle.wire import batch as codec
from spindle.wire.batch import Compression, RecordSurvey

OLDEST, NEWEST = 1_000, 70_000
HEADERS = ((), (), (("h", b"v"),), (("name" * 40, None), ("b", b"x" * 100)))


def some_records(rng: random.Random, count: int) -> list[Record]:
    """Of all sizes, some without a key, some too old or too new."""
    texts = (None, *map(bytes, (0, 1, 60, 64, 200, 9_000)))
    return [
        Record(
            n,
            rng.randrange(OLDEST - 300, NEWEST + 3_000),
            rng.choice(texts),
            rng.choice(texts),
            rng.choice(HEADERS),
        )
        for n in range(count)
    ]


def surveyed(batch: RecordBatch, most: int) -> list[tuple[int, int, int, bool]]:
    survey, found = RecordSurvey(batch, OLDEST, NEWEST), []
    while survey.seen < batch.record_count:
        for number, each in survey.step(most):
            timestamp = batch.base_timestamp + each.timestamp_delta
            found.append((number, each.offset_delta, timestamp, each.has_key))
    return found


def read(batch: RecordBatch) -> list[tuple[int, int, int, bool]]:
    return [
        (number, record.offset - batch.base_offset, record.timestamp, record.key is not None)
        for number, record in enumerate(codec.records(batch))
        if record.key is None or not OLDEST <= record.timestamp <= NEWEST
    ]


@pytest.mark.spec("S-08")
@pytest.mark.parametrize("compression", [Compression.NONE, Compression.LZ4, Compression.GZIP])
@pytest.mark.parametrize("most", [1, 7, 1_000])
def test_it_finds_what_reading_finds(compression: Compression, most: int) -> None:
    records = some_records(random.Random(most), 300)
    batch = codec.build(records, compression=compression)
    found = surveyed(batch, most)
    assert found == read(batch)
    assert 0 < len(found) < 300


@pytest.mark.spec("S-08")
def test_offsets_of_all_lengths_are_stepped_over() -> None:
    edges = [1 << bits for bits in (6, 13, 20, 27, 30)]
    offsets = sorted({0, *edges, *(edge - 1 for edge in edges)})
    batch = codec.build([Record(n, NEWEST + n % 2, None if n % 3 else b"k", b"v") for n in offsets])
    found = surveyed(batch, 4)
    assert found == read(batch)
    assert {offset for _, offset, *_ in found} >= {edge - 1 for edge in edges}


@pytest.mark.spec("S-08")
def test_of_damaged_records_it_takes_only_those_that_can_be_read() -> None:
    rng = random.Random(7)
    refused = 0
    for _ in range(2_000):
        batch = codec.build(some_records(rng, 5))
        data = bytearray(batch.data)
        for _ in range(rng.randrange(1, 3)):
            data[rng.randrange(codec.HEADER_SIZE, len(data))] = rng.randrange(256)
        damaged = replace(batch, data=bytes(data[: len(data) - rng.choice((0, 0, 1))]))
        try:
            expected = read(damaged)
        except Corrupt:
            refused += 1
            with pytest.raises(Corrupt):
                surveyed(damaged, 2)
        else:
            assert surveyed(damaged, 2) == expected
    assert refused > 100


def test_more_records_than_bytes_are_refused_before_the_first() -> None:
    batch = codec.build([Record(0, 0, b"k", None)])
    with pytest.raises(Corrupt, match="cannot be in"):
        RecordSurvey(replace(batch, record_count=1_000), OLDEST, NEWEST).step(1)
