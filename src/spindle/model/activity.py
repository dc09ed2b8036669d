"""What a directory's disk has been doing: seen from beside it, so that a hung one can be judged.

The rim keeps count of every call; a machine asks with `Observe`, which is answered at once and
never waits for the disk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from spindle.model.jobs import Job


class Activity(NamedTuple):
    """Calls of one directory's disk since the last observation.

    `busy`: for how many seconds the call under way has not returned (0: there is none), `verb`
    which it is; `copying` the same for copies from this directory or into it, of which no one can
    tell whose fault it is. `calls`, `bytes`, `seconds`: reads, writes, syncs and changes of names,
    with the part of those under way that falls into the time since. `written`: bytes that went
    into the directory, by writes and by copies.
    """

    busy: float = 0.0
    verb: str = ""
    copying: float = 0.0
    calls: int = 0
    bytes: int = 0
    seconds: float = 0.0
    written: int = 0


@dataclass(slots=True)
class Observe(Job[Activity]):
    """Say what the directory's disk does. Never fails, and does not wait for other jobs."""


@dataclass(slots=True)
class Abandon(Job[None]):
    """The directory is given up: what is queued for it fails, until it is opened again.

    Works at once, beside the directory's thread: that may hang, and no one should be surprised by
    what it does when it wakes.
    """
