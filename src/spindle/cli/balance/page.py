"""The pages of `spindle balance`: one HTML file each, which fetches nothing.

A plan: disks before and after, what flows where, the moves. A forecast: growth of each disk and
when it is full. Functions of values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from spindle.cli import charts, pictures, render
from spindle.cli.balance.report import duration, headline, leader_rows, limit_rows
from spindle.cli.charts import Course, Flow
from spindle.cli.pictures import Disk

if TYPE_CHECKING:
    from spindle.pipeline.forecast import Filling
    from spindle.pipeline.proposal import Proposal

MOVES_SHOWN: Final = 500
"""Moves in a page; the plan's file has all of them."""
FLOWS_SHOWN: Final = 40
"""Flows in a picture, the largest; more than that is a carpet."""
COURSES_SHOWN: Final = 24
_DAY: Final = 86_400.0


def plan_page(title: str, proposal: Proposal, against: Sequence[str] | None = None) -> str:
    """A plan, with its limits and how long it takes.

    `against`: why it does not exist, none where it could; such a plan is not to be carried out.
    """
    sections = []
    problems = [f"broker {broker} told nothing: {why}" for broker, why in proposal.silent]
    if against:
        sections.append(pictures.section("No such plan exists", pictures.bullets(against)))
    if problems:
        sections.append(pictures.section("What went wrong", pictures.bullets(problems)))
    sections.append(pictures.section("Log directories, now and as planned", _disks(proposal)))
    if any(d.rate_before for d in proposal.directories):
        sections.append(pictures.section("Bytes written each second", _rates(proposal)))
    if proposal.leadership is not None:
        table = pictures.table(*leader_rows(proposal))
        sections.append(pictures.section("Preferred leaders", table))
    if proposal.moves:
        sections.append(pictures.section("What flows where", _flows(proposal)))
    notes = [note for note in proposal.notes if note not in (against or ())]
    if notes:
        sections.append(pictures.section("What there is to say", pictures.bullets(notes)))
    if proposal.moves and against is None:
        limits = pictures.table(("limit", "value", "option"), limit_rows(proposal.wanted))
        lasts = pictures.bullets([duration(proposal)])
        sections.append(pictures.section("Limits", limits, lasts))
    if proposal.moves:
        sections.append(pictures.section("Moves, in order", _moves(proposal)))
    when = f" Sampled at {proposal.sampled_at}." if proposal.sampled_at else ""
    return pictures.page(title, f"{headline(proposal).rstrip('.')}.{when}", *sections)


def forecast_page(fillings: Sequence[Filling], now: datetime) -> str:
    """How disks fill, the one that is full first on top."""
    if not fillings:
        return pictures.page("Forecast", "There is no history yet.")
    first = fillings[0]
    lead = "No directory fills within ten years, as it grows now."
    if first.full_at is not None:
        lead = (
            f"Broker {first.broker} {first.path} fills first: on {first.full_at:%Y-%m-%d %H:%M} "
            f"UTC, in {_days(first, now)} days."
        )
    return pictures.page(
        "Forecast of the disks",
        lead,
        pictures.section("Growth, and what is to come", _courses(fillings, now), _key()),
        pictures.section("All directories", _table(fillings, now)),
    )


def _disks(proposal: Proposal) -> str:
    return pictures.disks(
        [
            Disk(
                f"broker {d.broker}", d.path, d.capacity if d.online else 0, d.before, d.after,
                "cordoned" if d.cordoned else "",
            )
            for d in proposal.directories
        ]
    )  # fmt: skip


def _rates(proposal: Proposal) -> str:
    """As long as a directory's part of what the fastest is written with."""
    rows = [
        (
            f"broker {d.broker}", d.path, f"{render.size(d.rate_before or 0)}/s",
            f"{render.size(d.rate_after or 0)}/s",
        )
        for d in proposal.directories
    ]  # fmt: skip
    most = max(max(d.rate_before or 0, d.rate_after or 0) for d in proposal.directories)
    bars = [
        Disk(f"broker {d.broker}", d.path, most, d.rate_before or 0, d.rate_after or 0)
        for d in proposal.directories
    ]
    columns = ("broker", "directory", "now", "planned")
    return pictures.disks(bars, "of the largest rate") + pictures.table(columns, rows)


def _flows(proposal: Proposal) -> str:
    sizes: Counter[tuple[str, str]] = Counter()
    moves: Counter[tuple[str, str]] = Counter()
    for m in proposal.moves:
        way = f"broker {m.broker} {m.source}", f"broker {m.to} {m.target}"
        sizes[way] += m.size
        moves[way] += 1
    largest = [Flow(*way, count, moves[way]) for way, count in sizes.most_common(FLOWS_SHOWN)]
    rest = len(sizes) - len(largest)
    more = f"<p>and {rest} smaller flows</p>" if rest else ""
    return charts.flows(largest) + more


def _moves(proposal: Proposal) -> str:
    numbered = [(number, move) for number, wave in enumerate(proposal.waves, 1) for move in wave]
    rows = [
        (str(number), m.name, f"broker {m.broker} {m.source}", f"broker {m.to} {m.target}",
         render.size(m.size))
        for number, m in numbered[:MOVES_SHOWN]
    ]  # fmt: skip
    rest = len(numbered) - len(rows)
    more = [f"and {rest} more, all of them in the plan's file"] if rest else []
    columns = ("wave", "partition", "from", "to", "size")
    return pictures.table(columns, rows) + (pictures.bullets(more) if more else "")


def _courses(fillings: Sequence[Filling], now: datetime) -> str:
    moment = now.timestamp()
    shown = [f for f in fillings if f.line][:COURSES_SHOWN]
    begin = min((f.line[0][0].timestamp() for f in shown), default=moment - _DAY)
    ends = [f.full_at.timestamp() for f in shown if f.full_at is not None]
    span = max(moment - begin, _DAY / 24)
    end = moment + max(span, min(min(ends, default=moment) - moment, 3 * span) * 1.25)
    courses = [
        Course(
            f"broker {f.broker} {f.path}",
            [(at.timestamp(), float(count)) for at, count in f.line],
            float(f.capacity),
            (_at(f.full_at), _at(f.earliest), _at(f.latest)),
        )
        for f in shown
    ]
    return charts.courses(courses, moment, end, _DAY)


def _key() -> str:
    return (
        "<p>The line is what lies there now, in the past; dashed what is expected, in the shade "
        "of the fastest and the slowest stretches of the past; red is the directory's capacity.</p>"
    )


def _table(fillings: Sequence[Filling], now: datetime) -> str:
    rows = [
        (
            str(f.broker), f.path, render.size(f.used), render.size(f.capacity),
            render.size(round(f.growth * _DAY)), _days(f, now),
        )
        for f in fillings
    ]  # fmt: skip
    columns = ("broker", "directory", "used", "capacity", "growth a day", "days until full")
    return pictures.table(columns, rows)


def _days(filling: Filling, now: datetime) -> str:
    days = filling.days_left(now)
    return "-" if days is None else f"{days:.1f}"


def _at(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()
