"""When a directory's scrubber takes its next step, and how far it has come (B-28).

A round looks at every byte of the directory once; rounds begin an interval apart. Steps are small,
and between them it rests: as long as the rate wants, and always a multiple of what the step took,
waiting included, so that a busy or sick disk is left alone. Progress is a small text that outlives
the process. Pure: seconds and ms come in, waits go out. Run by `node.logdirs.repairs`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Final

from spindle.model.scrub_jobs import Scrubbed, ScrubPlace

STEP: Final = 128 << 10
"""Bytes that one step looks at, about: what an append may have to wait for."""
REST: Final = 0.01
"""Seconds between steps at least."""
SHARE: Final = 4.0
"""A rest is at least so many times as long as the step before it."""
OFF_LOOK: Final = 10.0
"""Seconds until a scrubber that is switched off, or waits, looks again."""
_VERSION: Final = 1


@dataclass(slots=True)
class ScrubProgress:
    """How far a directory's scrubber is. Times in ms since 1970; 0: never.

    `place`: where the current round continues, or None between rounds. `seen`: bytes that the
    round has read. `rounds`: complete rounds; `ended_ms`: when the last one ended. `bad` and
    `mended`: damaged logs found and indexes rebuilt, in all rounds.
    """

    place: ScrubPlace | None = None
    began_ms: int = 0
    ended_ms: int = 0
    seen: int = 0
    rounds: int = 0
    bad: int = 0
    mended: int = 0

    def encode(self) -> bytes:
        """As a small file."""
        return json.dumps({"version": _VERSION, **asdict(self)}).encode()

    @staticmethod
    def decode(data: bytes) -> ScrubProgress:
        """From a small file; ValueError where it makes no sense."""
        try:
            document = json.loads(data)
            if document.pop("version") != _VERSION:
                raise ValueError("it is of another version")
            place = document.pop("place")
            counts: dict[str, int] = {name: int(value) for name, value in document.items()}
            found = ScrubProgress(None, **counts)
            if place is not None:
                log, base, position = place
                found.place = ScrubPlace(str(log), max(0, int(base)), max(0, int(position)))
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"{type(error).__name__}: {error}") from None
        return found


class ScrubSchedule:
    """One directory's. Ask `wait`; when that is 0, have `progress.place` looked at."""

    def __init__(self, progress: ScrubProgress | None = None) -> None:
        self.progress = progress or ScrubProgress()

    def wait(self, wall_ms: int, interval_ms: int, rate: int) -> float:
        """Seconds until a step may be taken (0: now); begins a round when it is time.

        `rate` in bytes per second, 0: never. A clock that was set back delays a round by no more
        than the interval.
        """
        progress = self.progress
        if rate <= 0:
            return OFF_LOOK
        if progress.place is None:
            progress.began_ms = min(progress.began_ms, wall_ms)  # The clock may be set back.
            due = progress.began_ms + interval_ms
            if progress.began_ms and wall_ms < due:
                return min(OFF_LOOK, (due - wall_ms) / 1000)
            progress.place, progress.seen = ScrubPlace(), 0
            progress.began_ms = wall_ms
        return 0.0

    def on_scrubbed(self, done: Scrubbed, took: float, rate: int, wall_ms: int) -> float:
        """A step that was taken at `rate` has ended; seconds to rest."""
        progress = self.progress
        progress.place = done.next
        progress.seen += done.bytes
        progress.bad += len(done.bad)
        progress.mended += len(done.mended)
        if done.next is None:
            progress.rounds += 1
            progress.ended_ms = wall_ms
        return max(REST, SHARE * took, done.bytes / rate - took)
