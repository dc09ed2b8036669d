"""The folder of a local cluster: one process at a time runs it, and its ports stay the same.

Called by `local` alone.
"""

from __future__ import annotations

import fcntl
import os
import random
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from spindle.model.errors import Unusable
from spindle.runtime.cluster_plan import ClusterPlan, QuorumKind, new_plan, parse

FIRST_PORT = 19090
"""Where the first start puts a cluster by default."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a start asks for; None: as the folder has it, or the default of a new cluster."""

    brokers: int
    port: int | None
    """The first one, of a controller; brokers and further controllers follow. 0: free ones."""
    controllers: int | None
    combined: bool
    quorum: QuorumKind | None


class Folder:
    """A cluster's files; `lock` makes this process the one that runs them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held: IO[bytes] | None = None
        self._reserved: list[socket.socket] = []

    def lock(self) -> None:
        """Be the one that runs this cluster, until `unlock`; Unusable names the other process."""
        if self._held is not None:
            return
        self.path.mkdir(parents=True, exist_ok=True)
        held = (self.path / "lock").open("a+b")
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            held.seek(0)
            pid = held.read(20).decode(errors="replace").strip() or "unknown"
            held.close()
            raise Unusable(
                f"the cluster in {self.path} is already running here (pid {pid}); stop it with"
                " ctrl-C there, or give another folder (--data) and port (--port 0: free ones)"
            ) from None
        held.truncate(0)
        held.write(f"{os.getpid()}\n".encode())
        held.flush()
        self._held = held

    def unlock(self) -> None:
        """Leave it, and its ports, to others."""
        for held in self._reserved:
            held.close()
        self._reserved.clear()
        if self._held is not None:
            self._held.close()
            self._held = None

    def plan(self, asked: Asked) -> ClusterPlan:
        """The cluster of an earlier start, else a new one, which is noted at once.

        Unusable where an earlier start does not agree: nodes know each other by their ports, and
        data of a broker would be missing.
        """
        kept = self.path / "ports"
        if kept.exists():
            there = parse(kept.read_text())
            self._check(there, asked)
            return there
        controllers = asked.controllers or 1
        count = asked.brokers + controllers
        first = FIRST_PORT if asked.port is None else asked.port
        ports = [first + n for n in range(count)] if first else self.reserve(count)
        made = new_plan(ports, controllers, asked.combined, asked.quorum or "dynamic")
        self.keep(made)
        return made

    def _check(self, there: ClusterPlan, asked: Asked) -> None:
        if len(there.brokers) != asked.brokers:
            raise Unusable(
                f"{self.path} holds a cluster of {len(there.brokers)} brokers, not"
                f" {asked.brokers}: give that number, or another folder"
            )
        first = next(iter(there.controllers.values()))
        if asked.port and asked.port != first:
            raise Unusable(
                f"{self.path} holds a cluster on ports from {first} on, not {asked.port}: leave"
                " the port out, or give another folder"
            )
        if asked.combined and not there.is_combined:
            raise Unusable(
                f"{self.path} holds a cluster whose controllers are nodes of their own, not"
                " brokers: leave --combined out, or give another folder"
            )
        count = len(there.controllers)
        if there.quorum == "dynamic":
            if asked.quorum == "static":
                raise Unusable(
                    f"{self.path} holds a cluster with a dynamic quorum, which cannot become a"
                    " static one: leave --quorum out, or give another folder"
                )
        elif asked.controllers not in (None, count) and asked.quorum != "dynamic":
            raise Unusable(
                f"{self.path} holds a cluster with {count} controllers and a static quorum, whose"
                " voters cannot be changed: give that number, make the quorum a dynamic one"
                " (--quorum dynamic), or give another folder"
            )

    def keep(self, plan: ClusterPlan) -> None:
        """Note the cluster for the next start."""
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / "ports").write_text(plan.text)

    def note_initial_controllers(self, text: str) -> None:
        """Note the voters that a quorum is to begin with, until all of them are formatted."""
        (self.path / "initial-controllers").write_text(text)

    def initial_controllers(self) -> str | None:
        """What was noted, where not all of them are formatted."""
        noted = self.path / "initial-controllers"
        return noted.read_text() if noted.exists() else None

    def forget_initial_controllers(self) -> None:
        """All are formatted."""
        (self.path / "initial-controllers").unlink(missing_ok=True)

    def reserve(self, count: int) -> list[int]:
        """Free ports, held for this folder until `unlock`."""
        held = reserve_ports(count)
        self._reserved += held
        return [reserved.getsockname()[1] for reserved in held]

    def check_dirs(self, dirs: int) -> None:
        """Unusable where a broker has more log directories here than it is to be started with.

        What is in the others would be missing: the only copy of something, perhaps. More are fine.
        """
        for home in sorted(self.path.glob("broker-*")):
            there = len(list(home.glob("disk-*/meta.properties")))
            if there > dirs:
                raise Unusable(
                    f"{home} has {there} log directories, not {dirs}: give that number or more, or"
                    " another folder"
                )


def reserve_ports(count: int) -> list[socket.socket]:
    """Sockets that hold free ports on loopback, so that no other process is given them.

    Each is bound and does not listen. A node's own socket may still bind its port, since both
    allow the address to be reused; another reservation may not. The ports are below those that
    systems give to outgoing connections (from 32768 on), which could be taken while a node is down.
    """
    held: list[socket.socket] = []
    for port in random.sample(range(18_000, 32_000), 14_000):
        if len(held) == count:
            break
        probe = socket.socket()
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            probe.close()
            continue
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # Not before: see above.
        held.append(probe)
    assert len(held) == count, "thousands of ports are taken"
    return held


def free_ports(count: int) -> list[int]:
    """Ports on loopback that no process listens on now."""
    held = reserve_ports(count)
    ports = [reserved.getsockname()[1] for reserved in held]
    for reserved in held:
        reserved.close()
    return ports
