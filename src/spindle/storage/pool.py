"""Open files and loaded indexes of one log directory, least recently used ones given up first.

So a directory with many logs needs a bounded number of descriptors and bytes. Belongs to the
directory's thread. Called by `segment` and `local_log`.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from spindle.storage import files
from spindle.storage.disk import Disk, File
from spindle.storage.index import OffsetIndex

FILES_MAX: Final = 1024
INDEX_ENTRIES_MAX: Final = 8 << 20
"""Entries of sealed segments' indexes that stay in memory (8 bytes each)."""


class Pool:
    """Open files by path, and offset indexes of sealed segments."""

    def __init__(self, disk: Disk, files_max: int = FILES_MAX) -> None:
        self.disk = disk
        self._files_max = files_max
        self._files: OrderedDict[str, File] = OrderedDict()
        self._indexes: OrderedDict[str, OffsetIndex] = OrderedDict()
        self._entries = 0
        self._loads = 0

    def next_load(self) -> int:
        """A number for each log that is opened, never the same twice."""
        self._loads += 1
        return self._loads

    def file(self, path: str, create: bool = False) -> File:
        """The open file at `path`. Good until the next call of this pool."""
        found = self._files.get(path)
        if found is not None:
            self._files.move_to_end(path)
            return found
        file = self.disk.open(path, create)
        self._files[path] = file
        if len(self._files) > self._files_max:
            self._files.popitem(last=False)[1].close()
        return file

    def index(self, path: str, base: int, log_size: int) -> OffsetIndex:
        """The offset index in the file at `path`; empty where there is none. Corrupt, OSError."""
        found = self._indexes.get(path)
        if found is not None:
            self._indexes.move_to_end(path)
            return found
        index = OffsetIndex.decode(base, files.read_whole(self.disk, path) or b"", log_size)
        self._indexes[path] = index
        self._entries += len(index)
        while self._entries > INDEX_ENTRIES_MAX and len(self._indexes) > 1:
            self._entries -= len(self._indexes.popitem(last=False)[1])
        return index

    def drop(self, path: str) -> None:
        """Let go of what is known of one path, because the file there changes or goes."""
        file = self._files.pop(path, None)
        if file is not None:
            file.close()
        index = self._indexes.pop(path, None)
        if index is not None:
            self._entries -= len(index)

    def drop_under(self, directory: str) -> None:
        """Let go of everything under a directory."""
        prefix = directory + "/"
        for path in [p for p in (*self._files, *self._indexes) if p.startswith(prefix)]:
            self.drop(path)

    def close(self) -> None:
        """Let go of everything. Errors of closing are no news: what mattered was synced."""
        files_open, self._files = self._files, OrderedDict()
        self._indexes.clear()
        self._entries = 0
        for file in files_open.values():
            try:
                file.close()
            except OSError:
                continue
