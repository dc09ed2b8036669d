"""A broker whose only replica is moved to and fro, stopped after any change of its disks.

The real places, moves, replicas and storage (`logdirs_world`). `Course` is one life of it: a whole
course of moves, with records all the while, then a stop, a start, perhaps another stop in that
start, and a last start. Afterwards all that was acknowledged is there once and in order, and the
replica is in one place.

A stop between two calls that only read leaves the disks as a stop after the last change did; so
the points that differ are the changes, and `Course.calls` says how many calls they stand for.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from spindle.model.jobs import Read
from spindle.sim.memory_disk import PowerCut
from tests.support.contents import Plain
from tests.support.logdirs_world import World, key, pid
from tests.support.moving import moved
from tests.support.power import Unlucky
from tests.support.storage import FAR, check_log

PATHS = ("/d1", "/d2", "/d3")
SETTINGS = {
    "log.dir.move.keep.ms": "3000",
    "replica.alter.log.dirs.io.max.bytes.per.second": "4000",
}
QUIET = 9.0
"""Seconds after which nothing waits for its end any more: renamed logs and kept copies are gone."""


class Form(Enum):
    """What a stop leaves of what was not synced."""

    KILLED = "SIGKILL: all that was written is there"
    WORST = "power cut: nothing that was not synced is there"
    LUCK = "power cut: some of it is there, in part, in any order"


class Stop(NamedTuple):
    """After which change, counted from the beginning of this life of the process; and how."""

    change: int
    form: Form
    seed: int = 0
    """What luck a power cut with luck has."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a course: the stops that came, and the calls and changes of each life."""

    stopped: tuple[Stop, ...]
    calls: tuple[int, ...]
    changes: tuple[int, ...]


class Course:
    """One course of moves with its stops. AssertionError where a promise is broken."""

    def __init__(self, *stops: Stop, content: type[Plain] = Plain) -> None:
        self.stops = stops
        self.world = World(3, SETTINGS)
        self.content = content(self.world)
        self.acknowledged = 0
        """So many offsets of it were acknowledged."""
        self._places = {"/d1"}
        """Where the replica may be in the end: an order that was answered outlives every stop."""

    def run(self) -> Outcome:
        """Play it to its end."""
        self._begin()
        stopped, calls, changes = [], [], []
        disk = self.world.disk
        for number, stop in enumerate((*self.stops, None)):
            counted = disk.calls.made, disk.calls.changes
            if stop is not None:
                disk.calls.cut_after(stop.change)
            try:
                if number == 0:
                    self._moves()
                else:
                    self._start()
            except PowerCut:
                assert stop is not None
                stopped.append(stop)
                self._note()
                self._go_down(stop)
            calls.append(disk.calls.made - counted[0])
            changes.append(disk.calls.changes - counted[1])
            if len(stopped) == number:
                break  # It came to its end before.
        self._check()
        return Outcome(tuple(stopped), tuple(calls), tuple(changes))

    # --- its parts ----------------------------------------------------------------------------

    def _begin(self) -> None:
        """The topic is there, on the medium, in the first directory, with some records."""
        world = self.world
        world.open()
        configs: dict[str, Any] = {"segment_bytes": "400", **self.content.configs}
        if any(stop.form is not Form.KILLED for stop in self.stops):
            configs["flush_messages"] = "1"  # Else acknowledged is not yet on the medium.
        world.create_topic("t", **configs)
        world.until(lambda: world.place("t").directory == "/d1")
        self._produce(12)
        world.disk.settle()

    def _moves(self) -> None:
        """Cancelled and repeated; done; redirected while another directory keeps a copy; done."""
        self._go("/d2", 0.1)
        self._go("/d1", 0.1)
        self._go("/d2", 0.0)
        self._follow("/d2")
        self.content.tidy()
        self._go("/d3", 0.1)
        self._go("/d1", 0.0)
        self._follow("/d1")
        self._end()

    def _go(self, path: str, seconds: float) -> None:
        self._places.add(path)
        assert self.world.alter(path, "t") == [0]
        self._places = {path}
        self.world.wait(seconds)

    def _follow(self, path: str) -> None:
        while not moved(self.world, to=path)():
            self._produce(1)
            self.world.wait(0.1)

    def _start(self) -> None:
        """Start after a stop; it goes on with what was under way."""
        world = self.world
        world.open()
        current = [path for path in PATHS if "t-0" in world.names(path)]
        assert len(current) == 1, f"current logs in {current}"
        world.until(lambda: world.replicas.partitions.bounds(pid("t")) is not None)
        self.content.compare(self.acknowledged)
        self._produce(2)
        world.until(lambda: not list(world.logs.moves.under_way.all()))
        self._produce(1)
        self._end()

    def _end(self) -> None:
        """Let all come to rest."""
        self.world.wait(QUIET)
        self._note()

    def _produce(self, count: int) -> None:
        for _ in range(count):
            self.content.write()
            self.world.step()
            self._note()

    def _note(self) -> None:
        """Whatever the high watermark has passed was acknowledged: there is one replica."""
        bounds = self.world.replicas.partitions.bounds(pid("t"))
        if bounds is not None:
            self.acknowledged = max(self.acknowledged, bounds[1])

    def _go_down(self, stop: Stop) -> None:
        world = self.world
        if stop.form is Form.KILLED:
            world.kill()
        else:
            world.disk.crash(Unlucky() if stop.form is Form.WORST else random.Random(f"{stop}"))
            world.reboot()

    # --- looking ------------------------------------------------------------------------------

    def _check(self) -> None:
        """The end: all records, one place, nothing left over, and the metadata says which."""
        world = self.world
        self.content.compare(self.acknowledged)
        assert len(self.content.given) == self.acknowledged, "all is acknowledged in the end"
        names = {path: world.names(path) for path in PATHS}
        (place,) = [path for path, found in names.items() if found]
        assert names[place] == ["t-0"], names
        assert place in self._places, f"it was answered that it moves to {self._places}"
        assert world.assigned("t") == world.id_of(place)
        directory = world.directories[place]
        holes = "cleanup.policy" in self.content.configs
        check_log(directory, directory.logs[key("t")].loaded(0), holes=holes)
        assert directory.run(Read(place, key("t"), FAR, FAR, 1)).end == self.acknowledged
