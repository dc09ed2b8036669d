"""What lies in log directories and is no log any more: renamed away, kept for a while, removed.

`Purging` renames and unlinks; other parts decide what, and why. `KeptCopies` are what cancelled and
redirected moves had copied, set aside for a grace time (B-11): under a `-delete` name, which no
tool shows and which Apache Kafka deletes if it opens the disk. Within the grace time a move to the
same directory continues with the copy, in this run or after a restart. The broker deletes a copy
earlier when its disk is full or its topic is deleted.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from spindle.core.logdirs.events import CopySetAside, Post
from spindle.core.logdirs.move import LogDirMove
from spindle.model.errors import DiskFailed, Failure, LogFailed
from spindle.model.ids import LogDir, PartitionId
from spindle.model.jobs import Discard, Forget, Purge, Sweep, Weigh
from spindle.model.log_values import KeptCopy, LogKey, OpenedDirectory
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.directories import Directories


class Purging:
    """What is to be deleted in all directories."""

    def __init__(self, context: BrokerContext, directories: Directories) -> None:
        self._directories = directories
        self._out = context.out
        self._settings = context.settings
        self.strays: dict[LogDir, dict[str, int]] = {path: {} for path in directories.all}
        """Logs that no topic claims, by name: their bytes (0 until they are known)."""

    def discard(self, path: LogDir, key: LogKey, suffix: str = "delete") -> None:
        """Rename a log away; `-delete` goes after a while, `-stray` stays for a person to see."""
        job = Discard(path, key, suffix, self._out.new_id().hex)

        def discarded(result: str | Failure) -> None:
            if isinstance(result, DiskFailed):
                self._directories.on_disk_failed(result)
            elif isinstance(result, LogFailed):
                self._out.say("debug", "nothing to discard", reason=str(result))
            elif isinstance(result, str) and suffix == "delete":
                self.later(path, result)
            elif isinstance(result, str):
                self.stray(path, result)

        self._out.run(job, discarded)

    def later(self, path: LogDir, name: str) -> None:
        """Remove a renamed log's files after `log.segment.delete.delay.ms` (K113-04, K113-18)."""
        delay = self._settings.seconds("log.segment.delete.delay.ms")
        self._out.after(delay, partial(self.now, path, name))

    def now(self, path: LogDir, name: str) -> None:
        """Remove them without delay."""
        if not self._directories.is_online(path) or self._directories.closing:
            return

        def forgotten(result: Failure | None) -> None:
            if result is None:
                self._out.run(Purge(path, name), purged)
            elif isinstance(result, DiskFailed):
                self._directories.on_disk_failed(result)

        def purged(result: int | Failure) -> None:
            if isinstance(result, DiskFailed):
                self._directories.on_disk_failed(result)
            else:
                self._out.say("info", "log deleted", directory=path, name=name, freed=str(result))

        self._out.run(Forget(path, name), forgotten)

    def sweep(self, path: LogDir, key: LogKey) -> None:
        """Remove what retention, DeleteRecords or compaction have left of a log's segments."""

        def swept(result: int | Failure) -> None:
            if isinstance(result, DiskFailed):
                self._directories.on_disk_failed(result)

        if self._directories.is_online(path) and not self._directories.closing:
            self._out.run(Sweep(path, key), swept)

    def stray(self, path: LogDir, name: str) -> None:
        """A log that no topic claims is set aside; it expires, if that is wanted."""
        if name in self.strays[path]:
            return  # The directory was away, and is back.
        self._out.say("warning", "stray log", directory=path, name=name)
        self.strays[path][name] = 0
        self._out.run(Weigh(path, name), partial(self._on_weighed, path, name))
        keep = self._settings.whole("log.dir.stray.retention.ms")
        if keep >= 0:
            self._out.after(keep / 1000, partial(self._expire, path, name))

    def on_directory_failed(self, path: LogDir) -> None:
        """What was there cannot be reached; the broker looks again into what comes in its place."""
        self.strays[path].clear()

    def _on_weighed(self, path: LogDir, name: str, result: int | Failure) -> None:
        if isinstance(result, DiskFailed):
            self._directories.on_disk_failed(result)
        elif isinstance(result, int) and name in self.strays[path]:
            self.strays[path][name] = result

    def _expire(self, path: LogDir, name: str) -> None:
        if self.strays[path].pop(name, None) is not None:
            self.now(path, name)


