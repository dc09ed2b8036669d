"""Copying past the page cache: the same bytes wherever a piece begins and ends, and if refused."""

from __future__ import annotations

import errno
import fcntl
import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.amounts import cases

from spindle.model.batches import Buffer
from spindle.model.copying_jobs import CopyPace
from spindle.runtime import os_copy
from spindle.runtime.os_copy import Copier
from spindle.runtime.page_cache import is_cached
from spindle.storage.disk import UNSEEN, CopyOptions, Unseen

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


class Looking:
    """What has passed, and whether its end was heard of."""

    def __init__(self) -> None:
        self.passed = bytearray()
        self.ended = False

    def feed(self, part: Buffer) -> None:
        self.passed += part

    def finish(self) -> None:
        self.ended = True


class Failing(Unseen):
    """Finds the first bytes wrong."""

    def feed(self, part: Buffer) -> None:
        failing()


def failing(*_: object) -> int:
    raise OSError(errno.EIO, "the disk is gone")


places = st.one_of(st.sampled_from([0, 1, 4095, 4096, 4097, 8192]), st.integers(0, 3 * MIB))
lengths = st.one_of(st.sampled_from([0, 1, MIB - 1, MIB, 4 * MIB]), st.integers(0, 5 * MIB))


@settings(
    max_examples=cases(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(places, places, lengths)
def test_the_same_bytes_wherever_they_begin_and_end(
    tmp_path: Path, start: int, at: int, length: int
) -> None:
    seen = Looking()
    with files(tmp_path) as (source, target):
        done = Copier().copy(source, start, target, at, length, seen)
        expected = DATA[start : start + length]
        assert done == len(expected)
        assert os.fstat(target).st_size == (at + done if done else 0)
        assert os.pread(target, done + 1, at) == expected
        assert seen.passed == expected
        assert seen.ended == (done == length)


def test_what_goes_past_the_cache_joins_what_was_written_through_it(tmp_path: Path) -> None:
    with files(tmp_path) as (source, target):
        at = 0
        for length in (100, 2 * MIB + 5, 7, MIB + 4096, 1):
            assert Copier().copy(source, at, target, at, length, UNSEEN) == length
            at += length
        assert (tmp_path / "target").read_bytes() == DATA[:at]


@pytest.mark.parametrize("refuses", ["the flag", "the access"])
def test_where_a_file_system_knows_no_way_past_the_cache(
    refuses: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(verb: Any) -> Any:
        """`verb` on a file system that does not know the flag, or what comes with it."""

        def refusing(fd: int, *how: Any) -> Any:
            if verb is fcntl_:
                if refuses == "the flag" and how[0] == fcntl.F_SETFL and how[1] & os.O_DIRECT:
                    raise OSError(errno.EINVAL, "no direct access")
            elif fcntl_(fd, fcntl.F_GETFL) & os.O_DIRECT:
                raise OSError(errno.EINVAL, "not like this")
            return verb(fd, *how)

        return refusing

    fcntl_ = fcntl.fcntl
    for module, name in ((fcntl, "fcntl"), (os, "preadv"), (os, "pwritev")):
        monkeypatch.setattr(module, name, without(getattr(module, name)))
    with files(tmp_path) as (source, target):
        let_go(source)
        assert Copier().copy(source, 0, target, 0, 3 * MIB, UNSEEN) == 3 * MIB
        assert (tmp_path / "target").read_bytes() == DATA[: 3 * MIB]
        assert not fcntl_(target, fcntl.F_GETFL) & os.O_DIRECT


@pytest.mark.parametrize("start", [0, 4096, 100])
def test_what_the_cache_does_not_have_is_read_past_it(tmp_path: Path, start: int) -> None:
    """Whatever the place; and hardly more of the source is cached after it."""
    with files(tmp_path) as (source, target):
        let_go(source)
        in_memory = has(source, 1)  # There are file systems that have no other place.
        seen = Looking()
        length = 4 * MIB
        assert Copier().copy(source, start, target, start, length, seen) == length
        assert seen.passed == DATA[start : start + length]
        assert in_memory or len(cached(source)) < 10
        assert not fcntl.fcntl(source, fcntl.F_GETFL) & os.O_DIRECT


def test_what_the_cache_has_is_taken_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = watched(monkeypatch)
    with files(tmp_path) as (source, target):
        os.pread(source, len(DATA), 0)
        assert Copier().copy(source, 0, target, 0, 3 * MIB, UNSEEN) == 3 * MIB
    assert not asked


def watched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The offsets that are read past the page cache."""
    asked: list[int] = []
    read = os.preadv

    def reading(fd: int, buffers: Any, offset: int) -> int:
        if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_DIRECT:
            asked.append(offset)
        return read(fd, buffers, offset)

    monkeypatch.setattr(os, "preadv", reading)
    return asked


def test_what_is_written_goes_past_the_cache_but_for_its_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the descriptor's flag is set once, not before each part."""
    written: list[tuple[int, bool]] = []
    flagged: list[int] = []
    write, tell = os.pwritev, fcntl.fcntl

    def writing(fd: int, buffers: Any, offset: int) -> int:
        written.append((offset, bool(tell(fd, fcntl.F_GETFL) & os.O_DIRECT)))
        return write(fd, buffers, offset)

    def telling(fd: int, what: int, flags: int = 0) -> int:
        flagged.append(what)
        return tell(fd, what, flags)

    with files(tmp_path) as (source, target):
        os.pread(source, len(DATA), 0)
        monkeypatch.setattr(os, "pwritev", writing)
        monkeypatch.setattr(fcntl, "fcntl", telling)
        manner = CopyOptions(False, CopyPace(1.0, MIB))
        assert Copier().copy(source, 0, target, 100, 3 * MIB, UNSEEN, manner) == 3 * MIB
    middle = [direct for offset, direct in written if offset % 4096 == 0][:-1]
    assert written[0] == (100, False)
    assert written[-1][1] is False
    if all(middle):  # There are file systems that know no other way than through the cache.
        assert len(middle) == 3
        assert flagged.count(fcntl.F_SETFL) == 2


def test_what_others_append_to_is_never_read_past_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a read locks the file: a writer would wait for the disk."""
    asked = watched(monkeypatch)
    for growing in (False, True):
        with files(tmp_path) as (source, target):
            let_go(source)
            in_memory = has(source, 1)
            assert (
                Copier().copy(source, 0, target, 0, 3 * MIB, UNSEEN, CopyOptions(growing))
                == 3 * MIB
            )
            assert os.pread(target, 3 * MIB, 0) == DATA[: 3 * MIB]
        assert bool(asked) == (not growing and not in_memory)
        asked.clear()


@pytest.mark.spec("B-10")
@pytest.mark.parametrize("share", [0.25, 0.5, 1.0])
def test_it_rests_between_parts_as_long_as_it_must(tmp_path: Path, share: float) -> None:
    rests: list[float] = []
    with files(tmp_path) as (source, target):
        began = time.monotonic()
        copier = Copier(rests.append)
        assert (
            copier.copy(
                source,
                0,
                target,
                0,
                5 * MIB,
                UNSEEN,
                CopyOptions(False, CopyPace(share, MIB // os_copy.SPELL)),
            )
            == 5 * MIB
        )
        took = time.monotonic() - began
        assert (tmp_path / "target").read_bytes() == DATA[: 5 * MIB]
    assert len(rests) == (0 if share == 1 else 4)
    assert all(0 < rest <= os_copy.REST_MAX for rest in rests)
    assert sum(rests) < took * (1 / share - 1) + 1e-6


@pytest.mark.spec("B-10")
def test_a_disk_that_hangs_is_not_waited_for_many_times_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rests: list[float] = []
    clock = iter(range(0, 1000, 30))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    with files(tmp_path) as (source, target):
        Copier(rests.append).copy(
            source,
            0,
            target,
            0,
            3 * MIB,
            UNSEEN,
            CopyOptions(False, CopyPace(0.1, MIB // os_copy.SPELL)),
        )
    assert rests == [os_copy.REST_MAX] * 2


@pytest.mark.parametrize("fails", ["looking", "writing"])
def test_an_error_ends_the_reading_too(
    fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No thread reads from the descriptors any more when the error comes out."""

    before = set(threading.enumerate())
    if fails == "writing":
        monkeypatch.setattr(os, "pwritev", failing)
    with files(tmp_path) as (source, target), pytest.raises(OSError, match="the disk is gone"):
        Copier().copy(source, 0, target, 0, 5 * MIB, Failing() if fails == "looking" else UNSEEN)
    assert set(threading.enumerate()) <= before


def let_go(fd: int) -> None:
    """Have nothing of a file in the page cache, where there is another place.

    The kernel passes over pages that it is busy with: it hears more than once.
    """
    os.fsync(fd)
    for _ in range(100):
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        if not cached(fd):
            return


def cached(fd: int) -> set[int]:
    """The pages of a file that the page cache has."""
    return {page for page in range(len(DATA) // 4096) if has(fd, page)}


def has(fd: int, page: int) -> bool:
    """Whether a page can be read without the disk."""
    return is_cached(fd, page * 4096)
