"""The producers of one log and their snapshot files: the side of Kafka's ProducerStateManager
that is on disk.

Writes, prunes and reads snapshots, and rebuilds from the records what no snapshot has. What a
leader checks is `core.replica.producer_state_manager`'s; the format is `producer_state`. Called by
`unified_log` and `log_loader`, on the directory's thread.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from spindle.model.errors import Corrupt
from spindle.storage import files, layout, producer_state
from spindle.storage.aborted_transactions import read_marker
from spindle.storage.disk import Disk
from spindle.storage.producer_state import LoggedProducers
from spindle.storage.segment import Segment


class ProducerSnapshots:
    """The `state` at a log's end, and the `offsets` of its snapshots, ascending."""

    __slots__ = ("_disk", "directory", "offsets", "state")

    def __init__(self, disk: Disk, directory: str, offsets: Sequence[int] = ()) -> None:
        self._disk = disk
        self.directory = directory
        self.offsets = sorted(offsets)
        self.state = LoggedProducers()

    def path(self, offset: int) -> str:
        """Where the snapshot of an offset lies."""
        return f"{self.directory}/{layout.segment_file(offset, layout.SNAPSHOT)}"

    def take_snapshot(self, offset: int) -> None:
        """Keep the state before `offset`. Not synced: a damaged one is rebuilt from the log."""
        data = producer_state.encode(self.state.recent)
        files.replace(self._disk, self.path(offset), data, durable=False)
        self.added(offset)

    def added(self, offset: int) -> None:
        """A snapshot was written, here or by a copy."""
        if offset not in self.offsets:
            self.offsets.insert(bisect_right(self.offsets, offset), offset)

    def prune(self, bases: Sequence[int]) -> None:
        """Remove those that belong to no segment any more; the newest stays (as in Kafka)."""
        keep = {*bases, *self.offsets[-1:]}
        for offset in [o for o in self.offsets if o not in keep]:
            self._remove(offset)

    def truncate(self, offset: int) -> bool:
        """Remove those beyond `offset`; whether there were any.

        The caller syncs the directory before anything is appended: one that came back after a power
        cut could lie within the new records and describe the old ones.
        """
        beyond = [o for o in self.offsets if o > offset]
        for later in beyond:
            self._remove(later)
        return bool(beyond)

    def _remove(self, offset: int) -> None:
        files.remove_if_there(self._disk, self.path(offset))
        self.offsets.remove(offset)

    def load(self, segments: Sequence[Segment], end: int) -> None:
        """Find the state at `end`: the newest good snapshot, then the batches after it.

        Snapshots beyond `end` are removed.
        """
        self.truncate(end)
        self.state = self.before(segments, end)

    def before(self, segments: Sequence[Segment], end: int) -> LoggedProducers:
        """The state at `end`, where `segments` end; snapshots of those that follow stay."""
        state, start = self._newest(end)
        for segment in segments:
            if segment.end > start:
                for header in segment.headers(start):
                    state.note(header, read_marker(segment.file(), header))
        return state

    def _newest(self, end: int) -> tuple[LoggedProducers, int]:
        """The newest good snapshot up to `end` and its offset; bad ones are removed."""
        for offset in [o for o in reversed(self.offsets) if o <= end]:
            data = files.read_whole(self._disk, self.path(offset))
            try:
                if data is not None:
                    return LoggedProducers(producer_state.decode(data)), offset
            except Corrupt:
                pass  # Nothing is lost: the log has the same.
            self._remove(offset)
        return LoggedProducers(), -1
