"""What charts show, and where: disks, logs, flows, courses over time, events over time.

Functions of values; `cli/templates` draws what they give. Places along an axis are parts of it in
percent, so that a chart is as broad as the page is, on a phone as on a wall. Used by the pages of
`balance`, `forensics`, `audit` and the demo; knows nothing of clusters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from spindle.cli.path_names import ShortName, elided
from spindle.planning.amounts import amount

_NAME_MAX: Final = 24
"""Characters of a name beside a flow or a bar."""
_SCALE, _GAP, _THIN = 150.0, 14.0, 2.0
_ENDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_HEADROOM: Final = 1.08
_CLOSE: Final = 9.0
"""Two labels of an axis, in percent of it, below which one of them is left out."""
_LEAST: Final = 0.4
"""Percent of the smallest mark: what is wrong must be seen."""

Point = tuple[float, float]
Tick = tuple[float, str]
"""Its place on the axis in percent, and its label."""


@dataclass(frozen=True, slots=True)
class DiskBar:
    """Bytes of replicas in a directory before and after; `capacity` 0: unknown, it is offline.

    `remark` is shown beside its name, in the colour of alarm.
    """

    owner: str
    path: ShortName
    capacity: int
    before: int
    after: int
    remark: str = ""

    def share(self, count: int) -> float:
        """What part of the capacity so many bytes are."""
        return count / self.capacity if self.capacity else 0.0


@dataclass(frozen=True, slots=True)
class DiskBars:
    """Bars of directories, those of one owner together; an axis ends at `end` of their capacity.

    `mark`: the share above which none is to be filled; None: not in the picture.
    """

    owners: Sequence[tuple[str, Sequence[DiskBar]]]
    end: float
    mark: float | None
    unit: str

    def along(self, share: float) -> float:
        """Where a share of the capacity stands, in percent of the axis."""
        return min(100.0, 100 * share / self.end)

    @property
    def ticks(self) -> Sequence[Tick]:
        """Five labels of the axis."""
        shares = [self.end * n / 4 for n in range(5)]
        return [(25.0 * n, f"{100 * share:g}%") for n, share in enumerate(shares)]


@dataclass(frozen=True, slots=True)
class Flow:
    """Bytes that go from one place to another, in so many moves."""

    source: ShortName
    target: ShortName
    size: int
    moves: int


@dataclass(frozen=True, slots=True)
class RibbonEnd:
    """Where ribbons begin or end: its place `y`, how high, and the bytes that go or come."""

    name: ShortName
    y: float
    high: float
    size: int


@dataclass(frozen=True, slots=True)
class Ribbon:
    """A flow from `left` to `right` (y of its upper edge), as `wide` as its bytes."""

    flow: Flow
    left: float
    right: float
    wide: float
    opacity: float


@dataclass(frozen=True, slots=True)
class Flows:
    """Ribbons from sources to targets, as broad as the bytes that go; heights in pixels."""

    sources: Sequence[RibbonEnd]
    targets: Sequence[RibbonEnd]
    ribbons: Sequence[Ribbon]
    height: float


@dataclass(frozen=True, slots=True)
class Course:
    """Bytes over time: what was, and what is expected: (moment, least, expected, most).

    `limits`: lines with a name that it may reach, the first one is its end; `within`: between
    which moments it is expected to reach that one, with `text`: the same in words.
    """

    name: ShortName
    text: str
    past: Sequence[tuple[datetime, float]]
    ahead: Sequence[tuple[datetime, float, float, float]]
    limits: Sequence[tuple[str, float]]
    within: tuple[datetime | None, datetime | None]


@dataclass(frozen=True, slots=True)
class CourseChart:
    """A course in a picture, all in percent: y from its top."""

    course: Course
    line: Sequence[Point]
    expected: Sequence[Point]
    shade: Sequence[Point]
    now: float
    span: tuple[float, float] | None
    limits: Sequence[tuple[float, str]]
    across: Sequence[Tick]
    up: Sequence[Tick]


@dataclass(frozen=True, slots=True)
class Span:
    """Something on a time line, from `begin` to `end` (s)."""

    begin: float
    end: float
    text: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """Bars (x, height in percent) of events, each `bin_seconds` long, and ticks.

    `bands`: x and width of spans behind them, and a letter, which a list explains; `most`: events a
    second of the highest bar; `unit`: what is counted.
    """

    bars: Sequence[Point]
    bands: Sequence[tuple[float, float, str, Span]]
    ticks: Sequence[Tick]
    bar: float
    bin_seconds: float
    most: float
    unit: str


@dataclass(frozen=True, slots=True)
class BarPart:
    """A part of a bar from `begin` to `end`; `kind`: a class of the page's style."""

    begin: int
    end: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A log: its offsets (or records) from `begin` to `end`, and marks upon them."""

    name: ShortName
    begin: int
    end: int
    marks: Sequence[BarPart]
    text: str

    def places(self) -> Iterator[tuple[BarPart, float, float]]:
        """Its marks, each with its place and its width in percent."""
        scale = 100 / max(1, self.end - self.begin)
        for mark in self.marks:
            x = min(max(0.0, (mark.begin - self.begin) * scale), 100 - _LEAST)
            yield mark, x, min(max(_LEAST, (mark.end - mark.begin) * scale), 100 - x)


def disks(
    all_disks: Sequence[DiskBar], mark: float | None = None, unit: str = "of capacity"
) -> DiskBars:
    """Bars along the capacity of each directory.

    Where all are nearly empty the axis ends at a round share, and has no mark.
    """
    owners: list[tuple[str, list[DiskBar]]] = []
    for disk in all_disks:
        if not owners or owners[-1][0] != disk.owner:
            owners.append((disk.owner, []))
        owners[-1][1].append(disk)
    fullest = max((d.share(n) for d in all_disks for n in (d.before, d.after)), default=1.0)
    end = next((end for end in _ENDS if fullest * 1.05 <= end), max(1.0, fullest))
    return DiskBars(owners, end, mark if mark is not None and mark <= end else None, unit)


def flows(all_flows: Sequence[Flow]) -> Flows:
    """Where everything stands; more flows get more room."""
    ordered = sorted(all_flows, key=lambda f: (f.source.full, f.target.full))
    whole = sum(flow.size for flow in ordered) or 1
    scale = _SCALE * max(1.0, len(ordered) / 4) / whole
    sources, bottom_left = _places([(f.source, f.size) for f in ordered], scale)
    targets, bottom_right = _places([(f.target, f.size) for f in ordered], scale)
    at_left = {place.name.full: place.y for place in sources}
    at_right = {place.name.full: place.y for place in targets}
    ribbons = []
    for number, flow in enumerate(ordered):
        wide = max(_THIN, flow.size * scale)
        source, target = flow.source.full, flow.target.full
        opacity = 0.28 + 0.12 * (number % 3)
        ribbons.append(Ribbon(flow, at_left[source], at_right[target], wide, opacity))
        at_left[source] += wide
        at_right[target] += wide
    return Flows(sources, targets, ribbons, max(bottom_left, bottom_right))


def course(given: Course) -> CourseChart:
    """A chart of a course, from its first moment to its last one."""
    now = given.past[-1][0]
    first, end = given.past[0][0], given.ahead[-1][0]
    most = max([*(bound for _, bound in given.limits), *(count for _, count in given.past)])
    top = most * _HEADROOM or 1.0

    def x(at: datetime) -> float:
        return min(100.0, 100 * ((at - first) / (end - first)))

    def y(count: float) -> float:
        return 100 * (1 - max(0.0, count) / top)

    earliest, latest = given.within
    span = None if earliest is None or earliest > end else (x(earliest), x(latest or end))
    lower = [(x(at), y(least)) for at, least, _, _ in given.ahead]
    limits = [(y(bound), name) for name, bound in given.limits]
    return CourseChart(
        course=given,
        line=[(x(at), y(count)) for at, count in given.past],
        expected=[(x(at), y(middle)) for at, _, middle, _ in given.ahead],
        shade=[*lower, *((x(at), y(high)) for at, _, _, high in reversed(given.ahead))],
        now=x(now),
        span=span,
        limits=limits,
        across=[(x(at), label) for at, label in _dates(first, end)],
        up=_amounts(top, y, [place for place, _ in limits]),
    )


def timeline(
    per_bin: Sequence[int], bin_seconds: float, unit: str, spans: Sequence[Span]
) -> Timeline:
    """Events counted in bins of equal length as bars, and what happened meanwhile behind them."""
    most, count = max(per_bin, default=0) or 1, max(len(per_bin), 1)
    seconds = count * bin_seconds

    def x(at: float) -> float:
        return 100 * at / seconds

    return Timeline(
        bars=[(100 * index / count, 100 * n / most) for index, n in enumerate(per_bin)],
        bands=[
            (x(span.begin), max(_LEAST, x(span.end - span.begin)), letter, span)
            for letter, span in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", spans, strict=False)
        ],
        ticks=[(x(at), f"{at:g} s") for at in _round_moments(seconds)],
        bar=85 / count,
        bin_seconds=bin_seconds,
        most=most / bin_seconds,
        unit=unit,
    )


def name_of(owner: str, path: ShortName) -> ShortName:
    """A place by its owner and its path, short and in full."""
    return ShortName(f"{owner} {elided(path.text, _NAME_MAX)}", f"{owner} {path.full}")


def _places(ends: Sequence[tuple[ShortName, int]], scale: float) -> tuple[list[RibbonEnd], float]:
    """Places below each other, and where the last one is over."""
    sizes: dict[str, list[int]] = {}
    names = {name.full: name for name, _ in ends}
    for name, size in ends:
        sizes.setdefault(name.full, []).append(size)
    y, found = 0.0, []
    for full, counts in sorted(sizes.items()):
        high = sum(max(_THIN, count * scale) for count in counts)
        found.append(RibbonEnd(names[full], y, high, sum(counts)))
        y += max(34.0, high) + _GAP
    return found, y


def _dates(first: datetime, end: datetime) -> list[tuple[datetime, str]]:
    """Round moments between two others, at most eight or so, with what they are called."""
    days = (end - first) / timedelta(days=1)
    for hours in (6, 12, 24, 48, 24 * 3, 24 * 7, 24 * 14):
        if days * 24 / hours <= 8:
            step = timedelta(hours=hours)
            at = first.replace(hour=0, minute=0, second=0, microsecond=0)
            form = "{0.day} {0:%b}" if hours >= 24 else "{0.day} {0:%b %H:%M}"
            found = []
            while at <= end:
                found += [(at, form.format(at))] if at >= first else []
                at += step
            return found
    months = next((n for n in (1, 3, 6, 12) if days / 30 / n <= 6), 24)
    begin, last = (at.year * 12 + at.month - 1 for at in (first, end))
    numbers = range(-(-(begin + 1) // months) * months, last + 1, months)
    starts = [datetime(n // 12, n % 12 + 1, 1, tzinfo=UTC) for n in numbers]
    return [(at, f"{at:%b %Y}") for at in starts]


def _amounts(top: float, y: Callable[[float], float], taken: Sequence[float]) -> list[Tick]:
    """Round amounts of bytes, three to six, with their places; none too close to those taken."""
    step = 2.0 ** max(0, math.ceil(math.log2(top / 5)))
    counts = [step * n for n in range(int(top / step) + 1)]
    return [
        (y(count), re.sub(r"\.?0+ (?=[KMGTP])", " ", amount(count, 2)) if count else "0")
        for count in counts
        if all(abs(y(count) - place) >= _CLOSE for place in taken)
    ]


def _round_moments(seconds: float) -> list[float]:
    """At most eight, none too close to the right edge."""
    step = 10.0 ** math.floor(math.log10(max(seconds, 1)))
    pace = next(step * n for n in (0.2, 0.5, 1, 2, 5) if seconds / (step * n) <= 8)
    return [n * pace for n in range(int(seconds / pace) + 1) if n * pace <= 0.94 * seconds]
