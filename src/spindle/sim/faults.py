"""Makes the world go wrong: a swarm of faults, each seed with its own kinds, rates and lengths.

A fault strikes if `promises` lets it, lasts for a while, and is undone; `heal` undoes all of them
and brings back what is down. Every choice comes from the world's seed. Knows processes, disks and
the network from outside; no machine learns that it is being tested.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from spindle.sim.checks import Checks
from spindle.sim.disk_faults import DiskFaults
from spindle.sim.disk_work import FOREVER
from spindle.sim.network_faults import NetworkFaults
from spindle.sim.open_faults import OpenFaults
from spindle.sim.process_faults import ProcessFaults
from spindle.sim.promises import Promises
from spindle.sim.sim_cluster import SimCluster
from spindle.sim.told_history import History

NETWORK: Final = ("latency", "cut", "isolate", "break")
PROCESSES: Final = ("kill", "torn kill", "power cut", "torn power cut", "stop", "freeze")
DISKS: Final = ("error", "hiccup", "read-only", "slow", "hang", "full", "blank", "flip")
KINDS: Final = (*NETWORK, *PROCESSES, *DISKS, "clock")
LOOK: Final = 1.0
"""Seconds between an operator's looks for brokers with disks that are well again."""


@dataclass(frozen=True, slots=True)
class Appetite:
    """Which faults strike and how often. `pause`: mean s between them; `length`: mean s of each."""

    weights: Mapping[str, float] = field(default_factory=dict)
    pause: float = 2.0
    length: float = 2.0


class Faults:
    """The faults of one simulation."""

    def __init__(
        self,
        cluster: SimCluster,
        promises: Promises,
        checks: Checks,
        history: History,
        appetite: Appetite,
    ) -> None:
        self._cluster, self._history, self._appetite = cluster, history, appetite
        self._time = cluster.world.time
        self._open = open_ = OpenFaults(cluster, appetite.length)
        self._processes = processes = ProcessFaults(cluster, promises, checks, open_)
        network = NetworkFaults(cluster, promises, checks, open_)
        disks = DiskFaults(cluster, promises, checks, open_, processes)
        self._kinds: dict[str, Callable[[], bool]] = {
            "latency": network.latency,
            "cut": network.cut,
            "isolate": network.isolate,
            "break": network.break_one,
            "kill": lambda: processes.end(torn=False, power=False),
            "torn kill": lambda: processes.end(torn=True, power=False),
            "power cut": lambda: processes.end(torn=False, power=True),
            "torn power cut": lambda: processes.end(torn=True, power=True),
            "stop": processes.stop,
            "freeze": processes.freeze,
            "error": lambda: disks.error(times=-1),
            "hiccup": lambda: disks.error(times=1),
            "read-only": disks.read_only,
            "slow": lambda: disks.slow(open_.between(0.01, 0.3)),
            "hang": lambda: disks.slow(FOREVER),
            "full": disks.full,
            "blank": disks.blank,
            "flip": disks.flip,
            "clock": processes.clock,
        }

    def begin(self) -> None:
        """Faults strike from now on."""
        self._time.after(self._open.seconds(self._appetite.pause), self._strike)

    def _strike(self) -> None:
        if self._open.healing:
            return
        self._time.after(self._open.seconds(self._appetite.pause), self._strike)
        weights = self._appetite.weights
        point = self._time.rng.random() * sum(weights.values())
        for kind, weight in weights.items():
            point -= weight
            if point < 0:
                struck = self._kinds[kind]()
                self._history.count(f"fault: {kind}" if struck else "faults spared")
                return

    def heal(self) -> None:
        """Undo all faults, and keep bringing back what is down."""
        self._open.healing = True
        self._time.note("heal")
        self._processes.torn.clear()
        for member in self._cluster.members.values():
            member.disk.calls.never_cut()
            member.disk.heal("/")
        self._open.undo_all()
        self._cluster.world.net.heal()
        self._care()

    def _care(self) -> None:
        """Do what an operator does: start what is down, restart what has lost a disk."""
        for member in self._cluster.members.values():
            broker = member.broker
            if member.node is None:
                self._cluster.start_node(member)
            elif broker is not None and broker.logs.offline:
                self._processes.restart(member)
        self._time.after(LOOK, self._care)
