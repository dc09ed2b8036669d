"""The pages of `spindle balance`: one HTML file each, which fetches nothing.

A plan: disks before and after, what flows where, the moves. A forecast: growth of each disk and
when it is full. Functions of values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from spindle.cli import charts, pages, pictures, render
from spindle.cli.balance.report import duration, headline, leader_rows, limit_rows
from spindle.cli.charts import Course, CourseChart, Flow, Flows
from spindle.cli.pictures import DiskBar, DiskBars

if TYPE_CHECKING:
    from spindle.pipeline.forecast import Filling
    from spindle.pipeline.proposal import ClusterProposal

MOVES_SHOWN: Final = 500
"""Moves in a page; the plan's file has all of them."""
FLOWS_SHOWN: Final = 40
"""Flows in a picture, the largest; more than that is a carpet."""
COURSES_SHOWN: Final = 24
_DAY: Final = 86_400.0


def plan_page(title: str, proposal: ClusterProposal, against: Sequence[str] | None = None) -> str:
    """A plan, with its limits and how long it takes.

    `against`: why it does not exist, none where it could; such a plan is not to be carried out.
    """
    rated = any(d.rate_before for d in proposal.directories)
    to_be_done = proposal.moves and against is None
    flows, smaller_flows = _flows(proposal)
    moves = _moves(proposal)
    when = f" Sampled at {proposal.sampled_at}." if proposal.sampled_at else ""
    return pages.page(
        "plan",
        title=title,
        lead=f"{headline(proposal).rstrip('.')}.{when}",
        against=against,
        silent=[f"broker {broker} did not answer: {why}" for broker, why in proposal.silent],
        directories=_disks(proposal),
        rates=_rates(proposal) if rated else None,
        rate_rows=_rate_rows(proposal),
        leaders=None if proposal.leadership is None else leader_rows(proposal),
        largest_flows=flows,
        smaller_flows=smaller_flows,
        notes=[note for note in proposal.notes if note not in (against or ())],
        limits=limit_rows(proposal.wanted) if to_be_done else None,
        duration=duration(proposal) if to_be_done else None,
        moves=moves,
        more_moves=len(proposal.moves) - len(moves),
    )


def forecast_page(fillings: Sequence[Filling], now: datetime) -> str:
    """How disks fill, the one that is full first on top."""
    return pages.page(
        "forecast",
        title="Forecast of the disks" if fillings else "Forecast",
        lead=_foretold(fillings, now),
        courses=_courses(fillings, now),
        directories=_rows(fillings, now),
    )


def _disks(proposal: ClusterProposal) -> DiskBars:
    return pictures.disks(
        [
            DiskBar(
                f"broker {d.broker}", d.path, d.capacity if d.online else 0, d.before, d.after,
                "cordoned" if d.cordoned else "",
            )
            for d in proposal.directories
        ]
    )  # fmt: skip


def _rates(proposal: ClusterProposal) -> DiskBars:
    """As long as a directory's part of what the fastest is written with."""
    most = max(max(d.rate_before or 0, d.rate_after or 0) for d in proposal.directories)
    bars = [
        DiskBar(f"broker {d.broker}", d.path, most, d.rate_before or 0, d.rate_after or 0)
        for d in proposal.directories
    ]
    return pictures.disks(bars, "of the largest rate")


def _rate_rows(proposal: ClusterProposal) -> list[tuple[str, ...]]:
    return [
        (
            f"broker {d.broker}", d.path, f"{render.size(d.rate_before or 0)}/s",
            f"{render.size(d.rate_after or 0)}/s",
        )
        for d in proposal.directories
    ]  # fmt: skip


def _flows(proposal: ClusterProposal) -> tuple[Flows, int]:
    """The largest flows, and how many there are besides."""
    sizes: Counter[tuple[str, str]] = Counter()
    moves: Counter[tuple[str, str]] = Counter()
    for m in proposal.moves:
        way = f"broker {m.broker} {m.source}", f"broker {m.to} {m.target}"
        sizes[way] += m.size
        moves[way] += 1
    largest = [Flow(*way, count, moves[way]) for way, count in sizes.most_common(FLOWS_SHOWN)]
    return charts.flows(largest), len(sizes) - len(largest)


def _moves(proposal: ClusterProposal) -> list[tuple[str, ...]]:
    numbered = [(number, move) for number, wave in enumerate(proposal.waves, 1) for move in wave]
    return [
        (str(number), m.name, f"broker {m.broker} {m.source}", f"broker {m.to} {m.target}",
         render.size(m.size))
        for number, m in numbered[:MOVES_SHOWN]
    ]  # fmt: skip


def _foretold(fillings: Sequence[Filling], now: datetime) -> str:
    if not fillings:
        return "There is no history yet."
    first = fillings[0]
    if first.full_at is None:
        return "No directory fills within ten years at its present growth."
    return (
        f"Broker {first.broker} {first.path} fills first: on {first.full_at:%Y-%m-%d %H:%M} "
        f"UTC, in {_days(first, now)} days."
    )


def _courses(fillings: Sequence[Filling], now: datetime) -> list[CourseChart]:
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


def _rows(fillings: Sequence[Filling], now: datetime) -> list[tuple[str, ...]]:
    return [
        (
            str(f.broker), f.path, render.size(f.used), render.size(f.capacity),
            render.size(round(f.growth * _DAY)), _days(f, now),
        )
        for f in fillings
    ]  # fmt: skip


def _days(filling: Filling, now: datetime) -> str:
    days = filling.days_left(now)
    return "-" if days is None else f"{days:.1f}"


def _at(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()
