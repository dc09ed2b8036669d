"""How a log directory is: online, full, failed, slow. Decides once for each failure (K858-10).

Pure: failures and figures are inputs, verdicts come back. The node keeps one `Health` for each
directory and acts on the verdicts. A directory that has failed comes back only after it was well
for a while and the broker has opened it again (B-13).

`Paces` judges a disk by its own past and by its neighbours (B-13). It is slow when its calls take
longer than is allowed, and much longer than they used to, and much longer than those of the
broker's other disks do now. Much work alone makes no disk slow: bytes count, and what stalls the
whole machine stalls the neighbours, too. Slow is a warning and never a failure.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from statistics import median
from typing import Final

from spindle.model.activity import Activity
from spindle.model.ids import LogDir
from spindle.model.log_values import Usage

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_OURS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.EAGAIN})
"""The process lacks something; the disk is not to blame."""
ROOM_SHARE: Final = 64
"""A full directory takes records again when this fraction of its file system is free."""
PATIENT: Final = frozenset({"sync"})
PATIENCE: Final = 3.0
"""A sync may take so many times longer than other calls: all that was written goes with it."""


class Condition(Enum):
    """What a directory is good for now."""

    OPENING = "opening"
    ONLINE = "online"
    FULL = "full"
    """Readable and alive, but without room (B-12): no new replicas, no moves into it."""
    FAILED = "failed"


WELL_ENOUGH: Final = 3
"""Answers of the probe, one after the other, after which a failed directory may be tried again."""
RETURNS_MAX: Final = 3
"""How often a directory may come back by itself within an hour: then an operator must check it."""
RETURNS_WITHIN: Final = 3600.0


class Verdict(Enum):
    """What follows from an input; each change comes back exactly once."""

    NOTHING = "nothing"
    FAILED = "failed"
    FULL = "full"
    ROOM = "room"
    SLOW = "slow"
    QUICK = "quick"
    """Slow no longer."""


def hangs(activity: Activity, limit: float) -> bool:
    """Whether a disk hangs: one call of it has not returned within the time limit (s).

    However long its queue is, a disk that answers one call after the other does not hang.
    """
    return activity.busy >= limit * (PATIENCE if activity.verb in PATIENT else 1.0)


class Health:
    """One directory's health."""

    def __init__(self) -> None:
        self.condition = Condition.OPENING
        self.why = ""
        self.held = False
        """An operator has taken it offline: it stays so until an operator orders it online."""
        self._number = 0
        self._probing = False
        self._well = 0
        self._returns: list[float] = []
        self._tired = False
        """It is known to have come back too often."""

    @property
    def online(self) -> bool:
        """Whether jobs may be given to it."""
        return self.condition in (Condition.ONLINE, Condition.FULL)

    @property
    def probing(self) -> bool:
        """Whether an answer of the probe is due."""
        return self._probing

    def state(self, slow: bool) -> str:
        """One word for people: healthy, slow, full, hung, failed, offline, opening."""
        if self.condition is Condition.FAILED:
            hung = self._number == errno.ETIMEDOUT
            return "offline" if self.held else "hung" if hung else "failed"
        if self.condition is Condition.ONLINE:
            return "slow" if slow else "healthy"
        return str(self.condition.value)

    def on_opened(self) -> None:
        """Its logs are loaded."""
        assert self.condition is Condition.OPENING
        self.condition = Condition.ONLINE

    def on_failure(self, number: int, why: str) -> Verdict:
        """A job was answered with an errno."""
        if self.condition is Condition.FAILED:
            return Verdict.NOTHING
        if number in _OURS and self.condition is not Condition.OPENING:
            return Verdict.NOTHING
        if number in _FULL and self.condition is not Condition.OPENING:
            if self.condition is Condition.FULL:
                return Verdict.NOTHING
            self.condition, self.why = Condition.FULL, why
            return Verdict.FULL
        self.condition, self.why, self._number = Condition.FAILED, why, number
        self._probing = False
        self._well = 0
        return Verdict.FAILED

    def on_observed(self, activity: Activity, limit: float) -> Verdict:
        """Its disk was looked at from outside: a call that lasts longer than `limit` s (B-13)."""
        if not self.online or not hangs(activity, limit):
            return Verdict.NOTHING
        why = f"no answer to {activity.verb} for {activity.busy:.1f} s"
        return self.on_failure(errno.ETIMEDOUT, why)

    # --- the probe ----------------------------------------------------------------------------

    def on_probe_asked(self) -> None:
        """A probe was sent to the directory."""
        self._probing = True

    def on_probe_failed(self) -> None:
        """The disk answered the probe with an error; `on_failure` gets that error."""
        self._probing = False

    def on_probe_answered(self, usage: Usage) -> Verdict:
        """The file system answered."""
        self._probing = False
        if self.condition is Condition.FULL and usage.usable * ROOM_SHARE >= usage.total > 0:
            self.condition, self.why = Condition.ONLINE, ""
            return Verdict.ROOM
        return Verdict.NOTHING

    # --- the return of a failed directory -----------------------------------------------------

    def on_order(self, online: bool) -> Verdict:
        """An operator orders it offline, or online however often it has come and gone."""
        self.held = not online
        self._tired = False
        if online:
            self._returns.clear()
            return Verdict.NOTHING
        return self.on_failure(0, "taken offline by an operator")

    def on_sign_of_life(self, answered: bool, now: float) -> bool:
        """A failed directory was probed; whether it should be opened again."""
        self._well = self._well + 1 if answered else 0
        self._returns = [at for at in self._returns if at > now - RETURNS_WITHIN]
        return self._well >= WELL_ENOUGH and len(self._returns) < RETURNS_MAX and not self.held

    def on_tired(self) -> bool:
        """Whether it is well, but was so too often of late; true once. `why` says so then."""
        is_tired = self._well >= WELL_ENOUGH and len(self._returns) >= RETURNS_MAX
        if not is_tired or self.held or self._tired:
            return False
        self._tired = True
        self.why = (
            f"it answers, but came back {len(self._returns)} times within an hour and failed "
            f"again: it stays offline for up to an hour, or until it is ordered online (the last "
            f"failure: {self.why})"
        )
        return True

    def on_reopened(self, why: str | None, now: float) -> None:
        """The broker tried to open it again; `why` it could not, or None if it could."""
        assert self.condition is Condition.FAILED
        self._well = 0
        self._tired = False
        if why is not None:
            self.why = why
        else:
            self._returns.append(now)
            self.condition, self.why = Condition.ONLINE, ""


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
