"""What was lost comes back: directories, damaged logs, replicas of a dead disk, orders, names."""

from __future__ import annotations

import uuid

import pytest
from tests.support.logdirs_world import World, pid, topic_id
from tests.support.moving import fill, is_a, moved, started

from spindle.core.logdirs.move import LogDirMoveState
from spindle.model import metadata_records as r
from spindle.model.errors import LogFailed
from spindle.model.ids import LOST
from spindle.model.jobs import (
    Discard,
    Promote,
)
from spindle.node.logdirs.placement_registry import REMEMBERED_FILE, Stage


def register_again(world: World, *numbers: int) -> None:
    """What the controller records when a directory fails, or is back."""
    state = world.image.brokers[1]
    ids = tuple(world.directory_id(n) for n in numbers)
    world.apply(
        r.RegisterBroker(
            broker_id=1,
            incarnation_id=state.incarnation_id,
            broker_epoch=state.broker_epoch,
            fenced=False,
            log_dirs=ids,
        )
    )


@pytest.mark.spec("B-13")
def test_a_failed_directory_comes_back_without_a_restart() -> None:
    world = started(2, partitions=2)
    values = fill(world, 10)
    world.fail_now("/d1")
    assert world.replicas.partitions.bounds(pid("t")) is None
    world.wait(10)
    assert world.lifecycle.back == []
    world.disk.heal("/d1")
    world.wait(5)
    # Not before the cluster knows that it was away: its epochs must end first.
    assert world.lifecycle.back == []
    register_again(world, 1)
    assert world.lifecycle.back == [world.directory_id(0)]
    # Not before the cluster knows.
    assert world.replicas.partitions.bounds(pid("t")) is None
    register_again(world, 0, 1)
    world.wait(0.5)
    assert world.values("t") == values
    assert world.logs.offline == set()
    assert world.logs.offline_replicas == 0
    world.produce("t", b"after")
    world.step()
    assert world.values("t") == [*values, b"after"]


@pytest.mark.spec("B-13")
def test_a_directory_comes_back_while_a_deletion_waits_for_its_turn() -> None:
    world = started(2, partitions=4)
    world.fail_now("/d1")
    world.disk.heal("/d1")
    world.wait(15)
    register_again(world, 1)
    world.image.apply(r.RemoveTopic(topic_id=topic_id("t")))
    gone = world.image.take_delta()
    register_again(world, 0, 1)
    world.wait(0.5)
    assert world.logs.offline == set()
    assert set(world.logs.places.all) == set(gone.gone)
    for delta in gone.slices(1):
        world.logs.on_metadata(delta)
        world.replicas.on_metadata(delta)
        world.step()
    assert not world.logs.places.all
    world.create_topic("t", 4)
    assert all(world.replicas.partitions.hosted[pid("t", n)].partition.leads for n in range(4))


@pytest.mark.spec("B-16")
def test_a_directory_that_is_formatted_later_comes_in() -> None:
    world = World(2)
    world.kill()
    world.disk.blank("/d2")
    world.open()
    assert world.logs.offline == {"/d2"}
    assert world.lifecycle.is_ready
    world.format("/d2", 5)
    world.wait(5)
    assert world.lifecycle.back == [world.directory_id(5)]
    register_again(world, 0, 5)
    world.create_topic("t", directory=world.directory_id(5))
    world.wait(0.5)
    assert world.place("t").directory == "/d2"


@pytest.mark.spec("B-13")
def test_what_was_made_again_meanwhile_stays_and_the_old_log_is_set_aside() -> None:
    world = started(3, log_dir_rebuild_delay_ms="1000")
    fill(world, 5)
    there = (world.directory_id(0), uuid.UUID(int=99_999))
    world.change("t", leader=2, replicas=(1, 2), isr=(1, 2), directories=there)
    world.fail_now("/d1")
    register_again(world, 1, 2)
    world.change("t", isr=(2,))
    world.wait(3)
    path = world.place("t").directory
    assert path in ("/d2", "/d3")
    world.disk.heal("/d1")
    world.wait(5)
    register_again(world, 0, 1, 2)
    world.wait(1)
    assert world.place("t").directory == path
    assert world.kinds("/d1") == ["t-0.-stray"]


@pytest.mark.spec("B-27")
def test_replicas_of_a_dead_disk_are_made_again_when_that_is_wanted_and_safe() -> None:
    world = started(3, log_dir_rebuild_delay_ms="5000")
    fill(world, 5)
    there = (world.directory_id(0), uuid.UUID(int=99_999))
    world.change("t", leader=2, replicas=(1, 2), isr=(1, 2), directories=there)
    world.fail_now("/d1")
    world.wait(8)
    # Still in the ISR: the cluster counts on what is on that disk.
    assert world.place("t").stage is Stage.OFFLINE
    world.change("t", isr=(2,))
    world.wait(2)
    assert world.place("t").stage is Stage.READY
    assert world.assigned("t") == world.id_of(world.place("t").directory or "")


@pytest.mark.spec("K589-04", "B-27", "N-04")
def test_a_damaged_copy_that_is_an_eligible_leader_is_not_thrown_away() -> None:
    world = World(1)
    world.open()
    world.create_topic("t", leader=2)
    world.wait(1)
    world.change("t", isr=(2,), elr=(1,))
    hosted = world.replicas.partitions.hosted[pid("t")]
    world.replicas.changes.on_failure(hosted, LogFailed("/d1", "t-0", "corrupt"))
    world.wait(30)
    # The partition may have to go on from this copy (KIP-966).
    assert world.place("t").stage is Stage.OFFLINE
    assert world.kinds("/d1") == ["t-0"]
    world.change("t", elr=())
    world.wait(3)
    assert world.place("t").stage is Stage.READY


