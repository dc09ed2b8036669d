"""Whether a disk has become slow: judged by its own past and by its neighbours (B-13).

Pure. A disk is slow when its calls take longer than is allowed, and much longer than they used to,
and much longer than those of the broker's other disks do now. Much work alone makes nobody slow:
bytes count, and what stalls the whole machine stalls the neighbours, too. Slow is a warning and
never a failure. The node feeds in what each disk has done, once a second or so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Final

from spindle.model.activity import Activity
from spindle.model.ids import LogDir

BYTES_PER_SECOND: Final = 10_000_000
"""Bytes are allowed time at this rate, beside what each call is allowed."""
FACTOR: Final = 4.0
"""How many times slower than its past and its neighbours a slow disk is."""
SLOW_AFTER: Final = 5
"""Slow looks in a row, idle ones left out, after which a disk is called slow."""
WELL_AFTER: Final = 10
"""Looks in a row that were not slow, after which it is no longer."""
PAST_WEIGHT: Final = 0.05
"""How much the newest look counts in a disk's past."""
PAST_LEAST: Final = 20
"""Looks before a past is believed."""


@dataclass(slots=True)
class _Disk:
    past: float = 0.0
    """Mean score while it was well."""
    looks: int = 0
    run: int = 0
    """Looks in a row that spoke against what it is called now."""
    slow: bool = False
    latency: float = 0.0
    """Seconds for each call, of late."""


class Paces:
    """All disks of a broker. `allowed`: seconds that a call may take."""

    def __init__(self, allowed: float) -> None:
        self._allowed = allowed
        self._disks: dict[LogDir, _Disk] = {}

    def is_slow(self, path: LogDir) -> bool:
        """Whether a disk is called slow."""
        return path in self._disks and self._disks[path].slow

    def latency(self, path: LogDir) -> float:
        """Mean seconds of a disk's calls when it was last looked at; 0 before."""
        return self._disks[path].latency if path in self._disks else 0.0

    def forget(self, path: LogDir) -> None:
        """A disk has failed, or another one is in its place: its past says nothing."""
        self._disks.pop(path, None)

    def look(self, seen: Mapping[LogDir, Activity]) -> list[LogDir]:
        """All online disks were looked at; those are returned of which the verdict has changed.

        A score of 1: as slow as is allowed. Disks that had nothing to do say nothing.
        """
        scores = {}
        for path, activity in seen.items():
            if activity.calls:
                scores[path] = self._score(activity)
                disk = self._disks.setdefault(path, _Disk())
                disk.latency = activity.seconds / activity.calls
        return [path for path in scores if self._judge(path, scores)]

    def _score(self, activity: Activity) -> float:
        allowed = activity.calls * self._allowed + activity.bytes / BYTES_PER_SECOND
        return activity.seconds / allowed

    def _judge(self, path: LogDir, scores: Mapping[LogDir, float]) -> bool:
        disk, score = self._disks[path], scores[path]
        others = [s for p, s in scores.items() if p != path]
        worse_than_others = not others or score > FACTOR * median(others)
        worse_than_past = disk.looks < PAST_LEAST or score > FACTOR * disk.past
        comparable = bool(others) or disk.looks >= PAST_LEAST
        is_slow = score > 1 and worse_than_others and worse_than_past and comparable
        if not is_slow and not disk.slow:
            weight = max(PAST_WEIGHT, 1 / (disk.looks + 1))
            disk.past += weight * (score - disk.past)
            disk.looks += 1
        disk.run = disk.run + 1 if is_slow != disk.slow else 0
        if disk.run < (WELL_AFTER if disk.slow else SLOW_AFTER):
            return False
        disk.slow, disk.run = not disk.slow, 0
        return True
