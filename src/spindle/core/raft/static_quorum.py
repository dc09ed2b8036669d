"""What the voters of a static quorum say of themselves to their leader, for its upgrade (KIP-853).

A configuration names voters by number and address alone. Each tells each new leader its directory,
its endpoints and its versions (UpdateRaftVoter); the leader keeps that in memory, until
`kraft.version` becomes 1 and all of it goes into the log. Belongs to `voter_changes`.
"""

from __future__ import annotations

from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import KRAFT_VERSION
from spindle.model.ids import NodeId
from spindle.model.quorum_voters import Voter, Voters


class StaticQuorum:
    """What one leader has heard from static voters."""

    def __init__(self, own: Voter) -> None:
        self._own = own
        self._told: dict[NodeId, Voter] = {}

    def on_told(self, voter: Voter) -> None:
        """A voter says what it is; its last word counts."""
        self._told[voter.id] = voter

    def forget(self) -> None:
        """Another leader will hear of it itself."""
        self._told.clear()

    def voters(self, static: Voters, level: int) -> Voters:
        """The voters for the log at a level. INVALID_UPDATE_VERSION names those that lack it."""
        known = {**self._told, self._own.id: self._own}
        silent = [id for id in static.ids if id not in known]
        unable = [
            id
            for id in static.ids
            if id in known and not known[id].supported.min <= level <= known[id].supported.max
        ]
        if silent or unable:
            why = [f"voters {unable} do not: update them"] if unable else []
            why += [f"voters {silent} have not said so: start them"] if silent else []
            raise Refusal(
                Error.INVALID_UPDATE_VERSION,
                f"Invalid upgrade of {KRAFT_VERSION} to {level} because not all of the voters"
                f" support it ({'; '.join(why)})",
            )
        return Voters(tuple(known[id] for id in static.ids))
