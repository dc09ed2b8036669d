"""Damaged logs: out of the way before they are fetched again, remembered, kept until a limit."""

from __future__ import annotations

import errno
import uuid
from typing import Any

import pytest
from tests.support.logdirs_world import World, pid
from tests.support.moving import fill, started

from spindle.model.errors import DiskFailed, LogFailed
from spindle.model.ids import LOST
from spindle.model.jobs import Discard, MarkBad
from spindle.model.log_values import LogKey
from spindle.node.logdirs.placement_registry import Stage

THERE = uuid.UUID(int=99_999)


def follower(records: int = 10, **settings: Any) -> World:
    """A replica with records in it that another broker leads, and that no broker counts on."""
    world = started(1, **settings)
    fill(world, records)
    world.change("t", leader=2, replicas=(1, 2), directories=(world.directory_id(0), THERE))
    world.change("t", isr=(2,))
    return world


def damage(world: World, why: str = "bad CRC at 77") -> None:
    hosted = world.replicas.partitions.hosted[pid("t")]
    world.replicas.changes.on_failure(hosted, LogFailed("/d1", "t-0", why))


def end_of(world: World) -> int:
    return world.directories["/d1"].logs[LogKey("t", 0)].end


@pytest.mark.spec("K589-04", "B-28")
@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOSPC])
def test_a_bad_log_that_cannot_be_renamed_away_is_never_given_back_as_good(number: int) -> None:
    world = follower()
    assert end_of(world) == 10
    damage(world)
    fault = world.disk.fail("/d1/t-0", number, "rename")
    world.wait(20)
    assert world.place("t").stage is Stage.OFFLINE
    assert world.place("t").damaged
    assert world.replicas.partitions.bounds(pid("t")) is None
    world.disk.mend(fault)
    world.wait(20)
    assert world.place("t").stage is Stage.READY
    assert end_of(world) == 0
    assert world.kinds("/d1") == ["t-0", "t-0.-stray"]


@pytest.mark.spec("K589-04")
def test_the_new_log_waits_for_the_bad_one_to_be_out_of_the_way() -> None:
    world = follower()
    damage(world)
    world.run_until_job(lambda job: isinstance(job, Discard))
    assert world.place("t").stage is Stage.OFFLINE
    world.change("t", leader=1, isr=(1,))  # Too late to heal: ours is wanted after all.
    world.resume()
    world.wait(1)
    assert world.place("t").stage is Stage.OFFLINE
    world.change("t", leader=2, isr=(2,))
    world.wait(3)
    assert world.place("t").stage is Stage.READY
    assert end_of(world) == 0


@pytest.mark.spec("K589-02", "B-28")
def test_a_bad_log_stays_bad_after_a_restart() -> None:
    world = started(1)
    fill(world, 10)
    damage(world)
    world.wait(1)
    assert world.assigned("t") == LOST
    world.restart()
    world.wait(1)
    assert world.place("t").stage is Stage.OFFLINE
    assert world.place("t").damaged
    assert "bad CRC at 77" in world.place("t").why


def test_a_kill_before_the_mark_is_written_costs_no_more_than_finding_it_again() -> None:
    world = started(1)
    values = fill(world, 10)
    damage(world)
    world.run_until_job(lambda job: isinstance(job, MarkBad))
    world.restart()
    world.wait(1)
    assert world.values("t") == values


@pytest.mark.spec("K589-02")
def test_a_log_that_is_not_to_blame_is_opened_again_as_it_is() -> None:
    world = follower()
    hosted = world.replicas.partitions.hosted[pid("t")]
    world.replicas.changes.on_failure(
        hosted, LogFailed("/d1", "t-0", "no descriptors", passing=True)
    )
    assert world.place("t").stage is Stage.OFFLINE
    assert not world.place("t").damaged
    world.wait(3)
    assert world.place("t").stage is Stage.READY
    assert end_of(world) == 10
    assert world.kinds("/d1") == ["t-0"]


