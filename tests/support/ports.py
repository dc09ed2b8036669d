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

_FIRST, _LAST = 12_000, 31_000
"""Below the range from which Linux picks ports of outgoing connections."""
SARAMAS = range(29_091, 29_096)
"""Where sarama's functional tests expect brokers: no other test gets these."""

_reserved: dict[int, IO[bytes]] = {}


def free_port() -> int:
    """A port which no process listens on and which stays ours until this process ends."""
    folder = Path(tempfile.gettempdir()) / "spindle-test-ports"
    folder.mkdir(exist_ok=True)
    start = random.Random(os.getpid()).randrange(_LAST - _FIRST)
    for step in range(_LAST - _FIRST):
        port = _FIRST + (start + step) % (_LAST - _FIRST)
        if port not in _reserved and port not in SARAMAS and _reserve(folder, port):
            return port
    raise RuntimeError(f"no free port between {_FIRST} and {_LAST}")


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
