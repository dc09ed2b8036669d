"""Processes that are frozen: their sockets are open, and they do nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.apache_kafka import ApacheNode
from tests.support.waiting import eventually


def freeze(pid: int) -> None:
    """Stop a process and wait until each of its threads stands, which takes a moment under load."""
    os.kill(pid, signal.SIGSTOP)
    eventually(lambda: set(_states(pid)) <= {"T", "Z"}, f"process {pid} stands")


@contextmanager
def frozen(*nodes: ApacheNode) -> Iterator[None]:
    """While the block runs, the nodes' processes are stopped and their sockets are open."""
    processes = [node.process for node in nodes if node.process is not None]
    assert len(processes) == len(nodes)
    try:
        for process in processes:
            freeze(process.pid)
        yield
    finally:
        for process in processes:
            process.send_signal(signal.SIGCONT)


def _states(pid: int) -> list[str]:
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        return [(one / "stat").read_text().rpartition(")")[2].split()[0] for one in threads]
    except OSError:  # A thread has just ended.
        return ["R"]
