"""What the leader of the quorum knows of the others: how far each has come, which still listen.

Arithmetic only; `machine` decides what follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spindle.model.ids import DirectoryId, NodeId
from spindle.model.quorum_voters import VoterKey, Voters

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

    def __init__(self, me: NodeId, epoch: int, voters: Voters, now: float) -> None:
        self.me = me
        self.epoch = epoch
        self.start: int | None = None
        """Offset of this epoch's LeaderChange, once it has been placed."""
        self.since = now
        self.own = ReplicaProgress()
        """Of our own copy, whether or not we have a vote."""
        self.voters: dict[NodeId, ReplicaProgress] = {me: self.own}
        self.observers: dict[NodeId, ReplicaProgress] = {}
        self._set = Voters(())
        self.reconfigure(voters)

    def reconfigure(self, voters: Voters) -> bool:
        """Other voters hold from now on; whether they are others."""
        if voters is self._set:
            return False
        known, self.voters = self.voters, {}
        for voter in voters.voters:
            before = known.get(voter.id) or ReplicaProgress()
            if voter.id != self.me and not voter.is_of(before.directory):
                # It has another directory than the voter of this number before.
                before = ReplicaProgress()
            watched = self.observers.get(voter.id)
            if watched is not None and voter.is_of(watched.directory):
                before = self.observers.pop(voter.id)
            self.voters[voter.id] = self.own if voter.id == self.me else before
        for id, progress in known.items():
            if id not in self.voters and progress.end >= 0:
                self.observers[id] = progress
        self._set = voters
        return True

    def on_local_end(self, end: int, wall_ms: int) -> None:
        """Our own copy is durable up to `end`."""
        own = self.own
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
        voter = self._set.find(replica)
        if voter is not None and voter.is_of(directory):
            progress = self.voters[replica]
        else:
            progress = self._observer(replica, directory, now)
        if offset >= log_end:
            progress.last_caught_up_ms = wall_ms
        elif 0 <= progress.previous_end <= offset:
            progress.last_caught_up_ms = max(progress.last_caught_up_ms, progress.last_fetch_ms)
        progress.end = offset
        progress.previous_end = log_end
        progress.fetched_at = now
        progress.last_fetch_ms = wall_ms
        progress.directory = directory

    def on_snapshot_fetch(self, replica: NodeId, directory: DirectoryId | None, now: float) -> None:
        """A replica fetches a snapshot: it is there, however long that takes."""
        voter = self._set.find(replica)
        known = self.voters if voter is not None and voter.is_of(directory) else self.observers
        progress = known.get(replica)
        if progress is not None:
            progress.fetched_at = now

    def is_caught_up(self, key: VoterKey, since_ms: int) -> bool:
        """Whether an observer has had the whole log, and has fetched since then."""
        known = self.observers.get(key.id)
        if known is None or known.directory != key.directory_id:
            return False
        return known.last_caught_up_ms > 0 and known.last_fetch_ms > max(0, since_ms)

    def _observer(
        self, replica: NodeId, directory: DirectoryId | None, now: float
    ) -> ReplicaProgress:
        known = self.observers.get(replica)
        if known is None or known.directory != directory:
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
        needed = len(self.voters) // 2 + 1 - (self.me in self.voters)
        return others[needed - 1] if needed else float("inf")

    def silent_since(self, when: float) -> list[NodeId]:
        """Voters that have not fetched since then."""
        return [v for v, p in self.voters.items() if v != self.me and p.fetched_at < when]

    def successors(self) -> tuple[NodeId, ...]:
        """The other voters, the one with the longest log first."""
        others = [v for v in self.voters if v != self.me]
        return tuple(sorted(others, key=lambda v: (-self.voters[v].end, v)))
