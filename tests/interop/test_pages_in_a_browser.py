"""Reports in a real browser, on a phone and on a desk: nothing is cut, broken, hidden or pale."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import pytest
from tests.support.browser import Browser
from tests.support.page_layout import colours, complaints
from tests.support.report_pages import HOSTILES, LARGE

PHONE, DESK = 360, 1200
PAGES = {**LARGE, **{f"hostile {name}": page for name, page in HOSTILES.items()}}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as opened:
        yield opened


@pytest.mark.parametrize("kind", PAGES)
def test_a_page_can_be_read_on_a_phone_by_night_and_on_a_desk(kind: str, browser: Browser) -> None:
    page = PAGES[kind]()
    for width, dark in ((PHONE, False), (PHONE, True), (768, False), (DESK, False)):
        assert complaints(browser, page, width, dark=dark) == [], (width, dark)


@pytest.mark.parametrize("kind", LARGE)
def test_a_page_is_drawn(kind: str, browser: Browser) -> None:
    """It is paper for the most part, and ink, tracks, bars and lines have colours of their own."""
    browser.show(LARGE[kind](), DESK)
    found = colours(browser, base64.b64encode(browser.picture()).decode())
    assert 0.5 < found[0] < 0.99
    assert len(found) > 30


def test_on_paper_what_is_folded_is_shown(browser: Browser) -> None:
    high = "document.documentElement.scrollHeight"
    browser.show(LARGE["audit"](), DESK)
    folded = browser.run(high)
    browser.show(LARGE["audit"](), DESK, media="print")
    assert browser.run(high) > 1.5 * folded


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("<div style='width: 900px'>x</div>", "the page is 900 px wide, not 360"),
        ("<p style='width: 3rem; overflow-wrap: anywhere'>4243536012345", "broken: 4243536012345"),
        ("<p style='width: 3rem'>12.5 GiB of it", "broken: 12.5 GiB"),
        ("<p>one</p><p style='margin-top: -2rem'>two</p>", "overlaps: one and two"),
        ("<p style='color: #aaa'>pale", "pale (2.3): pale"),
        ("<p style='font-size: 8px'>small", "small (8px): small"),
        ("<p style='margin-left: -9px'>away", "off the page: away"),
        ("<p style='width: 9rem; overflow: hidden; white-space: nowrap'>cut in the midst of it",
         "cut, and nowhere in full: cut in the midst of it"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_page_is_seen(body: str, complaint: str, browser: Browser) -> None:
    head = "<!DOCTYPE html><meta name='viewport' content='width=device-width'>"
    page = f"{head}<body style='margin: 0; background: #fff'>{body}"
    assert complaints(browser, page, PHONE) == [complaint]
