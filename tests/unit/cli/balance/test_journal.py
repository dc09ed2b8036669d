"""The journal of a run: what a process that was killed leaves, and which one may go on."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from spindle.cli.balance.applying import chosen
from spindle.cli.balance.balance_journal import (
    KEPT,
    BalanceRun,
    GivenOptions,
    RunEnd,
    RunJournal,
    RunOptions,
)
from spindle.model.errors import Unusable
from spindle.pipeline.proposal import ClusterProposal, PlanRequest, document
from spindle.planning.duration import CopyRates
from spindle.planning.load import PlannedMove
from spindle.planning.schedule import WaveLimits

WAVES = (
    (PlannedMove(1, "t", 0, "/a", "/b", 5), PlannedMove(1, "t", 1, "/a", "/b", 5, destination=2)),
    (),
)
RUN = BalanceRun('{"spindle": {}}', RunOptions(2, 3, 1000), 17.5, WAVES, 1)
ENDED: RunEnd = {"complete": True, "done": 1, "failed": [], "at": 20.0}


def test_a_run_is_read_back_as_it_was_until_it_is_over(tmp_path: Path) -> None:
    journal = RunJournal("c1", tmp_path)
    assert (journal.read(), journal.last()) == (None, None)
    assert not journal.is_held()
    journal.lock()
    journal.write(RUN)
    assert RunJournal("c1", tmp_path).read() == RUN
    assert RunJournal("c2", tmp_path).read() is None, "another cluster's"
    journal.end(RUN, ENDED)
    assert journal.read() is None
    last = journal.last()
    assert last is not None
    assert last.ended == ENDED
    assert last.waves == WAVES


@pytest.mark.spec("P-07")
def test_a_power_cut_leaves_the_run_as_it_was_or_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of the new file is on the medium before it takes the old one's place."""
    journal = RunJournal("c", tmp_path)
    journal.lock()
    journal.write(RUN)
    synced: list[tuple[object, BalanceRun | None]] = []

    def sync(fd: int) -> None:
        fresh = json.loads(Path(f"/proc/self/fd/{fd}").read_text(encoding="utf-8"))
        synced.append((fresh["replanned"], journal.read()))

    monkeypatch.setattr(os, "fsync", sync)
    journal.write(replace(RUN, replanned=7))
    assert synced == [(7, RUN)]
    assert journal.read() == replace(RUN, replanned=7)


@pytest.mark.spec("P-07")
def test_one_process_at_a_time_and_the_next_after_a_killed_one_may_go_on(tmp_path: Path) -> None:
    first, second = RunJournal("c", tmp_path), RunJournal("c", tmp_path)
    first.lock()
    first.write(RUN)
    assert second.is_held()
    with pytest.raises(Unusable, match="by another process; follow it with"):
        second.lock()
    first.unlock()  # As the end of its process does.
    assert not second.is_held()
    second.lock()
    assert second.read() == RUN


@pytest.mark.spec("P-07")
@pytest.mark.parametrize("text", [None, RUN.plan])
def test_a_run_goes_on_with_its_own_options_but_for_what_is_asked(text: str | None) -> None:
    assert chosen(RUN, text, GivenOptions()) == RUN
    slower = chosen(RUN, text, GivenOptions(throttle=500))
    assert slower.options == RunOptions(2, 3, 500)
    freed = chosen(RUN, text, GivenOptions(moves_per_broker=0, disk_rate=7))
    assert freed.options == RunOptions(2, 0, 1000, 7)
    assert freed.waves == RUN.waves


def test_a_new_run_has_the_options_of_its_plan_but_for_what_is_asked() -> None:
    asked = PlanRequest(limits=WaveLimits(4, 5), pace=CopyRates(600, 70))
    plan = json.dumps(document(ClusterProposal((), (), 0, (), (), wanted=asked)))
    assert chosen(None, plan, GivenOptions()).options == RunOptions(4, 5, 600, 70)
    assert chosen(None, plan, GivenOptions(moves_per_disk=1)).options == RunOptions(1, 5, 600, 70)
    with pytest.raises(Unusable, match="name a plan file"):
        chosen(None, None, GivenOptions(throttle=1))


def test_records_of_old_runs_end_somewhere(tmp_path: Path) -> None:
    journal = RunJournal("c", tmp_path)
    journal.lock()
    for number in range(KEPT + 3):
        run = BalanceRun("{}", RunOptions(), 1000.0 + number, ())
        journal.write(run)
        journal.end(run, ENDED)
    assert len(list(journal.folder.glob("over-*.json"))) == KEPT
    last = journal.last()
    assert last is not None
    assert last.began == 1000.0 + KEPT + 2


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"plan": 1}'])
def test_what_cannot_be_read_is_no_run(tmp_path: Path, text: str) -> None:
    journal = RunJournal("c", tmp_path)
    journal.lock()
    (journal.folder / "run.json").write_text(text)
    assert journal.read() is None


def test_a_place_that_cannot_be_used_is_named_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unusable, match="SPINDLE_STATE_DIR"):
        RunJournal("c", tmp_path / "file").lock()
