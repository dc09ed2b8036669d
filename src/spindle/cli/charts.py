"""Charts as SVG: what flows from where to where, and lines over time with what is to come.

Functions of values, like `pictures`, whose pages they stand on and whose style they use. Used by
the pages of `balance`; knows nothing of clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from spindle.cli.render import size

_WIDTH = 800
_SIDE = 235
"""Room for names on each side of a flow."""
_SCALE, _GAP, _THIN = 170.0, 12.0, 2.0
_NAME_MAX = 30
_HIGH, _LEFT, _RIGHT, _FOOT = 120, 64, 20, 34


@dataclass(frozen=True, slots=True)
class Flow:
    """Bytes that go from one place to another, in so many moves."""

    source: str
    target: str
    size: int
    moves: int


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


def flows(all_flows: Sequence[Flow]) -> str:
    """Ribbons from sources to targets, as broad as the bytes that go."""
    if not all_flows:
        return ""
    most = max(_sums(all_flows, 0)[1], _sums(all_flows, 1)[1]) or 1
    scale = _SCALE * max(1.0, len(all_flows) / 4) / most
    sources, _ = _sums(all_flows, 0)
    targets, _ = _sums(all_flows, 1)
    left, bottom_left = _stacked(sources, scale)
    right, bottom_right = _stacked(targets, scale)
    parts = [_ends(sources, left, scale, of_targets=False)]
    parts.append(_ends(targets, right, scale, of_targets=True))
    at_left, at_right = dict(left), dict(right)
    for number, flow in enumerate(sorted(all_flows, key=lambda f: (f.source, f.target))):
        wide = max(_THIN, flow.size * scale)
        parts.append(_ribbon(flow, at_left[flow.source], at_right[flow.target], wide, number))
        at_left[flow.source] += wide
        at_right[flow.target] += wide
    high = max(bottom_left, bottom_right)
    return (
        f'<svg viewBox="0 0 {_WIDTH} {high:.0f}" role="img" aria-label="bytes that move, from '
        f'where to where">{"".join(parts)}</svg>'
    )


def courses(all_courses: Sequence[Course], now: float, end: float, day: float) -> str:
    """A chart for each course: past as a line, what is to come dashed, between its bounds."""
    return "".join(_course(c, now, end, day) for c in all_courses)


def _sums(all_flows: Sequence[Flow], side: int) -> tuple[dict[str, list[int]], int]:
    sums: dict[str, list[int]] = {}
    for flow in sorted(all_flows, key=lambda f: (f.source, f.target)):
        sums.setdefault((flow.source, flow.target)[side], []).append(flow.size)
    ordered = dict(sorted(sums.items()))
    return ordered, sum(map(sum, ordered.values()))


def _stacked(ends: dict[str, list[int]], scale: float) -> tuple[dict[str, float], float]:
    """Where each end begins, and where the last one is over."""
    y, found = 6.0, {}
    for name, sizes in ends.items():
        found[name] = y
        y += max(28.0, sum(max(_THIN, count * scale) for count in sizes)) + _GAP
    return found, y


def _ends(
    ends: dict[str, list[int]], at: dict[str, float], scale: float, *, of_targets: bool
) -> str:
    x = _WIDTH - _SIDE if of_targets else _SIDE - 6
    anchor, text_x = ("start", x + 14) if of_targets else ("end", x - 8)
    parts = []
    for name, sizes in ends.items():
        high = sum(max(_THIN, count * scale) for count in sizes)
        sign = "+" if of_targets else "−"
        parts.append(
            f'<rect class="{"is" if of_targets else "was"}" x="{x}" y="{at[name]:.1f}" width="6" '
            f'height="{high:.1f}" rx="2"/><text x="{text_x}" y="{at[name] + 11:.1f}" '
            f'text-anchor="{anchor}"><title>{escape(name)}</title>{escape(_short(name))}</text>'
            f'<text class="soft" x="{text_x}" y="{at[name] + 25:.1f}" text-anchor="{anchor}">'
            f"{sign}{size(sum(sizes))}</text>"
        )
    return "".join(parts)


def _ribbon(flow: Flow, left: float, right: float, wide: float, number: int) -> str:
    x1, x2 = _SIDE, _WIDTH - _SIDE
    middle = (x1 + x2) / 2
    words = f"{flow.source} → {flow.target}: {flow.moves} moves, {size(flow.size)}"
    return (
        f'<path d="M{x1},{left:.1f} C{middle},{left:.1f} {middle},{right:.1f} {x2},{right:.1f} '
        f"V{right + wide:.1f} C{middle},{right + wide:.1f} {middle},{left + wide:.1f} {x1},"
        f'{left + wide:.1f} Z" style="fill:var(--is)" opacity="{0.28 + 0.12 * (number % 3):.2f}">'
        f"<title>{escape(words)}</title></path>"
    )


def _course(course: Course, now: float, end: float, day: float) -> str:
    first = min([at for at, _ in course.past] or [now])
    top = max([course.limit, *(count for _, count in course.past)]) * 1.08 or 1

    def x(at: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (min(at, end) - first) / max(1e-9, end - first)

    def y(count: float) -> float:
        return 24 + _HIGH * (1 - min(count, top) / top)

    last = course.past[-1][1] if course.past else 0.0
    line = " ".join(f"{x(at):.1f},{y(count):.1f}" for at, count in course.past)
    parts = [
        f'<text class="owner" x="0" y="12">{escape(course.name)}</text>',
        f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(0)}" y2="{y(0)}"/>',
        f'<line style="stroke:var(--bad)" stroke-dasharray="2 3" x1="{_LEFT}" '
        f'x2="{_WIDTH - _RIGHT}" y1="{y(course.limit):.1f}" y2="{y(course.limit):.1f}"/>',
        f'<text class="alarm" x="0" y="{y(course.limit) + 4:.1f}">{size(round(course.limit))}'
        "</text>",
        f'<text class="soft" x="0" y="{y(last) + 4:.1f}">{size(round(last))}</text>',
        f'<line class="edge" x1="{x(now):.1f}" x2="{x(now):.1f}" y1="20" y2="{y(0)}"/>',
    ]
    expected, fastest, slowest = (_reached(course, now, last, e, end) for e in course.ends)
    parts.append(
        f'<polygon class="band" points="{x(now):.1f},{y(last):.1f} {x(fastest[0]):.1f},'
        f"{y(fastest[1]):.1f} {x(end):.1f},{y(course.limit if fastest[0] < end else fastest[1])}"
        f' {x(slowest[0]):.1f},{y(slowest[1]):.1f}"/>'
        f'<polyline points="{line}" fill="none" style="stroke:var(--is)" stroke-width="2"/>'
        f'<line style="stroke:var(--is)" stroke-width="2" stroke-dasharray="6 4" x1="{x(now):.1f}" '
        f'y1="{y(last):.1f}" x2="{x(expected[0]):.1f}" y2="{y(expected[1]):.1f}"/>'
    )
    if course.ends[0] is not None and course.ends[0] <= end:
        when = f"full in {(course.ends[0] - now) / day:.1f} days"
        parts.append(
            f'<circle class="alarm" cx="{x(expected[0]):.1f}" cy="{y(expected[1]):.1f}" r="4"/>'
            f'<text class="alarm" x="{x(expected[0]) - 8:.1f}" y="{y(expected[1]) - 8:.1f}" '
            f'text-anchor="end">{when}</text>'
        )
    parts += [
        f'<text class="soft" x="{x(at):.1f}" y="{y(0) + 16}" text-anchor="middle">{words}</text>'
        for at, words in _days(first, now, end, day)
    ]
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HIGH + _FOOT + 24}" role="img" aria-label="bytes over time, '
        f'{escape(course.name)}">{"".join(parts)}</svg>'
    )


def _reached(
    course: Course, now: float, last: float, at: float | None, end: float
) -> tuple[float, float]:
    """Where a pace ends in the picture: at the limit, or at the right edge below it."""
    if at is None:
        return end, last
    if at <= end:
        return max(at, now), max(course.limit, last)
    return end, last + (course.limit - last) * (end - now) / (at - now)


def _days(first: float, now: float, end: float, day: float) -> list[tuple[float, str]]:
    """Whole days before and after now, not more than about ten."""
    pace = max(1, round((end - first) / day / 8))
    past = [(now - n * day, f"−{n} d") for n in range(pace, int((now - first) / day) + 1, pace)]
    coming = [(now + n * day, f"+{n} d") for n in range(pace, int((end - now) / day) + 1, pace)]
    return [*past, (now, "now"), *coming]


def _short(name: str) -> str:
    return name if len(name) <= _NAME_MAX else "…" + name[1 - _NAME_MAX :]
