"""Damaged logs that were replaced: set aside for a person to look at, until a limit (K589-04).

They lie under `-stray` names, which Apache Kafka loads and leaves alone, and a mark in them says
what was wrong. The oldest go first: by age, by bytes in a directory, and when its disk is full.
Decides nothing about replicas. Belongs to `logdirs`; `repairs` sets aside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from spindle.model.errors import DiskFailed, Failure, LogFailed
from spindle.model.ids import LogDir
from spindle.model.jobs import Discard, Weigh
from spindle.model.log_values import BadCopy, OpenedDirectory
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.directories import Directories
from spindle.node.logdirs.placement_registry import LocalReplica
from spindle.node.logdirs.purging import Purging

LOOK: Final = 10.0
"""Seconds between looks for copies that are too old or too many."""


class BadCopies:
    """Those of all directories, by name."""

    def __init__(self, context: BrokerContext, directories: Directories, purging: Purging) -> None:
        self._directories = directories
        self._purging = purging
        self._out = context.out
        self._settings = context.settings
        self._copies: dict[LogDir, dict[str, BadCopy]] = {p: {} for p in directories.all}
        self._out.after(LOOK, self._look)

    def in_directory(self, path: LogDir) -> Iterator[BadCopy]:
        """What a directory keeps, oldest first."""
        yield from sorted(self._copies[path].values(), key=lambda copy: copy.since_ms)

    def bytes_in(self, path: LogDir) -> int:
        """Bytes of those."""
        return sum(copy.size for copy in self._copies[path].values())

    def on_opened(self, opened: OpenedDirectory) -> None:
        """A directory was opened: what it kept before."""
        for copy in opened.bad:
            self._put(opened.path, copy)

    def set_aside(self, place: LocalReplica, then: Callable[[bool], None]) -> None:
        """Rename a damaged log away; `then`: whether it is worth while to go on."""
        path, since, why = place.directory, self._out.wall_ms, place.why
        assert path is not None, "a damaged log is somewhere"

        def discarded(result: str | Failure) -> None:
            if isinstance(result, DiskFailed):
                self._directories.on_disk_failed(result)
            elif isinstance(result, str):
                weighed = partial(self._on_weighed, path, BadCopy(result, 0, since, why))
                self._out.run(Weigh(path, result), weighed)
            else:
                self._out.say("warning", "bad copy could not be set aside", reason=str(result))
            then(isinstance(result, str) or (isinstance(result, LogFailed) and not result.passing))

        self._out.run(Discard(path, place.key, "stray", self._out.new_id().hex), discarded)

    def note(self, place: LocalReplica, name: str) -> None:
        """Damaged files of a log that is served again have been set aside under this name."""
        assert place.directory is not None
        copy = BadCopy(name, 0, self._out.wall_ms, place.why)
        weighed = partial(self._on_weighed, place.directory, copy)
        self._out.run(Weigh(place.directory, name), weighed)

    def _on_weighed(self, path: LogDir, copy: BadCopy, size: int | Failure) -> None:
        if isinstance(size, DiskFailed):
            self._directories.on_disk_failed(size)
        elif isinstance(size, int) and size > 0:
            self._put(path, copy._replace(size=size))

    def _put(self, path: LogDir, copy: BadCopy) -> None:
        if copy.name not in self._copies[path]:
            self._copies[path][copy.name] = copy
            self._out.say(
                "warning",
                "bad copy of a replica is kept",
                directory=path,
                name=copy.name,
                bytes=copy.size,
                reason=copy.why,
            )
        self._limit(path)

    # --- until a limit ------------------------------------------------------------------------

    def _look(self) -> None:
        self._out.after(LOOK, self._look)
        for path in self._copies:
            self._limit(path)

    def _limit(self, path: LogDir) -> None:
        keep_ms = self._settings.whole("log.dir.bad.retention.ms")
        keep_bytes = self._settings.whole("log.dir.bad.retention.bytes")
        for copy in list(self.in_directory(path)):
            is_old = 0 <= keep_ms <= self._out.wall_ms - copy.since_ms
            if is_old or 0 <= keep_bytes < self.bytes_in(path):
                self._drop(path, copy)

    def _drop(self, path: LogDir, copy: BadCopy) -> None:
        del self._copies[path][copy.name]
        self._purging.now(path, copy.name)

    def on_full(self, path: LogDir) -> None:
        """A directory has no room: who needs it now comes first."""
        for copy in list(self.in_directory(path)):
            self._drop(path, copy)

    def on_directory_failed(self, path: LogDir) -> None:
        """A directory cannot be used; when it is back, it tells what it keeps."""
        self._copies[path].clear()
