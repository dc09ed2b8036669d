"""What a machine may ask of a log directory: plain values, each with the result it is answered by.

A job runs on the thread of the directory that it names, in the order in which jobs were asked for;
`spindle.storage.directory` carries them out. A `Failure` value comes back instead of the result
where the disk or the log failed. Nothing here opens a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from spindle.model.batches import Batch
from spindle.model.ids import LogDir, TopicId
from spindle.model.logs import LoadedLog, LogKey, OpenedDirectory, ProducerEntry, Usage
from spindle.model.offsets import EpochStart

R = TypeVar("R")


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
class Measure(Job[Usage]):
    """Ask the file system for its size and its free bytes. Doubles as the disk's health probe."""


@dataclass(slots=True)
class Checkpoint(Job[None]):
    """Write `replication-offset-checkpoint` (given) and, from the logs, the recovery points.

    `high_watermarks`: for the current logs and the future logs of this directory.
    """

    high_watermarks: dict[LogKey, int]


# --- one log ---------------------------------------------------------------------------------


@dataclass(slots=True)
class LogJob(Job[R]):
    """A job on one log of the directory."""

    key: LogKey


@dataclass(slots=True)
class LogSettings:
    """The topic's settings that the log itself obeys (bytes, ms)."""

    segment_bytes: int = 1 << 30
    segment_ms: int = 7 * 24 * 3600 * 1000
    index_interval_bytes: int = 4096
    index_max_bytes: int = 10 << 20
    flush_messages: int = (1 << 63) - 1


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

    batches: list[Batch]
    now_ms: int
    sync: bool = False


@dataclass(slots=True)
class ReadResult:
    """Whole batches as they stand on disk. `data` may begin before the offset that was asked for.

    `start`/`end`: the log's first offset and end when it was read.
    """

    data: bytes
    start: int
    end: int


@dataclass(slots=True)
class Read(LogJob[ReadResult]):
    """Read whole batches from the one that holds `offset`, none that reaches past `limit`.

    At most `max_bytes`; with `at_least_one` the first batch comes even if it is larger.
    `offset` outside the log: empty data, with `start` and `end` to tell.
    """

    offset: int
    limit: int
    max_bytes: int
    at_least_one: bool = True


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
    """Raise the log start offset (DeleteRecords, or the leader's); drop whole segments below."""

    offset: int


@dataclass(slots=True)
class Retain(LogJob[LogStart]):
    """Delete old segments: by time (ms; -1 never), by size (bytes; -1 never), none past `limit`."""

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


@dataclass(slots=True)
class Restore(LogJob[LoadedLog]):
    """Undo a `Discard`: give the log its plain name back and load it.

    LogFailed where this directory has a current log of the partition.
    """

    name: str
    """What `Discard` answered."""


@dataclass(slots=True)
class Purge(Job[int]):
    """Unlink a `-delete` (or `-stray`) directory and what it holds; answers the bytes freed."""

    name: str


@dataclass(slots=True)
class Promote(LogJob[LoadedLog]):
    """Make the future log (key.future) the current one: fsync files and directory, rename.

    LogFailed where this directory still has a current log of the partition. Where the last step
    of its copying brought something, that is scanned first, and cut where it is not well.
    """


# One step of a move is a chain of jobs on three threads; each has a lane where it may touch what it
# touches. `node.copy_step` runs the chain:
#
#   MarkCopy     target's thread    where the future log stands (a CopyMark); at the start of a move
#   PlanCopy     source's thread    what to copy next: byte ranges of whole batches, and how the
#                                   future log must be aligned first
#   CopyBytes    a thread for the   bytes from file to file inside the kernel; touches no log's
#                pair               state and no file's part that any thread counts as written
#   AdoptCopied  target's thread    the future log takes the bytes as its own; gives the next mark
#
# A plan either aligns (after each cut of the source) or copies; CopyBytes may be left out where
# there are no pieces. Between PlanCopy and AdoptCopied no other job may change the future
# log (if one did, AdoptCopied takes nothing and tells how the log stands). The source may be
# appended to, cut, shortened and rolled at any time: the next plan sees it and aligns. So a move
# has caught up for certain only where a step says so that began after appends and cuts were
# blocked.


