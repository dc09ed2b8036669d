"""The power goes after every single change that a piece of work makes to the disk.

`at_every_change` plays the work with each cut and several fates of what was not synced: all of it
is there (the process was killed, and no more), none of it, or some.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from spindle.model.log_values import LoadedLog, LogKey, OpenedDirectory
from spindle.model.outbox import Rng
from spindle.sim.memory_disk import MemoryDisk, PowerCut
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


def at_every_change(
    prepare: Callable[[], MemoryDisk], work: Work, check: Work, seeds: int = 3
) -> int:
    """Cut the power after each change in turn, with several fates of what was not synced."""
    cuts = 0
    while True:
        cuts += 1
        fates: list[Rng | None] = [None, Unlucky()]
        fates += [Random(cuts * 1000 + seed) for seed in range(seeds)]
        for fate in fates:
            disk = prepare()
            disk.calls.cut_after(cuts)
            try:
                work(disk)
            except PowerCut:
                if fate is None:
                    disk.kill()
                else:
                    disk.crash(fate)
                check(disk)
            else:
                return cuts - 1


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
