"""Faults of processes and their machines: ends, power cuts, stops, pauses, clocks that jump.

Belongs to `faults`, which says when each strikes; the faults of disks restart nodes here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from spindle.sim.checks import Checks
from spindle.sim.host import Host
from spindle.sim.open_faults import OpenFaults
from spindle.sim.promises import Promises
from spindle.sim.sim_cluster import SimCluster, SimNode

TORN_WITHIN: Final = 0.2
"""Seconds within which the last call must come; after them the process ends without it."""
STOP_PATIENCE: Final = 15.0


class ProcessFaults:
    """A method that answers strikes once; False: the promises spare the cluster this time."""

    def __init__(
        self, cluster: SimCluster, promises: Promises, checks: Checks, open_: OpenFaults
    ) -> None:
        self._cluster, self._promises, self._checks = cluster, promises, checks
        self._open = open_
        self._time, self._rng = cluster.world.time, cluster.world.time.rng
        self.torn: dict[str, Callable[[], None]] = {}
        """Hosts whose power, or process, goes during one of their disk's next calls."""
        cluster.world.disks.on_power_cut = self._on_torn

    def end(self, *, torn: bool, power: bool) -> bool:
        """End a process, or its machine: now, or during one of its disk's next calls."""
        member, promises = self._open.some_member(), self._promises
        if member.held or member.host.name in self.torn:
            return False
        if not (promises.may_lose(member) if power else promises.may_end(member)):
            return False
        if not member.config.is_broker or member.config.is_controller:
            self._checks.network_hurt = True
        if power:
            promises.on_lost(member)
        promises.on_trouble(member)

        def end() -> None:
            if power and promises.survives(member):
                self._cluster.cut_power(member)
            else:
                self._cluster.kill(member)
            self.start_again(member)

        if torn and member.node is not None:
            self.torn[member.host.name] = end
            member.disk.calls.cut_after(1 + self._rng.randrange(12))
            life = member.host.life
            self._time.after(TORN_WITHIN, self._not_torn, member, life)
        else:
            end()
        return True

    def _on_torn(self, host: Host) -> None:
        self.torn.pop(host.name)()

    def _not_torn(self, member: SimNode, life: int) -> None:
        """The call that should have been the last one has not come."""
        end = self.torn.pop(member.host.name, None)
        if end is None:
            return
        if member.host.life == life:
            end()
        else:  # It has ended for another reason, and is being started by another part.
            member.disk.calls.never_cut()
            self._promises.on_relief(member)

    def start_again(self, member: SimNode) -> None:
        """Start a node after a while. Open faults of its disks do not hold that up."""
        member.held = True

        def start() -> None:
            self._promises.on_relief(member)
            self._cluster.start_node(member)

        self._open.for_a_while(start)

    def stop(self) -> bool:
        """Stop a node cleanly, and start it again."""
        member = self._open.some_member()
        if member.held or member.node is None or not self._promises.may_end(member):
            return False
        self.restart(member)
        return True

    def restart(self, member: SimNode) -> None:
        """Stop a node cleanly, kill it if it will not, and start it again."""
        if member.held:
            return
        member.held = True
        self._checks.network_hurt = True
        self._promises.on_trouble(member)
        self._cluster.stop(member)
        life = member.host.life

        def look(patience: float) -> None:
            if member.host.life == life and patience > 0:
                self._time.after(0.1, look, patience - 0.1)
                return
            if member.host.life == life:
                self._cluster.kill(member)
            self._promises.on_relief(member)
            self._time.after(self._open.between(0.0, 1.0), self._cluster.start_node, member)

        look(STOP_PATIENCE)

    def freeze(self) -> bool:
        """Stop a process in mid-air for a while, as SIGSTOP or a stuck hypervisor does."""
        member = self._open.some_member()
        host = member.host
        if member.node is None or host.frozen is not None or not self._promises.may_disturb():
            return False
        self._checks.network_hurt = True
        self._promises.on_trouble(member)
        self._cluster.world.freeze(host)
        life = host.life

        def undo() -> None:
            self._promises.on_relief(member)
            if host.life == life:
                self._cluster.world.thaw(host)

        self._open.for_a_while(undo)
        return True

    def clock(self) -> bool:
        """Set a host's wall clock, within an hour."""
        host = self._open.some_member().host
        host.skew_ms = int(self._open.between(-3_600_000, 3_600_000))
        self._time.note("clock", host.name, host.skew_ms)
        return True
