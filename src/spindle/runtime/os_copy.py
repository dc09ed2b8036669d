"""Bytes from one file to another, past the page cache of the one that is written (K113-03).

A moved segment is rarely read soon, so what is written to the target need not push out what others
read, wait for the kernel's writers, or make others' syncs wait. What is read is used once while it
is in the processor's cache: looked at, then written. Knows file descriptors only; called by
`os_disk`. Every function raises OSError and nothing else of its own.
"""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final

from spindle.storage.disk import Seen

CHUNK: Final = 2 << 20
"""Bytes that are read, then written, at a time."""

LOOK: Final = 256 << 10
"""Bytes that are read, then looked at: few enough for a processor's cache."""

DIRECT_FROM: Final = 1 << 20
"""Less than this goes through the page cache: the tail of a log is read by its consumers."""

ALIGNED: Final = 4096
"""What positions, sizes and memory are multiples of in direct writes: enough for all disks."""

AHEAD: Final = 512 << 10
"""Bytes that the kernel is asked to read ahead with one call: it ignores what is beyond."""

_DIRECT: Final = getattr(os, "O_DIRECT", 0)
_REFUSED: Final = frozenset({errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS})


def copy(source: int, start: int, target: int, at: int, length: int, seen: Seen) -> int:
    """Copy `length` bytes; how many there were. `seen` gets all, in order, before it is written."""
    with closing(mmap.mmap(-1, max(min(CHUNK, length), 1))) as memory, memoryview(memory) as buffer:
        done = 0
        for size, direct in _parts(at, length):
            with buffer[:size] as part:
                got = _read(source, start + done, part, seen)
                _read_ahead(source, start + done + got, min(CHUNK, length - done - got))
                _write(target, at + done, part[:got], direct and got == size)
            done += got
            if got < size:
                break
        return done


def _parts(at: int, length: int) -> Iterator[tuple[int, bool]]:
    """Sizes of the parts to copy, and whether each may be written directly."""
    if length < DIRECT_FROM:
        head, middle = length, 0
    else:
        head = -at % ALIGNED
        middle = (length - head) // ALIGNED * ALIGNED
    for size, direct in ((head, False), (middle, True), (length - head - middle, False)):
        for begin in range(0, size, CHUNK):
            yield min(CHUNK, size - begin), direct


def _read(fd: int, offset: int, buffer: memoryview, seen: Seen) -> int:
    done = 0
    while done < len(buffer):
        with buffer[done : done + LOOK] as room:
            got = os.preadv(fd, [room], offset + done)
        if got == 0:
            break
        with buffer[done : done + got] as part:
            seen(part)
        done += got
    return done


def _read_ahead(fd: int, offset: int, length: int) -> None:
    """Have the source's disk at work while the target's is."""
    if hasattr(os, "posix_fadvise"):
        for begin in range(0, length, AHEAD):
            os.posix_fadvise(fd, offset + begin, AHEAD, os.POSIX_FADV_WILLNEED)


def _write(fd: int, offset: int, data: memoryview, direct: bool) -> None:
    if direct and _DIRECT:
        with _directly(fd) as possible:
            if possible and _write_directly(fd, offset, data):
                return
    _write_all(fd, offset, data)


def _write_directly(fd: int, offset: int, data: memoryview) -> bool:
    """Whether the file system could do it; what it left is written another way."""
    try:
        return os.pwritev(fd, [data], offset) == len(data)
    except OSError as error:
        if error.errno not in _REFUSED:
            raise
        return False


def _write_all(fd: int, offset: int, data: memoryview) -> None:
    done = 0
    while done < len(data):
        done += os.pwritev(fd, [data[done:]], offset + done)


@contextmanager
def _directly(fd: int) -> Iterator[bool]:
    """Whether the file's writes go past the page cache meanwhile."""
    flags = fcntl.fcntl(fd, fcntl.F_GETFL)
    try:
        fcntl.fcntl(fd, fcntl.F_SETFL, flags | _DIRECT)
    except OSError as error:
        if error.errno not in _REFUSED:
            raise
        yield False
        return
    try:
        yield True
    finally:
        fcntl.fcntl(fd, fcntl.F_SETFL, flags)
