"""Index and producer snapshot bytes, and walking over batches."""

from __future__ import annotations

import struct
from collections.abc import Callable
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.storage import batch

from spindle.model.batches import CONTROL, TRANSACTIONAL, EndTransactionMarker
from spindle.model.errors import Corrupt
from spindle.model.log_values import ProducerEntry
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import index as index_module
from spindle.storage import producer_state, scan
from spindle.storage.disk import File
from spindle.storage.index import OffsetIndex, TimeFile, TimeIndex
from spindle.storage.producer_state import LoggedProducers


def file_of(data: bytes) -> File:
    """A file with these bytes."""
    file = MemoryDisk().open("/f", create=True)
    file.write(0, [data])
    return file


def test_offset_index_bytes_are_kafkas() -> None:
    index = OffsetIndex(100)
    index.add(109, 0)
    index.add(120, 5000)
    assert index.encode() == struct.pack(">iiii", 9, 0, 20, 5000)
    again = OffsetIndex.decode(100, index.encode(), 6000)
    assert again.floor(108) == 0
    assert again.floor(109) == 0
    assert again.floor(119) == 0
    assert again.floor(120) == 5000
    assert again.floor_position(4999) == 0
    assert again.floor_position(5000) == 5000
    assert again.between(1, 5001) == [(120, 5000)]


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(1, 9000)), max_size=40),
    st.integers(0, 2500),
)
def test_offset_index_against_a_list(steps: list[tuple[int, int]], sought: int) -> None:
    index = OffsetIndex(7)
    entries = []
    offset, position = 7, 0
    for more_offsets, more_bytes in steps:
        entries.append((offset + more_offsets, position))
        index.add(offset + more_offsets, position)
        offset, position = offset + more_offsets, position + more_bytes
    index = OffsetIndex.decode(7, index.encode(), position + 1)
    assert index.floor(7 + sought) == max([p for o, p in entries if o <= 7 + sought], default=0)
    index.truncate(7 + sought)
    assert index.between(0, 1 << 30) == [e for e in entries if e[0] < 7 + sought]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"123", "multiple"),
        (struct.pack(">ii", 1, 900), "points at 900"),
        (struct.pack(">iiii", 5, 0, 0, 0), "rise"),
    ],
)
def test_damaged_offset_indexes(data: bytes, why: str) -> None:
    with pytest.raises(Corrupt, match=why):
        OffsetIndex.decode(0, data, 900)


def test_time_index_keeps_rising_timestamps_only() -> None:
    index = TimeIndex(10)
    for timestamp, offset in ((5, 12), (5, 14), (4, 16), (9, 20), (-1, 30)):
        index.add(timestamp, offset)
    assert index.encode() == struct.pack(">qiqi", 5, 2, 9, 10)
    assert TimeIndex.decode(10, index.encode()).last == (9, 20)


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)), max_size=30),
    st.integers(0, 70),
    st.sampled_from([1, 2, 5, index_module.BLOCK]),
)
def test_the_time_index_in_memory_and_in_its_file_agree(
    adds: list[tuple[int, int]], sought: int, block: int
) -> None:
    index = TimeIndex(3)
    offset = 3
    for timestamp, more in adds:
        offset += more
        index.add(timestamp, offset)
    there = TimeFile(file_of(index.encode()), 3)
    assert there.floor(sought) == index.floor(sought)
    with mock.patch.object(index_module, "BLOCK", block):
        assert there.part(sought, sought + 20) == index.part(sought, sought + 20)
    assert there.last() == index.last


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=30),
    st.integers(0, 200),
    st.integers(-1, 3),
)
def test_indexes_taken_over_in_parts_are_as_if_made_entry_by_entry(
    adds: list[tuple[int, int]], middle: int, lower: int
) -> None:
    places, times = OffsetIndex(3), TimeIndex(3)
    other_places, other_times = OffsetIndex(3 - lower), TimeIndex(3 - lower)
    expected_places, expected_times = OffsetIndex(3 - lower), TimeIndex(3 - lower)
    offset, position = 3, 0
    for timestamp, more in adds:
        offset, position = offset + more, position + 10 * more
        places.add(offset, position)
        times.add(timestamp, offset)
        expected_places.add(offset, position + 7)
        expected_times.add(timestamp, offset)
    for start, stop in ((0, middle), (middle, 1 << 20)):
        other_places.extend(places.part(start * 10, stop * 10), 7)
        other_times.extend(times.part(start, stop))
        other_times.extend(times.part(0, stop))  # What is not newer adds nothing.
    assert other_places.encode() == expected_places.encode()
    assert other_times.encode() == expected_times.encode()


def test_damaged_time_indexes() -> None:
    with pytest.raises(Corrupt, match="multiple"):
        TimeIndex.decode(0, b"x" * 13)
    with pytest.raises(Corrupt, match="rise"):
        TimeIndex.decode(0, struct.pack(">qiqi", 5, 0, 3, 1))


