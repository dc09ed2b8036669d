"""How the commands speak to people: tables, sizes, progress, errors. The only user of rich.

What is for machines (JSON, the lines of Kafka's own tools) goes through plain print and never
through here. Knows nothing of clusters. rich is loaded only when something is drawn.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final, NoReturn, Protocol

if TYPE_CHECKING:
    from rich.console import Console

_PIPED_WIDTH: Final = 200
"""Columns where nobody's terminal says how many there are."""
_SECONDS_BETWEEN_LINES: Final = 10.0
_BAR: Final = 20
_UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


class Report(Protocol):
    """Tells a bar how many bytes are done, and of how many if that has changed."""

    def __call__(self, done: int, total: int | None = None, /) -> None: ...


def say(text: str) -> None:
    """A line on stdout."""
    print(text, flush=True)


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
