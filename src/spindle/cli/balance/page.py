"""The pages of `spindle balance`: one HTML file each, which fetches nothing.

A plan: disks before and after, what flows where, the moves. A forecast: growth of each disk and
when it is full. Functions of values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from spindle.cli import charts, pages, render
from spindle.cli.balance import outlook
from spindle.cli.balance.report import duration, headline, leader_rows, limit_rows
from spindle.cli.charts import Course, CourseChart, DiskBar, DiskBars, Flow, Flows
from spindle.cli.path_names import PathNames, ShortName, elided, told_by_difference
from spindle.planning.amounts import counted, listed

if TYPE_CHECKING:
    from spindle.pipeline.forecast import Filling
    from spindle.pipeline.proposal import ClusterProposal

MOVES_SHOWN: Final = 500
"""Moves in a page; the plan's file has all of them."""
FLOWS_SHOWN: Final = 40
"""Flows in a picture, the largest; more than that is a carpet."""
COURSES_SHOWN: Final = 24
_NAME_MAX: Final = 30
_POINTS: Final = 24
"""Of a forecast's line, which is bent where it bounds."""
_FARTHEST: Final = 40
"""Times the history: a forecast that is drawn farther than that leaves no room for the past."""


def plan_page(title: str, proposal: ClusterProposal, against: Sequence[str] | None = None) -> str:
    """A plan, with its limits and how long it takes.

    `against`: why it does not exist, none where it could; such a plan is not to be carried out.
    """
    rated = any(d.rate_before for d in proposal.directories)
    to_be_done = proposal.moves and against is None
    names = told_by_difference(d.path for d in proposal.directories)
    flows, smaller_flows = _flows(proposal, names)
    moves = _moves(proposal, names)
    when = f" Sampled at {proposal.sampled_at}." if proposal.sampled_at else ""
    return pages.page(
        "plan",
        title=title,
        lead=f"{headline(proposal).rstrip('.')}.{when}",
        figures=_figures(proposal),
        against=against,
        wrong=_wrong(proposal),
        directories=_disks(proposal, names),
        rates=_rates(proposal, names) if rated else None,
        leaders=None if proposal.leadership is None else leader_rows(proposal),
        largest_flows=flows,
        smaller_flows=smaller_flows,
        notes=[note for note in proposal.notes if note not in (against or ())],
        limits=limit_rows(proposal.wanted) if to_be_done else None,
        duration=duration(proposal) if to_be_done else None,
        moves=moves,
        more_moves=len(proposal.moves) - len(moves),
        legend=names.legend,
    )


def forecast_page(fillings: Sequence[Filling], high_mark: float) -> str:
    """How disks fill, the one that is full first on top; `high_mark`: a share that is marked."""
    if not fillings:
        nothing = dict.fromkeys(("full", "courses", "lacking", "directories"))
        return pages.page("forecast", title="Forecast", lead="There is no history yet.", **nothing)
    names = told_by_difference(path for f in fillings for path in f.paths)
    known = [f for f in fillings if f.course is not None]
    return pages.page(
        "forecast",
        title="Forecast of the disks",
        lead=f"{outlook.headline(fillings)}.",
        figures=_foretold(fillings),
        full=[f"broker {f.broker} {f.path}" for f in fillings if f.full],
        courses=[_course(f, names, high_mark) for f in known[:COURSES_SHOWN]],
        more_courses=max(0, len(known) - COURSES_SHOWN),
        high_mark=high_mark,
        lacking=[f"broker {f.broker} {f.path}: {f.lacking}" for f in fillings if f.lacking],
        columns=outlook.COLUMNS,
        directories=[
            (broker, names.of(path), *rest)
            for broker, path, *rest in (outlook.row(f) for f in fillings)
        ],
        legend=names.legend,
    )


def _figures(proposal: ClusterProposal) -> list[tuple[str, str]]:
    known = [d for d in proposal.directories if d.online and d.capacity]
    now, then = [d.before / d.capacity for d in known], [d.after / d.capacity for d in known]
    found = [
        (f"in {counted(len(proposal.waves), 'wave')}", counted(len(proposal.moves), "move")),
        ("to copy", render.size(proposal.bytes_moved)),
    ]
    if known:
        most = f"{render.percent(max(now))} → {render.percent(max(then))}"
        least = f"{render.percent(min(now))} → {render.percent(min(then))}"
        found.append(("fullest disk, now and as planned", most))
        found.append(("emptiest disk, now and as planned", least))
    return found


