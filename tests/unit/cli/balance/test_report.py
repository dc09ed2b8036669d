"""What `spindle balance` says: JSON for scripts, text, and pages."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.support.page_words import rows, words

from spindle.cli.balance import page as balance_page
from spindle.cli.balance import report as balance_report
from spindle.cli.balance.applying import Watched
from spindle.cli.balance.balance_journal import BalanceRun, RunEnd, RunOptions
from spindle.pipeline.execution_values import ExecutionProgress, PlanOutcome, Unled
from spindle.pipeline.proposal import ClusterProposal, DirectoryNow, PlanRequest, document, parse
from spindle.planning.duration import CopyRates
from spindle.planning.load import PlannedMove

MOVES = (PlannedMove(1, "t", 0, "/a", "/b", 2048), PlannedMove(1, "t", 1, "/a", "/b", 1024))
PROPOSAL = ClusterProposal(
    directories=(
        DirectoryNow(1, "/a", True, 10_000, 6144, 3072),
        DirectoryNow(1, "/b", True, 10_000, 0, 3072),
        DirectoryNow(2, "/dead", False, 0, 0, 0),
        DirectoryNow(2, "/shut", True, 10_000, 0, 0, cordoned=True),
    ),
    waves=((MOVES[0],), (MOVES[1],)),
    bound=3000,
    notes=("broker 1: /a stays",),
    silent=((3, "it is down"),),
)
NOTHING = ClusterProposal(PROPOSAL.directories, (), 0, (), ())
DONE = PlanOutcome(MOVES[:1], ((MOVES[1], "the disk is full"),), 1.5, 2)


def watched(ended: RunEnd | None = None, *, alive: bool = True) -> Watched:
    run = BalanceRun("{}", RunOptions(), 7.0, PROPOSAL.waves, 0, ended)
    progress = ExecutionProgress(1, 2, 2560, 3072, 3.0, {"broker 1 /b": (2560, 3072)})
    return Watched(run, alive, progress, MOVES[1:])


def test_what_became_of_it_is_json_and_complete() -> None:
    told = json.loads(json.dumps(balance_report.outcome_document(DONE)))
    assert told == {
        "version": 1,
        "complete": False,
        "done": 1,
        "failed": [{"topic": "t", "partition": 1, "broker": 1, "reason": "the disk is full"}],
        "unled": [],
        "moved": 1,
        "gone": [],
        "halted": [],
        "replanned": 2,
        "seconds": 1.5,
    }


def test_sentences() -> None:
    assert balance_report.headline(PROPOSAL) == (
        "2 moves in 2 waves, 3.0 KiB; lower bound for a plan as even: 2.9 KiB; "
        "nothing could be planned for broker 3"
    )
    assert balance_report.headline(NOTHING).startswith("Nothing to move: every directory")
    assert balance_report.result(DONE) == (
        "1 replica moved and verified in 1.5 s, replanned 2 times; 1 not"
    )


def test_where_there_is_nothing_to_move_the_band_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    balance_report.show(NOTHING)
    told = capsys.readouterr().out
    assert "% above or below the mean share of capacity (--tolerance)\nNothing to move: " in told


@pytest.mark.spec("P-06")
def test_where_nothing_could_be_planned_the_headline_does_not_say_that_all_is_even() -> None:
    untold = tuple(DirectoryNow(b, "/a", True, 0, 500, 500) for b in (1, 2))
    some = ClusterProposal((*untold, DirectoryNow(3, "/a", True, 900, 500, 500)), (), 0, (), ())
    assert balance_report.headline(ClusterProposal(untold, (), 0, (), ())) == (
        "Nothing could be planned for brokers 1, 2"
    )
    assert balance_report.headline(some).startswith(
        "Nothing could be planned for brokers 1, 2; nothing to move on the other brokers: "
    )
    assert balance_report.headline(ClusterProposal((), (), 0, (), ((4, "away"),))) == (
        "Nothing could be planned for broker 4"
    )
    assert balance_report.headline(ClusterProposal((), (), 0, (), ())) == (
        "Nothing could be planned: no broker reported a log directory"
    )
    assert not any(p.done for p in (some, ClusterProposal((), (), 0, (), ())))
    assert NOTHING.done


@pytest.mark.spec("P-06")
def test_what_lies_in_an_offline_directory_is_null_in_the_plan() -> None:
    text = json.dumps(document(PROPOSAL, {}))
    (dead,) = (d for d in json.loads(text)["spindle"]["directories"] if not d["online"])
    assert (dead["before"], dead["after"]) == (None, None)
    assert parse(text).directories == PROPOSAL.directories


@pytest.mark.spec("P-06")
def test_a_plan_that_does_not_empty_what_it_should_is_not_done() -> None:
    for drain in ("1:/a", "1"):
        plan = replace(NOTHING, wanted=PlanRequest(drain=(drain,), between=drain == "1"))
        assert not plan.done
        assert "1:/a" in plan.undrained


def test_the_terminal_shows_what_is_wrong_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    balance_report.show(PROPOSAL)
    balance_report.show_outcome(DONE)
    said = capsys.readouterr()
    assert "61% -> 31%" in said.out
    (dead,) = (line for line in said.out.splitlines() if "/dead" in line)
    assert dead.split()[-4:] == ["offline", "-", "-", "-"], "unknown, not nothing"
    assert "cordoned" in said.out
    assert "broker 1: /a stays" in said.out
    assert "warning: broker 3 did not answer: it is down" in said.err
    assert "warning: t-1 on broker 1: the disk is full" in said.err


def test_a_watcher_sees_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    balance_report.show_watched(watched(alive=False), "-b host:9092")
    said = capsys.readouterr().out
    assert "1 of 2 moves done, 2.5 KiB of 3.0 KiB copied." in said
    assert "moving: t-1 on broker 1, to /b" in said
    assert "resume:   spindle balance apply -b host:9092" in said
    balance_report.show_watched(
        watched({"complete": True, "done": 2, "failed": [], "at": 9.0}, alive=False), "host:9092"
    )
    assert "The run has ended, complete." in capsys.readouterr().out
    balance_report.show_watched(None, "-b host:9092")
    assert "This machine has not applied a plan" in capsys.readouterr().out


def test_a_script_that_watches_gets_the_same() -> None:
    told = json.loads(json.dumps(balance_report.watched_document(watched())))["run"]
    assert (told["alive"], told["doneMoves"], told["doneBytes"]) == (True, 1, 2560)
    assert told["moving"] == [
        {"topic": "t", "partition": 1, "broker": 1, "destination": 1, "target": "/b"}
    ]
    assert balance_report.watched_document(None)["run"] is None


@pytest.mark.spec("P-06")
def test_the_page_shows_disks_flows_moves_and_what_went_wrong() -> None:
    page = balance_page.plan_page("Disks of host:9092", PROPOSAL)
    for text in (
        "Disks of host:9092",
        "6.0 KiB → 3.0 KiB",
        "61% → 31%",
        "/a 9.8 KiB",
        "1 log directory is offline: broker 2 /dead",
        "broker 3 did not answer",
        "broker 1: /a stays",
        "/shut 9.8 KiB cordoned",
        "broker 1 /a → broker 1 /b: 2 moves, 3.0 KiB",
        "high mark, 95%",
    ):
        assert text in words(page)
    assert ["1", "t-0", "broker 1 /a", "broker 1 /b", "2.0 KiB"] in rows(page)
    assert page.index("What is wrong") < page.index("Log directories, now and as planned")
    sound = replace(NOTHING, directories=NOTHING.directories[:2])
    assert "What is wrong" not in balance_page.plan_page("Disks", sound)
    calm = balance_page.plan_page("Disks", NOTHING)
    assert "Moves, in order" not in calm
    no = words(balance_page.plan_page("What if", PROPOSAL, ["broker 1: /a stays"]))
    assert "No such plan exists" in no
    assert no.count("broker 1: /a stays") == 1


@pytest.mark.spec("P-05")
def test_a_page_tells_limits_and_duration_of_what_is_to_be_carried_out() -> None:
    page = words(balance_page.plan_page("Disks", PROPOSAL))
    assert balance_report.duration(PROPOSAL) in page
    assert "--high-mark" in page
    paced = replace(PROPOSAL, wanted=PlanRequest(pace=CopyRates(1024)))
    assert "At this throttle it takes about " in words(balance_page.plan_page("Disks", paced))
    for other in (
        balance_page.plan_page("Disks", NOTHING),
        balance_page.plan_page("What if", paced, ()),
    ):
        assert "--high-mark" not in other
        assert "throttle" not in other


@pytest.mark.spec("P-05")
def test_why_no_plan_exists_is_not_said_twice(capsys: pytest.CaptureFixture[str]) -> None:
    told = replace(PROPOSAL, notes=("broker 1: /a cannot be emptied: so", "broker 1: /b stays"))
    balance_report.show(told, (), told.notes[:1])
    shown = capsys.readouterr()
    assert "cannot be emptied" not in shown.out + shown.err
    assert "/b stays" in shown.out


def test_a_page_of_very_many_moves_ends_somewhere() -> None:
    count = balance_page.MOVES_SHOWN + 7
    many = tuple(PlannedMove(n % 99, "t", n, "/a", "/b", 1) for n in range(count))
    page = balance_page.plan_page("b", ClusterProposal(PROPOSAL.directories, (many,), 1, (), ()))
    assert "and 7 more; the plan file has all of them" in page
    assert f"and {99 - balance_page.FLOWS_SHOWN} smaller flows" in page


def test_what_verification_finds_counts_as_failed() -> None:
    found = PlanOutcome(MOVES, (), 1.0).verified([(MOVES[0], "in /a")])
    assert found.done == MOVES[1:]
    assert found.failed == ((MOVES[0], "in /a"),)
    assert not found.complete


def test_write_rates_are_shown_where_they_count(capsys: pytest.CaptureFixture[str]) -> None:
    directories = (
        DirectoryNow(1, "/a", True, 10_000, 6144, 3072, False, 4096, 2048),
        DirectoryNow(1, "/b", True, 10_000, 0, 3072, False, 0, 2048),
    )
    proposal = ClusterProposal(directories, PROPOSAL.waves, 3000, (), ())
    balance_report.show(proposal)
    assert "writes/s" in capsys.readouterr().out
    page = balance_page.plan_page("Rates", proposal)
    assert "Bytes written each second" in page
    assert "4.0 KiB/s" in page
    assert "Bytes written" not in balance_page.plan_page("Bytes", PROPOSAL)


def test_a_leader_that_was_refused_makes_it_incomplete_and_the_way_out_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcome = PlanOutcome((), (), 0.5, unled=(Unled("t", 3, 2, "not in sync"),))
    assert not outcome.complete
    told = balance_report.outcome_document(outcome)
    assert told["unled"] == [{"topic": "t", "partition": 3, "leader": 2, "reason": "not in sync"}]
    balance_report.show_outcome(outcome)
    said = capsys.readouterr()
    assert "t-3 is not led by broker 2: not in sync" in said.err
    assert "Then apply the plan again" in said.out
