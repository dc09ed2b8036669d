"""Disks that die, hang, fill up and come back, in a whole cluster with clients at work."""

from __future__ import annotations

import errno

import pytest
from tests.support.simulation import Scene

from spindle.model.copying_jobs import PlanCopy
from spindle.model.jobs import Append
from spindle.node.logdirs.placement_registry import Stage
from spindle.sim.disk_work import FOREVER
from spindle.sim.producer import ProducerPace
from spindle.sim.sim_cluster import Shape, SimNode

QUICK_FAILOVER = 2.0
"""Virtual seconds within which others lead what a dead disk has led."""


def break_disk(scene: Scene, member: SimNode, path: str, code: int = errno.EIO) -> None:
    scene.hurt(member)
    member.disk.fail(f"{path}/", code)


@pytest.mark.spec("K858-10", "B-01")
def test_the_leaders_disk_dies() -> None:
    scene = Scene(Shape(3, 2), 3, min_insync_replicas="2")
    member = scene.leader
    break_disk(scene, member, scene.here(member))
    scene.until(
        lambda: scene.state.leader not in (-1, member.node_id), QUICK_FAILOVER, "another leads"
    )
    scene.flow(20, QUICK_FAILOVER)
    assert member.node is not None  # The broker goes on with its other disk.
    assert scene.place(member).stage is Stage.OFFLINE
    assert member.node_id not in scene.state.isr
    scene.finish()


@pytest.mark.spec("K858-10", "B-01")
def test_a_followers_disk_dies() -> None:
    scene = Scene(Shape(3, 2), 3, min_insync_replicas="2")
    member = scene.follower
    break_disk(scene, member, scene.here(member))
    scene.until(
        lambda: member.node_id not in scene.state.isr, QUICK_FAILOVER, "it is out of the ISR"
    )
    scene.flow(20, QUICK_FAILOVER)
    scene.finish()


@pytest.mark.spec("K113-12", "K858-16")
def test_the_disk_dies_to_which_a_replica_is_being_moved() -> None:
    scene = Scene(Shape(3, 2), 3)
    member = scene.follower
    home, target = scene.here(member), scene.elsewhere(member)
    scene.after(PlanCopy, member, lambda: break_disk(scene, member, target))
    scene.move(member, target)
    scene.until(lambda: target in scene.broker(member).logs.offline, 5, "the disk is dead")
    scene.flow()
    assert scene.here(member) == home
    assert len(scene.state.isr) == 3
    assert scene.broker(member).logs.moves.under_way.of(scene.id) is None
    scene.finish()


@pytest.mark.spec("K113-12", "K858-16")
def test_the_disk_dies_from_which_a_replica_is_being_moved() -> None:
    scene = Scene(Shape(3, 2), 3)
    member = scene.follower
    home, target = scene.here(member), scene.elsewhere(member)
    scene.after(PlanCopy, member, lambda: break_disk(scene, member, home))
    scene.move(member, target)
    scene.until(lambda: member.node_id not in scene.state.isr, 5, "it is out of the ISR")
    scene.flow()
    assert scene.place(member).stage is Stage.OFFLINE
    scene.finish()


@pytest.mark.spec("K113-12", "K858-16")
def test_the_source_dies_between_the_renames_and_the_copy_serves_at_once() -> None:
    scene = Scene(Shape(3, 2), 3)
    member = scene.leader
    home, target = scene.here(member), scene.elsewhere(member)

    def no_renames() -> None:
        scene.hurt(member)
        member.disk.fail(f"{home}/", errno.EROFS, "rename")

    scene.after(PlanCopy, member, no_renames)
    scene.move(member, target)
    scene.until(lambda: home in scene.broker(member).logs.offline, 5, "the disk is dead")
    scene.until(lambda: scene.place(member).stage is Stage.READY, 5, "the copy serves")
    assert scene.here(member) == target
    scene.finish()


@pytest.mark.spec("B-13", "K858-10")
def test_a_hung_disk_is_given_up_and_stops_no_other_disk() -> None:
    scene = Scene(Shape(3, 2), 3, min_insync_replicas="2")
    member = scene.leader
    path = scene.here(member)
    scene.hurt(member)
    scene.world.disks.slow[path] = FOREVER
    scene.until(lambda: scene.state.leader != member.node_id, 5, "another leads")
    scene.flow(20, QUICK_FAILOVER)
    assert path in scene.broker(member).logs.offline
    why = scene.broker(member).logs.directories.all[path].health.why
    assert why.startswith("no answer")
    scene.world.disks.unhang(path)
    scene.finish()


@pytest.mark.spec("B-12")
def test_a_full_disk_refuses_and_mends_itself_without_a_restart() -> None:
    scene = Scene(Shape(1, 2), 1)
    member = scene.leader
    path = scene.here(member)
    member.disk.capacity[path] = member.disk.used(path) + 500
    life = member.host.life
    scene.until(
        lambda: any(scene.events("log directory is full")), 5, "the disk is known to be full"
    )
    scene.pass_time(3.0)
    stuck = scene.acknowledged()
    assert path not in scene.broker(member).logs.offline
    del member.disk.capacity[path]
    scene.flow(20)
    assert scene.acknowledged() > stuck
    assert member.host.life == life
    scene.finish()


