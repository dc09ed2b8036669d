"""The scrubber's job: look at a piece of what a directory holds, before a reader has to (B-28)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from spindle.model.ids import LogDir
from spindle.model.jobs import BesideJob, Job
from spindle.model.log_values import LogKey


class ScrubPlace(NamedTuple):
    """How far a round has come: the log (its directory's name), its segment, bytes into that."""

    log: str = ""
    base: int = 0
    position: int = 0


class BadLog(NamedTuple):
    """A log that is damaged, though its disk is well, and what is wrong with it."""

    key: LogKey
    why: str
    suspect: bool = False
    """It could not be read; what is in it may be right."""


@dataclass(slots=True)
class Scrubbed:
    """What a piece showed.

    `next`: where the round goes on; None: it is complete. `mended`: indexes that were wrong and
    were rebuilt from the records, a line each.
    """

    next: ScrubPlace | None
    bytes: int
    bad: tuple[BadLog, ...] = ()
    mended: tuple[str, ...] = ()


@dataclass(slots=True)
class Scrub(Job[Scrubbed]):
    """Check about `max_bytes` from `place` on: sizes, headers, CRCs, indexes."""

    place: ScrubPlace
    max_bytes: int


@dataclass(slots=True)
class NoteScrubbed(BesideJob[None]):
    """Write how far a round has come into a small file; after a power cut it may be torn.

    Beside the directory's thread: on a busy disk appends would wait for the rename.
    """

    name: str
    data: bytes

    @property
    def lane(self) -> tuple[LogDir, LogDir]:
        """One for each directory."""
        return (f"{self.directory} scrubbed", self.directory)

    @property
    def steps_back(self) -> int:
        """None: it takes no processor."""
        return 0
