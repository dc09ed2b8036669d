"""Pages: one file each, well-formed, which fetches nothing; what stands in them is text."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest
from jinja2 import UndefinedError

from spindle.cli import audit, forensics, pages
from spindle.cli.balance import page as balance
from spindle.cli.demo import demo_report as demo
from spindle.cli.pictures import DiskBar, Span
from spindle.pipeline.auditing import AuditResult
from spindle.pipeline.forecast import Filling
from spindle.pipeline.forensics import DamageFound, Forensics, LogDamage, LogFound, WellBatches
from spindle.pipeline.proposal import ClusterProposal, DirectoryNow
from spindle.planning.load import PlannedMove

HOSTILE = """/d"'&<script>alert(1)</script></svg>"""
"""A path that would be markup, if it were not escaped in texts and in attributes."""
NOW = datetime(2026, 3, 1, tzinfo=UTC)
PROMISES = (demo.Promise("one", HOSTILE, True), demo.Promise("two", "seen", False))


def plan() -> str:
    directories = (
        DirectoryNow(1, HOSTILE, True, 10_000, 6144, 3072, False, 4096, 2048),
        DirectoryNow(1, "/b", True, 10_000, 0, 3072, True, 0, 2048),
    )
    moves = (
        PlannedMove(1, "t", 0, HOSTILE, "/b", 2048),
        PlannedMove(1, "t", 1, "/b", HOSTILE, 1024),
    )
    proposal = ClusterProposal(directories, (moves,), 1, (HOSTILE,), ((3, HOSTILE),))
    return balance.plan_page(HOSTILE, proposal)


def no_plan() -> str:
    directories = (DirectoryNow(1, HOSTILE, False, 0, 0, 0),)
    return balance.plan_page("What if", ClusterProposal(directories, (), 1, (), ()), [HOSTILE])


def forecast() -> str:
    line = tuple((NOW - timedelta(days=7 - n), 100 + 10 * n) for n in range(8))
    full = Filling(
        1, (HOSTILE,), 170, 400, 0.001, NOW + timedelta(days=3), None, None, 168, 8, line
    )
    return balance.forecast_page([full, replace(full, paths=("/b", HOSTILE), full_at=None)], NOW)


def audited() -> str:
    counts = {"acknowledged": 100, "lost": 3, "doubled": 0}
    found = AuditResult(HOSTILE, False, counts, ((HOSTILE, counts),), 1, "", (HOSTILE,))
    return audit.page(found)


def examined() -> str:
    well = WellBatches(9, 90, 10, 100, 0, None, None, 0, 0, 0, (HOSTILE,))
    damage = LogDamage(1, 70, 0, False)
    log = LogFound(HOSTILE, "t-0", HOSTILE, "t", 0, 2, 4096, well, damage)
    damages = (
        DamageFound(HOSTILE, "t-0", "t", 0, 0, 77, 70, 20, 29, HOSTILE),
        DamageFound("/b", "t-0", "t", 0, 0, 77, 70, 50, None, "CRC", f"{HOSTILE}/t-0", 3),
    )
    return forensics.page([HOSTILE, "/b"], Forensics((log,), damages, 1, 2, 90, 4096))


def told() -> str:
    disks = [
        DiskBar(HOSTILE, HOSTILE, 1000, 400, 100, HOSTILE),
        DiskBar("broker 2", "/dead", 0, 0, 0),
    ]
    facts = [(HOSTILE, HOSTILE)]
    story = demo.Story(HOSTILE, disks, [5, 10], [Span(0, 1, HOSTILE)], PROMISES, facts)
    return demo.page(story)


EVERY = {
    "plan": plan,
    "no plan": no_plan,
    "forecast": forecast,
    "audit": audited,
    "forensics": examined,
    "demo": told,
}


@pytest.mark.parametrize("kind", EVERY)
def test_pages_are_well_formed_and_whatever_a_path_holds_is_text(kind: str) -> None:
    tree = ElementTree.fromstring(EVERY[kind]())
    assert not list(tree.iter("script"))
    assert [e for e in tree.iter() if e.text and HOSTILE in e.text]
    for element in tree.iter():
        assert not [name for name in element.attrib if name.startswith("on")]
    assert tree.findtext("head/title") == tree.findtext("body/h1")


@pytest.mark.parametrize("kind", EVERY)
def test_a_page_is_one_file_that_fetches_nothing(kind: str) -> None:
    page = EVERY[kind]()
    assert not re.search(r"(src|href)=|url\(|@import", page)
    assert page.startswith("<!DOCTYPE html>\n<html")
    assert page.endswith("</html>\n")


def test_what_is_wrong_is_told_by_pointing_at_it() -> None:
    titles = [e.text for e in ElementTree.fromstring(audited()).iter("title")]
    assert {"3 lost", "100 records", HOSTILE} <= set(titles)
    titles = [e.text for e in ElementTree.fromstring(examined()).iter("title")]
    assert f"20-29: {HOSTILE}" in titles


def test_tables_judge() -> None:
    cells = [(c.get("class"), c.text) for c in ElementTree.fromstring(told()).iter("td")]
    assert ("good", "kept") in cells
    assert ("bad", "BROKEN") in cells
    assert (None, HOSTILE) in cells


def test_without_a_history_a_forecast_says_so_and_shows_nothing() -> None:
    body = ElementTree.fromstring(balance.forecast_page([], NOW)).find("body")
    assert body is not None
    assert ["".join(part.itertext()) for part in body] == ["Forecast", "There is no history yet."]


def test_a_value_that_a_template_lacks_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="lead"):
        pages.page("audit", title="Audit")
