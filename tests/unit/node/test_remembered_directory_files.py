"""An order for a replica that is not there yet is answered once it is on disk (K113-10)."""

from __future__ import annotations

import pytest
from tests.support.moving import is_a, started
from tests.support.storage import put

from spindle.model.errors import Error
from spindle.model.jobs import PutFile
from spindle.node.logdirs.placement_registry import REMEMBERED_FILE


@pytest.mark.spec("K113-10")
def test_an_order_is_answered_once_it_is_written() -> None:
    world = started()
    first = world.order("/d2", "later", 0)
    world.run_until_job(is_a(PutFile))
    again = world.order("/d2", "later", 0)  # It changes nothing, and promises as much.
    assert first() is None
    assert again() is None
    world.resume()
    world.wait(0.1)
    told = [int(Error.UNKNOWN_TOPIC_OR_PARTITION)]
    assert first() == told
    assert again() == told


@pytest.mark.spec("K113-10")
def test_remembered_directories_for_several_directories_are_answered_when_all_are_written() -> None:
    world = started()
    answers = [world.order(path, "later", n) for n, path in enumerate(world.paths)]
    world.run_until_job(lambda job: isinstance(job, PutFile) and job.directory == "/d2")
    world._take_orders()  # What followed from the first one's end.
    assert [answer() for answer in answers] == [None, None]
    world.resume()
    world.wait(0.1)
    assert [answer() for answer in answers] == [[int(Error.UNKNOWN_TOPIC_OR_PARTITION)]] * 2


@pytest.mark.spec("K113-10")
def test_the_last_of_several_orders_for_a_replica_outlives_a_restart() -> None:
    """Its directory alone has a file then."""
    world = started()
    for path, other in (("/d2", "/d1"), ("/d1", "/d2"), ("/d2", "/d1")):
        world.order(path, "later", 0)
        world.wait(1)
        assert world.disk.stat(f"{path}/{REMEMBERED_FILE}") is not None
        assert world.disk.stat(f"{other}/{REMEMBERED_FILE}") is None
    world.restart()
    world.create_topic("later")
    world.wait(1)
    assert world.place("later").directory == "/d2"


@pytest.mark.spec("K113-10")
def test_of_two_orders_that_a_crash_has_left_the_later_one_counts() -> None:
    world = started()
    world.order("/d1", "later", 0)
    world.wait(1)
    older = world.disk.contents(f"/d1/{REMEMBERED_FILE}")
    world.order("/d2", "later", 0)
    world.wait(1)
    put(world.disk, f"/d1/{REMEMBERED_FILE}", older or b"")
    world.restart()
    world.create_topic("later")
    world.wait(1)
    assert world.place("later").directory == "/d2"
