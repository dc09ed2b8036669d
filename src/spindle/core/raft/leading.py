"""What the leader of the quorum knows of the others: how far each has come, which still listen.

Arithmetic only; `machine` decides what follows from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from spindle.model.ids import DirectoryId, NodeId

OBSERVERS_MAX = 10_000
OBSERVER_SILENT = 300.0
"""Seconds after which an observer that no longer fetches is forgotten."""


@dataclass(slots=True)
class ReplicaProgress:
    """How far a replica of the metadata log is. Times: `fetched_at` in s, the others wall ms."""

    end: int = -1
    fetched_at: float = float("-inf")
    last_fetch_ms: int = -1
    last_caught_up_ms: int = -1
    directory: DirectoryId | None = None
    """Of the disk that its copy lies on, as it said itself."""
    previous_end: int = field(default=-1, repr=False)
    """The leader's end at the fetch before: a replica that has reached it is caught up."""


class LeaderProgress:
    """One term of leadership: progress of voters and observers, and what is committed."""

    def __init__(self, me: NodeId, epoch: int, voters: Iterable[NodeId], now: float) -> None:
        self.me = me
        self.epoch = epoch
        self.start: int | None = None
        """Offset of this epoch's LeaderChange, once it has been placed."""
        self.since = now
        self.voters: dict[NodeId, ReplicaProgress] = {voter: ReplicaProgress() for voter in voters}
        self.observers: dict[NodeId, ReplicaProgress] = {}

    def on_local_end(self, end: int, wall_ms: int) -> None:
        """Our own copy is durable up to `end`."""
        own = self.voters[self.me]
        own.end, own.last_fetch_ms, own.last_caught_up_ms = end, wall_ms, wall_ms

    def on_fetch(
        self,
        replica: NodeId,
        offset: int,
        log_end: int,
        now: float,
        wall_ms: int,
        directory: DirectoryId | None = None,
    ) -> None:
        """A replica asks from `offset` on: it has all that lies before, durably."""
        progress = self.voters.get(replica)
        if progress is None:
            progress = self._observer(replica, now)
        if offset >= log_end:
            progress.last_caught_up_ms = wall_ms
        elif 0 <= progress.previous_end <= offset:
            progress.last_caught_up_ms = max(progress.last_caught_up_ms, progress.last_fetch_ms)
        progress.end = offset
        progress.previous_end = log_end
        progress.fetched_at = now
        progress.last_fetch_ms = wall_ms
        progress.directory = directory

    def on_snapshot_fetch(self, replica: NodeId, now: float) -> None:
        """A replica fetches a snapshot: it is there, however long that takes."""
        progress = self.voters.get(replica) or self.observers.get(replica)
        if progress is not None:
            progress.fetched_at = now

    def _observer(self, replica: NodeId, now: float) -> ReplicaProgress:
        if replica not in self.observers:
            silent = [
                id for id, p in self.observers.items() if p.fetched_at < now - OBSERVER_SILENT
            ]
            for id in silent:
                del self.observers[id]
            if len(self.observers) >= OBSERVERS_MAX:
                return ReplicaProgress()
            self.observers[replica] = ReplicaProgress()
        return self.observers[replica]

    def committed(self) -> int | None:
        """The offset that a majority of voters holds durably, once it lies in this epoch.

        Records of earlier epochs are committed only by one of this epoch after them (Raft 5.4.2).
        """
        ends = sorted((p.end for p in self.voters.values()), reverse=True)
        offset = ends[len(ends) // 2]
        if self.start is None or offset <= self.start:
            return None
        return offset

    def heard_by_majority_at(self) -> float:
        """When a majority, ourselves included, last was in touch; infinity for a quorum of one."""
        others = sorted(
            (max(p.fetched_at, self.since) for voter, p in self.voters.items() if voter != self.me),
            reverse=True,
        )
        needed = len(self.voters) // 2
        return others[needed - 1] if needed else float("inf")

    def silent_since(self, when: float) -> list[NodeId]:
        """Voters that have not fetched since then."""
        return [v for v, p in self.voters.items() if v != self.me and p.fetched_at < when]

    def successors(self) -> tuple[NodeId, ...]:
        """The other voters, the one with the longest log first."""
        others = [v for v in self.voters if v != self.me]
        return tuple(sorted(others, key=lambda v: (-self.voters[v].end, v)))
