"""What a controller that follows asks of the leader about its own vote, again and again (KIP-853).

A voter whose endpoints or versions are others than the log says has them updated. A static voter
tells each leader once what it is, so that `kraft.version` can be raised. One without a
vote asks for it where the operator allows that (`controller.quorum.auto.join.enable`, KIP-1186): a
voter with its number and another directory, which is gone, is removed first. Belongs to `machine`.
"""

from __future__ import annotations

from collections.abc import Callable

from spindle.core.raft.epoch_state import EpochState
from spindle.core.raft.raft_io import RaftIO
from spindle.core.raft.raft_values import Heard, Timing
from spindle.core.raft.roles import FollowerState
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID, NodeId, VersionRange
from spindle.model.outbox import Outbox
from spindle.model.quorum_voters import DYNAMIC, Voter


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
        self._told_epoch = -1
        """The last epoch whose leader knows us as a static voter, or cannot."""

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
            self._present(role.leader)
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

    def _present(self, leader: NodeId) -> None:
        """Tell a new leader what we are; one that knows no dynamic quorums is not asked to know."""
        epoch, own, static = self._state.epoch, self._own, self._state.history.latest
        known = static.find(leader)
        if known is None or static.find(own.id) is None or own.directory_id == ZERO_ID:
            return
        if self._told_epoch == epoch:
            return

        def on_levels(levels: VersionRange | Error) -> None:
            if isinstance(levels, Error) or self._state.epoch != epoch:
                return
            if levels.max < DYNAMIC:
                self._told_epoch = epoch
            else:
                self._io.update_voter(leader, epoch, own, on_heard)

        def on_heard(heard: Heard | None) -> None:
            if heard is not None and heard.error in (Error.NONE, Error.UNSUPPORTED_VERSION):
                self._told_epoch = epoch
            self._heard(heard)

        self._io.ask_levels(known, on_levels)
