"""What a controller that follows asks of the leader about its own vote, again and again (KIP-853).

A voter whose endpoints or versions are others than the log says has them updated. One without a
vote asks for it where the operator allows that (`controller.quorum.auto.join.enable`, KIP-1186): a
voter with its number and another directory, which is gone, is removed first. Belongs to `machine`.
"""

from __future__ import annotations

from collections.abc import Callable

from spindle.core.raft.epoch_state import EpochState
from spindle.core.raft.raft_io import RaftIO
from spindle.core.raft.raft_values import Heard, Timing
from spindle.core.raft.roles import FollowerState
from spindle.model.outbox import Outbox
from spindle.model.quorum_voters import Voter


class VoterUpkeep:
    """Looks once in a fetch timeout whether the voters are as this controller would have them."""

    def __init__(
        self,
        state: EpochState,
        own: Voter,
        joins: bool,
        timing: Timing,
        out: Outbox,
        io: RaftIO,
        heard: Callable[[Heard | None], object],
    ) -> None:
        self._state = state
        self._own = own
        self._joins = joins
        self._every = timing.fetch_timeout
        self._out = out
        self._io = io
        self._heard = heard

    def start(self) -> None:
        """Look from now on."""
        self._out.after(self._every, self._look)

    def _look(self) -> None:
        state = self._state
        if state.stopping:
            return
        self.start()
        role = state.role
        if not isinstance(role, FollowerState) or not role.fetched:
            return
        if not state.history.is_dynamic:
            return
        voters, own = state.history.latest, self._own
        named = voters.find(own.id)
        if voters.has(own.key):
            if voters.updated(own) != voters:
                self._io.update_voter(role.leader, state.epoch, own, self._heard)
        elif self._joins and named is not None:
            self._out.say(
                "info", "asks to remove its vote of another directory", key=str(named.key)
            )
            self._io.remove_voter(role.leader, named.key)
        elif self._joins:
            self._out.say("info", "asks for a vote in the quorum", key=str(own.key))
            self._io.add_voter(role.leader, own)