def healed(world: World) -> None:
    damage(world)
    world.wait(3)
    assert world.place("t").stage is Stage.READY


@pytest.mark.spec("K589-04", "B-28")
def test_bad_copies_are_listed_and_go_by_age_over_restarts() -> None:
    world = follower(log_dir_bad_retention_ms="60000")
    healed(world)
    (copy,) = world.logs.repairs.bad_copies.in_directory("/d1")
    assert copy.size == world.logs.repairs.bad_copies.bytes_in("/d1") > 10 * 60
    assert "bad CRC at 77" in copy.why
    kept = [fields for _, event, fields in world.said if event == "bad copy of a replica is kept"]
    assert kept[0]["bytes"] == copy.size
    assert world.logs.places.purging.strays["/d1"] == {}
    world.restart()
    world.wait(30)
    again = next(world.logs.repairs.bad_copies.in_directory("/d1"))
    assert (again.name, again.why) == (copy.name, copy.why)
    world.wait(60)
    assert world.kinds("/d1") == ["t-0"]
    assert list(world.logs.repairs.bad_copies.in_directory("/d1")) == []


@pytest.mark.spec("K589-04")
def test_bad_copies_go_by_bytes_the_oldest_first() -> None:
    world = follower(log_dir_bad_retention_bytes="1500")
    healed(world)
    (first,) = world.logs.repairs.bad_copies.in_directory("/d1")
    assert first.size < 1500
    healed(world)
    names = [copy.name for copy in world.logs.repairs.bad_copies.in_directory("/d1")]
    assert first.name in names
    world.broker.settings.set_dynamic({"log.dir.bad.retention.bytes": "1"})
    world.wait(11)
    assert world.kinds("/d1") == ["t-0"]


@pytest.mark.spec("B-12")
def test_bad_copies_give_way_on_a_full_disk() -> None:
    world = follower()
    healed(world)
    world.disk.capacity["/d1"] = world.disk.used("/d1")
    hosted = world.replicas.partitions.hosted[pid("t")]
    world.replicas.changes.on_failure(hosted, DiskFailed("/d1", "append", errno.ENOSPC))
    world.wait(1)
    assert list(world.logs.repairs.bad_copies.in_directory("/d1")) == []


@pytest.mark.spec("B-28", "K589-02")
def test_a_single_copy_whose_files_gave_an_error_once_is_opened_again() -> None:
    world = started(1)
    values = fill(world, 10)
    fault = world.disk.fail("/d1/t-0/", errno.EIO, "write", times=1)
    world.produce("t", b"lost")
    world.wait(0.5)
    assert fault.times == 0
    assert world.place("t").stage is Stage.OFFLINE
    assert not world.place("t").damaged
    world.wait(3)
    assert world.values("t") == values
    world.produce("t", b"after")
    world.step()
    assert world.values("t") == [*values, b"after"]


@pytest.mark.spec("B-28", "K589-02")
def test_errors_that_come_again_are_taken_for_damage() -> None:
    world = started(1)
    fill(world, 10)
    world.disk.fail("/d1/t-0/", errno.EIO, "write")
    for _ in range(4):
        if world.replicas.partitions.bounds(pid("t")) is not None:
            world.produce("t", b"lost")
        world.wait(5)
    assert world.place("t").damaged
    assert world.place("t").healing.retries == 2
    assert world.logs.offline == set()
    assert world.assigned("t") == LOST


def test_a_log_that_has_lost_its_end_is_not_taken_up_as_if_nothing_were() -> None:
    world = started(1)
    fill(world, 10)
    directory = world.directories["/d1"]
    log = directory.logs[LogKey("t", 0)]
    hosted = world.replicas.partitions.hosted[pid("t")]
    world.replicas.changes.on_failure(hosted, LogFailed("/d1", "t-0", "I/O error", suspect=True))
    path = log.active.path()
    world.disk.open(path).truncate(0)
    world.wait(5)
    assert world.place("t").damaged
    assert "had reached 10" in world.place("t").why
