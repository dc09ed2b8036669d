"""Writes the tables of docs/metrics.md: `python -m tests.metrics_page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from spindle.model.metric_tables.all_metrics import SECTIONS
from spindle.model.statistics import MetricSection

PAGE: Final = Path(__file__).parents[1] / "docs" / "metrics.md"
MARK: Final = "<!-- from here on generated -->\n"


def page() -> str:
    """The whole page: what is written by hand, and the tables behind the mark."""
    written, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    assert mark, f"{PAGE} has lost its mark"
    parts = [written + mark]
    for number, section in enumerate(SECTIONS):
        parts += ([""] if number else []) + list(_table(section))
    return "\n".join(parts) + "\n"


def _table(section: MetricSection) -> Iterator[str]:
    yield f"## {section.title}\n"
    yield f"On: {section.where}.\n"
    yield "| name | type | labels | |"
    yield "|---|---|---|---|"
    for metric in section.metrics:
        labels = ", ".join(f"`{label}`" for label in metric.labels)
        yield f"| `{metric.name}` | {metric.kind} | {labels} | {metric.help} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
