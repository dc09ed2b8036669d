"""What pictures of logs show, and where: their offsets as bars, with what is damaged or missing.

Functions of values; `cli/templates` draws what they give. Used by the reports of `forensics` and
`audit`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spindle.cli.pictures import WIDTH, shortened

_LABEL, _ROW, _BAR = 300, 22, 12
_NAME_MAX = 46
_LEAST = 2.0
"""Width of the smallest mark: what is wrong must be seen."""


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

    name: str
    begin: int
    end: int
    marks: Sequence[BarPart]
    text: str


@dataclass(frozen=True, slots=True)
class BarRow:
    """A log in a picture: its place `y`, and its marks with their places (x, width)."""

    bar: Bar
    name: str
    y: int
    marks: Sequence[tuple[BarPart, float, float]]


@dataclass(frozen=True, slots=True)
class Bars:
    """A bar for each log; marks over it tell what they are when pointed at."""

    label: str
    rows: Sequence[BarRow]
    height: int
    width: int = WIDTH
    left: int = _LABEL
    room: int = WIDTH - _LABEL
    bar: int = _BAR


def bars(logs: Sequence[Bar], label: str) -> Bars:
    """Where everything stands; each log takes all the room."""
    rows = [
        BarRow(
            log,
            shortened(log.name, _NAME_MAX),
            number * _ROW + 4,
            [(mark, *_place(log, mark)) for mark in log.marks],
        )
        for number, log in enumerate(logs)
    ]
    return Bars(label, rows, _ROW * len(rows) + 4)


def _place(log: Bar, mark: BarPart) -> tuple[float, float]:
    room = WIDTH - _LABEL
    scale = room / max(1, log.end - log.begin)
    x = min(max(0.0, (mark.begin - log.begin) * scale), room - _LEAST)
    return _LABEL + x, min(max(_LEAST, (mark.end - mark.begin) * scale), room - x)
