"""What operators order of directories: probed, closed, opened again, adopted when blank."""

from __future__ import annotations

import uuid

import pytest
from tests.support.logdirs_world import ME, World, pid
from tests.support.moving import fill, started
from tests.unit.node.test_logdirs_repairs import register_again

from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.node.logdirs.orders import ANSWER_WITHIN, Order


def give(world: World, path: str, order: Order, *, force: bool = True) -> list[tuple[bool, str]]:
    """Give an order; the answers so far: whether it was done, and the words."""
    told: list[tuple[bool, str]] = []
    world.logs.orders.directories.carry_out(
        path,
        order,
        lambda words: told.append((True, words)),
        lambda words: told.append((False, words)),
        force=force,
    )
    world.step()
    return told


@pytest.mark.spec("B-13")
def test_a_probe_tells_how_the_disk_is_and_changes_nothing() -> None:
    world = started(2)
    ((done, words),) = give(world, "/d1", Order.PROBE)
    assert (done, words.startswith("/d1: wrote, synced and read back within ")) == (True, True)
    world.fail_now("/d1")
    ((done, words),) = give(world, "/d1", Order.PROBE)
    assert (done, "(5)" in words) == (False, True)
    assert world.logs.offline == {"/d1"}


@pytest.mark.spec("B-13")
def test_a_probe_that_finds_an_online_disk_dead_has_it_fail() -> None:
    world = started(2)
    world.bad("/d1")
    ((done, _),) = give(world, "/d1", Order.PROBE)
    assert (done, world.logs.offline) == (False, {"/d1"})
    assert world.lifecycle.failed == [world.directory_id(0)]


def test_an_order_offline_is_answered_once_the_files_are_closed() -> None:
    world = started(2)
    fill(world, 5)
    world.hung.add("/d1")
    told = give(world, "/d1", Order.OFFLINE)
    world.wait(1)
    assert (told, world.logs.offline) == ([], {"/d1"})
    world.resume()
    world.hung.clear()
    world.wait(1)
    assert [done for done, _ in told] == [True]
    assert told[0][1].startswith("/d1 is offline and its files are closed; it stays so until ")
    assert ".kafka_cleanshutdown" in world.disk.names("/d1")


@pytest.mark.spec("B-13")
@pytest.mark.parametrize("order", [Order.PROBE, Order.ONLINE, Order.REPLACE])
def test_a_disk_that_hangs_is_not_waited_for(order: Order) -> None:
    world = started(2)
    world.fail_now("/d1")
    world.disk.heal("/d1")
    world.hung.add("/d1")
    told = give(world, "/d1", order)
    world.wait(ANSWER_WITHIN - 1)
    assert told == []
    world.wait(2)
    assert told == [(False, "/d1: no answer within 10 s; look again later")]
    world.resume()
    world.wait(1)
    assert len(told) == 1


@pytest.mark.spec("B-13")
def test_what_was_taken_offline_stays_so_and_is_let_go_of() -> None:
    world = started(2)
    values = fill(world, 5)
    assert give(world, "/d1", Order.OFFLINE)[0][0]
    assert world.logs.offline == {"/d1"}
    assert world.lifecycle.failed == [world.directory_id(0)]
    assert world.replicas.partitions.bounds(pid("t")) is None
    register_again(world, 1)
    written = world.disk.names("/d1")
    world.wait(60)
    assert world.lifecycle.back == []
    assert world.disk.names("/d1") == written
    told = give(world, "/d1", Order.ONLINE)
    world.wait(1)
    assert told == [(True, "/d1 is open, and serves once the controller knows of it")]
    register_again(world, 0, 1)
    world.wait(0.5)
    assert world.values("t") == values


@pytest.mark.spec("B-13")
def test_the_last_live_replica_of_a_partition_is_not_taken_offline_unless_forced() -> None:
    world = started(2, partitions=30)
    here = [p for p in range(30) if world.place("t", p).directory == "/d1"]
    with pytest.raises(Refusal) as refused:
        give(world, "/d1", Order.OFFLINE, force=False)
    text = str(refused.value)
    assert refused.value.error is Error.INVALID_REQUEST
    named = [f"t-{p}" for p in here if f"t-{p}," in text or f"t-{p}:" in text]
    assert len(named) == min(len(here), 20)
    assert "--force" in text
    assert world.logs.offline == set()
    assert give(world, "/d1", Order.OFFLINE, force=True)[0][0]


