"""Pages: one file each, well-formed, which fetches nothing; what stands in them is text."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from jinja2 import UndefinedError
from tests.support import report_pages
from tests.support.report_pages import HOSTILE, HOSTILES

from spindle.cli import pages
from spindle.cli.balance import page as balance


@pytest.mark.parametrize("kind", HOSTILES)
def test_pages_are_well_formed_and_whatever_a_path_holds_is_text(kind: str) -> None:
    tree = ElementTree.fromstring(HOSTILES[kind]())
    assert not list(tree.iter("script"))
    assert HOSTILE in "".join(tree.itertext())
    for element in tree.iter():
        assert not [name for name in element.attrib if name.startswith("on")]
    (heading,) = tree.iter("h1")
    assert tree.findtext("head/title") == "".join(heading.itertext())


@pytest.mark.parametrize("kind", HOSTILES)
def test_a_page_is_one_file_that_fetches_nothing(kind: str) -> None:
    page = HOSTILES[kind]()
    assert not re.search(r"(src|href)=|url\(|@import", page)
    assert page.startswith("<!DOCTYPE html>\n<html")
    assert page.endswith("</html>\n")


def titles(page: str) -> set[str | None]:
    """What the page shows when a reader points at something."""
    return {e.get("title") for e in ElementTree.fromstring(page).iter() if "title" in e.attrib}


def test_what_is_wrong_is_shown_by_pointing_at_it() -> None:
    assert {"3 lost", "3 lost of 100", HOSTILE} <= titles(HOSTILES["audit"]())
    assert f"20-29: {HOSTILE}" in titles(HOSTILES["forensics"]())


def test_tables_judge() -> None:
    cells = [
        (c.get("class", "").split()[-1], "".join(c.itertext()))
        for c in ElementTree.fromstring(HOSTILES["demo"]()).iter("td")
    ]
    assert ("good", "kept") in cells
    assert ("bad", "BROKEN") in cells
    assert ("text", HOSTILE) in cells


@pytest.mark.parametrize(
    ("page", "told", "folded"),
    [
        (report_pages.audited, "2 partitions or logs have faults", "42 partitions without a fault"),
        (report_pages.examined, "3 of 44 logs are damaged, in 6 ranges",
         "41 logs without damage (37 current, 4 stray)"),
    ],
)  # fmt: skip
def test_what_is_wrong_comes_first_and_what_is_well_is_folded(
    page: Callable[[], str], told: str, folded: str
) -> None:
    tree = ElementTree.fromstring(page())
    (wrong,) = (e for e in tree.iter("div") if e.get("class") == "problems")
    assert told in "".join(wrong.itertext())
    (well,) = tree.iter("details")
    assert (well.findtext("summary"), well.get("open")) == (folded, None)
    order = [e for e in tree.iter() if e.tag in ("table", "details") or e is wrong]
    assert order[0] is wrong
    assert order.index(well) == len(order) - 2, "only its own table follows"


def test_a_plan_says_first_what_is_offline_and_which_broker_is_silent() -> None:
    tree = ElementTree.fromstring(report_pages.plan())
    (wrong,) = (e for e in tree.iter("div") if e.get("class") == "problems")
    words = "".join(wrong.itertext())
    assert "1 log directory is offline: broker 3 /var/lib/kafka/data/disk-2/kafka-logs" in words
    assert "broker 4 did not answer" in words


def test_long_paths_are_shown_by_what_differs_with_the_whole_at_hand() -> None:
    page = report_pages.plan()
    text = "".join(ElementTree.fromstring(page).itertext())
    assert "Paths: /var/lib/kafka/data/*/kafka-logs; shown is what stands for *" in text
    assert "broker 1 disk-2" in text
    assert f"broker 1 {report_pages.path(2)}" in titles(page)


def test_without_a_history_a_forecast_says_so_and_shows_nothing() -> None:
    body = ElementTree.fromstring(balance.forecast_page([], 0.9)).find("body")
    assert body is not None
    told = ["".join(part.itertext()) for part in body if part.tag != "footer"]
    assert told == ["Forecast", "There is no history yet."]


def test_with_too_little_history_a_forecast_draws_nothing() -> None:
    tree = ElementTree.fromstring(
        balance.forecast_page([report_pages.filling(3, 1, 10, 1.0, days=0.4)], 0.9)
    )
    assert not list(tree.iter("figure"))
    said = "Nothing is forecast: too little history: 11 samples in 10 h; it takes 8 in 48 h."
    assert said in "".join(tree.itertext())


def test_a_forecast_has_dates_ticks_limits_and_a_span() -> None:
    tree = ElementTree.fromstring(report_pages.forecast())
    first, *others = tree.iter("figure")
    assert len(others) == 3, "none for what is too new"
    text = "".join(first.itertext())
    for told in (
        "full 8 Mar 2026, in 7 days, between 7 and 9 Mar 2026",
        "(80%)",
        "768 GiB",
        "1000.0 GiB",
        "90%",
    ):
        assert told in text, told
    assert re.search(r"\d+ Feb", text), "its axis has dates"


def test_a_value_that_a_template_lacks_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="lead"):
        pages.page("audit", title="Audit")


PLACES = re.compile(r"\d+ at \d+|a batch has a length of \d+|[\w.-]*\d+-\d+")
"""Of a segment by its file's name, of bytes and offsets: these are no counts."""
TEXTS = {"h1", "h2", "h3", "p", "b", "span", "li", "td", "summary", "title", "figcaption"}


@pytest.mark.parametrize("kind", report_pages.LARGE)
def test_counts_are_written_one_way_wherever_they_stand(kind: str) -> None:
    """With commas: in tiles, sentences, tables and what is shown by pointing at a picture."""
    page = report_pages.LARGE[kind]()
    every = ElementTree.fromstring(page).iter()
    parts = [e for e in every if e.tag in TEXTS and e.get("class") != "w"]
    texts = ["".join(e.itertext()) for e in parts]
    told = [PLACES.sub("", text) for text in [*texts, *titles(page)] if text]
    assert [text for text in told if re.search(r"\d{5}", text)] == []
