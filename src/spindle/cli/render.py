"""How the commands speak to people: tables, sizes, progress, errors. The only user of rich.

What is for machines (JSON, the lines of Kafka's own tools) goes through plain print and never
through here. Knows nothing of clusters. rich is loaded only when something is drawn.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Final, Literal, NoReturn, Protocol

from spindle.cli.table_layout import blocks, is_number, layout
from spindle.planning.amounts import amount

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

_PIPED_WIDTH: Final = 200
"""Columns where no terminal says how many there are."""
_SECONDS_BETWEEN_LINES: Final = 60.0
"""Of lines about progress where there is no terminal; the first and the last come at once."""
_RATE_SECONDS: Final = 10.0
_BAR: Final = 20


class ProgressReport(Protocol):
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
    """Bytes for people, as in the planners' sentences: "1.5 GiB"; "-" where it is not known."""
    return "-" if count is None else amount(count)


def percent(share: float) -> str:
    """A share in percent, with decimals where it is small."""
    return f"{share:.0%}" if share >= 0.1 or not share else f"{share:.2%}"


def bar(done: int, total: int) -> str:
    """A progress bar in text, with its percentage; nothing to do counts as done."""
    share = 1.0 if total <= 0 else min(1.0, max(0.0, done / total))
    full = round(share * _BAR)
    done_, open_ = "#-" if plain() else "█░"
    return f"{done_ * full}{open_ * (_BAR - full)} {share:4.0%}"


