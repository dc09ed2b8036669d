"""What `spindle balance plan` tells beside its moves: limits, the least time, what the band is."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.unit.cli.balance.test_report import NOTHING, PROPOSAL

from spindle.cli.balance import report
from spindle.pipeline.proposal import PlanRequest, document, parse
from spindle.planning.duration import CopyRates
from spindle.planning.load import Band
from spindle.planning.schedule import WaveLimits
from spindle.planning.selection import Selection


@pytest.mark.spec("P-06")
def test_the_limits_are_shown_and_how_long_the_throttle_makes_it_take(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = PlanRequest(
        Band(0.05, 0.8, None, 4096, 512), (), ("2:/c",), WaveLimits(2, 3),
        selection=Selection(("a",), ("logs.*",), ("b:0-3",), ("b:1",)),
        pace=CopyRates(1024, 2048),
    )  # fmt: skip
    assert [(value, option) for _, value, option in report.limit_rows(asked)] == [
        ("80%, copies included", "--high-mark"),
        ("2", "--moves-per-disk"),
        ("3", "--moves-per-broker"),
        ("1.0 KiB/s", "--throttle"),
        ("2.0 KiB/s on the average", "--disk-throttle"),
        ("4.0 KiB", "--free-floor"),
        ("512 B", "--least"),
        ("2:/c", "--exclude"),
        ("a", "--topics"),
        ("b:0-3", "--topic-partitions"),
        ("logs.*", "--exclude-topics"),
        ("b:1", "--exclude-topic-partitions"),
    ]
    plan = replace(PROPOSAL, wanted=asked)
    report.show_limits(plan)
    said = capsys.readouterr().out
    assert "--free-floor" in said
    assert said.splitlines()[-1] == (
        "At this throttle it takes about 3 s or longer: broker 1 copies 3.0 KiB between its disks"
    )
    told = json.loads(json.dumps(document(plan)))["spindle"]
    assert (told["throttle"], told["diskThrottle"], told["leastSeconds"]) == (1024, 2048, 3.0)
    assert parse(json.dumps(document(plan))).wanted == asked


@pytest.mark.spec("P-06")
def test_without_a_throttle_no_time_is_given_but_that_none_is_set(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report.show_limits(PROPOSAL)
    said = capsys.readouterr().out
    assert said.splitlines()[-1].startswith("No throttle is set (--throttle): ")
    assert "no throttle" in said
    assert json.loads(json.dumps(document(PROPOSAL)))["spindle"]["leastSeconds"] is None
    report.show_limits(NOTHING)
    assert capsys.readouterr().out == ""
    rests = replace(
        PROPOSAL, waves=PROPOSAL.waves[:1], wanted=PlanRequest(pace=CopyRates(None, 10))
    )
    assert report.duration(rests) == "No throttle slows any move"


@pytest.mark.spec("P-06")
def test_the_band_is_shown_where_a_note_speaks_of_it_and_only_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    notes = ("broker 1: /a stays 1.0 KiB above the band: t-0 alone has 2.0 KiB",)
    plan = replace(PROPOSAL, notes=notes, wanted=PlanRequest(Band(0.05)))
    line = "the band: 5.0% above or below the mean share of capacity (--tolerance)"
    report.show(plan)
    said = capsys.readouterr().out.splitlines()
    assert said.index(line) == said.index(notes[0]) + 1
    report.show(replace(plan, wanted=PlanRequest(Band(0.05, rate_tolerance=0.125))))
    rates = ", 12.5% above or below the mean of writes (--rate-tolerance)"
    assert f"{line}{rates}" in capsys.readouterr().out.splitlines()
    report.show(replace(plan, notes=("broker 1: /a cannot be emptied",)))
    assert "the band:" not in capsys.readouterr().out
