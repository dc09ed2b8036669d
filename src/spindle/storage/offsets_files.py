"""The four offset checkpoints at a directory's root, kept as last written.

A damaged one counts as empty, with one warning: what it says can be found again (B-15).
Called by `opening` and `directory`.
"""

from __future__ import annotations

from collections.abc import Iterable

from spindle.model.errors import Corrupt
from spindle.model.ids import TopicPartition
from spindle.storage import checkpoints, files, layout
from spindle.storage.disk import Disk
from spindle.storage.unified_log import UnifiedLog

Offsets = dict[TopicPartition, int]


class OffsetFiles:
    """`recovery-point-…`, `log-start-…`, `replication-…` and `cleaner-offset-checkpoint`.

    `high_watermarks` as they were found: the broker knows them since, and has them written beside.
    """

    def __init__(self, disk: Disk, path: str, warnings: list[str]) -> None:
        self._disk = disk
        self._path = path
        self.recovery_points = self._read(layout.RECOVERY_POINTS, warnings)
        self.starts = self._read(layout.LOG_STARTS, warnings)
        self.high_watermarks = self._read(layout.HIGH_WATERMARKS, warnings)
        self.cleaned = self._read(layout.CLEANER_OFFSETS, warnings)
        self._named = set(self.high_watermarks)
        """Logs of which the file of high watermarks may tell by now."""

    def _read(self, name: str, warnings: list[str]) -> Offsets:
        path = f"{self._path}/{name}"
        found = self._disk.stat(path)
        if found is not None and found.is_directory:
            self._disk.rename(path, path + layout.ASIDE)
            warnings.append(f"{path} starts again: it was a directory, now {name}{layout.ASIDE}")
        data = files.read_whole(self._disk, path)
        try:
            return checkpoints.decode_offsets(data or b"")
        except Corrupt as bad:
            warnings.append(f"{self._path}/{name} starts again: {bad}")
            return {}

    def _write(self, name: str, offsets: Offsets) -> None:
        write(self._disk, f"{self._path}/{name}", offsets)

    def reached(self, name: TopicPartition) -> int:
        """Where a log ended at least when its directory was used last: its own broker knew."""
        return max(self.high_watermarks.get(name, 0), self.recovery_points.get(name, 0))

    def write_logs(
        self, logs: Iterable[UnifiedLog], waiting: Iterable[TopicPartition] = ()
    ) -> None:
        """Write recovery points and starts as the logs have them now, where they changed.

        `waiting`: logs that could not be loaded; what is known of them is kept.
        """
        kept = set(waiting)
        points = {name: at for name, at in self.recovery_points.items() if name in kept}
        starts = {name: at for name, at in self.starts.items() if name in kept}
        for log in logs:
            name = log.key.topic_partition
            points[name] = min(log.recovery_point, points.get(name, log.recovery_point))
            if log.start > log.segments[0].base:
                starts[name] = log.start
        self._named.update(points)
        if points != self.recovery_points:
            self._put_points(points)
        if starts != self.starts:
            self._put_starts(starts)

    def forget(self, name: TopicPartition) -> None:
        """Drop what an earlier log of this name left; before a new one has records."""
        if self.recovery_points.get(name):
            self._put_points(_without(self.recovery_points, name))
        if self.starts.get(name):
            self._put_starts(_without(self.starts, name))
        if self.cleaned.get(name):
            self._put_cleaned(_without(self.cleaned, name))
        self.lower_mark(name, 0)
        self._named.add(name)

    def lower_mark(self, name: TopicPartition, offset: int) -> None:
        """Make sure that the high watermark on disk is at most `offset`.

        The broker has it written beside from what it knows, so that it is read here again.
        """
        if name not in self._named:
            return
        marks = self._read(layout.HIGH_WATERMARKS, [])
        if marks.get(name, 0) > offset:
            self._write(layout.HIGH_WATERMARKS, {**marks, name: offset})
        if self.high_watermarks.get(name, 0) > offset:
            self.high_watermarks = {**self.high_watermarks, name: offset}

    def lower(self, name: TopicPartition, offset: int) -> None:
        """Make sure that the recovery point on disk is at most `offset`; before a cut there."""
        if self.recovery_points.get(name, 0) > offset:
            self._put_points({**self.recovery_points, name: offset})
        if self.starts.get(name, 0) > offset:
            self._put_starts({**self.starts, name: offset})
        if self.cleaned.get(name, 0) > offset:
            self._put_cleaned({**self.cleaned, name: offset})

    def clean(self, name: TopicPartition, offset: int) -> None:
        """Note that a log has been compacted up to `offset`."""
        self._put_cleaned({**self.cleaned, name: offset})

    def _put_points(self, offsets: Offsets) -> None:
        # Remembered only once it is written: a disk without room may refuse it.
        self._write(layout.RECOVERY_POINTS, offsets)
        self.recovery_points = offsets

    def _put_cleaned(self, offsets: Offsets) -> None:
        self._write(layout.CLEANER_OFFSETS, offsets)
        self.cleaned = offsets

    def _put_starts(self, offsets: Offsets) -> None:
        self._write(layout.LOG_STARTS, offsets)
        self.starts = offsets


def write(disk: Disk, path: str, offsets: Offsets) -> None:
    """Put a checkpoint in the place of the one at `path`."""
    files.require_formatted(disk, path.rpartition("/")[0])
    files.replace(disk, path, checkpoints.encode_offsets(offsets))


def _without(offsets: Offsets, name: TopicPartition) -> Offsets:
    return {other: offset for other, offset in offsets.items() if other != name}
