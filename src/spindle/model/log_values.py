"""What is known of a log on disk, as values: the storage room makes them, machines read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from spindle.model.ids import DirectoryId, LogDir, TopicId, TopicPartition
from spindle.model.offsets import EpochStart


class LogKey(NamedTuple):
    """One log inside a directory: a partition's current log, or the future one of a move."""

    topic: str
    partition: int
    future: bool = False

    @property
    def topic_partition(self) -> TopicPartition:
        """The partition that it belongs to."""
        return TopicPartition(self.topic, self.partition)

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}" + (" (future)" if self.future else "")


class ProducerEntry(NamedTuple):
    """An idempotent producer's last append, as producer snapshots keep it. Times in ms."""

    producer_id: int
    epoch: int
    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int
    coordinator_epoch: int = -1
    first_txn_offset: int = -1


class AbortedTransaction(NamedTuple):
    """An aborted transaction in a log: from its first record to its marker.

    `stable`: the last stable offset once it had ended, as the index keeps it: all aborted
    transactions that reach below that are in the index up to here.
    """

    producer_id: int
    first: int
    last: int
    stable: int


@dataclass(slots=True, frozen=True)
class LoadedLog:
    """A log that a directory found at start or has just made, after recovery.

    Offsets: `start` is the first readable record, `end` where the next record goes; `stable` is
    the checkpointed high watermark (KIP-113 keeps one for future logs too). `size` in bytes of
    `.log` files. `topic_id` is None where `partition.metadata` is missing. `warnings`: what was
    repaired when it was loaded, where that was not at the opening of its directory. `doubtful`: of
    offsets that are missing, which Apache Kafka's compaction or a power cut has taken, the first
    and the next one that is there.
    """

    key: LogKey
    topic_id: TopicId | None
    start: int
    end: int
    stable: int
    size: int
    epochs: tuple[EpochStart, ...] = ()
    producers: tuple[ProducerEntry, ...] = ()
    max_timestamp: int = -1
    warnings: tuple[str, ...] = ()
    doubtful: tuple[tuple[int, int], ...] = ()


class KeptCopy(NamedTuple):
    """What a move had copied before it was cancelled or redirected, set aside for a while (B-11).

    `name`: of its `-delete` directory. `until_ms`: when it goes (ms since 1970). `size` in bytes.
    """

    name: str
    topic_id: TopicId
    partition: int
    size: int
    until_ms: int


class BadCopy(NamedTuple):
    """A damaged log that was set aside for a person to look at (K589-04, B-28).

    `name`: of its `-stray` directory. `size` in bytes. `since_ms`: when the damage was found (ms
    since 1970), and `why` it was found to be bad.
    """

    name: str
    size: int
    since_ms: int
    why: str


class QuarantinedLog(NamedTuple):
    """A partition directory that could not be loaded although its disk is well (B-15)."""

    name: str
    key: LogKey
    why: str
    suspect: bool = False
    """A file could not be read; what is in it may be right."""


class Usage(NamedTuple):
    """Bytes of the file system that holds a directory, and its device.

    `device`: equal for directories of one node that lie on one file system (st_dev); -1 unknown.
    """

    total: int
    usable: int
    device: int = -1


UNKNOWN_USAGE: Final = Usage(-1, -1)


@dataclass(slots=True, frozen=True)
class OpenedDirectory:
    """What opening a log directory found (`Open`)."""

    path: LogDir
    directory_id: DirectoryId
    clean: bool
    """It was shut down cleanly."""
    broker_epoch: int
    """From `.kafka_cleanshutdown`, or -1."""
    logs: tuple[LoadedLog, ...] = ()
    deleted: tuple[str, ...] = ()
    """Names of `-delete` directories that wait for their end."""
    kept: tuple[KeptCopy, ...] = ()
    """Others, which a move may take up again before."""
    strays: tuple[str, ...] = ()
    bad: tuple[BadCopy, ...] = ()
    """Other `-stray` directories: damaged logs that were replaced."""
    quarantined: tuple[QuarantinedLog, ...] = ()
    ignored: tuple[str, ...] = ()
    """Foreign names, not Spindle's."""
    usage: Usage = UNKNOWN_USAGE
    warnings: tuple[str, ...] = ()
    """What was repaired or rebuilt, a line each, for the operator."""


@dataclass(slots=True, frozen=True)
class DirectoryState:
    """A log directory as a node sees it now."""

    path: LogDir
    directory_id: DirectoryId | None
    online: bool
    usage: Usage = UNKNOWN_USAGE
    error: str = ""
