"""What charts show, and where: what flows from where to where, and lines over time with what is
to come.

Functions of values, like `pictures`; `cli/templates` draws what they give. Used by the pages of
`balance`; knows nothing of clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spindle.cli.pictures import WIDTH, shortened

_SIDE = 235
"""Room for names on each side of a flow."""
_SCALE, _GAP, _THIN = 170.0, 12.0, 2.0
_NAME_MAX = 30
_TOP, _HIGH, _LEFT, _RIGHT, _FOOT = 24, 120, 64, 20, 34

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Flow:
    """Bytes that go from one place to another, in so many moves."""

    source: str
    target: str
    size: int
    moves: int


@dataclass(frozen=True, slots=True)
class RibbonEnd:
    """Where ribbons begin or end: its place `y`, how high, and the bytes that go or come."""

    name: str
    short: str
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
    """Ribbons from sources to targets, as broad as the bytes that go."""

    sources: Sequence[RibbonEnd]
    targets: Sequence[RibbonEnd]
    ribbons: Sequence[Ribbon]
    height: float
    width: int = WIDTH
    side: int = _SIDE


@dataclass(frozen=True, slots=True)
class Course:
    """Bytes over time (s): what was, and what is expected from its end on.

    `ends`: when the limit is reached at the expected, the fastest and the slowest pace; None: not
    within sight.
    """

    name: str
    past: Sequence[tuple[float, float]]
    limit: float
    ends: tuple[float | None, float | None, float | None]


@dataclass(frozen=True, slots=True)
class CourseChart:
    """A course in a picture: past as a line, what is to come dashed, between its bounds (shade).

    `limit`, `last`, `floor`: where these stand (y); `full`: days until it is full, None: it is not
    within the picture; `ticks`: days from now, and their places (x).
    """

    course: Course
    limit: float
    last: float
    last_size: float
    floor: float
    now: float
    line: Sequence[Point]
    shade: Sequence[Point]
    expected: Point
    full: float | None
    ticks: Sequence[tuple[float, int]]
    width: int = WIDTH
    height: int = _TOP + _HIGH + _FOOT
    left: int = _LEFT
    right: int = WIDTH - _RIGHT


def flows(all_flows: Sequence[Flow]) -> Flows:
    """Where everything stands; more flows get more room."""
    ordered = sorted(all_flows, key=lambda f: (f.source, f.target))
    whole = sum(flow.size for flow in ordered) or 1
    scale = _SCALE * max(1.0, len(ordered) / 4) / whole
    sources, bottom_left = _places([(f.source, f.size) for f in ordered], scale)
    targets, bottom_right = _places([(f.target, f.size) for f in ordered], scale)
    at_left = {place.name: place.y for place in sources}
    at_right = {place.name: place.y for place in targets}
    ribbons = []
    for number, flow in enumerate(ordered):
        wide = max(_THIN, flow.size * scale)
        opacity = 0.28 + 0.12 * (number % 3)
        ribbons.append(Ribbon(flow, at_left[flow.source], at_right[flow.target], wide, opacity))
        at_left[flow.source] += wide
        at_right[flow.target] += wide
    return Flows(sources, targets, ribbons, max(bottom_left, bottom_right))


def courses(all_courses: Sequence[Course], now: float, end: float, day: float) -> list[CourseChart]:
    """A chart for each course, until `end`; `day`: its length in s."""
    return [_course(course, now, end, day) for course in all_courses]


def _places(ends: Sequence[tuple[str, int]], scale: float) -> tuple[list[RibbonEnd], float]:
    """Places below each other, and where the last one is over."""
    sizes: dict[str, list[int]] = {}
    for name, size in ends:
        sizes.setdefault(name, []).append(size)
    y, found = 6.0, []
    for name, counts in sorted(sizes.items()):
        high = sum(max(_THIN, count * scale) for count in counts)
        found.append(RibbonEnd(name, shortened(name, _NAME_MAX), y, high, sum(counts)))
        y += max(28.0, high) + _GAP
    return found, y


def _course(course: Course, now: float, end: float, day: float) -> CourseChart:
    first = min([at for at, _ in course.past] or [now])
    top = max([course.limit, *(count for _, count in course.past)]) * 1.08 or 1

    def x(at: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (min(at, end) - first) / max(1e-9, end - first)

    def y(count: float) -> float:
        return _TOP + _HIGH * (1 - min(count, top) / top)

    def point(place: Point) -> Point:
        return x(place[0]), y(place[1])

    last = course.past[-1][1] if course.past else 0.0
    expected, fastest, slowest = (_reached(course, now, last, e, end) for e in course.ends)
    corner = end, course.limit if fastest[0] < end else fastest[1]
    reached = course.ends[0]
    return CourseChart(
        course=course,
        limit=y(course.limit),
        last=y(last),
        last_size=last,
        floor=y(0),
        now=x(now),
        line=[point(place) for place in course.past],
        shade=[point(place) for place in ((now, last), fastest, corner, slowest)],
        expected=point(expected),
        full=(reached - now) / day if reached is not None and reached <= end else None,
        ticks=[(x(now + days * day), days) for days in _days(first, now, end, day)],
    )


def _reached(course: Course, now: float, last: float, at: float | None, end: float) -> Point:
    """Where a pace ends in the picture: at the limit, or at the right edge below it."""
    if at is None:
        return end, last
    if at <= end:
        return max(at, now), max(course.limit, last)
    return end, last + (course.limit - last) * (end - now) / (at - now)


def _days(first: float, now: float, end: float, day: float) -> list[int]:
    """Whole days before (negative) and after now, not more than about ten."""
    pace = max(1, round((end - first) / day / 8))
    past = range(-pace, -int((now - first) / day) - 1, -pace)
    return [*past, 0, *range(pace, int((end - now) / day) + 1, pace)]
