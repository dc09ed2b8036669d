"""What a broker makes of its disks when it starts, and of new metadata: the catch-up rules."""

from __future__ import annotations

import uuid

import pytest
from tests.support.logdirs_world import ME, World, pid, topic_id
from tests.support.moving import fill, started
from tests.support.storage import put

from spindle.model import metadata_records as r
from spindle.model.ids import LOST, MIGRATING, UNASSIGNED
from spindle.node.logdirs.placement_registry import Stage

UNKNOWN = uuid.UUID(int=55_555)


def rename(world: World, source: str, target: str) -> None:
    """What an operator does while the broker is down."""
    world.disk.rename(source, target)
    world.disk.settle()


def relabel(world: World, directory: uuid.UUID, topic: str = "t") -> None:
    """The metadata names another directory while the broker is down."""
    id = pid(topic)
    change = r.PartitionChange(partition_id=0, topic_id=id.topic_id, directories=(directory,))
    world.image.apply(change)
    world.image.take_delta()


def register(world: World, *numbers: int) -> None:
    """The controller records which directories the broker has."""
    world.apply(
        r.RegisterBroker(
            broker_id=ME,
            incarnation_id=uuid.UUID(int=world.epoch),
            broker_epoch=world.epoch,
            fenced=False,
            log_dirs=tuple(world.directory_id(n) for n in numbers),
        )
    )


@pytest.mark.spec("K858-13")
def test_unfenced_only_when_the_controller_knows_every_directory() -> None:
    world = started(partitions=3)
    world.kill()
    for partition in range(3):
        id = pid("t", partition)
        world.image.apply(
            r.PartitionChange(
                partition_id=partition, topic_id=id.topic_id, directories=(MIGRATING,)
            )
        )
    world.image.take_delta()
    world.controller.answers = False
    world.open()
    world.wait(5)
    assert world.replicas.partitions.bounds(pid("t")) is not None
    assert not world.lifecycle.is_ready
    world.controller.answers = True
    world.wait(1)
    assert world.lifecycle.is_ready
    places = world.logs.places.all.values()
    assert [world.assigned("t", p.name.partition) for p in places] == [
        world.id_of(p.directory or "") for p in places
    ]


@pytest.mark.spec("K858-13", "K858-14")
def test_with_one_directory_no_replica_waits_for_the_controller() -> None:
    world = World(1)
    world.controller.answers = False
    world.open()
    assert world.lifecycle.is_ready


@pytest.mark.spec("K858-14")
def test_with_one_directory_only_what_is_wrong_is_corrected() -> None:
    world = World(1)
    world.open()
    world.create_topic("right", directory=world.directory_id(0))
    world.create_topic("wrong", directory=LOST)
    world.wait(1)
    assert world.controller.told == [(pid("wrong"), world.directory_id(0))]


def test_logs_are_not_judged_by_metadata_from_before_the_registration() -> None:
    world = started()
    fill(world, 5)
    image, world.image = world.image, type(world.image)()
    world.kill()
    opened = {p: d.run(world.bench.opening(p)) for p, d in world.directories.items()}
    world.logs.on_opened(opened)
    world.wait(5)
    assert world.names("/d1") == ["t-0"]
    assert not world.lifecycle.is_ready
    assert len(image.topics) == 1


@pytest.mark.spec("K858-18", "B-13")
def test_a_directory_that_fails_before_its_logs_are_judged_has_them_when_it_is_back() -> None:
    world = started(2)
    fill(world, 5)
    world.kill()
    world.logs.on_opened({p: d.run(world.bench.opening(p)) for p, d in world.directories.items()})
    world.fail_now("/d1")
    world.epoch += 1
    world.lifecycle.epoch = world.epoch
    register(world, 1)
    world.wait(1)
    assert world.logs.offline == {"/d1"}
    assert world.place("t").stage is Stage.OFFLINE
    assert world.replicas.partitions.bounds(pid("t")) is None
    world.disk.heal("/d1")
    world.until(lambda: world.lifecycle.back == [world.directory_id(0)])
    register(world, 0, 1)
    world.wait(5)
    assert world.names("/d1") == ["t-0"]
    assert (world.place("t").stage, world.place("t").directory) == (Stage.READY, "/d1")


# --- the table, each row through the door ---------------------------------------------------