@pytest.mark.spec("B-22", "K858-10")
def test_two_disks_die_at_once() -> None:
    scene = Scene(Shape(3, 3), 3, min_insync_replicas="1", topics=3)
    member = scene.leader
    first, second = member.log_dirs[:2]
    break_disk(scene, member, first)
    break_disk(scene, member, second)
    offline = scene.broker(member).logs
    scene.until(lambda: offline.offline == {first, second}, 5, "both are dead")
    scene.flow(20, 10)
    dead = [offline.directories.id_of(path) for path in (first, second)]
    own = scene.cluster.newest.brokers[member.node_id]
    assert not set(dead) & set(own.log_dirs)
    scene.finish()


@pytest.mark.spec("K858-11")
def test_a_broker_stops_when_its_last_directory_dies() -> None:
    scene = Scene(Shape(3, 2), 3)
    member = scene.follower
    member.held = True
    for path in member.log_dirs:
        break_disk(scene, member, path)
    scene.until(lambda: member.node is None, 5, "the broker has stopped")
    assert member.host.halted is not None
    assert member.host.halted.startswith("the last log directory has failed")
    scene.flow()
    scene.finish()


@pytest.mark.parametrize("of_controller", [False, True])
@pytest.mark.spec("K858-11")
def test_a_node_stops_when_its_metadata_directory_dies(of_controller: bool) -> None:
    scene = Scene(Shape(3, 2, 3), 3)
    active = scene.cluster.active()
    assert active is not None
    controller = scene.cluster.members[active.config.node_id]
    member = controller if of_controller else scene.follower
    member.held = True
    break_disk(scene, member, member.config.metadata_dir)
    scene.until(lambda: member.node is None, 5, "the node has stopped")
    assert member.host.halted is not None
    assert member.host.halted.startswith("the metadata directory has failed")
    scene.flow()
    scene.finish()


@pytest.mark.spec("B-16", "B-18", "K858-12")
def test_a_broker_starts_with_a_dead_directory_and_serves_the_rest() -> None:
    scene = Scene(Shape(2, 2), 2, topics=2)
    member = scene.follower
    path = scene.here(member)
    member.held = True
    scene.cluster.kill(member)
    break_disk(scene, member, path)
    scene.cluster.start_node(member)
    lifecycle = scene.broker(member).lifecycle
    scene.until(lambda: not lifecycle.is_fenced, 20, "it serves")
    logs = scene.broker(member).logs
    there = sum(place.stage is Stage.OFFLINE for place in logs.places.all.values())
    assert logs.offline == {path}
    assert logs.offline_replicas == there >= 1
    scene.flow()
    scene.finish()


@pytest.mark.spec("B-13")
def test_a_directory_that_comes_back_before_the_metadata_waits_for_it() -> None:
    scene = Scene(Shape(1, 2), 1)
    member = scene.leader
    path = scene.here(member)
    controller = scene.cluster.controllers[0]
    controller.held = member.held = True
    scene.hurt(member)
    scene.cluster.kill(controller)
    scene.cluster.kill(member)
    fault = member.disk.fail(f"{path}/", errno.EIO)
    scene.cluster.start_node(member)
    scene.pass_time(1.0)
    member.disk.mend(fault)
    scene.pass_time(4.0)
    assert any(scene.events("log directory is back"))
    scene.cluster.start_node(controller)
    scene.until(scene.cluster.serves, 20, "it serves")
    assert not any(scene.events("stray log set aside"))
    scene.finish()


@pytest.mark.spec("B-13")
def test_a_directory_that_was_away_leads_in_a_new_epoch_only() -> None:
    scene = Scene(Shape(2, 2), 1)
    member = scene.leader
    path, epoch = scene.here(member), scene.state.leader_epoch
    controller = scene.cluster.controllers[0]
    controller.held = True
    scene.hurt(member)
    scene.cluster.kill(controller)
    fault = member.disk.fail(f"{path}/", errno.EIO, "write")
    logs = scene.broker(member).logs
    scene.until(lambda: path in logs.offline, 5, "the disk is dead")
    member.disk.mend(fault)
    scene.pass_time(4.0)
    assert path in logs.offline  # Well again, but the cluster does not know that it was ill.
    scene.cluster.start_node(controller)
    scene.until(lambda: path not in logs.offline, 20, "the disk is back")
    scene.flow()
    assert scene.state.leader_epoch > epoch
    scene.finish()


@pytest.mark.spec("K858-12", "K858-18")
def test_a_blank_disk_in_the_place_of_one_is_filled_again() -> None:
    scene = Scene(Shape(3, 2), 3, min_insync_replicas="2")
    member = scene.follower
    path = scene.here(member)
    member.held = True
    scene.cluster.kill(member)
    member.disk.blank(path)
    scene.cluster.format(member, path)
    scene.flow()
    scene.cluster.start_node(member)
    scene.finish()
    assert scene.here(member) in member.log_dirs


