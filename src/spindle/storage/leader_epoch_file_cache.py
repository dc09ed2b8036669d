"""A log's leader epochs and their file, `leader-epoch-checkpoint` (Kafka's LeaderEpochFileCache).

The history says which leader wrote which offsets (KIP-101). `log_loader` reads the file and
rebuilds from the records what it lacks or has wrong. Called by `unified_log`.
"""

from __future__ import annotations

from collections.abc import Iterable

from spindle.model.offsets import EpochHistory, EpochStart
from spindle.storage import checkpoints, files, layout
from spindle.storage.disk import Disk


class LeaderEpochFileCache:
    """The history, and whether the file says something else (`is_dirty`)."""

    __slots__ = ("history", "is_dirty")

    def __init__(self, history: EpochHistory | None = None, *, is_dirty: bool = False) -> None:
        self.history = history or EpochHistory()
        self.is_dirty = is_dirty

    @property
    def entries(self) -> tuple[EpochStart, ...]:
        """All (epoch, start offset), oldest first."""
        return self.history.entries

    def assign(self, epoch: int, start: int) -> None:
        """A newer epoch begins at `start`."""
        self.history.assign(epoch, start)
        self.is_dirty = True

    def replace(self, entries: Iterable[EpochStart]) -> None:
        """Have these epochs instead."""
        self.history = EpochHistory(entries)
        self.is_dirty = True

    def truncate_end(self, offset: int) -> None:
        """Forget the epochs that begin at or after `offset`."""
        self.is_dirty |= self.history.truncate_end(offset)

    def truncate_start(self, offset: int) -> None:
        """Forget what lies before `offset`."""
        self.is_dirty |= self.history.truncate_start(offset)

    def write(self, disk: Disk, directory: str) -> None:
        """Write the file in the log's directory if it says something else. OSError.

        The caller syncs the directory: files that come and go with it need that, too.
        """
        if self.is_dirty:
            data = checkpoints.encode_epochs(self.entries)
            files.replace(disk, f"{directory}/{layout.LEADER_EPOCHS}", data, durable=False)
            self.is_dirty = False
