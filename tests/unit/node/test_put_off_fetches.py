"""Followers' fetches are put off for a moment while more is being written, and never for longer."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.replica_world import TOPIC, World, everywhere, produced

from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.node.replicas import fetch_purgatory
from spindle.node.replicas.fetch_purgatory import REST


def begun() -> tuple[World, Any]:
    """A world with followers that wait, and the jobs of the leader's log."""
    world = World()
    world.step()
    assert produced(world.produce(1, b"first")).error_code == Error.NONE
    return world, world.nodes[1].replicas.partitions.hosted[PartitionId(TOPIC, 0)].jobs


def test_a_record_alone_is_fetched_at_once() -> None:
    world, _ = begun()
    now = world.now
    assert produced(world.produce(1, b"second")).error_code == Error.NONE
    assert world.now == now


def test_what_is_written_together_is_fetched_together() -> None:
    world, jobs = begun()
    now = world.now
    jobs.writing += 1  # The third one, which is on its way.
    second = world.produce(1, b"second")
    assert not second.there
    jobs.writing -= 1
    third = world.produce(1, b"third")
    assert (produced(second).error_code, produced(third).error_code) == (Error.NONE, Error.NONE)
    assert world.now == now
    assert everywhere(world, b"first", b"second", b"third")


def test_a_write_that_takes_long_holds_back_no_record_before_it() -> None:
    world, jobs = begun()
    jobs.writing += 1
    second = world.produce(1, b"second")
    assert not second.there
    world.wait(REST * 2)
    assert produced(second).error_code == Error.NONE


def test_plenty_is_fetched_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch_purgatory, "PLENTY", 1000)
    world, jobs = begun()
    jobs.writing += 1
    assert produced(world.produce(1, b"x" * 1000)).error_code == Error.NONE
