"""A bad replica or a bad disk? What an error on one log's file is to be taken for (K589-02, B-28).

The rule is pure: an errno, whether the disk passes a probe at that moment, and how many other logs
have failed so since the directory was opened. The probe itself writes, syncs and reads a small
file. Called by `directory`, `opening` and `scrub`.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Any, Final

from spindle.model import copying as c
from spindle.model import jobs as j
from spindle.storage import files, layout
from spindle.storage.disk import Disk

OURS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.EAGAIN})
"""These say that the process lacks something, not that the disk is bad."""

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
"""A full disk is not a dead disk (B-12)."""

GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR})
"""The file is not there: somebody's hand, or a file system that was repaired."""

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
    }
)
"""What a single file can say, by a bad sector, a wrong checksum, rights or mischief, on a disk
that is well otherwise."""

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

PROBE: Final = ".probe"


class Blame:
    """The judge of one directory, from its opening on."""

    def __init__(self, probe: Callable[[], bool]) -> None:
        self._probe = probe
        self._victims: dict[str, None] = {}

    def is_of_log(self, job: j.Job[Any], number: int) -> bool:
        """Whether an errno that a job has met concerns the job's log alone."""
        if not isinstance(job, j.LogJob) or layout.is_metadata(job.key):
            return False
        on_files = type(job) in _ON_FILES or number in OURS or number in GONE
        return on_files and self.is_the_logs(number, str(job.key))

    def is_the_logs(self, number: int, log: str) -> bool:
        """Whether an errno on a file of `log` concerns that log alone; else it is the disk's."""
        if number in OURS:
            return True
        if number not in GONE and number not in ONE_FILE:
            return False
        if not self._probe():
            return False
        if number in GONE:
            return True
        self._victims[log] = None
        return len(self._victims) <= VICTIMS_MAX


def probe(disk: Disk, directory: str) -> bool:
    """Whether a directory is there, and takes and gives bytes."""
    path = f"{directory}/{PROBE}"
    try:
        if disk.stat(f"{directory}/{layout.META_PROPERTIES}") is None:
            return False
        files.replace(disk, path, PROBE.encode())
        well = files.read_whole(disk, path) == PROBE.encode()
        disk.remove(path)
    except OSError:
        return False
    return well
