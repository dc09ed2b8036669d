"""What all moves between log directories work with: the ways to the disks, the limits, the figures.

A move gets these and posts what comes of it; it knows neither the other moves nor their manager.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spindle.core.logdirs.events import Post
from spindle.core.logdirs.move import LogDirMove
from spindle.core.logdirs.throttle import Throttles
from spindle.model.outbox import Outbox
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.directories import Directories
from spindle.node.logdirs.kept_copies import KeptCopies
from spindle.node.logdirs.move_figures import MoveFigures
from spindle.node.logdirs.placement_registry import ReplicaPlacementRegistry
from spindle.node.logdirs.purging import Purging
from spindle.node.replicas.replica_manager import ReplicaManager


@dataclass(slots=True, eq=False)
class MoveTools:
    """The parts below, and what the moves of a broker share."""

    context: BrokerContext
    directories: Directories
    purging: Purging
    places: ReplicaPlacementRegistry
    replicas: ReplicaManager
    """Whose appends are blocked for the swap."""
    post: Post
    kept: KeptCopies
    throttles: Throttles
    figures: MoveFigures = field(default_factory=MoveFigures)

    @property
    def out(self) -> Outbox:
        """Our effects."""
        return self.context.out

    @property
    def rates(self) -> tuple[int, int]:
        """Bytes per second that all moves may copy, and a single one, as they are set now."""
        return rates_of(self.context)

    @property
    def share(self) -> float:
        """The share of its time that a move may copy while clients are served (B-10)."""
        return self.context.settings.number("log.dir.move.busy.share")

    def is_told(self, move: LogDirMove) -> bool:
        """Whether the committed metadata names the target, or knows no directories (K858-19)."""
        target = self.directories.id_of(move.target)
        return not self.context.speaks_of_directories or self.context.assigned(move.id) == target

    def is_named(self, move: LogDirMove) -> bool:
        """Whether the committed metadata knows directories, and names the target."""
        return self.context.speaks_of_directories and self.is_told(move)

    def left(self, move: LogDirMove) -> int:
        """Bytes that a move has still to copy."""
        hosted = self.replicas.find(move.id)
        return 0 if hosted is None else max(0, hosted.size - move.size)

    def serves(self, move: LogDirMove) -> bool:
        """Whether the current log can be read."""
        return self.replicas.bounds(move.id) is not None


def rates_of(context: BrokerContext) -> tuple[int, int]:
    """(of all moves, of one move) in bytes per second."""
    settings = context.settings
    broker = settings.whole("replica.alter.log.dirs.io.max.bytes.per.second")
    return int(broker), settings.whole("log.dir.move.max.bytes.per.second")
