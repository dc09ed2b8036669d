"""A log that comes back shorter than its own broker knew is a damaged replica (B-31)."""

from __future__ import annotations

import uuid

import pytest
from tests.support.logdirs_world import World, pid
from tests.support.moving import fill, started
from tests.support.storage import put
from tests.unit.node.test_logdirs_repairs import register_again
from tests.unit.node.test_orders import give
from tests.unit.node.test_rescue import order, refused

from spindle.model.ids import LOST
from spindle.node.logdirs.orders import Order, RescueAction
from spindle.node.logdirs.placement_registry import Stage
from spindle.storage import layout

ENDS = "/d2/spindle-log-ends.json"


def lose_the_tail(world: World) -> None:
    """The disk is back without what was written last, as after a power cut of its own."""
    world.disk.heal("/d1")
    last = sorted(n for n in world.disk.list("/d1/t-0") if n.endswith(layout.LOG))[-1]
    file = world.disk.open(f"/d1/t-0/{last}")
    file.truncate(0)
    file.close()


def come_back(world: World) -> None:
    world.disk.heal("/d1")
    world.wait(10)
    register_again(world, 0, 1)
    world.wait(1)


@pytest.mark.spec("B-31", "K589-02")
@pytest.mark.parametrize("restarted", [False, True])
def test_a_disk_that_lost_the_tail_of_a_log_does_not_lead_with_it(restarted: bool) -> None:
    world = started(2)
    fill(world, 20)
    world.fail_now("/d1")
    register_again(world, 1)
    world.wait(1)
    assert world.disk.stat(ENDS) is not None
    lose_the_tail(world)
    if restarted:
        world.kill()
        world.disk.heal("/d1")
        world.open()
        world.wait(1)
    else:
        come_back(world)
    place = world.place("t")
    assert (place.stage, place.damaged) == (Stage.OFFLINE, True)
    assert "and had reached 20" in place.why
    assert world.assigned("t") == LOST
    assert world.replicas.partitions.bounds(pid("t")) is None
    assert world.states()[0].reason == "1 replica is damaged: t-0"
    # It stays so, and tells what is missing, until the loss is accepted.
    world.restart()
    world.wait(1)
    assert world.place("t").stage is Stage.OFFLINE
    (words,) = order(world, RescueAction.REPAIR)
    assert "and had reached 20" in words
    assert order(world, RescueAction.ACCEPT_LOSS) == ["nothing is lost"]
    assert 0 < len(world.values("t")) < 20
    world.wait(1)
    assert world.disk.stat(ENDS) is None
    assert "it serves" in refused(world).message


@pytest.mark.spec("B-31")
@pytest.mark.parametrize("older", ["/d2", "/d3"])
def test_of_two_notes_the_one_that_tells_of_more_records_counts(older: str) -> None:
    """A directory that was away when the log's end was noted has the note of an earlier time."""
    world = started(3)
    fill(world, 20)
    world.fail_now("/d1")
    world.wait(1)
    note = world.disk.contents("/d2/spindle-log-ends.json")
    assert note is not None
    assert note == world.disk.contents("/d3/spindle-log-ends.json")
    put(world.disk, f"{older}/spindle-log-ends.json", note.replace(b'"end": 20', b'"end": 5'))
    world.restart()
    world.wait(1)
    assert world.logs.reconciler.last_known_ends.end_of(pid("t")) == 20


@pytest.mark.spec("B-31")
def test_a_log_that_is_as_it_was_is_taken_up_and_the_note_goes() -> None:
    world = started(2)
    values = fill(world, 20)
    world.fail_now("/d1")
    register_again(world, 1)
    world.wait(1)
    come_back(world)
    assert world.values("t") == values
    world.wait(1)
    assert world.disk.stat(ENDS) is None
    world.restart()
    world.wait(1)
    assert world.values("t") == values


@pytest.mark.spec("B-31", "K589-04")
def test_a_shorter_log_is_fetched_again_where_another_broker_leads() -> None:
    world = started(2)
    fill(world, 20)
    there = (world.directory_id(0), uuid.UUID(int=99_999))
    world.change("t", leader=2, replicas=(1, 2), isr=(1, 2), directories=there)
    world.fail_now("/d1")
    register_again(world, 1)
    world.change("t", isr=(2,))
    lose_the_tail(world)
    come_back(world)
    world.wait(5)
    assert world.place("t").stage is Stage.READY
    (copy,) = world.logs.repairs.bad_copies.in_directory("/d1")
    assert "and had reached 20" in copy.why


@pytest.mark.spec("B-28", "B-13")
def test_offline_and_online_keep_a_damaged_log_as_it_is_and_say_so() -> None:
    world = started(2)
    fill(world, 20)
    first = f"/d1/t-0/{sorted(world.disk.list('/d1/t-0'))[1]}"
    name = f"/d1/t-0/{0:020d}.log"
    assert world.disk.stat(name) is not None, first
    world.disk.rot(name, 100, 4)
    size = sum(s.size for s in map(world.disk.stat, logs(world)) if s)
    give(world, "/d1", Order.OFFLINE)
    register_again(world, 1)
    world.wait(1)
    told = give(world, "/d1", Order.ONLINE)
    world.wait(1)
    assert told[0][0]
    register_again(world, 0, 1)
    world.wait(1)
    assert sum(s.size for s in map(world.disk.stat, logs(world)) if s) == size
    assert world.replicas.partitions.bounds(pid("t")) == (0, 20, 20)


def logs(world: World) -> list[str]:
    return [f"/d1/t-0/{n}" for n in world.disk.list("/d1/t-0") if n.endswith(layout.LOG)]


@pytest.mark.spec("B-15")
def test_a_file_where_a_partitions_directory_should_be_costs_that_replica_a_move() -> None:
    world = started(2)
    for path in world.paths:
        world.disk.open(f"{path}/u-0", create=True).close()
    world.disk.open("/d1/v-0", create=True).close()
    world.create_topic("v")
    world.create_topic("u")
    world.wait(1)
    assert world.logs.offline == set()
    assert world.halted is None
    assert (world.place("v").stage, world.place("v").directory) == (Stage.READY, "/d2")
    assert world.place("u").stage is Stage.OFFLINE
    assert "File exists" in world.place("u").why
    assert "out of the way" in world.logs.repairs.outlook(world.place("u"))
    world.disk.remove("/d1/u-0")
    world.wait(61)
    assert (world.place("u").stage, world.place("u").directory) == (Stage.READY, "/d1")


@pytest.mark.spec("B-15")
def test_a_file_in_the_place_of_a_log_does_not_halt_a_broker_with_one_directory() -> None:
    world = started(1)
    world.disk.open("/d1/u-0", create=True).close()
    world.create_topic("u")
    world.create_topic("v")
    world.wait(1)
    assert (world.halted, world.logs.offline) == (None, set())
    assert world.place("u").stage is Stage.OFFLINE
    assert world.place("v").stage is Stage.READY
    world.disk.remove("/d1/u-0")
    world.wait(61)
    assert (world.place("u").stage, world.place("u").directory) == (Stage.READY, "/d1")
