"""Pictures of disks and of time: in proportion, complete, and all that they say can be read."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from tests.support.drawings import svg, words

from spindle.cli import pictures
from spindle.cli.pictures import DiskBar, Span


def disks(*all_disks: DiskBar) -> ET.Element:
    return svg("pictures", "disks", pictures.disks(all_disks))


def timeline(per_bin: list[int], bin_seconds: float, *spans: Span) -> ET.Element:
    picture = pictures.timeline(per_bin, bin_seconds, "records", spans)
    return svg("pictures", "timeline", picture)


def bars(picture: ET.Element, kind: str) -> list[float]:
    return [float(r.get("width", "")) for r in picture.iter("rect") if r.get("class") == kind]


def test_bars_are_as_long_as_disks_are_full() -> None:
    picture = disks(
        DiskBar("broker 1", "/a", 1000, 400, 100), DiskBar("broker 1", "/b", 500, 0, 50)
    )
    first, empty = bars(picture, "was")
    assert bars(picture, "is") == pytest.approx([first / 4, first / 4], abs=0.1)
    assert empty == 1.0, "a bar can always be seen"
    assert "400 B → 100 B (10%)" in words(picture)


def test_a_dead_disk_and_a_remark_are_shown_and_markup_is_text() -> None:
    picture = disks(DiskBar("<b>", "/a&b", 0, 0, 0), DiskBar("<b>", "/c", 9, 1, 1, "hot"))
    assert words(picture)[0] == "<b>"
    assert "offline" in words(picture)
    assert any(text.endswith("/c hot") for text in words(picture))
    assert disks().tag == "svg"


def test_a_long_path_keeps_its_end_and_is_told_in_full() -> None:
    path = "/mnt/" + "very-long-name/" * 5 + "kafka"
    (label,) = [t for t in words(disks(DiskBar("1", path, 9, 1, 1))) if "kafka" in t]
    assert label.startswith(path)
    shown = label.removeprefix(path)
    assert shown.startswith("…")
    assert shown.endswith("name/kafka")


def test_time_runs_from_left_to_right_and_spans_stand_where_they_happened() -> None:
    picture = timeline([5, 10, 0, 10], 0.5, Span(0.5, 1.0, "a"), Span(1.5, 1.6, "b"))
    heights = [float(r.get("height", "")) for r in picture.iter("rect") if r.get("class") == "is"]
    assert heights == [75.0, 150.0, 0.0, 150.0]
    places = [float(r.get("x", "")) for r in picture.iter("rect") if r.get("class") == "band"]
    assert places == [200.0, 600.0]
    assert {"a", "b", "0 s"} <= set(words(picture))
    assert timeline([], 0.5).tag == "svg"


def test_ticks_are_round_and_few_at_any_length() -> None:
    for seconds in (0.5, 1, 7, 29, 66, 600, 86_400):
        picture = timeline([1] * 100, seconds / 100)
        ticks = [t for t in words(picture) if t.endswith(" s")]
        assert 1 <= len(ticks) <= 9
        assert ticks[0] == "0 s"