@pytest.mark.spec("K113-12")
def test_a_move_goes_on_when_its_source_is_back() -> None:
    scene = Scene(Shape(1, 2), 1)
    member = scene.leader
    home, target = scene.here(member), scene.elsewhere(member)
    admin = scene.world.hosts["admin"]
    scene.world.feed(admin, lambda: scene.admin.throttle(1000))
    scene.flow(50)
    scene.move(member, target)
    scene.pass_time(1.0)
    scene.hurt(member)
    fault = member.disk.fail(f"{home}/", errno.EIO)
    scene.until(lambda: home in scene.broker(member).logs.offline, 5, "the disk is dead")
    member.disk.mend(fault)
    scene.until(lambda: home not in scene.broker(member).logs.offline, 10, "it is back")
    scene.world.feed(admin, lambda: scene.admin.throttle(1 << 40))
    scene.finish()
    assert scene.here(member) == target


@pytest.mark.spec("K113-16")
def test_a_full_disk_closes_and_deletes_what_was_moved_away() -> None:
    scene = Scene(Shape(1, 2), 1)
    member = scene.leader
    home, target = scene.here(member), scene.elsewhere(member)

    def fill() -> None:
        member.disk.capacity[home] = member.disk.used(home)

    scene.after(Append, member, fill, nth=5)
    scene.pass_time(2.0)
    scene.move(member, target)
    scene.until(lambda: scene.checks.moved > 0, 30, "it was moved off the full disk")
    assert scene.here(member) == target
    scene.until(lambda: _gone(member, home), 10, "it is deleted")
    scene.finish()


def _gone(member: SimNode, path: str) -> bool:
    return not any(name.endswith("-delete") for name in member.disk.names(path))


@pytest.mark.spec("B-12", "K589-01")
def test_a_replica_that_comes_back_to_a_disk_with_room_again_is_in_sync() -> None:
    scene = Scene(Shape(2, 2), 2, min_insync_replicas="1")
    member = scene.follower
    home, target = scene.here(member), scene.elsewhere(member)
    member.disk.capacity[home] = member.disk.used(home)

    def in_sync() -> bool:
        return member.node_id in scene.state.isr

    scene.until(lambda: not in_sync(), 30, "the others go on without it")
    scene.move(member, target)
    scene.until(lambda: scene.here(member) == target and in_sync(), 30, "it is in sync elsewhere")
    del member.disk.capacity[home]
    scene.until(lambda: any(scene.events("log directory has room again")), 30, "there is room")
    scene.move(member, home)
    scene.until(lambda: scene.here(member) == home, 30, "it is back")
    scene.finish()


@pytest.mark.spec("B-12", "B-13", "K589-01")
def test_a_full_disk_that_fails_and_comes_back_is_full_no_more() -> None:
    """Neither its replicas nor the controller take it for full for ever."""
    scene = Scene(Shape(2, 2), 2, min_insync_replicas="1")
    member = scene.follower
    home = scene.here(member)
    broker, life = scene.broker(member), member.host.life
    member.disk.capacity[home] = member.disk.used(home)
    scene.until(lambda: member.node_id not in scene.state.isr, 30, "the others go on without it")
    scene.until(lambda: bool(cordoned(scene, member)), 5, "it takes no new replicas")
    break_disk(scene, member, home)
    scene.until(lambda: home in broker.logs.offline, 5, "it has failed")
    del member.disk.capacity[home]
    member.disk.heal(home)
    scene.until(lambda: home not in broker.logs.offline, 60, "it is back by itself")
    scene.until(lambda: member.node_id in scene.state.isr, 30, "its replica is in sync")
    scene.until(lambda: not cordoned(scene, member), 5, "it takes new replicas")
    assert member.host.life == life
    scene.finish()


def cordoned(scene: Scene, member: SimNode) -> object:
    """The broker's directories that the controller gives no new replicas."""
    return scene.cluster.newest.brokers[member.node_id].cordoned_log_dirs


@pytest.mark.spec("B-12")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_producer_takes_a_full_disk_for_a_loss(seed: int) -> None:
    """As librdkafka does: to a gap in its sequence numbers it answers with a new epoch."""
    pace = ProducerPace(pause=0.05, records_max=1, flight=5, bumps=True)
    scene = Scene(Shape(3, 2), 3, seed=seed, pace=pace, min_insync_replicas="2")
    member = scene.leader
    path = scene.here(member)
    followers = [one for one in scene.cluster.brokers if one is not member]
    scene.world.net.latency = 0.03
    for one in followers:
        scene.world.disks.slow[scene.here(one)] = 0.05
    for _ in range(8):
        # Some of what is under way still fits, and is not committed when the next finds no room.
        room = 300 + scene.world.time.rng.randrange(600)
        member.disk.capacity[path] = member.disk.used(path) + room
        scene.pass_time(0.6)
        del member.disk.capacity[path]
        scene.pass_time(1.5)
    for one in followers:
        scene.world.disks.unhang(scene.here(one))
    counts = scene.history.counts
    assert counts.get("appends repeated", 0) > 0
    assert "gaps answered" not in counts
    scene.finish()
