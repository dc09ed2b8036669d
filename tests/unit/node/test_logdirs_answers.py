"""When AlterReplicaLogDirs is answered: an order that was answered outlives a kill."""

from __future__ import annotations

import pytest
from tests.support.logdirs_world import World, pid, topic_id
from tests.support.moving import fill, is_a, moved, started

from spindle.core.logdirs.move import LogDirMoveState
from spindle.model import metadata_records as r
from spindle.model.copying_jobs import CopyBytes
from spindle.model.errors import Error
from spindle.model.jobs import CreateLog, Discard

pytestmark = pytest.mark.spec("K113-01")


def test_not_before_the_future_log_stands() -> None:
    world = _before_it_is_made()
    answer = world.order("/d2", "t")
    world.run_until_job(is_a(CreateLog))
    assert answer() is None
    assert "t-0.-future" not in world.kinds("/d2")
    world.resume()
    while answer() is None:
        assert world._work() or world._take_orders()
    assert answer() == [Error.NONE]
    assert "t-0.-future" in world.kinds("/d2")


@pytest.mark.spec("K113-15", "K113-19")
def test_killed_once_it_was_answered_it_moves_all_the_same() -> None:
    world = _before_it_is_made()
    assert world.alter("/d2", "t") == [Error.NONE]
    world.restart()
    world.until(moved(world))


def test_answered_once_all_of_a_request_stand() -> None:
    world = started(3, partitions=2)
    both = world.order("/d3", "t", 0, 1)
    seen = []

    def second(job: object) -> bool:
        if isinstance(job, CreateLog):
            seen.append(job)
        return len(seen) > 1

    world.run_until_job(second)
    assert both() is None
    world.resume()
    world.step()
    assert both() == [Error.NONE, Error.NONE]


def test_a_request_for_nothing_is_answered() -> None:
    assert started().alter_dirs(()) == []


@pytest.mark.spec("K113-08")
def test_cancelled_before_it_stands() -> None:
    world = _before_it_is_made()
    first = world.order("/d2", "t")
    second = world.order("/d1", "t")
    assert (first(), second()) == ([Error.NONE], None)
    world.until(lambda: second() is not None)
    assert second() == [Error.NONE]
    assert "t-0.-future" not in world.kinds("/d2")


@pytest.mark.spec("K113-08", "K113-15")
def test_killed_once_a_cancel_was_answered_it_stays() -> None:
    world = _before_it_is_made()
    world.alter("/d2", "t")
    world.run_until_job(is_a(CopyBytes))
    world.resume()
    assert world.alter("/d1", "t") == [Error.NONE]
    world.restart()
    world.wait(10)
    assert world.place("t").directory == "/d1"
    assert world.logs.moves.under_way.of(pid("t")) is None


@pytest.mark.spec("K113-09")
def test_redirected_before_it_stands() -> None:
    world = _before_it_is_made(directories=3)
    first = world.order("/d2", "t")
    second = world.order("/d3", "t")
    again = world.order("/d3", "t")
    assert (first(), second(), again()) == ([Error.NONE], None, None)
    world.until(lambda: again() is not None)
    assert (second(), again()) == ([Error.NONE], [Error.NONE])
    world.until(moved(world, to="/d3"))


@pytest.mark.spec("K113-09")
def test_redirected_in_the_swap_it_stands_after_it() -> None:
    world = _before_it_is_made(directories=3)
    world.alter("/d2", "t")
    world.run_until_job(is_a(Discard))
    move = world.logs.moves.under_way.of(pid("t"))
    assert move is not None
    assert move.state is LogDirMoveState.DISCARDING
    answer = world.order("/d3", "t")
    assert answer() is None
    world.resume()
    world.until(lambda: answer() is not None)
    assert answer() == [Error.NONE]
    assert world.place("t").directory == "/d2"
    assert "t-0.-future" in world.kinds("/d3")


@pytest.mark.spec("K113-12")
@pytest.mark.parametrize("dead", ["/d1", "/d2"])
def test_a_disk_dies_before_it_stands(dead: str) -> None:
    world = _before_it_is_made()
    answer = world.order("/d2", "t")
    world.fail_now(dead)
    assert answer() == [Error.KAFKA_STORAGE_ERROR]


@pytest.mark.spec("K113-14")
def test_deleted_before_it_stands() -> None:
    world = _before_it_is_made()
    answer = world.order("/d2", "t")
    world.apply(r.RemoveTopic(topic_id=topic_id("t")))
    world.step()
    assert answer() == [Error.KAFKA_STORAGE_ERROR]


def _before_it_is_made(directories: int = 2) -> World:
    world = started(directories)
    fill(world, 30)
    return world
