"""Pictures of logs as SVG: their offsets as bars, with what is damaged or missing in its place.

Functions of values; used by the reports of `forensics` and `audit`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _LABEL, _ROW, _BAR = 800, 300, 22, 12
_NAME_MAX = 46
_LEAST = 2.0
"""Width of the smallest mark: what is wrong must be seen."""


@dataclass(frozen=True, slots=True)
class Mark:
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
    marks: Sequence[Mark]
    text: str


def bars(rows: Sequence[Bar], label: str) -> str:
    """A bar for each log; marks over it tell what they are when pointed at."""
    room, height = _WIDTH - _LABEL, _ROW * len(rows) + 4
    parts = []
    for number, row in enumerate(rows):
        y = number * _ROW + 4
        name = row.name if len(row.name) <= _NAME_MAX else "…" + row.name[1 - _NAME_MAX :]
        parts.append(
            f'<text class="soft" x="0" y="{y + 11}"><title>{escape(row.name)}</title>'
            f'{escape(name)}</text><rect class="is" x="{_LABEL}" y="{y}" width="{room}" '
            f'height="{_BAR}" rx="2"><title>{escape(row.text)}</title></rect>'
        )
        scale = room / max(1, row.end - row.begin)
        for mark in row.marks:
            x = min(max(0.0, (mark.begin - row.begin) * scale), room - _LEAST)
            wide = min(max(_LEAST, (mark.end - mark.begin) * scale), room - x)
            parts.append(
                f'<rect class="{mark.kind}" x="{_LABEL + x:.1f}" y="{y - 2}" '
                f'width="{wide:.1f}" height="{_BAR + 4}"><title>{escape(mark.text)}</title></rect>'
            )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )


def key(*entries: tuple[str, str]) -> str:
    """What the colours mean: (variable of the style, words)."""
    return "<p>" + "".join(
        f'<span class="key" style="background:var(--{colour})"></span>{escape(words)}'
        for colour, words in entries
    ) + "</p>"  # fmt: skip
