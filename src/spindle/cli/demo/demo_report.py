"""The demo's report as one HTML page: promises, disks before and after, acknowledgements over time.

A function of values. Called by the demo's command.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spindle.cli import charts, pages
from spindle.cli.charts import DiskBar, Span

BIN_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Promise:
    """What was promised, what was seen, and whether it was kept."""

    text: str
    seen: str
    kept: bool

    @property
    def word(self) -> str:
        """How that is said."""
        return "kept" if self.kept else "BROKEN"


@dataclass(frozen=True, slots=True)
class Story:
    """All that the report tells. `acknowledged`: records in each BIN_SECONDS of the load."""

    lead: str
    disks: Sequence[DiskBar]
    acknowledged: Sequence[int]
    spans: Sequence[Span]
    promises: Sequence[Promise]
    facts: Sequence[tuple[str, str]]


def page(story: Story) -> str:
    """The whole page."""
    kept = all(promise.kept for promise in story.promises)
    return pages.page(
        "demo",
        title="Spindle: every promise was kept" if kept else "Spindle: a promise was broken",
        lead=story.lead,
        promises=[(p.text, p.seen, p.word) for p in story.promises],
        picture=charts.disks(story.disks),
        acknowledged=charts.timeline(story.acknowledged, BIN_SECONDS, "records", story.spans),
        facts=story.facts,
    )
