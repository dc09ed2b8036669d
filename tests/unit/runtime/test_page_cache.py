"""What the page cache has of a file, found without changing it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.processes import tied

from spindle.runtime.page_cache import is_cached

PAGE = 4096
PAGES = 64


@pytest.fixture
def fd(tmp_path: Path) -> Iterator[int]:
    """A file whose pages are all on the medium, open for reading alone."""
    path = tmp_path / "log"
    path.write_bytes(os.urandom(PAGES * PAGE + 100))
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    yield fd
    os.close(fd)


def cached(fd: int) -> set[int]:
    return {page for page in range(PAGES + 1) if is_cached(fd, page * PAGE + 7)}


def let_go(fd: int) -> None:
    """The kernel passes over pages that it is busy with: it hears more than once."""
    for _ in range(100):
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        if not cached(fd):
            return


def test_what_was_read_is_there(fd: int) -> None:
    os.pread(fd, PAGES * PAGE + 100, 0)
    assert cached(fd) == set(range(PAGES + 1))


@pytest.mark.spec("K113-03")
def test_looking_brings_nothing(fd: int) -> None:
    """Not even after a thousand looks, of which some find a disk that is fast."""
    let_go(fd)
    before = cached(fd)
    for _ in range(20):
        cached(fd)
    assert cached(fd) <= before


@pytest.mark.spec("K113-03")
def test_only_what_was_read_is_there(fd: int, tmp_path: Path) -> None:
    """As another program of the system's counts it, too."""
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    let_go(fd)
    if len(cached(fd)) == PAGES + 1:
        return  # There are file systems that have no other place than memory.
    os.pread(fd, 1, 5 * PAGE)
    pages = cached(fd)
    assert 5 in pages
    assert len(pages) < PAGES
    if fincore := shutil.which("fincore"):
        told = subprocess.run(
            tied([fincore, "--noheadings", "--bytes", "--output", "RES", str(tmp_path / "log")]),
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        assert int(told) == len(pages) * PAGE


def test_behind_the_end_nothing_is_to_be_brought(fd: int) -> None:
    assert is_cached(fd, 1 << 40)


def test_an_error_of_the_file_is_reported(fd: int) -> None:
    other = os.dup(fd)
    os.close(other)
    with pytest.raises(OSError):
        is_cached(other, 0)
