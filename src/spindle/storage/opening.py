"""Opening a log directory: lock, identity, every log in it. The job `Open`, apart from the rest.

Called by `directory`. One bad log is quarantined, foreign names are left alone (B-15); an OSError
means that the directory cannot be used.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from spindle.model.errors import Corrupt, LogFailed
from spindle.model.ids import DirectoryId
from spindle.model.jobs import Open, Reload, ReloadManner
from spindle.model.log_values import BadCopy, KeptCopy, LogKey, OpenedDirectory, QuarantinedLog
from spindle.storage import bad, checkpoints, files, kept, layout, meta, unbroken
from spindle.storage.blame import GONE, OURS, Blame
from spindle.storage.disk import Disk, File
from spindle.storage.layout import EntryKind
from spindle.storage.log_loader import KnownBounds, load_log
from spindle.storage.offsets_files import OffsetFiles
from spindle.storage.pool import Pool
from spindle.storage.unified_log import UnifiedLog


@dataclass(slots=True)
class Opened:
    """An open directory: what `directory` goes on with, and what it reports."""

    lock: File
    offsets: OffsetFiles
    logs: dict[LogKey, UnifiedLog]
    quarantined: dict[LogKey, str]
    """Names of the directories of logs that could not be loaded."""
    result: OpenedDirectory


@dataclass(slots=True)
class _Names:
    """The names in a directory, sorted by what they are."""

    logs: list[tuple[str, LogKey]] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    kept: list[KeptCopy] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)
    bad: list[BadCopy] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)


def open_directory(
    pool: Pool, job: Open, new_id: Callable[[], DirectoryId], blame: Blame
) -> Opened:
    """Carry out `Open`. OSError. `blame` tells a bad log from a bad disk."""
    disk, path = pool.disk, job.directory
    found = disk.stat(path)
    if found is None:
        raise OSError(errno.ENOENT, "there is no such directory", path)
    if not found.is_directory:
        raise OSError(errno.ENOTDIR, "it is not a directory", path)
    identity = _identify(disk, job)  # Before the lock: an unmounted directory gets no file.
    lock = disk.lock(f"{path}/{layout.LOCK}")
    try:
        directory_id = _completed(disk, job, identity, new_id)
        return _open_locked(pool, job, directory_id, new_id, lock, blame)
    except OSError:
        lock.close()
        raise


def _open_locked(
    pool: Pool,
    job: Open,
    directory_id: DirectoryId,
    new_id: Callable[[], DirectoryId],
    lock: File,
    blame: Blame,
) -> Opened:
    disk, path = pool.disk, job.directory
    marker = files.read_whole(disk, f"{path}/{layout.CLEAN_SHUTDOWN}")
    if marker is not None:
        # Gone before anything changes, or the next start would trust what this run left.
        disk.remove(f"{path}/{layout.CLEAN_SHUTDOWN}")
        disk.sync_dir(path)
    warnings: list[str] = []
    offsets = OffsetFiles(disk, path, warnings)
    names = _sort_names(disk, path)
    logs: dict[LogKey, UnifiedLog] = {}
    quarantined: dict[LogKey, str] = {}
    reasons: list[QuarantinedLog] = []
    for name, key in names.logs:
        try:
            log = _load(pool, f"{path}/{name}", key, offsets, marker is not None, warnings)
        except (Corrupt, OSError) as wrong:
            if isinstance(wrong, OSError) and (
                layout.is_metadata(key)
                or wrong.errno in OURS
                or not blame.is_the_logs(wrong.errno or 0, name)
            ):
                raise
            suspect = isinstance(wrong, OSError) and wrong.errno not in GONE
            reasons.append(QuarantinedLog(name, key, _why(wrong), suspect))
            quarantined[key] = name
            pool.drop_under(f"{path}/{name}")
            continue
        if key in logs:
            names.deleted.append(_drop_shorter(pool, logs, log, new_id))
        else:
            logs[key] = log
    offsets.write_logs(logs.values(), (key.topic_partition for key in quarantined))
    result = OpenedDirectory(
        path,
        directory_id,
        marker is not None,
        checkpoints.decode_clean_shutdown(marker) if marker is not None else -1,
        tuple(
            log.loaded(offsets.high_watermarks.get(log.key.topic_partition, 0))
            for log in logs.values()
        ),
        tuple(names.deleted),
        tuple(names.kept),
        tuple(names.strays),
        tuple(names.bad),
        tuple(reasons),
        tuple(names.ignored),
        disk.usage(path),
        tuple(warnings),
    )
    return Opened(lock, offsets, logs, quarantined, result)


def _identify(disk: Disk, job: Open) -> meta.MetaProperties:
    """Read `meta.properties` and compare it with the node."""
    path = meta.path_of(job.directory)
    try:
        found = meta.read(disk, job.directory)
    except Corrupt as bad:
        raise OSError(errno.EINVAL, f"{path} is damaged: {bad}") from None
    if found is None:
        raise OSError(
            errno.ENOENT, "no meta.properties: not formatted, or its disk is not mounted", path
        )
    why = meta.foreign(job.directory, found, job.cluster_id, job.node_id)
    if why is not None:
        raise OSError(errno.EINVAL, why)
    return found


def _completed(
    disk: Disk, job: Open, found: meta.MetaProperties, new_id: Callable[[], DirectoryId]
) -> DirectoryId:
    """The directory's id; where `meta.properties` lacks one, it gets a new one."""
    if found.directory_id is not None:
        return found.directory_id
    directory_id = new_id()
    whole = meta.completed(found, job.cluster_id, job.node_id, directory_id)
    meta.write(disk, job.directory, whole)
    return directory_id


