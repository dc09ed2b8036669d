"""The scrubber's job: look at a piece of what a directory holds, before a reader has to (B-28)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from spindle.model.jobs import Job
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