@pytest.mark.spec("K858-12")
@pytest.mark.parametrize("assigned", [UNASSIGNED, MIGRATING, LOST, UNKNOWN])
def test_present_but_assigned_to_nothing_real_is_reported(assigned: uuid.UUID) -> None:
    world = started()
    values = fill(world, 5)
    world.kill()
    relabel(world, assigned)
    world.open()
    world.wait(1)
    assert world.assigned("t") == world.id_of("/d1")
    assert world.values("t") == values


@pytest.mark.spec("K858-12")
def test_unassigned_and_missing_is_created_and_reported() -> None:
    world = World(2)
    world.open()
    world.create_topic("t")
    world.wait(1)
    assert world.assigned("t") == world.id_of(world.place("t").directory or "")


@pytest.mark.spec("K858-12", "B-24")
def test_assigned_online_and_missing_is_created_there_and_nothing_is_said() -> None:
    world = World(3)
    world.open()
    world.create_topic("t", directory=world.directory_id(2))
    world.wait(1)
    assert world.place("t").directory == "/d3"
    assert world.controller.told == []


@pytest.mark.spec("K858-12")
def test_assigned_online_and_present_there_nothing_is_said() -> None:
    world = started()
    fill(world, 5)
    world.controller.told.clear()
    world.restart()
    world.wait(1)
    assert world.controller.told == []
    assert world.place("t").directory == "/d1"


@pytest.mark.spec("K858-12", "K858-18")
def test_moved_by_hand_while_the_broker_was_down() -> None:
    world = started()
    values = fill(world, 5)
    world.kill()
    rename(world, "/d1/t-0", "/d2/t-0")
    world.open()
    world.wait(1)
    assert world.place("t").directory == "/d2"
    assert world.assigned("t") == world.id_of("/d2")
    assert world.values("t") == values


@pytest.mark.spec("K858-03", "K858-18")
def test_a_directory_mounted_elsewhere_is_known_by_its_id() -> None:
    world = started(2)
    values = fill(world, 5)
    world.kill()
    for step in (("/d1", "/x"), ("/d2", "/d1"), ("/x", "/d2")):
        rename(world, *step)
    world.controller.told.clear()
    world.open()
    world.wait(1)
    assert world.place("t").directory == "/d2"
    assert world.id_of("/d2") == world.directory_id(0)
    assert world.values("t") == values
    assert world.controller.told == []


@pytest.mark.spec("K858-12", "K858-18")
def test_a_directory_replaced_by_an_empty_one_its_replicas_are_created_again() -> None:
    world = started(2)
    fill(world, 5)
    world.kill()
    world.disk.blank("/d1")
    world.format("/d1", 7)
    world.open()
    world.wait(1)
    assert world.replicas.partitions.bounds(pid("t")) == (0, 0, 0)
    assert world.assigned("t") == world.id_of(world.place("t").directory or "")


@pytest.mark.spec("K858-12", "B-16", "B-18")
@pytest.mark.parametrize("assigned", [LOST, UNKNOWN, None])
def test_lost_or_unknown_with_an_offline_directory_waits(assigned: uuid.UUID | None) -> None:
    world = started(2)
    fill(world, 5)
    world.kill()
    if assigned is not None:
        relabel(world, assigned)
    world.bad("/d1")
    world.open()
    world.wait(1)
    assert world.place("t").stage is Stage.OFFLINE
    assert world.names("/d2") == []
    assert world.lifecycle.is_ready
    assert world.logs.offline_replicas == 1
    assert world.logs.offline == {"/d1"}
    # The disk is repaired: the next start serves it as before.
    world.disk.heal("/d1")
    world.restart()
    world.wait(1)
    assert world.place("t").directory == "/d1"
    assert world.replicas.partitions.bounds(pid("t")) is not None


@pytest.mark.spec("K858-12", "K858-20")
def test_assigned_online_and_missing_with_an_offline_directory_is_declared_lost() -> None:
    world = started(3)
    fill(world, 5)
    world.kill()
    relabel(world, world.directory_id(1))
    world.bad("/d1")
    world.open()
    world.wait(1)
    assert world.place("t").stage is Stage.OFFLINE
    assert world.assigned("t") == LOST
    assert world.names("/d2") == []


