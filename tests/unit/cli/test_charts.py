"""Flows and courses as SVG: well-formed, in proportion, with words for who hovers."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from spindle.cli.charts import Course, Flow, courses, flows


def test_ribbons_are_as_broad_as_the_bytes_that_go() -> None:
    picture = flows([Flow("a", "x", 300, 2), Flow("a", "y", 100, 1), Flow("<b>", "x", 100, 1)])
    ElementTree.fromstring(picture)
    assert picture.count("<path ") == 3
    assert "a → x: 2 moves, 300 B" in picture
    assert "&lt;b&gt;" in picture
    high = [float(h) for h in re.findall(r'width="6" height="([\d.]+)"', picture)]
    assert high[1] / high[0] == 4.0, "a gives four times what b gives"
    assert flows([]) == ""


def test_a_course_shows_where_it_ends() -> None:
    day = 86_400.0
    past = [(n * day, 100.0 + 10 * n) for n in range(8)]
    full = Course("broker 1 /a", past, 200.0, (10 * day, 9 * day, 12 * day))
    never = Course("broker 1 /b", past, 900.0, (None, None, None))
    picture = courses([full, never], 7 * day, 14 * day, day)
    assert picture.count("<svg ") == 2
    ElementTree.fromstring(f"<p>{picture}</p>")
    assert picture.count("full in 3.0 days") == 1
    for words in ("broker 1 /a", "now", "+2 d", "900 B"):
        assert words in picture
