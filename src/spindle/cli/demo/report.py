"""The demo's report as one HTML page: disks before and after, acknowledgements over time, promises.

A function of values: no clock, no network, nothing fetched from elsewhere by the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, BAR, GAP = 760, 18, 6


@dataclass(frozen=True, slots=True)
class Disk:
    """Bytes of replicas on one directory, before and after the moves."""

    name: str
    before: int
    after: int
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Promise:
    """What was promised, what was seen, and whether it was kept."""

    text: str
    seen: str
    kept: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment on the time line (s since the load began)."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Story:
    """All that the report tells. `per_second`: records acknowledged in each second of the load."""

    disks: Sequence[Disk]
    per_second: Sequence[int]
    marks: Sequence[Mark]
    promises: Sequence[Promise]
    facts: Sequence[tuple[str, str]]


def page(story: Story) -> str:
    """The whole page."""
    kept = all(promise.kept for promise in story.promises)
    verdict = "every promise was kept" if kept else "a promise was broken"
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Spindle: {verdict}</title>
<meta name="viewport" content="width=device-width">
<style>
body {{ font: 15px/1.45 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem;
  color: #1d2733; background: #fff }}
h1 {{ font-size: 1.5rem }} h2 {{ font-size: 1.1rem; margin-top: 2rem }}
table {{ border-collapse: collapse; width: 100% }} svg {{ width: 100%; height: auto }}
td, th {{ text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #dde3ea }}
.yes {{ color: #17703c }} .no {{ color: #b3261e; font-weight: 600 }}
text {{ font: 12px system-ui, sans-serif; fill: #1d2733 }}
@media (prefers-color-scheme: dark) {{
  body {{ background: #12171d; color: #dfe6ee }} text {{ fill: #dfe6ee }}
  td, th {{ border-color: #2a3440 }} .yes {{ color: #6fd093 }} .no {{ color: #ff8a80 }} }}
</style>
<h1>Spindle: {verdict}</h1>
<table>{"".join(_promise(promise) for promise in story.promises)}</table>
<h2>Bytes on each disk, before and after the moves</h2>
{_disks(story.disks)}
<h2>Acknowledged records per second</h2>
{_timeline(story.per_second, story.marks)}
<h2>Figures</h2>
<table>{"".join(_fact(name, value) for name, value in story.facts)}</table>
</html>
"""


def _promise(promise: Promise) -> str:
    state = "yes" if promise.kept else "no"
    word = "kept" if promise.kept else "broken"
    return (
        f"<tr><td>{escape(promise.text)}</td><td>{escape(promise.seen)}</td>"
        f'<td class="{state}">{word}</td></tr>'
    )


def _fact(name: str, value: str) -> str:
    return f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>"


def _disks(disks: Sequence[Disk]) -> str:
    most = max((max(d.before, d.after) for d in disks), default=0) or 1
    left = 210
    room = WIDTH - left - 90
    rows = []
    for index, disk in enumerate(disks):
        y = index * (2 * BAR + 3 * GAP)
        label = escape(disk.name) + (" (broken later)" if disk.broken else "")
        rows.append(f'<text x="0" y="{y + BAR + 4}">{label}</text>')
        for line, (size, colour) in enumerate(((disk.before, "#9db2c8"), (disk.after, "#2f7de1"))):
            top = y + line * (BAR + 2)
            wide = max(1.0, room * size / most)
            rows.append(
                f'<rect x="{left}" y="{top}" width="{wide:.1f}" height="{BAR}" '
                f'fill="{colour}" rx="2"/>'
                f'<text x="{left + wide + 6:.1f}" y="{top + 13}">{size / 1e6:.1f} MB</text>'
            )
    height = len(disks) * (2 * BAR + 3 * GAP)
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="bytes per disk before (grey) and after (blue)">{"".join(rows)}</svg>'
        "<p>Grey: before. Blue: after.</p>"
    )


def _timeline(per_second: Sequence[int], marks: Sequence[Mark]) -> str:
    most, count = max(per_second, default=0) or 1, max(len(per_second), 1)
    high, step = 160, WIDTH / count
    bars = "".join(
        f'<rect x="{i * step:.1f}" y="{high - high * n / most:.1f}" width="{step * 0.8:.1f}" '
        f'height="{high * n / most:.1f}" fill="#2f7de1"/>'
        for i, n in enumerate(per_second)
    )
    lines = "".join(_mark(mark.at * step, 12 + 14 * (n % 4), high, mark.text)
                    for n, mark in enumerate(marks))  # fmt: skip
    return (
        f'<svg viewBox="0 0 {WIDTH} {high + 20}" role="img" '
        f'aria-label="acknowledged records per second">{bars}{lines}'
        f'<text x="0" y="{high + 16}">0 s</text>'
        f'<text x="{WIDTH - 50}" y="{high + 16}">{len(per_second)} s</text></svg>'
    )


def _mark(x: float, y: int, high: int, text: str) -> str:
    anchor, beside = ("end", x - 4) if x > WIDTH / 2 else ("start", x + 4)
    return (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{high}" stroke="#b3261e" '
        f'stroke-dasharray="4 3"/><text x="{beside:.1f}" y="{y}" text-anchor="{anchor}" '
        f'style="paint-order:stroke" stroke="Canvas" stroke-width="3">{escape(text)}</text>'
    )