@pytest.mark.spec("K858-12")
def test_new_partitions_are_created_although_a_directory_is_offline() -> None:
    world = started(3)
    world.fail_now("/d1")
    world.create_topic("u", directory=world.directory_id(1))
    world.create_topic("v")
    world.wait(1)
    assert world.place("u").directory == "/d2"
    assert world.place("v").directory == "/d3"


# --- future logs, copies, strays ------------------------------------------------------------


def future_name(number: int = 1) -> str:
    return f"t-0.{number:032x}-future"


@pytest.mark.spec("K113-16", "B-03")
def test_future_log_alone_with_all_directories_good_serves() -> None:
    world = started()
    values = fill(world, 5)
    world.kill()
    rename(world, "/d1/t-0", f"/d2/{future_name()}")
    world.open()
    world.wait(1)
    assert world.names("/d2") == ["t-0"]
    assert world.values("t") == values
    assert world.assigned("t") == world.id_of("/d2")


@pytest.mark.spec("K113-17")
def test_future_log_alone_with_a_bad_directory_is_left_untouched() -> None:
    world = started(3)
    fill(world, 5)
    world.kill()
    rename(world, "/d1/t-0", f"/d2/{future_name()}")
    world.bad("/d1")
    world.open()
    world.wait(8)
    assert world.names("/d2") == [future_name()]
    assert world.place("t").stage is Stage.OFFLINE


@pytest.mark.spec("B-02", "B-03")
def test_a_future_log_that_has_more_than_the_current_one_takes_its_place() -> None:
    world = started()
    values = fill(world, 20)
    world.controller.commits = False
    world.alter("/d2", "t")
    world.wait(1)
    world.kill()
    # The disk of the current log has lost its end.
    name = "/d1/t-0/" + sorted(n for n in world.disk.list("/d1/t-0") if n.endswith(".log"))[-1]
    file = world.disk.open(name)
    file.truncate(0)
    file.close()
    world.controller.commits = True
    world.open()
    world.wait(8)
    assert world.place("t").directory == "/d2"
    assert world.values("t") == values
    assert world.names("/d1") == []


@pytest.mark.spec("B-04")
@pytest.mark.parametrize("assigned", [0, 1])
def test_two_current_logs_the_better_one_is_kept(assigned: int) -> None:
    # What a crash of Apache Kafka between the two renames leaves: it refuses to start then.
    world = started()
    values = fill(world, 20)
    world.controller.commits = False
    world.alter("/d2", "t")
    world.wait(1)
    world.produce("t", b"last")
    world.step()
    world.kill()
    (future,) = world.names("/d2")
    rename(world, f"/d2/{future}", "/d2/t-0")
    relabel(world, world.directory_id(assigned))
    world.controller.commits = True
    world.open()
    world.wait(8)
    assert world.place("t").directory == "/d1"
    assert world.values("t") == [*values, b"last"]
    assert world.names("/d2") == []
    assert world.assigned("t") == world.id_of("/d1")


@pytest.mark.spec("B-17")
def test_a_replica_that_the_metadata_does_not_know_is_set_aside_and_kept() -> None:
    world = started()
    fill(world, 5)
    world.kill()
    world.image.apply(r.RemoveTopic(topic_id=topic_id("t")))
    world.image.take_delta()
    world.open()
    world.wait(10)
    assert world.kinds("/d1") == ["t-0.-stray"]
    told = [f for _, event, f in world.said if event == "stray log set aside"]
    assert told[0]["bytes"] != 0
    world.restart()
    world.wait(10)
    assert world.kinds("/d1") == ["t-0.-stray"]


@pytest.mark.spec("B-17")
def test_a_damaged_log_that_the_metadata_does_not_know_is_set_aside_and_kept() -> None:
    world = started()
    fill(world, 5)
    world.kill()
    (log,) = (name for name in world.disk.names("/d1/t-0") if name.endswith(".log"))
    records = world.disk.contents(f"/d1/t-0/{log}") or b""
    put(world.disk, f"/d1/t-0/{log}", bytes(80) + records[80:])
    world.image.apply(r.RemoveTopic(topic_id=topic_id("t")))
    world.image.take_delta()
    world.open()
    world.wait(10)
    assert world.kinds("/d1") == ["t-0.-stray"]
    assert [f for _, event, f in world.said if event == "damaged stray log set aside"]
    world.restart()
    world.wait(10)
    assert world.kinds("/d1") == ["t-0.-stray"]