class CutStamp(NamedTuple):
    """How often a log had been cut back when it was looked at; `load` tells its openings apart."""

    path: str
    load: int
    times: int


@dataclass(slots=True)
class CopyMark:
    """Where a future log stands: what the next plan begins from. Opaque to machines.

    `name` of its directory; `base` and `position`: its last segment and the bytes in it; `cuts`:
    the cuts of the source that it knows of (None: nothing was copied since it was opened);
    `confirmed`: below this, a later plan has found that the source was not cut while it was copied.
    """

    name: str
    start: int
    end: int
    base: int
    position: int
    size: int
    epochs: tuple[EpochStart, ...]
    cuts: CutStamp | None
    confirmed: int


@dataclass(slots=True)
class CopyPiece:
    """A byte range of whole batches of one segment, with what indexes say about it.

    `base`: the source's segment; `at`: where in the target's segment `target_base` it goes;
    `fresh`: that segment is begun. `entries`: (offset, position in the target); `times`:
    (ms, offset). `seals`: the source's segment is sealed, and this is its end: its side files come
    too. `snapshots`: offsets of producer snapshots that come along.
    """

    base: int
    start: int
    length: int
    target_base: int
    at: int
    fresh: bool
    end: int
    entries: tuple[tuple[int, int], ...]
    times: tuple[tuple[int, int], ...]
    first_timestamp: int
    seals: bool
    snapshots: tuple[int, ...]


@dataclass(slots=True)
class CopyPlan:
    """What one step of a move does.

    `keep`: cut the future log back to this offset first; `restart`: begin it again there. `name`
    of the source's directory. `producers`: the source's, where the plan reaches its end.
    """

    mark: CopyMark
    name: str
    keep: int
    restart: int | None
    pieces: tuple[CopyPiece, ...]
    cuts: CutStamp
    source_start: int
    source_end: int
    epochs: tuple[EpochStart, ...]
    producers: tuple[ProducerEntry, ...] | None

    @property
    def aligns(self) -> bool:
        """Whether the future log has to be cut, begun again or tidied before anything is copied."""
        cut = self.mark.cuts not in (None, self.cuts)
        return cut or self.restart is not None or self.keep < self.mark.end


@dataclass(slots=True)
class CopiedBytes:
    """How many of a plan's pieces were copied whole, and their bytes.

    Fewer than all: the source has changed under them; plan again.
    """

    pieces: int = 0
    bytes: int = 0


@dataclass(slots=True)
class CopyProgress:
    """How far a future log is. `copied` bytes of this step; `end` of the future log afterwards.

    Caught up where `end == source_end`. `source_end` is -1 where the step has only aligned the
    future log, or was planned in vain.
    """

    copied: int
    end: int
    source_end: int
    size: int
    mark: CopyMark


@dataclass(slots=True)
class MarkCopy(LogJob[CopyMark]):
    """Say where the future log `key` stands; remove what an earlier copy brought in vain."""


@dataclass(slots=True)
class PlanCopy(LogJob[CopyPlan]):
    """Plan the next step from the current log `key`: up to `limit` (an offset), about `max_bytes`.

    At least one batch, if there is one below the limit.
    """

    mark: CopyMark
    limit: int
    max_bytes: int


@dataclass(slots=True)
class CopyBytes(LogJob[CopiedBytes]):
    """Copy a plan's pieces from `source` to the future log `key` of `directory`.

    Runs on a lane of its own for the pair of directories, beside both directories' threads. A
    DiskFailed names the directory, source or target, whose disk it was.
    """

    source: LogDir
    plan: CopyPlan


@dataclass(slots=True)
class AdoptCopied(LogJob[CopyProgress]):
    """Align the future log `key` as the plan says, or take the copied pieces as its own."""

    plan: CopyPlan
    copied: CopiedBytes


# --- the metadata log and other small files ------------------------------------------------------


@dataclass(slots=True)
class PutFile(Job[None]):
    """Write a small file whole and durably: temporary, fsync, rename, fsync of the directory.

    `name` is relative to the directory.
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
