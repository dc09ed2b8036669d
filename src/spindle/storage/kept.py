"""The mark in a `-delete` directory that holds what a move had copied (B-11): until when, what of.

Written after the rename and removed before the one back, so that a crash leaves a directory that is
merely to be deleted. Says how much of the log is known to be good, as checkpoints say of others.
Called by `directory` and `opening`.
"""

from __future__ import annotations

from typing import NamedTuple

from spindle.model.errors import Corrupt
from spindle.model.log_values import KeptCopy
from spindle.storage import checkpoints, files, layout
from spindle.storage.blame import FULL
from spindle.storage.disk import Disk
from spindle.storage.log_loader import KnownBounds

_VERSION = "0"


class KeptMark(NamedTuple):
    """Until when (ms since 1970) it is kept, and what was known of the log."""

    until_ms: int
    bounds: KnownBounds


def write(disk: Disk, path: str, mark: KeptMark) -> None:
    """Mark the directory at `path`, if there is room. OSError."""
    lines = (_VERSION, mark.until_ms, mark.bounds.recovery_point, mark.bounds.start, "")
    try:
        files.replace(disk, f"{path}/{layout.KEPT}", "\n".join(map(str, lines)).encode())
    except OSError as error:
        if error.errno not in FULL:
            raise
        # Without a mark it is known in this run alone: after a restart it is deleted.


def remove(disk: Disk, path: str) -> None:
    """Take the mark away for good, if there is one: the log is to be in use again. OSError."""
    if files.remove_if_there(disk, f"{path}/{layout.KEPT}"):
        disk.sync_dir(path)


def read(disk: Disk, path: str) -> KeptMark | None:
    """A directory's mark; None where there is none, or one that makes no sense. OSError."""
    data = files.read_whole(disk, f"{path}/{layout.KEPT}")
    try:
        version, *numbers = (data or b"").decode("ascii").split()
        until_ms, recovery_point, start = map(int, numbers)
    except ValueError:
        return None
    if version != _VERSION or min(until_ms, recovery_point, start) < 0:
        return None
    return KeptMark(until_ms, KnownBounds(recovery_point, start))


def find(disk: Disk, root: str, name: str) -> KeptCopy | None:
    """The copy that the `-delete` directory `name` keeps for a move, if it does. OSError."""
    path = f"{root}/{name}"
    mark, partition = read(disk, path), layout.partition_of_discarded(name)
    if mark is None or partition is None:
        return None
    data = files.read_whole(disk, f"{path}/{layout.PARTITION_METADATA}")
    try:
        topic_id = checkpoints.decode_topic_id(data or b"")
    except Corrupt:
        return None
    size = 0
    for each in disk.list(path):
        found = disk.stat(f"{path}/{each}") if each.endswith(layout.LOG) else None
        size += found.size if found is not None else 0
    return KeptCopy(name, topic_id, partition, size, mark.until_ms)
