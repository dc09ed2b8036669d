"""Moves between directories in a whole cluster: under appends, and interrupted at each stage."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support.simulation import TOPIC, Scene

from spindle.core.logdirs.move import LogDirMoveState
from spindle.model.copying_jobs import (
    AdoptCopied,
    CopyBytes,
    PlanCopy,
)
from spindle.model.jobs import (
    CreateLog,
    Discard,
    Flush,
    Job,
    Promote,
    Purge,
)
from spindle.sim.sim_cluster import Shape, SimNode

STAGES = (CreateLog, PlanCopy, CopyBytes, AdoptCopied, Flush, Discard, Promote, Purge)
Role = Callable[[Scene], SimNode]
LEADER: Role = lambda scene: scene.leader  # noqa: E731
FOLLOWER: Role = lambda scene: scene.follower  # noqa: E731
roles = pytest.mark.parametrize("role", [LEADER, FOLLOWER], ids=["leader", "follower"])


def moved(scene: Scene, member: SimNode, target: str) -> None:
    """Wait until a move is over, wherever it was interrupted, and nothing of it is left."""
    scene.finish()
    assert scene.here(member) == target
    assert scene.checks.moved >= 1


@roles
@pytest.mark.spec("K113-03", "B-05")
def test_a_replica_moves_while_records_come(role: Role) -> None:
    scene = Scene(Shape(3, 2), 3)
    member = role(scene)
    target, before = scene.elsewhere(member), scene.state.partition_epoch
    scene.move(member, target)
    scene.until(lambda: scene.here(member) == target, 10, "the replica has moved")
    assert scene.state.partition_epoch == before + 1  # from old to new, once
    assert scene.leader.node_id in scene.state.isr
    assert len(scene.state.isr) == 3
    moved(scene, member, target)


@roles
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.spec("K113-15", "K113-16", "K113-19", "B-02", "B-04")
def test_a_process_is_killed_at_a_stage_of_a_move(role: Role, stage: type[Job[object]]) -> None:
    scene = Scene(Shape(3, 2), 3)
    member = role(scene)
    target = scene.elsewhere(member)
    struck = scene.after(stage, member, lambda: scene.kill(member))
    scene.move(member, target)
    scene.until(lambda: bool(struck), 10, f"{stage.__name__} is done")
    if stage is CreateLog:  # A move whose future log is empty, or not there, may be forgotten.
        scene.until(lambda: member.broker is not None, 5, "it runs again")
        scene.until(scene.cluster.serves, 20, "it serves again")
        scene.move(member, target)
    moved(scene, member, target)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.spec("K113-19", "B-21")
def test_the_power_goes_at_a_stage_of_a_move(stage: type[Job[object]]) -> None:
    scene = Scene(Shape(3, 2), 3)
    member = scene.follower
    target = scene.elsewhere(member)
    struck = scene.after(stage, member, lambda: scene.cut_power(member))
    scene.move(member, target)
    scene.until(lambda: bool(struck), 10, f"{stage.__name__} is done")
    scene.finish()
    assert scene.here(member) in member.log_dirs


@pytest.mark.parametrize("stage", [PlanCopy, AdoptCopied, Flush, Discard, Promote])
@pytest.mark.spec("B-21", "K113-19")
def test_the_only_copy_survives_a_power_cut_in_its_move(stage: type[Job[object]]) -> None:
    scene = Scene(Shape(1, 2), 1, flush_messages="1")
    member = scene.leader
    struck = scene.after(stage, member, lambda: scene.cut_power(member))
    scene.move(member, scene.elsewhere(member))
    scene.until(lambda: bool(struck), 10, f"{stage.__name__} is done")
    scene.finish()


@pytest.mark.parametrize("controllers", [1, 3])
@pytest.mark.spec("K858-16", "K858-17")
def test_the_controller_changes_in_the_middle_of_a_move(controllers: int) -> None:
    scene = Scene(Shape(3, 2, controllers), 3)
    member = scene.follower
    target = scene.elsewhere(member)
    scene.checks.network_hurt = True
    active = scene.cluster.active()
    assert active is not None
    controller = scene.cluster.members[active.config.node_id]
    scene.after(AdoptCopied, member, lambda: scene.kill(controller, 2.0))
    scene.move(member, target)
    scene.until(lambda: controller.node is None, 5, "the controller is down")
    assert scene.here(member) != target  # The cluster does not know: nothing is promoted.
    scene.until(lambda: scene.here(member) == target, 20, "the replica has moved")
    moved(scene, member, target)


@pytest.mark.spec("K113-08", "K113-09")
def test_a_move_is_redirected_and_then_cancelled() -> None:
    scene = Scene(Shape(2, 3), 2)
    member = scene.follower
    home = scene.here(member)
    first, second = (p for p in member.log_dirs if p != home)
    scene.move(member, first)
    scene.pass_time(0.004)
    scene.move(member, second)
    scene.until(lambda: scene.here(member) == second, 10, "the replica has moved")
    scene.move(member, first)
    scene.pass_time(0.004)
    scene.move(member, second)
    scene.finish()
    assert scene.here(member) == second


@pytest.mark.spec("K113-14")
def test_the_broker_stops_in_the_middle_of_the_swap() -> None:
    scene = Scene(Shape(3, 2), 3)
    member = scene.follower
    target = scene.elsewhere(member)

    def stop() -> None:
        member.held = True
        scene.world.time.after(0.0, scene.cluster.stop, member)

    scene.after(AdoptCopied, member, stop)
    scene.move(member, target)
    scene.until(lambda: member.node is None, 20, "the broker has stopped")
    scene.cluster.start_node(member)
    moved(scene, member, target)


@pytest.mark.spec("K113-14")
def test_the_topic_is_deleted_during_a_move() -> None:
    scene = Scene(Shape(2, 2), 2, topics=2)
    member = scene.follower
    view = next(t for t in scene.admin.topics.values() if t.name == TOPIC)
    admin = scene.world.hosts["admin"]
    scene.after(
        PlanCopy,
        member,
        lambda: scene.world.time.after(
            0, scene.world.feed, admin, lambda: scene.admin.delete(view)
        ),
    )
    scene.move(member, scene.elsewhere(member))
    scene.until(lambda: TOPIC not in scene.cluster.newest.topic_ids, 5, "it is deleted")
    scene.flow()
    scene.heal()
    scene.checks.final()


@pytest.mark.spec("K113-14")
def test_a_reassignment_takes_away_what_is_being_moved() -> None:
    scene = Scene(Shape(3, 2), 2)
    member = scene.follower
    stranger = next(id for id in (1, 2, 3) if id not in scene.state.replicas)
    leader = scene.state.leader
    scene.after(
        PlanCopy, member, lambda: scene.world.time.after(0, scene.reassign, leader, stranger)
    )
    scene.move(member, scene.elsewhere(member))
    scene.until(lambda: stranger in scene.state.isr, 10, "the newcomer is in the ISR")
    scene.finish()
    assert scene.id not in scene.broker(member).logs.places.all


@pytest.mark.spec("K113-05", "K113-07")
def test_throttled_moves_wait_for_each_other_and_for_their_bytes() -> None:
    settings = {"num.replica.alter.log.dirs.threads": "1"}
    scene = Scene(Shape(1, 2, settings=settings), 1, partitions=1)
    member = scene.leader
    scene.flow(100)
    admin = scene.world.hosts["admin"]
    scene.world.feed(admin, lambda: scene.admin.throttle(2000))
    scene.pass_time(0.5)
    target = scene.elsewhere(member)
    scene.move(member, target)
    scene.pass_time(1.0)
    move = scene.broker(member).logs.moves.under_way.of(scene.id)
    assert move is not None
    assert move.state is LogDirMoveState.COPYING
    scene.world.feed(admin, lambda: scene.admin.throttle(1 << 40))
    moved(scene, member, target)
