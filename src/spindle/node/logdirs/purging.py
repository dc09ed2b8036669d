"""Logs and segments that are renamed away: removed, logs after their delay; strays may expire.

Asks for the renaming and the unlinking: of what, and why, others decide. Belongs to `logdirs`.
"""

from __future__ import annotations

from functools import partial

from spindle.model.errors import DiskFailed, Failure, LogFailed
from spindle.model.ids import LogDir
from spindle.model.jobs import Discard, Forget, Purge, Sweep, Weigh
from spindle.model.log_values import LogKey
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
        """What was there cannot be reached; whatever comes in its place is looked into anew."""
        self.strays[path].clear()

    def _on_weighed(self, path: LogDir, name: str, result: int | Failure) -> None:
        if isinstance(result, DiskFailed):
            self._directories.on_disk_failed(result)
        elif isinstance(result, int) and name in self.strays[path]:
            self.strays[path][name] = result

    def _expire(self, path: LogDir, name: str) -> None:
        if self.strays[path].pop(name, None) is not None:
            self.now(path, name)
