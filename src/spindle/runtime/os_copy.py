"""Bytes from one file to another that leave the page cache as it was (K113-03).

A moved segment is rarely read soon, so what is written to the target need not push out what others
read, wait for the kernel's writers, or make others' syncs wait; and what the cache has not of the
source need not come there. A spell is read while the one before it is written, so that both disks
are at work. Knows file descriptors only; called by `os_disk`. Every function raises OSError and
nothing else of its own.
"""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from typing import Final, NamedTuple

from spindle.model.copying_jobs import FULL_PACE, CopyPace
from spindle.runtime.page_cache import is_cached
from spindle.storage.disk import AT_ONCE, CopyOptions, Seen

CHUNK: Final = FULL_PACE.part
"""Bytes that are read, then written, at a time at most."""

SPELL: Final = 4
"""Parts that are read, then written, then rested for. What is between two spells waits for the
interpreter again and again, and the loop for it: so a few parts have it together."""

REST_MAX: Final = 0.25
"""Seconds of one rest: a disk that hangs is not waited for many times over."""

LOOK: Final = 1 << 20
"""Bytes that are read, then looked at: few enough for a processor's cache, and not fewer.

After each read the thread waits for the interpreter, and so does the loop for the thread.
"""

DIRECT_FROM: Final = 1 << 20
"""Less than this goes through the page cache: the tail of a log is read by its consumers."""

ALIGNED: Final = 4096
"""What positions, sizes and memory are multiples of past the cache: enough for all disks."""

_DIRECT: Final = getattr(os, "O_DIRECT", 0)
_REFUSED: Final = frozenset({errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS})


Buffers = tuple[memoryview, memoryview]
"""One is read into while the other is written."""


class Copier:
    """Copies, of several threads at once; the memory of one that has ended is the next one's."""

    def __init__(self, rest: Callable[[float], None] = time.sleep) -> None:
        """`rest`: does nothing for so many seconds."""
        self._rest = rest
        self._free: list[Buffers] = []

    def copy(
        self,
        source: int,
        start: int,
        target: int,
        at: int,
        length: int,
        seen: Seen,
        manner: CopyOptions = AT_ONCE,
    ) -> int:
        """Copy `length` bytes; how many there were. `seen` gets all, each before it is written.

        A source that is `growing` is read through the cache: past it, appends wait.
        """
        where = _CopySource(source, seen, manner.growing, manner.pace.part)
        if length < DIRECT_FROM:
            buffer = memoryview(bytearray(length))
            done = where.read(start, buffer)
            _write_all(target, at, buffer[:done])
        else:
            with closing(_CopyTarget(target, manner.pace.part)) as to, self._buffers() as buffers:
                done = self._copy(where, start, to, at, length, buffers, manner.pace)
        if done == length:
            seen.finish()
        return done

    @contextmanager
    def _buffers(self) -> Iterator[Buffers]:
        try:
            buffers = self._free.pop()
        except IndexError:
            buffers = _buffer(), _buffer()
        try:
            yield buffers
        finally:
            self._free.append(buffers)

    def _copy(
        self,
        source: _CopySource,
        start: int,
        target: _CopyTarget,
        at: int,
        length: int,
        buffers: Buffers,
        pace: CopyPace,
    ) -> int:
        if hasattr(os, "posix_fadvise"):
            # Only what is asked for: what the kernel reads beyond would pass for what others need.
            os.posix_fadvise(source.fd, 0, 0, os.POSIX_FADV_RANDOM)
        done, began = 0, time.monotonic()
        sizes = list(_spells(at, length, min(pace.part * SPELL, CHUNK)))
        with closing(_read_ahead(source, start, sizes, buffers)) as spells:
            for spell, direct in spells:
                target.write(at + done, spell, direct)
                done += len(spell)
                if pace.share < 1 and done < length:
                    took = time.monotonic() - began
                    self._rest(min(REST_MAX, took / pace.share - took))
                    began = time.monotonic()
        return done


