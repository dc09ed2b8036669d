"""One node of a test's cluster, and its disks: what can befall them, by one call each.

Disks misbehave by `spindle.runtime.drill`, networks by `spindle.runtime.isolation`, both within the
node; the rest is done to the process. Every fault can be repeated and ended at any time.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from spindle.model.errors import Unusable
from spindle.runtime.drill import break_directory, mend_directory
from spindle.runtime.isolation import CUT_OFF, RECONNECTED
from spindle.runtime.local import LocalCluster
from spindle.runtime.local_node import LocalNode
from spindle.runtime.server import EXIT_BUG
from spindle.testing.background import Background

HEED_SECONDS: Final = 30.0
"""How long a node may take to heed a signal; one that has just been started heeds it then."""


class NodeInstance:
    """A broker or a controller: a process that can be killed, frozen, cut off and restarted."""

    def __init__(self, local: LocalCluster, node: LocalNode, background: Background) -> None:
        self._local = local
        self._node = node
        self._background = background
        self._is_frozen = False

    def __repr__(self) -> str:
        return f"<{self.name}, {'runs' if self.is_running else 'does not run'}>"

    @property
    def node_id(self) -> int:
        """Its id: brokers from 1 on, controllers from 100 on."""
        return self._node.node_id

    @property
    def name(self) -> str:
        """What it is, in words."""
        return f"{'controller' if self._node.port is None else 'broker'} {self.node_id}"

    @property
    def pid(self) -> int | None:
        """Its process id, while it runs."""
        return self._node.process.pid if self._node.process and self.is_running else None

    @property
    def is_running(self) -> bool:
        """Whether its process lives; a frozen one does."""
        return self._node.running

    @property
    def exit_code(self) -> int | None:
        """How its process has ended: a signal is negative; None while it runs."""
        return self._node.process.returncode if self._node.process else None

    # --- the process --------------------------------------------------------------------------

    def kill(self) -> None:
        """Kill the process (SIGKILL), as a crash or the OOM killer does."""
        self._background.run(self._local.kill_node(self._node))
        self._is_frozen = False

    def stop(self) -> None:
        """Stop it cleanly (SIGTERM): a broker hands its leaderships over first."""
        self.thaw()
        self._background.run(self._local.stop_node(self._node))

    def start(self, *, wait: bool = True) -> None:
        """Start it on its files after `kill` or `stop`; `wait`: until all brokers serve."""
        if self.is_running:
            raise Unusable(f"{self.name} runs already: stop or kill it first, or restart it")
        self._background.run(self._local.start_node(self._node))
        if wait:
            self._background.run(self._local.wait_serving())

    def restart(self, *, kill: bool = False, wait: bool = True) -> None:
        """Stop it cleanly, or kill it, and start it again."""
        if kill:
            self.kill()
        else:
            self.stop()
        self.start(wait=wait)

    def freeze(self) -> None:
        """Have the process stand still (SIGSTOP): its connections stay, and nothing is answered."""
        self._send(signal.SIGSTOP)
        self._is_frozen = True

    def thaw(self) -> None:
        """Have a frozen process go on."""
        if self._is_frozen and self.is_running:
            self._send(signal.SIGCONT)
        self._is_frozen = False

    # --- the network --------------------------------------------------------------------------

    def cut_off(self) -> None:
        """Cut it off the network: it runs on, and nothing passes between it and anyone else.

        Connections stay open and do not answer, as behind a firewall that drops packets.
        """
        self._signal_and_hear(signal.SIGUSR1, CUT_OFF)

    def reconnect(self) -> None:
        """End that: what was on its way arrives."""
        self._signal_and_hear(signal.SIGUSR2, RECONNECTED)

    def _signal_and_hear(self, number: signal.Signals, line: str) -> None:
        """Send a signal and wait until the node says that it has heeded it."""
        if self._is_frozen:
            raise Unusable(f"{self.name} is frozen and heeds nothing: thaw it first")
        begun = self.log_file.stat().st_size
        self._send(number)
        deadline = time.monotonic() + HEED_SECONDS
        while line.encode() not in self.log_file.read_bytes()[begun:]:
            if time.monotonic() > deadline or not self.is_running:
                raise Unusable(f"{self.name} does not say {line!r}; see {self.log_file}")
            time.sleep(0.005)

    def _send(self, number: signal.Signals) -> None:
        if self._node.process is None or not self.is_running:
            raise Unusable(f"{self.name} does not run: start it first")
        self._node.process.send_signal(number)

    @property
    def metadata_disk(self) -> DiskInstance:
        """The disk of its metadata directory: a node that loses it stops."""
        return DiskInstance(self._node.home / "metadata")

    # --- what it says -------------------------------------------------------------------------

    @property
    def log_file(self) -> Path:
        """What it logs."""
        return self._node.log_file

    def last_lines(self, lines: int = 40) -> str:
        """The last lines that it has logged."""
        if not self.log_file.exists():
            return "(it has logged nothing)"
        return "\n".join(self.log_file.read_text(errors="replace").splitlines()[-lines:])

    def has_bug(self) -> bool:
        """Whether a bug of Spindle has stopped it, now or in an earlier process."""
        if self.exit_code == EXIT_BUG:
            return True
        return self.log_file.exists() and b"a bug: " in self.log_file.read_bytes()


class BrokerInstance(NodeInstance):
    """A broker, with its disks."""

    @property
    def bootstrap_server(self) -> str:
        """host:port of this broker alone."""
        return f"127.0.0.1:{self._node.port}"

    def disk(self, number: int) -> DiskInstance:
        """One of its disks, by its number (from 0 on)."""
        return self.disks[number]

    @property
    def disks(self) -> tuple[DiskInstance, ...]:
        """Its disks: one for each log directory, in the order of `log.dirs`."""
        return tuple(DiskInstance(path) for path in self._node.log_dirs)


class DiskInstance:
    """A disk of a broker. A fault lasts until the next one, or until `heal`.

    `calls` are names of file operations (`spindle.runtime.drill.VERBS`); without them a fault
    concerns all that it would concern on a real disk.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        """The log directory."""

    def __repr__(self) -> str:
        return f"<disk {self.path}>"

    def fail(self, error: str = "EIO", calls: Iterable[str] = ()) -> None:
        """Have its calls fail with an errno: EIO is a dead disk, EROFS a read-only one."""
        self._begin(error, calls)

    def fill(self, leave: int = 0) -> None:
        """Have room for `leave` further bytes alone; what is there can be read.

        What the broker deletes makes no room.
        """
        self._begin(f"room {leave}", ())

    def slow(self, seconds: float, calls: Iterable[str] = ()) -> None:
        """Have each call take so many seconds longer."""
        self._begin(f"slow {seconds:f}", calls)

    def hang(self, calls: Iterable[str] = ()) -> None:
        """Have its calls not return until it is healed."""
        self._begin("hang", calls)

    def heal(self) -> None:
        """End the fault, if there is one; the broker finds out and takes the disk back."""
        try:
            mend_directory(str(self.path))
        except FileNotFoundError:
            return  # It is well.

    def _begin(self, fault: str, calls: Iterable[str]) -> None:
        break_directory(str(self.path), " ".join([fault, *filter(None, [",".join(calls)])]))
