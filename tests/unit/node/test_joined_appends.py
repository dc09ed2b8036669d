"""What comes in one input for one log is one write, and each request has its own answer."""

from __future__ import annotations

import errno
from typing import Any

import pytest
from tests.support.replica_parts import Answer
from tests.support.replica_world import TOPIC, World, everywhere, produced

from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.model.jobs import Append, MeasureUsage


def begun(monkeypatch: pytest.MonkeyPatch) -> tuple[World, Any]:
    """A world with a record, and the leader's log; what is sent to it waits for `world.step`."""
    world = World()
    assert produced(world.produce(1, b"first")).error_code == Error.NONE
    monkeypatch.setattr(world, "step", lambda: None)
    return world, world.nodes[1].replicas.partitions.hosted[PartitionId(TOPIC, 0)]


def newest(world: World) -> list[int]:
    """The offsets of the batches in the append that was asked for last."""
    job = world.nodes[1].out.newest_job
    assert isinstance(job, Append)
    return [batch.base_offset for batch in job.batches]


def offsets(answers: list[Answer]) -> list[int]:
    """Where each of the requests was written."""
    told = [produced(answer) for answer in answers]
    assert {each.error_code for each in told} == {Error.NONE}
    return [each.base_offset for each in told]


def test_what_comes_together_is_one_write(monkeypatch: pytest.MonkeyPatch) -> None:
    world, _ = begun(monkeypatch)
    answers = [world.produce(1, b"%d" % n) for n in range(3)]
    assert newest(world) == [1, 2, 3]
    monkeypatch.undo()
    world.step()
    assert offsets(answers) == [1, 2, 3]
    assert everywhere(world, b"first", b"0", b"1", b"2")


def test_what_has_another_job_between_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    world, hosted = begun(monkeypatch)
    answers = [world.produce(1, b"before")]
    world.nodes[1].out.run(MeasureUsage(hosted.directory), lambda usage: None)
    answers.append(world.produce(1, b"behind"))
    assert newest(world) == [2]
    monkeypatch.undo()
    world.step()
    assert offsets(answers) == [1, 2]


def test_what_comes_while_a_log_is_frozen_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    world, hosted = begun(monkeypatch)
    answers = [world.produce(1, b"before")]
    hosted.jobs.freeze(lambda: None)
    answers.append(world.produce(1, b"behind"))
    assert newest(world) == [1]
    monkeypatch.undo()
    world.step()
    assert not answers[1].there
    hosted.jobs.thaw(hosted.directory)
    world.step()
    assert offsets(answers) == [1, 2]
    assert everywhere(world, b"first", b"before", b"behind")


@pytest.mark.spec("B-12")
def test_b12_where_there_is_no_room_none_of_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    world, _ = begun(monkeypatch)
    node = world.nodes[1]
    answers = [world.produce(1, b"%d" % n) for n in range(3)]
    node.disk.fail("/disk-1/", errno.ENOSPC, "write")
    monkeypatch.undo()
    world.step()
    assert {produced(answer).error_code for answer in answers} == {Error.KAFKA_STORAGE_ERROR}
    node.disk.heal("/disk-1/")
    world.wait(2)
    assert produced(world.produce(1, b"second")).base_offset == 1
    assert everywhere(world, b"first", b"second")
