"""The log directories of a broker: their ids, health, space, and the monitor that probes them.

Knows nothing of the logs in them. An event tells when a directory fails, is full, or has room
again. Each part that has a job fail there reports it here (EIO, say). `LifecyclePort` is what this
package says to the broker's life cycle: a protocol, for `sim.exhaustive` and the tests of this
package substitute their own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Final, Protocol

from spindle.core.logdirs.events import (
    DirectoryDoubted,
    DirectoryFailed,
    DirectoryFull,
    DirectoryHasRoom,
    DirectoryPaceChanged,
    DirectoryReopened,
    LogDirEvent,
    Post,
)
from spindle.core.logdirs.health import Condition, Health, Paces, Verdict
from spindle.core.standstills import Standstills
from spindle.model.activity import Activity, Observe
from spindle.model.errors import DiskFailed, Failure
from spindle.model.ids import DirectoryId, LogDir, id_to_text
from spindle.model.jobs import MeasureUsage, Open, Probe, Release
from spindle.model.log_values import UNKNOWN_USAGE, DirectoryState, OpenedDirectory, Usage
from spindle.node.broker_context import BrokerContext


class LifecyclePort(Protocol):
    """The broker before the controller."""

    @property
    def epoch(self) -> int:
        """Our broker epoch, or -1."""

    def ready(self) -> None:
        """Our logs are where the metadata has them: ask to be unfenced."""

    def on_directory_failed(self, directory_id: DirectoryId) -> None:
        """A directory has failed: tell the controller now."""

    def on_directory_back(self, directory_id: DirectoryId) -> None:
        """A directory serves again: register it."""

    def set_cordoned(self, directory_ids: Iterable[DirectoryId]) -> None:
        """These directories are to get no new replicas."""


RATE_WEIGHT: Final = 0.1
"""How much the newest look counts in a directory's write rate."""
WRITE_EVERY: Final = 10.0
"""Seconds between probes that write, so that an idle disk that hangs is found, too."""
COPY_SUSPICIOUS: Final = 1.0
"""A call that copies and lasts so many seconds has both its disks probed by writing."""
LOOK_PAUSE: Final = 0.02
"""Seconds from a job that failed in a directory that has not until its replicas are looked at."""
HISTORY_MAX: Final = 20
"""Events that are remembered of each directory."""

_EVENTS: Final[Mapping[Verdict, Callable[[LogDir], LogDirEvent]]] = MappingProxyType(
    {Verdict.FAILED: DirectoryFailed, Verdict.FULL: DirectoryFull, Verdict.ROOM: DirectoryHasRoom}
)


@dataclass(slots=True)
class ConfiguredLogDir:
    """One configured log directory."""

    path: LogDir
    health: Health = field(default_factory=Health)
    id: DirectoryId | None = None
    usage: Usage = UNKNOWN_USAGE
    rate: float = 0.0
    """Bytes per second that were written of late."""
    looked_at: float = 0.0
    busy: bool = False
    """It has failed and its probe has not answered yet, or it waits until it is used again."""
    opening: bool = False
    """It is being opened again."""
    opened: OpenedDirectory | None = None
    """It was opened again, and waits until the cluster knows that it is back."""
    offered: bool = False
    """The cluster knew that it had failed, and the broker is reporting that it is back."""
    written_at: float = 0.0
    """When a probe last wrote."""
    history: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=HISTORY_MAX))
    """What has happened to it: ms since 1970, and words."""


