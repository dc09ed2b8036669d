"""A disk in memory that fails on demand and forgets, at a power cut, what was not synced.

It keeps what programs see apart from what is on the medium: file contents and directory entries
reach the medium by `sync`, `sync_dir`, or, in part, by the luck of a crash. No clock, no thread, no
chance of its own: a seeded `random.Random` comes in with `crash`. Used by the simulation and tests.
"""

from __future__ import annotations

import errno
import os
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from spindle.model.batches import Buffer
from spindle.model.log_values import Usage
from spindle.model.outbox import Rng
from spindle.sim.medium import DirNode, FileNode, Node, Write, settle, size_of
from spindle.storage.disk import AT_ONCE, UNSEEN, CopyOptions, File, Seen, Stat

WRITING = frozenset({"write", "truncate", "sync", "make_dir", "rename", "remove", "sync_dir"})
"""Verbs that a read-only file system refuses (as well as `open` that creates)."""


class PowerCut(BaseException):
    """The power went during a call that was to be the last one (`DiskCalls.cut_after`)."""


@dataclass(slots=True)
class SimFault:
    """Calls on paths that begin with `prefix` fail with `errno`, after `after` that still work.

    `verbs`: which ones; empty: all. `times`: how often it strikes; -1: until it is healed.
    """

    prefix: str
    errno: int
    verbs: frozenset[str] = frozenset()
    after: int = 0
    times: int = -1

    def strikes(self, verb: str, path: str) -> bool:
        """Whether this call fails; counts."""
        if not self.times or not path.startswith(self.prefix):
            return False
        if self.verbs and verb not in self.verbs:
            return False
        if self.after:
            self.after -= 1
            return False
        if self.times > 0:
            self.times -= 1
        return True


class DiskCalls:
    """The calls that a disk was asked for: how many, which fail, and which is the last one."""

    def __init__(self) -> None:
        self.made = 0
        self.changes = 0
        """Calls that were made and changed something, or synced."""
        self.faults: list[SimFault] = []
        self._cut_at = -1

    def cut_after(self, changes: int) -> None:
        """The power goes after so many changes more: `PowerCut`, each time from then on."""
        self._cut_at = self.changes + changes

    def never_cut(self) -> None:
        """The power does not go."""
        self._cut_at = -1

    def called(self, verb: str, path: str) -> None:
        """Count a call, let it fail."""
        if 0 <= self._cut_at <= self.changes:
            raise PowerCut(f"{verb} {path} after the power cut")
        self.made += 1
        for fault in self.faults:
            if fault.strikes(verb, path):
                raise OSError(fault.errno, os.strerror(fault.errno), path)

    def changed(self, verb: str) -> None:
        """Count a change; cut the power when its time has come."""
        assert verb in WRITING or verb == "open"
        self.changes += 1
        if self.changes == self._cut_at:
            raise PowerCut(verb)


