"""Bytes of a file that lies on a disk which may be failing: unreadable ones are zeros and reported.

Memory maps are of no use here: a process that touches an unreadable page of one is killed.
Called by `walking`; knows no batches.
"""

from __future__ import annotations

import errno
import os
import time
from typing import Final

BLOCK: Final = 4096
"""Bytes that are given up at once where a disk fails."""
_COARSE: Final = 64 << 10

GROWTH_SECONDS: Final = 1.0
"""How long a file that was written to lately is watched for more to come."""
_LATELY: Final = 60.0

FAILING: Final = frozenset({errno.EIO, errno.ENXIO, errno.ENODEV, errno.EREMOTEIO, errno.EBADMSG})


class FileOnDisk:
    """An open file. `unreadable` lists (position, length, errno) of what could not be read."""

    def __init__(self, path: str) -> None:
        """OSError where it cannot be opened."""
        self.path = path
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        found = os.fstat(self._fd)
        self.inode = found.st_ino
        self.unreadable: list[tuple[int, int, int]] = []

    def close(self) -> None:
        """Let go of it."""
        os.close(self._fd)

    def read(self, position: int, size: int) -> bytes:
        """Up to `size` bytes; fewer only at the file's end."""
        try:
            data = os.pread(self._fd, size, position)
            while 0 < len(data) < size:
                more = os.pread(self._fd, size - len(data), position + len(data))
                if not more:
                    break
                data += more
            return data
        except OSError as error:
            if error.errno not in FAILING:
                raise
            return self._salvage(position, size)

    def grows(self, size: int) -> bool:
        """Whether it is still written: it is, or within a moment becomes, longer than `size`."""
        deadline = time.monotonic() + GROWTH_SECONDS
        while True:
            found = os.fstat(self._fd)
            if found.st_size > size:
                return True
            if time.time() - found.st_mtime > _LATELY or time.monotonic() > deadline:
                return False
            time.sleep(0.05)

    def _salvage(self, position: int, size: int) -> bytes:
        """As much as can be read, coarse pieces first, then block by block."""
        size = max(0, min(size, os.fstat(self._fd).st_size - position))
        out = bytearray(size)
        for at, length, data in self._pieces(position, size, _COARSE):
            if data is not None:
                out[at - position : at - position + len(data)] = data
                continue
            for inner, _, block in self._pieces(at, length, BLOCK):
                if block is not None:
                    out[inner - position : inner - position + len(block)] = block
        return bytes(out)

    def _pieces(self, position: int, size: int, step: int) -> list[tuple[int, int, bytes | None]]:
        """(position, length, data) in aligned pieces; None, and noted, where reading fails."""
        found: list[tuple[int, int, bytes | None]] = []
        end = position + size
        while position < end:
            length = min(step - position % step, end - position)
            data: bytes | None = None
            try:
                data = os.pread(self._fd, length, position)
            except OSError as error:
                if error.errno not in FAILING:
                    raise
                if step == BLOCK:
                    self._note(position, length, error.errno or errno.EIO)
            found.append((position, length, data))
            position += length
        return found

    def _note(self, position: int, length: int, number: int) -> None:
        if self.unreadable:
            at, before, why = self.unreadable[-1]
            if at <= position <= at + before and why == number:
                self.unreadable[-1] = (at, max(before, position + length - at), number)
                return
        self.unreadable.append((position, length, number))

    def why_unreadable(self, position: int, end: int) -> str | None:
        """The error of the disk within a range, if it had one there."""
        for at, length, number in self.unreadable:
            if at < end and at + length > position:
                return os.strerror(number)
        return None
