"""How the commands speak to people: tables, sizes, progress, errors. The only user of rich.

What is for machines (JSON, the lines of Kafka's own tools) goes through plain print and never
through here. Knows nothing of clusters. rich is loaded only when something is drawn.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol

if TYPE_CHECKING:
    from rich.console import Console

_PIPED_WIDTH: Final = 200
"""Columns where nobody's terminal says how many there are."""
_SECONDS_BETWEEN_LINES: Final = 10.0
_RATE_SECONDS: Final = 10.0
_BAR: Final = 20
_UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


class Report(Protocol):
    """Tells a bar how many bytes are done, and of how many if that has changed."""

    def __call__(self, done: int, total: int | None = None, /) -> None: ...


Parts = Mapping[str, tuple[int, int]]
"""Bytes done and bytes in all, of each part of something by its name."""


class Rate:
    """Bytes a second over the last seconds, of a count that grows."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def add(self, now: float, done: int) -> float | None:
        """Note the count at a time in s; the rate, None while it is not known."""
        self._seen.append((now, done))
        while now - self._seen[0][0] > _RATE_SECONDS and len(self._seen) > 2:
            self._seen.popleft()
        began, first = self._seen[0]
        return (done - first) / (now - began) if now > began and done >= first else None


def say(text: str) -> None:
    """A line on stdout."""
    print(text, flush=True)


def note(text: str) -> None:
    """A line on stderr about the command itself, apart from what it was asked for."""
    print(text, file=sys.stderr, flush=True)


def warn(text: str) -> None:
    """A line on stderr for something that went wrong but ends nothing."""
    print(f"warning: {text}", file=sys.stderr, flush=True)


def fail(text: str, code: int = 1) -> NoReturn:
    """End the command with an error that says what to do about it."""
    print(f"error: {text}", file=sys.stderr, flush=True)
    raise SystemExit(code)


def size(count: int | None) -> str:
    """Bytes for people: "1.5 GiB"; "-" where nobody knows."""
    if count is None:
        return "-"
    value, unit = float(count), 0
    while abs(value) >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{count} B" if unit == 0 else f"{value:.1f} {_UNITS[unit]}"


def bar(done: int, total: int) -> str:
    """A progress bar in text, with its percentage; nothing to do counts as done."""
    share = 1.0 if total <= 0 else min(1.0, max(0.0, done / total))
    full = round(share * _BAR)
    return f"{'█' * full}{'░' * (_BAR - full)} {share:4.0%}"


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table on stdout; columns of numbers and sizes stand on the right."""
    from rich import box
    from rich.table import Table

    drawn = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD)
    for index, column in enumerate(columns):
        numbers = bool(rows) and all(_is_number(row[index]) for row in rows)
        drawn.add_column(column, justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*(cell.replace("[", r"\[") for cell in row))
    _console().print(drawn)


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """A sign on stderr, while the block runs, that something is going on."""
    console = _console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(text):
        yield


@contextmanager
def transfer(title: str, total: int) -> Iterator[Report]:
    """A bar on stderr with bytes, rate and time left; call what it gives with bytes done so far.

    Where stderr is not a terminal (a log file, a pipe) it is a line every ten seconds instead.
    """
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    console = _console(stderr=True)
    if not console.is_terminal:
        yield _lines(console, title, total)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(binary_units=True),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(title, total=total)

        def report(done: int, total: int | None = None, /) -> None:
            progress.update(task, completed=done, total=total)

        yield report


@contextmanager
def transfers(title: str) -> Iterator[Callable[[Parts], None]]:
    """Bars on stderr: one for all, one for each part (a disk); call what it gives with the parts.

    Each has bytes, rate and time left. Where stderr is not a terminal: lines every ten seconds.
    """
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    console = _console(stderr=True)
    rates: dict[str, Rate] = {}
    last = monotonic()

    def speed(name: str, done: int, total: int) -> str:
        rate = rates.setdefault(name, Rate()).add(monotonic(), done)
        return f"{size(round(rate))}/s, {_left(total - done, rate)}" if rate else ""

    def in_lines(parts: Parts) -> None:
        nonlocal last
        told = {name: speed(name, *part) for name, part in _summed(title, parts).items()}
        now = monotonic()
        if now - last < _SECONDS_BETWEEN_LINES:
            return
        last = now
        for name, (done, total) in _summed(title, parts).items():
            more = f", {told[name]}" if told[name] else ""
            console.print(f"{name}: {size(done)} of {size(total)}{more}")

    if not console.is_terminal:
        yield in_lines
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(binary_units=True),
        TextColumn("{task.fields[speed]}"),
    )
    with Progress(*columns, console=console) as progress:
        tasks: dict[str, Any] = {}

        def in_bars(parts: Parts) -> None:
            for name, (done, total) in _summed(title, parts).items():
                if name not in tasks:
                    tasks[name] = progress.add_task(name, total=total, speed="")
                told = speed(name, done, total)
                progress.update(tasks[name], completed=done, total=total, speed=told)

        yield in_bars


def _summed(title: str, parts: Parts) -> dict[str, tuple[int, int]]:
    whole = sum(done for done, _ in parts.values()), sum(total for _, total in parts.values())
    return {title: whole, **({f"  {n}": p for n, p in parts.items()} if len(parts) > 1 else {})}


def _left(count: int, rate: float) -> str:
    seconds = round(max(0, count) / rate)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02} left"


def _lines(console: Console, title: str, whole: int) -> Report:
    last = monotonic()

    def report(done: int, total: int | None = None, /) -> None:
        nonlocal last
        now = monotonic()
        if now - last < _SECONDS_BETWEEN_LINES:
            return
        last = now
        console.print(f"{title}: {size(done)} of {size(whole if total is None else total)}")

    return report


def _is_number(cell: str) -> bool:
    first = cell.split(" ")[0].rstrip("%")
    return cell == "-" or first.replace(".", "", 1).isdigit()


def _console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False)
    if not console.is_terminal:
        console = Console(stderr=stderr, highlight=False, width=_PIPED_WIDTH)
    return console
