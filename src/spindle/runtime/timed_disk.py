"""A Disk that keeps count of its calls, to distinguish a slow or hung disk from a busy one.

Wraps the disk that does the work. Calls are made on the directories' threads; `observe` is asked on
the loop's and never waits. Copies between two directories count for neither's pace: which of them
keeps such a call waiting is unknown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import get_ident
from typing import TypeVar

from spindle.model.activity import Activity
from spindle.model.batches import Buffer
from spindle.model.ids import LogDir
from spindle.model.log_values import Usage
from spindle.storage.disk import AT_ONCE, UNSEEN, CopyOptions, Disk, File, Seen, Stat

R = TypeVar("R")


class Gauge:
    """The calls of one directory."""

    __slots__ = ("_bytes", "_calls", "_copies", "_seconds", "_seen_at", "_under_way", "_written")

    def __init__(self) -> None:
        self._under_way: dict[int, tuple[float, str, bool]] = {}
        self._copies: dict[int, float] = {}
        self._calls = self._bytes = self._written = 0
        self._seconds = 0.0
        self._seen_at = time.monotonic()

    def call(self, verb: str, size: int, work: Callable[[], R]) -> R:
        """Make a call that counts."""
        thread, began = get_ident(), time.monotonic()
        self._under_way[thread] = (began, verb, True)
        try:
            return work()
        finally:
            del self._under_way[thread]
            self._calls += 1
            self._bytes += size
            self._written += size if verb == "write" else 0
            # What has been seen of it already is not counted twice.
            self._seconds += time.monotonic() - max(began, self._seen_at)

    def look(self, verb: str, work: Callable[[], R]) -> R:
        """Make a call that says nothing about the pace, but may hang like any other."""
        thread = get_ident()
        self._under_way[thread] = (time.monotonic(), verb, False)
        try:
            return work()
        finally:
            del self._under_way[thread]

    def copies(self, began: float | None) -> None:
        """A copy from or into the directory begins on this thread, or (None) has ended."""
        if began is not None:
            self._copies[get_ident()] = began
        else:
            self._copies.pop(get_ident(), None)

    def wrote(self, size: int) -> None:
        """A copy has brought so many bytes into the directory."""
        self._written += size

    def observe(self) -> Activity:
        """What has happened since the last time."""
        now = time.monotonic()
        under_way, copies = list(self._under_way.values()), list(self._copies.values())
        calls, size, seconds, written = self._calls, self._bytes, self._seconds, self._written
        self._calls, self._bytes, self._seconds, self._written = 0, 0, 0.0, 0
        for began, _, counts in under_way:
            if counts:
                calls += 1
                seconds += now - max(began, self._seen_at)
        self._seen_at = now
        began, verb, _ = min(under_way, default=(now, "", True))
        copying = now - min(copies, default=now)
        return Activity(now - began, verb, copying, calls, size, seconds, written)


class _TimedFile:
    """A file whose calls are counted."""

    __slots__ = ("gauge", "inner")

    def __init__(self, inner: File, gauge: Gauge) -> None:
        self.inner = inner
        self.gauge = gauge

    def size(self) -> int:
        return self.inner.size()

    def read(self, offset: int, length: int) -> bytes:
        return self.gauge.call("read", length, lambda: self.inner.read(offset, length))

    def lend(self, offset: int, length: int) -> Buffer:
        return self.gauge.call("read", length, lambda: self.inner.lend(offset, length))

    def write(self, offset: int, buffers: Sequence[Buffer]) -> int:
        size = sum(map(len, buffers))
        return self.gauge.call("write", size, lambda: self.inner.write(offset, buffers))

    def truncate(self, size: int) -> None:
        self.gauge.call("truncate", 0, lambda: self.inner.truncate(size))

    def sync(self) -> None:
        self.gauge.call("sync", 0, self.inner.sync)

    def close(self) -> None:
        self.gauge.look("close", self.inner.close)


class TimedDisk:
    """A disk whose calls are counted for each of these directories."""

    def __init__(self, inner: Disk, directories: Sequence[LogDir]) -> None:
        self._inner = inner
        self._gauges = {d: Gauge() for d in sorted(directories, key=len, reverse=True)}
        self._elsewhere = Gauge()

    def observe(self, directory: LogDir) -> Activity:
        """What a directory's disk has done since the last time."""
        return self._gauges[directory].observe()

    def _of(self, path: str) -> Gauge:
        for directory, gauge in self._gauges.items():
            if path.startswith(directory) and path[len(directory) : len(directory) + 1] in "/":
                return gauge
        return self._elsewhere

    def open(self, path: str, create: bool = False) -> File:
        """Open for reading and writing."""
        gauge = self._of(path)
        return _TimedFile(gauge.call("open", 0, lambda: self._inner.open(path, create)), gauge)

    def list(self, path: str) -> list[str]:
        """Names in a directory, sorted."""
        return self._of(path).look("list", lambda: self._inner.list(path))

    def stat(self, path: str) -> Stat | None:
        """What is known of a path."""
        return self._of(path).look("stat", lambda: self._inner.stat(path))

    def make_dir(self, path: str) -> None:
        """Make a directory."""
        self._of(path).call("make_dir", 0, lambda: self._inner.make_dir(path))

    def make_dirs(self, path: str) -> None:
        """Make a directory, parents too."""
        self._of(path).call("make_dir", 0, lambda: self._inner.make_dirs(path))

    def rename(self, source: str, target: str) -> None:
        """Rename atomically."""
        self._of(source).call("rename", 0, lambda: self._inner.rename(source, target))

    def remove(self, path: str) -> None:
        """Unlink a file, or an empty directory."""
        self._of(path).call("remove", 0, lambda: self._inner.remove(path))

    def sync_dir(self, path: str) -> None:
        """Return when the directory's entries are on the medium."""
        self._of(path).call("sync", 0, lambda: self._inner.sync_dir(path))

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
        """Copy bytes from file to file."""
        assert isinstance(source, _TimedFile)
        assert isinstance(target, _TimedFile)
        began = time.monotonic()
        for gauge in (source.gauge, target.gauge):
            gauge.copies(began)
        try:
            size = self._inner.copy(source.inner, start, target.inner, at, length, seen, manner)
            target.gauge.wrote(size)
            return size
        finally:
            for gauge in (source.gauge, target.gauge):
                gauge.copies(None)

    def usage(self, path: str) -> Usage:
        """Bytes of the file system under `path`."""
        return self._of(path).look("usage", lambda: self._inner.usage(path))

    def lock(self, path: str) -> File:
        """Open and lock a file against other processes; not counted while it is held."""
        return self._of(path).look("lock", lambda: self._inner.lock(path))