def _wrong(proposal: ClusterProposal) -> list[str]:
    """What an operator must know before anything else."""
    offline = [f"broker {d.broker} {d.path}" for d in proposal.directories if not d.online]
    lines = [f"broker {broker} did not answer: {why}" for broker, why in proposal.silent]
    if offline:
        several = counted(len(offline), "log directory is", "log directories are")
        lines.insert(0, f"{several} offline: {listed(offline)}")
    return lines


def _disks(proposal: ClusterProposal, names: PathNames) -> DiskBars:
    bars = [
        DiskBar(
            f"broker {d.broker}", names.of(d.path), d.capacity if d.online else 0, d.before,
            d.after, "cordoned" if d.cordoned else "",
        )
        for d in proposal.directories
    ]  # fmt: skip
    return charts.disks(bars, proposal.wanted.band.high_mark)


def _rates(proposal: ClusterProposal, names: PathNames) -> DiskBars:
    """As long as a directory's part of what the fastest is written with."""
    most = max(max(d.rate_before or 0, d.rate_after or 0) for d in proposal.directories)
    bars = [
        DiskBar(f"broker {d.broker}", names.of(d.path), most, d.rate_before or 0,
                d.rate_after or 0)
        for d in proposal.directories
    ]  # fmt: skip
    return charts.disks(bars, unit="of the largest rate")


def _flows(proposal: ClusterProposal, names: PathNames) -> tuple[Flows, int]:
    """The largest flows, and how many there are besides."""
    sizes: Counter[tuple[ShortName, ShortName]] = Counter()
    moves: Counter[tuple[ShortName, ShortName]] = Counter()
    for m in proposal.moves:
        way = (
            charts.name_of(f"broker {m.broker}", names.of(m.source)),
            charts.name_of(f"broker {m.to}", names.of(m.target)),
        )
        sizes[way] += m.size
        moves[way] += 1
    largest = [Flow(*way, count, moves[way]) for way, count in sizes.most_common(FLOWS_SHOWN)]
    return charts.flows(largest), len(sizes) - len(largest)


def _moves(proposal: ClusterProposal, names: PathNames) -> list[tuple[str | ShortName, ...]]:
    numbered = [(number, move) for number, wave in enumerate(proposal.waves, 1) for move in wave]
    return [
        (str(number), ShortName(elided(m.name, _NAME_MAX), m.name),
         charts.name_of(f"broker {m.broker}", names.of(m.source)),
         charts.name_of(f"broker {m.to}", names.of(m.target)), render.size(m.size))
        for number, m in numbered[:MOVES_SHOWN]
    ]  # fmt: skip


def _foretold(fillings: Sequence[Filling]) -> list[tuple[str, str]]:
    """What fills first, in figures."""
    first = fillings[0]
    if first.full or first.full_at()[1] is None:
        return []
    day, _, left = outlook.when(first).partition(", ")
    return [
        ("the first disk is full", day), ("from the newest sample on", left),
        ("four of five times between", outlook.between(first)),
    ]  # fmt: skip


def _course(f: Filling, names: PathNames, high_mark: float) -> CourseChart:
    assert f.course is not None, f
    step = (_end(f) - f.at) / _POINTS
    ahead = []
    for n in range(_POINTS + 1):
        least, middle, most = f.course.after(n * step.total_seconds())
        ahead.append((f.at + n * step, f.used + least, f.used + middle, f.used + most))
    earliest, expected, latest = f.full_at()
    grows = f"{render.size(f.used)} now, {outlook.growth(f)} a day"
    text = f"{grows}; full {outlook.when(f)}" + (f", {outlook.span(f)}" if earliest else "")
    if expected is None:
        text = f"{grows}; {'full ' + outlook.when(f) if f.full else 'not full in ten years'}"
    return charts.course(
        Course(
            charts.name_of(f"broker {f.broker}", names.of(f.path)),
            text,
            [(at, float(count)) for at, count in f.line],
            ahead,
            [(render.size(f.capacity), float(f.capacity)),
             (f"{high_mark:.0%}", f.capacity * high_mark)],
            (earliest, latest),
        )
    )  # fmt: skip


def _end(f: Filling) -> datetime:
    """The last moment of a picture: where the disk is full with its span, if that is near."""
    span = max(f.at - f.line[0][0], timedelta(days=1))
    _, expected, latest = f.full_at()
    ahead = span if expected is None else (expected - f.at) * 1.2
    if expected is not None and latest is not None:
        ahead = max(ahead, min((latest - f.at) * 1.1, ahead * 2))
    return f.at + min(max(ahead, span / 2), span * _FARTHEST)
