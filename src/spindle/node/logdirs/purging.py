"""Logs that were renamed away: removed after their delay; strays are weighed, and may expire.

Asks for the unlinking and no more: what is renamed, and why, others decide. Belongs to `logdirs`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.model.errors import DiskFailed, Failure
from spindle.model.ids import LogDir
from spindle.model.jobs import Forget, Purge, Weigh

if TYPE_CHECKING:
    from spindle.node.logdirs.logdirs import LogDirs


class Purging:
    """What is to be deleted in all directories."""

    def __init__(self, logs: LogDirs) -> None:
        self._logs = logs
        self._out = logs.broker.out
        self._settings = logs.broker.settings
        self.strays: dict[LogDir, dict[str, int]] = {path: {} for path in logs.directories.all}
        """Logs that no topic claims, by name: their bytes (0 until they are known)."""

    def later(self, path: LogDir, name: str) -> None:
        """Remove a renamed log's files after `log.segment.delete.delay.ms` (K113-04, K113-18)."""
        delay = self._settings["log.segment.delete.delay.ms"] / 1000
        self._out.after(delay, partial(self.now, path, name))

    def now(self, path: LogDir, name: str) -> None:
        """Remove them without delay."""
        if not self._logs.directories.is_online(path) or self._logs.moves.closing:
            return

        def forgotten(result: Failure | None) -> None:
            if result is None:
                self._out.run(Purge(path, name), purged)
            elif isinstance(result, DiskFailed):
                self._logs.on_disk_failed(result)

        def purged(result: int | Failure) -> None:
            if isinstance(result, DiskFailed):
                self._logs.on_disk_failed(result)
            else:
                self._out.say("info", "log deleted", directory=path, name=name, freed=str(result))

        self._out.run(Forget(path, name), forgotten)

    def stray(self, path: LogDir, name: str) -> None:
        """A log that no topic claims is set aside; it expires, if that is wanted."""
        if name in self.strays[path]:
            return  # The directory was away, and is back.
        self._out.say("warning", "stray log", directory=path, name=name)
        self.strays[path][name] = 0
        self._out.run(Weigh(path, name), partial(self._on_weighed, path, name))
        keep = self._settings["log.dir.stray.retention.ms"]
        if keep >= 0:
            self._out.after(keep / 1000, partial(self._expire, path, name))

    def on_directory_failed(self, path: LogDir) -> None:
        """What was there cannot be reached; whatever comes in its place is looked into anew."""
        self.strays[path].clear()

    def _on_weighed(self, path: LogDir, name: str, result: int | Failure) -> None:
        if isinstance(result, DiskFailed):
            self._logs.on_disk_failed(result)
        elif isinstance(result, int) and name in self.strays[path]:
            self.strays[path][name] = result

    def _expire(self, path: LogDir, name: str) -> None:
        if self.strays[path].pop(name, None) is not None:
            self.now(path, name)