class Directories:
    """All of them, in the order of `log.dirs`."""

    def __init__(self, context: BrokerContext, post: Post) -> None:
        config = context.config
        self._config = config
        self._out = context.out
        self._post = post
        self._doubts: dict[LogDir, str] = {}
        """Directories in which some job has failed, though they have not: to be looked at."""
        self.closing = False
        """The node is stopping: nothing new is begun in them."""
        self.all: dict[LogDir, ConfiguredLogDir] = {p: ConfiguredLogDir(p) for p in config.log_dirs}
        self.is_open = False
        """Whether each has been opened, or could not be."""
        self.listeners: list[Callable[[LogDir], None]] = []
        """Each is called with the path of a directory that has failed."""
        self.paces = Paces(config.settings.seconds("log.dir.slow.ms"))

    @property
    def online(self) -> list[ConfiguredLogDir]:
        """Those that can be used."""
        return [d for d in self.all.values() if d.health.online]

    @property
    def offline(self) -> set[LogDir]:
        """Paths of those that cannot be used."""
        return {d.path for d in self.all.values() if not d.health.online}

    def is_online(self, path: LogDir | None) -> bool:
        """Whether a path is a directory of this broker that can be used."""
        found = self.all.get(path) if path is not None else None
        return found is not None and found.health.online

    def id_of(self, path: LogDir) -> DirectoryId:
        """The id of a directory that has been opened."""
        found = self.all[path].id
        assert found is not None, f"{path} was never opened"
        return found

    def path_of(self, id: DirectoryId) -> LogDir | None:
        """The online directory with this id."""
        return next((d.path for d in self.online if d.id == id), None)

    def is_cordoned(self, path: LogDir) -> bool:
        """Whether a directory takes no new replicas: by configuration, full, or slow (if set)."""
        named = self._config.settings.names("cordoned.log.dirs")
        full = self.all[path].health.condition is Condition.FULL
        shunned = self._config.settings.flag("log.dir.slow.cordon") and self.paces.is_slow(path)
        return full or shunned or path in named or "*" in named

    def state(self, path: LogDir) -> str:
        """How a directory is, in one word."""
        return self.all[path].health.state(self.paces.is_slow(path))

    def note(self, directory: ConfiguredLogDir, event: str) -> None:
        """Remember what has happened to a directory."""
        directory.history.append((self._out.wall_ms, event))

    def note_back(self, path: LogDir) -> None:
        """A failed directory is open again."""
        self.note(self.all[path], "back")

    def cordoned_ids(self) -> tuple[DirectoryId, ...]:
        """Ids of the directories that take no new replicas."""
        return tuple(d.id for d in self.online if d.id is not None and self.is_cordoned(d.path))

    def states(self) -> Iterator[DirectoryState]:
        """All directories as values."""
        for d in self.all.values():
            yield DirectoryState(d.path, d.id, d.health.online, d.usage, d.health.why)

    def on_opened(self, results: Mapping[LogDir, OpenedDirectory | Failure]) -> None:
        """Every directory was opened, or could not be (B-16)."""
        self.is_open = True
        for path, directory in self.all.items():
            result = results[path]
            if isinstance(result, OpenedDirectory):
                directory.health.on_opened()
                directory.id = result.directory_id
                directory.usage = result.usage
                directory.looked_at = self._out.now
                self._refuse_double(directory)
            else:
                number = result.errno if isinstance(result, DiskFailed) else 0
                directory.health.on_failure(number, str(result))
                self.note(directory, f"offline at the start: {result}")
                self._out.say("error", "log directory is offline", reason=str(result))

    def _refuse_double(self, directory: ConfiguredLogDir) -> None:
        for other in self.online:
            if other.id == directory.id and other is not directory:
                assert directory.id is not None
                self._out.halt(
                    f"{other.path} and {directory.path} both have directory.id "
                    f"{id_to_text(directory.id)}: one is a copy of the other; unmount one, or "
                    "format it again (K858-03)"
                )

    def on_disk_failed(self, failure: DiskFailed) -> None:
        """A job failed so; `Health` decides what that means, once for each directory."""
        if self.closing:
            return  # The directories are being closed: this job came too late.
        verdict = self.on_failure(failure)
        directory = self.all.get(failure.directory)
        if directory is None:
            if failure.directory == self._config.metadata_dir:
                self._out.halt(f"the metadata directory has failed: {failure}")
        elif verdict is not Verdict.FAILED and directory.health.online:
            self._doubt(directory.path, failure)

    def _doubt(self, path: LogDir, failure: DiskFailed) -> None:
        """One look for all jobs that fail within a moment."""
        if path not in self._doubts:
            self._doubts[path] = str(failure)
            self._out.after(LOOK_PAUSE, partial(self._look_at_doubt, path))

    def _look_at_doubt(self, path: LogDir) -> None:
        self._post(DirectoryDoubted(path, self._doubts.pop(path)))

    def on_failure(self, failure: DiskFailed) -> Verdict:
        """A job was answered with a failure; the verdict has been acted upon."""
        directory = self.all.get(failure.directory)
        if directory is None:
            return Verdict.NOTHING
        verdict = directory.health.on_failure(failure.errno, str(failure))
        self.tell(directory, verdict)
        return verdict

    def tell(self, directory: ConfiguredLogDir, verdict: Verdict) -> None:
        """Remember what a look at a directory has shown, and post it."""
        if verdict is Verdict.NOTHING:
            return
        words = {Verdict.FAILED: "failed", Verdict.FULL: "full", Verdict.ROOM: "has room again"}
        why = directory.health.why
        self.note(directory, f"{words[verdict]}: {why}" if why else words[verdict])
        self._post(_EVENTS[verdict](directory.path))


