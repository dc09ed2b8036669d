"""Pages and pictures as HTML and SVG: disks before and after, events over time, tables.

Functions of values: no clock, no network; a page fetches nothing and is one file. Used by the
reports of the demo and of `balance`; knows nothing of clusters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from spindle.cli.render import size

_WIDTH = 800
_LABEL, _VALUES = 240, 225
"""Room on the left of the bars for names, on their right for numbers."""
_BAR, _ROW = 9, 30
_HIGH, _LINE = 150, 18
_NAME_MAX = 38

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --paper: #fff; --faint: #e3e8ee; --soft: #5c6b7a;
  --was: #a9bbcd; --is: #2f7de1; --good: #17703c; --bad: #b3261e; --band: #f3c969 }
@media (prefers-color-scheme: dark) { :root { --ink: #dfe6ee; --paper: #12171d; --faint: #2a3440;
  --soft: #93a3b3; --was: #51657a; --is: #5aa0f2; --good: #6fd093; --bad: #ff8a80;
  --band: #7d6320 } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2.5rem auto;
  padding: 0 1rem; color: var(--ink); background: var(--paper) }
h1 { font-size: 1.6rem; margin: 0 0 .3rem } h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem }
p { margin: .3rem 0; color: var(--soft) } ul { padding-left: 1.2rem }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; padding: .32rem .5rem; border-bottom: 1px solid var(--faint);
  overflow-wrap: anywhere }
th { font-weight: 600; color: var(--soft); font-size: .85rem }
td:first-child, th:first-child { padding-left: 0 }
.good { color: var(--good) } .bad { color: var(--bad); font-weight: 600 }
svg { width: 100%; height: auto; display: block } text { font: 12px system-ui, sans-serif;
  fill: var(--ink) } .owner { font-weight: 600 } .soft { fill: var(--soft) }
.was { fill: var(--was) } .is { fill: var(--is) }
.band { fill: var(--band); opacity: .45 } .edge { stroke: var(--soft); stroke-dasharray: 3 3 }
.axis { stroke: var(--faint) } .alarm { fill: var(--bad) }
.key { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin: 0 .3em 0 .9em }
"""


@dataclass(frozen=True, slots=True)
class Disk:
    """Bytes of replicas in a directory before and after; `capacity` 0: unknown, it is offline.

    `remark` is shown beside its name, in the colour of alarm.
    """

    owner: str
    path: str
    capacity: int
    before: int
    after: int
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """Something on a time line, from `begin` to `end` (s)."""

    begin: float
    end: float
    text: str


def page(title: str, lead: str, *sections: str) -> str:
    """A whole page: a heading, a sentence, and what the other functions here give."""
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n"
        f"<h1>{escape(title)}</h1>\n<p>{escape(lead)}</p>\n" + "\n".join(sections) + "\n</html>\n"
    )


def section(title: str, *parts: str) -> str:
    """A heading and what belongs below it."""
    return f"<h2>{escape(title)}</h2>\n" + "\n".join(parts)


