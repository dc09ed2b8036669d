"""How much of the metadata log's past is kept: by bytes and by time, as snapshots allow.

Records are given up from one snapshot to the next (KIP-630). The two newest snapshots always stay,
where Apache Kafka keeps one: a disk that has damaged the newest leaves the one before and the log.
Called by `node.quorum.snapshotting`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from spindle.model.offsets import OffsetAndEpoch

ALWAYS_KEPT: Final = 2


class Kept(NamedTuple):
    """A snapshot on the disk: its bytes, and when its newest record was written (ms)."""

    id: OffsetAndEpoch
    size: int
    timestamp_ms: int


@dataclass(frozen=True, slots=True)
class Retention:
    """`metadata.max.retention.bytes` of log and snapshots, and `.ms`; below 0: no limit."""

    max_bytes: int
    max_ms: int

    def next_start(
        self, kept: Sequence[Kept], log_bytes: int, now_ms: int
    ) -> OffsetAndEpoch | None:
        """The snapshot with which the past should begin from now on, or None for as it is.

        `kept`: in order. One step at a time: ask again when that is done and `log_bytes` is known.
        """
        if len(kept) <= ALWAYS_KEPT:
            return None
        oldest = kept[0]
        total = log_bytes + sum(snapshot.size for snapshot in kept)
        too_much = 0 <= self.max_bytes < total
        too_old = 0 <= self.max_ms < now_ms - oldest.timestamp_ms
        return kept[1].id if too_much or too_old else None