# --- producers -----------------------------------------------------------------------------------


def test_snapshot_bytes_round_trip_and_are_guarded() -> None:
    entries = (ProducerEntry(1, 2, 3, 4, 5, 6, 7, 8), ProducerEntry(9, 0, -1, -1, 0, 10))
    data = producer_state.encode(entries)
    assert len(data) == 10 + 2 * 46
    assert producer_state.decode(data) == entries
    for damaged in (data[:-1], data[:5], b"\0\2" + data[2:], data[:-1] + b"x"):
        with pytest.raises(Corrupt):
            producer_state.decode(damaged)


def test_producers_are_noted_from_headers() -> None:
    state = LoggedProducers()
    state.note(batch(0, [b"x"] * 3, producer_id=7, producer_epoch=1, base_sequence=0))
    state.note(batch(3, [b"x"] * 2))
    state.note(
        batch(5, [b"x"] * 2, producer_id=7, producer_epoch=1, base_sequence=(1 << 31) - 1, at=90)
    )
    (entry,) = state.entries
    assert entry == ProducerEntry(7, 1, 0, 6, 1, 91)


def test_the_last_appends_of_a_producer_outlive_a_snapshot() -> None:
    state = LoggedProducers()
    for n in range(7):
        state.note(batch(n, [b"x"], producer_id=7, producer_epoch=0, base_sequence=n))
    state.note(batch(7, [b"x"], producer_id=8, producer_epoch=0, base_sequence=0))
    read = LoggedProducers(producer_state.decode(producer_state.encode(state.recent)))
    assert read.recent == state.recent
    assert [(e.producer_id, e.last_sequence) for e in read.recent] == [
        *((7, n) for n in range(2, 7)),
        (8, 0),
    ]
    assert [e.last_sequence for e in read.entries] == [6, 0]
    read.note(batch(8, [b"x"], producer_id=7, producer_epoch=1, base_sequence=0))
    assert [(e.producer_id, e.epoch) for e in read.recent] == [(7, 1), (8, 0)]


def test_a_transaction_is_open_until_its_marker() -> None:
    state = LoggedProducers()
    head = {"producer_id": 7, "producer_epoch": 0, "attributes": TRANSACTIONAL}
    state.note(batch(10, [b"x"], base_sequence=0, **head))
    state.note(batch(20, [b"x"], base_sequence=1, **head))
    assert state.entries[0].first_txn_offset == 10
    state.note(batch(30, [b"x"], **head | {"attributes": CONTROL}), EndTransactionMarker(True, 3))
    assert state.entries[0].first_txn_offset == -1
    assert state.entries[0].last_offset == 20
    assert [e.first_txn_offset for e in state.recent] == [-1, -1]
    assert state.entries[0].coordinator_epoch == 3


def test_silent_producers_are_forgotten_unless_in_a_transaction() -> None:
    state = LoggedProducers(
        [
            ProducerEntry(1, 0, 0, 0, 0, 1000),
            ProducerEntry(2, 0, 0, 0, 0, 1000, first_txn_offset=5),
            ProducerEntry(3, 0, 0, 0, 0, 1002),
        ]
    )
    state.expire(1001)
    assert [e.producer_id for e in state.entries] == [2, 3]


# --- walking -----------------------------------------------------------------------------------


def test_walking_tells_each_batch_whatever_its_size() -> None:
    batches = [batch(0, [b"x"]), batch(1, [b"y" * 20000] * 2), batch(3, [b"z"] * 4, epoch=5)]
    data = b"".join(bytes(b.data) for b in batches)
    file = file_of(data)
    steps = list(scan.walk(file, 0, len(data)))
    assert [(s.base_offset, s.last_offset, s.size) for s in steps] == [
        (b.base_offset, b.last_offset, b.size) for b in batches
    ]
    headers = list(scan.walk_headers(file, steps[1].position, len(data)))
    assert [(h.base_offset, h.leader_epoch, h.record_count) for h in headers] == [
        (1, 0, 2),
        (3, 5, 4),
    ]
    assert list(scan.scan(file, 0, len(data), 0)) == list(scan.walk_headers(file, 0, len(data)))


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda data: data[:-1], "format"),
        (lambda data: data + b"\0" * 100, "magic 0"),
        (lambda data: data + b"xyz", "3 bytes"),
        (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "CRC"),
        (lambda data: data + data, "follows"),
    ],
)
def test_a_scan_stops_at_the_first_bad_batch(damage: Callable[[bytes], bytes], why: str) -> None:
    good = bytes(batch(0, [b"x"] * 2).data)
    data = damage(good + bytes(batch(2, [b"y"] * 2).data))
    seen: list[int] = []
    with pytest.raises(Corrupt, match=why):
        seen.extend(h.base_offset for h in scan.scan(file_of(data), 0, len(data), 0))
    assert seen[0] == 0
    assert set(seen) <= {0, 2}
