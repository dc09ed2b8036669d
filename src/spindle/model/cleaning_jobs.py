"""Log compaction as jobs: plan what to clean, rewrite it in steps, put it in the old one's place.

    PlanClean     directory's thread   what may be cleaned, if it is worth it
    CleanBytes    a lane beside it     keys are collected, then segments rewritten, step by step
    AdoptCleaned  directory's thread   the new segments take the place of the old ones

Between a plan and its end no move of the log may begin (the node sees to that): a copy counts on
segments to stay as they are. What else happens to the log in between, adopting finds out. Plain
values; carried out by `storage.cleaning` and `storage.rewriting`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from spindle.model.copying_jobs import CutStamp
from spindle.model.ids import LogDir
from spindle.model.jobs import BesideJob, LogJob, LogStart
from spindle.model.log_values import AbortedTransaction, LogKey


@dataclass(frozen=True, slots=True)
class CleanRules:
    """A topic's settings for compaction, and the broker's, in ms, bytes and shares of 1."""

    dirty_ratio: float
    min_lag_ms: int
    max_lag_ms: int
    tombstones_ms: int
    """delete.retention.ms: how long a tombstone can still be read after its first cleaning."""
    map_bytes: int
    """What the keys of one cleaning may take in memory."""


class OldSegment(NamedTuple):
    """A segment that is to be cleaned."""

    base: int
    size: int
    end: int


@dataclass(frozen=True, slots=True)
class CleanPlan:
    """What one cleaning does with the log in directory `name`.

    `groups`: old segments, each group to become one new segment. Keys are collected from `dirty`
    on. `last_of`: each producer's last offset, whose batch stays, if empty, for its sequence.
    `unsynced`: bases of segments that are not on the medium yet.
    """

    name: str
    cuts: CutStamp
    groups: tuple[tuple[OldSegment, ...], ...]
    dirty: int
    aborted: tuple[AbortedTransaction, ...]
    last_of: Mapping[int, int]
    rules: CleanRules
    now_ms: int
    index_interval: int
    unsynced: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class NewSegment:
    """A group that has been rewritten, beside the old segments, durably."""

    olds: tuple[OldSegment, ...]
    size: int
    end: int
    newest: tuple[int, int]
    """The largest timestamp (ms) and its batch's last offset."""
    kinds: tuple[str, ...]
    """The kinds of files that there are of it."""


@dataclass(slots=True)
class CleanWork:
    """How far a cleaning has come. Given from step to step; opaque to the node, apart from these.

    `ready`: a group that waits to be adopted before the next step. `done`: nothing is left to
    rewrite; all below `mapped` is clean. `lost`: the log's files have gone; give up.
    """

    mapped: int
    ready: NewSegment | None = None
    done: bool = False
    lost: bool = False
    read_bytes: int = 0
    latest: dict[bytes, int] = field(default_factory=dict)
    """Key -> the last offset that has it."""
    latest_bytes: int = 0
    group: int = 0
    segment: int = 0
    position: int = 0
    collected: bool = False
    written: object = None
    """The new segment in the making."""
    alive: set[int] = field(default_factory=set)
    """Producers of whose transaction, up to here, something is left."""


@dataclass(slots=True)
class PlanClean(LogJob[CleanPlan | None]):
    """Plan a cleaning of what lies below `limit`; None where it is not worth it, or not possible.

    At the first plan after the log was opened, `.cleaned` files of an earlier run are removed.
    """

    rules: CleanRules
    limit: int
    now_ms: int


@dataclass(slots=True)
class CleanBytes(BesideJob[CleanWork]):
    """Go on with a cleaning for about so many bytes, or up to the end of a group."""

    key: LogKey
    plan: CleanPlan
    work: CleanWork
    max_bytes: int

    @property
    def lane(self) -> tuple[LogDir, LogDir]:
        """One for each directory."""
        return (f"{self.directory} cleaner", self.directory)


@dataclass(slots=True)
class AdoptCleaned(LogJob[LogStart | None]):
    """Put `segment` in its olds' place; None where the log has changed too much: give up.

    `Sweep` unlinks what it has set aside.

    `cleaned_to`: all below this offset is clean now (with the last segment of a cleaning); the
    directory's `cleaner-offset-checkpoint` says so.
    """

    plan: CleanPlan
    segment: NewSegment
    cleaned_to: int | None