@pytest.mark.spec("B-13")
def test_a_directory_whose_replicas_others_have_is_taken_offline_without_force() -> None:
    world = World(2)
    world.open()
    world.apply(
        r.RegisterBroker(
            broker_id=2, incarnation_id=uuid.UUID(int=2), broker_epoch=2, fenced=False, log_dirs=()
        )
    )
    world.create_topic("led", leader=2)
    world.wait(1)
    path = world.place("led").directory
    assert path is not None
    world.change("led", isr=(ME,), leader=ME)
    with pytest.raises(Refusal, match=r"the last live replica of led-0: "):
        give(world, path, Order.OFFLINE, force=False)
    world.change("led", elr=(2,))
    assert give(world, path, Order.OFFLINE, force=False)[0][0]


def test_taken_offline_while_it_is_being_opened_it_is_closed_again() -> None:
    world = started(2)
    world.fail_now("/d1")
    world.disk.heal("/d1")
    world.hung.add("/d1")
    give(world, "/d1", Order.ONLINE)
    give(world, "/d1", Order.OFFLINE)
    world.resume()
    world.wait(30)
    assert (world.logs.offline, world.lifecycle.back) == ({"/d1"}, [])


@pytest.mark.spec("B-13")
def test_a_directory_that_came_back_too_often_comes_back_by_order() -> None:
    world = started(2)
    directory = world.logs.directories.all["/d1"]
    for _ in range(4):
        world.fail_now("/d1")
        register_again(world, 1)
        world.disk.heal("/d1")
        world.wait(10)
        if directory.opened is None:
            break
        register_again(world, 0, 1)
        world.wait(1)
    assert not directory.health.online
    world.wait(60)
    assert not directory.health.online
    events = world.states()[0].events
    said = [e.text for e in events if "came back 3 times within an hour" in e.text]
    assert len(said) == 1
    assert said[0].startswith("stays offline: it answers, but ")
    assert world.states()[0].reason in said[0]
    told = give(world, "/d1", Order.ONLINE)
    world.wait(1)
    assert told[0][0]
    register_again(world, 0, 1)
    world.wait(1)
    assert directory.health.online


@pytest.mark.spec("B-16")
def test_a_blank_disk_is_adopted_and_no_other() -> None:
    world = started(2)
    with pytest.raises(Refusal, match="is online: drain it"):
        give(world, "/d1", Order.REPLACE)
    give(world, "/d1", Order.OFFLINE)
    register_again(world, 1)
    world.disk.blank("/d1")
    world.disk.make_dirs("/d1/holidays")
    assert give(world, "/d1", Order.REPLACE) == [
        (
            False,
            "/d1 is not blank: it holds holidays. Nothing was written; mount an empty disk there",
        )
    ]
    assert world.disk.names("/d1") == ["holidays"]
    world.disk.blank("/d1")
    told = give(world, "/d1", Order.REPLACE)
    world.wait(1)
    assert told[0][0]
    (new,) = world.lifecycle.back
    assert new != world.directory_id(0)
    assert "meta.properties" in world.disk.names("/d1")


def test_what_would_end_the_broker_is_refused() -> None:
    world = started(2)
    with pytest.raises(Refusal, match=r"is not in log\.dirs, which are: /d1, /d2") as refused:
        give(world, "/d3", Order.PROBE)
    assert refused.value.error == Error.LOG_DIR_NOT_FOUND
    give(world, "/d1", Order.OFFLINE)
    with pytest.raises(Refusal, match="last directory"):
        give(world, "/d2", Order.OFFLINE)
    assert world.halted is None


@pytest.mark.spec("B-13")
def test_states_reasons_and_history_are_shown_of_offline_directories_too() -> None:
    world = started(2, partitions=2)
    world.fail_now("/d1")
    first, second = world.states()
    assert (first.log_dir, first.state, first.replicas) == ("/d1", "failed", 0)
    assert first.offline_replicas >= 1
    assert [event.text for event in first.events] == [f"failed: {first.reason}"]
    assert (second.state, second.reason, second.is_cordoned) == ("healthy", "", False)
    assert first.offline_replicas + second.replicas == 2