def _sort_names(disk: Disk, path: str) -> _Names:
    names = _Names()
    for name in disk.list(path):
        found = disk.stat(f"{path}/{name}")
        if found is None or not found.is_directory:
            continue
        kind, key = layout.parse_directory(name)
        if key is not None:
            names.logs.append((name, key))
        elif kind is EntryKind.DELETE:
            copy = kept.find(disk, path, name)
            if copy is None:
                names.deleted.append(name)
            else:
                names.kept.append(copy)
        elif kind is EntryKind.STRAY:
            damaged = bad.find(disk, path, name)
            if damaged is None:
                names.strays.append(name)
            else:
                names.bad.append(damaged)
        else:
            names.ignored.append(name)
    return names


def _load(
    pool: Pool, path: str, key: LogKey, offsets: OffsetFiles, clean: bool, warnings: list[str]
) -> UnifiedLog:
    mark = bad.read(pool.disk, path)
    if mark is not None:
        raise Corrupt(mark.why)
    name = key.topic_partition
    recovery_point = offsets.recovery_points.get(name, 0)
    bounds = KnownBounds(recovery_point, offsets.starts.get(name, 0), clean)
    bounds.compacted = offsets.cleaned.get(name, 0) > 0
    if not key.future and not layout.is_metadata(key):
        bounds.reached = offsets.reached(name)
    log = load_log(pool, path, key, bounds, warnings)
    if layout.is_metadata(key) and not clean:
        # Other voters count on what this log holds: it must be on the medium, not in a cache.
        log.sync()
    elif not clean and log.topic_id is not None and name not in offsets.recovery_points:
        # A process that was killed while it made this log may not have synced its topic id.
        sync_topic_id(log)
    return log


def sync_topic_id(log: UnifiedLog) -> None:
    """Put a new log's topic id on the medium: with records, and without it, no start loads it."""
    path = f"{log.path}/{layout.PARTITION_METADATA}"
    log.pool.file(path).sync()
    log.pool.drop(path)


