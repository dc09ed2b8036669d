"""Logs in which an append has failed: what is queued behind it would leave a gap, and must not.

A leader gives offsets ahead, and several appends of a log wait together. Each that comes behind one
that has failed gets the same failure, until that one has worked, or the log was cut or loaded
again. Used by `directory`; touches no file.
"""

from __future__ import annotations

from typing import Final

from spindle.model.errors import Failure
from spindle.model.jobs import Append, Discard, Job, MarkBad, Reload, Reset, Truncate
from spindle.model.log_values import LogKey

_MENDS: Final = (Append, Truncate, Reset, Reload, MarkBad, Discard)


class FailedAppends:
    """The lowest offset at which an append has failed, and why, for each such log."""

    def __init__(self) -> None:
        self._failed: dict[LogKey, tuple[int, Failure]] = {}

    def check(self, job: Job[object]) -> None:
        """The failure of the one before again, where a job would leave a gap for it."""
        if isinstance(job, Append) and job.key in self._failed:
            missing, failure = self._failed[job.key]
            if job.batches[0].base_offset > missing:
                raise failure

    def on_done(self, job: Job[object], result: object) -> None:
        """A job has been tried."""
        if isinstance(job, Append) and isinstance(result, Failure):
            at = job.batches[0].base_offset
            if at <= self._failed.get(job.key, (at, result))[0]:
                self._failed[job.key] = (at, result)
        elif isinstance(job, _MENDS) and not isinstance(result, Failure):
            self._failed.pop(job.key, None)
