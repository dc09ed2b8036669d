"""Remembered directory remembered: bound, limited in time and number."""

from __future__ import annotations

import uuid

import pytest

from spindle.core.logdirs import placement as module
from spindle.core.logdirs.placement import LIFETIME_MS, RememberedDirectories
from spindle.model.ids import TopicPartition

NAME = TopicPartition("t", 0)
OLD, NEW = uuid.UUID(int=501), uuid.UUID(int=502)


@pytest.mark.spec("K113-10", "B-09")
def test_a_directory_remembered_for_an_unknown_topic_is_for_whichever_comes() -> None:
    remembered = RememberedDirectories()
    remembered.remember(NAME, "/d1", None, 0)
    assert remembered.of(NAME, NEW, 1) == "/d1"


@pytest.mark.spec("B-09")
def test_a_directory_remembered_for_a_known_topic_is_not_for_its_namesake() -> None:
    remembered = RememberedDirectories()
    remembered.remember(NAME, "/d1", OLD, 0)
    assert remembered.of(NAME, OLD, 1) == "/d1"
    assert remembered.of(NAME, NEW, 1) is None
    assert len(remembered) == 0


@pytest.mark.spec("B-09")
def test_a_remembered_directory_expires() -> None:
    remembered = RememberedDirectories()
    remembered.remember(NAME, "/d1", OLD, 0)
    assert remembered.of(NAME, OLD, LIFETIME_MS - 1) == "/d1"
    assert remembered.of(NAME, OLD, LIFETIME_MS) is None


def test_the_newest_counts_and_the_oldest_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ENTRIES_MAX", 2)
    remembered = RememberedDirectories()
    remembered.remember(TopicPartition("t", 0), "/d1", None, 0)
    remembered.remember(TopicPartition("t", 1), "/d1", None, 0)
    remembered.remember(TopicPartition("t", 0), "/d2", None, 0)
    remembered.remember(TopicPartition("t", 2), "/d2", None, 0)
    assert len(remembered) == 2
    assert remembered.of(TopicPartition("t", 1), NEW, 1) is None
    assert remembered.of(TopicPartition("t", 0), NEW, 1) == "/d2"
    remembered.forget(TopicPartition("t", 0))
    assert remembered.of(TopicPartition("t", 0), NEW, 1) is None
