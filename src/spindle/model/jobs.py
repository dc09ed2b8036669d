"""What a machine may ask of a log directory: plain values, each with the result it is answered by.

A job runs on the thread of the directory that it names, in the order in which jobs were asked for;
`spindle.storage.directory` carries them out. A `Failure` value comes back instead of the result
where the disk or the log failed. Nothing here opens a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar
from zlib import crc32

from spindle.model.batches import Buffer, RecordBatch
from spindle.model.ids import LogDir, TopicId, TopicPartition
from spindle.model.log_values import AbortedTransaction, LoadedLog, LogKey, OpenedDirectory, Usage

R = TypeVar("R", covariant=True)


@dataclass(slots=True)
class Job(Generic[R]):
    """Base of all jobs; R is the type of the result."""

    directory: LogDir


# --- the directory itself -------------------------------------------------------------------


@dataclass(slots=True)
class Open(Job[OpenedDirectory]):
    """Lock the directory, read `meta.properties` (completing a missing id), load all its logs.

    Logs that were not closed cleanly are recovered: CRC from the recovery point on, torn tails
    cut, indexes rebuilt.
    """

    cluster_id: str
    node_id: int


@dataclass(slots=True)
class Close(Job[None]):
    """Flush and close every log, trim indexes, write checkpoints and the clean-shutdown mark."""

    broker_epoch: int


@dataclass(slots=True)
class Format(Job[tuple[str, ...]]):
    """Make a blank directory this node's own, with a new id. Done also where the directory failed.

    Answers with the names that stand in the way; nothing is written then. Where there is a
    `meta.properties` already, nothing is done: `Open` says whether it is ours.
    """

    cluster_id: str
    node_id: int


@dataclass(slots=True)
class Release(Job[None]):
    """Close every file, so that the disk can be unmounted; nothing is done here before `Open`.

    Logs that are in use are closed as at a clean shutdown, once all that was asked for is done.
    """


@dataclass(slots=True)
class MeasureUsage(Job[Usage]):
    """Ask the file system for its size and its free bytes, whether the directory is open or not.

    `write`: have a small file written, synced and read back as well.
    """

    write: bool = False


@dataclass(slots=True)
class WriteCheckpoints(Job[None]):
    """Write the logs' recovery points and starts where they changed.

    Segments that were sealed before the last one was asked for are put on the medium first.
    """


# --- one log ---------------------------------------------------------------------------------


@dataclass(slots=True)
class LogJob(Job[R]):
    """A job on one log of the directory."""

    key: LogKey


@dataclass(slots=True)
class BesideJob(Job[R]):
    """Long work that runs on a lane of its own, beside its directory's thread."""

    @property
    def lane(self) -> tuple[LogDir, LogDir]:
        """Which lane: jobs of the same one run in order. The second is the directory."""
        raise NotImplementedError

    @property
    def steps_back(self) -> int:
        """How many steps of priority (nice) it has less than what clients wait for.

        The same for all jobs of a lane. With 10 serving clients gets some ten times its time.
        """
        return 10


@dataclass(slots=True)
class WriteHighWatermarks(BesideJob[None]):
    """Write `replication-offset-checkpoint`.

    Beside the directory's thread: on a busy disk appends would wait for its sync. Written even
    unchanged: this is how an idle disk is felt to be dying.
    """

    marks: dict[TopicPartition, int]

    @property
    def lane(self) -> tuple[LogDir, LogDir]:
        """One for each directory."""
        return (f"{self.directory} high watermarks", self.directory)

    @property
    def steps_back(self) -> int:
        """None: it is soon done, and a broker that stops waits for it."""
        return 0


@dataclass(slots=True)
class Probe(BesideJob[Usage]):
    """As `MeasureUsage`, of an open directory; beside its thread: appends need not wait for it."""

    write: bool = False

    @property
    def lane(self) -> tuple[LogDir, LogDir]:
        """One for each directory."""
        return (f"{self.directory} probe", self.directory)

    @property
    def steps_back(self) -> int:
        """None: it takes no processor."""
        return 0


