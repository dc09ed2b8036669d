"""Starts nodes quickly: one process loads the code once and forks every node of a local cluster.

`python -m spindle.runtime.nursery` reads a line of JSON for each node to start, and writes one when
it has started and when it has ended. When its input ends, or the process that started it (however
that came about), the nodes are stopped and it ends. `Nursery` is the other side of that
conversation. Memory that nodes share since before they were forked counts once.
"""

from __future__ import annotations

import asyncio
import json
import os
import selectors
import shutil
import signal
import sys
import time
import traceback
from pathlib import Path

from spindle.runtime.parent import end_with
from spindle.runtime.title import set_title

STOP_SECONDS = 25.0
"""How long nodes may take to stop before they are killed."""


class NodeProcess:
    """A node that the nursery has started: what `asyncio.subprocess.Process` is for others."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        """Its exit code, negative for a signal; None while it runs."""
        self._ended = asyncio.Event()

    def send_signal(self, number: int) -> None:
        """Send a signal, if it still runs."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once (SIGKILL)."""
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        """Its exit code, once it has ended."""
        await self._ended.wait()
        assert self.returncode is not None
        return self.returncode

    def on_ended(self, code: int) -> None:
        """It has ended."""
        self.returncode = code
        self._ended.set()


class Nursery:
    """Starts nodes by way of the forking process, which lives as long as this is not closed."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._nodes: dict[int, NodeProcess] = {}
        self._starting: list[asyncio.Future[NodeProcess]] = []

    @property
    def pids(self) -> list[int]:
        """The forking process itself, if it runs."""
        return [] if self._process is None else [self._process.pid]

    async def start(self, properties: Path, log: Path, title: str = "") -> NodeProcess:
        """Start a node from its properties; what it says goes to the end of `log`.

        `title` is what `ps` and `top` show of it.
        """
        process = await self.warm_up()
        started: asyncio.Future[NodeProcess] = asyncio.get_running_loop().create_future()
        self._starting.append(started)
        _order(process, {"properties": str(properties), "log": str(log), "title": title})
        return await started

    async def own(self, folder: Path) -> None:
        """Have the forking process remove a folder when it ends, if the folder is still there.

        The nodes are then killed, not stopped: no one needs what they would still write.
        """
        _order(await self.warm_up(), {"folder": str(folder)})

    async def warm_up(self) -> asyncio.subprocess.Process:
        """Start the forking process, if it does not run yet: it loads the code meanwhile."""
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "spindle.runtime.nursery",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
            self._reader = asyncio.create_task(self._read(self._process))
        return self._process

    async def close(self) -> None:
        """End the forking process, and with it every node that still runs."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()
        if self._reader is not None:
            await self._reader

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        try:
            async for line in process.stdout:
                self._on_told(json.loads(line))
        finally:
            # However this ends, no part waits for ever for an answer that cannot come.
            starting, self._starting = self._starting, []
            for waiting in starting:
                if not waiting.done():
                    waiting.set_exception(OSError("the process that starts nodes has ended"))
            for node in self._nodes.values():
                node.on_ended(-signal.SIGKILL)

    def _on_told(self, told: dict[str, int]) -> None:
        if "started" in told:
            node = NodeProcess(told["started"])
            self._nodes[node.pid] = node
            waiting = self._starting.pop(0)
            if not waiting.done():
                waiting.set_result(node)
        else:
            self._nodes.pop(told["ended"]).on_ended(told["code"])


def _order(process: asyncio.subprocess.Process, order: dict[str, str]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(order).encode() + b"\n")


# --- the forking process ---------------------------------------------------------------------


def main() -> None:
    """Fork a node for each line of input; stop them all when it ends."""
    from spindle.runtime.isolation import hold_signals
    from spindle.runtime.memory import settle

    hold_signals()
    wake, awake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(awake, warn_on_full_buffer=False)
    settle()
    watch = selectors.DefaultSelector()
    watch.register(0, selectors.EVENT_READ)
    watch.register(wake, selectors.EVENT_READ)
    parent = _watch_parent(watch)
    nodes: dict[int, str] = {}
    folders: list[str] = []
    pending = b""
    deadline: float | None = None
    while deadline is None or nodes:
        for key, _ in watch.select(None if deadline is None else 0.1):
            data = b"" if key.fd == parent else os.read(key.fd, 1 << 16)
            if key.fd == wake:
                continue
            *lines, pending = (pending + data).split(b"\n")
            for order in map(json.loads, lines):
                if folder := order.get("folder"):
                    folders.append(folder)
                else:
                    _fork(order, nodes)
            if not data and deadline is None:
                watch.unregister(0)
                if parent is not None:
                    watch.unregister(parent)
                deadline = time.monotonic() + (0 if folders else STOP_SECONDS)
                _signal_all(nodes, signal.SIGTERM)
        _reap(nodes)
        if deadline is not None and time.monotonic() > deadline:
            _signal_all(nodes, signal.SIGKILL)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)  # Usually the test has removed it.


def _watch_parent(watch: selectors.BaseSelector) -> int | None:
    """Have the parent's end wake us: a fork of it may hold our input open. None: not on Linux."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        parent = os.pidfd_open(os.getppid())
    except OSError:
        return None  # It has ended already, or is of another namespace: our input ends with it.
    watch.register(parent, selectors.EVENT_READ)
    return parent


def _fork(order: dict[str, str], nodes: dict[int, str]) -> None:
    from spindle.runtime import server

    nursery = os.getpid()
    pid = os.fork()
    if pid:
        nodes[pid] = order["properties"]
        _tell({"started": pid})
        return
    code = server.EXIT_BUG
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        end_with(nursery)  # A nursery that is killed stops none of its nodes.
        log = os.open(order["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        if title := order.get("title"):
            set_title(title)
        code = server.run(Path(order["properties"]), "info")
    except BaseException:
        traceback.print_exc()  # os._exit below would end the process without a word.
    finally:
        sys.stderr.flush()
        os._exit(code)


def _reap(nodes: dict[int, str]) -> None:
    while nodes:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        del nodes[pid]
        _tell({"ended": pid, "code": os.waitstatus_to_exitcode(status)})


def _signal_all(nodes: dict[int, str], number: int) -> None:
    for pid in nodes:
        os.kill(pid, number)


def _tell(what: dict[str, int]) -> None:
    try:
        os.write(1, json.dumps(what).encode() + b"\n")
    except BrokenPipeError:
        return  # No process listens any more; the end of input says the same.


if __name__ == "__main__":
    main()