def bullets(lines: Sequence[str]) -> str:
    """A list of sentences."""
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], judged: str = "") -> str:
    """A table; no head without `columns`. The last cell is coloured: good if it is `judged`."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = []
    for row in rows:
        cells = [f"<td>{escape(cell)}</td>" for cell in row]
        if judged:
            kind = "good" if row[-1] == judged else "bad"
            cells[-1] = f'<td class="{kind}">{escape(row[-1])}</td>'
        body.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{f'<tr>{head}</tr>' if head else ''}{''.join(body)}</table>"


def disks(all_disks: Sequence[Disk], of: str = "of its directory's capacity") -> str:
    """Two bars for each directory, as long as it is full; those of one owner stand together.

    `of`: what a bar is a share of, in words.
    """
    fullest = max((_full(d, n) for d in all_disks for n in (d.before, d.after)), default=0) or 1
    room = _WIDTH - _LABEL - _VALUES
    parts, y, owner = [], 0, None
    for disk in all_disks:
        if disk.owner != owner:
            y += 22
            parts.append(f'<text class="owner" x="0" y="{y - 6}">{escape(disk.owner)}</text>')
            owner = disk.owner
        parts.append(_disk(disk, y, room / fullest))
        y += _ROW
    return (
        f'<svg viewBox="0 0 {_WIDTH} {y}" role="img" aria-label="how full each log directory is, '
        f'before and after">{"".join(parts)}</svg><p><span class="key" style="background:'
        'var(--was);margin-left:0"></span>before<span class="key" style="background:var(--is)">'
        f"</span>after; the longest bar is {_percent(fullest)} {escape(of)}</p>"
    )


def timeline(per_bin: Sequence[int], bin_seconds: float, unit: str, spans: Sequence[Span]) -> str:
    """Events counted in bins of equal length as bars, and what happened meanwhile above them."""
    most, count = max(per_bin, default=0) or 1, max(len(per_bin), 1)
    step, top = _WIDTH / count, _LINE * len(spans) + 6
    bottom = top + _HIGH
    shades = "".join(
        _span(span, row, step / bin_seconds, top, bottom)
        for row, span in enumerate(_stacked(spans, count * bin_seconds / 2))
    )
    bars = "".join(
        f'<rect class="is" x="{i * step:.1f}" y="{bottom - _HIGH * n / most:.1f}" '
        f'width="{step * 0.85:.2f}" height="{_HIGH * n / most:.1f}"/>'
        for i, n in enumerate(per_bin)
    )
    seconds = count * bin_seconds
    ticks = "".join(
        f'<text class="soft" x="{at / seconds * _WIDTH:.1f}" y="{bottom + 16}">{at:g} s</text>'
        for at in _ticks(seconds)
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {bottom + 22}" role="img" aria-label="{escape(unit)} over '
        f'time">{bars}{shades}<line class="axis" x1="0" x2="{_WIDTH}" y1="{bottom}" '
        f'y2="{bottom}"/>{ticks}</svg>'
        f"<p>One bar is {bin_seconds:g} s; the highest is {most / bin_seconds:,.0f} {escape(unit)} "
        "a second.</p>"
    )


def _disk(disk: Disk, y: int, scale: float) -> str:
    name = disk.path if len(disk.path) <= _NAME_MAX else "…" + disk.path[1 - _NAME_MAX :]
    remark = f' <tspan class="alarm">{escape(disk.remark)}</tspan>' if disk.remark else ""
    label = (
        f'<text class="soft" x="0" y="{y + 14}"><title>{escape(disk.path)}</title>'
        f"{escape(name)}{remark}</text>"
    )
    if not disk.capacity:
        return f'{label}<text class="alarm" x="{_LABEL}" y="{y + 14}">offline</text>'
    bars = ""
    for line, (kind, count) in enumerate((("was", disk.before), ("is", disk.after))):
        wide = max(1.0, scale * _full(disk, count))
        bars += (
            f'<rect class="{kind}" x="{_LABEL}" y="{y + line * (_BAR + 1)}" width="{wide:.1f}" '
            f'height="{_BAR}" rx="2"/>'
        )
    numbers = f"{size(disk.before)} → {size(disk.after)} ({_percent(_full(disk, disk.after))})"
    where = _LABEL + scale * max(_full(disk, disk.before), _full(disk, disk.after)) + 8
    return f'{label}{bars}<text x="{where:.1f}" y="{y + 14}">{numbers}</text>'


def _stacked(spans: Sequence[Span], middle: float) -> list[Span]:
    """From the top row down, so that no edge crosses a text: texts point to the middle."""
    left = [span for span in spans if span.begin <= middle]
    return left + [span for span in reversed(spans) if span.begin > middle]


def _span(span: Span, row: int, per_second: float, top: int, bottom: int) -> str:
    x, end = span.begin * per_second, span.end * per_second
    y = 13 + _LINE * row
    on_left = x > _WIDTH / 2
    return (
        f'<rect class="band" x="{x:.1f}" y="{top}" width="{max(2.0, end - x):.1f}" '
        f'height="{bottom - top}"/><line class="edge" x1="{x:.1f}" x2="{x:.1f}" y1="{y - 10}" '
        f'y2="{bottom}"/><text x="{x + (-6 if on_left else 6):.1f}" y="{y}" '
        f'text-anchor="{"end" if on_left else "start"}">{escape(span.text)}</text>'
    )


def _full(disk: Disk, count: int) -> float:
    return count / disk.capacity if disk.capacity else 0.0


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.1 else f"{share:.2%}"


def _ticks(seconds: float) -> list[float]:
    """Round moments, at most eight, none too close to the right edge."""
    step = 10.0 ** math.floor(math.log10(max(seconds, 1)))
    pace = next(step * n for n in (0.2, 0.5, 1, 2, 5) if seconds / (step * n) <= 8)
    return [n * pace for n in range(int(seconds / pace) + 1) if n * pace <= 0.96 * seconds]
