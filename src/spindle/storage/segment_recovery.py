"""The recovery of a segment: trust its files, or read it byte by byte and rebuild its indexes.

The segments of a log are opened in order, and none of their records is changed. Knows leader epochs
and producers as they are found in batches; what happens to a damaged log is `log_loader`'s, which
calls it. OSError means the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spindle.model.errors import Corrupt
from spindle.model.jobs import LogSettings
from spindle.model.offsets import EpochHistory
from spindle.storage import scan
from spindle.storage.aborted_transactions import read_marker
from spindle.storage.gaps import Gaps
from spindle.storage.index import TimeEntry, relative
from spindle.storage.producer_snapshots import ProducerSnapshots
from spindle.storage.producer_state import LoggedProducers
from spindle.storage.segment import Segment
from spindle.storage.segment_indexes import NO_TIME

_INTERVAL = LogSettings().index_interval_bytes


class SegmentRecovery:
    """Opens the segments of one log, one after the other.

    `recovered_from`: the base of the first segment from which on all were scanned, and `epochs`:
    what their scan saw. `tail_epoch`: that of the last batch (-1: not known).
    """

    def __init__(
        self,
        before: Sequence[Segment],
        producers: ProducerSnapshots,
        gaps: Gaps,
        warn: Callable[[str], None],
        *,
        whole: bool,
    ) -> None:
        """`before`: the segments that are open by now, as the loader keeps them. `whole`: trust
        nothing, read all."""
        self._before = before
        self._manager = producers
        self._gaps = gaps
        self._warn = warn
        self._whole = whole
        self._producers = LoggedProducers()
        self.recovered_from: int | None = None
        self.epochs = EpochHistory()
        self.last_epoch = -1
        self.tail_epoch = -1

    def open(
        self,
        segment: Segment,
        size: int,
        following: int | None,
        *,
        indexed: bool,
        trusted: bool,
    ) -> str | None:
        """Open or scan one segment; None if all of its bytes are good, else why not.

        A recovery point beyond the next segment's base says that this one was synced after it was
        sealed, indexes included; at the base itself it may be from before.
        """
        if trusted and not self._whole and (indexed or size == 0):
            try:
                self._trust(segment, size, following)
            except Corrupt as bad:
                self._warn(f"segment {segment.base} is scanned again: {bad}")
            else:
                # The epochs' file knows all before the recovery point, whatever had to be scanned.
                self.recovered_from = None
                self.epochs = EpochHistory()
                self.last_epoch = -1
                return None
        why = self._scan(segment, size)
        if why is None and trusted and segment.is_short_of(following):
            return f"it ends at {segment.end}: its indexes tell of more"
        return why

    def _trust(self, segment: Segment, size: int, following: int | None) -> None:
        """Take a segment as its files say; Corrupt where they contradict each other."""
        if size == 0 and segment.indexes.last_position() < 0:
            return
        segment.sealed_at(size, segment.base, NO_TIME)
        latest = segment.indexes.last_time()
        if following is not None:
            # The last batches show whether the file has its end.
            last = max(0, segment.indexes.last_position())
            if last >= size:
                raise Corrupt(f"its index tells of a batch at {last}, but it has {size} bytes")
            for step in scan.walk(segment.file(), last, size):
                if step.last_offset >= following:
                    raise Corrupt(f"offset {step.last_offset} is not before segment {following}")
                self.tail_epoch = -1
            segment.sealed_at(size, following, latest)
            return
        end = segment.base
        for header in scan.walk_headers(segment.file(), segment.index.last_position(), size):
            relative(header.last_offset, segment.base)
            end = header.last_offset + 1
            self.tail_epoch = header.leader_epoch
            if header.max_timestamp > latest.timestamp:
                latest = TimeEntry(header.max_timestamp, header.last_offset)
        segment.sealed_at(size, end, latest)

    def _scan(self, segment: Segment, size: int) -> str | None:
        """Read a segment byte by byte up to the first bad batch, and rebuild its indexes.

        Why that batch is bad; None if there is none.
        """
        if self.recovered_from is None:
            self.recovered_from = segment.base
            self._producers = self._manager.before(self._before, segment.base)
        segment.begin()
        try:
            for header in scan.scan(segment.file(), 0, size, segment.base):
                if header.leader_epoch < self.last_epoch:
                    # Whole, but of another history: a crash left it of an abandoned copy.
                    raise Corrupt(f"epoch {header.leader_epoch} after epoch {self.last_epoch}")
                self.last_epoch = self.tail_epoch = header.leader_epoch
                if header.base_offset > segment.end:
                    self._gaps.compacted = True
                segment.note(header, _INTERVAL)
                note_epoch(self.epochs, header)
                if header.producer_id >= 0:
                    self._note_producer(segment, header)
        except Corrupt as bad:
            return str(bad)
        return None

    def _note_producer(self, segment: Segment, header: scan.Header) -> None:
        aborted = self._producers.note(header, read_marker(segment.file(), header))
        if aborted is not None:
            segment.indexes.note_aborted(aborted)


def note_epoch(history: EpochHistory, header: scan.Header) -> None:
    """Take in the epoch of a batch."""
    if header.leader_epoch > history.latest:
        history.assign(header.leader_epoch, header.base_offset)