def _buffer() -> memoryview:
    """Memory that begins at a page; a large one, if there are, spares a disk's requests."""
    memory = mmap.mmap(-1, CHUNK, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memoryview(memory)


class _CopySource(NamedTuple):
    """The source of bytes, and their readers.

    `growing`: others append to it. `part`: the bytes that the disk is asked for at a time.
    """

    fd: int
    seen: Seen
    growing: bool
    part: int

    def read(self, offset: int, buffer: memoryview) -> int:
        """Fill the buffer, from the page cache if it is there; the bytes read, all seen.

        The page in the middle tells for all.
        """
        done = 0
        if not self.growing and not is_cached(self.fd, offset + len(buffer) // 2):
            done = self._past_cache(offset, buffer)
            for begin in range(0, done, LOOK):
                self.seen.feed(buffer[begin : min(begin + LOOK, done)])
        most = min(LOOK, self.part)
        while done < len(buffer):
            got = os.preadv(self.fd, [buffer[done : done + most]], offset + done)
            if got == 0:
                break
            self.seen.feed(buffer[done : done + got])
            done += got
        return done

    def _past_cache(self, offset: int, buffer: memoryview) -> int:
        """Bytes that were read past the page cache: none where that cannot be."""
        if not _DIRECT or offset % ALIGNED or len(buffer) % ALIGNED:
            return 0
        done = 0
        try:
            with _directly(self.fd):
                while done < len(buffer) and not done % ALIGNED:
                    got = os.preadv(self.fd, [buffer[done : done + self.part]], offset + done)
                    if got == 0:
                        break
                    done += got
        except OSError as error:
            if error.errno not in _REFUSED:
                raise
        return done


class _CopyTarget:
    """The target of bytes. Its flag is changed at the parts that need it, not around each."""

    def __init__(self, fd: int, part: int) -> None:
        """`part`: the bytes that the disk gets at a time."""
        self._fd = fd
        self._part = part
        self._flags = fcntl.fcntl(fd, fcntl.F_GETFL)
        self._direct = False
        self._refused = not _DIRECT

    def write(self, offset: int, data: memoryview, direct: bool) -> None:
        """Write all of it. `direct`: past the page cache, if the file system knows how."""
        done = self._past_cache(offset, data) if direct and not self._refused else 0
        if done < len(data):
            self._set(False)
            _write_all(self._fd, offset + done, data[done:])

    def _past_cache(self, offset: int, data: memoryview) -> int:
        done = 0
        try:
            self._set(True)
            while done < len(data) and not done % ALIGNED:
                part = data[done : done + self._part]
                done += os.pwritev(self._fd, [part], offset + done)
        except OSError as error:
            if error.errno not in _REFUSED:
                raise
            self._refused = True
        return done

    def _set(self, direct: bool) -> None:
        if direct != self._direct:
            fcntl.fcntl(self._fd, fcntl.F_SETFL, self._flags | (_DIRECT if direct else 0))
            self._direct = direct

    def close(self) -> None:
        """Leave the descriptor as it was."""
        self._set(False)


def _spells(at: int, length: int, most: int) -> Iterator[tuple[int, bool]]:
    """Sizes of the spells of copying, and whether each may be written directly."""
    head = -at % ALIGNED
    middle = (length - head) // ALIGNED * ALIGNED
    for size, direct in ((head, False), (middle, True), (length - head - middle, False)):
        for begin in range(0, size, most):
            yield min(most, size - begin), direct


def _read_ahead(
    source: _CopySource, offset: int, sizes: list[tuple[int, bool]], buffers: Buffers
) -> Generator[tuple[memoryview, bool], None, None]:
    """The spells as they are read, each while the one before is used; less at the file's end."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(source.read, offset, buffers[0][: sizes[0][0]])
        for number, (size, direct) in enumerate(sizes):
            got = coming.result()
            offset += got
            if got == size and number + 1 < len(sizes):
                room = buffers[1 - number % 2][: sizes[number + 1][0]]
                coming = reader.submit(source.read, offset, room)
            yield buffers[number % 2][:got], direct and got == size
            if got < size:
                break


def _write_all(fd: int, offset: int, data: memoryview) -> None:
    done = 0
    while done < len(data):
        done += os.pwritev(fd, [data[done:]], offset + done)


@contextmanager
def _directly(fd: int) -> Iterator[None]:
    """The file's reads and writes go past the page cache meanwhile."""
    flags = fcntl.fcntl(fd, fcntl.F_GETFL)
    fcntl.fcntl(fd, fcntl.F_SETFL, flags | _DIRECT)
    try:
        yield
    finally:
        fcntl.fcntl(fd, fcntl.F_SETFL, flags)
