"""What must hold of the quorum of controllers after each event of a host.

One leader in each of its epochs; a high watermark that never falls; voters that change one at a
time, and are the same on every node (KIP-853). Looks at machines from outside; `checks` asks it.
"""

from __future__ import annotations

from itertools import pairwise

from spindle.model.quorum_voters import Voters
from spindle.node.node import Node
from spindle.sim.host import Host
from spindle.sim.violation import Violation


class QuorumChecks:
    """What was seen of one cluster's quorum."""

    def __init__(self) -> None:
        self._leaders: dict[int, tuple[str, int]] = {}
        self._committed: dict[tuple[str, int], int] = {}
        self._voters: dict[int, Voters] = {}
        self._seen: dict[str, list[tuple[int, Voters]]] = {}

    def look(self, host: Host, node: Node) -> None:
        """One leader in each epoch, and never again after a restart; commits are for ever."""
        raft = node.quorum.raft
        if raft is None:
            return
        process = (host.name, host.life)
        epoch = raft.state.epoch
        if raft.state.term is not None:
            first = self._leaders.setdefault(epoch, process)
            if first != process:
                raise Violation(f"quorum epoch {epoch} is led by {first} and by {process}")
        known = self._committed.get(process, 0)
        if raft.log.high_watermark < known:
            raise Violation(
                f"{host.name}: the quorum's high watermark has fallen from {known} to "
                f"{raft.log.high_watermark}"
            )
        self._committed[process] = raft.log.high_watermark
        self._look_at_voters(host, raft.log.voters.below(raft.log.high_watermark))

    def _look_at_voters(self, host: Host, committed: list[tuple[int, Voters]]) -> None:
        """Committed sets of voters are the same everywhere, and differ by one voter at most."""
        if self._seen.get(host.name) == committed:
            return
        self._seen[host.name] = committed
        for offset, voters in committed:
            if self._voters.setdefault(offset, voters) != voters:
                raise Violation(
                    f"{host.name} has the voters {voters.keys} at {offset}, others have"
                    f" {self._voters[offset].keys}"
                )
        for (_, before), (offset, after) in pairwise(committed):
            changed = {v.key for v in before.voters} ^ {v.key for v in after.voters}
            if len(changed) > 1:
                raise Violation(f"the voters {before.keys} become {after.keys} at {offset} at once")
