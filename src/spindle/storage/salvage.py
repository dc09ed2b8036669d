"""Saves what is good of a damaged log that has no other replica (KIP-589): a segment at a time.

A segment with damage is moved into the bad copy beside, whole, and what is left of it, batch for
batch, takes its place; gaps in the offsets are what compaction leaves, too. Where a batch's own
header is wrong the start of the next one is unknown, and the segment ends there. A crash leaves a
log that is still marked as bad, and with what is good of each segment under its name or a temporary
one: the next run first renames the temporary one. Called by `directory`.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator

from spindle.model.errors import Corrupt
from spindle.model.jobs import Salvage, Salvaged
from spindle.storage import bad, layout, scan
from spindle.storage.blame import ONE_FILE
from spindle.storage.disk import Disk, File
from spindle.storage.index import relative

_KINDS = (layout.LOG, layout.INDEX, layout.TIME_INDEX, layout.TXN_INDEX)


def salvage(disk: Disk, path: str, job: Salvage) -> Salvaged:
    """Carry out the job on the log's directory at `path`. OSError."""
    name = layout.discarded_name(job.key, job.unique, "stray")
    aside = f"{job.directory}/{name}"
    names = _finished(disk, path)
    parsed = [p for p in map(layout.parse_segment_file, names) if p is not None]
    bases = sorted({p.offset for p in parsed if p.offset >= job.base})
    if not bases:
        return Salvaged(None, name)
    base, following = bases[0], base_after(bases)
    if not any(p == (base, layout.LOG) for p in parsed):
        _set_aside(disk, path, aside, job, base)
        return Salvaged(following, name, (f"segment {base} is missing: all of it",))
    size, good = _good_parts(disk, f"{path}/{layout.segment_file(base)}", base)
    kept = sum(end - start for start, end in good)
    if kept == size >= 0:
        return Salvaged(following, name)
    if good:
        _write(disk, path, layout.segment_file(base), good)
    _set_aside(disk, path, aside, job, base)
    _finished(disk, path)
    lost = "all of it" if size < 0 else f"{size - kept} of {size} bytes"
    return Salvaged(following, name, (f"segment {base}: {lost}",))


def base_after(bases: list[int]) -> int | None:
    """Where the next step begins."""
    return bases[0] + 1 if len(bases) > 1 else None


def _good_parts(disk: Disk, path: str, base: int) -> tuple[int, list[tuple[int, int]]]:
    """A segment's bytes (-1: unknown), and the stretches of them that are good."""
    good: list[tuple[int, int]] = []
    try:
        file = disk.open(path)
    except OSError as error:
        return -1, _unless_the_files(error, good)
    size = -1
    try:
        size = file.size()
        for start, end in _batches(file, size, base):
            if good and good[-1][1] == start:
                good[-1] = (good[-1][0], end)
            else:
                good.append((start, end))
    except OSError as error:
        _unless_the_files(error, good)
    finally:
        file.close()
    return size, good


def _unless_the_files(error: OSError, good: list[tuple[int, int]]) -> list[tuple[int, int]]:
    if error.errno not in ONE_FILE or error.errno == errno.EFBIG:
        raise error
    return good


def _batches(file: File, size: int, base: int) -> Iterator[tuple[int, int]]:
    """Where good batches begin and end."""
    position, offset = 0, base
    while position < size:
        try:
            for header in scan.scan(file, position, size, offset):
                relative(header.last_offset, base)
                position, offset = header.position + header.size, header.last_offset + 1
                yield header.position, position
        except Corrupt:
            try:
                position += next(scan.walk_headers(file, position, size)).size
            except Corrupt:
                return


def _set_aside(disk: Disk, path: str, aside: str, job: Salvage, base: int) -> None:
    if disk.stat(aside) is None:
        disk.make_dir(aside)
        bad.write(disk, aside, bad.BadMark(job.now_ms, job.why))
        disk.sync_dir(job.directory)
    for kind in _KINDS:
        name = layout.segment_file(base, kind)
        if disk.stat(f"{path}/{name}") is not None:
            disk.rename(f"{path}/{name}", f"{aside}/{name}")
    disk.sync_dir(aside)


def _write(disk: Disk, path: str, name: str, good: list[tuple[int, int]]) -> None:
    """Write what is good of a segment under a temporary name, durably."""
    source = disk.open(f"{path}/{name}")
    target = disk.open(f"{path}/{name}{layout.TEMPORARY}", create=True)
    try:
        target.truncate(0)
        at = 0
        for start, end in good:
            while start < end:
                copied = disk.copy(source, start, target, at, end - start)
                if not copied:
                    raise OSError(errno.EIO, "the segment has become shorter", f"{path}/{name}")
                start, at = start + copied, at + copied
        target.sync()
    finally:
        source.close()
        target.close()
    disk.sync_dir(path)


def _finished(disk: Disk, path: str) -> list[str]:
    """Give what was written its name, where the segment itself has gone; then all names."""
    names = disk.list(path)
    for name in names:
        plain = name.removesuffix(layout.TEMPORARY)
        parsed = layout.parse_segment_file(plain)
        if plain not in names and parsed is not None and parsed.kind == layout.LOG:
            disk.rename(f"{path}/{name}", f"{path}/{plain}")
    disk.sync_dir(path)
    return disk.list(path)
