"""A forecast in words: dates, the span in which a disk fills, what nothing can be said of.

Functions of values, for the terminal, scripts and the page. Called by `past` and `page`. All dates
are UTC.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from spindle.cli import render
from spindle.planning.amounts import counted, lasting

if TYPE_CHECKING:
    from spindle.pipeline.forecast import Filling

COLUMNS: Final = (
    "broker", "directory", "used", "capacity", "growth a day", "full", "between (80%)", "history",
)  # fmt: skip
_DAY: Final = 86_400.0
_SOON: Final = timedelta(days=3)
"""Until then the hour is said, too."""


def row(f: Filling) -> tuple[str, ...]:
    """A device in a table."""
    return (
        str(f.broker), f.path, render.size(f.used), render.size(f.capacity), growth(f),
        when(f), between(f), lasting(f.hours * 3600) if f.samples else "none",
    )  # fmt: skip


def growth(f: Filling) -> str:
    """Its growth a day; it may be below nothing."""
    return render.size(None if f.course is None else round(f.course.slope * _DAY))


def when(f: Filling) -> str:
    """When it is expected to be full: "6 Dec 2026, in 12 days"; "-": nothing is forecast."""
    expected = f.full_at()[1]
    if f.full:
        return "now"
    if expected is None:
        return "-" if f.course is None else "not in ten years"
    days = (expected - f.at).total_seconds() / _DAY
    left = f"in {days * 24:.0f} hours" if days < 2 else f"in {days:.0f} days"
    return f"{_date(expected, soon=expected - f.at < _SOON)}, {left}"


def between(f: Filling) -> str:
    """Between which days it will be full with 80%: "3 and 9 Dec 2026", "3 Dec 2026 or later"."""
    earliest, expected, latest = f.full_at()
    if f.full or earliest is None or f.course is None:
        return "-"
    soon = (expected or earliest) - f.at < _SOON
    first = _date(earliest, soon=soon)
    if latest is None:
        return f"{first} or later"
    last = _date(latest, soon=soon)
    if first == last:
        return first
    if not soon and earliest.year == latest.year:
        first = f"{earliest.day}" + (f"{earliest: %b}" if earliest.month != latest.month else "")
    return f"{first} and {last}"


def headline(fillings: Sequence[Filling]) -> str:
    """The forecast in a sentence."""
    first = fillings[0]
    unknown = [f for f in fillings if f.course is None and not f.full]
    if len(unknown) == len(fillings):
        return f"Nothing is forecast: {first.lacking}"
    apart = f"; nothing is forecast for {counted(len(unknown), 'disk')}" if unknown else ""
    name = f"Broker {first.broker} {first.path}"
    if first.full:
        return f"{name} is full{apart}"
    if first.full_at()[1] is None:
        return f"No directory fills within ten years at its present growth{apart}"
    return f"{name} fills first: {when(first)}; {span(first)}{apart}"


def span(f: Filling) -> str:
    """The same as `between` in a sentence: "between 3 and 9 Dec 2026 (80%)"."""
    words = between(f)
    return f"{'between ' if ' and ' in words else ''}{words} (80%)"


def document(f: Filling) -> dict[str, object]:
    """A device for scripts; null where nothing is forecast, `lacking` says why."""
    earliest, expected, latest = f.full_at()
    days = None if expected is None else (expected - f.at).total_seconds() / _DAY
    return {
        "broker": f.broker,
        "logDir": f.path,
        "logDirs": list(f.paths),
        "used": f.used,
        "capacity": f.capacity,
        "growthPerDay": None if f.course is None else round(f.course.slope * _DAY),
        "fullAt": _iso(expected),
        "earliest": _iso(earliest),
        "latest": _iso(latest),
        "confidence": 0.8,
        "daysLeft": None if days is None else round(days, 3),
        "samples": f.samples,
        "hoursOfHistory": round(f.hours, 3),
        "lacking": f.lacking or None,
    }


def _date(at: datetime, *, soon: bool = False) -> str:
    return f"{at.day} {at:%b %Y}" + (f" {at:%H:%M} UTC" if soon else "")


def _iso(at: datetime | None) -> str | None:
    return None if at is None else f"{at:%Y-%m-%dT%H:%M:%SZ}"
