"""Pages and pictures: well-formed, complete, and nothing in them comes from elsewhere."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from spindle.cli import pictures
from spindle.cli.pictures import Disk, Span


def svg(text: str) -> ET.Element:
    """The picture in a piece of a page."""
    found = re.search(r"<svg.*</svg>", text, re.S)
    assert found
    return ET.fromstring(found.group())


def bars(picture: ET.Element, kind: str) -> list[float]:
    return [float(r.get("width", "")) for r in picture.iter("rect") if r.get("class") == kind]


def texts(picture: ET.Element) -> list[str]:
    return ["".join(t.itertext()) for t in picture.iter("text")]


def test_bars_are_as_long_as_disks_are_full() -> None:
    picture = svg(
        pictures.disks([Disk("broker 1", "/a", 1000, 400, 100), Disk("broker 1", "/b", 500, 0, 50)])
    )
    first, empty = bars(picture, "was")
    assert bars(picture, "is") == pytest.approx([first / 4, first / 4], abs=0.1)
    assert empty == 1.0, "a bar can always be seen"
    assert "400 B → 100 B (10%)" in texts(picture)


def test_a_dead_disk_and_a_remark_are_shown_and_markup_is_text() -> None:
    picture = svg(pictures.disks([Disk("<b>", "/a&b", 0, 0, 0), Disk("<b>", "/c", 9, 1, 1, "hot")]))
    assert texts(picture)[0] == "<b>"
    assert "offline" in texts(picture)
    assert any(text.endswith("/c hot") for text in texts(picture))
    assert svg(pictures.disks([])).tag == "svg"


def test_a_long_path_keeps_its_end_and_is_told_in_full() -> None:
    path = "/mnt/" + "very-long-name/" * 5 + "kafka"
    (label,) = [t for t in texts(svg(pictures.disks([Disk("1", path, 9, 1, 1)]))) if "kafka" in t]
    assert label.startswith(path)
    shown = label.removeprefix(path)
    assert shown.startswith("…")
    assert shown.endswith("name/kafka")


def test_time_runs_from_left_to_right_and_spans_stand_where_they_happened() -> None:
    picture = svg(
        pictures.timeline(
            [5, 10, 0, 10], 0.5, "records", [Span(0.5, 1.0, "a"), Span(1.5, 1.6, "b")]
        )
    )
    heights = [float(r.get("height", "")) for r in picture.iter("rect") if r.get("class") == "is"]
    assert heights == [75.0, 150.0, 0.0, 150.0]
    places = [float(r.get("x", "")) for r in picture.iter("rect") if r.get("class") == "band"]
    assert places == [200.0, 600.0]
    assert {"a", "b", "0 s"} <= set(texts(picture))
    assert svg(pictures.timeline([], 0.5, "records", [])).tag == "svg"


def test_ticks_are_round_and_few_at_any_length() -> None:
    for seconds in (0.5, 1, 7, 29, 66, 600, 86_400):
        picture = svg(pictures.timeline([1] * 100, seconds / 100, "records", []))
        ticks = [t for t in texts(picture) if t.endswith(" s")]
        assert 1 <= len(ticks) <= 9
        assert ticks[0] == "0 s"


def test_a_page_is_one_file_and_its_tables_judge() -> None:
    page = pictures.page(
        "A & B", "all <is> well",
        pictures.table(("what", "so"), [("one", "kept"), ("two", "BROKEN")], judged="kept"),
        pictures.section("Rest", pictures.bullets(["x < y"])),
    )  # fmt: skip
    assert "<h1>A &amp; B</h1>" in page
    assert "all &lt;is&gt; well" in page
    assert '<td class="good">kept</td>' in page
    assert '<td class="bad">BROKEN</td>' in page
    assert "x &lt; y" in page
    assert not re.search(r"(src|href)=|url\(|@import", page)
