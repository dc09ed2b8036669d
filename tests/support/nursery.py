"""Spindle nodes forked from one process that has loaded the code: they start within a blink.

The other side is `spindle.runtime.nursery`, whose own client is asyncio's; tests are plain code.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from tests.support.processes import tied
from tests.support.waiting import TimeIsUp

_START_LIMIT_S = 30
_sharing = threading.Lock()
_shared: list[tuple[Nursery, dict[str, str]]] = []
# A tied process ends with the thread that has started it: this one lives as long as we do.
_starter = ThreadPoolExecutor(1)


class Born:
    """A node's process, with what tests use of `subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ended = threading.Event()

    def poll(self) -> int | None:
        """Its exit code (negative: a signal), None while it runs."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, once it has ended."""
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired(f"node {self.pid}", timeout or 0)
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, if it still runs."""
        if self.returncode is None:
            with suppress(ProcessLookupError):  # It has just ended, and we have not heard it yet.
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def on_ended(self, code: int) -> None:
        """It has ended."""
        self.returncode = code
        self._ended.set()


def shared() -> Nursery:
    """The one that all clusters of this process have, as long as its environment stays the same.

    To load the code again for each cluster takes longer than to start the cluster's nodes.
    """
    words = {name: word for name, word in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    with _sharing:
        for nursery, of in _shared:
            if of == words and nursery.runs:
                return nursery
        _shared.append((_starter.submit(Nursery).result(), words))
        return _shared[-1][0]


class Nursery:
    """The forking process. `entrance`: what stands before its command, `nsenter` say."""

    def __init__(self, entrance: Sequence[str] = ()) -> None:
        program = str(Path(__file__).with_name("plain_rights.py"))
        self._process = subprocess.Popen(
            tied([*entrance, sys.executable, program]),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        self._born: queue.SimpleQueue[Born] = queue.SimpleQueue()
        self._asking = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def start(self, properties: Path, log: Path) -> Born:
        """Start a node; what it says goes to the end of `log`."""
        assert self._process.stdin is not None
        order = {"properties": str(properties), "log": str(log)}
        with self._asking:
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.flush()
            try:
                return self._born.get(timeout=_START_LIMIT_S)
            except queue.Empty as late:
                raise TimeIsUp(f"not within {_START_LIMIT_S} s: {properties} is started") from late

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether it can start nodes."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it, and all nodes that still run."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(_START_LIMIT_S)
        self._reader.join(_START_LIMIT_S)

    def _read(self) -> None:
        nodes: dict[int, Born] = {}
        assert self._process.stdout is not None
        for line in self._process.stdout:
            told = json.loads(line)
            if "started" in told:
                born = nodes[told["started"]] = Born(told["started"])
                self._born.put(born)
            else:
                nodes.pop(told["ended"]).on_ended(told["code"])
