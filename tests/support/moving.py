"""What tests of moves share: a topic placed in /d1, records in it, and when a move is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spindle.model.copying_jobs import CopyBytes
from spindle.model.jobs import Job
from tests.support.logdirs_world import World, pid


def started(directories: int = 2, partitions: int = 1, **settings: str) -> World:
    """A broker whose topic `t` is placed and known; partition 0 is in /d1."""
    world = World(directories, {k.replace("_", "."): v for k, v in settings.items()})
    world.open()
    world.create_topic("t", partitions, segment_bytes="400")
    world.wait(0.2)
    assert world.place("t").directory == "/d1"
    return world


def fill(world: World, count: int, partition: int = 0) -> list[bytes]:
    """Append some records, one batch and one write each."""
    values = [b"%d" % n for n in range(count)]
    for value in values:
        world.produce("t", value, partition=partition)
        world.step()
    return values


def moved(world: World, partition: int = 0, to: str = "/d2") -> Callable[[], bool]:
    return lambda: (
        world.place("t", partition).directory == to
        and world.logs.moves.under_way.of(pid("t", partition)) is None
    )


def is_a(*kinds: type[Job[Any]]) -> Callable[[Job[Any]], bool]:
    return lambda job: isinstance(job, kinds)


def next_step(world: World) -> CopyBytes:
    """The copying that is about to begin."""
    world.run_until_job(is_a(CopyBytes))
    job = world.stopped_at
    assert isinstance(job, CopyBytes)
    world.resume()
    world.step()
    return job
