"""Disks that die, hang, fill up, and replicas that fail alone."""

from __future__ import annotations

import errno

import pytest
from tests.support.logdirs_world import World, pid
from tests.support.moving import fill, started

from spindle.model.errors import DiskFailed, LogFailed, PeerFailed
from spindle.model.ids import LOST
from spindle.node.logdirs.placement_registry import Stage


def spread(directories: int = 2, partitions: int = 4) -> World:
    """A topic with a partition or more in each directory."""
    world = started(directories, partitions)
    assert {p.directory for p in world.logs.places.all.values()} == set(world.paths)
    return world


def served(world: World) -> set[str | None]:
    return {
        p.directory
        for p in world.logs.places.all.values()
        if world.replicas.partitions.bounds(p.id) is not None
    }


@pytest.mark.spec("K858-10")
def test_a_dead_disk_takes_its_own_replicas_only() -> None:
    world = spread()
    world.fail_now("/d1")
    assert served(world) == {"/d2"}
    assert world.lifecycle.failed == [world.directory_id(0)]
    assert world.halted is None
    assert world.logs.offline_replicas == 2
    # The heartbeat says it all: no request lists the partitions.
    world.wait(1)
    assert all(d != LOST for _, d in world.controller.told)


@pytest.mark.spec("K858-10")
def test_it_is_decided_once() -> None:
    world = spread()
    for _ in range(3):
        world.fail_now("/d1")
    assert world.lifecycle.failed == [world.directory_id(0)]


@pytest.mark.spec("B-13")
def test_an_idle_dead_disk_is_noticed() -> None:
    world = spread()
    world.bad("/d1")
    world.wait(1.1)
    assert world.lifecycle.failed == [world.directory_id(0)]
    assert served(world) == {"/d2"}


@pytest.mark.spec("B-13")
def test_a_hung_disk_is_noticed_and_does_not_stall_the_others() -> None:
    world = spread()
    world.hung = {"/d1"}
    values = fill(world, 3, partition=_in(world, "/d2"))
    assert world.values("t", _in(world, "/d2")) == values
    world.wait(15)
    assert world.lifecycle.failed == []
    world.wait(8)
    assert world.lifecycle.failed == [world.directory_id(0)]
    assert served(world) == {"/d2"}
    # It comes to itself, and does not serve before it was looked at.
    world.hung.clear()
    world.wait(0.5)
    assert served(world) == {"/d2"}


def _in(world: World, path: str) -> int:
    places = world.logs.places.all.values()
    return next(p.name.partition for p in places if p.directory == path)


@pytest.mark.spec("K858-11")
def test_the_last_directory_lost_the_node_stops_and_says_why() -> None:
    world = spread()
    world.fail_now("/d1")
    assert world.halted is None
    world.fail_now("/d2")
    assert world.halted is not None
    assert "/d2" in world.halted


@pytest.mark.spec("K858-11")
def test_the_metadata_directory_lost_the_node_stops() -> None:
    world = spread()
    world.logs.on_disk_failed(DiskFailed("/meta", "write", errno.EIO))
    world.step()
    assert world.halted is not None
    assert "metadata" in world.halted


def test_a_directory_that_dies_while_a_replica_is_made_there() -> None:
    world = World(2)
    world.open()
    world.disk.fail("/d1", errno.EIO, "make_dir")
    world.create_topic("t", directory=world.directory_id(0))
    world.wait(1)
    assert world.place("t").directory == "/d2"
    assert world.place("t").stage is Stage.READY
    assert world.assigned("t") == world.directory_id(1)


@pytest.mark.spec("K858-17", "K858-20")
def test_an_assignment_queued_into_a_directory_that_dies_becomes_lost() -> None:
    world = started(3)
    world.controller.answers = False
    world.create_topic("u")
    world.wait(0.5)
    path = world.place("u").directory
    assert path is not None
    ((_, then),) = world.controller.asked
    world.controller.asked.clear()
    world.fail_now(path)
    then(PeerFailed("cut"))
    world.controller.answers = True
    world.wait(2)
    assert world.assigned("u") == LOST