def test_a_namesake_of_another_topic_is_set_aside() -> None:
    world = started()
    fill(world, 5)
    world.kill()
    world.image.apply(r.RemoveTopic(topic_id=topic_id("t")))
    other = uuid.UUID(int=4711)
    world.image.apply(r.Topic(name="t", topic_id=other))
    partition = world.partition_record("t", 0)
    world.image.apply(
        r.PartitionRegistration(
            partition_id=0,
            topic_id=other,
            replicas=partition.replicas,
            isr=partition.isr,
            leader=ME,
            leader_epoch=0,
            partition_epoch=0,
            directories=(UNASSIGNED,),
        )
    )
    world.image.take_delta()
    world.open()
    world.wait(1)
    assert sorted(world.kinds("/d1") + world.kinds("/d2")) == ["t-0", "t-0.-stray"]


@pytest.mark.spec("K113-18")
def test_renamed_for_deletion_before_the_restart_goes_after_the_delay() -> None:
    world = started()
    fill(world, 5)
    world.apply(r.RemoveTopic(topic_id=topic_id("t")))
    world.wait(1)
    assert world.kinds("/d1") == ["t-0.-delete"]
    world.restart()
    assert world.kinds("/d1") == ["t-0.-delete"]
    world.wait(6)
    assert world.names("/d1") == []


@pytest.mark.spec("B-15")
def test_foreign_names_are_left_alone() -> None:
    world = started()
    world.kill()
    world.disk.make_dirs("/d1/lost+found")
    world.open()
    world.wait(1)
    assert world.lifecycle.is_ready
    assert "lost+found" in world.names("/d1")


@pytest.mark.spec("B-15", "B-28", "K589-02", "K589-04", "K589-05")
def test_one_log_that_cannot_be_loaded_costs_one_replica_which_heals_itself() -> None:
    world = World(2)
    world.open()
    world.create_topic("t")
    world.create_topic("u")
    world.wait(1)
    fill(world, 5)
    path = world.place("t").directory
    there = (world.assigned("t"), uuid.UUID(int=99_999))
    world.change("t", leader=2, replicas=(1, 2), isr=(1, 2), directories=there)
    world.kill()
    file = world.disk.open(f"{path}/t-0/partition.metadata")
    file.write(0, [b"garbage that is no topic id"])
    file.close()
    world.open()
    world.wait(0.2)
    assert world.place("t").stage is Stage.OFFLINE
    assert world.replicas.partitions.bounds(pid("u")) is not None
    assert world.assigned("t") == LOST
    assert world.logs.directories.is_online(path)
    # The controller takes us out of the ISR; then no broker counts on our copy, and we begin again.
    world.wait(3)
    assert world.place("t").stage is Stage.OFFLINE
    world.change("t", isr=(2,))
    world.wait(3)
    assert world.place("t").stage is Stage.READY
    assert world.assigned("t") == world.id_of(world.place("t").directory or "")
    assert "t-0.-stray" in world.kinds(path or "")


@pytest.mark.spec("K858-11")
def test_no_directory_at_all_the_node_stops() -> None:
    world = World(2)
    world.bad("/d1")
    world.bad("/d2")
    world.open()
    assert world.halted is not None
    assert "log directories" in world.halted


@pytest.mark.spec("K858-03")
def test_two_directories_with_one_id_the_node_stops() -> None:
    world = World(2)
    world.format("/d2", 0)
    world.open()
    assert world.halted is not None
    assert "/d1 and /d2" in world.halted


@pytest.mark.spec("K858-19")
def test_below_metadata_version_17_directories_are_not_spoken_of() -> None:
    world = World(2)
    world.image.apply(r.FeatureLevel(name="metadata.version", level=16))
    world.open()
    world.create_topic("t", segment_bytes="400")
    world.wait(1)
    assert world.controller.asked == []
    assert world.controller.told == []
    fill(world, 10)
    target = "/d2" if world.place("t").directory == "/d1" else "/d1"
    world.alter(target, "t")
    world.until(lambda: world.place("t").directory == target)
    assert world.controller.told == []
    # The upgrade: everything is reported.
    world.apply(r.FeatureLevel(name="metadata.version", level=30))
    world.wait(1)
    assert world.controller.told == [(pid("t"), world.id_of(target))]