def plain() -> bool:
    """Whether tables and bars are to be ASCII: where the locale is C, or stdout is not UTF-8.

    The encoding alone does not tell: Python takes UTF-8 where the locale is C (PEP 540).
    """
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next((name for name in named if name), "C")
    encoding = (sys.stdout.encoding or "utf-8").lower().replace("-", "")
    return locale in ("C", "POSIX") or encoding != "utf8"


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table on stdout, as broad as the terminal; columns of numbers stand on the right.

    Where it does not fit, only what differs between paths is shown, or each row is a block. In a
    file or a pipe it is as broad as it is.
    """
    console = _console()
    width = console.width if console.is_terminal else None
    laid = layout(columns, rows, width)
    if laid.widths is None:
        lines = [*([title, ""] if title else []), *blocks(columns, laid.rows, console.width), ""]
    else:
        lines = _drawn(title, columns, laid.rows, laid.widths)
    for line in [*lines, *([laid.legend, ""] if laid.legend else [])]:
        print((line.replace("…", "~") if plain() else line).rstrip())


def _drawn(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[int]
) -> list[str]:
    from rich import box
    from rich.table import Table

    lines = box.ASCII if plain() else box.SIMPLE_HEAD
    drawn = Table(title=title or None, title_justify="left", box=lines)
    for index, (column, width) in enumerate(zip(columns, widths, strict=True)):
        numbers = bool(rows) and all(is_number(row[index]) for row in rows)
        side: Literal["left", "right"] = "right" if numbers else "left"
        drawn.add_column(column, justify=side, overflow="fold", width=width)
    for row in rows:
        drawn.add_row(*(cell.replace("[", r"\[") for cell in row))
    console = _console(width=max(len(title), sum(widths) + 3 * len(widths) + 1))
    with console.capture() as captured:
        console.print(drawn)
    return captured.get().splitlines()


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """A sign on stderr, while the block runs, that something is going on."""
    console = _console(stderr=True)
    if not console.is_terminal:
        with _still(text):
            yield
        return
    with console.status(text, spinner="line" if plain() else "dots"):
        yield


@contextmanager
def transfer(title: str, total: int) -> Iterator[ProgressReport]:
    """A bar on stderr with bytes, rate and time left; call what it gives with bytes done so far.

    Where stderr is not a terminal (a log file, a pipe) it is a line a minute instead, and one at
    the beginning and at the end.
    """
    from rich.progress import (
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = _console(stderr=True)
    if not console.is_terminal:
        lines = _Lines()
        whole = total

        def tell(done: int, total: int | None = None, /) -> None:
            lines.tell([f"{title}: {size(done)} of {size(whole if total is None else total)}"])

        try:
            yield tell
        finally:
            lines.end()
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        TextColumn("{task.fields[bar]}"),
        DownloadColumn(binary_units=True),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
    )
    rates = Rate()
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(title, total=total, speed="", bar=bar(0, total))

        def report(done: int, total: int | None = None, /) -> None:
            rate = rates.add(monotonic(), done)
            speed = f"{size(round(rate))}/s" if rate else ""
            drawn = bar(done, round(progress.tasks[0].total or 0) if total is None else total)
            progress.update(task, completed=done, total=total, speed=speed, bar=drawn)

        yield report


@contextmanager
def transfers(title: str) -> Iterator[Callable[[Parts], None]]:
    """Bars on stderr: one for all, one for each part (a disk); call what it gives with the parts.

    Each has bytes, rate and time left. Where stderr is not a terminal: lines each minute, at the
    beginning and at the end.
    """
    from rich.progress import DownloadColumn, Progress, TextColumn

    console = _console(stderr=True)
    rates: dict[str, Rate] = {}
    lines = _Lines()

    def speed(name: str, done: int, total: int) -> str:
        rate = rates.setdefault(name, Rate()).add(monotonic(), done)
        return f"{size(round(rate))}/s, {_left(total - done, rate)}" if rate else ""

    def in_lines(parts: Parts) -> None:
        found = []
        for name, (done, total) in _summed(title, parts).items():
            told = speed(name, done, total)
            found.append(f"{name}: {size(done)} of {size(total)}{f', {told}' if told else ''}")
        lines.tell(found)

    if not console.is_terminal:
        try:
            yield in_lines
        finally:
            lines.end()
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        TextColumn("{task.fields[bar]}"),
        DownloadColumn(binary_units=True),
        TextColumn("{task.fields[speed]}"),
    )
    with Progress(*columns, console=console) as progress:
        tasks: dict[str, TaskID] = {}

        def in_bars(parts: Parts) -> None:
            for name, (done, total) in _summed(title, parts).items():
                if name not in tasks:
                    tasks[name] = progress.add_task(name, total=total, speed="", bar=bar(0, total))
                told = speed(name, done, total)
                drawn = bar(done, total)
                progress.update(tasks[name], completed=done, total=total, speed=told, bar=drawn)

        yield in_bars


def _summed(title: str, parts: Parts) -> dict[str, tuple[int, int]]:
    whole = sum(done for done, _ in parts.values()), sum(total for _, total in parts.values())
    return {title: whole, **({f"  {n}": p for n, p in parts.items()} if len(parts) > 1 else {})}


def _left(count: int, rate: float) -> str:
    seconds = round(max(0, count) / rate)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02} left"


class _Lines:
    """Progress for a log file: the first state at once, one each minute, and the last one."""

    def __init__(self) -> None:
        self._last: float | None = None
        self._kept: Sequence[str] = ()

    def tell(self, lines: Sequence[str]) -> None:
        """Note how far it is; it is printed if it is time."""
        now = monotonic()
        if self._last is not None and now - self._last < _SECONDS_BETWEEN_LINES:
            self._kept = lines
            return
        self._last, self._kept = now, ()
        for line in lines:
            note(line)

    def end(self) -> None:
        """Print the last state, if it was not."""
        for line in self._kept:
            note(line)
        self._kept = ()


@contextmanager
def _still(text: str) -> Iterator[None]:
    """A line at the beginning, and one each minute while the block runs."""
    ended = Event()
    began = monotonic()

    def tell() -> None:
        while not ended.wait(_SECONDS_BETWEEN_LINES):
            note(f"{text} ... {round((monotonic() - began) / 60)} min")

    note(f"{text} ...")
    thread = Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _console(*, stderr: bool = False, width: int | None = None) -> Console:
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False, width=width)
    if width is None and not console.is_terminal:
        console = Console(stderr=stderr, highlight=False, width=_PIPED_WIDTH)
    return console
