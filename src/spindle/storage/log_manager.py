"""The logs of one open log directory: each job on a log, by the log's key.

Exists from the directory's opening until it is let go. Belongs to the directory's thread; called
by `directory`, which judges the errors: OSError, Corrupt, LogFailed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeVar

from spindle.model import cleaning_jobs as k
from spindle.model import copying_jobs as c
from spindle.model import jobs as j
from spindle.model.errors import LogFailed
from spindle.model.ids import DirectoryId
from spindle.model.log_values import LoadedLog, LogKey
from spindle.storage import (
    bad,
    checkpoints,
    cleaning,
    copy,
    files,
    kept,
    layout,
    reading,
    salvage,
    unbroken,
)
from spindle.storage.disk import Disk
from spindle.storage.local_log import SYNC_AFTER_CHECKPOINTS
from spindle.storage.log_loader import KnownBounds, load_log
from spindle.storage.lookup import find_offset
from spindle.storage.offsets_files import OffsetFiles
from spindle.storage.opening import reload, sync_topic_id
from spindle.storage.pool import Pool
from spindle.storage.scrub import ScrubOrder
from spindle.storage.unified_log import UnifiedLog

T = TypeVar("T")
Handlers = dict[type[j.Job[object]], Callable[[T, Any], object]]
"""What is done for each job, by its type."""


class LogManager:
    """The logs in the directory at `path`, those that could not be loaded, and their offset files.

    `created`: logs that were made and are not on the medium yet; the group's end makes them so.
    """

    def __init__(
        self,
        pool: Pool,
        path: str,
        offsets: OffsetFiles,
        logs: dict[LogKey, UnifiedLog],
        quarantined: dict[LogKey, str],
        new_id: Callable[[], DirectoryId],
    ) -> None:
        self.disk: Disk = pool.disk
        self.pool = pool
        self.path = path
        self.offsets = offsets
        self.logs = logs
        self.quarantined = quarantined
        self.created: list[LogKey] = []
        self.scrub_order = ScrubOrder()
        self._discarded: dict[str, UnifiedLog] = {}
        """Logs that were renamed away, by their new names, as they were; until they are purged."""
        self._new_id = new_id

    def log(self, key: LogKey) -> UnifiedLog:
        """The log of a key; LogFailed where there is none to work with."""
        log = self.logs.get(key)
        if log is None:
            why = "it could not be loaded" if key in self.quarantined else "there is no such log"
            raise LogFailed(self.path, str(key), why)
        return log

    def loaded(self, log: UnifiedLog) -> LoadedLog:
        """A log as a value, with its checkpointed high watermark."""
        return log.loaded(self.offsets.high_watermarks.get(log.key.topic_partition, 0))

    # --- all of them --------------------------------------------------------------------------

    def commit_created(self) -> None:
        """Put the names and ids of new logs on the medium. OSError: it is still to be done."""
        for key in self.created:
            if key in self.logs:
                sync_topic_id(self.logs[key])
                self.disk.sync_dir(self.logs[key].path)
        if self.created:
            self.disk.sync_dir(self.path)
        self.created = []

    def commit(self, key: LogKey) -> None:
        """Put what was appended to a log on the medium. OSError."""
        if key in self.logs:
            self.logs[key].sync()

    def close(self) -> None:
        """Have all logs on the medium, as a clean shutdown promises, and let go of them."""
        for log in self.logs.values():
            log.close()
        self._write_offsets()

    def checkpoint(self) -> None:
        """Write the offset files; put sealed segments on the medium that have waited for it."""
        for log in self.logs.values():
            if log.local.count_checkpoint():
                log.sync_sealed(SYNC_AFTER_CHECKPOINTS)
        self._write_offsets()

    def _write_offsets(self) -> None:
        waiting = (key.topic_partition for key in self.quarantined)
        self.offsets.write_logs(self.logs.values(), waiting)

    # --- one log ------------------------------------------------------------------------------

    def _create(self, job: j.CreateLog) -> LoadedLog:
        known = self.logs.get(job.key)
        if known is None:
            known = self._make(job)
            self.created.append(job.key)
        known.local.settings = job.settings
        return self.loaded(known)

    def _make(self, job: j.CreateLog) -> UnifiedLog:
        if job.key in self.quarantined:
            raise LogFailed(self.path, str(job.key), "it could not be loaded; discard it first")
        name = layout.directory_name(job.key, self._new_id().hex if job.key.future else "")
        path = f"{self.path}/{name}"
        other = self.logs.get(job.key._replace(future=not job.key.future))
        if other is None:
            self.offsets.forget(job.key.topic_partition)
        files.require_formatted(self.disk, self.path)
        # The metadata log's snapshots may be there before it. Nothing else there is Spindle's.
        made = not layout.is_metadata(job.key) or self.disk.stat(path) is None
        if made:
            self.disk.make_dir(path)
        try:
            data = checkpoints.encode_topic_id(job.topic_id)
            files.write_in_place(self.disk, f"{path}/{layout.PARTITION_METADATA}", data)
            log = load_log(self.pool, path, job.key, KnownBounds(), [])
        except OSError:
            self.pool.drop_under(path)  # The disk is full, say: it is made on another one.
            if made:
                files.remove_tree(self.disk, path)
            raise
        self.logs[job.key] = log
        return log

    def _configure(self, job: j.Configure) -> None:
        self.log(job.key).local.settings = job.settings

    def _truncate(self, job: j.Truncate) -> LoadedLog:
        log = self.log(job.key)
        if job.offset < log.end:
            name, floor = log.key.topic_partition, log.local.floor(job.offset)
            self.offsets.lower(name, floor)
            if not log.key.future:
                self.offsets.lower_mark(name, floor)
            log.truncate(job.offset)
            unbroken.after_cut(log, floor)
        return self.loaded(log)

    def _reset(self, job: j.Reset) -> LoadedLog:
        log = self.log(job.key)
        self.offsets.lower(log.key.topic_partition, 0)
        if not log.key.future:
            self.offsets.lower_mark(log.key.topic_partition, 0)
        log.reset(job.offset)
        unbroken.after_cut(log, 0)
        return self.loaded(log)

    def _flush(self, job: j.Flush) -> None:
        log = self.log(job.key)
        log.sync()
        if job.key.future and log.recovery_point > (log.unbroken or 0):
            unbroken.move(log, log.recovery_point)  # Before appends are blocked for the swap.

    # --- deleting and moving ------------------------------------------------------------------

    def _discard(self, job: j.Discard) -> str:
        log = self.logs.get(job.key)
        if log is not None:
            old = log.path
            log.local.let_go()
        elif job.key in self.quarantined:
            old = f"{self.path}/{self.quarantined[job.key]}"
            self.pool.drop_under(old)
        else:
            raise LogFailed(self.path, str(job.key), "there is no such log")
        name = layout.discarded_name(job.key, job.unique, job.suffix)
        try:
            self.disk.rename(old, f"{self.path}/{name}")
        except FileNotFoundError:
            # The log was removed by hand: that, too, is the end of it.
            if self.disk.stat(f"{self.path}/{layout.META_PROPERTIES}") is None:
                raise
        if log is not None:
            self._discarded[name] = log
        self.logs.pop(job.key, None)
        self.quarantined.pop(job.key, None)
        self.disk.sync_dir(self.path)
        if log is not None and job.keep_until_ms:
            mark = kept.KeptMark(job.keep_until_ms, KnownBounds(log.recovery_point, log.start))
            kept.write(self.disk, f"{self.path}/{name}", mark)
        return name

    def _mark_bad(self, job: j.MarkBad) -> None:
        log = self.logs.pop(job.key, None)
        reached = max(job.reached, self.offsets.reached(job.key.topic_partition))
        if log is not None:
            log.local.let_go()
            self.quarantined[job.key] = log.local.name
            reached = max(reached, log.end)
        elif job.key not in self.quarantined:
            raise LogFailed(self.path, str(job.key), "there is no such log")
        path = f"{self.path}/{self.quarantined[job.key]}"
        bad.write(self.disk, path, bad.BadMark(job.now_ms, job.why, reached))

    def _reload(self, job: j.Reload) -> LoadedLog:
        offsets, warnings = self.offsets, list[str]()
        log = reload(self.pool, job, self.logs, self.quarantined, offsets, warnings)
        return replace(self.loaded(log), warnings=tuple(warnings))

    def _salvage(self, job: j.Salvage) -> j.Salvaged:
        if job.key not in self.quarantined:
            raise LogFailed(self.path, str(job.key), "it is in use, or there is no such log")
        return salvage.salvage(self.disk, f"{self.path}/{self.quarantined[job.key]}", job)

    def _restore(self, job: j.Restore) -> LoadedLog:
        assert layout.is_discarded(job.name), f"{job.name} is in use"
        unique = self._new_id().hex if job.key.future else ""
        old = f"{self.path}/{job.name}"
        path = f"{self.path}/{layout.directory_name(job.key, unique)}"
        if job.key in self.logs or self.disk.stat(path) is not None:
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
            log = load_log(self.pool, path, job.key, bounds, warnings)
        else:
            log.moved(path, job.key)
        self.logs[job.key] = log
        return replace(self.loaded(log), warnings=tuple(warnings))

    def _forget(self, job: j.Forget) -> None:
        self._discarded.pop(job.name, None)

    def _promote(self, job: j.Promote) -> LoadedLog:
        future = job.key._replace(future=True)
        current = job.key._replace(future=False)
        log = self.log(future)
        path = f"{self.path}/{layout.directory_name(current)}"
        if current in self.logs or self.disk.stat(path) is not None:
            raise LogFailed(self.path, str(future), f"{current} is still in this directory")
        warnings: list[str] = []
        if log.confirmed < log.end:
            # Its source has failed before it could say that it was not cut: look at the bytes.
            log.local.let_go()
            bounds = KnownBounds(log.recovery_point, log.start)
            log = load_log(self.pool, log.path, future, bounds, warnings)
            self.logs[future] = log
        log.copied = None
        # B-21: all of it is on the medium before the other copy may be given up.
        log.tidy()
        log.sync()
        unbroken.cover(log)
        log.local.let_go()
        self.disk.rename(log.path, path)
        if job.synced:
            self.disk.sync_dir(self.path)
        log.moved(path, current)
        del self.logs[future]
        self.logs[current] = log
        return replace(self.loaded(log), warnings=tuple(warnings))

    def _adopt_copied(self, job: c.AdoptCopied) -> c.CopyProgress:
        log = self.log(job.key)
        if job.plan.aligns:
            restart = job.plan.restart
            low = log.local.floor(job.plan.keep) if restart is None else 0
            self.offsets.lower(log.key.topic_partition, low)
        return copy.adopt(log, job)

    def _plan_clean(self, job: k.PlanClean) -> k.CleanPlan | None:
        cleaned = self.offsets.cleaned.get(job.key.topic_partition, 0)
        return cleaning.plan(self.log(job.key), job, cleaned)

    def _adopt_cleaned(self, job: k.AdoptCleaned) -> j.LogStart | None:
        adopted = cleaning.adopt(self.log(job.key), job)
        if adopted is not None and job.cleaned_to is not None:
            self.offsets.clean(job.key.topic_partition, job.cleaned_to)
        return adopted


LOG_HANDLERS: Final[Handlers[LogManager]] = {
    j.CreateLog: LogManager._create,
    j.Configure: LogManager._configure,
    j.Append: lambda logs, job: unbroken.append(logs.log(job.key), job.batches, job.now_ms),
    j.Read: lambda logs, job: reading.read(logs.log(job.key), job),
    j.FindOffset: lambda logs, job: find_offset(logs.log(job.key), job.timestamp, job.limit),
    j.Truncate: LogManager._truncate,
    j.Reset: LogManager._reset,
    j.MoveLogStart: lambda logs, job: logs.log(job.key).move_start(job.offset),
    j.Retain: lambda logs, job: logs.log(job.key).retain(
        job.retention_ms, job.retention_bytes, job.limit, job.now_ms
    ),
    j.Flush: LogManager._flush,
    j.MarkBad: LogManager._mark_bad,
    j.Reload: LogManager._reload,
    j.Salvage: LogManager._salvage,
    j.Discard: LogManager._discard,
    j.Restore: LogManager._restore,
    j.Forget: LogManager._forget,
    j.Promote: LogManager._promote,
    c.MarkCopy: lambda logs, job: copy.begin(logs.log(job.key)),
    c.PlanCopy: lambda logs, job: copy.plan(logs.log(job.key), job),
    c.AdoptCopied: LogManager._adopt_copied,
    k.PlanClean: LogManager._plan_clean,
    k.AdoptCleaned: LogManager._adopt_cleaned,
}
"""What is done for each job on a log of an open directory."""
