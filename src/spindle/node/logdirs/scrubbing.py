"""The scrubber of each log directory: finds damage before a reader does (B-28).

Takes small steps on the directory's own thread, when `core.logdirs.scrub_schedule` says so, and
keeps its progress in a file there, so that a restart goes on where it was. A bad log is `logdirs`'s
matter from then on. Belongs to `logdirs`; nobody waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from spindle.core.logdirs.events import LogDamaged, Post
from spindle.core.logdirs.scrub_schedule import OFF_LOOK, STEP, ScrubProgress, ScrubSchedule
from spindle.model.errors import DiskFailed, Failure, LogFailed
from spindle.model.ids import LogDir
from spindle.model.jobs import GetFile, PutFile
from spindle.model.scrub_jobs import BadLog, Scrub, Scrubbed
from spindle.model.statistics import Sample
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.directories import Directories
from spindle.node.logdirs.placement_registry import ReplicaPlacementRegistry, Stage

FILE: Final = "spindle-scrub.json"
SAVE_EVERY: Final = 10.0
"""Seconds between writes of the progress: what a restart may look at twice."""


class Scrubbing:
    """The scrubbers of all directories."""

    def __init__(
        self,
        context: BrokerContext,
        directories: Directories,
        places: ReplicaPlacementRegistry,
        post: Post,
    ) -> None:
        self.context = context
        self.directories = directories
        self.places = places
        self.post = post
        self._scrubbers: dict[LogDir, _Scrubber] = {}

    def begin(self, path: LogDir) -> None:
        """A directory is in use (again)."""
        self.on_directory_failed(path)
        self._scrubbers[path] = _Scrubber(self, path)

    def on_directory_failed(self, path: LogDir) -> None:
        """A directory cannot be used."""
        old = self._scrubbers.pop(path, None)
        if old is not None:
            old.ended = True

    def end(self) -> None:
        """The node is stopping: remember how far all have come."""
        for scrubber in self._scrubbers.values():
            scrubber.end()
        self._scrubbers.clear()

    def progress(self, path: LogDir) -> ScrubProgress:
        """How far a directory's scrubber is."""
        found = self._scrubbers.get(path)
        return found.schedule.progress if found is not None else ScrubProgress()

    def statistics(self, path: LogDir, labels: dict[str, str]) -> Iterator[Sample]:
        """Figures about one directory's."""
        found = self.progress(path)
        prefix = "kafka_log_logmanager_scrub"
        yield Sample(prefix + "rounds_total", found.rounds, "times all was looked at", labels)
        yield Sample(prefix + "roundbytes", found.seen, "bytes looked at in this round", labels)
        left = self.places.bytes_in(path) if found.place is not None else found.seen
        yield Sample(prefix + "roundtotalbytes", left, "bytes that it will look at", labels)
        yield Sample(prefix + "lastroundms", found.ended_ms, "ms since 1970; 0: never", labels)
        yield Sample(prefix + "badlogs_total", found.bad, "damaged logs that it found", labels)
        yield Sample(prefix + "mendedindexes_total", found.mended, "indexes made anew", labels)


class _Scrubber:
    """One directory's, from when it is in use until it fails."""

    def __init__(self, scrubbing: Scrubbing, path: LogDir) -> None:
        self._scrubbing = scrubbing
        self._directories = scrubbing.directories
        self._out = scrubbing.context.out
        self._settings = scrubbing.context.settings
        self._path = path
        self._saved_at = self._out.now
        self._out.after(self._settings.seconds("log.initial.task.delay.ms"), self._next)
        self.schedule = ScrubSchedule()
        self.ended = False
        self._out.run(GetFile(path, FILE), self._on_read)

    def _on_read(self, result: bytes | Failure | None) -> None:
        if isinstance(result, DiskFailed):
            self._directories.on_disk_failed(result)
        if isinstance(result, bytes):
            try:
                self.schedule.progress = ScrubProgress.decode(result)
            except ValueError as error:
                self._out.say(
                    "warning", "scrubbing starts again", directory=self._path, reason=str(error)
                )

    def end(self) -> None:
        """Take no further step."""
        self.ended = True
        if self.schedule.progress.place is not None:
            self._save()

    # --- step by step -------------------------------------------------------------------------

    def _next(self) -> None:
        if self.ended or self._directories.closing:
            return
        interval = self._settings.whole("log.dir.scrub.interval.ms")
        rate = self._settings.whole("log.dir.scrub.max.bytes.per.second")
        wait = self.schedule.wait(self._out.wall_ms, interval, rate)
        if wait > 0:
            self._out.after(wait, self._next)
            return
        place = self.schedule.progress.place
        assert place is not None
        job = Scrub(self._path, place, min(STEP, rate))
        self._out.run(job, partial(self._on_scrubbed, self._out.now, rate))

    def _on_scrubbed(self, began: float, rate: int, result: Scrubbed | Failure) -> None:
        """A step taken at `rate` is over. The rate may be another by now, or none at all."""
        if self.ended:
            return
        if isinstance(result, Failure):
            assert isinstance(result, DiskFailed), f"a look cannot fail with {result!r}"
            self._directories.on_disk_failed(result)
            self._out.after(OFF_LOOK, self._next)
            return
        for line in result.mended:
            self._out.say("warning", "index was wrong", directory=self._path, mended=line)
        for bad in result.bad:
            self._on_bad(bad)
        took = self._out.now - began
        rest = self.schedule.on_scrubbed(result, took, rate, self._out.wall_ms)
        over = result.next is None
        if over or self._out.now - self._saved_at >= SAVE_EVERY:
            self._save()
        if over:
            found = self.schedule.progress
            self._out.say("info", "directory scrubbed", directory=self._path, bytes=found.seen)
        self._out.after(rest, self._next)

    def _on_bad(self, bad: BadLog) -> None:
        self._out.say(
            "error", "scrubber found damage", directory=self._path, log=str(bad.key), reason=bad.why
        )
        for found in self._scrubbing.places.all.values():
            here = found.directory == self._path and found.stage is Stage.READY
            if here and found.key == bad.key:
                why = f"found by the scrubber: {bad.why}"
                failure = LogFailed(self._path, str(bad.key), why, suspect=bad.suspect)
                self._scrubbing.post(LogDamaged(found.id, failure))
                return

    def _save(self) -> None:
        self._saved_at = self._out.now
        progress = self.schedule.progress
        # A torn one costs a look from the beginning; a sync, whoever appends to this disk.
        job = PutFile(self._path, FILE, progress.encode(), durable=False)
        self._out.run(job, self._on_saved)

    def _on_saved(self, result: Failure | None) -> None:
        if isinstance(result, DiskFailed):
            self._directories.on_disk_failed(result)
