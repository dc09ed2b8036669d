"""The pace of a move: at rest, beside clients, and where they feel it."""

from __future__ import annotations

import pytest
from tests.support.logdirs_world import World, pid
from tests.support.moving import fill, moved, next_step, started

from spindle.core.logdirs.move import LogDirMoveState
from spindle.core.logdirs.pacing import pace_of
from spindle.model.copying_jobs import FULL_PACE


@pytest.mark.spec("B-10")
def test_a_move_gives_way_to_producers() -> None:
    world = started(
        replica_alter_log_dirs_io_max_bytes_per_second="1000", log_dir_move_busy_share="0.4"
    )
    fill(world, 60)
    world.wait(2)
    world.alter("/d2", "t")
    assert next_step(world).pace == FULL_PACE
    world.produce("t", b"somebody writes")
    assert next_step(world).pace == pace_of(0.4)
    figures = {s.name: s.value for s in world.logs.moves.under_way.statistics()}
    assert figures["kafka_server_alterlogdirsreplication_moveshare"] == 0.4
    world.wait(2)
    assert next_step(world).pace == FULL_PACE
    world.broker.settings.set_dynamic({"log.dir.move.busy.share": "0.6"})
    world.produce("t", b"and again")
    assert next_step(world).pace == pace_of(0.6)
    world.until(moved(world))


@pytest.mark.spec("B-32")
def test_a_move_that_clients_feel_is_slower_and_tells_where_it_cannot_be() -> None:
    world = started(
        replica_alter_log_dirs_io_max_bytes_per_second="1000", log_dir_move_busy_share="0.05"
    )
    world.create_topic("talk")
    fill(world, 200)
    for _ in range(50):
        world.produce("talk", b"what they are used to")
        world.wait(0.01)
    world.alter("/d2", "t")
    shares: list[float] = []
    while len(shares) < 40 and not is_reported(world):
        shares.append(next_step(world).pace.share)
        world.logs.moves.tools.pacing.begin(("/d1", "/d2"), world.now, True)
        for _ in range(100):
            world.now += 0.003
            world.logs.moves.tools.pacing.on_append("/d1", world.now - 1, world.now)
        world.logs.moves.tools.pacing.end(("/d1", "/d2"), world.now, True)
        world.produce("talk", b"more")
    assert shares == sorted(shares, reverse=True)
    assert is_reported(world)
    world.until(moved(world))


def is_reported(world: World) -> bool:
    return any(event == "clients feel a move" for _, event, _ in world.said)


@pytest.mark.spec("B-10")
def test_a_move_that_is_about_to_swap_hurries() -> None:
    world = started(log_dir_move_busy_share="0.05")
    fill(world, 20)
    world.controller.commits = False
    world.alter("/d2", "t")
    world.until(lambda: is_assigning(world))
    for _ in range(3):
        world.produce("t", b"more")
        assert next_step(world).pace == pace_of(1.0)
    world.controller.commits = True
    world.assign("t", world.id_of("/d2"))
    world.until(moved(world))


def is_assigning(world: World) -> bool:
    move = world.logs.moves.under_way.of(pid("t"))
    return move is not None and move.state is LogDirMoveState.ASSIGNING
