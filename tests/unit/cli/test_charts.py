"""Flows and courses as pictures: well-formed, in proportion, with words for who hovers."""

from __future__ import annotations

from tests.support.drawings import svg, words

from spindle.cli.charts import Course, Flow, courses, flows


def test_ribbons_are_as_broad_as_the_bytes_that_go() -> None:
    planned = flows([Flow("a", "x", 300, 2), Flow("a", "y", 100, 1), Flow("<b>", "x", 100, 1)])
    by_name = {place.name: place for place in planned.sources}
    assert by_name["a"].high / by_name["<b>"].high == 4.0, "a gives four times what b gives"
    picture = svg("charts", "flows", planned)
    ribbons = [path.findtext("title") for path in picture.iter("path")]
    assert ribbons == [
        "<b> → x: 1 moves, 100 B", "a → x: 2 moves, 300 B", "a → y: 1 moves, 100 B",
    ]  # fmt: skip
    assert "+400 B" in words(picture)
    assert svg("charts", "flows", flows([])).find("path") is None


def test_a_course_shows_where_it_ends() -> None:
    day = 86_400.0
    past = [(n * day, 100.0 + 10 * n) for n in range(8)]
    full = Course("broker 1 /a", past, 200.0, (10 * day, 9 * day, 12 * day))
    never = Course("broker 1 <b>", past, 900.0, (None, None, None))
    first, second = (
        words(svg("charts", "course", chart))
        for chart in courses([full, never], 7 * day, 14 * day, day)
    )
    assert {"broker 1 /a", "200 B", "170 B", "now", "+2 d", "full in 3.0 days"} <= set(first)
    assert {"broker 1 <b>", "900 B"} <= set(second)
    assert not [text for text in second if text.startswith("full")]
