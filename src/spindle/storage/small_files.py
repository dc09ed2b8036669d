"""The jobs on small files of a log directory: the metadata log's snapshots, remembered directories,
quorum state.

Names are relative to the directory and stay inside it. Called by `directory`.
"""

from __future__ import annotations

from spindle.model import jobs as j
from spindle.model.scrub_jobs import NoteScrubbed
from spindle.storage import files
from spindle.storage.disk import Disk
from spindle.storage.layout import TEMPORARY


def put(disk: Disk, job: j.PutFile) -> None:
    """Write a file whole; its folder is made if need be."""
    path = _inside(job, job.name)
    files.require_formatted(disk, job.directory)
    folder = path.rpartition("/")[0]
    if folder != job.directory and disk.stat(folder) is None:
        disk.make_dir(folder)
        disk.sync_dir(job.directory)
    files.replace(disk, path, job.data)


def note(disk: Disk, job: NoteScrubbed) -> None:
    """Write a file whole, without a sync."""
    path = _inside(job, job.name)
    files.require_formatted(disk, job.directory)
    files.write_in_place(disk, path + TEMPORARY, job.data)
    disk.rename(path + TEMPORARY, path)


def get(disk: Disk, job: j.GetFile) -> bytes | None:
    """Read a file whole; None where there is none."""
    return files.read_whole(disk, _inside(job, job.name))


def names(disk: Disk, job: j.ListFiles) -> tuple[str, ...]:
    """Names in the directory, or in one of its folders: none where that is missing."""
    if not job.name:
        return tuple(disk.list(job.directory))
    try:
        return tuple(disk.list(_inside(job, job.name)))
    except FileNotFoundError:
        return ()


def remove(disk: Disk, job: j.RemoveFile) -> None:
    """Unlink a file if it is there."""
    path = _inside(job, job.name)
    if files.remove_if_there(disk, path):
        disk.sync_dir(path.rpartition("/")[0])


def _inside(job: j.Job[object], name: str) -> str:
    assert name, "a file has a name"
    assert not name.startswith("/"), f"{name} is relative to the directory"
    assert ".." not in name.split("/"), f"{name} stays in the directory"
    return f"{job.directory}/{name}"
