"""Damage to the logs of a healthy disk: found, set aside, mended from other brokers.

`Scrubbing` finds damage before a reader does (B-28): in small steps on the directory's own thread,
when `core.logdirs.scrub_schedule` says so. It keeps its progress in a file there, and continues
from that after a restart.

`BadCopies` are damaged logs that were replaced, set aside for a person to look at, until a limit
(K589-04). They lie under `-stray` names, which Apache Kafka loads and leaves alone, and a mark in
them says what was wrong. The oldest go first: by age, by bytes in a directory, and when its disk is
full.

`Repairs` rebuilds lost replicas: damaged ones in place, those of a dead disk on another. It does so
only where no other broker counts on this broker's copy any more: another broker leads, and this one
is neither in the ISR nor eligible (KIP-589's future work, K589-04; B-27).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from spindle.core.logdirs.events import LogDamaged, Post
from spindle.core.logdirs.reconciliation import better_copy
from spindle.core.logdirs.scrub_schedule import OFF_LOOK, STEP, ScrubProgress, ScrubSchedule
from spindle.model.errors import DiskFailed, Failure, LogFailed
from spindle.model.ids import NO_LEADER, LogDir
from spindle.model.jobs import Discard, GetFile, Weigh
from spindle.model.log_values import BadCopy, OpenedDirectory
from spindle.model.metric_tables import disk_figures as of
from spindle.model.scrub_jobs import BadLog, NoteScrubbed, Scrub, Scrubbed
from spindle.model.statistics import Sample
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.directories import Directories
from spindle.node.logdirs.placement_registry import LocalReplica, ReplicaPlacementRegistry, Stage
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
        """A directory has no room: its logs need the bytes more than the bad copies do."""
        for copy in list(self.in_directory(path)):
            self._drop(path, copy)

    def on_directory_failed(self, path: LogDir) -> None:
        """A directory cannot be used; when it is back, it tells what it keeps."""
        self._copies[path].clear()


SCRUB_FILE: Final = "spindle-scrub.json"
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

    def statistics(self, path: LogDir) -> Iterator[Sample]:
        """Figures about one directory's."""
        found = self.progress(path)
        yield of.SCRUB_ROUNDS.of(found.rounds, path)
        yield of.SCRUB_BYTES.of(found.seen, path)
        left = self.places.bytes_in(path) if found.place is not None else found.seen
        yield of.SCRUB_TOTAL_BYTES.of(left, path)
        yield of.SCRUB_LAST_MS.of(found.ended_ms, path)
        yield of.SCRUB_BAD.of(found.bad, path)
        yield of.SCRUB_MENDED.of(found.mended, path)


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
        self._out.run(GetFile(path, SCRUB_FILE), self._on_read)

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
        # A torn file costs no more than a scrub from the beginning.
        job = NoteScrubbed(self._path, SCRUB_FILE, progress.encode())
        self._out.run(job, self._on_saved)

    def _on_saved(self, result: Failure | None) -> None:
        if isinstance(result, DiskFailed):
            self._directories.on_disk_failed(result)


HEALS_MAX: Final = 3
"""How often the broker fetches a damaged replica again before it leaves it to an operator."""
HEAL_DELAY: Final = 1.0
FORGIVEN: Final = 86_400.0
"""Seconds after which what a replica has gone through counts no more."""
SUSPECT_MAX: Final = 2
"""How often a log whose files gave an error is tried again before it is taken to be damaged."""
RETRY_MAX: Final = 60.0
"""Seconds at most until the broker tries again to load a log that is not to blame."""
REBUILD_EVERY: Final = 1.0
REBUILD_MAX: Final = 10
"""Replicas that one round begins to rebuild: the leaders have other work, too."""


