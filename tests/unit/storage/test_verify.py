"""The fast check of batches: it finds what the thorough one finds, wherever windows end."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.storage import batch, put

from spindle.model.errors import Corrupt
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import scan
from spindle.storage.disk import File

PATH = "/file"


def bytes_of(sizes: list[int]) -> bytes:
    """Batches with values of these sizes."""
    data, offset = b"", 0
    for size in sizes:
        made = batch(offset, [b"v" * size] * 2)
        data += bytes(made.data)
        offset = made.next_offset
    return data


def is_well(data: bytes, offset: int = 0) -> bool:
    disk = MemoryDisk()
    put(disk, PATH, data)
    try:
        scan.verify(disk.open(PATH), 0, len(data), offset)
    except Corrupt:
        return False
    return True


@pytest.fixture(autouse=True)
def small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "VERIFY_WINDOW", 300)


@given(st.lists(st.integers(0, 500), max_size=20))
def test_well_whatever_the_sizes(sizes: list[int]) -> None:
    assert is_well(bytes_of(sizes))


@settings(deadline=None)
@given(st.lists(st.integers(0, 300), max_size=8), st.data())
def test_parts_may_end_anywhere(sizes: list[int], draw: st.DataObject) -> None:
    data = bytes_of(sizes)
    verifier = scan.Verifier(0, len(data), 0)
    at = 0
    while at < len(data):
        size = draw.draw(st.integers(1, 200))
        verifier.feed(data[at : at + size])
        at += size
    verifier.finish()


@given(st.lists(st.integers(0, 400), min_size=1, max_size=8), st.data())
def test_any_flipped_bit_is_found_unless_nothing_covers_it(
    sizes: list[int], draw: st.DataObject
) -> None:
    data = bytearray(bytes_of(sizes))
    at = draw.draw(st.integers(0, len(data) - 1))
    data[at] ^= 1 << draw.draw(st.integers(0, 7))
    try:
        for _ in scan.scan(_file(bytes(data)), 0, len(data), 0):
            pass
        thorough = True
    except Corrupt:
        thorough = False
    assert is_well(bytes(data)) == thorough


def _file(data: bytes) -> File:
    disk = MemoryDisk()
    put(disk, PATH, data)
    return disk.open(PATH)


@given(st.lists(st.integers(0, 400), min_size=1, max_size=6), st.integers(1, 300))
def test_cut_off_anywhere(sizes: list[int], missing: int) -> None:
    data = bytes_of(sizes)
    rest = data[: max(0, len(data) - missing)]
    whole = {len(bytes_of(sizes[:n])) for n in range(len(sizes) + 1)}
    assert is_well(rest) == (len(rest) in whole)


def test_an_offset_that_went_before_is_damage() -> None:
    data = bytes_of([10, 10])
    assert not is_well(data, offset=1)
    assert not is_well(data + data)
