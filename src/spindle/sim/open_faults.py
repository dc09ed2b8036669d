"""Faults that last: what is chosen by the seed, for how long, and how each one is undone.

Belongs to `faults`; the faults of the network, of processes and of disks share one of these.
"""

from __future__ import annotations

from collections.abc import Callable

from spindle.sim.sim_cluster import SimCluster, SimNode


class OpenFaults:
    """The faults that are under way in a cluster. `length`: mean s of each."""

    def __init__(self, cluster: SimCluster, length: float) -> None:
        self._cluster, self._length = cluster, length
        self._time = cluster.world.time
        self._open: dict[int, Callable[[], None]] = {}
        self._number = 0
        self.healing = False
        """Whether all faults are being undone, and none strikes any more."""

    def for_a_while(self, undo: Callable[[], None]) -> None:
        """Have a fault undone after a while, or at the healing."""
        self._number += 1
        number = self._number

        def end() -> None:
            if self._open.pop(number, None) is not None:
                undo()

        self._open[number] = end
        self._time.after(self.seconds(self._length), end)

    def undo_all(self) -> None:
        """Undo every fault now."""
        for undo in list(self._open.values()):
            undo()

    # --- what the seed chooses ----------------------------------------------------------------

    def seconds(self, mean: float) -> float:
        """A length of time around a mean, now and then a long one."""
        rng = self._time.rng
        return mean * (0.1 + rng.random()) * (5.0 if rng.random() < 0.1 else 1.0)

    def between(self, low: float, high: float) -> float:
        """A number between two."""
        return low + (high - low) * self._time.rng.random()

    def choose(self, options: list[str]) -> str:
        """One of these."""
        return options[self._time.rng.randrange(len(options))]

    def some_member(self) -> SimNode:
        """A node of the cluster."""
        members = list(self._cluster.members.values())
        return members[self._time.rng.randrange(len(members))]
