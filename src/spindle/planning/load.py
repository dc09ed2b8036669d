"""What a planner is given and what it answers: load per directory in, moves out. Plain values.

Bytes are bytes, rates are bytes per second, shares are fractions of capacity.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


class ReplicaLoad(NamedTuple):
    """A replica and where it lives. `pinned`: it must stay (a move of it is in progress)."""

    topic: str
    partition: int
    directory: str
    size: int
    pinned: bool = False

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


class Move(NamedTuple):
    """One replica goes from one directory of its broker to another."""

    broker: int
    topic: str
    partition: int
    source: str
    target: str
    size: int


class Share(NamedTuple):
    """Bytes of replicas in a directory, before and after a plan, beside its capacity."""

    path: str
    capacity: int
    before: int
    after: int


@dataclass(slots=True, frozen=True)
class BrokerPlan:
    """The moves that bring a broker's directories into the band, in the order of execution.

    `bound`: bytes that any plan must move at least (planning.bound); `waves`: how many moves
    belong to each wave of the schedule; `notes` say in words what could not be done and why.
    """

    broker: int
    moves: tuple[Move, ...]
    bound: int
    shares: tuple[Share, ...]
    waves: tuple[int, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def bytes_moved(self) -> int:
        """Bytes that the plan moves."""
        return sum(move.size for move in self.moves)


@dataclass(slots=True, frozen=True)
class Band:
    """How even is even enough, and how full is too full.

    `tolerance`: a directory's fullness may differ from the broker's mean by this share of it;
    `high_mark`: no directory is ever filled above this share of its capacity, copies included.
    """

    tolerance: float = 0.01
    high_mark: float = 0.95

    def __post_init__(self) -> None:
        assert 0 <= self.tolerance < 1, "tolerance is a share between 0 and 1"
        assert 0 < self.high_mark <= 1, "high_mark is a share between 0 and 1"


def sizes_by_directory(
    directories: Iterable[DirectoryLoad], replicas: Iterable[ReplicaLoad]
) -> dict[str, int]:
    """Bytes of replicas in each directory, in the order of `directories`."""
    sizes = {directory.path: 0 for directory in directories}
    for replica in replicas:
        sizes[replica.directory] += replica.size
    return sizes
