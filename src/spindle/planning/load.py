"""What a planner is given and what it answers: load per directory in, moves out. Plain values.

Bytes are bytes, rates are bytes per second, shares are fractions of capacity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

HERE = -1
"""As a move's destination: the broker where the replica is."""


class ReplicaLoad(NamedTuple):
    """A replica and where it lives. `pinned`: it must stay (a move of it is in progress).

    `rate`: bytes that are written to it each second.
    """

    topic: str
    partition: int
    directory: str
    size: int
    pinned: bool = False
    rate: float = 0.0

    @property
    def name(self) -> str:
        """topic-partition."""
        return f"{self.topic}-{self.partition}"


class DirectoryLoad(NamedTuple):
    """A log directory of a broker.

    `capacity`: bytes that replicas may take in all (file system size less what is not ours);
    `open`: takes new replicas (online, not cordoned, not excluded); `drain`: must end up empty.
    """

    path: str
    capacity: int
    open: bool = True
    drain: bool = False


class PlannedMove(NamedTuple):
    """One replica goes to another directory, of its broker or of broker `destination`.

    `rate`: bytes that are written to it each second, where that counts.
    """

    broker: int
    topic: str
    partition: int
    source: str
    target: str
    size: int
    destination: int = HERE
    rate: float = 0.0

    @property
    def to(self) -> int:
        """The broker that has the replica afterwards."""
        return self.broker if self.destination == HERE else self.destination

    @property
    def between(self) -> bool:
        """Whether it goes to another broker."""
        return self.to != self.broker

    @property
    def name(self) -> str:
        """topic-partition."""
        return f"{self.topic}-{self.partition}"


class DirectoryShare(NamedTuple):
    """Bytes of replicas in a directory, before and after a plan, beside its capacity.

    Rates: bytes that are written to it each second, before and after.
    """

    path: str
    capacity: int
    before: int
    after: int
    rate_before: float = 0.0
    rate_after: float = 0.0


@dataclass(slots=True, frozen=True)
class BrokerPlan:
    """The moves that bring a broker's directories into the band, in the order of execution.

    `bound`: bytes that any plan must move at least that ends as even (planning.bands.bound);
    `waves`: how many moves belong to each wave of the schedule; `notes` say in words what could not
    be done and why.
    """

    broker: int
    moves: tuple[PlannedMove, ...]
    bound: int
    shares: tuple[DirectoryShare, ...]
    waves: tuple[int, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def bytes_moved(self) -> int:
        """Bytes that the plan moves."""
        return sum(move.size for move in self.moves)


@dataclass(slots=True, frozen=True)
class Plan:
    """The moves that bring a cluster's directories into the band, in the order of execution.

    `waves`: how many moves belong to each wave; `shares` by broker; `notes` say in words what could
    not be done and why. `bound`: bytes that any plan must move at least that ends as even as this;
    `broker_bound`: those of them that must go to another broker.
    """

    moves: tuple[PlannedMove, ...]
    waves: tuple[int, ...]
    notes: tuple[str, ...]
    shares: Mapping[int, tuple[DirectoryShare, ...]]
    bound: int
    broker_bound: int

    @property
    def bytes_moved(self) -> int:
        """Bytes that the plan moves."""
        return sum(move.size for move in self.moves)

    @property
    def bytes_between(self) -> int:
        """Those of them that go to another broker."""
        return sum(move.size for move in self.moves if move.between)

    def by_wave(self) -> list[tuple[PlannedMove, ...]]:
        """The moves of each wave."""
        moves = iter(self.moves)
        return [tuple(islice(moves, length)) for length in self.waves]


@dataclass(slots=True, frozen=True)
class Band:
    """How even is even enough, and how full is too full.

    `tolerance`: a directory's fullness may differ from the mean by this share of it;
    `high_mark`: no directory is ever filled above this share of its capacity, copies included;
    `free_floor`: bytes that stay free in each directory, whatever the share says;
    `rate_tolerance`: the same for the bytes written per second, of which each directory should
    have an equal part; None: rates do not count; `least`: bytes, replicas smaller than this are not
    moved to even out; None: those that all together hardly count (planning.field).
    """

    tolerance: float = 0.01
    high_mark: float = 0.95
    rate_tolerance: float | None = None
    free_floor: int = 0
    least: int | None = None

    def __post_init__(self) -> None:
        assert 0 <= self.tolerance < 1, "tolerance is a share between 0 and 1"
        assert 0 < self.high_mark <= 1, "high_mark is a share between 0 and 1"
        assert self.free_floor >= 0, "free_floor is a number of bytes"

    def mark(self, capacity: int) -> float:
        """Bytes above which a directory of this capacity is never filled."""
        return max(0.0, min(capacity * self.high_mark, capacity - self.free_floor))
