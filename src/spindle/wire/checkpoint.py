"""Checkpoint files: snapshots of the metadata, and `bootstrap.checkpoint` (KIP-630).

A control batch with the header (and with the quorum's version and voters, if dynamic), data batches
of records, a control batch with the footer; offsets count from 0 over all of them. Bytes in, bytes
out: `node` and the format command know the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from spindle.model.batches import CONTROL, Buffer, Record, RecordBatch
from spindle.model.errors import Corrupt
from spindle.model.metadata_records import MetadataRecord
from spindle.wire import batch as codec
from spindle.wire.control import (
    Control,
    KRaftVersion,
    SnapshotFooter,
    SnapshotHeader,
    Voters,
    control_record,
    decode_control,
)
from spindle.wire.metadata import decode_record, encode_record

BATCH_RECORDS: Final = 1000


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint file's content. `last_timestamp`: of the newest record that went into it, ms."""

    last_timestamp: int
    records: tuple[MetadataRecord, ...]
    kraft_version: int = 0
    voters: Voters | None = None


def encode_checkpoint(
    records: Iterable[MetadataRecord],
    *,
    epoch: int = 0,
    last_timestamp: int = 0,
    timestamp: int = 0,
    quorum: Iterable[KRaftVersion | Voters] = (),
) -> Iterator[bytes]:
    """The file's bytes, batch by batch, so that a large image never lies in memory twice.

    `epoch` is that of the log's end which the snapshot stands for (0 for bootstrap), `timestamp`
    the time of writing in ms. `quorum` goes behind the header.
    """
    offset = 0
    head: list[Control] = [SnapshotHeader(last_timestamp), *quorum]
    for flags, batch in _batches(head, records, timestamp):
        built = codec.build(batch, base_offset=offset, leader_epoch=epoch, attributes=flags)
        offset = built.next_offset
        yield bytes(built.data)


def decode_checkpoint(data: Buffer) -> Checkpoint:
    """Read a file; Corrupt where bytes are broken, or where header or footer are missing."""
    builder = _Reading()
    for batch in codec.split(data):
        codec.check(batch)
        builder.on_batch(batch)
    return builder.result()


def _batches(
    head: list[Control], records: Iterable[MetadataRecord], timestamp: int
) -> Iterator[tuple[int, list[Record]]]:
    yield CONTROL, [control_record(value, timestamp) for value in head]
    pending: list[Record] = []
    for record in records:
        pending.append(Record(codec.NEXT, timestamp, None, encode_record(record)))
        if len(pending) == BATCH_RECORDS:
            yield 0, pending
            pending = []
    if pending:
        yield 0, pending
    yield CONTROL, [control_record(SnapshotFooter(), timestamp)]


class _Reading:
    """Collects a file's batches and sees that they are a whole."""

    def __init__(self) -> None:
        self._header: SnapshotHeader | None = None
        self._records: list[MetadataRecord] = []
        self._kraft_version = 0
        self._voters: Voters | None = None
        self._complete = False

    def on_batch(self, batch: RecordBatch) -> None:
        """The next batch of the file."""
        for record in codec.records(batch):
            if self._complete:
                raise Corrupt(f"a checkpoint goes on at offset {record.offset} behind its footer")
            if batch.is_control:
                self._on_control(record)
            elif self._header is None or record.value is None:
                raise Corrupt(f"a checkpoint has a record at offset {record.offset} out of place")
            else:
                self._records.append(decode_record(record.value))

    def result(self) -> Checkpoint:
        """The content, once all batches were given."""
        if self._header is None or not self._complete:
            raise Corrupt("a checkpoint has no header or no footer: it was not written to its end")
        return Checkpoint(
            self._header.last_timestamp, tuple(self._records), self._kraft_version, self._voters
        )

    def _on_control(self, record: Record) -> None:
        value = decode_control(record)
        if isinstance(value, SnapshotHeader):
            self._header = value
        elif isinstance(value, SnapshotFooter):
            self._complete = True
        elif isinstance(value, KRaftVersion):
            self._kraft_version = value.level
        elif isinstance(value, Voters):
            self._voters = value
