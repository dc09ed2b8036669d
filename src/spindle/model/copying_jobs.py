"""The jobs of a move's copying: what is marked, planned, copied and adopted, step by step.

They are jobs as those of `spindle.model.jobs`, answered on the threads named below; the machine
that asks for them is `spindle.node.logdirs.future_log_copier`. Nothing here opens a file.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Final, NamedTuple

from spindle.model.ids import LogDir
from spindle.model.jobs import BesideJob, LogJob
from spindle.model.log_values import AbortedTransaction, LogKey, ProducerEntry
from spindle.model.offsets import EpochStart

PATIENT_FROM: Final = 1 << 20
"""A step of a move that copies less has caught up: what is left may be all that a swap lacks."""
STEPS_BACK: Final = 4
"""Serving clients gets two or three times the processor time that a move gets."""

# One step of a move is a chain of jobs on three threads; each has a lane where it may touch what it
# touches. `node.copy_step` runs the chain:
#
#   MarkCopy     target's thread    where the future log stands (a CopyMark); at the start of a move
#   PlanCopy     source's thread    what to copy next: byte ranges of whole batches, and how the
#                                   future log must be aligned first
#   CopyBytes    a thread for the   bytes from file to file, each batch checked; touches no log's
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


class OffsetEntries(NamedTuple):
    """A run of an offset index, in columns: thousands of entries are copied without a look at each.

    `offsets` are relative to `base`; `positions` are bytes in the file.
    """

    base: int
    offsets: array[int]
    positions: array[int]


class TimeEntries(NamedTuple):
    """A run of a time index, in columns: ms, rising, and offsets relative to `base`."""

    base: int
    timestamps: array[int]
    offsets: array[int]


class Glance(NamedTuple):
    """Bytes of the source's segment `base` that the next plan will look at."""

    base: int
    start: int
    length: int


@dataclass(slots=True)
class CopyPiece:
    """A byte range of whole batches of one segment, with what indexes say about it.

    `base`: the source's segment; `at`: where in the target's segment `target_base` it goes;
    `fresh`: that segment is begun. `entries` and `times`: as in the source. `seals`: the source's
    segment is sealed, and this is its end; `growing`: it is the one that is appended to.
    `snapshots`: offsets of producer snapshots that come along; `aborted`: transactions whose
    markers are in the range. `ahead`: what is read into the page cache for the plan after this
    piece: that is made on the source's thread, where appends would wait for its disk.
    """

    base: int
    start: int
    length: int
    target_base: int
    at: int
    fresh: bool
    end: int
    entries: OffsetEntries
    times: TimeEntries
    first_timestamp: int
    seals: bool
    growing: bool
    snapshots: tuple[int, ...]
    aborted: tuple[AbortedTransaction, ...] = ()
    ahead: tuple[Glance, ...] = ()


@dataclass(slots=True)
class CopyPlan:
    """What one step of a move does.

    `keep`: cut the future log back to this offset first; `restart`: begin it again there. `name`
    of the source's directory. `producers`: the source's, where the plan reaches its end.
    `doubtful`: gaps in it that may be losses. `still`: nothing has changed the source since before
    the plan, and nothing will.
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
    doubtful: tuple[tuple[int, int], ...] = ()
    still: bool = False

    @property
    def aligns(self) -> bool:
        """Whether the future log has to be cut, begun again or tidied before anything is copied."""
        cut = self.mark.cuts not in (None, self.cuts)
        return cut or self.restart is not None or self.keep < self.mark.end


class BadBatch(NamedTuple):
    """A batch that was read but is not well: what is wrong in which file.

    `in_source`: a second look finds the same. That is damage, unless a cut of the source has
    changed the file under the copy: then the next plan finds the cut.
    """

    why: str
    in_source: bool


@dataclass(slots=True)
class CopiedBytes:
    """How many of a plan's pieces were copied whole and are well, and their bytes.

    Fewer than all: the source has changed under them, or `bad`; plan again.
    """

    pieces: int = 0
    bytes: int = 0
    bad: BadBatch | None = None


@dataclass(slots=True)
class CopyProgress:
    """How far a future log is. `copied` bytes of this step; `end` of the future log afterwards.

    Caught up where `end == source_end`. `source_end` is -1 where the step has only aligned the
    future log, or was planned in vain. `whole`: the source is still, both are the same in start,
    end and epochs, and the future log is on the medium.
    """

    copied: int
    end: int
    source_end: int
    size: int
    mark: CopyMark
    bad: BadBatch | None = None
    whole: bool = False


@dataclass(slots=True)
class MarkCopy(LogJob[CopyMark]):
    """Say where the future log `key` stands; remove what an earlier copy brought in vain."""


@dataclass(slots=True)
class PlanCopy(LogJob[CopyPlan]):
    """Plan the next step from the current log `key`: up to `limit` (an offset), about `max_bytes`.

    At least one batch, if there is one below the limit. `still`: see `CopyPlan`.
    """

    mark: CopyMark
    limit: int
    max_bytes: int
    still: bool = False


class CopyPace(NamedTuple):
    """How fast bytes are copied, so that others have their turn.

    `share`: how much of its time the copying may be at work; it rests after each few parts. `part`:
    the bytes of one, which others may have to wait for.
    """

    share: float = 1.0
    part: int = 4 << 20

    @property
    def beside_clients(self) -> bool:
        """Whether clients are served meanwhile."""
        return self != FULL_PACE


FULL_PACE: Final = CopyPace()
"""As fast as the disks are."""


@dataclass(slots=True)
class CopyBytes(BesideJob[CopiedBytes]):
    """Copy a plan's pieces from `source` to the future log `key` of `directory`; check each batch.

    Runs on a lane of its own for the pair of directories, beside both directories' threads. A
    DiskFailed names the directory, source or target, whose disk it was. `pace`: how far it gives
    way to clients.
    """

    key: LogKey
    source: LogDir
    plan: CopyPlan
    pace: CopyPace = FULL_PACE

    @property
    def lane(self) -> tuple[LogDir, LogDir]:
        """One for each pair of directories, and one for its short steps."""
        source = self.source if self.steps_back else f"{self.source} in short"
        return (source, self.directory)

    @property
    def steps_back(self) -> int:
        """None where it is little: then a swap waits for it, with all appends, or soon will.

        Else a few: what clients feel decides how much of its time it copies (B-32).
        """
        much = sum(piece.length for piece in self.plan.pieces) >= PATIENT_FROM
        return STEPS_BACK if much else 0


@dataclass(slots=True)
class AdoptCopied(LogJob[CopyProgress]):
    """Align the future log `key` as the plan says, or take the copied pieces as its own."""

    plan: CopyPlan
    copied: CopiedBytes


# --- the metadata log and other small files ------------------------------------------------------
