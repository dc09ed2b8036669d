"""The Disk port over the operating system. Knows no log, no format, no thread.

Every verb raises OSError and nothing else. Files are never mapped into memory (B-14). One `OsDisk`
may be used from several threads; one open file belongs to the thread that opened it.
Made by the driver; used by `spindle.storage`.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
from collections.abc import Sequence

import structlog

from spindle.model.batches import Buffer
from spindle.model.log_values import Usage
from spindle.runtime.buffer_pool import LENT_LEAST, BufferPool
from spindle.runtime.copying_process import CopyingProcesses, CopyOrder, NoCopyingProcess
from spindle.runtime.os_copy import DIRECT_FROM, Copier
from spindle.storage.disk import AT_ONCE, UNSEEN, CopyOptions, File, Seen, Stat

log = structlog.get_logger("spindle.runtime.os_disk")

_HAS_PROCESSES = sys.platform == "linux"
BUFFERS_MAX = 1024
"""Most buffers that one `pwritev` takes (IOV_MAX)."""
SNAPSHOT_SUFFIX = ".checkpoint"
"""Of snapshots of the metadata."""


class OsFile:
    """An open file of the operating system."""

    __slots__ = ("_pool", "fd")

    def __init__(self, fd: int, pool: BufferPool) -> None:
        self.fd = fd
        self._pool = pool

    def size(self) -> int:
        """Bytes in the file now."""
        return os.fstat(self.fd).st_size

    def read(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes from `offset`; fewer only at the end of the file."""
        data = os.pread(self.fd, length, offset)
        if len(data) == length or not data:
            return data
        parts = [data]
        got = len(data)
        while got < length:
            more = os.pread(self.fd, length - got, offset + got)
            if not more:
                break
            parts.append(more)
            got += len(more)
        return b"".join(parts)

    def lend(self, offset: int, length: int) -> Buffer:
        """The same, in memory that is used again once no view of it is left."""
        buffer = self._pool.lend(length) if length >= LENT_LEAST else None
        if buffer is None:
            return self.read(offset, length)
        got = 0
        while got < length:
            more = os.preadv(self.fd, [buffer[got:]], offset + got)
            if not more:
                break
            got += more
        return buffer[:got]

    def write(self, offset: int, buffers: Sequence[Buffer]) -> int:
        """Write all buffers one after the other from `offset`; the bytes written (all of them)."""
        total = sum(map(len, buffers))
        if len(buffers) <= BUFFERS_MAX:
            done = os.pwritev(self.fd, buffers, offset)
            if done == total:
                return total
        else:
            done = 0
        _write_rest(self.fd, offset, buffers, done)
        return total

    def truncate(self, size: int) -> None:
        """Cut or extend (with zeros) to `size`."""
        os.ftruncate(self.fd, size)

    def sync(self) -> None:
        """Return when all that was written is on the medium."""
        os.fdatasync(self.fd)

    def close(self) -> None:
        """Let go of it."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)


def _write_rest(fd: int, offset: int, buffers: Sequence[Buffer], done: int) -> None:
    """Write what follows the first `done` bytes, as often as the kernel stops short."""
    rest: list[Buffer] = []
    skip = done
    for buffer in buffers:
        if skip >= len(buffer):
            skip -= len(buffer)
            continue
        rest.append(memoryview(buffer)[skip:] if skip else buffer)
        skip = 0
    offset += done
    while rest:
        wrote = os.pwritev(fd, rest[:BUFFERS_MAX], offset)
        if wrote == 0:
            raise OSError(errno.EIO, "the file takes no more bytes")
        offset += wrote
        while rest and wrote >= len(rest[0]):
            wrote -= len(rest.pop(0))
        if wrote:
            rest[0] = memoryview(rest[0])[wrote:]


class OsDisk:
    """The file systems of this machine."""

    def __init__(self) -> None:
        # POSIX record locks do not hold against the same process, so it remembers its own.
        self._locked: set[str] = set()
        self._copier = Copier()
        self._processes = CopyingProcesses()
        self._pool = BufferPool()

    def open(self, path: str, create: bool = False) -> File:
        """Open for reading and writing; `create` makes it if it is missing.

        A snapshot of the metadata is opened for reading where no more is allowed: Apache Kafka
        gives its snapshots the mode 0400.
        """
        flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        try:
            found = os.open(path, flags, 0o644)
        except PermissionError:
            if create or not path.endswith(SNAPSHOT_SUFFIX):
                raise
            found = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        return OsFile(found, self._pool)

    def list(self, path: str) -> list[str]:
        """Names in a directory, sorted."""
        return sorted(os.listdir(path))

    def stat(self, path: str) -> Stat | None:
        """What is known of a path, or None where there is nothing."""
        try:
            found = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return Stat(found.st_size, found.st_mtime_ns // 1_000_000, stat.S_ISDIR(found.st_mode))

    def make_dir(self, path: str) -> None:
        """Make a directory; its parent must be there, and its name free."""
        os.mkdir(path)

    def make_dirs(self, path: str) -> None:
        """Make a directory, parents too; no error if it is there."""
        os.makedirs(path, exist_ok=True)

    def rename(self, source: str, target: str) -> None:
        """Rename atomically; a file at `target` gives way."""
        os.rename(source, target)

    def remove(self, path: str) -> None:
        """Unlink a file, or an empty directory."""
        try:
            os.unlink(path)
        except IsADirectoryError:
            os.rmdir(path)

    def sync_dir(self, path: str) -> None:
        """Return when the directory's entries are on the medium."""
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def copy(
        self,
        source: File,
        start: int,
        target: File,
        at: int,
        length: int,
        seen: Seen = UNSEEN,
        manner: CopyOptions = AT_ONCE,
    ) -> int:
        """Copy bytes past the page cache where it can; the bytes copied (0 only at the end)."""
        assert isinstance(source, OsFile)
        assert isinstance(target, OsFile)
        if _HAS_PROCESSES and manner.pace.beside_clients and length >= DIRECT_FROM:
            order = CopyOrder(start, at, length, seen, manner)
            try:
                return self._processes.copy(source.fd, target.fd, order)
            except NoCopyingProcess as gone:
                log.warning("a move copies in the node's own process", reason=str(gone))
        return self._copier.copy(source.fd, start, target.fd, at, length, seen, manner)

    def usage(self, path: str) -> Usage:
        """Bytes of the file system under `path`, and its st_dev."""
        found, block = os.statvfs(path), os.stat(path)
        size = found.f_frsize
        return Usage(found.f_blocks * size, found.f_bavail * size, block.st_dev)

    def lock(self, path: str) -> File:
        """Open and lock a file against other processes; OSError EAGAIN if another holds it."""
        real = os.path.realpath(path)
        if real in self._locked:
            raise OSError(errno.EAGAIN, "this process holds the lock already", path)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(fd)
            if error.errno in (errno.EACCES, errno.EAGAIN):
                raise OSError(errno.EAGAIN, "another process holds the lock", path) from None
            raise
        self._locked.add(real)
        return _LockedFile(fd, self._pool, real, self._locked)


class _LockedFile(OsFile):
    """A lock file; closing it releases the lock."""

    __slots__ = ("_held", "_path")

    def __init__(self, fd: int, pool: BufferPool, path: str, held: set[str]) -> None:
        super().__init__(fd, pool)
        self._path = path
        self._held = held

    def close(self) -> None:
        """Let go of the lock."""
        super().close()
        self._held.discard(self._path)
