"""The power goes after every single change that a piece of work makes to the disk.

`at_every_change` checks each cut with several fates of what was not synced: all of it
is there (the process was killed, and no more), none of it, or some.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

from spindle.model.log_values import LoadedLog, LogKey, OpenedDirectory
from spindle.model.outbox import Rng
from spindle.sim.medium import DirNode, FileNode, Node
from spindle.sim.memory_disk import DiskCalls, MemoryDisk, PowerCut
from spindle.storage.directory import LogDirectory
from tests.support.storage import KEY, accept_loss, check_log, reopen

Work = Callable[[MemoryDisk], None]


class Unlucky:
    """The chance of a power cut that loses all that it may."""

    def random(self) -> float:
        """Always the first."""
        return 0.0

    def randrange(self, stop: int) -> int:
        """Nothing."""
        return 0

    def getrandbits(self, k: int) -> int:
        """No bits."""
        return 0


class WatchedCalls(DiskCalls):
    """The calls of a disk, with a look at it after each change, while the call is under way."""

    def __init__(self, look: Callable[[int], None]) -> None:
        super().__init__()
        self._look = look

    def changed(self, verb: str) -> None:
        """Count a change, and look."""
        super().changed(verb)
        self._look(self.changes)


def at_every_change(
    prepare: Callable[[], MemoryDisk], work: Work, check: Work, seeds: int = 3
) -> int:
    """Cut the power after each change in turn, with several fates of what was not synced.

    The work is done once. After each change the disk is put aside, and what would have come of a
    cut there is checked with copies of it, as is what the work had promised by then.
    """
    disk = prepare()
    broken: list[Exception] = []

    def look(cuts: int) -> None:
        fates: list[Rng | None] = [None, Unlucky()]
        fates += [Random(cuts * 1000 + seed) for seed in range(seeds)]
        for fate in fates:
            with put_aside(disk):
                try:
                    disk.kill() if fate is None else disk.crash(fate)
                    check(disk)
                except Exception as error:
                    broken.append(error)
                    raise PowerCut(f"after change {cuts}") from error

    disk.calls = calls = WatchedCalls(look)
    try:
        work(disk)
    except PowerCut:
        raise broken[0] from None
    return calls.changes


@contextmanager
def put_aside(disk: MemoryDisk) -> Iterator[None]:
    """Whatever happens to a disk in here has not happened to it afterwards."""
    before = disk.root, disk.calls, disk.locked, disk.lives, disk.capacity
    root = copy_of(disk.root, {})
    assert isinstance(root, DirNode)
    disk.root, disk.calls, disk.locked = root, DiskCalls(), set(disk.locked)
    try:
        yield
    finally:
        disk.root, disk.calls, disk.locked, disk.lives, disk.capacity = before


def copy_of(node: Node, copies: dict[int, Node]) -> Node:
    """A node with all below it, also what is on the medium alone. A node has one copy."""
    if (found := copies.get(id(node))) is not None:
        return found
    if isinstance(node, FileNode):
        data = bytearray(node.seen), bytearray(node.kept)
        file = copies[id(node)] = FileNode(*data, list(node.pending), node.modified_ms)
        return file
    folder = DirNode()
    copies[id(node)] = folder
    folder.seen = {name: copy_of(below, copies) for name, below in node.seen.items()}
    folder.kept = {name: copy_of(below, copies) for name, below in node.kept.items()}
    folder.pending = [
        tuple((name, None if n is None else copy_of(n, copies)) for name, n in entries)
        for entries in node.pending
    ]
    return folder


def opened(disk: MemoryDisk, path: str = "/data/d1") -> tuple[LogDirectory, OpenedDirectory]:
    """Open after a crash: everything loads, and loads the same once more."""
    return opened_all(disk, path)[0]


def opened_all(disk: MemoryDisk, *paths: str) -> list[tuple[LogDirectory, OpenedDirectory]]:
    """As `opened`, for several directories of one node.

    Of what was not synced a later part may have survived without an earlier one. Then nothing is
    cut, and the loss is accepted here as an operator does.
    """
    before = []
    for path in paths:
        directory, found = reopen(disk, path)
        lost = found.quarantined
        for bad in lost:
            assert re.search(r"; \d+ good records? \(\d+ bytes\) behind it$", bad.why), bad
            accept_loss(directory)
            disk.kill()
            directory, found = reopen(disk, path)
            assert found.quarantined == ()
        for loaded in found.logs:
            if not lost:
                check_log(directory, loaded)
        before.append([(x.key, x.start, x.end, x.epochs) for x in found.logs])
    disk.kill()
    after = [reopen(disk, path) for path in paths]
    assert before == [[(x.key, x.start, x.end, x.epochs) for x in found.logs] for _, found in after]
    return after


def log_of(found: OpenedDirectory, key: LogKey = KEY) -> LoadedLog | None:
    """The log of a key, if it was found."""
    return next((log for log in found.logs if log.key == key), None)
