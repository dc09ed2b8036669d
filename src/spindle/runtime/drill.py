"""Fault drills: a Disk that misbehaves on demand, so that an operator can see what happens then.

Only where the node's properties say `log.dir.fault.drills=true`. A file `<log dir>.broken` beside
a log directory then makes calls under that directory fail, hang or be slow, until the file changes
or is removed. It says what, and (separated by commas) which verbs, all where none is named:

    EIO                   every call fails with this errno (also where the file is empty)
    ENOSPC                calls that need room fail, and the file system tells of no free bytes
    room 4096             the same, once calls have written so many bytes
    EROFS                 calls that change something fail
    EIO read,write        these calls fail
    hang sync             these calls do not return while the drill lasts
    slow 0.05 write       these calls take 0.05 s longer
    kill 7                the process is killed (SIGKILL) instead of its seventh call that changes
                          something, counted from the first that finds these words

`spindle up` and the demo allow drills.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from spindle.model.batches import Buffer
from spindle.model.ids import LogDir
from spindle.model.log_values import Usage
from spindle.storage.disk import AT_ONCE, UNSEEN, CopyOptions, Disk, File, Seen, Stat

SUFFIX = ".broken"
PAUSE: Final = 0.02
"""Seconds between looks whether a hanging call may return."""
VERBS: Final = frozenset(
    {
        "open", "create", "list", "stat", "make_dir", "rename", "remove", "usage", "lock",
        "size", "read", "write", "truncate", "sync",
    }
)  # fmt: skip
_GROWING: Final = frozenset({"create", "make_dir", "rename", "write"})
_CHANGING: Final = _GROWING | {"remove", "truncate", "sync", "lock"}
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_BY_DEFAULT: Final = dict.fromkeys(_FULL, _GROWING) | {errno.EROFS: _CHANGING}


class DrillFault(NamedTuple):
    """What a drill does to calls of these verbs.

    An errno (where `room` is given: once so many bytes are written), or a delay in s (infinite: a
    hang), or the end of the process at the nth of them.
    """

    number: int
    delay: float
    kill_at: int
    verbs: frozenset[str]
    room: int = 0


def parse(text: str) -> DrillFault:
    """A drill's words; ValueError names the unknown one."""
    words = text.split() or ["EIO"]
    number, delay, kill_at, room = 0, 0.0, 0, 0
    match words[0]:
        case "hang":
            delay, rest = float("inf"), words[1:]
        case "slow" if len(words) > 1:
            delay, rest = float(words[1]), words[2:]
        case "kill" if len(words) > 1:
            kill_at, rest = int(words[1]), words[2:]
        case "room" if len(words) > 1:
            number, room, rest = errno.ENOSPC, int(words[1]), words[2:]
        case name if name in errno.errorcode.values():
            number, rest = getattr(errno, name), words[1:]
        case other:
            raise ValueError(
                f"{other!r} is no errno's name, hang, slow with seconds, room with bytes, kill with"
                " a number"
            )
    usual = _CHANGING if kill_at else _BY_DEFAULT.get(number, VERBS)
    verbs = frozenset(rest[0].split(",")) if rest else usual
    if len(rest) > 1 or not verbs <= VERBS:
        raise ValueError(
            f"{' '.join(rest)!r} are no verbs: name some of {', '.join(sorted(VERBS))}"
        )
    return DrillFault(number, delay, kill_at, verbs, room)


def break_directory(directory: LogDir, fault: str = "EIO") -> None:
    """Begin a drill: the directory misbehaves from now on. `fault`: see this module's text."""
    parse(fault)
    temporary = f"{directory}{SUFFIX}.tmp"
    with open(temporary, "w", encoding="ascii") as marker:
        marker.write(fault)
    os.rename(temporary, directory + SUFFIX)


def mend_directory(directory: LogDir) -> None:
    """End a drill."""
    os.unlink(directory + SUFFIX)


