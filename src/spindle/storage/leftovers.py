"""What an interrupted run left in a log's directory: half written, half deleted, half cleaned.

Compaction works through `.cleaned` and `.swap` files, in Apache Kafka as here; a directory that
was not closed may hold them. Called by `log_loader` before anything else is looked at.
"""

from __future__ import annotations

from spindle.storage import files, layout, scan
from spindle.storage.disk import Disk


def clear(disk: Disk, path: str, warnings: list[str]) -> list[str]:
    """Finish or undo what was interrupted; the names that are left, sorted. Corrupt, OSError."""
    names = disk.list(path)
    half = (layout.CLEANED, layout.TEMPORARY)
    doomed = [n for n in names if n.endswith(half) or layout.is_set_aside(n)]
    swaps = [n for n in names if n.endswith(layout.SWAP)]
    if not doomed and not swaps:
        return names
    cleaned = [_base(n) for n in names if n.endswith(layout.CLEANED)]
    if cleaned:
        # The cleaning had not come to its end: what it swapped in from there on is incomplete.
        doomed += [n for n in swaps if _base(n) >= min(cleaned)]
    valid = [n for n in swaps if n not in doomed]
    for name in valid:
        if name.endswith(layout.LOG + layout.SWAP):
            doomed += _replaced(disk, path, name, names)
    for name in dict.fromkeys(doomed):
        files.remove_if_there(disk, f"{path}/{name}")
    for name in valid:
        warnings.append(f"{path}: {name}: an interrupted compaction is completed")
        disk.rename(f"{path}/{name}", f"{path}/{name.removesuffix(layout.SWAP)}")
    disk.sync_dir(path)
    return disk.list(path)


def _base(name: str) -> int:
    digits = name.partition(".")[0]
    return int(digits) if digits.isdigit() else 0


def _replaced(disk: Disk, path: str, name: str, names: list[str]) -> list[str]:
    """The segment files that a swapped-in segment takes the place of."""
    base = _base(name)
    end = base + 1
    file = disk.open(f"{path}/{name}")
    try:
        for step in scan.walk(file, 0, file.size()):
            end = max(end, step.last_offset + 1)
    finally:
        file.close()
    parsed = [(n, layout.parse_segment_file(n)) for n in names]
    return [n for n, p in parsed if p is not None and base <= p.offset < end]