@dataclass(slots=True)
class LogSettings:
    """The topic's settings that the log itself obeys (bytes, ms)."""

    segment_bytes: int = 1 << 30
    segment_ms: int = 7 * 24 * 3600 * 1000
    index_interval_bytes: int = 4096
    index_max_bytes: int = 10 << 20
    flush_messages: int = (1 << 63) - 1
    jitter_ms: int = 0
    producer_ms: int = 24 * 3600 * 1000
    """A producer without an append for so long is forgotten (`producer.id.expiration.ms`)."""

    def roll_ms(self, key: LogKey, base: int) -> int:
        """How long the segment from `base` on may last: `segment_ms` less its part of the jitter.

        The part is drawn from the log and the segment, as if by a die, so that logs that were made
        together do not roll together; a segment that is opened once more has the same.
        """
        most = min(self.jitter_ms, self.segment_ms)
        return self.segment_ms - (
            crc32(f"{key.topic}-{key.partition}:{base}".encode()) % most if most else 0
        )


@dataclass(slots=True)
class CreateLog(LogJob[LoadedLog]):
    """Make an empty log (directory, `partition.metadata`, first segment); existing: load it."""

    topic_id: TopicId
    settings: LogSettings


@dataclass(slots=True)
class Configure(LogJob[None]):
    """Give a log new settings."""

    settings: LogSettings


@dataclass(slots=True)
class Appended:
    """Where the log stands after an append."""

    end: int
    size: int


@dataclass(slots=True)
class Append(LogJob[Appended]):
    """Write batches at their `base_offset` and `leader_epoch`, in order, at the log's end.

    `sync`: the answer waits for fsync (metadata log; `flush.messages=1`). Appends of one group
    share one fsync. `now_ms` is the wall clock, for time-based rolling.
    """

    batches: list[RecordBatch]
    now_ms: int
    sync: bool = False


@dataclass(slots=True)
class ReadResult:
    """Whole batches as they stand on disk. `data` may begin before the offset that was asked for.

    Its memory may be lent (`Disk.lend`): a part that keeps some of it for long copies it.
    `start`/`end`: the log's first offset and end when it was read.
    """

    data: Buffer
    start: int
    end: int
    aborted: tuple[AbortedTransaction, ...] = ()
    """Aborted transactions with records in `data`, where they were asked for."""


@dataclass(slots=True)
class Read(LogJob[ReadResult]):
    """Read whole batches from the one that holds `offset`, none that reaches past `limit`.

    At most `max_bytes`; with `at_least_one` the first batch comes even if it is larger.
    `offset` outside the log: empty data, with `start` and `end` to tell. `committed`: tell of
    aborted transactions as well.
    """

    offset: int
    limit: int
    max_bytes: int
    at_least_one: bool = True
    committed: bool = False


@dataclass(slots=True)
class FoundOffset:
    """An answer of `FindOffset`; offset -1 where there is none."""

    offset: int
    timestamp: int
    epoch: int


@dataclass(slots=True)
class FindOffset(LogJob[FoundOffset]):
    """The first record with a timestamp >= `timestamp` (ms) below `limit`.

    `timestamp` -3 asks for the record with the largest timestamp (KIP-734).
    """

    timestamp: int
    limit: int


@dataclass(slots=True)
class Truncate(LogJob[LoadedLog]):
    """Cut the log's end back to `offset` (no batch reaches past it), epochs with it."""

    offset: int


@dataclass(slots=True)
class Reset(LogJob[LoadedLog]):
    """Throw all records away and start again, empty, at `offset`."""

    offset: int


@dataclass(slots=True)
class LogStart:
    """Where a log begins now, and its bytes."""

    start: int
    size: int


@dataclass(slots=True)
class MoveLogStart(LogJob[LogStart]):
    """Raise the log start offset (DeleteRecords, or the leader's); set whole segments below aside.

    As after `Retain` and `AdoptCleaned`, `Sweep` unlinks them.
    """

    offset: int


@dataclass(slots=True)
class Retain(LogJob[LogStart]):
    """Set old segments aside: by time (ms; -1 never), by size (bytes; -1 never), up to `limit`."""

    retention_ms: int
    retention_bytes: int
    limit: int
    now_ms: int


@dataclass(slots=True)
class Flush(LogJob[None]):
    """fsync all that was appended; the recovery point moves to the end."""


# --- deleting and moving -----------------------------------------------------------------------


@dataclass(slots=True)
class Discard(LogJob[str]):
    """Rename the log to `<topic>-<partition>.<hex>-delete` and close it; answers the new name."""

    suffix: str
    """`delete` or `stray`."""
    unique: str
    """32 hex digits."""
    keep_until_ms: int = 0
    """A future log that may be resumed until then, even after a restart (B-11); 0: never."""


