"""Replicas that move when a test tells them to, and what an execution sees of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spindle.client.results import Replica, ReplicaLogDirs
from spindle.pipeline.execution import Execution
from spindle.pipeline.execution_values import (
    ClusterLook,
    ExecutionRules,
    KnownTrouble,
    ParticipatingDirectory,
    Place,
    Start,
    replica_of,
)
from spindle.planning.load import PlannedMove
from spindle.planning.schedule import WaveLimits

A, B, C = "/a", "/b", "/c"


def move(n: int, source: str = A, target: str = B, size: int = 100, broker: int = 1) -> PlannedMove:
    return PlannedMove(broker, "t", n, source, target, size)


class World:
    """Replicas in directories, which move when the test says."""

    def __init__(self, *moves: PlannedMove, free: Mapping[Place, int] | None = None) -> None:
        self.at = {replica_of(m): ReplicaLogDirs(m.source, 0, m.size) for m in moves}
        self.free = dict(free or {})

    def look(self, machine: Execution) -> ClusterLook:
        places: dict[Replica, ReplicaLogDirs | Exception] = {}
        for m in machine.watched:
            places[replica_of(m)] = self.at.get(replica_of(m), ReplicaLogDirs())
        return ClusterLook(places, self.free)

    def start(self, *moves: PlannedMove, copied: int = 0) -> None:
        for m in moves:
            self.at[replica_of(m)] = ReplicaLogDirs(
                m.source, 0, m.size, m.target, 1, future_size=copied
            )

    def finish(self, *moves: PlannedMove) -> None:
        for m in moves:
            self.at[replica_of(m)] = ReplicaLogDirs(m.target, 0, m.size)


def rules(
    limits: WaveLimits | None = None,
    rooms: Mapping[Place, ParticipatingDirectory] | None = None,
    known: KnownTrouble | None = None,
) -> ExecutionRules:
    return ExecutionRules(limits or WaveLimits(), rooms or {}, known=known or KnownTrouble())


def started(effects: Sequence[object]) -> list[PlannedMove]:
    return [m for effect in effects if isinstance(effect, Start) for m in effect.moves]
