"""Faults of the network: late frames, cuts, nodes that are isolated, connections that break.

Belongs to `faults`, which says when each strikes.
"""

from __future__ import annotations

from spindle.sim.checks import Checks
from spindle.sim.open_faults import OpenFaults
from spindle.sim.promises import Promises
from spindle.sim.sim_cluster import SimCluster, SimNode


class NetworkFaults:
    """Each method strikes once; False: the promises spare the cluster this time."""

    def __init__(
        self, cluster: SimCluster, promises: Promises, checks: Checks, open_: OpenFaults
    ) -> None:
        self._cluster, self._promises, self._checks = cluster, promises, checks
        self._open = open_
        self._time, self._rng = cluster.world.time, cluster.world.time.rng

    def latency(self) -> bool:
        """Let every message take up to a tenth of a second."""
        net = self._cluster.world.net
        net.latency = self._open.between(0.001, 0.1)
        self._time.note("latency", net.latency)

        def undo() -> None:
            net.latency = min(net.latency, 0.001)

        self._open.for_a_while(undo)
        return True

    def cut(self) -> bool:
        """Let no message pass from one node to another for a while."""
        if not self._promises.may_disturb():
            return False
        names = list(self._cluster.world.hosts)
        one = self._open.choose(names)
        other = self._open.choose([name for name in names if name != one])
        ends = [m for m in self._cluster.members.values() if m.host.name in (one, other)]
        self._time.note("network cut", one, other)
        cuts = [(one, other)] if self._rng.random() < 0.5 else [(one, other), (other, one)]
        self._sever(cuts, ends)
        return True

    def isolate(self) -> bool:
        """A node receives nothing, or sends nothing, or both; mostly a voter."""
        if not self._promises.may_disturb():
            return False
        voters = self._cluster.controllers
        member = self._open.some_member()
        if self._rng.random() < 0.7:
            member = voters[self._rng.randrange(len(voters))]
        one = member.host.name
        way = self._open.choose(["in", "out", "both"])
        self._time.note("isolated", one, way)
        others = [name for name in self._cluster.world.hosts if name != one]
        cuts = [(one, other) for other in others if way != "in"]
        cuts += [(other, one) for other in others if way != "out"]
        self._sever(cuts, [member])
        return True

    def _sever(self, cuts: list[tuple[str, str]], ends: list[SimNode]) -> None:
        """Lose all that is sent these ways (from, to) for a while."""
        self._checks.network_hurt = True
        net = self._cluster.world.net
        net.cuts.update(dict.fromkeys(cuts))
        for member in ends:
            self._promises.on_trouble(member)

        def undo() -> None:
            for cut in cuts:
                net.cuts.pop(cut, None)
            net.reset_swallowed()
            for member in ends:
                self._promises.on_relief(member)

        self._open.for_a_while(undo)

    def break_one(self) -> bool:
        """Break some of the connections that are open now."""
        self._cluster.world.net.break_some()
        return True