@dataclass(slots=True)
class MarkBad(LogJob[None]):
    """Serve the log no more, in this run or after a restart: it is damaged (KIP-589).

    From then on it can be discarded (its mark goes with it) or salvaged, and nothing else.
    `reached`: where it had ended at least.
    """

    why: str
    now_ms: int
    reached: int = 0


class ReloadManner(Enum):
    """How a log is loaded again."""

    AGAIN = "as it is, unless it is marked as bad"
    MENDED = "if it is whole: each byte is looked at, and a mark is taken back"
    LOSS_ACCEPTED = "with holes, after a `Salvage`, and a mark is taken back"


@dataclass(slots=True)
class Reload(LogJob[LoadedLog]):
    """Load a log again from its files, after a call on one of them has failed.

    LogFailed where it is damaged, or ends before what it had reached; then it is left as it is.
    """

    manner: ReloadManner = ReloadManner.AGAIN


@dataclass(slots=True)
class Salvaged:
    """What a step of `Salvage` came to. `next`: where to go on; None: nowhere. `lost`: lines.

    `aside`: the name of the directory that what is damaged goes to.
    """

    next: int | None
    aside: str
    lost: tuple[str, ...] = ()


@dataclass(slots=True)
class Salvage(LogJob[Salvaged]):
    """Take the damage out of the first segment from `base` on, of a log that is marked as bad.

    What is damaged goes into a `-stray` directory of its own, with `why` in its mark. When there is
    no more, `Reload` with LOSS_ACCEPTED has the rest served again.
    """

    base: int
    unique: str
    """32 hex digits, the same in all steps."""
    why: str
    now_ms: int


@dataclass(slots=True)
class Restore(LogJob[LoadedLog]):
    """Undo a `Discard`: give the log its name back, plain or `-future`, and load it.

    LogFailed where this directory has such a log of the partition.
    """

    name: str
    """What `Discard` answered."""


@dataclass(slots=True)
class Forget(Job[None]):
    """A `-delete` (or `-stray`) directory is no longer needed: it may be purged."""

    name: str


@dataclass(slots=True)
class Purge(BesideJob[int]):
    """Unlink a forgotten directory and what it holds; answers the bytes freed.

    Beside the directory's thread: appends would wait for a large file's unlinking.
    """

    name: str

    @property
    def lane(self) -> tuple[LogDir, LogDir]:
        """One for each directory."""
        return (f"{self.directory} purge", self.directory)


@dataclass(slots=True)
class Sweep(BesideJob[int]):
    """Unlink what a current log has set aside (`.deleted`); answers the bytes freed."""

    key: LogKey

    @property
    def lane(self) -> tuple[LogDir, LogDir]:
        """That of `Purge`."""
        return (f"{self.directory} purge", self.directory)


@dataclass(slots=True)
class Weigh(Job[int]):
    """Count the bytes of the files in a sub-directory; 0 where there is none."""

    name: str


@dataclass(slots=True)
class Promote(LogJob[LoadedLog]):
    """Make the future log (key.future) the current one: fsync files and directory, rename.

    LogFailed where this directory still has a current log of the partition. Where the last step
    of its copying brought something, that is scanned first, and cut where it is not well.
    """

    synced: bool = True
    """Else the new name is not on the medium yet: `SyncNames` brings it there. After a power cut
    before that the future log is found: no other log of the partition may have its plain name."""


@dataclass(slots=True)
class SyncNames(BesideJob[None]):
    """fsync a directory, so that the names of the logs in it are on the medium.

    Beside its thread: appends would wait for the file system's journal.
    """

    @property
    def lane(self) -> tuple[LogDir, LogDir]:
        """One for each directory."""
        return (f"{self.directory} names", self.directory)

    @property
    def steps_back(self) -> int:
        """None: it takes no processor."""
        return 0


@dataclass(slots=True)
class PutFile(Job[None]):
    """Write a small file, its name relative to the directory, whole and durably.

    Temporary, fsync, rename, fsync of the directory.
    """

    name: str
    data: bytes


@dataclass(slots=True)
class GetFile(Job[bytes | None]):
    """Read a small file whole; None where there is none."""

    name: str


@dataclass(slots=True)
class ListFiles(Job[tuple[str, ...]]):
    """Names inside a sub-directory (relative; "" for the directory itself), sorted."""

    name: str


@dataclass(slots=True)
class RemoveFile(Job[None]):
    """Unlink a file if it is there."""

    name: str