class KeptCopies:
    """At most one for each replica and directory."""

    def __init__(
        self, context: BrokerContext, directories: Directories, purging: Purging, post: Post
    ) -> None:
        self._directories = directories
        self._purging = purging
        self._out = context.out
        self._settings = context.settings
        self._post = post
        self._copies: dict[tuple[LogDir, PartitionId], KeptCopy] = {}
        self._leaving: Counter[PartitionId] = Counter()

    def bytes_in(self, path: LogDir) -> int:
        """Bytes that a directory keeps."""
        return sum(copy.size for (where, _), copy in self._copies.items() if where == path)

    def set_aside(self, move: LogDirMove) -> None:
        """Keep the future log of a move that has ended; without a grace time it is discarded."""
        id, grace = move.id, self._settings.whole("log.dir.move.keep.ms")
        is_kept = grace > 0 and move.size > 0
        until_ms = self._out.wall_ms + grace if is_kept else 0
        unique = self._out.new_id().hex
        job = Discard(move.target, move.future_key, "delete", unique, until_ms)

        def done(result: str | Failure) -> None:
            self._leaving -= Counter([id])
            if isinstance(result, DiskFailed):
                self._directories.on_disk_failed(result)
            elif isinstance(result, str) and is_kept:
                copy = KeptCopy(result, id.topic_id, id.partition, move.size, until_ms)
                self._put(move.target, copy)
            elif isinstance(result, str):
                self._purging.later(move.target, result)
            self._post(CopySetAside(id))

        self._leaving[id] += 1
        self._out.run(job, done)

    def is_leaving(self, id: PartitionId) -> bool:
        """Whether a copy is just being set aside: a kill may still leave it as it was."""
        return id in self._leaving

    def on_opened(self, opened: OpenedDirectory) -> None:
        """A directory was opened: a move may still continue with the copies that it kept."""
        for copy in opened.kept:
            self._put(opened.path, copy)

    def _put(self, path: LogDir, copy: KeptCopy) -> None:
        id = PartitionId(copy.topic_id, copy.partition)
        self._drop(path, id)
        self._copies[path, id] = copy
        # A wall clock that was set back since must not make it stay longer than the grace time.
        grace = self._settings.whole("log.dir.move.keep.ms")
        left = min(max(0, copy.until_ms - self._out.wall_ms), grace) / 1000
        self._out.say(
            "info", "copy of a move is kept", directory=path, name=copy.name, seconds=left
        )
        self._out.after(left, lambda: self._expire(path, id, copy.name))

    def _expire(self, path: LogDir, id: PartitionId, name: str) -> None:
        copy = self._copies.get((path, id))
        if copy is not None and copy.name == name:
            self._drop(path, id)

    def _drop(self, path: LogDir, id: PartitionId) -> None:
        copy = self._copies.pop((path, id), None)
        if copy is not None:
            self._purging.now(path, copy.name)

    def take(self, path: LogDir, id: PartitionId) -> str | None:
        """The name of what a directory keeps of a replica, for the move that resumes it now."""
        copy = self._copies.pop((path, id), None)
        return None if copy is None else copy.name

    def on_removed(self, id: PartitionId) -> None:
        """The replica is not this broker's any more: no move will go on with its copies."""
        for path, other in list(self._copies):
            if other == id:
                self._drop(path, id)

    def on_full(self, path: LogDir) -> None:
        """A directory has no room: its logs need the bytes more than the kept copies do."""
        for where, id in list(self._copies):
            if where == path:
                self._drop(path, id)

    def on_directory_failed(self, path: LogDir) -> None:
        """A directory cannot be used; when it is back, it tells what it keeps."""
        for where, id in list(self._copies):
            if where == path:
                del self._copies[where, id]