class DirectoryMonitor:
    """Looks at every disk from outside, and brings back those that have recovered."""

    def __init__(self, context: BrokerContext, directories: Directories, post: Post) -> None:
        self._directories = directories
        self._config = context.config
        self._cluster_id = context.cluster_id
        self._out = context.out
        self._post = post
        self._standstills = Standstills()

    def begin(self) -> None:
        """Look at them from now on, time and again."""
        interval = self._config.settings.seconds("log.dir.probe.interval.ms")
        self._standstills.expect(self._out.now + interval)
        self._out.after(interval, self._probe)

    def _probe(self) -> None:
        """Look at every disk from outside, and have it show that it is alive."""
        self._standstills.on_look(self._out.now)
        self.begin()
        for directory in self._directories.all.values():
            resting = directory.busy or directory.health.held
            if not directory.health.online and not resting:
                directory.busy = True
                self._out.run(MeasureUsage(directory.path), partial(self._on_sign, directory))
        seen: dict[LogDir, Activity] = {}
        online = self._directories.online
        for directory in online:
            then = partial(self._on_observed, directory, seen, len(online))
            self._out.run(Observe(directory.path), then)

    def _on_observed(
        self,
        directory: ConfiguredLogDir,
        seen: dict[LogDir, Activity],
        count: int,
        activity: Activity | Failure,
    ) -> None:
        assert isinstance(activity, Activity), f"looking cannot fail with {activity!r}"
        seen[directory.path] = activity
        elapsed = self._out.now - directory.looked_at
        if elapsed > 0:
            directory.rate += RATE_WEIGHT * (activity.written / elapsed - directory.rate)
        directory.looked_at = self._out.now
        if directory.health.online:
            limit = self._config.settings.seconds("log.dir.io.timeout.ms")
            awake = self._standstills.awake(activity.busy, self._out.now)
            verdict = directory.health.on_observed(activity._replace(busy=awake), limit)
            self._directories.tell(directory, verdict)
        if directory.health.online and not directory.health.probing:
            directory.health.on_probe_asked()
            self._ask(directory, self._should_write(directory, activity))
        if len(seen) == count:
            self._compare(seen)

    def _should_write(self, directory: ConfiguredLogDir, activity: Activity) -> bool:
        due = self._out.now >= directory.written_at + WRITE_EVERY
        if due or activity.copying >= COPY_SUSPICIOUS:
            directory.written_at = self._out.now
            return True
        return False

    def _compare(self, seen: dict[LogDir, Activity]) -> None:
        """Find the disks that have become slow, or are no longer."""
        online = {path: a for path, a in seen.items() if self._directories.is_online(path)}
        for path in self._directories.paces.look(online):
            slow = self._directories.paces.is_slow(path)
            event = "is slow" if slow else "is no longer slow"
            each = round(self._directories.paces.latency(path) * 1000, 1)
            self._out.say("warning", f"log directory {event}", directory=path, ms_each_call=each)
            self._directories.note(self._directories.all[path], f"{event}: {each} ms each call")
            self._post(DirectoryPaceChanged(path))

    def _ask(self, directory: ConfiguredLogDir, write: bool) -> None:
        def answered(result: Usage | Failure) -> None:
            if not directory.health.online:
                return
            if isinstance(result, Failure):
                assert isinstance(result, DiskFailed), f"a probe cannot fail with {result!r}"
                directory.health.on_probe_failed()
                self._directories.on_failure(result)
                return
            directory.usage = result
            self._directories.tell(directory, directory.health.on_probe_answered(result))

        self._out.run(Probe(directory.path, write), answered)

    def on_order(
        self,
        directory: ConfiguredLogDir,
        online: bool,
        released: Callable[[Failure | None], None] = lambda _: None,
    ) -> None:
        """Take it offline until further notice, or have it opened again now if it has failed.

        `released`: its files are closed; cleanly, or not, as the Failure says.
        """
        if online or not directory.health.online:
            self._directories.note(directory, "ordered " + ("online" if online else "offline"))
        self._directories.tell(directory, directory.health.on_order(online))
        if not online:
            self._out.run(Release(directory.path), released)
        elif not directory.health.online and directory.opened is None and not directory.opening:
            self._open(directory)

    def _on_sign(self, directory: ConfiguredLogDir, result: Usage | Failure) -> None:
        """A failed directory was probed."""
        if directory.opening or directory.opened is not None or directory.health.online:
            return  # An operator wanted it back at once.
        directory.busy = False
        if directory.health.on_sign_of_life(not isinstance(result, Failure), self._out.now):
            self._open(directory)
        elif directory.health.on_tired():
            self._stays_offline(directory, directory.health.why)

    def _stays_offline(self, directory: ConfiguredLogDir, why: str) -> None:
        self._out.say(
            "warning", "log directory stays offline", directory=directory.path, reason=why
        )
        self._directories.note(directory, f"stays offline: {why}")

    def _open(self, directory: ConfiguredLogDir) -> None:
        directory.busy = directory.opening = True
        job = Open(directory.path, self._cluster_id, self._config.node_id)
        self._out.run(job, partial(self._on_reopened, directory))

    def _on_reopened(self, directory: ConfiguredLogDir, result: OpenedDirectory | Failure) -> None:
        directory.opening = False
        why = str(result) if isinstance(result, Failure) else None
        if isinstance(result, OpenedDirectory):
            twins = [d.path for d in self._directories.all.values() if d.id == result.directory_id]
            if any(path != directory.path for path in twins):
                why = f"{twins[0]} has the same directory.id"
        if directory.health.held:
            why = directory.health.why
            self._out.run(Release(directory.path), lambda _: None)
        if why is not None:
            if why != directory.health.why:
                self._stays_offline(directory, why)
            directory.busy = False
            directory.health.on_reopened(why, self._out.now)
            return
        assert isinstance(result, OpenedDirectory)
        directory.id = result.directory_id
        directory.usage = result.usage
        directory.opened = result
        self._post(DirectoryReopened(directory.path))

    def take_up(self, directory: ConfiguredLogDir) -> OpenedDirectory:
        """The cluster knows that it is back: it may be used."""
        opened, directory.opened = directory.opened, None
        assert opened is not None
        directory.busy = directory.offered = False
        directory.looked_at = self._out.now
        directory.health.on_reopened(None, self._out.now)
        self._directories.paces.forget(directory.path)
        return opened
