"""The jobs on one log: where they run, those that are held back, and the writes under way.

A log that changes its directory is frozen meanwhile: its jobs begin once it has arrived. Knows
no records and no roles. Belongs to a `HostedPartition`; the log's moves freeze and thaw it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TypeVar

from spindle.model.batches import RecordBatch
from spindle.model.errors import Failure
from spindle.model.ids import LogDir
from spindle.model.jobs import Append, Appended, Job
from spindle.model.log_values import LogKey
from spindle.model.outbox import Outbox

R = TypeVar("R")


class _Held(NamedTuple):
    """A job that is held back."""

    begin: Callable[[], None]
    fail: Callable[[Failure], None]
    writes: bool


@dataclass(slots=True, eq=False)
class LogJobs:
    """Jobs run in `directory`, where the log lives now."""

    _out: Outbox
    directory: LogDir
    key: LogKey
    writing: int = 0
    """Writes given to the log that have not come back."""
    _frozen: bool = False
    _held: list[_Held] = field(default_factory=list)
    _on_frozen: Callable[[], None] | None = None
    _on_idle: list[Callable[[], None]] = field(default_factory=list)

    @property
    def is_frozen(self) -> bool:
        """Whether jobs are held back."""
        return self._frozen

    def run(self, job: Callable[[LogDir], Job[R]], then: Callable[[R | Failure], None]) -> None:
        """Have a job done where the log lives; held back while the log is being moved.

        `job` makes it, once its directory is known.
        """
        if self._frozen:
            self._held.append(_Held(partial(self.run, job, then), then, False))
        else:
            self._out.run(job(self.directory), then)

    def write(self, job: Callable[[LogDir], Job[R]], then: Callable[[R | Failure], None]) -> None:
        """The same for a job that changes the log."""
        if self._frozen:
            self._held.append(_Held(partial(self.write, job, then), then, True))
            return
        self.writing += 1
        self._out.run(job(self.directory), partial(self._written, then))

    def append(
        self,
        batches: list[RecordBatch],
        now_ms: int,
        sync: bool,
        then: Callable[[Appended | Failure], None],
    ) -> None:
        """Write batches at the log's end: `write`, made at once, as it is done most often.

        `sync`: on the medium before it counts.
        """
        if self._frozen:
            self._held.append(_Held(partial(self.append, batches, now_ms, sync, then), then, True))
            return
        self.writing += 1
        job = Append(self.directory, self.key, batches, now_ms, sync)
        self._out.run(job, partial(self._written, then))

    def join(self, batches: list[RecordBatch], sync: bool) -> bool:
        """Write batches along with those of the append before, if that has not left yet and
        nothing was asked for since: what a client sends together is one write."""
        newest = self._out.newest_job
        if self._frozen or not isinstance(newest, Append) or newest.sync != sync:
            return False
        if newest.key != self.key or newest.directory != self.directory:
            return False
        newest.batches.extend(batches)
        return True

    def _written(self, then: Callable[[R | Failure], None], result: R | Failure) -> None:
        self.writing -= 1
        then(result)
        if self.writing == 0 and (self._on_idle or self._on_frozen is not None):
            self._tell_still()

    def when_idle(self, then: Callable[[], None]) -> None:
        """Call `then` once no write is under way or held back: at once if none is."""
        self._on_idle.append(then)
        self._tell_still()

    def freeze(self, then: Callable[[], None]) -> None:
        """Begin no job until `thaw`; call `then` once none that writes is under way."""
        assert not self._frozen, f"{self.key} is frozen already"
        self._frozen = True
        self._on_frozen = then
        self._tell_still()

    def _tell_still(self) -> None:
        if self.writing == 0 and self._on_frozen is not None:
            then, self._on_frozen = self._on_frozen, None
            then()
        while self._on_idle and self.writing == 0 and not any(held.writes for held in self._held):
            self._on_idle.pop(0)()

    def thaw(self, directory: LogDir) -> None:
        """Go on, in this directory, with what was held back."""
        self.directory = directory
        for each in self._release():
            each.begin()
        self._tell_still()

    def close(self) -> None:
        """Its directory is about to be closed: begin no job any more."""
        self._frozen = True
        self._on_frozen = None

    def give_up(self, failure: Failure) -> None:
        """The log is lost: what was held back fails."""
        for each in self._release():
            each.fail(failure)
        self._on_idle.clear()

    def _release(self) -> list[_Held]:
        self._frozen = False
        self._on_frozen = None
        held, self._held = self._held, []
        return held
