"""Reads logs from memory disks as a judge does: bytes, without the storage code under test.

Only the names of files and the batch format are shared with the rest. Asks the disk without faults,
delays and counts. Called by the checks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spindle.model.batches import RecordBatch
from spindle.model.errors import Corrupt, Refusal
from spindle.model.ids import LogDir, TopicId, id_from_text
from spindle.model.log_values import LogKey
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import layout
from spindle.storage.layout import EntryKind
from spindle.wire.batch import check, records, split


@dataclass(frozen=True, slots=True)
class FoundLog:
    """A log's directory: where it is, whose it says it is."""

    directory: LogDir
    name: str
    key: LogKey
    topic_id: TopicId | None

    @property
    def path(self) -> str:
        """Of the log's own directory."""
        return f"{self.directory}/{self.name}"


def logs_in(disk: MemoryDisk, directory: LogDir) -> Iterator[FoundLog]:
    """The current and future logs in a log directory."""
    for name in disk.names(directory):
        parsed = layout.parse_directory(name)
        if parsed.kind in (EntryKind.CURRENT, EntryKind.FUTURE) and parsed.key is not None:
            path = f"{directory}/{name}/{layout.PARTITION_METADATA}"
            yield FoundLog(directory, name, parsed.key, _topic_id(disk.contents(path)))


def _topic_id(data: bytes | None) -> TopicId | None:
    for line in (data or b"").decode().splitlines():
        name, _, value = line.partition(":")
        if name == "topic_id":
            return id_from_text(value.strip())
    return None


def batches_of(disk: MemoryDisk, log: FoundLog) -> list[RecordBatch]:
    """All batches of a log, each checked; Corrupt where a byte is wrong."""
    found: list[RecordBatch] = []
    for name in sorted(disk.names(log.path)):
        segment = layout.parse_segment_file(name)
        if segment is not None and segment.kind == layout.LOG:
            found += split(disk.contents(f"{log.path}/{name}") or b"")
    for batch in found:
        check(batch)
    return found


def is_whole(disk: MemoryDisk, log: FoundLog) -> bool:
    """Whether every byte of a log that a CRC covers is right."""
    try:
        batches_of(disk, log)
    except (Corrupt, Refusal):  # A wrong byte may say that the format is another.
        return False
    return True


def values_of(batches: list[RecordBatch]) -> dict[int, bytes]:
    """Offset -> value of every record that a client has written."""
    return {
        record.offset: record.value or b""
        for batch in batches
        if not batch.is_control
        for record in records(batch)
    }
