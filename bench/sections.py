"""Sections of a run: how long each may take, and what it measured, kept as soon as it has ended."""

from __future__ import annotations

import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from bench.report import Table, commit, joined, render


class Expected(NamedTuple):
    """What a section takes on two processors: to be ready and warm, and for each counted round."""

    rounds: int
    """Counted rounds by default."""
    first: float
    """Minutes before the first counted round."""
    each: float
    """Minutes of a counted round, of both peers together."""

    def minutes(self, rounds: int | None) -> float:
        """Minutes for so many rounds, or for the section's own number of them."""
        return self.first + self.each * (rounds or self.rounds)


SECTIONS: Final = {
    "planner": Expected(1, 0.0, 3.0),
    "sources": Expected(3, 1.0, 0.8),
    "hostile": Expected(2, 3.5, 3.5),
    "throughput": Expected(3, 2.5, 1.6),
    "throughput-single": Expected(3, 1.5, 0.9),
    "throughput-100b": Expected(3, 2.5, 0.9),
    "small": Expected(3, 1.5, 0.8),
    "small-single": Expected(3, 2.5, 1.5),
    "latency": Expected(3, 1.5, 0.9),
    "requests": Expected(3, 2.0, 1.5),
    "move": Expected(3, 1.5, 1.2),
    "move-four": Expected(3, 3.5, 1.3),
    "move-felt": Expected(3, 1.5, 1.6),
    "move-swaps": Expected(1, 0.5, 1.0),
    "start": Expected(3, 0.0, 2.0),
    "gap": Expected(1, 0.0, 6.0),
    "failover": Expected(5, 1.0, 0.5),
    "partitions": Expected(1, 0.0, 16.0),
}
"""In the order in which they run: small requests warm up what is measured for its latency."""
GOALS: Final = "goals"
OF_GOALS: Final = tuple(name for name in SECTIONS if name not in ("planner", "sources", "hostile"))
"""Those that stand beside Apache Kafka in its own trade: what `--only goals` asks for."""


class Results:
    """Takes each section's figures; prints and writes them when the section ends."""

    def __init__(self, command: str, document: Path | None) -> None:
        self._command = command
        self._document = document
        self._begun_at = commit()
        self.failed: list[str] = []
        """Sections that did not get through."""
        self.minutes: dict[str, float] = {}
        """What each section took."""

    @contextmanager
    def section(self, name: str) -> Iterator[Table]:
        """One section's table. A section that fails is reported, and the others go on."""
        table: Table = defaultdict(lambda: defaultdict(list))
        began = time.monotonic()
        try:
            yield table
        except Exception:  # The boundary of a section: the next ones may still be measured.
            traceback.print_exc()
            print(f"{name} failed; its figures are not kept: {_plain(table)}", file=sys.stderr)
            self.failed.append(name)
        else:
            self._keep(name, table, time.monotonic() - began)
        self.minutes[name] = (time.monotonic() - began) / 60

    def _keep(self, name: str, table: Table, seconds: float) -> None:
        ended_at = commit()
        measured = self._begun_at
        if ended_at != measured:
            measured += f" (at its end {ended_at})"
        text = render(table, f"`{self._command}` ({name}: {seconds / 60:.1f} min)", measured)
        print(text, flush=True)
        if self._document:
            kept = joined(self._document.read_text(), text, set(table))
            self._document.write_text(kept)


def wanted(names: str | None) -> list[str]:
    """The sections that are asked for: by their names, by how these begin, or as `goals`."""
    if names is None:
        return list(SECTIONS)
    begins = tuple(names.split(","))
    goals = OF_GOALS if GOALS in begins else ()
    return [name for name in SECTIONS if name in goals or name.startswith(begins)]


def estimate(names: list[str], rounds: int | None) -> str:
    """What a run is expected to take."""
    minutes = {name: SECTIONS[name].minutes(rounds) for name in names}
    return f"expected: {in_words(minutes)}"


def in_words(minutes: dict[str, float]) -> str:
    """Minutes of each section and of all."""
    each = ", ".join(f"{name} {value:.1f}" for name, value in minutes.items())
    return f"{each}; {sum(minutes.values()):.0f} minutes in all"


def _plain(table: Table) -> dict[str, dict[str, list[float]]]:
    return {figure: dict(by_peer) for figure, by_peer in table.items()}
