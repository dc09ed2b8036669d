"""One log directory: all that its thread ever calls. Jobs in, results or failures out.

Jobs of a group run in order; appends that must be durable, and new logs, are made so together at
the group's end, before any of their results is given away. An OSError that means the disk latches:
every later job gets the same DiskFailed until `Open` is asked again. Knows no partition state, no
clock, no thread. Called by the driver's lanes and by the simulation.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any, Final, TypeVar

from spindle.model import copying_jobs as c
from spindle.model import jobs as j
from spindle.model.errors import Corrupt, DiskFailed, Failure, LogFailed, Refusal
from spindle.model.ids import DirectoryId, LogDir
from spindle.model.log_values import LogKey, OpenedDirectory, Usage
from spindle.model.scrub_jobs import Scrub, Scrubbed
from spindle.storage import (
    beside,
    checkpoints,
    files,
    layout,
    scrub,
    small_files,
)
from spindle.storage.blame import FULL, GONE, NAMES, OURS, Blame, measure, probe
from spindle.storage.disk import Disk, File
from spindle.storage.failed_appends import FailedAppends
from spindle.storage.formatting import adopt
from spindle.storage.log_manager import LOG_HANDLERS, Handlers, LogManager
from spindle.storage.meta import random_directory_id
from spindle.storage.naming import activity_of
from spindle.storage.opening import explain, open_directory
from spindle.storage.pool import Pool
from spindle.storage.unified_log import UnifiedLog

R = TypeVar("R")

NO_EPOCH: Final = -1
"""Of a directory that was closed while its broker goes on: nothing may be concluded from it."""


class LogDirectory:
    """A log directory at `path` of `disk`. `new_id`: where ids and unique names come from."""

    def __init__(
        self,
        disk: Disk,
        path: LogDir,
        new_id: Callable[[], DirectoryId] = random_directory_id,
    ) -> None:
        self.disk = disk
        self.path = path
        self._new_id = new_id
        self._pool = Pool(disk)
        self._lock: File | None = None
        self._manager: LogManager | None = None
        """Of its logs, while it is open."""
        self._failed: DiskFailed | None = None
        self._dead: DiskFailed | None = None
        self._blame = Blame(lambda: probe(disk, path))
        self._failed_appends = FailedAppends()
        self._uncommitted: dict[LogKey, list[int]] = {}
        """Logs with appends, and new logs, that wait for their sync; places in the group."""
        self._created: list[int] = []

    @property
    def logs(self) -> Mapping[LogKey, UnifiedLog]:
        """Its logs; none where it is not open."""
        return self._manager.logs if self._manager is not None else {}

    # --- running ------------------------------------------------------------------------------

    def run(self, job: j.Job[R]) -> R:
        """Carry out one job. Raises DiskFailed or LogFailed."""
        result = self.run_group([job])[0]
        if isinstance(result, Failure):
            raise result
        answer: R = result
        return answer

    def abandon(self) -> None:
        """Fail whatever is queued, until `Open`; may be called from any thread."""
        self._failed = self._failed or DiskFailed(self.path, "a call", errno.ETIMEDOUT, "given up")

    def die(self, why: str) -> None:
        """A bug has left its state unknown: nothing runs here any more. From any of its threads."""
        self._dead = self._dead or DiskFailed(self.path, "job", errno.ENOTRECOVERABLE, why)

    def run_group(self, group: Sequence[j.Job[object]]) -> list[Any]:
        """Carry out jobs in order; for each its result, or the Failure that came instead."""
        if self._dead is not None:
            return [self._dead] * len(group)
        if group and isinstance(group[0], j.BesideJob):
            return [self._failed or beside.run(self.disk, job) for job in group]
        results: list[object] = []
        for at, job in enumerate(group):
            if type(job) not in _COMMIT_LATER:
                self._commit(group, results)
            result = self._attempt(job)
            self._failed_appends.on_done(job, result)
            results.append(result)
            if isinstance(result, Failure):
                continue
            if isinstance(job, j.Append):
                log = self._open_logs().logs[job.key]
                if job.sync or log.end - log.recovery_point >= log.local.settings.flush_messages:
                    self._uncommitted.setdefault(job.key, []).append(at)
            elif isinstance(job, j.CreateLog) and job.key in self._open_logs().created:
                self._created.append(at)
        self._commit(group, results)
        return results

    def _attempt(self, job: j.Job[object]) -> object:
        assert job.directory == self.path
        if self._failed is not None and type(job) not in _EVEN_IF_FAILED:
            return self._failed
        manager = self._manager
        if manager is None and type(job) not in _EVEN_IF_FAILED:
            return DiskFailed(self.path, activity_of(job), errno.EBADF, "it is not open")
        try:
            self._failed_appends.check(job)
            on_logs = LOG_HANDLERS.get(type(job))
            if on_logs is not None and manager is not None:
                return on_logs(manager, job)
            return _HANDLERS[type(job)](self, job)
        except OSError as error:
            return self._judge(job, error)
        except (Corrupt, Refusal) as wrong:
            return LogFailed(self.path, _subject(job), str(wrong))
        except Failure as failure:
            return failure

    def _judge(self, job: j.Job[object], error: OSError) -> Failure:
        """What an OSError means: for the one log, or for the directory, and for how long."""
        code = error.errno or errno.EIO
        if self._blame.is_of_log(job, code):
            return LogFailed(
                self.path,
                _subject(job),
                explain(error),
                passing=code in OURS,
                suspect=code not in GONE and code not in NAMES,
                taken=code in NAMES,
            )
        failure = DiskFailed(self.path, activity_of(job), code, explain(error))
        if code not in FULL and code not in OURS:
            self._fail(failure)
        return failure

    def _fail(self, failure: DiskFailed) -> None:
        """Nothing more is run here: let go of the files and of the lock."""
        self._failed = failure
        self._let_go()

    def _let_go(self) -> None:
        self._pool.close()
        lock, self._lock = self._lock, None
        if lock is not None:
            with suppress(OSError):  # Closing gives the lock up all the same.
                lock.close()
        self._manager, self._failed_appends = None, FailedAppends()

    def _commit(self, group: Sequence[j.Job[object]], results: list[object]) -> None:
        """Make durable what waits for it; a failure takes the place of the results."""
        created, self._created = self._created, []
        appended, self._uncommitted = self._uncommitted, {}
        manager = self._manager
        if manager is not None:
            if created:
                self._make_durable(manager.commit_created, group, created, results)
            for key, places in appended.items():
                self._make_durable(partial(manager.commit, key), group, places, results)
        if self._failed is not None:
            for at in (*created, *chain.from_iterable(appended.values())):
                results[at] = self._failed

    def _make_durable(
        self,
        commit: Callable[[], None],
        group: Sequence[j.Job[object]],
        places: Sequence[int],
        results: list[object],
    ) -> None:
        if self._failed is not None:
            return
        try:
            commit()
        except OSError as error:
            code = error.errno or errno.EIO
            if code in FULL or code in OURS:
                # Nothing is lost: the next append tries again, or the log is cut back.
                for at in places:
                    results[at] = self._judge(group[at], error)
            else:
                # After a failed sync the medium may hold anything: this always latches.
                self._fail(DiskFailed(self.path, "syncing", code, explain(error)))

    def _open_logs(self) -> LogManager:
        assert self._manager is not None, "the directory is open"
        return self._manager

    # --- the directory itself -----------------------------------------------------------------

    def _open(self, job: j.Open) -> OpenedDirectory:
        self._let_go()
        self._failed = None
        self._blame = Blame(lambda: probe(self.disk, self.path))
        opened = open_directory(self._pool, job, self._new_id, self._blame)
        self._lock = opened.lock
        self._manager = LogManager(
            self._pool, self.path, opened.offsets, opened.logs, opened.quarantined, self._new_id
        )
        return opened.result

    def _close(self, job: j.Close) -> None:
        self._shut(job.broker_epoch)
        self._let_go()

    def _shut(self, broker_epoch: int) -> None:
        """Have all logs on the medium, and the next opening know that."""
        self._open_logs().close()
        files.require_formatted(self.disk, self.path)
        data = checkpoints.encode_clean_shutdown(broker_epoch)
        files.replace(self.disk, f"{self.path}/{layout.CLEAN_SHUTDOWN}", data)

    def _release(self, job: j.Release) -> None:
        if self._failed is None and self._manager is not None:
            self._shut(NO_EPOCH)
        self._fail(DiskFailed(self.path, "serving", 0, "taken offline by an operator"))

    def _measure(self, job: j.MeasureUsage) -> Usage:
        # Before it is used again it must have shown that it takes writes.
        return measure(self.disk, self.path, write=self._failed is not None or job.write)

    def _scrub(self, job: Scrub) -> Scrubbed:
        found = self._open_logs()
        return scrub.scrub(self._pool, found.logs, found.scrub_order, self._blame, job)


_HANDLERS: Final[Handlers[LogDirectory]] = {
    j.Open: LogDirectory._open,
    j.Close: LogDirectory._close,
    j.Format: lambda d, job: adopt(d.disk, job, d._new_id),
    j.Release: LogDirectory._release,
    j.MeasureUsage: LogDirectory._measure,
    j.WriteCheckpoints: lambda d, job: d._open_logs().checkpoint(),
    Scrub: LogDirectory._scrub,
    j.Weigh: lambda d, job: files.weigh(d.disk, f"{d.path}/{job.name}"),
    j.PutFile: lambda d, job: small_files.put(d.disk, job),
    j.GetFile: lambda d, job: small_files.get(d.disk, job),
    j.ListFiles: lambda d, job: small_files.names(d.disk, job),
    j.RemoveFile: lambda d, job: small_files.remove(d.disk, job),
}

_EVEN_IF_FAILED: Final = frozenset({j.Open, j.MeasureUsage, j.Format, j.Release})

_COMMIT_LATER: Final = frozenset({
    j.Append, j.Read, Scrub, j.CreateLog, j.Configure, j.FindOffset, j.MeasureUsage, j.GetFile,
    c.MarkCopy, c.PlanCopy,
})  # fmt: skip
"""Jobs that may run between an append and its sync."""


def _subject(job: j.Job[object]) -> str:
    return str(job.key) if isinstance(job, j.LogJob) else activity_of(job)
