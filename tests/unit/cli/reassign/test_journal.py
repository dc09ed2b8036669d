"""What throttles were before, kept for the case that a run is killed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from spindle.cli.reassign.reassign_journal import ChangedSetting, Journal, Note, state_directory
from spindle.cli.reassign.reassignment_plan import ReassignmentPlan
from spindle.client.results import Replica, Resource, ResourceType
from spindle.model.errors import Unusable
from spindle.model.ids import TopicPartition

A, B = TopicPartition("a", 0), TopicPartition("b", 0)
ONE = ReassignmentPlan({A: (1, 2)}, {Replica("a", 0, 1): "/d1"})
OTHER = ReassignmentPlan({B: (2,)})
BROKER = Resource(ResourceType.BROKER, "1")


def rate(before: str | None, ours: str) -> ChangedSetting:
    return ChangedSetting(BROKER, "rate", before, ours)


def test_a_plan_is_left_behind_once_its_run_has_ended(tmp_path: Path) -> None:
    running = Journal("c", tmp_path)
    running.write(ONE, [rate(None, "5")])
    assert Journal("c", tmp_path).left_behind() == []
    with pytest.raises(Unusable, match="executed by another process"):
        Journal("c", tmp_path).write(ONE, [rate(None, "6")])
    del running
    assert Journal("c", tmp_path).left_behind() == [Note(ONE, (rate(None, "5"),))]
    assert Journal("another", tmp_path).left_behind() == []


def test_a_second_run_does_not_take_the_first_ones_throttle_for_what_was(tmp_path: Path) -> None:
    Journal("c", tmp_path).write(ONE, [rate("9", "5")])
    Journal("c", tmp_path).write(ONE, [rate("5", "7")])
    assert Journal("c", tmp_path).of(ONE) == Note(ONE, (rate("9", "7"),))


def test_a_power_cut_leaves_the_note_as_it_was_or_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of the new file is on the medium before it takes the old one's place."""
    journal = Journal("c", tmp_path)
    journal.write(ONE, [rate("9", "5")])
    synced: list[tuple[object, Note | None]] = []

    def sync(fd: int) -> None:
        fresh = json.loads(Path(f"/proc/self/fd/{fd}").read_text(encoding="utf-8"))
        synced.append((fresh["settings"][0][-1], journal.of(ONE)))

    monkeypatch.setattr(os, "fsync", sync)
    journal.write(ONE, [rate("5", "7")])
    assert synced == [("7", Note(ONE, (rate("9", "5"),)))]
    assert journal.of(ONE) == Note(ONE, (rate("9", "7"),))


def test_what_is_put_back_is_not_what_another_plan_had_set(tmp_path: Path) -> None:
    Journal("c", tmp_path).write(ONE, [rate("9", "5")])
    Journal("c", tmp_path).write(OTHER, [rate("5", "7")])
    Journal("c", tmp_path).keep(ONE, ())
    assert Journal("c", tmp_path).of(ONE) is None
    assert Journal("c", tmp_path).left_behind() == [Note(OTHER, (rate("9", "7"),))]


def test_what_cannot_be_put_back_yet_is_kept(tmp_path: Path) -> None:
    away = ChangedSetting(Resource(ResourceType.BROKER, "2"), "rate", None, "5")
    Journal("c", tmp_path).write(ONE, [rate(None, "5"), away])
    Journal("c", tmp_path).keep(ONE, [away])
    assert Journal("c", tmp_path).of(ONE) == Note(ONE, (away,))


def test_files_that_are_no_notes_are_passed_over(tmp_path: Path) -> None:
    journal = Journal("c", tmp_path)
    journal.folder.mkdir(parents=True)
    for number, text in enumerate(("", "{", "[]", '{"plan":{},"settings":[]}')):
        (journal.folder / f"{number}.json").write_text(text)
    assert journal.left_behind() == []


def test_the_state_directory_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPINDLE_STATE_DIR", "/s")
    assert state_directory() == Path("/s")
    monkeypatch.delenv("SPINDLE_STATE_DIR")
    monkeypatch.setenv("XDG_STATE_HOME", "/x")
    assert state_directory() == Path("/x/spindle")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/h")
    assert state_directory() == Path("/h/.local/state/spindle")
