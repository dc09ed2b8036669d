"""A killed broker's partitions are led elsewhere within a second; a slow one keeps its session."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.simulation import Scene

from spindle.sim.faults import Appetite
from spindle.sim.seed_run import simulate
from spindle.sim.sim_cluster import Shape
from spindle.sim.swarm import draw

pytestmark = pytest.mark.spec("B-29")

FENCED = "broker fenced: its process is dead"
SLOW_SESSION = {"broker.session.timeout.ms": "20000"}
"""No session ends within the seconds that these tests take."""


def is_led_elsewhere(scene: Scene, victim: int) -> bool:
    return scene.state.leader not in (-1, victim)


@pytest.mark.parametrize("seed", range(5))
def test_a_killed_leaders_partitions_are_led_elsewhere_within_a_second(seed: int) -> None:
    scene = Scene(Shape(3, 2, settings=SLOW_SESSION), 3, seed, min_insync_replicas="2")
    victim = scene.leader
    scene.promises.on_trouble(victim)
    scene.cluster.kill(victim)
    scene.until(lambda: is_led_elsewhere(scene, victim.node_id), 1.0, "another leads")
    before = scene.acknowledged()
    scene.until(lambda: scene.acknowledged() > before + 20, 5, "records are acknowledged")
    scene.cluster.start_node(victim)
    scene.until(lambda: len(scene.state.isr) == 3, 10, "its next process registers at once")
    scene.promises.on_relief(victim)
    scene.finish()


def test_one_that_dies_with_the_active_controller_is_fenced_by_the_next() -> None:
    shape = Shape(3, 2, controllers=3, combined=True, settings=SLOW_SESSION)
    scene = Scene(shape, 3, 2, min_insync_replicas="2")
    active = scene.cluster.active()
    assert active is not None
    victim = scene.cluster.members[active.config.node_id]
    scene.promises.on_trouble(victim)
    scene.cluster.kill(victim)
    scene.until(
        lambda: scene.cluster.newest.brokers[victim.node_id].fenced, 6, "the next one fences it"
    )
    assert [host for host, _ in scene.events(FENCED)]
    scene.cluster.start_node(victim)
    scene.until(lambda: len(scene.state.isr) == 3, 15, "it is back")
    scene.promises.on_relief(victim)
    scene.finish()


def test_a_broker_that_is_stopped_in_mid_air_or_cut_off_keeps_its_session() -> None:
    scene = Scene(Shape(3, 2, settings=SLOW_SESSION), 3, 3)
    (controller,) = scene.cluster.controllers
    frozen, cut, _ = scene.cluster.brokers
    scene.world.freeze(frozen.host)
    scene.world.net.cuts[(cut.host.name, controller.host.name)] = None
    scene.world.net.cuts[(controller.host.name, cut.host.name)] = None
    for _ in range(40):
        scene.world.net.break_some()
        scene.world.time.run(scene.world.time.now + 0.1, lambda: False)
    assert not any(scene.cluster.newest.brokers[m.node_id].fenced for m in (frozen, cut))
    assert not list(scene.events(FENCED))
    scene.world.thaw(frozen.host)
    scene.world.net.heal()
    scene.finish()


@pytest.mark.spec("C-08")
@pytest.mark.parametrize("seed", range(6))
def test_kills_cuts_and_broken_connections_lose_nothing(seed: int) -> None:
    appetite = Appetite({"kill": 2.0, "cut": 1.0, "break": 3.0, "freeze": 1.0}, 0.5, 0.5)
    outcome = simulate(9000 + seed, replace(draw(9000 + seed), appetite=appetite))
    assert outcome.error is None, outcome.error
