"""Fault drills: a Disk that fails on demand, so that an operator can see what a dead disk does.

Only where the node's properties say `log.dir.fault.drills=true`. A file `<log dir>.broken` beside
a log directory then makes every verb under that directory fail with the errno that the file names
(EIO if it is empty); removing the file ends the drill. `spindle up` and the demo allow drills.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from spindle.model.batches import Buffer
from spindle.model.ids import LogDir
from spindle.model.logs import Usage
from spindle.storage.disk import Disk, File, Stat

SUFFIX = ".broken"


def break_directory(directory: LogDir, error: str = "EIO") -> None:
    """Begin a drill: the directory fails from now on. `error` is an errno's name."""
    assert error in errno.errorcode.values(), f"{error} is no errno's name"
    with open(directory + SUFFIX, "w", encoding="ascii") as marker:
        marker.write(error)


def mend_directory(directory: LogDir) -> None:
    """End a drill."""
    os.unlink(directory + SUFFIX)


class _DrillFile:
    """A file of a directory that may fail on demand."""

    __slots__ = ("_check", "inner")

    def __init__(self, inner: File, check: _Check) -> None:
        self.inner = inner
        self._check = check

    def size(self) -> int:
        self._check()
        return self.inner.size()

    def read(self, offset: int, length: int) -> bytes:
        self._check()
        return self.inner.read(offset, length)

    def write(self, offset: int, buffers: Sequence[Buffer]) -> int:
        self._check()
        return self.inner.write(offset, buffers)

    def truncate(self, size: int) -> None:
        self._check()
        self.inner.truncate(size)

    def sync(self) -> None:
        self._check()
        self.inner.sync()

    def close(self) -> None:
        self.inner.close()


class _Check:
    """Fails while the marker of one directory is there."""

    __slots__ = ("_marker",)

    def __init__(self, directory: LogDir | None) -> None:
        self._marker = None if directory is None else directory + SUFFIX

    def __call__(self) -> None:
        if self._marker is None or not os.path.exists(self._marker):
            return
        with open(self._marker, encoding="ascii") as marker:
            name = marker.read().strip() or "EIO"
        number = getattr(errno, name, errno.EIO)
        raise OSError(number, f"{os.strerror(number)} (a fault drill)", self._marker)


class DrillDisk:
    """A disk whose directories fail on demand; otherwise the disk that it wraps."""

    def __init__(self, inner: Disk, directories: Sequence[LogDir]) -> None:
        self._inner = inner
        self._checks = [(d, _Check(d)) for d in sorted(directories, key=len, reverse=True)]
        self._never = _Check(None)

    def _of(self, path: str) -> _Check:
        for directory, check in self._checks:
            if path == directory or path.startswith(directory + "/"):
                return check
        return self._never

    def open(self, path: str, create: bool = False) -> File:
        """Open for reading and writing."""
        check = self._of(path)
        check()
        return _DrillFile(self._inner.open(path, create), check)

    def list(self, path: str) -> list[str]:
        """Names in a directory, sorted."""
        self._of(path)()
        return self._inner.list(path)

    def stat(self, path: str) -> Stat | None:
        """What is known of a path."""
        self._of(path)()
        return self._inner.stat(path)

    def make_dir(self, path: str) -> None:
        """Make a directory."""
        self._of(path)()
        self._inner.make_dir(path)

    def rename(self, source: str, target: str) -> None:
        """Rename atomically."""
        self._of(source)()
        self._inner.rename(source, target)

    def remove(self, path: str) -> None:
        """Unlink a file, or an empty directory."""
        self._of(path)()
        self._inner.remove(path)

    def sync_dir(self, path: str) -> None:
        """Return when the directory's entries are on the medium."""
        self._of(path)()
        self._inner.sync_dir(path)

    def copy(self, source: File, start: int, target: File, at: int, length: int) -> int:
        """Copy bytes inside the kernel."""
        assert isinstance(source, _DrillFile)
        assert isinstance(target, _DrillFile)
        source._check()
        target._check()
        return self._inner.copy(source.inner, start, target.inner, at, length)

    def usage(self, path: str) -> Usage:
        """Bytes of the file system under `path`."""
        self._of(path)()
        return self._inner.usage(path)

    def lock(self, path: str) -> File:
        """Open and lock a file against other processes."""
        self._of(path)()
        return self._inner.lock(path)
