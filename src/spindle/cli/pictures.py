"""What pictures of disks and of events over time show, and where: disks before and after, bars.

Functions of values; `cli/templates` draws what they give. Used by the pages of the demo and of
`balance`; knows nothing of clusters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 800
"""Of every picture."""
_LABEL, _VALUES = 240, 225
"""Room on the left of the bars for names, on their right for numbers."""
_BAR, _ROW, _HEADING = 9, 30, 22
_HIGH, _LINE = 150, 18
_NAME_MAX = 38


@dataclass(frozen=True, slots=True)
class DiskBar:
    """Bytes of replicas in a directory before and after; `capacity` 0: unknown, it is offline.

    `remark` is shown beside its name, in the colour of alarm.
    """

    owner: str
    path: str
    capacity: int
    before: int
    after: int
    remark: str = ""

    def share(self, count: int) -> float:
        """What part of the capacity so many bytes are."""
        return count / self.capacity if self.capacity else 0.0


@dataclass(frozen=True, slots=True)
class DiskRow:
    """A directory in a picture: its place `y`, the lengths of its bars, its numbers' place.

    `heading`: its owner, if it is the first one of it.
    """

    disk: DiskBar
    heading: str
    name: str
    y: int
    before: float
    after: float
    numbers: float


@dataclass(frozen=True, slots=True)
class DiskBars:
    """Two bars for each directory; those of one owner stand together, below its name.

    `fullest`: the share that the longest bar stands for; `of`: what it is a share of, in words.
    """

    rows: Sequence[DiskRow]
    fullest: float
    of: str
    height: int
    width: int = WIDTH
    left: int = _LABEL
    bar: int = _BAR


@dataclass(frozen=True, slots=True)
class Span:
    """Something on a time line, from `begin` to `end` (s)."""

    begin: float
    end: float
    text: str


@dataclass(frozen=True, slots=True)
class LabelledSpan:
    """A span in a picture: from `x` on, so broad, with its text in a line of its own at `y`."""

    x: float
    width: float
    y: int
    text: str

    @property
    def on_the_right(self) -> bool:
        """Whether its text stands on the left of it, so that it does not leave the picture."""
        return self.x > WIDTH / 2


@dataclass(frozen=True, slots=True)
class Timeline:
    """Bars (x, height) of events, each `bin_seconds` long, bands behind, ticks (x, s) below.

    `most`: events a second of the highest bar; `unit`: what is counted.
    """

    bars: Sequence[tuple[float, float]]
    bands: Sequence[LabelledSpan]
    ticks: Sequence[tuple[float, float]]
    bar: float
    top: int
    bottom: int
    bin_seconds: float
    most: float
    unit: str
    width: int = WIDTH


def disks(all_disks: Sequence[DiskBar], of: str = "of its directory's capacity") -> DiskBars:
    """Bars as long as directories are full; the longest takes all the room."""
    fullest = max((d.share(n) for d in all_disks for n in (d.before, d.after)), default=0) or 1
    scale = (WIDTH - _LABEL - _VALUES) / fullest
    rows: list[DiskRow] = []
    y = 0
    for disk in all_disks:
        heading = disk.owner if not rows or disk.owner != rows[-1].disk.owner else ""
        if heading:
            y += _HEADING
        before, after = scale * disk.share(disk.before), scale * disk.share(disk.after)
        numbers = _LABEL + max(before, after) + 8
        name = shortened(disk.path, _NAME_MAX)
        rows.append(DiskRow(disk, heading, name, y, max(1.0, before), max(1.0, after), numbers))
        y += _ROW
    return DiskBars(rows, fullest, of, y)


def timeline(
    per_bin: Sequence[int], bin_seconds: float, unit: str, spans: Sequence[Span]
) -> Timeline:
    """Events counted in bins of equal length as bars, and what happened meanwhile above them."""
    most, count = max(per_bin, default=0) or 1, max(len(per_bin), 1)
    step, seconds = WIDTH / count, count * bin_seconds
    per_second = step / bin_seconds
    bands = [
        LabelledSpan(
            span.begin * per_second,
            max(2.0, (span.end - span.begin) * per_second),
            13 + _LINE * row,
            span.text,
        )
        for row, span in enumerate(_stacked(spans, seconds / 2))
    ]
    top = _LINE * len(spans) + 6
    return Timeline(
        bars=[(index * step, _HIGH * n / most) for index, n in enumerate(per_bin)],
        bands=bands,
        ticks=[(at / seconds * WIDTH, at) for at in _ticks(seconds)],
        bar=step * 0.85,
        top=top,
        bottom=top + _HIGH,
        bin_seconds=bin_seconds,
        most=most / bin_seconds,
        unit=unit,
    )


def shortened(name: str, most: int) -> str:
    """A name of so many characters at most; its end tells more than its beginning."""
    return name if len(name) <= most else "…" + name[1 - most :]


def _stacked(spans: Sequence[Span], middle: float) -> list[Span]:
    """From the top row down, so that no edge crosses a text: texts point to the middle."""
    left = [span for span in spans if span.begin <= middle]
    return left + [span for span in reversed(spans) if span.begin > middle]


def _ticks(seconds: float) -> list[float]:
    """Round moments, at most eight, none too close to the right edge."""
    step = 10.0 ** math.floor(math.log10(max(seconds, 1)))
    pace = next(step * n for n in (0.2, 0.5, 1, 2, 5) if seconds / (step * n) <= 8)
    return [n * pace for n in range(int(seconds / pace) + 1) if n * pace <= 0.96 * seconds]
