"""What must be true of a log's batches in the end: their order, sequences and compression.

Each looks at bytes and at what clients have sent, and at no node. Raises Violation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spindle.model.batches import COMPRESSION_MASK, RecordBatch
from spindle.model.log_values import LogKey
from spindle.sim.told_history import History
from spindle.sim.violation import Violation
from spindle.wire.compression import Compression

SEQUENCES: Final = 1 << 31
CODEC_OF: Final = {
    "uncompressed": Compression.NONE,
    "gzip": Compression.GZIP,
    "snappy": Compression.SNAPPY,
    "lz4": Compression.LZ4,
    "zstd": Compression.ZSTD,
}
"""What each compression.type makes of batches; "producer" leaves them as they are."""


def check_order(key: LogKey, values: dict[int, bytes], history: History) -> None:
    """Records of one writer stand in the order in which it sent them first.

    What is there once more, because a producer had to begin a new epoch, is judged elsewhere.
    """
    last: dict[str, tuple[int, bytes]] = {}
    seen: set[bytes] = set()
    for offset, value in sorted(values.items()):
        turn = history.turns.get(value)
        if turn is None or value in seen:
            continue
        seen.add(value)
        writer, number = turn
        before, what = last.get(writer, (-1, b""))
        if number < before:
            raise Violation(
                f"{key}: {writer} has sent {value!r} before {what!r}, but it stands behind it at "
                f"offset {offset}"
            )
        last[writer] = (number, value)


def check_sequences(key: LogKey, batches: Sequence[RecordBatch], *, is_whole: bool) -> None:
    """Each producer's sequence numbers have no gap and no repetition, and begin at 0.

    `is_whole`: nothing is missing at the beginning. A new epoch always begins at 0.
    """
    known: dict[int, tuple[int, int]] = {}
    for batch in batches:
        epoch, due = known.get(batch.producer_id, (-1, 0))
        if epoch < 0 and not is_whole:
            due = batch.base_sequence
        elif epoch != batch.producer_epoch:
            due = 0
        if batch.base_sequence != due or batch.producer_epoch < epoch:
            raise Violation(
                f"{key}: offset {batch.base_offset} has sequence {batch.base_sequence} of producer "
                f"{batch.producer_id} in epoch {batch.producer_epoch}, but sequence {due} was due "
                f"after epoch {epoch}"
            )
        after = (batch.base_sequence + batch.last_offset_delta + 1) % SEQUENCES
        known[batch.producer_id] = (batch.producer_epoch, after)


def check_packing(key: LogKey, batches: Sequence[RecordBatch], history: History) -> None:
    """Each batch has a compression that was wanted for the topic at some time."""
    wanted = history.packings.get(key.topic, {})
    if not wanted or "producer" in wanted:
        return
    allowed = {CODEC_OF[compression] for compression in wanted}
    for batch in batches:
        codec = Compression(batch.attributes & COMPRESSION_MASK)
        if codec not in allowed:
            raise Violation(
                f"{key}: offset {batch.base_offset} is compressed with {codec.name}, but the topic "
                f"has only ever had {list(wanted)}"
            )
