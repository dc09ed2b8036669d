"""Charts: in proportion, complete, and with labels that are round, few and apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from spindle.cli import charts
from spindle.cli.charts import Bar, BarPart, Course, CourseChart, DiskBar, Flow, Span
from spindle.cli.path_names import ShortName

GIB = 1 << 30
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def name(text: str) -> ShortName:
    return ShortName(text, text)


def test_bars_stand_along_the_capacity_of_each_disk() -> None:
    full = DiskBar("broker 1", name("/a"), 1000, 400, 100)
    other = DiskBar("broker 2", name("/b"), 500, 0, 50)
    chart = charts.disks([full, full, other], 0.9)
    assert [(owner, len(disks)) for owner, disks in chart.owners] == [
        ("broker 1", 2), ("broker 2", 1),
    ]  # fmt: skip
    assert chart.end == 0.5
    assert chart.along(full.share(full.before)) == pytest.approx(80.0)
    assert chart.along(other.share(other.after)) == pytest.approx(20.0)
    assert chart.ticks[-1] == (100.0, "50%")
    assert chart.mark is None, "the high mark is outside"
    assert charts.disks([DiskBar("1", name("/a"), 1000, 600, 1)], 0.9).mark == 0.9
    assert charts.disks([DiskBar("1", name("/dead"), 0, 0, 0)]).owners[0][1][0].share(5) == 0.0


@pytest.mark.parametrize(
    ("used", "end"), [(1, 0.002), (9, 0.01), (95, 0.1), (480, 1.0), (990, 1.0), (1200, 1.2)]
)
def test_the_axis_of_disks_that_are_nearly_empty_ends_early(used: int, end: float) -> None:
    assert charts.disks([DiskBar("1", name("/a"), 1000, used, 0)]).end == end


def test_ribbons_are_as_broad_as_the_bytes_that_go() -> None:
    a, b, x, y = map(name, "abxy")
    planned = charts.flows([Flow(a, x, 300, 2), Flow(a, y, 100, 1), Flow(b, x, 100, 1)])
    ends = {place.name.text: place for place in planned.sources}
    assert ends["a"].high / ends["b"].high == 4.0, "a gives four times what b gives"
    assert [place.size for place in planned.targets] == [400, 100]
    assert {r.wide for r in planned.ribbons} == {90.0, 30.0}
    assert planned.height >= ends["b"].y + ends["b"].high
    assert charts.flows([]).ribbons == []


def course(days: float, ahead: float, capacity: float = 1000.0 * GIB) -> CourseChart:
    unit = capacity / 1000
    past = [(NOW - timedelta(days=days * n / 8), (100.0 - n) * unit) for n in range(8, -1, -1)]
    steps = [ahead * n / 10 for n in range(11)]
    future = [
        (NOW + timedelta(days=d), (100 + 80 * d) * unit, (100 + 100 * d) * unit,
         (100 + 120 * d) * unit)
        for d in steps
    ]  # fmt: skip
    within = (NOW + timedelta(days=7.5), NOW + timedelta(days=11.25))
    return charts.course(
        Course(
            name("/a"), "", past, future, [("capacity", capacity), ("90%", 900.0 * unit)], within
        )
    )


def test_a_course_reaches_its_limit_where_it_is_full() -> None:
    chart = course(12, 12)
    assert chart.now == pytest.approx(50.0)
    assert chart.line[-1] == chart.expected[0]
    assert chart.span is not None
    first, last = chart.span
    assert first == pytest.approx(100 * 19.5 / 24)
    assert last == pytest.approx(100 * 23.25 / 24)
    top = chart.limits[0][0]
    crossing = next(x for x, y in chart.expected if y <= top)
    assert first < crossing < last
    assert course(12, 5).span is None, "it fills behind the edge"


@pytest.mark.parametrize(
    ("days", "ahead", "labels"),
    [
        (1, 0.5, ["28 Feb 00:00", "28 Feb 06:00", "28 Feb 12:00"]),
        (3, 3, ["26 Feb", "27 Feb"]),
        (14, 14, ["15 Feb", "22 Feb", "1 Mar", "8 Mar"]),
        (14, 150, ["Mar 2026", "Apr 2026", "May 2026"]),
        (14, 700, ["Jul 2026", "Jan 2027", "Jul 2027", "Jan 2028"]),
    ],
)
def test_dates_are_round_and_few(days: float, ahead: float, labels: list[str]) -> None:
    ticks = course(days, ahead).across
    assert [label for _, label in ticks][: len(labels)] == labels
    assert 3 <= len(ticks) <= 10
    assert all(0 <= x <= 100 for x, _ in ticks)


@pytest.mark.parametrize(
    "capacity", [900 << 10, 7 * GIB, 1000 * GIB, 1400 * GIB, 3 << 40, 99 << 40]
)
def test_amounts_on_the_axis_are_round_and_apart_from_the_limits(capacity: int) -> None:
    chart = course(12, 12, float(capacity))
    places = [y for y, _ in [*chart.up, *chart.limits[:1]]]
    assert 3 <= len(places) <= 7
    assert all(abs(a - b) >= 9 for n, a in enumerate(places) for b in places[:n])
    assert chart.up[0][1] == "0"


def test_time_runs_from_left_to_right_and_spans_stand_where_they_happened() -> None:
    chart = charts.timeline(
        [5, 10, 0, 10], 0.5, "records", [Span(0.5, 1, "a"), Span(1.5, 1.6, "b")]
    )
    assert chart.bars == [(0, 50), (25, 100), (50, 0), (75, 100)]
    assert [(letter, x, span.text) for x, _, letter, span in chart.bands] == [
        ("A", 25.0, "a"), ("B", 75.0, "b"),
    ]  # fmt: skip
    assert chart.most == 20
    assert charts.timeline([], 0.5, "records", []).bars == []


def test_ticks_are_round_and_few_at_any_length() -> None:
    for seconds in (0.5, 1, 7, 29, 66, 600, 86_400):
        ticks = charts.timeline([1] * 100, seconds / 100, "records", []).ticks
        assert 1 <= len(ticks) <= 9
        assert ticks[0] == (0.0, "0 s")


def test_damage_stands_at_its_offsets_and_can_always_be_seen() -> None:
    marks = [BarPart(50, 100, "fault", "half"), BarPart(199, 199, "saved", "a little")]
    (half, x, width), (_, last, least) = Bar(name("t-0"), 0, 200, marks, "").places()
    assert (half.text, x, width) == ("half", 25.0, 25.0)
    assert least > 0
    assert last + least <= 100.0
