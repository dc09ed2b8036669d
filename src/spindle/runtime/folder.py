"""The folder of a local cluster: one process at a time runs it, and its ports stay the same.

Called by `local` alone.
"""

from __future__ import annotations

import fcntl
import os
import random
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from spindle.model.errors import Unusable

FIRST_PORT = 19090
"""Where the first start puts a cluster by default."""


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

    def ports(
        self, first: int | None, brokers: int, controllers: int, combined: bool
    ) -> tuple[Sequence[int], Sequence[int]]:
        """Ports of the brokers and of the controllers: those of an earlier start, else new ones.

        From `first` on: a controller, the brokers, further controllers; 0: whichever are free;
        None: where they were, at first from FIRST_PORT on. Unusable where an earlier start does
        not agree: nodes know each other by their ports.
        """
        kept = self.path / "ports"
        shape = f"controllers={controllers}{' combined' if combined else ''}"
        if kept.exists():
            numbers, _, had = kept.read_text().partition("\n")
            had = had.strip() or "controllers=1"
            if had != shape:
                raise Unusable(
                    f"{self.path} holds a cluster with {had}: its voters cannot be changed"
                )
            ports = [int(word) for word in numbers.split()]
            there = len(ports) - controllers
            if there != brokers:
                raise Unusable(
                    f"{self.path} holds a cluster of {there} brokers, not {brokers}: give that"
                    " number, or another folder"
                )
            if first and first != ports[0]:
                raise Unusable(
                    f"{self.path} holds a cluster on ports from {ports[0]} on, not {first}: leave"
                    " the port out, or give another folder"
                )
        else:
            count = brokers + controllers
            first = FIRST_PORT if first is None else first
            ports = [first + n for n in range(count)] if first else self.reserve(count)
            self.path.mkdir(parents=True, exist_ok=True)
            kept.write_text(" ".join(map(str, ports)) + f"\n{shape}\n")
        had_brokers = len(ports) - controllers
        return ports[1 : had_brokers + 1], [ports[0], *ports[had_brokers + 1 :]]

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
