"""A bad replica or a bad disk? What an error on one log's file is to be taken for (K589-02, B-28).

The rule is pure: an errno, whether the disk passes a probe at that moment, and how many other logs
have failed so since the directory was opened. The probe itself writes, syncs and reads a small
file. Called by `directory`, `opening` and `scrub`.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Final

from spindle.model import copying_jobs as c
from spindle.model import jobs as j
from spindle.model.log_values import Usage
from spindle.storage import files, layout
from spindle.storage.disk import Disk, File

OURS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.EAGAIN})
"""These say that the process lacks something, not that the disk is bad."""

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
"""A full disk is not a dead disk (B-12)."""

GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR})
"""The file is not there: it was removed by hand, or a repair of the file system took it."""

NAMES: Final = frozenset({errno.EEXIST, errno.ENOTEMPTY, errno.ENAMETOOLONG})
"""A name is taken, or cannot be: something else is where a log's directory should be."""

ONE_FILE: Final = frozenset(
    {
        errno.EIO,
        errno.EBADMSG,
        errno.EUCLEAN,
        errno.EACCES,
        errno.EPERM,
        errno.EISDIR,
        errno.ELOOP,
        errno.EFBIG,
        errno.ESPIPE,
        errno.ENXIO,
    }
)
"""What a single file can say, by a bad sector, a wrong checksum, rights or mischief (a pipe in its
place), on a disk that is well otherwise."""

_NO_DIRECTORY: Final = frozenset({errno.EISDIR, errno.ELOOP})
"""A directory is where a file should be, or a link leads nowhere: the one log's names are wrong."""

_ON_FILES: Final = frozenset(
    {
        j.Append,
        j.Read,
        j.FindOffset,
        j.Truncate,
        j.MoveLogStart,
        j.Retain,
        j.Reload,
        j.MarkBad,
        j.Salvage,
        c.PlanCopy,
    }
)
"""Jobs on a log's own files; the others change names, which is the file system's matter."""

VICTIMS_MAX: Final = 5
"""Logs that may fail so: a disk which loses file after file is bad, whatever its probes say."""

PROBE, PROBE_BESIDE = ".probe", ".probe-beside"
"""What the directory's thread writes to see whether that works, and what the lane beside it does:
two files, for it may be at the same time, and neither must find its own gone."""


class Blame:
    """The judge of one directory, from its opening on."""

    def __init__(self, probe: Callable[[], bool]) -> None:
        self._probe = probe
        self._victims: dict[str, None] = {}

    def is_of_log(self, job: j.Job[object], number: int) -> bool:
        """Whether an errno that a job has met concerns the job's log alone."""
        if not isinstance(job, j.LogJob) or layout.is_metadata(job.key):
            return False
        by_name = number in OURS or number in GONE or number in NAMES or number in _NO_DIRECTORY
        on_files = type(job) in _ON_FILES or by_name
        return on_files and self.is_the_logs(number, str(job.key))

    def is_the_logs(self, number: int, log: str) -> bool:
        """Whether an errno on a file of `log` concerns that log alone; else it is the disk's."""
        if number in OURS:
            return True
        if number not in GONE and number not in NAMES and number not in ONE_FILE:
            return False
        if not self._probe():
            return False
        if number in GONE or number in NAMES or number in _NO_DIRECTORY:
            return True
        self._victims[log] = None
        return len(self._victims) <= VICTIMS_MAX


def sync(file: File) -> None:
    """Put on the medium what was written to a file of a log. OSError.

    After a failure the medium may hold anything, and another try would not tell: it is EIO, also
    where the file system found no room for what it had taken already (delayed allocation).
    """
    try:
        file.sync()
    except OSError as error:
        if error.errno not in FULL and error.errno not in OURS:
            raise
        raise OSError(errno.EIO, f"not synced: {error.strerror}", error.filename) from error


def probe(disk: Disk, directory: str) -> bool:
    """Whether a directory is there, and takes and gives bytes."""
    try:
        measure(disk, directory, write=True)
    except OSError:
        return False
    return True


def measure(disk: Disk, directory: str, *, write: bool, name: str = PROBE) -> Usage:
    """Bytes of a directory's file system; with `write` a file is written and read. OSError.

    `name`: of that file, which no other thread may write.
    """
    files.require_formatted(disk, directory)
    if write:
        path = f"{directory}/{name}"
        files.replace(disk, path, PROBE.encode())
        if files.read_whole(disk, path) != PROBE.encode():
            raise OSError(errno.EIO, "what was written is not what is read", path)
        disk.remove(path)
    return disk.usage(directory)