def reload(
    pool: Pool,
    job: Reload,
    logs: dict[LogKey, UnifiedLog],
    quarantined: dict[LogKey, str],
    offsets: OffsetFiles,
    warnings: list[str],
) -> UnifiedLog:
    """Carry out `Reload`, of a log in use or one that could not be loaded. Corrupt, OSError."""
    known = logs.get(job.key)
    if known is None and job.key not in quarantined:
        raise LogFailed(job.directory, str(job.key), "there is no such log")
    if known is not None:
        known.local.let_go()
        bounds = KnownBounds(known.recovery_point, known.start, reached=known.end)
        log = load_log(pool, known.path, job.key, bounds, warnings)
        log.local.settings = known.local.settings
    else:
        path = f"{job.directory}/{quarantined[job.key]}"
        try:
            log = _LOADERS[job.manner](pool, path, job.key, offsets, warnings)
        except (Corrupt, OSError):
            # Another log may come to this path: it must not get the descriptors of this one.
            pool.drop_under(path)
            raise
    logs[job.key] = log
    quarantined.pop(job.key, None)
    if job.manner is not ReloadManner.AGAIN:
        offsets.lower_mark(job.key.topic_partition, log.end)
        offsets.write_logs(logs.values(), (k.topic_partition for k in quarantined))
    return log


def _load_again(
    pool: Pool, path: str, key: LogKey, offsets: OffsetFiles, warnings: list[str]
) -> UnifiedLog:
    return _load(pool, path, key, offsets, False, warnings)


def _load_mended(
    pool: Pool, path: str, key: LogKey, offsets: OffsetFiles, warnings: list[str]
) -> UnifiedLog:
    """Each byte of a log that is marked as bad is looked at, and nothing may be missing."""
    mark, name = bad.read(pool.disk, path), key.topic_partition
    reached = max(offsets.reached(name), mark.reached if mark is not None else 0)
    point, start = offsets.recovery_points.get(name, 0), offsets.starts.get(name, 0)
    bounds = KnownBounds(point, start, reached=reached, whole=True)
    bounds.compacted = offsets.cleaned.get(name, 0) > 0
    log = load_log(pool, path, key, bounds, warnings)
    return _unmarked(pool, log)


def _load_rest(
    pool: Pool, path: str, key: LogKey, offsets: OffsetFiles, warnings: list[str]
) -> UnifiedLog:
    """Where damage was taken out offsets are missing: a hole must not end the log, now or later."""
    start = offsets.starts.get(key.topic_partition, 0)
    log = load_log(pool, path, key, KnownBounds(0, start, whole=True, holes=True), warnings)
    return _unmarked(pool, log)


def _unmarked(pool: Pool, log: UnifiedLog) -> UnifiedLog:
    log.recovery_point = log.segments[0].base
    log.sync()
    unbroken.move(log, log.end)
    bad.remove(pool.disk, log.path)
    pool.disk.sync_dir(log.path)
    return log


_LOADERS: Final = {
    ReloadManner.AGAIN: _load_again,
    ReloadManner.MENDED: _load_mended,
    ReloadManner.LOSS_ACCEPTED: _load_rest,
}


def _drop_shorter(
    pool: Pool, logs: dict[LogKey, UnifiedLog], log: UnifiedLog, new_id: Callable[[], DirectoryId]
) -> str:
    """Of two future logs of one partition keep the longer; the other's new name."""
    other = logs[log.key]
    if log.end > other.end:
        logs[log.key], log = log, other
    root, _, _ = log.path.rpartition("/")
    name = layout.discarded_name(log.key, new_id().hex, "delete")
    log.local.let_go()
    pool.disk.rename(log.path, f"{root}/{name}")
    pool.disk.sync_dir(root)
    return name


def _why(wrong: Corrupt | OSError) -> str:
    return explain(wrong) if isinstance(wrong, OSError) else str(wrong)


def explain(error: OSError) -> str:
    """An OSError as text: what is wrong, and where."""
    text = error.strerror or (os.strerror(error.errno) if error.errno else str(error))
    return f"{text}: {error.filename}" if error.filename else text
