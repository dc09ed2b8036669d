"""A Spark session that commands share: a Spark Connect server of this user, kept for a while.

The first command starts it (`spark_daemon`), later ones connect in a second; it ends by itself once
no command has used it for a while. It listens on loopback only and asks for a token, which is in a
file that this user alone may read. Each installation has its own, so that it runs the same code.
A command holds a lock while it uses the server; that goes with its process. Called by `session`.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Final, NamedTuple, TypedDict

import psutil
import pyspark

import spindle
from spindle.model.errors import Unusable
from spindle.pipeline.shipping import cache

MINUTES: Final = 10.0
"""How long a server waits for the next command, unless SPINDLE_SPARK_MINUTES says otherwise."""
VARIABLE: Final = "SPINDLE_SPARK_MINUTES"
_DAEMON: Final = "spindle.pipeline.spark_daemon"
_START_SECONDS: Final = 120.0
_POLL_SECONDS: Final = 0.1


class WarmServer(NamedTuple):
    """A server that runs: its process, its port on loopback, its token, when it began (s since
    1970), and the minutes for which it waits."""

    pid: int
    port: int
    token: str
    began: float
    minutes: float


class _ServerDocument(TypedDict):
    pid: int
    port: int
    token: str
    began: float
    minutes: float


class WarmPlace:
    """The files about the server of this installation."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or _runtime()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = self.folder / f"spark-{_installation()}"
        self.told, self.log = key.with_suffix(".json"), key.with_suffix(".log")
        self._lock, self._use = key.with_suffix(".lock"), key.with_suffix(".use")

    def running(self) -> WarmServer | None:
        """The server, if it runs."""
        try:
            found: _ServerDocument = json.loads(self.told.read_text())
            server = WarmServer(**found)
            alive = psutil.Process(server.pid).create_time() <= server.began
        except (OSError, ValueError, TypeError, psutil.NoSuchProcess):
            return None
        return server if alive and _listens(server.port) else None

    def tell(self, server: WarmServer) -> None:
        """Say where the server is, to this user alone."""
        fresh = self.told.with_suffix(".tmp")
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(server._asdict(), file)
        fresh.replace(self.told)

    def use(self) -> IO[bytes]:
        """A hold on the server: as long as it is open, the server stays."""
        held = self._use.open("ab")
        fcntl.flock(held, fcntl.LOCK_SH)
        return held

    @contextmanager
    def unused(self) -> Iterator[bool]:
        """Whether no command uses the server; while the block runs none begins to."""
        with self._use.open("ab") as probe:
            try:
                fcntl.flock(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield False
                return
            yield True

    def started(self, minutes: float) -> WarmServer:
        """The server that runs, or a new one. Unusable where it does not come up."""
        with self._lock.open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return self.running() or self._start(minutes)

    def _start(self, minutes: float) -> WarmServer:
        self.told.unlink(missing_ok=True)
        with self.log.open("wb") as log:
            begun = subprocess.Popen(
                [sys.executable, "-m", _DAEMON, str(self.folder), str(minutes)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                cwd=self.folder, env=_environment(),
            )  # fmt: skip
        limit = time.monotonic() + _START_SECONDS
        while time.monotonic() < limit and begun.poll() is None:
            if (server := self.running()) is not None:
                begun.returncode = 0  # It outlives this process, which does not wait for it.
                return server
            time.sleep(_POLL_SECONDS)
        begun.kill()
        last = self.log.read_text(errors="replace").strip().splitlines()[-1:] or ["no reason given"]
        raise Unusable(
            f"the shared Spark session does not start: {last[0]} ({self.log} has more); "
            f"{VARIABLE}=0 starts one for each command"
        )


def idle_minutes() -> float:
    """Minutes for which a server waits for the next command; 0: commands share none."""
    text = os.environ.get(VARIABLE, "")
    try:
        return max(0.0, float(text or MINUTES))
    except ValueError:
        raise Unusable(f"{VARIABLE}={text!r} is not a number of minutes") from None


def can_be() -> bool:
    """Whether this installation has what clients of Spark Connect need (`spindle[connect]`)."""
    return all(map(find_spec, ("grpc", "grpc_status", "zstandard")))


def _environment() -> dict[str, str]:
    """This process's, with the modules that it finds, and without what is for it alone."""
    kept = {k: v for k, v in os.environ.items() if k not in ("SPARK_REMOTE", "SPARK_CONNECT_MODE")}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, map(os.path.abspath, sys.path)))}


def _runtime() -> Path:
    home = os.environ.get("XDG_RUNTIME_DIR")
    return Path(home) / "spindle" if home and os.access(home, os.W_OK) else cache() / "run"


def _installation() -> str:
    """The code and the Python of this process, in a word."""
    source = Path(spindle.__file__).parent
    files = sorted(source.rglob("*.py"))
    signs = [f"{path} {path.stat().st_mtime_ns}" for path in files]
    text = "\n".join([sys.executable, pyspark.__version__, *signs])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 2.0).close()
    except OSError:
        return False
    return True
