"""Apache Kafka's tools in Java processes that stay: a tool costs its work, not a start of Java.

A start takes more than a second of processor time, most of it for classes that the next tool needs
again. So `tests/support/java/ResidentTools.java` calls the tools' own `main`, and this keeps such
processes for later command lines of the same jars: one, and more where tests run tools at once.
"""

from __future__ import annotations

import atexit
import base64
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support.java_classes import compiled
from tests.support.processes import tied

SOURCE = Path(__file__).parent / "java" / "ResidentTools.java"
_THREADS_LIMIT_S = 2
Answer = tuple[int, str, str]
"""Exit code, stdout, stderr."""

_idle: defaultdict[tuple[str, ...], list[ResidentTools]] = defaultdict(list)
# A tied process ends with the thread that has started it: this one lives as long as we do.
_starter = ThreadPoolExecutor(1)


def answer(java: Sequence[str], words: Sequence[str], stdin: str, seconds: float) -> Answer:
    """What a tool (its class, its arguments) answers in a process started by `java`.

    subprocess.TimeoutExpired, with what it said and what its threads waited for, if it does not
    end; its process ends then.
    """
    idle = _idle[tuple(java)]
    tools = idle.pop() if idle else _starter.submit(ResidentTools, java).result()
    try:
        answered = tools.answer(words, stdin, seconds)
    except BaseException:
        tools.close()
        raise
    idle.append(tools)
    return answered


def end(java: Sequence[str]) -> None:
    """End the processes that `answer` keeps for this `java`."""
    for tools in _idle.pop(tuple(java), []):
        tools.close()


class ResidentTools:
    """One process. `java`: its command line up to the class, at its end the class path."""

    def __init__(self, java: Sequence[str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="spindle-test-tools-")
        self._files = [Path(self._folder.name, name) for name in ("out", "err")]
        *options, path = java
        assert options[-1] == "-cp", java
        path = os.pathsep.join([path, str(compiled("tools", [SOURCE], path))])
        self._process = subprocess.Popen(
            tied([*options, path, SOURCE.stem, *map(str, self._files)]),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        self._said = b""
        atexit.register(self.close)

    def answer(self, words: Sequence[str], stdin: str, seconds: float) -> Answer:
        """See the function of this name."""
        assert self._process.stdin is not None
        line = b"\t".join(base64.b64encode(word.encode()) for word in (stdin, *words))
        self._said = b""
        for file in self._files:
            file.write_bytes(b"")
        self._process.stdin.write(line + b"\n")
        code = self._code(time.monotonic() + seconds)
        if code is None:
            raise self._late(words, seconds)
        return code, self._text(0), self._text(1)

    def close(self) -> None:
        """End the process."""
        atexit.unregister(self.close)
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        self._folder.cleanup()

    def _code(self, deadline: float) -> int | None:
        """The tool's exit code; None: it has not ended in time."""
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while selector.select(max(0.0, deadline - time.monotonic())):
                read = os.read(self._process.stdout.fileno(), 65536)
                assert read, f"the process of the tools has ended: {self._said!r}"
                self._said += read
                *_, last = self._said.rstrip(b"\n").rpartition(b"\n")
                if self._said.endswith(b"\n") and last.startswith(b"ended "):
                    return int(last.removeprefix(b"ended "))
        return None

    def _late(self, words: Sequence[str], seconds: float) -> subprocess.TimeoutExpired:
        assert self._process.stdout is not None
        self._process.send_signal(signal.SIGQUIT)  # Its threads tell what it waits for.
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while selector.select(_THREADS_LIMIT_S):
                self._said += os.read(self._process.stdout.fileno(), 65536)
        late = subprocess.TimeoutExpired(" ".join(words), seconds)
        threads = self._said.decode(errors="replace")
        late.add_note(f"{late.cmd} said:\n{self._text(0)}\n{self._text(1)}\n{threads}")
        return late

    def _text(self, number: int) -> str:
        return self._files[number].read_text(encoding="utf-8", errors="replace")
