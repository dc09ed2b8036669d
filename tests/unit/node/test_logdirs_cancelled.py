"""Moves that are cancelled, at any time: what was copied goes, nothing else does (K113-08)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.logdirs_world import pid
from tests.support.moving import fill, is_a, moved, started

from spindle.model.copying_jobs import AdoptCopied, CopyBytes, PlanCopy
from spindle.model.errors import PeerFailed
from spindle.model.jobs import CreateLog, Flush, Job, Promote


@pytest.mark.spec("K113-08")
@pytest.mark.parametrize("when", [CreateLog, PlanCopy, CopyBytes, AdoptCopied, Flush])
@pytest.mark.parametrize("grace", [0, 3000, 60_000])
def test_cancelled_at_any_time_nothing_is_left_behind(when: type[Job[Any]], grace: int) -> None:
    world = started(log_dir_move_keep_ms=str(grace))
    values = fill(world, 30)
    world.controller.told.clear()
    world.order("/d2", "t")
    world.run_until_job(is_a(when))
    world.resume()
    assert world.alter("/d1", "t") == [0]
    world.wait(10)
    assert world.logs.moves.under_way.of(pid("t")) is None
    # No request shows it any more; what it has copied goes after the delay, or after the grace.
    assert all(kind == "t-0.-delete" for kind in world.kinds("/d2"))
    assert not any(d.topics for path, d in world.describe().items() if path == "/d2")
    assert world.names("/d2") == [] or grace > 10_000
    world.wait(60)
    assert world.names("/d2") == []
    assert world.place("t").directory == "/d1"
    assert world.assigned("t") == world.id_of("/d1")
    world.produce("t", b"after")
    world.step()
    assert world.values("t") == [*values, b"after"]


@pytest.mark.spec("K113-08", "K858-16")
def test_cancelled_after_the_report_to_the_controller_is_reported_back() -> None:
    world = started()
    fill(world, 5)
    world.controller.commits = False
    world.alter("/d2", "t")
    world.until(lambda: len(world.controller.told) == 2)
    world.controller.told.clear()
    world.assign("t", world.id_of("/d1"))
    world.controller.commits = True
    # The commit of the new directory comes just after the cancel.
    assert world.alter("/d1", "t") == [0]
    world.assign("t", world.id_of("/d2"))
    world.wait(1)
    assert world.assigned("t") == world.id_of("/d1")
    assert world.controller.told == [(pid("t"), world.id_of("/d1"))]


@pytest.mark.spec("K113-08", "K858-16")
@pytest.mark.parametrize("is_asked_again", [False, True])
def test_cancelled_while_the_controller_hears_of_it_the_copy_waits_for_what_comes_of_that(
    is_asked_again: bool,
) -> None:
    world = started()
    values = fill(world, 5)
    world.controller.told.clear()
    world.controller.answers = False
    world.alter("/d2", "t")
    world.until(lambda: len(world.controller.asked) == 1)
    assert world.alter("/d1", "t") == [0]
    if is_asked_again:
        assert world.alter("/d2", "t") == [0]
    world.wait(5)
    # Whether the controller heard of /d2 is open: it may come to name it, so the copy stays there.
    assert world.kinds("/d2") == ["t-0.-future"]
    world.controller.asked.pop()[1](PeerFailed("the connection broke"))
    world.controller.answers = True
    there, back = (pid("t"), world.id_of("/d2")), (pid("t"), world.id_of("/d1"))
    told = [there, back, there] if is_asked_again else [there, back]
    world.until(lambda: world.controller.told == told)
    if is_asked_again:
        world.until(moved(world))
    else:
        world.until(lambda: world.kinds("/d2") == ["t-0.-delete"])
    assert world.values("t") == values


@pytest.mark.spec("K113-12", "K858-16")
def test_the_target_dies_while_the_controller_hears_of_a_cancelled_move() -> None:
    world = started(3)
    fill(world, 5)
    world.controller.answers = False
    world.alter("/d2", "t")
    world.until(lambda: len(world.controller.asked) == 1)
    world.controller.told.clear()
    assert world.alter("/d1", "t") == [0]
    world.bad("/d2")
    world.fail_now("/d2")
    world.controller.asked.pop()[1](PeerFailed("the connection broke"))
    world.controller.answers = True
    world.wait(20)
    assert world.controller.told == []
    assert world.assigned("t") == world.id_of("/d1")
    world.alter("/d3", "t")
    world.until(moved(world, to="/d3"))


@pytest.mark.spec("K113-08")
def test_cancelled_while_it_waits_for_the_throttle() -> None:
    world = started(log_dir_move_keep_ms="0", replica_alter_log_dirs_io_max_bytes_per_second="100")
    fill(world, 30)
    world.alter("/d2", "t")
    world.wait(1)
    move = world.logs.moves.under_way.of(pid("t"))
    assert move is not None
    assert move.size > 0
    assert world.alter("/d1", "t") == [0]
    world.wait(10)
    assert world.names("/d2") == []


@pytest.mark.spec("K113-08", "K113-09")
def test_cancelled_in_the_middle_of_the_swap_it_moves_back() -> None:
    world = started()
    values = fill(world, 5)
    world.alter("/d2", "t")
    world.run_until_job(is_a(Promote))
    world.resume()
    assert world.alter("/d1", "t") == [0]
    world.until(
        lambda: world.place("t").directory == "/d1" and not list(world.logs.moves.under_way.all())
    )
    world.wait(1)
    assert world.values("t") == values
    assert world.assigned("t") == world.id_of("/d1")
