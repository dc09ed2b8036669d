"""The events of the log directories: which parts hear of each, in which order, and when."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import pytest
from tests.support.logdirs_world import World, pid

from spindle.core.logdirs import events as e
from spindle.model.errors import DiskFailed
from spindle.node.logdirs import log_dir_manager
from spindle.node.logdirs.log_dir_manager import CONSEQUENCES, LogDirManager
from spindle.node.logdirs.placement_registry import Stage

OF_A_FAILED_DIRECTORY = [
    "forget figures",
    "halt without directories",
    "tell controller",
    "abandon jobs",
    "forget pace",
    "tell cordoned",
    "note log ends",
    "fail partitions",
    "tell listeners",
    "fail replicas",
    "forget contents",
    "end moves",
    "tell of all replicas",
    "rebuild replicas",
]
"""A part that must not serve on hears before the consequences are drawn, the moves before the node
reports where replicas are; how far the logs had come is noted while that is still known."""


def test_every_event_has_consequences() -> None:
    assert set(get_args(e.LogDirEvent)) == CONSEQUENCES.keys()
    assert all(CONSEQUENCES.values())


@pytest.mark.spec("K858-10")
def test_a_failed_directory_has_its_consequences_in_this_order() -> None:
    named = [what for what, _ in CONSEQUENCES[e.DirectoryFailed]]
    assert named == OF_A_FAILED_DIRECTORY


def test_an_event_is_delivered_before_post_returns_and_one_that_comes_of_it_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    world.open()
    world.create_topic("t")
    heard: list[str] = []

    def first(logs: LogDirManager, event: e.ReplicaAdded) -> None:
        logs.post(e.ReplicaRemoved(event.id))
        heard.append("first")

    def say(word: str) -> Callable[[LogDirManager, e.LogDirEvent], None]:
        return lambda _logs, _event: heard.append(word)

    table = {
        e.ReplicaAdded: (("one", first), ("two", say("second"))),
        e.ReplicaRemoved: (("three", say("later")),),
    }
    monkeypatch.setattr(log_dir_manager, "CONSEQUENCES", table)
    world.logs.post(e.ReplicaAdded(pid("t")))
    assert heard == ["first", "second", "later"]


def test_all_is_done_when_a_failure_has_been_reported() -> None:
    world = World()
    world.open()
    world.create_topic("t")
    path = world.place("t").directory
    assert path is not None
    told: list[str] = []
    world.logs.directories.listeners.append(told.append)
    world.logs.post(e.LogJobFailed(DiskFailed(path, "writing", 5)))
    assert told == [path]
    assert world.logs.offline == {path}
    assert world.place("t").stage is Stage.OFFLINE
    assert world.replicas.partitions.bounds(pid("t")) is None