class Repairs:
    """Has lost replicas fetched again from other brokers."""

    def __init__(
        self,
        context: BrokerContext,
        directories: Directories,
        places: ReplicaPlacementRegistry,
        bad_copies: BadCopies,
    ) -> None:
        self._context = context
        self._directories = directories
        self._places = places
        self.bad_copies = bad_copies
        self._out = context.out
        self._healing: set[LocalReplica] = set()
        self._rebuilding = False

    def _is_spare(self, place: LocalReplica) -> bool:
        """Whether the partition lives elsewhere and does not count on this broker's copy."""
        state, me = self._context.image.partition(place.id), self._context.node_id
        return (
            place.stage is Stage.OFFLINE
            and self._places.all.get(place.id) is place
            and state is not None
            and state.leader not in (NO_LEADER, me)
            and me not in state.isr
            and me not in state.elr
        )

    def begin_again(self, place: LocalReplica) -> None:
        """An operator has looked at it: what it has gone through counts no more."""
        place.healing.heals = place.healing.retries = 0

    def outlook(self, place: LocalReplica) -> str:
        """What is going to happen to a replica that is offline on a directory that serves."""
        state, me = self._context.image.partition(place.id), self._context.node_id
        if place.unmade:
            return "is made as soon as what is there by its name is out of the way"
        if not place.damaged or state is None:
            return "waits for room, or is tried again"
        if state.leader in (NO_LEADER, me):
            more = better_copy(state, me, place.name)
            if more is not None:
                return f"waits: {more}"
            return (
                "no other broker has it: `spindle replicas repair` once its files are well, or "
                "`spindle replicas accept-loss`"
            )
        if place.healing.heals >= HEALS_MAX:
            return f"was fetched again {place.healing.heals} times: check its disk, then repair"
        if self._is_spare(place):
            return f"is fetched again from broker {state.leader}"
        return f"is fetched again once broker {state.leader} has it out of the ISR"

    # --- damaged logs -----------------------------------------------------------------------

    def look_at(self, place: LocalReplica, delay: float = HEAL_DELAY) -> None:
        """A damaged replica, or the metadata of it, has changed: heal it if that is safe."""
        waits = place in self._healing or place.healing.heals >= HEALS_MAX
        if place.damaged and not waits and self._is_spare(place):
            self._healing.add(place)
            self._out.after(delay, lambda: self._heal(place))

    def _heal(self, place: LocalReplica) -> None:
        if not self._may_heal(place):
            self._healing.discard(place)
            return
        self.bad_copies.set_aside(place, lambda free: self._on_set_aside(place, free))

    def _may_heal(self, place: LocalReplica) -> bool:
        online = self._directories.is_online(place.directory)
        return online and place.damaged and self._is_spare(place)

    def _on_set_aside(self, place: LocalReplica, free: bool) -> None:
        """Not before the bad log is out of the way: else it might be given back as good."""
        self._healing.discard(place)
        if not free or not self._may_heal(place):
            self.look_at(place, self._longer(place))
            return
        assert place.directory is not None
        self._forgive(place)
        place.healing.hurt_at = self._out.now
        place.healing.heals += 1
        self._out.say("info", "damaged replica is fetched again", partition=str(place.name))
        self._places.create(place, [place.directory])

    def _longer(self, place: LocalReplica) -> float:
        """Seconds to wait before the next attempt: more each time."""
        place.healing.retries += 1
        return min(RETRY_MAX, HEAL_DELAY * 2.0 ** min(place.healing.retries - 1, 10))

    # --- logs that may not be to blame -------------------------------------------------------

    def on_failed(self, place: LocalReplica, failure: LogFailed, reached: int = 0) -> None:
        """A replica's log failed: it is offline. Where damage is not proven, try it again soon.

        `reached`: where it had ended at least.
        """
        self._forgive(place)
        is_doubtful = failure.suspect and place.healing.retries < SUSPECT_MAX
        may_be_well = failure.passing or is_doubtful or place.unmade
        self._places.fail(place, failure.why, damaged=not may_be_well, reached=reached)
        if may_be_well:
            place.healing.hurt_at = self._out.now
            self._out.after(self._longer(place), lambda: self._retry(place))

    def _retry(self, place: LocalReplica) -> None:
        known = self._places.all.get(place.id) is place
        idle = place.stage is Stage.OFFLINE and not place.damaged
        if known and idle and self._directories.is_online(place.directory):
            if place.unmade:
                self._places.create(place, self._places.choose(place))
            else:
                self._places.reload(place)

    def _forgive(self, place: LocalReplica) -> None:
        if self._out.now - place.healing.hurt_at >= FORGIVEN:
            place.healing.heals = place.healing.retries = 0

    # --- dead disks -------------------------------------------------------------------------

    def on_directory_lost(self) -> None:
        """A directory is offline: rebuild its replicas after the delay, unless that is negative."""
        if self._delay >= 0 and not self._rebuilding:
            self._rebuilding = True
            self._out.after(self._delay / 1000, self._rebuild)

    @property
    def _delay(self) -> int:
        return self._context.settings.whole("log.dir.rebuild.delay.ms")

    def _rebuild(self) -> None:
        self._rebuilding = False
        if self._delay < 0 or not self._directories.offline:
            return
        spare = [p for p in self._places.all.values() if not p.damaged and self._is_spare(p)]
        for place in spare[:REBUILD_MAX]:
            self._out.say(
                "info", "replica is created again", partition=str(place.name), reason=place.why
            )
            self._places.create(place, self._places.choose(place))
        # Others may become spare: looked at until no directory is missing.
        self._rebuilding = True
        self._out.after(REBUILD_EVERY, self._rebuild)
