"""Small files whole: read, and replaced so that a power cut leaves the old one or the new one.

Knows the Disk port and no format. Called by the rest of the storage room.
"""

from __future__ import annotations

import errno
from typing import Final

from spindle.storage.disk import Disk
from spindle.storage.layout import META_PROPERTIES, TEMPORARY

SMALL_MAX: Final = 1 << 30
"""A file that is read whole may not be larger (bytes)."""


def read_whole(disk: Disk, path: str) -> bytes | None:
    """All bytes of a file, or None where there is none; OSError EFBIG where it is absurd."""
    try:
        file = disk.open(path)
    except FileNotFoundError:
        return None
    try:
        size = file.size()
        if size > SMALL_MAX:
            raise OSError(errno.EFBIG, f"{path} has {size} bytes, more than it can need", path)
        return file.read(0, size)
    finally:
        file.close()


def require_formatted(disk: Disk, directory: str) -> None:
    """OSError (ENOENT) where a log directory has no `meta.properties`: its disk is not mounted.

    The caller asks before it makes a file by its path there: Spindle writes nothing below a mount
    point whose disk is missing.
    """
    if disk.stat(f"{directory}/{META_PROPERTIES}") is None:
        raise OSError(errno.ENOENT, "there is no meta.properties", directory)


def replace(disk: Disk, path: str, data: bytes, *, durable: bool = True) -> None:
    """Put `data` in the place of what is at `path`, atomically.

    Temporary, fsync, rename, fsync of the directory. `durable=False` leaves out the last fsync:
    for a caller that syncs the directory itself, once for several files.
    """
    temporary = path + TEMPORARY
    file = disk.open(temporary, create=True)
    try:
        # Not cut first: whatever an earlier attempt left behind that is longer goes afterwards.
        if data:
            file.write(0, [data])
        file.truncate(len(data))
        file.sync()
    finally:
        file.close()
    disk.rename(temporary, path)
    if durable:
        disk.sync_dir(path.rpartition("/")[0])


def weigh(disk: Disk, path: str) -> int:
    """Bytes of a file, or of all files below a directory; 0 where there is nothing."""
    found = disk.stat(path)
    if found is None or not found.is_directory:
        return 0 if found is None else found.size
    return sum(weigh(disk, f"{path}/{name}") for name in disk.list(path))


def write_in_place(disk: Disk, path: str, data: bytes) -> None:
    """Write a new small file. A reader that finds it torn must be able to do without it."""
    file = disk.open(path, create=True)
    try:
        file.write(0, [data])
        file.truncate(len(data))
    finally:
        file.close()


def remove_tree(disk: Disk, path: str) -> int:
    """Unlink a file, or a directory with all below it; the bytes that are free now."""
    found = disk.stat(path)
    if found is None:
        return 0
    freed = found.size
    if found.is_directory:
        freed = sum(remove_tree(disk, f"{path}/{name}") for name in disk.list(path))
    disk.remove(path)
    return freed


def remove_if_there(disk: Disk, path: str) -> bool:
    """Unlink a file; whether it was there."""
    try:
        disk.remove(path)
    except FileNotFoundError:
        return False
    return True