@pytest.mark.spec("B-27")
def test_nothing_is_made_again_unless_it_is_wanted() -> None:
    world = started(3)
    there = (world.directory_id(0), uuid.UUID(int=99_999))
    world.change("t", leader=2, replicas=(1, 2), isr=(2,), directories=there)
    world.fail_now("/d1")
    world.wait(100)
    assert world.place("t").stage is Stage.OFFLINE


def test_a_replica_that_is_damaged_again_and_again_is_left_to_a_person() -> None:
    world = World(1)
    world.open()
    world.create_topic("t", leader=2)
    world.wait(1)
    world.change("t", isr=(2,))
    for _ in range(3):
        hosted = world.replicas.partitions.hosted[pid("t")]
        world.replicas.changes.on_failure(hosted, LogFailed("/d1", "t-0", "corrupt"))
        world.wait(3)
        assert world.place("t").stage is Stage.READY
    hosted = world.replicas.partitions.hosted[pid("t")]
    world.replicas.changes.on_failure(hosted, LogFailed("/d1", "t-0", "corrupt"))
    world.wait(30)
    assert world.place("t").stage is Stage.OFFLINE
    assert world.assigned("t") == LOST


# --- a target that dies in the middle of the swap --------------------------------------------


@pytest.mark.spec("K113-12", "K858-16")
@pytest.mark.parametrize("when", [Discard, Promote])
def test_target_dies_between_the_renames_the_source_serves_again(when: type) -> None:
    world = started(3)
    values = fill(world, 20)
    world.alter("/d2", "t")
    world.run_until_job(is_a(when))
    world.resume()
    world.fail_now("/d2")
    world.until(lambda: world.logs.moves.under_way.of(pid("t")) is None)
    world.wait(10)
    assert world.names("/d1") == ["t-0"]
    assert world.assigned("t") == world.id_of("/d1")
    world.produce("t", b"after")
    world.step()
    assert world.values("t") == [*values, b"after"]
    world.restart()
    world.wait(1)
    assert world.values("t") == [*values, b"after"]


@pytest.mark.spec("K113-12")
def test_both_disks_die_in_the_swap_the_replica_is_offline() -> None:
    world = started(3)
    fill(world, 20)
    world.alter("/d2", "t")
    world.run_until_job(is_a(Promote))
    world.resume()
    world.fail_now("/d1")
    world.fail_now("/d2")
    world.wait(5)
    assert world.logs.moves.under_way.of(pid("t")) is None
    assert world.replicas.partitions.bounds(pid("t")) is None
    assert world.halted is None


@pytest.mark.spec("K858-16")
def test_source_dies_after_all_was_copied_the_target_serves() -> None:
    world = started(3)
    values = fill(world, 20)
    world.alter("/d2", "t")
    world.run_until_job(is_a(Discard))
    move = world.logs.moves.under_way.of(pid("t"))
    assert move is not None
    assert move.state is LogDirMoveState.DISCARDING
    world.resume()
    world.fail_now("/d1")
    world.until(moved(world))
    assert world.values("t") == values
    assert world.assigned("t") == world.id_of("/d2")


# --- orders and strays -----------------------------------------------------------------------


@pytest.mark.spec("B-09")
def test_remembered_directories_survive_a_restart() -> None:
    world = World(3)
    world.open()
    world.alter("/d3", "t", 0, 1)
    world.wait(1)
    world.restart()
    world.create_topic("t", 2)
    world.wait(1)
    assert {world.place("t", p).directory for p in range(2)} == {"/d3"}
    # Fulfilled: forgotten on the disk, too.
    assert REMEMBERED_FILE not in world.disk.list("/d3")


@pytest.mark.spec("B-15")
@pytest.mark.parametrize("data", [b"", b"[]", b'{"wishes":[{}]}', b"\xff\xfe"])
def test_a_file_of_remembered_directories_that_makes_no_sense_costs_a_warning(data: bytes) -> None:
    world = World(2)
    file = world.disk.open(f"/d1/{REMEMBERED_FILE}", create=True)
    file.write(0, [data])
    file.close()
    world.open()
    assert world.lifecycle.is_ready
    assert any(event == "remembered directories cannot be read" for _, event, _ in world.said)


@pytest.mark.spec("B-17")
def test_strays_expire_if_that_is_wanted() -> None:
    world = started(2, log_dir_stray_retention_ms="20000")
    fill(world, 5)
    world.kill()
    world.image.apply(r.RemoveTopic(topic_id=topic_id("t")))
    world.image.take_delta()
    world.open()
    world.wait(10)
    assert world.kinds("/d1") == ["t-0.-stray"]
    ((name, size),) = world.logs.places.purging.strays["/d1"].items()
    assert name.endswith("-stray")
    assert size > 5 * 60  # Its five batches, at least.
    assert world.logs.places.purging.strays["/d2"] == {}
    world.restart()
    world.wait(15)
    assert world.kinds("/d1") == ["t-0.-stray"]
    world.wait(10)
    assert world.kinds("/d1") == []
    assert world.logs.places.purging.strays["/d1"] == {}
