"""A host of the simulated world, and what it runs: a machine with an Outbox, and directories.

Holds what the world and its network know of a host; neither acts here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from spindle.model.batches import Buffer
from spindle.model.ids import LogDir
from spindle.model.outbox import JobAsked, Ready
from spindle.storage.directory import LogDirectory

Lane = tuple[LogDir, LogDir]


class Machine(Protocol):
    """What a host runs: a node, or a client of the workload."""

    @property
    def wake_at(self) -> float | None:
        """When time alone matters next."""

    def set_time(self, now: float, wall_ms: int) -> None:
        """The time of the input that follows."""

    def begin(self) -> None:
        """Start."""

    def on_connected(self, connection: int, listener: str, host: str) -> None:
        """A peer has connected."""

    def on_frame(self, connection: int, frame: Buffer) -> None:
        """A request has come."""

    def on_disconnected(self, connection: int) -> None:
        """A peer has gone."""

    def on_done(self, ticket: int, result: object) -> None:
        """A job or a request has ended."""

    def on_time(self) -> None:
        """The time asked for has come."""

    def take(self) -> Ready | None:
        """All effects since the last time."""


class LaneWork:
    """The jobs of a host's directories, by lane."""

    def __init__(self) -> None:
        self.lanes: dict[Lane, list[JobAsked]] = {}
        self.stuck: dict[Lane, None] = {}
        """Lanes whose next job hangs."""
        self.begun: dict[Lane, float] = {}
        """When the group of jobs under way in a lane was begun."""
        self.worked: dict[LogDir, tuple[int, float]] = {}
        """Groups and seconds since each directory was last observed."""

    def clear(self) -> None:
        """Forget all: another process begins."""
        self.lanes.clear()
        self.stuck.clear()
        self.begun.clear()
        self.worked.clear()


class Host:
    """A machine that runs somewhere in the world. `life` grows with every start and end."""

    def __init__(self, name: str, directories: dict[LogDir, LogDirectory]) -> None:
        self.name = name
        self.directories = directories
        self.machine: Machine | None = None
        self.life = 0
        self.halted: str | None = None
        self.stopped = False
        self.skew_ms = 0
        """How far its wall clock is off."""
        self.work = LaneWork()
        self.woken_for: float | None = None
        self.frozen: list[Callable[[], None]] | None = None
        """What happens to it meanwhile, where its process is stopped in mid-air (SIGSTOP)."""
