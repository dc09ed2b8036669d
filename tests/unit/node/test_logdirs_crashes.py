"""The process is killed, or the power cut, at any point of a move (K113-19)."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from tests.support.logdirs_world import World, pid
from tests.support.moving import fill, is_a, moved, started

from spindle.model import metadata_records as r
from spindle.model.jobs import (
    Discard,
    Flush,
    Job,
    Promote,
)


def _in_a_move(world: World) -> list[bytes]:
    values = fill(world, 25)
    world.alter("/d2", "t")
    return values


def _ends_well(world: World, values: list[bytes]) -> None:
    """All that had been written is served, from one directory, and the metadata says which."""
    world.wait(1)
    world.until(lambda: not list(world.logs.moves.under_way.all()))
    world.wait(8)
    assert world.lifecycle.is_ready
    place = world.place("t")
    assert place.directory is not None
    assert world.values("t")[: len(values)] == values
    assert world.assigned("t") == world.id_of(place.directory)
    left = sorted(world.names("/d1") + world.names("/d2"))
    assert left == ["t-0"]
    world.produce("t", b"after")
    world.step()
    assert world.values("t")[-1] == b"after"


def _jobs_of_a_move() -> int:
    world = started()
    _in_a_move(world)
    count = 0

    def tick(job: Job[Any]) -> bool:
        nonlocal count
        count += 1
        return False

    world.stop_before = tick
    world.until(moved(world))
    return count


@pytest.mark.spec("K113-15", "K113-16", "K113-18", "K113-19", "B-02", "B-04")
def test_killed_before_any_job_of_a_move_all_is_there_afterwards() -> None:
    total = _jobs_of_a_move()
    assert total > 10
    for number in range(total):
        world = started()
        values = _in_a_move(world)
        seen = 0

        def at(job: Job[Any], number: int = number) -> bool:
            nonlocal seen
            seen += 1
            return seen > number

        world.run_until_job(at)
        world.restart()
        _ends_well(world, values)


@pytest.mark.spec("B-21", "K113-19")
@pytest.mark.parametrize("seed", range(5))
def test_power_cut_in_the_swap_what_was_synced_is_there(seed: int) -> None:
    for kind in (Discard, Promote):
        world = started()
        values = _in_a_move(world)
        hosted = world.replicas.partitions.hosted[pid("t")]
        hosted.jobs.run(partial(Flush, key=hosted.key), lambda _: None)
        world.run_until_job(is_a(kind))
        world.power_cut(seed)
        world.open()
        _ends_well(world, values)


@pytest.mark.spec("K113-15")
def test_restart_goes_on_from_what_was_copied() -> None:
    world = started(replica_alter_log_dirs_io_max_bytes_per_second="300")
    values = fill(world, 60)
    world.alter("/d2", "t")
    world.wait(5)
    move = world.logs.moves.under_way.of(pid("t"))
    assert move is not None
    before = move.end
    assert 0 < before < 60
    world.restart()
    world.wait(0.05)
    again = world.logs.moves.under_way.of(pid("t"))
    assert again is not None
    assert again.end >= before
    world.until(moved(world), limit=200)
    assert world.values("t") == values
    assert world.logs.moves.tools.figures.copied_bytes < 60 * 80


@pytest.mark.spec("K858-12", "B-02")
def test_restart_with_metadata_at_the_target_copies_the_rest_first() -> None:
    # What 4.3 does here loses the difference: the future log is behind, but already assigned.
    world = started(replica_alter_log_dirs_io_max_bytes_per_second="300")
    values = fill(world, 60)
    world.alter("/d2", "t")
    world.wait(5)
    world.kill()
    state = world.image.partition(pid("t"))
    assert state is not None
    world.image.apply(
        r.PartitionChange(
            partition_id=0, topic_id=pid("t").topic_id, directories=(world.directory_id(1),)
        )
    )
    world.image.take_delta()
    world.open()
    world.until(moved(world), limit=200)
    assert world.values("t") == values
    # Meanwhile the metadata named the directory that had the records.
    assert [d for _, d in world.controller.told[-2:]] == [
        world.directory_id(0),
        world.directory_id(1),
    ]
