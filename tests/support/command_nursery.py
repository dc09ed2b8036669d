"""Our commands forked from one process that has loaded what they load: a command costs its work.

A command that is started spends half a second of a processor on modules alone. As a program this
listens at the path that it is given. Each connection asks for one command: an object of JSON, with
which its output and its errors come as open files. The answers are lines: the process id, then the
exit code (negative: a signal). The command is a process of its own, with words, environment and
folder as asked, and ends as any other: what it has left for its end runs. It reads nothing.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import IO, TypedDict

LOADED = (
    "spindle.cli.balance.command", "spindle.cli.disks.command", "spindle.cli.doctor.command",
    "spindle.cli.kafka_features", "spindle.cli.kafka_metadata_quorum", "spindle.cli.kafka_names",
    "spindle.cli.kafka_share_groups", "spindle.cli.log_dirs", "spindle.cli.profile",
    "spindle.cli.reassign.command", "spindle.cli.replicas", "spindle.cli.storage.command",
    "spindle.client.admin", "spindle.security.properties_file", "typer._adapters",
)  # fmt: skip
"""Modules that commands load; what else one needs it loads itself."""
_ORDER_MAX = 1 << 20
_START_LIMIT_S = 60
_sharing = threading.Lock()
_shared: list[tuple[Nursery, dict[str, str]]] = []
# A tied process ends with the thread that has started it: this one lives as long as we do.
_starter = ThreadPoolExecutor(1)


class _Order(TypedDict):
    words: list[str]
    environment: dict[str, str]
    folder: str


def shared(environment: Mapping[str, str]) -> Nursery:
    """The one for all commands whose Python starts by the same words of the environment."""
    words = {
        name: word
        for name, word in environment.items()
        if name.startswith(("PYTHON", "LC_")) or name in ("LANG", "PATH", "TZ")
    }
    with _sharing:
        for nursery, of in _shared:
            if of == words and nursery.runs:
                return nursery
        _shared.append((_starter.submit(Nursery, environment).result(), words))
        return _shared[-1][0]


class Nursery:
    """The forking process."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        from tests.support.processes import tied  # Commands need none of what it loads.

        self._folder = tempfile.TemporaryDirectory(prefix="spindle-test-commands-")
        self._door = str(Path(self._folder.name) / "door")
        self._process = subprocess.Popen(
            tied([sys.executable, __file__, self._door]), env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n", "it says above what it lacks"

    @property
    def runs(self) -> bool:
        """Whether it can start commands."""
        return self._process.poll() is None

    def run(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        outlets: tuple[IO[str], IO[str]],
        seconds: float,
    ) -> int:
        """The exit code of a command, whose output and errors are in the two files afterwards.

        subprocess.TimeoutExpired if it does not end; it is killed then.
        """
        order: _Order = {
            "words": list(words),
            "environment": dict(environment),
            "folder": os.getcwd(),
        }
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(_START_LIMIT_S)
            link.connect(self._door)
            socket.send_fds(link, [json.dumps(order).encode()], [o.fileno() for o in outlets])
            with link.makefile() as told:
                pid = int(told.readline())
                link.settimeout(seconds)
                try:
                    return int(told.readline())
                except TimeoutError:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                    raise subprocess.TimeoutExpired(" ".join(words), seconds) from None


# --- the forking process ---------------------------------------------------------------------


def main(path: str) -> int:
    """Load, fork commands until we are killed, and be each of them where it was forked."""
    commands = {one.name: one.value for one in entry_points(group="console_scripts")}
    for module in LOADED:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # No command looks through what all of them share.
    order = _forked(path)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    name, *arguments = order["words"]
    sys.argv = [str(Path(sys.executable).parent / name), *arguments]
    module, _, attribute = commands[name].partition(":")
    return int(getattr(importlib.import_module(module), attribute)() or 0)


def _forked(path: str) -> _Order:
    """What a command is to be; returns in its process alone."""
    from spindle.runtime.parent import end_with

    nursery = os.getpid()
    wake, awake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(awake, warn_on_full_buffer=False)
    running: dict[int, socket.socket] = {}
    with socket.socket(socket.AF_UNIX) as door, selectors.DefaultSelector() as watch:
        door.bind(path)
        door.listen(16)
        watch.register(door, selectors.EVENT_READ)
        watch.register(wake, selectors.EVENT_READ)
        print("ready", flush=True)
        while True:
            for key, _ in watch.select():
                if key.fd == wake:
                    os.read(wake, 1 << 16)
                    continue
                link, _ = door.accept()
                data, files, _, _ = socket.recv_fds(link, _ORDER_MAX, 2)
                if not (pid := os.fork()):
                    end_with(nursery, signal.SIGKILL)
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    for number, file in enumerate(files, 1):
                        os.dup2(file, number)
                        os.close(file)
                    order: _Order = json.loads(data)
                    return order
                for file in files:
                    os.close(file)
                running[pid] = link
                link.sendall(b"%d\n" % pid)
            _tell_of_ends(running)


def _tell_of_ends(running: dict[int, socket.socket]) -> None:
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        with running.pop(pid) as link, suppress(BrokenPipeError):
            link.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
