"""Batches packed again for a topic's compression.type: every record stays as it is."""

from __future__ import annotations

import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.amounts import cases

from spindle.model.batches import LOG_APPEND_TIME, TRANSACTIONAL, Record, RecordBatch
from spindle.model.errors import Error, Refusal
from spindle.model.ids import PartitionId, TopicPartition
from spindle.model.outbox import Outbox
from spindle.model.settings.setting import MAX_LONG
from spindle.node.produce.recompression import Recompression, recompression
from spindle.node.produce.record_check import look
from spindle.node.replicas.checking import Checking
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.topic_rules import Packing
from spindle.wire import batch as codec
from spindle.wire.batch import Compression, build
from spindle.wire.compression import DEFAULT_LEVELS

LEVELS = {
    Compression.GZIP: (1, -1, 9),
    Compression.LZ4: (9, 1, 17),
    Compression.ZSTD: (-131072, -1, 0, 3, 19),
}
small = st.binary(max_size=40)
contents = st.tuples(
    st.integers(0, 2**45),
    st.none() | small,
    st.none() | small | st.integers(1, 2000).map(lambda n: b"long " * n),
    st.lists(st.tuples(st.text(max_size=5), st.none() | small), max_size=3).map(tuple),
)
batches = st.builds(
    lambda found, base, source, attributes, producer: build(
        [Record(base + n, *content) for n, content in enumerate(found)],
        base_offset=base, leader_epoch=3, compression=source, attributes=attributes,
        producer_id=producer[0], producer_epoch=producer[1], base_sequence=producer[2],
    ),
    st.lists(contents, min_size=1, max_size=12),
    st.integers(0, 2**50),
    st.sampled_from(Compression),
    st.sampled_from((0, TRANSACTIONAL, LOG_APPEND_TIME)),
    st.sampled_from(((-1, -1, -1), (7, 2, 0), (2**60, 32767, 2**31 - 1))),
)  # fmt: skip
packings = st.sampled_from(Compression).flatmap(
    lambda codec: st.sampled_from([Packing(codec, n) for n in LEVELS.get(codec, (None,))])
)


def finish(walk: Recompression, most: int) -> None:
    while not walk.step(most):
        pass


def packed(batch: RecordBatch, packing: Packing, most: int = 7) -> RecordBatch:
    walk = recompression(batch, packing, None)
    if walk is None:
        return batch
    finish(walk, most)
    return walk.batch


@settings(max_examples=cases(80), deadline=None)
@given(batches, packings)
def test_all_that_was_sent_is_kept(batch: RecordBatch, packing: Packing) -> None:
    new = packed(batch, packing)
    (again,) = codec.split(new.data)
    codec.check(again)
    assert again == new
    assert Compression(new.attributes & 7) is packing.codec
    assert list(codec.records(new)) == list(codec.records(batch))
    assert replace(new, attributes=0, data=b"") == replace(batch, attributes=0, data=b"")
    assert new.attributes & ~7 == batch.attributes & ~7
    codec.check_from_client(replace(new, base_offset=0))


def test_a_batch_of_the_same_compression_is_left_alone_whatever_its_level() -> None:
    batch = build([Record(0, 5, b"k", b"v")], compression=Compression.ZSTD)
    assert recompression(batch, Packing(Compression.ZSTD, 19), None) is None
    assert recompression(batch, None, None) is None


@pytest.mark.parametrize(("codec", "levels"), LEVELS.items())
def test_levels_count(codec: Compression, levels: tuple[int, ...]) -> None:
    rng = random.Random(1)
    words = [rng.randbytes(rng.randrange(3, 9)) for _ in range(2000)]
    batch = build([Record(0, 5, None, b" ".join(rng.choices(words, k=20_000)))])
    least, most = (packed(batch, Packing(codec, n)).size for n in (levels[0], levels[-1]))
    default = packed(batch, Packing(codec, DEFAULT_LEVELS[codec]))
    assert most < least
    assert default.data == packed(batch, Packing(codec)).data


def test_the_newest_time_is_that_of_the_records() -> None:
    batch = build([Record(n, at, b"k", b"v") for n, at in enumerate((50, 90, 70))])
    lying = replace(batch, max_timestamp=10**12)
    assert packed(lying, Packing(Compression.LZ4)).max_timestamp == 90


@pytest.mark.parametrize("most", [1, 2, 1000])
@pytest.mark.parametrize("data", [b"\x07", b"", b"\x0c\0\0\2\1\1\0"], ids=["cut", "none", "delta"])
def test_broken_records_are_refused_and_not_packed(data: bytes, most: int) -> None:
    batch = build([Record(0, 5, None, None)])
    broken = replace(batch, data=bytes(batch.data)[:61] + data)
    with pytest.raises(Refusal) as refused:
        packed(broken, Packing(Compression.GZIP), most)
    assert refused.value.error is Error.INVALID_RECORD


def test_a_look_comes_first() -> None:
    topic: Any = SimpleNamespace(
        compact=True, append_time=False, oldest_ms=MAX_LONG, newest_ms=MAX_LONG
    )
    for key, taken in ((b"k", True), (None, False)):
        batch = build([Record(n, 5, key, b"v") for n in range(9)])
        walk = recompression(
            batch, Packing(Compression.LZ4), look(batch, topic, TopicPartition("t", 0), 0)
        )
        assert isinstance(walk, Recompression)
        if not taken:
            with pytest.raises(Refusal, match="without key"):
                finish(walk, 4)
            continue
        finish(walk, 4)
        assert walk.take_seen() >= 18


def test_even_a_small_batch_is_packed_beside_the_loop() -> None:
    out = Outbox(random.Random(1))
    checking = Checking(out)
    walk = recompression(build([Record(0, 5, b"k", b"v")]), Packing(Compression.ZSTD, 3), None)
    hosted = cast(
        "HostedPartition", SimpleNamespace(id=PartitionId(cast("Any", "t"), 0), directory="/d1")
    )
    told: list[Refusal | None] = []
    checking.check(hosted, walk, told.append)
    ready = out.take()
    assert ready is not None
    assert (len(ready.jobs), told, checking.waiting) == (1, [], 1)