class _Drill:
    """Strikes while the marker of one directory is there."""

    __slots__ = ("_calls", "_marker", "_words", "_written")

    def __init__(self, directory: LogDir | None) -> None:
        self._marker = None if directory is None else directory + SUFFIX
        self._words = ""
        self._calls = 0
        """Calls that these words have struck."""
        self._written = 0
        """Bytes written since these words."""

    def fault(self, verb: str) -> DrillFault | None:
        """What is to happen to a call, if anything."""
        if self._marker is None or not os.path.exists(self._marker):
            return None
        try:
            with open(self._marker, encoding="ascii") as marker:
                words = marker.read()
        except FileNotFoundError:
            return None
        if words != self._words:
            self._words, self._calls, self._written = words, 0, 0
        try:
            fault = parse(words)
        except ValueError:
            fault = parse("EIO")
        return fault if verb in fault.verbs else None

    def room(self) -> int | None:
        """Bytes of room that the drill leaves; None: it says nothing of room."""
        fault = self.fault("write")
        if fault is None or fault.number not in _FULL:
            return None
        return max(0, fault.room - self._written)

    def __call__(self, verb: str, size: int = 0) -> None:
        fault = self.fault(verb)
        if fault is None:
            return
        if self._written + max(1, size) <= fault.room:
            self._written += size
            return
        if fault.number:
            text = f"{os.strerror(fault.number)} (a fault drill)"
            raise OSError(fault.number, text, self._marker)
        if fault.kill_at:
            self._calls += 1
            if self._calls >= fault.kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            return
        until = time.monotonic() + fault.delay
        while fault is not None and (left := until - time.monotonic()) > 0:
            time.sleep(min(PAUSE, left))
            fault = self.fault(verb)


class _DrillFile:
    """A file of a directory that may misbehave on demand."""

    __slots__ = ("drill", "inner")

    def __init__(self, inner: File, drill: _Drill) -> None:
        self.inner = inner
        self.drill = drill

    def size(self) -> int:
        self.drill("size")
        return self.inner.size()

    def read(self, offset: int, length: int) -> bytes:
        self.drill("read")
        return self.inner.read(offset, length)

    def lend(self, offset: int, length: int) -> Buffer:
        self.drill("read")
        return self.inner.lend(offset, length)

    def write(self, offset: int, buffers: Sequence[Buffer]) -> int:
        self.drill("write", sum(map(len, buffers)))
        return self.inner.write(offset, buffers)

    def truncate(self, size: int) -> None:
        self.drill("truncate")
        self.inner.truncate(size)

    def sync(self) -> None:
        self.drill("sync")
        self.inner.sync()

    def close(self) -> None:
        self.inner.close()


class DrillDisk:
    """A disk whose directories misbehave on demand; otherwise the disk that it wraps."""

    def __init__(self, inner: Disk, directories: Sequence[LogDir]) -> None:
        self._inner = inner
        self._drills = [(d, _Drill(d)) for d in sorted(directories, key=len, reverse=True)]
        self._never = _Drill(None)

    def _of(self, path: str) -> _Drill:
        for directory, drill in self._drills:
            if path == directory or path.startswith(directory + "/"):
                return drill
        return self._never

    def open(self, path: str, create: bool = False) -> File:
        """Open for reading and writing."""
        drill = self._of(path)
        drill("open")
        if create:
            drill("create")
        return _DrillFile(self._inner.open(path, create), drill)

    def list(self, path: str) -> list[str]:
        """Names in a directory, sorted."""
        self._of(path)("list")
        return self._inner.list(path)

    def stat(self, path: str) -> Stat | None:
        """What is known of a path."""
        self._of(path)("stat")
        return self._inner.stat(path)

    def make_dir(self, path: str) -> None:
        """Make a directory."""
        self._of(path)("make_dir")
        self._inner.make_dir(path)

    def make_dirs(self, path: str) -> None:
        """Make a directory, parents too."""
        self._of(path)("make_dir")
        self._inner.make_dirs(path)

    def rename(self, source: str, target: str) -> None:
        """Rename atomically."""
        self._of(source)("rename")
        self._inner.rename(source, target)

    def remove(self, path: str) -> None:
        """Unlink a file, or an empty directory."""
        self._of(path)("remove")
        self._inner.remove(path)

    def sync_dir(self, path: str) -> None:
        """Return when the directory's entries are on the medium."""
        self._of(path)("sync")
        self._inner.sync_dir(path)

    def copy(
        self,
        source: File,
        start: int,
        target: File,
        at: int,
        length: int,
        seen: Seen = UNSEEN,
        manner: CopyOptions = AT_ONCE,
    ) -> int:
        """Copy bytes from file to file."""
        assert isinstance(source, _DrillFile)
        assert isinstance(target, _DrillFile)
        source.drill("read")
        target.drill("write", length)
        return self._inner.copy(source.inner, start, target.inner, at, length, seen, manner)

    def usage(self, path: str) -> Usage:
        """Bytes of the file system under `path`."""
        drill = self._of(path)
        drill("usage")
        found = self._inner.usage(path)
        room = drill.room()
        return found if room is None else found._replace(usable=min(room, found.usable))

    def lock(self, path: str) -> File:
        """Open and lock a file against other processes."""
        self._of(path)("lock")
        return self._inner.lock(path)
