"""Copying past the page cache: the same bytes wherever a piece begins and ends, and if refused."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spindle.runtime import os_copy

MIB = 1 << 20
DATA = random.Random(1).randbytes(5 * MIB + 123)


@contextmanager
def files(folder: Path) -> Iterator[tuple[int, int]]:
    """A source with `DATA` and a target with nothing."""
    (folder / "source").write_bytes(DATA)
    (folder / "target").write_bytes(b"")
    fds = tuple(os.open(folder / name, os.O_RDWR) for name in ("source", "target"))
    try:
        yield fds[0], fds[1]
    finally:
        for fd in fds:
            os.close(fd)


def unseen(_: object) -> None:
    """Nobody looks."""


places = st.one_of(st.sampled_from([0, 1, 4095, 4096, 4097, 8192]), st.integers(0, 3 * MIB))
lengths = st.one_of(st.sampled_from([0, 1, MIB - 1, MIB, 4 * MIB]), st.integers(0, 5 * MIB))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(places, places, lengths)
def test_the_same_bytes_wherever_they_begin_and_end(
    tmp_path: Path, start: int, at: int, length: int
) -> None:
    seen = bytearray()
    with files(tmp_path) as (source, target):
        done = os_copy.copy(source, start, target, at, length, seen.extend)
        expected = DATA[start : start + length]
        assert done == len(expected)
        assert os.fstat(target).st_size == (at + done if done else 0)
        assert os.pread(target, done + 1, at) == expected
        assert bytes(seen) == expected


def test_what_goes_past_the_cache_joins_what_was_written_through_it(tmp_path: Path) -> None:
    with files(tmp_path) as (source, target):
        at = 0
        for length in (100, 2 * MIB + 5, 7, MIB + 4096, 1):
            assert os_copy.copy(source, at, target, at, length, unseen) == length
            at += length
        assert (tmp_path / "target").read_bytes() == DATA[:at]


@pytest.mark.parametrize("refuses", ["to be told", "to write"])
def test_where_a_file_system_has_no_direct_writes(
    refuses: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None is marked as such where it refuses the flag; where it refuses the write, it is told."""

    @contextmanager
    def refused(_: int) -> Iterator[bool]:
        yield False

    def unwritten(*_: object) -> bool:
        return False

    if refuses == "to be told":
        monkeypatch.setattr(os_copy, "_directly", refused)
    else:
        monkeypatch.setattr(os_copy, "_write_directly", unwritten)
    with files(tmp_path) as (source, target):
        assert os_copy.copy(source, 0, target, 0, 3 * MIB, unseen) == 3 * MIB
        assert (tmp_path / "target").read_bytes() == DATA[: 3 * MIB]
