"""What `spindle balance` says: JSON for scripts, text, and a page."""

from __future__ import annotations

import json

import pytest

from spindle.cli import balance_report
from spindle.pipeline.execute import Outcome
from spindle.pipeline.job import DirectoryNow, Proposal
from spindle.planning.load import Move

MOVES = (Move(1, "t", 0, "/a", "/b", 2048), Move(1, "t", 1, "/a", "/b", 1024))
PROPOSAL = Proposal(
    directories=(
        DirectoryNow(1, "/a", True, 10_000, 6144, 3072),
        DirectoryNow(1, "/b", True, 10_000, 0, 3072),
        DirectoryNow(2, "/dead", False, 0, 0, 0),
    ),
    waves=((MOVES[0],), (MOVES[1],)),
    bound=3000,
    notes=("broker 1: /a stays",),
    silent=((3, "nobody answers"),),
)
NOTHING = Proposal(PROPOSAL.directories, (), 0, (), ())
DONE = Outcome(MOVES[:1], ((MOVES[1], "the disk is full"),), 1.5)


def test_the_summary_is_json_and_complete() -> None:
    told = json.loads(json.dumps(balance_report.summary(PROPOSAL, {"version": 1}, DONE)))
    assert told["directories"][0] == {
        "broker": 1, "logDir": "/a", "online": True, "capacity": 10_000, "before": 6144,
        "after": 3072,
    }  # fmt: skip
    assert (told["moves"], told["bytes"], told["boundBytes"]) == (2, 3072, 3000)
    assert told["silentBrokers"] == {"3": "nobody answers"}
    assert told["reassignment"] == {"version": 1}
    assert told["executed"] == {
        "done": 1,
        "failed": [{"topic": "t", "partition": 1, "broker": 1, "reason": "the disk is full"}],
        "seconds": 1.5,
    }
    assert balance_report.summary(PROPOSAL, {}, None)["executed"] is None


def test_sentences() -> None:
    assert balance_report.headline(PROPOSAL) == (
        "2 moves in 2 waves, 3.0 KiB; any plan that ends as even must move 2.9 KiB"
    )
    assert balance_report.headline(NOTHING).startswith("Nothing to move")
    assert balance_report.result(DONE) == "1 replicas moved and verified in 1.5 s; 1 not"
    assert balance_report.result(None) == "Nothing has been moved"


def test_the_terminal_is_told_what_is_wrong_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    balance_report.show(PROPOSAL, DONE)
    said = capsys.readouterr()
    assert "61% -> 31%" in said.out
    assert "OFFLINE" in said.out
    assert "broker 1: /a stays" in said.out
    assert "warning: broker 3 told nothing: nobody answers" in said.err
    assert "warning: t-1 on broker 1: the disk is full" in said.err


def test_the_page_shows_disks_moves_and_what_went_wrong() -> None:
    page = balance_report.page("host:9092", PROPOSAL, DONE)
    for text in (
        "Disks of host:9092",
        "6.0 KiB → 3.0 KiB (31%)",
        "broker 3 told nothing",
        "t-1 on broker 1: the disk is full",
        "broker 1: /a stays",
        ">offline<",
        "<td>1</td><td>t-0</td><td>1</td><td>/a</td><td>/b</td><td>2.0 KiB</td>",
    ):
        assert text in page
    calm = balance_report.page("host:9092", NOTHING, None)
    assert "What went wrong" not in calm
    assert "Moves, in order" not in calm


def test_a_page_of_very_many_moves_ends_somewhere() -> None:
    many = tuple(Move(1, "t", n, "/a", "/b", 1) for n in range(balance_report.MOVES_SHOWN + 7))
    page = balance_report.page("b", Proposal(PROPOSAL.directories, (many,), 1, (), ()), None)
    assert "and 7 more, all of them in the JSON of --output" in page


def test_what_verification_finds_counts_as_failed() -> None:
    found = Outcome(MOVES, (), 1.0).verified([(MOVES[0], "in /a")])
    assert found.done == MOVES[1:]
    assert found.failed == ((MOVES[0], "in /a"),)
    assert not found.complete
