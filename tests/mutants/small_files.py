"""Mutants of small files and checkpoints: each sync left out, orders of writes exchanged."""

from __future__ import annotations

from tests.mutants.kind import MOVES, STORAGE, mutants

SMALL_FILES = [
    *mutants(
        "storage/files.py",
        STORAGE,
        (
            "a small file gets its name before its bytes are there",
            "        file.sync()\n    finally:",
            "    finally:",
        ),
        (
            "a small file's name is not synced",
            "    if durable:\n        disk.sync_dir",
            "    if not path:\n        disk.sync_dir",
        ),
        (
            "a small file is written in place",
            "    temporary = path + TEMPORARY\n",
            "    temporary = path\n",
        ),
        (
            "a small file keeps the end of a longer one",
            "        file.truncate(len(data))\n        file.sync()",
            "        file.sync()",
        ),
        (
            "a file that is written in place keeps the end of a longer one",
            "        file.truncate(len(data))\n    finally:",
            "    finally:",
        ),
        (
            "a large tree goes from its top",
            '        freed = sum(remove_tree(disk, f"{path}/{name}") for name in disk.list(path))',
            '        freed = sum(remove_tree(disk, f"{path}/{name}")'
            " for name in disk.list(path)[1:])",
        ),
    ),
    *mutants(
        "storage/small_files.py",
        STORAGE,
        (
            "the folder of a small file is not synced",
            "        disk.make_dir(folder)\n        disk.sync_dir(job.directory)",
            "        disk.make_dir(folder)",
        ),
        (
            "a small file's end is not synced",
            "    if files.remove_if_there(disk, path):\n        disk.sync_dir",
            "    if files.remove_if_there(disk, path) and not path:\n        disk.sync_dir",
        ),
    ),
    *mutants(
        "storage/beside.py",
        MOVES,
        (
            "a purge leaves a kept copy's mark to the last",
            "    kept.remove(disk, path)",
            "    pass",
        ),
        (
            "a purge is not synced",
            "    disk.sync_dir(job.directory)\n    return freed",
            "    return freed",
            "What comes back has no mark and its `-delete` name: the next start removes it.",
        ),
    ),
    *mutants(
        "storage/kept.py",
        MOVES,
        (
            "the end of a kept copy's mark is not synced",
            '    if files.remove_if_there(disk, f"{path}/{layout.KEPT}"):\n'
            "        disk.sync_dir(path)",
            '    files.remove_if_there(disk, f"{path}/{layout.KEPT}")',
        ),
    ),
    *mutants(
        "storage/leftovers.py",
        STORAGE,
        (
            "what a cleaning left is cleared, unsynced",
            "    disk.sync_dir(path)\n    return disk.list(path)",
            "    return disk.list(path)",
            "A directory's changes reach the medium in order, and what comes back is cleared again;"
            " the code that raises the recovery point or moves the log's end syncs it first.",
        ),
        (
            "a swap gets its name before the old segments have gone",
            "    for name in dict.fromkeys(doomed):\n"
            '        files.remove_if_there(disk, f"{path}/{name}")\n',
            "    doomed, later = [n for n in doomed if n in swaps], doomed\n"
            "    for name in dict.fromkeys(doomed):\n"
            '        files.remove_if_there(disk, f"{path}/{name}")\n',
        ),
        (
            "an unfinished cleaning is completed",
            "if _base(n) >= min(cleaned)]",
            "if _base(n) > max(cleaned)]",
        ),
    ),
    *mutants(
        "storage/meta.py",
        STORAGE,
        (
            "a formatted directory's own name is not synced",
            '    disk.sync_dir(directory.rpartition("/")[0] or "/")\n',
            "",
        ),
        (
            "a directory counts as formatted before it has its bootstrap",
            '    files.replace(disk, f"{directory}/{layout.BOOTSTRAP}", bootstrap)\n',
            "    write(disk, directory, meta)\n"
            '    files.replace(disk, f"{directory}/{layout.BOOTSTRAP}", bootstrap)\n',
        ),
    ),
    *mutants(
        "storage/bad.py",
        STORAGE,
        (
            "a later mark takes the place of the first",
            " or read(disk, path) is not None:",
            ":",
        ),
    ),
    *mutants(
        "storage/producer_snapshots.py",
        STORAGE,
        (
            "a producer snapshot is kept beyond a cut",
            "        beyond = [o for o in self.offsets if o > offset]",
            "        beyond = [o for o in self.offsets if o > offset + 1]",
        ),
        (
            "the newest producer snapshot goes with its segment",
            "        keep = {*bases, *self.offsets[-1:]}",
            "        keep = {*bases}",
        ),
        (
            "a snapshot beyond the log's end is taken",
            "        for offset in [o for o in reversed(self.offsets) if o <= end]:",
            "        for offset in [o for o in reversed(self.offsets)]:",
        ),
    ),
]

CHECKPOINTS = [
    *mutants(
        "storage/offsets_files.py",
        STORAGE,
        (
            "a recovery point counts as written before it is",
            "        self._write(layout.RECOVERY_POINTS, offsets)\n"
            "        self.recovery_points = offsets",
            "        self.recovery_points = offsets\n"
            "        self._write(layout.RECOVERY_POINTS, offsets)",
        ),
        (
            "a log's start counts as written before it is",
            "        self._write(layout.LOG_STARTS, offsets)\n        self.starts = offsets",
            "        self.starts = offsets\n        self._write(layout.LOG_STARTS, offsets)",
        ),
        (
            "how far a log is clean counts as written before it is",
            "        self._write(layout.CLEANER_OFFSETS, offsets)\n        self.cleaned = offsets",
            "        self.cleaned = offsets\n        self._write(layout.CLEANER_OFFSETS, offsets)",
        ),
        (
            "a recovery point is not lowered",
            "        if self.recovery_points.get(name, 0) > offset:",
            "        if self.recovery_points.get(name, 0) < 0:",
        ),
        (
            "a start is not lowered",
            "        if self.starts.get(name, 0) > offset:",
            "        if self.starts.get(name, 0) < 0:",
        ),
        (
            "how far a log is clean is not lowered",
            "        if self.cleaned.get(name, 0) > offset:",
            "        if self.cleaned.get(name, 0) < 0:",
        ),
        (
            "a high watermark is not lowered",
            "        if marks.get(name, 0) > offset:",
            "        if marks.get(name, 0) < 0:",
        ),
        (
            "a new log has the recovery point of an earlier one",
            "        if self.recovery_points.get(name):",
            "        if name is None:",
        ),
        (
            "a new log has the start of an earlier one",
            "        if self.starts.get(name):",
            "        if name is None:",
        ),
        (
            "a new log is as clean as an earlier one",
            "        if self.cleaned.get(name):",
            "        if name is None:",
        ),
        (
            "a new log has the high watermark of an earlier one",
            "        self.lower_mark(name, 0)\n        self._named.add(name)",
            "        self._named.add(name)",
        ),
        (
            "a recovery point is that of the log alone, though an unloaded one has its name",
            "min(log.recovery_point, points.get(name, log.recovery_point))",
            "log.recovery_point",
        ),
        (
            "what is known of a log that cannot be loaded is dropped",
            "        kept = set(waiting)",
            "        kept = set(list(waiting)[:0])",
        ),
    ),
]