class MemoryFile:
    """An open file of a `MemoryDisk`; dead after the disk's next power cut."""

    __slots__ = ("_disk", "_life", "_node", "locks", "path")

    def __init__(self, disk: MemoryDisk, path: str, create: bool) -> None:
        self._disk = disk
        self._node: FileNode | None = _opened(disk, path, create)
        self._life = disk.lives
        self.path = path
        self.locks = False

    def _use(self, verb: str) -> FileNode:
        if self._node is None or self._life != self._disk.lives:
            raise OSError(errno.EBADF, "the file is closed", self.path)
        self._disk.calls.called(verb, self.path)
        return self._node

    def size(self) -> int:
        """Bytes in the file now."""
        return len(self._use("size").seen)

    def read(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes from `offset`; fewer only at the end of the file."""
        return bytes(self._use("read").seen[offset : offset + length])

    def lend(self, offset: int, length: int) -> Buffer:
        """The same."""
        return self.read(offset, length)

    def write(self, offset: int, buffers: Sequence[Buffer]) -> int:
        """Write all buffers one after the other from `offset`; the bytes written (all of them)."""
        node = self._use("write")
        data = b"".join(buffers)
        room = self._disk.room(self.path)
        grows = offset + len(data) - len(node.seen)
        if room >= 0 and grows > room:
            fits = data[: max(0, len(data) - (grows - room))]
            node.change(Write(offset, fits))
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self.path)
        node.change(Write(offset, data))
        node.modified_ms = self._disk.clock()
        self._disk.calls.changed("write")
        return len(data)

    def truncate(self, size: int) -> None:
        """Cut or extend (with zeros) to `size`."""
        node = self._use("truncate")
        node.change(Write(size, None))
        node.modified_ms = self._disk.clock()
        self._disk.calls.changed("truncate")

    def sync(self) -> None:
        """Put on the medium what was written."""
        self._use("sync").sync()
        self._disk.calls.changed("sync")

    def close(self) -> None:
        """Let go of it."""
        if self.locks and self._life == self._disk.lives:
            self._disk.locked.discard(self.path)
        self._node = None


class MemoryDisk:
    """File systems in memory. Give faults by path prefix; `calls` counts.

    `clock` answers ms since 1970.
    """

    def __init__(self, clock: Callable[[], int] = lambda: 0) -> None:
        self.clock = clock
        self.calls = DiskCalls()
        self.capacity: dict[str, int] = {}
        """Bytes that fit under a prefix; ENOSPC past them."""
        self.lives = 0
        """Power cuts so far."""
        self.locked: set[str] = set()
        self.root = DirNode()

    # --- what tests and the simulation do to it -----------------------------------------------

    def fail(
        self, prefix: str, code: int, *verbs: str, after: int = 0, times: int = -1
    ) -> SimFault:
        """Make calls under `prefix` fail with errno `code` from now on."""
        fault = SimFault(prefix, code, frozenset(verbs), after, times)
        self.calls.faults.append(fault)
        return fault

    def read_only(self, prefix: str) -> SimFault:
        """Refuse every change under `prefix` with EROFS."""
        return self.fail(prefix, errno.EROFS, *sorted(WRITING))

    def mend(self, fault: SimFault) -> None:
        """Take back one fault, if it is still there."""
        self.calls.faults = [f for f in self.calls.faults if f is not fault]

    def heal(self, prefix: str) -> None:
        """Take back faults and limits under `prefix`."""
        self.calls.faults = [f for f in self.calls.faults if not f.prefix.startswith(prefix)]
        self.capacity = {p: c for p, c in self.capacity.items() if not p.startswith(prefix)}

    def blank(self, path: str) -> None:
        """Put an empty disk in the place of the directory at `path`."""
        node = _find(self.root, path)
        assert isinstance(node, DirNode)
        node.seen.clear()
        node.kept.clear()
        node.pending.clear()
        self.locked = {lock for lock in self.locked if not lock.startswith(path + "/")}

    def crash(self, rng: Rng) -> None:
        """Cut the power: unsynced changes are lost in part, open files are dead, locks free."""
        self.lives += 1
        self.calls.never_cut()
        self.locked.clear()
        self.root.crash(rng)

    def settle(self) -> None:
        """Put everything on the medium, as if all had been synced long ago."""
        settle(self.root)

    def kill(self) -> None:
        """Kill the process: nothing is lost, but open files are dead and locks free."""
        self.lives += 1
        self.calls.never_cut()
        self.locked.clear()

    def names(self, path: str) -> list[str]:
        """What `list` tells, without faults, delays and counts; nothing where there is nothing."""
        node = _find(self.root, path)
        return sorted(node.seen) if isinstance(node, DirNode) else []

    def contents(self, path: str) -> bytes | None:
        """A file's bytes, without faults, delays and counts; None where there is none."""
        node = _find(self.root, path)
        return bytes(node.seen) if isinstance(node, FileNode) else None

    def rot(self, path: str, at: int, mask: int) -> None:
        """Change bits of a byte of a file, on the medium as well."""
        node = _find(self.root, path)
        for data in (node.seen, node.kept) if isinstance(node, FileNode) else ():
            if at < len(data):
                data[at] ^= mask

    def used(self, path: str) -> int:
        """Bytes of all files under a path."""
        return size_of(node) if (node := _find(self.root, path.rstrip("/"))) is not None else 0

    def room(self, path: str) -> int:
        """Bytes that still fit where `path` is; -1: no limit."""
        for prefix, limit in self.capacity.items():
            if path.startswith(prefix):
                return max(0, limit - self.used(prefix))
        return -1

    # --- the port -----------------------------------------------------------------------------

    def open(self, path: str, create: bool = False) -> File:
        """Open for reading and writing; `create` makes it if it is missing."""
        self.calls.called("open", path)
        return MemoryFile(self, path, create)

    def list(self, path: str) -> list[str]:
        """Names in a directory, sorted."""
        self.calls.called("list", path)
        node = _find(self.root, path)
        if node is None:
            raise _error(errno.ENOENT, path)
        if isinstance(node, FileNode):
            raise _error(errno.ENOTDIR, path)
        return sorted(node.seen)

    def stat(self, path: str) -> Stat | None:
        """What is known of a path, or None where there is nothing."""
        self.calls.called("stat", path)
        node = _find(self.root, path)
        if node is None:
            return None
        if isinstance(node, DirNode):
            return Stat(0, 0, True)
        return Stat(len(node.seen), node.modified_ms, False)

    def make_dir(self, path: str) -> None:
        """Make a directory; its parent must be there, and its name free."""
        self.calls.called("make_dir", path)
        parent, name = _parent(self.root, path)
        if name in parent.seen:
            raise _error(errno.EEXIST, path)
        parent.change((name, DirNode()))
        self.calls.changed("make_dir")

    def make_dirs(self, path: str) -> None:
        """Make a directory, parents too; no error if it is there."""
        self.calls.called("make_dir", path)
        here = self.root
        for name in _names(path):
            node = here.seen.get(name)
            if isinstance(node, FileNode):
                raise _error(errno.ENOTDIR, path)
            if node is None:
                node = DirNode()
                here.change((name, node))
                self.calls.changed("make_dir")
            here = node

    def rename(self, source: str, target: str) -> None:
        """Rename atomically; a file at `target` gives way."""
        self.calls.called("rename", source)
        old, old_name = _parent(self.root, source)
        new, new_name = _parent(self.root, target)
        node = old.seen.get(old_name)
        there = new.seen.get(new_name)
        if node is None:
            raise _error(errno.ENOENT, source)
        if isinstance(there, DirNode) and there.seen:
            raise _error(errno.ENOTEMPTY, target)
        if old is new:
            old.change((old_name, None), (new_name, node))
        else:
            new.change((new_name, node))
            old.change((old_name, None))
        self.calls.changed("rename")

    def remove(self, path: str) -> None:
        """Unlink a file, or an empty directory."""
        self.calls.called("remove", path)
        parent, name = _parent(self.root, path)
        node = parent.seen.get(name)
        if node is None:
            raise _error(errno.ENOENT, path)
        if isinstance(node, DirNode) and node.seen:
            raise _error(errno.ENOTEMPTY, path)
        parent.change((name, None))
        self.calls.changed("remove")

    def sync_dir(self, path: str) -> None:
        """Put the directory's entries on the medium."""
        self.calls.called("sync_dir", path)
        node = _find(self.root, path)
        if not isinstance(node, DirNode):
            raise _error(errno.ENOENT, path)
        node.sync()
        self.calls.changed("sync_dir")

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
        """Copy bytes from file to file; fewer than asked for only at its end."""
        data = source.read(start, length)
        seen.feed(data)
        done = target.write(at, [data]) if data else 0
        if done == length:
            seen.finish()
        return done

    def usage(self, path: str) -> Usage:
        """Bytes of the file system under `path`: its capacity, or a terabyte.

        What a capacity is set for is a device; so is every other path that is asked for.
        """
        self.calls.called("usage", path)
        if _find(self.root, path) is None:
            raise _error(errno.ENOENT, path)
        limits = ((p, c) for p, c in self.capacity.items() if path.startswith(p))
        mount, total = next(limits, (path, 1 << 40))
        return Usage(total, max(0, total - self.used(mount)), zlib.crc32(mount.encode()))

    def lock(self, path: str) -> File:
        """Open and lock a file; OSError EAGAIN if it is locked."""
        self.calls.called("lock", path)
        if path in self.locked:
            raise _error(errno.EAGAIN, path)
        file = MemoryFile(self, path, True)
        file.locks = True
        self.locked.add(path)
        return file


def _find(root: DirNode, path: str) -> Node | None:
    here: Node = root
    for name in _names(path):
        if isinstance(here, FileNode):
            return None
        found = here.seen.get(name)
        if found is None:
            return None
        here = found
    return here


def _parent(root: DirNode, path: str) -> tuple[DirNode, str]:
    folder, _, name = path.rpartition("/")
    node = _find(root, folder)
    if node is None:
        raise _error(errno.ENOENT, path)
    if isinstance(node, FileNode):
        raise _error(errno.ENOTDIR, path)
    return node, name


def _opened(disk: MemoryDisk, path: str, create: bool) -> FileNode:
    """The file at a path, made where it is missing and `create` is given."""
    parent, name = _parent(disk.root, path)
    node = parent.seen.get(name)
    if isinstance(node, DirNode):
        raise _error(errno.EISDIR, path)
    if node is None:
        if not create:
            raise _error(errno.ENOENT, path)
        node = FileNode(modified_ms=disk.clock())
        parent.change((name, node))
        disk.calls.changed("open")
    return node


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name]


def _error(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)
