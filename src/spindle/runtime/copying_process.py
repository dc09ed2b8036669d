"""Copies beside clients in a process of its own, so that requests need not wait for its Python.

In the node's process a copy and the loop take turns at the interpreter, however many processors
there are: moves gave up four fifths of their speed for it (docs/decisions/24). The other process
has the priority of the thread that starts it, gets two open files and a range with each order, and
knows nothing else. It ends when the node does, however that ends, and when it has had no order for
a minute.

`python -m spindle.runtime.copying_process FD PARENT SECONDS` is that process; `CopyingProcesses` is
the node's side of the conversation. Called by `os_disk`. Linux; elsewhere there are none.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from spindle.model.errors import Corrupt
from spindle.runtime.os_copy import Copier
from spindle.runtime.parent import end_with
from spindle.runtime.title import set_title
from spindle.storage.disk import CopyOptions, Seen

IDLE_SECONDS: Final = 60.0
"""It ends after so long without an order."""
ORDER_MAX: Final = 64 << 10
"""Bytes of one order or answer at most."""


class CopyOrder(NamedTuple):
    """A range of one file to be copied into another; the two open files come beside it."""

    start: int
    at: int
    length: int
    seen: Seen
    manner: CopyOptions


class NoCopyingProcess(Exception):
    """None could be started, or it has ended in the middle of an order; the text says why."""


class CopyingProcesses:
    """The node's side: a process for each copy that is under way, kept for the next one."""

    def __init__(self) -> None:
        self._free: list[_CopyingProcess] = []

    def copy(self, source: int, target: int, order: CopyOrder) -> int:
        """Carry out an order: the bytes copied. OSError, what `seen` raises; NoCopyingProcess."""
        try:
            answer = self._asked(self._free.pop(), source, target, order)
        except (IndexError, NoCopyingProcess):  # None is free, or it had nothing to do and ended.
            answer = self._asked(_CopyingProcess(), source, target, order)
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, int)
        return answer

    def _asked(
        self, process: _CopyingProcess, source: int, target: int, order: CopyOrder
    ) -> object:
        answer = process.ask(source, target, order)  # If this raises, it is not used again.
        self._free.append(process)
        return answer


class _CopyingProcess:
    """One process and the socket to it."""

    def __init__(self) -> None:
        try:
            self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with other:
                words = (other.fileno(), os.getpid(), IDLE_SECONDS)
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "spindle.runtime.copying_process", *map(str, words)],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[other.fileno()],
                )
        except OSError as error:
            raise NoCopyingProcess(f"it could not be started: {error}") from error
        # Whenever it ends, no zombie stays until the next move.
        threading.Thread(target=self._process.wait, daemon=True).start()

    def ask(self, source: int, target: int, order: CopyOrder) -> object:
        """Have an order carried out: the bytes copied, or what was raised. NoCopyingProcess."""
        try:
            socket.send_fds(self._socket, [pickle.dumps(order)], [source, target])
            answer = self._socket.recv(ORDER_MAX)
        except ConnectionError:
            answer = b""
        if not answer:
            self._socket.close()
            raise NoCopyingProcess(f"it has ended with exit code {self._process.wait()}")
        return pickle.loads(answer)


# --- the process itself --------------------------------------------------------------------------


def main(arguments: list[str]) -> int:
    """Carry out orders until the node has ended, or needs no copies for a while."""
    orders, parent, idle = int(arguments[0]), int(arguments[1]), float(arguments[2])
    end_with(parent, signal.SIGKILL)  # A copy may not go on into files that nothing guards.
    set_title("spindle copying")
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # Those of a terminal: the node decides.
    copier = Copier()
    with socket.socket(fileno=orders) as link:
        link.settimeout(idle)
        while True:
            try:
                data, files, _, _ = socket.recv_fds(link, ORDER_MAX, 2)
            except (TimeoutError, ConnectionError):
                return 0
            if not data:
                return 0
            link.sendall(pickle.dumps(_outcome(copier, pickle.loads(data), files)))


def _outcome(copier: Copier, order: CopyOrder, files: list[int]) -> int | Exception:
    try:
        with _own(files[0], os.O_RDONLY) as source, _own(files[1], os.O_RDWR) as target:
            return copier.copy(
                source, order.start, target, order.at, order.length, order.seen, order.manner
            )
    except (OSError, Corrupt) as error:
        return error
    except Exception as bug:
        bug.add_note(traceback.format_exc())  # A traceback does not go from process to process.
        return bug


@contextmanager
def _own(given: int, mode: int) -> Iterator[int]:
    """A file that was given, opened once more: flags that a killed copy leaves are not the node's.

    The copier sets O_DIRECT, and whatever has the same opening of the file reads with it, too.
    """
    try:
        own = os.open(f"/proc/self/fd/{given}", mode | os.O_CLOEXEC)
    finally:
        os.close(given)
    try:
        yield own
    finally:
        os.close(own)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
