"""Loopback ports that no other test process of this machine will take.

A port is reserved by holding a lock on a file named after it for as long as this process lives, so
that parallel workers, and test runs started side by side, never hand out the same one. Called by
whatever starts a server in a test.
"""

from __future__ import annotations

import fcntl
import os
import random
import socket
import tempfile
from pathlib import Path
from typing import IO

_FIRST, _LAST = 10_000, 18_000
"""Below those from which local clusters take theirs (`runtime.folder`), which look at no locks:
they would be given the port of a node that is down for a moment. Linux picks ports of outgoing
connections from still higher ones."""
SARAMAS = range(29_091, 29_096)
"""Where sarama's functional tests expect brokers. A local cluster may have one of them: see
`is_free`."""

_reserved: dict[int, IO[bytes]] = {}


def free_port() -> int:
    """A port which no process listens on and which stays ours until this process ends."""
    folder = Path(tempfile.gettempdir()) / "spindle-test-ports"
    folder.mkdir(exist_ok=True)
    start = random.Random(os.getpid()).randrange(_LAST - _FIRST)
    for step in range(_LAST - _FIRST):
        port = _FIRST + (start + step) % (_LAST - _FIRST)
        if port not in _reserved and _reserve(folder, port):
            return port
    raise RuntimeError(f"no free port between {_FIRST} and {_LAST}")


def is_free(port: int) -> bool:
    """Whether no process listens on a port, or keeps it for a node that is to listen there."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _reserve(folder: Path, port: int) -> bool:
    held = (folder / str(port)).open("wb")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
    except OSError:
        held.close()
        return False
    _reserved[port] = held
    return True
