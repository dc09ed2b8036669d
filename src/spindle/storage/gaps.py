"""Whether offsets may be missing between a segment and the one before it.

A power cut can take the bytes of a segment and leave its name, and the names of later ones. In a
log that this broker wrote every gap is such a loss (`unbroken`). In one that Apache Kafka wrote it
may be compaction's: then nothing is cut, and the gap is reported. Called by `log_loader`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spindle.model.errors import Corrupt
from spindle.storage.segment import Segment


@dataclass(slots=True)
class Gaps:
    """What decides on the gaps of a log that is being opened.

    `allowed_to`: a gap that ends there or before is well. `unmarked`: it may have been written by
    Apache Kafka from there on. `compacted`: offsets are missing elsewhere in it, or its cleaner's
    checkpoint says so. `accepted`: losses were accepted. `doubtful`: gaps that were let through
    although they may be losses, each from an offset to the next one that is there.
    """

    allowed_to: int
    unmarked: bool
    compacted: bool
    accepted: bool
    doubtful: list[tuple[int, int]] = field(default_factory=list)

    def why_not(self, before: Segment, segment: Segment) -> str | None:
        """Why `segment` may not stand behind `before`; None if it may. OSError."""
        if segment.base < before.end:
            return f"segment {segment.base} begins before the end of that before it, {before.end}"
        if segment.base == before.end or segment.base <= self.allowed_to or self.accepted:
            return None
        why = f"nothing is there from {before.end} to {segment.base}"
        if not self.unmarked or not self.compacted:
            return why
        if _tell_of_more(before):
            return f"{why}, and indexes tell of more"
        self.doubtful.append((before.end, segment.base))
        return None


def _tell_of_more(segment: Segment) -> bool:
    """Whether a segment's indexes on disk point to batches behind its last one. OSError."""
    if segment.indexes.last_position() >= segment.size:
        return True
    try:
        return segment.indexes.last_time().offset >= segment.end
    except (Corrupt, FileNotFoundError):
        return False
