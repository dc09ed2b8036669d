"""Jobs that run beside their directory's thread: they know paths and files, and no log's state.

An OSError means the disk. Called by `directory`, on whatever thread the driver has for the job.
"""

from __future__ import annotations

import errno

from spindle.model.cleaning_jobs import CleanBytes
from spindle.model.computing import CheckRecords, Compute
from spindle.model.copying_jobs import CopyBytes
from spindle.model.errors import DiskFailed, Failure, Refusal
from spindle.model.jobs import Job, Probe, Purge, Sweep, SyncNames, WriteHighWatermarks
from spindle.model.scrub_jobs import NoteScrubbed
from spindle.storage import copy, files, kept, layout, offsets_files, rewriting, small_files
from spindle.storage.blame import PROBE_BESIDE, measure
from spindle.storage.disk import Disk
from spindle.storage.naming import activity_of
from spindle.storage.opening import explain


def run(disk: Disk, job: Job[object]) -> object:
    """Carry a job out: its result, or the Failure that came instead."""
    try:
        if isinstance(job, CleanBytes):
            return rewriting.step(disk, job)
        if isinstance(job, Compute):
            return job.work()
        if isinstance(job, CheckRecords):
            return job.walk.step(job.most)
        if isinstance(job, Purge):
            return _purge(disk, job)
        if isinstance(job, Sweep):
            return _sweep(disk, job)
        if isinstance(job, SyncNames):
            disk.sync_dir(job.directory)
            return None
        if isinstance(job, WriteHighWatermarks):
            path = f"{job.directory}/{layout.HIGH_WATERMARKS}"
            offsets_files.write(disk, path, job.marks)
            return None
        if isinstance(job, Probe):
            return measure(disk, job.directory, write=job.write, name=PROBE_BESIDE)
        if isinstance(job, NoteScrubbed):
            small_files.note(disk, job)
            return None
        assert isinstance(job, CopyBytes)
        return copy.copy_bytes(disk, job)
    except OSError as error:
        code = error.errno or errno.EIO
        return DiskFailed(job.directory, activity_of(job), code, explain(error))
    except (Failure, Refusal) as told:
        return told


def _purge(disk: Disk, job: Purge) -> int:
    assert layout.is_discarded(job.name), f"{job.name} is in use"
    path = f"{job.directory}/{job.name}"
    kept.remove(disk, path)  # First: what is deleted in part is no copy that a move may take up.
    freed = files.remove_tree(disk, path)
    disk.sync_dir(job.directory)
    return freed


def _sweep(disk: Disk, job: Sweep) -> int:
    path = f"{job.directory}/{layout.directory_name(job.key)}"
    try:
        names = disk.list(path)
    except FileNotFoundError:
        return 0  # It has been moved or deleted, and they with it.
    doomed = [f"{path}/{name}" for name in names if layout.is_set_aside(name)]
    return sum(files.remove_tree(disk, file) for file in doomed)
