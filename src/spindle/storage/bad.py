"""The mark in the directory of a bad replica: since when, and why (K589-02, B-28).

The broker writes it as soon as any part of it finds the damage, so that no later start serves the
log again. It stays in the copy that is set aside under a `-stray` name, and marks that off from
other strays. Apache Kafka ignores it. Called by `log_manager`, `opening` and `salvage`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from spindle.model.log_values import BadCopy
from spindle.storage import files, layout
from spindle.storage.blame import FULL
from spindle.storage.disk import Disk

_VERSION: Final = "1"
WHY_MAX: Final = 1_000
"""Characters of the reason that are kept."""


class BadMark(NamedTuple):
    """Since when (ms since 1970), what was wrong, and where the log had ended at least."""

    since_ms: int
    why: str
    reached: int = 0


def write(disk: Disk, path: str, mark: BadMark) -> None:
    """Mark the log's directory at `path`, if there is room. OSError."""
    if disk.stat(path) is None or read(disk, path) is not None:
        return  # All of it was removed by hand; or its first mark says more.
    why = " ".join(mark.why.split())[:WHY_MAX]
    data = f"{_VERSION}\n{mark.since_ms}\n{why}\n{mark.reached}\n"
    try:
        files.replace(disk, f"{path}/{layout.BAD}", data.encode())
    except OSError as error:
        if error.errno not in FULL:
            raise
        # Without the mark it is known in this run alone.


def remove(disk: Disk, path: str) -> None:
    """Take the mark away, if there is one. OSError."""
    files.remove_if_there(disk, f"{path}/{layout.BAD}")


def read(disk: Disk, path: str) -> BadMark | None:
    """A directory's mark, or None; one that makes no sense still marks. OSError."""
    data = files.read_whole(disk, f"{path}/{layout.BAD}")
    if data is None:
        return None
    version, since, why, reached = [*data.decode(errors="replace").split("\n"), "", "", ""][:4]
    if version not in ("0", _VERSION) or not _is_number(since):
        return BadMark(0, "it is marked as bad")
    return BadMark(int(since), why.strip(), int(reached) if _is_number(reached) else 0)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def find(disk: Disk, root: str, name: str) -> BadCopy | None:
    """The bad copy that the `-stray` directory `name` holds, if it is one. OSError."""
    path = f"{root}/{name}"
    mark = read(disk, path)
    return None if mark is None else BadCopy(name, files.weigh(disk, path), mark.since_ms, mark.why)