@pytest.mark.spec("K589-02", "K589-05")
def test_one_bad_log_on_a_good_disk_costs_that_replica_alone() -> None:
    world = spread()
    number = _in(world, "/d1")
    hosted = world.replicas.partitions.hosted[pid("t", number)]
    world.replicas.changes.on_failure(hosted, LogFailed("/d1", f"t-{number}", "a batch is corrupt"))
    world.wait(1)
    assert world.replicas.partitions.bounds(pid("t", number)) is None
    assert served(world) == {"/d1", "/d2"}
    assert world.assigned("t", number) == LOST
    assert world.lifecycle.failed == []
    # No other broker has the partition: nothing is thrown away.
    world.wait(10)
    assert f"t-{number}" in world.names("/d1")


@pytest.mark.spec("K589-04", "B-28")
def test_a_bad_replica_is_set_aside_and_fetched_again_when_no_broker_counts_on_it() -> None:
    world = World(2)
    world.open()
    world.create_topic("t", leader=2)
    world.wait(1)
    hosted = world.replicas.partitions.hosted[pid("t")]
    path = hosted.directory
    world.replicas.changes.on_failure(hosted, LogFailed(path, "t-0", "a batch is corrupt"))
    world.wait(5)
    assert world.assigned("t") == LOST
    assert world.place("t").stage is Stage.OFFLINE
    world.change("t", isr=(2,))
    world.wait(2)
    assert world.place("t").stage is Stage.READY
    assert world.assigned("t") == world.id_of(path)
    assert world.kinds(path) == ["t-0", "t-0.-stray"]


@pytest.mark.spec("B-12", "B-19")
def test_a_full_disk_is_cordoned_and_comes_back_by_itself() -> None:
    world = spread()
    world.disk.capacity["/d1"] = 3000
    world.logs.on_disk_failed(DiskFailed("/d1", "write", errno.ENOSPC))
    world.step()
    assert served(world) == {"/d1", "/d2"}
    assert world.lifecycle.failed == []
    assert world.lifecycle.cordoned == (world.directory_id(0),)
    assert world.describe()["/d1"].is_cordoned
    world.create_topic("u", 2)
    world.wait(0.5)
    assert {world.place("u", p).directory for p in range(2)} == {"/d2"}
    world.disk.heal("/d1")
    world.wait(2)
    assert world.lifecycle.cordoned == ()


@pytest.mark.spec("B-12")
def test_what_could_not_be_made_on_a_full_disk_is_made_when_there_is_room() -> None:
    world = World(1)
    world.open()
    world.disk.capacity["/d1"] = 10
    world.create_topic("t")
    world.wait(0.5)
    assert world.place("t").stage is Stage.OFFLINE
    assert world.halted is None
    world.disk.heal("/d1")
    world.wait(3)
    assert world.place("t").stage is Stage.READY
    assert world.replicas.partitions.bounds(pid("t")) == (0, 0, 0)


@pytest.mark.spec("B-13")
def test_a_process_that_was_frozen_does_not_blame_its_disks() -> None:
    world = World(2, {"log.dir.io.timeout.ms": "20000"})
    world.open()
    world.hung.add("/d1")
    world.wait(12)
    world.now += 300  # SIGSTOP: no thread ran, the disk's thread neither.
    world.wait(5)
    assert world.logs.offline == set()
    world.now += 300
    world.wait(0)
    assert world.logs.offline == set()
    # The time that it was awake counts: this disk does hang.
    world.wait(10)
    assert world.logs.offline == {"/d1"}


@pytest.mark.spec("B-15")
def test_a_copy_that_cannot_be_loaded_is_not_in_the_way_of_the_next_move() -> None:
    world = started()
    values = fill(world, 20)
    world.controller.commits = False
    world.alter("/d2", "t")
    world.wait(1)
    world.kill()
    (future,) = world.names("/d2")
    world.disk.fail(f"/d2/{future}/", errno.EIO, "read")
    world.controller.commits = True
    world.open()
    world.disk.heal(f"/d2/{future}/")
    world.wait(8)
    assert world.place("t").directory == "/d1"
    assert world.kinds("/d2") == ["t-0.-stray"]
    world.alter("/d2", "t")
    world.wait(8)
    assert world.place("t").directory == "/d2"
    assert world.values("t") == values
