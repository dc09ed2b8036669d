"""How a log directory is: online, full, failed. Decides once for each failure (K858-10).

Pure: failures and figures are inputs, verdicts come back. The node keeps one for each directory
and acts on the verdicts. A directory that has failed comes back only after it was well for a while
and was opened anew (B-13).
"""

from __future__ import annotations

import errno
from enum import Enum
from typing import Final

from spindle.model.logs import Usage

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_OURS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.EAGAIN})
"""The process lacks something; the disk is not to blame."""
ROOM_SHARE: Final = 64
"""A full directory takes records again when this fraction of its file system is free."""


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
"""How often a directory may come back in the life of a process: then somebody must look at it."""


class Verdict(Enum):
    """What follows from an input; each change is told exactly once."""

    NOTHING = "nothing"
    FAILED = "failed"
    FULL = "full"
    ROOM = "room"


class Health:
    """One directory's health."""

    def __init__(self) -> None:
        self.condition = Condition.OPENING
        self.why = ""
        self._asked_at: float | None = None
        self._well = 0
        self._returns = 0

    @property
    def online(self) -> bool:
        """Whether jobs may be given to it."""
        return self.condition in (Condition.ONLINE, Condition.FULL)

    @property
    def probing(self) -> bool:
        """Whether an answer of the probe is due."""
        return self._asked_at is not None

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
        self.condition, self.why = Condition.FAILED, why
        self._asked_at = None
        self._well = 0
        return Verdict.FAILED

    def on_probe_asked(self, now: float) -> None:
        """A probe was sent to the directory's thread (s)."""
        self._asked_at = now

    def on_probe_failed(self) -> None:
        """The probe was answered with an error (which `on_failure` is told of)."""
        self._asked_at = None

    def on_probe_answered(self, usage: Usage) -> Verdict:
        """The file system answered."""
        self._asked_at = None
        if self.condition is Condition.FULL and usage.usable * ROOM_SHARE >= usage.total > 0:
            self.condition, self.why = Condition.ONLINE, ""
            return Verdict.ROOM
        return Verdict.NOTHING

    def on_sign_of_life(self, answered: bool) -> bool:
        """A failed directory was probed; whether it should be opened again."""
        self._well = self._well + 1 if answered else 0
        return self._well >= WELL_ENOUGH and self._returns < RETURNS_MAX

    def on_reopened(self, why: str | None) -> None:
        """It was opened anew; `why` it could not be, if so."""
        assert self.condition is Condition.FAILED
        self._well = 0
        if why is not None:
            self.why = why
        else:
            self._returns += 1
            self.condition, self.why = Condition.ONLINE, ""

    def on_time(self, now: float, limit: float) -> Verdict:
        """Time passes: a probe unanswered for longer than `limit` s means a hung disk (B-13)."""
        if self._asked_at is None or now - self._asked_at < limit:
            return Verdict.NOTHING
        waited = now - self._asked_at
        return self.on_failure(errno.ETIMEDOUT, f"no answer for {waited:.1f} s")
