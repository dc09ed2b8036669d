"""How a table fits a terminal: side by side, with wrapped words, or each row as a block. Pure.

Nothing breaks within a number, a name or a path. In turn: whole paths; what differs between
paths; words of sentences on several lines; then a row is a block, a line for each column, and
what is too long for a line even there loses its middle. Called by `render`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from spindle.cli.path_names import elided, paths_in, told_by_difference

_WORD: Final = r"[-+−]?\d[\d.,:]*%?(-[\d:]*)*"
_NUMBER: Final = re.compile(rf"{_WORD}( ({_WORD}|[KMGTP]?i?B(/s)?|m?s|min|h|d|->|→|of|at))*")
_NUMBER_MAX: Final = 24
_NARROWEST: Final = 16
"""A sentence gets so many columns at least, or all that it needs."""
_BETWEEN: Final = 3
"""Columns between two cells, and one at the edge."""


@dataclass(frozen=True, slots=True)
class TableLayout:
    """Rows as they fit, and the width of each column; `widths` None: each row is a block.

    `legend`: what tells the whole paths, where they are not whole.
    """

    rows: Sequence[Sequence[str]]
    widths: Sequence[int] | None
    legend: str = ""


def layout(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int | None) -> TableLayout:
    """How a table is laid out on so many columns; None: as many as it takes."""
    natural = _natural(columns, rows)
    if width is None or _whole(natural) <= width:
        return TableLayout(rows, natural)
    rows, legend = _paths_apart(columns, rows)
    natural = _natural(columns, rows)
    least = [
        most if all(is_number(row[n]) for row in rows) else _least(most, [columns[n], *column])
        for n, (most, column) in enumerate(zip(natural, zip(*rows, strict=True), strict=True))
    ]
    if _whole(least) > width:
        return TableLayout(rows, None, legend)
    spare = width - _whole(least)
    for n in sorted(range(len(least)), key=lambda n: natural[n] - least[n]):
        more = min(spare, natural[n] - least[n])
        least[n] += more
        spare -= more
    return TableLayout(rows, least, legend)


def blocks(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Each row as a block of lines: a column's name and what it has."""
    room = max(map(len, columns), default=0)
    lines: list[str] = []
    for row in rows:
        lines += [""] if lines else []
        for name, cell in zip(columns, row, strict=True):
            lines += _field(f"  {name:{room}}  ", cell, width)
    return lines


def is_number(cell: str) -> bool:
    """Whether a cell is a number, with or without a unit, a span of numbers, or unknown."""
    return cell == "-" or (len(cell) <= _NUMBER_MAX and _NUMBER.fullmatch(cell) is not None)


def _field(head: str, cell: str, width: int) -> list[str]:
    room = max(12, width - len(head))
    words = " ".join(elided(word, room) for word in cell.split(" "))
    lines = textwrap.wrap(words, room, break_long_words=False, break_on_hyphens=False) or [""]
    return [head + lines[0], *(" " * len(head) + line for line in lines[1:])]


def _paths_apart(
    columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[Sequence[Sequence[str]], str]:
    places = [paths_in([row[n] for row in rows]) for n in range(len(columns))]
    names = told_by_difference(path for column in places for path in column)
    if not names.pattern:
        return rows, ""
    shorter = [
        [names.within(cell) if place else cell for cell, place in zip(row, places, strict=True)]
        for row in rows
    ]
    return shorter, names.legend


def _natural(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(name), *(len(row[n]) for row in rows), 0) for n, name in enumerate(columns)]


def _least(most: int, cells: Sequence[str]) -> int:
    longest = max((len(word) for cell in cells for word in cell.split()), default=0)
    return max(longest, min(most, _NARROWEST))


def _whole(widths: Sequence[int]) -> int:
    return sum(widths) + _BETWEEN * len(widths) + 1
