"""Hurts a replica's files from outside, as bad sectors, file systems and people do; and judges it.

The disk as a whole stays well.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Final

from spindle.wire import batch

AT: Final = 300
"""Where a bit is flipped: within a batch, behind its header."""


def segments(log: Path) -> list[Path]:
    """The segments of a log, oldest first."""
    return sorted(log.glob("*.log"))


def sealed(log: Path) -> Path:
    """One that is no longer written to, nor the first."""
    found = segments(log)
    assert len(found) >= 4, found
    return found[len(found) // 2]


def flip(file: Path) -> None:
    """A bit changes."""
    with file.open("r+b") as open_file:
        open_file.seek(AT)
        (byte,) = open_file.read(1)
        open_file.seek(AT)
        open_file.write(bytes([byte ^ 8]))


def tear(file: Path) -> None:
    """The second half is gone."""
    with file.open("r+b") as open_file:
        open_file.truncate(file.stat().st_size // 2 + 7)


def remove(file: Path) -> None:
    """The file is gone."""
    file.unlink()


def obstruct(file: Path) -> None:
    """It cannot be read by any user: there is no file, but something that is none (EISDIR)."""
    file.unlink()
    file.mkdir()


KINDS: Final[dict[str, Callable[[Path], None]]] = {
    "flipped": flip,
    "torn": tear,
    "missing": remove,
    "unreadable": obstruct,
}


def offsets(log: Path) -> list[int]:
    """Every offset that a log holds, all its bytes checked; Corrupt where one is wrong."""
    found: list[int] = []
    for file in segments(log):
        for one in batch.split(file.read_bytes()):
            batch.check(one)
            found += range(one.base_offset, one.next_offset)
    return found


def borders(data: bytes) -> list[int]:
    """Where each batch of a segment's bytes ends."""
    return list(accumulate(one.size for one in batch.split(data)))


def copies_aside(folder: Path) -> list[Path]:
    """The bad copies that a log directory keeps."""
    return sorted(mark.parent for mark in folder.glob("*-stray/replica-bad"))
