"""One log directory: all that its thread ever calls. Jobs in, results or failures out.

Jobs of a group run in order; appends that must be durable, and new logs, are made so together at
the group's end, before any of their results is given away. An OSError that means the disk latches:
every later job gets the same DiskFailed until `Open` is asked again. Knows no partition state, no
clock, no thread. Called by the driver's lanes and by the simulation.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, TypeVar

from spindle.model import cleaning_jobs as k
from spindle.model import copying_jobs as c
from spindle.model import jobs as j
from spindle.model.errors import Corrupt, DiskFailed, Failure, LogFailed, Refusal
from spindle.model.ids import DirectoryId, LogDir
from spindle.model.log_values import LoadedLog, LogKey, OpenedDirectory, Usage
from spindle.model.scrub_jobs import Scrub
from spindle.storage import (
    bad,
    beside,
    checkpoints,
    cleaning,
    copy,
    files,
    kept,
    layout,
    reading,
    salvage,
    scrub,
    small_files,
    unbroken,
)
from spindle.storage.blame import FULL, GONE, NAMES, OURS, Blame, measure, probe
from spindle.storage.disk import Disk, File
from spindle.storage.failed_appends import FailedAppends
from spindle.storage.formatting import adopt
from spindle.storage.log import SYNC_AFTER_CHECKPOINTS, Log
from spindle.storage.lookup import find_offset
from spindle.storage.meta import random_directory_id
from spindle.storage.naming import activity_of
from spindle.storage.offsets_files import OffsetFiles
from spindle.storage.opening import explain, open_directory, reload, sync_topic_id
from spindle.storage.pool import Pool
from spindle.storage.recovery import KnownBounds, load_log

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
        self._offsets: OffsetFiles | None = None
        self._logs: dict[LogKey, Log] = {}
        self._quarantined: dict[LogKey, str] = {}
        self._discarded: dict[str, Log] = {}
        """Logs that were renamed away, by their new names, as they were; until they are purged."""
        self._failed: DiskFailed | None = None
        self._dead: DiskFailed | None = None
        self._blame = Blame(lambda: probe(disk, path))
        self._failed_appends = FailedAppends()
        self._uncommitted: dict[LogKey, list[int]] = {}
        """Logs with appends, and new logs, that wait for their sync; places in the group."""
        self._created: dict[LogKey, list[int]] = {}

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

    def run_group(self, group: Sequence[j.Job[Any]]) -> list[Any]:
        """Carry out jobs in order; for each its result, or the Failure that came instead."""
        if self._dead is not None:
            return [self._dead] * len(group)
        if group and isinstance(group[0], j.BesideJob):
            return [self._failed or beside.run(self.disk, job) for job in group]
        results: list[Any] = []
        for at, job in enumerate(group):
            if type(job) not in _COMMIT_LATER:
                self._commit(results)
            result = self._attempt(job)
            self._failed_appends.on_done(job, result)
            results.append(result)
            if isinstance(result, Failure):
                continue
            if isinstance(job, j.Append):
                log = self._logs[job.key]
                if job.sync or log.end - log.recovery_point >= log.settings.flush_messages:
                    self._uncommitted.setdefault(job.key, []).append(at)
            elif isinstance(job, j.CreateLog) and job.key in self._created:
                self._created[job.key].append(at)
        self._commit(results)
        return results

    def _attempt(self, job: j.Job[Any]) -> Any:
        assert job.directory == self.path
        if self._failed is not None and type(job) not in _EVEN_IF_FAILED:
            return self._failed
        if self._offsets is None and type(job) not in _EVEN_IF_FAILED:
            return DiskFailed(self.path, activity_of(job), errno.EBADF, "it is not open")
        try:
            self._failed_appends.check(job)
            return _HANDLERS[type(job)](self, job)
        except OSError as error:
            return self._judge(job, error)
        except (Corrupt, Refusal) as wrong:
            return LogFailed(self.path, _subject(job), str(wrong))
        except Failure as failure:
            return failure

    def _judge(self, job: j.Job[Any], error: OSError) -> Failure:
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

    def _is_there(self) -> bool:
        return self.disk.stat(f"{self.path}/{layout.META_PROPERTIES}") is not None

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
        self._offsets, self._failed_appends = None, FailedAppends()
        self._logs, self._quarantined, self._discarded = {}, {}, {}

    def _commit(self, results: list[Any]) -> None:
        """Make durable what waits for it; a failure takes the place of the results."""
        created, self._created = self._created, {}
        appended, self._uncommitted = self._uncommitted, {}
        if not created and not appended:
            return
        try:
            for key in created:
                if key in self._logs:
                    sync_topic_id(self._logs[key])
                    self.disk.sync_dir(self._logs[key].path)
            if created:
                self.disk.sync_dir(self.path)
            for key in appended:
                if key in self._logs:
                    self._logs[key].sync()
        except OSError as error:
            # After a failed sync nobody knows what the medium holds: this always latches.
            failure = DiskFailed(self.path, "syncing", error.errno or errno.EIO, explain(error))
            self._fail(failure)
        if self._failed is not None:
            for places in (*created.values(), *appended.values()):
                for at in places:
                    results[at] = self._failed

    def _log(self, key: LogKey) -> Log:
        log = self._logs.get(key)
        if log is None:
            why = "it could not be loaded" if key in self._quarantined else "there is no such log"
            raise LogFailed(self.path, str(key), why)
        return log

    def _loaded(self, log: Log) -> LoadedLog:
        marks = self._open_offsets().high_watermarks
        return log.loaded(marks.get(log.key.topic_partition, 0))

    def _open_offsets(self) -> OffsetFiles:
        assert self._offsets is not None, "the directory is open"
        return self._offsets

    # --- the directory itself -----------------------------------------------------------------

    def _open(self, job: j.Open) -> OpenedDirectory:
        self._let_go()
        self._failed = None
        self._blame = Blame(lambda: probe(self.disk, self.path))
        opened = open_directory(self._pool, job, self._new_id, self._blame)
        self._lock, self._offsets = opened.lock, opened.offsets
        self._logs, self._quarantined = opened.logs, opened.quarantined
        return opened.result

    def _close(self, job: j.Close) -> None:
        self._shut(job.broker_epoch)
        self._let_go()

    def _shut(self, broker_epoch: int) -> None:
        """Have all logs on the medium, and the next opening know that."""
        for log in self._logs.values():
            log.close()
        self._write_offsets()
        files.require_formatted(self.disk, self.path)
        data = checkpoints.encode_clean_shutdown(broker_epoch)
        files.replace(self.disk, f"{self.path}/{layout.CLEAN_SHUTDOWN}", data)

    def _write_offsets(self) -> None:
        waiting = (key.topic_partition for key in self._quarantined)
        self._open_offsets().write_logs(self._logs.values(), waiting)

    def _release(self, job: j.Release) -> None:
        if self._failed is None and self._offsets is not None:
            self._shut(NO_EPOCH)
        self._fail(DiskFailed(self.path, "serving", 0, "taken offline by an operator"))

    def _measure(self, job: j.MeasureUsage) -> Usage:
        # Before it is used again it must have shown that it takes writes.
        return measure(self.disk, self.path, write=self._failed is not None or job.write)

    def _checkpoint(self, job: j.WriteCheckpoints) -> None:
        for log in self._logs.values():
            if log.count_checkpoint():
                log.sync_sealed(SYNC_AFTER_CHECKPOINTS)
        self._write_offsets()

    # --- one log ------------------------------------------------------------------------------

    def _create(self, job: j.CreateLog) -> LoadedLog:
        known = self._logs.get(job.key)
        if known is None:
            known = self._make(job)
            self._created[job.key] = []
        known.settings = job.settings
        return self._loaded(known)

    def _make(self, job: j.CreateLog) -> Log:
        if job.key in self._quarantined:
            raise LogFailed(self.path, str(job.key), "it could not be loaded; discard it first")
        name = layout.directory_name(job.key, self._new_id().hex if job.key.future else "")
        path = f"{self.path}/{name}"
        other = self._logs.get(job.key._replace(future=not job.key.future))
        if other is None:
            self._open_offsets().forget(job.key.topic_partition)
        files.require_formatted(self.disk, self.path)
        # The metadata log's snapshots may be there before it. What else is there is not ours.
        made = not layout.is_metadata(job.key) or self.disk.stat(path) is None
        if made:
            self.disk.make_dir(path)
        try:
            data = checkpoints.encode_topic_id(job.topic_id)
            files.write_in_place(self.disk, f"{path}/{layout.PARTITION_METADATA}", data)
            log = load_log(self._pool, path, job.key, KnownBounds(), [])
        except OSError:
            self._pool.drop_under(path)  # The disk is full, say: it is made on another one.
            if made:
                files.remove_tree(self.disk, path)
            raise
        self._logs[job.key] = log
        return log

    def _configure(self, job: j.Configure) -> None:
        self._log(job.key).settings = job.settings

    def _read(self, job: j.Read) -> j.ReadResult:
        return reading.read(self._log(job.key), job)

    def _truncate(self, job: j.Truncate) -> LoadedLog:
        log = self._log(job.key)
        if job.offset < log.end:
            name, floor = log.key.topic_partition, log.floor(job.offset)
            self._open_offsets().lower(name, floor)
            if not log.key.future:
                self._open_offsets().lower_mark(name, floor)
            log.truncate(job.offset)
            unbroken.after_cut(log, floor)
        return self._loaded(log)

    def _reset(self, job: j.Reset) -> LoadedLog:
        log = self._log(job.key)
        self._open_offsets().lower(log.key.topic_partition, 0)
        if not log.key.future:
            self._open_offsets().lower_mark(log.key.topic_partition, 0)
        log.reset(job.offset)
        unbroken.after_cut(log, 0)
        return self._loaded(log)

    def _retain(self, job: j.Retain) -> j.LogStart:
        log = self._log(job.key)
        return log.retain(job.retention_ms, job.retention_bytes, job.limit, job.now_ms)

    # --- deleting and moving ------------------------------------------------------------------

    def _discard(self, job: j.Discard) -> str:
        log = self._logs.get(job.key)
        if log is not None:
            old = log.path
            log.let_go()
        elif job.key in self._quarantined:
            old = f"{self.path}/{self._quarantined[job.key]}"
            self._pool.drop_under(old)
        else:
            raise LogFailed(self.path, str(job.key), "there is no such log")
        name = layout.discarded_name(job.key, job.unique, job.suffix)
        try:
            self.disk.rename(old, f"{self.path}/{name}")
        except FileNotFoundError:
            # Somebody has removed it by hand: that, too, is the end of it.
            if not self._is_there():
                raise
        if log is not None:
            self._discarded[name] = log
        self._logs.pop(job.key, None)
        self._quarantined.pop(job.key, None)
        self.disk.sync_dir(self.path)
        if log is not None and job.keep_until_ms:
            mark = kept.KeptMark(job.keep_until_ms, KnownBounds(log.recovery_point, log.start))
            kept.write(self.disk, f"{self.path}/{name}", mark)
        return name

    def _mark_bad(self, job: j.MarkBad) -> None:
        log = self._logs.pop(job.key, None)
        reached = max(job.reached, self._open_offsets().reached(job.key.topic_partition))
        if log is not None:
            log.let_go()
            self._quarantined[job.key] = log.name
            reached = max(reached, log.end)
        elif job.key not in self._quarantined:
            raise LogFailed(self.path, str(job.key), "there is no such log")
        path = f"{self.path}/{self._quarantined[job.key]}"
        bad.write(self.disk, path, bad.BadMark(job.now_ms, job.why, reached))

    def _reload(self, job: j.Reload) -> LoadedLog:
        offsets, warnings = self._open_offsets(), list[str]()
        log = reload(self._pool, job, self._logs, self._quarantined, offsets, warnings)
        return replace(self._loaded(log), warnings=tuple(warnings))

    def _salvage(self, job: j.Salvage) -> j.Salvaged:
        if job.key not in self._quarantined:
            raise LogFailed(self.path, str(job.key), "it is in use, or there is no such log")
        return salvage.salvage(self.disk, f"{self.path}/{self._quarantined[job.key]}", job)

    def _restore(self, job: j.Restore) -> LoadedLog:
        assert layout.is_discarded(job.name), f"{job.name} is in use"
        unique = self._new_id().hex if job.key.future else ""
        old = f"{self.path}/{job.name}"
        path = f"{self.path}/{layout.directory_name(job.key, unique)}"
        if job.key in self._logs or self.disk.stat(path) is not None:
            raise LogFailed(self.path, job.name, f"there is a {job.key} already")
        warnings: list[str] = []
        log = self._discarded.pop(job.name, None)
        mark = kept.read(self.disk, old) if log is None else None
        kept.remove(self.disk, old)
        self.disk.rename(old, path)
        self.disk.sync_dir(self.path)
        if log is None:
            # From before a restart: as after a crash. Without a mark all of it is looked at.
            bounds = KnownBounds() if mark is None else mark.bounds
            log = load_log(self._pool, path, job.key, bounds, warnings)
        else:
            log.moved(path, job.key)
        self._logs[job.key] = log
        return replace(self._loaded(log), warnings=tuple(warnings))

    def _forget(self, job: j.Forget) -> None:
        self._discarded.pop(job.name, None)

    def _promote(self, job: j.Promote) -> LoadedLog:
        future = job.key._replace(future=True)
        current = job.key._replace(future=False)
        log = self._log(future)
        path = f"{self.path}/{layout.directory_name(current)}"
        if current in self._logs or self.disk.stat(path) is not None:
            raise LogFailed(self.path, str(future), f"{current} is still in this directory")
        warnings: list[str] = []
        if log.confirmed < log.end:
            # Its source has failed before it could say that it was not cut: look at the bytes.
            log.let_go()
            bounds = KnownBounds(log.recovery_point, log.start)
            log = load_log(self._pool, log.path, future, bounds, warnings)
            self._logs[future] = log
        log.copied = None
        # B-21: all of it is on the medium before the other copy may be given up.
        log.tidy()
        log.sync()
        unbroken.move(log, log.end)
        log.let_go()
        self.disk.rename(log.path, path)
        self.disk.sync_dir(self.path)
        log.moved(path, current)
        del self._logs[future]
        self._logs[current] = log
        return replace(self._loaded(log), warnings=tuple(warnings))

    def _mark_copy(self, job: c.MarkCopy) -> c.CopyMark:
        return copy.begin(self._log(job.key))

    def _plan_copy(self, job: c.PlanCopy) -> c.CopyPlan:
        return copy.plan(self._log(job.key), job)

    def _adopt_copied(self, job: c.AdoptCopied) -> c.CopyProgress:
        log = self._log(job.key)
        if job.plan.aligns:
            restart = job.plan.restart
            low = log.floor(job.plan.keep) if restart is None else 0
            self._open_offsets().lower(log.key.topic_partition, low)
        return copy.adopt(log, job)

    def _plan_clean(self, job: k.PlanClean) -> k.CleanPlan | None:
        cleaned = self._open_offsets().cleaned.get(job.key.topic_partition, 0)
        return cleaning.plan(self._log(job.key), job, cleaned)

    def _adopt_cleaned(self, job: k.AdoptCleaned) -> j.LogStart | None:
        adopted = cleaning.adopt(self._log(job.key), job)
        if adopted is not None and job.cleaned_to is not None:
            self._open_offsets().clean(job.key.topic_partition, job.cleaned_to)
        return adopted


_HANDLERS: Final[dict[type[Any], Callable[[LogDirectory, Any], Any]]] = {
    j.Open: LogDirectory._open,
    j.Close: LogDirectory._close,
    j.Format: lambda d, job: adopt(d.disk, job, d._new_id),
    j.Release: LogDirectory._release,
    j.MeasureUsage: LogDirectory._measure,
    j.WriteCheckpoints: LogDirectory._checkpoint,
    j.CreateLog: LogDirectory._create,
    j.Configure: LogDirectory._configure,
    j.Append: lambda d, job: unbroken.append(d._log(job.key), job.batches, job.now_ms),
    j.Read: LogDirectory._read,
    Scrub: lambda d, job: scrub.scrub(d._pool, d._logs, d._blame, job),
    j.FindOffset: lambda d, job: find_offset(d._log(job.key), job.timestamp, job.limit),
    j.Truncate: LogDirectory._truncate,
    j.Reset: LogDirectory._reset,
    j.MoveLogStart: lambda d, job: d._log(job.key).move_start(job.offset),
    j.Retain: LogDirectory._retain,
    j.Flush: lambda d, job: d._log(job.key).sync(),
    j.MarkBad: LogDirectory._mark_bad,
    j.Reload: LogDirectory._reload,
    j.Salvage: LogDirectory._salvage,
    j.Discard: LogDirectory._discard,
    j.Restore: LogDirectory._restore,
    j.Forget: LogDirectory._forget,
    j.Weigh: lambda d, job: files.weigh(d.disk, f"{d.path}/{job.name}"),
    j.Promote: LogDirectory._promote,
    c.MarkCopy: LogDirectory._mark_copy,
    c.PlanCopy: LogDirectory._plan_copy,
    c.AdoptCopied: LogDirectory._adopt_copied,
    k.PlanClean: LogDirectory._plan_clean,
    k.AdoptCleaned: LogDirectory._adopt_cleaned,
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


def _subject(job: j.Job[Any]) -> str:
    return str(job.key) if isinstance(job, j.LogJob) else activity_of(job)
